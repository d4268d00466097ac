//! Where in one space a tensor goes: into the best hole, or where least must be evicted for it.
//!
//! Blocks are those of the residents alive with the tensor, by their begin. They may overlap each other, for they need
//! not be alive together.
//! Places to evict from: a place can be moved down until it meets the end of a block or byte 0, and up until it meets
//! the begin of one or the capacity, without more blocks in it; so one of these places evicts least, but for alignment.
//! A sweep over the places in ascending order enters each block and leaves it once.
//! Cost: O(b log b) for b blocks.

use super::residents::Block;
use crate::arena::fit::{Choice, Fit, align_up};
use crate::arena::{Range, Tensor};
use crate::scratch::List;
use crate::sort::sort_by_key;

/// The hole that the rule chooses, or None: the tensor does not fit.
pub(super) fn hole(tensor: &Tensor, blocks: &[Block], capacity: usize, fit: Fit) -> Option<usize> {
    let mut choice = Choice::new(tensor, fit, 0);
    let mut top = 0;
    for block in blocks {
        choice.offer(Range { begin: top, end: block.begin });
        top = top.max(block.end);
    }
    choice.offer(Range { begin: top, end: capacity });
    choice.chosen()
}

/// The longest range free of blocks, from its first byte aligned for the tensor on.
pub(super) fn longest_range(tensor: &Tensor, blocks: &[Block], capacity: usize) -> usize {
    let usable = |begin: usize, end: usize| end.saturating_sub(align_up(begin, tensor.stride()).unwrap_or(usize::MAX));
    let mut top = 0;
    let mut longest = 0;
    for block in blocks {
        longest = longest.max(usable(top, block.begin));
        top = top.max(block.end);
    }
    longest.max(usable(top, capacity))
}

/// What the blocks in a place are worth.
#[derive(Clone, Copy, Default)]
struct Worth {
    /// How many of them must stay.
    fixed: usize,
    price: i128,
}

/// Goes over places that begin ever higher.
struct Sweep<'b> {
    begins: &'b [Block],
    ends: &'b [Block],
    inside: Worth,
}

impl Sweep<'_> {
    /// The worth of all blocks between `begin` and `end`.
    fn at(&mut self, begin: usize, end: usize, worth: &impl Fn(u32) -> Option<i128>) -> Worth {
        while let Some(block) = self.begins.first().filter(|block| block.begin < end) {
            match worth(block.tensor) {
                Some(price) => self.inside.price += price,
                None => self.inside.fixed += 1,
            }
            self.begins = &self.begins[1..];
        }
        while let Some(block) = self.ends.first().filter(|block| block.end <= begin) {
            match worth(block.tensor) {
                Some(price) => self.inside.price -= price,
                None => self.inside.fixed -= 1,
            }
            self.ends = &self.ends[1..];
        }
        self.inside
    }
}

/// The offset at which the worth of what is in the way is least, and that worth; of equal ones the lowest. `worth` is
/// None where a block must stay. None: there is no place without such blocks. `by_end` is overwritten.
pub(super) fn cheapest_place(
    tensor: &Tensor,
    blocks: &[Block],
    by_end: &mut List<Block>,
    capacity: usize,
    worth: impl Fn(u32) -> Option<i128>,
) -> Option<(i128, usize)> {
    by_end.clear();
    blocks.iter().for_each(|&block| by_end.push(block));
    sort_by_key(by_end, |block| (block.end, block.tensor));
    let by_end: &[Block] = by_end;

    let start = || Sweep { begins: blocks, ends: by_end, inside: Worth::default() };
    let (mut upward, mut downward) = (start(), start());
    let above_ends = core::iter::once(0).chain(by_end.iter().map(|block| block.end));
    let below_begins = blocks.iter().map(|block| block.begin).chain(core::iter::once(capacity));
    let stride = tensor.stride();
    let up = above_ends.filter_map(|end| align_up(end, stride).filter(|&begin| ends_by(tensor, begin, capacity)));
    let down = below_begins.filter_map(|begin| Some(begin.checked_sub(tensor.size)? / stride * stride));
    let up = up.map(|begin| (upward.at(begin, begin + tensor.size, &worth), begin));
    let down = down.map(|begin| (downward.at(begin, begin + tensor.size, &worth), begin));
    let places = up.chain(down).filter(|(worth, _)| worth.fixed == 0);
    places.map(|(worth, begin)| (worth.price, begin)).min()
}

fn ends_by(tensor: &Tensor, begin: usize, capacity: usize) -> bool {
    capacity.checked_sub(begin).is_some_and(|room| tensor.size <= room)
}
