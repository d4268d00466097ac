//! Ranges of sections that no unplaced item leaves: each is packed on its own, the shorter first.
//!
//! Invariant: the current window and those that follow it by `then` hold all unplaced items. Windows lie on a stack and
//! are never changed, so going back means to drop the newest.

use core::ops::Range;

use super::layout::Layout;
use crate::error::Error;
use crate::scratch::{List, Scratch};

/// The name of no window.
pub(super) const DONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub(super) struct Window {
    /// Sections, last inclusive.
    pub first: u32,
    pub last: u32,
    /// The one that is packed after it.
    pub then: u32,
    /// The level and the last decision when it was split off.
    pub level: usize,
    pub split: u32,
}

pub(super) struct Windows<'a> {
    stack: List<'a, Window>,
}

/// Each placement splits at most once, and each window that it makes holds an item.
pub(super) fn most_windows(items: usize) -> usize {
    items.saturating_mul(2).saturating_add(2)
}

impl<'a> Windows<'a> {
    pub fn new(items: usize, scratch: &mut Scratch<'a>) -> Result<Windows<'a>, Error> {
        Ok(Windows { stack: scratch.list(most_windows(items))? })
    }

    pub fn get(&self, window: u32) -> Window {
        self.stack[window as usize]
    }

    pub fn mark(&self) -> u32 {
        self.stack.len() as u32
    }

    pub fn release(&mut self, mark: u32) {
        self.stack.truncate(mark as usize);
    }

    /// Splits the sections `first` to `last`, whose turn is before that of `then`, where no unplaced item crosses, and
    /// returns the first window. Windows without unplaced items are left out.
    pub fn split(&mut self, of: Window, crossing: &[u32], free: &[usize]) -> u32 {
        let Window { first, last, then, level, split } = of;
        let base = self.stack.len();
        let mut begin = first;
        for s in first..=last {
            if s < last && crossing[s as usize] > 0 {
                continue;
            }
            if free[begin as usize..=s as usize].iter().any(|&free| free > 0) {
                self.stack.push(Window { first: begin, last: s, then, level, split });
            }
            begin = s + 1;
        }
        let new = &mut self.stack[base..];
        // The last one of the stack comes first.
        new.sort_unstable_by_key(|window| (core::cmp::Reverse(window.last - window.first), window.first));
        for w in 1..new.len() {
            new[w].then = (base + w - 1) as u32;
        }
        if new.is_empty() { then } else { (base + new.len() - 1) as u32 }
    }

    /// The items of a window.
    pub fn items(&self, layout: &Layout, window: u32) -> Range<u32> {
        let Window { first, last, .. } = self.get(window);
        layout.beginning(first, last)
    }
}
