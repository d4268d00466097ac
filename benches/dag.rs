//! `cargo bench --bench dag [-- NAME...]`: the reduction against the dense closure, petgraph, Boost and each stage of
//! its own, forced, in one run. Prints the table of docs/reduction.md.
//!
//! Medians of interleaved runs, in time of the processor; Boost, where its headers are, has a process of its own. The
//! stages are compared by instructions too, where valgrind is installed, as a ratio near one is lost in what times
//! vary. NAME is a part of a graph's name.

#[path = "reference/boost.rs"]
mod boost;
#[path = "reference/dense_closure.rs"]
mod dense_closure;
#[path = "reference/graphs.rs"]
mod graphs;
#[path = "reference/instructions.rs"]
mod instructions;

use std::path::Path;

use aether::dag::{self, Edge, Method};
use boost::Boost;
use graphs::Graph;
use petgraph::algo::{toposort, tred};
use petgraph::graph::{DiGraph, NodeIndex};

/// petgraph holds the closure as lists; on these graphs they need gigabytes, or it runs for many seconds.
const BEYOND_PETGRAPH: [&str; 9] = [
    "git-git",
    "git-wasmtime",
    "pchains",
    "layered-1000",
    "chainskip",
    "local-n",
    "rand-n100000-d16",
    "rand-n100000-d32",
    "rand-n100000-d64",
];

/// Boost goes through n^2 bits one by one; with more nodes than these a run takes many seconds.
const MOST_BOOST_NODES: usize = 25_000;

/// With more nodes the dense closure needs gigabytes.
const MOST_DENSE_NODES: usize = 100_000;

/// What takes longer is run no further.
const MOST_MILLISECONDS: f64 = 200.0;

/// To count instructions takes some fifty times as long, of all methods together.
const MOST_COUNTED_MILLISECONDS: f64 = 200.0;

fn main() {
    let names: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if instructions::asked() {
        let (_, make) = inputs().into_iter().find(|(name, _)| *name == names[0]).expect("a graph");
        return count(&make());
    }
    let program = std::env::current_exe().expect("this program");
    let boost = Boost::build(program.parent().expect("a folder"))
        .inspect_err(|reason| println!("skipped: Boost; {reason}"))
        .ok();
    println!("| graph | nodes | edges | kept | aether, ms | dense | petgraph | Boost | best stage | instructions |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|---|---|");
    for (name, make) in inputs() {
        if names.is_empty() || names.iter().any(|part| name.contains(part.as_str())) {
            show(&name, &make(), boost.as_ref());
        }
    }
}

type Input = (String, Box<dyn Fn() -> Graph>);

fn inputs() -> Vec<Input> {
    let mut inputs: Vec<Input> = Vec::new();
    let data = std::env::var("AETHER_DATA").unwrap_or("../shared".to_string());
    if let Ok(folder) = std::fs::read_dir(Path::new(&data).join("traces/dag")) {
        let mut paths: Vec<_> = folder.map(|entry| entry.expect("a file").path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_none_or(|extension| extension != "md")) {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            inputs.push((name, Box::new(move || graphs::recorded(&path))));
        }
    } else {
        println!("skipped: no recorded graphs in {data}; AETHER_DATA names their folder");
    }
    for nodes in [1_000, 4_096, 10_000, 30_000, 100_000] {
        for degree in [2, 3, 4, 8, 16, 32, 64] {
            inputs.push((format!("rand-n{nodes}-d{degree}"), Box::new(move || graphs::random(nodes, degree))));
        }
    }
    let mut add = |name: &str, make: fn() -> Graph| inputs.push((name.to_string(), Box::new(make)));
    add("rand-n1000000-d2", || graphs::random(1_000_000, 2));
    add("rand-n1000000-d2-shuffled", || graphs::random(1_000_000, 2).shuffled(1));
    add("layered-100x100-d4", || graphs::layered(100, 100, 4, 0));
    add("layered-100x100-d4-skip", || graphs::layered(100, 100, 4, 1));
    add("layered-10x5000-d2-skip", || graphs::layered(10, 5_000, 2, 1));
    add("layered-1000x100-d1-skip", || graphs::layered(1_000, 100, 1, 1));
    add("layered-4x5000-d32-skip", || graphs::layered(4, 5_000, 32, 1));
    add("layered-10x2000-d64-skip", || graphs::layered(10, 2_000, 64, 1));
    add("layered-10x2000-d32-skip8", || graphs::layered(10, 2_000, 32, 8));
    add("tri-3x3000-d16", || graphs::triple(3_000, 16));
    add("tri-3x10000-d16", || graphs::triple(10_000, 16));
    add("tri-3x20000-d16", || graphs::triple(20_000, 16));
    add("chainskip-5000-x4", || graphs::chain_with_skips(5_000, 4));
    add("chainskip-30000-x8", || graphs::chain_with_skips(30_000, 8));
    add("pchains-8x512", || graphs::parallel_chains(8, 512));
    add("pchains-8x8192", || graphs::parallel_chains(8, 8_192));
    add("local-n30000-d8-w100", || graphs::local(30_000, 8, 100));
    add("local-n200000-d16-w300", || graphs::local(200_000, 16, 300));
    add("chainskip-100000-x4", || graphs::chain_with_skips(100_000, 4));
    add("pchains-64x1024", || graphs::parallel_chains(64, 1_024));
    add("pchains-1024x64", || graphs::parallel_chains(1_024, 64));
    add("collectives-1024", || Graph { name: "collectives-1024".to_string(), ..graphs::complete(1_024) });
    add("complete-2048", || graphs::complete(2_048));
    add("complete-2048-shuffled", || graphs::complete(2_048).shuffled(1));
    add("local-n100000-d4-w1000", || graphs::local(100_000, 4, 1_000));
    add("local-n1000000-d3-w100", || graphs::local(1_000_000, 3, 100));
    inputs
}

/// A row of the table: how many times longer than the chosen stages the others take; and how many times longer these
/// take than the best of the forced ones, or how many times as many instructions.
fn show(name: &str, graph: &Graph, boost: Option<&Boost>) {
    let edges = edges_of(graph);
    let mut reductions = reductions(graph, &edges);
    let names: Vec<&str> = reductions.iter().map(|(_, name)| *name).collect();
    let kept = reductions[0].0.run();
    let mut runs: Vec<Box<dyn FnMut() -> usize>> = Vec::new();
    reductions.iter_mut().for_each(|(reduction, _)| runs.push(Box::new(|| reduction.run())));
    let peers = runs.len();
    let has_dense = graph.nodes <= MOST_DENSE_NODES;
    let has_petgraph = !BEYOND_PETGRAPH.iter().any(|name| graph.name.starts_with(name));
    if has_dense {
        runs.push(Box::new(|| {
            dense_closure::reduce(graph.nodes, &graph.edges).iter().filter(|&&is_kept| is_kept).count()
        }));
    }
    if has_petgraph {
        runs.push(Box::new(|| petgraph_reduction(graph).len()));
    }
    let medians = medians(&mut runs, kept);
    let boost = boost.filter(|_| graph.nodes <= MOST_BOOST_NODES).map(|boost| {
        let (time, boost_kept) = boost.run(graph);
        assert_eq!(boost_kept, kept);
        time
    });

    let ours = medians[0];
    let mut times = medians[peers..].iter().copied();
    let [dense, petgraph] = [has_dense, has_petgraph].map(|has| if has { times.next() } else { None });
    let ratio = |time: Option<f64>| time.map_or(String::new(), |time| format!("{:.1}", time / ours));
    let instructions = match medians[..peers].iter().sum::<f64>() < MOST_COUNTED_MILLISECONDS {
        true => instructions::of_this_program(&[name]),
        false => Ok(Vec::new()),
    };
    let instructions = match instructions {
        Ok(counts) if counts.is_empty() => String::new(),
        Ok(counts) => against_best(&counts.iter().map(|&count| count as f64).collect::<Vec<f64>>(), &names),
        Err(reason) => format!("skipped: {reason}"),
    };
    println!(
        "| {} | {} | {} | {kept} | {ours:.3} | {} | {} | {} | {} | {instructions} |",
        graph.name,
        graph.nodes,
        graph.edges.len(),
        ratio(dense),
        ratio(petgraph),
        ratio(boost),
        against_best(&medians[..peers], &names),
    );
}

/// How many times the best of the others the first figure is, and the name of that one.
fn against_best(figures: &[f64], names: &[&str]) -> String {
    let others = figures.iter().zip(names).skip(1);
    let (best, name) =
        others.min_by(|(one, _), (other, _)| one.total_cmp(other)).expect("the sweep, which always runs");
    format!("{:.2} {name}", figures[0] / best)
}

/// To the run that counts instructions.
fn count(graph: &Graph) {
    for (mut reduction, _) in reductions(graph, &edges_of(graph)) {
        // Afterwards it has its scratch.
        reduction.run();
        instructions::count(&mut || reduction.run());
    }
}

fn edges_of(graph: &Graph) -> Vec<Edge> {
    graph.edges.iter().map(|&(from, to)| Edge { from, to }).collect()
}

/// By each method whose scratch a caller has.
fn reductions<'a>(graph: &Graph, edges: &'a [Edge]) -> Vec<(Reduction<'a>, &'static str)> {
    let need = |method| dag::transitive_reduction_by_scratch_size(method, graph.nodes, edges.len());
    Method::all()
        .into_iter()
        .filter(|&method| method != Method::Dense || need(Method::Dense) <= need(Method::Chosen))
        .map(|method| (Reduction::new(method, graph.nodes, edges), method.name()))
        .collect()
}

struct Reduction<'a> {
    method: Method,
    nodes: usize,
    edges: &'a [Edge],
    keep: Vec<u8>,
    scratch: Vec<u64>,
}

impl<'a> Reduction<'a> {
    fn new(method: Method, nodes: usize, edges: &'a [Edge]) -> Reduction<'a> {
        Reduction { method, nodes, edges, keep: vec![0; edges.len()], scratch: Vec::new() }
    }

    fn run(&mut self) -> usize {
        if self.scratch.capacity() == 0 {
            let need = dag::transitive_reduction_by_scratch_size(self.method, self.nodes, self.edges.len());
            self.scratch.reserve_exact(need / 8);
        }
        let scratch = self.scratch.spare_capacity_mut();
        dag::transitive_reduction_by(self.method, self.nodes, None, self.edges, None, &mut self.keep, scratch)
            .expect("a reduction")
            .0
    }
}

/// As a caller with an edge list has to use it.
fn petgraph_reduction(graph: &Graph) -> Vec<(u32, u32)> {
    let mut input = DiGraph::<(), ()>::with_capacity(graph.nodes, graph.edges.len());
    (0..graph.nodes).for_each(|_| {
        input.add_node(());
    });
    for &(from, to) in &graph.edges {
        input.add_edge(NodeIndex::new(from as usize), NodeIndex::new(to as usize), ());
    }
    let order = toposort(&input, None).expect("no cycle");
    let (list, _) = tred::dag_to_toposorted_adjacency_list::<_, u32>(&input, &order);
    let (reduction, _) = tred::dag_transitive_reduction_closure(&list);
    let id = |position: u32| order[position as usize].index() as u32;
    reduction.edge_indices().filter_map(|edge| reduction.edge_endpoints(edge)).map(|(a, b)| (id(a), id(b))).collect()
}

/// The median milliseconds of each run, interleaved: 31 rounds, fewer for what takes long. All must keep as many edges.
fn medians(runs: &mut [Box<dyn FnMut() -> usize + '_>], kept: usize) -> Vec<f64> {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); runs.len()];
    for _ in 0..31 {
        for (run, times) in runs.iter_mut().zip(&mut times) {
            if times.iter().sum::<f64>() < MOST_MILLISECONDS {
                // What the others left in the caches and taught the processor counts for nobody.
                if times.last().is_some_and(|&last| last < 1.0) {
                    (0..4).for_each(|_| assert_eq!(run(), kept));
                }
                let began = milliseconds();
                assert_eq!(run(), kept);
                times.push(milliseconds() - began);
            }
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    times.into_iter().map(median).collect()
}

/// The time that the processor gave to this thread, so that what else the machine does counts little.
#[cfg(target_os = "linux")]
fn milliseconds() -> f64 {
    #[repr(C)]
    struct Time {
        seconds: std::ffi::c_long,
        nanoseconds: std::ffi::c_long,
    }
    const THREAD_CLOCK: std::ffi::c_int = 3;
    unsafe extern "C" {
        fn clock_gettime(clock: std::ffi::c_int, time: *mut Time) -> std::ffi::c_int;
    }
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: the clock exists, and the time is writable.
    assert_eq!(unsafe { clock_gettime(THREAD_CLOCK, &mut time) }, 0);
    time.seconds as f64 * 1e3 + time.nanoseconds as f64 / 1e6
}

#[cfg(not(target_os = "linux"))]
fn milliseconds() -> f64 {
    static BEGINNING: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGINNING.get_or_init(std::time::Instant::now).elapsed().as_secs_f64() * 1e3
}
