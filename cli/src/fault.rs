//! What makes a plan invalid, told by the rows of its file.

use aether::{Error, Kind};
use serde::Serialize;

use crate::failure::Failure;
use crate::problem::{Problem, bytes};
use crate::table::{Column, listed, shown};

/// One offset a row. A row without bytes lies nowhere, so it needs none.
pub fn offsets(problem: &Problem) -> Result<Vec<usize>, Failure> {
    let table = problem.table;
    let offset = |row: usize| match table.field(row, Column::Offset) {
        "" | "-1" if problem.tensors[row].size == 0 => Ok(0),
        _ if !table.has(Column::Offset) => Err(table.missing(Column::Offset)),
        _ => bytes(table, row, Column::Offset, "an offset in bytes", 0),
    };
    (0..table.len()).map(offset).collect()
}

/// What makes a plan invalid.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fault {
    /// Two rows alive at one node share bytes from `byte` on.
    Clash { rows: [Place; 2], node: i128, byte: usize },
    /// The end of a row cannot be counted.
    EndBeyondLimit { rows: [Place; 1], limit: usize },
    /// An offset is not a multiple of its row's alignment.
    OffsetMisaligned { rows: [Place; 1], offset: usize, alignment: usize },
    /// A row with bytes is in none of several spaces.
    NoSpace { id: String, line: usize },
    /// A row is in none of the spaces that it may be in.
    SpaceNotAllowed { rows: [Place; 1], allowed: Vec<String> },
    /// The address of the arena of a space is less aligned than a row in it.
    BaseMisaligned { rows: [Place; 1], base_alignment: usize, alignment: usize },
    /// A row ends above the capacity of its space.
    AboveCapacity { rows: [Place; 1], capacity: usize },
}

/// A row and the bytes `[start, end)` that it holds.
#[derive(Serialize)]
pub struct Place {
    id: String,
    line: usize,
    start: usize,
    end: u128,
}

impl Fault {
    /// None where the error is not about the plan.
    pub fn new(problem: &Problem, offsets: &[usize], error: Error) -> Option<Fault> {
        let place = |row: usize| (row < offsets.len()).then(|| Place::new(problem, offsets, row));
        let Error { kind, index, other, got, limit } = error;
        match kind {
            Kind::Clash => {
                let rows = [place(index)?, place(other)?];
                Some(Fault::Clash { rows, node: problem.time(limit), byte: got })
            }
            Kind::ArenaOverflow => Some(Fault::EndBeyondLimit { rows: [place(index)?], limit: usize::MAX }),
            Kind::OffsetMisaligned => {
                Some(Fault::OffsetMisaligned { rows: [place(index)?], offset: got, alignment: limit })
            }
            _ => None,
        }
    }

    pub fn sentence(&self, source: &str) -> String {
        match self {
            Fault::Clash { rows: [a, b], node, byte } => {
                format!("{source}: {} and {} overlap at node {node}, from byte {byte}", a.shown(), b.shown())
            }
            Fault::EndBeyondLimit { rows: [row], limit } => {
                format!("{source}: {}: the end is above {limit}", row.shown())
            }
            Fault::OffsetMisaligned { rows: [row], offset, alignment } => {
                format!("{source}: {}: offset {offset} is not a multiple of its alignment {alignment}", row.shown())
            }
            Fault::NoSpace { id, line } => format!("{source}: {} (line {line}): it has no space", shown(id)),
            Fault::SpaceNotAllowed { rows: [row], allowed } => {
                let allowed = listed(allowed.iter().map(|name| shown(name)));
                format!("{source}: {}: the row may be in {allowed}", row.shown())
            }
            Fault::BaseMisaligned { rows: [row], base_alignment, alignment } => {
                let what = "is not a multiple of that of the row";
                format!("{source}: {}: alignment {base_alignment} of the space {what}, {alignment}", row.shown())
            }
            Fault::AboveCapacity { rows: [row], capacity } => {
                let above = row.end - *capacity as u128;
                format!("{source}: {}: the end is {above} above the capacity {capacity}", row.shown())
            }
        }
    }
}

impl Place {
    pub fn new(problem: &Problem, offsets: &[usize], row: usize) -> Place {
        let start = offsets[row];
        let end = start as u128 + problem.tensors[row].size as u128;
        Place { id: problem.table.id(row).to_string(), line: problem.line(row), start, end }
    }

    fn shown(&self) -> String {
        format!("{} [{},{}) (line {})", shown(&self.id), self.start, self.end, self.line)
    }
}
