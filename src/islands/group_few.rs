//! The sort of [`super::group`] for few items of few labels: all its counters are the bytes of one word.
//!
//! Invariant: byte k is of label k and the uppermost one of -1, and none overflows, as there are at most 255 items.
//! Cost: two passes over the items, with `order` and `inverse` three; no counter is in memory.

use super::STATIC;

/// Counts of so many fit a byte.
pub(super) const MOST_ITEMS: usize = 255;

/// One byte is left for -1.
pub(super) const MOST_LABELS: usize = 7;

/// As [`super::group_by_label`], for arrays as long as they must be; `None` where a label is none.
#[inline(always)]
pub(super) fn sort(
    labels: &[i32],
    counts: &mut [i32],
    starts: &mut [i32],
    order: &mut [i32],
    inverse: &mut [i32],
) -> Option<usize> {
    let mut all = 0u64;
    for &label in labels {
        if !is_label(label, counts.len()) {
            return None;
        }
        all = all.wrapping_add(one(label));
    }
    // Byte k of the product is the sum of the bytes below k.
    let sums = all.wrapping_mul(0x0101_0101_0101_0100);
    let (mut rest, mut rest_of_sums) = (all, sums);
    for (count, start) in counts.iter_mut().zip(starts) {
        (*count, *start) = (i32::from(rest as u8), i32::from(rest_of_sums as u8));
        (rest, rest_of_sums) = (rest >> 8, rest_of_sums >> 8);
    }
    if !order.is_empty() {
        place(labels, sums, |item, at| order[at] = item as i32);
    }
    if !inverse.is_empty() {
        place(labels, sums, |item, at| inverse[item] = at as i32);
    }
    Some(byte(sums, STATIC))
}

/// Is it -1, or below the count? The label -1 is 0 here, and those below it are above all others.
pub(super) fn is_label(label: i32, label_count: usize) -> bool {
    label.wrapping_add(1) as u32 <= label_count as u32
}

/// Tells the place of each item. `next` has where the next item of each label goes.
#[inline(always)]
fn place(labels: &[i32], mut next: u64, mut put: impl FnMut(usize, usize)) {
    for (item, &label) in labels.iter().enumerate() {
        put(item, byte(next, label));
        next = next.wrapping_add(one(label));
    }
}

/// A one in the byte of a label; that of -1 is the uppermost, as a rotation counts modulo 64.
fn one(label: i32) -> u64 {
    1u64.rotate_left((label as u32).wrapping_mul(8))
}

/// The byte of a label.
fn byte(bytes: u64, label: i32) -> usize {
    usize::from(bytes.rotate_right((label as u32).wrapping_mul(8)) as u8)
}
