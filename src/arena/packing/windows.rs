//! Where a tensor may lie: windows, and how they shrink.
//!
//! A window is a free byte range. A list of windows starts as the space that nobody reserved, and is narrowed step by
//! step by what is placed: by the gaps between blocks, or by blocks themselves.
//! Invariant: windows ascend, and bytes in use separate them. The last one ends at `usize::MAX` and stays even when it
//! is too short or empty; every other one has at least the bytes that were asked for. A shorter one may go at any step,
//! because each final window lies inside one window of each step; so those that remain have their true ends.
//! Cost: a step is linear in the windows and in what lies inside them; what lies between them is skipped by galloping.

use super::lifetimes::Lifetime;
use crate::arena::Range;

/// Where the space of every list of windows or gaps ends.
pub(super) const SPACE_END: usize = usize::MAX;

/// A placed tensor in a list that ascends by `begin`.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub begin: usize,
    pub end: usize,
    /// The highest end of this block and all before it in its list.
    pub top: usize,
    pub lifetime: Lifetime,
}

/// Two buffers; a step reads the windows in one and writes those that remain to the other.
pub(super) struct Windows<'a> {
    current: &'a mut [Range],
    next: &'a mut [Range],
    len: usize,
}

impl<'a> Windows<'a> {
    /// Each buffer holds a window for each block that a tensor can meet, one for each reserved range, the last one, and
    /// one that is written before it is known to be too short.
    pub fn new(current: &'a mut [Range], next: &'a mut [Range]) -> Windows<'a> {
        Windows { current, next, len: 0 }
    }

    pub fn as_slice(&self) -> &[Range] {
        &self.current[..self.len]
    }

    /// Starts with the parts of `space` at or above `floor`; `space` is a list as described above.
    pub fn start(&mut self, space: &[Range], floor: usize) {
        let above = skip(space, 0, |range| range.end <= floor).min(space.len().saturating_sub(1));
        let space = &space[above..];
        self.current[..space.len()].copy_from_slice(space);
        self.current[0].begin = self.current[0].begin.max(floor);
        self.len = space.len();
    }

    /// Starts with the space between `blocks`, which ascend by begin.
    pub fn start_between(&mut self, blocks: &[Range], size: usize) {
        let (mut len, mut top) = (0, 0);
        for block in blocks {
            self.current[len] = Range { begin: top, end: block.begin };
            len += usize::from(block.begin.saturating_sub(top) >= size);
            top = top.max(block.end);
        }
        self.current[len] = Range { begin: top, end: SPACE_END };
        self.len = len + 1;
    }

    /// Keeps what also lies in `gaps`, a list as described above.
    pub fn intersect(&mut self, gaps: &[Range], size: usize) {
        let (mut len, mut k) = (0, 0);
        for window in &self.current[..self.len] {
            k = skip(gaps, k, |gap| gap.end <= window.begin);
            while let Some(gap) = gaps.get(k)
                && gap.begin < window.end
            {
                let (begin, end) = (gap.begin.max(window.begin), gap.end.min(window.end));
                self.next[len] = Range { begin, end };
                len += usize::from(end - begin >= size);
                if gap.end >= window.end {
                    break;
                }
                k += 1;
            }
        }
        let last = |list: &[Range]| list.last().map_or(0, |range| range.begin);
        self.turn(len, last(&self.current[..self.len]).max(last(gaps)));
    }

    /// Cuts away the blocks whose lifetimes meet `lifetime`.
    pub fn exclude(&mut self, blocks: &[Block], lifetime: Lifetime, size: usize) {
        let (mut len, mut k, mut begin) = (0, 0, 0);
        for window in &self.current[..self.len] {
            k = skip(blocks, k, |block| block.top <= window.begin);
            begin = window.begin;
            for block in &blocks[k..] {
                if block.begin >= window.end || begin >= window.end {
                    break;
                }
                // No branch on whether they meet, which is hard to foretell: a block that does not meet ends at 0.
                let mask = usize::from(block.lifetime.meets(lifetime)).wrapping_neg();
                self.next[len] = Range { begin, end: block.begin };
                len += usize::from((block.begin & mask).saturating_sub(begin) >= size);
                begin = begin.max(block.end & mask);
            }
            self.next[len] = Range { begin, end: window.end };
            len += usize::from(window.end.saturating_sub(begin) >= size);
        }
        self.turn(len, begin);
    }

    /// Ends a step that wrote `len` windows: puts back the last one, which begins at `begin`, if it was too short.
    fn turn(&mut self, mut len: usize, begin: usize) {
        if len == 0 || self.next[len - 1].end < SPACE_END {
            self.next[len] = Range { begin, end: SPACE_END };
            len += 1;
        }
        core::mem::swap(&mut self.current, &mut self.next);
        self.len = len;
        debug_assert!(is_free_list(self.as_slice()));
    }
}

/// Whether ranges ascend, with used bytes between them, none but the last empty, and the last reaching the end.
pub(super) fn is_free_list(list: &[Range]) -> bool {
    let apart = list.windows(2).all(|pair| pair[0].begin < pair[0].end && pair[0].end < pair[1].begin);
    apart && list.last().is_some_and(|last| last.begin <= last.end && last.end == SPACE_END)
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
