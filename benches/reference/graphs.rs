//! Graphs to reduce: seeded families, and the recorded ones.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// A graph in a topological numbering, its edges sorted and distinct.
pub struct Graph {
    pub name: String,
    pub nodes: usize,
    pub edges: Vec<(u32, u32)>,
}

impl Graph {
    fn new(name: String, nodes: usize, mut edges: Vec<(u32, u32)>) -> Graph {
        edges.sort_unstable();
        edges.dedup();
        Graph { name, nodes, edges }
    }

    pub fn shuffled(mut self, seed: u64) -> Graph {
        self.edges.shuffle(&mut StdRng::seed_from_u64(seed));
        Graph { name: format!("{}-shuffled", self.name), ..self }
    }
}

/// `degree` edges a node between uniform pairs.
pub fn random(nodes: u32, degree: u32) -> Graph {
    let mut rng = StdRng::seed_from_u64(u64::from(nodes) ^ u64::from(degree) << 32);
    let mut edges = Vec::new();
    while edges.len() < nodes as usize * degree as usize {
        let (a, b) = (rng.random_range(0..nodes), rng.random_range(0..nodes));
        if a != b {
            edges.push((a.min(b), a.max(b)));
        }
    }
    Graph::new(format!("rand-n{nodes}-d{degree}"), nodes as usize, edges)
}

/// As `random`, but each edge spans at most `window` nodes.
pub fn local(nodes: u32, degree: u32, window: u32) -> Graph {
    let mut rng = StdRng::seed_from_u64(u64::from(nodes) ^ u64::from(window) << 32);
    let mut edges = Vec::new();
    for _ in 0..nodes * degree {
        let from = rng.random_range(0..nodes - 1);
        edges.push((from, rng.random_range(from + 1..=(nodes - 1).min(from + window))));
    }
    Graph::new(format!("local-n{nodes}-d{degree}-w{window}"), nodes as usize, edges)
}

/// Layers of `width` nodes, each node with `degree` edges to the next layer, and `skips` to any later one.
pub fn layered(layers: u32, width: u32, degree: u32, skips: u32) -> Graph {
    let mut rng = StdRng::seed_from_u64(u64::from(layers) ^ u64::from(width) << 32);
    let mut edges = Vec::new();
    for layer in 0..layers - 1 {
        for node in layer * width..(layer + 1) * width {
            for _ in 0..degree {
                edges.push((node, (layer + 1) * width + rng.random_range(0..width)));
            }
            for _ in 0..skips {
                edges.push((node, rng.random_range((layer + 1) * width..layers * width)));
            }
        }
    }
    let suffix = match skips {
        0 => String::new(),
        1 => "-skip".to_string(),
        _ => format!("-skip{skips}"),
    };
    let name = format!("layered-{layers}x{width}-d{degree}{suffix}");
    Graph::new(name, (layers * width) as usize, edges)
}

/// A chain through all nodes, and `bypasses` random edges a node over it.
pub fn chain_with_skips(nodes: u32, bypasses: u32) -> Graph {
    let mut rng = StdRng::seed_from_u64(u64::from(nodes));
    let mut edges: Vec<(u32, u32)> = (1..nodes).map(|node| (node - 1, node)).collect();
    for _ in 0..nodes * bypasses {
        let from = rng.random_range(0..nodes - 1);
        edges.push((from, rng.random_range(from + 1..nodes)));
    }
    Graph::new(format!("chainskip-{nodes}-x{bypasses}"), nodes as usize, edges)
}

/// Interleaved chains (node i on chain i modulo `chains`), a cross link now and then, and a long skip a node.
pub fn parallel_chains(chains: u32, length: u32) -> Graph {
    let mut rng = StdRng::seed_from_u64(u64::from(chains) ^ u64::from(length) << 32);
    let nodes = chains * length;
    let mut edges = Vec::new();
    for node in 0..nodes - chains {
        edges.push((node, node + chains));
        if rng.random_range(0..5) == 0 {
            edges.push((node, node + 1 + rng.random_range(0..2 * chains - 1).min(nodes - node - 2)));
        }
        let rest = (nodes - 1 - node) / chains;
        if rest > 1 && rng.random_range(0..5) < 4 {
            edges.push((node, node + chains * rng.random_range(2..=rest)));
        }
    }
    Graph::new(format!("pchains-{chains}x{length}"), nodes as usize, edges)
}

/// Three layers whose skips are mostly no bypass.
pub fn triple(width: u32, degree: u32) -> Graph {
    let mut rng = StdRng::seed_from_u64(u64::from(width));
    let mut edges = BTreeSet::new();
    for node in 0..width {
        for _ in 0..degree {
            edges.insert((node, width + rng.random_range(0..width)));
            edges.insert((width + node, 2 * width + rng.random_range(0..width)));
            edges.insert((node, 2 * width + rng.random_range(0..width)));
        }
    }
    Graph::new(format!("tri-3x{width}-d{degree}"), 3 * width as usize, edges.into_iter().collect())
}

/// Every pair of nodes.
pub fn complete(nodes: u32) -> Graph {
    let edges = (0..nodes).flat_map(|u| (u + 1..nodes).map(move |v| (u, v))).collect();
    Graph::new(format!("complete-{nodes}"), nodes as usize, edges)
}

/// A recorded graph: `# n=... m=...`, another comment, then `u v` a line; plain or zstd.
pub fn recorded(path: &Path) -> Graph {
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match path.extension().is_some_and(|extension| extension == "zst") {
        true => ruzstd::decoding::StreamingDecoder::new(file).expect("zstd").read_to_string(&mut text),
        false => std::io::BufReader::new(file).read_to_string(&mut text),
    }
    .expect("text");
    let nodes = text.split_once("n=").and_then(|(_, rest)| rest.split_whitespace().next()).expect("a node count");
    let edge = |line: &str| {
        let (from, to) = line.split_once(' ').expect("two nodes");
        (from.parse().expect("a node"), to.parse().expect("a node"))
    };
    let name = path.file_name().expect("a name").to_string_lossy();
    let name = name.split('.').next().unwrap_or_default().to_string();
    Graph::new(name, nodes.parse().expect("a number"), text.lines().skip(2).map(edge).collect())
}
