//! `--algorithm search`: searches that differ in their seed, side by side on threads, and the best of their answers.
//!
//! Invariant: the answer follows from the problem, the seeds and the work limit, not from how many jobs there are, as
//! long as neither the time limit nor Ctrl-C ends it. Answers are ranked by smallest arena, highest bound, fewest
//! nodes, first seed. So once an answer is proven, a seed is given up only when its nodes say that it must rank behind.

use std::cmp::Reverse;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use aether::Error;
use aether::arena::{Effort, Found, Plan, Planner, Problem, Stop};
use serde::Serialize;

use crate::values::TimeLimit;
use crate::{arena, values};

#[derive(clap::Args)]
#[command(next_help_heading = "Options of --algorithm search")]
pub struct Options {
    /// End each search after so many nodes; none: no limit
    ///
    /// A node is a row that is placed. 0: plan as the portfolio does. The default takes about 2 seconds where some
    /// hundred rows are hard to pack, and more where there are thousands; mostly a proof ends the search long before
    #[arg(long, value_name = "NODES", default_value = "1000000")]
    #[arg(value_parser = values::whole_number_or_none, allow_negative_numbers = true)]
    work_limit: u64,
    /// End all searches after so many seconds, with the best plan so far; none: no limit
    ///
    /// Fractions are fine. This is a safety net: an answer that it cuts short depends on the machine, any other one does
    /// not
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    #[arg(value_parser = values::time_limit, allow_negative_numbers = true)]
    time_limit: TimeLimit,
    /// The seed of the first search; another one searches in another order
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    #[arg(value_parser = values::whole_number, allow_negative_numbers = true)]
    seed: u64,
    /// Search so many times, each time with the next seed and the whole work limit, and keep the best answer
    ///
    /// The best has the smallest arena; of equal ones the highest bound, then the fewest nodes, then the first seed.
    /// Without a work limit only a proof ends a search, so no more of them than --jobs may get their turn
    #[arg(long, value_name = "COUNT", default_value = "1")]
    #[arg(value_parser = values::at_least_1, allow_negative_numbers = true)]
    seeds: NonZeroUsize,
    /// Run so many of the searches at the same time; one a core where this is not given
    ///
    /// It changes how long they take, and never the answer that a work limit gives. Each has memory of its own
    #[arg(long, value_name = "COUNT")]
    #[arg(value_parser = values::at_least_1, allow_negative_numbers = true)]
    jobs: Option<NonZeroUsize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    Optimal,
    WorkLimit,
    TimeLimit,
    Interrupt,
    /// The library does not search problems like this one.
    NotSearched,
}

/// The best plan.
pub struct Answer {
    pub offsets: Vec<usize>,
    pub plan: Plan,
    /// The one whose plan it is, or whose plan the search began with.
    pub planner: Planner,
    /// The search that found it, if one was asked for.
    pub search: Option<Told>,
}

/// What a summary tells of a search.
#[derive(Serialize)]
pub struct Told {
    pub nodes: u64,
    pub seed: u64,
    pub stopped_by: StoppedBy,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Told { nodes, seed, .. } = self;
        match self.stopped_by {
            StoppedBy::Optimal if *nodes == 0 => return f.write_str("not needed"),
            StoppedBy::NotSearched => return f.write_str("none: more rows than it takes"),
            _ => write!(f, "{nodes} nodes with seed {seed}, ")?,
        }
        f.write_str(match self.stopped_by {
            StoppedBy::Optimal | StoppedBy::NotSearched => "proven optimal",
            StoppedBy::WorkLimit => "ended by --work-limit",
            StoppedBy::TimeLimit => "ended by --time-limit",
            StoppedBy::Interrupt => "interrupted",
        })
    }
}

/// How often `watch` is called.
const TICK: Duration = Duration::from_millis(100);

/// `watch` is told the smallest arena and the largest bound so far, the nodes of all searches, and the share of the
/// work or of the time that was spent.
pub fn run(
    problem: &Problem,
    options: &Options,
    interrupted: &AtomicBool,
    mut watch: impl FnMut(&Plan, u64, f64),
) -> Result<Answer, Error> {
    let start = Instant::now();
    let seeds = options.seeds.get();
    let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = options.jobs.unwrap_or_else(cores).get().min(seeds);
    let deadline = options.time_limit.0.and_then(|limit| start.checked_add(limit));
    let next = AtomicUsize::new(0);
    let race = Race { problem, options, interrupted, deadline, next, state: Mutex::default() };
    thread::scope(|scope| {
        let (running, ended) = mpsc::channel::<()>();
        for _ in 0..jobs {
            let (race, running) = (&race, running.clone());
            let job = move || {
                race.work();
                drop(running);
            };
            // Where the system gives no more threads, fewer do the work.
            if thread::Builder::new().spawn_scoped(scope, job).is_err() {
                break;
            }
        }
        drop(running);
        // Nothing is ever sent: the channel closes with the last job.
        while ended.recv_timeout(TICK) == Err(mpsc::RecvTimeoutError::Timeout) {
            let (best, nodes) = {
                let state = race.state();
                (state.told, state.nodes)
            };
            if let Some(best) = best {
                let work = nodes as f64 / (options.work_limit as f64 * seeds as f64).max(1.0);
                let time = options.time_limit.0.map_or(0.0, |limit| start.elapsed().div_duration_f64(limit));
                watch(&best, nodes, work.max(time).min(1.0));
            }
        }
    });
    // Without any thread all the work is left, otherwise none is.
    race.work();
    race.into_answer()
}

struct Race<'a> {
    problem: &'a Problem<'a>,
    options: &'a Options,
    interrupted: &'a AtomicBool,
    deadline: Option<Instant>,
    /// The index of the next seed to search with.
    next: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    best: Option<Entry>,
    error: Option<Error>,
    /// Why all of them are to end, if so.
    cause: Option<StoppedBy>,
    /// The smallest arena and the largest bound that any of them told.
    told: Option<Plan>,
    /// Of all of them.
    nodes: u64,
}

/// The answer of one seed.
struct Entry {
    index: usize,
    offsets: Vec<usize>,
    found: Found,
}

impl Entry {
    /// The smaller the better.
    fn rank(&self) -> (usize, Reverse<usize>, u64, usize) {
        let Found { plan, nodes, .. } = self.found;
        (plan.arena_size, Reverse(plan.lower_bound), nodes, self.index)
    }
}

impl State {
    /// Whether the seed ranks behind a proven answer, whatever it finds after so many nodes.
    fn is_lost(&self, index: usize, nodes: u64) -> bool {
        let proven = self.best.as_ref().filter(|best| best.found.stop == Stop::Optimal);
        proven.is_some_and(|best| (best.found.nodes, best.index) < (nodes, index))
    }

    /// Whether one has the plan and another one the proof for it.
    fn is_proven_together(&self) -> bool {
        let is_proven = self.best.as_ref().is_some_and(|best| best.found.stop == Stop::Optimal);
        !is_proven && self.told.is_some_and(|told| told.arena_size == told.lower_bound)
    }

    fn hear(&mut self, plan: &Plan, nodes: u64) {
        self.nodes += nodes;
        let told = self.told.get_or_insert(*plan);
        told.arena_size = told.arena_size.min(plan.arena_size);
        told.lower_bound = told.lower_bound.max(plan.lower_bound);
    }
}

impl Race<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One job: seed after seed, as long as there are any.
    fn work(&self) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            // The first seed is never left out, so there is an answer.
            let is_over = |state: &State| index > 0 && self.is_over(state, index, 0);
            if index >= self.options.seeds.get() || is_over(&self.state()) {
                return;
            }
            self.search(index);
        }
    }

    /// Whether the seed is given up after so many nodes.
    fn is_over(&self, state: &State, index: usize, nodes: u64) -> bool {
        // With a work limit all of them reach it, so that the same one is kept whatever the jobs.
        let is_unlimited = self.options.work_limit == u64::MAX;
        state.cause.is_some() || state.is_lost(index, nodes) || is_unlimited && state.is_proven_together()
    }

    fn search(&self, index: usize) {
        let mut known = 0;
        let mut progress = |plan: &Plan, nodes: u64| {
            let mut state = self.state();
            state.hear(plan, nodes - known);
            known = nodes;
            if self.interrupted.load(Ordering::Relaxed) {
                state.cause.get_or_insert(StoppedBy::Interrupt);
            } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                state.cause.get_or_insert(StoppedBy::TimeLimit);
            }
            self.is_over(&state, index, nodes)
        };
        let effort = Effort { work_limit: self.options.work_limit, seed: self.seed(index) };
        let answer = arena::search(self.problem, effort, &mut progress);
        let mut state = self.state();
        match answer {
            Ok((offsets, found)) => {
                state.hear(&found.plan, found.nodes - known);
                let entry = Entry { index, offsets, found };
                if state.best.as_ref().is_none_or(|best| entry.rank() < best.rank()) {
                    state.best = Some(entry);
                }
            }
            // That of the problem: every seed meets the same.
            Err(error) => state.error = Some(error),
        }
    }

    fn seed(&self, index: usize) -> u64 {
        self.options.seed.wrapping_add(index as u64)
    }

    fn into_answer(self) -> Result<Answer, Error> {
        let State { best, error, cause, told, .. } = std::mem::take(&mut *self.state());
        if let Some(error) = error {
            return Err(error);
        }
        let Entry { index, offsets, found } = best.expect("an answer of the first seed");
        let mut plan = found.plan;
        // What one of them proved holds for all.
        plan.lower_bound = told.map_or(plan.lower_bound, |told| told.lower_bound);
        let stopped_by = match (cause, found.stop) {
            _ if plan.arena_size == plan.lower_bound => StoppedBy::Optimal,
            (Some(cause), _) => cause,
            (None, Stop::NotSearched) => StoppedBy::NotSearched,
            (None, _) => StoppedBy::WorkLimit,
        };
        let search = Some(Told { nodes: found.nodes, seed: self.seed(index), stopped_by });
        Ok(Answer { offsets, plan, planner: found.planner, search })
    }
}

#[cfg(test)]
mod tests {
    use aether::arena::Verdict;

    use super::*;

    fn plan(arena_size: usize, lower_bound: usize) -> Plan {
        Plan { arena_size, arena_alignment: 1, lower_bound, peak_live_bytes: 1 }
    }

    fn after(stop: Stop, plan: Plan, nodes: u64, index: usize) -> State {
        let found = Found { plan, verdict: Verdict::Fits, planner: Planner::Size, stop, nodes };
        State { best: Some(Entry { index, offsets: Vec::new(), found }), told: Some(plan), ..State::default() }
    }

    #[test]
    fn a_seed_is_lost_once_it_has_more_nodes_than_a_proof_or_as_many_and_comes_later() {
        let proven = after(Stop::Optimal, plan(8, 8), 100, 2);
        let is_lost = [(1, 100), (1, 101), (3, 99), (3, 100)].map(|(index, nodes)| proven.is_lost(index, nodes));
        assert_eq!(is_lost, [false, true, false, true]);
        assert!(!after(Stop::WorkLimit, plan(9, 8), 100, 2).is_lost(3, 1000));
    }

    #[test]
    fn the_arena_of_one_seed_and_the_bound_of_another_are_a_proof_together() {
        let mut state = after(Stop::WorkLimit, plan(9, 8), 100, 0);
        state.hear(&plan(10, 8), 5);
        assert!(!state.is_proven_together());
        state.hear(&plan(10, 9), 5);
        assert!(state.is_proven_together());
        assert_eq!((state.told, state.nodes), (Some(plan(9, 9)), 10));
    }
}
