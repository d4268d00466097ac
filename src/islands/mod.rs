//! Islands: the connected components of nodes joined by incidences, as engines need them.
//!
//! The label array is its own disjoint-set forest: `parent[x]` is -1 for an untouched node, x for a root, else a
//! smaller node of the same set. Invariant: `parent[x] <= x`, and between two merges the root of a set is its smallest
//! member.
//!
//! A merge climbs only from the node with the larger parent and moves it under the other's parent on the way (Rem's
//! splicing). Every write lowers a parent, so the invariant holds, and a root is only ever hooked under a smaller node.
//! It ends where both parents are equal, or where a root was hooked. Because parents are smaller, one ascending sweep
//! turns the forest into labels in place: when x is reached, its parent already holds its label.
//!
//! Cost: amortised O(log n) an incidence against a hostile order, near constant in practice; the sweep is linear. No
//! memory but the labels, no recursion.
//! Source: google-deepmind/mujoco#3396 and google-deepmind/mujoco_warp#1541 for the contract; Rem's algorithm as in
//! Dijkstra 1976, and Patwary, Blair and Manne 2010 for its speed.

use crate::error::{Error, Kind, NONE};

/// Two nodes that one constraint touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Incidence {
    /// A node, or -1 for what is static.
    pub a: i32,
    /// The other node, or -1, but not both. Equal to `a` where the constraint touches one node only.
    pub b: i32,
}

/// The parent of a node in no incidence, the label of such a node, and the id of a static endpoint.
pub const STATIC: i32 = -1;

/// Labels each node with its island and returns the number of islands.
///
/// Island k is the one whose smallest member is k-th smallest. A node in no incidence gets -1.
///
/// # Errors
/// The first incidence with both ends static, or with an end below -1 or at or beyond the node count; more than
/// `i32::MAX` nodes. After an error the labels are unspecified.
pub fn islands(incidences: &[Incidence], labels: &mut [i32]) -> Result<usize, Error> {
    node_limit(labels.len())?;
    labels.fill(STATIC);
    merge(incidences, labels)?;
    Ok(label(labels))
}

/// Refuses a count of nodes that `i32` cannot number.
fn node_limit(node_count: usize) -> Result<(), Error> {
    match i32::try_from(node_count) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::new(Kind::TooMany, NONE, node_count, i32::MAX as usize)),
    }
}

/// Joins the ends of each incidence in a forest that begins as all [`STATIC`]; nodes in no incidence stay so.
pub(crate) fn merge(incidences: &[Incidence], parents: &mut [i32]) -> Result<(), Error> {
    for (i, &Incidence { a, b }) in incidences.iter().enumerate() {
        // A negative number becomes one beyond every count.
        let known = |node: i32| node == STATIC || (node as usize) < parents.len();
        if let Some(node) = [a, b].into_iter().find(|&node| !known(node)) {
            return Err(Error::new(Kind::IncidenceNode, i, node as isize as usize, parents.len()));
        }
        match (a, b) {
            (STATIC, STATIC) => return Err(Error::new(Kind::StaticIncidence, i, 0, 0)),
            (node, STATIC) | (STATIC, node) => activate(parents, node),
            (a, b) => unite(parents, a, b),
        }
    }
    Ok(())
}

/// Joins two nodes, or puts one into a set of its own where they are the same.
pub(crate) fn unite(parents: &mut [i32], a: i32, b: i32) {
    activate(parents, a);
    activate(parents, b);
    join(parents, a, b);
}

fn activate(parents: &mut [i32], node: i32) {
    let parent = &mut parents[node as usize];
    if *parent == STATIC {
        *parent = node;
    }
}

fn join(parents: &mut [i32], a: i32, b: i32) {
    let (mut high, mut low) = (a, b);
    loop {
        let (mut upper, mut lower) = (parents[high as usize], parents[low as usize]);
        if upper == lower {
            return;
        }
        if upper < lower {
            (high, low) = (low, high);
            (upper, lower) = (lower, upper);
        }
        parents[high as usize] = lower;
        if upper == high {
            return;
        }
        high = upper;
    }
}

/// Turns a forest into labels in place and returns how many sets there are.
pub(crate) fn label(parents: &mut [i32]) -> usize {
    let mut count = 0;
    for x in 0..parents.len() {
        let parent = parents[x];
        if parent == x as i32 {
            parents[x] = count;
            count += 1;
        } else if parent != STATIC {
            parents[x] = parents[parent as usize];
        }
    }
    count as usize
}

#[cfg(test)]
mod tests {
    use super::node_limit;
    use crate::error::{Error, Kind, NONE};

    #[test]
    fn more_nodes_than_labels_are_refused() {
        let most = i32::MAX as usize;
        let error = Error { kind: Kind::TooMany, index: NONE, other: NONE, got: most + 1, limit: most };
        assert_eq!((node_limit(most), node_limit(most + 1)), (Ok(()), Err(error)));
    }
}
