//! Sorting in place and over scratch, on a small and known stack.
//!
//! [`sort_by_key`] is a quicksort whose open parts lie in an array: the sorts of core recurse and take kilobytes of
//! stack.
//! [`by_key`] packs key and index into one number, so the order is total, and sorts many of them byte by byte.
//! [`counting_sort`] is stable and linear, for keys that are small numbers.
//! Source: Hoare 1961; Sedgewick, Implementing Quicksort Programs, 1978; Musser, Introspective Sorting, 1997.

use crate::error::Error;
use crate::scratch::Scratch;

/// The items by ascending key, equal keys by ascending item; at most `capacity` of them.
/// 20 bytes of scratch an item while it sorts, of which the 4 of the answer stay. O(n log n); linear for many items
/// whose keys leave the bits of an item free in 64.
pub(crate) fn by_key<'a>(
    items: impl Iterator<Item = u32> + Clone,
    capacity: usize,
    key: impl Fn(u32) -> usize,
    scratch: &mut Scratch<'a>,
) -> Result<&'a mut [u32], Error> {
    sorted(items, capacity, key, 0, scratch)
}

/// As [`by_key`], by descending key, equal keys by ascending item all the same.
pub(crate) fn by_descending_key<'a>(
    items: impl Iterator<Item = u32> + Clone,
    capacity: usize,
    key: impl Fn(u32) -> usize,
    scratch: &mut Scratch<'a>,
) -> Result<&'a mut [u32], Error> {
    sorted(items, capacity, key, usize::MAX, scratch)
}

/// By ascending `key ^ turned`.
fn sorted<'a>(
    items: impl Iterator<Item = u32> + Clone,
    capacity: usize,
    key: impl Fn(u32) -> usize,
    turned: usize,
    scratch: &mut Scratch<'a>,
) -> Result<&'a mut [u32], Error> {
    let mut sorted = scratch.list(capacity)?;
    let mut phase = scratch.phase();
    let bits = |all: (u64, u32), item| (all.0 | key(item) as u64, all.1 | item);
    let (all_keys, all_items) = items.clone().fold((0, 0), bits);
    let (key_bits, item_bits) = (u64::BITS - all_keys.leading_zeros(), u32::BITS - all_items.leading_zeros());
    if key_bits + item_bits <= u64::BITS {
        // The key above, the item below, in one number.
        let turned = turned as u64 & u64::MAX.checked_shr(u64::BITS - key_bits).unwrap_or(0);
        let item = |packed: u64| packed as u32 & u32::MAX.checked_shr(u32::BITS - item_bits).unwrap_or(0);
        let mut packed = phase.list(capacity)?;
        items.for_each(|item| packed.push((key(item) as u64 ^ turned) << item_bits | u64::from(item)));
        if packed.len() < VALUES || !TWO_FIT || packed.is_sorted() {
            sort(&mut packed, u64::lt);
            packed.iter().for_each(|&packed| sorted.push(item(packed)));
        } else {
            // Nothing is in the answer yet, so the counts are.
            (0..VALUES).for_each(|_| sorted.push(0));
            let spare = phase.filled(packed.len(), 0)?;
            let from = if packed.is_sorted_by_key(|&packed| item(packed)) { item_bits } else { 0 };
            let packed = sort_bytes(&mut packed, spare, from..key_bits + item_bits, &mut sorted);
            sorted.clear();
            packed.iter().for_each(|&packed| sorted.push(item(packed)));
        }
    } else {
        let mut pairs = phase.list(capacity)?;
        items.for_each(|item| pairs.push((key(item) ^ turned, item)));
        sort(&mut pairs, <(usize, u32)>::lt);
        pairs.iter().for_each(|&(_, item)| sorted.push(item));
    }
    Ok(sorted.into_slice())
}

/// Whether two arrays of numbers have the room of one of pairs, which is less where a key is narrow.
const TWO_FIT: bool = 2 * size_of::<u64>() <= size_of::<(usize, u32)>();

/// The values of a byte. As many items are sorted byte by byte: their answer has room for the counts.
const VALUES: usize = 256;

/// Sorts by these bits, and keeps the order of numbers that are equal there: a counting sort by each byte, from the
/// lowest on, to and fro between the two arrays. Returns the one that it ends in.
fn sort_bytes<'s>(
    numbers: &'s mut [u64],
    spare: &'s mut [u64],
    bits: core::ops::Range<u32>,
    counts: &mut [u32],
) -> &'s mut [u64] {
    let (mut from, mut to) = (numbers, spare);
    for shift in bits.step_by(8) {
        let byte = |number: u64| (number >> shift) as usize % VALUES;
        counts.fill(0);
        from.iter().for_each(|&number| counts[byte(number)] += 1);
        if counts.contains(&(from.len() as u32)) {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += core::mem::replace(count, next);
        }
        for &number in from.iter() {
            let at = &mut counts[byte(number)];
            to[*at as usize] = number;
            *at += 1;
        }
        core::mem::swap(&mut from, &mut to);
    }
    from
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
    sort(&mut triples, <(u64, u64, u32)>::lt);
    triples.iter().for_each(|&(_, _, item)| sorted.push(item));
    Ok(sorted.into_slice())
}

/// Sorts in place by ascending key; of two items with equal keys either may come first.
#[inline]
pub(crate) fn sort_by_key<T: Copy, K: PartialOrd>(items: &mut [T], key: impl Fn(&T) -> K) {
    let less = |a: &T, b: &T| key(a) < key(b);
    match items.len() {
        0..=FEW => insert_each(items, &less),
        _ => sort(items, less),
    }
}

/// Sorts in place; of two items of which neither is less either may come first.
///
/// Invariant: outside of the part at hand and those that wait everything is in its place. The longer half of a part
/// waits, so with k that wait the part at hand is at most a 2^k-th of all. A part is sorted by a heap once so many wait
/// that there is no room for one more, or after the work of 32 passes over all. O(n log n), and linear where all is
/// sorted.
fn sort<T: Copy>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    if items.is_sorted_by(|a, b| !less(b, a)) {
        return;
    }
    let mut waiting = [(0u32, 0u32); WAITING];
    let mut waiting_count = 0;
    let (mut begin, mut end) = (0, items.len());
    let mut work_left = 4 * items.len();
    loop {
        let part = &mut items[begin..end];
        if part.len() > FEW && work_left >= part.len() && waiting_count < WAITING {
            work_left -= part.len() / 8;
            let middle = begin + split(part, &less);
            let (short, long) = if middle - begin < end - middle {
                ((begin, middle), (middle + 1, end))
            } else {
                ((middle + 1, end), (begin, middle))
            };
            waiting[waiting_count] = (long.0 as u32, long.1 as u32);
            waiting_count += 1;
            (begin, end) = short;
            continue;
        }
        match part.len() {
            0..=FEW => insert_each(part, &less),
            _ => heap_sort(part, &less),
        }
        if waiting_count == 0 {
            return;
        }
        waiting_count -= 1;
        let (next_begin, next_end) = waiting[waiting_count];
        (begin, end) = (next_begin as usize, next_end as usize);
    }
}

/// As many parts wait at most: enough for a million items, and little stack where calls are deep already.
const WAITING: usize = 16;

/// As many items are sorted by insertion.
const FEW: usize = 20;

/// Moves what is less than some item before it and the rest behind, and tells where that item is then.
fn split<T: Copy>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) -> usize {
    let last = items.len() - 1;
    // The median of the first, the middle and the last item goes to the end.
    let (first, middle) = (0, last / 2);
    let is_less = |a: usize, b: usize| less(&items[a], &items[b]);
    let median = match (is_less(first, middle), is_less(middle, last), is_less(first, last)) {
        (true, true, _) | (false, false, _) => middle,
        (true, false, true) | (false, true, false) => last,
        _ => first,
    };
    items.swap(median, last);
    let pivot = items[last];
    // Every item is swapped, whether it is less or not, so that nothing has to be guessed.
    let mut less_count = 0;
    for i in 0..last {
        let item = items[i];
        items.swap(i, less_count);
        less_count += usize::from(less(&item, &pivot));
    }
    items.swap(less_count, last);
    less_count
}

fn insert_each<T: Copy>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    for i in 1..items.len() {
        let item = items[i];
        let mut at = i;
        while at > 0 && less(&item, &items[at - 1]) {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}

fn heap_sort<T: Copy>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    // First a heap of all is built from behind; then the largest goes to the end of what is left, again and again.
    for step in (0..items.len() + items.len() / 2).rev() {
        let (mut at, heap) = match step.checked_sub(items.len()) {
            Some(root) => (root, items.len()),
            None => {
                items.swap(0, step);
                (0, step)
            }
        };
        loop {
            let left = 2 * at + 1;
            let child = left + usize::from(left + 1 < heap && less(&items[left], &items[left + 1]));
            if child >= heap || !less(&items[at], &items[child]) {
                break;
            }
            items.swap(at, child);
            at = child;
        }
    }
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
    use super::{FEW, WAITING, by_descending_key, by_key, counting_sort, heap_sort, sort, sort_by_key, split};
    use crate::scratch::Scratch;
    use std::cell::{Cell, RefCell};
    use std::vec;
    use std::vec::Vec;

    /// Numbers of 31 bits.
    fn random() -> impl FnMut() -> u64 {
        let mut state = 1u64;
        move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        }
    }

    #[test]
    fn every_list_of_up_to_seven_small_numbers_is_sorted() {
        for count in 0..=7u32 {
            for code in 0..4u32.pow(count) {
                let list: Vec<u32> = (0..count).map(|digit| code >> (2 * digit) & 3).collect();
                let mut expected = list.clone();
                expected.sort();
                let (mut found, mut by_heap) = (list.clone(), list.clone());
                sort(&mut found, |a, b| a < b);
                heap_sort(&mut by_heap, &|a, b| a < b);
                assert_eq!((&found, &by_heap), (&expected, &expected));
            }
        }
    }

    #[test]
    fn few_items_are_inserted_at_once_each_before_those_with_a_larger_key() {
        for count in 1..=FEW {
            let comparisons = |mut items: Vec<usize>| {
                let asked = Cell::new(0);
                sort_by_key(&mut items, |&item| {
                    asked.set(asked.get() + 1);
                    item
                });
                assert!(items.is_sorted());
                asked.get() / 2
            };
            assert_eq!(comparisons((0..count).collect()), count - 1);
            assert_eq!(comparisons(vec![7; count]), count - 1);
            assert_eq!(comparisons((0..count).rev().collect()), count * (count - 1) / 2);
        }
    }

    #[test]
    fn a_split_brings_the_median_of_three_items_to_its_place() {
        for count in 1..=6u32 {
            for code in 0..4u32.pow(count) {
                let list: Vec<u32> = (0..count).map(|digit| code >> (2 * digit) & 3).collect();
                let last = count as usize - 1;
                let mut three = [list[0], list[last / 2], list[last]];
                three.sort();
                let mut found = list.clone();
                let middle = split(&mut found, &|a, b| a < b);
                assert_eq!(found[middle], three[1], "{list:?}");
                assert!(found[..middle].iter().all(|&item| item < three[1]), "{list:?}");
                assert!(found[middle..].iter().all(|&item| item >= three[1]), "{list:?}");
                found.sort();
                let mut expected = list.clone();
                expected.sort();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn items_in_no_order_take_hardly_more_comparisons_than_halvings() {
        const COUNT: u64 = 1 << 14;
        // A heap would take twice as many, and heaps in place of insertions more than a sixth more.
        let mut random = random();
        let mut items: Vec<u64> = (0..COUNT).map(|_| random()).collect();
        let asked = Cell::new(0);
        sort(&mut items, |a, b| {
            asked.set(asked.get() + 1);
            a < b
        });
        assert!(items.is_sorted());
        assert!(asked.get() < 14 * COUNT * 7 / 6, "{}", asked.get());
    }

    #[test]
    fn long_lists_of_every_kind_are_sorted_as_by_core() {
        let mut next = random();
        for count in [21, 22, 64, 1000, 5000] {
            for kinds in [1, 2, 10, u64::MAX] {
                let random: Vec<u64> = (0..count).map(|_| next() % kinds).collect();
                let mut rising = random.clone();
                rising.sort();
                let falling: Vec<u64> = rising.iter().rev().copied().collect();
                let pipe: Vec<u64> = rising.iter().step_by(2).chain(falling.iter().step_by(2)).copied().collect();
                for list in [random, rising, falling, pipe] {
                    let mut expected = list.clone();
                    expected.sort();
                    let (mut found, mut by_heap) = (list.clone(), list.clone());
                    sort(&mut found, |a, b| a < b);
                    heap_sort(&mut by_heap, &|a, b| a < b);
                    assert_eq!((&found, &by_heap), (&expected, &expected));
                }
            }
        }
    }

    #[test]
    fn what_has_no_room_to_wait_is_sorted_by_a_heap() {
        // Each part falls into halves, of which the first, shorter by one, is next; with no room left, it has 31 items.
        let count = 32 << WAITING;
        let mut items: Vec<u32> = (0..count).collect();
        items.swap(0, 1);
        sort(&mut items, |a, b| a < b);
        assert!(items.iter().copied().eq(0..count));
    }

    /// Sorts against the opponent of McIlroy, A Killer Adversary for Quicksort, 1999: it makes up the items while they
    /// are compared, so that hardly any is below the one that splits a part, or above it. Returns the comparisons.
    fn sort_against_opponent(count: usize, is_below: bool) -> usize {
        const UNKNOWN: usize = usize::MAX;
        let (ranks, known, candidate) = (RefCell::new(vec![UNKNOWN; count]), Cell::new(0), Cell::new(0));
        let asked = Cell::new(0);
        let less = |&a: &usize, &b: &usize| {
            asked.set(asked.get() + 1);
            let mut ranks = ranks.borrow_mut();
            if ranks[a] == UNKNOWN && ranks[b] == UNKNOWN {
                ranks[if a == candidate.get() { a } else { b }] = known.get();
                known.set(known.get() + 1);
            }
            candidate.set(if ranks[a] == UNKNOWN { a } else { b });
            if is_below { ranks[a] < ranks[b] } else { ranks[a] > ranks[b] }
        };
        let mut items: Vec<usize> = (0..count).collect();
        // The first look would find them in order.
        items.swap(0, 1);
        sort(&mut items, less);
        let ranks = ranks.into_inner();
        assert!(items.is_sorted_by_key(|&item| if is_below { ranks[item] } else { UNKNOWN - ranks[item] }));
        asked.get()
    }

    #[test]
    fn no_opponent_makes_it_quadratic() {
        const COUNT: usize = 20_000;
        for is_below in [true, false] {
            let asked = sort_against_opponent(COUNT, is_below);
            // 32 passes, and two questions an item for each of the 15 levels of a heap.
            assert!(asked < (1 + 32 + 2 * 15) * COUNT, "{asked}");
        }
    }

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
    fn many_items_are_sorted_as_by_core_whatever_their_order() {
        for count in [255u32, 256, 1000] {
            for large in [1, 300, 1 << 20, usize::MAX >> 12, usize::MAX] {
                for step in [1, 7, count - 1] {
                    // 7 and count - 1 have no common factor with any count here but 1.
                    let items: Vec<u32> = (0..count).map(|i| i * step % count).collect();
                    let key = |item: u32| (item as usize).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize) % large;
                    let mut expected: Vec<u32> = (0..count).collect();
                    expected.sort_by_key(|&item| key(item));
                    let mut words: Vec<u64> = Vec::with_capacity(3 * count as usize);
                    let mut scratch = Scratch::new(words.spare_capacity_mut());
                    let found = by_key(items.iter().copied(), items.len(), key, &mut scratch).expect("scratch");
                    assert_eq!(found, expected, "{count} {large} {step}");
                    expected.sort_by_key(|&item| (core::cmp::Reverse(key(item)), item));
                    let mut scratch = Scratch::new(words.spare_capacity_mut());
                    let found = by_descending_key(items.iter().copied(), items.len(), key, &mut scratch);
                    assert_eq!(found.expect("scratch"), expected, "{count} {large} {step}");
                }
            }
        }
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
