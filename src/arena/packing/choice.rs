//! The rule by which a tensor gets one of the windows that are free for it.
//!
//! Windows are offered in ascending order, the last one, which has no upper end, at the end. What counts of a window is
//! its usable part, from the first aligned byte on.
//! Cost: a few instructions a window, without a branch on which one wins; a division if an alignment is no power of 2.

use core::hint::select_unpredictable as select;

use super::windows::SPACE_END;
use crate::arena::fit::Fit;
use crate::arena::{Range, Tensor};

pub(super) struct Choice {
    size: usize,
    stride: usize,
    /// Windows count from here on.
    floor: usize,
    /// Which bits of the lengths are compared: all, or none where the lowest wins.
    compared: usize,
    /// The length of the chosen part, in these bits; `usize::MAX` before there is one.
    least: usize,
    begin: usize,
}

impl Choice {
    pub fn new(tensor: &Tensor, fit: Fit, floor: usize) -> Choice {
        let compared = match fit {
            Fit::Best | Fit::BestBelowTop => usize::MAX,
            Fit::First | Fit::Next => 0,
        };
        Choice { size: tensor.size, stride: tensor.stride(), floor, compared, least: usize::MAX, begin: 0 }
    }

    /// A window that has an upper end below `usize::MAX`; it may be too short.
    #[inline]
    pub fn offer(&mut self, window: Range) {
        let begin = self.usable_begin(window);
        let usable = window.end.saturating_sub(begin);
        let compared = usable & self.compared;
        let is_better = (usable >= self.size) & (compared < self.least);
        self.least = select(is_better, compared, self.least);
        self.begin = select(is_better, begin, self.begin);
    }

    /// What was chosen; else the usable begin of the last window, if the tensor fits there.
    pub fn or_last(&self, last: Range) -> Option<usize> {
        if self.least < usize::MAX {
            return Some(self.begin);
        }
        let begin = align_up(last.begin.max(self.floor), self.stride)?;
        (self.size <= SPACE_END - begin).then_some(begin)
    }

    /// How many bytes the last window has for the tensor.
    pub fn left(&self, last: Range) -> usize {
        SPACE_END - self.usable_begin(last)
    }

    /// Whether the tensor may lie at its hint. Free bytes that are enough for it lie in one window.
    pub fn is_welcome(&self, hint: usize, limit: usize, windows: &[Range]) -> bool {
        let end = hint.checked_add(self.size).filter(|&end| end <= limit);
        let is_free = |end| windows.iter().any(|window| window.begin <= hint && end <= window.end);
        hint.is_multiple_of(self.stride) && end.is_some_and(is_free)
    }

    #[inline]
    fn usable_begin(&self, window: Range) -> usize {
        align_up(window.begin.max(self.floor), self.stride).unwrap_or(SPACE_END)
    }
}

/// The next multiple of `stride`, if there is one.
#[inline]
fn align_up(byte: usize, stride: usize) -> Option<usize> {
    if stride.is_power_of_two() {
        return Some(byte.checked_add(stride - 1)? & !(stride - 1));
    }
    byte.checked_next_multiple_of(stride)
}
