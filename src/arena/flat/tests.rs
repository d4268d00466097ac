//! The decoder against the rules of [`Fit`] spelled out offset by offset.

#[path = "../../../tests/common/problems.rs"]
mod problems;

use super::*;
use crate::arena::bytes::Counts;
use crate::arena::model::{MODEL, WORK};
use crate::arena::packing::{PACKING, Packing};
use crate::arena::reading;
use problems::{ALIGNMENTS, ALL, APART, COMPATIBLE, Case, GAPS, random_case};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use std::vec;
use std::vec::Vec;

const FITS: [Fit; 4] = [Fit::Best, Fit::First, Fit::BestBelowTop, Fit::Next];

fn fast(case: &Case, order: &[u32], fit: Fit, ceiling: Option<usize>) -> (Option<usize>, Vec<usize>) {
    let (n, gaps, pairs) = (case.tensors.len(), case.gaps.len(), case.compatible.len() + case.apart.len());
    let reserved = case.reserved.len();
    let bytes = MODEL.and(WORK.or(FLAT)).of(Counts::new(n, gaps, pairs, reserved));
    let mut words: Vec<u64> = Vec::with_capacity(bytes / 8);
    let mut scratch = Scratch::new(words.spare_capacity_mut());
    let model = reading::model(&case.problem(), &mut scratch).unwrap();
    let mut offsets = vec![77; n];
    // The second decode must not see the first.
    place(&model, order, Fit::Best, None, &mut offsets, scratch.phase()).unwrap();
    let arena = place(&model, order, fit, ceiling, &mut offsets, scratch).unwrap();
    (arena, offsets)
}

/// Every offset below this one is tried; all that is ever forbidden in these tests is far below it.
const SPACE: usize = 100;

fn slow(case: &Case, order: &[u32], fit: Fit) -> Vec<usize> {
    let mut placed: Vec<Option<usize>> = (0..case.tensors.len()).map(|i| case.fixed(i)).collect();
    let mut last_end = 0;
    for i in order.iter().map(|&i| i as usize) {
        let (size, stride) = (case.tensors[i].size, case.tensors[i].alignment.max(1));
        let arena = (0..placed.len()).filter_map(|j| Some(placed[j]? + case.tensors[j].size)).max().unwrap_or(0);
        let is_free = |offset: usize| {
            let clashes = |j: usize| placed[j].is_some_and(|at| case.conflict(i, offset, j, at));
            !case.is_reserved(i, offset) && !(0..placed.len()).any(clashes)
        };
        let floor = if fit == Fit::Next { last_end } else { 0 };
        // The first aligned and the last offset of each interval of free ones; the last interval has no end.
        let mut intervals: Vec<(usize, usize)> = Vec::new();
        let mut offset = floor;
        while offset < SPACE {
            let end = (offset..SPACE).find(|&offset| !is_free(offset)).unwrap_or(SPACE);
            if end > offset {
                intervals.push((offset.next_multiple_of(stride), if end == SPACE { usize::MAX } else { end - 1 }));
            }
            offset = end + 1;
        }
        intervals.retain(|(start, last)| start <= last);
        let &(above, unbounded) = intervals.last().unwrap();
        assert_eq!(unbounded, usize::MAX);
        let bounded = match fit {
            Fit::BestBelowTop if above + size <= arena => {
                let count = intervals.len();
                intervals[count - 1].1 = arena - size;
                &intervals[..]
            }
            Fit::Best | Fit::BestBelowTop => &intervals[..intervals.len() - 1],
            Fit::First | Fit::Next => &intervals[..1],
        };
        let fitting = bounded.iter().min_by_key(|(start, last)| last - start).map_or(above, |(start, _)| *start);
        let wish = case.hints.get(i).copied();
        let wish = wish.filter(|&wish| wish < SPACE && wish.is_multiple_of(stride) && is_free(wish));
        placed[i] = Some(wish.unwrap_or(fitting));
        last_end = placed[i].unwrap() + size;
    }
    placed.into_iter().map(|offset| offset.unwrap_or(0)).collect()
}

fn random_order(case: &Case, rng: &mut StdRng) -> Vec<u32> {
    let is_planned = |&i: &u32| case.tensors[i as usize].size > 0 && case.fixed(i as usize).is_none();
    let mut order: Vec<u32> = (0..case.tensors.len() as u32).filter(is_planned).collect();
    order.shuffle(rng);
    order
}

#[test]
fn every_fit_gives_the_offsets_of_its_rule_in_every_order_and_every_kind_of_problem() {
    for round in 0..1_280u32 {
        let mut rng = StdRng::seed_from_u64(u64::from(round));
        let case = random_case(&mut rng, 6, 4, round % (ALL + 1));
        let order = random_order(&case, &mut rng);
        for fit in FITS {
            let offsets = slow(&case, &order, fit);
            let arena = case.arena(&offsets);
            assert_eq!(fast(&case, &order, fit, None), (Some(arena), offsets), "{fit:?} {order:?} {case:?}");
        }
    }
}

#[test]
fn a_decode_ends_as_soon_as_the_arena_is_at_the_ceiling() {
    for round in 0..200u32 {
        let mut rng = StdRng::seed_from_u64(u64::from(round));
        let case = random_case(&mut rng, 6, 4, ALIGNMENTS);
        let order = random_order(&case, &mut rng);
        let (arena, offsets) = fast(&case, &order, Fit::Best, None);
        assert_eq!(fast(&case, &order, Fit::Best, arena).0, None);
        assert_eq!(fast(&case, &order, Fit::Best, arena.map(|arena| arena + 1)), (arena, offsets));
    }
}

#[test]
fn where_lifetimes_alone_decide_both_decoders_give_the_same_offsets() {
    for round in 0..2_560u32 {
        let mut rng = StdRng::seed_from_u64(u64::from(round));
        let most = if round % 8 == 0 { 40 } else { 8 };
        let case = random_case(&mut rng, most, 12, (round % (ALL + 1)) & !(GAPS | COMPATIBLE | APART));
        if case.tensors.is_empty() {
            continue; // A packing has no scratch then.
        }
        let order = random_order(&case, &mut rng);
        let mut words: Vec<u64> =
            Vec::with_capacity(PACKING.of(Counts::new(case.tensors.len(), 0, 0, case.reserved.len())) / 8);
        let mut scratch = Scratch::new(words.spare_capacity_mut());
        let Case { tensors, fixed, hints, reserved, .. } = &case;
        let mut packing = Packing::new(tensors, fixed, hints, usize::MAX, reserved, &mut scratch).unwrap();
        for fit in FITS {
            let mut offsets = vec![77; tensors.len()];
            let arena = packing.place(&order, fit, None, &mut offsets).unwrap();
            assert_eq!(fast(&case, &order, fit, None), (arena, offsets), "{fit:?} {order:?} {case:?}");
        }
    }
}

#[test]
fn a_choice_is_final_once_no_window_above_can_win_and_the_hint_is_gone() {
    let tensor = Tensor { size: 4, alignment: 1, first_use: 0, last_use: 0 };
    let is_final = |hint: Option<usize>, forbidden: &[(usize, usize)]| {
        let mut allowed = Allowed::new(&tensor, Fit::First, hint, 0);
        forbidden.iter().for_each(|&(begin, end)| allowed.forbid(Range { begin, end }));
        allowed.is_final()
    };
    assert!(!is_final(None, &[(0, 2)]));
    assert!(is_final(None, &[(0, 2), (3, 5)]));
    assert!(!is_final(Some(6), &[(0, 2), (3, 5)]));
    assert!(is_final(Some(6), &[(0, 2), (3, 5), (5, 7)]));
}

#[test]
fn the_slow_decoder_is_for_gaps_and_pairs_alone() {
    for round in 0..200u32 {
        let mut rng = StdRng::seed_from_u64(u64::from(round));
        let case = random_case(&mut rng, 6, 4, round % (ALL + 1));
        let mut words: Vec<u64> = Vec::with_capacity(10_000);
        let mut scratch = Scratch::new(words.spare_capacity_mut());
        let model = reading::model(&case.problem(), &mut scratch).map(|model| model.has_gaps_or_pairs());
        let items = case.gaps.len() + case.compatible.len() + case.apart.len();
        assert_eq!(model, Ok(items > 0));
    }
}
