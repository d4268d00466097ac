//! Islands with static endpoints, and bad incidences.

use aether::islands::{Incidence, islands};
use aether::{Error, Kind, NONE};

fn label(nodes: usize, pairs: &[(i32, i32)]) -> Result<(Vec<i32>, usize), Error> {
    let incidences: Vec<Incidence> = pairs.iter().map(|&(a, b)| Incidence { a, b }).collect();
    let mut labels = vec![7; nodes];
    let count = islands(&incidences, &mut labels)?;
    Ok((labels, count))
}

#[test]
fn a_static_endpoint_joins_nothing_but_activates_the_other() {
    assert_eq!(label(6, &[(-1, 4), (3, -1), (5, 2), (4, 5), (3, 4)]), Ok((vec![-1, -1, 0, 0, 0, 0], 1)));
    assert_eq!(label(3, &[(0, -1), (-1, 2)]), Ok((vec![0, -1, 1], 2)));
}

#[test]
fn every_set_of_up_to_three_incidences_on_four_nodes_gets_its_components() {
    let ends: Vec<(i32, i32)> = (-1..4).flat_map(|a| (-1..4).map(move |b| (a, b))).filter(|&e| e != (-1, -1)).collect();
    for &x in &ends {
        for &y in &ends {
            for &z in &ends {
                assert_eq!(label(4, &[x, y, z]), Ok(slow_label(4, &[x, y, z])), "{x:?} {y:?} {z:?}");
            }
        }
    }
}

/// Lowers labels along the incidences until nothing changes, then numbers them in order.
fn slow_label(nodes: i32, pairs: &[(i32, i32)]) -> (Vec<i32>, usize) {
    let touched = |node| pairs.iter().any(|&(a, b)| a == node || b == node);
    let mut smallest: Vec<i32> = (0..nodes).map(|node| if touched(node) { node } else { -1 }).collect();
    let moving = pairs.iter().filter(|&&(a, b)| a >= 0 && b >= 0);
    for &(a, b) in moving.cycle().take(pairs.len() * pairs.len()) {
        let low = smallest[a as usize].min(smallest[b as usize]);
        (smallest[a as usize], smallest[b as usize]) = (low, low);
    }
    let mut roots: Vec<i32> = smallest.iter().copied().filter(|&root| root >= 0).collect();
    roots.sort_unstable();
    roots.dedup();
    let number = |root: &i32| roots.iter().position(|other| other == root).map_or(-1, |label| label as i32);
    (smallest.iter().map(number).collect(), roots.len())
}

#[test]
fn the_first_bad_incidence_is_named() {
    let error = |kind, index, got, limit| Err(Error { kind, index, other: NONE, got, limit });
    assert_eq!(label(3, &[(0, 1), (-1, -1), (0, 7)]), error(Kind::StaticIncidence, 1, 0, 0));
    assert_eq!(label(3, &[(0, 7)]), error(Kind::IncidenceNode, 0, 7, 3));
    assert_eq!(label(3, &[(0, 1), (3, -1)]), error(Kind::IncidenceNode, 1, 3, 3));
    assert_eq!(label(3, &[(-2, 0)]), error(Kind::IncidenceNode, 0, usize::MAX - 1, 3));
    assert_eq!(label(0, &[(0, 0)]), error(Kind::IncidenceNode, 0, 0, 0));
    let sentence = label(3, &[(0, i32::MIN)]).expect_err("no such node").to_string();
    assert_eq!(sentence, "incidence 0: there is no node -2147483648, the node count is 3");
}

#[test]
fn the_largest_and_the_least_signed_number_are_told_with_their_signs() {
    let sentence = |got| Error { kind: Kind::Label, index: 4, other: NONE, got, limit: 3 }.to_string();
    let largest = isize::MAX as usize;
    assert_eq!(sentence(largest), format!("item 4: there is no label {}, the label count is 3", isize::MAX));
    assert_eq!(sentence(largest + 1), format!("item 4: there is no label {}, the label count is 3", isize::MIN));
}
