//! The C ABI: pointers in, slices on, status out.
//!
//! Each function checks its buffers (`buffers`), hands slices to an algorithm, and copies the answer out of the
//! scratch only when all is well. No algorithm lives here. The comments of the exported items become the header.
//!
//! Safety of every function here: a buffer that passes the checks must really have that many bytes, readable, and
//! writable where it is an output, and nobody else may use it during the call.
#![allow(clippy::missing_safety_doc)]

mod arena;
mod buffers;
#[cfg(target_has_atomic = "32")]
mod concurrent;
mod dag;
mod flow;
mod islands;
mod problem;
mod search;
mod status;

pub use arena::*;
#[cfg(target_has_atomic = "32")]
pub use concurrent::*;
pub use dag::*;
pub use flow::*;
pub use islands::*;
pub use problem::*;
pub use search::*;
pub use status::*;
