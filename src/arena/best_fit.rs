//! Greedy by size, best fit: the planner of XNNPACK.
//!
//! Tensors are placed by decreasing size, equal sizes in input order, each by [`Fit::Best`]: into the smallest free
//! interval that fits among the placed tensors alive with it, the leading one from byte 0 included, the lowest on a
//! tie; if none fits, on top. With an alignment the usable part of an interval begins at its first aligned byte, and
//! usable parts are what is compared.
//!
//! Cost and scratch: those of [`packing`](super::packing), and one sort.
//! Source: google/XNNPACK `src/memory-planner.c` as of google/XNNPACK#10801, which brought the leading interval.

use super::bound::{alignments, padded_peak};
use super::fit::Fit;
use super::packing::Packing;
use super::timeline::{self, Timeline};
use super::{Plan, Tensor, validate};
use crate::error::Error;
use crate::scratch::{Scratch, Word, size};
use crate::sort::by_descending_key;

/// Scratch bytes of [`plan_offsets`]: 280 a tensor with 64-bit sizes, 200 with 32-bit ones; `usize::MAX` on overflow.
pub fn plan_offsets_scratch_size(tensor_count: usize) -> usize {
    // A packing; an offset, an index, and a word for the peak. The constant part of a packing with a gap tree, which is
    // not made for few tensors, is in the rest.
    size(&[(tensor_count, 20 * size_of::<usize>() + 120)])
}

/// From so many tensors on, placing near one time saves more than it costs.
const MANY: usize = 200_000;

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
    let (arena_size, peak_live_bytes) = place_all(tensors, offsets, scratch.phase())?;
    let lower_bound = if alignments.force_padding(tensors) {
        let mut phase = scratch.phase();
        let timeline = Timeline::new(tensors, &mut phase)?;
        padded_peak(tensors, alignments.greatest_common_divisor, timeline, phase)?
    } else {
        peak_live_bytes
    };
    let arena_alignment = alignments.least_common_multiple;
    Ok((offsets, Plan { arena_size, arena_alignment, lower_bound, peak_live_bytes }))
}

/// Returns the arena, and the peak of the live bytes.
fn place_all<'a>(
    tensors: &'a [Tensor],
    offsets: &mut [usize],
    mut scratch: Scratch<'a>,
) -> Result<(usize, usize), Error> {
    if tensors.is_empty() {
        return Ok((0, 0)); // There is no scratch either, not even for the one window of an empty arena.
    }
    let size = |i: u32| tensors[i as usize].size;
    let order = by_descending_key(timeline::with_bytes(tensors), tensors.len(), size, &mut scratch)?;
    let mut packing = Packing::new(tensors, &[], &[], 0, &[], &mut scratch)?;
    if order.len() >= MANY {
        packing.stay_near(order, scratch.phase())?;
        match packing.place(order, Fit::Best, None, offsets) {
            Ok(arena) => return Ok((arena.unwrap_or(0), packing.peak_live_bytes(scratch)?)),
            // By size, to name the first tensor that does not fit.
            Err(_) => {
                let mut phase = scratch.phase();
                let with_bytes = timeline::with_bytes(tensors);
                order.copy_from_slice(by_descending_key(with_bytes, tensors.len(), size, &mut phase)?);
            }
        }
    }
    let arena = packing.place(order, Fit::Best, None, offsets)?;
    Ok((arena.unwrap_or(0), packing.peak_live_bytes(scratch)?))
}
