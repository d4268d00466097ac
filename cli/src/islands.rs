//! `aether islands`: which nodes are connected by incidences.
//!
//! An incidence is a line of two nodes, with a comma or white space between; -1 is static. A field that begins with #
//! begins a comment, and `ntree=N` in one on the first line tells how many nodes there are, as in recorded scenes.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use aether::islands::{Groups, Incidence, group_by_label, islands};
use serde::Serialize;

use crate::failure::Failure;
use crate::report::line;
use crate::table::shown;
use crate::{input, output};

#[derive(clap::Args)]
pub struct Args {
    /// The incidences, plain or compressed by gzip or zstd; - is standard input
    incidences: PathBuf,
    /// Write the labels here, a line `node,label` each; where it is -, to standard output, and the numbers to standard
    /// error
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// How many nodes there are; without this the ntree of the first line, else one more than the largest
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Print the numbers as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let (source, bytes) = input::read(&args.incidences)?;
    let bytes = input::unpacked(&source, bytes)?;
    let text = input::text(&source, &bytes, "incidences")?;
    let (incidences, lines) = read(&source, text)?;
    let largest = incidences.iter().map(|&Incidence { a, b }| a.max(b)).max().unwrap_or(-1);
    let nodes = args.nodes.or_else(|| told(text)).unwrap_or((i64::from(largest) + 1) as usize);

    let refuse = |error: aether::Error| match lines.get(error.index) {
        Some(line) => Failure::input(format!("{source}:{line}: {error}")),
        None => Failure::input(format!("{source}: {error}")),
    };
    if i32::try_from(nodes).is_err() {
        return Err(Failure::input(format!("{source}: {nodes} nodes are more than {}", i32::MAX)));
    }
    let mut labels = vec![0; nodes];
    let start = Instant::now();
    let count = islands(&incidences, &mut labels).map_err(refuse)?;
    let seconds = start.elapsed().as_secs_f64();
    let stats = Stats::new(&incidences, &labels, count, seconds).map_err(refuse)?;

    let numbers = if args.json { output::json(&stats)? } else { stats.to_string() };
    let Some(path) = args.output.as_deref() else { return output::to_stdout(numbers.as_bytes()) };
    let labelled: String = labels.iter().enumerate().map(|(node, label)| format!("{node},{label}\n")).collect();
    let labelled = format!("node,label\n{labelled}");
    if path == Path::new("-") {
        output::to_stdout(labelled.as_bytes())?;
        return output::to_stderr(numbers.as_bytes());
    }
    output::to_file(path, labelled.as_bytes())?;
    output::to_stdout(numbers.as_bytes())
}

/// The incidences, and the line of each.
fn read(source: &str, text: &str) -> Result<(Vec<Incidence>, Vec<usize>), Failure> {
    let (mut incidences, mut lines) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let refuse = |what: String| Failure::input(format!("{source}:{number}: {what}"));
        let fields = line.split(|c: char| c == ',' || c.is_whitespace()).filter(|field| !field.is_empty());
        let fields: Vec<&str> = fields.take_while(|field| !field.starts_with('#')).collect();
        let node = |field: &str| {
            let what = || format!("\"{}\" is no node: expected an integer, -1 for what is static", shown(field));
            field.parse::<i32>().map_err(|_| refuse(what()))
        };
        match fields[..] {
            [] => continue,
            [a, b] => incidences.push(Incidence { a: node(a)?, b: node(b)? }),
            _ => return Err(refuse(format!("{} fields: expected an incidence, two nodes", fields.len()))),
        }
        lines.push(number);
    }
    Ok((incidences, lines))
}

/// The number of nodes in a first line such as `# ntree=4,nisland=2`.
fn told(text: &str) -> Option<usize> {
    let comment = text.lines().next()?.strip_prefix('#')?;
    comment.split([',', ' ']).find_map(|pair| pair.strip_prefix("ntree="))?.parse().ok()
}

#[derive(Serialize)]
struct Stats {
    nodes: usize,
    incidences: usize,
    /// Those with a static end.
    static_incidences: usize,
    islands: usize,
    /// Nodes that are in an island.
    nodes_in_islands: usize,
    /// Islands of one node.
    single_nodes: usize,
    largest: i32,
    /// Of each island in the order of the labels.
    sizes: Vec<i32>,
    /// Of labelling alone, without reading and writing.
    seconds: f64,
}

impl Stats {
    fn new(incidences: &[Incidence], labels: &[i32], islands: usize, seconds: f64) -> Result<Stats, aether::Error> {
        let (mut sizes, mut starts) = (vec![0; islands], vec![0; islands]);
        let groups = Groups { counts: &mut sizes, starts: &mut starts, order: &mut [], inverse: &mut [] };
        let nodes_in_islands = group_by_label(labels, groups)?;
        Ok(Stats {
            nodes: labels.len(),
            incidences: incidences.len(),
            static_incidences: incidences.iter().filter(|at| at.a < 0 || at.b < 0).count(),
            islands,
            nodes_in_islands,
            single_nodes: sizes.iter().filter(|&&size| size == 1).count(),
            largest: sizes.iter().copied().max().unwrap_or(0),
            sizes,
            seconds,
        })
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&line("nodes", self.nodes))?;
        f.write_str(&line("incidences", self.incidences))?;
        f.write_str(&line("with a static end", self.static_incidences))?;
        f.write_str(&line("islands", self.islands))?;
        f.write_str(&line("nodes in islands", self.nodes_in_islands))?;
        f.write_str(&line("islands of one node", self.single_nodes))?;
        f.write_str(&line("largest island", self.largest))?;
        f.write_str(&line("seconds", format_args!("{:.6}", self.seconds)))
    }
}
