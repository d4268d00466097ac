//! Decreasing size, of equal sizes the longest life first, best fit: XLA's spatial order.
//!
//! Source: openxla/xla `heap_simulator.cc`, `GlobalDecreasingSizeBestFitHeap`.

use super::unplaced::{Unplaced, descending, length, then};
use crate::error::Error;
use crate::scratch::Scratch;

pub(super) fn order<'s>(unplaced: Unplaced, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
    let key = |i: usize| {
        let tensor = &unplaced.tensors[i];
        then(descending(tensor.size), descending(length(tensor)))
    };
    unplaced.by_wide(key, scratch)
}
