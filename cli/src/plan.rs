//! `aether plan`: where each tensor of a file lives in one arena.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use crate::failure::Failure;
use crate::problem::Problem;
use crate::report::{self, Report};
use crate::table::{Column, Table};
use crate::{arena, output};

#[derive(clap::Args)]
pub struct Args {
    /// The problem, a CSV file; - is standard input
    input: PathBuf,
    /// Write the plan here: the rows of the input, with their offsets as the last column; - is standard output, and
    /// the summary then goes to standard error
    #[arg(short, long, value_name = "PLAN")]
    output: Option<PathBuf>,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
    /// The bytes that the arena may have; exit 1 if it needs more (the plan is written all the same)
    #[arg(long, value_name = "BYTES")]
    capacity: Option<usize>,
    /// Plan the file anew, whatever its column offset says
    #[arg(long)]
    ignore_offsets: bool,
}

#[derive(Serialize)]
struct Json<'a> {
    algorithm: &'static str,
    #[serde(flatten)]
    report: &'a Report,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let table = Table::read(&args.input)?;
    let problem = Problem::new(&table)?;
    if !args.ignore_offsets {
        refuse_pinned_offsets(&table)?;
    }
    let start = Instant::now();
    let (offsets, plan) = arena::plan(&problem.tensors).map_err(|error| problem.explain(error))?;
    let report = Report::new(&problem, plan, args.capacity, start.elapsed().as_secs_f64())?;
    let mut summary = match args.json {
        true => output::json(&Json { algorithm: "size", report: &report })?,
        false => report.to_string(),
    };

    match args.output.as_deref() {
        None => output::to_stdout(summary.as_bytes())?,
        Some(path) if path == Path::new("-") => {
            output::to_stdout(table.with_offsets(&offsets).as_bytes())?;
            output::to_stderr(summary.as_bytes())?;
        }
        Some(path) => {
            output::to_file(path, table.with_offsets(&offsets).as_bytes())?;
            if !args.json {
                summary += &report::line("plan written to", path.display());
            }
            output::to_stdout(summary.as_bytes())?;
        }
    }
    report.require_capacity(&problem)
}

/// A pinned offset would change the plan, so it is not passed over in silence.
fn refuse_pinned_offsets(table: &Table) -> Result<(), Failure> {
    match (0..table.len()).find(|&row| !matches!(table.field(row, Column::Offset), "" | "-1")) {
        Some(row) => Err(table.refuse(
            row,
            Column::Offset,
            "nothing or -1: pinned offsets are not planned yet, and --ignore-offsets plans the file anew",
        )),
        None => Ok(()),
    }
}
