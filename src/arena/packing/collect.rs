//! The blocks that a tensor meets, gathered one by one: where few lifetimes overlap.
//!
//! Every tensor that has bytes has a slot, numbered by first use, so it can only meet those in slots up to its last
//! rank. Words of 64 bits hold sets of slots. Most of what a tensor meets begins in its own word, the one before, or
//! behind; who began before those two words and is still alive in its own is in the list of *long* ones of that word.
//! Invariant: `placed` is the set of the slots whose tensors are placed, and `bytes` tells where. `ended` of a slot is
//! the set of those in the word before and in its own whose tensors ended before it begins.
//! Cost: a tensor takes a few words, the long ones of its word, and some instructions for each block that it meets.
//! A tensor that is long in k words meets at least 64 k others: where each meets less than 64 on average, there are
//! less long entries than tensors.
//! Scratch with 64-bit sizes: 40 bytes a tensor, and 8 for each long entry.

use super::lifetimes::{Lifetime, Lifetimes};
use crate::arena::timeline::with_bytes;
use crate::arena::{Range, Tensor};
use crate::error::Error;
use crate::scratch::{List, Scratch};

pub(super) struct Collect<'a> {
    pub lifetimes: Lifetimes<'a>,
    /// By tensor.
    slots: &'a mut [u32],
    /// By slot: the word before its own, and its own.
    ended: &'a mut [[u64; 2]],
    /// The words of the set, and an empty one before the first.
    placed: &'a mut [u64],
    /// By slot.
    bytes: &'a mut [Range],
    /// The long ones, word by word; those of word w end at `long_end[w + 1]`, where those of the next begin.
    long: &'a mut [Long],
    long_end: &'a mut [u32],
}

#[derive(Clone, Copy)]
struct Long {
    slot: u32,
    last: u32,
}

impl<'a> Collect<'a> {
    pub fn new(tensors: &[Tensor], lifetimes: Lifetimes<'a>, scratch: &mut Scratch<'a>) -> Result<Collect<'a>, Error> {
        let count = lifetimes.count;
        let words = count.div_ceil(64);
        let slots = scratch.filled(tensors.len(), 0u32)?;
        let ended = scratch.filled(count, [0u64; 2])?;
        let placed = scratch.filled(words + 1, 0u64)?;
        let bytes = scratch.filled(count, Range { begin: 0, end: 0 })?;
        let long_end = scratch.filled(words + 1, 0u32)?;
        {
            let mut phase = scratch.phase();
            let taken = phase.filled(count, 0u32)?;
            for i in with_bytes(tensors).map(|i| i as usize) {
                // Equal first uses have equal first ranks, and share the slots from there on.
                let Lifetime { first, last } = lifetimes.of[i];
                let slot = first + taken[first as usize];
                taken[first as usize] += 1;
                slots[i] = slot;
                let (word, behind) = (slot / 64, last + 1);
                if let Some(ended) = ended.get_mut(behind as usize)
                    && behind / 64 - word < 2
                {
                    ended[1 - (behind / 64 - word) as usize] |= 1 << (slot % 64);
                }
                long_words(slot, last).for_each(|word| long_end[word + 1] += 1);
            }
        }
        for slot in 1..count {
            let [before, own] = ended[slot - 1];
            let passed = if slot % 64 == 0 { [own, 0] } else { [before, own] };
            ended[slot] = [ended[slot][0] | passed[0], ended[slot][1] | passed[1]];
        }
        // From counts to begins. Writing the lists moves each begin to the end.
        let mut sum = 0;
        for end in long_end.iter_mut() {
            sum += core::mem::replace(end, sum);
        }
        let long = scratch.filled(sum as usize, Long { slot: 0, last: 0 })?;
        if sum > 0 {
            for i in with_bytes(tensors).map(|i| i as usize) {
                let (slot, last) = (slots[i], lifetimes.of[i].last);
                for word in long_words(slot, last) {
                    long[long_end[word + 1] as usize] = Long { slot, last };
                    long_end[word + 1] += 1;
                }
            }
        }
        Ok(Collect { lifetimes, slots, ended, placed, bytes, long, long_end })
    }

    /// Forgets all blocks.
    pub fn clear(&mut self) {
        self.placed.fill(0);
    }

    /// Adds the bytes of the placed tensors that meet this one. There must be room for one more.
    #[inline]
    pub fn gather(&self, tensor: usize, met: &mut List<Range>) {
        let (slot, last) = (self.slots[tensor], self.lifetimes.of[tensor].last);
        let (word, last_word) = ((slot / 64) as usize, (last / 64) as usize);
        let [before, own] = self.ended[slot as usize];
        let mut add = |word: usize, mut meeting: u64| {
            while meeting != 0 {
                met.push(self.bytes[word * 64 + meeting.trailing_zeros() as usize]);
                meeting &= meeting - 1;
            }
        };
        // The word before is one further up, for there is an empty one in front.
        let placed = &self.placed[word..last_word + 2];
        if placed[0] & !before != 0 {
            add(word.wrapping_sub(1), placed[0] & !before);
        }
        let up_to_last = u64::MAX >> (63 - last % 64);
        let mut known = !own;
        for (k, &placed) in placed[1..].iter().enumerate() {
            let all = if word + k == last_word { up_to_last } else { u64::MAX };
            add(word + k, placed & known & all);
            known = u64::MAX;
        }
        for long in &self.long[self.long_end[word] as usize..self.long_end[word + 1] as usize] {
            let is_placed = self.placed[long.slot as usize / 64 + 1] >> (long.slot % 64) & 1 != 0;
            met.push_if(self.bytes[long.slot as usize], is_placed & (long.last >= slot));
        }
    }

    #[inline]
    pub fn insert(&mut self, tensor: usize, bytes: Range) {
        let slot = self.slots[tensor] as usize;
        self.placed[slot / 64 + 1] |= 1 << (slot % 64);
        self.bytes[slot] = bytes;
    }
}

/// The words in which a tensor is long.
#[inline]
fn long_words(slot: u32, last: u32) -> core::ops::Range<usize> {
    (slot / 64 + 2) as usize..(last / 64 + 1) as usize
}
