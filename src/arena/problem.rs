//! The problem of the planners beyond [`plan_offsets`](super::plan_offsets): tensors, and what a user pins, frees,
//! shares, keeps apart, reserves and caps. Every part but the tensors may be empty; `interference.rs` says what it all
//! means for two tensors.
//!
//! A tensor of size 0 is not planned here either: its offset is 0, its fixed offset and its hint are not looked at, and
//! it clashes with nobody. Its gaps and pairs must be valid all the same.

use super::Tensor;

/// In [`Problem::fixed_offsets`] and [`Problem::hint_offsets`]: this tensor has none.
pub const FREE: usize = usize::MAX;

/// Nodes inside a lifetime at which a tensor holds only a part of its bytes, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Gap {
    /// The tensor, an index into the tensors.
    pub tensor: usize,
    /// The first node of the gap; at least the tensor's first use.
    pub first: usize,
    /// The last node of the gap, inclusive; at least `first`, at most the tensor's last use.
    pub last: usize,
    /// The first byte of the tensor that stays in use.
    pub window_begin: usize,
    /// One past the last byte that stays in use, at most the tensor's size; equal to `window_begin`: none does.
    pub window_end: usize,
}

/// Two different tensors, as indices into the tensors, in either order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Pair {
    /// One of them.
    pub a: usize,
    /// The other.
    pub b: usize,
}

/// Bytes of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Range {
    /// The first byte.
    pub begin: usize,
    /// One past the last byte; at least `begin`.
    pub end: usize,
}

impl Range {
    pub(super) fn contains(&self, byte: usize) -> bool {
        self.begin <= byte && byte < self.end
    }
}

/// What is to be placed, and under which conditions. Only the tensors are required.
#[derive(Clone, Copy, Debug, Default)]
pub struct Problem<'a> {
    /// What lives in the arena.
    pub tensors: &'a [Tensor],
    /// Empty, or one a tensor: the offset that it has in every plan; [`FREE`]: it is planned. Fixed tensors must lie
    /// on their alignment, below the capacity and off reserved bytes, and not clash.
    pub fixed_offsets: &'a [usize],
    /// Empty, or one a tensor: the offset that it gets if it is aligned, ends at most at the capacity and is free when
    /// the tensor's turn comes; [`FREE`]: no wish. A hint is never an error.
    pub hint_offsets: &'a [usize],
    /// When tensors hold less than all of their bytes, in any order. Those of one tensor may touch and share no node.
    pub gaps: &'a [Gap],
    /// Tensors that may share bytes although their lifetimes meet. Order and repetition do not matter.
    pub compatible: &'a [Pair],
    /// Tensors that must not share bytes, be it at different nodes or in a gap. No pair is here and in `compatible`.
    pub apart: &'a [Pair],
    /// Bytes of the arena that no tensor may use, in any order; ranges may overlap and be empty.
    pub reserved: &'a [Range],
    /// Bytes that the arena should not exceed; 0: no limit. A plan may exceed it, only what is fixed must not.
    pub capacity: usize,
}
