//! The search for the smallest arena.

use core::ffi::{c_int, c_void};

use super::buffers::{Buffer, deliver, deliver_if_wanted, words};
use super::problem::{MAX_TENSORS, ProblemRecord, call_on};
use super::status::{ErrorRecord, Status};
use crate::arena::{self, Effort, Plan, Problem};

/// Is told the best plan so far and its proven bound, and decides whether to go on: 0 to go on, anything else to
/// stop. It must return: no exception and no longjmp may leave it. best is valid during the call only.
pub type Progress = Option<unsafe extern "C" fn(user: *mut c_void, best: *const Plan) -> c_int>;

/// What a search found.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SearchRecord {
    /// The sizes of the plan. lower_bound is the best that was proven: the plan is optimal where arena_size equals it.
    pub plan: Plan,
    /// The nodes that were searched, each a tensor that was placed, or the begin of a search.
    pub nodes: u64,
    /// AETHER_FITS, AETHER_EXCEEDS or AETHER_IMPOSSIBLE.
    pub verdict: i32,
    /// Why it ended, one of the AETHER_STOPPED constants.
    pub stopped_by: i32,
    /// The planner whose plan it began with, one of the AETHER_PLANNER constants.
    pub planner: i32,
    /// 0.
    pub reserved: i32,
}

/// The plan is proven optimal.
pub const AETHER_STOPPED_OPTIMAL: i32 = 0;
/// The work limit was reached.
pub const AETHER_STOPPED_WORK_LIMIT: i32 = 1;
/// The progress function said so.
pub const AETHER_STOPPED_CALLBACK: i32 = 2;
/// There are more than 2^25 tensors, which are not searched: the plan is the best of the planners.
pub const AETHER_STOPPED_NOT_SEARCHED: i32 = 3;
/// The work limit of a search without one.
pub const AETHER_UNLIMITED: u64 = u64::MAX;

/// Scratch bytes that aether_plan_search needs for so many tensors, gaps, pairs (compatible_count + apart_count) and
/// reserved ranges: about 3,200 bytes a tensor for many tensors, 6,200 for a thousand, 700 more a gap, and never less
/// than aether_plan_portfolio needs. SIZE_MAX where the arithmetic overflows; never less for more.
#[unsafe(no_mangle)]
pub extern "C" fn aether_plan_search_scratch_size(
    tensor_count: usize,
    gap_count: usize,
    pair_count: usize,
    reserved_count: usize,
) -> usize {
    arena::plan_search_scratch_size(tensor_count, gap_count, pair_count, reserved_count)
}

/// Searches for the smallest arena, and proves it where it can. It begins with the plan of aether_plan_portfolio and is
/// never worse. The same problem, work limit and seed give the same answer on every machine: work is counted in
/// nodes, and no clock is read.
///
/// work_limit: so many nodes at most; 0: the planners alone; AETHER_UNLIMITED: until the proof or a stop.
/// seed: any number; another one searches in another order.
/// progress: NULL, or called between the planners, at each smaller plan, and at least every 10,000 nodes, with user.
/// offsets: gets tensor_count offsets from the start of the arena, in bytes.
/// outcome: gets what was found; may be NULL.
/// scratch: at least aether_plan_search_scratch_size(...) bytes.
///
/// A capacity that the plan misses is what the search aims at first: AETHER_FITS where it meets it, AETHER_IMPOSSIBLE
/// where it proves that no plan does, else AETHER_EXCEEDS. Meeting it does not end the search: the plan is as small as
/// it gets. Hints are for the planners alone.
/// Fixed offsets, gaps, pairs and reserved ranges are all searched, with the same promises; but a node looks at every
/// tensor then, and proofs are rarer for large problems.
/// Errors: STRUCT_SIZE and those of the problem, as for aether_plan_portfolio.
/// Cost: that of aether_plan_portfolio, and a few microseconds a node for some hundred tensors; with fixed offsets,
/// gaps, pairs or reserved ranges about ten.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_plan_search(
    problem: *const ProblemRecord,
    work_limit: u64,
    seed: u64,
    progress: Progress,
    user: *mut c_void,
    offsets: *mut usize,
    outcome: *mut SearchRecord,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let others = |tensor_count, need| {
        [
            Buffer::output(5, offsets, tensor_count).at_most(MAX_TENSORS),
            Buffer::optional(6, outcome),
            Buffer::scratch(7, scratch, scratch_size, need),
            Buffer::none(),
        ]
    };
    let mut told = |best: &Plan, _| match progress {
        // SAFETY: the caller's function, with what it asked for and a plan that lives during the call.
        Some(progress) => unsafe { progress(user, best) != 0 },
        None => false,
    };
    let body = |problem: &Problem, need| {
        // SAFETY: `call_on` runs this only with accepted buffers.
        unsafe {
            let effort = Effort { work_limit, seed };
            let (answer, found) = arena::plan_search(problem, effort, &mut told, words(scratch, need))?;
            deliver(answer, offsets);
            let record = SearchRecord {
                plan: found.plan,
                nodes: found.nodes,
                verdict: found.verdict as i32,
                stopped_by: found.stop as i32,
                planner: found.planner as i32,
                reserved: 0,
            };
            deliver_if_wanted(record, outcome);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call_on(problem, arena::plan_search_scratch_size, others, error, body) }
}
