//! What scratch a problem takes: so many bytes for each tensor, gap, pair and reserved range, and a constant.

use super::problem::Problem;
use crate::scratch::size;

/// How many of each a problem has.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    pub tensors: usize,
    pub gaps: usize,
    /// Compatible and apart together.
    pub pairs: usize,
    pub reserved: usize,
}

impl Counts {
    pub const fn new(tensors: usize, gaps: usize, pairs: usize, reserved: usize) -> Counts {
        Counts { tensors, gaps, pairs, reserved }
    }

    pub fn of(problem: &Problem) -> Counts {
        Counts {
            tensors: problem.tensors.len(),
            gaps: problem.gaps.len(),
            pairs: problem.compatible.len().saturating_add(problem.apart.len()),
            reserved: problem.reserved.len(),
        }
    }
}

/// The bytes of each.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    pub tensor: usize,
    pub gap: usize,
    pub pair: usize,
    pub reserved: usize,
    /// Once, where there is a tensor.
    pub constant: usize,
}

impl Bytes {
    /// Both at once.
    pub const fn and(self, other: Bytes) -> Bytes {
        Bytes {
            tensor: self.tensor + other.tensor,
            gap: self.gap + other.gap,
            pair: self.pair + other.pair,
            reserved: self.reserved + other.reserved,
            constant: self.constant + other.constant,
        }
    }

    /// One after the other in the same place.
    pub const fn or(self, other: Bytes) -> Bytes {
        const fn max(a: usize, b: usize) -> usize {
            if a > b { a } else { b }
        }
        Bytes {
            tensor: max(self.tensor, other.tensor),
            gap: max(self.gap, other.gap),
            pair: max(self.pair, other.pair),
            reserved: max(self.reserved, other.reserved),
            constant: max(self.constant, other.constant),
        }
    }

    /// Rounded up to whole words; `usize::MAX` where that overflows.
    pub fn of(self, counts: Counts) -> usize {
        let Counts { tensors, gaps, pairs, reserved } = counts;
        size(&[
            (tensors, self.tensor),
            (gaps, self.gap),
            (pairs, self.pair),
            (reserved, self.reserved),
            (tensors.min(1), self.constant),
        ])
    }
}
