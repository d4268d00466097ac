//! Several planners over one problem, the best plan kept.

use super::Plan;
use super::fit::Fit;
use super::flat::{Flat, flat_size};
use super::limits::{self, lower_bound_scratch_size};
use super::model::Model;
use super::problem::Problem;
use super::timeline::with_bytes;
use crate::error::Error;
use crate::scratch::{Scratch, Word, size};
use crate::sort::by_key;

/// A way to plan; its number is its bit in the mask of [`plan_portfolio`], and never changes.
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
    /// Decreasing number of tensors alive with it, best fit: TVM's order by conflicts.
    Conflicts = 5,
    /// Decreasing size, first fit: TFLite-Micro.
    FirstFit = 6,
    /// Decreasing size x length, first fit.
    Area = 7,
    /// Size classes, each coloured as an interval graph, first fit.
    Colouring = 8,
}

impl Planner {
    /// All of them, in the order in which a portfolio runs them.
    pub const ALL: [Planner; 9] = [
        Planner::Size,
        Planner::FirstUse,
        Planner::Sequential,
        Planner::Spatial,
        Planner::Temporal,
        Planner::Conflicts,
        Planner::FirstFit,
        Planner::Area,
        Planner::Colouring,
    ];

    /// Its bit in the mask of [`plan_portfolio`].
    pub const fn bit(self) -> u32 {
        1 << self as i32
    }
}

/// Whether a plan fits the capacity of its problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Verdict {
    /// The arena is at most the capacity, or there is none.
    Fits = 0,
    /// The arena is above the capacity; a better plan may exist.
    Exceeds = 1,
    /// The lower bound is above the capacity: no plan fits.
    Impossible = 2,
}

/// A plan, and how it came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Outcome {
    /// The numbers of the plan.
    pub plan: Plan,
    /// Whether it fits the capacity.
    pub verdict: Verdict,
    /// The planner whose plan it is.
    pub planner: Planner,
}

/// Scratch bytes of [`plan_portfolio`], for so many tensors, gaps, pairs (compatible and apart together) and reserved
/// ranges; `usize::MAX` on overflow.
pub fn plan_portfolio_scratch_size(
    tensor_count: usize,
    gap_count: usize,
    pair_count: usize,
    reserved_count: usize,
) -> usize {
    let bound = lower_bound_scratch_size(tensor_count, gap_count, pair_count, reserved_count);
    let flat = flat_size(tensor_count, gap_count, pair_count, reserved_count);
    size(&[(1, bound), (1, flat), (tensor_count, size_of::<usize>() + 24)])
}

/// Runs the planners of the mask, and keeps the smallest arena, of equal ones the earlier planner's.
///
/// # Errors
/// As the header says.
pub fn plan_portfolio<'a>(
    problem: &Problem,
    _planners: u32,
    scratch: &'a mut [Word],
) -> Result<(&'a [usize], Outcome), Error> {
    let Problem { tensors, gaps, compatible, apart, reserved, .. } = *problem;
    let mut scratch = Scratch::new(scratch);
    let pair_count = compatible.len().saturating_add(apart.len());
    scratch.require(plan_portfolio_scratch_size(tensors.len(), gaps.len(), pair_count, reserved.len()))?;
    let offsets = scratch.filled(tensors.len(), 0)?;
    let mut scratch = scratch.phase();
    let model = Model::new(problem, &mut scratch)?;
    let free = with_bytes(tensors).filter(|&i| model.fixed(i as usize).is_none());
    let order = by_key(free, tensors.len(), |i| usize::MAX - tensors[i as usize].size, &mut scratch)?;
    Flat::new(&model, scratch.phase()).place(order, Fit::Best, None, offsets)?;
    let plan = limits::measure(&model, offsets, scratch)?;
    let verdict = match problem.capacity {
        0 => Verdict::Fits,
        capacity if plan.arena_size <= capacity => Verdict::Fits,
        capacity if plan.lower_bound <= capacity => Verdict::Exceeds,
        _ => Verdict::Impossible,
    };
    Ok((offsets, Outcome { plan, verdict, planner: Planner::Size }))
}
