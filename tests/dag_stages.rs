//! Every stage, forced, against Warshall and against every other.

#[path = "../benches/reference/graphs.rs"]
#[allow(dead_code)]
mod graphs;

use aether::dag::{self, Edge, Method};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use std::ops::RangeInclusive;

/// Edges, in any numbering and with any flags.
struct Problem {
    nodes: usize,
    ranks: Option<Vec<i64>>,
    edges: Vec<Edge>,
    flags: Option<Vec<u8>>,
}

impl Problem {
    fn of(nodes: usize, edges: Vec<Edge>) -> Problem {
        Problem { nodes, ranks: None, edges, flags: None }
    }

    fn reduce_by(&self, method: Method) -> Vec<u8> {
        self.reduce(method).0
    }

    /// Which edges are kept, and the stages that ran.
    fn reduce(&self, method: Method) -> (Vec<u8>, Method) {
        let need = dag::transitive_reduction_by_scratch_size(method, self.nodes, self.edges.len());
        let mut words = Vec::with_capacity(need / 8);
        let mut keep = vec![2; self.edges.len()];
        let words = &mut words.spare_capacity_mut()[..need / 8];
        let (ranks, flags) = (self.ranks.as_deref(), self.flags.as_deref());
        let result = dag::transitive_reduction_by(method, self.nodes, ranks, &self.edges, flags, &mut keep, words);
        let (kept, stages) = result.expect("a reduction");
        assert_eq!(kept, keep.iter().filter(|&&flag| flag == 1).count());
        assert!(stages == method || method == Method::Chosen && !self.edges.is_empty());
        (keep, stages)
    }

    /// An ordinary edge is kept if no successor of its source reaches its target, and it is the first of its equals, of
    /// which none has another flag.
    fn warshall_keep(&self) -> Vec<u8> {
        let mut reach = vec![0u64; self.nodes];
        self.edges.iter().for_each(|edge| reach[edge.from as usize] |= 1 << edge.to);
        for k in 0..self.nodes {
            for i in 0..self.nodes {
                if reach[i] >> k & 1 == 1 {
                    reach[i] |= reach[k];
                }
            }
        }
        let bypassed = |e: &Edge| (0..self.nodes).any(|w| reach[e.from as usize] >> w & reach[w] >> e.to & 1 == 1);
        let flag = |i: usize| self.flags.as_ref().map_or(0, |flags| flags[i]);
        let equals = |i: usize| (0..self.edges.len()).filter(move |&j| self.edges[j] == self.edges[i]);
        let is_kept = |i: usize| match flag(i) {
            0 => !bypassed(&self.edges[i]) && equals(i).all(|j| j >= i && flag(j) == 0),
            flag => flag == 1,
        };
        (0..self.edges.len()).map(|i| u8::from(is_kept(i))).collect()
    }

    /// The same under other ids, with ranks of any distance.
    fn renumbered(mut self, rng: &mut StdRng) -> Problem {
        let mut ids: Vec<u32> = (0..self.nodes as u32).collect();
        ids.shuffle(rng);
        let mut ranks = vec![0; self.nodes];
        let step = [1, 1_000, i64::MAX / 64][rng.random_range(0..3)];
        let begin = rng.random_range(-(1 << 40)..=0);
        ids.iter().zip(0..).for_each(|(&id, position)| ranks[id as usize] = begin + position * step);
        for edge in &mut self.edges {
            *edge = Edge { from: ids[edge.from as usize], to: ids[edge.to as usize] };
        }
        Problem { ranks: Some(ranks), ..self }
    }
}

#[test]
fn every_stage_equals_warshall_on_small_random_graphs() {
    let mut rng = StdRng::seed_from_u64(1);
    for round in 0..10_000 {
        let nodes: u32 = rng.random_range(2..=40);
        let window = rng.random_range(1..nodes);
        // Beyond them nodes are isolated.
        let used = rng.random_range(2..=nodes);
        let mut edges: Vec<Edge> = (0..rng.random_range(1..=nodes * 4))
            .map(|_| {
                let from = rng.random_range(0..used - 1);
                Edge { from, to: rng.random_range(from + 1..used.min(from + 1 + window)) }
            })
            .collect();
        if round % 3 == 0 {
            edges.extend_from_within(..edges.len() / 4);
        }
        match round % 4 {
            0 => edges.sort_by_key(|edge| (edge.from, edge.to)),
            _ => edges.shuffle(&mut rng),
        }
        let mut problem = Problem::of(nodes as usize, edges);
        if round % 2 == 0 {
            problem.flags = Some(problem.edges.iter().map(|_| rng.random_range(0..9u8).saturating_sub(6)).collect());
        }
        if round % 5 < 2 {
            problem = problem.renumbered(&mut rng);
        }
        let want = problem.warshall_keep();
        for method in Method::all() {
            assert_eq!(problem.reduce_by(method), want, "round {round}, {method:?}");
        }
    }
}

#[test]
fn the_stages_agree_on_some_graphs_of_more_than_one_group_of_columns() {
    agree(15, 3_000..=5_000);
}

#[test]
fn the_stages_agree_on_larger_graphs() {
    agree(200, 2..=5_000);
}

fn agree(rounds: usize, node_counts: RangeInclusive<u32>) {
    let mut rng = StdRng::seed_from_u64(2);
    for round in 0..rounds {
        let nodes = rng.random_range(node_counts.clone());
        let graph = match round % 5 {
            0 => graphs::random(nodes, rng.random_range(1..=16)),
            1 => graphs::local(nodes, rng.random_range(1..=16), rng.random_range(1..=nodes)),
            2 => {
                let (layers, width) = (rng.random_range(2..=40), rng.random_range(2..=100));
                graphs::layered(layers, width, rng.random_range(1..=24), round as u32 % 3)
            }
            3 => graphs::chain_with_skips(nodes, 2),
            _ => graphs::parallel_chains(rng.random_range(2..=60), rng.random_range(3..=80)),
        };
        let mut edges: Vec<Edge> = graph.edges.iter().map(|&(from, to)| Edge { from, to }).collect();
        if round % 2 == 0 {
            edges.shuffle(&mut rng);
        }
        let problem = Problem::of(graph.nodes, edges);
        let want = problem.reduce_by(Method::Dense);
        for method in Method::all() {
            assert!(problem.reduce_by(method) == want, "round {round}, {method:?}");
        }
    }
}

/// A block of 16 nodes is a clique, and the first node leads to all others. So the groups of columns reach down to that
/// node, but few nodes below a group lead into it.
#[test]
fn pairs_of_groups_are_left_where_few_rows_hold_anything_and_what_they_decided_stays() {
    let nodes = 20_000;
    let pairs = (0..nodes).flat_map(|u| (u + 1..nodes.min(u / 16 * 16 + 16)).map(move |v| (u, v)));
    let edges: Vec<Edge> = pairs.chain((16..nodes).map(|v| (0, v))).map(|(from, to)| Edge { from, to }).collect();
    assert!(edges.len() * 63 >= nodes as usize * 57 * 8, "room for pairs");
    let is_next_in_block = |edge: &Edge| edge.to == edge.from + 1 && !edge.to.is_multiple_of(16);
    let leads_to_a_block = |edge: &Edge| edge.from == 0 && edge.to.is_multiple_of(16);
    let want: Vec<u8> = edges.iter().map(|edge| u8::from(is_next_in_block(edge) || leads_to_a_block(edge))).collect();
    assert!(Problem::of(nodes as usize, edges).reduce_by(Method::Sweep) == want);
}

#[test]
fn of_stages_of_which_each_comes_before_all_later_ones_only_neighbours_stay_joined() {
    for (stages, width) in [(2, 1), (2, 40), (5, 3), (9, 16), (4, 70)] {
        let nodes = stages * width;
        let stage = |node: u32| node / width;
        let pairs = (0..nodes).flat_map(|from| (from + 1..nodes).map(move |to| Edge { from, to }));
        let edges: Vec<Edge> = pairs.filter(|edge| stage(edge.from) < stage(edge.to)).collect();
        let want: Vec<u8> = edges.iter().map(|edge| u8::from(stage(edge.to) == stage(edge.from) + 1)).collect();
        let problem = Problem::of(nodes as usize, edges);
        Method::all()
            .iter()
            .for_each(|&method| assert!(problem.reduce_by(method) == want, "{stages} {width} {method:?}"));
    }
}

#[test]
fn beyond_2048_nodes_the_matrices_are_used_only_where_they_fit_into_the_scratch_of_the_lists() {
    // w = 33 words a row: 512 w (w + 1) + 8 w = 574,728 bytes, and the lists have 96 x 2,100 + 16 m + 1,024.
    for (count, method) in [(23_257, Method::Dense), (23_256, Method::Sweep)] {
        let mut edges: Vec<Edge> =
            graphs::random(2_100, 16).edges.iter().map(|&(from, to)| Edge { from, to }).collect();
        edges.truncate(count);
        let need = dag::transitive_reduction_scratch_size(2_100, count);
        let mut words = Vec::with_capacity(need / 8);
        let mut keep = vec![0; count];
        let scratch = &mut words.spare_capacity_mut()[..need / 8];
        let kept = dag::transitive_reduction(2_100, &edges, &mut keep, scratch);
        assert_eq!(kept, Ok(keep.iter().filter(|&&flag| flag == 1).count()));
        let problem = Problem::of(2_100, edges);
        assert!(keep == problem.reduce_by(Method::Search));
        assert_eq!(problem.reduce(Method::Chosen).1, method);
    }
}

#[test]
fn where_few_of_many_edges_are_long_these_are_searched_back_from_their_targets() {
    // Four layers, each joined densely to the next, with a longer edge a node.
    let graph = graphs::layered(4, 2_500, 32, 1);
    let problem = Problem::of(graph.nodes, graph.edges.iter().map(|&(from, to)| Edge { from, to }).collect());
    let (keep, stages) = problem.reduce(Method::Chosen);
    assert_eq!(stages, Method::Backward);
    assert!(keep == problem.reduce_by(Method::Dense));
}
