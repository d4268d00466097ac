//! Conflict sets: which decisions on the path explain a failure. A decision is named by its depth.
//!
//! One set is current, that of the last failure. The sets of exclusions lie on a stack, in the order of the nodes that
//! made them, so those of one node are a range of it. A set that finds no room there counts as all depths, which is
//! always right: it only forgoes jumps.

use crate::error::Error;
use crate::scratch::{List, Scratch};

/// The name of no set.
pub(super) const NO_SET: u32 = u32::MAX;
/// The name of every set that found no room.
const ALL: u32 = u32::MAX - 1;

pub(super) struct Conflicts<'a> {
    current: &'a mut [u64],
    stack: List<'a, u64>,
    capacity: usize,
}

fn words(items: usize) -> usize {
    items / 64 + 1
}

/// The numbers of 64 bits that sets take: two sets an item, at most four thousand, and the current one.
pub(super) fn set_words(items: usize) -> usize {
    words(items).saturating_mul(items.saturating_mul(2).min(4096) + 1)
}

impl<'a> Conflicts<'a> {
    pub fn new(items: usize, scratch: &mut Scratch<'a>) -> Result<Conflicts<'a>, Error> {
        let capacity = set_words(items) - words(items);
        Ok(Conflicts { current: scratch.filled(words(items), 0)?, stack: scratch.list(capacity)?, capacity })
    }

    /// How many words the stack holds; a mark for [`release`](Self::release).
    pub fn mark(&self) -> u32 {
        self.stack.len() as u32
    }

    pub fn release(&mut self, mark: u32) {
        self.stack.truncate(mark as usize);
    }

    pub fn clear(&mut self) {
        self.current.fill(0);
    }

    pub fn has(&self, depth: u32) -> bool {
        self.current[depth as usize / 64] >> (depth % 64) & 1 != 0
    }

    pub fn add(&mut self, depth: u32) {
        self.current[depth as usize / 64] |= 1 << (depth % 64);
    }

    pub fn remove(&mut self, depth: u32) {
        self.current[depth as usize / 64] &= !(1 << (depth % 64));
    }

    /// Adds every depth.
    pub fn add_all(&mut self) {
        self.current.fill(u64::MAX);
    }

    /// Adds the depths from 0 to `depth`.
    pub fn add_up_to(&mut self, depth: u32) {
        let word = depth as usize / 64;
        self.current[..word].fill(u64::MAX);
        self.current[word] |= u64::MAX >> (63 - depth % 64);
    }

    pub fn is_lost(&self, name: u32) -> bool {
        name == ALL
    }

    /// Puts the current set on the stack, and names it.
    pub fn save(&mut self) -> u32 {
        if self.capacity - self.stack.len() < self.current.len() {
            return ALL;
        }
        let name = self.stack.len() as u32;
        self.current.iter().for_each(|&word| self.stack.push(word));
        name
    }

    pub fn add_saved(&mut self, name: u32) {
        match name {
            NO_SET => {}
            ALL => self.add_all(),
            _ => {
                let saved = &self.stack[name as usize..][..self.current.len()];
                self.current.iter_mut().zip(saved).for_each(|(word, saved)| *word |= saved);
            }
        }
    }

    /// Adds all sets above the mark.
    pub fn add_since(&mut self, mark: u32) {
        for set in self.stack[mark as usize..].chunks_exact(self.current.len()) {
            self.current.iter_mut().zip(set).for_each(|(word, saved)| *word |= saved);
        }
    }
}
