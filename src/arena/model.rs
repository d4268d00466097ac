//! A problem in the form in which planners, checker and bound read it.
//!
//! Parts: a tensor with gaps is a union of rectangles, each a range of nodes by a window of its bytes; outside its gaps
//! the window is the whole tensor, and a part without bytes is left out. Invariant: the parts of one tensor are sorted
//! by node and share none. Neighbours in pairs are sorted lists; reserved ranges are disjoint, sorted, not touching.
//! Cost: O(m log m) for m tensors, gaps, pairs and ranges.

use core::ops::Range as Span;

use super::Tensor;
use super::bound::Alignments;
use super::bytes::Bytes;
use super::problem::{FREE, Gap, Pair, Problem, Range};
use super::timeline::Lived;
use crate::error::{Error, Kind};
use crate::scratch::{List, Scratch};
use crate::sort::{counting_sort, sort_by_key};

/// Bytes over an inclusive range of nodes: of a tensor, counted from its offset, or placed, counted from the arena's
/// start. It has a node and a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub tensor: u32,
    pub first: usize,
    pub last: usize,
    pub begin: usize,
    pub end: usize,
}

impl Part {
    /// In the [`tensor`](Part::tensor) of a placed part: these bytes are reserved.
    pub(super) const RESERVED: u32 = u32::MAX;

    pub fn meets(&self, other: &Part) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// Placed, if its tensor is at `offset`.
    pub fn at(&self, offset: usize) -> Part {
        Part { begin: self.begin + offset, end: self.end + offset, ..*self }
    }
}

impl Lived for Part {
    fn first(&self) -> usize {
        self.first
    }
    fn last(&self) -> usize {
        self.last
    }
    fn window(&self) -> Span<usize> {
        self.begin..self.end
    }
    fn tensor(&self, _: u32) -> usize {
        self.tensor as usize
    }
}

pub(super) struct Model<'a> {
    pub problem: Problem<'a>,
    pub alignments: Alignments,
    /// Of all tensors, in their order.
    pub all_parts: &'a [Part],
    /// Where the parts of each tensor end in `all_parts`.
    part_ends: &'a [u32],
    compatible: Groups<'a>,
    apart: Groups<'a>,
    /// Merged.
    pub reserved: &'a [Range],
}

const PART: usize = size_of::<Part>();

/// Scratch that a model keeps. It needs no more to be made than [`WORK`] beside it.
pub(super) const MODEL: Bytes = Bytes {
    tensor: PART + 12 + size_of::<usize>(),
    gap: 2 * PART,
    pair: 16,
    reserved: size_of::<Range>(),
    constant: 0,
};

/// Scratch that making a model, looking for a clash and computing the bound take, each; a gap makes two parts more.
pub(super) const WORK: Bytes = Bytes { tensor: 40, gap: 80, pair: 0, reserved: 0, constant: 0 };

/// How many parts there may be.
pub(super) fn most_parts(tensor_count: usize, gap_count: usize) -> usize {
    gap_count.saturating_mul(2).saturating_add(tensor_count)
}

impl<'a> Model<'a> {
    /// Of a problem whose numbers are in range; `reading.rs` asks whether they are. Gaps of one tensor that overlap are
    /// found here, where they are sorted.
    pub fn new(problem: &Problem<'a>, alignments: Alignments, scratch: &mut Scratch<'a>) -> Result<Model<'a>, Error> {
        let Problem { tensors, gaps, compatible, apart, reserved, .. } = *problem;
        let mut all_parts = scratch.list(most_parts(tensors.len(), gaps.len()))?;
        let reserved = merge(reserved, scratch)?;
        let part_ends = scratch.filled(tensors.len(), 0)?;
        let compatible = Groups::neighbours(tensors.len(), compatible, scratch)?;
        let apart = Groups::neighbours(tensors.len(), apart, scratch)?;
        divide(tensors, gaps, &mut all_parts, part_ends, scratch.phase())?;
        let all_parts = all_parts.into_slice();
        Ok(Model { problem: *problem, alignments, all_parts, part_ends, compatible, apart, reserved })
    }

    pub fn tensor(&self, i: usize) -> &'a Tensor {
        &self.problem.tensors[i]
    }

    /// All of a tensor's bytes over its whole lifetime. It has bytes.
    pub fn whole(&self, i: usize) -> Part {
        let tensor = self.tensor(i);
        Part { tensor: i as u32, first: tensor.first_use, last: tensor.last_use, begin: 0, end: tensor.size }
    }

    /// The parts of a tensor, by node.
    pub fn parts(&self, i: usize) -> &'a [Part] {
        let begin = i.checked_sub(1).map_or(0, |before| self.part_ends[before]);
        &self.all_parts[begin as usize..self.part_ends[i] as usize]
    }

    /// The tensors that tensor `i` may share bytes with at any time, ascending.
    pub fn compatible(&self, i: usize) -> &[u32] {
        self.compatible.of(i)
    }

    /// The tensors that tensor `i` must never share bytes with, ascending.
    pub fn apart(&self, i: usize) -> &[u32] {
        self.apart.of(i)
    }

    pub fn may_share(&self, i: usize, j: usize) -> bool {
        self.compatible(i).binary_search(&(j as u32)).is_ok()
    }

    /// The offset that a tensor with bytes must have.
    pub fn fixed(&self, i: usize) -> Option<usize> {
        let offset = self.problem.fixed_offsets.get(i).copied();
        offset.filter(|&offset| offset != FREE && self.tensor(i).size > 0)
    }

    /// The offset that a tensor would like to have, if a plan may put it there at all.
    pub fn hint(&self, i: usize) -> Option<usize> {
        let tensor = self.tensor(i);
        let room = if self.problem.capacity > 0 { self.problem.capacity } else { usize::MAX };
        let possible = |offset: &usize| {
            *offset != FREE && offset.is_multiple_of(tensor.stride()) && room.checked_sub(*offset) >= Some(tensor.size)
        };
        self.problem.hint_offsets.get(i).copied().filter(possible)
    }

    /// Whether the fast decoder, which knows whole lifetimes only, cannot serve.
    pub fn has_gaps_or_pairs(&self) -> bool {
        let Problem { gaps, compatible, apart, .. } = self.problem;
        !(gaps.is_empty() && compatible.is_empty() && apart.is_empty())
    }
}

/// Divides the tensors into parts.
fn divide(
    tensors: &[Tensor],
    gaps: &[Gap],
    parts: &mut List<Part>,
    ends: &mut [u32],
    mut scratch: Scratch,
) -> Result<(), Error> {
    let mut by_tensor = Groups::new(tensors.len(), gaps.len(), |g| gaps[g as usize].tensor as u32, &mut scratch)?;

    for (i, tensor) in tensors.iter().enumerate() {
        let mut push = |first, last, begin, end| {
            if begin < end {
                parts.push(Part { tensor: i as u32, first, last, begin, end });
            }
        };
        let own = by_tensor.of_mut(i);
        sort_by_key(own, |&g| (gaps[g as usize].first, g));
        for pair in own.windows(2) {
            let (before, after) = (pair[0] as usize, pair[1] as usize);
            if gaps[after].first <= gaps[before].last {
                let error = Error::new(Kind::GapOverlap, after, gaps[after].first, gaps[before].last);
                return Err(error.against(before));
            }
        }
        // The first node that no part tells of yet; none after the largest number.
        let mut next = Some(tensor.first_use);
        for gap in own.iter().map(|&g| &gaps[g as usize]) {
            if let Some(first) = next.filter(|&first| first < gap.first) {
                push(first, gap.first - 1, 0, tensor.size);
            }
            push(gap.first, gap.last, gap.window_begin, gap.window_end);
            next = gap.last.checked_add(1);
        }
        if let Some(first) = next.filter(|&first| first <= tensor.last_use) {
            push(first, tensor.last_use, 0, tensor.size);
        }
        ends[i] = parts.len() as u32;
    }
    Ok(())
}

/// The same bytes in disjoint ranges that do not touch, ascending.
fn merge<'a>(ranges: &[Range], scratch: &mut Scratch<'a>) -> Result<&'a [Range], Error> {
    let mut merged = scratch.list(ranges.len())?;
    ranges.iter().filter(|range| range.begin < range.end).for_each(|&range| merged.push(range));
    let merged = merged.into_slice();
    sort_by_key(merged, |range| range.begin);
    let mut count = 0;
    for i in 0..merged.len() {
        let range = merged[i];
        match merged[..count].last_mut() {
            Some(last) if range.begin <= last.end => last.end = last.end.max(range.end),
            _ => {
                merged[count] = range;
                count += 1;
            }
        }
    }
    Ok(&merged[..count])
}

/// Numbers grouped by tensor. Empty where there are none.
#[derive(Default)]
struct Groups<'a> {
    starts: &'a mut [u32],
    items: &'a mut [u32],
}

impl<'a> Groups<'a> {
    /// The items 0, 1, ... below `count`.
    fn new(
        tensor_count: usize,
        count: usize,
        tensor: impl Fn(u32) -> u32,
        scratch: &mut Scratch<'a>,
    ) -> Result<Groups<'a>, Error> {
        if count == 0 {
            return Ok(Groups::default());
        }
        let starts = scratch.filled(tensor_count + 1, 0)?;
        let items = scratch.filled(count, 0)?;
        counting_sort(0..count as u32, tensor, starts, items);
        Ok(Groups { starts, items })
    }

    /// The neighbours of each tensor in the pairs, each once, ascending.
    fn neighbours(tensor_count: usize, pairs: &[Pair], scratch: &mut Scratch<'a>) -> Result<Groups<'a>, Error> {
        // Item 2p is pair p seen from a, item 2p + 1 the same seen from b.
        let ends = |item: u32| {
            let Pair { a, b } = pairs[item as usize / 2];
            if item.is_multiple_of(2) { (a as u32, b as u32) } else { (b as u32, a as u32) }
        };
        let groups = Groups::new(tensor_count, 2 * pairs.len(), |item| ends(item).0, scratch)?;
        groups.items.iter_mut().for_each(|item| *item = ends(*item).1);
        let (mut begin, mut count) = (0, 0);
        for start in groups.starts.iter_mut().skip(1) {
            let (end, first) = (*start as usize, count);
            sort_by_key(&mut groups.items[begin..end], |&item| item);
            for k in begin..end {
                // A pair that is given twice counts once.
                if count == first || groups.items[count - 1] != groups.items[k] {
                    groups.items[count] = groups.items[k];
                    count += 1;
                }
            }
            *start = count as u32;
            begin = end;
        }
        Ok(groups)
    }

    fn range(&self, i: usize) -> Span<usize> {
        match self.starts.get(i..) {
            Some(&[begin, end, ..]) => begin as usize..end as usize,
            _ => 0..0,
        }
    }

    fn of(&self, i: usize) -> &[u32] {
        &self.items[self.range(i)]
    }

    fn of_mut(&mut self, i: usize) -> &mut [u32] {
        let range = self.range(i);
        &mut self.items[range]
    }
}
