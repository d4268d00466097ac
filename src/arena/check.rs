//! Judges a plan: does every tensor lie on its alignment, and do no two that are alive together share a byte?
//!
//! `clash.rs` finds the first pair that does. A problem with more parts than its tensors adds what else it asks of a
//! plan: fixed offsets kept, reserved ranges left alone, apart pairs apart.
//! Cost: O(n log n) for plain tensors, 32 bytes of scratch each; for a problem that of its model, clashes and limits.

use super::bound::{alignments, measure};
use super::bytes::Counts;
use super::clash::{self, Clash};
use super::limits::{self, LIMITS};
use super::problem::Problem;
use super::reading;
use super::timeline::{self, Timeline};
use super::{Plan, Tensor, validate};
use crate::error::{Error, Kind, NONE};
use crate::scratch::{Scratch, Word, size};

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
        validate_offset(&tensors[i], i, offsets[i])?;
    }
    let timeline = Timeline::new(tensors, &mut scratch)?;
    let some = timeline::with_bytes(tensors);
    refuse(clash::first(tensors, some, timeline, offsets, |_, _| false, scratch.phase())?)?;
    measure(tensors, offsets, alignments, timeline, scratch)
}

fn refuse(clash: Option<Clash>) -> Result<(), Error> {
    match clash {
        Some(Clash { first, second, bytes, node }) => {
            Err(Error::new(Kind::Clash, first, bytes.start, node).against(second))
        }
        None => Ok(()),
    }
}

/// Scratch bytes of [`check_problem`], for so many tensors, gaps, pairs (compatible and apart together) and reserved
/// ranges; `usize::MAX` on overflow.
pub fn check_problem_scratch_size(
    tensor_count: usize,
    gap_count: usize,
    pair_count: usize,
    reserved_count: usize,
) -> usize {
    LIMITS.of(Counts::new(tensor_count, gap_count, pair_count, reserved_count))
}

/// The numbers of a plan for a problem with all its parts, if it is valid; `offsets` holds one a tensor. That of a
/// tensor of size 0 is not looked at. The capacity is not compared: a plan above it is valid, and
/// [`Plan::arena_size`] tells.
///
/// # Errors
/// First those of the problem: a count other than that of the tensors; a lifetime, a gap, a pair or a range that is
/// none; a common multiple of the alignments beyond `usize::MAX`; compatible and apart at once; a fixed offset that is
/// misaligned, endless, above the capacity or reserved; two fixed offsets that clash. Then those of the plan: the first
/// offset that is misaligned, endless or not the fixed one; the first tensor on a reserved byte; the first apart pair,
/// by indices, that shares a byte; the first clash: at the smallest node, there at the smallest byte, there the
/// smallest two indices. Too many of anything, scratch too small.
pub fn check_problem(problem: &Problem, offsets: &[usize], scratch: &mut [Word]) -> Result<Plan, Error> {
    let tensors = problem.tensors;
    let mut scratch = Scratch::new(scratch);
    scratch.require(LIMITS.of(Counts::of(problem)))?;
    let model = reading::model(problem, &mut scratch)?;
    if offsets.len() != tensors.len() {
        return Err(Error::new(Kind::Count, NONE, offsets.len(), tensors.len()));
    }
    let with_bytes = || timeline::with_bytes(tensors).map(|i| (i as usize, offsets[i as usize]));
    for (i, offset) in with_bytes() {
        validate_offset(&tensors[i], i, offset)?;
        if let Some(fixed) = model.fixed(i).filter(|&fixed| fixed != offset) {
            return Err(Error::new(Kind::NotFixed, i, offset, fixed));
        }
    }
    for (i, offset) in with_bytes() {
        clash::with_reserved(&model, i, offset)?;
    }
    if let Some(Clash { first, second, bytes, .. }) = clash::of_apart(&model, |i| Some(offsets[i])) {
        return Err(Error::new(Kind::ApartClash, first, bytes.start, bytes.end).against(second));
    }
    refuse(clash::of_parts(&model, offsets, |_| true, scratch.phase())?)?;
    limits::measure(&model, offsets, scratch)
}

fn validate_offset(tensor: &Tensor, i: usize, offset: usize) -> Result<(), Error> {
    if !offset.is_multiple_of(tensor.stride()) {
        return Err(Error::new(Kind::OffsetMisaligned, i, offset, tensor.stride()));
    }
    if tensor.size > usize::MAX - offset {
        return Err(Error::new(Kind::ArenaOverflow, i, tensor.size, usize::MAX - offset));
    }
    Ok(())
}
