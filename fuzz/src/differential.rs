//! Fast ways against slow ones that are right at sight.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::iter;
use std::sync::Barrier;

use aether::arena::{self, Effort, Outcome, Planner, Problem, Space, SpacesProblem, Tensor};
use aether::dag::{self, Edge, Method};
use aether::flow::{DYNAMIC, Dealloc, Decision, Mode, NO_OP};
use aether::islands::{self, Constraints, Forest, Incidence, Policy, World};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::bytes::Bytes;
use crate::problems::{ALL, random_case};
use crate::xnnpack::{Usage, Version};
use crate::{calls, dense_closure, xnnpack};

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
    for method in Method::all() {
        for ranks in [None, Some(&ranks[..])] {
            let size = dag::transitive_reduction_by_scratch_size(method, nodes, edges.len());
            let mut words = Vec::with_capacity(size / 8);
            let space = words.spare_capacity_mut();
            dag::transitive_reduction_by(method, nodes, ranks, &edges, None, &mut keep, space).expect("a reduction");
            assert!(keep.iter().map(|&flag| flag == 1).eq(expected.iter().copied()), "{method:?}");
        }
    }
}

/// Incidences between few nodes, of which none is static at both ends.
fn incidences(bytes: &mut Bytes, nodes: usize) -> Vec<Incidence> {
    bytes.list(300, |bytes| {
        let b = bytes.below(nodes + nodes / 4 + 1);
        let b = if b < nodes { b as i32 } else { islands::STATIC };
        let a = bytes.below(nodes) as i32;
        if bytes.one_in(2) || b < 0 { Incidence { a, b } } else { Incidence { a: b, b: a } }
    })
}

/// The labels of a traversal from each node in turn, and how many islands there are.
fn traversal(nodes: usize, incidences: &[Incidence]) -> (Vec<i32>, usize) {
    let mut beside = vec![Vec::new(); nodes];
    for i in incidences {
        let b = if i.b < 0 { i.a } else { i.b };
        beside[i.a as usize].push(b as usize);
        beside[b as usize].push(i.a as usize);
    }
    let mut labels = vec![-1; nodes];
    let mut count = 0;
    for start in 0..nodes {
        if beside[start].is_empty() || labels[start] >= 0 {
            continue;
        }
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if labels[node] < 0 {
                labels[node] = count;
                open.extend(&beside[node]);
            }
        }
        count += 1;
    }
    (labels, count as usize)
}

/// The labels are those of a traversal.
pub fn islands_are_traversals(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = 1 + bytes.below(200);
    let incidences = incidences(&mut bytes, nodes);
    let (expected, count) = traversal(nodes, &incidences);
    let mut labels = vec![7; nodes];
    assert_eq!(islands::islands(&incidences, &mut labels), Ok(count));
    assert_eq!(labels, expected);
}

/// Pieces of any size, each as incidences or as constraints, by either method, with labels asked for in between.
pub fn islands_in_pieces_are_traversals(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = 1 + bytes.below(200);
    let incidences = incidences(&mut bytes, nodes);
    let (mut parents, mut marks, mut labels) = (vec![7; nodes], vec![7; nodes], vec![7; nodes]);
    let marks = bytes.one_in(2).then_some(&mut marks[..]);
    let mut forest = Forest::begin(&mut parents, marks).expect("a forest");
    let mut done = 0;
    while done < incidences.len() {
        let piece = &incidences[done..incidences.len().min(done + 1 + bytes.below(100))];
        let method = if bytes.one_in(2) { islands::Method::FullCompression } else { islands::Method::Fast };
        let policy = Policy { method, ..Policy::default() };
        match bytes.below(3) {
            0 => forest.merge(piece, &policy),
            1 => forest.share().merge(piece, &policy),
            _ => {
                let offsets: Vec<usize> = (0..=piece.len()).map(|k| 2 * k).collect();
                let members: Vec<i32> = piece.iter().flat_map(|i| [i.a, i.b]).collect();
                forest.merge_many(Constraints { offsets: &offsets, members: &members }, &policy)
            }
        }
        .expect("a merge");
        done += piece.len();
        if bytes.one_in(4) || done == incidences.len() {
            let (expected, count) = traversal(nodes, &incidences[..done]);
            assert_eq!(forest.finish_into(&mut labels, None).expect("labels").islands, count);
            assert_eq!(labels, expected);
        }
    }
}

/// Threads that merge at once leave what one thread leaves.
pub fn concurrent_islands_are_those_of_one_thread(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = 1 + bytes.below(60);
    let incidences = incidences(&mut bytes, nodes);
    let threads = 2 + bytes.below(3);
    let mut expected = vec![7; nodes];
    let count = islands::islands(&incidences, &mut expected).expect("labels");
    let (mut parents, mut marks) = (vec![7; nodes], vec![7; nodes]);
    let mut forest = Forest::begin(&mut parents, bytes.one_in(2).then_some(&mut marks[..])).expect("a forest");
    let shared = forest.share();
    let start = Barrier::new(threads);
    std::thread::scope(|scope| {
        for piece in
            incidences.chunks(incidences.len().div_ceil(threads).max(1)).chain(iter::repeat(&[][..])).take(threads)
        {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                shared.merge(piece, &Policy::default()).expect("a merge");
            });
        }
    });
    let mut labels = vec![7; nodes];
    assert_eq!(forest.finish_into(&mut labels, None).expect("labels").islands, count);
    assert_eq!(labels, expected);
}

/// A batch has the labels of each world by itself.
pub fn worlds_are_islands_one_by_one(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let nodes = 1 + bytes.below(40);
    let worlds: Vec<Vec<Incidence>> = bytes.list(6, |bytes| incidences(bytes, nodes));
    let mut labels = vec![vec![7; nodes]; worlds.len()];
    let batch = worlds.iter().zip(&mut labels).map(|(incidences, labels)| World {
        incidences,
        policy: Policy::default(),
        labels: &mut labels[..],
    });
    let mut counts = Vec::new();
    islands::islands_of_worlds(batch, |world, count| {
        assert_eq!(world, counts.len());
        counts.push(count);
    })
    .expect("labels");
    for ((incidences, labels), count) in worlds.iter().zip(labels).zip(counts) {
        assert_eq!((labels, count), traversal(nodes, incidences));
    }
}

/// The compat mode against the rules of MLIR's pass, each value and each operation followed by itself.
pub fn flow_compat_is_the_pass(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let code = calls::code(&mut bytes);
    let mut words = Vec::new();
    let Ok(flow) = code.try_flow(Mode::Compat, &mut words) else { return };
    // The operation of the entry block that an operation is, or is in, and its place there.
    let place = |op: u32| {
        let around = iter::successors(Some(op), |&op| Some(code.ops[op as usize].parent).filter(|&op| op != NO_OP));
        let entry = around.filter(|&op| code.ops[op as usize].block == 0).last()?;
        Some((0..entry).filter(|&op| code.ops[op as usize].block == 0).count())
    };
    let is_entry = |op: u32| code.ops[op as usize].block == 0;
    let holders = |value: u32| {
        let mut all = vec![value];
        let mut next = 0;
        while let Some(&from) = all.get(next) {
            let to = code.aliases.iter().filter(|alias| alias.from == from).map(|alias| alias.to);
            let new: Vec<u32> = to.filter(|to| !all.contains(to)).collect();
            all.extend(BTreeSet::from_iter(new));
            next += 1;
        }
        all
    };
    let held: Vec<Vec<u32>> = code.allocs.iter().map(|alloc| holders(alloc.value)).collect();
    let frees = |alloc: usize, dealloc: &Dealloc| held[alloc].contains(&dealloc.value);
    let all = 0..code.allocs.len();
    let own = |i: usize| {
        let (alloc, mut freed) = (&code.allocs[i], code.deallocs.iter().filter(|dealloc| frees(i, dealloc)).peekable());
        match alloc {
            _ if alloc.size == DYNAMIC => Decision::Dynamic,
            _ if !is_entry(alloc.op) => Decision::Nested,
            _ if alloc.space != 0 => Decision::Space,
            _ if alloc.flags != 0 => Decision::Excluded,
            _ if freed.peek().is_none() => Decision::NoDealloc,
            _ if freed.any(|dealloc| place(dealloc.op).is_none()) => Decision::Unstructured,
            _ => Decision::Planned,
        }
    };
    let is_kept = |dealloc: &&Dealloc| all.clone().any(|i| !is_entry(code.allocs[i].op) && frees(i, dealloc));
    let mut decisions: Vec<Decision> = all.clone().map(own).collect();
    for i in all.clone().filter(|&i| own(i) == Decision::Planned) {
        if code.deallocs.iter().filter(is_kept).any(|dealloc| frees(i, dealloc)) {
            decisions[i] = Decision::Shared;
        }
    }
    let erring = all.clone().filter(|&i| [Decision::NoDealloc, Decision::Unstructured].contains(&decisions[i]));
    if let Some(first) = erring.min_by_key(|&i| (code.allocs[i].op, i)) {
        let end = code.allocs[first].op;
        for i in all.clone().filter(|&i| i != first) {
            if code.allocs[i].op >= end || decisions[i] == Decision::Planned {
                decisions[i] = Decision::Stopped;
            }
        }
    }
    assert!(flow.results().iter().map(|result| result.decision).eq(decisions.iter().copied()), "{decisions:?}");
    let planned = |i: &usize| decisions[*i] == Decision::Planned;
    for i in all.clone().filter(planned) {
        let start = place(code.allocs[i].op).expect("planned in the entry block");
        let ends = code.deallocs.iter().filter(|dealloc| frees(i, dealloc)).filter_map(|dealloc| place(dealloc.op));
        let end = ends.max().expect("freed").saturating_sub(1).max(start);
        assert_eq!((flow.tensors()[i].first_use, flow.tensors()[i].last_use), (start, end), "allocation {i}");
    }
    let goes = code.deallocs.iter().map(|dealloc| u8::from(all.clone().filter(planned).any(|i| frees(i, dealloc))));
    assert!(flow.erasable().iter().copied().eq(goes));
}

/// What a plan costs that places each tensor by decreasing size at the lowest place of the first space with room.
fn greedy_cost(tensors: &[Tensor], spaces: &[Space]) -> Option<u64> {
    let mut order: Vec<usize> = (0..tensors.len()).filter(|&i| tensors[i].size > 0).collect();
    order.sort_by_key(|&i| Reverse(tensors[i].size));
    let mut placed: Vec<(usize, usize, usize)> = Vec::new();
    let mut cost = 0;
    for i in order {
        let Tensor { size, first_use, last_use, .. } = tensors[i];
        let home = (0..spaces.len()).find_map(|k| {
            let beside = |&&(j, space, _): &&(usize, usize, usize)| {
                space == k && tensors[j].first_use <= last_use && first_use <= tensors[j].last_use
            };
            let blocks = placed.iter().filter(beside).map(|&(j, _, at)| (at, at + tensors[j].size));
            let blocks = BTreeSet::from_iter(blocks);
            let ends = iter::once(0).chain(blocks.iter().map(|&(_, end)| end));
            let fits = |&at: &usize| {
                at + size <= spaces[k].capacity && blocks.iter().all(|&(begin, end)| at + size <= begin || end <= at)
            };
            Some((k, ends.filter(fits).min()?))
        });
        let (space, offset) = home?;
        placed.push((i, space, offset));
        cost += (size * spaces[space].cost) as u64;
    }
    Some(cost)
}

/// A plan over spaces of rising cost costs no more than the usual rule's, where that one finds room for all.
pub fn spaces_are_checked_and_no_worse_than_greedy(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let tensors = tensors(&mut bytes, 40);
    let mut spaces = bytes.list(3, |bytes| {
        let capacity = 1 + bytes.below(400) * [1, 20, 500][bytes.below(3)];
        Space { capacity, base_alignment: 0, cost: bytes.below(9) }
    });
    spaces.push(Space { capacity: usize::MAX / 4, base_alignment: 0, cost: 1 + bytes.below(20) });
    spaces.sort_by_key(|space| space.cost);
    if spaces[0].cost == spaces[spaces.len() - 1].cost {
        (0..).zip(&mut spaces).for_each(|(k, space)| space.cost = k);
    }
    let problem = SpacesProblem { tensors: &tensors, spaces: &spaces, ..SpacesProblem::default() };
    let seed = bytes.seed();
    let mut words = Vec::with_capacity(arena::plan_spaces_scratch_size(tensors.len(), spaces.len()) / 8);
    let mut plan = |work_limit| {
        let answer = arena::plan_spaces(&problem, work_limit, seed, words.spare_capacity_mut()).expect("a plan");
        for (k, space) in spaces.iter().enumerate() {
            let own = |i: &usize| answer.spaces[*i] as usize == k;
            let members: Vec<usize> = (0..tensors.len()).filter(own).collect();
            let (inside, at): (Vec<_>, Vec<_>) = members.iter().map(|&i| (tensors[i], answer.offsets[i])).unzip();
            let mut words = Vec::with_capacity(arena::check_offsets_scratch_size(inside.len()) / 8);
            let checked = arena::check_offsets(&inside, &at, words.spare_capacity_mut()).expect("no clash");
            assert_eq!(checked.arena_size, answer.reports[k].plan.arena_size);
            assert!(checked.arena_size <= space.capacity);
        }
        answer.outcome
    };
    let greedy = greedy_cost(&tensors, &spaces);
    let mut most = greedy;
    for outcome in [plan(0), plan(2_000)] {
        if let Some(most) = most {
            assert_eq!(outcome.left_out, 0);
            assert!(outcome.cost <= most, "{} where less work or the usual rule has {most}", outcome.cost);
            assert!(outcome.cost_bound <= outcome.cost);
        }
        most = (outcome.left_out == 0).then_some(outcome.cost);
    }
}
