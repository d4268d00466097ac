//! Which ordering edges does this schedule need?

use core::ffi::c_void;

use super::buffers::{Buffer, call, deliver, deliver_if_wanted, items, slots, words};
use super::status::{ErrorRecord, Status};
use crate::dag::{self, Edge, Method, Problem};
use crate::scratch::{Scratch, fill, size};

/// An edge's flag: it goes where another path exists.
pub const AETHER_EDGE_ORDINARY: u8 = 0;
/// An edge's flag: it stays, and serves as a path.
pub const AETHER_EDGE_PROTECTED: u8 = 1;
/// An edge's flag: it serves as a path, but is not part of the answer.
pub const AETHER_EDGE_BACKGROUND: u8 = 2;

/// The most nodes whose square matrix of bits an address space holds.
const MOST_MATRIX_NODES: usize = if usize::BITS > 32 { u32::MAX as usize } else { 131_071 };

/// Scratch bytes that aether_transitive_reduction needs: 96 a node, 16 an edge and 1,024. With at most 2,048 nodes only
/// so many edges count: the larger of n + n^2 / 320 and 32 w (w + 1) + (w + 1) / 2 - 6 n - 64, for n nodes and
/// w = ceil(n / 64).
/// 1,024 nodes never need more than 168,128 bytes.
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
/// scratch: at least aether_transitive_reduction_scratch_size(node_count, edge_count) bytes.
///
/// Errors: EDGE_NODE, else NOT_TOPOLOGICAL (from is not below to), for the first edge that has either. A graph with a
/// cycle always has such an edge.
/// Cost: linear where edges bypass little. At worst node_count / 512 passes, each of which reads 64 bytes for every
/// kept edge between the lowest source and the highest target of 512 undecided targets.
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
            let problem = Problem { node_count, ranks: None, edges: items(edges, edge_count), flags: None };
            problem.check()?;
            let keep = fill(slots(keep, edge_count), 0);
            let (kept, _) = problem.reduce(Method::Chosen, keep, &mut Scratch::new(words(scratch, need)))?;
            deliver_if_wanted(kept, kept_count);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Scratch bytes that aether_transitive_reduction_ranked needs: those of aether_transitive_reduction, 8 a node and
/// 1,032. 0 where there is no edge; SIZE_MAX where the arithmetic overflows; never less for more nodes or edges.
/// Also AETHER_TRANSITIVE_REDUCTION_RANKED_SCRATCH_SIZE(node_count, edge_count).
#[unsafe(no_mangle)]
pub extern "C" fn aether_transitive_reduction_ranked_scratch_size(node_count: usize, edge_count: usize) -> usize {
    dag::transitive_reduction_ranked_scratch_size(node_count, edge_count)
}

/// As aether_transitive_reduction, for nodes in any numbering and for edges with flags.
///
/// ranks: one a node, read only: every edge rises in rank. Equal ranks are fine where no edge joins them.
/// aether_topological_ranks finds such ranks. NULL: the rank of a node is its id.
/// flags: one of the AETHER_EDGE constants an edge, read only. An ordinary edge goes when another path exists over all
/// edges together, and when it equals an edge with another flag; of equal ordinary edges the first is kept. Every
/// protected edge is kept, repeats too; a background edge is not. NULL: all edges are ordinary.
///
/// Errors: EDGE_NODE, else NOT_TOPOLOGICAL (from is not below to in rank), else EDGE_FLAG, for the first edge that has
/// any of them.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_transitive_reduction_ranked(
    node_count: usize,
    ranks: *const i64,
    edges: *const Edge,
    edge_count: usize,
    flags: *const u8,
    keep: *mut u8,
    kept_count: *mut usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let need = dag::transitive_reduction_ranked_scratch_size(node_count, edge_count);
    let given = |is_null: bool, count: usize| if is_null { 0 } else { count };
    let most_ranks = if ranks.is_null() { usize::MAX } else { isize::MAX as usize / size_of::<i64>() };
    let buffers = [
        Buffer::count(0, node_count).at_most(most_ranks.min(u32::MAX as usize)),
        Buffer::input(1, ranks, given(ranks.is_null(), node_count)),
        Buffer::input(2, edges, edge_count).at_most(u32::MAX as usize),
        Buffer::input(4, flags, given(flags.is_null(), edge_count)),
        Buffer::output(5, keep, edge_count).at_most(u32::MAX as usize),
        Buffer::optional(6, kept_count),
        Buffer::scratch(7, scratch, scratch_size, need),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let problem = Problem {
                node_count,
                ranks: (!ranks.is_null()).then(|| items(ranks, node_count)),
                edges: items(edges, edge_count),
                flags: (!flags.is_null()).then(|| items(flags, edge_count)),
            };
            problem.check()?;
            let keep = fill(slots(keep, edge_count), 0);
            let (kept, _) = problem.reduce(Method::Chosen, keep, &mut Scratch::new(words(scratch, need)))?;
            deliver_if_wanted(kept, kept_count);
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Scratch bytes that aether_topological_ranks needs: 16 a node, 4 an edge and 4, rounded up to a multiple of 8;
/// 0 where there is no node; SIZE_MAX where the arithmetic overflows; never less for more nodes or edges.
/// Also AETHER_TOPOLOGICAL_RANKS_SCRATCH_SIZE(node_count, edge_count).
#[unsafe(no_mangle)]
pub extern "C" fn aether_topological_ranks_scratch_size(node_count: usize, edge_count: usize) -> usize {
    dag::topological_ranks_scratch_size(node_count, edge_count)
}

/// Finds a number for each node that rises along every edge: the number of edges on the longest path that ends there.
/// It depends on the set of edges alone.
///
/// node_count: nodes are 0 to node_count - 1; at most 2^32 - 1.
/// edges: edge_count of them, read only, in any order, repeats allowed; at most 2^32 - 1.
/// ranks: gets node_count ranks.
/// cycle: on CYCLE gets the nodes of a cycle from its smallest on, each joined to the next and the last to the first,
/// as many as there is room for; otherwise not written. Edges that lead to a cycle or away from it are not part of it.
/// cycle_capacity: the nodes that `cycle` has room for. node_count are always enough; (NULL, 0) is fine.
///
/// Errors: EDGE_NODE for the first edge that names no node; CYCLE, also where an edge joins a node to itself.
/// Cost: linear.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_topological_ranks(
    node_count: usize,
    edges: *const Edge,
    edge_count: usize,
    ranks: *mut i64,
    cycle: *mut u32,
    cycle_capacity: usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let need = dag::topological_ranks_scratch_size(node_count, edge_count);
    let buffers = [
        Buffer::count(0, node_count).at_most((isize::MAX as usize / size_of::<i64>()).min(u32::MAX as usize)),
        Buffer::input(1, edges, edge_count).at_most(u32::MAX as usize),
        Buffer::output(3, ranks, node_count),
        Buffer::output(4, cycle, cycle_capacity),
        Buffer::scratch(6, scratch, scratch_size, need),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let mut scratch = Scratch::new(words(scratch, need));
            match dag::find_ranks(node_count, items(edges, edge_count), &mut scratch)? {
                Ok(found) => {
                    slots(ranks, node_count)
                        .iter_mut()
                        .zip(found)
                        .for_each(|(rank, &found)| _ = rank.write(found.into()));
                    Ok(())
                }
                Err(nodes) => {
                    deliver(&nodes[..nodes.len().min(cycle_capacity)], cycle);
                    Err(dag::cycle_error(nodes, cycle_capacity))
                }
            }
        }
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// Bytes of the matrix that aether_reachability writes: node_count x ceil(node_count / 64) x 8; SIZE_MAX where the
/// arithmetic overflows. Also AETHER_REACHABILITY_MATRIX_SIZE(node_count).
#[unsafe(no_mangle)]
pub extern "C" fn aether_reachability_matrix_size(node_count: usize) -> usize {
    node_count.checked_mul(dag::reachability_row_words(node_count)).map_or(usize::MAX, |words| size(&[(words, 8)]))
}

/// Scratch bytes that aether_reachability needs: ceil(node_count / 64) x 8, a row of the matrix; SIZE_MAX where the
/// arithmetic overflows. Also AETHER_REACHABILITY_SCRATCH_SIZE(node_count).
#[unsafe(no_mangle)]
pub extern "C" fn aether_reachability_scratch_size(node_count: usize) -> usize {
    dag::reachability_scratch_size(node_count)
}

/// Tells which node reaches which, for callers that ask many questions about one graph: the closure as a bit matrix.
/// With w = ceil(node_count / 64), a path leads from u to v if matrix[u * w + v / 64] >> (v % 64) & 1 is 1. Every node
/// reaches itself.
///
/// node_count: nodes are 0 to node_count - 1, numbered topologically; at most 2^32 - 1.
/// edges: edge_count of them, read only, in any order, repeats allowed; at most 2^32 - 1.
/// matrix: gets aether_reachability_matrix_size(node_count) bytes.
///
/// Errors: EDGE_NODE, else NOT_TOPOLOGICAL (from is not below to), for the first edge that has either.
/// Cost: node_count / 64 words for every node and every edge of the transitive reduction.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_reachability(
    node_count: usize,
    edges: *const Edge,
    edge_count: usize,
    matrix: *mut u64,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    let need = dag::reachability_scratch_size(node_count);
    let row_words = dag::reachability_row_words(node_count);
    let word_count = node_count.saturating_mul(row_words);
    let buffers = [
        Buffer::count(0, node_count).at_most(MOST_MATRIX_NODES),
        Buffer::input(1, edges, edge_count).at_most(u32::MAX as usize),
        Buffer::output(3, matrix, word_count),
        Buffer::scratch(4, scratch, scratch_size, need),
    ];
    let body = || {
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let edges = items(edges, edge_count);
            Problem { node_count, ranks: None, edges, flags: None }.check()?;
            let matrix = fill(slots(matrix, word_count), 0);
            dag::close(matrix, row_words, edges, &mut Scratch::new(words(scratch, need)))
        }
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}
