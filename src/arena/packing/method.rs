//! Which way of keeping the placed tensors is the cheapest for a problem. It changes the time, and never the answer.
//!
//! The rules were found by trying all widths on real inputs; a poor choice costs up to a few times as much.
//! Cost: two passes over the lifetimes.

use super::gap_tree::Cut;
use super::lifetimes::{Lifetime, Lifetimes};
use crate::arena::Tensor;
use crate::arena::timeline::with_bytes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Collect,
    Tree(Cut),
}

impl Method {
    pub fn cheapest(tensors: &[Tensor], lifetimes: &Lifetimes) -> Method {
        let count = lifetimes.count as u64;
        if count <= 128 {
            return Method::Collect;
        }
        // A tensor that is collected for sorts what it meets. Below 64 the long entries fit the scratch.
        let meeting = lifetimes.pairs(tensors) / count;
        if meeting <= 12 {
            return Method::Collect;
        }
        // Short lifetimes want narrow leaves, in which few blocks are partial; long ones want wide leaves, so that
        // there are few lists. Half way between the length and 128 ranks, on a scale of powers, serves both. Where a
        // few long ones cause most meetings, the leaves may be wider: their blocks are in the lists above.
        // At least 16 ranks keep the nodes below a 14th of the tensors.
        let length_bits = upper_quartile_bits(tensors, lifetimes);
        let between = ((length_bits + 7) / 2).max(4);
        // Where most lifetimes are long, levels above the leaves hold little that the leaves do not. Where only a few
        // are, low levels keep them out of the lists below.
        let (leaf_bits, fan_bits) = match meeting {
            _ if length_bits > 6 => (between, 10),
            0..=128 => (between, 4),
            129..=1_000 => (6, 3),
            _ => (8, 3),
        };
        Method::Tree(Cut { leaf_bits, fan_bits })
    }
}

/// Bits b such that a quarter of the lifetimes is at least 2^b ranks long, and not 2^(b+1).
pub(super) fn upper_quartile_bits(tensors: &[Tensor], lifetimes: &Lifetimes) -> u32 {
    let mut lengths = [0usize; 32];
    for i in with_bytes(tensors) {
        let Lifetime { first, last } = lifetimes.of[i as usize];
        lengths[(last - first + 1).ilog2() as usize] += 1;
    }
    let mut longer = lengths.iter().rev().scan(0, |sum, &of_these_bits| {
        *sum += of_these_bits;
        Some(*sum)
    });
    let skipped = longer.position(|longer| longer > lifetimes.count / 4).unwrap_or(0);
    31 - skipped as u32
}
