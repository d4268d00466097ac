//! The readers of the command on any text: an answer or a message, and what is written can be read again.

use std::num::NonZeroUsize;

use crate::graph::Graph;
use crate::graph_text::GraphText;
use crate::input;
use crate::problem::Problem;
use crate::table::{Column, Table};

pub const CSV: &[&str] = &[
    "id,lower,upper,size\n",
    "id",
    "buffer",
    "lower",
    "start",
    "begin",
    "upper",
    "end",
    "size",
    "alignment",
    "hint",
    "gaps",
    "offset",
    ",",
    ",",
    ",",
    ",",
    "\n",
    "\n",
    "\r",
    "\r\n",
    "\"",
    "\"\"",
    " ",
    "-",
    "-1",
    "+5",
    "007",
    "0",
    "1",
    "2",
    "3",
    "9",
    "64",
    "3-5",
    "3-5@0:16",
    "1e3",
    "a",
    "b",
    "c",
    "\u{feff}",
    "é",
    "9223372036854775807",
    "18446744073709551615",
    "340282366920938463463374607431768211456",
    "-170141183460469231731687303715884105728",
];

pub const DOT: &[&str] = &[
    "digraph {",
    "digraph",
    "strict",
    "graph",
    "subgraph",
    "node",
    "edge",
    "{",
    "}",
    "[",
    "]",
    "->",
    "->",
    "->",
    "--",
    ";",
    ",",
    ":",
    "=",
    "a",
    "b",
    "c",
    "d",
    "a",
    "b",
    "\"",
    "\"x y\"",
    "\\\"",
    "<",
    ">",
    "<b>",
    "//",
    "/*",
    "*/",
    "#",
    "\n",
    "\n",
    " ",
    " ",
    "label",
    "=\"l\"",
    "1",
    "-.5",
    "é",
    "+",
    "\\\n",
    "\r\n",
    "n",
];

pub const EDGES: &[&str] = &[
    "a b\n", "b c\n", "a c\n", "c d\n", "0 1\n", "1 2\n", "a", "b", " ", "\t", "\n", "\n", "\r", "\r\n", "#", "# c\n",
    "->", "--", "é", "\u{2003}", "\u{feff}", "weight=3", "\"", "0", "1",
];

/// A problem is read or refused; a plan that was written for it is the same problem.
pub fn csv(data: &[u8]) {
    let Ok(text) = input::text("x", data, "a CSV file") else { return };
    let Ok(table) = Table::parse("x".to_string(), text) else { return };
    for alignment in [1, 48] {
        let Ok(mut problem) = Problem::new(&table, NonZeroUsize::new(alignment).expect("positive")) else { return };
        let is_pinned = problem.pin_offsets().is_ok();
        let offsets: Vec<usize> = (0..table.len()).map(|row| row * 8).collect();
        let written = table.with_columns(&[(Column::Offset, &|row| offsets[row].to_string())]);
        let again = Table::parse("y".to_string(), &written).unwrap_or_else(|error| panic!("{error:?}: {written:?}"));
        let mut planned = Problem::new(&again, NonZeroUsize::new(alignment).expect("positive")).expect("as before");
        assert_eq!(planned.tensors, problem.tensors, "{written:?}");
        assert_eq!(planned.model(None).gaps, problem.model(None).gaps);
        planned.pin_offsets().expect("offsets");
        if table.len() > 0 {
            assert_eq!(planned.model(None).fixed_offsets, &offsets[..]);
        }
        if is_pinned && table.len() < 50 {
            let _ = problem.largest_in_use(0);
        }
    }
}

/// A graph is read or refused; all of it is the text itself, and a part of it has the edges of the part.
fn graph(data: &[u8], wants_dot: bool) {
    let Ok(text) = input::text("x", data, "a graph") else { return };
    let Ok(whole) = GraphText::read("x", text) else { return };
    let graph = &whole.graph;
    if wants_dot != crate::dot::is_dot(text) {
        return;
    }
    assert_eq!(whole.reduced(&vec![true; graph.edges.len()]), text);
    let keep: Vec<bool> = (0..graph.edges.len()).map(|i| (i * 7 + text.len()) % 3 != 0).collect();
    let part = whole.reduced(&keep);
    let again = GraphText::read("y", &part).unwrap_or_else(|error| panic!("{error:?}: {text:?} became {part:?}"));
    let names = |graph: &Graph, from: u32, to: u32| {
        (graph.names[from as usize].to_string(), graph.names[to as usize].to_string())
    };
    let kept = graph.edges.iter().zip(&keep).filter(|(_, keep)| **keep);
    let mut kept: Vec<_> = kept.map(|(edge, _)| names(graph, edge.from, edge.to)).collect();
    let mut read: Vec<_> = again.graph.edges.iter().map(|edge| names(&again.graph, edge.from, edge.to)).collect();
    kept.sort();
    read.sort();
    assert_eq!(read, kept, "{text:?} became {part:?}");
}

pub fn dot(data: &[u8]) {
    graph(data, true);
}

pub fn edge_list(data: &[u8]) {
    graph(data, false);
}

/// Bytes that pretend to be packed.
pub fn packed(data: &[u8]) {
    let (kind, rest) = data.split_first().unwrap_or((&0, &[]));
    let magic: &[u8] = match kind % 4 {
        0 => &[0x1f, 0x8b, 8, 0],
        1 => &[0x28, 0xb5, 0x2f, 0xfd],
        2 => &[0x50, 0x2a, 0x4d, 0x18],
        _ => &[],
    };
    let _ = input::unpacked("x", [magic, rest].concat());
}
