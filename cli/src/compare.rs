//! `aether compare`: how close does each planner come to the lower bound, file by file?
//!
//! A cell is the arena over the lower bound of its file. Two rows sum up: `total` is the sum of the arenas over the sum
//! of the bounds, so large files weigh most; in `geometric mean` each file weighs the same.

use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use aether::arena::Problem;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Serialize, Serializer};

use crate::algorithm::Algorithm;
use crate::failure::Failure;
use crate::plan::Reading;
use crate::table::{Table, escaped};
use crate::{arena, output, search, terminal};

#[derive(clap::Args)]
pub struct Args {
    /// The problems, CSV files; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The columns, separated by commas; every planner where this is not given
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Algorithm::PLANNERS, hide_default_value = true)]
    algorithm: Vec<Algorithm>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    search: search::Options,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let mut columns: Vec<Algorithm> = Vec::new();
    for &column in &args.algorithm {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let progress = progress(args.inputs.len() * columns.len());
    let (mut files, mut failures) = (Vec::new(), Vec::new());
    for input in &args.inputs {
        files.extend(measure(input, &columns, args, &progress, &mut failures));
    }
    progress.finish_and_clear();
    if !files.is_empty() {
        let comparison = Comparison::new(&columns, &files);
        let text = match args.json {
            true => output::json(&comparison)?,
            false => comparison.to_table(&columns, terminal::may_be_bold()),
        };
        output::to_stdout(text.as_bytes())?;
    }
    Failure::all(failures).map_or(Ok(()), Err)
}

/// One file under every planner.
struct Measured {
    file: String,
    tensors: usize,
    lower_bound: usize,
    /// One a column; none where that planner failed.
    arenas: Vec<Option<usize>>,
}

/// None where no planner has a plan. Whatever fails is added to `failures`.
fn measure(
    input: &Path,
    columns: &[Algorithm],
    args: &Args,
    progress: &ProgressBar,
    failures: &mut Vec<Failure>,
) -> Option<Measured> {
    let search = |model: &Problem| search::run(model, &args.search, &AtomicBool::new(false), |_, _, _| {});
    let last_step = progress.position() + columns.len() as u64;
    // Notes are written while the bar is away.
    let measured = progress.suspend(|| Table::read(input)).and_then(|table| {
        let problem = progress.suspend(|| args.reading.problem(&table))?;
        let mut measured =
            Measured { file: table.source.clone(), tensors: table.len(), lower_bound: 0, arenas: Vec::new() };
        let mut failed = Vec::new();
        for column in columns {
            progress.set_message(format!("{}, {}", escaped(&measured.file), column.name()));
            let model = problem.model(None);
            let plan = match column {
                Algorithm::Search => search(&model).map(|answer| answer.plan),
                _ => arena::plan(&model, column.planners()).map(|(_, outcome)| outcome.plan),
            };
            let arena = match plan {
                Ok(plan) => {
                    measured.lower_bound = measured.lower_bound.max(plan.lower_bound);
                    Some(plan.arena_size)
                }
                Err(error) => {
                    failed.push((column, problem.explain(error)));
                    None
                }
            };
            measured.arenas.push(arena);
            progress.inc(1);
        }
        if failed.len() == columns.len() {
            // It is the file, not the planners.
            return Err(failed.swap_remove(0).1);
        }
        failures.extend(failed.into_iter().map(|(column, failure)| failure.about(column.name())));
        Ok(measured)
    });
    progress.set_position(last_step);
    measured.map_err(|failure| failures.push(failure)).ok()
}

/// Hidden unless standard error is a terminal.
fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
    if stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {bar:30} {wide_msg}") {
            bar.set_style(style);
        }
    }
    bar
}

#[derive(Serialize)]
struct Comparison<'a> {
    files: Vec<File<'a>>,
    total: Columns<'a, f64>,
    geometric_mean: Columns<'a, f64>,
}

#[derive(Serialize)]
struct File<'a> {
    file: &'a str,
    tensors: usize,
    lower_bound: usize,
    arena_sizes: Columns<'a, usize>,
}

/// One value a column; none where it cannot be told.
struct Columns<'a, T> {
    names: &'a [Algorithm],
    values: Vec<Option<T>>,
}

impl<T: Serialize> Serialize for Columns<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.names.iter().map(|name| name.name()).zip(&self.values))
    }
}

impl<'a> Comparison<'a> {
    fn new(columns: &'a [Algorithm], files: &'a [Measured]) -> Comparison<'a> {
        // A column that lacks a file cannot be held against the others.
        let sum_up = |value: fn(&[(usize, usize)]) -> f64| {
            let pairs = |column: usize| -> Option<Vec<(usize, usize)>> {
                files.iter().map(|file| Some((file.arenas[column]?, file.lower_bound))).collect()
            };
            let values = (0..columns.len()).map(|column| Some(rounded(value(&pairs(column)?)))).collect();
            Columns { names: columns, values }
        };
        let file = |measured: &'a Measured| File {
            file: &measured.file,
            tensors: measured.tensors,
            lower_bound: measured.lower_bound,
            arena_sizes: Columns { names: columns, values: measured.arenas.clone() },
        };
        Comparison {
            files: files.iter().map(file).collect(),
            total: sum_up(total),
            geometric_mean: sum_up(geometric_mean),
        }
    }

    /// The best of a row stand out: in bold, or with a star.
    fn to_table(&self, columns: &[Algorithm], bold: bool) -> String {
        let names = columns.iter().map(|column| column.name().to_string()).collect();
        let mut lines = vec![("arena / lower bound".to_string(), names, vec![false; columns.len()])];
        for File { file, lower_bound, arena_sizes, .. } in &self.files {
            let cell = |arena: usize| decimals(ratio(arena as f64, *lower_bound as f64));
            let cells = arena_sizes.values.iter().map(|arena| arena.map_or("-".to_string(), cell)).collect();
            lines.push((escaped(file), cells, best(&arena_sizes.values)));
        }
        for (label, Columns { values, .. }) in [("total", &self.total), ("geometric mean", &self.geometric_mean)] {
            let cells = values.iter().map(|value| value.map_or("-".to_string(), decimals)).collect();
            lines.push((label.to_string(), cells, best(values)));
        }
        render(&lines, bold)
    }
}

fn ratio(arena: f64, bound: f64) -> f64 {
    if arena == bound { 1.0 } else { arena / bound }
}

fn total(pairs: &[(usize, usize)]) -> f64 {
    // Sums of f64 are exact enough for what is shown, and cannot overflow.
    ratio(pairs.iter().map(|pair| pair.0 as f64).sum(), pairs.iter().map(|pair| pair.1 as f64).sum())
}

fn geometric_mean(pairs: &[(usize, usize)]) -> f64 {
    let logarithms = pairs.iter().map(|&(arena, bound)| ratio(arena as f64, bound as f64).ln());
    (logarithms.sum::<f64>() / pairs.len() as f64).exp()
}

/// So far logarithms are the same on every platform.
fn rounded(ratio: f64) -> f64 {
    (ratio * 1e6).round() / 1e6
}

fn decimals(ratio: f64) -> String {
    format!("{ratio:.4}")
}

/// Which values are the smallest.
fn best<T: PartialOrd + Copy>(values: &[Option<T>]) -> Vec<bool> {
    let known = values.iter().flatten().copied();
    let least = known.reduce(|a, b| if b < a { b } else { a });
    values.iter().map(|value| value.is_some() && *value == least).collect()
}

/// Lines of a label, cells, and which of the cells stand out; the cells of a column end below each other.
fn render(lines: &[(String, Vec<String>, Vec<bool>)], bold: bool) -> String {
    let width = |text: &str| text.chars().count();
    let label_width = lines.iter().map(|(label, ..)| width(label)).max().unwrap_or(0);
    let columns = lines.first().map_or(0, |(_, cells, _)| cells.len());
    let widths: Vec<usize> =
        (0..columns).map(|column| lines.iter().map(|(_, cells, _)| width(&cells[column])).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for (label, cells, marked) in lines {
        let mut line = format!("{label:<label_width$}");
        for ((cell, &marked), &width) in cells.iter().zip(marked).zip(&widths) {
            line += &match (bold, marked) {
                (true, true) => format!("  \x1b[1m{cell:>width$}\x1b[0m"),
                (true, false) => format!("  {cell:>width$}"),
                (false, true) => format!("  {cell:>width$}*"),
                (false, false) => format!("  {cell:>width$} "),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
