//! The problem with all its parts, several planners over it, its checker and its bound.

use core::ffi::c_void;

use super::buffers::{Buffer, call, call_apart, deliver, deliver_if_wanted, items, versioned, words};
use super::status::{ErrorRecord, Status};
use crate::arena::{self, Gap, Outcome, Pair, Plan, Problem, Range, Tensor};
use crate::error::Error;

pub(super) const MAX_TENSORS: usize = u32::MAX as usize;
const MAX_ITEMS: usize = i32::MAX as usize;

/// A problem for the planners beyond aether_plan_offsets. Set struct_size to sizeof(aether_problem) and everything that
/// is not needed to 0: only tensors and tensor_count say something then. A shorter struct of an older header is read
/// as if the rest were 0.
///
/// Two tensors clash where they share a byte at a node at which both hold it. A compatible pair never clashes; a pair
/// that is kept apart clashes where their bytes [offset, offset + size) share one, whatever their lifetimes and gaps.
///
/// All arrays are read only. index of an error about an array's item: the item, the first is 0.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ProblemRecord {
    /// sizeof(aether_problem).
    pub struct_size: usize,
    /// What lives in the arena.
    pub tensors: *const Tensor,
    /// At most 2^32 - 1; so is tensor_count + 2 x gap_count + reserved_count.
    pub tensor_count: usize,
    /// NULL, or tensor_count offsets: what a tensor has in every plan; AETHER_FREE: it is planned. A fixed offset is a
    /// multiple of the alignment, and ends within the capacity. That of a tensor of size 0 is not looked at.
    pub fixed_offsets: *const usize,
    /// NULL, or tensor_count offsets: what a planner gives a tensor where that is aligned, free when its turn comes,
    /// and ends within the capacity; AETHER_FREE: no wish. A hint can make the arena larger.
    pub hint_offsets: *const usize,
    /// When tensors hold less than all of their bytes, in any order; those of one tensor share no node.
    pub gaps: *const Gap,
    /// At most 2^31 - 1.
    pub gap_count: usize,
    /// Pairs of tensors that may share bytes although their lifetimes meet, as those of two branches of which one runs.
    pub compatible: *const Pair,
    /// At most 2^31 - 1.
    pub compatible_count: usize,
    /// Pairs of tensors that must not share bytes although their lifetimes do not meet.
    pub apart: *const Pair,
    /// At most 2^31 - 1.
    pub apart_count: usize,
    /// Bytes of the arena that no tensor may use, in any order; they may overlap, be empty, and end beyond the arena.
    pub reserved: *const Range,
    /// At most 2^32 - 1.
    pub reserved_count: usize,
    /// Bytes that the arena should not exceed; 0: no limit. That a plan exceeds it is no error but a verdict.
    pub capacity: usize,
}

/// What the planners found.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct OutcomeRecord {
    /// The sizes of the plan.
    pub plan: Plan,
    /// AETHER_FITS, AETHER_EXCEEDS or AETHER_IMPOSSIBLE.
    pub verdict: i32,
    /// The planner whose plan it is, one of the AETHER_PLANNER constants.
    pub planner: i32,
}

/// The arena is at most the capacity, or there is no capacity.
pub const AETHER_FITS: i32 = 0;
/// The arena is above the capacity by arena_size - capacity; another plan may fit.
pub const AETHER_EXCEEDS: i32 = 1;
/// The lower bound is above the capacity: it is proven that no plan fits.
pub const AETHER_IMPOSSIBLE: i32 = 2;

/// Decreasing size, best fit: XNNPACK. The plan of aether_plan_offsets.
pub const AETHER_PLANNER_SIZE: i32 = 0;
/// First use, best fit: MLIR's best-fit.
pub const AETHER_PLANNER_FIRST_USE: i32 = 1;
/// Input order, one after another: MLIR's trivial.
pub const AETHER_PLANNER_SEQUENTIAL: i32 = 2;
/// Decreasing size, of equal sizes the longest life first, best fit: XLA's spatial order.
pub const AETHER_PLANNER_SPATIAL: i32 = 3;
/// The longest life first, of equal ones the largest, best fit: XLA's temporal order.
pub const AETHER_PLANNER_TEMPORAL: i32 = 4;
/// Decreasing number of tensors alive beside it, best fit: TVM's order by conflicts.
pub const AETHER_PLANNER_CONFLICTS: i32 = 5;
/// Decreasing size, first fit: TFLite-Micro.
pub const AETHER_PLANNER_FIRST_FIT: i32 = 6;
/// Decreasing size x length of the lifetime, first fit.
pub const AETHER_PLANNER_AREA: i32 = 7;
/// Size classes, each coloured as an interval graph, packed by first fit.
pub const AETHER_PLANNER_COLOURING: i32 = 8;
/// Decreasing size x number of tensors alive beside it, first fit.
pub const AETHER_PLANNER_PRESSURE: i32 = 9;

/// Scratch bytes that aether_plan_portfolio needs for so many tensors, gaps, pairs (compatible_count + apart_count) and
/// reserved ranges: 372 a tensor, 272 a gap, 32 a pair, 104 a range, and 1088 where there is a tensor; with a 32-bit
/// size_t 268, 144, 24, 56 and 1088. Rounded up to a multiple of 8; SIZE_MAX where the arithmetic overflows; never
/// less for more. AETHER_PLAN_PORTFOLIO_SCRATCH_SIZE(...) is the same as a constant expression.
#[unsafe(no_mangle)]
pub extern "C" fn aether_plan_portfolio_scratch_size(
    tensor_count: usize,
    gap_count: usize,
    pair_count: usize,
    reserved_count: usize,
) -> usize {
    arena::plan_portfolio_scratch_size(tensor_count, gap_count, pair_count, reserved_count)
}

/// Runs several planners over a problem, in the order of their constants, and keeps the smallest arena, of equal ones
/// the earlier planner's. It ends early at a plan that is proven optimal. Where a problem has tensors alone and
/// AETHER_PLANNER_SIZE is among the planners, its plan is never larger than that of aether_plan_offsets.
///
/// planners: a mask, 1 << AETHER_PLANNER_... for each; 0: all of them.
/// offsets: gets tensor_count offsets from the start of the arena, in bytes.
/// outcome: gets the sizes of the plan, whether it fits, and whose it is; may be NULL.
/// scratch: at least aether_plan_portfolio_scratch_size(...) bytes.
///
/// Errors: PLANNERS, STRUCT_SIZE; LIFETIME, GAP_TENSOR, GAP_OUTSIDE, GAP_WINDOW, GAP_OVERLAP, COMPATIBLE_PAIR,
/// APART_PAIR, PAIR_CONTRADICTION, RESERVED_REVERSED; ALIGNMENT_OVERFLOW; FIXED_MISALIGNED, FIXED_CAPACITY,
/// RESERVED_CLASH, FIXED_CLASH; ARENA_OVERFLOW for a fixed tensor that ends beyond size_t, or where no planner found a
/// plan that fits, that of the first planner. A capacity that is missed is no error but a verdict.
/// Cost: where there are neither gaps nor pairs, for each planner that of aether_plan_offsets, and each tensor looks at
/// each reserved range. Else it grows with the square of the parts, a tensor being one part, and a gap making up to two
/// more: 10,000 tensors take 0.02 to 0.2 s a planner, 10,000 with a gap each up to 2 s where all are alive at once.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_plan_portfolio(
    problem: *const ProblemRecord,
    planners: u32,
    offsets: *mut usize,
    outcome: *mut OutcomeRecord,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let others = |tensor_count, need| {
        [
            Buffer::output(2, offsets, tensor_count).at_most(MAX_TENSORS),
            Buffer::optional(3, outcome),
            Buffer::scratch(4, scratch, scratch_size, need),
            Buffer::none(),
        ]
    };
    let body = |problem: &Problem, need| {
        // SAFETY: `call_on` runs this only with accepted buffers.
        unsafe {
            let (answer, Outcome { plan, verdict, planner }) =
                arena::plan_portfolio(problem, planners, words(scratch, need))?;
            deliver(answer, offsets);
            deliver_if_wanted(OutcomeRecord { plan, verdict: verdict as i32, planner: planner as i32 }, outcome);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call_on(problem, arena::plan_portfolio_scratch_size, others, error, body) }
}

/// Scratch bytes that aether_check_problem needs for so many tensors, gaps, pairs (compatible_count + apart_count) and
/// reserved ranges: 100 a tensor, 160 a gap, 16 a pair, 16 a range; with a 32-bit size_t 76, 120, 16 and 8. Rounded up
/// to a multiple of 8; SIZE_MAX where the arithmetic overflows; never less for more. Also
/// AETHER_CHECK_PROBLEM_SCRATCH_SIZE(...).
#[unsafe(no_mangle)]
pub extern "C" fn aether_check_problem_scratch_size(
    tensor_count: usize,
    gap_count: usize,
    pair_count: usize,
    reserved_count: usize,
) -> usize {
    arena::check_problem_scratch_size(tensor_count, gap_count, pair_count, reserved_count)
}

/// Judges a plan for a problem with all its parts, whoever made the plan. Hints are not looked at, and of the plan only
/// its fixed tensors must end within the capacity: a plan that exceeds it is valid.
///
/// offsets: tensor_count of them, read only. The offset of a tensor of size 0 is not looked at.
/// plan: gets the sizes of the plan if it is valid; may be NULL.
/// scratch: at least aether_check_problem_scratch_size(...) bytes.
///
/// Errors: STRUCT_SIZE and those of the problem, as for aether_plan_portfolio. Then OFFSET_MISALIGNED, ARENA_OVERFLOW
/// or NOT_FIXED for the first tensor that has one of them; RESERVED_CLASH for the first tensor; APART_CLASH for the
/// first pair of tensors; CLASH for the first clash: at the smallest node, there at the smallest byte, there of the
/// smallest two tensors.
/// Cost: O(m log m) for m tensors, gaps, pairs and ranges, and what the bound costs.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_check_problem(
    problem: *const ProblemRecord,
    offsets: *const usize,
    plan: *mut Plan,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let others = |tensor_count, need| {
        [
            Buffer::input(1, offsets, tensor_count).at_most(MAX_TENSORS),
            Buffer::optional(2, plan),
            Buffer::scratch(3, scratch, scratch_size, need),
            Buffer::none(),
        ]
    };
    let body = |problem: &Problem, need| {
        // SAFETY: `call_on` runs this only with accepted buffers.
        unsafe {
            let offsets = items(offsets, problem.tensors.len());
            let sizes = arena::check_problem(problem, offsets, words(scratch, need))?;
            deliver_if_wanted(sizes, plan);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call_on(problem, arena::check_problem_scratch_size, others, error, body) }
}

/// Scratch bytes that aether_lower_bound needs for so many tensors, gaps, pairs (compatible_count + apart_count) and
/// reserved ranges: 100 a tensor, 160 a gap, 16 a pair, 16 a range; with a 32-bit size_t 76, 120, 16 and 8. Rounded up
/// to a multiple of 8; SIZE_MAX where the arithmetic overflows; never less for more. Also
/// AETHER_LOWER_BOUND_SCRATCH_SIZE(...).
#[unsafe(no_mangle)]
pub extern "C" fn aether_lower_bound_scratch_size(
    tensor_count: usize,
    gap_count: usize,
    pair_count: usize,
    reserved_count: usize,
) -> usize {
    arena::lower_bound_scratch_size(tensor_count, gap_count, pair_count, reserved_count)
}

/// What no plan for a problem can undercut. Hints are not looked at, nor is the capacity but by fixed tensors, which
/// must end within it.
///
/// lower_bound: gets the bytes, SIZE_MAX also where no plan fits size_t; may be NULL.
/// peak_live_bytes: gets the largest sum of bytes in use at one node, both tensors of a compatible pair counted,
/// SIZE_MAX where it is more; may be NULL.
/// peak_node: gets the first node with so many, SIZE_MAX where the peak is 0; may be NULL.
/// scratch: at least aether_lower_bound_scratch_size(...) bytes.
///
/// The bound counts: at each node the tensors that are pairwise not compatible, in full or in what a gap leaves; the
/// padding that a common divisor of the alignments forces; reserved bytes in between; the ends of fixed tensors; both
/// tensors of a pair that is kept apart.
///
/// Errors: STRUCT_SIZE and those of the problem, as for aether_plan_portfolio; PEAK_OVERFLOW.
/// Cost: O(m log m) for m tensors, gaps, pairs and ranges; with compatible pairs also, at each node that could raise
/// the bound, the live tensors in pairs and their pairs, which is quadratic where many live long: 20,000 tensors in a
/// chain of pairs take about a second.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_lower_bound(
    problem: *const ProblemRecord,
    lower_bound: *mut usize,
    peak_live_bytes: *mut usize,
    peak_node: *mut usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let others = |_, need| {
        [
            Buffer::optional(1, lower_bound),
            Buffer::optional(2, peak_live_bytes),
            Buffer::optional(3, peak_node),
            Buffer::scratch(4, scratch, scratch_size, need),
        ]
    };
    let body = |problem: &Problem, need| {
        // SAFETY: `call_on` runs this only with accepted buffers.
        unsafe {
            let bounds = arena::lower_bound(problem, words(scratch, need))?;
            deliver_if_wanted(bounds.lower_bound, lower_bound);
            deliver_if_wanted(bounds.peak_live_bytes, peak_live_bytes);
            deliver_if_wanted(bounds.peak_node, peak_node);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call_on(problem, arena::lower_bound_scratch_size, others, error, body) }
}

/// Reads a problem, and makes the call on it with the scratch that `query` asks for: `others` are the buffers beside
/// the problem, for its number of tensors and these bytes of scratch; `body` gets the problem and the bytes.
pub(super) unsafe fn call_on(
    problem: *const ProblemRecord,
    query: fn(usize, usize, usize, usize) -> usize,
    others: impl FnOnce(usize, usize) -> [Buffer; 4],
    error: *mut ErrorRecord,
    body: impl FnOnce(&Problem, usize) -> Result<(), Error>,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe {
        match versioned(problem, ProblemRecord::SMALLEST) {
            Ok(record) => {
                let need = record.scratch_size(query);
                let buffers = || record.buffers(problem, others(record.tensor_count, need));
                call_apart(error, buffers, || body(&record.problem(), need))
            }
            Err(refusal) => call(error, [], || Err(refusal)),
        }
    }
}

impl ProblemRecord {
    /// What every caller's struct has: its size, the tensors, and their count.
    const SMALLEST: usize = 3 * size_of::<usize>();
    /// The struct itself, its arrays, and the buffers of the call.
    fn buffers(&self, problem: *const ProblemRecord, others: [Buffer; 4]) -> [Buffer; 12] {
        let wanted = |offsets: *const usize| if offsets.is_null() { 0 } else { self.tensor_count };
        let [a, b, c, d] = others;
        [
            Buffer::input(0, problem.cast::<u8>(), self.struct_size),
            Buffer::input(0, self.tensors, self.tensor_count).at_most(MAX_TENSORS).member(1),
            Buffer::input(0, self.fixed_offsets, wanted(self.fixed_offsets)).at_most(MAX_TENSORS).member(3),
            Buffer::input(0, self.hint_offsets, wanted(self.hint_offsets)).at_most(MAX_TENSORS).member(4),
            Buffer::input(0, self.gaps, self.gap_count).at_most(MAX_ITEMS).member(5),
            Buffer::input(0, self.compatible, self.compatible_count).at_most(MAX_ITEMS).member(7),
            Buffer::input(0, self.apart, self.apart_count).at_most(MAX_ITEMS).member(9),
            Buffer::input(0, self.reserved, self.reserved_count).at_most(MAX_TENSORS).member(11),
            a,
            b,
            c,
            d,
        ]
    }

    /// The slices of accepted buffers.
    unsafe fn problem<'a>(&self) -> Problem<'a> {
        let offsets = |pointer: *const usize| match pointer.is_null() {
            true => &[][..],
            // SAFETY: accepted.
            false => unsafe { items(pointer, self.tensor_count) },
        };
        // SAFETY: accepted.
        unsafe {
            Problem {
                tensors: items(self.tensors, self.tensor_count),
                fixed_offsets: offsets(self.fixed_offsets),
                hint_offsets: offsets(self.hint_offsets),
                gaps: items(self.gaps, self.gap_count),
                compatible: items(self.compatible, self.compatible_count),
                apart: items(self.apart, self.apart_count),
                reserved: items(self.reserved, self.reserved_count),
                capacity: self.capacity,
            }
        }
    }

    fn scratch_size(&self, query: fn(usize, usize, usize, usize) -> usize) -> usize {
        let pair_count = self.compatible_count.saturating_add(self.apart_count);
        query(self.tensor_count, self.gap_count, pair_count, self.reserved_count)
    }
}
