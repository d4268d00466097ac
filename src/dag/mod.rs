//! Directed acyclic graphs: which edges of a schedule are needed.

mod reduction;

pub use reduction::{transitive_reduction, transitive_reduction_scratch_size};

/// An edge between two nodes of a topological numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Edge {
    /// The node that comes first: below `to`.
    pub from: u32,
    /// The node that comes after it: below the node count.
    pub to: u32,
}
