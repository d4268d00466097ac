//! `aether plan`: where each tensor of a file lives in one arena.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use crate::algorithm::{self, Algorithm};
use crate::failure::Failure;
use crate::problem::Problem;
use crate::report::{self, Report};
use crate::table::Table;
use crate::{arena, output, plot};

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
    /// How to plan
    #[arg(long, value_enum, default_value_t = Algorithm::Portfolio)]
    algorithm: Algorithm,
    /// The bytes that the arena may have, where 0 means zero bytes; exit 1 if it needs more (the plan is written all
    /// the same)
    #[arg(long, value_name = "BYTES")]
    capacity: Option<usize>,
    /// Draw the plan here, as aether plot does
    #[arg(long, value_name = "SVG")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

/// How the fields of a file become a problem.
#[derive(clap::Args)]
pub struct Reading {
    /// Make every offset a multiple of this too: the alignment of a row becomes the least common multiple of its own
    /// and this one
    #[arg(long, value_name = "BYTES", default_value = "1")]
    alignment: NonZeroUsize,
    /// Plan the file anew, whatever its column offset says
    #[arg(long)]
    ignore_offsets: bool,
}

impl Reading {
    /// A note tells where this leaves nothing to plan.
    pub fn problem<'a>(&self, table: &'a Table) -> Result<Problem<'a>, Failure> {
        let mut problem = Problem::new(table, self.alignment)?;
        if !self.ignore_offsets {
            problem.pin_offsets()?;
        }
        if problem.all_pinned() {
            let what = "the offset of every row is given, so there is nothing to plan; --ignore-offsets plans it anew";
            output::note(&table.source, what);
        }
        Ok(problem)
    }
}

#[derive(Serialize)]
struct Json<'a> {
    algorithm: &'static str,
    /// The one whose plan was kept; none where every offset is given.
    planner: Option<&'static str>,
    #[serde(flatten)]
    report: &'a Report,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let table = Table::read(&args.input)?;
    let problem = args.reading.problem(&table)?;
    let start = Instant::now();
    let (offsets, outcome) = arena::plan(&problem.model(args.capacity), args.algorithm.planners())
        .map_err(|error| problem.explain(error))?;
    let report = Report::new(&problem, outcome.plan, args.capacity, start.elapsed().as_secs_f64())?;
    let planner = (!problem.all_pinned()).then(|| algorithm::name(outcome.planner));
    let mut summary = match args.json {
        true => output::json(&Json { algorithm: args.algorithm.name(), planner, report: &report })?,
        false => report::line("planner", planner.unwrap_or("none: every offset is given")) + &report.to_string(),
    };
    if let Some(path) = &args.svg {
        output::to_file(path, plot::svg(&problem, &offsets)?.as_bytes())?;
    }
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
