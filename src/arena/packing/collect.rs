//! The blocks that a tensor meets, gathered one by one: where few lifetimes overlap.
//!
//! Every tensor that has bytes has a slot, numbered by first use. It meets *earlier* ones, which are still alive at its
//! first use, and *later* ones, first used before it ends: those have the slots behind its own, up to the last of them.
//! One sweep over the slots finds both. Who is alive at a first use was alive at the one before, or was first used
//! there; so each list of earlier ones is a selection from the list before it, and of the slot before it.
//! Invariant: `bytes` of a slot tells where its tensor is placed, and is [`NOTHING`] before.
//! Cost: linear in the pairs that meet, beside a sort where the tensors are not given by first use; and a sort of the
//! placed ones that a tensor meets.
//! Scratch with 64-bit sizes: 64 bytes a tensor, and 2 for each pair that meets.

use core::hint::select_unpredictable as select;

use crate::arena::timeline::with_bytes;
use crate::arena::{Range, Tensor};
use crate::error::Error;
use crate::scratch::{List, Scratch};
use crate::sort::by_key;

pub(super) struct Collect<'a> {
    /// By tensor.
    slot_of: &'a mut [u16],
    slots: &'a [Slot],
    /// The earlier ones of each slot, and the slot itself.
    earlier: &'a [u16],
    /// By slot.
    bytes: &'a mut [Range],
    /// The largest sum of sizes alive at one node, modulo 2^bits.
    pub peak_live_bytes: usize,
}

#[derive(Clone, Copy)]
struct Slot {
    size: usize,
    last_use: usize,
    /// Where its list in `earlier` is; the slot itself is at the end.
    begin: u32,
    end: u32,
    /// How many later ones it meets.
    later: u32,
}

const NOTHING: Range = Range { begin: 0, end: 0 };

impl<'a> Collect<'a> {
    /// For `count` tensors that have bytes, at most 2^16, of which at most `pairs` meet.
    pub fn new(
        tensors: &[Tensor],
        count: usize,
        pairs: usize,
        scratch: &mut Scratch<'a>,
    ) -> Result<Collect<'a>, Error> {
        let slot_of = scratch.filled(tensors.len(), 0u16)?;
        let bytes = scratch.filled(count, NOTHING)?;
        // One more is written to the list before it is known to belong there.
        let mut earlier: List<u16> = scratch.list(pairs + count + 1)?;
        let mut slots: List<Slot> = scratch.list(count)?;
        let mut phase = scratch.phase();
        let by_first_use = by_key(with_bytes(tensors), count, |i| tensors[i as usize].first_use, &mut phase)?;
        let (mut before, mut peak_live_bytes) = (0, 0);
        for (slot, &i) in by_first_use.iter().enumerate() {
            let Tensor { size, first_use, last_use, .. } = tensors[i as usize];
            let (begin, mut live) = (earlier.len(), size);
            for k in before..begin {
                let other = earlier[k];
                let Slot { size, last_use, later, .. } = &mut slots[other as usize];
                let is_alive = *last_use >= first_use;
                earlier.push_if(other, is_alive);
                *later += u32::from(is_alive);
                live = live.wrapping_add(select(is_alive, *size, 0));
            }
            slots.push(Slot { size, last_use, begin: begin as u32, end: earlier.len() as u32, later: 0 });
            earlier.push(slot as u16);
            slot_of[i as usize] = slot as u16;
            before = begin;
            peak_live_bytes = peak_live_bytes.max(live);
        }
        Ok(Collect { slot_of, slots: slots.into_slice(), earlier: earlier.into_slice(), bytes, peak_live_bytes })
    }

    /// Forgets all blocks.
    pub fn clear(&mut self) {
        self.bytes.fill(NOTHING);
    }

    /// Adds the bytes of the placed tensors that meet this one. There must be room for one more.
    #[inline]
    pub fn gather(&self, tensor: usize, met: &mut List<Range>) {
        let slot = self.slot_of[tensor] as usize;
        let Slot { begin, end, later, .. } = self.slots[slot];
        for &other in &self.earlier[begin as usize..end as usize] {
            let bytes = self.bytes[other as usize];
            met.push_if(bytes, bytes.end > 0);
        }
        for &bytes in &self.bytes[slot + 1..][..later as usize] {
            met.push_if(bytes, bytes.end > 0);
        }
    }

    #[inline]
    pub fn insert(&mut self, tensor: usize, bytes: Range) {
        self.bytes[self.slot_of[tensor] as usize] = bytes;
    }
}
