//! The blocks that a tensor meets, gathered one by one and sorted: for few tensors, or where lifetimes overlap little.
//!
//! Every tensor has a slot of its own, numbered by first use, so it can only meet those in slots up to its last rank.
//! Invariant: `ended` at a rank is the set of slots whose tensors ended before it; `placed` is the set of those placed.
//! What a tensor meets is `placed` less `ended` at its first rank, up to its last.
//! Cost of a tensor: a word for 64 slots, and a sort of what it meets.
//! Scratch with 64-bit sizes: 40 bytes a tensor, and a bit for each pair of tensors.

use super::lifetimes::{Lifetime, Lifetimes};
use crate::arena::timeline::with_bytes;
use crate::arena::{Range, Tensor};
use crate::error::Error;
use crate::scratch::{List, Scratch};

/// Up to so many blocks an insertion sort is faster than the sort of core.
const FEW: usize = 24;

pub(super) struct Collect<'a> {
    /// By tensor.
    slots: &'a mut [u32],
    /// Words of a set of slots.
    words: usize,
    /// By rank, the set of slots whose tensors ended before.
    ended: &'a mut [u64],
    /// The set of slots whose tensors are placed.
    placed: &'a mut [u64],
    /// The bytes of each placed tensor, by slot.
    bytes: &'a mut [Range],
    /// What the tensor at hand meets.
    met: List<'a, Range>,
}

const NOTHING: Range = Range { begin: 0, end: 0 };

impl<'a> Collect<'a> {
    pub fn new(tensors: &[Tensor], lifetimes: &Lifetimes, scratch: &mut Scratch<'a>) -> Result<Collect<'a>, Error> {
        let count = lifetimes.count;
        let words = count.div_ceil(64);
        let slots = scratch.filled(tensors.len(), 0u32)?;
        let bytes = scratch.filled(count, NOTHING)?;
        let met = scratch.list(count)?;
        let placed = scratch.filled(words, 0u64)?;
        let ended = scratch.filled(count * words, 0u64)?;
        let mut phase = scratch.phase();
        let taken = phase.filled(count, 0u32)?;
        for i in with_bytes(tensors).map(|i| i as usize) {
            // Equal first uses have equal first ranks, and share the slots from there on.
            let Lifetime { first, last } = lifetimes.of[i];
            let slot = first + taken[first as usize];
            taken[first as usize] += 1;
            slots[i] = slot;
            if let Some(row) = ended.get_mut((last as usize + 1) * words + slot as usize / 64) {
                *row |= 1 << (slot % 64);
            }
        }
        for k in words..ended.len() {
            ended[k] |= ended[k - words];
        }
        Ok(Collect { slots, words, ended, placed, bytes, met })
    }

    /// Forgets all blocks.
    pub fn clear(&mut self) {
        self.placed.fill(0);
    }

    /// The bytes of the placed tensors that meet this lifetime, ascending.
    #[inline]
    pub fn meeting(&mut self, lifetime: Lifetime) -> &[Range] {
        self.met.clear();
        let last_word = lifetime.last as usize / 64;
        let ended = &self.ended[lifetime.first as usize * self.words..][..last_word + 1];
        let mut gather = |word: usize, mut live: u64| {
            while live != 0 {
                self.met.push(self.bytes[word * 64 + live.trailing_zeros() as usize]);
                live &= live - 1;
            }
        };
        for (word, (placed, ended)) in self.placed.iter().zip(&ended[..last_word]).enumerate() {
            gather(word, placed & !ended);
        }
        gather(last_word, self.placed[last_word] & !ended[last_word] & u64::MAX >> (63 - lifetime.last % 64));
        sort(&mut self.met);
        &self.met
    }

    #[inline]
    pub fn insert(&mut self, tensor: usize, bytes: Range) {
        let slot = self.slots[tensor] as usize;
        self.placed[slot / 64] |= 1 << (slot % 64);
        self.bytes[slot] = bytes;
    }
}

/// By begin; which of two with the same begin comes first does not matter.
#[inline]
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
