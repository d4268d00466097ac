//! Several planners over one problem, the best plan kept.
//!
//! A planner is an order and a [`Fit`]: one file each gives the order, one line of [`Planner::recipe`] the rest. All of
//! them place into the same free intervals, so each honours every part of the problem.
//!
//! Invariant: after each planner the kept plan is the smallest so far, of equal ones the earliest planner's. A planner
//! is broken off as soon as it cannot win, and the portfolio ends at the lower bound, where nobody can.
//! Cost: that of the placing, once a planner.

mod area;
mod colouring;
mod conflicts;
mod first_use;
mod pressure;
mod sequential;
mod size;
mod spatial;
mod temporal;
mod unplaced;

use unplaced::Unplaced;

use super::bytes::{Bytes, Counts};
use super::fit::Fit;
use super::flat::FLAT;
use super::limits;
use super::model::{MODEL, Model, WORK};
use super::packing::{PACKING, Packing};
use super::problem::Problem;
use super::reading;
use super::{Plan, flat};
use crate::error::{Error, Kind, NONE};
use crate::scratch::{Scratch, Word};

/// A way to plan; its number is its bit in a mask of planners, and never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Planner {
    /// Decreasing size, best fit: XNNPACK. The reference answer.
    Size = 0,
    /// First use, best fit: MLIR's `best-fit`.
    FirstUse = 1,
    /// Input order, one after another: MLIR's `trivial`.
    Sequential = 2,
    /// Decreasing size, then decreasing length of the lifetime, best fit: XLA's spatial order.
    Spatial = 3,
    /// Decreasing length of the lifetime, then decreasing size, best fit: XLA's temporal order.
    Temporal = 4,
    /// Decreasing number of tensors alive beside it, best fit: TVM's order by conflicts.
    Conflicts = 5,
    /// Decreasing size, first fit: TFLite-Micro.
    FirstFit = 6,
    /// Decreasing size x length, first fit.
    Area = 7,
    /// Size classes, each coloured as an interval graph, packed by first fit.
    Colouring = 8,
    /// Decreasing size x number of tensors alive beside it, first fit.
    Pressure = 9,
}

type Order = for<'s> fn(Unplaced, &mut Scratch<'s>) -> Result<&'s mut [u32], Error>;

impl Planner {
    /// All of them, in the order in which a portfolio runs them.
    pub const ALL: [Planner; 10] = [
        Planner::Size,
        Planner::FirstUse,
        Planner::Sequential,
        Planner::Spatial,
        Planner::Temporal,
        Planner::Conflicts,
        Planner::FirstFit,
        Planner::Area,
        Planner::Colouring,
        Planner::Pressure,
    ];

    /// The mask of all planners.
    pub const MASK: u32 = (1 << Planner::ALL.len()) - 1;

    /// Its bit in a mask of planners.
    pub const fn bit(self) -> u32 {
        1 << self as i32
    }

    fn recipe(self) -> (Order, Fit) {
        match self {
            Planner::Size => (size::order, Fit::Best),
            Planner::FirstUse => (first_use::order, Fit::BestBelowTop),
            Planner::Sequential => (sequential::order, Fit::Next),
            Planner::Spatial => (spatial::order, Fit::Best),
            Planner::Temporal => (temporal::order, Fit::Best),
            Planner::Conflicts => (conflicts::order, Fit::Best),
            Planner::FirstFit => (size::order, Fit::First),
            Planner::Area => (area::order, Fit::First),
            Planner::Colouring => (colouring::order, Fit::First),
            Planner::Pressure => (pressure::order, Fit::First),
        }
    }
}

/// Whether a plan fits the capacity of its problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Verdict {
    /// The arena is at most the capacity, or there is no capacity.
    Fits = 0,
    /// The arena is above the capacity; another plan may fit.
    Exceeds = 1,
    /// The lower bound is above the capacity: no plan fits.
    Impossible = 2,
}

impl Verdict {
    pub(super) fn of(plan: &Plan, capacity: usize) -> Verdict {
        match capacity {
            0 => Verdict::Fits,
            _ if plan.lower_bound > capacity => Verdict::Impossible,
            _ if plan.arena_size > capacity => Verdict::Exceeds,
            _ => Verdict::Fits,
        }
    }
}

/// A plan, and how it came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The numbers of the plan.
    pub plan: Plan,
    /// Whether it fits the capacity.
    pub verdict: Verdict,
    /// The planner whose plan it is.
    pub planner: Planner,
}

/// Scratch of the planners: the model; the best offsets and those of the planner at work; its order, and what making it
/// takes (colours, two sorted lists and a set of colours, or counts of conflicts; then keys to sort); and what bounding
/// and placing take.
pub(super) const PORTFOLIO: Bytes = {
    let word = size_of::<usize>();
    let offsets_and_order = 2 * word + 4 + (4 + 4 + 4 + 2 * word + 24);
    // The constant is what the alignment of so few pieces takes at most.
    let own = Bytes { tensor: offsets_and_order, gap: 0, pair: 0, reserved: 0, constant: 64 };
    MODEL.and(own).and(WORK.or(PACKING).or(FLAT))
};

/// Scratch bytes of [`plan_portfolio`] for so many tensors, gaps, pairs (compatible and apart together) and reserved
/// ranges; `usize::MAX` on overflow.
pub fn plan_portfolio_scratch_size(
    tensor_count: usize,
    gap_count: usize,
    pair_count: usize,
    reserved_count: usize,
) -> usize {
    PORTFOLIO.of(Counts::new(tensor_count, gap_count, pair_count, reserved_count))
}

/// Runs the planners of the mask (0: all), and keeps the smallest arena, of equal ones the earlier planner's. The
/// offsets, one a tensor in input order, lie in the scratch.
///
/// # Errors
/// A problem that contradicts itself, as each part of [`Problem`] says; a mask with an unknown planner; an arena end or
/// a common multiple of the alignments beyond `usize::MAX`; too many tensors; scratch too small.
pub fn plan_portfolio<'a>(
    problem: &Problem,
    planners: u32,
    scratch: &'a mut [Word],
) -> Result<(&'a [usize], Outcome), Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(PORTFOLIO.of(Counts::of(problem)))?;
    let (best, outcome) = portfolio(problem, planners, &mut |_| false, &mut scratch)?;
    Ok((best, outcome))
}

/// As [`plan_portfolio`], in scratch that has enough left; the offsets stay in it. `progress` is told the best plan so
/// far after each planner; true: stop.
// Not inlined, so that its stack is free again for what comes next.
#[inline(never)]
pub(super) fn portfolio<'a>(
    problem: &Problem,
    planners: u32,
    progress: &mut dyn FnMut(&Plan) -> bool,
    scratch: &mut Scratch<'a>,
) -> Result<(&'a mut [usize], Outcome), Error> {
    let Problem { tensors, capacity, .. } = *problem;
    if planners & !Planner::MASK != 0 {
        return Err(no_planner(planners));
    }
    let planners = if planners == 0 { Planner::MASK } else { planners };

    let arrays = [scratch.filled(tensors.len(), 0)?, scratch.filled(tensors.len(), 0)?];
    let mut scratch = scratch.phase();
    // The model stays where it was made: it would be on the stack twice otherwise.
    let model = reading::model(problem, &mut scratch);
    let model = model.as_ref().map_err(|error| *error)?;
    // Where the bound overflows, so does every plan; but a planner's error names the tensor below too.
    let limits = limits::limits(model, scratch.phase());
    let (lower_bound, peak_live_bytes) = limits.map_or((0, 0), |limits| (limits.lower_bound, limits.peak_live_bytes));
    let arena_alignment = model.alignments.least_common_multiple;
    let bounds = Plan { arena_size: 0, arena_alignment, lower_bound, peak_live_bytes };
    let (best, arena_size, planner) = best_of(planners, problem, model, bounds, progress, arrays, scratch)?;
    limits?;
    let plan = Plan { arena_size, ..bounds };
    Ok((best, Outcome { plan, verdict: Verdict::of(&plan, capacity), planner }))
}

/// The smallest plan of the planners, in one of the two arrays. Not inlined either.
#[inline(never)]
fn best_of<'a, 'm>(
    planners: u32,
    problem: &Problem,
    model: &'m Model<'m>,
    bounds: Plan,
    progress: &mut dyn FnMut(&Plan) -> bool,
    arrays: [&'a mut [usize]; 2],
    mut scratch: Scratch<'m>,
) -> Result<(&'a mut [usize], usize, Planner), Error> {
    let [mut best, mut trial] = arrays;
    let mut packing = packing(model, &mut scratch);
    let (mut arena_size, mut winner, mut refusal) = (usize::MAX, None, None);
    for planner in Planner::ALL.into_iter().filter(|planner| planners & planner.bit() != 0) {
        let (order, fit) = planner.recipe();
        let mut phase = scratch.phase();
        let order = order(Unplaced::of(problem), &mut phase)?;
        let ceiling = winner.map(|_| arena_size);
        // The packing stays where it was made, too.
        let placed = match &mut packing {
            Some(Ok(packing)) => packing.place(order, fit, ceiling, trial),
            Some(Err(error)) => return Err(*error),
            None => flat::place(model, order, fit, ceiling, trial, phase),
        };
        match placed {
            Ok(Some(arena)) => {
                (arena_size, winner) = (arena, Some(planner));
                core::mem::swap(&mut best, &mut trial);
            }
            Ok(None) => {}
            // Another order may still end below `usize::MAX`.
            Err(error) => refusal = refusal.or(Some(error)),
        }
        let plan = Plan { arena_size, ..bounds };
        if winner.is_some() && (arena_size <= bounds.lower_bound || progress(&plan)) {
            break;
        }
    }
    match (winner, refusal) {
        (Some(planner), _) => Ok((best, arena_size, planner)),
        (None, Some(refusal)) => Err(refusal),
        (None, None) => Err(no_planner(planners)),
    }
}

fn no_planner(planners: u32) -> Error {
    Error::new(Kind::Planners, NONE, planners as usize, Planner::MASK as usize)
}

/// Places by a packing where lifetimes alone decide who meets whom. None: the rule decides, pair by pair.
fn packing<'a>(model: &'a Model<'a>, scratch: &mut Scratch<'a>) -> Option<Result<Packing<'a>, Error>> {
    let Problem { tensors, fixed_offsets, hint_offsets, capacity, .. } = model.problem;
    // Nothing at all is placed without scratch.
    let is_flat = model.has_gaps_or_pairs() || tensors.is_empty();
    let hint_limit = if capacity > 0 { capacity } else { usize::MAX };
    (!is_flat).then(|| Packing::new(tensors, fixed_offsets, hint_offsets, hint_limit, model.reserved, scratch))
}
