//! `aether plot`: a plan as a picture.
//!
//! `picture` writes the SVG: what `layout` places, in the colours of the `palette`, as text that `svg` has escaped.
//! `page` fills in `page.html`, whose script does the same with a view that moves.

mod layout;
mod page;
mod palette;
mod picture;
mod svg;

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::placed::Placed;
use crate::problem::Problem;
use crate::table::Table;
use crate::{output, values};

#[derive(clap::Args)]
pub struct Args {
    /// The plan, a CSV file with a column offset; - is standard input
    plan: PathBuf,
    /// Write the picture here, as SVG; without this and --html, or where it is -, to standard output
    #[arg(short, long, value_name = "SVG")]
    output: Option<PathBuf>,
    /// Write a page for a browser here, to zoom, search and point at; - is standard output
    #[arg(long, value_name = "HTML")]
    html: Option<PathBuf>,
    /// Show this plan of the same problem beside it on the page
    #[arg(long, value_name = "PLAN", requires = "html")]
    before: Option<PathBuf>,
    /// Let the picture reach up to these bytes at least, so that two plans can be drawn to one scale
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = values::bytes)]
    #[arg(allow_negative_numbers = true)]
    top: usize,
    /// What stands above the picture; the name of the file where this is not given
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let table = Table::read(&args.plan)?;
    let problem = Problem::unaligned(&table)?;
    let placed = Placed::read(&problem)?;
    let title = args.title.as_deref().unwrap_or(name(&table.source));
    let mut verdicts = vec![placed.require_valid()];
    if let Some(path) = &args.html {
        let table = args.before.as_deref().map(Table::read).transpose()?;
        let problem = table.as_ref().map(Problem::unaligned).transpose()?;
        let before = problem.as_ref().map(Placed::read).transpose()?;
        write(path, &page::page(&placed, before.as_ref(), title)?)?;
        verdicts.extend(before.map(|before| before.require_valid()));
    }
    match (&args.output, &args.html) {
        (None, Some(_)) => {}
        (None, None) => write(Path::new("-"), &picture::picture(&placed, title, args.top))?,
        (Some(path), _) => write(path, &picture::picture(&placed, title, args.top))?,
    }
    Failure::all(verdicts.into_iter().filter_map(Result::err).collect()).map_or(Ok(()), Err)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    match path == Path::new("-") {
        true => output::to_stdout(text.as_bytes()),
        false => output::to_file(path, text.as_bytes()),
    }
}

/// Draws a plan that was just made, with a bound that was proven beside it.
pub fn draw(path: &Path, problem: &Problem, offsets: &[usize], lower_bound: usize) -> Result<(), Failure> {
    let mut placed = Placed::new(problem, offsets.to_vec())?;
    placed.lower_bound = placed.lower_bound.max(lower_bound);
    output::to_file(path, picture::picture(&placed, name(&problem.table.source), 0).as_bytes())
}

/// The last part of a path.
fn name(source: &str) -> &str {
    Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or(source)
}
