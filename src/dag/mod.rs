//! Directed acyclic graphs: which edges of a schedule are needed.
//!
//! [`transitive_reduction`] wants ids that are a topological numbering; [`transitive_reduction_ranked`] takes any ids
//! with ranks, which [`topological_ranks`] finds, and flags. [`reachability`] is the closure, for many questions.

mod backward;
mod chains;
mod choose;
mod columns;
mod decisions;
mod dense;
mod full;
mod graph;
mod levels;
mod pull;
mod push;
mod ranks;
mod reachability;
mod reduction;
mod rows;
mod search;
mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use ranks::{cycle_error, find_ranks};
pub use ranks::{topological_ranks, topological_ranks_scratch_size};
pub(crate) use reachability::close;
pub use reachability::{reachability, reachability_row_words, reachability_scratch_size};
pub(crate) use reduction::Problem;
pub use reduction::{
    Method, transitive_reduction, transitive_reduction_by, transitive_reduction_by_scratch_size,
    transitive_reduction_ranked, transitive_reduction_ranked_scratch_size, transitive_reduction_scratch_size,
};

/// An edge between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Edge {
    /// The node that comes first.
    pub from: u32,
    /// The node that comes after it.
    pub to: u32,
}

/// What the reduction may do with an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Flag {
    /// It goes where another path exists.
    Ordinary = 0,
    /// It stays, and serves as a path.
    Protected = 1,
    /// It serves as a path, but is not part of the answer.
    Background = 2,
}

impl Flag {
    /// The flag of a number that was checked.
    fn of(number: u8) -> Flag {
        match number {
            0 => Flag::Ordinary,
            1 => Flag::Protected,
            _ => Flag::Background,
        }
    }
}
