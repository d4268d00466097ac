//! The search under fixed offsets, gaps, pairs and reserved ranges: exact where an oracle can follow, never worse than
//! the portfolio elsewhere.

#[path = "common/problems.rs"]
mod problems;

use aether::arena::{
    Effort, FREE, Found, Problem, Stop, Tensor, Verdict, check_problem, check_problem_scratch_size, plan_portfolio,
    plan_portfolio_scratch_size, plan_search, plan_search_scratch_size,
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
    let (offsets, found) = plan_search(problem, effort, &mut |_| false, scratch.spare_capacity_mut()).expect("a plan");
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
    assert_exact(COMPATIBLE, 9, 6, 1_000);
}

#[test]
fn apart_pairs_are_searched_exactly() {
    assert_exact(APART, 9, 6, 1_000);
}

#[test]
fn reserved_ranges_are_searched_exactly() {
    assert_exact(RESERVED, 9, 6, 1_000);
}

#[test]
fn fixed_offsets_are_searched_exactly() {
    assert_exact(FIXED, 9, 6, 1_000);
}

#[test]
fn gaps_and_windows_are_searched_exactly() {
    assert_exact(GAPS, 8, 6, 1_000);
}

#[test]
fn gaps_and_windows_under_alignments_are_searched_exactly() {
    assert_exact(GAPS | ALIGNMENTS, 8, 6, 1_000);
}

#[test]
fn all_conditions_at_once_are_searched_exactly() {
    assert_exact(ALL, 8, 6, 2_000);
}

#[test]
fn all_conditions_but_windows_are_searched_exactly() {
    assert_exact(ALL & !GAPS, 9, 6, 2_000);
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
