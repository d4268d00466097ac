//! The plan against two other planners, on inputs of every shape: XNNPACK's in a form faithful to the original, and a
//! direct form of the rule for all alignments and sizes.

#[path = "../benches/reference/flat.rs"]
mod flat;
#[path = "../benches/reference/xnnpack.rs"]
mod xnnpack;

use aether::arena::{self, Plan, Tensor};
use aether::{Error, Kind};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use xnnpack::{Usage, Version};

fn plan(tensors: &[Tensor]) -> Result<(Vec<usize>, Plan), Error> {
    let mut words = Vec::with_capacity(arena::plan_offsets_scratch_size(tensors.len()) / 8);
    arena::plan_offsets(tensors, words.spare_capacity_mut()).map(|(offsets, plan)| (offsets.to_vec(), plan))
}

fn random_count(rng: &mut StdRng, round: usize) -> usize {
    // Mostly small; now and then so many that gaps are kept in a tree.
    match round % 50 {
        0 => rng.random_range(129..=900),
        1..=5 => rng.random_range(61..=300),
        _ => rng.random_range(0..=60),
    }
}

/// Lifetimes that touch, nest, coincide, last for one node or for ever, in the order of their first uses or not.
fn random_lifetimes(rng: &mut StdRng, count: usize) -> Vec<(usize, usize)> {
    let nodes = rng.random_range(1..=3 * count.max(1));
    let longest = [1, 2, 1 + nodes / 20, nodes][rng.random_range(0..4)];
    let for_ever = [0.0, 0.1, 0.5][rng.random_range(0..3)];
    let mut lifetimes: Vec<(usize, usize)> = (0..count)
        .map(|i| match rng.random_bool(for_ever) {
            true => (0, nodes - 1),
            false => {
                let first = if longest == 2 { i % nodes } else { rng.random_range(0..nodes) };
                (first, (first + rng.random_range(0..longest)).min(nodes - 1))
            }
        })
        .collect();
    if rng.random() {
        lifetimes.sort_unstable();
    }
    lifetimes
}

#[test]
fn ten_thousand_random_plans_are_those_of_xnnpack() {
    let mut rng = StdRng::seed_from_u64(11);
    for round in 0..10_000 {
        let count = random_count(&mut rng, round);
        let largest = [1, 4, 1_000, 1 << 40][rng.random_range(0..4)];
        let lifetimes = random_lifetimes(&mut rng, count);
        let tensor =
            |(first_use, last_use)| Tensor { size: rng.random_range(0..=largest), alignment: 1, first_use, last_use };
        let tensors: Vec<Tensor> = lifetimes.into_iter().map(tensor).collect();
        let usages: Vec<Usage> = tensors.iter().map(|t| Usage::new(t.size, t.first_use, t.last_use)).collect();
        let (offsets, numbers) = plan(&tensors).expect("a plan");
        let (expected, arena) = xnnpack::plan(&usages, Version::After10801);
        assert_eq!(offsets, expected, "round {round}");
        assert_eq!(numbers.arena_size, arena, "round {round}");
    }
}

#[test]
fn ten_thousand_random_plans_at_every_alignment_and_size_are_those_of_the_direct_form() {
    const ALIGNMENTS: [usize; 9] = [0, 1, 2, 3, 4, 7, 12, 16, 64];
    let mut rng = StdRng::seed_from_u64(12);
    let (mut overflows, mut full) = (0, 0);
    for round in 0..10_000 {
        let count = random_count(&mut rng, round);
        let lifetimes = random_lifetimes(&mut rng, count);
        let few_alignments = rng.random_range(1..=ALIGNMENTS.len());
        let scale = [1, 100, usize::MAX / 1_000, usize::MAX / 8, usize::MAX][rng.random_range(0..5)];
        let size = |rng: &mut StdRng| match rng.random_range(0..8) {
            0 => 0,
            1 => scale,
            2 => scale - scale / 2,
            3 => rng.random_range(0..=64),
            _ => rng.random_range(0..=scale),
        };
        let mut tensor = |(first_use, last_use)| {
            let alignment = ALIGNMENTS[rng.random_range(0..few_alignments)];
            Tensor { size: size(&mut rng), alignment, first_use, last_use }
        };
        let tensors: Vec<Tensor> = lifetimes.into_iter().map(&mut tensor).collect();
        let found = plan(&tensors);
        let expected = flat::plan(&tensors);
        overflows += usize::from(expected.is_err());
        match found {
            Ok((offsets, numbers)) => {
                let mut words = Vec::with_capacity(arena::check_offsets_scratch_size(count) / 8);
                assert_eq!(
                    arena::check_offsets(&tensors, &offsets, words.spare_capacity_mut()),
                    Ok(numbers),
                    "round {round}"
                );
                full += usize::from(numbers.arena_size > usize::MAX / 2);
                assert_eq!(Ok(offsets), expected, "round {round}");
            }
            Err(error) => {
                assert_eq!(error.kind, Kind::ArenaOverflow);
                assert_eq!(Err(error), expected, "round {round}");
            }
        }
    }
    assert!(overflows > 1_000 && full > 100, "{overflows} overflow, {full} fill more than half of the space");
}

#[test]
fn the_order_of_the_rows_does_not_matter_where_sizes_are_distinct() {
    let mut rng = StdRng::seed_from_u64(13);
    for count in [10, 100, 300, 1_000, 3_000] {
        for _ in 0..4 {
            let mut sizes: Vec<usize> = (1..=count).collect();
            sizes.shuffle(&mut rng);
            let lifetimes = random_lifetimes(&mut rng, count);
            let row = |(&size, (first_use, last_use))| Tensor { size, alignment: 1 << (size % 4), first_use, last_use };
            let rows: Vec<Tensor> = sizes.iter().zip(lifetimes).map(row).collect();
            let offsets = plan(&rows).expect("a plan").0;
            let mut permutation: Vec<usize> = (0..count).collect();
            permutation.shuffle(&mut rng);
            let permuted: Vec<Tensor> = permutation.iter().map(|&i| rows[i]).collect();
            let expected: Vec<usize> = permutation.iter().map(|&i| offsets[i]).collect();
            assert_eq!(plan(&permuted).expect("a plan").0, expected);
        }
    }
}

/// So many tensors are not placed by size but in an order that stays near one time.
#[test]
fn of_very_many_tensors_the_first_by_size_that_does_not_fit_is_named() {
    let half = usize::MAX / 2 + 1;
    let tensor = |size, node| Tensor { size, alignment: 1, first_use: node, last_use: node + 1 };
    let mut tensors: Vec<Tensor> = (0..200_000).map(|node| tensor(1 + node % 7, node)).collect();
    assert!(plan(&tensors).is_ok());
    // Two clashes, a third of the time apart; in the second both are larger.
    for (node, size) in [(60_000, half), (60_001, half), (120_000, half + 1), (120_001, half + 1)] {
        tensors[node].size = size;
    }
    let limit = usize::MAX - (half + 1);
    let error = Error { kind: Kind::ArenaOverflow, index: 120_001, other: 120_000, got: half + 1, limit };
    assert_eq!(plan(&tensors), Err(error));
}
