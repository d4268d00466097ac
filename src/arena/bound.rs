//! What no plan can undercut: the bytes alive at one node, and the padding that the alignments force on them.
//!
//! Peak: tensors alive at one node are disjoint in the arena, so their sizes add up.
//! Bound: let g be the greatest common divisor of the alignments. Every offset is a multiple of g, so of the tensors
//! alive at a node each but the topmost reaches up to the next multiple of g at least. The arena holds the sum of their
//! sizes rounded up to g, less the rounding of the topmost; whichever that is, less the largest rounding among them.
//! Cost: O(n log n); beside the timeline 24 bytes of scratch a tensor.

use core::num::NonZero;

use super::largest::Largest;
use super::timeline::{self, Timeline};
use super::{Plan, Tensor, validate};
use crate::error::{Error, Kind};
use crate::scratch::{Scratch, Word, size};

/// Scratch bytes of [`peak_live_bytes`]: 24 a tensor; `usize::MAX` on overflow.
pub fn peak_live_bytes_scratch_size(tensor_count: usize) -> usize {
    size(&[(tensor_count, 24)])
}

/// The largest sum of sizes alive at one node, and the first node where it is reached ([`NONE`](crate::NONE) where the
/// sum is 0).
///
/// # Errors
/// A lifetime that is reversed, a sum beyond `usize::MAX`, too many tensors, scratch too small.
pub fn peak_live_bytes(tensors: &[Tensor], scratch: &mut [Word]) -> Result<(usize, usize), Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(peak_live_bytes_scratch_size(tensors.len()))?;
    validate(tensors)?;
    peak(tensors, Timeline::new(tensors, &mut scratch)?)
}

fn peak(tensors: &[Tensor], timeline: Timeline) -> Result<(usize, usize), Error> {
    let (mut live, mut peak, mut peak_node) = (0usize, 0, crate::NONE);
    for step in timeline {
        live -= step.departing.iter().map(|&i| tensors[i as usize].size).sum::<usize>();
        for &i in step.arriving {
            let size = tensors[i as usize].size;
            let left = usize::MAX - live;
            live = live.checked_add(size).ok_or(Error::new(Kind::PeakOverflow, i as usize, size, left))?;
        }
        if live > peak {
            (peak, peak_node) = (live, step.node);
        }
    }
    Ok((peak, peak_node))
}

/// The numbers of a valid plan.
pub(super) fn measure(
    tensors: &[Tensor],
    offsets: &[usize],
    alignments: Alignments,
    timeline: Timeline,
    scratch: Scratch,
) -> Result<Plan, Error> {
    let (peak_live_bytes, _) = peak(tensors, timeline)?;
    let ends = timeline::with_bytes(tensors).map(|i| offsets[i as usize] + tensors[i as usize].size);
    Ok(Plan {
        arena_size: ends.max().unwrap_or(0),
        arena_alignment: alignments.least_common_multiple,
        lower_bound: match alignments.force_padding(tensors) {
            false => peak_live_bytes,
            true => padded_peak(tensors, alignments.greatest_common_divisor, timeline, scratch)?,
        },
        peak_live_bytes,
    })
}

/// The bound of this file's first lines. Some plan must be known to fit `usize`: then so does the bound at every node,
/// and sums modulo 2^bits are exact, though a sum of rounded sizes may pass `usize::MAX` by less than g.
pub(super) fn padded_peak(
    tensors: &[Tensor],
    gcd: NonZero<usize>,
    timeline: Timeline,
    mut scratch: Scratch,
) -> Result<usize, Error> {
    let padding = |i: u32| (gcd.get() - tensors[i as usize].size % gcd) % gcd;
    let mut paddings = Largest::new(tensors.len(), &mut scratch)?;
    let (mut padded_sum, mut bound) = (0usize, 0);
    for step in timeline {
        for &i in step.departing {
            paddings.set(i, 0);
            padded_sum = padded_sum.wrapping_sub(tensors[i as usize].size.wrapping_add(padding(i)));
        }
        for &i in step.arriving {
            paddings.set(i, padding(i));
            padded_sum = padded_sum.wrapping_add(tensors[i as usize].size.wrapping_add(padding(i)));
        }
        bound = bound.max(padded_sum.wrapping_sub(paddings.largest()));
    }
    Ok(bound)
}

pub(super) struct Alignments {
    /// What the arena's base address must be a multiple of.
    pub least_common_multiple: usize,
    /// What every offset is a multiple of.
    pub greatest_common_divisor: NonZero<usize>,
}

impl Alignments {
    /// Whether some size must be rounded up; the bound is the peak otherwise.
    pub fn force_padding(&self, tensors: &[Tensor]) -> bool {
        let gcd = self.greatest_common_divisor;
        gcd > NonZero::<usize>::MIN && tensors.iter().any(|tensor| tensor.size % gcd != 0)
    }
}

pub(super) fn alignments(tensors: &[Tensor]) -> Result<Alignments, Error> {
    let (mut multiple, mut divisor, mut previous) = (1usize, 0, 0);
    for i in timeline::with_bytes(tensors) {
        let stride = tensors[i as usize].stride();
        if stride == previous {
            continue; // Most often all are equal, and the divisions are slow.
        }
        previous = stride;
        // Both are positive, and so is their divisor; the compiler cannot know.
        let missing = stride / greatest_common_divisor(multiple, stride).max(1);
        let error = Error::new(Kind::AlignmentOverflow, i as usize, stride, multiple);
        multiple = multiple.checked_mul(missing).ok_or(error)?;
        divisor = greatest_common_divisor(divisor, stride);
    }
    let divisor = NonZero::new(divisor).unwrap_or(NonZero::<usize>::MIN);
    Ok(Alignments { least_common_multiple: multiple, greatest_common_divisor: divisor })
}

fn greatest_common_divisor(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_forced_where_a_size_is_no_multiple_of_the_divisor_of_all_alignments() {
        let forced = |sizes_and_alignments: &[(usize, usize)]| {
            let tensor = |&(size, alignment)| Tensor { size, alignment, first_use: 0, last_use: 0 };
            let tensors: std::vec::Vec<Tensor> = sizes_and_alignments.iter().map(tensor).collect();
            alignments(&tensors).expect("a multiple").force_padding(&tensors)
        };
        assert!(forced(&[(8, 4), (9, 6)]));
        assert!(!forced(&[(8, 4), (10, 6)]), "both are even");
        assert!(!forced(&[(8, 4), (9, 3)]), "no common divisor but 1");
        assert!(!forced(&[(0, 4)]));
        assert!(!forced(&[]));
    }
}
