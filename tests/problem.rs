//! Gaps, pairs, pins, reserved ranges: the rule, its errors, the checker and the bound, each against painting.

#[path = "common/problems.rs"]
mod problems;

use aether::arena::{self, FREE, Gap, Limits, Outcome, Pair, Plan, Problem, Range, Tensor};
use aether::{Error, Kind, NONE};
use problems::{ALIGNMENTS, ALL, APART, COMPATIBLE, Case, FIXED, GAPS, HINTS, random_case};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

fn counts(problem: &Problem) -> (usize, usize, usize, usize) {
    let pairs = problem.compatible.len() + problem.apart.len();
    (problem.tensors.len(), problem.gaps.len(), pairs, problem.reserved.len())
}

fn plan(problem: &Problem) -> Result<(Vec<usize>, Outcome), Error> {
    let (tensors, gaps, pairs, reserved) = counts(problem);
    let mut words = Vec::with_capacity(arena::plan_portfolio_scratch_size(tensors, gaps, pairs, reserved) / 8);
    arena::plan_portfolio(problem, 1, words.spare_capacity_mut()).map(|(offsets, outcome)| (offsets.to_vec(), outcome))
}

fn check(problem: &Problem, offsets: &[usize]) -> Result<Plan, Error> {
    let (tensors, gaps, pairs, reserved) = counts(problem);
    let mut words = Vec::with_capacity(arena::check_problem_scratch_size(tensors, gaps, pairs, reserved) / 8);
    arena::check_problem(problem, offsets, words.spare_capacity_mut())
}

fn bound(problem: &Problem) -> Result<Limits, Error> {
    let (tensors, gaps, pairs, reserved) = counts(problem);
    let mut words = Vec::with_capacity(arena::lower_bound_scratch_size(tensors, gaps, pairs, reserved) / 8);
    arena::lower_bound(problem, words.spare_capacity_mut())
}

fn tensor(size: usize, alignment: usize, first_use: usize, last_use: usize) -> Tensor {
    Tensor { size, alignment, first_use, last_use }
}

fn gap(tensor: usize, first: usize, last: usize, window_begin: usize, window_end: usize) -> Gap {
    Gap { tensor, first, last, window_begin, window_end }
}

fn pair(a: usize, b: usize) -> Pair {
    Pair { a, b }
}

fn range(begin: usize, end: usize) -> Range {
    Range { begin, end }
}

fn error(kind: Kind, index: usize, other: usize, got: usize, limit: usize) -> Error {
    Error { kind, index, other, got, limit }
}

/// Every set of kinds in turn.
fn every_kind(seed: u64, rounds: u32) -> impl Iterator<Item = (u32, StdRng)> {
    (0..rounds).map(move |round| (round % (ALL + 1), StdRng::seed_from_u64(seed << 32 | u64::from(round))))
}

// ---- plans ------------------------------------------------------------------------------------------------------

#[test]
fn every_plan_is_valid_by_painting_and_by_the_checker() {
    for (kinds, mut rng) in every_kind(1, 10_000) {
        let case = random_case(&mut rng, 8, 6, kinds);
        let (offsets, outcome) = plan(&case.problem()).unwrap_or_else(|error| panic!("{error}: {case:?}"));
        assert!(case.is_valid(&offsets), "{case:?} {offsets:?}");
        assert_eq!(outcome.plan.arena_size, case.arena(&offsets), "{case:?}");
        assert!(outcome.plan.lower_bound <= outcome.plan.arena_size, "{case:?}");
        assert_eq!(check(&case.problem(), &offsets), Ok(outcome.plan), "{case:?}");
    }
}

#[test]
fn a_problem_of_tensors_alone_has_the_plan_and_the_bounds_of_plan_offsets() {
    let mut rng = StdRng::seed_from_u64(2);
    for _ in 0..2_000 {
        let case = random_case(&mut rng, 30, 50, ALIGNMENTS);
        let mut words = Vec::with_capacity(arena::plan_offsets_scratch_size(case.tensors.len()) / 8);
        let (offsets, sizes) = arena::plan_offsets(&case.tensors, words.spare_capacity_mut()).expect("a plan");
        let (given, outcome) = plan(&case.problem()).expect("a plan");
        assert_eq!((&given[..], outcome.plan), (offsets, sizes), "{case:?}");
        let mut words = Vec::with_capacity(arena::peak_live_bytes_scratch_size(case.tensors.len()) / 8);
        let peak = arena::peak_live_bytes(&case.tensors, words.spare_capacity_mut()).expect("a peak");
        let Limits { lower_bound, peak_live_bytes, peak_node } = bound(&case.problem()).expect("a bound");
        assert_eq!((peak_live_bytes, peak_node), peak, "{case:?}");
        assert_eq!(lower_bound, sizes.lower_bound, "{case:?}");
    }
}

#[test]
fn the_order_of_pairs_gaps_and_ranges_and_their_repetition_do_not_matter() {
    for (kinds, mut rng) in every_kind(3, 2_000) {
        let case = random_case(&mut rng, 8, 6, kinds);
        let mut other = case.clone();
        other.gaps.shuffle(&mut rng);
        other.compatible.iter_mut().for_each(|pair| *pair = Pair { a: pair.b, b: pair.a });
        other.apart.extend_from_within(..);
        other.apart.shuffle(&mut rng);
        other.reserved.shuffle(&mut rng);
        other.reserved.extend_from_within(..);
        assert_eq!(plan(&case.problem()), plan(&other.problem()), "{case:?}");
    }
}

#[test]
fn a_hint_that_is_free_is_taken_and_any_other_changes_nothing() {
    let tensors = [tensor(8, 4, 0, 1), tensor(4, 4, 0, 1), tensor(4, 4, 0, 1)];
    // That two conflicting tensors are to be kept apart says nothing new, but the plan is made another way.
    let offsets = |hints: &[usize], capacity: usize| {
        let [plain, apart] = [&[][..], &[pair(0, 1)]].map(|apart| {
            let tensors = &tensors[..hints.len()];
            let problem = Problem { tensors, hint_offsets: hints, capacity, apart, ..Problem::default() };
            plan(&problem).expect("a plan").0
        });
        assert_eq!(plain, apart, "{hints:?}");
        plain
    };
    assert_eq!(offsets(&[FREE, 12], 0), [0, 12]);
    assert_eq!(offsets(&[4, 0], 0), [4, 0]);
    assert_eq!(offsets(&[FREE, 4], 0), [0, 8], "on the first tensor");
    assert_eq!(offsets(&[FREE, 14], 0), [0, 8], "misaligned");
    assert_eq!(offsets(&[FREE, 16], 20), [0, 16], "ends at the capacity");
    assert_eq!(offsets(&[FREE, 16], 19), [0, 8], "ends above the capacity");
    assert_eq!(offsets(&[FREE, 12, 16], 19), [0, 12, 8], "one of two ends above the capacity");
    assert_eq!(offsets(&[usize::MAX - 3, usize::MAX - 7], 0), [0, usize::MAX - 7], "ends beyond the largest size");
}

#[test]
fn given_offsets_and_planned_ones_mix() {
    // tensorflow/tflite-micro#1676 and its like: the planned one goes above the pin.
    let tensors = [tensor(32, 1, 0, 0), tensor(32, 1, 0, 0)];
    let (offsets, outcome) =
        plan(&Problem { tensors: &tensors, fixed_offsets: &[0, FREE], ..Problem::default() }).expect("a plan");
    assert_eq!((offsets, outcome.plan.arena_size), (vec![0, 32], 64));
}

#[test]
fn inputs_and_outputs_can_be_kept_apart() {
    // renesas/ruhmi-framework-mcu#3: legal by lifetimes, unwanted by the user.
    let tensors = [tensor(600, 16, 0, 0), tensor(5, 16, 5, 5)];
    let shared = plan(&Problem { tensors: &tensors, ..Problem::default() }).expect("a plan");
    assert_eq!((shared.0, shared.1.plan.arena_size), (vec![0, 0], 600));
    let apart = plan(&Problem { tensors: &tensors, apart: &[pair(0, 1)], ..Problem::default() }).expect("a plan");
    assert_eq!((apart.0, apart.1.plan.arena_size), (vec![0, 608], 613));
}

#[test]
fn windows_of_two_tensors_interleave_byte_by_byte() {
    // At node 1 the first holds bytes 0 and 1, then 4 and 5 are free for nobody: the second lies in its hole.
    let tensors = [tensor(6, 1, 0, 2), tensor(4, 1, 1, 1)];
    let gaps = [gap(0, 1, 1, 0, 2)];
    let (offsets, outcome) = plan(&Problem { tensors: &tensors, gaps: &gaps, ..Problem::default() }).expect("a plan");
    assert_eq!((offsets, outcome.plan.arena_size, outcome.plan.peak_live_bytes), (vec![0, 2], 6, 6));
    // The same from the other side: only bytes 2 and 3 of the second are in use at the node where they meet.
    let tensors = [tensor(6, 1, 0, 1), tensor(4, 1, 1, 2)];
    let gaps = [gap(0, 1, 1, 0, 2), gap(1, 1, 1, 2, 4)];
    let (offsets, outcome) = plan(&Problem { tensors: &tensors, gaps: &gaps, ..Problem::default() }).expect("a plan");
    assert_eq!((offsets, outcome.plan.arena_size, outcome.plan.peak_live_bytes), (vec![0, 0], 6, 6));
}

#[test]
fn what_its_last_node_forbids_may_lie_below_what_its_first_node_forbids() {
    // 8 bytes at nodes 0 and 2, none between; bytes 20 to 29 are taken at node 0, bytes 0 to 3 at node 2.
    let tensors = [tensor(8, 1, 0, 2), tensor(10, 1, 0, 0), tensor(4, 1, 2, 2)];
    let problem =
        Problem { tensors: &tensors, gaps: &[gap(0, 1, 1, 0, 0)], fixed_offsets: &[FREE, 20, 0], ..Problem::default() };
    assert_eq!(plan(&problem).expect("a plan").0, [4, 20, 0]);
}

#[test]
fn compatible_tensors_share_bytes_while_both_live() {
    let tensors = [tensor(100, 1, 0, 1), tensor(80, 1, 0, 1), tensor(60, 1, 1, 2)];
    let problem = Problem { tensors: &tensors, compatible: &[pair(1, 0)], ..Problem::default() };
    let (offsets, outcome) = plan(&problem).expect("a plan");
    assert_eq!(offsets, [0, 0, 100]);
    let sizes = Plan { arena_size: 160, arena_alignment: 1, lower_bound: 160, peak_live_bytes: 240 };
    assert_eq!(outcome.plan, sizes);
}

#[test]
fn a_fixed_offset_of_a_tensor_without_bytes_is_not_looked_at() {
    let tensors = [tensor(0, 4, 0, 1), tensor(4, 1, 0, 1)];
    let problem =
        Problem { tensors: &tensors, fixed_offsets: &[3, FREE], reserved: &[range(3, 4)], ..Problem::default() };
    assert_eq!(plan(&problem).expect("a plan").0, [0, 4]);
}

#[test]
fn a_capacity_that_is_missed_is_an_answer_and_not_an_error() {
    // tensorflow/tflite-micro#1249: needs 180, capacity 144.
    let tensors = [tensor(100, 1, 0, 1), tensor(80, 1, 1, 2), tensor(60, 1, 2, 3)];
    let verdict = |capacity| {
        let (_, outcome) = plan(&Problem { tensors: &tensors, capacity, ..Problem::default() }).expect("a plan");
        (outcome.plan.arena_size, outcome.verdict)
    };
    assert_eq!(verdict(144), (180, arena::Verdict::Impossible));
    assert_eq!(verdict(180), (180, arena::Verdict::Fits));
    assert_eq!(verdict(0), (180, arena::Verdict::Fits));
}

#[test]
fn capacities_are_exact_to_the_byte() {
    let verdict = |size, alignment, capacity| {
        let tensors = [tensor(size, alignment, 0, 0)];
        let (_, outcome) = plan(&Problem { tensors: &tensors, capacity, ..Problem::default() }).expect("a plan");
        (outcome.plan.arena_size, outcome.verdict)
    };
    // numba/llvmlite#1009: padding after the last tensor is not charged.
    assert_eq!(verdict(16379, 8, 16384), (16379, arena::Verdict::Fits));
    assert_eq!(verdict(100, 1, 100), (100, arena::Verdict::Fits));
    assert_eq!(verdict(100, 1, 99), (100, arena::Verdict::Impossible));
    // cockroachdb/pebble#2831: an end of exactly 4 GiB, or of half the address space where that is smaller.
    let size = usize::try_from(1u64 << 32).unwrap_or(MAX / 2 + 1);
    assert_eq!(verdict(size, 8, size), (size, arena::Verdict::Fits));
    assert_eq!(verdict(size, 8, size - 1), (size, arena::Verdict::Impossible));
    // The 7 lies above the 10 and the 8, at 17; and 23 bytes are alive at node 2.
    let tensors = [tensor(9, 1, 0, 0), tensor(8, 1, 0, 1), tensor(7, 1, 1, 2), tensor(6, 1, 2, 2), tensor(10, 1, 2, 2)];
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    let Plan { arena_size, lower_bound, .. } = plan(&problem).expect("a plan").1.plan;
    assert_eq!((arena_size, lower_bound), (24, 23));
    let verdict = |capacity| plan(&Problem { capacity, ..problem }).expect("a plan").1.verdict;
    assert_eq!(verdict(arena_size), arena::Verdict::Fits);
    assert_eq!(verdict(arena_size - 1), arena::Verdict::Exceeds);
    assert_eq!(verdict(lower_bound), arena::Verdict::Exceeds);
    assert_eq!(verdict(lower_bound - 1), arena::Verdict::Impossible);
}

// ---- the bound --------------------------------------------------------------------------------------------------

#[test]
fn no_plan_is_smaller_than_the_bound_and_some_plan_often_reaches_it() {
    let (mut rounds, mut reached) = (0, 0);
    for (kinds, mut rng) in every_kind(4, 12_800) {
        let case = random_case(&mut rng, 5, 4, kinds & !HINTS);
        let bound = bound(&case.problem()).expect("a bound").lower_bound;
        assert!(bound == 0 || !case.fits(bound - 1), "a plan below {bound}: {case:?}");
        rounds += 1;
        reached += usize::from(case.fits(bound));
    }
    eprintln!("the bound is reached in {reached} of {rounds} rounds");
    assert!(10 * reached > 8 * rounds, "reached in {reached} of {rounds} rounds only");
}

#[test]
fn gaps_lower_the_peak_and_the_bound() {
    let tensors = [tensor(10, 1, 0, 4), tensor(8, 1, 2, 2)];
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    assert_eq!(bound(&problem), Ok(Limits { lower_bound: 18, peak_live_bytes: 18, peak_node: 2 }));
    let gaps = [gap(0, 1, 3, 2, 5)];
    let limits = Limits { lower_bound: 11, peak_live_bytes: 11, peak_node: 2 };
    assert_eq!(bound(&Problem { gaps: &gaps, ..problem }), Ok(limits));
    // A tensor needs its whole size though its bytes are never all alive.
    let gaps = [gap(0, 0, 4, 9, 10)];
    let limits = Limits { lower_bound: 10, peak_live_bytes: 9, peak_node: 2 };
    assert_eq!(bound(&Problem { gaps: &gaps, ..problem }), Ok(limits));
}

#[test]
fn of_compatible_tensors_only_those_count_that_conflict() {
    let tensors = [tensor(8, 1, 0, 0), tensor(7, 1, 0, 0), tensor(6, 1, 0, 0), tensor(1, 1, 0, 0)];
    let limits = |compatible: &[Pair]| {
        let problem = Problem { tensors: &tensors, compatible, ..Problem::default() };
        let Limits { lower_bound, peak_live_bytes, .. } = bound(&problem).expect("a bound");
        assert_eq!(peak_live_bytes, 22);
        lower_bound
    };
    assert_eq!(limits(&[pair(0, 1)]), 8 + 6 + 1);
    assert_eq!(limits(&[pair(0, 1), pair(1, 2)]), 8 + 6 + 1);
    assert_eq!(limits(&[pair(0, 1), pair(1, 2), pair(2, 0)]), 8 + 1);
}

#[test]
fn of_exclusive_branches_the_one_with_most_bytes_counts() {
    // 10 in one branch, 9 and 5 in the other: 14, though 10 is the largest.
    let tensors = [tensor(10, 1, 0, 0), tensor(9, 1, 0, 0), tensor(5, 1, 0, 0)];
    let branches = [pair(0, 1), pair(0, 2)];
    let problem = Problem { tensors: &tensors, compatible: &branches, ..Problem::default() };
    assert_eq!(bound(&problem).expect("a bound").lower_bound, 14);
    // The same near the largest size, where products of sizes would not fit; and repeated pairs weigh no more.
    let huge = tensors.map(|t| Tensor { size: MAX / 16 * t.size, ..t });
    let branches = [pair(0, 1), pair(0, 2), pair(1, 0), pair(2, 0), pair(2, 0)];
    let problem = Problem { tensors: &huge, compatible: &branches, ..Problem::default() };
    assert_eq!(bound(&problem).expect("a bound").lower_bound, MAX / 16 * 14);
}

#[test]
fn reserved_ranges_push_the_bound_up() {
    let tensors = [tensor(5, 1, 0, 0), tensor(5, 1, 0, 0)];
    let limit = |reserved: &[Range]| {
        bound(&Problem { tensors: &tensors, reserved, ..Problem::default() }).expect("a bound").lower_bound
    };
    assert_eq!(limit(&[range(0, 3)]), 13);
    assert_eq!(limit(&[range(20, 30)]), 10);
    assert_eq!(limit(&[range(10, 30)]), 10);
    assert_eq!(limit(&[range(9, 30)]), 31);
    assert_eq!(limit(&[range(3, 4), range(7, 9), range(2, 3), range(5, 5)]), 14);
    assert_eq!(limit(&[range(4, 5), range(9, 10), range(14, 15)]), 20, "no stretch below 15 holds one of them");
    // One in each stretch: at 0, 6 and 12.
    let problem = Problem { tensors: &[tensors[0]; 3], reserved: &[range(5, 6), range(11, 12)], ..Problem::default() };
    assert_eq!(bound(&problem).expect("a bound").lower_bound, 17);
}

#[test]
fn the_bound_of_compatible_tensors_grows_as_their_sizes_do() {
    const FACTOR: usize = 1 << (usize::BITS - 10);
    let mut rng = StdRng::seed_from_u64(14);
    for _ in 0..2_000 {
        let mut case = random_case(&mut rng, 8, 3, COMPATIBLE);
        let limits = bound(&case.problem()).expect("a bound");
        // Their sum fits.
        assert!(case.tensors.iter().map(|tensor| tensor.size).sum::<usize>() < 1 << 10);
        case.tensors.iter_mut().for_each(|tensor| tensor.size *= FACTOR);
        let scaled = bound(&case.problem()).expect("a bound");
        assert_eq!(scaled.lower_bound, limits.lower_bound * FACTOR, "{case:?}");
        assert_eq!(scaled.peak_live_bytes, limits.peak_live_bytes * FACTOR, "{case:?}");
    }
}

#[test]
fn padding_is_counted_between_reserved_ranges_too() {
    // Both offsets are multiples of 8: 5 at 0, 5 at 8; with bytes 8 to 15 reserved the second is at 16.
    let tensors = [tensor(5, 8, 0, 0), tensor(5, 8, 0, 0)];
    let limit = |reserved: &[Range]| {
        bound(&Problem { tensors: &tensors, reserved, ..Problem::default() }).expect("a bound").lower_bound
    };
    assert_eq!(limit(&[]), 13);
    assert_eq!(limit(&[range(8, 16)]), 21);
    assert_eq!(limit(&[range(5, 6)]), 13);
    // 7 and 4 cannot both end at or below 11, so one of them ends above 16.
    let tensors = [tensor(7, 8, 0, 0), tensor(4, 8, 0, 0)];
    let problem = Problem { tensors: &tensors, reserved: &[range(11, 16)], ..Problem::default() };
    assert_eq!(bound(&problem).expect("a bound").lower_bound, 17);
}

#[test]
fn where_padding_and_bytes_are_largest_at_different_nodes_both_count() {
    // Node 0: six single bytes reach to 21, their sum is 6. Node 1: windows that no multiple of 4 begins, 24 bytes.
    let tensors: Vec<Tensor> = (0..14).map(|i| if i < 6 { tensor(1, 4, 0, 0) } else { tensor(4, 4, 1, 1) }).collect();
    let gaps: Vec<Gap> = (6..14).map(|i| gap(i, 1, 1, 1, 4)).collect();
    let limit = |count: usize| {
        let problem = Problem { tensors: &tensors[..count], gaps: &gaps[..count - 6], ..Problem::default() };
        bound(&problem).expect("a bound").lower_bound
    };
    assert_eq!(limit(6), 21);
    assert_eq!(limit(13), 21);
    assert_eq!(limit(14), 24);
}

#[test]
fn pins_and_apart_pairs_push_the_bound_up() {
    let tensors = [tensor(5, 1, 0, 0), tensor(6, 1, 1, 1)];
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    assert_eq!(bound(&problem).expect("a bound").lower_bound, 6);
    assert_eq!(bound(&Problem { fixed_offsets: &[7, FREE], ..problem }).expect("a bound").lower_bound, 12);
    assert_eq!(bound(&Problem { apart: &[pair(1, 0)], ..problem }).expect("a bound").lower_bound, 11);
}

// ---- the checker ------------------------------------------------------------------------------------------------

/// The error of a plan, in the order of the documentation.
fn slow_check(case: &Case, offsets: &[usize]) -> Option<Error> {
    let with_bytes = || (0..offsets.len()).filter(|&i| case.tensors[i].size > 0);
    for i in with_bytes() {
        let stride = case.tensors[i].alignment.max(1);
        if !offsets[i].is_multiple_of(stride) {
            return Some(error(Kind::OffsetMisaligned, i, NONE, offsets[i], stride));
        }
        if let Some(fixed) = case.fixed(i).filter(|&fixed| fixed != offsets[i]) {
            return Some(error(Kind::NotFixed, i, NONE, offsets[i], fixed));
        }
    }
    let bytes = case.arena(offsets);
    for i in with_bytes() {
        for byte in 0..bytes {
            let reserved = case.reserved.iter().position(|range| (range.begin..range.end).contains(&byte));
            if let Some(other) = reserved.filter(|_| case.holds_ever(i, offsets[i], byte)) {
                return Some(error(Kind::ReservedClash, i, other, byte, 0));
            }
        }
    }
    for i in with_bytes() {
        for j in with_bytes().filter(|&j| j > i && Case::is_pair(&case.apart, i, j)) {
            let shared: Vec<usize> =
                (0..bytes).filter(|&b| case.whole(i, offsets[i], b) && case.whole(j, offsets[j], b)).collect();
            if let (Some(first), Some(last)) = (shared.first(), shared.last()) {
                return Some(error(Kind::ApartClash, i, j, *first, last + 1));
            }
        }
    }
    for node in case.nodes() {
        for byte in 0..bytes {
            let holders: Vec<usize> = with_bytes().filter(|&i| case.holds(i, offsets[i], node, byte)).collect();
            for (k, &i) in holders.iter().enumerate() {
                let clash = holders[k + 1..].iter().find(|&&j| !Case::is_pair(&case.compatible, i, j));
                if let Some(&j) = clash {
                    return Some(error(Kind::Clash, i, j, byte, node));
                }
            }
        }
    }
    None
}

#[test]
fn the_checker_names_what_painting_finds_first() {
    let mut found = [0; 32];
    for (kinds, mut rng) in every_kind(5, 20_000) {
        let case = random_case(&mut rng, 8, 6, kinds);
        let space = rng.random_range(1..80);
        let mut offsets: Vec<usize> = case.tensors.iter().map(|_| rng.random_range(0..space)).collect();
        let mended: Vec<bool> = offsets.iter().map(|_| rng.random_bool(0.95)).collect();
        for (i, offset) in offsets.iter_mut().enumerate().filter(|(i, _)| mended[*i]) {
            *offset = case.fixed(i).unwrap_or(*offset - *offset % case.tensors[i].alignment.max(1));
        }
        let want = slow_check(&case, &offsets);
        let mut got = check(&case.problem(), &offsets).err();
        if let Some(Error { kind: Kind::ReservedClash, limit, .. }) = &mut got {
            *limit = 0;
        }
        assert_eq!(got, want, "{case:?} {offsets:?}");
        found[want.map_or(0, |error| error.kind as usize)] += 1;
    }
    for kind in [Kind::OffsetMisaligned, Kind::NotFixed, Kind::ReservedClash, Kind::ApartClash, Kind::Clash] {
        assert!(found[kind as usize] > 100, "{kind:?}: {found:?}");
    }
    assert!(found[0] > 1_000, "valid: {found:?}");
}

#[test]
fn a_plan_of_many_tensors_stays_valid_as_long_as_the_one_that_is_moved_conflicts_with_none() {
    let mut valid = 0;
    for (kinds, mut rng) in every_kind(8, 128) {
        let case = random_case(&mut rng, 60, 6, kinds & !(FIXED | ALIGNMENTS));
        let (mut offsets, outcome) = plan(&case.problem()).expect("a plan");
        assert_eq!(check(&case.problem(), &offsets), Ok(outcome.plan), "{case:?}");
        for _ in 0..8.min(offsets.len()) {
            let i = rng.random_range(0..offsets.len());
            let old = std::mem::replace(&mut offsets[i], rng.random_range(0..=outcome.plan.arena_size));
            let placed: Vec<_> = offsets.iter().map(|&offset| Some(offset)).collect();
            let is_valid = case.tensors[i].size == 0 || case.is_allowed(i, offsets[i], &placed);
            assert_eq!(check(&case.problem(), &offsets).is_ok(), is_valid, "{case:?} {offsets:?}");
            valid += usize::from(is_valid);
            offsets[i] = old;
        }
    }
    assert!((200..800).contains(&valid), "{valid} of 1,024 are valid");
}

#[test]
fn many_compatible_tensors_may_lie_on_one_another() {
    // The first ten are compatible with each other. The eleventh is with all of them but number 7.
    let tensors = [tensor(4, 1, 0, 0); 11];
    let mut compatible = Vec::new();
    for a in 0..11 {
        compatible.extend((0..a).filter(|&b| (a, b) != (10, 7)).map(|b| pair(a, b)));
    }
    let problem = Problem { tensors: &tensors, compatible: &compatible, ..Problem::default() };
    let mut offsets = [0; 11];
    assert_eq!(check(&problem, &offsets), Err(error(Kind::Clash, 7, 10, 0, 0)));
    offsets[10] = 3;
    assert_eq!(check(&problem, &offsets), Err(error(Kind::Clash, 7, 10, 3, 0)));
    offsets[10] = 4;
    let sizes = Plan { arena_size: 8, arena_alignment: 1, lower_bound: 8, peak_live_bytes: 44 };
    assert_eq!(check(&problem, &offsets), Ok(sizes));
}

#[test]
fn an_offset_of_a_tensor_without_bytes_is_not_looked_at() {
    let tensors = [tensor(0, 4, 0, 0), tensor(4, 1, 0, 0)];
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    assert_eq!(check(&problem, &[101, 2]).map(|plan| plan.arena_size), Ok(6));
}

#[test]
fn a_plan_above_the_capacity_is_valid() {
    let problem = Problem { tensors: &[tensor(4, 1, 0, 0)], capacity: 6, ..Problem::default() };
    assert_eq!(check(&problem, &[3]).map(|plan| plan.arena_size), Ok(7));
}

// ---- errors -----------------------------------------------------------------------------------------------------

/// All three calls refuse the problem with this error, and say this.
fn assert_refused(problem: &Problem, error: Error, sentence: &str) {
    let offsets = vec![0; problem.tensors.len()];
    assert_eq!(plan(problem).map(|_| ()), Err(error));
    assert_eq!(check(problem, &offsets).map(|_| ()), Err(error));
    assert_eq!(bound(problem).map(|_| ()), Err(error));
    assert_eq!(error.to_string(), sentence);
}

const TWO: [Tensor; 2] = [
    Tensor { size: 32, alignment: 16, first_use: 2, last_use: 5 },
    Tensor { size: 32, alignment: 1, first_use: 4, last_use: 9 },
];

fn two<'a>() -> Problem<'a> {
    Problem { tensors: &TWO, ..Problem::default() }
}

#[test]
fn an_array_with_another_count_is_refused() {
    let refused = error(Kind::Count, NONE, NONE, 3, 2);
    let sentence = "an array has 3 entries, and 2 are needed";
    assert_refused(&Problem { fixed_offsets: &[FREE; 3], ..two() }, refused, sentence);
    assert_refused(&Problem { hint_offsets: &[FREE; 3], ..two() }, refused, sentence);
    assert_eq!(check(&two(), &[0, 32, 64]), Err(refused));
    assert_eq!(check(&two(), &[]), Err(error(Kind::Count, NONE, NONE, 0, 2)));
}

#[test]
fn a_bad_gap_is_named_with_its_numbers() {
    let refused = |bad: Gap, error: Error, sentence: &str| {
        let gaps = [gap(1, 5, 5, 0, 0), bad];
        assert_refused(&Problem { gaps: &gaps, ..two() }, error, sentence);
    };
    refused(
        gap(2, 4, 5, 0, 0),
        error(Kind::GapTensor, 1, NONE, 2, 2),
        "gap 1: there is no tensor 2, the tensor count is 2",
    );
    refused(
        gap(0, 4, 3, 0, 0),
        error(Kind::GapOutside, 1, NONE, 4, 3),
        "gap 1: its first node 4 is after its last node 3",
    );
    refused(
        gap(0, 1, 3, 0, 0),
        error(Kind::GapOutside, 1, 0, 1, 2),
        "gap 1: its first node 1 is before the first use of tensor 0, 2",
    );
    refused(
        gap(0, 3, 6, 0, 0),
        error(Kind::GapOutside, 1, 0, 6, 5),
        "gap 1: its last node 6 is after the last use of tensor 0, 5",
    );
    refused(
        gap(0, 3, 4, 8, 7),
        error(Kind::GapWindow, 1, NONE, 8, 7),
        "gap 1: its window begins at byte 8, after its end 7",
    );
    refused(
        gap(0, 3, 4, 8, 33),
        error(Kind::GapWindow, 1, 0, 33, 32),
        "gap 1: its window ends at byte 33, above the size of tensor 0, 32",
    );
    refused(
        gap(1, 4, 5, 0, 0),
        error(Kind::GapOverlap, 0, 1, 5, 5),
        "gap 0: its first node is 5, and gap 1 of the same tensor lasts to node 5",
    );
}

#[test]
fn gaps_may_touch_and_cover_a_whole_lifetime() {
    let gaps = [gap(0, 4, 5, 0, 0), gap(0, 2, 3, 0, 32)];
    assert_eq!(plan(&Problem { gaps: &gaps, ..two() }).expect("a plan").0, [0, 0]);
    let gaps = [gap(0, 2, 5, 0, 0), gap(1, 4, 9, 0, 0)];
    let (offsets, outcome) = plan(&Problem { gaps: &gaps, ..two() }).expect("a plan");
    let sizes = Plan { arena_size: 32, arena_alignment: 16, lower_bound: 32, peak_live_bytes: 0 };
    assert_eq!((offsets, outcome.plan), (vec![0, 0], sizes));
}

#[test]
fn a_gap_of_a_tensor_without_bytes_must_be_valid_too() {
    let tensors = [tensor(0, 1, 0, 3)];
    let refused = |gap: Gap| plan(&Problem { tensors: &tensors, gaps: &[gap], ..Problem::default() }).err();
    assert_eq!(refused(gap(0, 1, 2, 0, 0)), None);
    assert_eq!(refused(gap(0, 1, 2, 0, 1)), Some(error(Kind::GapWindow, 0, 0, 1, 0)));
    assert_eq!(refused(gap(0, 1, 4, 0, 0)), Some(error(Kind::GapOutside, 0, 0, 4, 3)));
}

#[test]
fn a_bad_pair_is_named_with_its_numbers() {
    let pairs = [pair(0, 1), pair(1, 2)];
    let sentence = "pair 1: there is no tensor 2, the tensor count is 2";
    let compatible = Problem { compatible: &pairs, ..two() };
    assert_refused(&compatible, error(Kind::CompatiblePair, 1, NONE, 2, 2), &format!("compatible {sentence}"));
    let apart = Problem { apart: &pairs, ..two() };
    assert_refused(&apart, error(Kind::ApartPair, 1, NONE, 2, 2), &format!("apart {sentence}"));
    let pairs = [pair(1, 1)];
    let compatible = Problem { compatible: &pairs, ..two() };
    assert_refused(
        &compatible,
        error(Kind::CompatiblePair, 0, NONE, 1, 2),
        "compatible pair 0: both of it are tensor 1",
    );
    let apart = Problem { apart: &pairs, ..two() };
    assert_refused(&apart, error(Kind::ApartPair, 0, NONE, 1, 2), "apart pair 0: both of it are tensor 1");
}

#[test]
fn a_pair_that_is_compatible_and_apart_is_refused() {
    let tensors = [tensor(1, 1, 0, 0); 3];
    let problem = Problem {
        tensors: &tensors,
        compatible: &[pair(0, 1), pair(2, 1)],
        apart: &[pair(0, 2), pair(1, 2)],
        ..Problem::default()
    };
    let sentence = "tensors 1 and 2 are compatible pair 1, and apart pair 1 as well";
    assert_refused(&problem, error(Kind::PairContradiction, 1, 1, 1, 2), sentence);
}

#[test]
fn a_reversed_range_is_refused() {
    let problem = Problem { reserved: &[range(7, 7), range(8, 7)], ..two() };
    let sentence = "reserved range 1: its begin 8 is after its end 7";
    assert_refused(&problem, error(Kind::ReservedReversed, 1, NONE, 8, 7), sentence);
}

#[test]
fn a_bad_pin_is_named_with_its_numbers() {
    let problem = Problem { fixed_offsets: &[8, FREE], ..two() };
    let sentence = "tensor 0: its fixed offset 8 is not a multiple of its alignment 16";
    assert_refused(&problem, error(Kind::FixedMisaligned, 0, NONE, 8, 16), sentence);
    let problem = Problem { fixed_offsets: &[96, FREE], capacity: 100, ..two() };
    let sentence = "tensor 0: it ends at byte 128 by its fixed offset, above the capacity 100";
    assert_refused(&problem, error(Kind::FixedCapacity, 0, NONE, 128, 100), sentence);
    assert!(plan(&Problem { fixed_offsets: &[64, FREE], capacity: 96, ..two() }).is_ok());
    let problem = Problem { fixed_offsets: &[0, 16], ..two() };
    let sentence = "tensors 0 and 1 overlap in bytes 16..32 by their fixed offsets";
    assert_refused(&problem, error(Kind::FixedClash, 0, 1, 16, 32), sentence);
    let problem = Problem { fixed_offsets: &[16, FREE], reserved: &[range(47, 50), range(8, 18)], ..two() };
    let sentence = "tensor 0 overlaps reserved range 1 in bytes 16..18";
    assert_refused(&problem, error(Kind::ReservedClash, 0, 1, 16, 18), sentence);
}

#[test]
fn pins_may_overlap_where_the_rule_allows_it() {
    let fixed_offsets = &[0, 16];
    assert!(plan(&Problem { fixed_offsets, compatible: &[pair(1, 0)], ..two() }).is_ok());
    // In the nodes that both use, 4 and 5, the first holds only its bytes below 16.
    assert!(plan(&Problem { fixed_offsets, gaps: &[gap(0, 4, 5, 0, 16)], ..two() }).is_ok());
    let clash = error(Kind::FixedClash, 0, 1, 16, 17);
    assert_eq!(plan(&Problem { fixed_offsets, gaps: &[gap(0, 4, 5, 0, 17)], ..two() }).err(), Some(clash));
    // Apart pairs are compared whole.
    let clash = error(Kind::FixedClash, 0, 1, 16, 32);
    let problem = Problem { fixed_offsets, gaps: &[gap(0, 4, 5, 0, 0)], apart: &[pair(1, 0)], ..two() };
    assert_eq!(plan(&problem).err(), Some(clash));
    // A reserved range may lie in bytes that a tensor never uses.
    let problem = Problem { fixed_offsets, gaps: &[gap(0, 2, 5, 0, 8)], reserved: &[range(8, 16)], ..two() };
    assert!(plan(&problem).is_ok());
}

#[test]
fn a_checked_plan_must_keep_pins_ranges_and_pairs() {
    let problem = Problem { fixed_offsets: &[FREE, 64], ..two() };
    let moved = error(Kind::NotFixed, 1, NONE, 32, 64);
    assert_eq!(check(&problem, &[0, 32]), Err(moved));
    assert_eq!(moved.to_string(), "tensor 1: its offset is 32, and its fixed offset is 64");
    let apart = error(Kind::ApartClash, 0, 1, 16, 32);
    assert_eq!(check(&Problem { apart: &[pair(0, 1)], ..two() }, &[0, 16]), Err(apart));
    assert_eq!(apart.to_string(), "tensors 0 and 1 overlap in bytes 16..32, and are to be kept apart");
    let reserved = error(Kind::ReservedClash, 1, 0, 40, 44);
    assert_eq!(check(&Problem { reserved: &[range(40, 44)], ..two() }, &[0, 32]), Err(reserved));
}

// ---- extremes ---------------------------------------------------------------------------------------------------

const MAX: usize = usize::MAX;

#[test]
fn nodes_and_bytes_may_be_the_largest_numbers() {
    let tensors = [tensor(MAX, 1, 0, MAX), tensor(4, 1, 3, MAX)];
    let gaps = [gap(0, 3, MAX, MAX - 8, MAX)];
    let (offsets, outcome) = plan(&Problem { tensors: &tensors, gaps: &gaps, ..Problem::default() }).expect("a plan");
    let sizes = Plan { arena_size: MAX, arena_alignment: 1, lower_bound: MAX, peak_live_bytes: MAX };
    assert_eq!((offsets, outcome.plan), (vec![0, 0], sizes));
}

#[test]
fn a_tensor_that_fits_by_its_windows_but_not_by_its_end_is_refused() {
    // At node 1 only the lowest byte of the first is in use, and all but the highest byte are taken by the second.
    let tensors = [tensor(8, 1, 0, 1), tensor(MAX - 1, 1, 1, 1)];
    let gaps = [gap(0, 0, 1, 0, 1)];
    let problem = Problem { tensors: &tensors, gaps: &gaps, fixed_offsets: &[FREE, 0], ..Problem::default() };
    assert_eq!(plan(&problem).err(), Some(error(Kind::ArenaOverflow, 0, 1, 8, 1)));
    // The same interval below a range that is reserved: its offsets are allowed by the rule, and too high.
    let problem = Problem {
        reserved: &[range(MAX - 1, MAX)],
        fixed_offsets: &[],
        gaps: &gaps,
        tensors: &tensors[..1],
        ..problem
    };
    let reserved = [range(0, MAX - 7), range(MAX - 1, MAX)];
    assert_eq!(plan(&problem).expect("a plan").0, [0]);
    let problem = Problem { reserved: &reserved, ..problem };
    assert_eq!(plan(&problem).err(), Some(error(Kind::ArenaOverflow, 0, NONE, 8, 0)));
}

#[test]
fn an_overflow_above_a_tensor_that_is_kept_apart_names_it() {
    let tensors = [tensor(MAX, 1, 0, 0), tensor(1, 1, 0, 0), tensor(2, 1, 5, 5)];
    let problem = Problem { tensors: &tensors, compatible: &[pair(0, 1)], apart: &[pair(0, 2)], ..Problem::default() };
    assert_eq!(plan(&problem).err(), Some(error(Kind::ArenaOverflow, 2, 0, 2, 0)));
}

#[test]
fn pins_and_ranges_at_the_largest_offsets_never_wrap() {
    let tensors = [tensor(8, 1, 0, 0), tensor(8, 1, 0, 0)];
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    let endless = error(Kind::ArenaOverflow, 0, NONE, 8, 7);
    assert_eq!(plan(&Problem { fixed_offsets: &[MAX - 7, FREE], ..problem }).err(), Some(endless));
    let fixed = Problem { fixed_offsets: &[MAX - 8, FREE], ..problem };
    assert_eq!(plan(&fixed).expect("a plan").0, [MAX - 8, 0]);
    let full = [range(0, MAX - 8), range(MAX - 8, MAX - 8)];
    let refused = error(Kind::ArenaOverflow, 1, 0, 8, 0);
    assert_eq!(plan(&Problem { reserved: &full, ..fixed }).err(), Some(refused));
    let aligned = [tensor(8, 16, 0, 0)];
    let full = [range(0, MAX - 8)];
    let refused = error(Kind::ArenaOverflow, 0, NONE, 8, 0);
    assert_eq!(plan(&Problem { tensors: &aligned, reserved: &full, ..problem }).err(), Some(refused));
}

/// The same problem `shift` bytes further up, above that many reserved bytes more than the 12 that it begins with.
fn shifted(case: &Case, shift: usize) -> Case {
    let mut case = case.clone();
    let up = |offsets: &mut Vec<usize>| offsets.iter_mut().for_each(|offset| *offset = offset.saturating_add(shift));
    up(&mut case.fixed);
    up(&mut case.hints);
    case.reserved.iter_mut().for_each(|range| *range = Range { begin: range.begin + shift, end: range.end + shift });
    case.reserved.push(range(0, 12 + shift));
    case
}

#[test]
fn at_the_top_of_the_address_space_all_is_as_at_its_bottom() {
    let (mut planned, mut refused) = (0, 0);
    for (kinds, mut rng) in every_kind(7, 12_800) {
        let mut case = random_case(&mut rng, 8, 6, kinds);
        // A tensor without any part would stay at 0.
        case.gaps.retain(|gap| gap.window_begin < gap.window_end);
        case.fixed.iter_mut().for_each(|offset| *offset = offset.saturating_add(12));
        let low = shifted(&case, 0);
        let Ok((offsets, outcome)) = plan(&low.problem()) else { continue };
        // All alignments divide 12.
        let shift = (MAX - rng.random_range(12..60)) / 12 * 12;
        // What is given must stay what it is, and hints possible.
        let mut given = case.fixed.iter().chain(&case.hints).filter(|&&offset| offset != FREE);
        if case.reserved.iter().any(|range| range.end > MAX - shift) || given.any(|offset| offset + 6 > MAX - shift) {
            continue;
        }
        let high = plan(&shifted(&case, shift).problem());
        if outcome.plan.arena_size == 0 || outcome.plan.arena_size <= MAX - shift {
            let up = |i: usize| if case.tensors[i].size > 0 { offsets[i] + shift } else { 0 };
            let (given, high) = high.unwrap_or_else(|error| panic!("{error}: {case:?}"));
            assert_eq!(given, (0..offsets.len()).map(up).collect::<Vec<_>>(), "{case:?}");
            if kinds & (GAPS | APART) == 0 && outcome.plan.arena_size > 0 {
                assert_eq!(high.plan.lower_bound, outcome.plan.lower_bound + shift, "{case:?}");
            }
            planned += 1;
        } else if kinds & GAPS == 0 {
            assert_eq!(high.map(|_| ()).map_err(|error| error.kind), Err(Kind::ArenaOverflow), "{case:?}");
            refused += 1;
        }
    }
    assert!(planned > 2_000 && refused > 200, "{planned} planned, {refused} refused");
}

#[test]
fn a_clique_beyond_the_largest_size_is_an_error_and_compatible_tensors_are_not() {
    let tensors = [tensor(MAX, 1, 1, 2), tensor(MAX, 1, 0, 1)];
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    assert_eq!(bound(&problem), Err(error(Kind::PeakOverflow, 0, NONE, MAX, 0)));
    let limits = Limits { lower_bound: MAX, peak_live_bytes: MAX, peak_node: 1 };
    assert_eq!(bound(&Problem { compatible: &[pair(0, 1)], ..problem }), Ok(limits));
    assert_eq!(bound(&Problem { reserved: &[range(0, 1)], compatible: &[pair(0, 1)], ..problem }), Ok(limits));
    assert_eq!(plan(&Problem { compatible: &[pair(0, 1)], ..problem }).expect("a plan").0, [0, 0]);
    let apart = [tensor(MAX, 1, 0, 0), tensor(MAX, 1, 1, 1)];
    let limits = Limits { lower_bound: MAX, peak_live_bytes: MAX, peak_node: 0 };
    assert_eq!(bound(&Problem { tensors: &apart, apart: &[pair(0, 1)], ..problem }), Ok(limits));
}

// ---- scratch ----------------------------------------------------------------------------------------------------

#[test]
fn scratch_sizes_are_linear_monotone_and_say_when_they_overflow() {
    for scratch_size in
        [arena::lower_bound_scratch_size, arena::check_problem_scratch_size, arena::plan_portfolio_scratch_size]
    {
        assert_eq!(scratch_size(0, 0, 0, 0), 0);
        for k in 0..4 {
            let with = |count: usize| {
                let counts: [usize; 4] = std::array::from_fn(|i| if i == k { count } else { 3 });
                scratch_size(counts[0], counts[1], counts[2], counts[3])
            };
            for count in 0..100 {
                assert!(with(count) <= with(count + 1));
            }
            assert_eq!(with(2_000) - with(1_000), with(3_000) - with(2_000));
            for count in [MAX, MAX / 2, MAX / 8 + 1] {
                assert_eq!(with(count), MAX);
            }
        }
    }
}

#[test]
fn exactly_the_scratch_of_the_query_is_enough_wherever_it_begins() {
    for (kinds, mut rng) in every_kind(6, 4_000) {
        // Some are large enough for a second and a third level of what is kept in levels; few pins, which take long.
        let (most, kinds) = if rng.random_bool(0.05) { (150, kinds & !FIXED) } else { (6, kinds) };
        let case = random_case(&mut rng, most, 6, kinds);
        let problem = case.problem();
        let (tensors, gaps, pairs, reserved) = counts(&problem);
        let offsets = plan(&problem).expect("a plan").0;
        let sizes = [
            arena::lower_bound_scratch_size(tensors, gaps, pairs, reserved),
            arena::check_problem_scratch_size(tensors, gaps, pairs, reserved),
            arena::plan_portfolio_scratch_size(tensors, gaps, pairs, reserved),
        ];
        for (call, bytes) in sizes.into_iter().enumerate() {
            let mut words: Vec<u64> = Vec::with_capacity(bytes / 8 + 8);
            for shift in 0..8 {
                let words = &mut words.spare_capacity_mut()[shift..][..bytes / 8];
                let refused = match call {
                    0 => arena::lower_bound(&problem, words).err(),
                    1 => arena::check_problem(&problem, &offsets, words).err(),
                    _ => arena::plan_portfolio(&problem, 1, words).err(),
                };
                assert_eq!(refused, None, "{case:?}");
            }
            if let Some(less) = (bytes / 8).checked_sub(1) {
                let words = &mut words.spare_capacity_mut()[..less];
                let refused = match call {
                    0 => arena::lower_bound(&problem, words).err(),
                    1 => arena::check_problem(&problem, &offsets, words).err(),
                    _ => arena::plan_portfolio(&problem, 1, words).err(),
                };
                assert_eq!(refused, Some(error(Kind::ScratchTooSmall, NONE, NONE, bytes - 8, bytes)), "{case:?}");
            }
        }
    }
}
