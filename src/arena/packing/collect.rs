//! The blocks that a tensor meets, gathered one by one and sorted: for few tensors, or where lifetimes overlap little.
//!
//! Every tensor has a slot of its own, numbered by first use. A tensor can only meet those in slots up to its last
//! rank, and of these it meets the placed ones that are alive at its first rank or later.
//! Invariant: `until[slot]` is one past the last rank of the tensor there, or 0 before it is placed; `latest[group]` is
//! the largest of a group of slots, so that groups that died out are passed over.
//! Cost of a tensor: the slots of live groups up to its last rank, and a sort of what it meets.
//! Scratch: 45 bytes a tensor with 64-bit sizes.

use super::lifetimes::{Lifetime, Lifetimes};
use crate::arena::timeline::with_bytes;
use crate::arena::{Range, Tensor};
use crate::error::Error;
use crate::scratch::{List, Scratch};

const GROUP: usize = 16;

/// Up to so many blocks an insertion sort is faster than the sort of core.
const FEW: usize = 24;

pub(super) struct Collect<'a> {
    /// By tensor.
    slots: &'a mut [u32],
    until: &'a mut [u32],
    latest: &'a mut [u32],
    /// The bytes of each placed tensor, by slot.
    bytes: &'a mut [Range],
    /// What the tensor at hand meets, and one that is written before it is known not to.
    met: List<'a, Range>,
}

const NOTHING: Range = Range { begin: 0, end: 0 };

impl<'a> Collect<'a> {
    pub fn new(tensors: &[Tensor], lifetimes: &Lifetimes, scratch: &mut Scratch<'a>) -> Result<Collect<'a>, Error> {
        let count = lifetimes.count;
        let slots = scratch.filled(tensors.len(), 0u32)?;
        let until = scratch.filled(count, 0u32)?;
        for i in with_bytes(tensors).map(|i| i as usize) {
            // Equal first uses have equal first ranks, and share the slots from there on.
            let first = lifetimes.of[i].first;
            slots[i] = first + until[first as usize];
            until[first as usize] += 1;
        }
        let latest = scratch.filled(count.div_ceil(GROUP), 0)?;
        Ok(Collect { slots, until, latest, bytes: scratch.filled(count, NOTHING)?, met: scratch.list(count + 1)? })
    }

    /// Forgets all blocks.
    pub fn clear(&mut self) {
        self.until.fill(0);
        self.latest.fill(0);
    }

    /// The bytes of the placed tensors that meet this lifetime, ascending.
    pub fn meeting(&mut self, lifetime: Lifetime) -> &[Range] {
        let reach = lifetime.last as usize + 1;
        let groups = self.until[..reach].chunks(GROUP).zip(self.bytes[..reach].chunks(GROUP)).zip(&*self.latest);
        self.met.clear();
        for ((until, bytes), _) in groups.filter(|(_, latest)| **latest > lifetime.first) {
            for (until, bytes) in until.iter().zip(bytes) {
                self.met.push_if(*bytes, *until > lifetime.first);
            }
        }
        sort(&mut self.met);
        &self.met
    }

    pub fn insert(&mut self, tensor: usize, lifetime: Lifetime, bytes: Range) {
        let slot = self.slots[tensor] as usize;
        self.until[slot] = lifetime.last + 1;
        self.latest[slot / GROUP] = self.latest[slot / GROUP].max(lifetime.last + 1);
        self.bytes[slot] = bytes;
    }
}

/// By begin; which of two with the same begin comes first does not matter.
fn sort(ranges: &mut [Range]) {
    if ranges.len() > FEW {
        return ranges.sort_unstable_by_key(|range| range.begin);
    }
    for i in 1..ranges.len() {
        let range = ranges[i];
        let mut j = i;
        while j > 0 && ranges[j - 1].begin > range.begin {
            ranges[j] = ranges[j - 1];
            j -= 1;
        }
        ranges[j] = range;
    }
}
