//! Which of the free intervals a tensor gets.
//!
//! Windows are the free byte ranges; they are offered in ascending order, the last one, which has no upper end, at the
//! end. What counts of a window is its usable part, from the first aligned byte on.
//! Cost: a few instructions a window, without a branch on which one wins; a division if an alignment is no power of 2.

use core::hint::select_unpredictable as select;

use super::{Range, Tensor};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The smallest usable part that fits, the lowest on a tie; the last window only if no other fits: XNNPACK.
    Best,
    /// The lowest that fits: TFLite-Micro.
    First,
    /// As `Best`, but the last window ends at the highest end of all placed tensors and competes if the tensor fits
    /// below that. If none fits: the first aligned offset of the last window. MLIR's `best-fit`.
    BestBelowTop,
    /// The lowest that fits at or above the end of the tensor placed last: MLIR's `trivial`.
    Next,
}

pub(super) struct Choice {
    size: usize,
    stride: usize,
    /// Windows count from here on.
    floor: usize,
    /// Which bits of the slack are compared: all, or none where the lowest wins.
    compared: usize,
    /// What the chosen part has beyond the size, in these bits; `usize::MAX` before there is one.
    least: usize,
    begin: usize,
}

impl Choice {
    /// For a tensor that has bytes.
    pub fn new(tensor: &Tensor, fit: Fit, floor: usize) -> Choice {
        let compared = match fit {
            Fit::Best | Fit::BestBelowTop => usize::MAX,
            Fit::First | Fit::Next => 0,
        };
        Choice { size: tensor.size, stride: tensor.stride(), floor, compared, least: usize::MAX, begin: 0 }
    }

    /// Any window but the last; it may be too short.
    #[inline]
    pub fn offer(&mut self, window: Range) {
        let begin = self.usable_begin(window);
        let usable = window.end.saturating_sub(begin);
        // With a size of 1 and more the slack is below `usize::MAX`.
        let slack = usable.wrapping_sub(self.size) & self.compared;
        let is_better = (usable >= self.size) & (slack < self.least);
        self.least = select(is_better, slack, self.least);
        self.begin = select(is_better, begin, self.begin);
    }

    /// Whether no window further up can win.
    pub fn is_final(&self) -> bool {
        self.least == 0
    }

    /// What was chosen.
    pub fn chosen(&self) -> Option<usize> {
        (self.least < usize::MAX).then_some(self.begin)
    }

    /// What was chosen; else the usable begin of the last window, which begins at `last`, if the tensor fits there.
    pub fn or_last(&self, last: usize) -> Option<usize> {
        self.chosen().or_else(|| {
            let begin = align_up(last.max(self.floor), self.stride)?;
            (self.size <= usize::MAX - begin).then_some(begin)
        })
    }

    /// How many bytes the last window, which begins at `last`, has for the tensor.
    pub fn left(&self, last: usize) -> usize {
        align_up(last.max(self.floor), self.stride).map_or(0, |begin| usize::MAX - begin)
    }

    #[inline]
    fn usable_begin(&self, window: Range) -> usize {
        align_up(window.begin.max(self.floor), self.stride).unwrap_or(usize::MAX)
    }
}

/// The next multiple of `stride`, if there is one.
#[inline]
pub(super) fn align_up(byte: usize, stride: usize) -> Option<usize> {
    if stride.is_power_of_two() {
        return Some(byte.checked_add(stride - 1)? & !(stride - 1));
    }
    byte.checked_next_multiple_of(stride)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_final_at_the_lowest_window_that_fits_or_at_one_without_a_byte_too_many() {
        let tensor = Tensor { size: 4, alignment: 1, first_use: 0, last_use: 0 };
        let final_at = |fit: Fit, sizes: &[usize]| {
            let mut choice = Choice::new(&tensor, fit, 0);
            let is_final = |&size: &usize| {
                choice.offer(Range { begin: 0, end: size });
                choice.is_final()
            };
            sizes.iter().position(is_final)
        };
        for (fit, expected) in [(Fit::Best, 3), (Fit::BestBelowTop, 3), (Fit::First, 1), (Fit::Next, 1)] {
            assert_eq!(final_at(fit, &[3, 6, 5, 4]), Some(expected), "{fit:?}");
            assert_eq!(final_at(fit, &[3, 0]), None, "{fit:?}");
        }
    }
}
