//! Where do these tensors live in one arena?

use core::ffi::c_void;

use super::buffers::{Buffer, call, deliver, deliver_if_wanted, items, words};
use super::status::{ErrorRecord, Status};
use crate::arena::{self, Plan, Tensor};

const MAX_TENSORS: usize = u32::MAX as usize;

/// Scratch bytes that aether_plan_offsets needs for this many tensors: 280 each with a 64-bit size_t, 200 with a
/// 32-bit one. 0 for none; SIZE_MAX where the arithmetic overflows; never less for more tensors.
/// AETHER_PLAN_OFFSETS_SCRATCH_SIZE(tensor_count) is the same as a constant expression.
#[unsafe(no_mangle)]
pub extern "C" fn aether_plan_offsets_scratch_size(tensor_count: usize) -> usize {
    arena::plan_offsets_scratch_size(tensor_count)
}

/// Places every tensor in one arena, so that no two that are alive at one node share a byte.
///
/// The plan is that of XNNPACK's planner after google/XNNPACK#10801, byte for byte where every alignment is 1:
/// tensors by decreasing size, equal sizes in input order; each into the smallest free interval that fits among the
/// placed tensors alive with it, the space below the lowest of them included, the lowest on a tie; else on top. With
/// alignments, what counts of an interval is its part from the first aligned byte on.
///
/// tensors: tensor_count of them, read only; at most 2^32 - 1.
/// offsets: gets tensor_count offsets from the start of the arena, in bytes.
/// plan: gets the sizes of the plan; may be NULL.
/// scratch: at least aether_plan_offsets_scratch_size(tensor_count) bytes.
///
/// Errors: LIFETIME, ALIGNMENT_OVERFLOW, ARENA_OVERFLOW, each with the tensor.
/// Cost: O(n log n) for n tensors, and what they meet: 0.3 to 3 us a tensor where each meets hundreds of others.
/// Most of the scratch is never touched.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_plan_offsets(
    tensors: *const Tensor,
    tensor_count: usize,
    offsets: *mut usize,
    plan: *mut Plan,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let need = arena::plan_offsets_scratch_size(tensor_count);
    let buffers = [
        Buffer::input(0, tensors, tensor_count).at_most(MAX_TENSORS),
        Buffer::output(2, offsets, tensor_count).at_most(MAX_TENSORS),
        Buffer::optional(3, plan),
        Buffer::scratch(4, scratch, scratch_size, need),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let words = words(scratch, need);
            let (answer, sizes) = arena::plan_offsets(items(tensors, tensor_count), words)?;
            deliver(answer, offsets);
            deliver_if_wanted(sizes, plan);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Scratch bytes that aether_check_offsets needs for this many tensors: 32 each. 0 for none; SIZE_MAX where the
/// arithmetic overflows; never less for more tensors. Also AETHER_CHECK_OFFSETS_SCRATCH_SIZE(tensor_count).
#[unsafe(no_mangle)]
pub extern "C" fn aether_check_offsets_scratch_size(tensor_count: usize) -> usize {
    arena::check_offsets_scratch_size(tensor_count)
}

/// Judges a plan, whoever made it: does every tensor lie on its alignment, end within size_t, and share no byte with
/// a tensor that is alive at the same node?
///
/// tensors, offsets: tensor_count of each, read only. The offset of a tensor of size 0 is not looked at.
/// plan: gets the sizes of the plan if it is valid; may be NULL.
/// scratch: at least aether_check_offsets_scratch_size(tensor_count) bytes.
///
/// Errors: LIFETIME, ALIGNMENT_OVERFLOW; else OFFSET_MISALIGNED, or else ARENA_OVERFLOW, for the first tensor that has
/// either; else CLASH for the first clash: at the smallest node, there at the smallest byte, there of the smallest two
/// tensors.
/// Cost: O(n log n) for n tensors.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_check_offsets(
    tensors: *const Tensor,
    tensor_count: usize,
    offsets: *const usize,
    plan: *mut Plan,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let need = arena::check_offsets_scratch_size(tensor_count);
    let buffers = [
        Buffer::input(0, tensors, tensor_count).at_most(MAX_TENSORS),
        Buffer::input(2, offsets, tensor_count).at_most(MAX_TENSORS),
        Buffer::optional(3, plan),
        Buffer::scratch(4, scratch, scratch_size, need),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let words = words(scratch, need);
            let sizes = arena::check_offsets(items(tensors, tensor_count), items(offsets, tensor_count), words)?;
            deliver_if_wanted(sizes, plan);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Scratch bytes that aether_peak_live_bytes needs for this many tensors: 24 each. 0 for none; SIZE_MAX where the
/// arithmetic overflows; never less for more tensors. Also AETHER_PEAK_LIVE_BYTES_SCRATCH_SIZE(tensor_count).
#[unsafe(no_mangle)]
pub extern "C" fn aether_peak_live_bytes_scratch_size(tensor_count: usize) -> usize {
    arena::peak_live_bytes_scratch_size(tensor_count)
}

/// The largest sum of sizes alive at one node, which no arena can be smaller than.
///
/// tensors: tensor_count of them, read only; alignments are not looked at.
/// peak: gets the bytes, 0 where no tensor has any; may be NULL.
/// node: gets the first node with so many, SIZE_MAX where the peak is 0; may be NULL.
/// scratch: at least aether_peak_live_bytes_scratch_size(tensor_count) bytes.
///
/// Errors: LIFETIME, PEAK_OVERFLOW with the tensor.
/// Cost: O(n log n) for n tensors.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_peak_live_bytes(
    tensors: *const Tensor,
    tensor_count: usize,
    peak: *mut usize,
    node: *mut usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let need = arena::peak_live_bytes_scratch_size(tensor_count);
    let buffers = [
        Buffer::input(0, tensors, tensor_count).at_most(MAX_TENSORS),
        Buffer::optional(2, peak),
        Buffer::optional(3, node),
        Buffer::scratch(4, scratch, scratch_size, need),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let words = words(scratch, need);
            let (bytes, at) = arena::peak_live_bytes(items(tensors, tensor_count), words)?;
            deliver_if_wanted(bytes, peak);
            deliver_if_wanted(at, node);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Can this memory hold a plan? To be asked where the arena comes from someone else.
///
/// plan: as a planner filled it in, read only.
/// arena: where the memory begins; it is not looked at. NULL is fine where arena_size is 0.
/// arena_size: its bytes.
///
/// Errors: ARENA_MISALIGNED, else ARENA_SHORT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_check_arena(
    plan: *const Plan,
    arena: *const c_void,
    arena_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let buffers = [Buffer::input(0, plan, 1), Buffer::input(1, arena.cast::<u8>(), arena_size)];
    // SAFETY: `call` runs this only with accepted buffers.
    let body = || unsafe { plan.read() }.check_arena(arena as usize, arena_size);
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}
