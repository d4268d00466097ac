//! Decreasing size, equal sizes in input order, best fit: the reference answer.
//!
//! Source: google/XNNPACK `src/memory-planner.c` as of google/XNNPACK#10801.

use super::unplaced::Unplaced;
use crate::error::Error;
use crate::scratch::Scratch;

pub(super) fn order<'s>(unplaced: Unplaced, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
    unplaced.by_descending(|i| unplaced.tensors[i].size, scratch)
}
