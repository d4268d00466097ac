//! Asks of mutants that no switch turns on: those of constants, which the compiler computes, and of functions that
//! return an opaque type. Each is built by itself, from the sources as they are, and asked of the drivers in C, and of
//! the unit tests where no driver notices it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{self, End, Log, Test};
use crate::weave::Mutant;
use crate::{drivers, programs, write};

/// Writes a line a mutant, as [`run::run`] does; also for one that cannot be built.
pub fn run(mutants: &[&Mutant], sources: &Path, tree: &Path, slowest: u64) {
    let mut log = Log::of(tree);
    let mut left = mutants.to_vec();
    left.retain(|mutant| !log.is_settled(&mutant.name));
    if left.is_empty() {
        return;
    }
    let place = &tree.join("alone");
    fs::create_dir_all(place).expect("a folder");
    for part in ["Cargo.toml", "Cargo.lock", "README.md", "benches", "c-tests", "cli", "docs", "examples", "include"] {
        copy(&tree.join(part), place, "-rpT");
    }
    copy(&tree.join("tests"), place, "-rpT");
    // A run that was ended may have left a mutant there, and built it: what has the age of now is built again.
    copy(&sources.join("src"), place, "-rT");
    let in_c = run::tests(&[], &drivers(place).expect("a library"), slowest, place);
    let in_rust = run::tests(&programs(place, &[]).expect("unit tests"), &[], slowest, place);
    for mutant in left {
        let file = place.join(&mutant.file);
        let original = fs::read_to_string(&file).expect("a file");
        write(&file, &mutant.apply(&original));
        let (outcome, by) = ask(mutant, place, &in_c, &in_rust);
        log.add(outcome, by, &mutant.name);
        write(&file, &original);
    }
}

/// Returns what became of a mutant that is in the sources, and by which test.
fn ask<'a>(mutant: &Mutant, place: &Path, in_c: &'a [Test], in_rust: &'a [Test]) -> (&'static str, &'a str) {
    let first_to_notice = |tests: &'a [Test]| {
        let mut ends = tests.iter().map(|test| (test.ask(mutant.number, place), test));
        let noticed = ends.find(|(end, _)| *end != End::Passed);
        noticed.map(|(end, test)| (end.outcome(), &test.name[..]))
    };
    if drivers(place).is_none() {
        return ("unviable", "");
    }
    let noticed = first_to_notice(in_c).or_else(|| match programs(place, &[]) {
        Some(_) => first_to_notice(in_rust),
        None => Some(("unviable", "")),
    });
    noticed.unwrap_or(("missed", ""))
}

/// Copies a file or a folder in place of what was there; with `p` among the flags of `cp` it keeps its age.
fn copy(from: &Path, folder: &Path, flags: &str) {
    let to = folder.join(from.file_name().expect("a name"));
    let status = Command::new("cp").arg(flags).arg(from).arg(to).status();
    assert!(status.expect("cp").success(), "{} cannot be copied", from.display());
}
