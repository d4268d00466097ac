//! What the three decisions promise, each against a brute-force oracle written here.

mod common;

use aether::{MemoryPlan, TensorLifetime, islands, peak_live_bytes, plan_offsets, transitive_reduction};
use common::aloud;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

// ---- offsets ----------------------------------------------------------------------------------------------------

fn tensor(size: usize, first_use: usize, last_use: usize) -> TensorLifetime {
    TensorLifetime { size, first_use, last_use }
}

fn random_tensors(seed: u64) -> Vec<TensorLifetime> {
    let mut rng = StdRng::seed_from_u64(seed);
    let nodes = rng.random_range(1..=40);
    let lifetime = |rng: &mut StdRng| {
        let first_use = rng.random_range(0..nodes);
        (first_use, rng.random_range(first_use..nodes.min(first_use + 12)))
    };
    let count = rng.random_range(1..=60);
    (0..count)
        .map(|_| {
            let (first_use, last_use) = lifetime(&mut rng);
            tensor(rng.random_range(1..=1024), first_use, last_use)
        })
        .collect()
}

fn brute_force_peak(tensors: &[TensorLifetime]) -> usize {
    let nodes = tensors.iter().map(|t| t.last_use).max().map_or(0, |last| last + 1);
    let live = |node: usize| tensors.iter().filter(move |t| t.first_use <= node && node <= t.last_use);
    (0..nodes).map(|node| live(node).map(|t| t.size).sum()).max().unwrap_or(0)
}

/// The planner's rule, spelled out byte by byte, with the two mistakes that it must not make as switches.
fn slow_planner(tensors: &[TensorLifetime], leading: bool, lowest_wins_a_tie: bool) -> MemoryPlan {
    let mut order: Vec<usize> = (0..tensors.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(tensors[i].size));
    let mut offsets = vec![0; tensors.len()];
    let mut arena_size = 0;
    for (placed, &i) in order.iter().enumerate() {
        let (first, last) = (tensors[i].first_use, tensors[i].last_use);
        let alive = order[..placed].iter().filter(|&&j| tensors[j].first_use <= last && first <= tensors[j].last_use);
        let ranges: Vec<(usize, usize)> = alive.map(|&j| (offsets[j], offsets[j] + tensors[j].size)).collect();
        let top = ranges.iter().map(|range| range.1).max().unwrap_or(0);
        let occupied = |byte: usize| ranges.iter().any(|&(start, end)| start <= byte && byte < end);
        let mut free: Vec<(usize, usize)> = Vec::new();
        for byte in (0..top).filter(|&byte| !occupied(byte)) {
            match free.last_mut() {
                Some(interval) if interval.1 == byte => interval.1 += 1,
                _ => free.push((byte, byte + 1)),
            }
        }
        free.retain(|&(start, end)| end - start >= tensors[i].size && (leading || start > 0));
        if !lowest_wins_a_tie {
            free.reverse();
        }
        offsets[i] = free.iter().min_by_key(|(start, end)| end - start).map_or(top, |interval| interval.0);
        arena_size = arena_size.max(offsets[i] + tensors[i].size);
    }
    let peak = brute_force_peak(tensors);
    MemoryPlan { offsets, arena_size, lower_bound: peak, peak_live_bytes: peak }
}

#[test]
fn tensors_alive_at_a_common_node_never_share_a_byte() {
    let mut ratios = Vec::new();
    for seed in 0..500 {
        let tensors = random_tensors(seed);
        let plan = plan_offsets(&tensors);
        for (i, a) in tensors.iter().enumerate() {
            for (j, b) in tensors.iter().enumerate().skip(i + 1) {
                let alive_together = a.first_use.max(b.first_use) <= a.last_use.min(b.last_use);
                let apart = plan.offsets[i] + a.size <= plan.offsets[j] || plan.offsets[j] + b.size <= plan.offsets[i];
                assert!(!alive_together || apart, "seed {seed}: tensors {i} and {j}");
            }
        }
        ratios.push(plan.arena_size as f64 / brute_force_peak(&tensors) as f64);
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    aloud(&format!("arena/peak over 500 seeds: mean {mean:.4}, worst {worst:.4}; reported upstream: 1.0283, 1.2826"));
}

#[test]
fn the_arena_is_never_smaller_than_the_peak_of_live_bytes() {
    for seed in 0..500 {
        let tensors = random_tensors(seed);
        let (plan, peak) = (plan_offsets(&tensors), brute_force_peak(&tensors));
        assert_eq!(peak_live_bytes(&tensors), peak, "seed {seed}");
        assert_eq!(plan.peak_live_bytes, peak, "seed {seed}");
        assert!(plan.arena_size >= peak, "seed {seed}");
    }
}

#[test]
fn peak_live_bytes_treats_lifetimes_as_inclusive() {
    assert_eq!(peak_live_bytes(&[tensor(10, 0, 1), tensor(20, 1, 2), tensor(5, 2, 3)]), 30);
    assert_eq!(peak_live_bytes(&[tensor(10, 0, 0), tensor(20, 1, 1)]), 20);
}

#[test]
fn a_free_leading_interval_is_reused_instead_of_appending() {
    let tensors = [tensor(100, 0, 1), tensor(80, 1, 2), tensor(60, 2, 3)];
    let plan = plan_offsets(&tensors);
    assert_eq!((plan.offsets, plan.arena_size), (vec![0, 100, 0], 180));
    assert_eq!(brute_force_peak(&tensors), 180);
    assert_eq!(slow_planner(&tensors, false, true).arena_size, 240);
}

fn an_internal_gap_of_80_and_a_leading_one_of_100() -> [TensorLifetime; 5] {
    [tensor(100, 0, 0), tensor(90, 0, 1), tensor(80, 0, 0), tensor(70, 0, 1), tensor(60, 1, 1)]
}

fn an_internal_and_a_leading_gap_of_110() -> [TensorLifetime; 6] {
    [tensor(110, 0, 0), tensor(100, 0, 1), tensor(60, 0, 0), tensor(50, 0, 0), tensor(45, 0, 1), tensor(40, 1, 1)]
}

#[test]
fn a_strictly_smaller_internal_gap_beats_the_leading_gap() {
    let plan = plan_offsets(&an_internal_gap_of_80_and_a_leading_one_of_100());
    assert_eq!((plan.offsets, plan.arena_size), (vec![0, 100, 190, 270, 190], 340));
}

#[test]
fn the_leading_gap_wins_an_equal_fit() {
    let plan = plan_offsets(&an_internal_and_a_leading_gap_of_110());
    assert_eq!((plan.offsets, plan.arena_size), (vec![0, 110, 210, 270, 320, 0], 365));
}

#[test]
fn a_planner_that_reverses_a_tie_or_drops_the_leading_gap_fails_these_tests() {
    let tied = an_internal_and_a_leading_gap_of_110();
    assert_eq!(slow_planner(&tied, true, true).offsets, [0, 110, 210, 270, 320, 0]);
    assert_eq!(slow_planner(&tied, true, false).offsets, [0, 110, 210, 270, 320, 210]);
    assert_eq!(slow_planner(&tied, false, true).offsets, [0, 110, 210, 270, 320, 210]);
    let chain = [tensor(100, 0, 1), tensor(80, 1, 2), tensor(60, 2, 3)];
    assert_eq!(slow_planner(&chain, false, true).offsets, [0, 100, 180]);
}

#[test]
fn the_plan_is_the_one_that_the_rule_spelled_out_gives() {
    for seed in 0..500 {
        let tensors = random_tensors(seed);
        assert_eq!(plan_offsets(&tensors), slow_planner(&tensors, true, true), "seed {seed}");
    }
}

#[test]
fn equal_sizes_are_placed_in_input_order() {
    assert_eq!(plan_offsets(&[tensor(8, 0, 0), tensor(8, 0, 0), tensor(9, 0, 0)]).offsets, [9, 17, 0]);
}

#[test]
#[should_panic(expected = "tensor 1: its first use 7 is after its last use 3")]
fn a_reversed_lifetime_is_rejected_with_its_numbers() {
    plan_offsets(&[tensor(16, 0, 9), tensor(0, 7, 3)]);
}

#[test]
fn nothing_to_plan_gives_an_empty_arena() {
    let empty = MemoryPlan { offsets: vec![], arena_size: 0, lower_bound: 0, peak_live_bytes: 0 };
    assert_eq!(plan_offsets(&[]), empty);
    assert_eq!(plan_offsets(&[tensor(0, 0, 5)]), MemoryPlan { offsets: vec![0], ..empty });
}

// ---- transitive reduction ---------------------------------------------------------------------------------------

type Edges = Vec<(usize, usize)>;

fn random_dag(seed: u64) -> (usize, Edges) {
    let mut rng = StdRng::seed_from_u64(seed);
    let nodes = rng.random_range(1..=24);
    let density = rng.random_range(0.05..0.7);
    let pairs = (0..nodes).flat_map(|u| (u + 1..nodes).map(move |v| (u, v)));
    let mut edges: Edges = pairs.filter(|_| rng.random_bool(density)).collect();
    edges.shuffle(&mut rng);
    (nodes, edges)
}

fn warshall(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; nodes]; nodes];
    for &(u, v) in edges {
        reach[u][v] = true;
    }
    for middle in 0..nodes {
        for from in 0..nodes {
            for to in 0..nodes {
                reach[from][to] |= reach[from][middle] && reach[middle][to];
            }
        }
    }
    reach
}

#[test]
fn the_reduction_has_the_same_reachability_as_the_original() {
    for seed in 0..300 {
        let (nodes, edges) = random_dag(seed);
        let reduced = transitive_reduction(nodes, &edges);
        assert!(reduced.iter().all(|edge| edges.contains(edge)), "seed {seed}");
        assert_eq!(warshall(nodes, &reduced), warshall(nodes, &edges), "seed {seed}");
    }
}

#[test]
fn deleting_any_surviving_edge_changes_reachability() {
    for seed in 0..300 {
        let (nodes, edges) = random_dag(seed);
        let reduced = transitive_reduction(nodes, &edges);
        let reach = warshall(nodes, &reduced);
        for i in 0..reduced.len() {
            let mut fewer = reduced.clone();
            fewer.remove(i);
            assert_ne!(warshall(nodes, &fewer), reach, "seed {seed}, edge {:?}", reduced[i]);
        }
    }
}

#[test]
fn a_bypass_implied_by_a_path_of_length_three_is_removed_in_every_edge_order() {
    let edges = [(0, 3), (0, 1), (1, 2), (2, 3)];
    let mut orders = 0;
    for a in 0..4 {
        for b in (0..4).filter(|&b| b != a) {
            for c in (0..4).filter(|&c| c != a && c != b) {
                let order = [edges[a], edges[b], edges[c], edges[6 - a - b - c]];
                assert_eq!(transitive_reduction(4, &order), [(0, 1), (1, 2), (2, 3)]);
                orders += 1;
            }
        }
    }
    assert_eq!(orders, 24);
}

#[test]
#[should_panic(expected = "topological")]
fn an_edge_against_the_topological_numbering_is_rejected() {
    transitive_reduction(3, &[(0, 1), (2, 1)]);
}

#[test]
#[should_panic(expected = "edge 1: there is no node 4294967296, the node count is 3")]
fn an_edge_to_a_node_beyond_every_id_is_rejected_with_its_number() {
    transitive_reduction(3, &[(0, 1), (1, 1 << 32)]);
}

// ---- islands ----------------------------------------------------------------------------------------------------

fn random_graph(seed: u64) -> (usize, Edges) {
    let mut rng = StdRng::seed_from_u64(seed);
    let nodes = rng.random_range(1..=60);
    let count = rng.random_range(0..=nodes + 10);
    (nodes, (0..count).map(|_| (rng.random_range(0..nodes), rng.random_range(0..nodes))).collect())
}

/// Labels by depth-first search from each node in ascending order.
fn traverse(nodes: usize, edges: &[(usize, usize)]) -> (Vec<Option<usize>>, usize) {
    let mut labels = vec![None; nodes];
    let mut count = 0;
    for root in 0..nodes {
        let touched = edges.iter().any(|&(a, b)| a == root || b == root);
        if !touched || labels[root].is_some() {
            continue;
        }
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if labels[node].replace(count).is_some() {
                continue;
            }
            let next = edges.iter().filter(|&&(a, b)| a == node || b == node).map(|&(a, b)| a + b - node);
            stack.extend(next.filter(|&node| labels[node].is_none()));
        }
        count += 1;
    }
    (labels, count)
}

#[test]
fn island_labels_equal_connected_components_from_a_traversal() {
    for seed in 0..1_000 {
        let (nodes, edges) = random_graph(seed);
        assert_eq!(islands(nodes, &edges), traverse(nodes, &edges), "seed {seed}");
    }
}

#[test]
fn island_labels_ignore_edge_order_and_orientation() {
    for seed in 0..500 {
        let (nodes, mut edges) = random_graph(seed);
        let before = islands(nodes, &edges);
        let mut rng = StdRng::seed_from_u64(seed ^ 0xA17E);
        edges.shuffle(&mut rng);
        for edge in &mut edges {
            if rng.random() {
                *edge = (edge.1, edge.0);
            }
        }
        assert_eq!(islands(nodes, &edges), before, "seed {seed}");
    }
}

#[test]
fn islands_are_numbered_by_their_smallest_member() {
    let (labels, count) = islands(7, &[(6, 1), (5, 3), (2, 5)]);
    assert_eq!(labels, [None, Some(0), Some(1), Some(1), None, Some(1), Some(0)]);
    assert_eq!(count, 2);
    for seed in 0..500 {
        let (nodes, edges) = random_graph(seed);
        let (labels, count) = islands(nodes, &edges);
        let mut next = 0;
        for label in labels.into_iter().flatten() {
            assert!(label <= next, "seed {seed}");
            next = next.max(label + 1);
        }
        assert_eq!(next, count, "seed {seed}");
    }
}

#[test]
fn a_self_incidence_activates_a_singleton_and_an_untouched_node_stays_inactive() {
    assert_eq!(islands(3, &[(1, 1)]), (vec![None, Some(0), None], 1));
    assert_eq!(islands(3, &[]), (vec![None, None, None], 0));
}

#[test]
fn a_long_chain_is_resolved_without_recursion() {
    let nodes = 200_000;
    let ascending: Edges = (1..nodes).map(|node| (node - 1, node)).collect();
    let descending: Edges = ascending.iter().rev().copied().collect();
    for chain in [ascending, descending] {
        let (labels, count) = islands(nodes, &chain);
        assert_eq!(count, 1);
        assert!(labels.iter().all(|&label| label == Some(0)));
    }
}
