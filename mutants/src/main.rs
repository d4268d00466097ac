//! Asks of every change that cargo-mutants proposes whether a test notices it, with one build for all of them.
//!
//! The changes are woven into a copy of the sources behind a switch (`weave.rs`). Every test runs once and notes which
//! places it reaches. Then each mutant is switched on in turn, and the tests that reach its place run, one in a
//! process, the fastest first, until one fails (`run.rs`). So a mutant costs as much as a test, not as a build.
//!
//! `mutants LIST SOURCES TREE SECONDS EVERY`: the list of `cargo mutants --list --json`; the folder with the `src`
//! of the list; a copy of the package, whose `src` is written anew; slower tests are left out; 1 for all mutants, 10
//! for every tenth. Written into TREE: `outcomes.txt`, a line a mutant, where a run that was ended goes on; what was
//! missed is asked again. `tests.txt`, what was asked. `summary.txt`, a line a file, and one a mutant that no test
//! notices.

mod alone;
mod run;
mod weave;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::Value;
use weave::Mutant;

/// Tests that do not look at answers, or only at their hash; and drivers that find the switch where it must not be.
const LEFT_OUT: [&str; 6] = ["header", "readme", "abi", "determinism", "no_alloc", "stack"];

fn main() {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [list, sources, tree, slowest, every] = &arguments[..] else {
        panic!("usage: mutants LIST SOURCES TREE SECONDS EVERY");
    };
    let tree = &tree.canonicalize().expect("TREE");
    let number = |argument: &Path| argument.to_str().and_then(|text| text.parse::<u32>().ok());
    let (slowest, every) = (number(slowest).expect("SECONDS").into(), number(every).expect("EVERY"));
    let mutants = read_list(list);
    let unviable = build(&mutants, sources, tree);
    let woven = marks(&mutants, tree);
    let woven: Vec<&Mutant> = mutants.iter().filter(|mutant| woven.contains(&mutant.number)).collect();
    let asked: Vec<&Mutant> = woven.iter().copied().filter(|mutant| mutant.number % every == 0).collect();
    let programs = programs(tree, &rust_tests(tree)).expect("a test cannot be built: see cargo test in TREE");
    let tests = run::tests(&programs, &drivers(tree).expect("a library"), slowest, tree);
    let is_woven = |mutant: &Mutant| woven.iter().any(|other| other.number == mutant.number);
    let left = mutants.iter().filter(|mutant| !unviable.contains(&mutant.number) && !is_woven(mutant));
    let left: Vec<&Mutant> = left.filter(|mutant| mutant.number % every == 0).collect();
    run::run(&asked, &woven, &tests, tree);
    // Each of these takes a build.
    alone::run(&left, sources, tree, slowest);
    let outcomes = run::outcomes(tree);

    let outcome = |mutant: &Mutant| match outcomes.get(&mutant.name) {
        Some(outcome) => outcome,
        None if unviable.contains(&mutant.number) => "unviable",
        None => "not asked",
    };
    let mut table: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for mutant in &mutants {
        *table.entry(&mutant.file).or_default().entry(outcome(mutant)).or_default() += 1;
    }
    let mut summary = String::new();
    for (file, counts) in table {
        let counts: Vec<String> = counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        writeln!(summary, "{file}: {}", counts.join(", ")).expect("a text");
    }
    for mutant in mutants.iter().filter(|mutant| ["missed", "unreached"].contains(&outcome(mutant))) {
        writeln!(summary, "{}: {}", outcome(mutant), mutant.name).expect("a text");
    }
    print!("{summary}");
    fs::write(tree.join("summary.txt"), summary).expect("summary.txt");
}

fn read_list(path: &Path) -> Vec<Mutant> {
    let list: Value = serde_json::from_str(&fs::read_to_string(path).expect("LIST")).expect("LIST is JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_string();
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let mutants = list.as_array().expect("a list of mutants").iter().enumerate();
    mutants
        .map(|(index, mutant)| {
            let place = |end: &str| {
                let place = &mutant["span"][end];
                (number(&place["line"]), number(&place["column"]))
            };
            Mutant {
                number: index as u32 + 1,
                name: text(&mutant["name"]),
                file: text(&mutant["file"]),
                genre: text(&mutant["genre"]),
                begin: place("start"),
                end: place("end"),
                replacement: text(&mutant["replacement"]),
            }
        })
        .collect()
}

/// Weaves until it compiles, and returns those that had to be left out for that.
fn build(mutants: &[Mutant], sources: &Path, tree: &Path) -> BTreeSet<u32> {
    let lib = fs::read_to_string(sources.join("src/lib.rs")).expect("src/lib.rs");
    let lib = lib.replace("#[cfg(test)]\nextern crate self", "extern crate self");
    write(&tree.join("src/lib.rs"), &format!("{lib}\n#[allow(missing_docs)]\npub mod mutant;\n"));
    write(&tree.join("src/mutant.rs"), include_str!("mutant.rs"));
    // Those of an earlier run, so that what is built is not touched.
    let known = fs::read_to_string(tree.join("unviable.txt")).unwrap_or_default();
    let known: BTreeSet<&str> = known.lines().collect();
    let known = mutants.iter().filter(|mutant| known.contains(&mutant.name[..]));
    let mut unviable: BTreeSet<u32> = known.map(|mutant| mutant.number).collect();
    loop {
        let mut files: BTreeMap<&str, Vec<Mutant>> = BTreeMap::new();
        for mutant in mutants {
            let list = files.entry(&mutant.file).or_default();
            if !unviable.contains(&mutant.number) {
                list.push(mutant.clone());
            }
        }
        for (file, mutants) in files {
            let text = fs::read_to_string(sources.join(file)).expect(file);
            write(&tree.join(file), &weave::weave(&text, &mutants));
        }
        let errors = errors(tree);
        if errors.is_empty() {
            let names =
                mutants.iter().filter(|mutant| unviable.contains(&mutant.number)).map(|mutant| &mutant.name[..]);
            write(&tree.join("unviable.txt"), &names.collect::<Vec<_>>().join("\n"));
            return unviable;
        }
        for (file, line, message) in errors {
            let text = fs::read_to_string(tree.join(&file)).expect("a file");
            let line_text = text.lines().nth(line - 1).expect("a line");
            let mut guilty = weave::marks(line_text, "/*M");
            // The head of a place: all that stand there.
            for place in weave::marks(line_text, "/*S") {
                let first = &mutants[place as usize - 1];
                guilty.extend(mutants.iter().filter(|other| other.place() == first.place()).map(|other| other.number));
            }
            assert!(!guilty.is_empty(), "no mutant explains {}:{line}: {message}", tree.join(file).display());
            unviable.extend(guilty);
        }
    }
}

/// The mutants that are in the woven sources.
fn marks(mutants: &[Mutant], tree: &Path) -> BTreeSet<u32> {
    let files: BTreeSet<&str> = mutants.iter().map(|mutant| &mutant.file[..]).collect();
    let marks = |file: &str| weave::marks(&fs::read_to_string(tree.join(file)).expect("a file"), "/*M");
    files.into_iter().flat_map(marks).collect()
}

/// A file that is as it was is not built again.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

fn cargo(tree: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = Command::new("cargo")
        .args(arguments)
        .args(["--locked", "--quiet", "--message-format=json"])
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", "target")
        .env("RUSTFLAGS", "--cap-lints=allow")
        .stderr(Stdio::null())
        .output()
        .expect("cargo");
    let lines = String::from_utf8(output.stdout).expect("JSON");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// File, line and text of each error in the library.
fn errors(tree: &Path) -> Vec<(String, usize, String)> {
    let mut errors = Vec::new();
    for message in cargo(tree, &["check", "--lib"]) {
        let message = &message["message"];
        for span in message["spans"].as_array().into_iter().flatten() {
            if message["level"] == "error" && span["is_primary"] == true {
                let file = span["file_name"].as_str().expect("a file").to_string();
                errors.push((
                    file,
                    span["line_start"].as_u64().expect("a line") as usize,
                    message["message"].to_string(),
                ));
            }
        }
    }
    errors
}

/// The files of `tests` that are asked.
fn rust_tests(tree: &Path) -> Vec<String> {
    files(&tree.join("tests"), ".rs").into_iter().filter(|name| !LEFT_OUT.contains(&name.as_str())).collect()
}

/// The test programs: the unit tests and those of these names; None where one cannot be built.
fn programs(tree: &Path, names: &[String]) -> Option<Vec<PathBuf>> {
    let mut arguments = vec!["test", "--no-run", "--lib"];
    names.iter().for_each(|name| arguments.extend(["--test", name]));
    let messages = cargo(tree, &arguments);
    let programs = messages.iter().filter_map(|message| Some(tree.join(message["executable"].as_str()?)));
    let programs: Vec<PathBuf> = programs.collect();
    (programs.len() == names.len() + 1).then_some(programs)
}

/// The drivers in C, with Rust's standard library in them; None where the library cannot be built.
fn drivers(tree: &Path) -> Option<Vec<PathBuf>> {
    let messages = cargo(tree, &["rustc", "--lib", "--crate-type", "staticlib"]);
    if !messages.iter().any(|message| message["success"] == true) {
        return None;
    }
    let names = files(&tree.join("c-tests"), ".c").into_iter().filter(|name| !LEFT_OUT.contains(&name.as_str()));
    let build = |name: String| {
        let program = tree.join("target").join(&name);
        let mut compiler = Command::new("cc");
        compiler.arg("-Iinclude").arg(format!("c-tests/{name}.c")).arg("target/debug/libaether.a");
        compiler.args(["-lpthread", "-ldl", "-lm", "-o"]).arg(&program);
        assert!(compiler.current_dir(tree).status().expect("cc").success(), "{name}.c cannot be built");
        program
    };
    Some(names.map(build).collect())
}

/// The names in a folder that end so, without the end.
fn files(folder: &Path, end: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let names = entries.filter_map(|entry| entry.expect("an entry").file_name().into_string().ok());
    names.filter_map(|name| name.strip_suffix(end).map(str::to_string)).collect()
}
