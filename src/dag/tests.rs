//! What the stages do beside the answer: one that decides too little, or a wrong guess of what a sweep costs, would
//! only cost time.

use super::Edge;
use super::chains::{drop_bypassed_edges, drop_if_one_chain_is_common};
use super::columns::{Columns, Group};
use super::graph::{Graph, Ids, Predecessors};
use super::levels::{Sample, find_depths, keep_short_edges, sample_edges};
use crate::scratch::Scratch;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use std::vec::Vec;

/// What `ask` answers for the graph of these edges, and the edges that are left.
pub(super) fn ask<T>(edges: &[(u32, u32)], ask: impl FnOnce(&mut Graph, &mut Scratch) -> T) -> (T, Vec<(u32, u32)>) {
    let node_count = edges.iter().map(|edge| edge.1 as usize + 1).max().unwrap_or(0);
    let edges: Vec<Edge> = edges.iter().map(|&(from, to)| Edge { from, to }).collect();
    let mut words = Vec::with_capacity(10_000);
    let mut scratch = Scratch::new(words.spare_capacity_mut());
    let mut keep = std::vec![0; edges.len()];
    let mut graph = Graph::new(node_count, &edges, Ids, None, &mut keep, &mut scratch).expect("a graph");
    let answer = ask(&mut graph, &mut scratch);
    let of = |source: usize| graph.targets[graph.edges(source)].iter().map(move |&target| (source as u32, target));
    (answer, (0..node_count).flat_map(of).collect())
}

/// Edges of up to 9 nodes; every choice of so many seeds is different, and sparse graphs are as frequent as dense ones.
pub(super) fn random_edges(rng: &mut StdRng) -> Vec<(u32, u32)> {
    let (node_count, density) = (rng.random_range(2..=9), rng.random_range(0.1..0.9));
    let all = (0..node_count).flat_map(|from| (from + 1..node_count).map(move |to| (from, to)));
    all.filter(|_| rng.random_bool(density)).collect()
}

/// The chain 0-1-2-3, whose nodes all lie on it.
const ONE_CHAIN: [(u32, u32); 5] = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)];

/// The chains 0-2 and 1-3: that 0 reaches 3 by 2 is seen on neither.
const TWO_CHAINS: [(u32, u32); 4] = [(0, 2), (0, 3), (1, 3), (2, 3)];

/// Graphs side by side, the ids of each above those of the one before it.
fn side_by_side(graphs: &[&[(u32, u32)]]) -> Vec<(u32, u32)> {
    (0..).step_by(4).zip(graphs).flat_map(|(base, graph)| graph.iter().map(move |e| (base + e.0, base + e.1))).collect()
}

#[test]
fn edges_are_shown_by_source_in_any_order_of_the_input_and_those_that_went_are_not() {
    let shown = |graph: &Graph| {
        let (mut up, mut down) = (Vec::new(), Vec::new());
        graph.for_each_edge(|u, v| up.push((u, v)));
        graph.for_each_edge_down(|u, v| down.push((u, v)));
        assert!(down.iter().rev().eq(&up));
        up
    };
    let mut rng = StdRng::seed_from_u64(4);
    for _ in 0..1_000 {
        let edges = random_edges(&mut rng);
        let mut shuffled = edges.clone();
        shuffled.shuffle(&mut rng);
        for input in [&edges, &shuffled] {
            assert_eq!(ask(input, |graph, _| shown(graph)).0, edges);
            let (left_shown, left) =
                ask(input, |graph, scratch| drop_bypassed_edges(graph, scratch).map(|()| shown(graph)));
            assert_eq!(left_shown, Ok(left));
        }
    }
}

#[test]
fn of_the_successors_on_one_chain_only_the_first_stays() {
    let filtered = |edges: &[(u32, u32)]| ask(edges, drop_bypassed_edges).1;
    assert_eq!(filtered(&ONE_CHAIN), [(0, 1), (1, 2), (2, 3)]);
    assert_eq!(filtered(&TWO_CHAINS), TWO_CHAINS);
    let filtered = filtered(&side_by_side(&[&TWO_CHAINS, &ONE_CHAIN]));
    assert_eq!(filtered, side_by_side(&[&TWO_CHAINS, &[(0, 1), (1, 2), (2, 3)]]));
}

#[test]
fn the_filter_is_used_where_more_than_half_of_the_sources_with_two_edges_have_them_on_one_chain() {
    let used = |graphs: &[&[(u32, u32)]]| {
        let edges = side_by_side(graphs);
        let (used, left) = ask(&edges, |graph, scratch| {
            let mut depths = std::vec![0; graph.node_count()];
            find_depths(graph, &mut depths);
            drop_if_one_chain_is_common(graph, &depths, scratch)
        });
        assert_eq!(used.is_ok_and(|used| used), left.len() < edges.len());
        left.len() < edges.len()
    };
    // Source 0 of each graph is the only one with two edges.
    assert!(used(&[&ONE_CHAIN]));
    assert!(!used(&[&TWO_CHAINS]));
    assert!(!used(&[&ONE_CHAIN, &TWO_CHAINS]));
    assert!(used(&[&ONE_CHAIN, &TWO_CHAINS, &ONE_CHAIN]));
    // Of 512 nodes every eighth is asked about: the first of each pair of graphs.
    let mut graphs = [&ONE_CHAIN[..]; 128];
    graphs.iter_mut().step_by(2).for_each(|graph| *graph = &TWO_CHAINS);
    assert!(!used(&graphs));
    graphs.rotate_left(1);
    assert!(used(&graphs));
}

#[test]
fn a_sweep_is_predicted_to_merge_the_edges_between_the_lowest_open_source_and_the_highest_open_target() {
    let edges = [(0, 1), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)];
    let ((merges, most), _) = ask(&edges, |graph, scratch| {
        // Those from 0, 5 and 6 are decided; the open ones lead from 2 to 5.
        for source in [0, 5, 6] {
            graph.opens[source] = graph.starts[source + 1];
        }
        let columns = Columns::of(graph, None, scratch).expect("columns");
        (columns.predicted_merges(graph, scratch.phase()), columns.most_merges(graph, 1))
    });
    assert_eq!(merges, Ok(3), "2-3, 3-4, 4-5");
    assert_eq!(most, 4, "5-6 too, since 5 is visited");
}

#[test]
fn the_only_columns_are_targets_of_open_edges_and_by_depths_of_those_that_span_more_than_a_level() {
    // Depths 0, 1, 2, 3, 1: 0-3 alone is long.
    let edges = [(0, 1), (0, 3), (0, 4), (1, 2), (2, 3)];
    let (numbers, _) = ask(&edges, |graph, scratch| {
        let mut depths = [0; 5];
        find_depths(graph, &mut depths);
        [None, Some(&depths[..])].map(|depths| Columns::of(graph, depths, scratch).expect("columns").numbers.to_vec())
    });
    const NONE: u32 = Columns::NONE;
    const LEADS_ON: u32 = Columns::LEADS_ON;
    assert_eq!(numbers, [[NONE, LEADS_ON, LEADS_ON | 1, 2, 3], [NONE, NONE, NONE, 0, NONE]]);
}

#[test]
fn several_groups_need_all_nodes_that_one_of_them_needs() {
    let (one, other) = (Group { lowest: 3, first: 5, top: 8 }, Group { lowest: 1, first: 9, top: 12 });
    let all = Group::of_all(&[one, other]);
    assert_eq!((all.lowest, all.first, all.top), (1, 5, 12));
    let all = Group::of_all(&[one]);
    assert_eq!((all.lowest, all.first, all.top), (3, 5, 8));
}

#[test]
fn an_edge_to_the_next_depth_or_from_the_next_height_is_decided() {
    // Longest paths to 0..6: 0, 0, 1, 2, 3, 1, 1. From them: 3, 2, 2, 1, 0, 0, 0. Only 0-3 and 0-4 are longer both
    // ways; 1-3 counts by its height, 0-5 and 0-6 by their depths. Of the sources 0 and 4 the edges 0-2, 0-5 and 0-6
    // are short, and only 2 has a successor.
    let edges = [(0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (1, 3), (2, 3), (3, 4)];
    let ((keep, open), _) = ask(&edges, |graph, scratch| {
        let (mut depths, mut keep) = ([0; 7], [0; 8]);
        find_depths(graph, &mut depths);
        let sample = Sample { edges: 5, short: 3, short_to_inner: 1 };
        assert_eq!((depths, sample_edges(graph, &depths)), ([0, 0, 1, 2, 3, 1, 1], sample));
        assert_eq!(keep_short_edges(graph, &depths, &mut keep, scratch.phase()), Ok(2));
        let of = |source: usize| graph.targets[graph.open_edges(source)].iter().map(move |&target| (source, target));
        (keep, (0..7).flat_map(of).collect::<Vec<_>>())
    });
    assert_eq!((keep, &open[..]), ([1, 0, 0, 1, 1, 1, 1, 1], &[(0, 3), (0, 4)][..]));
}

#[test]
fn predecessors_are_the_sources_of_kept_and_of_open_edges_and_not_of_those_that_went_in_between() {
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..1_000 {
        ask(&random_edges(&mut rng), |graph, scratch| {
            let node_count = graph.node_count();
            let mut kept_ends = std::vec![0; node_count];
            for (u, kept_end) in kept_ends.iter_mut().enumerate() {
                graph.opens[u] = rng.random_range(graph.starts[u]..=graph.starts[u + 1]);
                *kept_end = rng.random_range(graph.starts[u]..=graph.opens[u]);
            }
            let mut opens = std::vec![0; node_count];
            let mut phase = scratch.phase();
            let predecessors = Predecessors::of(graph, &kept_ends, &mut opens, &mut phase).expect("predecessors");
            for v in 0..node_count {
                let sources = |edges: &dyn Fn(usize) -> core::ops::Range<usize>| {
                    let leads = |&u: &u32| graph.targets[edges(u as usize)].contains(&(v as u32));
                    (0..node_count as u32).filter(leads).collect::<Vec<_>>()
                };
                let sorted = |sources: &[u32]| {
                    let mut sources = sources.to_vec();
                    sources.sort();
                    sources
                };
                let kept = |u: usize| graph.starts[u] as usize..kept_ends[u] as usize;
                assert_eq!(sorted(predecessors.kept(v)), sources(&kept));
                assert_eq!(sorted(predecessors.open(v)), sources(&|u| graph.open_edges(u)));
            }
        });
    }
}
