//! Where the recorded inputs are.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of traces: in the directory that `AETHER_DATA` names, or in `../shared`. Says so aloud where it is
/// absent, straight to standard error, which the test harness does not capture.
pub fn traces() -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let data = std::env::var_os("AETHER_DATA").map_or(shared, PathBuf::from);
    let found = [data.join("traces"), data].into_iter().find(|folder| folder.join("models").is_dir());
    if found.is_none() {
        let test = std::thread::current().name().unwrap_or("a test").to_string();
        let _ = writeln!(std::io::stderr(), "skipped: {test}: no recorded inputs; set AETHER_DATA to their folder");
    }
    found
}

/// The cells of a plain CSV file, and its header.
pub fn table(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut rows = text.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
    (rows.next().unwrap_or_default(), rows.collect())
}
