//! Decreasing size x number of tensors alive beside it, equal ones in input order, first fit.
//!
//! Area measures what a tensor takes away from itself: a long life among few others counts there and hurts nobody.
//! Size x conflicts measures what it takes away from the others. Own work; alone the best of the greedy planners here
//! on the instances A to K of google/minimalloc and on the networks of traces/mlir.

use super::conflicts;
use super::unplaced::Unplaced;
use crate::error::Error;
use crate::scratch::Scratch;

pub(super) fn order<'s>(unplaced: Unplaced, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
    let conflicts = conflicts::counts(unplaced, scratch)?;
    unplaced.by_wide(|i| u128::MAX - unplaced.tensors[i].size as u128 * u128::from(conflicts[i]), scratch)
}
