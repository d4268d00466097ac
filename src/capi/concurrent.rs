//! Which constraints can be solved apart, when many threads bring them?

use core::sync::atomic::{AtomicI32, AtomicU8};

use super::buffers::{Buffer, call, given, items};
use super::islands::{constraints, offsets_of, policy};
use super::status::{ErrorRecord, Status};
use crate::islands::{Incidence, Shared};

/// As aether_islands_merge, from any number of threads at once. There are three phases:
///
/// 1. One thread calls aether_islands_begin and, where it likes, aether_islands_merge. Then the other threads are
///    started, or released by a barrier.
/// 2. Any number of threads call this function and aether_islands_concurrent_merge_many with the same node_count,
///    parents and marks, each with incidences of its own, in pieces of any size. Nobody else reads or writes parents
///    and marks: they are atomic within these calls, and plain memory outside of them.
/// 3. After the threads were joined, or a barrier passed, one thread goes on: aether_islands_finish, or merges of either
///    kind.
///
/// The labels are those of aether_islands for all incidences together, whatever the number of threads and their
/// schedule; the parents before finish are not the same each time. Lock-free: a thread that is stopped stops no other.
///
/// flags: AETHER_MERGE_FULL_COMPRESSION changes nothing here.
///
/// Errors: those of aether_islands_merge, to the thread whose incidence is bad; of its incidences those before that one
/// are joined, and the other threads go on.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands_concurrent_merge(
    node_count: usize,
    parents: *mut i32,
    marks: *mut u8,
    incidences: *const Incidence,
    incidence_count: usize,
    awake: *const u8,
    flags: u32,
    error: *mut ErrorRecord,
) -> Status {
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::output(1, parents, node_count),
        Buffer::output(2, marks, given(marks, node_count)),
        Buffer::input(3, incidences, incidence_count),
        Buffer::input(5, awake, given(awake, node_count)),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let policy = policy(node_count, awake, flags)?;
            shared(node_count, parents, marks).merge(items(incidences, incidence_count), &policy)
        }
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// As aether_islands_merge_many, from any number of threads at once: see aether_islands_concurrent_merge.
///
/// Errors: those of aether_islands_merge_many, to the thread whose constraint is bad.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands_concurrent_merge_many(
    node_count: usize,
    parents: *mut i32,
    marks: *mut u8,
    offsets: *const usize,
    constraint_count: usize,
    members: *const i32,
    member_count: usize,
    awake: *const u8,
    flags: u32,
    error: *mut ErrorRecord,
) -> Status {
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::output(1, parents, node_count),
        Buffer::output(2, marks, given(marks, node_count)),
        offsets_of(3, offsets, constraint_count),
        Buffer::input(5, members, member_count),
        Buffer::input(7, awake, given(awake, node_count)),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let policy = policy(node_count, awake, flags)?;
            let constraints = constraints(offsets, constraint_count, members, member_count);
            shared(node_count, parents, marks).merge_many(constraints, &policy)
        }
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// The forest in accepted arrays that other threads may be using in the same way.
unsafe fn shared<'a>(node_count: usize, parents: *mut i32, marks: *mut u8) -> Shared<'a> {
    let mark_count = given(marks, node_count);
    // SAFETY: an atomic has the layout of its number, and in this phase all accesses are atomic, the caller says.
    unsafe {
        let marks = (!marks.is_null()).then(|| items(marks.cast::<AtomicU8>(), mark_count));
        Shared::new(items(parents.cast::<AtomicI32>(), node_count), marks)
    }
}
