//! The search on the recorded inputs: `cargo bench --bench search --locked`, or with the names of groups after `--`;
//! `seeds=N` changes how many seeds run.
//!
//! Nothing is told but the tensors. The figures are CPU time of the whole call, portfolio included, and nodes: the mean
//! and the worst of the seeds.

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;

use aether::arena::{self, Effort, Found, Problem, Stop, Tensor};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let number = |name: &str| arguments.iter().find_map(|word| word.strip_prefix(name)?.parse::<u64>().ok());
    let seeds = number("seeds=").unwrap_or(10);
    let work_limit = number("nodes=").unwrap_or(40_000_000);
    let Some(traces) = common::traces() else { return };
    let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| !word.contains('=')).collect();
    let wanted = |name: &str| words.is_empty() || words.contains(&name);
    if wanted("minimalloc") {
        group(&traces.join("minimalloc"), &["A", "B", "C", "E", "F", "G", "H", "I", "K"], 1, seeds, work_limit);
    }
    if wanted("hard") {
        group(&traces.join("minimalloc"), &["D", "J"], 1, seeds, work_limit);
    }
    if wanted("mlir") {
        group(&traces.join("mlir"), &[""], 64, seeds, work_limit);
    }
    if wanted("models") {
        group(&traces.join("models"), &[""], 1, seeds.min(6), work_limit);
    }
    if wanted("idealloc") {
        group(&traces.join("idealloc"), &[""], 1, seeds.min(6), work_limit);
    }
}

fn group(folder: &Path, prefixes: &[&str], alignment: usize, seeds: u64, work_limit: u64) {
    println!(
        "\n== {}\n{:<48} {:>6} {:>9} {:>9} {:>9} {:>10} {:>10} {:>8}",
        folder.display(),
        "case",
        "n",
        "proven",
        "ms mean",
        "ms worst",
        "nodes",
        "worst",
        "/ bound"
    );
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let mut sum = 0.0;
    for file in files {
        let name = file.file_stem().expect("a name").to_string_lossy().to_string();
        let is_trace = file.extension().is_some_and(|extension| extension == "csv");
        if !is_trace || !prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let Some(tensors) = read(&file, alignment) else { continue };
        let runs: Vec<(f64, Found)> = (0..seeds).map(|seed| run(&tensors, Effort { work_limit, seed })).collect();
        let mean = runs.iter().map(|run| run.0).sum::<f64>() / runs.len() as f64;
        let worst = runs.iter().map(|run| run.0).fold(0.0, f64::max);
        let nodes = runs.iter().map(|run| run.1.nodes).sum::<u64>() / runs.len() as u64;
        let most = runs.iter().map(|run| run.1.nodes).max().unwrap_or(0);
        let proven = runs.iter().filter(|run| run.1.stop == Stop::Optimal).count();
        let ratio = |run: &(f64, Found)| run.1.plan.arena_size as f64 / run.1.plan.lower_bound.max(1) as f64;
        let ratio = runs.iter().map(ratio).fold(0.0, f64::max);
        sum += mean;
        println!(
            "{name:<48} {:>6} {:>9} {:>9.1} {:>9.1} {nodes:>10} {most:>10} {ratio:>8.5}",
            tensors.len(),
            format!("{proven}/{}", runs.len()),
            mean * 1e3,
            worst * 1e3,
        );
    }
    println!("sum of means: {:.1} ms", sum * 1e3);
}

fn run(tensors: &[Tensor], effort: Effort) -> (f64, Found) {
    let problem = Problem { tensors, ..Problem::default() };
    let mut scratch = Vec::with_capacity(arena::plan_search_scratch_size(tensors.len(), 0, 0, 0) / 8);
    let begin = cpu_seconds();
    let (offsets, found) =
        arena::plan_search(&problem, effort, &mut |_, _| false, scratch.spare_capacity_mut()).expect("a plan");
    let seconds = cpu_seconds() - begin;
    let mut words = Vec::with_capacity(arena::check_offsets_scratch_size(tensors.len()) / 8);
    let plan = arena::check_offsets(tensors, offsets, words.spare_capacity_mut()).expect("a valid plan");
    assert_eq!(plan.arena_size, found.plan.arena_size);
    (seconds, found)
}

/// Of this process: from the scheduler where it tells, else the time that has passed.
fn cpu_seconds() -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    match nanoseconds {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => std::time::UNIX_EPOCH.elapsed().map_or(0.0, |since| since.as_secs_f64()),
    }
}

fn read(path: &Path, alignment: usize) -> Option<Vec<Tensor>> {
    let text = std::fs::read_to_string(path).expect("a trace");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next()?.split(',').collect();
    let column = |name| header.iter().position(|cell| *cell == name);
    let (lower, upper, size) = (column("lower")?, column("upper")?, column("size")?);
    let tensors = lines.map(|line| {
        let cells: Vec<usize> = line.split(',').map(|cell| cell.parse().unwrap_or(0)).collect();
        Tensor { size: cells[size], alignment, first_use: cells[lower], last_use: cells[upper] - 1 }
    });
    Some(tensors.collect())
}
