//! From the portfolio's plan to a proof, or to the limit: laps of searches.
//!
//! The height that a search aims at is the proven lower bound: on real inputs it is nearly always attained, and the
//! tighter a height is, the more it prunes. Lap 0 and 1 run every order without noise; later ones draw noise and the
//! weight of walls anew for each search. Searches grow with the work that was spent. In each lap a complete search may
//! raise the bound, and one aims between bound and best plan, nearer to the plan after each failure.
//! Invariant: the kept plan is valid, and the smallest that was found; the bound is proven.

use core::cell::Cell;

use super::layout::{self, Layout};
use super::orders::{Focus, Keys, Rule};
use super::state::State;
use super::tree::{self, Complete, End, Infeasible, Jumping, Tree};
use crate::arena::planners::{self, Outcome};
use crate::arena::random::Random;
use crate::arena::{Plan, Planner, Problem, Verdict};
use crate::error::Error;
use crate::scratch::{Scratch, Word, size};

/// How hard to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Nodes of the search, all in all; 0: the portfolio alone. A node costs about a microsecond and more with the
    /// tensors that are alive together.
    pub work_limit: u64,
    /// Of the noise in the orders.
    pub seed: u64,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Stop {
    /// The arena equals the lower bound: no plan is smaller.
    Optimal = 0,
    /// The work limit was reached.
    WorkLimit = 1,
    /// The caller's function asked for it.
    Callback = 2,
    /// The problem has conditions that the search does not know yet, or more than 2^25 tensors: the plan is that of the
    /// portfolio.
    NotSearched = 3,
}

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
    portfolio.max(search)
}

/// So many tensors are searched: positions of up to 64 a tensor are counted in 32 bits.
const MOST_TENSORS: usize = 1 << 25;

/// Searches for the smallest arena; never worse than the portfolio. The offsets, one a tensor in input order, lie in
/// the scratch. `progress` is told the best plan so far, with the best bound, and the nodes so far: between the planners
/// of the portfolio, at each improvement and at least every 10,000 nodes; true: stop.
///
/// # Errors
/// Those of [`plan_portfolio`](crate::arena::plan_portfolio).
pub fn plan_search<'a>(
    problem: &Problem,
    effort: Effort,
    progress: &mut dyn FnMut(&Plan, u64) -> bool,
    scratch: &'a mut [Word],
) -> Result<(&'a [usize], Found), Error> {
    let Problem { tensors, gaps, compatible, apart, reserved, capacity, .. } = *problem;
    let pair_count = compatible.len().saturating_add(apart.len());
    let mut scratch = Scratch::new(scratch);
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
    let is_known = is_plain && tensors.len() <= MOST_TENSORS;
    if plan.arena_size == plan.lower_bound || effort.work_limit == 0 || !is_known {
        let stop = if is_known { Stop::WorkLimit } else { Stop::NotSearched };
        return Ok((best, found(plan, stop, 0)));
    }

    let mut scratch = scratch.phase();
    let layout = Layout::new(tensors, &mut scratch)?;
    let keys = Keys::new(&layout, &mut scratch)?;
    let state = State::new(layout, &mut scratch)?;
    let tree = Tree::new(state, &mut scratch)?;
    let mut driver = Driver { tree, keys, best, plan, nodes: 0, effort, tell: &mut tell };
    let stop = driver.run();
    let (plan, nodes) = (driver.plan, driver.nodes);
    Ok((best, found(plan, stop, nodes)))
}

struct Driver<'a, 'b> {
    tree: Tree<'a>,
    keys: Keys<'a>,
    best: &'b mut [usize],
    plan: Plan,
    nodes: u64,
    effort: Effort,
    tell: &'b mut dyn FnMut(&Plan, u64) -> bool,
}

/// Each lap's orders: where, whether by total first, whether by area.
const ORDERS: [(Focus, bool, bool); 6] = [
    (Focus::Level, true, true),
    (Focus::Level, true, false),
    (Focus::Fullest, false, false),
    (Focus::Fullest, true, true),
    (Focus::Level, false, false),
    (Focus::Level, false, true),
];

/// What is to be searched.
struct Task {
    capacity: usize,
    rule: Rule,
    nodes: u64,
    retighten: bool,
}

impl Driver<'_, '_> {
    fn run(&mut self) -> Stop {
        let count = self.keys.len() as u64;
        let mut random = Random(self.effort.seed);
        // The share of the gap, in 256ths, by which the best plan is to shrink.
        let mut share = 128;
        for lap in 0u64.. {
            let is_late = self.nodes > 200 * count;
            for (focus, by_total, by_area) in ORDERS {
                let (wall, noise) = match lap {
                    0 => (0, 0),
                    1 => (128, 0),
                    _ => (random.below(768), 1311 + random.below(31457)),
                };
                let rule = Rule { focus, by_total, by_area, wall, noise, seed: random.next() };
                let long = random.below(5) == 0;
                let nodes = match (is_late, long) {
                    // A large input is packed almost without a wrong turn, or not in this order.
                    _ if lap == 0 => (4 * count).min(count + 4096),
                    (false, false) => 4 * count,
                    (false, true) => 8 * count,
                    (true, false) => 32 * count,
                    (true, true) => 128 * count,
                };
                let capacity = self.plan.lower_bound;
                let task = Task { capacity, rule, nodes, retighten: is_late };
                if let (Some(stop), _) = self.attempt::<Jumping>(&task) {
                    return stop;
                }
            }

            let capacity = self.plan.lower_bound;
            let (by_total, seed) = (lap % 2 == 0, random.next());
            let rule = Rule { focus: Focus::Level, by_total, by_area: false, wall: 0, noise: 0, seed };
            let task = Task { capacity, rule, nodes: self.nodes / 8 + 1000, retighten: true };
            match self.attempt::<Complete>(&task) {
                (Some(stop), _) => return stop,
                (None, Some(Infeasible { needed })) => {
                    // Where no cut was for the height, no height helps: but there is a plan.
                    self.plan.lower_bound = needed.min(self.plan.arena_size);
                    if self.plan.lower_bound == self.plan.arena_size {
                        return Stop::Optimal;
                    }
                }
                (None, None) => {}
            }

            // Better plans on the way: as long as they come, and then a few misses.
            let mut misses = 0;
            while misses < 4 {
                let (before, gap) = (self.plan.arena_size, self.plan.arena_size - self.plan.lower_bound);
                let shrink = ((gap as u128 * share) >> 8).max(1) as usize;
                let (focus, by_total, by_area) = ORDERS[random.below(6) as usize];
                let (wall, noise) = (random.below(768), 1311 + random.below(31457));
                let rule = Rule { focus, by_total, by_area, wall, noise, seed: random.next() };
                let nodes = if is_late { 32 } else { 8 } * count;
                let task = Task { capacity: before - shrink, rule, nodes, retighten: is_late };
                if let (Some(stop), _) = self.attempt::<Jumping>(&task) {
                    return stop;
                }
                let is_hit = self.plan.arena_size < before;
                misses += u32::from(!is_hit);
                share = if is_hit { (share + 32).min(192) } else { (share * 3 / 4).max(8) };
            }
        }
        Stop::WorkLimit
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
