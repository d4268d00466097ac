//! The blocks that a tensor meets, gathered one by one: where lifetimes overlap little, or tensors are not many.
//!
//! Every tensor has a slot of its own, numbered by first use, so it can only meet those in slots up to its last rank.
//! Sets of slots are words of 64 bits. Whoever meets a tensor and has a lower slot is mostly in the word of its own slot
//! or in the word before. One that reaches further is *long* in each word from the second after its own to the one of
//! its last rank, and in a list for each of these.
//! Invariant: `placed` is the set of the slots whose tensors are placed, and `bytes` tells where they are. `ended` of a
//! slot is the set of those in the word before and in its own word whose last rank is below it.
//! Cost: a tensor takes the words from the one before its own to that of its last rank, the long ones of its word, and
//! some instructions a block that it meets.
//! Scratch with 64-bit sizes: 40 bytes a tensor, 8 a long entry, and 12 for 64 tensors. A tensor that is long in k words
//! meets more than 64 k behind it, so there are fewer long entries than tensors where each meets fewer than 64.

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
    placed: &'a mut [u64],
    /// By slot.
    bytes: &'a mut [Range],
    /// The long ones of word w are `long_end[w]..long_end[w + 1]` of these.
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
        let placed = scratch.filled(words, 0u64)?;
        let bytes = scratch.filled(count, Range { begin: 0, end: 0 })?;
        let long_end = scratch.filled(words + 1, 0u32)?;
        let mut phase = scratch.phase();
        let taken = phase.filled(count, 0u32)?;
        for i in with_bytes(tensors).map(|i| i as usize) {
            // Equal first uses have equal first ranks, and share the slots from there on.
            let Lifetime { first, last } = lifetimes.of[i];
            let slot = first + taken[first as usize];
            taken[first as usize] += 1;
            slots[i] = slot;
            if let Some([before, own]) = ended.get_mut(last as usize + 1) {
                match (last + 1) / 64 - slot / 64 {
                    0 => *own |= 1 << (slot % 64),
                    1 => *before |= 1 << (slot % 64),
                    _ => {}
                }
            }
            long_words(slot, last).for_each(|word| long_end[word + 1] += 1);
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

    /// Adds the bytes of the placed tensors that meet this one, for which `met` has room, and for one more.
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
        if word > 0 {
            add(word - 1, self.placed[word - 1] & !before);
        }
        let mut ended = own;
        for (k, &placed) in self.placed[word..=last_word].iter().enumerate() {
            let up_to_last = if word + k == last_word { u64::MAX >> (63 - last % 64) } else { u64::MAX };
            add(word + k, placed & !ended & up_to_last);
            ended = 0; // Whoever is first used behind this word has not ended.
        }
        for long in &self.long[self.long_end[word] as usize..self.long_end[word + 1] as usize] {
            let is_placed = self.placed[long.slot as usize / 64] >> (long.slot % 64) & 1 != 0;
            met.push_if(self.bytes[long.slot as usize], is_placed & (long.last >= slot));
        }
    }

    #[inline]
    pub fn insert(&mut self, tensor: usize, bytes: Range) {
        let slot = self.slots[tensor] as usize;
        self.placed[slot / 64] |= 1 << (slot % 64);
        self.bytes[slot] = bytes;
    }
}

/// The words in which a tensor is long.
#[inline]
fn long_words(slot: u32, last: u32) -> core::ops::Range<usize> {
    (slot / 64 + 2) as usize..(last / 64 + 1) as usize
}
