//! The search under fixed offsets, gaps, pairs and reserved ranges: exact where an oracle can follow, never worse than
//! the portfolio elsewhere.

#[path = "common/problems.rs"]
mod problems;

use aether::arena::{
    Effort, Found, Problem, Stop, check_problem, check_problem_scratch_size, plan_portfolio,
    plan_portfolio_scratch_size, plan_search, plan_search_scratch_size,
};
use problems::{ALIGNMENTS, ALL, APART, COMPATIBLE, Case, FIXED, GAPS, Oracle, RESERVED, random_case};
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
        plan_search(problem, effort, &mut |_| false, scratch.spare_capacity_mut()).expect("a plan");
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

/// Compares so many random problems with the oracle, and tells how many have their optimum above the portfolio's bound.
fn assert_exact(kinds: u32, most: usize, largest: usize, seeds: u64) {
    let (mut above, mut better) = (0, 0);
    for seed in 0..seeds {
        let mut rng = StdRng::seed_from_u64(seed);
        let case = random_case(&mut rng, most, largest, kinds);
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
    eprintln!("kinds {kinds}: of {seeds}, {above} above the bound, {better} better than the portfolio");
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
