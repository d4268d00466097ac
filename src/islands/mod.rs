//! Islands: the connected components of nodes joined by incidences, as engines need them.
//!
//! | file | |
//! |---|---|
//! | `forest` | the disjoint-set forest: union by halving, and the sweeps from parents to labels |
//! | `few` | a forest of few nodes, and which of them are touched |
//! | `ahead` | what a forest larger than the caches needs |
//! | `exact` | the union that leaves MuJoCo's parents |
//! | `constraints` | what a constraint joins: static ends, sleeping nodes, many nodes |
//! | `resumable` | [`Forest`]: merging piece by piece in the caller's memory |
//! | `concurrent` | [`Shared`]: merging from many threads |
//! | `atomic` | the union of that |
//! | `raw` | numbers seen as atomics, and a hint to fetch one: what is `unsafe` here |
//! | `batch` | many worlds at once |
//! | `group` | [`group_by_label`]: the items of each island, from a label an item |
//! | `group_few` | the same for few items of few labels |
//!
//! Island k is the one whose smallest member is k-th smallest, so the numbering depends neither on the order nor on the
//! orientation of the incidences, and every form gives the same.
//! Source: google-deepmind/mujoco#3396 and google-deepmind/mujoco_warp#1541 for the contract.

mod ahead;
#[cfg(target_has_atomic = "32")]
mod atomic;
mod batch;
#[cfg(target_has_atomic = "32")]
mod concurrent;
mod constraints;
mod exact;
mod few;
mod forest;
mod group;
mod group_few;
mod raw;
mod resumable;

use crate::error::{Error, Kind, NONE};

pub use batch::{World, islands_of_worlds};
#[cfg(target_has_atomic = "32")]
pub use concurrent::Shared;
pub use constraints::{Constraints, Method, Policy};
pub(crate) use forest::{Plain, Union, label};
pub(crate) use group::check_labels;
pub use group::{Groups, group_by_label, labels_of, labels_of_many};
pub use resumable::{Forest, Totals};

/// Two nodes that one constraint touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Incidence {
    /// A node, or -1 for what is static.
    pub a: i32,
    /// The other node, or -1, but not both. Equal to `a` where the constraint touches one node only.
    pub b: i32,
}

impl Incidence {
    /// Both ends in one word.
    #[inline(always)]
    fn word(&self) -> u64 {
        u64::from(self.a as u32) | u64::from(self.b as u32) << 32
    }
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
#[inline]
pub fn islands(incidences: &[Incidence], labels: &mut [i32]) -> Result<usize, Error> {
    node_limit(labels.len())?;
    few::untouch(labels);
    islands_of_untouched(incidences, labels)
}

/// As [`islands`], where each of the labels, not too many, already is that of a node in no incidence.
#[inline(always)]
pub(crate) fn islands_of_untouched(incidences: &[Incidence], labels: &mut [i32]) -> Result<usize, Error> {
    let policy = Policy::default();
    if labels.len() <= few::FEW_NODES {
        let mut touched = few::Touched::NONE;
        touched.merge(labels, incidences, &policy)?;
        return Ok(touched.label(labels));
    }
    resumable::merge_fast(forest::Plain { parents: labels }, incidences, &policy)?;
    Ok(forest::label(labels)?)
}

/// Refuses a count of nodes that `i32` cannot number.
fn node_limit(node_count: usize) -> Result<(), Error> {
    match i32::try_from(node_count) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::new(Kind::TooMany, NONE, node_count, i32::MAX as usize)),
    }
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
