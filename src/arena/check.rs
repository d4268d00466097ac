//! Judges a plan: does every tensor lie on its alignment, and do no two that are alive together share a byte?
//!
//! The live tensors are kept in a set ordered by offset. Invariant: until the first clash they are disjoint, so an
//! arriving tensor clashes with one of them if and only if it clashes with its neighbour below or above. At the first
//! node with a clash the live tensors are gone through once by offset: the first that begins below an end seen before
//! begins at the smallest shared byte, and of all that hold this byte the two smallest indices are named.
//! Cost: O(n log n); 32 bytes of scratch a tensor.

use super::bound::{alignments, measure};
use super::problem::Problem;
use super::ranks::RankSet;
use super::timeline::{self, Timeline};
use super::{Plan, Tensor, validate};
use crate::error::{Error, Kind};
use crate::scratch::{Scratch, Word, size};
use crate::sort::by_key;

/// Scratch bytes of [`check_offsets`]: 32 a tensor; `usize::MAX` on overflow.
pub fn check_offsets_scratch_size(tensor_count: usize) -> usize {
    size(&[(tensor_count, 32)])
}

/// The numbers of a plan, ours or anyone's, if it is valid; `offsets` holds one a tensor.
///
/// # Errors
/// The first offset that is misaligned or whose end is beyond `usize::MAX`; else the first clash: at the smallest node,
/// there at the smallest byte, there the smallest two indices. A reversed lifetime, a common multiple of the
/// alignments beyond `usize::MAX`, too many tensors, scratch too small.
///
/// # Panics
/// If there are fewer offsets than tensors.
pub fn check_offsets(tensors: &[Tensor], offsets: &[usize], scratch: &mut [Word]) -> Result<Plan, Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(check_offsets_scratch_size(tensors.len()))?;
    validate(tensors)?;
    let alignments = alignments(tensors)?;
    for i in timeline::with_bytes(tensors).map(|i| i as usize) {
        let (tensor, offset) = (&tensors[i], offsets[i]);
        if offset % tensor.stride() != 0 {
            return Err(Error::new(Kind::OffsetMisaligned, i, offset, tensor.stride()));
        }
        if tensor.size > usize::MAX - offset {
            return Err(Error::new(Kind::ArenaOverflow, i, tensor.size, usize::MAX - offset));
        }
    }
    let timeline = Timeline::new(tensors, &mut scratch)?;
    find_clash(tensors, offsets, timeline, scratch.phase())?;
    measure(tensors, offsets, alignments, timeline, scratch)
}

/// Scratch bytes of [`check_problem`], for so many tensors, gaps, pairs (compatible and apart together) and reserved
/// ranges; `usize::MAX` on overflow.
pub fn check_problem_scratch_size(
    tensor_count: usize,
    _gap_count: usize,
    _pair_count: usize,
    _reserved_count: usize,
) -> usize {
    check_offsets_scratch_size(tensor_count)
}

/// The numbers of a plan for a problem with all its parts, if it is valid.
///
/// # Errors
/// As the header says.
pub fn check_problem(problem: &Problem, offsets: &[usize], scratch: &mut [Word]) -> Result<Plan, Error> {
    check_offsets(problem.tensors, offsets, scratch)
}

fn find_clash(tensors: &[Tensor], offsets: &[usize], timeline: Timeline, mut scratch: Scratch) -> Result<(), Error> {
    let by_offset = by_key(timeline::with_bytes(tensors), tensors.len(), |i| offsets[i as usize], &mut scratch)?;
    let rank = scratch.filled(tensors.len(), 0)?;
    for (r, &i) in (0u32..).zip(by_offset.iter()) {
        rank[i as usize] = r;
    }
    let mut live = RankSet::new(by_offset.len(), &mut scratch)?;

    let start = |r: u32| offsets[by_offset[r as usize] as usize];
    let end = |r: u32| start(r) + tensors[by_offset[r as usize] as usize].size;
    for step in timeline {
        for &i in step.departing {
            live.remove(rank[i as usize]);
        }
        let mut clash = false;
        for &i in step.arriving {
            let r = rank[i as usize];
            clash |= live.below(r).is_some_and(|below| end(below) > start(r));
            clash |= live.at_or_above(r).is_some_and(|above| start(above) < end(r));
            live.insert(r);
        }
        if clash {
            return Err(first_clash(step.node, || live.iter().map(|r| (start(r), end(r), by_offset[r as usize]))));
        }
    }
    Ok(())
}

/// `live` gives the start, end and index of each tensor alive at `node`, by ascending start; some two of them clash.
fn first_clash<I: Iterator<Item = (usize, usize, u32)>>(node: usize, live: impl Fn() -> I) -> Error {
    let mut top = 0;
    let byte = live()
        .find_map(|(start, end, _)| {
            let clashes = start < top;
            top = top.max(end);
            clashes.then_some(start)
        })
        .unwrap_or(0);
    let holders = || live().filter(|&(start, end, _)| start <= byte && byte < end).map(|(_, _, i)| i as usize);
    let first = holders().min().unwrap_or(crate::NONE);
    let second = holders().filter(|&i| i != first).min().unwrap_or(crate::NONE);
    Error::new(Kind::Clash, first, byte, node).against(second)
}
