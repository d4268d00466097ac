//! The search for the smallest arena: its plans are valid, its bounds are true, and it never comes back empty-handed.

mod common;

use std::path::Path;

use aether::arena::{
    Effort, Found, Plan, Problem, Stop, Tensor, check_problem, check_problem_scratch_size, plan_portfolio,
    plan_portfolio_scratch_size, plan_search, plan_search_scratch_size,
};
use aether::{Error, Kind};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn tensor(size: usize, first_use: usize, last_use: usize) -> Tensor {
    Tensor { size, alignment: 1, first_use, last_use }
}

fn words(query: fn(usize, usize, usize, usize) -> usize, problem: &Problem) -> Vec<u64> {
    let pairs = problem.compatible.len() + problem.apart.len();
    Vec::with_capacity(query(problem.tensors.len(), problem.gaps.len(), pairs, problem.reserved.len()) / 8)
}

/// Every plan that is made here is judged too, and compared with that of the portfolio.
fn search(
    problem: &Problem,
    effort: Effort,
    progress: &mut dyn FnMut(&Plan) -> bool,
) -> Result<(Vec<usize>, Found), Error> {
    let mut scratch = words(plan_search_scratch_size, problem);
    let (offsets, found) = plan_search(problem, effort, &mut |plan, _| progress(plan), scratch.spare_capacity_mut())?;
    let mut scratch = words(check_problem_scratch_size, problem);
    let plan = check_problem(problem, offsets, scratch.spare_capacity_mut()).expect("a valid plan");
    assert_eq!((plan.arena_size, plan.peak_live_bytes), (found.plan.arena_size, found.plan.peak_live_bytes));
    assert!(plan.lower_bound <= found.plan.lower_bound, "the bound only rises");
    assert!(found.plan.lower_bound <= found.plan.arena_size);
    assert_eq!(found.stop == Stop::Optimal, found.plan.lower_bound == found.plan.arena_size);
    let mut scratch = words(plan_portfolio_scratch_size, problem);
    let (_, portfolio) = plan_portfolio(problem, 0, scratch.spare_capacity_mut()).expect("a plan");
    assert!(found.stop == Stop::Callback || found.plan.arena_size <= portfolio.plan.arena_size);
    assert!(found.stop == Stop::Callback || found.planner == portfolio.planner);
    Ok((offsets.to_vec(), found))
}

fn plain(tensors: &[Tensor], work_limit: u64) -> Found {
    let problem = Problem { tensors, ..Problem::default() };
    search(&problem, Effort { work_limit, seed: 0 }, &mut |_| false).expect("a plan").1
}

/// The smallest arena, by trying every order in which each tensor lies as low as it can above all placed ones that it
/// meets. In a smallest plan, taken by offset, nobody lies lower than that.
fn smallest_arena(tensors: &[Tensor]) -> usize {
    fn go(tensors: &[Tensor], placed: &mut Vec<Option<usize>>, best: &mut usize) {
        let meets = |a: &Tensor, b: &Tensor| a.first_use <= b.last_use && b.first_use <= a.last_use;
        let mut is_done = true;
        for i in 0..tensors.len() {
            if placed[i].is_some() || tensors[i].size == 0 {
                continue;
            }
            is_done = false;
            let below = (0..tensors.len()).filter(|&j| meets(&tensors[i], &tensors[j]));
            let support = below.filter_map(|j| Some(placed[j]? + tensors[j].size)).max().unwrap_or(0);
            let offset = support.next_multiple_of(tensors[i].alignment.max(1));
            if offset + tensors[i].size < *best {
                placed[i] = Some(offset);
                go(tensors, placed, best);
                placed[i] = None;
            }
        }
        if is_done {
            let ends = tensors.iter().zip(placed).filter_map(|(tensor, offset)| Some((*offset)? + tensor.size));
            *best = (*best).min(ends.max().unwrap_or(0));
        }
    }
    let mut best = usize::MAX;
    go(tensors, &mut vec![None; tensors.len()], &mut best);
    best
}

fn random_tensors(random: &mut StdRng, most: usize, largest: usize, alignments: &[usize]) -> Vec<Tensor> {
    let nodes = random.random_range(1..=2 * most);
    (0..random.random_range(0..=most))
        .map(|_| {
            let (a, b) = (random.random_range(0..nodes), random.random_range(0..nodes));
            let alignment = alignments[random.random_range(0..alignments.len())];
            Tensor { alignment, ..tensor(random.random_range(0..=largest), a.min(b), a.max(b)) }
        })
        .collect()
}

/// Cuts a rectangle of nodes and bytes into rectangles: a plan without a free byte is known.
fn guillotine(random: &mut StdRng, pieces: usize, nodes: usize, bytes: usize) -> Vec<Tensor> {
    let mut rectangles = vec![(0, nodes, bytes)];
    while rectangles.len() < pieces {
        let (first, length, size) = rectangles.swap_remove(random.random_range(0..rectangles.len()));
        let by_time = random.random_bool(0.5);
        match (length, size) {
            (2.., _) if by_time => {
                let cut = random.random_range(1..length);
                rectangles.extend([(first, cut, size), (first + cut, length - cut, size)]);
            }
            (_, 2..) => {
                let cut = random.random_range(1..size);
                rectangles.extend([(first, length, cut), (first, length, size - cut)]);
            }
            _ => rectangles.push((first, length, size)),
        }
    }
    rectangles.into_iter().map(|(first, length, size)| tensor(size, first, first + length - 1)).collect()
}

// Exactness

fn assert_exact(tensors: &[Tensor], case: &str) {
    let found = plain(tensors, 200_000);
    let smallest = smallest_arena(tensors);
    assert!(found.plan.lower_bound <= smallest, "{case}: bound {} > {smallest}: {tensors:?}", found.plan.lower_bound);
    assert_eq!(found.plan.arena_size, smallest, "{case}: {tensors:?}");
    assert_eq!(found.stop, Stop::Optimal, "{case}: {tensors:?}");
}

#[test]
fn the_smallest_arena_of_up_to_seven_tensors_is_found_and_proven() {
    for seed in 0..4_000 {
        let mut random = StdRng::seed_from_u64(seed);
        let largest = random.random_range(1..=12);
        assert_exact(&random_tensors(&mut random, 7, largest, &[1]), &format!("seed {seed}"));
    }
}

#[test]
fn the_smallest_arena_of_tight_problems_is_found_and_proven() {
    let mut above_the_peak = 0;
    for seed in 0..3_000 {
        let mut random = StdRng::seed_from_u64(seed);
        let pieces = random.random_range(6..=9);
        let (nodes, bytes) = (random.random_range(3..=7), random.random_range(4..=12));
        let mut tensors = guillotine(&mut random, pieces, nodes, bytes);
        // One piece changes its time, so the known plan is lost.
        let i = random.random_range(0..tensors.len());
        let shift = random.random_range(0..=2);
        tensors[i].last_use += shift;
        tensors[i].first_use += random.random_range(0..=shift);
        assert_exact(&tensors, &format!("seed {seed}"));
        above_the_peak += usize::from(plain(&tensors, 200_000).plan.lower_bound > plain(&tensors, 0).plan.lower_bound);
    }
    eprintln!("{above_the_peak} above the peak");
}

#[test]
fn the_smallest_arena_under_alignments_is_found_and_proven() {
    for seed in 0..4_000 {
        let mut random = StdRng::seed_from_u64(seed);
        let largest = random.random_range(1..=20);
        let alignments: &[usize] = [&[4][..], &[2, 4], &[1, 3], &[6, 4], &[1, 8]][random.random_range(0..5)];
        assert_exact(&random_tensors(&mut random, 7, largest, alignments), &format!("seed {seed}"));
    }
}

// The contract

#[test]
fn no_work_returns_the_plan_of_the_portfolio() {
    for seed in 0..500 {
        let mut random = StdRng::seed_from_u64(seed);
        let tensors = random_tensors(&mut random, 30, 100, &[1, 4]);
        let problem = Problem { tensors: &tensors, ..Problem::default() };
        let mut scratch = words(plan_portfolio_scratch_size, &problem);
        let (offsets, outcome) = plan_portfolio(&problem, 0, scratch.spare_capacity_mut()).expect("a plan");
        let (searched, found) =
            search(&problem, Effort { work_limit: 0, seed }, &mut |_| false).expect("the same plan");
        assert_eq!((&searched[..], found.plan, found.nodes), (offsets, outcome.plan, 0));
    }
}

#[test]
fn the_same_seed_and_limit_give_the_same_answer_and_no_more_nodes_than_allowed() {
    for seed in 0..200 {
        let mut random = StdRng::seed_from_u64(seed);
        let tensors = guillotine(&mut random, 60, 40, 1_000);
        let problem = Problem { tensors: &tensors, ..Problem::default() };
        let effort = Effort { work_limit: 1 + seed * 17, seed };
        let first = search(&problem, effort, &mut |_| false).expect("a plan");
        assert_eq!(Ok(first.clone()), search(&problem, effort, &mut |_| false));
        assert!(first.1.nodes <= effort.work_limit);
        assert!(first.1.stop == Stop::Optimal || first.1.stop == Stop::WorkLimit);
    }
}

#[test]
fn more_scratch_than_needed_changes_nothing() {
    let tensors = guillotine(&mut StdRng::seed_from_u64(7), 60, 40, 1_000);
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    let effort = Effort { work_limit: 3_000, seed: 7 };
    let mut exact = words(plan_search_scratch_size, &problem);
    let mut ample: Vec<u64> = Vec::with_capacity(3 * exact.capacity());
    let answer = plan_search(&problem, effort, &mut |_, _| false, exact.spare_capacity_mut());
    assert_eq!(answer, plan_search(&problem, effort, &mut |_, _| false, ample.spare_capacity_mut()));
    let need = plan_search_scratch_size(60, 0, 0, 0);
    let short = plan_search(&problem, effort, &mut |_, _| false, &mut exact.spare_capacity_mut()[..need / 8 - 1]);
    let error = short.expect_err("one word is missing");
    assert_eq!((error.kind, error.got, error.limit), (Kind::ScratchTooSmall, need - 8, need));
}

#[test]
fn progress_hears_of_ever_smaller_arenas_and_can_stop_at_any_time() {
    let tensors = guillotine(&mut StdRng::seed_from_u64(3), 80, 60, 1_000);
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    let effort = Effort { work_limit: 1_000_000, seed: 0 };
    let mut calls = 0;
    let mut smallest = usize::MAX;
    let all = search(&problem, effort, &mut |plan| {
        assert!(plan.arena_size <= smallest && plan.lower_bound <= plan.arena_size);
        (smallest, calls) = (plan.arena_size, calls + 1);
        false
    });
    assert!(all.is_ok() && calls > 0);
    for stop_at in 1..=calls {
        let mut heard = 0;
        let (_, found) = search(&problem, effort, &mut |_| {
            heard += 1;
            heard >= stop_at
        })
        .expect("a plan");
        assert_eq!((found.stop, heard), (Stop::Callback, stop_at));
    }
}

#[test]
fn progress_hears_the_nodes_so_far_at_least_every_10_000() {
    // At the peak the alignments hold the first three at 0, half + 1 and half, so that items of even sizes would have to
    // be split into two sums of half, which is odd. A search has no other way than to try them all.
    let mut random = StdRng::seed_from_u64(3);
    let mut items: Vec<usize> = (0..30).map(|_| 2 * random.random_range(1..1 << 20)).collect();
    items[0] += if items.iter().sum::<usize>() % 4 == 0 { 2 } else { 0 };
    let half = items.iter().sum::<usize>() / 2;
    let mut tensors = vec![
        Tensor { alignment: 4 * half, ..tensor(half, 0, 0) },
        Tensor { alignment: half + 1, ..tensor(half, 0, 0) },
        tensor(1, 0, 1),
    ];
    tensors.extend(items.iter().map(|&item| tensor(item, 1, 1)));
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    let mut scratch = words(plan_search_scratch_size, &problem);
    let mut heard = vec![0];
    let mut progress = |_: &Plan, nodes| {
        heard.push(nodes);
        false
    };
    let effort = Effort { work_limit: 100_000, seed: 0 };
    let (_, found) = plan_search(&problem, effort, &mut progress, scratch.spare_capacity_mut()).expect("a plan");
    heard.push(found.nodes);
    assert_eq!((found.nodes, found.stop), (100_000, Stop::WorkLimit));
    assert!(heard.windows(2).all(|pair| pair[0] <= pair[1] && pair[1] - pair[0] <= 10_000), "{heard:?}");
}

#[test]
fn degenerate_inputs_are_right_at_once() {
    let none = plain(&[], 1_000);
    assert_eq!((none.plan.arena_size, none.stop, none.nodes), (0, Stop::Optimal, 0));
    assert_eq!(plain(&[tensor(5, 3, 9)], 1_000).plan.arena_size, 5);
    assert_eq!(plain(&[tensor(0, 0, 4), tensor(0, 2, 3)], 1_000).plan.arena_size, 0);
    assert_eq!(plain(&[tensor(usize::MAX, 0, 4), tensor(usize::MAX, 5, 5)], 1_000).stop, Stop::Optimal);
    let equal = plain(&vec![tensor(8, 0, 3); 1_000], 1_000_000);
    assert_eq!((equal.plan.arena_size, equal.stop), (8_000, Stop::Optimal));
}

#[test]
fn equal_tensors_that_cannot_all_fit_do_not_explode() {
    // Five pairs of lifetimes that overlap in a ring need more than the peak; each tensor comes with 20 twins.
    let mut tensors = Vec::new();
    for (first, last) in [(0, 1), (1, 2), (2, 3), (3, 4), (0, 0), (4, 4)] {
        tensors.extend(vec![tensor(3, first, last); 20]);
    }
    tensors.push(tensor(50, 0, 4));
    let found = plain(&tensors, 1_000_000);
    assert_eq!(found.stop, Stop::Optimal);
}

#[test]
fn sizes_near_the_largest_number_do_not_overflow() {
    let half = usize::MAX / 2;
    for seed in 0..300 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut tensors = random_tensors(&mut random, 8, 9, &[1]);
        tensors.iter_mut().for_each(|tensor| tensor.size = tensor.size * (half / 40) + random.random_range(0..3));
        let problem = Problem { tensors: &tensors, ..Problem::default() };
        match search(&problem, Effort { work_limit: 20_000, seed }, &mut |_| false) {
            Ok((_, found)) => assert!(found.plan.arena_size >= found.plan.peak_live_bytes),
            Err(error) => assert!(matches!(error.kind, Kind::ArenaOverflow | Kind::PeakOverflow), "{error}"),
        }
    }
}

// Recorded inputs

/// The rows of a trace, half open in the file.
fn trace(path: &Path, alignment: usize) -> Vec<Tensor> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let rows = text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().ok()).collect());
    rows.filter_map(|cells: Vec<Option<usize>>| {
        let (lower, upper, size) = (cells[1]?, cells[2]?, cells[3]?);
        Some(Tensor { alignment, ..tensor(size, lower, upper - 1) })
    })
    .collect()
}

#[test]
fn nine_of_the_instances_of_minimalloc_are_proven_at_their_peak() {
    let Some(traces) = common::traces() else { return };
    for (name, peak) in [
        ("A.1048576", 1_048_576),
        ("B.1048576", 1_048_576),
        ("C.1048576", 1_039_360),
        ("E.1048576", 1_048_576),
        ("F.1048576", 1_048_576),
        ("G.1048576", 1_048_576),
        ("H.1048576", 1_048_576),
        ("I.1048576", 1_048_576),
        ("K.1048576", 1_048_576),
    ] {
        let tensors = trace(&traces.join("minimalloc").join(format!("{name}.csv")), 1);
        let found = plain(&tensors, 20_000);
        assert_eq!((found.plan.arena_size, found.stop), (peak, Stop::Optimal), "{name}");
    }
}

#[test]
fn large_inputs_need_no_more_scratch_than_promised() {
    assert!(plan_search_scratch_size(18_692, 0, 0, 0) <= 64 << 20);
    assert!(plan_search_scratch_size(62_185, 0, 0, 0) <= 512 << 20);
}
