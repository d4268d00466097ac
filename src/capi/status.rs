//! Versions, statuses, and the record that says what went wrong.

use core::ffi::{CStr, c_char};

use crate::error::{Error, Kind, NONE};

/// The number of the binary interface, which the soname and the symbol version carry. It rises whenever a
/// program that was built with an older header would no longer run right.
pub const AETHER_ABI_VERSION: i32 = 0;
/// Scratch must lie at a multiple of this many bytes.
pub const AETHER_SCRATCH_ALIGN: i32 = 8;

/// The answer is there.
pub const AETHER_OK: i32 = 0;
/// A required pointer is NULL. index: the argument, the first is 0; limit: the bytes needed there. For this,
/// MISALIGNED and TOO_MANY, where a member of struct aether_problem is meant, index is 0 and other is its place in the
/// struct, the first is 0.
pub const AETHER_ERROR_NULL: i32 = 1;
/// A buffer is misaligned. index: the argument; got: its address modulo limit; limit: the alignment.
pub const AETHER_ERROR_MISALIGNED: i32 = 2;
/// Two buffers overlap and one of them is written. index, other: the arguments.
pub const AETHER_ERROR_OVERLAP: i32 = 3;
/// The scratch is too small. index: the argument; got: its bytes; limit: the bytes needed.
pub const AETHER_ERROR_SCRATCH_TOO_SMALL: i32 = 4;
/// A count is too large. index: the argument that is the count, SIZE_MAX for the parts of a problem together; got: the
/// count; limit: the largest allowed.
pub const AETHER_ERROR_TOO_MANY: i32 = 5;
/// A tensor's first use is after its last. index: the tensor; got: first_use; limit: last_use.
pub const AETHER_ERROR_LIFETIME: i32 = 6;
/// A tensor's end in the arena does not fit size_t. index: the tensor; got: its size; limit: the bytes left above
/// its offset, 0 also where no aligned offset is left. other, when planning: the tensor that it would lie on, the
/// first of them.
pub const AETHER_ERROR_ARENA_OVERFLOW: i32 = 7;
/// The bytes alive at one node do not fit size_t. index: the tensor that is too much; got: its bytes in use there;
/// limit: the bytes left.
pub const AETHER_ERROR_PEAK_OVERFLOW: i32 = 8;
/// The least common multiple of the alignments does not fit size_t. index: the tensor; got: its alignment; limit:
/// the least common multiple of the alignments before it.
pub const AETHER_ERROR_ALIGNMENT_OVERFLOW: i32 = 9;
/// An offset is not a multiple of its tensor's alignment. index: the tensor; got: the offset; limit: the alignment.
pub const AETHER_ERROR_OFFSET_MISALIGNED: i32 = 10;
/// Two tensors that are alive at one node share a byte. index, other: the tensors; got: the byte; limit: the node.
pub const AETHER_ERROR_CLASH: i32 = 11;
/// An edge names a node that does not exist. index: the edge; got: the id; limit: node_count.
pub const AETHER_ERROR_EDGE_NODE: i32 = 12;
/// An edge does not rise in the topological numbering, or in the ranks. index: the edge; got: from; limit: to.
pub const AETHER_ERROR_NOT_TOPOLOGICAL: i32 = 13;
/// An incidence names a node that does not exist. index: the incidence, or the constraint; other: its world in a batch;
/// got: the id, cast from int32_t; limit: node_count.
pub const AETHER_ERROR_INCIDENCE_NODE: i32 = 14;
/// Both ends of an incidence are static. index: the incidence, or the constraint; other: its world in a batch.
pub const AETHER_ERROR_STATIC_INCIDENCE: i32 = 15;
/// An array that has an entry for each tensor has another number of entries; no call from C returns it. got: the
/// entries; limit: the tensors.
pub const AETHER_ERROR_COUNT: i32 = 16;
/// A gap names a tensor that does not exist. index: the gap; got: the tensor; limit: tensor_count.
pub const AETHER_ERROR_GAP_TENSOR: i32 = 17;
/// A gap is reversed, or outside the lifetime of its tensor. index: the gap. Reversed: got: first; limit: last; other:
/// SIZE_MAX. Outside: other: the tensor; got: first, limit: its first_use, or got: last, limit: its last_use.
pub const AETHER_ERROR_GAP_OUTSIDE: i32 = 18;
/// A gap's window is reversed, or ends above its tensor. index: the gap. Reversed: got: window_begin; limit:
/// window_end; other: SIZE_MAX. Else: got: window_end; limit: the size; other: the tensor.
pub const AETHER_ERROR_GAP_WINDOW: i32 = 19;
/// Two gaps of one tensor share a node. index: the gap that begins later, other: the one before; got: the first node
/// of the former; limit: the last node of the latter.
pub const AETHER_ERROR_GAP_OVERLAP: i32 = 20;
/// A compatible pair names a tensor that does not exist, or one tensor twice. index: the pair; got: the tensor; limit:
/// tensor_count.
pub const AETHER_ERROR_COMPATIBLE_PAIR: i32 = 21;
/// An apart pair names a tensor that does not exist, or one tensor twice. index: the pair; got: the tensor; limit:
/// tensor_count.
pub const AETHER_ERROR_APART_PAIR: i32 = 22;
/// Two tensors are a compatible pair and an apart pair. index: the compatible pair; other: the apart pair; got, limit:
/// the tensors.
pub const AETHER_ERROR_PAIR_CONTRADICTION: i32 = 23;
/// A reserved range begins after its end. index: the range; got: begin; limit: end.
pub const AETHER_ERROR_RESERVED_REVERSED: i32 = 24;
/// A fixed offset is not a multiple of its tensor's alignment. index: the tensor; got: the offset; limit: the
/// alignment.
pub const AETHER_ERROR_FIXED_MISALIGNED: i32 = 25;
/// A fixed tensor ends above the capacity. index: the tensor; got: its end; limit: the capacity.
pub const AETHER_ERROR_FIXED_CAPACITY: i32 = 26;
/// Two fixed tensors share bytes that they must not share. index, other: the tensors; got, limit: the bytes from
/// the first shared one to past the last, at the first node at which they share any.
pub const AETHER_ERROR_FIXED_CLASH: i32 = 27;
/// A tensor, fixed or in a plan that is checked, holds a reserved byte. index: the tensor; other: the range; got: the
/// first shared byte; limit: one past the last.
pub const AETHER_ERROR_RESERVED_CLASH: i32 = 28;
/// A plan that is checked moves a fixed tensor. index: the tensor; got: its offset; limit: its fixed offset.
pub const AETHER_ERROR_NOT_FIXED: i32 = 29;
/// In a plan that is checked, two tensors of an apart pair share bytes. index, other: the tensors; got: the first
/// shared byte; limit: one past the last.
pub const AETHER_ERROR_APART_CLASH: i32 = 30;
/// A mask of planners has a bit that is no planner's. got: the mask; limit: the mask of all planners.
pub const AETHER_ERROR_PLANNERS: i32 = 31;
/// The struct_size of a struct is none: below that of its first members, above 4096, or no multiple of
/// sizeof(size_t); or a member that this library does not know is set. got: struct_size; limit: the size known here.
pub const AETHER_ERROR_STRUCT_SIZE: i32 = 32;
/// The edges have a cycle. index: its smallest node; got: its length in nodes; limit: the nodes that the caller's
/// buffer for it holds.
pub const AETHER_ERROR_CYCLE: i32 = 33;
/// An edge's flag is none of the AETHER_EDGE constants. index: the edge; got: the flag; limit: the largest.
pub const AETHER_ERROR_EDGE_FLAG: i32 = 34;
/// A node's parent is none that a merge left there. index: the node; got: the parent, cast from int32_t; limit: the
/// node.
pub const AETHER_ERROR_PARENT: i32 = 35;
/// A sleeping node appears in an incidence. index: the incidence, or the constraint; other: its world in a batch; got:
/// the node.
pub const AETHER_ERROR_ASLEEP: i32 = 36;
/// The offsets of constraints fall or pass the end. index: the constraint. Falls: got: its offset; other: the index of
/// the next offset; limit: that. Passes: got: the next offset; limit: member_count.
pub const AETHER_ERROR_OFFSETS: i32 = 37;
/// A label is none. index: the item; got: the label, cast from int32_t; limit: label_count.
pub const AETHER_ERROR_LABEL: i32 = 38;
/// A stride is smaller than what a world has. got: the stride; limit: node_count. Or index: the world; got: its
/// incidences; limit: the stride.
pub const AETHER_ERROR_STRIDE: i32 = 39;
/// A mask of flags has a bit that is no flag's. got: the mask; limit: the mask of all flags.
pub const AETHER_ERROR_FLAGS: i32 = 40;

/// An operation's parent does not come before it. index: the operation; got: the parent; limit: the operation.
pub const AETHER_ERROR_FLOW_PARENT: i32 = 41;
/// The operations are not in pre-order. index: the operation. Its parent's regions have ended: got: the parent; other:
/// SIZE_MAX. Its region comes before that of the one before it in the same parent: other: that one; got: the region;
/// limit: the region of other.
pub const AETHER_ERROR_FLOW_ORDER: i32 = 42;
/// The operations of the plan block do not stand in a row. index: an operation of it; other: its first; got: the
/// block.
pub const AETHER_ERROR_FLOW_PLAN_BLOCK: i32 = 43;
/// An item of a program names an operation that does not exist. index: the item; other: the place of its array in
/// struct aether_program, the first member is 0; got: the operation; limit: op_count.
pub const AETHER_ERROR_FLOW_OP: i32 = 44;
/// An item of a program names a value that does not exist. As FLOW_OP, with the value and value_count.
pub const AETHER_ERROR_FLOW_VALUE: i32 = 45;
/// An item of a program has an unknown flag. As FLOW_OP; got: the flags; limit: all that are known.
pub const AETHER_ERROR_FLOW_FLAGS: i32 = 46;
/// Two allocations make one value. index, other: the later and the earlier one; got: the value; limit: value_count.
pub const AETHER_ERROR_FLOW_ALLOC: i32 = 47;
/// An alignment and min_alignment have no common multiple that fits size_t. index: the allocation; got: its alignment;
/// limit: min_alignment.
pub const AETHER_ERROR_FLOW_ALIGNMENT: i32 = 48;
/// Two deallocs free the same allocation, and nothing else, on one path: the operation of one is in the block of the
/// other, or in a region below. index, other: the later and the earlier one in the array; got: the allocation; limit:
/// alloc_count.
pub const AETHER_ERROR_FLOW_DOUBLE_FREE: i32 = 49;
/// A mode is none of the AETHER_FLOW constants. got: the mode, cast from int32_t; limit: the largest.
pub const AETHER_ERROR_FLOW_MODE: i32 = 50;
/// An arena's address is not a multiple of its plan's arena_alignment. got: the address modulo limit; limit: the
/// alignment.
pub const AETHER_ERROR_ARENA_MISALIGNED: i32 = 51;
/// An arena has fewer bytes than its plan's arena_size. got: its bytes; limit: arena_size.
pub const AETHER_ERROR_ARENA_SHORT: i32 = 52;

/// AETHER_OK or one of the AETHER_ERROR constants. Their numbers never change.
pub type Status = i32;

/// What went wrong, where, and by how much. Every fallible call takes one as its last argument, or NULL, and fills
/// it in whenever it returns, also with AETHER_OK. What the numbers mean is told at each AETHER_ERROR constant;
/// aether_error_message makes a sentence of them.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ErrorRecord {
    /// What the call returned.
    pub status: Status,
    /// 0.
    pub reserved: i32,
    /// The first offending item, the first is 0; SIZE_MAX where there is none.
    pub index: usize,
    /// The item it clashes with; SIZE_MAX where there is none.
    pub other: usize,
    /// What was found; 0 where the status says nothing of it.
    pub got: usize,
    /// What was allowed or needed; 0 where the status says nothing of it.
    pub limit: usize,
}

impl From<Result<(), Error>> for ErrorRecord {
    fn from(result: Result<(), Error>) -> ErrorRecord {
        match result {
            Ok(()) => ErrorRecord { status: AETHER_OK, reserved: 0, index: NONE, other: NONE, got: 0, limit: 0 },
            Err(Error { kind, index, other, got, limit }) => {
                ErrorRecord { status: kind as Status, reserved: 0, index, other, got, limit }
            }
        }
    }
}

/// The version of the library that runs, as "major.minor.patch". Static storage.
#[unsafe(no_mangle)]
pub extern "C" fn aether_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// A few English words for a status; "unknown status" for a number that is none. Static storage, never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn aether_status_string(status: Status) -> *const c_char {
    summary(status).as_ptr()
}

fn summary(status: Status) -> &'static CStr {
    match (status, Kind::from_status(status)) {
        (AETHER_OK, _) => c"ok",
        (_, Some(kind)) => kind.summary(),
        (_, None) => c"unknown status",
    }
}

/// Writes an English sentence with the numbers of the error, for instance
/// "tensors 1 and 2 share byte 120, and both are alive at node 2".
///
/// buffer: capacity bytes; gets the sentence, cut where it does not fit, and always a NUL if capacity is not 0.
/// (NULL, 0) is fine. error: NULL reads as AETHER_OK.
///
/// Returns the length of the whole sentence without its NUL, like snprintf: it was cut where this is not below
/// capacity. No sentence is longer than 255.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_error_message(
    error: *const ErrorRecord,
    buffer: *mut c_char,
    capacity: usize,
) -> usize {
    let record = match error.is_null() {
        true => Ok(()).into(),
        // SAFETY: the caller's record, wherever it lies.
        false => unsafe { error.read_unaligned() },
    };
    let room = if buffer.is_null() { 0 } else { capacity.saturating_sub(1) };
    let mut length = 0;
    let mut write = |text: &[u8]| {
        for &byte in text {
            if length < room {
                // SAFETY: `length` is below `capacity`.
                unsafe { buffer.add(length).write(byte as c_char) }
            }
            length += 1;
        }
        Ok::<(), core::convert::Infallible>(())
    };
    let Ok(()) = match Kind::from_status(record.status) {
        Some(kind) => {
            let ErrorRecord { index, other, got, limit, .. } = record;
            Error { kind, index, other, got, limit }.sentence(write)
        }
        None => write(summary(record.status).to_bytes()),
    };
    if !buffer.is_null() && capacity > 0 {
        // SAFETY: at most `capacity - 1`.
        unsafe { buffer.add(length.min(room)).write(0) }
    }
    length
}
