//! The one rule of who may share bytes with whom, asked by planners, checker and bound.
//!
//! A tensor is a union of [`Part`]s. A placed tensor forbids another one some offsets:
//! - an apart pair: all at which any two of their bytes would coincide, whatever their lifetimes and gaps;
//! - a compatible pair: none;
//! - any other pair: all at which a byte of a part of one would coincide with a byte of a part of the other, and the
//!   two parts share a node.
//!
//! So tensors with gaps may interleave byte by byte; google/minimalloc is stricter there and wants one wholly below the
//! other. Think in forbidden offsets, not in occupied bytes: with windows the former depend on both tensors.

use super::model::{Model, Part};
use super::problem::Range;

/// The offsets at which `part` would share a byte with `placed`, whose bytes are counted from the start of the arena.
/// Exact: an offset below 0 does not exist, and `placed` has a byte, so nothing here passes `usize::MAX`.
pub(super) fn forbidden(placed: &Part, part: &Part) -> Range {
    Range { begin: (placed.begin + 1).saturating_sub(part.end), end: placed.end.saturating_sub(part.begin) }
}

/// The offsets that the tensor `placed` at `offset` forbids for `tensor`, range by range in no order.
pub(super) fn each_forbidden(model: &Model, placed: usize, offset: usize, tensor: usize, mut each: impl FnMut(Range)) {
    if model.apart(placed).binary_search(&(tensor as u32)).is_ok() {
        each(forbidden(&model.whole(placed).at(offset), &model.whole(tensor)));
    } else if !model.may_share(placed, tensor) {
        for p in model.parts(placed) {
            for q in model.parts(tensor).iter().filter(|q| p.meets(q)) {
                each(forbidden(&p.at(offset), q));
            }
        }
    }
}
