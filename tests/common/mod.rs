//! Where the recorded inputs are; for the tests of the library and of the command.
#![allow(dead_code)] // Each of them uses a part.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of traces: the one that `AETHER_DATA` names, or `traces` in it, or `../shared/traces` from the project's
/// root. Says so aloud where there is none.
pub fn traces() -> Option<PathBuf> {
    // The command's manifest lies one folder below the root.
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().take(2).map(|root| root.join("../shared"));
    let named = std::env::var_os("AETHER_DATA").map(PathBuf::from);
    let places: Vec<PathBuf> = named.map_or(beside.collect(), |named| vec![named]);
    let mut folders = places.iter().flat_map(|place| [place.join("traces"), place.clone()]);
    let found = folders.find(|folder| folder.join("models").is_dir());
    if found.is_none() {
        let test = std::thread::current().name().unwrap_or("a test").to_string();
        aloud(&format!("skipped: {test}: no recorded inputs in {places:?}; AETHER_DATA names their folder"));
    }
    found
}

/// Straight to standard error, past the test harness, which keeps what a passing test prints to itself.
pub fn aloud(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
