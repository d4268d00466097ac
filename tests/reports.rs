//! Faults that were reported of other planners, each as the smallest input that would show it here. The numbers of the
//! reports are their public addresses; the expected values were worked out by hand.

use aether::arena::{
    self, FREE, Pair, Plan, Planner, Problem, Tensor, Verdict, check_problem, check_problem_scratch_size,
    plan_portfolio, plan_portfolio_scratch_size,
};
use aether::{Error, Kind, NONE};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// A lifetime half open, as the reports give them.
fn tensor(size: usize, alignment: usize, start: usize, end: usize) -> Tensor {
    Tensor { size, alignment, first_use: start, last_use: end - 1 }
}

fn plan(tensors: &[Tensor]) -> Result<(Vec<usize>, Plan), Error> {
    let mut words = Vec::with_capacity(arena::plan_offsets_scratch_size(tensors.len()) / 8);
    arena::plan_offsets(tensors, words.spare_capacity_mut()).map(|(offsets, plan)| (offsets.to_vec(), plan))
}

fn solve(problem: &Problem) -> Result<(Vec<usize>, arena::Outcome), Error> {
    let pairs = problem.compatible.len() + problem.apart.len();
    let bytes = plan_portfolio_scratch_size(problem.tensors.len(), problem.gaps.len(), pairs, problem.reserved.len());
    let mut words = Vec::with_capacity(bytes / 8);
    plan_portfolio(problem, 0, words.spare_capacity_mut()).map(|(offsets, outcome)| (offsets.to_vec(), outcome))
}

fn judge(problem: &Problem, offsets: &[usize]) -> Result<Plan, Error> {
    let pairs = problem.compatible.len() + problem.apart.len();
    let bytes = check_problem_scratch_size(problem.tensors.len(), problem.gaps.len(), pairs, problem.reserved.len());
    let mut words = Vec::with_capacity(bytes / 8);
    check_problem(problem, offsets, words.spare_capacity_mut())
}

fn of(tensors: &[Tensor]) -> Problem<'_> {
    Problem { tensors, ..Problem::default() }
}

/// google/XNNPACK#10800.
#[test]
fn the_space_below_the_first_live_block_is_used() {
    let tensors = [tensor(100, 1, 0, 2), tensor(80, 1, 1, 3), tensor(60, 1, 2, 4)];
    let (offsets, sizes) = plan(&tensors).unwrap();
    assert_eq!((offsets, sizes.arena_size, sizes.lower_bound), (vec![0, 100, 0], 180, 180));
}

/// openxla/xla#46543: lifetimes that touch share nothing where they are inclusive, and may share where half open.
#[test]
fn lifetimes_that_touch_meet_only_where_they_are_inclusive() {
    let inclusive = [(4096, 6, 7), (4096, 7, 10), (1024, 7, 10)];
    let inclusive = inclusive.map(|(size, first, last)| tensor(size, 1, first, last + 1));
    assert_eq!(plan(&inclusive).unwrap().1.arena_size, 9216);
    assert_eq!(judge(&of(&inclusive), &[0, 1024, 5120]).unwrap_err().kind, Kind::Clash);
    let half_open = [tensor(4096, 1, 6, 7), tensor(4096, 1, 7, 10), tensor(1024, 1, 7, 10)];
    assert_eq!(plan(&half_open).unwrap().1.arena_size, 5120);
}

/// llvm/llvm-project#207403: who meets whom does not depend on the order of placement.
#[test]
fn a_tensor_that_dies_before_a_placed_one_is_born_may_lie_on_it() {
    let tensors = [tensor(100, 1, 5, 6), tensor(50, 1, 0, 1)];
    let (offsets, sizes) = plan(&tensors).unwrap();
    assert_eq!((offsets, sizes.arena_size), (vec![0, 0], 100));
}

/// pytorch/executorch#7926: a large block is split among smaller ones.
#[test]
fn a_large_block_is_split_among_smaller_ones() {
    let tensors = [tensor(100, 1, 0, 1), tensor(60, 1, 1, 2), tensor(40, 1, 1, 2)];
    let (offsets, sizes) = plan(&tensors).unwrap();
    assert_eq!((offsets, sizes.arena_size, sizes.lower_bound), (vec![0, 0, 60], 100, 100));
}

/// tile-ai/tilelang#1570: only equal sizes depend on the order of the rows.
#[test]
fn permuting_rows_of_distinct_sizes_moves_nobody() {
    for seed in 0..300 {
        let mut random = StdRng::seed_from_u64(seed);
        let count = random.random_range(1..60);
        let rows: Vec<(usize, Tensor)> = (0..count)
            .map(|id| {
                let start = random.random_range(0..40);
                let alignment = [1, 2, 16][random.random_range(0..3)];
                (id, tensor(1 + id * 7, alignment, start, start + random.random_range(1..20)))
            })
            .collect();
        let by_id = |rows: &[(usize, Tensor)]| {
            let tensors: Vec<Tensor> = rows.iter().map(|row| row.1).collect();
            let mut offsets: Vec<(usize, usize)> =
                rows.iter().map(|row| row.0).zip(plan(&tensors).unwrap().0).collect();
            offsets.sort_unstable();
            offsets
        };
        let mut permuted = rows.clone();
        permuted.shuffle(&mut random);
        assert_eq!(by_id(&rows), by_id(&permuted), "seed {seed}");
    }
}

/// hw-native-sys/PTOAS#885: the order by size acts also where nothing is reused.
#[test]
fn the_order_by_size_acts_without_reuse_too() {
    let tensors = [tensor(16, 1, 0, 1), tensor(48, 1, 0, 1), tensor(32, 1, 0, 1)];
    let (offsets, sizes) = plan(&tensors).unwrap();
    assert_eq!((offsets, sizes.arena_size), (vec![80, 0, 48], 96));
}

/// numba/llvmlite#1009: padding after the last tensor is not charged.
#[test]
fn a_capacity_counts_the_last_byte_and_not_the_padding_behind_it() {
    let verdict = |size, alignment, capacity| {
        let tensors = [tensor(size, alignment, 0, 1)];
        let (_, outcome) = solve(&Problem { capacity, ..of(&tensors) }).unwrap();
        (outcome.plan.arena_size, outcome.verdict)
    };
    assert_eq!(verdict(16379, 8, 16384), (16379, Verdict::Fits));
    assert_eq!(verdict(100, 1, 100), (100, Verdict::Fits));
    assert_eq!(verdict(100, 1, 99), (100, Verdict::Impossible));
}

/// iree-org/iree#5396: the arena ends with the last byte, not with its padding.
#[test]
fn an_aligned_arena_ends_with_its_last_byte() {
    let tensors = [tensor(100, 16, 0, 2), tensor(100, 16, 1, 3), tensor(100, 16, 2, 4)];
    let (offsets, sizes) = plan(&tensors).unwrap();
    assert_eq!((offsets, sizes.arena_size), (vec![0, 112, 0], 212));
}

/// ggml-org/llama.cpp#26318: padding near the largest size never wraps.
#[test]
fn padding_of_the_largest_size_is_an_error_that_names_the_tensors() {
    let tensors = [tensor(usize::MAX, 32, 0, 2), tensor(64, 1, 0, 2)];
    let error = plan(&tensors).unwrap_err();
    assert_eq!((error.kind, error.index, error.other), (Kind::ArenaOverflow, 1, 0));
    assert_eq!(solve(&of(&tensors)).unwrap_err(), error);
}

/// apache/tvm#8019, pjsip/pjproject#980: the base address has an alignment too.
#[test]
fn the_plan_tells_the_alignment_of_the_base() {
    let tensors = [tensor(1, 64, 0, 2), tensor(1, 1, 0, 2)];
    let (offsets, sizes) = plan(&tensors).unwrap();
    assert_eq!((offsets, sizes.arena_size, sizes.arena_alignment), (vec![0, 1], 2, 64));
}

/// cockroachdb/pebble#2831: nothing wraps at 4 GiB.
#[test]
#[cfg(target_pointer_width = "64")]
fn an_arena_of_4_gib_fits_4_gib_and_nothing_less() {
    let tensors = [tensor(1 << 32, 8, 0, 1)];
    let verdict = |capacity| solve(&Problem { capacity, ..of(&tensors) }).unwrap().1.verdict;
    assert_eq!(verdict(1 << 32), Verdict::Fits);
    assert_eq!(verdict((1 << 32) - 1), Verdict::Impossible);
}

/// pytorch/executorch#5035: an end beyond the largest size names the tensors.
#[test]
fn an_end_of_2_to_the_64_names_both_tensors() {
    let half = usize::MAX / 2 + 1;
    let error = plan(&[tensor(half, 1, 0, 2), tensor(half, 1, 0, 2)]).unwrap_err();
    assert_eq!(error, Error { kind: Kind::ArenaOverflow, index: 1, other: 0, got: half, limit: half - 1 });
    assert_eq!(plan(&[tensor(half, 1, 0, 2)]).unwrap().1.arena_size, half);
}

/// tensorflow/tflite-micro#1051: a tensor without bytes takes none, and no slot either.
#[test]
fn a_tensor_without_bytes_is_at_0_and_counts_for_nothing() {
    let tensors = [tensor(0, 1, 0, 5), tensor(16, 1, 0, 5), tensor(0, 64, 0, 5)];
    let (offsets, sizes) = plan(&tensors).unwrap();
    assert_eq!((offsets, sizes.arena_size, sizes.arena_alignment), (vec![0, 0, 0], 16, 1));
    assert_eq!(plan(&tensors[..1]).unwrap().1.arena_size, 0);
    assert_eq!(solve(&of(&tensors)).unwrap().0, [0, 0, 0]);
}

/// tensorflow/tflite-micro#890: what lives for one node only counts too.
#[test]
fn a_scratch_tensor_counts_at_its_node() {
    let tensors = [tensor(100, 1, 0, 3), tensor(40, 1, 1, 2)];
    let outcome = |capacity| solve(&Problem { capacity, ..of(&tensors) }).unwrap().1;
    assert_eq!((outcome(140).plan.arena_size, outcome(140).verdict), (140, Verdict::Fits));
    assert_eq!(outcome(139).verdict, Verdict::Impossible);
}

/// tensorflow/tensorflow#38121, tensorflow/tflite-micro#1676 and #3649: given offsets beside planned ones.
#[test]
fn a_planned_tensor_goes_around_a_fixed_one() {
    let tensors = [tensor(32, 1, 0, 1), tensor(32, 1, 0, 1)];
    let (offsets, outcome) = solve(&Problem { fixed_offsets: &[0, FREE], ..of(&tensors) }).unwrap();
    assert_eq!((offsets, outcome.plan.arena_size), (vec![0, 32], 64));
}

#[test]
fn fixed_tensors_that_clash_are_named_with_their_bytes() {
    let tensors = [tensor(32, 1, 0, 1), tensor(32, 1, 0, 1)];
    let error = solve(&Problem { fixed_offsets: &[0, 16], ..of(&tensors) }).unwrap_err();
    assert_eq!(error, Error { kind: Kind::FixedClash, index: 0, other: 1, got: 16, limit: 32 });
}

#[test]
fn a_fixed_offset_that_is_misaligned_is_named() {
    let tensors = [tensor(32, 16, 0, 1)];
    let error = solve(&Problem { fixed_offsets: &[8], ..of(&tensors) }).unwrap_err();
    assert_eq!(error, Error { kind: Kind::FixedMisaligned, index: 0, other: NONE, got: 8, limit: 16 });
}

#[test]
fn a_fixed_tensor_that_ends_beyond_the_capacity_is_named() {
    let tensors = [tensor(32, 1, 0, 1)];
    let error = solve(&Problem { fixed_offsets: &[96], capacity: 100, ..of(&tensors) }).unwrap_err();
    assert_eq!(error, Error { kind: Kind::FixedCapacity, index: 0, other: NONE, got: 128, limit: 100 });
}

#[test]
fn fewer_fixed_offsets_than_tensors_are_refused_with_both_counts() {
    let tensors = [tensor(1, 1, 0, 1); 4];
    let error = solve(&Problem { fixed_offsets: &[FREE; 3], ..of(&tensors) }).unwrap_err();
    assert_eq!((error.kind, error.got, error.limit), (Kind::Count, 3, 4));
}

/// renesas/ruhmi-framework-mcu#3: input and output of a network, kept apart although they are never alive together.
#[test]
fn tensors_that_never_meet_share_bytes_unless_they_are_kept_apart() {
    let tensors = [tensor(600, 16, 0, 1), tensor(5, 16, 5, 6)];
    let (offsets, outcome) = solve(&of(&tensors)).unwrap();
    assert_eq!((offsets, outcome.plan.arena_size), (vec![0, 0], 600));
    let problem = Problem { apart: &[Pair { a: 1, b: 0 }], ..of(&tensors) };
    let (offsets, outcome) = solve(&problem).unwrap();
    // The five bytes first would be 16 + 600.
    assert_eq!((offsets, outcome.plan.arena_size, outcome.planner), (vec![0, 608], 613, Planner::Size));
    assert_eq!(judge(&problem, &[0, 0]).unwrap_err().kind, Kind::ApartClash);
}

/// pytorch/pytorch#157290: an independent check names the tensors, the byte and the node.
#[test]
fn a_moved_tensor_is_found_out() {
    let tensors = [tensor(100, 1, 0, 2), tensor(80, 1, 1, 3), tensor(60, 1, 2, 4)];
    let error = judge(&of(&tensors), &[0, 100, 120]).unwrap_err();
    assert_eq!(error, Error { kind: Kind::Clash, index: 1, other: 2, got: 120, limit: 2 });
    assert_eq!(judge(&of(&tensors), &[0, 100, 0]).unwrap().arena_size, 180);
}

/// Samsung/ONE#2994: a hundred thousand tensors that live for ten nodes each.
#[test]
fn a_hundred_thousand_tensors_are_planned_and_the_plan_is_valid() {
    let mut random = StdRng::seed_from_u64(1);
    let tensors: Vec<Tensor> = (0..100_000).map(|i| tensor(random.random_range(1..=4096), 1, i, i + 10)).collect();
    let (offsets, sizes) = plan(&tensors).unwrap();
    assert_eq!(judge(&of(&tensors), &offsets), Ok(sizes));
}
