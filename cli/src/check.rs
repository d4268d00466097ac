//! `aether check`: is a plan valid, whoever made it?

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;

use crate::failure::Failure;
use crate::fault::{Fault, offsets};
use crate::problem::Problem;
use crate::report::{Report, line};
use crate::space_options::{NamedSpace, named_space};
use crate::table::Table;
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

#[derive(Serialize)]
struct Faulty<'a, T> {
    error: &'a T,
}
