//! Fast ways against slow ones that are right at sight.

use std::collections::BTreeSet;

use aether::arena::{self, Effort, Outcome, Planner, Problem, Tensor};
use aether::dag::{self, Edge, Method};
use aether::islands::{self, Incidence};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::bytes::Bytes;
use crate::problems::{ALL, random_case};
use crate::xnnpack::{Usage, Version};
use crate::{dense_closure, xnnpack};

fn tensors(bytes: &mut Bytes, most: usize) -> Vec<Tensor> {
    let nodes = 1 + bytes.below(100);
    let longest = 1 + bytes.below(nodes);
    let largest = [3, 20, 1_000, 60_000][bytes.below(4)];
    bytes.list(most, |bytes| {
        let first_use = bytes.below(nodes);
        let last_use = first_use + bytes.below(longest);
        Tensor { size: bytes.below(largest), alignment: 1, first_use, last_use }
    })
}

/// The offsets of the planner are those of XNNPACK's, by its pair scan and its sorts.
pub fn planner_is_xnnpacks(data: &[u8]) {
    let tensors = tensors(&mut Bytes::new(data), 300);
    let mut words = Vec::with_capacity(arena::plan_offsets_scratch_size(tensors.len()) / 8);
    let (offsets, plan) = arena::plan_offsets(&tensors, words.spare_capacity_mut()).expect("a plan");
    let usages: Vec<Usage> = tensors.iter().map(|t| Usage::new(t.size, t.first_use, t.last_use)).collect();
    let (expected, arena_size) = xnnpack::plan(&usages, Version::After10801);
    assert_eq!((offsets, plan.arena_size), (&expected[..], arena_size));
}

/// Plans of problems with every condition hold byte by byte at each node.
pub fn planners_agree_with_paint(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let kinds = u32::from(bytes.byte()) & ALL;
    let mut case = random_case(&mut StdRng::seed_from_u64(bytes.seed()), 9, 10, kinds);
    case.capacity = if bytes.one_in(2) { bytes.below(60) } else { 0 };
    let fixed_ends = (0..case.tensors.len()).filter_map(|i| Some(case.fixed(i)? + case.tensors[i].size));
    if case.capacity > 0 {
        case.capacity = case.capacity.max(fixed_ends.max().unwrap_or(0));
    }
    let problem = case.problem();
    let pairs = case.compatible.len() + case.apart.len();
    let size = arena::plan_search_scratch_size(case.tensors.len(), case.gaps.len(), pairs, case.reserved.len());
    let mut words = Vec::with_capacity(size / 8);
    let (offsets, Outcome { plan, .. }) =
        arena::plan_portfolio(&problem, 0, words.spare_capacity_mut()).expect("a plan");
    assert!(case.is_valid(offsets));
    assert_eq!(case.arena(offsets), plan.arena_size);
    let effort = Effort { work_limit: 300, seed: bytes.seed() };
    let (offsets, found) =
        arena::plan_search(&problem, effort, &mut |_, _| false, words.spare_capacity_mut()).expect("a plan");
    assert!(case.is_valid(offsets));
    assert_eq!(case.arena(offsets), found.plan.arena_size);
    let bound = found.plan.lower_bound;
    if case.tensors.len() <= 5 && bound > 0 {
        assert!(!case.fits(bound - 1), "a plan undercuts the bound {bound}");
    }
}

/// A search finds no larger arena than the planners, more work no larger one than less, and its proofs hold.
pub fn search_is_no_worse(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let (work_limit, seed) = (bytes.below(3_000) as u64, bytes.seed());
    let tensors = tensors(&mut bytes, 40);
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    let mut words = Vec::with_capacity(arena::plan_search_scratch_size(tensors.len(), 0, 0, 0) / 8);
    let mut search = |work_limit| {
        let effort = Effort { work_limit, seed };
        let (offsets, found) =
            arena::plan_search(&problem, effort, &mut |_, _| false, words.spare_capacity_mut()).expect("a plan");
        let mut words = Vec::with_capacity(arena::check_offsets_scratch_size(offsets.len()) / 8);
        let checked = arena::check_offsets(&tensors, offsets, words.spare_capacity_mut()).expect("a valid plan");
        assert_eq!(checked.arena_size, found.plan.arena_size);
        assert!(found.plan.lower_bound >= checked.lower_bound && found.nodes <= work_limit);
        found.plan
    };
    let (none, some, more) = (search(0), search(work_limit), search(3 * work_limit));
    assert!(some.arena_size <= none.arena_size && more.arena_size <= some.arena_size);
    assert!(more.lower_bound <= some.arena_size && some.lower_bound <= more.arena_size);
    let mut words = Vec::with_capacity(arena::plan_portfolio_scratch_size(tensors.len(), 0, 0, 0) / 8);
    for planner in [Planner::Size, Planner::Area, Planner::Colouring] {
        let (_, outcome) = arena::plan_portfolio(&problem, planner.bit(), words.spare_capacity_mut()).expect("a plan");
        assert!(none.arena_size <= outcome.plan.arena_size && more.lower_bound <= outcome.plan.arena_size);
    }
}

/// Every stage of the reduction keeps what the dense closure keeps, under any numbering.
pub fn stages_agree(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = 2 + bytes.below(300);
    let reach = 1 + bytes.below(nodes);
    let pairs: Vec<(u32, u32)> = bytes.list(900, |bytes| {
        let from = bytes.below(nodes - 1);
        let to = from + 1 + bytes.below(reach.min(nodes - from - 1));
        (from as u32, to as u32)
    });
    // The dense closure takes distinct edges.
    let pairs: Vec<(u32, u32)> = pairs.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let edges: Vec<Edge> = pairs.iter().map(|&(from, to)| Edge { from, to }).collect();
    let expected = dense_closure::reduce(nodes, &pairs);
    let ranks: Vec<i64> = (0..nodes as i64).map(|node| 7 * node - 1_000).collect();
    let mut keep = vec![9; edges.len()];
    for method in [Method::Chosen, Method::Dense, Method::Sweep, Method::Levels, Method::Chains, Method::Search] {
        for ranks in [None, Some(&ranks[..])] {
            let size = dag::transitive_reduction_by_scratch_size(method, nodes, edges.len());
            let mut words = Vec::with_capacity(size / 8);
            let space = words.spare_capacity_mut();
            dag::transitive_reduction_by(method, nodes, ranks, &edges, None, &mut keep, space).expect("a reduction");
            assert!(keep.iter().map(|&flag| flag == 1).eq(expected.iter().copied()), "{method:?}");
        }
    }
}

/// The labels are those of a traversal from each node in turn.
pub fn islands_are_traversals(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = 1 + bytes.below(200);
    let incidences = bytes
        .list(300, |bytes| Incidence { a: bytes.below(nodes) as i32, b: bytes.below(nodes + nodes / 4 + 1) as i32 });
    let dynamic = |node: i32| if (node as usize) < nodes { node } else { islands::STATIC };
    let incidences: Vec<Incidence> = incidences.iter().map(|i| Incidence { a: i.a, b: dynamic(i.b) }).collect();
    let mut beside = vec![Vec::new(); nodes];
    for i in &incidences {
        let b = if i.b < 0 { i.a } else { i.b };
        beside[i.a as usize].push(b as usize);
        beside[b as usize].push(i.a as usize);
    }
    let mut expected = vec![-1; nodes];
    let mut count = 0;
    for start in 0..nodes {
        if beside[start].is_empty() || expected[start] >= 0 {
            continue;
        }
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if expected[node] < 0 {
                expected[node] = count;
                open.extend(&beside[node]);
            }
        }
        count += 1;
    }
    let mut labels = vec![7; nodes];
    assert_eq!(islands::islands(&incidences, &mut labels), Ok(count as usize));
    assert_eq!(labels, expected);
}
