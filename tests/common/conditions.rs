//! Recorded inputs with random conditions.
#![allow(dead_code)] // Each user uses a part.

use std::path::{Path, PathBuf};

use aether::arena::{FREE, Gap, Pair, Problem, Range, Tensor, plan_portfolio, plan_portfolio_scratch_size};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The kinds of conditions, each with a name; the last one has them all.
pub const KINDS: [(&str, u32); 7] = [
    ("alignment", ALIGNMENT),
    ("reserved", RESERVED),
    ("apart", APART),
    ("compatible", COMPATIBLE),
    ("gaps", GAPS),
    ("fixed", FIXED),
    ("all", 63),
];
const ALIGNMENT: u32 = 1;
const RESERVED: u32 = 2;
const APART: u32 = 4;
const COMPATIBLE: u32 = 8;
const GAPS: u32 = 16;
const FIXED: u32 = 32;

/// The hard public instances and ten networks that no planner of the portfolio brings to the peak.
pub fn files(traces: &Path) -> Vec<PathBuf> {
    let hard = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"].map(|name| {
        let folder = traces.join("minimalloc").read_dir().expect("a folder");
        let mut paths = folder.map(|entry| entry.expect("a file").path());
        paths.find(|path| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&format!("{name}."))))
    });
    let networks = [
        "onnx-densenet121",
        "ort-basicpitch-nmp-b1",
        "ort-ddddocr-common-64x160",
        "ort-ddddocr-old-int8-64x160",
        "ortopt-basicpitch-nmp-b1",
        "ortopt-ddddocr-common-64x160",
        "tflite-alexa",
        "tflite-basicpitch-nmp",
        "tflite-hand-landmark-full",
        "jax-gpt2-small-decode-b1-kv1024",
    ];
    let networks = networks.map(|name| Some(traces.join("models").join(format!("{name}.csv"))));
    hard.into_iter().chain(networks).map(|path| path.expect("a trace")).collect()
}

/// The rows of a trace, half open in the file.
pub fn read(path: &Path) -> Vec<Tensor> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let column = |name| header.iter().position(|cell| *cell == name).expect("a column");
    let (lower, upper, size) = (column("lower"), column("upper"), column("size"));
    let tensors = lines.map(|line| {
        let cells: Vec<usize> = line.split(',').map(|cell| cell.parse().unwrap_or(0)).collect();
        Tensor { size: cells[size], alignment: 1, first_use: cells[lower], last_use: cells[upper] - 1 }
    });
    tensors.collect()
}

#[derive(Default)]
pub struct Conditioned {
    pub tensors: Vec<Tensor>,
    pub fixed: Vec<usize>,
    pub gaps: Vec<Gap>,
    pub compatible: Vec<Pair>,
    pub apart: Vec<Pair>,
    pub reserved: Vec<Range>,
    pub capacity: usize,
}

impl Conditioned {
    pub fn problem(&self) -> Problem<'_> {
        Problem {
            tensors: &self.tensors,
            fixed_offsets: &self.fixed,
            hint_offsets: &[],
            gaps: &self.gaps,
            compatible: &self.compatible,
            apart: &self.apart,
            reserved: &self.reserved,
            capacity: self.capacity,
        }
    }

    /// Some tensors in a hundred of each kind get a condition; those that are fixed lie where a planner puts them.
    pub fn new(mut tensors: Vec<Tensor>, kinds: u32, seed: u64) -> Conditioned {
        let mut rng = StdRng::seed_from_u64(seed);
        let count = tensors.len();
        let has = |kind: u32| kinds & kind != 0;
        let largest = tensors.iter().map(|tensor| tensor.size).max().unwrap_or(0);
        if has(ALIGNMENT) {
            tensors.iter_mut().for_each(|tensor| tensor.alignment = [1, 16, 64, 256, 4096][rng.random_range(0..5)]);
        }
        let mut some = Conditioned { tensors, ..Conditioned::default() };
        if has(RESERVED) {
            for _ in 0..3 {
                let begin = rng.random_range(0..2 * largest);
                some.reserved.push(Range { begin, end: begin + 1 + largest / 50 });
            }
        }
        for a in 0..count {
            let b = rng.random_range(0..count);
            if b == a {
                continue;
            }
            let (one, other) = (some.tensors[a], some.tensors[b]);
            let meets = one.first_use <= other.last_use && other.first_use <= one.last_use;
            if has(COMPATIBLE) && meets && rng.random_bool(0.1) {
                some.compatible.push(Pair { a, b });
            }
            if has(APART) && !meets && rng.random_bool(0.1) {
                some.apart.push(Pair { a, b });
            }
        }
        if has(GAPS) {
            for (tensor, &Tensor { size, first_use, last_use, .. }) in some.tensors.iter().enumerate() {
                let third = (last_use - first_use) / 3;
                if third > 0 && rng.random_bool(0.1) {
                    let window_end = if rng.random_bool(0.5) { 0 } else { size / 2 };
                    let (first, last) = (first_use + third, last_use - third);
                    some.gaps.push(Gap { tensor, first, last, window_begin: 0, window_end });
                }
            }
        }
        if has(FIXED) {
            let problem = some.problem();
            let pairs = some.compatible.len() + some.apart.len();
            let bytes = plan_portfolio_scratch_size(count, some.gaps.len(), pairs, some.reserved.len());
            let mut words: Vec<u64> = Vec::with_capacity(bytes / 8);
            let (offsets, _) = plan_portfolio(&problem, 2, words.spare_capacity_mut()).expect("a plan");
            some.fixed = offsets.iter().map(|&offset| if rng.random_bool(0.03) { offset } else { FREE }).collect();
        }
        some
    }
}
