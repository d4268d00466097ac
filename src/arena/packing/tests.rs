//! Every rule and both ways of finding what is free, against a direct form that looks at every byte range anew.

use std::vec::Vec;

use super::gap_tree::Cut;
use super::*;
use crate::arena::bytes::Counts;
use crate::arena::{plan_offsets, plan_offsets_scratch_size};
use crate::scratch::Word;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// A problem, and what is asked of it.
#[derive(Clone, Debug, Default)]
struct Case {
    tensors: Vec<Tensor>,
    fixed: Vec<usize>,
    hints: Vec<usize>,
    hint_limit: usize,
    reserved: Vec<Range>,
    order: Vec<u32>,
    ceiling: Option<usize>,
}

type Answer = Result<(Option<usize>, Vec<usize>), Error>;

fn place(case: &Case, fit: Fit, method: Option<Method>) -> Answer {
    let words = 16_384 + 1_024 * case.tensors.len();
    let mut words: Vec<u64> = Vec::with_capacity(words);
    let mut scratch = Scratch::new(words.spare_capacity_mut());
    let Case { tensors, fixed, hints, hint_limit, reserved, order, ceiling } = case;
    let mut packing = Packing::by_method(method, tensors, fixed, hints, *hint_limit, reserved, &mut scratch)?;
    let mut offsets = std::vec![77; tensors.len()];
    // The second time finds nothing left of the first.
    packing.place(order, Fit::First, None, &mut offsets).ok();
    let arena = packing.place(order, fit, *ceiling, &mut offsets)?;
    Ok((arena, offsets))
}

/// The rule in plain words and 128-bit numbers.
fn slow_place(case: &Case, fit: Fit) -> Answer {
    const END: u128 = usize::MAX as u128;
    let mut offsets = std::vec![0; case.tensors.len()];
    let mut placed: Vec<usize> = Vec::new();
    for (i, &offset) in case.fixed.iter().enumerate().filter(|(_, offset)| **offset != FREE) {
        if case.tensors[i].size > 0 {
            offsets[i] = offset;
            placed.push(i);
        }
    }
    let end = |i: usize, offsets: &[usize]| offsets[i] as u128 + case.tensors[i].size as u128;
    let mut cursor = 0;
    let mut top = placed.iter().map(|&i| end(i, &offsets)).max().unwrap_or(0);
    let too_high = |top: u128| case.ceiling.is_some_and(|ceiling| top >= ceiling as u128);
    for i in case.order.iter().map(|&i| i as usize) {
        if too_high(top) {
            break;
        }
        let tensor = case.tensors[i];
        let (size, stride) = (tensor.size as u128, tensor.stride() as u128);
        let meets = |j: &&usize| tensor.meets(case.tensors[**j].first_use, case.tensors[**j].last_use);
        let mut used: Vec<(u128, u128)> = case.reserved.iter().map(|r| (r.begin as u128, r.end as u128)).collect();
        used.extend(placed.iter().filter(meets).map(|&j| (offsets[j] as u128, end(j, &offsets))));
        used.retain(|(begin, end)| begin < end);
        used.sort_unstable();
        let mut free = std::vec![(0, END)];
        for (begin, end) in used {
            let last = free.last_mut().unwrap();
            if begin > last.0 {
                last.1 = begin;
                free.push((end, END));
            } else {
                last.0 = last.0.max(end);
            }
        }
        let last = free.pop().unwrap();
        let usable = |&(begin, end): &(u128, u128)| {
            let floor = if fit == Fit::Next { cursor } else { 0 };
            let begin = begin.max(floor).next_multiple_of(stride);
            (begin + size <= end).then(|| (end - begin, begin))
        };
        let hint = case.hints.get(i).filter(|&&hint| hint != FREE).map(|&hint| hint as u128).filter(|&hint| {
            let is_free = free.iter().chain([&last]).any(|&(begin, end)| begin <= hint && hint + size <= end);
            is_free && hint % stride == 0 && hint + size <= case.hint_limit as u128
        });
        let chosen = match fit {
            Fit::First | Fit::Next => free.iter().find_map(usable),
            Fit::Best => free.iter().filter_map(usable).min_by_key(|usable| usable.0),
            Fit::BestBelowTop => free.iter().chain([&(last.0, top)]).filter_map(usable).min_by_key(|usable| usable.0),
        };
        let chosen = hint.or(chosen.or_else(|| usable(&last)).map(|(_, begin)| begin));
        let Some(begin) = chosen else {
            let floor = if fit == Fit::Next { cursor } else { 0 };
            let on = last.0.max(floor);
            let left = END.saturating_sub(on.next_multiple_of(stride)) as usize;
            let below = placed.iter().filter(meets).copied().filter(|&j| end(j, &offsets) == on).min();
            return Err(Error::new(Kind::ArenaOverflow, i, tensor.size, left).against(below.unwrap_or(NONE)));
        };
        offsets[i] = begin as usize;
        placed.push(i);
        (top, cursor) = (top.max(begin + size), begin + size);
    }
    Ok(((!too_high(top)).then_some(top as usize), offsets))
}

const FITS: [Fit; 4] = [Fit::Best, Fit::First, Fit::BestBelowTop, Fit::Next];

fn random_tensors(rng: &mut StdRng, most: usize) -> Vec<Tensor> {
    let nodes = rng.random_range(1..=2 * most);
    let longest = rng.random_range(1..=nodes);
    let largest = [1, 3, 100, 1 << 20, usize::MAX / 64, usize::MAX][rng.random_range(0..6)];
    let alignments = [[1, 1, 1, 1], [1, 2, 4, 64], [3, 7, 12, 16], [64, 64, 64, 64]][rng.random_range(0..4)];
    let far = [1, 1, 1_000, usize::MAX / (2 * nodes)][rng.random_range(0..4)];
    let mut tensors: Vec<Tensor> = (0..rng.random_range(0..=most))
        .map(|_| {
            let first_use = rng.random_range(0..nodes);
            let last_use = rng.random_range(first_use..nodes.min(first_use + longest));
            let size = if rng.random_bool(0.1) { 0 } else { rng.random_range(0..=largest) };
            let alignment = alignments[rng.random_range(0..4)];
            Tensor { size, alignment, first_use: first_use * far, last_use: last_use * far }
        })
        .collect();
    if rng.random() {
        tensors.sort_by_key(|tensor| tensor.first_use);
    }
    tensors
}

fn random_case(rng: &mut StdRng, most: usize) -> Case {
    let tensors = random_tensors(rng, most);
    let mut order: Vec<u32> = (0..tensors.len() as u32).filter(|&i| tensors[i as usize].size > 0).collect();
    order.shuffle(rng);
    let mut case = Case { tensors, order, ..Case::default() };
    let reach = 1 + case.tensors.iter().fold(0usize, |sum, tensor| sum.saturating_add(tensor.size)) / 2;
    if rng.random_bool(0.3) {
        for _ in 0..rng.random_range(1..=6) {
            let begin = rng.random_range(0..reach);
            let end = begin.saturating_add(rng.random_range(0..=reach / 8));
            case.reserved.push(Range { begin, end });
        }
    }
    if rng.random_bool(0.3) {
        // Some of a plan stay where it put them.
        if let Ok((_, offsets)) = slow_place(&case, Fit::First) {
            let is_fixed = |i: usize, rng: &mut StdRng| case.tensors[i].size == 0 || rng.random_bool(0.3);
            case.fixed = (0..offsets.len()).map(|i| if is_fixed(i, rng) { offsets[i] } else { FREE }).collect();
            case.order.retain(|&i| case.fixed[i as usize] == FREE);
        }
    }
    if rng.random_bool(0.3) {
        let mut hint = |tensor: &Tensor| match rng.random_range(0..3) {
            0 => FREE,
            1 => rng.random_range(0..reach),
            _ => rng.random_range(0..reach) / tensor.stride() * tensor.stride(),
        };
        case.hints = case.tensors.iter().map(&mut hint).collect();
        case.hint_limit = if rng.random() { usize::MAX } else { rng.random_range(0..reach) };
    }
    case.ceiling = rng.random_bool(0.2).then(|| rng.random_range(0..reach));
    case
}

/// All widths from one rank to more ranks than there are, and steep and flat trees.
fn methods(rng: &mut StdRng) -> [Option<Method>; 4] {
    let mut cut = || Cut { leaf_bits: rng.random_range(0..=7), fan_bits: rng.random_range(1..=4) };
    [None, Some(Method::Collect), Some(Method::Tree(cut())), Some(Method::Tree(cut()))]
}

#[test]
fn every_rule_places_as_spelled_out_whatever_the_method() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut errors, mut stopped) = (0, 0);
    for round in 0..3_000 {
        let case = random_case(&mut rng, if round % 10 == 0 { 200 } else { 30 });
        for fit in FITS {
            let answer = slow_place(&case, fit);
            errors += usize::from(answer.is_err());
            stopped += usize::from(matches!(answer, Ok((None, _))));
            for method in methods(&mut rng) {
                let found = place(&case, fit, method);
                match (&found, &answer) {
                    // What was placed before the ceiling was met is nobody's plan.
                    (Ok((None, _)), Ok((None, _))) => {}
                    _ => assert_eq!(found, answer, "round {round}, {fit:?}, {method:?}: {case:?}"),
                }
            }
        }
    }
    assert!(errors > 100 && stopped > 100, "{errors} errors, {stopped} stopped at a ceiling");
}

fn case(tensors: &[(usize, usize, usize)]) -> Case {
    let tensor = |&(size, first_use, last_use)| Tensor { size, alignment: 1, first_use, last_use };
    let tensors: Vec<Tensor> = tensors.iter().map(tensor).collect();
    Case { order: (0..tensors.len() as u32).collect(), tensors, hint_limit: usize::MAX, ..Case::default() }
}

fn offsets(case: &Case, fit: Fit) -> Vec<usize> {
    let tree = Method::Tree(Cut { leaf_bits: 0, fan_bits: 1 });
    let answer = place(case, fit, Some(tree));
    assert_eq!(answer, place(case, fit, Some(Method::Collect)));
    assert_eq!(answer, place(case, fit, None));
    answer.expect("a plan").1
}

/// Below the last, of 10 bytes, are free: [0, 30), [40, 60) and [70, 90), of which only the last touches the top.
fn three_intervals() -> Case {
    let used = [(30, 0, 0), (10, 0, 1), (20, 0, 0), (10, 0, 1), (20, 0, 0)];
    case(&[&used[..], &[(10, 1, 1)]].concat())
}

#[test]
fn each_rule_takes_its_own_interval() {
    let case = three_intervals();
    assert_eq!(offsets(&case, Fit::Best), [0, 30, 40, 60, 70, 40]);
    assert_eq!(offsets(&case, Fit::First), [0, 30, 40, 60, 70, 0]);
    assert_eq!(offsets(&case, Fit::BestBelowTop), [0, 30, 40, 60, 70, 40], "the lower of two equal ones");
    assert_eq!(offsets(&case, Fit::Next), [0, 30, 40, 60, 70, 90]);
}

#[test]
fn the_space_below_the_top_wins_where_it_is_strictly_smaller() {
    let mut case = three_intervals();
    case.tensors[4].size = 19;
    assert_eq!(offsets(&case, Fit::BestBelowTop)[5], 70);
    case.tensors[5].size = 20;
    assert_eq!(offsets(&case, Fit::BestBelowTop)[5], 40, "it must fit below the top");
}

#[test]
fn a_lifetime_may_reach_the_last_node_there_is() {
    let case = case(&[(4, 0, usize::MAX), (2, 0, 0), (1, 1, usize::MAX), (3, 2, 2)]);
    assert_eq!(offsets(&case, Fit::Best), [0, 4, 4, 5]);
}

#[test]
fn a_tensor_meets_one_that_began_many_words_of_slots_ago() {
    // The first lasts until the 300th begins, the second until just before.
    let lifetime = |i| match i {
        0 => (5, 0, 299),
        1 => (7, 0, 298),
        _ => (1, i, i),
    };
    let case = case(&(0..301).map(lifetime).collect::<Vec<_>>());
    let found = offsets(&case, Fit::Best);
    assert_eq!((found[0], found[1], found[298], found[299], found[300]), (0, 5, 12, 5, 0));
}

#[test]
fn a_fixed_tensor_is_placed_before_all_and_counts_for_the_arena() {
    let mut case = case(&[(10, 0, 0), (10, 0, 0), (5, 0, 0)]);
    (case.fixed, case.order) = (std::vec![FREE, 7, FREE], std::vec![0, 2]);
    assert_eq!(place(&case, Fit::Best, None), Ok((Some(27), std::vec![17, 7, 0])));
    case.ceiling = Some(17);
    assert_eq!(place(&case, Fit::Best, None).map(|answer| answer.0), Ok(None));
}

#[test]
fn a_hint_is_taken_if_it_is_aligned_free_and_within_the_limit() {
    let mut case = case(&[(8, 0, 0), (8, 0, 0)]);
    let hinted = |hint: usize, alignment: usize, limit: usize, case: &mut Case| {
        (case.hints, case.tensors[1].alignment, case.hint_limit) = (std::vec![FREE, hint], alignment, limit);
        offsets(case, Fit::Best)[1]
    };
    assert_eq!(hinted(100, 4, 108, &mut case), 100);
    assert_eq!(hinted(100, 8, 108, &mut case), 8, "misaligned");
    assert_eq!(hinted(7, 1, 108, &mut case), 8, "not free");
    assert_eq!(hinted(100, 4, 107, &mut case), 8, "beyond the limit");
    assert_eq!(hinted(usize::MAX - 8, 1, usize::MAX, &mut case), usize::MAX - 8);
    assert_eq!(hinted(usize::MAX - 7, 1, usize::MAX, &mut case), 8, "beyond the space");
}

#[test]
fn reserved_bytes_are_never_used_in_any_order_and_overlap() {
    let mut case = case(&[(10, 0, 0), (4, 0, 0), (6, 1, 1)]);
    let range = |begin, end| Range { begin, end };
    case.reserved = std::vec![range(20, 25), range(0, 5), range(9, 9), range(9, 21), range(3, 5)];
    assert_eq!(offsets(&case, Fit::Best), [25, 5, 25]);
    case.reserved.push(range(25, usize::MAX));
    let error = Error { kind: Kind::ArenaOverflow, index: 0, other: NONE, got: 10, limit: 0 };
    assert_eq!(place(&case, Fit::Best, None), Err(error));
}

#[test]
fn the_space_is_what_lies_between_the_reserved_ranges_and_above() {
    let range = |begin, end| Range { begin, end };
    let mut words: Vec<u64> = Vec::with_capacity(100);
    let mut space =
        |reserved: &[Range]| unreserved(reserved, &mut Scratch::new(words.spare_capacity_mut())).map(<[Range]>::to_vec);
    assert_eq!(space(&[]), Ok(std::vec![SPACE]));
    let reserved = [range(9, 12), range(0, 3), range(3, 5), range(7, 7), range(10, 11), range(12, 13)];
    assert_eq!(space(&reserved), Ok(std::vec![range(5, 9), range(13, SPACE_END)]));
    let to_the_end = [range(4, SPACE_END)];
    assert_eq!(space(&to_the_end), Ok(std::vec![range(0, 4), range(SPACE_END, SPACE_END)]));
}

#[test]
fn the_last_window_stays_when_the_space_is_full_to_its_end() {
    let mut case = case(&[(usize::MAX - 10, 0, 1), (10, 0, 0), (10, 1, 1), (1, 1, 1)]);
    assert_eq!(
        offsets(&Case { order: std::vec![0, 1, 2], ..case.clone() }, Fit::First)[..3],
        [0, usize::MAX - 10, usize::MAX - 10]
    );
    case.order = std::vec![0, 2, 1, 3];
    for method in [Method::Collect, Method::Tree(Cut { leaf_bits: 0, fan_bits: 1 })] {
        let error = Error { kind: Kind::ArenaOverflow, index: 3, other: 2, got: 1, limit: 0 };
        assert_eq!(place(&case, Fit::First, Some(method)), Err(error));
    }
}

/// Many shapes, wide and narrow leaves, at a size where lists reach their capacities.
#[test]
fn lists_that_would_be_too_long_are_avoided_by_wider_leaves() {
    let mut rng = StdRng::seed_from_u64(2);
    type Shape = fn(usize, usize, usize) -> (usize, usize);
    let shapes: [Shape; 4] = [
        |i, n, _| (i, 2 * n - i),
        |i, n, _| (i, i + n / 3),
        |i, n, _| if i % 2 == 0 { (0, n) } else { (i, i + 1) },
        |i, n, random| (i.min(random % (2 * n)), i.max(random % (2 * n))),
    ];
    for shape in shapes {
        let lifetime = |i| shape(i, 600, rng.random_range(0..1 << 30));
        let lifetimes: Vec<_> = (0..600).map(lifetime).collect();
        let rows = lifetimes.into_iter().map(|(first, last)| (rng.random_range(1..100), first, last));
        let mut case = case(&rows.collect::<Vec<_>>());
        case.order.shuffle(&mut rng);
        let answer = slow_place(&case, Fit::Best);
        for leaf_bits in 0..=10 {
            for fan_bits in [1, 3, 10] {
                let tree = Method::Tree(Cut { leaf_bits, fan_bits });
                assert_eq!(place(&case, Fit::Best, Some(tree)), answer, "{leaf_bits}, {fan_bits}");
            }
        }
    }
}

#[test]
fn the_scratch_that_is_told_suffices() {
    let mut rng = StdRng::seed_from_u64(3);
    for n in [1, 2, 3, 16, 17, 128, 129, 130, 200, 512, 513, 1_000, 2_501, 5_000] {
        for reserved in [0, 1, 5] {
            // In the last shape a few live for ever, so that they are long in every word.
            let (longest, for_ever) = [(1, 0), (20, 0), (2 * n + 1, 0), (1, 8)][rng.random_range(0..4)];
            let tensor = |i| {
                let length = if i < for_ever { n } else { rng.random_range(0..longest) };
                Tensor { size: 1 + i, alignment: 1, first_use: i, last_use: i + length }
            };
            let tensors: Vec<Tensor> = (0..n).map(tensor).collect();
            let reserved = std::vec![Range { begin: 3, end: 4 }; reserved];
            let words = PACKING.of(Counts::new(n, 0, 0, reserved.len())) / 8;
            let mut words: Vec<u64> = Vec::with_capacity(words);
            let words: &mut [Word] = words.spare_capacity_mut();
            let packing = Packing::new(&tensors, &[], &[], 0, &reserved, &mut Scratch::new(words));
            assert!(packing.is_ok(), "{n} tensors");
        }
    }
}

#[test]
fn the_scratch_of_a_plain_plan_suffices() {
    // From 129 tensors on there may be a tree, and the constant part is in what the tensors leave.
    for n in 129..2_000 {
        let beside = Bytes { tensor: 2 * size_of::<usize>() + 4, gap: 0, pair: 0, reserved: 0, constant: 0 };
        let bytes = PACKING.and(beside).of(Counts::new(n, 0, 0, 0));
        assert!(bytes <= plan_offsets_scratch_size(n), "{n} tensors");
    }
    for n in 0..=128 {
        let tensors: Vec<Tensor> =
            (0..n).map(|i| Tensor { size: 1 + i, alignment: 8, first_use: i, last_use: 2 * n }).collect();
        let mut words: Vec<u64> = Vec::with_capacity(plan_offsets_scratch_size(n) / 8);
        let words = &mut words.spare_capacity_mut()[..plan_offsets_scratch_size(n) / 8];
        assert!(plan_offsets(&tensors, words).is_ok(), "{n} tensors");
    }
}

#[test]
fn an_order_that_stays_near_one_time_gives_the_same_plan() {
    let mut rng = StdRng::seed_from_u64(5);
    for round in 0..500 {
        let case = Case { order: Vec::new(), ..random_case(&mut rng, 200) };
        let Case { tensors, .. } = &case;
        let mut words: Vec<u64> = Vec::with_capacity(16_384 + 1_024 * tensors.len());
        let mut scratch = Scratch::new(words.spare_capacity_mut());
        let mut packing = Packing::new(tensors, &[], &[], 0, &case.reserved, &mut scratch).expect("scratch");
        let mut order: Vec<u32> = (0..tensors.len() as u32).filter(|&i| tensors[i as usize].size > 0).collect();
        order.shuffle(&mut rng);
        let mut near = order.clone();
        let bits = rng.random_range(0..=8);
        let lifetimes = Lifetimes::new(tensors, &mut scratch).expect("scratch");
        locality::stay_in_regions(&mut near, &lifetimes, bits, &mut scratch.phase()).expect("scratch");
        let mut given = [std::vec![0; tensors.len()], std::vec![0; tensors.len()]];
        for fit in [Fit::Best, Fit::First] {
            let arena = packing.place(&order, fit, None, &mut given[0]);
            let arena_near = packing.place(&near, fit, None, &mut given[1]);
            assert_eq!(arena.is_err(), arena_near.is_err(), "round {round}");
            if arena.is_ok() {
                assert_eq!((&arena, &given[0]), (&arena_near, &given[1]), "round {round}, {bits} bits");
            }
        }
        near.sort_unstable();
        order.sort_unstable();
        assert_eq!(near, order, "every tensor once");
    }
}

#[test]
fn an_order_to_and_fro_between_two_times_takes_one_region_of_time_after_the_other() {
    let tensors: Vec<Tensor> = (0..300).map(|i| Tensor { size: 1, alignment: 1, first_use: i, last_use: i }).collect();
    let mut words: Vec<u64> = Vec::with_capacity(16_384 + 1_024 * tensors.len());
    let mut scratch = Scratch::new(words.spare_capacity_mut());
    let packing = Packing::new(&tensors, &[], &[], 0, &[], &mut scratch).expect("scratch");
    let mut order: Vec<u32> = (0..150).flat_map(|i| [i, 299 - i]).collect();
    packing.stay_near(&mut order, scratch).expect("scratch");
    let mut regions: Vec<u32> = order.iter().map(|i| i / 64).collect();
    regions.dedup();
    assert_eq!(regions, [0, 1, 2, 3, 4]);
}

#[test]
fn lifetimes_meet_in_ranks_if_and_only_if_they_share_a_node() {
    let mut rng = StdRng::seed_from_u64(4);
    for _ in 0..300 {
        let tensors = random_tensors(&mut rng, 30);
        let mut words: Vec<u64> = Vec::with_capacity(4_096);
        let lifetimes = Lifetimes::new(&tensors, &mut Scratch::new(words.spare_capacity_mut())).expect("scratch");
        let live = |i: &usize| tensors[*i].size > 0;
        let mut pairs = 0;
        for i in (0..tensors.len()).filter(live) {
            for j in (0..tensors.len()).filter(live) {
                let meets = tensors[i].meets(tensors[j].first_use, tensors[j].last_use);
                assert_eq!(lifetimes.of[i].meets(lifetimes.of[j]), meets, "{tensors:?}");
                pairs += u64::from(i < j && meets);
            }
        }
        assert_eq!(lifetimes.pairs(&tensors), pairs);
    }
}
