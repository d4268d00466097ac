//! Ten million items for each call: nothing wraps, no cost is quadratic, and the answers are those that follow from the
//! form of the input. AETHER_BIG sets another number.
//!
//! Minutes and gigabytes, so not a part of `cargo test`:
//! `cargo test --release --test big -- --ignored --nocapture --test-threads 1`.

use std::time::Instant;

use aether::arena::{self, Effort, Problem, Space, SpacesProblem, Tensor};
use aether::dag::{self, Edge};
use aether::flow::{Alias, Alloc, Dealloc, Flow, Mode, NO_OP, Op, Program, Use, flow_scratch_size};
use aether::islands::{self, Forest, Groups, Incidence, Policy};

fn count() -> usize {
    std::env::var("AETHER_BIG").map_or(10_000_000, |count| count.parse().expect("a number"))
}

/// Tells the time of a call, or that there is no memory for its scratch.
fn run(call: &str, scratch_bytes: usize, body: impl FnOnce(&mut [aether::Word])) {
    let available = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
        line.split_whitespace().nth(1)?.parse::<usize>().ok()
    });
    let gigabytes = scratch_bytes as f64 / 1e9;
    if available.is_some_and(|kilobytes| scratch_bytes / 1024 > kilobytes / 10 * 9) {
        println!("skipped: {call} needs {gigabytes:.1} GB of scratch");
        return;
    }
    let mut words = Vec::with_capacity(scratch_bytes / 8);
    let start = Instant::now();
    body(&mut words.spare_capacity_mut()[..scratch_bytes / 8]);
    println!("{:7.2} s, {gigabytes:4.1} GB of scratch: {call}", start.elapsed().as_secs_f64());
}

/// Each is alive together with the one before and the one after it, so that two sizes do.
fn chain(count: usize) -> Vec<Tensor> {
    (0..count).map(|i| Tensor { size: 64, alignment: 64, first_use: i, last_use: i + 1 }).collect()
}

#[test]
#[ignore = "needs minutes and gigabytes"]
fn a_chain_of_tensors_has_an_arena_of_two() {
    let n = count();
    let tensors = chain(n);
    let mut offsets = Vec::new();
    run("plan_offsets", arena::plan_offsets_scratch_size(n), |scratch| {
        let (found, plan) = arena::plan_offsets(&tensors, scratch).expect("a plan");
        assert_eq!((plan.arena_size, plan.lower_bound, plan.peak_live_bytes), (128, 128, 128));
        offsets = found.to_vec();
    });
    run("check_offsets", arena::check_offsets_scratch_size(n), |scratch| {
        assert_eq!(arena::check_offsets(&tensors, &offsets, scratch).expect("a valid plan").arena_size, 128);
    });
    run("peak_live_bytes", arena::peak_live_bytes_scratch_size(n), |scratch| {
        assert_eq!(arena::peak_live_bytes(&tensors, scratch), Ok((128, 1)));
    });
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    run("check_problem", arena::check_problem_scratch_size(n, 0, 0, 0), |scratch| {
        assert_eq!(arena::check_problem(&problem, &offsets, scratch).expect("a valid plan").arena_size, 128);
    });
    run("lower_bound", arena::lower_bound_scratch_size(n, 0, 0, 0), |scratch| {
        assert_eq!(arena::lower_bound(&problem, scratch).expect("a bound").lower_bound, 128);
    });
    let space = |capacity, cost| Space { capacity, base_alignment: 0, cost };
    let spaces = [space(64, 1), space(usize::MAX, 2)];
    let problem = SpacesProblem { tensors: &tensors, spaces: &spaces, ..SpacesProblem::default() };
    run("plan_spaces", arena::plan_spaces_scratch_size(n, spaces.len()), |scratch| {
        let found = arena::plan_spaces(&problem, 0, 1, scratch).expect("a plan");
        assert_eq!(found.outcome.left_out, 0);
        // Of two neighbours at most one is in the fast space.
        assert!(found.spaces.windows(2).all(|pair| pair != [0, 0]));
    });
}

/// No planner meets the bound, so all of them run, and the search behind them.
#[test]
#[ignore = "needs minutes and gigabytes"]
fn the_portfolio_is_no_larger_than_the_planner_by_size_and_the_search_no_larger_than_the_portfolio() {
    let n = count();
    let tensor = |i: usize| {
        let size = 1 + i.wrapping_mul(7919) % 1009;
        Tensor { size, alignment: 1, first_use: i, last_use: i + i.wrapping_mul(31) % 13 }
    };
    let tensors: Vec<Tensor> = (0..n).map(tensor).collect();
    let mut largest = usize::MAX;
    run("plan_offsets", arena::plan_offsets_scratch_size(n), |scratch| {
        largest = arena::plan_offsets(&tensors, scratch).expect("a plan").1.arena_size;
    });
    let problem = Problem { tensors: &tensors, ..Problem::default() };
    run("plan_portfolio", arena::plan_portfolio_scratch_size(n, 0, 0, 0), |scratch| {
        let (_, outcome) = arena::plan_portfolio(&problem, 0, scratch).expect("a plan");
        assert!(outcome.plan.lower_bound < outcome.plan.arena_size && outcome.plan.arena_size <= largest);
        largest = outcome.plan.arena_size;
    });
    // Three kilobytes each.
    let tensors = &tensors[..n.div_ceil(4)];
    let problem = Problem { tensors, ..Problem::default() };
    let mut offsets = Vec::new();
    run("plan_search of a quarter", arena::plan_search_scratch_size(tensors.len(), 0, 0, 0), |scratch| {
        let effort = Effort { work_limit: 1_000, seed: 1 };
        let (found, outcome) = arena::plan_search(&problem, effort, &mut |_, _| false, scratch).expect("a plan");
        assert!(outcome.plan.arena_size <= largest);
        offsets = found.to_vec();
    });
    if !offsets.is_empty() {
        run("check_offsets", arena::check_offsets_scratch_size(tensors.len()), |scratch| {
            arena::check_offsets(tensors, &offsets, scratch).expect("a valid plan");
        });
    }
}

#[test]
#[ignore = "needs minutes and gigabytes"]
fn of_a_chain_with_shortcuts_the_chain_is_left() {
    let n = count();
    let edge = |from: usize, to: usize| Edge { from: from as u32, to: to as u32 };
    let edges: Vec<Edge> =
        (0..n - 2).flat_map(|i| [edge(i, i + 1), edge(i, i + 2)]).chain([edge(n - 2, n - 1)]).collect();
    let mut keep = vec![0; edges.len()];
    run("transitive_reduction", dag::transitive_reduction_scratch_size(n, edges.len()), |scratch| {
        assert_eq!(dag::transitive_reduction(n, &edges, &mut keep, scratch), Ok(n - 1));
        assert!(edges.iter().zip(&keep).all(|(edge, &keep)| (keep == 1) == (edge.to - edge.from == 1)));
    });
    let (mut ranks, mut cycle) = (vec![0; n], Vec::new());
    run("topological_ranks", dag::topological_ranks_scratch_size(n, edges.len()), |scratch| {
        dag::topological_ranks(&edges, &mut ranks, &mut cycle, scratch).expect("ranks");
        assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]));
    });
    run("transitive_reduction_ranked", dag::transitive_reduction_ranked_scratch_size(n, edges.len()), |scratch| {
        let kept = dag::transitive_reduction_ranked(n, Some(&ranks), &edges, None, &mut keep, scratch);
        assert_eq!(kept, Ok(n - 1));
    });
    // The matrix is quadratic: a gigabit of it.
    let n = n.min(32_000);
    let edges = &edges[..2 * (n - 2)];
    let mut matrix = vec![0; n * dag::reachability_row_words(n)];
    run("reachability of 32,000", dag::reachability_scratch_size(n), |scratch| {
        dag::reachability(n, edges, &mut matrix, scratch).expect("a closure");
        assert!(matrix[0] & 1 == 1 && matrix[..n.div_ceil(64) - 1].iter().all(|&row| row == u64::MAX));
    });
}

#[test]
#[ignore = "needs minutes and gigabytes"]
fn a_chain_of_incidences_is_one_island_and_stars_are_many() {
    let n = count();
    let chain: Vec<Incidence> = (1..n as i32).rev().map(|a| Incidence { a, b: a - 1 }).collect();
    let mut labels = vec![7; n];
    run("islands", 0, |_| {
        assert_eq!(islands::islands(&chain, &mut labels), Ok(1));
        assert!(labels.iter().all(|&label| label == 0));
    });
    // A hub for every hundred.
    let stars: Vec<Incidence> = (0..n as i32).map(|a| Incidence { a, b: a - a % 100 }).collect();
    let (mut parents, mut marks) = (vec![0; n], vec![0; n]);
    let islands = n.div_ceil(100);
    let is_right = |labels: &[i32]| labels.iter().enumerate().all(|(node, &label)| label as usize == node / 100);
    run("islands in pieces", 0, |_| {
        let mut forest = Forest::begin(&mut parents, Some(&mut marks)).expect("a forest");
        stars.chunks(1_000_003).for_each(|piece| forest.merge(piece, &Policy::default()).expect("a merge"));
        assert_eq!(forest.finish_into(&mut labels, None).expect("labels").islands, islands);
        assert!(is_right(&labels));
    });
    run("islands from four threads", 0, |_| {
        let mut forest = Forest::begin(&mut parents, None).expect("a forest");
        let shared = forest.share();
        std::thread::scope(|scope| {
            for piece in stars.chunks(n.div_ceil(4)) {
                scope.spawn(move || shared.merge(piece, &Policy::default()).expect("a merge"));
            }
        });
        assert_eq!(forest.finish(None).expect("labels").islands, islands);
        assert!(is_right(&parents));
    });
    let [mut counts, mut starts] = [(); 2].map(|()| vec![0; islands]);
    let [mut order, mut inverse] = [(); 2].map(|()| vec![0; n]);
    run("group_by_label", 0, |_| {
        let groups = Groups { counts: &mut counts, starts: &mut starts, order: &mut order, inverse: &mut inverse };
        assert_eq!(islands::group_by_label(&labels, groups), Ok(n));
        assert!(order.iter().enumerate().all(|(place, &item)| item as usize == place));
    });
}

#[test]
#[ignore = "needs minutes and gigabytes"]
fn buffers_that_live_one_after_the_other_are_all_planned() {
    let n = count() as u32;
    // Each is made, read through a cast and freed before the next.
    let ops: Vec<Op> = (0..3 * n).map(|_| Op { parent: NO_OP, region: 0, block: 0, flags: 0 }).collect();
    let value_ops: Vec<u32> = (0..n).flat_map(|i| [3 * i, 3 * i + 1]).collect();
    let alloc = |i| Alloc { size: 64, alignment: 64, op: 3 * i, value: 2 * i, space: 0, flags: 0 };
    let allocs: Vec<Alloc> = (0..n).map(alloc).collect();
    let deallocs: Vec<Dealloc> = (0..n).map(|i| Dealloc { op: 3 * i + 2, value: 2 * i }).collect();
    let uses: Vec<Use> = (0..n).map(|i| Use { op: 3 * i + 1, value: 2 * i + 1, flags: 0 }).collect();
    let alias = |i| Alias { from: 2 * i, to: 2 * i + 1, guard_op: NO_OP, guard_region: 0 };
    let aliases: Vec<Alias> = (0..n).map(alias).collect();
    let program = Program {
        ops: &ops,
        value_ops: &value_ops,
        allocs: &allocs,
        deallocs: &deallocs,
        uses: &uses,
        aliases: &aliases,
        foreign: &[],
        plan_block: 0,
        space: 0,
        min_alignment: 0,
    };
    run("flow_lifetimes", flow_scratch_size(program.counts()), |scratch| {
        let mut flow = Flow::new(&program, Mode::Sound, scratch).expect("a flow");
        let is_short = |(i, tensor): (usize, &Tensor)| (tensor.first_use, tensor.last_use) == (3 * i, 3 * i + 1);
        assert!(flow.tensors().iter().enumerate().all(is_short));
        assert!(flow.erasable().iter().all(|&flag| flag == 1));
        assert_eq!(flow.compatible_pairs(&mut []), 0);
    });
}
