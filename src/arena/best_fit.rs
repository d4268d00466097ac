//! Greedy by size, best fit: the planner of XNNPACK.
//!
//! Tensors are placed by decreasing size, equal sizes in input order. For each, the byte ranges of the placed tensors
//! whose lifetimes meet its own are coalesced; of the free intervals between them, the leading one from byte 0
//! included, the smallest that fits wins, the lowest on a tie. If none fits: the aligned end of the last range. With an
//! alignment the usable part of an interval begins at its first aligned byte, and usable parts are what is compared.
//!
//! Invariant: `placed` is sorted by offset, so one ascending pass meets the ranges in the order in which they coalesce;
//! nothing is sorted per tensor. An end can pass `usize::MAX` only at the append, which is the highest end of all.
//! Cost: O(n^2) with a small constant, one comparison of lifetimes for each placed tensor.
//! Source: google/XNNPACK `src/memory-planner.c` as of google/XNNPACK#10801, which brought the leading interval.

use super::bound::{alignments, measure};
use super::timeline::{self, Timeline};
use super::{Plan, Tensor, validate};
use crate::error::{Error, Kind, NONE};
use crate::scratch::{Scratch, Word, size};
use crate::sort::by_key;

/// Scratch bytes of [`plan_offsets`]: 48 a tensor with 64-bit sizes, 32 with 32-bit ones; `usize::MAX` on overflow.
pub fn plan_offsets_scratch_size(tensor_count: usize) -> usize {
    // An offset, an index and a block of four words; or an offset, the timeline and what the bound takes.
    size(&[(tensor_count, 4 * size_of::<usize>() + 16)])
}

/// Places every tensor. The offsets, one a tensor in input order, lie in the scratch.
///
/// # Errors
/// A lifetime that is reversed; an arena end or a common multiple of the alignments beyond `usize::MAX`; too many
/// tensors; scratch too small.
pub fn plan_offsets<'a>(tensors: &[Tensor], scratch: &'a mut [Word]) -> Result<(&'a [usize], Plan), Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(plan_offsets_scratch_size(tensors.len()))?;
    validate(tensors)?;
    let alignments = alignments(tensors)?;
    let offsets = scratch.filled(tensors.len(), 0)?;
    place_all(tensors, offsets, scratch.phase())?;
    let mut phase = scratch.phase();
    let timeline = Timeline::new(tensors, &mut phase)?;
    let plan = measure(tensors, offsets, alignments, timeline, phase)?;
    Ok((offsets, plan))
}

/// A placed tensor.
#[derive(Clone, Copy)]
struct Block {
    offset: usize,
    end: usize,
    first_use: usize,
    last_use: usize,
}

fn place_all(tensors: &[Tensor], offsets: &mut [usize], mut scratch: Scratch) -> Result<(), Error> {
    let descending = |i: u32| usize::MAX - tensors[i as usize].size;
    let order = by_key(timeline::with_bytes(tensors), tensors.len(), descending, &mut scratch)?;
    let mut placed = scratch.list(tensors.len())?;

    for (already, &i) in order.iter().enumerate() {
        let tensor = &tensors[i as usize];
        let place = best_fit(&placed, tensor);
        let left = place.start.map_or(0, |start| usize::MAX - start);
        let Some(offset) = place.start.filter(|_| tensor.size <= left) else {
            let error = Error::new(Kind::ArenaOverflow, i as usize, tensor.size, left);
            return Err(error.against(tensor_below(place.top, tensor, &order[..already], tensors, offsets)));
        };
        let position = placed.partition_point(|block: &Block| block.offset < offset);
        let end = offset + tensor.size;
        placed.insert(position, Block { offset, end, first_use: tensor.first_use, last_use: tensor.last_use });
        offsets[i as usize] = offset;
    }
    Ok(())
}

struct Place {
    /// None where the aligned end of the last range is beyond `usize::MAX`.
    start: Option<usize>,
    /// The end of the last range.
    top: usize,
}

fn best_fit(placed: &[Block], tensor: &Tensor) -> Place {
    let mut top = 0;
    let mut smallest: Option<(usize, usize)> = None;
    for block in placed.iter().filter(|block| tensor.meets(block.first_use, block.last_use)) {
        // The first test spares a division at the many intervals that are too small before alignment.
        if block.offset.saturating_sub(top) >= tensor.size
            && let Some(start) = top.checked_next_multiple_of(tensor.stride())
            && let Some(usable) = block.offset.checked_sub(start)
            && usable >= tensor.size
            && smallest.is_none_or(|(other, _)| usable < other)
        {
            smallest = Some((usable, start));
        }
        top = top.max(block.end);
    }
    let appended = || top.checked_next_multiple_of(tensor.stride());
    Place { start: smallest.map(|(_, start)| start).or_else(appended), top }
}

/// The first tensor alive with `tensor` that ends at `top`, or `NONE`: for the error only.
fn tensor_below(top: usize, tensor: &Tensor, placed: &[u32], tensors: &[Tensor], offsets: &[usize]) -> usize {
    let below = |i: &usize| {
        let Tensor { size, first_use, last_use, .. } = tensors[*i];
        tensor.meets(first_use, last_use) && offsets[*i] + size == top
    };
    placed.iter().map(|&i| i as usize).filter(below).min().unwrap_or(NONE)
}
