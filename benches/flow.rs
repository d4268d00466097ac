//! `cargo bench --bench flow`: how long buffer flow takes on large made programs. Medians of 31 runs, in milliseconds.

#[path = "../tests/common/code.rs"]
mod code;

use aether::flow::{Flow, Mode, OP_LOOP, flow_scratch_size};
use code::Code;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::time::Instant;

const GOAL: f64 = 50.0;

fn main() {
    println!(
        "{:<26} {:>7} {:>8} {:>8} {:>7} | {:>8} {:>8} {:>8} {:>8} | goal {GOAL}",
        "program", "allocs", "ops", "aliases", "pairs", "compat", "sound", "tight", "+ pairs"
    );
    for (name, code) in [
        ("straight line", straight(10_000, 8)),
        ("straight line, shuffled", shuffled(straight(10_000, 8))),
        ("one chain of selects", chain(10_000, 9)),
        ("branches", branches(5_000)),
        ("nested branches", nested(&mut 10_000)),
        ("loops, 1,000 deep", loops(10_000, 1_000)),
    ] {
        let time = |mode, with_pairs| milliseconds(&code, mode, with_pairs);
        let (compat, sound, tight) = (time(Mode::Compat, false), time(Mode::Sound, false), time(Mode::Tight, false));
        let (with_pairs, pairs) = time(Mode::Tight, true);
        println!(
            "{name:<26} {:>7} {:>8} {:>8} {pairs:>7} | {:>8.2} {:>8.2} {:>8.2} {with_pairs:>8.2} |",
            code.allocs.len(),
            code.ops.len(),
            code.aliases.len(),
            compat.0,
            sound.0,
            tight.0
        );
    }
}

fn milliseconds(code: &Code, mode: Mode, with_pairs: bool) -> (f64, usize) {
    let program = code.program();
    let need = flow_scratch_size(program.counts());
    let mut words: Vec<u64> = Vec::with_capacity(need / 8);
    let mut pairs = 0;
    let mut times: Vec<f64> = (0..31)
        .map(|_| {
            let began = Instant::now();
            let mut flow = Flow::new(&program, mode, words.spare_capacity_mut()).expect("a valid program");
            if with_pairs {
                pairs = flow.compatible_pairs(&mut []);
            }
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], pairs)
}

/// Each buffer is cast and read some times, and freed a while later.
fn straight(allocs: usize, casts: usize) -> Code {
    let mut code = Code::new();
    let mut live = std::collections::VecDeque::new();
    for _ in 0..allocs {
        let a = code.alloc(64);
        let mut last = a;
        for _ in 0..casts {
            last = code.select(&[last]);
        }
        live.push_back(last);
        if live.len() > 20 {
            let dead = live.pop_front().expect("some");
            code.free(dead);
        }
    }
    live.into_iter().for_each(|value| _ = code.free(value));
    code
}

/// The same with values, uses and aliases in random order.
fn shuffled(mut code: Code) -> Code {
    let mut random = StdRng::seed_from_u64(1);
    let count = code.value_ops.len();
    let mut names: Vec<u32> = (0..count as u32).collect();
    for i in (1..count).rev() {
        names.swap(i, random.random_range(0..=i));
    }
    let mut value_ops = vec![0; count];
    (0..count).for_each(|value| value_ops[names[value] as usize] = code.value_ops[value]);
    code.value_ops = value_ops;
    let rename = |value: &mut u32| *value = names[*value as usize];
    code.allocs.iter_mut().for_each(|alloc| rename(&mut alloc.value));
    code.deallocs.iter_mut().for_each(|dealloc| rename(&mut dealloc.value));
    code.uses.iter_mut().for_each(|used| rename(&mut used.value));
    for alias in &mut code.aliases {
        rename(&mut alias.from);
        rename(&mut alias.to);
    }
    for i in (1..code.aliases.len()).rev() {
        code.aliases.swap(i, random.random_range(0..=i));
    }
    for i in (1..code.uses.len()).rev() {
        code.uses.swap(i, random.random_range(0..=i));
    }
    code
}

/// Every buffer flows into the same chain of values: all closures together are quadratic.
fn chain(allocs: usize, selects: usize) -> Code {
    let mut code = Code::new();
    let mut last = code.alloc(64);
    for _ in 1..allocs {
        let a = code.alloc(64);
        for _ in 1..selects {
            last = code.select(&[last]);
        }
        last = code.select(&[last, a]);
    }
    code.free(last);
    code
}

/// Each `if` replaces a buffer, and what it replaces lives across the next one.
fn branches(count: usize) -> Code {
    let mut code = Code::new();
    let mut before = code.alloc(64);
    for _ in 0..count {
        let a = code.alloc(64);
        let replace = |code: &mut Code| {
            let b = code.alloc(64);
            code.read(b);
            code.free(a);
            [b]
        };
        let [x] = code.branch(replace, |_| [a]);
        code.read(before);
        code.free(before);
        (0..8).for_each(|_| _ = code.read(x));
        before = x;
    }
    code.free(before);
    code
}

/// A tree of branches 1,000 deep, over and over.
fn nested(left: &mut usize) -> Code {
    fn inside(code: &mut Code, depth: usize, left: &mut usize) {
        if depth == 0 || *left == 0 {
            return;
        }
        *left -= 1;
        let a = code.alloc(64);
        code.read(a);
        code.when(|code| inside(code, depth - 1, left));
        (0..5).for_each(|_| _ = code.read(a));
        code.free(a);
    }
    let mut code = Code::new();
    while *left > 0 {
        inside(&mut code, 1_000, left);
    }
    code
}

fn loops(allocs: usize, depth: usize) -> Code {
    let mut code = Code::new();
    let outer = code.alloc(64);
    for _ in 0..allocs / depth {
        let mut around = vec![];
        for _ in 0..depth {
            let op = code.op_with(OP_LOOP);
            around.push(code.enter(op, 0));
            let a = code.alloc(64);
            (0..7).for_each(|_| _ = code.read(outer));
            code.free(a);
        }
        around.into_iter().rev().for_each(|around| code.leave(around));
    }
    code.free(outer);
    code
}
