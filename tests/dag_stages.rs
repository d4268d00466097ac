//! Every stage, forced, against Warshall and against every other.

#[path = "../benches/reference/graphs.rs"]
#[allow(dead_code)]
mod graphs;

use aether::dag::{self, Edge, Method};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

const METHODS: [Method; 6] =
    [Method::Chosen, Method::Dense, Method::Sweep, Method::Levels, Method::Chains, Method::Search];

fn reduce_by(method: Method, nodes: usize, edges: &[Edge]) -> Vec<u8> {
    let need = dag::transitive_reduction_by_scratch_size(method, nodes, edges.len());
    let mut words = Vec::with_capacity(need / 8);
    let mut keep = vec![2; edges.len()];
    let words = &mut words.spare_capacity_mut()[..need / 8];
    dag::transitive_reduction_by(method, nodes, None, edges, None, &mut keep, words).expect("a reduction");
    keep
}

/// Kept if it is the first of its equals, and no successor of the source reaches the target.
fn warshall_keep(nodes: usize, edges: &[Edge]) -> Vec<u8> {
    let mut reach = vec![vec![false; nodes]; nodes];
    edges.iter().for_each(|edge| reach[edge.from as usize][edge.to as usize] = true);
    for k in 0..nodes {
        for i in 0..nodes {
            for j in 0..nodes {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    let bypassed = |edge: &Edge| (0..nodes).any(|w| reach[edge.from as usize][w] && reach[w][edge.to as usize]);
    let first = |i: usize| !edges[..i].contains(&edges[i]);
    edges.iter().enumerate().map(|(i, edge)| u8::from(first(i) && !bypassed(edge))).collect()
}

#[test]
fn every_stage_equals_warshall_on_small_random_graphs() {
    let mut rng = StdRng::seed_from_u64(1);
    for round in 0..10_000 {
        let nodes: u32 = rng.random_range(2..=40);
        let window = rng.random_range(1..nodes);
        let mut edges: Vec<Edge> = (0..rng.random_range(1..=nodes * 4))
            .map(|_| {
                let from = rng.random_range(0..nodes - 1);
                Edge { from, to: rng.random_range(from + 1..nodes.min(from + 1 + window)) }
            })
            .collect();
        if round % 3 == 0 {
            edges.extend_from_within(..edges.len() / 4);
        }
        edges.shuffle(&mut rng);
        let want = warshall_keep(nodes as usize, &edges);
        for method in METHODS {
            assert_eq!(reduce_by(method, nodes as usize, &edges), want, "round {round}, {method:?}");
        }
    }
}

#[test]
fn the_stages_agree_on_larger_graphs() {
    let mut rng = StdRng::seed_from_u64(2);
    for round in 0..200 {
        let nodes = rng.random_range(2..=5_000);
        let graph = match round % 5 {
            0 => graphs::random(nodes, rng.random_range(1..=8)),
            1 => graphs::local(nodes, rng.random_range(1..=8), rng.random_range(1..=nodes)),
            2 => graphs::layered(rng.random_range(2..=40), rng.random_range(2..=100), 2, round % 2 == 0),
            3 => graphs::chain_with_skips(nodes, 2),
            _ => graphs::parallel_chains(rng.random_range(2..=60), rng.random_range(3..=80)),
        };
        let mut edges: Vec<Edge> = graph.edges.iter().map(|&(from, to)| Edge { from, to }).collect();
        if round % 2 == 0 {
            edges.shuffle(&mut rng);
        }
        let want = reduce_by(Method::Dense, graph.nodes, &edges);
        for method in METHODS {
            assert!(reduce_by(method, graph.nodes, &edges) == want, "round {round}, {method:?}");
        }
    }
}
