//! The command `aether`: offset planning for files.
//!
//! One file a verb (`plan`, `check`). They share `table` (the CSV text), `problem` (what its fields mean), `arena` (the
//! calls into the library), `report` (a plan's numbers), `output` (where answers go) and `failure` (exit codes).

mod arena;
mod check;
mod failure;
mod output;
mod plan;
mod problem;
mod report;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Offset planning for the tensors of a computation: where does each live in one arena?
#[derive(Parser)]
#[command(name = "aether", version, after_help = FORMAT)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Give every tensor of a file its offset
    #[command(after_help = PLAN_EXAMPLE)]
    Plan(plan::Args),
    /// Say whether a plan is valid: aligned, and no byte shared by two tensors alive at once
    #[command(after_help = CHECK_EXAMPLE)]
    Check(check::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().verb {
        Verb::Plan(args) => plan::run(&args),
        Verb::Check(args) => check::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

const FORMAT: &str = "\
Example:
  $ cat net.csv
  id,lower,upper,size
  A,0,2,100
  B,1,3,80
  C,2,4,60
  $ aether plan net.csv -o plan.csv     # offsets 0, 100, 0: an arena of 180 bytes
  $ aether check plan.csv --capacity 180

The file format is minimalloc's CSV. Columns are found by their names in the header, in any order:
  id           a unique name (also: buffer, buffer_id)
  lower        the first time alive (also: start, begin); times may be negative
  upper        the time after the last one alive; called end, it is the last one itself
  size         bytes; a row of size 0 is not placed
  alignment    optional: the offset is a multiple of it (1)
  hint         optional: carried through
  gaps         optional: must be empty, gaps are not planned yet
  offset       the plan; a problem leaves it out, empty, or -1
Other columns are carried through. Integers have an optional sign and decimal digits: +5 and 007 are fine, 1e3 and
0x10 are not. Quoted fields, spaces around fields, blank lines, CRLF and a byte order mark are fine too.

Exit codes:
  0  fine
  1  the plan is invalid, or needs more than the capacity
  2  bad input or usage, or a file that cannot be read or written";

const PLAN_EXAMPLE: &str = "\
Example:
  aether plan net.csv -o plan.csv --capacity 1048576

Exit codes: 0 fine, 1 the plan needs more than the capacity, 2 bad input or usage. The format: aether --help";

const CHECK_EXAMPLE: &str = "\
Example:
  aether plan net.csv -o - | aether check -

Exit codes: 0 valid, 1 invalid or more than the capacity, 2 bad input or usage. The format: aether --help";
