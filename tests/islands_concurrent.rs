//! Merging from many threads: labels are those of one thread, whatever the schedule.
//!
//! Small cases run under every schedule and every value that relaxed loads may see, by loom's model. Large ones run on
//! real threads, where a planted fault, a plain store for the exchange, must be caught.

#[allow(dead_code)]
#[path = "../src/islands/atomic.rs"]
mod atomic;

use std::sync::Barrier;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use aether::islands::{Constraints, Forest, Incidence, Policy, islands};
use aether::{Error, Kind, NONE};
use atomic::Cell;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

// ---- Every schedule of small cases ------------------------------------------------------------------------------

impl Cell for loom::sync::atomic::AtomicI32 {
    fn load(&self) -> i32 {
        loom::sync::atomic::AtomicI32::load(self, loom::sync::atomic::Ordering::Relaxed)
    }

    fn exchange(&self, old: i32, new: i32) -> bool {
        let relaxed = loom::sync::atomic::Ordering::Relaxed;
        self.compare_exchange(old, new, relaxed, relaxed).is_ok()
    }
}

/// Runs the pieces on a thread each, under every schedule, on a forest that begins with these parents.
fn model(parents: &'static [i32], pieces: &'static [&'static [(usize, usize)]]) {
    let all: Vec<Incidence> = (0..)
        .zip(parents)
        .filter(|&(_, &parent)| parent >= 0)
        .map(|(a, &b)| Incidence { a, b })
        .chain(pieces.iter().copied().flatten().map(|&(a, b)| Incidence { a: a as i32, b: b as i32 }))
        .collect();
    let mut want = vec![0; parents.len()];
    islands(&all, &mut want).unwrap();
    let mut bounds = loom::model::Builder::new();
    bounds.preemption_bound = Some(4);
    bounds.check(move || {
        let cells = parents.iter().map(|&parent| loom::sync::atomic::AtomicI32::new(parent)).collect::<Vec<_>>();
        let forest = loom::sync::Arc::new(cells);
        let run = |forest: &[loom::sync::atomic::AtomicI32], piece: &[(usize, usize)]| {
            for &(a, b) in piece {
                atomic::touch(forest, a);
                atomic::touch(forest, b);
                atomic::join(forest, a, b).unwrap();
            }
        };
        let others: Vec<_> = pieces[1..]
            .iter()
            .map(|piece| {
                let forest = forest.clone();
                loom::thread::spawn(move || run(&forest, piece))
            })
            .collect();
        run(&forest, pieces[0]);
        others.into_iter().for_each(|thread| thread.join().unwrap());
        let mut labels: Vec<i32> = forest.iter().map(Cell::load).collect();
        Forest::resume(&mut labels, None).unwrap().finish(None).unwrap();
        assert_eq!(labels, want);
    });
}

#[test]
fn two_threads_that_hook_one_root_lose_no_link() {
    model(&[-1; 3], &[&[(2, 0)], &[(2, 1)]]);
}

#[test]
fn two_threads_that_join_the_same_nodes_agree() {
    model(&[-1; 2], &[&[(0, 1)], &[(1, 0)]]);
}

#[test]
fn a_root_that_is_hooked_while_it_is_climbed_to_is_climbed_past() {
    model(&[0, 1, 1, 3, 3], &[&[(2, 4)], &[(1, 0)]]);
}

#[test]
fn two_threads_that_split_one_path_disturb_neither() {
    model(&[0, 0, 1, 2, 4], &[&[(3, 4)], &[(3, 0)]]);
}

#[test]
fn three_threads_that_close_a_triangle_agree() {
    model(&[0, 1, 2], &[&[(0, 1)], &[(1, 2)], &[(2, 0)]]);
}

#[test]
fn a_thread_may_touch_what_another_hooks() {
    model(&[-1; 3], &[&[(1, 1), (2, 2)], &[(2, 1)]]);
}

// ---- One thread alone -------------------------------------------------------------------------------------------

#[test]
fn a_climb_gives_each_node_it_leaves_the_parent_of_its_parent() {
    let forest = [0, 0, 1, 2, 3].map(AtomicI32::new).map(Atomic);
    atomic::join(&forest, 4, 0).unwrap();
    assert_eq!(forest.map(|parent| parent.load()), [0, 0, 0, 1, 2]);
}

/// A cell that must not be written.
struct Still(i32);

impl Cell for Still {
    fn load(&self) -> i32 {
        self.0
    }

    fn exchange(&self, _: i32, _: i32) -> bool {
        panic!("an exchange")
    }
}

#[test]
fn nodes_of_one_parent_are_touched_and_joined_without_a_write() {
    let forest = [Still(0), Still(0)];
    atomic::touch(&forest, 0);
    atomic::touch(&forest, 1);
    atomic::join(&forest, 0, 1).unwrap();
}

// ---- Large graphs on real threads -------------------------------------------------------------------------------

const THREADS: usize = 4;

/// Gives the other threads a turn where it hurts most, now and then: between a look and a change.
fn pause(new: i32) {
    if new % 16 == 0 {
        std::thread::yield_now();
    }
}

/// As the library has it.
struct Atomic(AtomicI32);

impl Cell for Atomic {
    fn load(&self) -> i32 {
        self.0.load(Relaxed)
    }

    fn exchange(&self, old: i32, new: i32) -> bool {
        pause(new);
        self.0.compare_exchange(old, new, Relaxed, Relaxed).is_ok()
    }
}

/// The planted fault: it looks and then stores, and what another thread stored in between is lost.
struct PlainStore(AtomicI32);

impl Cell for PlainStore {
    fn load(&self) -> i32 {
        self.0.load(Relaxed)
    }

    fn exchange(&self, old: i32, new: i32) -> bool {
        let holds = self.0.load(Relaxed) == old;
        pause(new);
        if holds {
            self.0.store(new, Relaxed);
        }
        holds
    }
}

/// A graph of one of four shapes, and its incidences dealt out to the threads one by one.
fn graph(seed: u64) -> (usize, Vec<Incidence>) {
    let mut random = StdRng::seed_from_u64(seed);
    let nodes = random.random_range(2..400);
    let pairs: Vec<(i32, i32)> = match seed % 4 {
        0 => (0..2 * nodes).map(|_| (random.random_range(0..nodes), random.random_range(0..nodes))).collect(),
        // Chains with descending ends: every thread hooks the same few roots.
        1 => (1..nodes).rev().map(|x| (x, x - 1)).collect(),
        // A star around the largest node.
        2 => (0..nodes).map(|x| (nodes - 1, x)).collect(),
        // Many repeats of a few pairs.
        _ => (0..4 * nodes).map(|_| (random.random_range(0..nodes.min(8)), random.random_range(0..nodes))).collect(),
    };
    (nodes as usize, pairs.into_iter().map(|(a, b)| Incidence { a, b }).collect())
}

/// How many of a thousand graphs come out with wrong labels where the threads use such cells.
fn wrong_graphs<C: Cell + Sync>(cell: impl Fn(i32) -> C) -> usize {
    let mut wrong = 0;
    for seed in 0..1000 {
        let (nodes, incidences) = graph(seed);
        let mut want = vec![0; nodes];
        islands(&incidences, &mut want).unwrap();
        let forest: Vec<C> = (0..nodes).map(|_| cell(-1)).collect();
        let start = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (forest, incidences, start) = (&forest, &incidences, &start);
                scope.spawn(move || {
                    start.wait();
                    for &Incidence { a, b } in incidences.iter().skip(thread).step_by(THREADS) {
                        let (a, b) = (a as usize, b as usize);
                        atomic::touch(forest, a);
                        atomic::touch(forest, b);
                        atomic::join(forest, a, b).unwrap();
                    }
                });
            }
        });
        let mut labels: Vec<i32> = forest.iter().map(Cell::load).collect();
        Forest::resume(&mut labels, None).unwrap().finish(None).unwrap();
        wrong += usize::from(labels != want);
    }
    wrong
}

#[test]
fn a_thousand_graphs_come_out_right_and_the_planted_fault_does_not() {
    assert_eq!(wrong_graphs(|parent| Atomic(AtomicI32::new(parent))), 0);
    let wrong = wrong_graphs(|parent| PlainStore(AtomicI32::new(parent)));
    assert!(wrong > 0, "the stress is too weak to catch a plain store");
}

#[test]
fn a_shared_forest_gives_the_labels_of_one_thread() {
    for seed in 0..1000 {
        let (nodes, mut incidences) = graph(seed);
        incidences.extend([Incidence { a: -1, b: nodes as i32 - 1 }, Incidence { a: 0, b: -1 }]);
        let mut want = vec![0; nodes];
        let count = islands(&incidences, &mut want).unwrap();
        for has_marks in [false, true] {
            let (mut labels, mut marks) = (vec![7; nodes], vec![7; nodes]);
            let mut forest = Forest::begin(&mut labels, has_marks.then_some(&mut marks[..])).unwrap();
            // A first piece by one thread alone, the last one as constraints over many nodes.
            let (first, rest) = incidences.split_at(incidences.len() / 8);
            forest.merge(first, &Policy::default()).unwrap();
            let shared = forest.share();
            std::thread::scope(|scope| {
                for piece in rest.chunks(rest.len().div_ceil(THREADS)) {
                    scope.spawn(move || {
                        let (pairs, many) = piece.split_at(piece.len() / 2);
                        shared.merge(pairs, &Policy::default()).unwrap();
                        let members: Vec<i32> = many.iter().flat_map(|at| [at.a, at.b]).collect();
                        let offsets: Vec<usize> = (0..=many.len()).map(|k| 2 * k).collect();
                        let constraints = Constraints { offsets: &offsets, members: &members };
                        shared.merge_many(constraints, &Policy::default()).unwrap();
                    });
                }
            });
            assert_eq!((forest.finish(None).unwrap().islands, &labels), (count, &want), "seed {seed}");
        }
    }
}

#[test]
fn a_bad_incidence_is_told_to_its_thread() {
    let mut labels = [0; 3];
    let mut forest = Forest::begin(&mut labels, None).unwrap();
    let shared = forest.share();
    let error = Error { kind: Kind::IncidenceNode, index: 1, other: NONE, got: 3, limit: 3 };
    let bad = [(1, 2), (0, 3), (0, 1)].map(|(a, b)| Incidence { a, b });
    assert_eq!(shared.merge(&bad, &Policy::default()), Err(error));
    let policy = Policy { awake: Some(&[1]), ..Policy::default() };
    assert_eq!(shared.merge(&[], &policy).unwrap_err().kind, Kind::Count);
    assert_eq!(shared.merge_many(Constraints { offsets: &[], members: &[] }, &policy).unwrap_err().kind, Kind::Count);
    assert_eq!((forest.finish(None).unwrap().islands, labels), (1, [-1, 0, 0]));
}
