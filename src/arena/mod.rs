//! Offset planning: where each tensor lives in one arena.
//!
//! Two tensors whose inclusive lifetimes share a node must not share a byte. [`plan_offsets`] answers with a plan that
//! honours this, [`check_offsets`] judges any plan, [`peak_live_bytes`] tells what no plan can undercut.
//! [`plan_portfolio`], [`check_problem`] and [`lower_bound`] do the same for a [`Problem`]: tensors with pinned
//! offsets, gaps, pairs that may or must not share bytes, and reserved ranges.
//!
//! A tensor of size 0 is not planned: its offset is 0, it clashes with nobody, and neither its alignment nor its bytes
//! count; its lifetime must be valid all the same.

mod best_fit;
mod bound;
mod bytes;
mod check;
mod clash;
mod fit;
mod flat;
mod interference;
mod largest;
mod limits;
mod model;
mod packing;
mod planners;
mod problem;
mod random;
mod reading;
mod search;
mod spaces;
mod timeline;

pub use best_fit::{plan_offsets, plan_offsets_scratch_size};
pub use bound::{peak_live_bytes, peak_live_bytes_scratch_size};
pub use check::{check_offsets, check_offsets_scratch_size, check_problem, check_problem_scratch_size};
pub use limits::{Limits, lower_bound, lower_bound_scratch_size};
pub use planners::{Outcome, Planner, Verdict, plan_portfolio, plan_portfolio_scratch_size};
pub use problem::{FREE, Gap, Pair, Problem, Range};
pub use search::{Effort, Found, Stop, plan_search, plan_search_scratch_size};
pub use spaces::{
    NO_SPACE, Space, SpaceReport, SpacesAnswer, SpacesOutcome, SpacesProblem, plan_spaces, plan_spaces_scratch_size,
};

use crate::error::{Error, Kind, NONE};
use crate::scratch::index_limit;

/// One buffer of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Tensor {
    /// Bytes. 0: not planned, its offset is 0.
    pub size: usize,
    /// The offset is a multiple of this many bytes: any positive number, not only powers of two. 0 means 1.
    pub alignment: usize,
    /// The first node that uses it. A node is a step of the execution, told by any number; numbers may be left out.
    pub first_use: usize,
    /// The last node that uses it; the lifetime includes it. At least `first_use`, also where the size is 0.
    pub last_use: usize,
}

/// What a plan needs, and what no plan can undercut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Plan {
    /// Bytes: the largest offset + size; 0 where there is nothing to place.
    pub arena_size: usize,
    /// Bytes: the least common multiple of the alignments, those of tensors of size 0 left out; 1 where there is
    /// nothing to place. The arena's base address must be a multiple of it.
    pub arena_alignment: usize,
    /// Bytes: proven, no plan is smaller. At least `peak_live_bytes`; more where the alignments force padding.
    pub lower_bound: usize,
    /// Bytes: the largest sum of sizes alive at one node.
    pub peak_live_bytes: usize,
}

impl Plan {
    /// Whether memory of `size` bytes at `address` can hold the plan.
    ///
    /// # Errors
    /// An address that is not a multiple of the arena's alignment; fewer bytes than the arena has.
    pub fn check_arena(&self, address: usize, size: usize) -> Result<(), Error> {
        let alignment = self.arena_alignment.max(1);
        if !address.is_multiple_of(alignment) {
            return Err(Error::new(Kind::ArenaMisaligned, NONE, address % alignment, alignment));
        }
        if size < self.arena_size {
            return Err(Error::new(Kind::ArenaShort, NONE, size, self.arena_size));
        }
        Ok(())
    }
}

impl Tensor {
    fn stride(&self) -> usize {
        self.alignment.max(1)
    }

    /// Whether its lifetime shares a node with the one from `first_use` to `last_use`.
    pub(crate) fn meets(&self, first_use: usize, last_use: usize) -> bool {
        self.first_use <= last_use && first_use <= self.last_use
    }
}

/// Refuses what no planner can work with: too many tensors, or a lifetime that ends before it begins.
fn validate(tensors: &[Tensor]) -> Result<(), Error> {
    index_limit(tensors.len())?;
    match tensors.iter().position(|tensor| tensor.first_use > tensor.last_use) {
        Some(i) => Err(Error::new(Kind::Lifetime, i, tensors[i].first_use, tensors[i].last_use)),
        None => Ok(()),
    }
}
