//! The command as its users meet it: the built binary, files in a fresh folder, exit codes, and what is printed where.
//!
//! Each test states one fact. The expected numbers were worked out by hand.

mod capacity;
mod check;
#[path = "../../../tests/common/mod.rs"]
mod common;
mod compare;
mod constraints;
mod convert;
mod dialect;
mod diff;
mod folder;
mod islands;
mod page;
mod pages;
mod plan;
mod plot;
mod reduce;
mod report;
mod search;
mod streams;
mod traces;
