//! What a planner has to put in order: the tensors that have bytes and no fixed offset.

use crate::arena::Tensor;
use crate::arena::problem::{FREE, Problem};
use crate::arena::timeline::with_bytes;
use crate::error::Error;
use crate::scratch::Scratch;
use crate::sort::{by_descending_key, by_key, by_wide_key};

#[derive(Clone, Copy)]
pub(super) struct Unplaced<'a> {
    pub tensors: &'a [Tensor],
    fixed_offsets: &'a [usize],
}

impl<'a> Unplaced<'a> {
    pub fn of(problem: &Problem<'a>) -> Unplaced<'a> {
        Unplaced { tensors: problem.tensors, fixed_offsets: problem.fixed_offsets }
    }

    fn indices(self) -> impl Iterator<Item = u32> + Clone {
        let is_free = move |i: &u32| self.fixed_offsets.get(*i as usize).is_none_or(|&offset| offset == FREE);
        with_bytes(self.tensors).filter(is_free)
    }

    /// By ascending key, equal keys in input order.
    pub fn by<'s>(self, key: impl Fn(usize) -> usize, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
        by_key(self.indices(), self.tensors.len(), |i| key(i as usize), scratch)
    }

    /// By descending key, equal keys in input order.
    pub fn by_descending<'s>(
        self,
        key: impl Fn(usize) -> usize,
        scratch: &mut Scratch<'s>,
    ) -> Result<&'s mut [u32], Error> {
        by_descending_key(self.indices(), self.tensors.len(), |i| key(i as usize), scratch)
    }

    /// As [`by`](Unplaced::by), for keys of twice the bits.
    pub fn by_wide<'s>(self, key: impl Fn(usize) -> u128, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
        by_wide_key(self.indices(), self.tensors.len(), |i| key(i as usize), scratch)
    }
}

/// A key that sorts by `first`, and by `second` where that is equal.
pub(super) fn then(first: usize, second: usize) -> u128 {
    (first as u128) << usize::BITS | second as u128
}

/// Turns an ascending key into a descending one.
pub(super) fn descending(value: usize) -> usize {
    usize::MAX - value
}

/// Nodes from the first use to the last, less one so that it fits.
pub(super) fn length(tensor: &Tensor) -> usize {
    tensor.last_use - tensor.first_use
}
