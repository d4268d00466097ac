//! The search on the recorded inputs: `cargo bench --bench search --locked`, or with the names of groups after `--`;
//! `seeds=N` changes how many seeds run, `nodes=N` the work limit, `case=NAME` picks inputs of conditions.
//!
//! Nothing is told but the tensors. The figures are CPU time of the whole call, portfolio included, and nodes: the mean
//! and the worst of the seeds. The goal of a row is what its figures should not exceed. Arenas are the worst of the
//! seeds, over their bound: after two seconds of CPU time, and at the end.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/conditions.rs"]
mod conditions;

use std::path::Path;

use aether::arena::{self, Effort, Found, Plan, Problem, Stop, Tensor};

/// What the figures of a row should be: its text, by name and number of tensors.
type Goal = fn(&str, usize) -> String;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let number = |name: &str| arguments.iter().find_map(|word| word.strip_prefix(name)?.parse::<u64>().ok());
    let seeds = number("seeds=").unwrap_or(10);
    let work_limit = number("nodes=").unwrap_or(40_000_000);
    let Some(traces) = common::traces() else { return };
    let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| !word.contains('=')).collect();
    let wanted = |name: &str| words.is_empty() || words.contains(&name);
    if wanted("minimalloc") {
        let names = ["A", "B", "C", "E", "F", "G", "H", "I", "K"];
        let goal: Goal = |_, _| "worst 60 ms".into();
        group(&traces.join("minimalloc"), &names, (goal, "100 ms"), 1, seeds, work_limit);
    }
    if wanted("hard") {
        let goal: Goal = |_, _| "8/10 in 60 s, at 2 s 1.01".into();
        group(&traces.join("minimalloc"), &["D", "J"], (goal, "none"), 1, seeds, work_limit);
    }
    if wanted("mlir") {
        let goal: Goal = |_, _| "proven".into();
        group(&traces.join("mlir"), &[""], (goal, "1 s"), 64, seeds, work_limit);
    }
    if wanted("models") {
        let goal: Goal = |_, n| if n < 3_000 { "proven" } else { "1 s" }.into();
        group(&traces.join("models"), &[""], (goal, "1.3 s, those under 3,000 tensors"), 1, seeds.min(6), work_limit);
    }
    if wanted("conditions") {
        let case = arguments.iter().find_map(|word| word.strip_prefix("case=")).unwrap_or_default();
        under_conditions(&traces, case, number("nodes=").unwrap_or(1_000_000));
    }
    if wanted("idealloc") {
        let goal: Goal = |name, _| {
            let seconds = match name {
                "pangu_2.6B" => 2.0,
                "S_1" => 10.0,
                "Y_1" => 20.0,
                _ => 0.05,
            };
            format!("{seconds} s")
        };
        group(&traces.join("idealloc"), &[""], (goal, "none"), 1, seeds.min(6), work_limit);
    }
}

fn group(folder: &Path, prefixes: &[&str], goals: (Goal, &str), alignment: usize, seeds: u64, work_limit: u64) {
    let (goal, goal_of_sum) = goals;
    println!(
        "\n== {}\n{:<48} {:>6} {:>9} {:>9} {:>9} {:>10} {:>10} {:>8} {:>8}  goal",
        folder.display(),
        "case",
        "n",
        "proven",
        "ms mean",
        "ms worst",
        "nodes",
        "worst",
        "at 2 s",
        "/ bound"
    );
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let (mut sum, mut sum_of_small) = (0.0, 0.0);
    for file in files {
        let name = file.file_stem().expect("a name").to_string_lossy().to_string();
        let is_trace = file.extension().is_some_and(|extension| extension == "csv");
        if !is_trace || !prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let Some(tensors) = read(&file, alignment) else { continue };
        let problem = Problem { tensors: &tensors, ..Problem::default() };
        let runs: Vec<Run> = (0..seeds).map(|seed| run(&problem, Effort { work_limit, seed })).collect();
        let mean = runs.iter().map(|run| run.seconds).sum::<f64>() / runs.len() as f64;
        let worst = runs.iter().map(|run| run.seconds).fold(0.0, f64::max);
        let nodes = runs.iter().map(|run| run.found.nodes).sum::<u64>() / runs.len() as u64;
        let most = runs.iter().map(|run| run.found.nodes).max().unwrap_or(0);
        let proven = runs.iter().filter(|run| run.found.stop == Stop::Optimal).count();
        let ratio = |run: &Run, arena: usize| arena as f64 / run.found.plan.lower_bound.max(1) as f64;
        let early = runs.iter().map(|run| ratio(run, run.early_arena)).fold(0.0, f64::max);
        let end = runs.iter().map(|run| ratio(run, run.found.plan.arena_size)).fold(0.0, f64::max);
        sum += mean;
        sum_of_small += if tensors.len() < 3_000 { mean } else { 0.0 };
        println!(
            "{name:<48} {:>6} {:>9} {:>9.1} {:>9.1} {nodes:>10} {most:>10} {early:>8.5} {end:>8.5}  {}",
            tensors.len(),
            format!("{proven}/{}", runs.len()),
            mean * 1e3,
            worst * 1e3,
            goal(&name, tensors.len()),
        );
    }
    let (sum, small) = (sum * 1e3, sum_of_small * 1e3);
    println!("sum of means: {sum:.1} ms, under 3,000 tensors {small:.1} ms; goal {goal_of_sum}");
}

/// Random conditions added: the best planner's arena and that of the search, both over the proven bound. A + marks a
/// proof.
fn under_conditions(traces: &Path, case: &str, work_limit: u64) {
    print!("\n== conditions, {work_limit} nodes\n{:<36} {:>5}", "case", "n");
    conditions::KINDS.iter().for_each(|(kind, _)| print!(" {kind:>15}"));
    println!(" {:>9}", "seconds");
    let (mut open, mut better, mut proven) = (0, 0, 0);
    for path in conditions::files(traces) {
        let name = path.file_stem().expect("a name").to_string_lossy();
        if !name.starts_with(case) {
            continue;
        }
        let tensors = conditions::read(&path);
        print!("{name:<36} {:>5}", tensors.len());
        let mut seconds = 0.0;
        for (_, kind) in conditions::KINDS {
            let problem = conditions::Conditioned::new(tensors.clone(), kind, 1);
            let planned = run(&problem.problem(), Effort { work_limit: 0, seed: 0 }).found;
            let Run { seconds: time, found, .. } = run(&problem.problem(), Effort { work_limit, seed: 0 });
            let ratio = |arena: usize| arena as f64 / found.plan.lower_bound as f64;
            let is_proven = found.stop == Stop::Optimal;
            let mark = if is_proven { '+' } else { ' ' };
            print!(" {:>7.4} {:.4}{mark}", ratio(planned.plan.arena_size), ratio(found.plan.arena_size));
            seconds += time;
            open += u32::from(planned.stop != Stop::Optimal);
            better += u32::from(found.plan.arena_size < planned.plan.arena_size);
            proven += u32::from(planned.stop != Stop::Optimal && is_proven);
        }
        println!(" {seconds:>9.1}");
    }
    println!("the planners leave {open} open: {better} get a smaller arena, {proven} a proof");
}

/// One search.
struct Run {
    seconds: f64,
    /// The best after two seconds.
    early_arena: usize,
    found: Found,
}

fn run(problem: &Problem, effort: Effort) -> Run {
    let pairs = problem.compatible.len() + problem.apart.len();
    let (tensors, gaps, reserved) = (problem.tensors.len(), problem.gaps.len(), problem.reserved.len());
    let mut scratch = Vec::with_capacity(arena::plan_search_scratch_size(tensors, gaps, pairs, reserved) / 8);
    let begin = cpu_seconds();
    let mut early_arena = usize::MAX;
    let mut progress = |plan: &Plan, _| {
        if plan.arena_size < early_arena && cpu_seconds() - begin <= 2.0 {
            early_arena = plan.arena_size;
        }
        false
    };
    let (offsets, found) =
        arena::plan_search(problem, effort, &mut progress, scratch.spare_capacity_mut()).expect("a plan");
    let seconds = cpu_seconds() - begin;
    if seconds <= 2.0 {
        early_arena = found.plan.arena_size;
    }
    let mut words = Vec::with_capacity(arena::check_problem_scratch_size(tensors, gaps, pairs, reserved) / 8);
    let plan = arena::check_problem(problem, offsets, words.spare_capacity_mut()).expect("a valid plan");
    assert_eq!(plan.arena_size, found.plan.arena_size);
    Run { seconds, early_arena, found }
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
