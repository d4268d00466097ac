//! The search under fixed offsets, gaps, pairs and reserved ranges: exact where an oracle can follow, never worse than
//! the portfolio elsewhere.

mod common;
#[path = "common/conditions.rs"]
mod conditions;
#[path = "common/problems.rs"]
mod problems;

use aether::Kind;
use aether::arena::{
    Effort, FREE, Found, Gap, Pair, Problem, Range, Stop, Tensor, Verdict, check_problem, check_problem_scratch_size,
    plan_portfolio, plan_portfolio_scratch_size, plan_search, plan_search_scratch_size,
};
use problems::{
    ALIGNMENTS, ALL, APART, COMPATIBLE, Case, FIXED, GAPS, HINTS, Oracle, RESERVED, add_conditions, random_case,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn words(query: fn(usize, usize, usize, usize) -> usize, problem: &Problem) -> Vec<u64> {
    let pairs = problem.compatible.len() + problem.apart.len();
    Vec::with_capacity(query(problem.tensors.len(), problem.gaps.len(), pairs, problem.reserved.len()) / 8)
}

/// Every plan that is made here is judged too, and compared with that of the portfolio.
fn search(problem: &Problem, work_limit: u64, seed: u64) -> (Vec<usize>, Found) {
    let mut scratch = words(plan_search_scratch_size, problem);
    let effort = Effort { work_limit, seed };
    let (offsets, found) =
        plan_search(problem, effort, &mut |_, _| false, scratch.spare_capacity_mut()).expect("a plan");
    let mut scratch = words(check_problem_scratch_size, problem);
    let plan = check_problem(problem, offsets, scratch.spare_capacity_mut()).expect("a valid plan");
    assert_eq!((plan.arena_size, plan.peak_live_bytes), (found.plan.arena_size, found.plan.peak_live_bytes));
    assert!(plan.lower_bound <= found.plan.lower_bound && found.plan.lower_bound <= found.plan.arena_size);
    assert_eq!(found.stop == Stop::Optimal, found.plan.lower_bound == found.plan.arena_size);
    assert!(found.nodes <= work_limit);
    let mut scratch = words(plan_portfolio_scratch_size, problem);
    let (_, portfolio) = plan_portfolio(problem, 0, scratch.spare_capacity_mut()).expect("a plan");
    assert!(found.plan.arena_size <= portfolio.plan.arena_size);
    (offsets.to_vec(), found)
}

/// A rectangle of nodes and bytes cut into rectangles, one of which then changes its time; conditions added.
fn tight_case(rng: &mut StdRng, kinds: u32) -> Case {
    let mut rectangles = vec![(0, rng.random_range(3..=7), rng.random_range(4..=16))];
    let pieces = rng.random_range(5..=9);
    while rectangles.len() < pieces {
        let (first, length, size) = rectangles.swap_remove(rng.random_range(0..rectangles.len()));
        match (length, size) {
            (2.., _) if rng.random_bool(0.5) => {
                let cut = rng.random_range(1..length);
                rectangles.extend([(first, cut, size), (first + cut, length - cut, size)]);
            }
            (_, 2..) => {
                let cut = rng.random_range(1..size);
                rectangles.extend([(first, length, cut), (first, length, size - cut)]);
            }
            _ => rectangles.push((first, length, size)),
        }
    }
    let alignments: &[usize] = if kinds & ALIGNMENTS != 0 { &[1, 1, 2, 3, 4] } else { &[1] };
    let mut case = Case::default();
    for (first, length, size) in rectangles {
        let alignment = alignments[rng.random_range(0..alignments.len())];
        case.tensors.push(Tensor { size, alignment, first_use: first, last_use: first + length - 1 });
    }
    let (i, shift) = (rng.random_range(0..pieces), rng.random_range(0..=2));
    case.tensors[i].last_use += shift;
    case.tensors[i].first_use += rng.random_range(0..=shift);
    add_conditions(rng, &mut case, 5, kinds);
    // Few conditions too. What is fixed may lie where it does because of the others.
    let keep = rng.random_range(0.1..=1.0);
    case.fixed.iter_mut().filter(|_| rng.random_bool(1.0 - keep)).for_each(|offset| *offset = FREE);
    if case.fixed.iter().all(|&offset| offset == FREE) {
        case.gaps.retain(|_| rng.random_bool(keep));
        case.compatible.retain(|_| rng.random_bool(keep));
    }
    case.apart.retain(|_| rng.random_bool(keep));
    case
}

/// Compares random and tight problems, so many of each, with the oracle.
fn assert_exact(kinds: u32, most: usize, largest: usize, seeds: u64) {
    let (mut above, mut better) = (0, 0);
    for seed in 0..2 * seeds {
        let mut rng = StdRng::seed_from_u64(seed);
        let case = if seed < seeds { random_case(&mut rng, most, largest, kinds) } else { tight_case(&mut rng, kinds) };
        let (_, first) = search(&case.problem(), 0, 0);
        let (_, found) = search(&case.problem(), 200_000, seed);
        let smallest = Oracle::new(&case).smallest_arena();
        let message = format!("kinds {kinds}, seed {seed}: {case:?}");
        assert!(found.plan.lower_bound <= smallest, "bound {} > {smallest}: {message}", found.plan.lower_bound);
        assert_eq!(found.plan.arena_size, smallest, "{message}");
        assert_eq!(found.stop, Stop::Optimal, "{message}");
        above += u32::from(smallest > first.plan.lower_bound);
        better += u32::from(smallest < first.plan.arena_size);
    }
    eprintln!("kinds {kinds}: of 2 x {seeds}, {above} are above the bound, {better} better than the portfolio");
    assert!(above > 0 && better > 0, "the search had nothing to do");
}

#[test]
fn compatible_pairs_are_searched_exactly() {
    assert_exact(COMPATIBLE, 9, 6, 600);
}

#[test]
fn apart_pairs_are_searched_exactly() {
    assert_exact(APART, 9, 6, 600);
}

#[test]
fn reserved_ranges_are_searched_exactly() {
    assert_exact(RESERVED, 9, 6, 600);
}

#[test]
fn fixed_offsets_are_searched_exactly() {
    assert_exact(FIXED, 9, 6, 600);
}

#[test]
fn gaps_and_windows_are_searched_exactly() {
    assert_exact(GAPS, 8, 6, 600);
}

#[test]
fn gaps_and_windows_under_alignments_are_searched_exactly() {
    assert_exact(GAPS | ALIGNMENTS, 8, 6, 600);
}

#[test]
fn all_conditions_at_once_are_searched_exactly() {
    assert_exact(ALL, 8, 6, 1_200);
}

#[test]
fn all_conditions_but_windows_are_searched_exactly() {
    assert_exact(ALL & !GAPS, 9, 6, 1_200);
}

// The capacity

#[test]
fn a_capacity_is_met_or_proven_too_small() {
    let (mut met, mut refuted) = (0, 0);
    for seed in 0..2_000 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut case = tight_case(&mut rng, [0, ALIGNMENTS, ALL & !FIXED][seed as usize % 3]);
        let (_, first) = search(&case.problem(), 0, 0);
        let smallest = Oracle::new(&case).smallest_arena();
        // From one byte too few up to the plan that the planners find.
        case.capacity = rng.random_range(smallest.saturating_sub(1).max(1)..=first.plan.arena_size.max(1));
        let (_, first) = search(&case.problem(), 0, 0);
        let (_, found) = search(&case.problem(), 200_000, seed);
        let verdict = if smallest <= case.capacity { Verdict::Fits } else { Verdict::Impossible };
        assert_eq!(found.verdict, verdict, "seed {seed}: {case:?}");
        met += u32::from(first.verdict == Verdict::Exceeds && verdict == Verdict::Fits);
        refuted += u32::from(first.verdict == Verdict::Exceeds && verdict == Verdict::Impossible);
    }
    assert!(met > 50 && refuted > 50, "{met} met, {refuted} refuted");
}

#[test]
fn a_capacity_that_is_neither_met_nor_refuted_is_missed() {
    // No node is searched, so nothing is known but the planners' plan.
    let mut rng = StdRng::seed_from_u64(0);
    let mut case = loop {
        let case = tight_case(&mut rng, ALL & !HINTS);
        let (_, found) = search(&case.problem(), 0, 0);
        if found.plan.lower_bound < found.plan.arena_size - 1 && case.fixed.iter().all(|&offset| offset == FREE) {
            break case;
        }
    };
    case.capacity = search(&case.problem(), 0, 0).1.plan.arena_size - 1;
    let (_, found) = search(&case.problem(), 0, 0);
    assert_eq!((found.verdict, found.stop, found.nodes), (Verdict::Exceeds, Stop::WorkLimit, 0));
}

// Bad and extreme input

#[test]
fn sizes_near_the_largest_number_do_not_overflow() {
    let unit = usize::MAX / 24;
    let (mut searched, mut refused) = (0, 0);
    for seed in 0..1_000 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut case = tight_case(&mut rng, ALL & !FIXED);
        let large = |bytes: usize| bytes * unit;
        case.tensors.iter_mut().for_each(|tensor| tensor.size = large(tensor.size));
        for gap in &mut case.gaps {
            (gap.window_begin, gap.window_end) = (large(gap.window_begin), large(gap.window_end));
        }
        for range in &mut case.reserved {
            (range.begin, range.end) = (large(range.begin), large(range.end) + usize::from(range.begin == range.end));
        }
        let problem = case.problem();
        let mut scratch = words(plan_search_scratch_size, &problem);
        let effort = Effort { work_limit: 2_000, seed };
        match plan_search(&problem, effort, &mut |_, _| false, scratch.spare_capacity_mut()) {
            Ok(_) => searched += u32::from(search(&problem, 2_000, seed).1.nodes > 0),
            Err(error) => {
                assert!(matches!(error.kind, Kind::ArenaOverflow | Kind::PeakOverflow), "{error}");
                refused += 1;
            }
        }
    }
    assert!(searched > 20 && refused > 20, "{searched} searched, {refused} refused");
}

#[test]
fn the_scratch_of_the_query_is_enough_where_every_tensor_has_many_gaps() {
    const LONGER: usize = 20;
    let mut searched = 0;
    for seed in 0..300 {
        let mut case = tight_case(&mut StdRng::seed_from_u64(seed), APART | COMPATIBLE | RESERVED | ALIGNMENTS);
        for (i, tensor) in case.tensors.iter_mut().enumerate() {
            (tensor.first_use, tensor.last_use) = (tensor.first_use * LONGER, tensor.last_use * LONGER + LONGER - 1);
            // All bytes stay in use, so that nothing changes but the number of parts.
            let gap = |node| Gap { tensor: i, first: node, last: node, window_begin: 0, window_end: tensor.size };
            case.gaps.extend((tensor.first_use..tensor.last_use).step_by(2).map(gap));
        }
        searched += u32::from(search(&case.problem(), 100, seed).1.nodes > 0);
    }
    assert!(searched > 10, "{searched}");
}

#[test]
fn nothing_and_tensors_without_bytes_are_right_at_once() {
    let reserved = [Range { begin: 0, end: 8 }];
    let tensors = [Tensor { size: 0, alignment: 4, first_use: 0, last_use: 2 }; 2];
    let (fixed, apart) = ([3, FREE], [Pair { a: 0, b: 1 }]);
    let none = Problem { reserved: &reserved, ..Problem::default() };
    let empty = Problem { tensors: &tensors, fixed_offsets: &fixed, apart: &apart, reserved: &reserved, ..none };
    for problem in [none, empty] {
        let (_, found) = search(&problem, 1_000, 0);
        assert_eq!((found.plan.arena_size, found.stop, found.nodes), (0, Stop::Optimal, 0));
    }
}

#[test]
fn equal_tensors_around_a_reserved_range_do_not_explode() {
    // The first 20 bytes hold two tensors of 8, so 998 lie above byte 21: the bound counts bytes and tells 8,001.
    let tensors = vec![Tensor { size: 8, alignment: 1, first_use: 0, last_use: 3 }; 1_000];
    let reserved = [Range { begin: 20, end: 21 }];
    let problem = Problem { tensors: &tensors, reserved: &reserved, ..Problem::default() };
    let (_, found) = search(&problem, 100_000, 0);
    assert_eq!((found.plan.arena_size, found.stop), (21 + 998 * 8, Stop::Optimal));
}

#[test]
fn two_tensors_that_wait_for_each_other_are_not_refuted() {
    // a holds bytes 0 and 1 at node 0, 3 and 4 at node 1; b all four at node 0, its first at node 1. Beside each other
    // they need b - a = 2, <= -4 or >= 5. b is on a multiple of 3, so the smallest arena has a at 1 and b at 3. Neither
    // is on its support, which is 0 as long as the other is not placed: only the division of places finds this.
    let tensors = [(5, 1), (4, 3)].map(|(size, alignment)| Tensor { size, alignment, first_use: 0, last_use: 1 });
    let gaps = [(0, 0, 0..2), (0, 1, 3..5), (1, 1, 0..1)].map(|(tensor, node, window)| Gap {
        tensor,
        first: node,
        last: node,
        window_begin: window.start,
        window_end: window.end,
    });
    let problem = Problem { tensors: &tensors, gaps: &gaps, ..Problem::default() };
    assert_eq!(search(&problem, 0, 0).1.plan.arena_size, 10, "a planner places a at 0, then b above it");
    let (offsets, found) = search(&problem, 1_000, 0);
    assert_eq!((found.plan.arena_size, found.stop), (7, Stop::Optimal));
    assert_eq!(offsets, [1, 3]);
}

#[test]
fn a_tensor_that_never_holds_a_byte_lies_anywhere_but_on_its_apart_pair() {
    let tensors =
        [(8, 0), (8, 0), (4, 1)].map(|(size, node)| Tensor { size, alignment: 1, first_use: node, last_use: node });
    let gaps = [Gap { tensor: 0, first: 0, last: 0, window_begin: 3, window_end: 3 }];
    let problem = Problem { tensors: &tensors, gaps: &gaps, ..Problem::default() };
    assert_eq!(search(&problem, 1_000, 0).1.plan.arena_size, 8);
    let apart = [Pair { a: 0, b: 2 }];
    assert_eq!(search(&Problem { apart: &apart, ..problem }, 1_000, 0).1.plan.arena_size, 12);
}

// Large problems

#[test]
fn a_small_tight_part_of_a_large_problem_raises_its_bound() {
    let (mut tight, mut raised) = (0, 0);
    for seed in 0..400 {
        // A part with a tensor that lives all along; its smallest arena is above what the planners prove.
        let mut rng = StdRng::seed_from_u64(seed);
        let mut case = tight_case(&mut rng, ALIGNMENTS);
        let after = case.tensors.iter().map(|tensor| tensor.last_use).max().unwrap_or(0) + 1;
        case.tensors.push(Tensor { size: 1, alignment: 1, first_use: 0, last_use: after + 99 });
        let smallest = Oracle::new(&case).smallest_arena();
        let half = smallest / 2;
        if search(&case.problem(), 0, 0).1.plan.lower_bound == smallest {
            continue;
        }
        // After it much else, in which no byte is scarce.
        for _ in 0..100 {
            let (begin, length) = (after + rng.random_range(0..90), rng.random_range(1..=10));
            let tensor = Tensor { size: 1, alignment: 1, first_use: begin, last_use: begin + length - 1 };
            let live = |node: usize| case.tensors.iter().filter(|t| (t.first_use..=t.last_use).contains(&node)).count();
            if (begin..begin + length).all(|node| live(node) < half) {
                case.tensors.push(tensor);
            }
        }
        let (_, found) = search(&case.problem(), 20_000, seed);
        assert!(found.plan.lower_bound <= smallest, "seed {seed}: {case:?}");
        raised += u32::from(found.plan.lower_bound == smallest);
        tight += 1;
    }
    assert!(tight > 50 && 20 * raised > 19 * tight, "{raised} of {tight}");
}

#[test]
fn recorded_inputs_under_conditions_are_never_worse_than_the_portfolio_and_often_better() {
    let Some(traces) = common::traces() else { return };
    let (mut open, mut better) = (0, 0);
    for path in conditions::files(&traces) {
        let tensors = conditions::read(&path);
        for (_, kinds) in conditions::KINDS {
            let case = conditions::Conditioned::new(tensors.clone(), kinds, 7);
            let (_, first) = search(&case.problem(), 0, 0);
            let (_, found) = search(&case.problem(), 5_000, 7);
            open += u32::from(first.stop != Stop::Optimal);
            better += u32::from(found.plan.arena_size < first.plan.arena_size);
        }
    }
    assert!(2 * better > open, "{better} of {open}");
}
