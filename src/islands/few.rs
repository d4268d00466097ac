//! Forests of few nodes, for which it is known which nodes are touched: a bit each, so that only these are labelled.
//!
//! Invariant: the parents are those of [`super::forest::Plain`], and just the touched nodes have their bit. A bit is
//! written where a node is touched for the first time, which is rare, and the bits of all nodes are one line.
//! Cost: the union is that of `Plain`; labels take a step for each 64 nodes and one for each touched node.

use super::constraints::{Policy, merge};
use super::forest::{Damage, Union, touch_and_unite};
use super::{Incidence, STATIC};
use crate::error::Error;

/// There are at most so many nodes.
pub(super) const FEW_NODES: usize = 512;

const WORDS: usize = FEW_NODES / 64;

/// Which nodes are touched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touched([u64; WORDS]);

impl Touched {
    pub const NONE: Touched = Touched([0; WORDS]);

    /// As [`super::resumable::merge_fast`]. With a word of nodes only that word is passed on, which is a register then.
    #[inline(always)]
    pub fn merge(&mut self, parents: &mut [i32], incidences: &[Incidence], policy: &Policy) -> Result<(), Error> {
        if parents.len() <= 64 {
            let mut few = Few { parents, touched: [self.0[0]] };
            let merged = merge(&mut few, incidences, policy);
            self.0[0] = few.touched[0];
            merged
        } else {
            let mut few = Few { parents, touched: self.0 };
            let merged = merge(&mut few, incidences, policy);
            self.0 = few.touched;
            merged
        }
    }

    /// Turns the forest into labels in place and returns how many sets there are.
    #[inline(always)]
    pub fn label(self, parents: &mut [i32]) -> usize {
        if parents.len() <= 64 { label([self.0[0]], parents) } else { label(self.0, parents) }
    }
}

/// Makes each node untouched. With up to eight, as many scenes have, this takes less than a call of `memset`.
#[inline(always)]
pub(super) fn untouch(parents: &mut [i32]) {
    let count = parents.len();
    if count > 8 {
        parents.fill(STATIC);
    } else if count >= 4 {
        fill_ends::<4>(parents);
    } else if count >= 2 {
        fill_ends::<2>(parents);
    } else {
        fill_ends::<1>(parents);
    }
}

/// Fills the first and the last so many, which is all if there are at most twice as many.
#[inline(always)]
fn fill_ends<const N: usize>(parents: &mut [i32]) {
    if let Some(first) = parents.first_chunk_mut::<N>() {
        *first = [STATIC; N];
    }
    if let Some(last) = parents.last_chunk_mut::<N>() {
        *last = [STATIC; N];
    }
}

struct Few<'a, const WORDS: usize> {
    parents: &'a mut [i32],
    touched: [u64; WORDS],
}

impl<const WORDS: usize> Union for Few<'_, WORDS> {
    fn node_count(&self) -> usize {
        self.parents.len()
    }

    #[inline(always)]
    fn touch(&mut self, x: usize) {
        if self.parents[x] < 0 {
            self.parents[x] = x as i32;
            self.touched[x / 64 % WORDS] |= 1 << (x % 64);
        }
    }

    #[inline(always)]
    fn join(&mut self, a: usize, b: usize) -> Result<(), Damage> {
        touch_and_unite(self.parents, a, b, |x| self.touched[x / 64 % WORDS] |= 1 << (x % 64))
    }
}

#[inline(always)]
fn label<const WORDS: usize>(touched: [u64; WORDS], parents: &mut [i32]) -> usize {
    let mut count = 0;
    for (word, mut rest) in touched.into_iter().enumerate() {
        while rest != 0 {
            let x = word * 64 + rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let parent = parents[x];
            if parent == x as i32 {
                parents[x] = count;
                count += 1;
            } else {
                // Nobody else had the array, so the parent is a node.
                parents[x] = parents.get(parent as u32 as usize).copied().unwrap_or(STATIC);
            }
        }
    }
    count as usize
}
