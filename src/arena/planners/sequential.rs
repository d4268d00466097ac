//! Input order, one after another whatever the lifetimes: MLIR's `trivial`. What sharing nothing costs.
//!
//! Source: llvm/llvm-project `StaticMemoryPlanning.cpp`.

use super::unplaced::Unplaced;
use crate::error::Error;
use crate::scratch::Scratch;

pub(super) fn order<'s>(unplaced: Unplaced, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
    unplaced.by(|_| 0, scratch)
}
