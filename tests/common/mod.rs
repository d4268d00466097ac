//! Where the recorded inputs are; for the tests of the library and of the command.
#![allow(dead_code)] // Each of them uses a part.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of traces: the one that `AETHER_DATA` names, or `traces` in it, or `../shared/traces` from the project's
/// root. Says so aloud where there is none.
pub fn traces() -> Option<PathBuf> {
    // The command's manifest lies one folder below the root.
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.ancestors().find(|folder| folder.join("rustfmt.toml").exists()).unwrap_or(manifest);
    let data = std::env::var_os("AETHER_DATA").map_or(root.join("../shared"), PathBuf::from);
    let found = [data.join("traces"), data.clone()].into_iter().find(|folder| folder.join("models").is_dir());
    if found.is_none() {
        let test = std::thread::current().name().unwrap_or("a test").to_string();
        aloud(&format!("skipped: {test}: no recorded inputs in {}; AETHER_DATA names their folder", data.display()));
    }
    found
}

/// Straight to standard error, past the test harness, which keeps what a passing test prints to itself.
pub fn aloud(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
