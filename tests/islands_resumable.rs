//! Islands of incidences that come in pieces: every form against a graph traversal, the parents that MuJoCo has, what is
//! static or asleep, constraints over many nodes, and bad input.

use aether::islands::{
    Constraints, Forest, Incidence, Method, Policy, Totals, islands_of_worlds, labels_of, labels_of_many,
};
use aether::islands::{World, islands};
use aether::{Error, Kind, NONE};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Marks of fewer nodes are not used.
const MARKED_NODES: usize = 513;

/// Of forests that are a word of nodes, several, and more than are few, the smallest and the largest among them.
fn node_count(random: &mut StdRng) -> i32 {
    const ENDS: [i32; 3] = [64, 512, 600];
    let kind = random.random_range(0..3);
    let before = if kind == 0 { 0 } else { ENDS[kind - 1] };
    match random.random_range(0..4) {
        0 => before + 1,
        1 => ENDS[kind],
        _ => random.random_range(before + 1..=ENDS[kind]),
    }
}

const EXACT: Policy =
    Policy { awake: None, sleeping_is_static: false, ignore_static: false, method: Method::FullCompression };

fn incidences(pairs: &[(i32, i32)]) -> Vec<Incidence> {
    pairs.iter().map(|&(a, b)| Incidence { a, b }).collect()
}

// ---- MuJoCo's parents -------------------------------------------------------------------------------------------

/// The parents after each pair was merged into these.
fn exactly(parents: &[i32], pairs: &[(i32, i32)]) -> Vec<i32> {
    let mut parents = parents.to_vec();
    let mut forest = Forest::resume(&mut parents, None).unwrap();
    forest.merge(&incidences(pairs), &EXACT).unwrap();
    parents
}

#[test]
fn an_incidence_once_more_shortens_paths() {
    // 3 is below 2, and 2 goes below 0; who then asks for the root of 3 makes it the parent of 3.
    assert_eq!(exactly(&[-1; 4], &[(2, 3), (3, 0)]), [0, -1, 0, 2]);
    assert_eq!(exactly(&[-1; 4], &[(2, 3), (3, 0), (3, 0)]), [0, -1, 0, 0]);
}

#[test]
fn a_root_is_found_and_becomes_the_parent_of_all_on_the_way() {
    let mut parents = [0, 0, 1, 2, 3];
    let mut forest = Forest::resume(&mut parents, None).unwrap();
    assert_eq!((forest.root(0), forest.root(4)), (Ok(Some(0)), Ok(Some(0))));
    assert_eq!(parents, [0, 0, 0, 0, 0]);
}

#[test]
fn an_untouched_node_has_no_root_and_a_missing_one_is_an_error() {
    let mut parents = [-1, 1];
    let mut forest = Forest::resume(&mut parents, None).unwrap();
    assert_eq!((forest.root(0), forest.root(1)), (Ok(None), Ok(Some(1))));
    for (node, got) in [(2, 2), (-1, usize::MAX)] {
        let error = Error { kind: Kind::IncidenceNode, index: NONE, other: NONE, got, limit: 2 };
        assert_eq!(forest.root(node), Err(error));
    }
}

#[test]
fn static_ends_join_nothing_and_every_root_is_the_smallest_member() {
    let parents = exactly(&[-1; 6], &[(-1, 4), (3, -1), (5, 2), (4, 5), (3, 4)]);
    let mut settled = parents.clone();
    let roots = [2, 3, 4, 5].map(|x| Forest::resume(&mut settled, None).unwrap().root(x));
    assert_eq!((&parents[..2], roots), (&[-1, -1][..], [Ok(Some(2)); 4]));
}

#[test]
fn what_is_joined_already_changes_no_parent() {
    assert_eq!(exactly(&[-1; 4], &[(3, 1), (2, 1)]), [-1, 1, 1, 1]);
    assert_eq!(exactly(&[-1, 1, 1, 1], &[(1, 3), (3, 1), (2, 2), (-1, 2)]), [-1, 1, 1, 1]);
}

#[test]
fn a_node_is_touched_before_parents_are_compared() {
    for (pair, parents) in [((1, 1), [-1, 1, -1]), ((-1, 2), [-1, -1, 2]), ((0, -1), [0, -1, -1])] {
        assert_eq!(exactly(&[-1; 3], &[pair]), parents);
    }
}

#[test]
fn sets_are_joined_at_their_roots() {
    assert_eq!(exactly(&[0, 0, 2, 2], &[(1, 3)]), [0, 0, 0, 2]);
    assert_eq!(exactly(&[0, 0, 0, 3], &[(1, 2)]), [0, 0, 0, 3]);
    assert_eq!(exactly(&[0, 0, 1, 3, 3, 4], &[(2, 5)]), [0, 0, 0, 0, 3, 3]);
}

#[test]
fn a_bridge_hooks_the_larger_root() {
    let two = exactly(&[-1; 6], &[(0, 1), (1, 2), (2, 0), (0, 2), (3, 4), (4, 5)]);
    assert_eq!(two, [0, 0, 0, 3, 3, 3]);
    assert_eq!(exactly(&two, &[(5, 0)]), [0, 0, 0, 0, 3, 3]);
}

#[test]
fn an_incidence_of_static_ends_changes_nothing() {
    let mut parents = [-1, 1, 1, 3];
    for method in [Method::Fast, Method::FullCompression] {
        let mut forest = Forest::resume(&mut parents, None).unwrap();
        let error = Error { kind: Kind::StaticIncidence, index: 0, other: NONE, got: 0, limit: 0 };
        assert_eq!(forest.merge(&incidences(&[(-1, -1)]), &Policy { method, ..EXACT }), Err(error));
        assert_eq!(parents, [-1, 1, 1, 3]);
    }
}

#[test]
fn a_forest_is_labelled_weighed_and_flattened() {
    // Parents and weights before; islands, weight, labels and parents after.
    type Case<'a> = (&'a [i32], &'a [i32], Totals, &'a [i32], &'a [i32]);
    let cases: [Case; 4] = [
        (&[], &[], Totals { islands: 0, weight: 0 }, &[], &[]),
        (&[-1], &[5], Totals { islands: 0, weight: 0 }, &[-1], &[-1]),
        (
            &[-1, 1, 1, 2, 4, 4, 6],
            &[1000, 0, 3, 5, 7, 11, 13],
            Totals { islands: 3, weight: 39 },
            &[-1, 0, 0, 0, 1, 1, 2],
            &[-1, 1, 1, 1, 4, 4, 6],
        ),
        (
            &[-1, 1, 1, 2, 4, 4, 5, 7, 7, 8],
            &[99, 0, 2, 3, 0, 5, 7, 11, 0, 13],
            Totals { islands: 3, weight: 41 },
            &[-1, 0, 0, 0, 1, 1, 1, 2, 2, 2],
            &[-1, 1, 1, 1, 4, 4, 4, 7, 7, 7],
        ),
    ];
    for (parents, weights, totals, want_labels, want_parents) in cases {
        let (mut settled, mut labels) = (parents.to_vec(), vec![77; parents.len()]);
        let mut forest = Forest::resume(&mut settled, None).unwrap();
        assert_eq!(forest.finish_into(&mut labels, Some(weights)), Ok(totals));
        assert_eq!((&labels[..], &settled[..]), (want_labels, want_parents));
        let mut in_place = parents.to_vec();
        assert_eq!(Forest::resume(&mut in_place, None).unwrap().finish(Some(weights)), Ok(totals));
        assert_eq!(in_place, want_labels);
    }
}

#[test]
fn a_chain_of_4096_is_one_island_however_it_came_to_be() {
    let weights = |period| (0..4096).map(move |i| i % period).collect::<Vec<i32>>();
    let check = |mut parents: Vec<i32>, weights: Vec<i32>| {
        let mut labels = vec![9; 4096];
        let totals = Forest::resume(&mut parents, None).unwrap().finish_into(&mut labels, Some(&weights));
        assert_eq!(totals, Ok(Totals { islands: 1, weight: weights.iter().map(|&weight| i64::from(weight)).sum() }));
        assert!(labels.iter().chain(&parents).all(|&value| value == 0));
    };
    check((0..4096).map(|x| (x - 1).max(0)).collect(), weights(5));
    let pairs: Vec<(i32, i32)> = (1..4096).rev().map(|x| (x, x - 1)).collect();
    check(exactly(&[-1; 4096], &pairs), weights(7));
}

/// The rule as MuJoCo's tests tell it, without a thought for speed.
fn slow_merge(parents: &mut [i32], (a, b): (i32, i32)) {
    let (a, b) = (if a < 0 { b } else { a }, if b < 0 { a } else { b });
    for x in [a, b] {
        if parents[x as usize] < 0 {
            parents[x as usize] = x;
        }
    }
    if parents[a as usize] == parents[b as usize] {
        return;
    }
    let roots = [a, b].map(|start| {
        let path: Vec<i32> =
            std::iter::successors(Some(start), |&x| Some(parents[x as usize]).filter(|&parent| parent != x)).collect();
        let root = path[path.len() - 1];
        path.iter().for_each(|&x| parents[x as usize] = root);
        root
    });
    parents[roots[0].max(roots[1]) as usize] = roots[0].min(roots[1]);
}

// ---- Every form against a graph traversal -----------------------------------------------------------------------

/// As MuJoCo's own random trials: of eight incidences one is static first, one static second, one a node with itself,
/// one a repeat, one a reversed repeat.
fn trial(random: &mut StdRng, nodes: i32) -> Vec<(i32, i32)> {
    let mut pairs: Vec<(i32, i32)> = Vec::new();
    for _ in 0..random.random_range(0..192) {
        let (x, y) = (random.random_range(0..nodes), random.random_range(0..nodes));
        let (a, b) = if pairs.is_empty() { (x, y) } else { pairs[random.random_range(0..pairs.len())] };
        pairs.push(match random.random_range(0..8) {
            0 => (-1, x),
            1 => (x, -1),
            2 => (x, x),
            3 => (a, b),
            4 => (b, a),
            _ => (x, y),
        });
    }
    pairs
}

/// Labels and smallest members by walking the graph from each node, smallest first.
fn traverse(nodes: usize, pairs: &[(i32, i32)]) -> (Vec<i32>, Vec<i32>, usize) {
    let (mut labels, mut roots, mut islands) = (vec![-1; nodes], vec![-1; nodes], 0);
    let mut neighbours = vec![Vec::new(); nodes];
    for &(a, b) in pairs {
        let (a, b) = (if a < 0 { b } else { a }, if b < 0 { a } else { b });
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    for x in 0..nodes {
        if neighbours[x].is_empty() || labels[x] >= 0 {
            continue;
        }
        let mut stack = vec![x];
        while let Some(y) = stack.pop() {
            if labels[y] < 0 {
                (labels[y], roots[y]) = (islands as i32, x as i32);
                stack.extend(neighbours[y].iter().map(|&y| y as usize));
            }
        }
        islands += 1;
    }
    (labels, roots, islands)
}

#[test]
fn every_form_labels_2000_random_graphs_as_a_traversal_does() {
    let mut islands_seen = 0;
    for seed in 0..2000 {
        let mut random = StdRng::seed_from_u64(seed);
        let nodes = node_count(&mut random);
        let pairs = trial(&mut random, nodes);
        let weights: Vec<i32> = (0..nodes).map(|_| random.random_range(0..7)).collect();
        let (labels, roots, count) = traverse(nodes as usize, &pairs);
        let in_islands = weights.iter().zip(&labels).filter(|(_, label)| **label >= 0);
        let totals = Totals { islands: count, weight: in_islands.map(|(&weight, _)| i64::from(weight)).sum() };
        islands_seen += count;

        for method in [Method::Fast, Method::FullCompression] {
            for has_marks in [false, true] {
                let policy = Policy { method, ..Policy::default() };
                let (mut parents, mut marks) = (vec![-7; nodes as usize], vec![7; nodes as usize]);
                let mut marks = has_marks.then_some(&mut marks[..]);
                let mut forest = Forest::begin(&mut parents, marks.as_deref_mut()).unwrap();
                let mut slow = vec![-1; nodes as usize];
                let mut rest = &pairs[..];
                while !rest.is_empty() {
                    let (piece, after) = rest.split_at(random.random_range(1..=rest.len()));
                    forest.merge(&incidences(piece), &policy).unwrap();
                    piece.iter().for_each(|&pair| slow_merge(&mut slow, pair));
                    rest = after;
                }
                let mut got = vec![-9; nodes as usize];
                // Finishing twice gives the same, as the parents stay a forest.
                for _ in 0..2 {
                    assert_eq!(forest.finish_into(&mut got, Some(&weights)), Ok(totals), "seed {seed}");
                    assert_eq!(got, labels, "seed {seed}");
                }
                let untouched = |x: i32| if has_marks && nodes as usize >= MARKED_NODES { x } else { -1 };
                let want: Vec<i32> =
                    (0..).zip(&roots).map(|(x, &root)| if root < 0 { untouched(x) } else { root }).collect();
                assert_eq!(parents, want, "seed {seed}");

                let forest = Forest::resume(&mut parents, marks.as_deref_mut()).unwrap();
                assert_eq!(forest.finish(Some(&weights)), Ok(totals), "seed {seed}");
                assert_eq!(parents, labels, "seed {seed}");

                let mut forest = Forest::begin(&mut parents, marks).unwrap();
                let (first, second) = pairs.split_at(random.random_range(0..=pairs.len()));
                for piece in [first, second] {
                    forest.merge(&incidences(piece), &policy).unwrap();
                }
                assert_eq!(forest.finish(Some(&weights)), Ok(totals), "seed {seed}");
                assert_eq!(parents, labels, "seed {seed}");
                if method == Method::FullCompression {
                    assert_eq!(exactly(&vec![-1; nodes as usize], &pairs), slow, "seed {seed}");
                }
            }
        }
    }
    assert!(islands_seen > 2000);
}

#[test]
fn a_forest_is_merged_in_any_ways_one_after_another() {
    for seed in 0..2000 {
        let mut random = StdRng::seed_from_u64(seed);
        let nodes = node_count(&mut random);
        let pairs = trial(&mut random, nodes);
        let (labels, _, count) = traverse(nodes as usize, &pairs);
        let (mut parents, mut marks) = (vec![-7; nodes as usize], vec![7; nodes as usize]);
        let marks = random.random_bool(0.5).then_some(&mut marks[..]);
        let mut forest = Forest::begin(&mut parents, marks).unwrap();
        let policy = Policy::default();
        for piece in pairs.chunks(3) {
            match random.random_range(0..6) {
                0 => forest.merge(&incidences(piece), &EXACT).unwrap(),
                1 => forest.share().merge(&incidences(piece), &policy).unwrap(),
                2 => {
                    let members: Vec<i32> = piece.iter().flat_map(|&(a, b)| [a, b]).collect();
                    let offsets: Vec<usize> = (0..=piece.len()).map(|k| 2 * k).collect();
                    let constraints = Constraints { offsets: &offsets, members: &members };
                    forest.merge_many(constraints, &policy).unwrap();
                }
                _ => forest.merge(&incidences(piece), &policy).unwrap(),
            }
        }
        assert_eq!((forest.finish(None).unwrap().islands, parents), (count, labels), "seed {seed}");
    }
}

#[test]
fn merging_goes_on_after_labels_were_made() {
    for has_marks in [false, true] {
        let (mut parents, mut marks, mut labels) = ([0; 5], [0; 5], [0; 5]);
        let mut forest = Forest::begin(&mut parents, has_marks.then_some(&mut marks[..])).unwrap();
        forest.merge(&incidences(&[(4, 3), (1, 1)]), &Policy::default()).unwrap();
        assert_eq!(forest.finish_into(&mut labels, None), Ok(Totals { islands: 2, weight: 0 }));
        assert_eq!(labels, [-1, 0, -1, 1, 1]);
        forest.merge(&incidences(&[(0, 4), (-1, 2)]), &Policy::default()).unwrap();
        assert_eq!(forest.finish(None), Ok(Totals { islands: 3, weight: 0 }));
        assert_eq!(parents, [0, 1, 2, 0, 0]);
    }
}

#[test]
fn untouched_nodes_in_long_runs_are_all_found() {
    // One touched node, or one pair, at every place of a run that the sweeps pass over in groups.
    for nodes in 1..40 {
        for x in 0..nodes {
            for y in x..nodes {
                for has_marks in [false, true] {
                    let before = if has_marks { MARKED_NODES } else { 0 };
                    let (x, y, nodes) = (before + x, before + y, before + nodes);
                    let pair = [(x as i32, y as i32)];
                    let want: Vec<i32> = (0..nodes).map(|node| if node == x || node == y { 0 } else { -1 }).collect();
                    let (mut parents, mut marks) = (vec![3; nodes], vec![3; nodes]);
                    let marks = has_marks.then_some(&mut marks[..]);
                    let mut forest = Forest::begin(&mut parents, marks).unwrap();
                    forest.merge(&incidences(&pair), &Policy::default()).unwrap();
                    assert_eq!(forest.finish(None), Ok(Totals { islands: 1, weight: 0 }));
                    assert_eq!(parents, want);
                }
            }
        }
    }
}

#[test]
fn weights_add_up_beyond_32_bits() {
    let (mut parents, weights) = ([0, 0, -1], [i32::MAX, i32::MAX, 1]);
    let totals = Forest::resume(&mut parents, None).unwrap().finish(Some(&weights));
    assert_eq!(totals, Ok(Totals { islands: 1, weight: 2 * i64::from(i32::MAX) }));
}

// ---- Static and sleeping nodes ----------------------------------------------------------------------------------

#[test]
fn static_incidences_are_ignored_where_that_is_asked() {
    let policy = Policy { ignore_static: true, ..Policy::default() };
    let mut labels = [0; 3];
    let mut forest = Forest::begin(&mut labels, None).unwrap();
    forest.merge(&incidences(&[(-1, -1), (2, 1), (-1, -1)]), &policy).unwrap();
    assert_eq!((forest.finish(None).unwrap().islands, labels), (1, [-1, 0, 0]));
}

#[test]
fn a_sleeping_node_is_an_error_or_static() {
    let awake = [1, 0, 2];
    let strict = Policy { awake: Some(&awake), ..Policy::default() };
    let lenient = Policy { sleeping_is_static: true, ignore_static: true, ..strict };
    let merge = |pairs: &[(i32, i32)], policy: &Policy| {
        let mut labels = [0; 3];
        let mut forest = Forest::begin(&mut labels, None).unwrap();
        forest.merge(&incidences(pairs), policy).map(|()| forest.finish(None).unwrap().islands).map(|_| labels)
    };
    let asleep = |index| Err(Error { kind: Kind::Asleep, index, other: NONE, got: 1, limit: 0 });
    assert_eq!(merge(&[(0, 2)], &strict), Ok([0, -1, 0]));
    assert_eq!(merge(&[(0, 2), (1, 0)], &strict), asleep(1));
    assert_eq!(merge(&[(2, 1)], &strict), asleep(0));
    assert_eq!(merge(&[(1, -1)], &strict), asleep(0));
    assert_eq!(merge(&[(0, 1), (1, 1), (1, -1), (1, 2), (-1, -1)], &lenient), Ok([0, -1, 1]));
    // Where two sleepers are no constraint to be passed over, they are a static incidence.
    let both = Policy { ignore_static: false, ..lenient };
    assert_eq!(merge(&[(1, 1)], &both).unwrap_err().kind, Kind::StaticIncidence);
    assert_eq!(merge(&[(0, 1), (3, 1)], &lenient).unwrap_err().kind, Kind::IncidenceNode);
    assert_eq!(merge(&[(-2, 1)], &lenient).unwrap_err().kind, Kind::IncidenceNode);
}

#[test]
fn sleepers_as_static_nodes_give_the_labels_of_incidences_without_them() {
    for seed in 0..500 {
        let mut random = StdRng::seed_from_u64(seed);
        let nodes = random.random_range(1..=64);
        let pairs = trial(&mut random, nodes);
        let awake: Vec<u8> = (0..nodes).map(|_| random.random_range(0..3)).collect();
        let waking = |x: i32| if x >= 0 && awake[x as usize] == 0 { -1 } else { x };
        let without: Vec<(i32, i32)> =
            pairs.iter().map(|&(a, b)| (waking(a), waking(b))).filter(|&pair| pair != (-1, -1)).collect();
        let (labels, _, count) = traverse(nodes as usize, &without);
        let policy = Policy { awake: Some(&awake), sleeping_is_static: true, ignore_static: true, ..Policy::default() };
        let mut got = vec![0; nodes as usize];
        let mut forest = Forest::begin(&mut got, None).unwrap();
        forest.merge(&incidences(&pairs), &policy).unwrap();
        assert_eq!((forest.finish(None).unwrap().islands, &got), (count, &labels), "seed {seed}");

        let mut of_incidences = vec![0; pairs.len()];
        labels_of(&incidences(&pairs), &got, &mut of_incidences).unwrap();
        let label = |x: i32| if x < 0 { -1 } else { labels[x as usize] };
        let want: Vec<i32> = pairs.iter().map(|&(a, b)| label(a).max(label(b))).collect();
        assert_eq!(of_incidences, want, "seed {seed}");
    }
}

#[test]
fn at_an_error_all_before_it_is_joined_and_nothing_after() {
    let good = [(0, 1), (2, 3)];
    for bad in [(-1, -1), (4, MARKED_NODES as i32), (-2, 4)] {
        for has_marks in [false, true] {
            let (mut labels, mut marks) = ([0; MARKED_NODES], [0; MARKED_NODES]);
            let mut forest = Forest::begin(&mut labels, has_marks.then_some(&mut marks[..])).unwrap();
            let mut pairs = good.to_vec();
            pairs.extend([bad, (1, 2)]);
            assert_eq!(forest.merge(&incidences(&pairs), &Policy::default()).unwrap_err().index, 2);
            assert_eq!(forest.finish(None).unwrap().islands, 2);
            assert_eq!((&labels[..4], &labels[4..]), (&[0, 0, 1, 1][..], &[-1; MARKED_NODES - 4][..]));
        }
    }
}

#[test]
fn a_run_of_equal_incidences_counts_as_one_and_moves_no_index() {
    for method in [Method::Fast, Method::FullCompression] {
        let policy = Policy { method, ..Policy::default() };
        let merge = |pairs: &[(i32, i32)]| {
            let mut labels = [0; 4];
            let mut forest = Forest::begin(&mut labels, None).unwrap();
            let merged = forest.merge(&incidences(pairs), &policy);
            forest.finish(None).unwrap();
            (merged.map_err(|error| (error.kind, error.index)), labels)
        };
        assert_eq!(merge(&[(3, 1), (3, 1), (3, 1), (1, 3), (-1, 0), (-1, 0)]), (Ok(()), [0, 1, -1, 1]));
        assert_eq!(merge(&[(3, 1), (3, 1), (4, 0)]), (Err((Kind::IncidenceNode, 2)), [-1, 0, -1, 0]));
        assert_eq!(merge(&[(-1, -1), (-1, -1)]), (Err((Kind::StaticIncidence, 0)), [-1; 4]));
    }
}

// ---- Constraints over many nodes --------------------------------------------------------------------------------

#[test]
fn a_constraint_joins_all_of_its_members() {
    let constraints = Constraints { offsets: &[0, 4, 5, 7], members: &[5, -1, 0, 3, 1, -1, 2] };
    let (mut labels, mut of_constraints) = ([9; 7], [9; 3]);
    let mut forest = Forest::begin(&mut labels, None).unwrap();
    forest.merge_many(constraints, &Policy::default()).unwrap();
    assert_eq!(forest.finish(None).unwrap().islands, 3);
    assert_eq!(labels, [0, 1, 2, 0, -1, 0, -1]);
    labels_of_many(constraints, &labels, &mut of_constraints).unwrap();
    assert_eq!(of_constraints, [0, 1, 2]);
}

#[test]
fn members_may_be_shared_by_constraints_and_offsets_may_begin_anywhere() {
    let constraints = Constraints { offsets: &[1, 3, 3, 4], members: &[77, 0, 1, 2] };
    let policy = Policy { ignore_static: true, ..Policy::default() };
    let (mut labels, mut of_constraints) = ([9; 3], [9; 3]);
    let mut forest = Forest::begin(&mut labels, None).unwrap();
    forest.merge_many(constraints, &policy).unwrap();
    assert_eq!((forest.finish(None).unwrap().islands, labels), (2, [0, 0, 1]));
    labels_of_many(constraints, &labels, &mut of_constraints).unwrap();
    assert_eq!(of_constraints, [0, -1, 1]);
}

#[test]
fn constraints_over_many_nodes_equal_chains_of_incidences() {
    for seed in 0..500 {
        let mut random = StdRng::seed_from_u64(seed);
        let nodes: i32 = if seed % 2 == 0 { random.random_range(1..30) } else { random.random_range(513..530) };
        let (mut offsets, mut members, mut pairs) = (vec![0], Vec::new(), Vec::new());
        for _ in 0..random.random_range(0..20) {
            let first = random.random_range(0..nodes);
            let mut last = first;
            members.push(first);
            pairs.push((first, -1));
            for _ in 0..random.random_range(0..5) {
                let node = random.random_range(-1..nodes);
                members.push(node);
                if node >= 0 {
                    pairs.push((last, node));
                    last = node;
                }
            }
            offsets.push(members.len());
        }
        let (labels, _, count) = traverse(nodes as usize, &pairs);
        let constraints = Constraints { offsets: &offsets, members: &members };
        for method in [Method::Fast, Method::FullCompression] {
            for has_marks in [false, true] {
                let (mut got, mut marks) = (vec![0; nodes as usize], vec![0; nodes as usize]);
                let mut forest = Forest::begin(&mut got, has_marks.then_some(&mut marks[..])).unwrap();
                forest.merge_many(constraints, &Policy { method, ..Policy::default() }).unwrap();
                if method == Method::FullCompression && !has_marks {
                    assert_eq!(exactly(&vec![-1; nodes as usize], &pairs), got, "seed {seed}");
                    forest = Forest::resume(&mut got, None).unwrap();
                }
                assert_eq!((forest.finish(None).unwrap().islands, &got), (count, &labels), "seed {seed}");
            }
        }
    }
}

#[test]
fn a_bad_constraint_is_named_and_nothing_of_it_is_joined() {
    let merge = |offsets: &[usize], members: &[i32]| {
        let mut labels = [0; 4];
        let mut forest = Forest::begin(&mut labels, None).unwrap();
        let error = forest.merge_many(Constraints { offsets, members }, &Policy::default()).unwrap_err();
        forest.finish(None).unwrap();
        (error, labels)
    };
    let error = |kind, other, got, limit| Error { kind, index: 1, other, got, limit };
    let joined = [0, 0, -1, -1];
    assert_eq!(merge(&[0, 2, 4], &[0, 1, 2, 4]), (error(Kind::IncidenceNode, NONE, 4, 4), joined));
    assert_eq!(merge(&[0, 2, 4], &[0, 1, 2, -2]), (error(Kind::IncidenceNode, NONE, usize::MAX - 1, 4), joined));
    assert_eq!(merge(&[0, 2, 4], &[0, 1, -1, -1]), (error(Kind::StaticIncidence, NONE, 0, 0), joined));
    assert_eq!(merge(&[0, 2, 2], &[0, 1]), (error(Kind::StaticIncidence, NONE, 0, 0), joined));
    assert_eq!(merge(&[0, 2, 1], &[0, 1]), (error(Kind::Offsets, 2, 2, 1), joined));
    assert_eq!(merge(&[0, 2, 5], &[0, 1, 2, 3]), (error(Kind::Offsets, NONE, 5, 4), joined));
    assert_eq!(merge(&[0, 2, usize::MAX], &[0, 1]), (error(Kind::Offsets, NONE, usize::MAX, 2), joined));
    // No members, but beyond those that there are.
    let beyond = Error { kind: Kind::Offsets, index: 0, other: NONE, got: 9, limit: 2 };
    assert_eq!(merge(&[9, 9], &[0, 1]), (beyond, [-1; 4]));
}

#[test]
fn sleepers_in_a_constraint_join_nothing() {
    let policy = Policy { awake: Some(&[1, 0, 2, 1]), sleeping_is_static: true, ..Policy::default() };
    let merge = |members: &[i32]| {
        let mut labels = [0; 4];
        let mut forest = Forest::begin(&mut labels, None).unwrap();
        forest.merge_many(Constraints { offsets: &[0, members.len()], members }, &policy)?;
        forest.finish(None).unwrap();
        Ok(labels)
    };
    assert_eq!(merge(&[0, 1, 2]), Ok([0, -1, 0, -1]));
    assert_eq!(merge(&[1, 3]), Ok([-1, -1, -1, 0]));
    let error = Error { kind: Kind::StaticIncidence, index: 0, other: NONE, got: 0, limit: 0 };
    assert_eq!(merge(&[1, -1]), Err(error));
}

// ---- Batches ----------------------------------------------------------------------------------------------------

#[test]
fn each_world_has_the_islands_of_its_own_incidences() {
    let pairs = [incidences(&[(0, 1)]), vec![], incidences(&[(2, 1), (-1, 0)])];
    let mut labels = [[7; 3]; 3];
    let worlds = |labels: &mut [[i32; 3]; 3], policy| {
        let worlds = pairs.iter().zip(labels).map(|(incidences, labels)| World { incidences, policy, labels });
        let mut counts = [9; 3];
        islands_of_worlds(worlds, |world, count| counts[world] = count).map(|()| counts)
    };
    assert_eq!(worlds(&mut labels, Policy::default()), Ok([1, 0, 2]));
    assert_eq!(labels, [[0, 0, -1], [-1; 3], [0, 1, 1]]);
    // Node 0 sleeps: the first world passes as static, and a node of the last one does too.
    let policy = Policy { awake: Some(&[0, 1, 1]), sleeping_is_static: true, ignore_static: true, ..Policy::default() };
    assert_eq!(worlds(&mut labels, policy), Ok([1, 0, 1]));
    assert_eq!(labels, [[-1, 0, -1], [-1; 3], [-1, 0, 0]]);
}

#[test]
fn the_first_bad_world_is_named_and_later_ones_are_untouched() {
    let pairs = [incidences(&[(0, 1)]), incidences(&[(0, 0), (0, 2)]), incidences(&[(-1, -1)])];
    let mut labels = [[7; 2]; 3];
    let policy = Policy::default();
    let worlds = pairs.iter().zip(&mut labels).map(|(incidences, labels)| World { incidences, policy, labels });
    let error = Error { kind: Kind::IncidenceNode, index: 1, other: 1, got: 2, limit: 2 };
    assert_eq!(islands_of_worlds(worlds, |world, _| assert_eq!(world, 0)), Err(error));
    assert_eq!((labels[0], labels[2]), ([0, 0], [7, 7]));
    assert_eq!(error.to_string(), "incidence 1 of world 1: there is no node 2, the node count is 2");
}

// ---- Bad input --------------------------------------------------------------------------------------------------

#[test]
fn arrays_of_another_length_are_refused_before_anything_changes() {
    let count = |got| Error { kind: Kind::Count, index: NONE, other: NONE, got, limit: 2 };
    let mut parents = [5, 5];
    assert_eq!(Forest::begin(&mut parents, Some(&mut [0; 3])).unwrap_err(), count(3));
    let mut forest = Forest::resume(&mut parents, None).unwrap();
    let policy = Policy { awake: Some(&[1]), ..Policy::default() };
    assert_eq!(forest.merge(&[], &policy), Err(count(1)));
    assert_eq!(forest.merge_many(Constraints { offsets: &[], members: &[] }, &policy), Err(count(1)));
    assert_eq!(forest.finish_into(&mut [0; 3], None), Err(count(3)));
    assert_eq!(forest.finish_into(&mut [0; 2], Some(&[0])), Err(count(1)));
    assert_eq!(forest.finish(Some(&[0; 3])), Err(count(3)));
    assert_eq!(parents, [5, 5]);
}

/// Whatever the arrays hold, every call ends, and says so where it meets a parent that cannot be one.
#[test]
fn behind_an_incidence_that_is_passed_over_all_are_joined_and_an_error_has_its_own_index() {
    let policy = Policy { ignore_static: true, ..Policy::default() };
    let pairs = [(-1, -1), (0, 1), (-1, -1), (-1, -1), (2, 3), (4, 5), (1, 2)];
    let mut labels = [0; 5];
    let mut forest = Forest::begin(&mut labels, None).unwrap();
    let error = forest.merge(&incidences(&pairs), &policy).unwrap_err();
    assert_eq!(error, Error { kind: Kind::IncidenceNode, index: 5, other: NONE, got: 5, limit: 5 });
    assert_eq!(forest.finish(None).unwrap().islands, 2);
    assert_eq!(labels, [0, 0, 1, 1, -1]);
    // Of these parents the second is none.
    let mut broken = [0, 7];
    let mut forest = Forest::resume(&mut broken, None).unwrap();
    let error = forest.merge(&incidences(&pairs), &policy).unwrap_err();
    assert_eq!(error, Error { kind: Kind::Parent, index: 1, other: NONE, got: 7, limit: 1 });
}

#[test]
fn parents_that_no_merge_left_end_in_an_error_or_in_labels() {
    let values = [i32::MIN, -2, -1, 0, 1, 2, 3, i32::MAX];
    let mut refused = 0;
    for parents in (0..512).map(|k| [values[k % 8], values[k / 8 % 8], values[k / 64]]) {
        for pair in [(0, 1), (0, 2), (1, 2), (2, 1), (2, 2), (-1, 2)] {
            for method in [Method::Fast, Method::FullCompression] {
                for has_marks in [false, true] {
                    // The nodes after the three are roots.
                    let nodes = if has_marks { MARKED_NODES } else { 3 };
                    let mut broken: Vec<i32> = parents.iter().copied().chain(3..nodes as i32).collect();
                    let mut marks = vec![0; nodes];
                    let mut forest = Forest::resume(&mut broken, has_marks.then_some(&mut marks[..])).unwrap();
                    let policy = Policy { method, ..Policy::default() };
                    let merged = forest.merge(&incidences(&[pair]), &policy);
                    let shared = forest.share().merge(&incidences(&[pair]), &policy);
                    let into = forest.finish_into(&mut vec![0; nodes], None).map(|_| ());
                    let root = forest.root(2).map(|_| ());
                    let labelled = forest.finish(None).map(|_| ());
                    for result in [merged, shared, into, root, labelled] {
                        refused += usize::from(result.is_err());
                        assert!(result.is_ok_and(|()| true) || result.unwrap_err().kind == Kind::Parent);
                    }
                }
            }
        }
    }
    assert!(refused > 10_000, "{refused}");
    // The parent of 2 has one above itself, which would be a root.
    let mut parents = [0, 3, 1, 3];
    let error = Forest::resume(&mut parents, None).unwrap().merge(&incidences(&[(2, 0)]), &Policy::default());
    assert_eq!(error, Err(Error { kind: Kind::Parent, index: 1, other: NONE, got: 3, limit: 1 }));
    let mut parents = [0, 5];
    let error = Forest::resume(&mut parents, None).unwrap().finish(None).unwrap_err();
    assert_eq!(error, Error { kind: Kind::Parent, index: 1, other: NONE, got: 5, limit: 1 });
    assert_eq!(error.to_string(), "node 1: its parent 5 is none that a merge left there");
}

#[test]
fn the_plain_call_is_the_resumable_one_in_one_piece() {
    let mut labels = [0; 4];
    assert_eq!(islands(&incidences(&[(3, 1), (0, -1)]), &mut labels), Ok(2));
    assert_eq!(labels, [0, 1, -1, 1]);
}

// ---- beyond the caches ------------------------------------------------------------------------------------------

#[test]
fn nodes_far_apart_in_a_forest_beyond_the_caches_have_the_labels_of_nodes_side_by_side() {
    const FEW: usize = 600;
    const STRIDE: usize = 14_001;
    let mut random = StdRng::seed_from_u64(9);
    // A third of the ends are static.
    let mut end = || random.random_range(-(FEW as i32) / 2..FEW as i32).max(-1);
    let pairs: Vec<_> = (0..400).map(|_| (end(), end())).filter(|&ends| ends != (-1, -1)).collect();
    let mut expected = vec![0; FEW];
    let count = islands(&incidences(&pairs), &mut expected).unwrap();

    let apart = |end: i32| if end < 0 { end } else { end * STRIDE as i32 };
    let mut far = incidences(&pairs.iter().map(|&(a, b)| (apart(a), apart(b))).collect::<Vec<_>>());
    let mut labels = vec![0; FEW * STRIDE];
    let mut marks = vec![0; FEW * STRIDE];
    for marks in [None, Some(&mut marks[..])] {
        let mut forest = Forest::begin(&mut labels, marks).unwrap();
        forest.merge(&far, &Policy::default()).unwrap();
        assert_eq!(forest.finish(None).unwrap().islands, count);
        assert!(labels.iter().step_by(STRIDE).eq(&expected));
        assert!(labels.chunks(STRIDE).all(|chunk| chunk[1..].iter().all(|&label| label == -1)));
    }
    let bad = far.len() - 3;
    far[bad].b = labels.len() as i32;
    assert_eq!(islands(&far, &mut labels).map_err(|error| error.index), Err(bad));
}
