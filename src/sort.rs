//! Sorting indices over scratch.
//!
//! [`by_key`] sorts pairs of key and index, so the order is total and one instance of the sort serves every key.
//! [`counting_sort`] is stable and linear, for keys that are small numbers.

use crate::error::Error;
use crate::scratch::Scratch;

/// The items by ascending key, equal keys by ascending item; at most `capacity` of them.
/// O(n log n); 20 bytes of scratch an item while it sorts, of which the 4 of the answer stay. Keys that leave the bits
/// of an item free in 64 are sorted in half the time.
pub(crate) fn by_key<'a>(
    items: impl Iterator<Item = u32> + Clone,
    capacity: usize,
    key: impl Fn(u32) -> usize,
    scratch: &mut Scratch<'a>,
) -> Result<&'a mut [u32], Error> {
    sorted(items, capacity, key, false, scratch)
}

/// As [`by_key`], by descending key, equal keys by ascending item all the same.
pub(crate) fn by_descending_key<'a>(
    items: impl Iterator<Item = u32> + Clone,
    capacity: usize,
    key: impl Fn(u32) -> usize,
    scratch: &mut Scratch<'a>,
) -> Result<&'a mut [u32], Error> {
    sorted(items, capacity, key, true, scratch)
}

fn sorted<'a>(
    items: impl Iterator<Item = u32> + Clone,
    capacity: usize,
    key: impl Fn(u32) -> usize,
    descending: bool,
    scratch: &mut Scratch<'a>,
) -> Result<&'a mut [u32], Error> {
    let mut sorted = scratch.list(capacity)?;
    let mut phase = scratch.phase();
    let (bits_of_keys, bits_of_items) =
        items.clone().fold((0, 0), |(keys, of_items), item| (keys | key(item) as u64, of_items | item));
    let item_bits = u32::BITS - bits_of_items.leading_zeros();
    // What is sorted ascending and read backwards descends; so then do the items, unless they are turned around too.
    let turned = if descending { bits_below(item_bits) } else { 0 };
    let mut read = |item: u32| sorted.push(item ^ turned);
    if bits_of_keys.leading_zeros() >= item_bits {
        // The key above, the item below, in one number.
        let mut packed = phase.list(capacity)?;
        items.for_each(|item| packed.push((key(item) as u64) << item_bits | u64::from(item ^ turned)));
        packed.sort_unstable();
        let item = |packed: &u64| *packed as u32 & bits_below(item_bits);
        match descending {
            false => packed.iter().map(item).for_each(&mut read),
            true => packed.iter().rev().map(item).for_each(&mut read),
        }
    } else {
        let mut pairs = phase.list(capacity)?;
        items.for_each(|item| pairs.push((key(item), item ^ turned)));
        pairs.sort_unstable();
        match descending {
            false => pairs.iter().for_each(|&(_, item)| read(item)),
            true => pairs.iter().rev().for_each(|&(_, item)| read(item)),
        }
    }
    Ok(sorted.into_slice())
}

/// As [`by_key`], for keys of 128 bits. 28 bytes of scratch an item while it sorts.
pub(crate) fn by_wide_key<'a>(
    items: impl Iterator<Item = u32>,
    capacity: usize,
    key: impl Fn(u32) -> u128,
    scratch: &mut Scratch<'a>,
) -> Result<&'a mut [u32], Error> {
    let mut sorted = scratch.list(capacity)?;
    let mut phase = scratch.phase();
    let mut triples = phase.list(capacity)?;
    items.for_each(|item| {
        let key = key(item);
        triples.push(((key >> 64) as u64, key as u64, item));
    });
    triples.sort_unstable();
    triples.iter().for_each(|&(_, _, item)| sorted.push(item));
    Ok(sorted.into_slice())
}

fn bits_below(bits: u32) -> u32 {
    u32::MAX.checked_shr(u32::BITS - bits).unwrap_or(0)
}

/// Writes the items to `sorted` by ascending key, equal keys in the order of the items, and returns through `starts`
/// where each key begins: key k at `starts[k]..starts[k + 1]`. Keys are below `starts.len() - 1`. Linear.
pub(crate) fn counting_sort<I>(items: I, key: impl Fn(u32) -> u32, starts: &mut [u32], sorted: &mut [u32])
where
    I: Iterator<Item = u32> + Clone,
{
    starts.fill(0);
    for item in items.clone() {
        starts[key(item) as usize] += 1;
    }
    // From counts to starts. Placing the items moves each start to the end of its key.
    let mut next = 0;
    for start in starts.iter_mut() {
        next += core::mem::replace(start, next);
    }
    for item in items {
        let at = &mut starts[key(item) as usize];
        sorted[*at as usize] = item;
        *at += 1;
    }
    // The end of a key is the start of the next one.
    if let Some(last) = starts.len().checked_sub(1) {
        starts.copy_within(..last, 1);
        starts[0] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{by_descending_key, by_key, counting_sort};
    use crate::scratch::Scratch;
    use std::vec::Vec;

    #[test]
    fn keys_of_any_width_ascend_and_equal_ones_keep_their_order() {
        let sorted = |items: &[u32], keys: &[usize]| {
            let mut words: Vec<u64> = Vec::with_capacity(64);
            let mut scratch = Scratch::new(words.spare_capacity_mut());
            let key = |item| keys[item as usize % keys.len()];
            by_key(items.iter().copied(), items.len(), key, &mut scratch).expect("scratch").to_vec()
        };
        for large in [0, 7, usize::MAX >> 3, usize::MAX >> 2, usize::MAX] {
            // Three bits number the items; a key may leave them free in 64 or not.
            assert_eq!(
                sorted(&[0, 1, 2, 3, 4], &[large, 1, large, 0, 1]),
                match large {
                    0 => [0, 2, 3, 1, 4],
                    _ => [3, 1, 4, 0, 2],
                }
            );
        }
        assert_eq!(sorted(&[u32::MAX, 5], &[1]), [5, u32::MAX]);
        assert_eq!(sorted(&[u32::MAX, 5], &[usize::MAX]), [5, u32::MAX]);
        assert_eq!(sorted(&[0], &[usize::MAX]), [0]);
        assert_eq!(sorted(&[], &[1]), [0; 0]);
    }

    #[test]
    fn descending_keys_keep_the_order_of_equal_ones_too() {
        for large in [7, usize::MAX >> 2, usize::MAX] {
            let keys = [large, 1, large, 0, 1];
            let mut words: Vec<u64> = Vec::with_capacity(64);
            let mut scratch = Scratch::new(words.spare_capacity_mut());
            let sorted = by_descending_key(0..5, 5, |item| keys[item as usize], &mut scratch).expect("scratch");
            assert_eq!(sorted, [0, 2, 1, 4, 3]);
        }
    }

    #[test]
    fn equal_keys_keep_their_order_and_starts_delimit_each_key() {
        let keys = [2, 0, 2, 1, 0];
        let (mut starts, mut sorted) = ([9; 5], [9; 5]);
        counting_sort(0..5, |item| keys[item as usize], &mut starts, &mut sorted);
        assert_eq!(sorted, [1, 4, 3, 0, 2]);
        assert_eq!(starts, [0, 2, 3, 5, 5]);
    }

    #[test]
    fn no_items_give_empty_keys() {
        let mut starts = [9; 3];
        counting_sort(0..0, |_| 0, &mut starts, &mut []);
        assert_eq!(starts, [0, 0, 0]);
    }
}
