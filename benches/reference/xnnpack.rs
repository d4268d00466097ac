//! XNNPACK's memory planner, in a form faithful to its cost: for each tensor a scan over all placed ones through an
//! array of pointers, a `qsort` of the blocks alive with it, the coalescing of those in place, a pass over the gaps.
//! Two arrays are made zeroed for a plan and reused for all tensors. Written from the description of the algorithm.
//!
//! Source: google/XNNPACK `src/memory-planner.c`, before and after google/XNNPACK#10801.

use std::cell::Cell;
use std::cmp::Ordering;
use std::ffi::{c_int, c_void};

/// A tensor of alignment 1, in the layout of upstream's record; lifetimes are inclusive.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Usage {
    first: u32,
    last: u32,
    size: usize,
    offset: Cell<usize>,
    reuse_value: u32,
    operator: u32,
}

impl Usage {
    pub fn new(size: usize, first: usize, last: usize) -> Usage {
        let node = |node| u32::try_from(node).expect("a node below 2^32");
        let offset = Cell::new(usize::MAX);
        Usage { first: node(first), last: node(last), size, offset, reuse_value: u32::MAX, operator: u32::MAX }
    }

    fn meets(&self, other: &Usage) -> bool {
        if self.first < other.first { self.last >= other.first } else { other.last >= self.first }
    }
}

/// Which planner: the change added the leading interval, and looks for a gap also where a single block is alive.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // Each user plans with one or both.
pub enum Version {
    Before10801,
    After10801,
}

/// Offsets and arena, placing by decreasing size, equal sizes in input order.
pub fn plan(tensors: &[Usage], version: Version) -> (Vec<usize>, usize) {
    let arena = plan_in_place(tensors, version);
    let offset = |tensor: &Usage| if tensor.size > 0 { tensor.offset.get() } else { 0 };
    (tensors.iter().map(offset).collect(), arena)
}

/// The same; the offsets stay in the records, as upstream. Returns the arena.
pub fn plan_in_place(tensors: &[Usage], version: Version) -> usize {
    let mut sorted: Vec<*const Usage> = vec![std::ptr::null(); tensors.len()];
    let mut count = 0;
    for tensor in tensors.iter().filter(|tensor| tensor.size > 0) {
        sorted[count] = tensor;
        count += 1;
    }
    let sorted = &mut sorted[..count];
    // SAFETY: the elements are pointers to records, as `by_decreasing_size` expects.
    unsafe { qsort(sorted.as_mut_ptr().cast(), count, size_of::<*const Usage>(), by_decreasing_size) };
    let mut live = vec![Block { start: 0, end: 0 }; count];
    let mut arena = 0;
    for (placed, &current) in sorted.iter().enumerate() {
        // SAFETY: each pointer in `sorted` is to a record of `tensors`.
        let current = unsafe { &*current };
        let mut live_count = 0;
        for &other in &sorted[..placed] {
            // SAFETY: as above.
            let other = unsafe { &*other };
            if current.meets(other) {
                live[live_count] = Block { start: other.offset.get(), end: other.offset.get() + other.size };
                live_count += 1;
            }
        }
        current.offset.set(best_fit(&mut live[..live_count], current.size, version));
        arena = arena.max(current.offset.get() + current.size);
    }
    arena
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Block {
    start: usize,
    end: usize,
}

fn best_fit(live: &mut [Block], size: usize, version: Version) -> usize {
    if live.is_empty() {
        return 0;
    }
    if let (Version::Before10801, [block]) = (version, &*live) {
        return block.end;
    }
    // SAFETY: the elements are blocks, as `by_start` expects.
    unsafe { qsort(live.as_mut_ptr().cast(), live.len(), size_of::<Block>(), by_start) };
    let mut last = 0;
    for i in 1..live.len() {
        if live[i].start > live[last].end {
            last += 1;
            live[last] = live[i];
        } else if live[i].end > live[last].end {
            live[last].end = live[i].end;
        }
    }
    let mut smallest = usize::MAX;
    let mut offset = live[last].end;
    if version == Version::After10801 && live[0].start >= size {
        (smallest, offset) = (live[0].start, 0);
    }
    for pair in live[..=last].windows(2) {
        let gap = pair[1].start - pair[0].end;
        if gap >= size && gap < smallest {
            (smallest, offset) = (gap, pair[0].end);
        }
    }
    offset
}

unsafe extern "C" {
    fn qsort(
        base: *mut c_void,
        count: usize,
        size: usize,
        compare: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int,
    );
}

fn sign(ordering: Ordering) -> c_int {
    ordering as c_int
}

/// Records lie in input order, so their addresses settle ties; upstream leaves these to `qsort`.
unsafe extern "C" fn by_decreasing_size(a: *const c_void, b: *const c_void) -> c_int {
    // SAFETY: both are elements of an array of pointers to records.
    let (a, b) = unsafe { (*a.cast::<*const Usage>(), *b.cast::<*const Usage>()) };
    // SAFETY: as above.
    let sizes = unsafe { ((*a).size, (*b).size) };
    sign(sizes.1.cmp(&sizes.0).then(a.cmp(&b)))
}

unsafe extern "C" fn by_start(a: *const c_void, b: *const c_void) -> c_int {
    // SAFETY: both are blocks.
    let (a, b) = unsafe { ((*a.cast::<Block>()).start, (*b.cast::<Block>()).start) };
    sign(a.cmp(&b))
}
