//! Which constraints can be solved apart?

use super::buffers::{Buffer, call, deliver_if_wanted, items, slots};
use super::status::{ErrorRecord, Status};
use crate::islands::{Forest, Incidence, Policy, STATIC};
use crate::scratch::fill;

/// Labels each node with its island: the connected component over the incidences. A node is what can move, for
/// instance a body or a kinematic tree; an incidence says that a constraint touches two of them. Island k is the one
/// whose smallest member is k-th smallest, so the numbering depends neither on the order nor on the orientation of the
/// incidences.
///
/// node_count: nodes are 0 to node_count - 1; at most INT32_MAX.
/// incidences: incidence_count of them, read only, repeats allowed. -1 is a static endpoint, the immovable world, which
/// joins nothing; (t, t), (t, -1) and (-1, t) put t into an island of its own unless other incidences join it.
/// labels: gets node_count labels, -1 for a node in no incidence. It is the only memory used, so after an
/// INCIDENCE_NODE or STATIC_INCIDENCE its contents are unspecified.
/// island_count: gets the number of islands; may be NULL; not written on an error.
///
/// Errors: INCIDENCE_NODE or STATIC_INCIDENCE, for (-1, -1), with the first bad incidence.
/// Cost: close to linear; no scratch and no recursion.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_islands(
    node_count: usize,
    incidences: *const Incidence,
    incidence_count: usize,
    labels: *mut i32,
    island_count: *mut usize,
    error: *mut ErrorRecord,
) -> Status {
    let buffers = [
        Buffer::count(0, node_count).at_most(i32::MAX as usize),
        Buffer::input(1, incidences, incidence_count),
        Buffer::output(3, labels, node_count).at_most(i32::MAX as usize),
        Buffer::optional(4, island_count),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let labels = fill(slots(labels, node_count), STATIC);
            let mut forest = Forest::resume(labels, None)?;
            forest.merge(items(incidences, incidence_count), &Policy::default())?;
            deliver_if_wanted(forest.finish(None)?.islands, island_count);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}
