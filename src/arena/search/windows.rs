//! Ranges of sections that no unplaced item leaves: each is packed on its own, the shorter first.
//!
//! Invariant: the current window and those that follow it by `then` hold all unplaced items. Windows lie on a stack and
//! are never changed, so going back means to drop the newest.

use core::cmp::Reverse;
use core::ops::Range;

use super::layout::Layout;
use super::state::NOBODY;
use crate::error::Error;
use crate::scratch::{List, Scratch};
use crate::sort::sort_by_key;

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
    /// Where the totals of its items lie: that of `first_item` at `totals`.
    pub totals: u32,
    pub first_item: u32,
}

impl Window {
    /// All sections.
    pub fn whole(sections: usize) -> Window {
        let last = sections as u32 - 1;
        Window { first: 0, last, then: DONE, level: 0, split: NOBODY, totals: 0, first_item: 0 }
    }
}

pub(super) struct Windows<'a> {
    stack: List<'a, Window>,
    /// The most units of the unplaced items in a section that an item is in.
    totals: List<'a, usize>,
    most_totals: usize,
    /// To compute them.
    records: &'a mut [u32],
}

/// What a place on both stacks is.
#[derive(Clone, Copy)]
pub(super) struct WindowMark {
    windows: u32,
    totals: u32,
}

/// Each placement splits at most once, and each window that it makes holds an item.
pub(super) fn most_windows(items: usize) -> usize {
    items.saturating_mul(2).saturating_add(2)
}

/// Room for the totals of all items at 32 splits, each of which halves a window.
pub(super) fn most_totals(items: usize) -> usize {
    items.saturating_mul(33)
}

impl<'a> Windows<'a> {
    pub fn new(items: usize, scratch: &mut Scratch<'a>) -> Result<Windows<'a>, Error> {
        Ok(Windows {
            stack: scratch.list(most_windows(items))?,
            totals: scratch.list(most_totals(items))?,
            most_totals: most_totals(items),
            records: scratch.filled(items, 0)?,
        })
    }

    pub fn get(&self, window: u32) -> Window {
        self.stack[window as usize]
    }

    pub fn mark(&self) -> WindowMark {
        WindowMark { windows: self.stack.len() as u32, totals: self.totals.len() as u32 }
    }

    pub fn release(&mut self, mark: WindowMark) {
        self.stack.truncate(mark.windows as usize);
        self.totals.truncate(mark.totals as usize);
    }

    pub fn clear(&mut self) {
        self.stack.clear();
        self.totals.clear();
    }

    /// The total of an item when its window was split off.
    pub fn total(&self, window: &Window, item: u32) -> usize {
        self.totals[(window.totals + (item - window.first_item)) as usize]
    }

    /// Splits the sections `first` to `last`, whose turn is before that of `then`, where no unplaced item crosses, and
    /// returns the first window. Windows without unplaced items are left out.
    pub fn split(&mut self, of: Window, layout: &Layout, crossing: &[u32], free: &[usize]) -> u32 {
        let Window { first, last, then, .. } = of;
        let base = self.stack.len();
        let mut begin = first;
        for s in first..=last {
            if s < last && crossing[s as usize] > 0 {
                continue;
            }
            if free[begin as usize..=s as usize].iter().any(|&free| free > 0) {
                let part = self.count(Window { first: begin, last: s, ..of }, layout, free);
                self.stack.push(part);
            }
            begin = s + 1;
        }
        let new = &mut self.stack[base..];
        // The last one of the stack comes first.
        sort_by_key(new, |window| (Reverse(window.last - window.first), window.first));
        for (before, window) in (base as u32..).zip(new.iter_mut().skip(1)) {
            window.then = before;
        }
        if new.is_empty() { then } else { (base + new.len() - 1) as u32 }
    }

    /// Computes the totals of a part, from right to left. Records are the sections that have more free units than all
    /// sections from the present one up to them, the nearest last: the most up to an item's end is at the farthest
    /// record that is not beyond it.
    fn count(&mut self, part: Window, layout: &Layout, free: &[usize]) -> Window {
        let items = layout.beginning(part.first, part.last);
        if self.totals.len() + items.len() > self.most_totals {
            return part;
        }
        let totals = self.totals.len();
        items.clone().for_each(|_| self.totals.push(0));
        let (mut begin, mut count) = (part.last + 1, 0);
        for (k, total) in items.clone().zip(&mut self.totals[totals..]).rev() {
            let shape = &layout.shapes[k as usize];
            while begin > shape.first {
                begin -= 1;
                let is_less = |s: &u32| free[*s as usize] <= free[begin as usize];
                count -= self.records[..count].iter().rev().take_while(|s| is_less(s)).count();
                self.records[count] = begin;
                count += 1;
            }
            let farthest = self.records[..count].partition_point(|&s| s > shape.last);
            *total = free[self.records[farthest] as usize];
        }
        Window { totals: totals as u32, first_item: items.start, ..part }
    }

    /// The items of a window.
    pub fn items(&self, layout: &Layout, window: u32) -> Range<u32> {
        let Window { first, last, .. } = self.get(window);
        layout.beginning(first, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Tensor;
    use crate::arena::random::Random;
    use crate::scratch::Word;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn the_total_of_an_item_is_the_most_free_units_of_a_section_that_it_is_in() {
        let mut random = Random(1);
        for n in (1..60).chain([300]) {
            let tensors: Vec<Tensor> = (0..n)
                .map(|_| {
                    let first_use = random.below(n) as usize;
                    let last_use = first_use + random.below(9) as usize;
                    Tensor { size: 1 + random.below(20) as usize, alignment: 1, first_use, last_use }
                })
                .collect();
            let mut words: Vec<u64> = Vec::with_capacity(1 << 18);
            let words: &mut [Word] = words.spare_capacity_mut();
            let mut scratch = Scratch::new(words);
            let layout = Layout::new(&tensors, &mut scratch).unwrap();
            let sections = layout.section_count();
            let (mut free, mut crossing) = (vec![0; sections], vec![0; sections]);
            for shape in layout.shapes {
                for s in shape.first..=shape.last {
                    free[s as usize] += shape.size;
                    crossing[s as usize] += u32::from(s < shape.last);
                }
            }
            let mut windows = Windows::new(layout.shapes.len(), &mut scratch).unwrap();
            let mut at = windows.split(Window::whole(sections), &layout, &crossing, &free);
            let mut seen = 0;
            while at != DONE {
                let window = windows.get(at);
                for k in windows.items(&layout, at) {
                    let shape = &layout.shapes[k as usize];
                    let most = free[shape.first as usize..=shape.last as usize].iter().max();
                    assert_eq!(Some(&windows.total(&window, k)), most);
                    seen += 1;
                }
                at = window.then;
            }
            assert_eq!(seen, n);
        }
    }
}
