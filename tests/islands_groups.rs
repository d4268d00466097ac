//! Grouping by label, against a stable sort.

use aether::islands::{Groups, Incidence, group_by_label, labels_of};
use aether::{Error, Kind, NONE};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

type Grouped = (usize, Vec<i32>, Vec<i32>, Vec<i32>, Vec<i32>);

fn group(labels: &[i32], label_count: usize) -> Result<Grouped, Error> {
    let (mut counts, mut starts) = (vec![7; label_count], vec![7; label_count]);
    let (mut order, mut inverse) = (vec![7; labels.len()], vec![7; labels.len()]);
    let groups = Groups { counts: &mut counts, starts: &mut starts, order: &mut order, inverse: &mut inverse };
    group_by_label(labels, groups).map(|labelled| (labelled, counts, starts, order, inverse))
}

fn slow_group(labels: &[i32], label_count: usize) -> Grouped {
    // -1 becomes the largest number.
    let mut order: Vec<i32> = (0..labels.len() as i32).collect();
    order.sort_by_key(|&item| labels[item as usize] as u32);
    let inverse = (0..labels.len() as i32).map(|item| order.iter().position(|&other| other == item).unwrap() as i32);
    let count = |label| labels.iter().filter(|&&other| other == label).count() as i32;
    let counts: Vec<i32> = (0..label_count as i32).map(count).collect();
    let starts = (0..label_count).map(|label| counts[..label].iter().sum()).collect();
    (counts.iter().sum::<i32>() as usize, counts, starts, order.clone(), inverse.collect())
}

#[test]
fn the_maps_of_an_abacus() {
    // Four degrees of freedom in two islands, the second in none.
    let want = (3, vec![1, 2], vec![0, 1], vec![0, 2, 3, 1], vec![0, 3, 1, 2]);
    assert_eq!(group(&[0, -1, 1, 1], 2), Ok(want));
}

#[test]
fn every_array_of_up_to_five_labels_is_grouped_as_a_stable_sort_does() {
    for length in 0..=5 {
        for k in 0..4_usize.pow(length) {
            let labels: Vec<i32> = (0..length).map(|i| (k / 4_usize.pow(i) % 4) as i32 - 1).collect();
            // With up to seven labels counters are bytes.
            for label_count in [3, 8] {
                assert_eq!(group(&labels, label_count), Ok(slow_group(&labels, label_count)), "{labels:?}");
            }
        }
    }
}

#[test]
fn many_items_are_grouped_as_a_stable_sort_does() {
    for seed in 0..200 {
        let mut random = StdRng::seed_from_u64(seed);
        let label_count = random.random_range(0..40);
        let labels: Vec<i32> = (0..random.random_range(0..500)).map(|_| random.random_range(-1..label_count)).collect();
        assert_eq!(group(&labels, label_count as usize), Ok(slow_group(&labels, label_count as usize)), "seed {seed}");
    }
}

#[test]
fn as_many_items_and_labels_as_bytes_count_and_one_more_are_grouped_as_a_stable_sort_does() {
    for (items, label_count) in [254, 255, 256].into_iter().flat_map(|items| [1, 6, 7, 8].map(|labels| (items, labels)))
    {
        for label in -1..label_count {
            // All of one label but the first and the last, which have each other.
            for other in -1..label_count {
                let mut labels = vec![label; items];
                (labels[0], labels[items - 1]) = (other, other);
                let label_count = label_count as usize;
                assert_eq!(
                    group(&labels, label_count),
                    Ok(slow_group(&labels, label_count)),
                    "{items} {label} {other}"
                );
            }
        }
    }
}

#[test]
fn order_and_inverse_need_not_be_wanted() {
    let labels = [1, -1, 0, 1];
    for (label_count, with_order, with_inverse) in
        [2, 8].into_iter().flat_map(|count| [(count, false, false), (count, true, false), (count, false, true)])
    {
        let (labelled, counts, starts, order, inverse) = group(&labels, label_count).unwrap();
        let (mut got_counts, mut got_starts) = (vec![9; label_count], vec![9; label_count]);
        let (mut got_order, mut got_inverse) = ([9; 4], [9; 4]);
        let groups = Groups {
            counts: &mut got_counts,
            starts: &mut got_starts,
            order: if with_order { &mut got_order } else { &mut [] },
            inverse: if with_inverse { &mut got_inverse } else { &mut [] },
        };
        assert_eq!(group_by_label(&labels, groups), Ok(labelled));
        assert_eq!((got_counts, got_starts), (counts, starts));
        assert_eq!(got_order.to_vec(), if with_order { order.clone() } else { vec![9; 4] });
        assert_eq!(got_inverse.to_vec(), if with_inverse { inverse.clone() } else { vec![9; 4] });
    }
}

#[test]
fn the_first_label_that_is_none_is_named_and_nothing_is_written() {
    for (label, got) in [(2, 2), (-2, usize::MAX - 1), (i32::MIN, i32::MIN as isize as usize), (i32::MAX, 0x7fff_ffff)]
    {
        let (mut counts, mut starts, mut order, mut inverse) = ([7; 2], [7; 2], [7; 3], [7; 3]);
        let groups = Groups { counts: &mut counts, starts: &mut starts, order: &mut order, inverse: &mut inverse };
        let error = Error { kind: Kind::Label, index: 1, other: NONE, got, limit: 2 };
        assert_eq!(group_by_label(&[-1, label, label], groups), Err(error));
        assert_eq!((counts, starts, order, inverse), ([7; 2], [7; 2], [7; 3], [7; 3]));
        // The same among as many items as bytes do not count.
        let mut many = [-1; 256];
        many[255] = label;
        let error = Error { index: 255, ..error };
        assert_eq!(group(&many, 2), Err(error));
    }
    let sentence = group(&[-3], 1).unwrap_err().to_string();
    assert_eq!(sentence, "item 0: there is no label -3, the label count is 1");
}

#[test]
fn arrays_of_another_length_are_refused() {
    let count = |got, limit| Err(Error { kind: Kind::Count, index: NONE, other: NONE, got, limit });
    let group = |starts: &mut [i32], order: &mut [i32], inverse: &mut [i32]| {
        group_by_label(&[0, 0], Groups { counts: &mut [0], starts, order, inverse })
    };
    assert_eq!(group(&mut [0; 2], &mut [], &mut []), count(2, 1));
    assert_eq!(group(&mut [0], &mut [0; 3], &mut []), count(3, 2));
    assert_eq!(group(&mut [0], &mut [0; 2], &mut [0]), count(1, 2));
    assert_eq!(labels_of(&[Incidence { a: 0, b: 0 }], &[0], &mut []).map(|()| 0), count(0, 1));
}

#[test]
fn the_label_of_an_incidence_is_that_of_an_end_that_has_one() {
    let incidences = [(-1, 0), (1, -1), (2, 0), (2, 2), (0, 2)].map(|(a, b)| Incidence { a, b });
    let mut found = [9; 5];
    assert_eq!(labels_of(&incidences, &[4, 5, -1], &mut found), Ok(()));
    assert_eq!(found, [4, 5, 4, -1, 4]);
    let error = Error { kind: Kind::IncidenceNode, index: 2, other: NONE, got: 2, limit: 2 };
    assert_eq!(labels_of(&incidences, &[4, 5], &mut found), Err(error));
}
