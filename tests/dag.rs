//! The reduction beyond one block of columns, with repeated edges and bad ones.

use aether::dag::{self, Edge};
use aether::{Error, Kind, NONE};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

fn edges(pairs: &[(u32, u32)]) -> Vec<Edge> {
    pairs.iter().map(|&(from, to)| Edge { from, to }).collect()
}

fn reduce(node_count: usize, edges: &[Edge]) -> Result<Vec<u8>, Error> {
    let mut words = Vec::with_capacity(dag::transitive_reduction_scratch_size(node_count, edges.len()) / 8);
    let mut keep = vec![2; edges.len()];
    let kept = dag::transitive_reduction(node_count, edges, &mut keep, words.spare_capacity_mut())?;
    assert_eq!(kept, keep.iter().filter(|&&flag| flag == 1).count());
    Ok(keep)
}

/// An edge goes if a search from its source reaches its target without using it or a copy of it; of the copies of one
/// that stays, the first.
fn slow_keep(node_count: usize, edges: &[Edge]) -> Vec<u8> {
    let mut successors = vec![Vec::new(); node_count];
    edges.iter().for_each(|edge| successors[edge.from as usize].push(edge.to));
    let bypassed = |edge: &Edge| {
        let mut seen = vec![false; node_count];
        let mut stack: Vec<u32> = successors[edge.from as usize].iter().copied().filter(|&v| v != edge.to).collect();
        while let Some(node) = stack.pop() {
            if node == edge.to {
                return true;
            }
            if node < edge.to && !std::mem::replace(&mut seen[node as usize], true) {
                stack.extend(&successors[node as usize]);
            }
        }
        false
    };
    let first = |i: usize| !edges[..i].contains(&edges[i]);
    edges.iter().enumerate().map(|(i, edge)| u8::from(first(i) && !bypassed(edge))).collect()
}

#[test]
fn the_reduction_equals_a_search_for_each_edge_across_blocks_of_columns() {
    let mut rng = StdRng::seed_from_u64(1);
    for round in 0..40 {
        let nodes: u32 = [2, 511, 512, 513, 1_023, 1_025, 1_600][round % 7];
        let reach = rng.random_range(1..=nodes - 1);
        let mut pairs = Vec::new();
        for _ in 0..rng.random_range(1..=1_500) {
            let from = rng.random_range(0..nodes - 1);
            pairs.push((from, rng.random_range(from + 1..nodes.min(from + 1 + reach))));
        }
        // Repeats, and a path through every block.
        pairs.extend_from_within(..pairs.len() / 10);
        pairs.extend((1..nodes).step_by(37).map(|node| (node - 1, node)));
        pairs.shuffle(&mut rng);
        let edges = edges(&pairs);
        assert_eq!(reduce(nodes as usize, &edges), Ok(slow_keep(nodes as usize, &edges)), "round {round}");
    }
}

#[test]
fn of_equal_edges_the_first_is_kept() {
    let edges = edges(&[(2, 3), (0, 1), (0, 1), (1, 2), (0, 2), (2, 3)]);
    assert_eq!(reduce(4, &edges), Ok(vec![1, 1, 0, 1, 0, 0]));
}

#[test]
fn unordered_collectives_reduce_to_one_chain() {
    for n in [2u32, 3, 5, 8, 1_024] {
        let pairs: Vec<(u32, u32)> = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v))).collect();
        let keep = reduce(n as usize, &edges(&pairs)).expect("a reduction");
        let kept: Vec<_> = pairs.iter().zip(keep).filter(|(_, keep)| *keep == 1).map(|(pair, _)| *pair).collect();
        assert_eq!(kept, (1..n).map(|v| (v - 1, v)).collect::<Vec<_>>());
    }
}

#[test]
fn a_long_chain_is_kept_whole_without_recursion() {
    let pairs: Vec<(u32, u32)> = (1..200_000).map(|node| (node - 1, node)).collect();
    assert_eq!(reduce(200_000, &edges(&pairs)), Ok(vec![1; 199_999]));
}

#[test]
fn the_first_bad_edge_is_named() {
    let bad = |pairs: &[(u32, u32)]| reduce(3, &edges(pairs)).err();
    let error = |kind, index, got, limit| Some(Error { kind, index, other: NONE, got, limit });
    assert_eq!(bad(&[(0, 1), (1, 3), (2, 1)]), error(Kind::EdgeNode, 1, 3, 3));
    assert_eq!(bad(&[(0, 1), (7, 1)]), error(Kind::EdgeNode, 1, 7, 3));
    assert_eq!(bad(&[(0, 1), (2, 1), (1, 3)]), error(Kind::NotTopological, 1, 2, 1));
    assert_eq!(bad(&[(1, 1)]), error(Kind::NotTopological, 0, 1, 1));
    assert_eq!(reduce(0, &edges(&[(0, 1)])).err(), error(Kind::EdgeNode, 0, 0, 0));
}

#[test]
#[cfg(target_pointer_width = "64")]
fn more_nodes_than_ids_are_refused() {
    let error = Error { kind: Kind::TooMany, index: NONE, other: NONE, got: 1 << 32, limit: (1 << 32) - 1 };
    assert_eq!(reduce(1 << 32, &[]), Err(error));
    assert_eq!(reduce((1 << 32) - 1, &[]), Ok(vec![]));
}

#[test]
fn a_graph_without_edges_needs_no_scratch() {
    assert_eq!(dag::transitive_reduction_scratch_size(1_000, 0), 0);
    assert_eq!(reduce(1_000, &[]), Ok(vec![]));
}

#[test]
fn scratch_grows_by_a_fixed_number_of_bytes_a_node_and_an_edge() {
    let size = dag::transitive_reduction_scratch_size;
    assert_eq!(size(3_000, 1), 3_000 * 96 + 16 + 1_024);
    assert_eq!(size(1_000_000, 2_000_000), 1_000_000 * 96 + 2_000_000 * 16 + 1_024);
    assert_eq!(size(usize::MAX, 1), usize::MAX);
    assert_eq!(size(3_000, usize::MAX), usize::MAX);
    assert_eq!(dag::transitive_reduction_ranked_scratch_size(3_000, 1), size(3_000, 1) + 3_000 * 8 + 1_032);
    assert_eq!(dag::transitive_reduction_ranked_scratch_size(usize::MAX, 1), usize::MAX);
}

#[test]
fn few_nodes_need_no_more_scratch_for_more_edges_than_two_triangles_of_bits() {
    let size = dag::transitive_reduction_scratch_size;
    // 16 blocks of 64 rows with 16, 15, ... 1 words, twice: adjacency and closure.
    assert_eq!(size(1_024, 523_776), 2 * 64 * 136 * 8);
    assert!(size(1_024, 523_776) <= 262_144 + 4_096);
    assert_eq!(size(2_048, usize::MAX), 2 * 64 * 528 * 8);
    assert_eq!(size(2, usize::MAX), 2 * 96 + 2 * 16 + 1_024);
}

#[test]
fn scratch_never_falls_as_a_count_rises_and_is_within_its_bounds() {
    let size = dag::transitive_reduction_scratch_size;
    for nodes in 0usize..2_200 {
        for edges in (0..40_000).step_by(1_237) {
            assert!(size(nodes, edges) <= size(nodes + 1, edges), "{nodes} nodes, {edges} edges");
            assert!(size(nodes, edges) <= size(nodes, edges + 1_237), "{nodes} nodes, {edges} edges");
            assert!(size(nodes, edges) <= 96 * nodes + 16 * edges + 1_024, "{nodes} nodes, {edges} edges");
        }
    }
}

#[test]
fn scratch_that_is_a_word_short_is_refused_with_both_sizes() {
    for (nodes, count) in [(2, 1), (3, 2), (7, 6), (65, 64), (1_000, 999), (3_000, 2_999)] {
        let pairs: Vec<(u32, u32)> = (1..=count).map(|node| (node - 1, node)).collect();
        let need = dag::transitive_reduction_scratch_size(nodes, pairs.len());
        let mut words = Vec::with_capacity(need / 8);
        let short = &mut words.spare_capacity_mut()[..need / 8 - 1];
        let error = Error { kind: Kind::ScratchTooSmall, index: NONE, other: NONE, got: need - 8, limit: need };
        assert_eq!(dag::transitive_reduction(nodes, &edges(&pairs), &mut vec![0; pairs.len()], short), Err(error));
        assert_eq!(reduce(nodes, &edges(&pairs)), Ok(vec![1; pairs.len()]));
    }
}
