//! Who lives in which space, and which residents of a space are alive with a tensor.
//!
//! The tensors are numbered by first use. A table has a line for each space, and in it an entry for each number: one
//! more than the last rank of a resident, 0 for anybody else. The residents alive with a tensor are then those entries
//! up to its last rank that are above its first.
//! Invariant: the entries say the same as `homes`, but for roomy spaces, where no entries are kept.
//! Cost: a few nanoseconds for each resident that is found. Scratch: a number for each tensor and space.

use super::offers::Offers;
use super::{Kept, MOST_SPACES, NO_SPACE};
use crate::arena::largest::Largest;
use crate::arena::packing::lifetimes::{Lifetime, Lifetimes};
use crate::arena::timeline::with_bytes;
use crate::error::{Error, Kind};
use crate::scratch::{List, Scratch};
use crate::sort::{by_key, sort_by_key};

/// The bytes of a resident.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub begin: usize,
    pub end: usize,
    pub tensor: u32,
}

/// Where a tensor was.
#[derive(Clone, Copy)]
pub(super) struct Stay {
    pub tensor: u32,
    pub home: u32,
    pub offset: usize,
}

pub(super) const BLOCK: usize = size_of::<Block>();
pub(super) const STAY: usize = size_of::<Stay>();

pub(super) struct Residents<'a> {
    pub homes: &'a mut [u32],
    pub offsets: &'a mut [usize],
    pub lifetimes: Lifetimes<'a>,
    /// The tensors that have bytes, by first use, and the place of each in it.
    pub by_first_use: &'a [u32],
    numbers: &'a [u32],
    lines: Largest<'a>,
    roomy: [bool; MOST_SPACES],
}

impl<'a> Residents<'a> {
    #[inline(never)]
    pub fn new(offers: &Offers<'a>, scratch: &mut Scratch<'a>) -> Result<&'a mut Residents<'a>, Error> {
        let (tensors, count) = (offers.tensors, offers.tensors.len());
        let lifetimes = Lifetimes::new(tensors, scratch)?;
        let by_first_use = by_key(with_bytes(tensors), count, |i| tensors[i as usize].first_use, scratch)?;
        let numbers = scratch.filled(count, 0)?;
        for (number, &i) in (0..).zip(by_first_use.iter()) {
            numbers[i as usize] = number;
        }
        let mut residents = Residents {
            homes: scratch.filled(count, NO_SPACE)?,
            offsets: scratch.filled(count, 0)?,
            lifetimes,
            by_first_use,
            numbers,
            lines: Largest::new(count * offers.spaces.len(), scratch)?,
            roomy: [false; MOST_SPACES],
        };
        for space in 0..offers.spaces.len() as u32 {
            residents.roomy[space as usize] = is_roomy(offers, space);
        }
        scratch.keep(residents)
    }

    /// Whether nobody can be in the way in this space.
    pub fn is_roomy(&self, space: u32) -> bool {
        self.roomy[space as usize]
    }

    /// Moves a tensor, `NO_SPACE`: out of all spaces. It must fit; the offset in a roomy space means nothing.
    pub fn put(&mut self, Stay { tensor, home, offset }: Stay) {
        let from = core::mem::replace(&mut self.homes[tensor as usize], home);
        self.offsets[tensor as usize] = offset;
        let last = self.lifetimes.of[tensor as usize].last as usize;
        for (space, entry) in [(from, 0), (home, last + 1)] {
            if space != NO_SPACE && !self.is_roomy(space) {
                self.lines.set(self.line(space) + self.numbers[tensor as usize], entry);
            }
        }
    }

    pub fn stay(&self, tensor: u32) -> Stay {
        Stay { tensor, home: self.homes[tensor as usize], offset: self.offsets[tensor as usize] }
    }

    /// The blocks of the residents of a space that are alive with a tensor, itself left out, by their begin.
    pub fn beside(&self, tensor: u32, space: u32, offers: &Offers, blocks: &mut List<Block>) {
        blocks.clear();
        let Lifetime { first, last } = self.lifetimes.of[tensor as usize];
        let line = self.line(space);
        let mut next = self.lines.first_above(line, first as usize);
        while let Some(entry) = next.filter(|&entry| entry <= line + last) {
            let other = self.by_first_use[(entry - line) as usize];
            if other != tensor {
                let begin = self.offsets[other as usize];
                blocks.push(Block { begin, end: begin + offers.tensors[other as usize].size, tensor: other });
            }
            next = self.lines.first_above(entry + 1, first as usize);
        }
        sort_by_key(blocks, |block| (block.begin, block.tensor));
    }

    /// Puts everybody where they are in a plan.
    pub fn load(&mut self, kept: &Kept) {
        self.clear();
        for (tensor, (&home, &offset)) in (0..).zip(kept.homes.iter().zip(kept.offsets.iter())) {
            self.put(Stay { tensor, home, offset });
        }
    }

    fn clear(&mut self) {
        for tensor in 0..self.homes.len() as u32 {
            self.put(Stay { tensor, home: NO_SPACE, offset: 0 });
        }
    }

    /// Puts everybody out, then the fixed tensors where they must be.
    ///
    /// # Errors
    /// Two fixed tensors that clash.
    pub fn reset(&mut self, offers: &Offers, blocks: &mut List<Block>) -> Result<(), Error> {
        self.clear();
        for tensor in 0..self.homes.len() as u32 {
            let Some((offset, home)) = offers.fixed(tensor as usize).zip(offers.of(tensor as usize).next()) else {
                continue;
            };
            let end = offset + offers.tensors[tensor as usize].size;
            self.put(Stay { tensor, home, offset });
            self.beside(tensor, home, offers, blocks);
            if let Some(clash) = blocks.iter().find(|block| block.begin < end && offset < block.end) {
                let bytes = (offset.max(clash.begin), end.min(clash.end));
                return Err(
                    Error::new(Kind::FixedClash, clash.tensor as usize, bytes.0, bytes.1).against(tensor as usize)
                );
            }
        }
        Ok(())
    }

    fn line(&self, space: u32) -> u32 {
        space * self.homes.len() as u32
    }
}

/// Whether a space holds all tensors that it is offered to one above the other, with all the padding there can be. One
/// with fixed tensors does not count, for these may be in the way anywhere.
fn is_roomy(offers: &Offers, space: u32) -> bool {
    let offered = || (0..offers.tensors.len()).filter(|&i| offers.is_offered(i, space));
    let bytes = |i: usize| offers.tensors[i].size as u128 + offers.tensors[i].stride() as u128 - 1;
    let capacity = offers.spaces[space as usize].capacity as u128;
    offered().map(bytes).sum::<u128>() <= capacity && !offered().any(|i| offers.fixed(i).is_some())
}
