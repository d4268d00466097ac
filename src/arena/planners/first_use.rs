//! First use, equal ones in input order, best fit below the highest end so far: MLIR's `best-fit`.
//!
//! Source: llvm/llvm-project `StaticMemoryPlanning.cpp` (llvm/llvm-project#207403).

use super::unplaced::Unplaced;
use crate::error::Error;
use crate::scratch::Scratch;

pub(super) fn order<'s>(unplaced: Unplaced, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
    unplaced.by(|i| unplaced.tensors[i].first_use, scratch)
}
