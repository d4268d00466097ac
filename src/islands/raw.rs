//! What safe code cannot say: that a number is an atomic now, and that memory will be wanted soon. The only `unsafe` of
//! this room.

#[cfg(target_has_atomic = "32")]
use core::sync::atomic::{AtomicI32, AtomicU8};

/// The same numbers as atomics, for as long as they are borrowed.
#[cfg(target_has_atomic = "32")]
pub(super) fn as_atomic_parents(parents: &mut [i32]) -> &[AtomicI32] {
    // SAFETY: an atomic has the size and alignment of its number, and the exclusive borrow keeps others away.
    unsafe { &*(core::ptr::from_mut(parents) as *const [AtomicI32]) }
}

/// As [`as_atomic_parents`].
#[cfg(target_has_atomic = "32")]
pub(super) fn as_atomic_marks(marks: &mut [u8]) -> &[AtomicU8] {
    // SAFETY: as above; a byte is aligned anywhere.
    unsafe { &*(core::ptr::from_mut(marks) as *const [AtomicU8]) }
}

/// Asks the processor to fetch the parent of a node, if there is one. Changes nothing.
#[inline(always)]
pub(super) fn fetch(parents: &[i32], node: i32) {
    #[cfg(target_arch = "x86_64")]
    if let Some(parent) = parents.get(node as u32 as usize) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every processor of this architecture has the instruction, and the address is that of a reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(parent).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (parents, node);
}
