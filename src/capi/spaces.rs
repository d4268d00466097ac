//! Plans over several memory spaces.

use core::ffi::c_void;

use super::buffers::{Buffer, call, call_apart, deliver, deliver_if_wanted, items, versioned, words};
use super::problem::MAX_TENSORS;
use super::status::{ErrorRecord, Status};
use crate::arena::{self, Space, SpaceReport, SpacesOutcome, SpacesProblem, Tensor};

/// What is to be placed where. Set struct_size to sizeof(aether_spaces) and everything that is not needed to 0: only
/// tensors and spaces with their counts must be told. A shorter struct of an older header is read as if the rest were
/// 0. All arrays are read only.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SpacesRecord {
    /// sizeof(aether_spaces).
    pub struct_size: usize,
    /// What lives in the spaces. A tensor of size 0 is not planned.
    pub tensors: *const Tensor,
    /// tensor_count x space_count is at most 2^32 - 1.
    pub tensor_count: usize,
    /// The memories that have an arena each.
    pub spaces: *const Space,
    /// 1 to 32.
    pub space_count: usize,
    /// NULL: a tensor may be in every space. Or tensor_count masks, bit k for space k; none is 0.
    pub allowed: *const u32,
    /// NULL, or tensor_count spaces: the one that a tensor must be in; AETHER_NO_SPACE: any that is allowed.
    pub pinned_spaces: *const u32,
    /// NULL, or tensor_count offsets: the one that a pinned tensor must have in its space; AETHER_FREE: any.
    pub fixed_offsets: *const usize,
    /// NULL: the weight of a tensor is its size. Or tensor_count weights: the bytes that are moved to and from each over
    /// its life, as size x number of uses.
    pub weights: *const usize,
}

/// How a plan over several spaces turned out.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SpacesOutcomeRecord {
    /// The sum of weight x cost over the tensors that have a space.
    pub cost: u64,
    /// Proven: no plan of all tensors costs less.
    pub cost_bound: u64,
    /// The work done, in the units of work_limit.
    pub work: u64,
    /// How many tensors with bytes have no space.
    pub left_out: usize,
    /// The largest of them; SIZE_MAX where there is none.
    pub largest_left_out: usize,
    /// AETHER_FITS: every tensor has a space. AETHER_EXCEEDS: some have none, but another plan may do.
    /// AETHER_IMPOSSIBLE: it is proven that no plan has them all.
    pub verdict: i32,
    /// 0.
    pub reserved: i32,
}

/// In a list of spaces: none.
pub const AETHER_NO_SPACE: u32 = u32::MAX;

/// Scratch bytes that aether_plan_spaces needs: 460 a tensor, 8 for each tensor in each space and a 15th of that, 56 a
/// space, and 2000; with a 32-bit size_t 328, 4, 28 and 2000. For packing spaces anew n tensors add 3000 x n +
/// 42 x (n x n, at most 77000) + 3200, where n is at most 1024: 6.3 megabytes for a thousand. Rounded up to a multiple
/// of 8; SIZE_MAX where the arithmetic overflows; never less for more. AETHER_PLAN_SPACES_SCRATCH_SIZE(...) is the same
/// as a constant expression.
#[unsafe(no_mangle)]
pub extern "C" fn aether_plan_spaces_scratch_size(tensor_count: usize, space_count: usize) -> usize {
    arena::plan_spaces_scratch_size(tensor_count, space_count)
}

/// Gives every tensor a space and an offset in it, at the least cost that is found: the sum of weight x cost of its
/// space. Every tensor lies wholly in one space; those of one space that are alive at one node share no byte. The best
/// of several greedy plans is improved by moves, swaps and evictions; it is never worse than placing tensors by
/// decreasing size, each at the lowest offset of the cheapest space with room. At last spaces of up to 1024 tensors are
/// packed anew by the search, for tensors that their bytes have room for but none of their holes.
///
/// work_limit: improving ends after so many looks at a resident; 0: the greedy plan, which is never cheaper than a plan
/// with work unless that leaves fewer tensors out. About 20 million take a second. An eighth of them, and what improving
/// has left, is for packing anew; there a node of the search counts as 16.
/// seed: any number; another one improves in another order. The same problem, limit and seed give the same plan on
/// every machine.
/// homes: gets tensor_count spaces; AETHER_NO_SPACE for a tensor that has no bytes or found no room.
/// offsets: gets tensor_count offsets from the start of the arena of its space, in bytes; 0 without a space.
/// reports: gets space_count reports; may be NULL.
/// outcome: gets cost, bound and verdict; may be NULL.
/// scratch: at least aether_plan_spaces_scratch_size(...) bytes.
///
/// A tensor that finds no room is no error: it is left out, as few as are found to do, and outcome and reports tell the
/// largest of them and what each space has left for it. It needs its size; a space that is allowed lacks size -
/// free_bytes, or if there is enough, size - longest_range in one piece. The tensors that live at tightest_node are in
/// its way.
/// A tensor is never in a space whose capacity is below its size, or whose base_alignment is not 0 and no multiple of
/// its alignment.
///
/// Errors: STRUCT_SIZE; LIFETIME; SPACE_COUNT, SPACE_CAPACITY; ALIGNMENT_OVERFLOW; COST_OVERFLOW; ALLOWED_SPACES,
/// PINNED_SPACE, FIXED_WITHOUT_SPACE, FIXED_MISALIGNED, FIXED_CAPACITY, tensor by tensor; FIXED_CLASH.
/// Cost: four times that of looking at the residents alive with each tensor, 300 passes over the tensors for each space
/// for the bound, the work, and aether_plan_portfolio for each space, at most twice. 20,000 tensors in four spaces: about
/// a second.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_plan_spaces(
    problem: *const SpacesRecord,
    work_limit: u64,
    seed: u64,
    homes: *mut u32,
    offsets: *mut usize,
    reports: *mut SpaceReport,
    outcome: *mut SpacesOutcomeRecord,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe {
        let record = match versioned(problem, SpacesRecord::SMALLEST) {
            Ok(record) => record,
            Err(refusal) => return call(error, [], || Err(refusal)),
        };
        let need = aether_plan_spaces_scratch_size(record.tensor_count, record.space_count);
        let report_count = if reports.is_null() { 0 } else { record.space_count };
        let buffers = || {
            let [a, b, c, d, e, f, g] = record.buffers(problem);
            [
                a,
                b,
                c,
                d,
                e,
                f,
                g,
                Buffer::output(3, homes, record.tensor_count).at_most(MAX_TENSORS),
                Buffer::output(4, offsets, record.tensor_count).at_most(MAX_TENSORS),
                Buffer::output(5, reports, report_count),
                Buffer::optional(6, outcome),
                Buffer::scratch(7, scratch, scratch_size, need),
            ]
        };
        call_apart(error, buffers, || {
            let answer = arena::plan_spaces(&record.problem(), work_limit, seed, words(scratch, need))?;
            deliver(answer.spaces, homes);
            deliver(answer.offsets, offsets);
            if report_count > 0 {
                deliver(answer.reports, reports);
            }
            deliver_if_wanted(SpacesOutcomeRecord::from(answer.outcome), outcome);
            Ok(())
        })
    }
}

impl SpacesRecord {
    const SMALLEST: usize = 5 * size_of::<usize>();

    /// The struct itself and its arrays.
    fn buffers(&self, problem: *const SpacesRecord) -> [Buffer; 7] {
        let wanted = |is_null: bool| if is_null { 0 } else { self.tensor_count };
        [
            Buffer::input(0, problem.cast::<u8>(), self.struct_size),
            Buffer::input(0, self.tensors, self.tensor_count).at_most(MAX_TENSORS).member(1),
            Buffer::input(0, self.spaces, self.space_count).member(3),
            Buffer::input(0, self.allowed, wanted(self.allowed.is_null())).member(5),
            Buffer::input(0, self.pinned_spaces, wanted(self.pinned_spaces.is_null())).member(6),
            Buffer::input(0, self.fixed_offsets, wanted(self.fixed_offsets.is_null())).member(7),
            Buffer::input(0, self.weights, wanted(self.weights.is_null())).member(8),
        ]
    }

    /// The slices of accepted buffers.
    unsafe fn problem<'a>(&self) -> SpacesProblem<'a> {
        // SAFETY: accepted; an array that is not there has no items.
        unsafe {
            SpacesProblem {
                tensors: items(self.tensors, self.tensor_count),
                spaces: items(self.spaces, self.space_count),
                allowed: self.each(self.allowed),
                pinned_spaces: self.each(self.pinned_spaces),
                fixed_offsets: self.each(self.fixed_offsets),
                weights: self.each(self.weights),
            }
        }
    }

    /// An array with an item for each tensor, or none at all.
    unsafe fn each<'a, T>(&self, pointer: *const T) -> &'a [T] {
        // SAFETY: the caller's contract.
        unsafe { items(pointer, if pointer.is_null() { 0 } else { self.tensor_count }) }
    }
}

impl From<SpacesOutcome> for SpacesOutcomeRecord {
    fn from(outcome: SpacesOutcome) -> SpacesOutcomeRecord {
        let SpacesOutcome { verdict, cost, cost_bound, left_out, largest_left_out, work } = outcome;
        SpacesOutcomeRecord { cost, cost_bound, work, left_out, largest_left_out, verdict: verdict as i32, reserved: 0 }
    }
}
