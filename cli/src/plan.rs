//! `aether plan`: where each tensor of a file lives in one arena.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use aether::Error;
use aether::arena::Outcome;
use serde::Serialize;

use crate::algorithm::{self, Algorithm};
use crate::failure::Failure;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::report::{self, Report};
use crate::search::{self, Answer, StoppedBy, Told};
use crate::table::Table;
use crate::{arena, interrupt, output, plot, terminal, values};

#[derive(clap::Args)]
pub struct Args {
    /// The problem, a CSV file; - is standard input
    input: PathBuf,
    /// Write the plan here; - is standard output
    ///
    /// A plan is the rows of the input, with their offsets as the last column. Where it goes to standard output the
    /// summary goes to standard error
    #[arg(short, long, value_name = "PLAN")]
    output: Option<PathBuf>,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
    /// How to plan
    #[arg(long, value_enum, default_value_t = Algorithm::Search)]
    algorithm: Algorithm,
    /// The bytes that the arena may have, where 0 means zero bytes; exit 1 if it needs more
    ///
    /// The plan is written all the same, and is as small as without a capacity
    #[arg(long, value_name = "BYTES", value_parser = values::bytes, allow_negative_numbers = true)]
    capacity: Option<usize>,
    /// Draw the plan here, in a file, as aether plot does
    #[arg(long, value_name = "SVG", value_parser = values::file)]
    svg: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    search: search::Options,
}

/// How the fields of a file become a problem.
#[derive(clap::Args)]
pub struct Reading {
    /// Make every offset a multiple of this too
    ///
    /// The alignment of a row becomes the least common multiple of its own and this one
    #[arg(long, value_name = "BYTES", default_value = "1")]
    #[arg(value_parser = values::at_least_1, allow_negative_numbers = true)]
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
    /// The one whose plan was kept, or improved by the search; none where every offset is given.
    planner: Option<&'static str>,
    #[serde(flatten)]
    search: Option<&'a Told>,
    #[serde(flatten)]
    report: &'a Report,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let table = Table::read(&args.input)?;
    let problem = args.reading.problem(&table)?;
    let start = Instant::now();
    let Answer { offsets, plan, planner, search } = answer(args, &problem).map_err(|error| problem.explain(error))?;
    let report = Report::new(&problem, plan, args.capacity, start.elapsed().as_secs_f64())?;
    let planner = (!problem.all_pinned()).then(|| algorithm::name(planner));
    let search = search.as_ref();
    let mut summary = match args.json {
        true => output::json(&Json { algorithm: args.algorithm.name(), planner, search, report: &report })?,
        false => origin(planner, search) + &report.to_string(),
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
    if let Some(path) = &args.svg {
        plot::draw(path, &problem, &offsets, plan.lower_bound)?;
    }
    let interrupted = search.is_some_and(|search| search.stopped_by == StoppedBy::Interrupt);
    let failures = [interrupted.then(|| Failure::interrupted(&table.source)), report.require_capacity(&problem).err()];
    Failure::all(failures.into_iter().flatten().collect()).map_or(Ok(()), Err)
}

/// Where the plan comes from.
fn origin(planner: Option<&str>, search: Option<&Told>) -> String {
    let search_line = |search: &Told| report::line("search", search);
    match (planner, search) {
        (None, _) => report::line("planner", "none: every offset is given"),
        (Some(planner), Some(search)) if search.nodes > 0 => {
            report::line("planner", format_args!("search, from the plan of {planner} on")) + &search_line(search)
        }
        (Some(planner), _) => report::line("planner", planner) + &search.map(search_line).unwrap_or_default(),
    }
}

fn answer(args: &Args, problem: &Problem) -> Result<Answer, Error> {
    let model = problem.model(args.capacity);
    if args.algorithm == Algorithm::Search {
        let mut progress = Progress::new(&problem.table.source);
        let interrupted = interrupt::flag();
        return search::run(&model, &args.search, &interrupted, |best, nodes, spent| {
            progress.tell(best, nodes, spent, interrupted.load(Ordering::Relaxed));
        });
    }
    let planned = terminal::patiently("planning", || arena::plan(&model, args.algorithm.planners()));
    let (offsets, Outcome { plan, planner, .. }) = planned?;
    Ok(Answer { offsets, plan, planner, search: None })
}
