//! `aether diff`: what changed from one plan to another?
//!
//! Rows are the same where their ids are. Such a row may have moved to another offset, or be another tensor: of another
//! size, alignment or lifetime.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::failure::Failure;
use crate::output;
use crate::placed::Placed;
use crate::problem::Problem;
use crate::report::{Bytes, line};
use crate::table::{Table, shown};

#[derive(clap::Args)]
pub struct Args {
    /// The plan before, a CSV file with a column offset; - is standard input
    before: PathBuf,
    /// The plan after; - is standard input
    after: PathBuf,
    /// Print one JSON object, with every row
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if [&args.before, &args.after].iter().all(|path| path.as_path() == Path::new("-")) {
        return Err(Failure::input("<stdin>: cannot be both plans".to_string()));
    }
    let tables = (Table::read(&args.before)?, Table::read(&args.after)?);
    let [before, after] = [Problem::unaligned(&tables.0)?, Problem::unaligned(&tables.1)?];
    let [before, after] = [Placed::read(&before)?, Placed::read(&after)?];
    let difference = Difference::new(&before, &after);
    let text = if args.json { output::json(&difference)? } else { difference.text() };
    output::to_stdout(text.as_bytes())?;
    let verdicts = [&before, &after].map(|placed| placed.require_valid().err());
    Failure::all(verdicts.into_iter().flatten().collect()).map_or(Ok(()), Err)
}

/// For each row of `after` the row of `before` with the same id.
pub fn same_rows(before: &Problem, after: &Problem) -> Vec<Option<usize>> {
    let rows: HashMap<&str, usize> = (0..before.table.len()).map(|row| (before.table.id(row), row)).collect();
    (0..after.table.len()).map(|row| rows.get(after.table.id(row)).copied()).collect()
}

#[derive(Serialize)]
struct Difference<'a> {
    before: Numbers<'a>,
    after: Numbers<'a>,
    /// The rows with bytes of both plans whose offset is another, the largest first.
    moved: Vec<Moved<'a>>,
    /// Those whose size, alignment or lifetime is another.
    changed: Vec<&'a str>,
    only_before: Vec<&'a str>,
    only_after: Vec<&'a str>,
    /// The rows in which the plans agree in everything.
    equal: usize,
}

#[derive(Serialize)]
struct Numbers<'a> {
    file: &'a str,
    valid: bool,
    tensors: usize,
    arena_size: usize,
    lower_bound: usize,
    gap_percent: f64,
}

#[derive(Serialize)]
struct Moved<'a> {
    id: &'a str,
    bytes: usize,
    from: usize,
    to: usize,
}

impl<'a> Difference<'a> {
    fn new(before: &Placed<'a>, after: &Placed<'a>) -> Difference<'a> {
        let (old, new) = (before.problem, after.problem);
        let same = same_rows(old, new);
        let (mut moved, mut changed, mut equal) = (Vec::new(), Vec::new(), 0);
        for (row, was) in same.iter().enumerate() {
            let (id, Some(was)) = (new.table.id(row), *was) else { continue };
            let (from, to, bytes) = (before.offsets[was], after.offsets[row], new.tensors[row].size);
            let is_changed = tensor(old, was) != tensor(new, row);
            let is_moved = from != to && bytes > 0;
            if is_changed {
                changed.push(id);
            }
            if is_moved {
                moved.push(Moved { id, bytes, from, to });
            }
            equal += usize::from(!is_changed && !is_moved);
        }
        moved.sort_by_key(|moved| Reverse(moved.bytes));
        let mut is_kept = vec![false; old.table.len()];
        same.iter().flatten().for_each(|&row| is_kept[row] = true);
        let only_before = (0..is_kept.len()).filter(|&row| !is_kept[row]).map(|row| old.table.id(row));
        let only_after = (0..same.len()).filter(|&row| same[row].is_none()).map(|row| new.table.id(row));
        Difference {
            before: Numbers::new(before),
            after: Numbers::new(after),
            moved,
            changed,
            only_before: only_before.collect(),
            only_after: only_after.collect(),
            equal,
        }
    }

    fn text(&self) -> String {
        let Numbers { arena_size: from, .. } = self.before;
        let Numbers { arena_size: to, .. } = self.after;
        let change = match (from.abs_diff(to), to < from) {
            (0, _) => "the same".to_string(),
            (by, true) => format!("{} less, {:.2} %", Bytes(by), by as f64 / from as f64 * 100.0),
            (by, false) if from == 0 => format!("{} more", Bytes(by)),
            (by, false) => format!("{} more, {:.2} %", Bytes(by), by as f64 / from as f64 * 100.0),
        };
        let mut text = String::new();
        for (label, numbers) in [("arena before", &self.before), ("arena after", &self.after)] {
            let verdict = match (numbers.valid, numbers.arena_size == numbers.lower_bound) {
                (false, _) => ", invalid".to_string(),
                (true, true) => ", optimal".to_string(),
                (true, false) => format!(", {:.2} % over the bound", numbers.gap_percent),
            };
            text += &line(label, format_args!("{}{verdict}", Bytes(numbers.arena_size)));
        }
        text += &line("difference", change);
        text += &line("moved", self.moved.len());
        const MOST: usize = 20;
        for Moved { id, bytes, from, to } in self.moved.iter().take(MOST) {
            text += &format!("  {}: {from} -> {to}, {bytes} bytes\n", shown(id));
        }
        if self.moved.len() > MOST {
            text += &format!("  and {} more; --json has them all\n", self.moved.len() - MOST);
        }
        let lists = [("changed", &self.changed), ("only before", &self.only_before), ("only after", &self.only_after)];
        for (label, ids) in lists.into_iter().filter(|(_, ids)| !ids.is_empty()) {
            let names = crate::table::listed(ids.iter().map(|id| shown(id)));
            text += &line(label, format_args!("{}: {names}", ids.len()));
        }
        text + &line("equal", self.equal)
    }
}

/// What a row is, wherever it lies: size, alignment, and its lifetime in the file's own time.
pub fn tensor(problem: &Problem, row: usize) -> (usize, usize, i128, i128) {
    let tensor = &problem.tensors[row];
    (tensor.size, tensor.alignment, problem.time(tensor.first_use), problem.time(tensor.last_use))
}

impl<'a> Numbers<'a> {
    fn new(placed: &Placed<'a>) -> Numbers<'a> {
        Numbers {
            file: &placed.problem.table.source,
            valid: placed.invalid.is_none(),
            tensors: placed.problem.tensors.len(),
            arena_size: placed.arena_size,
            lower_bound: placed.lower_bound,
            gap_percent: placed.gap_percent(),
        }
    }
}
