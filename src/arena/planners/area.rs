//! Decreasing size x length of the lifetime, equal ones in input order, first fit.
//!
//! Source: the area order of openxla/xla `heap_simulator.cc`, with the fit of TFLite-Micro.

use super::unplaced::{Unplaced, length};
use crate::error::Error;
use crate::scratch::Scratch;

pub(super) fn order<'s>(unplaced: Unplaced, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
    let key = |i: usize| {
        let tensor = &unplaced.tensors[i];
        u128::MAX - tensor.size as u128 * (length(tensor) as u128 + 1)
    };
    unplaced.by_wide(key, scratch)
}
