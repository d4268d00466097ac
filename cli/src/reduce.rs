//! `aether reduce`: which edges of a graph are needed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use aether::dag::{self, Method};
use aether::{Error, Kind};
use serde::Serialize;

use crate::arena::words;
use crate::failure::Failure;
use crate::graph::Graph;
use crate::graph_text::GraphText;
use crate::report::{Bytes, line};
use crate::table::shown;
use crate::{input, output, terminal};

#[derive(clap::Args)]
pub struct Args {
    /// The graph, an edge list or a DOT file, plain or compressed by gzip or zstd; - is standard input
    edges: PathBuf,
    /// Write the reduction here: the text of the input without the edges that go. Without this, or where it is -, that
    /// is standard output, and the numbers then go to standard error
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Print the numbers as one JSON object; without -o, nothing else
    #[arg(long)]
    json: bool,
    /// Print the numbers: nodes, edges, kept ones, duplicates, method, scratch, seconds
    #[arg(long)]
    stats: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let (source, bytes) = input::read(&args.edges)?;
    let bytes = input::unpacked(&source, bytes)?;
    let text = input::text(&source, &bytes, "an edge list or a DOT file")?;
    let text = terminal::patiently("reading", || GraphText::read(&source, text))?;
    let (keep, stats) = terminal::patiently("reducing", || reduce(&text.graph))?;
    let numbers = match (args.json, args.stats) {
        (true, _) => output::json(&stats)?,
        (false, true) => stats.to_string(),
        (false, false) => String::new(),
    };
    match args.output.as_deref() {
        None if args.json => output::to_stdout(numbers.as_bytes()),
        Some(path) if path != Path::new("-") => {
            output::to_file(path, text.reduced(&keep).as_bytes())?;
            output::to_stdout(numbers.as_bytes())
        }
        _ => {
            output::to_stdout(text.reduced(&keep).as_bytes())?;
            output::to_stderr(numbers.as_bytes())
        }
    }
}

#[derive(Serialize)]
struct Stats {
    nodes: usize,
    /// As many as the input has, duplicates included.
    edges: usize,
    kept: usize,
    /// Edges that equal one before them.
    duplicates: usize,
    /// Of ranking and reducing alone, without reading and writing.
    seconds: f64,
    peak_scratch_bytes: usize,
    /// The stages that ran; none where there is no edge.
    method: Option<&'static str>,
}

/// Which edges stay.
fn reduce(graph: &Graph) -> Result<(Vec<bool>, Stats), Failure> {
    let start = Instant::now();
    let (nodes, edges) = (graph.names.len(), graph.edges.len());
    let ranks = ranks(graph)?;
    let scratch_size = dag::transitive_reduction_by_scratch_size(Method::Chosen, nodes, edges);
    let mut scratch = words(scratch_size);
    let (mut keep, ranks, scratch) = (vec![0; edges], Some(&ranks[..]), scratch.spare_capacity_mut());
    let (kept, method) =
        dag::transitive_reduction_by(Method::Chosen, nodes, ranks, &graph.edges, None, &mut keep, scratch)
            .map_err(|error| unexpected(graph, error))?;
    let seconds = start.elapsed().as_secs_f64();

    let firsts = graph.firsts();
    let stats = Stats {
        nodes,
        edges,
        kept,
        duplicates: firsts.iter().enumerate().filter(|(i, first)| i != *first).count(),
        seconds,
        peak_scratch_bytes: scratch_size.max(dag::topological_ranks_scratch_size(nodes, edges)),
        // Chosen stages tell which they are; nothing was chosen where there is no edge.
        method: (method != Method::Chosen).then(|| method.name()),
    };
    // Where equal edges are one, each statement about it stays: it may add attributes.
    let decisive = |i: usize| if graph.is_strict { firsts[i] } else { i };
    Ok(((0..edges).map(|i| keep[decisive(i)] == 1).collect(), stats))
}

/// A rank for each node that rises along every edge; a cycle is a failure that tells it.
fn ranks(graph: &Graph) -> Result<Vec<i64>, Failure> {
    let nodes = graph.names.len();
    let (mut ranks, mut cycle) = (vec![0; nodes], vec![0; nodes]);
    let mut scratch = words(dag::topological_ranks_scratch_size(nodes, graph.edges.len()));
    match dag::topological_ranks(&graph.edges, &mut ranks, &mut cycle, scratch.spare_capacity_mut()) {
        Ok(()) => Ok(ranks),
        Err(Error { kind: Kind::Cycle, got: length, .. }) => {
            // Back to where it began.
            let around: Vec<u32> = cycle[..length].iter().chain(cycle.first()).copied().collect();
            let names: Vec<String> = around.iter().map(|&node| shown(&graph.names[node as usize])).collect();
            let place = graph.place(around[0], around[1]);
            Err(Failure::verdict(graph.at(place, format_args!("cycle: {}", names.join(" -> ")))))
        }
        Err(error) => Err(unexpected(graph, error)),
    }
}

/// Too many edges; nothing else is left that the library refuses.
fn unexpected(graph: &Graph, error: Error) -> Failure {
    Failure::input(format!("{}: {error}", graph.source))
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&line("nodes", self.nodes))?;
        f.write_str(&line("edges", self.edges))?;
        f.write_str(&line("kept", self.kept))?;
        f.write_str(&line("duplicates", self.duplicates))?;
        f.write_str(&line("method", self.method.unwrap_or("none: there is no edge")))?;
        f.write_str(&line("peak scratch", Bytes(self.peak_scratch_bytes)))?;
        f.write_str(&line("seconds", format_args!("{:.6}", self.seconds)))
    }
}
