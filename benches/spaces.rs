//! Memory spaces on the recorded networks: `cargo bench --bench spaces --locked`, or with the names of groups after
//! `--`.
//!
//! Group `networks`: a fast space of 50 % and of 25 % of the peak beside an unlimited slow one. Told are the bytes
//! kept in the fast one, as a share of the fractional optimum of those that fit it: tensors may be cut, and only the
//! live bytes count. A linear program finds it; no plan can keep more.
//! The usual hand rule: by decreasing size, first fit into the fast space, else into the slow one.
//! Group `speed`: times of synthetic problems with four spaces.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/hand_rule.rs"]
mod hand_rule;

use std::path::Path;
use std::time::Instant;

use aether::arena::{self, Space, SpacesAnswer, SpacesProblem, Tensor};
use microlp::{ComparisonOp, OptimizationDirection};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Residents looked at.
const WORK_LIMIT: u64 = 10_000_000;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    if is_wanted("networks") {
        networks();
    }
    if is_wanted("speed") {
        speed();
    }
}

fn networks() {
    let Some(traces) = common::traces() else { return };
    println!("\n== networks, shares of the fractional optimum");
    println!(
        "{:<46} {:>6} {:>4} {:>8} {:>8} {:>8} {:>8} {:>9}",
        "case", "n", "%", "hand", "first", "aether", "bound", "ms"
    );
    let (mut hands, mut ours, mut ceilings) = (0.0, 0.0, 0.0);
    let (mut hand_shares, mut our_shares, mut cases) = (0.0, 0.0, 0.0);
    for (name, tensors) in read(&traces.join("models")) {
        let mut scratch = vec![0u64; arena::peak_live_bytes_scratch_size(tensors.len()) / 8 + 1];
        let peak = peak(&tensors, &mut scratch);
        for percent in [50, 25] {
            let fast = Space { capacity: (peak as u128 * percent / 100) as usize, base_alignment: 0, cost: 0 };
            let slow = Space { capacity: usize::MAX, base_alignment: 0, cost: 1 };
            let spaces = [fast, slow];
            let problem = SpacesProblem { tensors: &tensors, spaces: &spaces, ..SpacesProblem::default() };
            let total: u64 = tensors.iter().map(|tensor| tensor.size as u64).sum();
            let first = total - solve(&problem, 0, |answer| answer.outcome.cost);
            let start = Instant::now();
            let (kept, bound) =
                solve(&problem, WORK_LIMIT, |answer| (total - answer.outcome.cost, total - answer.outcome.cost_bound));
            let elapsed = start.elapsed();
            let hand = hand_rule::bytes_kept(&tensors, fast.capacity) as f64;
            let ceiling = fractional_optimum(&tensors, fast.capacity).max(kept as f64);
            println!(
                "{name:<46} {:>6} {percent:>4} {:>8.4} {:>8.4} {:>8.4} {:>8.4} {:>9.2}",
                tensors.len(),
                hand / ceiling,
                first as f64 / ceiling,
                kept as f64 / ceiling,
                bound as f64 / ceiling,
                elapsed.as_secs_f64() * 1e3
            );
            (hands, ours, ceilings) = (hands + hand, ours + kept as f64, ceilings + ceiling);
            hand_shares += hand / ceiling;
            our_shares += kept as f64 / ceiling;
            cases += 1.0;
        }
    }
    println!(
        "bytes of all: hand {:.4}, aether {:.4}: {:.0} % of the gap closed (goal 50)",
        hands / ceilings,
        ours / ceilings,
        100.0 * (ours - hands) / (ceilings - hands)
    );
    println!(
        "mean of shares: hand {:.4}, aether {:.4}: {:.0} % of the gap closed",
        hand_shares / cases,
        our_shares / cases,
        100.0 * (our_shares - hand_shares) / (cases - hand_shares)
    );
}

/// Four spaces, each larger and dearer than the one before; the last is unlimited.
fn speed() {
    println!("\n== speed, four spaces\n{:<30} {:>8} {:>10} {:>10}", "case", "n", "ms", "goal");
    for (n, span, goal) in [(1_000, 100, 100), (20_000, 100, 5_000), (20_000, 1_000, 5_000)] {
        let mut rng = StdRng::seed_from_u64(1);
        let tensors: Vec<Tensor> = (0..n)
            .map(|i| Tensor {
                size: rng.random_range(1..=1_000) * 64,
                alignment: 64,
                first_use: i,
                last_use: i + rng.random_range(0..span),
            })
            .collect();
        let mut scratch = vec![0u64; arena::peak_live_bytes_scratch_size(n) / 8 + 1];
        let peak = peak(&tensors, &mut scratch);
        let space = |capacity, cost| Space { capacity, base_alignment: 64, cost };
        let spaces = [space(peak / 8, 1), space(peak / 4, 4), space(peak / 2, 10), space(usize::MAX, 40)];
        let problem = SpacesProblem { tensors: &tensors, spaces: &spaces, ..SpacesProblem::default() };
        let improved = if n == 1_000 { 1_000_000 } else { WORK_LIMIT };
        for (label, work_limit) in [("first plan", 0), ("improved", improved)] {
            let start = Instant::now();
            let (cost, bound) = solve(&problem, work_limit, |answer| (answer.outcome.cost, answer.outcome.cost_bound));
            let label = format!("{label}, cost/bound {:.4}", cost as f64 / bound as f64);
            println!("{label:<30} {n:>8} {:>10.1} {goal:>10}", start.elapsed().as_secs_f64() * 1e3);
        }
    }
}

fn solve<T>(problem: &SpacesProblem, work_limit: u64, read: impl FnOnce(&SpacesAnswer) -> T) -> T {
    let bytes = arena::plan_spaces_scratch_size(problem.tensors.len(), problem.spaces.len());
    let mut scratch: Vec<u64> = Vec::with_capacity(bytes / 8);
    let answer = arena::plan_spaces(problem, work_limit, 0, scratch.spare_capacity_mut()).expect("a plan");
    read(&answer)
}

fn peak(tensors: &[Tensor], _: &mut [u64]) -> usize {
    let mut scratch: Vec<u64> = Vec::with_capacity(arena::peak_live_bytes_scratch_size(tensors.len()) / 8);
    arena::peak_live_bytes(tensors, scratch.spare_capacity_mut()).expect("valid tensors").0
}

/// As a flow: the capacity flows through the nodes in order, past a node or through a tensor's whole life.
fn fractional_optimum(tensors: &[Tensor], capacity: usize) -> f64 {
    let mut nodes: Vec<usize> = tensors.iter().map(|tensor| tensor.first_use).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut program = microlp::Problem::new(OptimizationDirection::Maximize);
    let mut balance = vec![Vec::new(); nodes.len() + 1];
    for tensor in tensors.iter().filter(|tensor| tensor.size > 0 && tensor.size <= capacity) {
        let share = tensor.size as f64 / capacity as f64;
        let flow = program.add_var(1.0, (0.0, share));
        balance[nodes.partition_point(|&node| node < tensor.first_use)].push((flow, 1.0));
        balance[nodes.partition_point(|&node| node <= tensor.last_use)].push((flow, -1.0));
    }
    for k in 0..nodes.len() {
        let past = program.add_var(0.0, (0.0, f64::INFINITY));
        balance[k].push((past, 1.0));
        balance[k + 1].push((past, -1.0));
    }
    for (k, terms) in balance.iter().enumerate().take(nodes.len()) {
        program.add_constraint(terms, ComparisonOp::Eq, if k == 0 { 1.0 } else { 0.0 });
    }
    program.solve().ok().and_then(|outcome| outcome.into_solution().ok()).expect("an optimum").objective()
        * capacity as f64
}

fn read(folder: &Path) -> Vec<(String, Vec<Tensor>)> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let named = files.into_iter().filter_map(|file| {
        let name = file.file_stem()?.to_str()?.to_string();
        let is_trace =
            file.extension()? == "csv" && !["manifest", "best-known"].contains(&&*name) && !name.starts_with("tie-");
        let text = std::fs::read_to_string(&file).expect("a readable file");
        is_trace.then(|| (name, text.lines().skip(1).map(row).collect()))
    });
    named.collect()
}

fn row(line: &str) -> Tensor {
    let mut fields = line.split(',').skip(1).map(|field| field.parse::<usize>().expect("a number"));
    let mut next = || fields.next().expect("a field");
    let (first_use, end, size) = (next(), next(), next());
    Tensor { size, alignment: 1, first_use, last_use: end - 1 }
}
