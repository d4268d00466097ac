//! The tensors as the search sees them: items in units over sections of time.
//!
//! A section is a node with a maximal live set: one whose live tensors are not all alive at another node. Every pair
//! that meets shares a section, so the others say nothing. A tensor covers consecutive sections. Items are numbered
//! by first section, then last, then size: who begins in a range of sections is a range of items, and identical ones
//! are neighbours.
//!
//! Units. Let g be the greatest common divisor of the alignments. All offsets are multiples of g, so tensors may be
//! rounded up to g below each other; only the topmost may stick out of the arena by its rounding. Where every alignment
//! divides all sizes, the offsets of the search are sums of sizes and the unit is their divisor, without any rounding.
//!
//! Overlaps are not stored. Every `stride`-th section lists its live items; who meets a range of sections is among
//! those of the list at or before its first section, or begins later in the range. The stride is the smallest power
//! of two for which the lists stay within [`listed`] entries.
//! Cost: O(n log n).

use crate::arena::bound::Alignments;
use crate::arena::timeline::{self, Timeline};
use crate::arena::{Tensor, bound};
use crate::error::Error;
use crate::scratch::Scratch;
use crate::sort::by_wide_key;

/// What never changes during a search.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a> {
    /// Bytes of a unit.
    pub unit: usize,
    /// By item the tensor.
    pub tensors: &'a [u32],
    pub shapes: &'a [Shape],
    /// By section the first item that begins there or later; one more entry than sections.
    starts: &'a [u32],
    /// Every 2^shift-th section has a list.
    shift: u32,
    list_ends: &'a [u32],
    listed: &'a [u32],
}

/// A tensor in units and sections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Rounded up.
    pub size: usize,
    /// The offset is a multiple of it.
    pub stride: usize,
    /// Bytes that the size is rounded up by.
    pub rounding: usize,
    /// The first and the last section.
    pub first: u32,
    pub last: u32,
}

/// The largest number of entries in the lists: enough for a list a section up to a few hundred tensors.
pub(super) fn listed(tensor_count: usize) -> usize {
    tensor_count.saturating_mul(tensor_count).min(tensor_count.saturating_mul(16).saturating_add(1 << 14))
}

/// Scratch bytes that a layout keeps and works with: so many a tensor, and those of the lists.
pub(super) const TENSOR_BYTES: usize = 4 + size_of::<Shape>() + 4 + 4 + 8 + 28;

impl<'a> Layout<'a> {
    #[inline(never)]
    pub fn new(tensors: &[Tensor], scratch: &mut Scratch<'a>) -> Result<Layout<'a>, Error> {
        let alignments = bound::alignments(tensors)?;
        let unit = unit(tensors, &alignments);
        let count = timeline::with_bytes(tensors).count();
        let mut by_item = scratch.list(count)?;
        let mut shapes = scratch.list(count)?;
        let starts = scratch.filled(count + 1, 0)?;
        let list_ends = scratch.filled(count, 0)?;
        let mut lists = scratch.list(listed(tensors.len()))?;

        let mut phase = scratch.phase();
        let spans = phase.filled(tensors.len(), (0, u32::MAX))?;
        let sections = divide(tensors, spans, phase.phase())? as usize;
        let key = |i: u32| {
            let (first, last) = spans[i as usize];
            u128::from(first) << 96 | u128::from(last) << 64 | tensors[i as usize].size as u128
        };
        for &i in by_wide_key(timeline::with_bytes(tensors), count, key, &mut phase)?.iter() {
            let ((first, last), tensor) = (spans[i as usize], &tensors[i as usize]);
            let size = tensor.size.div_ceil(unit);
            // Less than a unit; modulo 2^bits the difference is exact.
            let rounding = size.wrapping_mul(unit).wrapping_sub(tensor.size);
            let stride = tensor.stride() / greatest_common_divisor(tensor.stride(), unit);
            by_item.push(i);
            shapes.push(Shape { size, stride, rounding, first, last });
        }
        let shapes = shapes.into_slice();

        // Starts: counted, then summed.
        for shape in shapes.iter() {
            starts[shape.first as usize + 1] += 1;
        }
        for s in 0..count {
            starts[s + 1] += starts[s];
        }
        let starts = &starts[..=sections];

        // How many are alive in each section.
        let alive = phase.filled(sections + 1, 0i64)?;
        for shape in shapes.iter() {
            alive[shape.first as usize] += 1;
            alive[shape.last as usize + 1] -= 1;
        }
        for s in 0..sections {
            alive[s + 1] += alive[s];
        }
        let entries = |shift: u32| alive[..sections].iter().step_by(1 << shift).sum::<i64>();
        let shift = (0..31).find(|&shift| entries(shift) <= listed(tensors.len()) as i64).unwrap_or(31);
        let list_count = sections.div_ceil(1 << shift);
        // Items begin one after another, so a sweep knows the candidates of a list: all before, still alive.
        let live = phase.filled(count, 0u32)?;
        let (mut live_count, mut next) = (0, 0);
        for (list, end) in list_ends.iter_mut().enumerate().take(list_count) {
            let section = (list << shift) as u32;
            while next < shapes.len() && shapes[next].first <= section {
                live[live_count] = next as u32;
                live_count += 1;
                next += 1;
            }
            let mut kept = 0;
            for l in 0..live_count {
                if shapes[live[l] as usize].last >= section {
                    live[kept] = live[l];
                    kept += 1;
                }
            }
            live_count = kept;
            live[..kept].iter().for_each(|&item| lists.push(item));
            *end = lists.len() as u32;
        }
        let listed = lists.into_slice();
        Ok(Layout { unit, tensors: by_item.into_slice(), shapes, starts, shift, list_ends, listed })
    }

    pub fn section_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether [`meeting`](Self::meeting) of one section is those that meet it and no others.
    pub fn lists_all_sections(&self) -> bool {
        self.shift == 0
    }

    /// The items that begin in these sections, last inclusive.
    pub fn beginning(&self, first: u32, last: u32) -> core::ops::Range<u32> {
        self.starts[first as usize]..self.starts[last as usize + 1]
    }

    /// A superset of the items that meet the sections `first` to `last`: those of them whose last section is at least
    /// `first`.
    #[inline]
    pub fn meeting(&self, first: u32, last: u32) -> impl Iterator<Item = u32> + use<'a> {
        let list = (first >> self.shift) as usize;
        let begin = list.checked_sub(1).map_or(0, |before| self.list_ends[before]);
        let listed: &'a [u32] = &self.listed[begin as usize..self.list_ends[list] as usize];
        let begins = self.starts[(list << self.shift) + 1]..self.starts[last as usize + 1];
        listed.iter().copied().chain(begins)
    }
}

fn unit(tensors: &[Tensor], alignments: &Alignments) -> usize {
    let sizes =
        timeline::with_bytes(tensors).fold(0, |divisor, i| greatest_common_divisor(divisor, tensors[i as usize].size));
    if sizes.max(1).is_multiple_of(alignments.least_common_multiple) {
        sizes.max(1)
    } else {
        alignments.greatest_common_divisor.get()
    }
}

fn greatest_common_divisor(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Of two positive numbers; the compiler cannot know.
    a.max(1)
}

/// Writes each tensor's first and last section, and returns how many there are. A section ends where a tensor departs
/// after another one arrived: no later node has the live set before that departure, and no earlier one either.
fn divide<'s>(tensors: &'s [Tensor], spans: &mut [(u32, u32)], mut scratch: Scratch<'s>) -> Result<u32, Error> {
    let (mut section, mut is_fresh) = (0u32, false);
    for step in Timeline::new(tensors, &mut scratch)? {
        if is_fresh && !step.departing.is_empty() {
            section += 1;
            is_fresh = false;
        }
        for &i in step.departing {
            // Arrived before the section that was closed last ended.
            spans[i as usize].1 = section - 1;
        }
        for &i in step.arriving {
            spans[i as usize].0 = section;
            is_fresh = true;
        }
    }
    let last = section;
    for span in spans.iter_mut() {
        span.1 = span.1.min(last);
    }
    Ok(if is_fresh { last + 1 } else { last })
}
