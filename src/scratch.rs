//! Carving typed slices out of the caller's bytes.
//!
//! The caller hands in uninitialised words; a [`Scratch`] gives away pieces of them, front to back, each aligned for
//! its type, each for the whole borrow. A piece is either filled with a value at once or is a [`List`] that shows only
//! what was pushed, so no uninitialised byte is ever read; or it is a struct of many slices that would take much stack.
//! Every algorithm checks [`Scratch::require`] first against its own size query, so carving cannot fail later.

use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

use crate::error::{Error, Kind, NONE};

/// The unit in which a caller hands scratch in; it carries the alignment. Size queries tell bytes, a multiple of it.
///
/// `Vec::<u64>::with_capacity(bytes / 8)` and its `spare_capacity_mut()` make a slice of them.
pub type Word = MaybeUninit<u64>;

pub(crate) struct Scratch<'a> {
    free: &'a mut [MaybeUninit<u8>],
}

impl<'a> Scratch<'a> {
    pub fn new(words: &'a mut [Word]) -> Scratch<'a> {
        let bytes = size_of_val(words);
        // SAFETY: the same memory seen as bytes, for the same exclusive borrow; no byte need be initialised.
        Scratch { free: unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), bytes) } }
    }

    /// Refuses scratch of fewer bytes than the size query said.
    pub fn require(&self, need: usize) -> Result<(), Error> {
        match self.free.len() < need {
            true => Err(Error::new(Kind::ScratchTooSmall, NONE, self.free.len(), need)),
            false => Ok(()),
        }
    }

    /// The free part, lent for a phase: what the phase carves is free again after it.
    pub fn phase(&mut self) -> Scratch<'_> {
        Scratch { free: self.free }
    }

    /// `count` copies of `value`.
    pub fn filled<T: Copy>(&mut self, count: usize, value: T) -> Result<&'a mut [T], Error> {
        Ok(fill(self.carve(count)?, value))
    }

    /// An empty list with room for `capacity` items.
    pub fn list<T: Copy>(&mut self, capacity: usize) -> Result<List<'a, T>, Error> {
        Ok(List { slots: self.carve(capacity)?, len: 0 })
    }

    /// Moves a value here. Whoever makes it should not be inlined, so that it leaves the stack.
    pub fn keep<T>(&mut self, value: T) -> Result<&'a mut T, Error> {
        const { assert!(!core::mem::needs_drop::<T>()) }
        Ok(self.carve(1)?[0].write(value))
    }

    fn carve<T>(&mut self, count: usize) -> Result<&'a mut [MaybeUninit<T>], Error> {
        if count == 0 {
            // Where nothing is needed there may be no scratch, not even for the alignment.
            return Ok(&mut []);
        }
        let skip = self.free.as_ptr().align_offset(align_of::<T>());
        let end = count.saturating_mul(size_of::<T>()).saturating_add(skip);
        let available = self.free.len();
        match core::mem::take(&mut self.free).split_at_mut_checked(end) {
            Some((piece, rest)) => {
                self.free = rest;
                // SAFETY: `skip` bytes on, the piece is aligned for T and holds `count` of them. The borrow was split,
                // so nobody else sees these bytes, and a MaybeUninit<T> need not be initialised.
                Ok(unsafe { core::slice::from_raw_parts_mut(piece.as_mut_ptr().add(skip).cast(), count) })
            }
            None => Err(Error::new(Kind::ScratchTooSmall, NONE, available, end)),
        }
    }
}

/// Initialises every slot with `value`.
pub(crate) fn fill<T: Copy>(slots: &mut [MaybeUninit<T>], value: T) -> &mut [T] {
    slots.fill(MaybeUninit::new(value));
    // SAFETY: every slot was just written.
    unsafe { core::slice::from_raw_parts_mut(slots.as_mut_ptr().cast(), slots.len()) }
}

/// A vector of fixed capacity over scratch. Its invariant: the first `len` slots are initialised.
pub(crate) struct List<'a, T> {
    slots: &'a mut [MaybeUninit<T>],
    len: usize,
}

impl<'a, T: Copy> List<'a, T> {
    pub fn push(&mut self, item: T) {
        self.slots[self.len] = MaybeUninit::new(item);
        self.len += 1;
    }

    /// Puts `item` before the one at `position`, and moves those from there on by one.
    pub fn insert(&mut self, position: usize, item: T) {
        self.slots.copy_within(position..self.len, position + 1);
        self.slots[position] = MaybeUninit::new(item);
        self.len += 1;
    }

    /// Adds `item` if `keep` holds, without a branch: there must be room for it either way.
    #[inline]
    pub fn push_if(&mut self, item: T, keep: bool) {
        self.slots[self.len] = MaybeUninit::new(item);
        self.len += usize::from(keep);
    }

    /// Takes the last item.
    pub fn pop(&mut self) -> Option<T> {
        let last = self.last().copied()?;
        self.len -= 1;
        Some(last)
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Keeps the first `len` items.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// The items, for as long as the scratch is borrowed.
    pub fn into_slice(self) -> &'a mut [T] {
        // SAFETY: the invariant.
        unsafe { core::slice::from_raw_parts_mut(self.slots.as_mut_ptr().cast(), self.len) }
    }
}

impl<T> Deref for List<'_, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: the invariant.
        unsafe { core::slice::from_raw_parts(self.slots.as_ptr().cast(), self.len) }
    }
}

impl<T> DerefMut for List<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the invariant.
        unsafe { core::slice::from_raw_parts_mut(self.slots.as_mut_ptr().cast(), self.len) }
    }
}

/// `count` and `more`, but nothing where there is nothing.
pub(crate) fn and_more(count: usize, more: usize) -> usize {
    if count == 0 { 0 } else { count + more }
}

/// `sum of count x bytes`, rounded up to whole words; `usize::MAX` where that overflows.
pub(crate) fn size(parts: &[(usize, usize)]) -> usize {
    parts
        .iter()
        .try_fold(0usize, |sum, &(count, bytes)| sum.checked_add(count.checked_mul(bytes)?))
        .and_then(|sum| sum.checked_next_multiple_of(size_of::<u64>()))
        .unwrap_or(usize::MAX)
}

/// Refuses a count that 32-bit indices cannot number.
pub(crate) fn index_limit(count: usize) -> Result<(), Error> {
    match u32::try_from(count) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::new(Kind::TooMany, NONE, count, u32::MAX as usize)),
    }
}
