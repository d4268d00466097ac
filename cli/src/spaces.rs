//! `aether plan --space`: each row gets a memory space and an offset in it.

use std::array;
use std::cmp::Reverse;
use std::fmt;
use std::time::Instant;

use aether::NONE;
use aether::arena::{FREE, NO_SPACE, Plan, Space, SpaceReport, SpacesOutcome, SpacesProblem, Verdict};
use serde::Serialize;

use crate::arena::{self, SpacesPlan};
use crate::failure::Failure;
use crate::problem::{Problem, bytes};
use crate::report::{Bytes, line};
use crate::space_options::SpaceOptions;
use crate::table::{Column, Table, escaped, listed, shown};
use crate::{output, search};

/// What `--space` adds to a problem.
struct Rows<'a> {
    problem: &'a Problem<'a>,
    names: Vec<String>,
    spaces: Vec<Space>,
    /// One a row.
    allowed: Vec<u32>,
    pinned_spaces: Vec<u32>,
    weights: Vec<usize>,
}

/// The plan of a file, and what is told of it.
pub struct Answer {
    /// The rows with their spaces and offsets.
    pub table: String,
    pub report: Report,
    /// Rows that find no room.
    pub verdict: Result<(), Failure>,
}

/// `with_pins`: the columns space and offset say where a row must be.
pub fn plan(
    problem: &Problem,
    with_pins: bool,
    options: &SpaceOptions,
    search: &search::Options,
) -> Result<Answer, Failure> {
    let work_limit = search.work_limit_of_spaces()?;
    let (names, spaces) = options.spaces()?;
    let rows = Rows::read(problem, with_pins, names, spaces)?;
    let start = Instant::now();
    let plan =
        arena::plan_spaces(&rows.problem(), work_limit, search.first_seed()).map_err(|error| problem.explain(error))?;
    let report = Report::new(&rows, &plan, search.first_seed(), start.elapsed().as_secs_f64());
    Ok(Answer { table: rows.table(&plan), report, verdict: rows.require_room(&plan) })
}

impl<'a> Rows<'a> {
    fn read(
        problem: &'a Problem<'a>,
        with_pins: bool,
        names: Vec<String>,
        spaces: Vec<Space>,
    ) -> Result<Rows<'a>, Failure> {
        let table = problem.table;
        refuse_conditions(problem)?;
        let find = |row, column, name| find(table, row, column, name, &names);
        let all = u32::MAX >> (32 - names.len());
        let mut rows = Rows {
            problem,
            names: Vec::new(),
            spaces,
            allowed: Vec::new(),
            pinned_spaces: Vec::new(),
            weights: Vec::new(),
        };
        for row in 0..table.len() {
            let mask = match named(table, row, &names)? {
                0 => all,
                mask => mask,
            };
            rows.allowed.push(mask);
            rows.pinned_spaces.push(match table.field(row, Column::Space) {
                name if with_pins && !name.is_empty() => find(row, Column::Space, name)?,
                _ if mask.is_power_of_two() => mask.trailing_zeros(),
                _ => NO_SPACE,
            });
            let (pin, size) = (rows.pinned_spaces[row], problem.tensors[row].size);
            if pin != NO_SPACE && mask >> pin & 1 == 0 {
                let expected = format!("one of the spaces in column {}", table.name(Column::Spaces));
                return Err(table.refuse(row, Column::Space, expected));
            }
            let offset = problem.model(None).fixed_offsets.get(row).copied().unwrap_or(FREE);
            if offset != FREE && size > 0 && pin == NO_SPACE {
                let expected = "nothing or -1 where the row may be in several spaces; column space or spaces can name \
                                the one that the offset is in";
                return Err(table.refuse(row, Column::Offset, expected));
            }
            rows.weights.push(match table.field(row, Column::Weight) {
                "" => size,
                _ => bytes(table, row, Column::Weight, "the bytes moved to and from the row", 0)?,
            });
        }
        rows.names = names;
        Ok(rows)
    }

    fn problem(&self) -> SpacesProblem<'_> {
        SpacesProblem {
            tensors: &self.problem.tensors,
            spaces: &self.spaces,
            allowed: &self.allowed,
            pinned_spaces: &self.pinned_spaces,
            fixed_offsets: self.problem.model(None).fixed_offsets,
            weights: &self.weights,
        }
    }

    /// A row without bytes has offset 0 in no space; one that finds no room has no offset.
    fn table(&self, plan: &SpacesPlan) -> String {
        let space = |row: usize| self.names.get(plan.homes[row] as usize).cloned().unwrap_or_default();
        let offset = |row: usize| match plan.homes[row] {
            NO_SPACE if self.problem.tensors[row].size > 0 => String::new(),
            _ => plan.offsets[row].to_string(),
        };
        self.problem.table.with_columns(&[(Column::Space, &space), (Column::Offset, &offset)])
    }

    /// The verdict on rows without a space: how much is missing where, and what is in the way.
    fn require_room(&self, plan: &SpacesPlan) -> Result<(), Failure> {
        let SpacesOutcome { verdict, left_out, largest_left_out: row, .. } = plan.outcome;
        if row == NONE {
            return Ok(());
        }
        let problem = self.problem;
        let (size, others) = (problem.tensors[row].size, left_out - 1);
        let others = match others {
            0 => String::new(),
            1 => ", nor does one other row".to_string(),
            _ => format!(", nor do {others} other rows"),
        };
        let mut message = format!(
            "{}:{}: {}: {} find no room in any space{others}\n{}",
            problem.table.source,
            problem.line(row),
            problem.id(row),
            Bytes(size),
            match verdict {
                Verdict::Impossible => "no plan has room for all rows",
                _ => "a plan with room for all rows may exist",
            }
        );
        for (k, report) in plan.reports.iter().enumerate() {
            message += &format!("\n{}: {}", shown(&self.names[k]), self.lack(row, k, report, &plan.homes));
        }
        Err(Failure::verdict(message))
    }

    /// Why a row is not in a space.
    fn lack(&self, row: usize, k: usize, report: &SpaceReport, homes: &[u32]) -> String {
        let tensor = &self.problem.tensors[row];
        let Space { capacity, base_alignment, .. } = self.spaces[k];
        if self.allowed[row] >> k & 1 == 0 || ![NO_SPACE, k as u32].contains(&self.pinned_spaces[row]) {
            return "not allowed".to_string();
        }
        if base_alignment != 0 && !base_alignment.is_multiple_of(tensor.alignment.max(1)) {
            return format!("its alignment {base_alignment} is no multiple of that of the row, {}", tensor.alignment);
        }
        let SpaceReport { free_bytes, longest_range, tightest_node: node, .. } = *report;
        let (usable, in_one_piece) = match free_bytes < tensor.size {
            true => (free_bytes, ""),
            false => (longest_range, " in one piece"),
        };
        format!(
            "short by {}{in_one_piece}: of {capacity} bytes {free_bytes} are free over its life, {longest_range} of \
             them in one piece; at node {}, the tightest, it holds {}",
            tensor.size.saturating_sub(usable),
            self.problem.time(node),
            self.residents(k, node, homes)
        )
    }

    /// The rows in a space that are alive at a node, the largest first.
    fn residents(&self, k: usize, node: usize, homes: &[u32]) -> String {
        let tensors = &self.problem.tensors;
        let is_there =
            |&row: &usize| homes[row] as usize == k && (tensors[row].first_use..=tensors[row].last_use).contains(&node);
        let mut rows: Vec<usize> = (0..homes.len()).filter(is_there).collect();
        rows.sort_by_key(|&row| Reverse(tensors[row].size));
        match rows.is_empty() {
            true => "nothing".to_string(),
            false => listed(rows.iter().map(|&row| format!("{} {}", self.problem.id(row), tensors[row].size))),
        }
    }
}

/// The place of a name among those of the spaces.
pub fn find(table: &Table, row: usize, column: Column, name: &str, names: &[String]) -> Result<u32, Failure> {
    let expected = || format!("a name of --space: {}", listed(names.iter().map(|name| shown(name))));
    let found = names.iter().position(|other| other == name);
    found.map(|k| k as u32).ok_or_else(|| table.refuse_value(row, column, name, expected()))
}

/// A mask of the spaces in the column of those that a row may be in; 0 where it names none.
pub fn named(table: &Table, row: usize, names: &[String]) -> Result<u32, Failure> {
    let mut named = table.field(row, Column::Spaces).split_whitespace();
    named.try_fold(0, |mask, name| Ok(mask | 1 << find(table, row, Column::Spaces, name, names)?))
}

/// The library's spaces know neither gaps nor hints.
pub fn refuse_conditions(problem: &Problem) -> Result<(), Failure> {
    let model = problem.model(None);
    let hint = model.hint_offsets.iter().position(|&hint| hint != FREE);
    let found = [(model.gaps.first().map(|gap| gap.tensor), Column::Gaps), (hint, Column::Hint)];
    match found.into_iter().find_map(|(row, column)| Some((row?, column))) {
        Some((row, column)) => Err(problem.table.refuse(row, column, "nothing, since --space takes none of these")),
        None => Ok(()),
    }
}

/// For a verb that judges offsets in one arena.
pub fn require_one_space(table: &Table) -> Result<(), Failure> {
    match second_space(table) {
        Some((first, row)) => {
            let expected =
                format!("\"{}\" in every row, since only check takes a plan of several spaces", shown(first));
            Err(table.refuse(row, Column::Space, expected))
        }
        None => Ok(()),
    }
}

/// The first name in the column space, and the first row with another one.
pub fn second_space(table: &Table) -> Option<(&str, usize)> {
    let mut names = (0..table.len()).map(|row| (row, table.field(row, Column::Space))).filter(|row| !row.1.is_empty());
    let (_, first) = names.next()?;
    let (row, _) = names.find(|&(_, name)| name != first)?;
    Some((first, row))
}

/// A note on columns of a file that is read for one arena.
pub fn note_unused(table: &Table) {
    let columns = [Column::Spaces, Column::Weight, Column::Space].into_iter().filter(|&column| table.has(column));
    let names: Vec<String> = columns.map(|column| format!("\"{}\"", table.name(column))).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        output::note(&table.source, format_args!("{names}: only plan --space looks there; all rows are in one arena"));
    }
}

#[derive(Serialize)]
pub struct Report {
    tensors: usize,
    fits: bool,
    left_out: usize,
    no_plan_fits: bool,
    cost: u64,
    cost_bound: u64,
    /// None where rows have no space: the bound is that of plans with all rows.
    gap_percent: Option<f64>,
    optimal: bool,
    /// Looks at residents.
    work: u64,
    seed: u64,
    spaces: Vec<SpaceTold>,
    seconds: f64,
}

#[derive(Serialize)]
pub struct SpaceTold {
    name: String,
    /// None: no limit.
    capacity: Option<usize>,
    cost: usize,
    tensors: usize,
    arena_size: usize,
    arena_alignment: usize,
    lower_bound: usize,
    peak_live_bytes: usize,
    used_percent: Option<f64>,
}

impl SpaceTold {
    /// Space k and its plan; `homes` has the space of each row.
    pub fn new(k: usize, name: &str, space: &Space, plan: &Plan, homes: &[u32]) -> SpaceTold {
        let Plan { arena_size, arena_alignment, lower_bound, peak_live_bytes } = *plan;
        let capacity = Some(space.capacity).filter(|&capacity| capacity != usize::MAX);
        SpaceTold {
            name: name.to_string(),
            capacity,
            cost: space.cost,
            tensors: homes.iter().filter(|&&home| home as usize == k).count(),
            arena_size,
            arena_alignment,
            lower_bound,
            peak_live_bytes,
            used_percent: capacity.map(|capacity| arena_size as f64 / capacity as f64 * 100.0),
        }
    }
}

impl Report {
    fn new(rows: &Rows, plan: &SpacesPlan, seed: u64, seconds: f64) -> Report {
        let SpacesOutcome { verdict, cost, cost_bound, left_out, work, .. } = plan.outcome;
        let told = |k: usize| SpaceTold::new(k, &rows.names[k], &rows.spaces[k], &plan.reports[k].plan, &plan.homes);
        Report {
            tensors: plan.homes.len(),
            fits: left_out == 0,
            left_out,
            no_plan_fits: verdict == Verdict::Impossible,
            cost,
            cost_bound,
            gap_percent: (left_out == 0).then(|| gap_percent(cost, cost_bound)),
            optimal: left_out == 0 && cost == cost_bound,
            work,
            seed,
            spaces: (0..rows.spaces.len()).map(told).collect(),
            seconds,
        }
    }
}

fn gap_percent(cost: u64, bound: u64) -> f64 {
    if cost == bound { 0.0 } else { (cost - bound) as f64 / bound as f64 * 100.0 }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write_table(&self.spaces, f)?;
        let optimal = if self.optimal { ", optimal" } else { "" };
        f.write_str(&line("tensors", self.tensors))?;
        f.write_str(&line("without a space", self.left_out))?;
        f.write_str(&line("cost", format_args!("{}{optimal}", self.cost)))?;
        if let Some(gap) = self.gap_percent {
            f.write_str(&line("lower bound", self.cost_bound))?;
            f.write_str(&line("over the bound", format_args!("{gap:.2} %")))?;
        }
        f.write_str(&line("search", format_args!("{} looks with seed {}", self.work, self.seed)))
    }
}

/// A line a space.
pub fn write_table(spaces: &[SpaceTold], f: &mut fmt::Formatter) -> fmt::Result {
    let mut lines = vec![["space", "rows", "arena", "bound", "capacity", "used", "cost a byte"].map(str::to_string)];
    for space in spaces {
        lines.push([
            escaped(&space.name),
            space.tensors.to_string(),
            space.arena_size.to_string(),
            space.lower_bound.to_string(),
            space.capacity.map_or("none".to_string(), |capacity| capacity.to_string()),
            space.used_percent.map_or("-".to_string(), |percent| format!("{percent:.1} %")),
            space.cost.to_string(),
        ]);
    }
    let widths: [usize; 7] =
        array::from_fn(|column| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0));
    for [name, numbers @ ..] in &lines {
        write!(f, "{name:<0$}", widths[0])?;
        for (number, width) in numbers.iter().zip(&widths[1..]) {
            write!(f, "  {number:>width$}")?;
        }
        writeln!(f)?;
    }
    Ok(())
}
