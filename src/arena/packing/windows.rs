//! Where a tensor may lie: windows, and how they shrink.
//!
//! A window is a free byte range. A list of windows starts as the space that nobody reserved, and is narrowed step by
//! step by what is placed: by the gaps between blocks, or by blocks themselves.
//! Invariant: windows ascend, and bytes in use separate them. The last one ends at `usize::MAX` and stays even when it
//! is too short or empty; every other one that a step leaves has the bytes that were asked for. A shorter one may go at
//! any step, because each final window lies inside one window of each step; so those that remain have their true ends.
//! Cost: a step is linear in the windows and in what lies inside them; what lies between them is skipped by galloping.

use core::hint::select_unpredictable as select;

use super::lifetimes::Lifetime;
use crate::arena::Range;
use crate::error::Error;
use crate::scratch::{List, Scratch};
use crate::sort::sort_by_key;

/// Where the space of every list of windows or gaps ends.
pub(super) const SPACE_END: usize = usize::MAX;

pub(super) const SPACE: Range = Range { begin: 0, end: SPACE_END };

/// A placed tensor in a list that ascends by `begin`.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub begin: usize,
    pub end: usize,
    /// The highest end of this block and all before it in its list.
    pub top: usize,
    pub lifetime: Lifetime,
}

/// Two lists; a step reads the windows in one and writes those that remain to the other.
pub(super) struct Windows<'a> {
    current: List<'a, Range>,
    next: List<'a, Range>,
}

impl<'a> Windows<'a> {
    /// For tensors that meet at most so many blocks, in a space of so many parts.
    pub fn new(blocks: usize, parts: usize, scratch: &mut Scratch<'a>) -> Result<Windows<'a>, Error> {
        // A window below each block and in each part, and one that is written before it is known to be too short.
        let capacity = blocks.saturating_add(parts).saturating_add(1);
        Ok(Windows { current: scratch.list(capacity)?, next: scratch.list(capacity)? })
    }

    pub fn as_slice(&self) -> &[Range] {
        &self.current
    }

    /// Starts with the parts of `space` at or above `floor`; `space` is a list as described above.
    pub fn start(&mut self, space: &[Range], floor: usize) {
        self.current.clear();
        let (last, others) = space.split_last().unwrap_or((&SPACE, &[]));
        let above = others.iter().filter(|range| range.end > floor).chain([last]);
        above.for_each(|range| self.current.push(Range { begin: range.begin.max(floor), end: range.end }));
    }

    /// The blocks that `add` adds, by begin; at most as many as this was made for.
    #[inline]
    pub fn gather(&mut self, add: impl FnOnce(&mut List<Range>)) -> &[Range] {
        self.next.clear();
        add(&mut self.next);
        sort_by_key(&mut self.next, |range| range.begin);
        &self.next
    }

    /// Starts with the space between the gathered blocks.
    pub fn start_between_gathered(&mut self, size: usize) {
        self.current.clear();
        let mut top = 0;
        for block in self.next.iter() {
            let window = Range { begin: top, end: block.begin };
            self.current.push_if(window, block.begin.saturating_sub(top) >= size);
            top = top.max(block.end);
        }
        self.current.push(Range { begin: top, end: SPACE_END });
    }

    /// Keeps what also lies in `gaps`, a list as described above.
    pub fn intersect(&mut self, gaps: &[Range], size: usize) {
        if gaps == [SPACE] {
            return;
        }
        self.next.clear();
        let mut k = 0;
        for &window in self.current.iter() {
            k = skip(gaps, k, |gap| gap.end <= window.begin);
            for &gap in &gaps[k..] {
                if gap.begin >= window.end {
                    break;
                }
                let (begin, end) = (gap.begin.max(window.begin), gap.end.min(window.end));
                self.next.push_if(Range { begin, end }, end - begin >= size);
                if gap.end >= window.end {
                    break;
                }
                k += 1;
            }
        }
        let last = |list: &[Range]| list.last().map_or(0, |range| range.begin);
        self.turn(last(&self.current).max(last(gaps)));
    }

    /// Cuts away the blocks whose lifetimes meet `lifetime`.
    pub fn exclude(&mut self, blocks: &[Block], lifetime: Lifetime, size: usize) {
        self.next.clear();
        let (mut k, mut begin) = (0, 0);
        for &window in self.current.iter() {
            k = skip(blocks, k, |block| block.top <= window.begin);
            begin = window.begin;
            for block in &blocks[k..] {
                if block.begin >= window.end {
                    break;
                }
                // Whether they meet is hard to foretell, so no branch asks: a block that does not meet is at 0.
                let meets = block.lifetime.meets(lifetime);
                let bytes = Range { begin: select(meets, block.begin, 0), end: select(meets, block.end, 0) };
                self.next.push_if(Range { begin, end: block.begin }, bytes.begin.saturating_sub(begin) >= size);
                begin = begin.max(bytes.end);
            }
            self.next.push_if(Range { begin, end: window.end }, window.end.saturating_sub(begin) >= size);
        }
        self.turn(begin);
    }

    /// Ends a step: puts back the last window, which begins at `begin`, if it was too short, and turns the lists over.
    fn turn(&mut self, begin: usize) {
        if self.next.last().is_none_or(|last| last.end < SPACE_END) {
            self.next.push(Range { begin, end: SPACE_END });
        }
        core::mem::swap(&mut self.current, &mut self.next);
        debug_assert!(is_free_list(&self.current));
    }
}

/// Whether ranges ascend, with used bytes between them, none but the last empty, and the last reaching the end.
pub(super) fn is_free_list(list: &[Range]) -> bool {
    let apart = list.windows(2).all(|pair| pair[0].begin < pair[0].end && pair[0].end < pair[1].begin);
    apart && list.last().is_some_and(|last| last.end == SPACE_END)
}

/// The first position from `from` on whose item is not `before`; such items precede all others. Few are skipped most of
/// the time: single steps, then doubling ones, then a binary search.
#[inline]
fn skip<T>(list: &[T], mut from: usize, before: impl Fn(&T) -> bool) -> usize {
    const SINGLE: usize = 12;
    let near = list.len().min(from + SINGLE);
    while from < near && before(&list[from]) {
        from += 1;
    }
    if from < near || from >= list.len() {
        return from;
    }
    let mut step = 8;
    while from + step < list.len() && before(&list[from + step]) {
        from += step;
        step *= 2;
    }
    let far = list.len().min(from + step);
    from + list[from..far].partition_point(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn range(begin: usize, end: usize) -> Range {
        Range { begin, end }
    }

    #[test]
    fn a_free_list_ascends_over_used_bytes_to_the_end_of_the_space() {
        assert!(is_free_list(&[SPACE]));
        assert!(is_free_list(&[range(0, 2), range(3, 5), range(6, SPACE_END)]));
        assert!(is_free_list(&[range(0, 2), range(SPACE_END, SPACE_END)]), "the last may be empty");
        assert!(!is_free_list(&[]));
        assert!(!is_free_list(&[range(0, 2)]));
        assert!(!is_free_list(&[range(0, 2), range(2, SPACE_END)]), "nothing in use between them");
        assert!(!is_free_list(&[range(3, 5), range(0, SPACE_END)]));
        assert!(!is_free_list(&[range(2, 2), range(3, SPACE_END)]), "empty");
    }

    #[test]
    fn a_list_above_a_floor_has_only_the_last_window_without_bytes() {
        let mut words: Vec<u64> = Vec::with_capacity(100);
        let mut windows = Windows::new(0, 3, &mut Scratch::new(words.spare_capacity_mut())).expect("scratch");
        let mut above = |floor| {
            windows.start(&[range(0, 2), range(5, 7), range(9, SPACE_END)], floor);
            windows.as_slice().to_vec()
        };
        assert_eq!(above(0), [range(0, 2), range(5, 7), range(9, SPACE_END)]);
        assert_eq!(above(1), [range(1, 2), range(5, 7), range(9, SPACE_END)]);
        assert_eq!(above(2), [range(5, 7), range(9, SPACE_END)]);
        assert_eq!(above(SPACE_END), [range(SPACE_END, SPACE_END)]);
    }

    #[test]
    fn what_comes_before_is_skipped_however_much_it_is() {
        let list: Vec<usize> = (0..100).collect();
        for from in 0..=100 {
            for first in 0..=100 {
                assert_eq!(skip(&list, from, |&item| item < first), from.max(first));
            }
        }
    }
}
