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
    // All rise.
    assert_eq!(bad(&[(0, 1), (1, 3)]), error(Kind::EdgeNode, 1, 3, 3));
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
fn few_nodes_need_no_more_scratch_for_more_edges_than_two_triangles_of_bits_or_the_most_lists() {
    let size = dag::transitive_reduction_scratch_size;
    // 1,024 + 1,024 x 1,024 / 320 edges in lists.
    assert_eq!(size(1_024, 523_776), 1_024 * 96 + 4_300 * 16 + 1_024);
    assert!(size(1_024, 523_776) <= 262_144 + 4_096);
    // 32 blocks of 64 rows with 32, 31, ... 1 words, twice: adjacency and closure; and a word of twins for each.
    assert_eq!(size(2_048, usize::MAX), 2 * 64 * 528 * 8 + 32 * 8);
    assert_eq!(size(2, usize::MAX), 2 * 96 + 2 * 16 + 1_024);
    assert_eq!(size(4, usize::MAX), 4 * 96 + 4 * 16 + 1_024);
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

fn ranks(node_count: usize, pairs: &[(u32, u32)], room: usize) -> (Result<Vec<i64>, Error>, Vec<u32>) {
    let edges = edges(pairs);
    let mut words = Vec::with_capacity(dag::topological_ranks_scratch_size(node_count, edges.len()) / 8);
    let (mut ranks, mut cycle) = (vec![-1; node_count], vec![9; room]);
    let result = dag::topological_ranks(&edges, &mut ranks, &mut cycle, words.spare_capacity_mut());
    if result.is_err() {
        assert_eq!(ranks, vec![-1; node_count]);
    }
    (result.map(|()| ranks), cycle)
}

fn cycle_error(smallest: usize, length: usize, room: usize) -> Error {
    Error { kind: Kind::Cycle, index: smallest, other: NONE, got: length, limit: room }
}

#[test]
fn the_first_edge_beyond_the_nodes_has_no_ranks() {
    let error = |index, got| Err(Error { kind: Kind::EdgeNode, index, other: NONE, got, limit: 3 });
    assert_eq!(ranks(3, &[(0, 1), (1, 3), (4, 2)], 0).0, error(1, 3));
    assert_eq!(ranks(3, &[(4, 2), (1, 3)], 0).0, error(0, 4));
}

#[test]
fn a_rank_is_the_length_of_the_longest_path_that_ends_at_the_node() {
    let pairs = [(3, 1), (1, 0), (3, 0), (0, 4), (3, 4), (3, 1)];
    assert_eq!(ranks(6, &pairs, 0).0, Ok(vec![2, 1, 0, 0, 3, 0]));
    assert_eq!(ranks(0, &[], 0).0, Ok(vec![]));
    assert_eq!(ranks(1, &[], 0).0, Ok(vec![0]));
}

#[test]
fn a_cycle_is_told_from_its_smallest_node_along_its_edges() {
    // backtracking/ocamlgraph#145 and jgrapht/jgrapht#667: the edges of a cycle were dropped.
    assert_eq!(ranks(4, &[(1, 2), (2, 1), (3, 1), (3, 2)], 4), (Err(cycle_error(1, 2, 4)), vec![1, 2, 9, 9]));
    // gonum/gonum#2070 and ruby/tsort#4: a self-loop is a cycle.
    assert_eq!(ranks(2, &[(0, 0), (0, 1)], 1), (Err(cycle_error(0, 1, 1)), vec![0]));
    // scala-graph/scala-graph#264 and others: a node that is only led to from the cycle, or leads to it, is not on it.
    let tail: Vec<(u32, u32)> = (2..10).map(|node| (node, node + 1)).chain([(2, 1), (1, 2)]).collect();
    assert_eq!(ranks(11, &tail, 3), (Err(cycle_error(1, 2, 3)), vec![1, 2, 9]));
    assert_eq!(ranks(9, &[(5, 1), (5, 8), (8, 5)], 1), (Err(cycle_error(5, 2, 1)), vec![5]));
    assert_eq!(ranks(4, &[(3, 1), (1, 2), (2, 3), (0, 3)], 5), (Err(cycle_error(1, 3, 5)), vec![1, 2, 3, 9, 9]));
}

#[test]
fn random_edges_have_ranks_or_a_cycle_that_is_one() {
    let mut rng = StdRng::seed_from_u64(3);
    let (mut ranked, mut cyclic) = (0, 0);
    for _ in 0..2_000 {
        let nodes: u32 = rng.random_range(1..=12);
        let pairs: Vec<(u32, u32)> =
            (0..rng.random_range(0..=14)).map(|_| (rng.random_range(0..nodes), rng.random_range(0..nodes))).collect();
        match ranks(nodes as usize, &pairs, 12) {
            (Ok(ranks), _) => {
                assert!(pairs.iter().all(|&(from, to)| ranks[from as usize] < ranks[to as usize]), "{pairs:?}");
                ranked += 1;
            }
            (Err(error), cycle) => {
                let cycle = &cycle[..error.got];
                let next = cycle.iter().cycle().skip(1);
                assert!(cycle.iter().zip(next).all(|(&from, &to)| pairs.contains(&(from, to))), "{pairs:?}: {cycle:?}");
                assert_eq!(cycle.iter().min(), cycle.first());
                let distinct: std::collections::BTreeSet<_> = cycle.iter().collect();
                assert_eq!(distinct.len(), cycle.len());
                cyclic += 1;
            }
        }
    }
    assert!(ranked > 300 && cyclic > 300, "{ranked}, {cyclic}");
}

#[test]
fn the_ranks_of_a_long_chain_are_found_without_recursion() {
    let pairs: Vec<(u32, u32)> = (1..200_000).map(|node| (200_000 - node, 199_999 - node)).collect();
    assert_eq!(ranks(200_000, &pairs, 0).0, Ok((0..200_000).rev().collect()));
    let mut ring = pairs;
    ring.push((0, 199_999));
    assert_eq!(ranks(200_000, &ring, 2), (Err(cycle_error(0, 200_000, 2)), vec![0, 199_999]));
}

fn ranked(ranks: &[i64], pairs: &[(u32, u32)], flags: Option<&[u8]>) -> Result<Vec<u8>, Error> {
    let edges = edges(pairs);
    let need = dag::transitive_reduction_ranked_scratch_size(ranks.len(), edges.len());
    let mut words = Vec::with_capacity(need / 8);
    let mut keep = vec![2; edges.len()];
    let words = &mut words.spare_capacity_mut()[..need / 8];
    let result = dag::transitive_reduction_ranked(ranks.len(), Some(ranks), &edges, flags, &mut keep, words);
    assert!(result.is_ok() || keep.iter().all(|&flag| flag == 2));
    result.map(|_| keep)
}

#[test]
fn ids_may_be_in_any_order_when_ranks_rise() {
    // tensorflow/tensorflow#124410: minus the instance keys 3, 1, 4, 2; 4 -> 3 -> 2 -> 1 bypasses 4 -> 1.
    let keys = [-3, -1, -4, -2];
    assert_eq!(ranked(&keys, &[(2, 0), (2, 1), (0, 3), (3, 1)], None), Ok(vec![1, 0, 1, 1]));
    // Equal ranks: two devices with the same keys.
    assert_eq!(ranked(&[-4, -4, -1, -1], &[(0, 2), (1, 3), (1, 3)], None), Ok(vec![1, 1, 0]));
    let error = |index, got, limit| Err(Error { kind: Kind::NotTopological, index, other: NONE, got, limit });
    assert_eq!(ranked(&keys, &[(2, 0), (1, 3)], None), error(1, 1, 3));
    assert_eq!(ranked(&[i64::MAX, i64::MIN], &[(1, 0)], None), Ok(vec![1]));
    assert_eq!(ranked(&[i64::MAX, i64::MIN], &[(0, 1)], None), error(0, 0, 1));
    assert_eq!(ranked(&[5, 5], &[(0, 1)], None), error(0, 0, 1));
}

#[test]
fn protected_edges_stay_background_edges_only_serve_and_both_bypass() {
    let (o, p, b) = (0, 1, 2);
    let keep = |pairs: &[(u32, u32)], flags: &[u8]| ranked(&[0, 1, 2, 3], pairs, Some(flags)).expect("a reduction");
    let triangle = [(0, 1), (1, 2), (0, 2)];
    assert_eq!(keep(&triangle, &[o, o, p]), [1, 1, 1]);
    assert_eq!(keep(&triangle, &[p, p, o]), [1, 1, 0]);
    assert_eq!(keep(&triangle, &[b, b, o]), [0, 0, 0]);
    assert_eq!(keep(&triangle, &[b, o, b]), [0, 1, 0]);
    // A protected edge that is itself bypassed is still a path, and what it bypasses goes.
    assert_eq!(keep(&[(0, 1), (1, 2), (0, 2), (2, 3), (0, 3)], &[o, o, p, o, o]), [1, 1, 1, 1, 0]);
    // Equal edges: the ordinary copy of another goes, every protected copy stays.
    assert_eq!(keep(&[(0, 1), (0, 1), (0, 1), (0, 1)], &[o, p, b, p]), [0, 1, 0, 1]);
    assert_eq!(keep(&[(0, 1), (0, 1)], &[o, b]), [0, 0]);
    let bad = ranked(&[0, 1], &[(0, 1), (0, 1)], Some(&[0, 3]));
    assert_eq!(bad, Err(Error { kind: Kind::EdgeFlag, index: 1, other: NONE, got: 3, limit: 2 }));
}

#[test]
fn attributes_stay_the_callers_because_the_answer_is_a_flag_an_edge() {
    // networkx/networkx#4684.
    assert_eq!(reduce(3, &edges(&[(0, 1), (1, 2), (0, 2)])), Ok(vec![1, 1, 0]));
    // Qiskit/rustworkx#923 and #14: parallel edges. Three are dropped: two repeats and one with another path.
    assert_eq!(reduce(4, &edges(&[(0, 1), (0, 1), (1, 2), (0, 2), (2, 3), (2, 3)])), Ok(vec![1, 0, 1, 0, 1, 0]));
    // YaccConstructor/QuickGraph#198 and bobluppes/graaf#380: nodes without edges.
    assert_eq!(reduce(3, &edges(&[(0, 1)])), Ok(vec![1]));
    assert_eq!((reduce(0, &[]), reduce(1, &[])), (Ok(vec![]), Ok(vec![])));
}

/// evenfurther/pathfinding#795 and pytorch/pytorch#116761: recursion overflowed the stack.
#[test]
fn a_long_chain_is_reduced_on_a_small_stack() {
    let pairs: Vec<(u32, u32)> = (1..200_000).map(|node| (node - 1, node)).collect();
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let keep = thread.spawn(move || reduce(200_000, &edges(&pairs))).expect("a thread").join();
    assert_eq!(keep.expect("no overflow"), Ok(vec![1; 199_999]));
}

#[test]
fn the_closure_tells_what_a_search_from_each_node_finds() {
    let mut rng = StdRng::seed_from_u64(4);
    for nodes in [1u32, 2, 63, 64, 65, 130, 200] {
        let pairs: Vec<(u32, u32)> = (1..nodes)
            .map(|_| {
                let from = rng.random_range(0..nodes - 1);
                (from, rng.random_range(from + 1..nodes))
            })
            .collect();
        let words = dag::reachability_row_words(nodes as usize);
        let mut matrix = vec![u64::MAX; nodes as usize * words];
        let mut scratch = Vec::with_capacity(dag::reachability_scratch_size(nodes as usize) / 8);
        dag::reachability(nodes as usize, &edges(&pairs), &mut matrix, scratch.spare_capacity_mut())
            .expect("a closure");
        for u in 0..nodes {
            let mut reached = vec![false; nodes as usize];
            let mut stack = vec![u];
            while let Some(node) = stack.pop() {
                if !std::mem::replace(&mut reached[node as usize], true) {
                    stack.extend(pairs.iter().filter(|pair| pair.0 == node).map(|pair| pair.1));
                }
            }
            for v in 0..words * 64 {
                let bit = matrix[u as usize * words + v / 64] >> (v % 64) & 1 == 1;
                assert_eq!(bit, reached.get(v) == Some(&true), "{nodes} nodes: {u} to {v}");
            }
        }
    }
}

#[test]
fn a_matrix_that_is_too_small_is_refused_untouched() {
    let mut matrix = [7; 1];
    let mut scratch = Vec::with_capacity(1);
    let error = Error { kind: Kind::TooMany, index: NONE, other: NONE, got: 2, limit: 1 };
    let result = dag::reachability(2, &edges(&[(0, 1)]), &mut matrix, scratch.spare_capacity_mut());
    assert_eq!((result, matrix), (Err(error), [7]));
}
