//! Which of the free intervals a tensor gets.

/// Of an interval counts its usable part: from the first aligned offset to its end. The last interval, above
/// everything that the tensor must not share bytes with, has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The smallest usable part that fits, the lowest on a tie; the last interval only if no other fits: XNNPACK.
    Best,
    /// The lowest that fits: TFLite-Micro.
    First,
    /// As `Best`, but the last interval ends at the highest end of all placed tensors and competes if the tensor fits
    /// below that. If none fits: the first aligned offset of the last interval. MLIR's `best-fit`.
    BestBelowTop,
    /// The lowest that fits at or above the end of the tensor placed last: MLIR's `trivial`.
    Next,
}
