//! The search under conditions: fixed offsets, gaps, compatible and apart pairs, reserved ranges.
//!
//! It stands on the one rule of `interference.rs` alone, so it knows every condition, and pays for that with a look at
//! every tensor at every node. The search without conditions, beside it, is faster by far and knows none.
//!
//! Files: `sections` (parts that must be disjoint), `state` (a partial plan and what it proves), `tree` (place or
//! exclude, and why nothing is lost), `keys` (which candidate first), `relaxations` (small parts of a problem, for its
//! bound), `driver` (laps of searches).

mod driver;
mod keys;
mod relaxations;
mod sections;
mod state;
mod tree;

use crate::arena::bytes::Counts;
use crate::arena::model::{MODEL, Model, most_parts};
use crate::scratch::size;

pub(super) use driver::{bound, improve};
pub(super) use relaxations::Relaxation;

/// Scratch bytes of [`improve`] and of [`bound`].
pub(super) fn conditions_size(counts: Counts) -> usize {
    let (tensors, parts) = (counts.tensors, most_parts(counts.tensors, counts.gaps));
    size(&[
        (1, size_of::<Model>() + size_of::<driver::Search>()),
        (1, MODEL.of(counts)),
        (1, sections::sections_size(counts)),
        (1, state::state_size(tensors, parts)),
        (1, tree::tree_size(tensors)),
        (tensors, keys::KEYS + relaxations::TENSOR),
        (parts, relaxations::PART),
    ])
}
