//! A plan as one page for a browser, which asks nothing of a network: the map to zoom and move, search and point at,
//! with a second plan of the same problem beside it where there is one.
//!
//! The page is `page.html`; here its data is filled in, as JSON in which no markup can begin.

use serde::Serialize;

use super::palette::{COLOURS, DARK, INKS, LIGHT, SHARES, Theme};
use super::picture::numbers;
use super::svg::escape;
use crate::diff::{same_rows, tensor};
use crate::failure::Failure;
use crate::in_use;
use crate::output;
use crate::placed::Placed;

const TEMPLATE: &str = include_str!("page.html");

#[derive(Serialize)]
struct Data<'a> {
    title: &'a str,
    numbers: String,
    /// The time of node 0.
    origin: i128,
    nodes: usize,
    arena: usize,
    arena_before: Option<usize>,
    bound: usize,
    peak: usize,
    peak_node: Option<usize>,
    ids: Vec<&'a str>,
    first: Vec<usize>,
    last: Vec<usize>,
    size: Vec<usize>,
    offset: &'a [usize],
    before: Option<Vec<usize>>,
    /// The rows with gaps and their parts: first and last node, begin and end in the row.
    cut: Vec<(usize, Vec<[usize; 4]>)>,
    /// Node and live bytes from there on.
    steps: Vec<(u128, u128)>,
    colours: [&'static str; COLOURS.len()],
    inks: [&'static str; COLOURS.len()],
    shares: [&'static str; COLOURS.len()],
}

/// The page of a plan, and of one before it.
pub fn page(placed: &Placed, before: Option<&Placed>, title: &str) -> Result<String, Failure> {
    let problem = placed.problem;
    let parts = in_use::parts(&problem.model(None));
    let mut cut: Vec<(usize, Vec<[usize; 4]>)> = Vec::new();
    for gap in problem.model(None).gaps {
        if cut.last().is_none_or(|(row, _)| *row != gap.tensor) {
            let of_row = parts.iter().filter(|part| part.row == gap.tensor);
            cut.push((gap.tensor, of_row.map(|part| [part.first, part.last, part.begin, part.end]).collect()));
        }
    }
    let data = Data {
        title,
        numbers: numbers(placed),
        origin: problem.time(0),
        nodes: problem.tensors.iter().map(|tensor| tensor.last_use.saturating_add(1)).max().unwrap_or(0),
        arena: placed.arena_size,
        arena_before: before.map(|before| before.arena_size),
        bound: placed.lower_bound,
        peak: placed.peak_live_bytes,
        peak_node: placed.peak_node,
        ids: (0..problem.tensors.len()).map(|row| problem.table.id(row)).collect(),
        first: problem.tensors.iter().map(|tensor| tensor.first_use).collect(),
        last: problem.tensors.iter().map(|tensor| tensor.last_use).collect(),
        size: problem.tensors.iter().map(|tensor| tensor.size).collect(),
        offset: &placed.offsets,
        before: before.map(|before| offsets_before(before, placed)).transpose()?,
        cut,
        steps: in_use::steps(&parts).iter().map(|step| (step.node, step.bytes)).collect(),
        colours: COLOURS,
        inks: INKS,
        shares: SHARES,
    };
    // No element can end and no comment begin in a text without this sign.
    let json = output::json(&data)?.trim_end().replace('<', "\\u003c");
    let themes = format!(
        ":root {{ color-scheme: light dark; {} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {} }} }}",
        variables(&LIGHT),
        variables(&DARK)
    );
    // Each is filled in once, in this order, so that no text of the plan is taken for a place.
    let (mut page, mut rest) = (String::with_capacity(TEMPLATE.len() + json.len() + 1024), TEMPLATE);
    for (place, text) in [("@TITLE@", escape(title)), ("@THEMES@", themes), ("@DATA@", json)] {
        if let Some((before, after)) = rest.split_once(place) {
            page.extend([before, &text]);
            rest = after;
        }
    }
    page.push_str(rest);
    Ok(page)
}

/// The offsets of the other plan in the order of this one's rows. Both must be of one problem.
fn offsets_before(before: &Placed, after: &Placed) -> Result<Vec<usize>, Failure> {
    let (old, new) = (before.problem, after.problem);
    let refuse = |what: String| {
        let (before, after) = (&old.table.source, &new.table.source);
        Err(Failure::input(format!("{before}: not a plan of the same problem as {after}: {what}")))
    };
    if old.tensors.len() != new.tensors.len() {
        return refuse(format!("{} rows and {}", old.tensors.len(), new.tensors.len()));
    }
    let mut offsets = Vec::with_capacity(new.tensors.len());
    for (row, same) in same_rows(old, new).into_iter().enumerate() {
        match same {
            Some(same) if tensor(old, same) == tensor(new, row) => offsets.push(before.offsets[same]),
            Some(_) => return refuse(format!("{} has another size, alignment or lifetime", new.id(row))),
            None => return refuse(format!("it has no {}", new.id(row))),
        }
    }
    Ok(offsets)
}

fn variables(theme: &Theme) -> String {
    let Theme { page, free, text, faint, mark, curve } = theme;
    format!("--page: {page}; --free: {free}; --text: {text}; --faint: {faint}; --mark: {mark}; --curve: {curve};")
}
