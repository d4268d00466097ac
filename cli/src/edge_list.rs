//! Edge lists: a line is an edge, `u v`, and whatever follows on it are its attributes.
//!
//! Fields are separated by white space. One that begins with # begins a comment; blank lines are fine. A line with one
//! field is refused: it may be the rest of a line that was cut, or have commas for spaces.

use crate::failure::Failure;
use crate::graph::Graph;
use crate::table::shown;

pub fn read<'t>(text: &'t str, graph: &mut Graph<'t>) -> Result<(), Failure> {
    let mut place = 0;
    while place < text.len() {
        let end = line_end(text, place);
        let mut fields = text[place..end].split_whitespace().take_while(|field| !field.starts_with('#'));
        match (fields.next(), fields.next()) {
            (None, _) => {}
            (Some(field), None) => {
                return Err(graph.refuse(place, format_args!("one field, \"{}\": expected an edge, u v", shown(field))));
            }
            (Some(_), Some(arrow @ ("->" | "--"))) => {
                let what = "an edge list has no arrows, and a DOT file begins with digraph {";
                return Err(graph.refuse(place, format_args!("second field \"{arrow}\": {what}")));
            }
            (Some(from), Some(to)) => {
                let (from, to) = (graph.add_node(from.into())?, graph.add_node(to.into())?);
                graph.add_edge(from, to, place);
            }
        }
        place = end;
    }
    Ok(())
}

/// The text without the lines of the edges that are not kept, given where the line of each edge begins.
pub fn reduced(text: &str, places: &[usize], keep: &[bool]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut copied = 0;
    for (&place, _) in places.iter().zip(keep).filter(|(_, keep)| !**keep) {
        kept.push_str(&text[copied..place]);
        copied = line_end(text, place);
    }
    kept + &text[copied..]
}

/// Where the line that begins at `place` ends, with its LF, CRLF or CR.
fn line_end(text: &str, place: usize) -> usize {
    let rest = &text[place..];
    let line = rest.find(['\n', '\r']).map_or(rest, |end| &rest[..end]);
    let after = &rest[line.len()..];
    place + line.len() + if after.starts_with("\r\n") { 2 } else { after.len().min(1) }
}
