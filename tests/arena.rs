//! Planning with alignments, the bound, the checker and the errors, each against an oracle written here.

use aether::arena::{self, Plan, Tensor};
use aether::{Error, Kind, NONE};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn tensor(size: usize, alignment: usize, first_use: usize, last_use: usize) -> Tensor {
    Tensor { size, alignment, first_use, last_use }
}

fn plan(tensors: &[Tensor]) -> Result<(Vec<usize>, Plan), Error> {
    let mut words = Vec::with_capacity(arena::plan_offsets_scratch_size(tensors.len()) / 8);
    arena::plan_offsets(tensors, words.spare_capacity_mut()).map(|(offsets, plan)| (offsets.to_vec(), plan))
}

fn check(tensors: &[Tensor], offsets: &[usize]) -> Result<Plan, Error> {
    let mut words = Vec::with_capacity(arena::check_offsets_scratch_size(tensors.len()) / 8);
    arena::check_offsets(tensors, offsets, words.spare_capacity_mut())
}

fn peak(tensors: &[Tensor]) -> Result<(usize, usize), Error> {
    let mut words = Vec::with_capacity(arena::peak_live_bytes_scratch_size(tensors.len()) / 8);
    arena::peak_live_bytes(tensors, words.spare_capacity_mut())
}

fn meet(a: &Tensor, b: &Tensor) -> bool {
    a.first_use <= b.last_use && b.first_use <= a.last_use
}

const ALIGNMENTS: [usize; 9] = [0, 1, 2, 3, 4, 7, 12, 16, 64];

fn random_tensors(rng: &mut StdRng, most: usize, largest: usize) -> Vec<Tensor> {
    let nodes = rng.random_range(1..=2 * most);
    let few_alignments = rng.random_range(1..=ALIGNMENTS.len());
    (0..rng.random_range(0..=most))
        .map(|_| {
            let first_use = rng.random_range(0..nodes);
            let last_use = rng.random_range(first_use..nodes);
            let alignment = ALIGNMENTS[ALIGNMENTS.len() - 1 - rng.random_range(0..few_alignments)];
            tensor(rng.random_range(0..=largest), alignment, first_use, last_use)
        })
        .collect()
}

/// The rule as the documentation states it: free intervals byte by byte, usable parts compared.
fn slow_offsets(tensors: &[Tensor]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tensors.len()).filter(|&i| tensors[i].size > 0).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(tensors[i].size));
    let mut offsets = vec![0; tensors.len()];
    for (placed, &i) in order.iter().enumerate() {
        let alive = order[..placed].iter().filter(|&&j| meet(&tensors[i], &tensors[j]));
        let ranges: Vec<_> = alive.map(|&j| offsets[j]..offsets[j] + tensors[j].size).collect();
        let top = ranges.iter().map(|range| range.end).max().unwrap_or(0);
        let stride = tensors[i].alignment.max(1);
        let mut usable: Vec<std::ops::Range<usize>> = Vec::new();
        let mut byte = 0;
        while byte < top {
            if ranges.iter().any(|range| range.contains(&byte)) {
                byte += 1;
                continue;
            }
            let end = (byte..top).find(|byte| ranges.iter().any(|range| range.contains(byte))).unwrap_or(top);
            let start = byte.div_ceil(stride) * stride;
            if start + tensors[i].size <= end {
                usable.push(start..end);
            }
            byte = end;
        }
        let smallest = usable.into_iter().min_by_key(|range| range.len());
        offsets[i] = smallest.map_or(top.div_ceil(stride) * stride, |range| range.start);
    }
    offsets
}

#[test]
fn aligned_offsets_are_those_of_the_rule_spelled_out() {
    let mut rng = StdRng::seed_from_u64(1);
    for round in 0..3_000 {
        let tensors = random_tensors(&mut rng, 30, 100);
        let (offsets, plan) = plan(&tensors).expect("a plan");
        assert_eq!(offsets, slow_offsets(&tensors), "round {round}");
        assert_eq!(check(&tensors, &offsets), Ok(plan), "round {round}");
    }
}

/// Some smallest plan places the tensors, in some order, each at the lowest aligned offset that is free for it: moving
/// the tensors of any plan down by ascending offset ends there and raises nothing.
fn smallest_arena(tensors: &[Tensor], offsets: &mut Vec<Option<usize>>) -> usize {
    let end = |i: usize, offset: usize| offset + tensors[i].size;
    let open: Vec<usize> = (0..tensors.len()).filter(|&i| offsets[i].is_none() && tensors[i].size > 0).collect();
    if open.is_empty() {
        return (0..tensors.len()).filter_map(|i| Some(end(i, offsets[i]?))).max().unwrap_or(0);
    }
    let lowest = |i: usize, offsets: &[Option<usize>]| {
        let stride = tensors[i].alignment.max(1);
        let free = |start: usize| {
            (0..tensors.len()).filter(|&j| meet(&tensors[i], &tensors[j])).all(|j| match offsets[j] {
                Some(other) => start + tensors[i].size <= other || end(j, other) <= start,
                None => true,
            })
        };
        (0..).map(|k| k * stride).find(|&start| free(start))
    };
    let mut best = usize::MAX;
    for i in open {
        offsets[i] = lowest(i, offsets);
        best = best.min(smallest_arena(tensors, offsets));
        offsets[i] = None;
    }
    best
}

#[test]
fn the_bound_is_never_above_the_smallest_arena_and_the_plan_never_below() {
    let mut rng = StdRng::seed_from_u64(2);
    let mut padded = 0;
    for round in 0..2_000 {
        let tensors = random_tensors(&mut rng, 5, 20);
        let plan = plan(&tensors).expect("a plan").1;
        let mut offsets: Vec<Option<usize>> = vec![None; tensors.len()];
        let smallest = smallest_arena(&tensors, &mut offsets);
        assert!(plan.peak_live_bytes <= plan.lower_bound, "round {round}: {tensors:?}");
        assert!(plan.lower_bound <= smallest, "round {round}: {tensors:?}");
        assert!(smallest <= plan.arena_size, "round {round}: {tensors:?}");
        padded += usize::from(plan.lower_bound > plan.peak_live_bytes);
    }
    assert!(padded > 100, "the bound differs from the peak in {padded} rounds only");
}

#[test]
fn the_bound_adds_the_rounding_of_all_but_the_topmost() {
    // 5 and 9 round up to 8 and 16, by 3 and 7: 24 - 7 = 17. The larger one goes on top: 5 at 0, 9 at 8.
    let plan = plan(&[tensor(5, 8, 0, 0), tensor(9, 8, 0, 0)]).expect("a plan").1;
    assert_eq!((plan.lower_bound, plan.peak_live_bytes), (17, 14));
}

#[test]
fn an_alignment_moves_only_the_tensor_that_has_it() {
    let tensors = [tensor(100, 16, 0, 1), tensor(100, 16, 1, 2), tensor(100, 16, 2, 3)];
    let sizes = Plan { arena_size: 212, arena_alignment: 16, lower_bound: 212, peak_live_bytes: 200 };
    assert_eq!(plan(&tensors), Ok((vec![0, 112, 0], sizes)));
    let tensors = [tensor(1, 64, 0, 1), tensor(1, 1, 0, 1)];
    let sizes = Plan { arena_size: 2, arena_alignment: 64, lower_bound: 2, peak_live_bytes: 2 };
    assert_eq!(plan(&tensors), Ok((vec![0, 1], sizes)));
}

#[test]
fn the_arena_alignment_is_the_least_common_multiple_of_those_that_have_bytes() {
    let alignment = |tensors: &[Tensor]| plan(tensors).expect("a plan").1.arena_alignment;
    assert_eq!(alignment(&[tensor(1, 12, 0, 0), tensor(1, 8, 0, 0), tensor(0, 7, 0, 0)]), 24);
    assert_eq!(alignment(&[tensor(0, 64, 0, 0)]), 1);
    assert_eq!(alignment(&[]), 1);
}

#[test]
fn the_peak_names_its_first_node() {
    assert_eq!(peak(&[tensor(4, 1, 3, 5), tensor(4, 1, 5, 9), tensor(8, 1, 7, 7)]), Ok((12, 7)));
    assert_eq!(peak(&[tensor(4, 1, 3, 5), tensor(4, 1, 8, 9)]), Ok((4, 3)));
    assert_eq!(peak(&[tensor(0, 1, 3, 5)]), Ok((0, NONE)));
}

/// By ascending node, byte and pair, as the documentation orders clashes.
fn slow_first_clash(tensors: &[Tensor], offsets: &[usize]) -> Option<Error> {
    let nodes = tensors.iter().map(|t| t.last_use + 1).max().unwrap_or(0);
    let bytes = tensors.iter().zip(offsets).map(|(t, offset)| offset + t.size).max().unwrap_or(0);
    for limit in 0..nodes {
        for got in 0..bytes {
            let holds = |i: &usize| {
                let (t, offset) = (&tensors[*i], offsets[*i]);
                t.first_use <= limit && limit <= t.last_use && offset <= got && got < offset + t.size
            };
            let mut holders = (0..tensors.len()).filter(holds);
            if let (Some(index), Some(other)) = (holders.next(), holders.next()) {
                return Some(Error { kind: Kind::Clash, index, other, got, limit });
            }
        }
    }
    None
}

#[test]
fn the_checker_names_the_first_clash_by_node_then_byte_then_indices() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut clashes = 0;
    for round in 0..3_000 {
        let mut tensors = random_tensors(&mut rng, 12, 20);
        tensors.iter_mut().for_each(|tensor| tensor.alignment = 1);
        let space = rng.random_range(1..200);
        let offsets: Vec<usize> = tensors.iter().map(|_| rng.random_range(0..space)).collect();
        let clash = slow_first_clash(&tensors, &offsets);
        clashes += usize::from(clash.is_some());
        assert_eq!(check(&tensors, &offsets).err(), clash, "round {round}: {tensors:?} {offsets:?}");
    }
    assert!((500..2_500).contains(&clashes), "{clashes} of 3,000 rounds clash");
}

#[test]
fn the_checker_names_the_first_misaligned_or_endless_tensor_before_any_clash() {
    let tensors = [tensor(4, 4, 0, 0), tensor(4, 1, 0, 0), tensor(4, 4, 0, 0)];
    let misaligned = Error { kind: Kind::OffsetMisaligned, index: 2, other: NONE, got: 6, limit: 4 };
    assert_eq!(check(&tensors, &[0, 0, 6]), Err(misaligned));
    let endless = Error { kind: Kind::ArenaOverflow, index: 1, other: NONE, got: 4, limit: 3 };
    assert_eq!(check(&tensors, &[0, usize::MAX - 3, 6]), Err(endless));
}

#[test]
fn an_offset_that_is_misaligned_and_endless_is_called_misaligned() {
    let error = Error { kind: Kind::OffsetMisaligned, index: 0, other: NONE, got: usize::MAX, limit: 2 };
    assert_eq!(check(&[tensor(4, 2, 0, 0)], &[usize::MAX]), Err(error));
}

#[test]
#[cfg(target_pointer_width = "64")]
fn a_sentence_has_all_twenty_digits_of_its_numbers() {
    let sentence = plan(&[tensor(1, 1, usize::MAX, usize::MAX - 1)]).expect_err("reversed").to_string();
    let [first, last] = ["18446744073709551615", "18446744073709551614"];
    assert_eq!(sentence, format!("tensor 0: its first use {first} is after its last use {last}"));
}

#[test]
fn the_offset_of_a_tensor_without_bytes_is_not_looked_at() {
    let sizes = Plan { arena_size: 4, arena_alignment: 1, lower_bound: 4, peak_live_bytes: 4 };
    assert_eq!(check(&[tensor(4, 1, 0, 0), tensor(0, 64, 0, 0)], &[0, 3]), Ok(sizes));
}

#[test]
fn a_checked_tensor_may_end_at_the_largest_size() {
    let sizes = Plan { arena_size: usize::MAX, arena_alignment: 1, lower_bound: 4, peak_live_bytes: 4 };
    assert_eq!(check(&[tensor(4, 1, 0, 0)], &[usize::MAX - 4]), Ok(sizes));
}

const HALF: usize = usize::MAX / 2 + 1;

#[test]
fn an_arena_may_end_at_the_largest_size_and_not_beyond() {
    let sizes = |size| Plan { arena_size: size, arena_alignment: 1, lower_bound: size, peak_live_bytes: size };
    assert_eq!(plan(&[tensor(usize::MAX, 1, 0, 1)]), Ok((vec![0], sizes(usize::MAX))));
    assert_eq!(plan(&[tensor(HALF, 1, 0, 1), tensor(HALF - 1, 1, 0, 1)]), Ok((vec![0, HALF], sizes(usize::MAX))));
    let error = Error { kind: Kind::ArenaOverflow, index: 1, other: 0, got: HALF, limit: HALF - 1 };
    assert_eq!(plan(&[tensor(HALF, 1, 0, 1), tensor(HALF, 1, 1, 2)]), Err(error));
}

#[test]
fn the_larger_of_two_huge_tensors_is_placed_first() {
    let plan = plan(&[tensor(HALF / 2, 1, 0, 0), tensor(HALF / 2 + 1, 1, 0, 0)]).expect("a plan");
    assert_eq!(plan.0, [HALF / 2 + 1, 0]);
}

#[test]
fn an_overflow_names_the_tensor_below_among_those_alive_with_it() {
    let error = Error { kind: Kind::ArenaOverflow, index: 2, other: 1, got: HALF, limit: HALF - 1 };
    assert_eq!(plan(&[tensor(HALF, 1, 5, 5), tensor(HALF, 1, 0, 1), tensor(HALF, 1, 1, 2)]), Err(error));
    assert_eq!(plan(&[tensor(HALF, 1, 0, 0), tensor(HALF, 1, 3, 4), tensor(HALF, 1, 1, 3)]), Err(error));
}

#[test]
fn padding_near_the_largest_size_never_wraps() {
    let error = Error { kind: Kind::ArenaOverflow, index: 1, other: 0, got: 64, limit: 0 };
    assert_eq!(plan(&[tensor(usize::MAX, 32, 0, 1), tensor(64, 32, 0, 1)]), Err(error));
    // Both round up to half the range, so the rounded sum is beyond it; less the larger rounding, of 2, it is not.
    let tensors = [tensor(HALF - 1, HALF, 0, 0), tensor(HALF - 2, HALF, 0, 0)];
    let end = usize::MAX - 1;
    let sizes = Plan { arena_size: end, arena_alignment: HALF, lower_bound: end, peak_live_bytes: end - 1 };
    assert_eq!(plan(&tensors), Ok((vec![0, HALF], sizes)));
}

#[test]
fn sizes_that_are_not_alive_together_may_add_up_beyond_the_largest_size() {
    let plan = plan(&[tensor(usize::MAX, 1, 0, 0), tensor(usize::MAX, 1, 1, 1)]).expect("a plan");
    assert_eq!((plan.0, plan.1.arena_size), (vec![0, 0], usize::MAX));
}

#[test]
fn live_bytes_beyond_the_largest_size_name_the_tensor_that_is_too_much() {
    let error = Error { kind: Kind::PeakOverflow, index: 0, other: NONE, got: HALF, limit: HALF - 1 };
    assert_eq!(peak(&[tensor(HALF, 1, 1, 2), tensor(HALF, 1, 0, 1)]), Err(error));
}

#[test]
fn a_common_multiple_beyond_the_largest_size_names_the_tensor() {
    let error = Error { kind: Kind::AlignmentOverflow, index: 2, other: NONE, got: 3, limit: HALF };
    let tensors = [tensor(1, HALF, 0, 0), tensor(1, 2, 1, 1), tensor(1, 3, 2, 2)];
    assert_eq!(plan(&tensors), Err(error));
    assert_eq!(check(&tensors, &[0, 0, 0]), Err(error));
}

#[test]
fn a_reversed_lifetime_is_refused_even_without_bytes() {
    let tensors = [tensor(1, 1, 0, 0), tensor(0, 1, 7, 3)];
    let error = Error { kind: Kind::Lifetime, index: 1, other: NONE, got: 7, limit: 3 };
    assert_eq!(plan(&tensors), Err(error));
    assert_eq!(check(&tensors, &[0, 0]), Err(error));
    assert_eq!(peak(&tensors), Err(error));
}

#[test]
#[cfg(target_pointer_width = "64")]
fn scratch_grows_by_a_fixed_number_of_bytes_a_tensor() {
    let sizes = [
        (arena::plan_offsets_scratch_size as fn(usize) -> usize, 280),
        (arena::check_offsets_scratch_size, 32),
        (arena::peak_live_bytes_scratch_size, 24),
    ];
    for (scratch_size, bytes) in sizes {
        for count in [0, 1, 2, 3, 1_000, u32::MAX as usize] {
            assert_eq!(scratch_size(count), bytes * count);
        }
        assert_eq!(scratch_size(usize::MAX / bytes), usize::MAX / bytes * bytes);
        assert_eq!(scratch_size(usize::MAX / bytes + 1), usize::MAX);
        assert_eq!(scratch_size(usize::MAX), usize::MAX);
    }
}

#[test]
fn scratch_that_is_a_word_short_is_refused_with_both_sizes() {
    for count in [1, 2, 3, 64, 65, 1000] {
        let tensors = vec![tensor(3, 2, 0, 0); count];
        let need = arena::plan_offsets_scratch_size(count);
        let mut words = Vec::with_capacity(need / 8);
        let short = arena::plan_offsets(&tensors, &mut words.spare_capacity_mut()[..need / 8 - 1]).err();
        let error = Error { kind: Kind::ScratchTooSmall, index: NONE, other: NONE, got: need - 8, limit: need };
        assert_eq!(short, Some(error), "{count} tensors");
        assert!(plan(&tensors).is_ok(), "{count} tensors");
        assert!(peak(&tensors).is_ok(), "{count} tensors");
        let offsets: Vec<usize> = (0..count).map(|i| 4 * i).collect();
        assert!(check(&tensors, &offsets).is_ok(), "{count} tensors");
    }
}
