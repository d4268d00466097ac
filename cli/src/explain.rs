//! `aether report`: why is the arena as large as it is, and what would make it smaller?
//!
//! The peak is where the most bytes are live: no plan can undercut it, so only another program can. What lies between
//! the peak and the arena is lost: to alignment, where a tensor may not begin at the end of the one below it, or to
//! fragmentation. Both are told at the top node, the one where the highest tensor of the arena has the most company.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Serialize;

use crate::failure::Failure;
use crate::in_use::{self, Part, Step};
use crate::placed::Placed;
use crate::problem::Problem;
use crate::report::{Bytes, line};
use crate::table::{Table, shown};
use crate::{output, terminal, values};

#[derive(clap::Args)]
pub struct Args {
    /// The plan, a CSV file with a column offset; - is standard input
    plan: PathBuf,
    /// Every offset must be a multiple of this too
    #[arg(long, value_name = "BYTES", default_value = "1", value_parser = values::at_least_1)]
    #[arg(allow_negative_numbers = true)]
    alignment: NonZeroUsize,
    /// Print one JSON object, with every tensor that is live at the peak
    #[arg(long)]
    json: bool,
    /// Print Markdown, for an issue or a change request
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let table = Table::read(&args.plan)?;
    let problem = Problem::new(&table, args.alignment)?;
    let placed = Placed::read(&problem)?;
    // The numbers of an invalid plan mean nothing.
    placed.require_valid()?;
    let explanation = Explanation::new(&placed);
    let text = match (args.json, args.markdown) {
        (true, _) => output::json(&explanation)?,
        (_, true) => explanation.markdown(),
        _ => explanation.text(),
    };
    output::to_stdout(text.as_bytes())
}

#[derive(Serialize)]
struct Explanation<'a> {
    file: &'a str,
    tensors: usize,
    arena_size: usize,
    lower_bound: usize,
    gap_percent: f64,
    optimal: bool,
    peak_live_bytes: usize,
    /// The first node of the peak.
    peak_node: Option<i128>,
    /// At how many nodes the peak is reached.
    peak_nodes: u128,
    /// The largest first.
    live_at_peak: Vec<Live<'a>>,
    top: Option<Top>,
    /// The first of those that are live at the peak: what shortening each would change.
    holders: Vec<Holder<'a>>,
}

/// A tensor and the bytes of it that are in use at the peak.
#[derive(Serialize)]
struct Live<'a> {
    id: &'a str,
    line: usize,
    bytes: usize,
    percent_of_peak: f64,
    first: i128,
    last: i128,
    offset: usize,
}

/// The node where the arena is as large as it is. Its bytes are live, or lost in one of two ways.
#[derive(Serialize)]
struct Top {
    node: i128,
    live_bytes: usize,
    lost_to_alignment: usize,
    lost_to_fragmentation: usize,
}

#[derive(Serialize)]
struct Holder<'a> {
    id: &'a str,
    bytes: usize,
    first: i128,
    last: i128,
    /// The peak if the tensor lived one node less, at the end that helps more.
    peak_if_one_node_shorter: usize,
    saved: usize,
    /// By how many nodes it must be shortened, at the end that takes fewer, to be live at no node of the peak.
    leaves_the_peak_when_shorter_by: u128,
}

const MOST_HOLDERS: usize = 10;

impl<'a> Explanation<'a> {
    fn new(placed: &Placed<'a>) -> Explanation<'a> {
        let problem = placed.problem;
        let parts = in_use::parts(&problem.model(None));
        let steps = in_use::steps(&parts);
        let peak = Peak::new(&steps, placed.peak_live_bytes);
        let mut live: Vec<&Part> = match placed.peak_node {
            Some(node) => parts.iter().filter(|part| part.first <= node && node <= part.last).collect(),
            None => Vec::new(),
        };
        // The sort is stable: of equal sizes the first row is first.
        live.sort_by_key(|part| Reverse(part.end - part.begin));
        Explanation {
            file: &problem.table.source,
            tensors: problem.tensors.len(),
            arena_size: placed.arena_size,
            lower_bound: placed.lower_bound,
            gap_percent: placed.gap_percent(),
            optimal: placed.optimal(),
            peak_live_bytes: placed.peak_live_bytes,
            peak_node: placed.peak_node.map(|node| problem.time(node)),
            peak_nodes: peak.nodes,
            live_at_peak: live.iter().map(|part| Live::new(placed, part)).collect(),
            top: Top::new(placed, &parts, &steps),
            holders: holders(placed, &parts, &live, &peak),
        }
    }
}

impl<'a> Live<'a> {
    fn new(placed: &Placed<'a>, part: &Part) -> Live<'a> {
        let (problem, bytes) = (placed.problem, part.end - part.begin);
        let tensor = &problem.tensors[part.row];
        Live {
            id: problem.table.id(part.row),
            line: problem.line(part.row),
            bytes,
            percent_of_peak: bytes as f64 / placed.peak_live_bytes as f64 * 100.0,
            first: problem.time(tensor.first_use),
            last: problem.time(tensor.last_use),
            offset: placed.offsets[part.row],
        }
    }
}

impl Top {
    /// None where no row has bytes.
    fn new(placed: &Placed, parts: &[Part], steps: &[Step]) -> Option<Top> {
        let begin = |part: &Part| placed.offsets[part.row] + part.begin;
        let end = |part: &Part| placed.offsets[part.row] + part.end;
        let highest = parts.iter().map(end).max()?;
        let most_company = |part: &Part| {
            let node = fullest(steps, part.first as u128, part.last as u128);
            (node.bytes, Reverse(node.node))
        };
        let (_, Reverse(node)) = parts.iter().filter(|part| end(part) == highest).map(most_company).max()?;
        let mut live: Vec<&Part> =
            parts.iter().filter(|part| part.first as u128 <= node && node <= part.last as u128).collect();
        live.sort_by_key(|part| begin(part));
        let (mut alignment, mut fragmentation, mut below) = (0, 0, 0);
        for part in live {
            let hole = begin(part) - below;
            // Only a whole row is bound by its alignment; a window of it is where the row is.
            let aligned = placed.problem.tensors[part.row].alignment.max(1);
            let forced = below.checked_next_multiple_of(aligned).is_some_and(|least| least == begin(part));
            *if forced && part.begin == 0 { &mut alignment } else { &mut fragmentation } += hole;
            below = end(part);
        }
        // With a gap the highest end of all may lie above the highest of the parts: those bytes are never in use.
        fragmentation += placed.arena_size - highest;
        Some(Top {
            node: placed.problem.time(node as usize),
            live_bytes: placed.arena_size - alignment - fragmentation,
            lost_to_alignment: alignment,
            lost_to_fragmentation: fragmentation,
        })
    }
}

/// The first of the nodes `first` to `last` with the most bytes in use.
fn fullest(steps: &[Step], first: u128, last: u128) -> Step {
    let from = steps.partition_point(|step| step.node <= first).saturating_sub(1);
    let within = steps[from..].iter().take_while(|step| step.node <= last);
    let best = within.copied().reduce(|best, step| if step.bytes > best.bytes { step } else { best });
    let best = best.unwrap_or(Step { node: first, bytes: 0 });
    Step { node: best.node.max(first), ..best }
}

/// Where the peak is reached, and what would be the peak without one of its nodes.
struct Peak {
    bytes: u128,
    first: u128,
    last: u128,
    /// All of them, between `first` and `last`.
    nodes: u128,
    /// The largest number of bytes elsewhere.
    second: u128,
}

impl Peak {
    fn new(steps: &[Step], bytes: usize) -> Peak {
        let mut peak = Peak { bytes: bytes as u128, first: 0, last: 0, nodes: 0, second: 0 };
        for (step, next) in steps.iter().zip(steps.iter().skip(1)) {
            if step.bytes < peak.bytes {
                peak.second = peak.second.max(step.bytes);
                continue;
            }
            if peak.nodes == 0 {
                peak.first = step.node;
            }
            peak.last = next.node - 1;
            peak.nodes += next.node - step.node;
        }
        peak
    }

    /// The peak where one node has fewer bytes.
    fn without(&self, bytes: usize, node: usize) -> u128 {
        let is_the_peak = self.nodes == 1 && node as u128 == self.first;
        if is_the_peak { self.second.max(self.bytes - bytes as u128) } else { self.bytes }
    }
}

/// The tensors of the peak whose shortening by a node lowers it most, and of equal ones the largest.
fn holders<'a>(placed: &Placed<'a>, parts: &[Part], live: &[&Part], peak: &Peak) -> Vec<Holder<'a>> {
    let problem = placed.problem;
    let holder = |part: &&Part| {
        let tensor = &problem.tensors[part.row];
        let of_row = parts[parts.partition_point(|other| other.row < part.row)..].iter();
        let of_row = of_row.take_while(|other| other.row == part.row);
        let in_use_at = |node: usize| {
            let part = of_row.clone().find(|part| part.first <= node && node <= part.last);
            part.map_or(0, |part| part.end - part.begin)
        };
        let ends = [tensor.first_use, tensor.last_use];
        let lowest = ends.map(|node| peak.without(in_use_at(node), node)).into_iter().min().unwrap_or(peak.bytes);
        // The first and the last node of the peak that it is live at, which are at most as far apart as the peak's.
        let (first, last) = (tensor.first_use as u128, tensor.last_use as u128);
        let later = peak.last.min(last) + 1 - first;
        let earlier = last + 1 - peak.first.max(first);
        Holder {
            id: problem.table.id(part.row),
            bytes: part.end - part.begin,
            first: problem.time(tensor.first_use),
            last: problem.time(tensor.last_use),
            peak_if_one_node_shorter: lowest as usize,
            saved: (peak.bytes - lowest) as usize,
            leaves_the_peak_when_shorter_by: later.min(earlier),
        }
    };
    let mut holders: Vec<Holder> = live.iter().map(holder).collect();
    holders.sort_by_key(|holder| Reverse(holder.saved));
    holders.truncate(MOST_HOLDERS);
    holders
}

/// A table of text: its header, and for each column whether it holds numbers.
struct Grid {
    title: String,
    header: Vec<(&'static str, bool)>,
    rows: Vec<Vec<String>>,
}

impl Explanation<'_> {
    fn facts(&self) -> Vec<(&'static str, String)> {
        let optimal = if self.optimal { ", optimal" } else { "" };
        let mut facts = vec![
            ("tensors", self.tensors.to_string()),
            ("arena", format!("{}{optimal}", Bytes(self.arena_size))),
            ("lower bound", Bytes(self.lower_bound).to_string()),
            ("over the bound", format!("{:.2} %", self.gap_percent)),
            ("peak live bytes", Bytes(self.peak_live_bytes).to_string()),
        ];
        if let Some(node) = self.peak_node {
            let more = match self.peak_nodes {
                1 => String::new(),
                nodes => format!(", the first of {nodes}"),
            };
            facts.push(("peak node", format!("{node}{more}")));
        }
        if let Some(top) = &self.top {
            facts.push(("top node", top.node.to_string()));
            facts.push(("  live there", Bytes(top.live_bytes).to_string()));
            facts.push(("  lost to alignment", Bytes(top.lost_to_alignment).to_string()));
            facts.push(("  lost to fragmentation", Bytes(top.lost_to_fragmentation).to_string()));
        }
        facts
    }

    fn grids(&self, name: fn(&str) -> String) -> Vec<Grid> {
        const MOST_LIVE: usize = 20;
        let (Some(node), count) = (self.peak_node, self.live_at_peak.len()) else { return Vec::new() };
        let live = self.live_at_peak.iter().take(MOST_LIVE).map(|live| {
            let lifetime = format!("{}..{}", live.first, live.last);
            let percent = format!("{:.2}", live.percent_of_peak);
            vec![name(live.id), live.bytes.to_string(), percent, lifetime, live.offset.to_string()]
        });
        let mut live: Vec<Vec<String>> = live.collect();
        if count > MOST_LIVE {
            let rest: usize = self.live_at_peak[MOST_LIVE..].iter().map(|live| live.bytes).sum();
            let percent = format!("{:.2}", rest as f64 / self.peak_live_bytes as f64 * 100.0);
            let label = format!("{} more", count - MOST_LIVE);
            live.push(vec![label, rest.to_string(), percent, String::new(), String::new()]);
        }
        let holders = self.holders.iter().map(|holder| {
            vec![
                name(holder.id),
                holder.bytes.to_string(),
                format!("{}..{}", holder.first, holder.last),
                holder.peak_if_one_node_shorter.to_string(),
                holder.saved.to_string(),
                holder.leaves_the_peak_when_shorter_by.to_string(),
            ]
        });
        let tensors = if count == 1 { "tensor" } else { "tensors" };
        vec![
            Grid {
                title: format!("Live at the peak, node {node} ({count} {tensors})"),
                header: vec![("id", false), ("bytes", true), ("% of peak", true), ("lives", true), ("offset", true)],
                rows: live,
            },
            Grid {
                title: "What holds the peak up: if each lived one node less".to_string(),
                header: vec![
                    ("id", false),
                    ("bytes", true),
                    ("lives", true),
                    ("peak then", true),
                    ("saved", true),
                    ("off the peak when shorter by", true),
                ],
                rows: holders.collect(),
            },
        ]
    }

    fn text(&self) -> String {
        let mut text: String = self.facts().iter().map(|(label, value)| line(label, value)).collect();
        for grid in self.grids(shown) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{}\n{}", terminal::title(&grid.title), grid.text());
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n|  |  |\n|---|---|\n", markdown_cell(self.file));
        for (label, value) in self.facts() {
            let _ = writeln!(text, "| {} | {value} |", label.trim());
        }
        for grid in self.grids(markdown_cell) {
            let _ = write!(text, "\n### {}\n\n{}", grid.title, grid.markdown());
        }
        text
    }
}

impl Grid {
    fn text(&self) -> String {
        let width = |text: &str| text.chars().count();
        let header: Vec<String> = self.header.iter().map(|(name, _)| name.to_string()).collect();
        let lines = || std::iter::once(&header).chain(&self.rows);
        let widths: Vec<usize> =
            (0..header.len()).map(|k| lines().map(|cells| width(&cells[k])).max().unwrap_or(0)).collect();
        let mut text = String::new();
        for cells in lines() {
            let mut line = String::new();
            for ((cell, (_, is_number)), &width) in cells.iter().zip(&self.header).zip(&widths) {
                line += &if *is_number { format!("  {cell:>width$}") } else { format!("  {cell:<width$}") };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    fn markdown(&self) -> String {
        let row = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
        let mut text = row(self.header.iter().map(|(name, _)| *name).collect());
        text += &row(self.header.iter().map(|(_, is_number)| if *is_number { "--:" } else { "---" }).collect());
        text.extend(self.rows.iter().map(|cells| row(cells.iter().map(String::as_str).collect())));
        text
    }
}

/// A name that can neither end its cell nor be read as markup.
fn markdown_cell(text: &str) -> String {
    let mut cell = String::new();
    for c in shown(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, '/' | '.' | ':' | ',' | '-' | '%' | ';' | '=') {
            cell.push('\\');
        }
        cell.push(c);
    }
    cell
}
