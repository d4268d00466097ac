//! What a caller asks of a plan over several spaces, and is told of each of them.

use crate::arena::{Plan, Tensor};

/// In a list of spaces: none.
pub const NO_SPACE: u32 = u32::MAX;

/// A memory that has an arena of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Space {
    /// Bytes, at least 1; the largest number: unlimited.
    pub capacity: usize,
    /// What the address of its arena is a multiple of. A tensor may be in it only if this is a multiple of the
    /// tensor's alignment. 0: of whatever the plan needs.
    pub base_alignment: usize,
    /// The cost of a byte that is moved to or from it. Where all spaces cost the same, an earlier one is preferred:
    /// space k costs k.
    pub cost: usize,
}

/// What is to be placed where. Only tensors and spaces are required.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpacesProblem<'a> {
    /// What lives in the spaces.
    pub tensors: &'a [Tensor],
    /// The spaces, 1 to 32.
    pub spaces: &'a [Space],
    /// Empty, or one a tensor: a mask of the spaces that it may be in, bit k for space k.
    pub allowed: &'a [u32],
    /// Empty, or one a tensor: the space that it must be in, or [`NO_SPACE`].
    pub pinned_spaces: &'a [u32],
    /// Empty, or one a tensor: the offset that it must have in its pinned space, or [`FREE`](crate::arena::FREE).
    pub fixed_offsets: &'a [usize],
    /// Empty, or one a tensor: the bytes moved to and from it over its life. Empty: its size.
    pub weights: &'a [usize],
}

/// The plan in one space, and what it has left for the largest tensor that found no room anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct SpaceReport {
    /// The numbers of the arena in this space, for the tensors that are in it.
    pub plan: Plan,
    /// The bytes of the capacity that are free at every node of the life of the largest tensor that was left out, be
    /// they scattered or not; the capacity where none was left out.
    pub free_bytes: usize,
    /// A node of that life at which no more are free; the largest number where none was left out.
    pub tightest_node: usize,
    /// The longest range of bytes that is free over that whole life, from the first byte aligned for the tensor on.
    pub longest_range: usize,
}
