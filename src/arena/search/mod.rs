//! The planner that proves its answer: a search for the smallest arena, from the portfolio's plan on.
//!
//! Files: `layout` (items, sections, units), `state` (a partial packing and what it proves) on `trail`, `tree` (place
//! or exclude, and when to go back) with `conflict` and `windows`, `orders` (which candidate first), `driver` (laps of
//! searches, heights and limits). `conditions` is a search of its own for problems with more than tensors.
//!
//! Work is counted in nodes, and no clock is read: the same problem, seed and limit give the same answer on any
//! machine.

mod conditions;
mod conflict;
mod driver;
mod effort;
mod layout;
mod orders;
mod state;
mod trail;
mod tree;
mod windows;

pub(super) use driver::search;
pub use driver::{Found, plan_search, plan_search_scratch_size};
pub use effort::{Effort, Stop};
