//! Three decisions that a runtime takes about a computation before it runs.
//!
//! | question | room |
//! |---|---|
//! | where do these tensors live in one arena? | [`arena`] |
//! | which ordering edges does this schedule need? | [`dag`] |
//! | which constraints can be solved apart? | [`mod@islands`] |
//! | which buffers of a program make up its arena, and when do they live? | [`flow`] |
//!
//! The algorithms work on slices that the caller owns, and on scratch: uninitialised [`Word`]s, whose bytes a query
//! tells beforehand. They allocate nothing and keep nothing. The answer is exact, or an [`Error`] names the offending
//! item; no tensor, edge or incidence makes them panic. [`owned`] (feature `std`) is the same with `Vec`s, and panics
//! where the others return an error.
//!
//! `capi` is the C ABI. Its header, `include/aether.h`, is the manual of the library.
#![no_std]

#[cfg(any(feature = "std", test))]
extern crate std;
// So that unit tests and integration tests can share an oracle.
#[cfg(test)]
extern crate self as aether;

pub mod arena;
#[doc(hidden)]
pub mod capi;
pub mod dag;
mod error;
pub mod flow;
pub mod islands;
#[cfg(feature = "std")]
pub mod owned;
mod rt;
mod scratch;
mod sort;

pub use error::{Error, Kind, NONE};
#[cfg(feature = "std")]
pub use owned::{MemoryPlan, TensorLifetime, islands, peak_live_bytes, plan_offsets, transitive_reduction};
pub use scratch::Word;

/// Compiles and runs the Rust examples of the README and of `docs`.
#[cfg(doctest)]
mod examples {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/offsets.md")]
    struct Offsets;
    #[doc = include_str!("../docs/reduction.md")]
    struct Reduction;
    #[doc = include_str!("../docs/islands.md")]
    struct Islands;
    #[doc = include_str!("../docs/flow.md")]
    struct Flow;
}
