//! From the portfolio's plan to a proof, or to the limit, under conditions: laps of searches.
//!
//! With conditions the smallest arena is often above the bound, so a lap does a little of everything: every order at
//! the capacity, if the plan does not fit yet, and at the bound; a complete search, which raises the bound or ends with a
//! proof; and searches between bound and plan, nearer to the plan after each failure.
//! Invariant: the kept plan is valid, and the smallest that was found; the bound is proven.

use core::convert::Infallible;

use super::keys::{Keys, Rule};
use super::relaxations::{Relaxation, Relaxations};
use super::sections::Sections;
use super::tree::Tree;
use crate::arena::Plan;
use crate::arena::bound::alignments;
use crate::arena::model::Model;
use crate::arena::problem::Problem;
use crate::arena::random::Random;
use crate::arena::search::effort::{Effort, Stop};
use crate::arena::search::tree::{Complete, End, Infeasible, Jumping, Mode};
use crate::error::Error;
use crate::scratch::Scratch;

/// Improves `best`, a plan of the problem with the numbers `plan`, and counts `nodes`. Returns why it ended.
pub(in crate::arena::search) fn improve<'a>(
    problem: &Problem<'a>,
    effort: Effort,
    best: &mut [usize],
    plan: &mut Plan,
    nodes: &mut u64,
    tell: &mut dyn FnMut(&Plan, u64) -> bool,
    scratch: Scratch<'a>,
) -> Result<Stop, Error> {
    let mut work = |search: &mut Search| {
        let Err(stop) = search.laps(best);
        Some(stop)
    };
    // Nothing but a reason to stop ends it.
    let stop = search(problem, effort, plan, nodes, tell, scratch, &mut work)?;
    Ok(stop.unwrap_or(Stop::WorkLimit))
}

/// Raises the bound in `plan`, and counts `nodes`: by the relaxation `next` and those that follow it. Tells whether the
/// whole search is over.
pub(in crate::arena::search) fn bound<'a>(
    problem: &Problem<'a>,
    effort: Effort,
    next: &mut Relaxation,
    plan: &mut Plan,
    nodes: &mut u64,
    tell: &mut dyn FnMut(&Plan, u64) -> bool,
    scratch: Scratch<'a>,
) -> Result<Option<Stop>, Error> {
    let mut work = |search: &mut Search| {
        search.relaxations.next = *next;
        let stop = search.relax(effort.work_limit).err();
        *next = search.relaxations.next;
        stop
    };
    search(problem, effort, plan, nodes, tell, scratch, &mut work)
}

/// Makes a search and lets it work.
// One for both, so that what makes a search is compiled once. Nothing of it is inlined, so that each step has the stack
// of the one before.
#[inline(never)]
fn search<'a>(
    problem: &Problem<'a>,
    effort: Effort,
    plan: &mut Plan,
    nodes: &mut u64,
    tell: &mut dyn FnMut(&Plan, u64) -> bool,
    mut scratch: Scratch<'a>,
    work: &mut dyn FnMut(&mut Search) -> Option<Stop>,
) -> Result<Option<Stop>, Error> {
    let mut scratch = scratch.phase();
    let model = read(problem, &mut scratch)?;
    let sections = Sections::new(model, &mut scratch)?;
    let search = Search::new(model, sections, effort, plan, nodes, tell, &mut scratch)?;
    Ok(work(search))
}

/// The model of a problem that was read before: its numbers are in range.
#[inline(never)]
fn read<'a>(problem: &Problem<'a>, scratch: &mut Scratch<'a>) -> Result<&'a Model<'a>, Error> {
    let model = Model::new(problem, alignments(problem.tensors)?, scratch);
    scratch.keep(model)?.as_ref().map_err(|error| *error)
}

pub(super) struct Search<'a> {
    tree: &'a mut Tree<'a>,
    keys: Keys<'a>,
    relaxations: Relaxations<'a>,
    plan: &'a mut Plan,
    nodes: &'a mut u64,
    effort: Effort,
    tell: &'a mut dyn FnMut(&Plan, u64) -> bool,
}

/// The orders: whether by total first, whether by area.
const ORDERS: [(bool, bool); 4] = [(true, true), (false, false), (true, false), (false, true)];

impl<'a> Search<'a> {
    #[inline(never)]
    fn new(
        model: &'a Model<'a>,
        sections: Sections<'a>,
        effort: Effort,
        plan: &'a mut Plan,
        nodes: &'a mut u64,
        tell: &'a mut dyn FnMut(&Plan, u64) -> bool,
        scratch: &mut Scratch<'a>,
    ) -> Result<&'a mut Search<'a>, Error> {
        let keys = Keys::new(model, &sections, scratch)?;
        let relaxations = Relaxations::new(model.problem.tensors.len(), &sections, scratch)?;
        let tree = Tree::new(model, sections, scratch)?;
        scratch.keep(Search { tree, keys, relaxations, plan, nodes, effort, tell })
    }

    fn laps(&mut self, best: &mut [usize]) -> Result<Infallible, Stop> {
        let count = best.len() as u64;
        let capacity = self.tree.state.model.problem.capacity;
        let mut random = Random(self.effort.seed);
        // The share of the gap, in 256ths, by which the best plan is to shrink.
        let mut share = 64;
        let mut lap = 0u64;
        loop {
            let mut noisy = |by: (bool, bool), noise: u32| {
                let noise = if noise > 0 { random.below(noise) } else { 0 };
                Rule { by_total: by.0, by_area: by.1, noise, seed: random.next() }
            };
            let noise = if lap == 0 { 0 } else { 32768 };
            for order in ORDERS {
                if self.plan.lower_bound <= capacity && capacity < self.plan.arena_size {
                    self.attempt::<Jumping>(best, capacity, noisy(order, noise), 8 * count)?;
                }
            }
            for order in ORDERS {
                self.attempt::<Jumping>(best, self.plan.lower_bound, noisy(order, noise), 2 * count)?;
            }

            self.relax(*self.nodes + *self.nodes / 4 + 1000)?;

            let is_open = self.plan.lower_bound <= capacity && capacity < self.plan.arena_size;
            let height = match lap % 2 {
                0 => self.plan.lower_bound,
                _ if is_open => capacity,
                _ => self.plan.arena_size - 1,
            };
            let nodes = *self.nodes / 8 + 1000;
            if let Some(Infeasible { needed }) =
                self.attempt::<Complete>(best, height, noisy((false, true), 0), nodes)?
            {
                self.raise(needed)?;
            }

            let mut misses = 0;
            while misses < 8 {
                let (before, gap) = (self.plan.arena_size, self.plan.arena_size - self.plan.lower_bound);
                let shrink = ((gap as u128 * share) >> 8).max(1) as usize;
                let order = ORDERS[(misses + lap) as usize % ORDERS.len()];
                self.attempt::<Jumping>(best, before - shrink, noisy(order, 32768), 8 * count)?;
                let is_hit = self.plan.arena_size < before;
                misses += u64::from(!is_hit);
                share = if is_hit { (share + 32).min(192) } else { (share * 3 / 4).max(4) };
            }
            lap += 1;
        }
    }

    /// Searches relaxations at the bound.
    fn relax(&mut self, last_node: u64) -> Result<(), Stop> {
        let last_node = self.effort.work_limit.min(last_node);
        let model = self.tree.state.model;
        self.keys.set(model, Rule { by_total: false, by_area: true, noise: 0, seed: 0 });
        while *self.nodes < last_node && self.relaxations.next.size < model.problem.tensors.len() {
            let (tell, plan) = (&mut *self.tell, *self.plan);
            self.relaxations.choose(&self.tree.state.sections, |i| model.tensor(i).size);
            let takes_part = |i: usize| self.relaxations.takes_part(i);
            let enough = last_node.min(*self.nodes + 50 * self.relaxations.next.size as u64);
            let mut watch = |nodes| tell(&plan, nodes);
            match self.tree.search::<Complete>(plan.lower_bound, takes_part, &self.keys, enough, &mut watch, self.nodes)
            {
                // The same at the new bound.
                End::Exhausted(Infeasible { needed }) => self.raise(needed)?,
                End::Packed | End::GaveUp => self.relaxations.advance(),
                End::Stopped => return Err(Stop::Callback),
            }
        }
        Ok(())
    }

    /// No plan is smaller than this, or none but the kept one exists.
    fn raise(&mut self, needed: usize) -> Result<(), Stop> {
        // Where no cut was for the height, no height helps: but there is a plan.
        self.plan.lower_bound = needed.min(self.plan.arena_size);
        if self.plan.lower_bound == self.plan.arena_size { Err(Stop::Optimal) } else { Ok(()) }
    }

    /// One search. A smaller plan is kept. Tells what the end of the search proves; an error is why to stop.
    fn attempt<M: Mode>(
        &mut self,
        best: &mut [usize],
        height: usize,
        rule: Rule,
        nodes: u64,
    ) -> Result<Option<M::Exhausted>, Stop> {
        let last_node = self.effort.work_limit.min(self.nodes.saturating_add(nodes));
        if *self.nodes >= self.effort.work_limit {
            return Err(Stop::WorkLimit);
        }
        self.keys.set(self.tree.state.model, rule);
        let (tell, plan) = (&mut *self.tell, *self.plan);
        match self.tree.search::<M>(
            height,
            |_| true,
            &self.keys,
            last_node,
            &mut |nodes| tell(&plan, nodes),
            self.nodes,
        ) {
            End::Packed => {
                self.keep(best);
                match self.plan.arena_size == self.plan.lower_bound {
                    true => Err(Stop::Optimal),
                    false if (self.tell)(self.plan, *self.nodes) => Err(Stop::Callback),
                    false => Ok(None),
                }
            }
            End::Exhausted(proof) => Ok(Some(proof)),
            End::GaveUp => Ok(None),
            End::Stopped => Err(Stop::Callback),
        }
    }

    /// Takes over the plan of the tree, which is smaller.
    fn keep(&mut self, best: &mut [usize]) {
        let state = &self.tree.state;
        let tensors =
            state.model.problem.tensors.iter().zip(state.offsets.iter()).filter(|(tensor, _)| tensor.size > 0);
        self.plan.arena_size = tensors.map(|(tensor, offset)| offset + tensor.size).max().unwrap_or(0);
        best.copy_from_slice(state.offsets);
    }
}
