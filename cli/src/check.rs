//! `aether check`: is a plan valid, whoever made it?

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use aether::{Error, Kind};
use serde::Serialize;

use crate::failure::Failure;
use crate::problem::{Problem, bytes};
use crate::report::{Report, line};
use crate::space_options::{NamedSpace, named_space};
use crate::table::{Column, Table, listed, shown};
use crate::{arena, check_spaces, output, spaces, terminal, values};

#[derive(clap::Args)]
pub struct Args {
    /// The plan, a CSV file with a column offset; - is standard input
    plan: PathBuf,
    /// The bytes that the arena may have, where 0 means zero bytes; exit 1 if it needs more
    #[arg(long, value_name = "BYTES", value_parser = values::bytes, allow_negative_numbers = true)]
    capacity: Option<usize>,
    /// Every offset must be a multiple of this too
    #[arg(long, value_name = "BYTES", default_value = "1")]
    #[arg(value_parser = values::at_least_1, allow_negative_numbers = true)]
    alignment: NonZeroUsize,
    /// A memory space of the plan, as plan takes it; the cost says nothing here. Repeated for each
    ///
    /// Each row must be in one of them, in the column space, and within its capacity. A plan of several spaces is
    /// checked without this too; then they have no limits
    #[arg(long = "space", value_name = "NAME=CAPACITY[:ALIGN[:COST]]", value_parser = named_space)]
    #[arg(conflicts_with = "capacity")]
    spaces: Vec<NamedSpace>,
    /// Print the verdict as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Json<T> {
    valid: bool,
    #[serde(flatten)]
    rest: T,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let table = Table::read(&args.plan)?;
    let problem = Problem::new(&table, args.alignment)?;
    if !args.spaces.is_empty() || spaces::second_space(&table).is_some() {
        return several_spaces(&problem, args);
    }
    spaces::note_unused(&table);
    let offsets = offsets(&problem)?;
    let start = Instant::now();
    match terminal::patiently("checking", || arena::check(&problem.model(None), &offsets)) {
        Ok(plan) => {
            let report = Report::new(&problem, plan, args.capacity, start.elapsed().as_secs_f64())?;
            let summary = match args.json {
                true => output::json(&Json { valid: true, rest: &report })?,
                false => line("plan", "valid") + &report.to_string(),
            };
            output::to_stdout(summary.as_bytes())?;
            report.require_capacity(&problem)
        }
        Err(error) => {
            let fault = Fault::new(&problem, &offsets, error).ok_or_else(|| problem.explain(error))?;
            if args.json {
                let verdict = output::json(&Json { valid: false, rest: Faulty { error: &fault } })?;
                output::to_stdout(verdict.as_bytes())?;
            }
            Err(Failure::verdict(fault.sentence(&table.source)))
        }
    }
}

fn several_spaces(problem: &Problem, args: &Args) -> Result<(), Failure> {
    if args.capacity.is_some() {
        return Err(Failure::input("--capacity: expected --space for each space of the plan instead".to_string()));
    }
    match check_spaces::check(problem, &args.spaces)? {
        Ok(report) => {
            let summary = match args.json {
                true => output::json(&Json { valid: true, rest: &report })?,
                false => line("plan", "valid") + &report.to_string(),
            };
            output::to_stdout(summary.as_bytes())
        }
        Err(fault) => {
            if args.json {
                let verdict = output::json(&Json { valid: false, rest: Faulty { error: &fault } })?;
                output::to_stdout(verdict.as_bytes())?;
            }
            Err(Failure::verdict(fault.sentence(&problem.table.source)))
        }
    }
}

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

#[derive(Serialize)]
struct Faulty<'a, T> {
    error: &'a T,
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
