//! Several planners over one problem: what each of them does, and that the best is kept.

use aether::arena::{
    self, Outcome, Plan, Planner, Problem, Tensor, Verdict, check_problem, check_problem_scratch_size, lower_bound,
    lower_bound_scratch_size, plan_portfolio, plan_portfolio_scratch_size,
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

/// Every plan that is made here is judged too.
fn run(problem: &Problem, planners: u32) -> Result<(Vec<usize>, Outcome), Error> {
    let mut scratch = words(plan_portfolio_scratch_size, problem);
    let (offsets, outcome) = plan_portfolio(problem, planners, scratch.spare_capacity_mut())?;
    let mut scratch = words(check_problem_scratch_size, problem);
    assert_eq!(check_problem(problem, offsets, scratch.spare_capacity_mut()), Ok(outcome.plan));
    let mut scratch = words(lower_bound_scratch_size, problem);
    let bounds = lower_bound(problem, scratch.spare_capacity_mut()).expect("a bound");
    assert_eq!((bounds.lower_bound, bounds.peak_live_bytes), (outcome.plan.lower_bound, outcome.plan.peak_live_bytes));
    assert!(bounds.lower_bound <= outcome.plan.arena_size);
    Ok((offsets.to_vec(), outcome))
}

fn alone(tensors: &[Tensor], planner: Planner) -> Vec<usize> {
    let problem = Problem { tensors, ..Problem::default() };
    let (offsets, outcome) = run(&problem, planner.bit()).expect("a plan");
    assert_eq!(outcome.planner, planner);
    offsets
}

fn plan_offsets(tensors: &[Tensor]) -> (Vec<usize>, Plan) {
    let mut scratch = Vec::with_capacity(arena::plan_offsets_scratch_size(tensors.len()) / 8);
    let (offsets, plan) = arena::plan_offsets(tensors, scratch.spare_capacity_mut()).expect("a plan");
    (offsets.to_vec(), plan)
}

fn random_tensors(random: &mut StdRng, count: usize, alignments: &[usize]) -> Vec<Tensor> {
    let nodes = random.random_range(1..=2 * count + 1);
    let mut node = || random.random_range(0..nodes);
    let lives: Vec<(usize, usize)> = (0..count).map(|_| (node(), node())).collect();
    let tensor = |(a, b): (usize, usize)| Tensor {
        size: random.random_range(0..40) * random.random_range(1..4),
        alignment: alignments[random.random_range(0..alignments.len())],
        first_use: a.min(b),
        last_use: a.max(b),
    };
    lives.into_iter().map(tensor).collect()
}

// What each planner does

/// Alive together at node 1: A and B. Then C, D and E.
const FIVE: [(usize, usize, usize); 5] = [(10, 0, 1), (20, 1, 2), (30, 2, 5), (20, 3, 3), (5, 0, 0)];

fn five() -> Vec<Tensor> {
    FIVE.iter().map(|&(size, first, last)| tensor(size, first, last)).collect()
}

#[test]
fn size_places_the_largest_first_and_equal_ones_in_input_order() {
    // C@0; B beside C, after it; D beside C only; A beside B: below it; E beside A: above it.
    assert_eq!(alone(&five(), Planner::Size), [0, 30, 0, 30, 10]);
}

#[test]
fn first_use_places_in_the_order_of_time() {
    // A@0, E beside A; B beside A: 10; C beside B: the 10 below B are too few; D beside C: the 30 below it are free.
    assert_eq!(alone(&five(), Planner::FirstUse), [0, 10, 30, 0, 10]);
}

#[test]
fn first_use_fills_the_space_below_the_highest_end_before_it_grows_the_arena() {
    // The last interval of Z counts up to 100 only, where W ended: 30 bytes above V, which is less than the 50 between
    // X and V. XNNPACK's rule, which takes the last interval only where no other fits, would say 10.
    let tensors = [tensor(100, 0, 0), tensor(10, 1, 2), tensor(50, 1, 1), tensor(10, 1, 2), tensor(20, 2, 2)];
    // W@0; X: [0, 100) @0; Y: [10, 100) @10; V: [60, 100) @60; Z beside X and V: 50 between, 30 above V.
    assert_eq!(alone(&tensors, Planner::FirstUse), [0, 0, 10, 60, 70]);
}

#[test]
fn sequential_shares_nothing() {
    assert_eq!(alone(&five(), Planner::Sequential), [0, 10, 30, 60, 80]);
    let aligned = [Tensor { alignment: 16, ..tensor(20, 0, 0) }, Tensor { alignment: 16, ..tensor(20, 9, 9) }];
    assert_eq!(alone(&aligned, Planner::Sequential), [0, 32]);
}

#[test]
fn spatial_and_temporal_place_the_longer_of_equal_sizes_and_the_larger_of_equal_lives_first() {
    let tensors = [tensor(8, 1, 1), tensor(8, 0, 2), tensor(9, 1, 1)];
    assert_eq!(alone(&tensors, Planner::Size), [9, 17, 0]);
    assert_eq!(alone(&tensors, Planner::Spatial), [17, 9, 0]);
    assert_eq!(alone(&tensors, Planner::Temporal), [17, 0, 8]);
}

#[test]
fn conflicts_places_first_what_meets_the_most() {
    let tensors = [tensor(9, 0, 0), tensor(1, 0, 1), tensor(9, 1, 1)];
    assert_eq!(alone(&tensors, Planner::Conflicts), [1, 0, 1]);
}

#[test]
fn first_fit_takes_the_lowest_interval_where_best_fit_takes_the_smallest() {
    // Placed in this order: 40@0, 30@40, 20@70, then 9 and 5. At node 1 [0, 40) and [70, 90) are free around the 30.
    let tensors = [tensor(40, 0, 0), tensor(30, 0, 1), tensor(20, 0, 0), tensor(9, 1, 1), tensor(9, 0, 1)];
    assert_eq!(alone(&tensors, Planner::Size)[..3], [0, 40, 70]);
    assert_eq!(alone(&tensors, Planner::Size)[3..], [0, 90]);
    // 9 of node 1 between the 30 and the other 9: best fit sees [0, 40) and [70, 90), which is smaller.
    let tensors = [tensor(40, 0, 0), tensor(30, 0, 1), tensor(20, 0, 0), tensor(10, 0, 1), tensor(9, 1, 1)];
    assert_eq!(alone(&tensors, Planner::Size)[3..], [90, 70]);
    assert_eq!(alone(&tensors, Planner::FirstFit)[3..], [90, 0]);
}

#[test]
fn area_places_the_largest_size_times_length_first() {
    let tensors = [tensor(10, 0, 0), tensor(6, 0, 1)];
    assert_eq!(alone(&tensors, Planner::Area), [6, 0]);
}

#[test]
fn pressure_places_the_largest_size_times_conflicts_first() {
    // 10 x 2 = 20 against 7 x 3 = 21.
    let tensors = [tensor(10, 0, 0), tensor(7, 0, 1), tensor(1, 1, 1)];
    assert_eq!(alone(&tensors, Planner::Pressure), [7, 0, 7]);
}

#[test]
fn colouring_stacks_the_classes_from_the_largest_on() {
    // 9 and 12 share a class and take turns; 5 and 4 share the next one, and meet: two colours.
    let tensors = [tensor(5, 0, 3), tensor(9, 0, 1), tensor(4, 2, 3), tensor(12, 2, 3)];
    assert_eq!(alone(&tensors, Planner::Colouring), [12, 0, 17, 0]);
}

#[test]
fn colouring_ends_nobody_above_its_place_in_the_stack() {
    // The stack: a class of one bit length is as many shelves of its largest size as it has tensors alive at once.
    for seed in 0..2_000 {
        let mut random = StdRng::seed_from_u64(seed);
        let count = random.random_range(1..30);
        let tensors = random_tensors(&mut random, count, &[1]);
        let mut stack = 0;
        for bits in 0..usize::BITS {
            let class: Vec<&Tensor> = tensors.iter().filter(|t| t.size > 0 && t.size.ilog2() == bits).collect();
            let alive = |node| class.iter().filter(|t| t.first_use <= node && node <= t.last_use).count();
            let colours = class.iter().map(|t| alive(t.first_use)).max().unwrap_or(0);
            stack += colours * class.iter().map(|t| t.size).max().unwrap_or(0);
        }
        let offsets = alone(&tensors, Planner::Colouring);
        let arena = offsets.iter().zip(&tensors).map(|(offset, t)| offset + t.size).max().unwrap_or(0);
        assert!(arena <= stack, "seed {seed}: {arena} > {stack}");
    }
}

// The best is kept

#[test]
fn the_portfolio_is_as_good_as_its_best_planner_and_of_equal_ones_names_the_earliest() {
    for seed in 0..2_000 {
        let mut random = StdRng::seed_from_u64(seed);
        let count = random.random_range(0..40);
        let tensors = random_tensors(&mut random, count, &[1, 1, 4, 3]);
        let problem = Problem { tensors: &tensors, ..Problem::default() };
        let (_, best) = run(&problem, 0).expect("a plan");
        let each = Planner::ALL.map(|planner| run(&problem, planner.bit()).expect("a plan").1.plan.arena_size);
        let smallest = *each.iter().min().expect("planners");
        assert_eq!(best.plan.arena_size, smallest, "seed {seed}");
        assert_eq!(Some(best.planner), Planner::ALL.into_iter().find(|&p| each[p as usize] == smallest), "seed {seed}");
    }
}

#[test]
fn the_portfolio_is_never_worse_than_plan_offsets_and_size_alone_equals_it() {
    for seed in 0..2_000 {
        let mut random = StdRng::seed_from_u64(seed);
        let count = random.random_range(0..200);
        let tensors = random_tensors(&mut random, count, &[1, 2, 16]);
        let (offsets, plan) = plan_offsets(&tensors);
        let problem = Problem { tensors: &tensors, ..Problem::default() };
        assert!(run(&problem, 0).expect("a plan").1.plan.arena_size <= plan.arena_size);
        let (same, outcome) = run(&problem, Planner::Size.bit()).expect("a plan");
        assert_eq!((same, outcome.plan), (offsets, plan), "seed {seed}");
    }
}

#[test]
fn a_mask_of_unknown_planners_is_refused() {
    let problem = Problem::default();
    let error = run(&problem, 1 << 10).expect_err("no such planner");
    assert_eq!((error.kind, error.got, error.limit), (Kind::Planners, 1 << 10, 0x3ff));
    assert_eq!(error.to_string(), "the mask of planners is 1024, and all planners together are 1023");
}

#[test]
fn where_one_planner_overflows_another_still_answers() {
    // By size: H@0, the two Q above it, [H/2 .. ) and then the last one finds no room. One after the other it fits.
    let half = usize::MAX / 2;
    let tensors = [tensor(half, 0, 0), tensor(half, 1, 1), tensor(half, 0, 1)];
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    assert_eq!(run(&problem, Planner::Sequential.bit()).expect_err("3 x half").kind, Kind::ArenaOverflow);
    let (_, outcome) = run(&problem, Planner::Sequential.bit() | Planner::Size.bit()).expect("2 x half");
    assert_eq!((outcome.plan.arena_size, outcome.planner), (2 * half, Planner::Size));
}

// The capacity

#[test]
fn the_verdict_tells_fits_exceeds_and_impossible_apart() {
    let tensors = [tensor(100, 0, 1), tensor(80, 1, 2), tensor(60, 2, 3)];
    let verdict = |capacity| {
        let problem = Problem { tensors: &tensors, capacity, ..Problem::default() };
        run(&problem, 0).expect("a plan").1.verdict
    };
    assert_eq!(verdict(0), Verdict::Fits);
    assert_eq!(verdict(180), Verdict::Fits);
    assert_eq!(verdict(179), Verdict::Impossible);
    // One after another they need 240, and the bound is 180.
    let problem = Problem { tensors: &tensors, capacity: 200, ..Problem::default() };
    assert_eq!(run(&problem, Planner::Sequential.bit()).expect("a plan").1.verdict, Verdict::Exceeds);
}
