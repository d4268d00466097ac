//! The seeded driver: runs targets on bytes of its own for some seconds each, on any compiler, one a core.
//!
//!     seeded [--seconds N | --inputs N] [--seed N] [--file PATH] [TARGET | ROOM]...
//!
//! A seed makes one input, so a failure is found again by `--seed N --inputs 1 TARGET`; a file is run as it is.

use std::cell::Cell;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use aether_fuzz::{TARGETS, Target};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

thread_local! {
    static INPUT: Cell<(&str, u64)> = const { Cell::new(("", 0)) };
}

/// Numbers: bytes that are small or not. Texts: words, and now and then any character.
fn input(target: &Target, seed: u64) -> Vec<u8> {
    let mut rng = StdRng::seed_from_u64(seed);
    let length = 1 << rng.random_range(0..11);
    let length = rng.random_range(0..=length);
    if target.words.is_empty() {
        let largest = [3, 31, 255][rng.random_range(0..3)];
        let wild = rng.random_range(0.0..0.3);
        let byte = |_| {
            let most = if rng.random_bool(wild) { 255 } else { largest };
            rng.random_range(0..=most)
        };
        return (0..length).map(byte).collect();
    }
    let mut text = if rng.random_bool(0.9) { target.words[0].as_bytes().to_vec() } else { Vec::new() };
    // Fewer different words repeat themselves, as names do.
    let words: Vec<&str> =
        (0..rng.random_range(3..30)).map(|_| target.words[rng.random_range(0..target.words.len())]).collect();
    while text.len() < length {
        match rng.random_range(0..40) {
            0 => text.push(rng.random()),
            _ => text.extend(words[rng.random_range(0..words.len())].bytes()),
        }
    }
    text
}

fn main() -> ExitCode {
    let (mut seconds, mut inputs, mut first_seed, mut file, mut names) = (1, u64::MAX, 0, None, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_default();
        match word.as_str() {
            "--seconds" => seconds = value().parse().expect("a number of seconds"),
            "--inputs" => inputs = value().parse().expect("a number of inputs"),
            "--seed" => first_seed = value().parse().expect("a number"),
            "--file" => file = Some(value()),
            _ => names.push(word),
        }
    }
    let is_named = |target: &Target, name: &String| [target.name, target.room].contains(&name.as_str());
    if let Some(unknown) = names.iter().find(|name| TARGETS.iter().all(|target| !is_named(target, name))) {
        let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("no target {unknown}; there are: {}", known.join(" "));
        return ExitCode::FAILURE;
    }
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        let (target, seed) = INPUT.get();
        eprintln!("seed {seed} of {target}");
    }));
    let asked = TARGETS.iter().filter(|target| names.is_empty() || names.iter().any(|name| is_named(target, name)));
    if let Some(file) = &file {
        let bytes = std::fs::read(file).expect("the file");
        asked.for_each(|target| (target.run)(&bytes));
        return ExitCode::SUCCESS;
    }
    let run = |target: &'static Target| {
        let (start, mut seed) = (Instant::now(), first_seed);
        loop {
            INPUT.set((target.name, seed));
            (target.run)(&input(target, seed));
            seed += 1;
            let is_late = || inputs == u64::MAX && start.elapsed() >= Duration::from_secs(seconds);
            if seed - first_seed >= inputs || is_late() {
                return seed - first_seed;
            }
        }
    };
    let (open, total) = (Mutex::new(asked), AtomicU64::new(0));
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let failed = std::thread::scope(|scope| {
        let work = || {
            while let Some(target) = { open.lock().expect("the targets").next() } {
                let count = run(target);
                println!("{count:>12} inputs  {}", target.name);
                total.fetch_add(count, Ordering::Relaxed);
            }
        };
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().filter_map(|thread| thread.join().err()).count()
    });
    if failed > 0 {
        return ExitCode::FAILURE;
    }
    println!("{:>12} inputs in all, none failed", total.into_inner());
    ExitCode::SUCCESS
}
