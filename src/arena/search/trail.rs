//! What was changed on the way to a node, newest last, so that it can be undone: a ring of bounded size.
//!
//! Invariant: the entries from `begin` to `end` are kept, older ones are forgotten. A search that must undo what is
//! forgotten gives up; on large inputs, which hardly ever need to, this bounds the memory.

use crate::error::Error;
use crate::scratch::{List, Scratch};

pub(super) struct Trail<'a, T> {
    /// Slots that were written at least once.
    ring: List<'a, T>,
    capacity: u64,
    begin: u64,
    end: u64,
}

impl<'a, T: Copy> Trail<'a, T> {
    /// With room for `capacity` entries, at least one.
    pub fn new(capacity: usize, scratch: &mut Scratch<'a>) -> Result<Trail<'a, T>, Error> {
        let capacity = capacity.max(1);
        Ok(Trail { ring: scratch.list(capacity)?, capacity: capacity as u64, begin: 0, end: 0 })
    }

    pub fn clear(&mut self) {
        (self.begin, self.end) = (0, 0);
    }

    pub fn mark(&self) -> u64 {
        self.end
    }

    pub fn remembers(&self, mark: u64) -> bool {
        mark >= self.begin
    }

    pub fn push(&mut self, entry: T) {
        match self.ring.get_mut((self.end % self.capacity) as usize) {
            Some(slot) => *slot = entry,
            // Slots are written in order, so the first unwritten one is next.
            None => self.ring.push(entry),
        }
        self.end += 1;
        self.begin = self.begin.max(self.end.saturating_sub(self.capacity));
    }

    /// Takes the newest entry if it is younger than the mark, which must be remembered.
    pub fn pop(&mut self, mark: u64) -> Option<T> {
        if self.end <= mark {
            return None;
        }
        self.end -= 1;
        Some(self.ring[(self.end % self.capacity) as usize])
    }
}
