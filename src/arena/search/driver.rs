//! From the portfolio's plan to a proof, or to the limit: laps of searches.
//!
//! Three kinds take turns. One aims at the proven lower bound: on real inputs it is nearly always attained, and the
//! tighter a height is, the more it prunes. One aims between bound and best plan: nearer to the plan after each
//! failure, but from less than four percent above the bound at one percent, which is soon found and often enough. And a
//! complete search may raise the bound, with an eighth of the work so far, each time that work has doubled. Lap 0 and 1
//! run every order without noise; later ones draw noise and the weight of walls anew for each search.
//! What is still open after 200 nodes a tensor is hard, and there one order is best by far: on the lowest level the
//! longest first, but much rather those that lean on walls, so that valleys are filled by what fits them. It gets
//! three quarters of the late searches.
//! A capacity that is missed is aimed at as well. After 2, 4, 8, ... laps small parts of the problem are searched, which
//! may raise the bound too (`conditions`).
//! Invariant: the kept plan is valid, and the smallest that was found; the bound is proven.

use core::cell::Cell;

use super::conditions::{self, conditions_size};
use super::effort::{Effort, Stop};
use super::layout::{self, Layout};
use super::orders::{Focus, Keys, Rule};
use super::tree::{self, Complete, End, Infeasible, Jumping, Tree};
use crate::arena::bytes::Counts;
use crate::arena::planners::{self, Outcome};
use crate::arena::random::Random;
use crate::arena::{Plan, Planner, Problem, Verdict};
use crate::error::Error;
use crate::scratch::{Scratch, Word, size};

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The numbers of the plan. The lower bound is the best that was proven.
    pub plan: Plan,
    /// Whether it fits the capacity.
    pub verdict: Verdict,
    /// The planner that the search began with.
    pub planner: Planner,
    /// Why it ended.
    pub stop: Stop,
    /// Nodes that were searched.
    pub nodes: u64,
}

/// Scratch bytes of [`plan_search`] for so many tensors, gaps, pairs (compatible and apart together) and reserved
/// ranges; `usize::MAX` on overflow.
pub fn plan_search_scratch_size(
    tensor_count: usize,
    gap_count: usize,
    pair_count: usize,
    reserved_count: usize,
) -> usize {
    let portfolio = planners::plan_portfolio_scratch_size(tensor_count, gap_count, pair_count, reserved_count);
    if tensor_count == 0 {
        return portfolio;
    }
    let best = size(&[(tensor_count, 2 * size_of::<usize>()), (1, 64)]);
    let search = size(&[
        (1, best),
        (1, tree::tree_size(tensor_count)),
        (layout::listed(tensor_count), 4),
        (tensor_count, layout::TENSOR_BYTES + 4 * size_of::<usize>() + 16),
        (8, 64),
    ]);
    let counts = Counts::new(tensor_count, gap_count, pair_count, reserved_count);
    let conditions = best.saturating_add(conditions_size(counts));
    portfolio.max(search).max(conditions)
}

/// Of so many tensors small parts are searched: each node of such a search costs the sections of the whole problem.
const MOST_RELAXED: usize = 1 << 11;

/// So many tensors are searched: positions of up to 64 a tensor are counted in 32 bits.
const MOST_TENSORS: usize = 1 << 25;

/// Searches for the smallest arena; never worse than the portfolio. The offsets, one a tensor in input order, lie in
/// the scratch. `progress` is told the best plan so far, with the best bound, and the nodes so far: between the
/// planners of the portfolio, at each improvement and at least every 10,000 nodes; true: stop.
///
/// # Errors
/// Those of [`plan_portfolio`](crate::arena::plan_portfolio).
pub fn plan_search<'a>(
    problem: &Problem,
    effort: Effort,
    progress: &mut dyn FnMut(&Plan, u64) -> bool,
    scratch: &'a mut [Word],
) -> Result<(&'a [usize], Found), Error> {
    search(problem, effort, progress, Scratch::new(scratch))
}

/// As [`plan_search`].
pub(in crate::arena) fn search<'a>(
    problem: &Problem,
    effort: Effort,
    progress: &mut dyn FnMut(&Plan, u64) -> bool,
    mut scratch: Scratch<'a>,
) -> Result<(&'a [usize], Found), Error> {
    let Problem { tensors, gaps, compatible, apart, reserved, capacity, .. } = *problem;
    let pair_count = compatible.len().saturating_add(apart.len());
    let need = plan_search_scratch_size(tensors.len(), gaps.len(), pair_count, reserved.len());
    scratch.require(need)?;
    let is_stopped = Cell::new(false);
    let mut tell = |plan: &Plan, nodes| {
        is_stopped.set(is_stopped.get() || progress(plan, nodes));
        is_stopped.get()
    };
    let (best, outcome) = planners::portfolio(problem, Planner::MASK, &mut |plan| tell(plan, 0), &mut scratch)?;
    let Outcome { plan, planner, .. } = outcome;
    let found = |plan: Plan, stop: Stop, nodes: u64| {
        let stop = if plan.arena_size == plan.lower_bound { Stop::Optimal } else { stop };
        Found { plan, verdict: Verdict::of(&plan, capacity), planner, stop, nodes }
    };
    if is_stopped.get() {
        return Ok((best, found(plan, Stop::Callback, 0)));
    }
    let is_plain = problem.fixed_offsets.is_empty() && gaps.is_empty() && pair_count == 0 && reserved.is_empty();
    let is_known = tensors.len() <= MOST_TENSORS;
    if plan.arena_size == plan.lower_bound || effort.work_limit == 0 || !is_known {
        let stop = if is_known { Stop::WorkLimit } else { Stop::NotSearched };
        return Ok((best, found(plan, stop, 0)));
    }

    let scratch = scratch.phase();
    let (plan, stop, nodes) = if is_plain {
        pack_and_bound(problem, effort, best, plan, &mut tell, scratch)?
    } else {
        let (mut plan, mut nodes) = (plan, 0);
        let stop = conditions::improve(problem, effort, best, &mut plan, &mut nodes, &mut tell, scratch)?;
        (plan, stop, nodes)
    };
    Ok((best, found(plan, stop, nodes)))
}

/// Laps of searches, and searches of parts between them. Returns the plan's numbers, why it ended, and the nodes.
// Not inlined, so that the planners before it have its stack.
#[inline(never)]
fn pack_and_bound(
    problem: &Problem,
    effort: Effort,
    best: &mut [usize],
    plan: Plan,
    tell: &mut dyn FnMut(&Plan, u64) -> bool,
    mut scratch: Scratch,
) -> Result<(Plan, Stop, u64), Error> {
    let mut course = Course::new(plan, effort.seed);
    let (mut laps, mut next) = (2, conditions::Relaxation::FIRST);
    loop {
        if let Some(stop) = pack(problem, effort, laps, best, &mut course, tell, scratch.phase())? {
            return Ok((course.plan, stop, course.nodes));
        }
        laps *= 2;
        if problem.tensors.len() > MOST_RELAXED {
            continue;
        }
        // Perhaps the plan cannot come down to the bound, and the bound must rise.
        let Course { plan, nodes, .. } = &mut course;
        let some = Effort { work_limit: effort.work_limit.min(*nodes + *nodes / 16 + 500), ..effort };
        if let Some(stop) = conditions::bound(problem, some, &mut next, plan, nodes, tell, scratch.phase())? {
            return Ok((course.plan, stop, course.nodes));
        }
    }
}

/// How far the search has come.
struct Course {
    plan: Plan,
    nodes: u64,
    lap: u64,
    random: Random,
    /// The complete searches so far, and the nodes after which comes the next.
    proofs: u64,
    next_proof: u64,
    /// The share of the gap, in 256ths, by which the best plan is to shrink.
    share: u128,
    /// Whether the last lap found a better plan.
    has_paid: bool,
}

impl Course {
    fn new(plan: Plan, seed: u64) -> Course {
        Course { plan, nodes: 0, lap: 0, random: Random(seed), proofs: 0, next_proof: 0, share: 128, has_paid: true }
    }
}

/// So many laps. Tells why to end, if so.
// Not inlined, so that its stack is free again for what comes next; nor is what makes its parts.
#[inline(never)]
fn pack(
    problem: &Problem,
    effort: Effort,
    laps: u64,
    best: &mut [usize],
    course: &mut Course,
    tell: &mut dyn FnMut(&Plan, u64) -> bool,
    mut scratch: Scratch,
) -> Result<Option<Stop>, Error> {
    let layout = Layout::new(problem.tensors, &mut scratch)?;
    let keys = Keys::new(&layout, &mut scratch)?;
    let tree = Tree::new(layout, &mut scratch)?;
    let capacity = problem.capacity;
    let mut driver = Driver { tree, keys, best, plan: course.plan, nodes: course.nodes, capacity, effort, tell };
    let stop = driver.run(laps, course);
    (course.plan, course.nodes) = (driver.plan, driver.nodes);
    Ok(stop)
}

struct Driver<'a, 'b> {
    tree: &'b mut Tree<'a>,
    keys: Keys<'a>,
    best: &'b mut [usize],
    plan: Plan,
    nodes: u64,
    /// Of the problem; 0: none.
    capacity: usize,
    effort: Effort,
    tell: &'b mut dyn FnMut(&Plan, u64) -> bool,
}

/// Where, whether by total first, whether by area.
type Order = (Focus, bool, bool);

/// Each early lap's orders.
const ORDERS: [Order; 6] = [
    (Focus::Level, true, true),
    (Focus::Level, true, false),
    (Focus::Fullest, false, false),
    (Focus::Fullest, true, true),
    VALLEYS,
    (Focus::Level, false, true),
];

/// The best order for what is hard, with walls that weigh much.
const VALLEYS: Order = (Focus::Level, false, false);

/// A wall adds up to so many 256ths.
const WALLS: u32 = 2048;

/// What is to be searched.
struct Task {
    capacity: usize,
    rule: Rule,
    nodes: u64,
    retighten: bool,
}

impl Driver<'_, '_> {
    fn run(&mut self, laps: u64, course: &mut Course) -> Option<Stop> {
        for _ in 0..laps {
            let begin = self.nodes;
            let is_late = begin > 200 * self.keys.len() as u64;
            if let Some(stop) = self.at_the_bound(is_late, course) {
                return Some(stop);
            }
            let work = self.nodes - begin;
            let stop = self.prove(course).or_else(|| self.between(is_late, work, course));
            if stop.is_some() {
                return stop;
            }
            course.lap += 1;
        }
        None
    }

    /// Some orders once each, at a capacity that is missed and at the bound.
    fn at_the_bound(&mut self, is_late: bool, course: &mut Course) -> Option<Stop> {
        let count = self.keys.len() as u64;
        let Course { lap, random, .. } = course;
        let late = [VALLEYS, VALLEYS, VALLEYS, ORDERS[(*lap % ORDERS.len() as u64) as usize]];
        for &(focus, by_total, by_area) in if is_late { &late[..] } else { &ORDERS } {
            let (wall, noise) = match lap {
                0 => (0, 0),
                1 => (128, 0),
                _ => (WALLS + random.below(2 * WALLS), 1311 + random.below(31457)),
            };
            let rule = Rule { focus, by_total, by_area, wall, noise, seed: random.next() };
            let long = random.below(5) == 0;
            let nodes = match (is_late, long) {
                // A large input is packed almost without a wrong turn, or not in this order.
                _ if *lap == 0 => (4 * count).min(count + 4096),
                (false, false) => 4 * count,
                (false, true) => 8 * count,
                (true, false) => 16 * count,
                (true, true) => 32 * count,
            };
            for capacity in self.missed_capacity().into_iter().chain([self.plan.lower_bound]) {
                let task = Task { capacity, rule, nodes, retighten: is_late };
                if let (Some(stop), _) = self.attempt::<Jumping>(&task) {
                    return Some(stop);
                }
            }
        }
        None
    }

    /// A complete search, when the work has doubled since the last, or at once after one that raised the bound.
    fn prove(&mut self, course: &mut Course) -> Option<Stop> {
        if self.nodes < course.next_proof {
            return None;
        }
        let missed = self.missed_capacity().filter(|_| course.proofs % 2 == 1);
        let capacity = missed.unwrap_or(self.plan.lower_bound);
        let (by_total, seed) = (course.proofs.is_multiple_of(2), course.random.next());
        let rule = Rule { focus: Focus::Level, by_total, by_area: false, wall: 0, noise: 0, seed };
        let task = Task { capacity, rule, nodes: self.nodes / 8 + 1000, retighten: true };
        course.proofs += 1;
        match self.attempt::<Complete>(&task) {
            (Some(stop), _) => return Some(stop),
            (None, Some(Infeasible { needed })) => {
                // Where no cut was for the height, no height helps: but there is a plan.
                self.plan.lower_bound = needed.min(self.plan.arena_size);
                if self.plan.lower_bound == self.plan.arena_size {
                    return Some(Stop::Optimal);
                }
                // The next height may fail as fast.
                course.next_proof = self.nodes;
            }
            (None, None) => course.next_proof = self.nodes.saturating_mul(2),
        }
        None
    }

    /// Better plans on the way: a few tries at first; later two thirds of the work while the plan is more than a
    /// percent above the bound, then half if the last lap's tries found one, else a fifth.
    fn between(&mut self, is_late: bool, work_at_bound: u64, course: &mut Course) -> Option<Stop> {
        let count = self.keys.len() as u64;
        let Course { random, share, has_paid, .. } = course;
        let percent = self.plan.lower_bound / 100;
        let budget = match self.plan.arena_size - self.plan.lower_bound {
            gap if gap > percent => 2 * work_at_bound,
            _ if *has_paid => work_at_bound,
            _ => work_at_bound / 4,
        };
        let (mut tries, mut work_between) = (0, 0);
        *has_paid = false;
        while if is_late { work_between < budget } else { tries < 4 } {
            let (before, gap) = (self.plan.arena_size, self.plan.arena_size - self.plan.lower_bound);
            let shrink = match gap > percent && gap < 4 * percent {
                true => gap - percent,
                false => ((gap as u128 * *share) >> 8).max(1) as usize,
            };
            let (focus, by_total, by_area) = match random.below(4) {
                0 => ORDERS[random.below(ORDERS.len() as u32) as usize],
                _ => VALLEYS,
            };
            let (wall, noise) = (WALLS + random.below(2 * WALLS), 1311 + random.below(31457));
            let rule = Rule { focus, by_total, by_area, wall, noise, seed: random.next() };
            let nodes = 16 * count;
            let task = Task { capacity: before - shrink, rule, nodes, retighten: is_late };
            let begin = self.nodes;
            if let (Some(stop), _) = self.attempt::<Jumping>(&task) {
                return Some(stop);
            }
            let (is_hit, work) = (self.plan.arena_size < before, self.nodes - begin);
            work_between += work;
            tries += u32::from(!is_hit);
            *has_paid |= is_hit;
            *share = if is_hit { (*share + 32).min(192) } else { (*share * 7 / 8).max(64) };
        }
        None
    }

    /// The capacity, if the plan is above it and may come down to it.
    fn missed_capacity(&self) -> Option<usize> {
        (self.plan.lower_bound..self.plan.arena_size).contains(&self.capacity).then_some(self.capacity)
    }

    /// One search. A packing becomes the plan. Tells why to stop, if so, and what the end of the search proves.
    fn attempt<M: tree::Mode>(&mut self, task: &Task) -> (Option<Stop>, Option<M::Exhausted>) {
        let Task { capacity, rule, nodes, retighten } = *task;
        let left = self.effort.work_limit - self.nodes;
        if left == 0 {
            return (Some(Stop::WorkLimit), None);
        }
        self.keys.set(rule);
        let (tell, plan) = (&mut *self.tell, self.plan);
        let mut watch = |nodes| tell(&plan, nodes);
        let limits = tree::Limits {
            nodes: nodes.min(left),
            focus: rule.focus,
            retighten: retighten || rule.focus == Focus::Fullest,
            watch: &mut watch,
        };
        match self.tree.search::<M>(capacity, &self.keys, limits, &mut self.nodes) {
            End::Packed => {
                self.keep();
                match self.plan.arena_size == self.plan.lower_bound {
                    true => (Some(Stop::Optimal), None),
                    false if (self.tell)(&self.plan, self.nodes) => (Some(Stop::Callback), None),
                    false => (None, None),
                }
            }
            End::Exhausted(proof) => (None, Some(proof)),
            End::GaveUp => (None, None),
            End::Stopped => (Some(Stop::Callback), None),
        }
    }

    /// Takes over the packing, if it is smaller.
    fn keep(&mut self) {
        let state = &self.tree.state;
        let layout = state.layout;
        let bytes = |k: usize| layout.shapes[k].size.wrapping_mul(layout.unit).wrapping_sub(layout.shapes[k].rounding);
        let ends = (0..layout.shapes.len()).map(|k| state.offsets[k] * layout.unit + bytes(k));
        let arena = ends.max().unwrap_or(0);
        if arena < self.plan.arena_size {
            self.plan.arena_size = arena;
            for (&tensor, &offset) in layout.tensors.iter().zip(state.offsets.iter()) {
                self.best[tensor as usize] = offset * layout.unit;
            }
        }
    }
}
