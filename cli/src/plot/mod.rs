//! `aether plot`: a plan as a picture.
//!
//! `picture` writes the SVG: what `layout` places, in the colours of the `palette`, as text that `svg` has escaped.

mod layout;
mod palette;
mod picture;
mod svg;

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output;
use crate::placed::Placed;
use crate::problem::Problem;
use crate::table::Table;

#[derive(clap::Args)]
pub struct Args {
    /// The plan, a CSV file with a column offset; - is standard input
    plan: PathBuf,
    /// Write the picture here; without this, or where it is -, to standard output
    #[arg(short, long, value_name = "SVG")]
    output: Option<PathBuf>,
    /// What stands above the picture; the name of the file where this is not given
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let table = Table::read(&args.plan)?;
    let problem = Problem::unaligned(&table)?;
    let placed = Placed::read(&problem)?;
    let title = args.title.as_deref().unwrap_or(name(&table.source));
    let svg = picture::picture(&placed, title);
    match args.output.as_deref() {
        Some(path) if path != Path::new("-") => output::to_file(path, svg.as_bytes())?,
        _ => output::to_stdout(svg.as_bytes())?,
    }
    placed.require_valid()
}

/// The picture of a plan that was just made.
pub fn svg(problem: &Problem, offsets: &[usize]) -> Result<String, Failure> {
    Ok(picture::picture(&Placed::new(problem, offsets.to_vec())?, name(&problem.table.source)))
}

/// The last part of a path.
fn name(source: &str) -> &str {
    Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or(source)
}
