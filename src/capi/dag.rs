//! Which ordering edges does this schedule need?

use core::ffi::c_void;

use super::buffers::{Buffer, call, deliver_if_wanted, items, slots, words};
use super::status::{ErrorRecord, Status};
use crate::dag::{self, Edge, Problem};
use crate::scratch::{Scratch, fill};

/// Scratch bytes that aether_transitive_reduction needs: 80 a node, 9 an edge and 64, rounded up to a multiple of 8.
/// 0 where there is no edge; SIZE_MAX where the arithmetic overflows; never less for more nodes or edges.
/// Also AETHER_TRANSITIVE_REDUCTION_SCRATCH_SIZE(node_count, edge_count).
#[unsafe(no_mangle)]
pub extern "C" fn aether_transitive_reduction_scratch_size(node_count: usize, edge_count: usize) -> usize {
    dag::transitive_reduction_scratch_size(node_count, edge_count)
}

/// Finds the transitive reduction of a directed acyclic graph: the fewest edges with the same reachability. Kept are
/// exactly the edges from u to v for which no other path leads from u to v; of equal edges the first is kept. The
/// answer depends on the set of edges alone, not on their order.
///
/// node_count: nodes are 0 to node_count - 1, numbered topologically; at most 2^32 - 1.
/// edges: edge_count of them, read only, in any order, repeats allowed; at most 2^32 - 1.
/// keep: gets edge_count flags: 1 for an edge in the reduction, else 0.
/// kept_count: gets the number of ones; may be NULL.
/// scratch: at least aether_transitive_reduction_scratch_size(node_count, edge_count) bytes; never a matrix of
/// node_count by node_count.
///
/// Errors: EDGE_NODE, else NOT_TOPOLOGICAL (from is not below to), for the first edge that has either. A graph with a
/// cycle always has such an edge.
/// Cost: at most node_count / 512 passes, one for each 512 nodes at which edges end; each reads 64 bytes for every kept
/// edge that leaves a node below them. A random graph of a million nodes and two million edges takes some 25 s.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_transitive_reduction(
    node_count: usize,
    edges: *const Edge,
    edge_count: usize,
    keep: *mut u8,
    kept_count: *mut usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let need = dag::transitive_reduction_scratch_size(node_count, edge_count);
    let buffers = [
        Buffer::count(0, node_count).at_most(u32::MAX as usize),
        Buffer::input(1, edges, edge_count).at_most(u32::MAX as usize),
        Buffer::output(3, keep, edge_count).at_most(u32::MAX as usize),
        Buffer::optional(4, kept_count),
        Buffer::scratch(5, scratch, scratch_size, need),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let problem = Problem { node_count, edges: items(edges, edge_count) };
            problem.check()?;
            let keep = fill(slots(keep, edge_count), 0);
            deliver_if_wanted(problem.reduce(keep, &mut Scratch::new(words(scratch, need)))?, kept_count);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}
