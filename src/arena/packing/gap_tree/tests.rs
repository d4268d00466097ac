//! The nodes that a lifetime visits and the lists of gaps, against their definitions.

use std::vec;
use std::vec::Vec;

use super::*;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The ranks of a node: its level and its place there; none of them is `ranks` or more.
fn ranks_of(shape: &Shape, level: usize, node: u32) -> std::ops::Range<u64> {
    let bits = shape.cut.leaf_bits + level as u32 * shape.cut.fan_bits;
    let [begin, end] = [node, node + 1].map(|node| (u64::from(node) << bits).min(shape.ranks.into()));
    begin..end
}

/// Each lifetime of up to so many ranks, under all narrow cuts.
fn each_lifetime(most: u32, mut look: impl FnMut(&Shape, Lifetime)) {
    for ranks in 1..=most {
        for (leaf_bits, fan_bits) in [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1), (2, 3), (5, 1)] {
            let shape = Shape::new(ranks, Cut { leaf_bits, fan_bits });
            for first in 0..ranks {
                (first..ranks).for_each(|last| look(&shape, Lifetime { first, last }));
            }
        }
    }
}

fn touches(lifetime: Lifetime, ranks: &std::ops::Range<u64>) -> bool {
    u64::from(lifetime.first) < ranks.end && ranks.start <= u64::from(lifetime.last)
}

fn covers(lifetime: Lifetime, ranks: &std::ops::Range<u64>) -> bool {
    u64::from(lifetime.first) <= ranks.start && ranks.end <= u64::from(lifetime.last) + 1
}

#[test]
fn a_lifetime_visits_the_nodes_it_touches_below_those_it_covers_not_and_once_each() {
    each_lifetime(19, |shape, lifetime| {
        let mut expected = Vec::new();
        for level in 0..shape.levels {
            for node in 0..shape.begin[level + 1] - shape.begin[level] {
                let ranks = ranks_of(shape, level, node);
                let parent = ranks_of(shape, level + 1, node >> shape.cut.fan_bits);
                let has_parent = level + 1 < shape.levels;
                if touches(lifetime, &ranks) && !(has_parent && covers(lifetime, &parent)) {
                    expected.push(((shape.begin[level] + node) as usize, covers(lifetime, &ranks)));
                }
            }
        }
        let mut visited = Vec::new();
        shape.visit(lifetime, |node, is_canonical| visited.push((node, is_canonical)));
        visited.sort_unstable();
        assert_eq!(visited, expected, "{lifetime:?} of {} ranks, {:?}", shape.ranks, shape.cut);
    });
}

#[test]
fn a_lifetime_is_partial_in_the_leaves_it_touches_and_covers_not() {
    each_lifetime(19, |shape, lifetime| {
        let leaves = (0..shape.leaf_count()).filter(|&leaf| {
            let ranks = ranks_of(shape, 0, leaf as u32);
            touches(lifetime, &ranks) && !covers(lifetime, &ranks)
        });
        let partial: Vec<usize> = shape.partial(lifetime).collect();
        assert_eq!(partial, leaves.collect::<Vec<_>>(), "{lifetime:?} of {} ranks, {:?}", shape.ranks, shape.cut);
    });
}

/// The gaps between used bytes, of which there are none from `used.len()` on, but at the end of the space where told.
fn gaps_of(used: &[bool], end: usize) -> Vec<Range> {
    let mut gaps = Vec::new();
    let mut begin = 0;
    for (at, _) in used.iter().enumerate().filter(|(_, used)| **used) {
        gaps.push(Range { begin, end: at });
        begin = at + 1;
    }
    gaps.retain(|gap| gap.begin < gap.end);
    gaps.push(Range { begin, end });
    if end < SPACE_END {
        gaps.push(Range { begin: SPACE_END, end: SPACE_END });
    }
    gaps
}

#[test]
fn taking_bytes_out_of_gaps_leaves_the_gaps_between_all_that_was_taken() {
    const BYTES: usize = 24;
    let other = Range { begin: 5, end: 7 };
    let mut rng = StdRng::seed_from_u64(6);
    for round in 0..2_000 {
        // The list of another node stands on each side.
        let takes = rng.random_range(1..=12);
        let mut pool = vec![SPACE; takes + 3];
        (pool[0], pool[takes + 2]) = (other, other);
        let mut list = List { begin: 1, len: 1 };
        let (mut used, mut end) = ([false; BYTES], SPACE_END);
        for _ in 0..takes {
            let bytes = if rng.random_bool(0.05) {
                // The rest of the space.
                end = SPACE_END - 9;
                Range { begin: end, end: SPACE_END }
            } else {
                let begin = rng.random_range(0..BYTES);
                Range { begin, end: rng.random_range(begin + 1..=BYTES.min(begin + 8)) }
            };
            take(&mut pool, &mut list, bytes);
            (bytes.begin..bytes.end.min(BYTES)).for_each(|byte| used[byte] = true);
            assert_eq!(pool[list.begin..][..list.len], gaps_of(&used, end), "round {round}");
            assert_eq!((pool[0], pool[takes + 2]), (other, other), "round {round}");
        }
    }
}
