//! The offset planner against a faithful form of XNNPACK's, in one run: `cargo bench --bench arena --locked`, or with
//! the names of groups after `--`.
//!
//! Ours is timed as a caller sees it: the whole call on given scratch, with the checks, the peak and the bound. The
//! runs of both alternate, and the cases of a group rotate, so that no small case is timed with a predictor trained on
//! it alone. The figure of a case is the ratio of the medians.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "reference/xnnpack.rs"]
mod xnnpack;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use aether::arena::{self, Problem, Tensor};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use xnnpack::{Usage, Version};

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let groups: [(&str, fn()); 8] = [
        ("idealloc", idealloc),
        ("models", models),
        ("minimalloc", || traces("minimalloc", 1.0)),
        ("mlir", || traces("mlir", 1.0)),
        ("hostile", hostile),
        ("synthetic", synthetic),
        ("million", million),
        ("portfolio", portfolio),
    ];
    if let Some(unknown) = wanted.iter().find(|word| groups.iter().all(|(name, _)| name != word)) {
        let names = groups.map(|(name, _)| name).join(", ");
        eprintln!("there is no group {unknown:?}; the groups are {names}");
        std::process::exit(2);
    }
    for (name, run) in groups {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            println!(
                "\n== {name}\n{:<44} {:>9} {:>12} {:>12} {:>9} {:>9}",
                "case", "n", "faithful", "ours", "ratio", "goal"
            );
            run();
        }
    }
}

// ---- groups -----------------------------------------------------------------------------------------------------

fn idealloc() {
    let cases = read("idealloc");
    let timings = measure(&cases);
    for (case, timing) in cases.iter().zip(&timings) {
        let goal = match case.name.as_str() {
            "Y_1" => 60.0,
            "S_1" | "pangu_2.6B" => 40.0,
            _ => 1.0,
        };
        timing.print(&case.name, case.tensors.len(), goal);
    }
    total("together", &timings, 55.0);
}

fn models() {
    let cases = read("models");
    let mut timings = Vec::new();
    let mut classes = Vec::new();
    for (most, goal) in [(64, 1.8), (128, 1.0), (512, 1.0), (2_000, 1.0), (usize::MAX, 20.0)] {
        // Each class rotates by itself: large cases would empty the caches before each small one.
        let begin = timings.len();
        let end = cases.partition_point(|case| case.tensors.len() <= most);
        timings.extend(measure(&cases[begin..end]));
        classes.push((begin..end, goal));
    }
    for (case, timing) in cases.iter().zip(&timings) {
        timing.print(&case.name, case.tensors.len(), 1.0);
    }
    for (class, goal) in classes.into_iter().filter(|(class, _)| !class.is_empty()) {
        let tensors = |i: usize| cases[i].tensors.len();
        let name = format!("{} to {} tensors, geometric mean", tensors(class.start), tensors(class.end - 1));
        geometric_mean(&name, &timings[class], goal);
    }
    total("together", &timings, 35.0);
}

fn traces(folder: &str, goal: f64) {
    let cases = read(folder);
    let timings = measure(&cases);
    for (case, timing) in cases.iter().zip(&timings) {
        timing.print(&case.name, case.tensors.len(), goal);
    }
    geometric_mean("geometric mean", &timings, goal);
}

fn hostile() {
    let n = 10_000;
    let mut rng = StdRng::seed_from_u64(1);
    let mut size = || rng.random_range(1..=1 << 20);
    let mut shape = |name: &str, lifetime: &dyn Fn(usize) -> (usize, usize)| {
        let tensor = |i| {
            let (first_use, last_use) = lifetime(i);
            Tensor { size: size(), alignment: 1, first_use, last_use }
        };
        Case { name: name.to_string(), tensors: (0..n).map(tensor).collect() }
    };
    let mut cases = vec![
        shape("clique", &|_| (0, 1)),
        shape("disjoint", &|i| (i, i)),
        shape("nested", &|i| (i, 2 * n - i)),
        shape("staircase", &|i| (i, i + n / 10)),
        shape("comb: half live for ever, half two nodes", &|i| if i % 2 == 0 { (0, n) } else { (i, i + 1) }),
    ];
    let mut rng = StdRng::seed_from_u64(2);
    let mut uniform = |n: usize, sizes: usize| {
        let tensor = |_| {
            let (a, b) = (rng.random_range(0..2 * n), rng.random_range(0..2 * n));
            let size = rng.random_range(1..=sizes) * 1000;
            Tensor { size, alignment: 1, first_use: a.min(b), last_use: a.max(b) }
        };
        (0..n).map(tensor).collect::<Vec<_>>()
    };
    for (name, n, sizes) in [
        ("uniform", n, 1 << 20),
        ("uniform, four sizes", n, 4),
        ("uniform", 1_000, 1 << 20),
        ("uniform", 30_000, 1 << 20),
    ] {
        cases.push(Case { name: name.to_string(), tensors: uniform(n, sizes) });
    }
    for (case, timing) in cases.iter().zip(measure(&cases)) {
        timing.print(&case.name, case.tensors.len(), 1.0);
    }
}

fn synthetic() {
    let goal = |n, mean| match (n, mean) {
        (100_000, 20) => 150.0,
        (100_000, 200) => 60.0,
        (100_000, _) => 30.0,
        _ => 1.0,
    };
    for n in [1_000, 10_000, 100_000] {
        let means = [20, 200, 2_000];
        let cases = means.map(|mean| Case { name: format!("m = {mean}"), tensors: staggered(n, mean) });
        for ((case, timing), mean) in cases.iter().zip(measure(&cases)).zip(means) {
            timing.print(&case.name, n, goal(n, mean));
        }
    }
}

/// Ours alone: the faithful form would take an hour and more.
fn million() {
    let n = 1_000_000;
    for (mean, goal) in [(20, "< 1 s"), (200, "< 4 s"), (2_000, "")] {
        let (tensors, mut ours) = (staggered(n, mean), Ours::new(n));
        let time = median((0..3).map(|_| ours.run(&tensors)).collect());
        println!("{:<44} {n:>9} {:>12} {:>12} {:>9} {goal:>9}", format!("m = {mean}"), "", shown(time), "");
    }
}

/// Every planner, on the large real inputs: arena / lower bound instead of a ratio of times, and the best published.
fn portfolio() {
    let mut together = Duration::ZERO;
    for case in read("idealloc") {
        let most = match case.name.as_str() {
            "G_1" => "1.0000",
            "pangu_2.6B" => "1.0076",
            "S_1" => "1.0025",
            "Y_1" => "1.0034",
            _ => "1.0030",
        };
        let (time, ratio) = run_portfolio(&case.tensors, 1);
        together += time;
        println!("{:<44} {:>9} {:>12} {:>12} {ratio:>9.4} {most:>9}", case.name, case.tensors.len(), "", shown(time));
    }
    println!("{:<44} {:>9} {:>12} {:>12} {:>9} {:>9}", "together", 5, "", shown(together), "", "< 1.5 s");
    for (folder, alignment, most) in [("minimalloc", 1, "1.290"), ("mlir", 64, "1")] {
        let cases: Vec<Case> = read(folder).into_iter().filter(|case| case.name != "input.12").collect();
        if !cases.is_empty() {
            let ratios = cases.iter().map(|case| run_portfolio(&case.tensors, alignment).1.ln());
            let mean = (ratios.sum::<f64>() / cases.len() as f64).exp();
            let name = format!("{folder}, geometric mean");
            println!("{name:<44} {:>9} {:>12} {:>12} {mean:>9.4} {most:>9}", cases.len(), "", "");
        }
    }
}

/// The time of all planners together, and arena / lower bound.
fn run_portfolio(tensors: &[Tensor], alignment: usize) -> (Duration, f64) {
    let tensors: Vec<Tensor> = tensors.iter().map(|tensor| Tensor { alignment, ..*tensor }).collect();
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    let mut scratch: Vec<u64> = Vec::with_capacity(arena::plan_portfolio_scratch_size(tensors.len(), 0, 0, 0) / 8);
    let mut ratio = 1.0;
    let mut run = || {
        let began = Instant::now();
        let (_, outcome) = arena::plan_portfolio(&problem, 0, scratch.spare_capacity_mut()).expect("a plan");
        ratio = outcome.plan.arena_size as f64 / outcome.plan.lower_bound as f64;
        began.elapsed()
    };
    (median((0..3).map(|_| run()).collect()), ratio)
}

/// Tensor i begins at node i and lives for 1 to 2 x `mean` nodes, every 20th 20 times as long.
fn staggered(n: usize, mean: usize) -> Vec<Tensor> {
    let mut rng = StdRng::seed_from_u64(mean as u64);
    let tensor = |i| {
        let length = rng.random_range(1..=2 * mean) * if i % 20 == 0 { 20 } else { 1 };
        Tensor { size: rng.random_range(1..=1 << 20), alignment: 1, first_use: i, last_use: i + length - 1 }
    };
    (0..n).map(tensor).collect()
}

// ---- measuring --------------------------------------------------------------------------------------------------

struct Case {
    name: String,
    tensors: Vec<Tensor>,
}

struct Timing {
    faithful: Duration,
    ours: Duration,
}

/// One scratch for all cases, as the allocator gives the faithful form the same blocks again and again.
struct Ours {
    scratch: Vec<u64>,
}

impl Ours {
    fn new(most_tensors: usize) -> Ours {
        Ours { scratch: Vec::with_capacity(arena::plan_offsets_scratch_size(most_tensors) / 8) }
    }

    fn run(&mut self, tensors: &[Tensor]) -> Duration {
        let began = Instant::now();
        let (offsets, plan) = arena::plan_offsets(tensors, self.scratch.spare_capacity_mut()).expect("a plan");
        black_box((offsets, plan));
        began.elapsed()
    }

    fn offsets(&mut self, tensors: &[Tensor]) -> Vec<usize> {
        arena::plan_offsets(tensors, self.scratch.spare_capacity_mut()).expect("a plan").0.to_vec()
    }
}

/// Times all cases, one after another in each lap; a case takes part in fewer laps the longer it takes.
fn measure(cases: &[Case]) -> Vec<Timing> {
    struct Running<'a> {
        tensors: &'a [Tensor],
        faithful: Vec<Usage>,
        laps: usize,
        times: (Vec<Duration>, Vec<Duration>),
    }
    let mut ours = Ours::new(cases.iter().map(|case| case.tensors.len()).max().unwrap_or(0));
    let mut running: Vec<Running> = cases
        .iter()
        .map(|case| {
            let usage = |tensor: &Tensor| Usage::new(tensor.size, tensor.first_use, tensor.last_use);
            let faithful: Vec<Usage> = case.tensors.iter().map(usage).collect();
            let began = Instant::now();
            let (offsets, _) = xnnpack::plan(&faithful, Version::After10801);
            let took = began.elapsed();
            assert_eq!(ours.offsets(&case.tensors), offsets, "{}: the offsets differ", case.name);
            let laps = match took.as_micros() {
                0..1_000 => 301,
                1_000..200_000 => 31,
                200_000..1_000_000 => 7,
                1_000_000..5_000_000 => 3,
                _ => 0, // The run that checked the answer is timed already.
            };
            let checked = if laps == 0 {
                (vec![took], (0..3).map(|_| ours.run(&case.tensors)).collect())
            } else {
                Default::default()
            };
            Running { tensors: &case.tensors, faithful, laps, times: checked }
        })
        .collect();
    for lap in 0..running.iter().map(|case| case.laps).max().unwrap_or(0) {
        for case in running.iter_mut().filter(|case| lap < case.laps) {
            let began = Instant::now();
            black_box(xnnpack::plan_in_place(&case.faithful, Version::After10801));
            case.times.0.push(began.elapsed());
            case.times.1.push(ours.run(case.tensors));
        }
    }
    running.into_iter().map(|case| Timing { faithful: median(case.times.0), ours: median(case.times.1) }).collect()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

impl Timing {
    fn ratio(&self) -> f64 {
        self.faithful.as_secs_f64() / self.ours.as_secs_f64()
    }

    fn print(&self, name: &str, n: usize, goal: f64) {
        let (faithful, ours) = (shown(self.faithful), shown(self.ours));
        println!("{name:<44} {n:>9} {faithful:>12} {ours:>12} {:>9} {goal:>9}", verdict(self.ratio(), goal));
    }
}

fn total(name: &str, timings: &[Timing], goal: f64) {
    let faithful = timings.iter().map(|timing| timing.faithful).sum();
    let ours = timings.iter().map(|timing| timing.ours).sum();
    Timing { faithful, ours }.print(name, timings.len(), goal);
}

fn geometric_mean(name: &str, timings: &[Timing], goal: f64) {
    if timings.is_empty() {
        return;
    }
    let mean = (timings.iter().map(|timing| timing.ratio().ln()).sum::<f64>() / timings.len() as f64).exp();
    let least = timings.iter().map(|timing| timing.ratio()).fold(f64::INFINITY, f64::min);
    let least = format!("least {least:.2}");
    println!("{name:<44} {:>9} {:>12} {least:>12} {:>9} {goal:>9}", timings.len(), "", verdict(mean, goal));
}

fn verdict(ratio: f64, goal: f64) -> String {
    format!("{ratio:.2}{}", if ratio < goal { "!" } else { "" })
}

fn shown(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.3} us", s * 1e6),
    }
}

// ---- traces -----------------------------------------------------------------------------------------------------

/// The traces of a folder, by size; none where they are absent.
fn read(folder: &str) -> Vec<Case> {
    let Some(traces) = common::traces() else { return Vec::new() };
    let entries = std::fs::read_dir(traces.join(folder)).expect(folder);
    let paths = entries.map(|entry| entry.expect("a file").path());
    let mut cases: Vec<Case> = paths.filter_map(|path| case(&path)).collect();
    cases.sort_by(|a, b| (a.tensors.len(), &a.name).cmp(&(b.tensors.len(), &b.name)));
    cases
}

/// None for a file that is not a trace. Lifetimes are half open in the files.
fn case(path: &Path) -> Option<Case> {
    let name = path.file_name()?.to_str()?.strip_suffix(".csv")?.to_string();
    let text = std::fs::read_to_string(path).expect("text");
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next()?;
    let column = |name| header.iter().position(|cell| *cell == name);
    let (lower, upper, size) = (column("lower")?, column("upper")?, column("size")?);
    let number = |cell: &str| cell.parse::<usize>().expect("a number");
    let tensor = |row: Vec<&str>| Tensor {
        size: number(row[size]),
        alignment: 1,
        first_use: number(row[lower]),
        last_use: number(row[upper]) - 1,
    };
    Some(Case { name, tensors: rows.map(tensor).collect() })
}
