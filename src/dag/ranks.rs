//! Topological ranks: numbers that rise along every edge, or a cycle that shows there are none.
//!
//! The rank of a node is the number of edges on the longest path that ends at it, so it depends on the set of edges
//! alone. Nodes are taken up when their last predecessor was: a queue begins with the nodes that have none, and each
//! lowers the count of those it leads to. Invariant: every node in the queue has its final rank.
//!
//! What never enters the queue has a predecessor that does not either. So going back from one such node over such
//! predecessors must come to a node a second time, and what lies between is a cycle. Of several predecessors the
//! smallest is taken, so that the cycle too depends on the set of edges alone.
//! Cost: O(n + m); 16 bytes of scratch a node and 4 an edge.
//! Source: Kahn 1962.

use super::Edge;
use crate::error::{Error, Kind, NONE};
use crate::scratch::{Scratch, Word, index_limit, size};
use crate::sort::counting_sort;

/// Scratch bytes of [`topological_ranks`]: 16 a node, 4 an edge and 4, rounded up to 8; 0 where there is no
/// node; `usize::MAX` on overflow.
pub fn topological_ranks_scratch_size(node_count: usize, edge_count: usize) -> usize {
    match node_count {
        0 => 0,
        _ => size(&[(node_count, 16), (edge_count, 4), (1, 4)]),
    }
}

/// Writes each node's rank: the number of edges on the longest path that ends at it. Repeated edges are fine.
///
/// # Errors
/// A cycle: its length is the error's `got`, its smallest node the `index`; and as many of its nodes as there is room
/// for are written to `cycle`, from the smallest node along the edges. The first edge that names a node at or beyond
/// the number of ranks; more than `u32::MAX` nodes or edges; scratch too small. `ranks` is untouched then.
pub fn topological_ranks(
    edges: &[Edge],
    ranks: &mut [i64],
    cycle: &mut [u32],
    scratch: &mut [Word],
) -> Result<(), Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(topological_ranks_scratch_size(ranks.len(), edges.len()))?;
    let found = find_ranks(ranks.len(), edges, &mut scratch)?;
    match found {
        Ok(found) => ranks.iter_mut().zip(found).for_each(|(rank, &found)| *rank = i64::from(found)),
        Err(nodes) => {
            cycle.iter_mut().zip(nodes.iter()).for_each(|(place, &node)| *place = node);
            return Err(cycle_error(nodes, cycle.len()));
        }
    }
    Ok(())
}

/// The error of a cycle that is to be written to a place for so many nodes.
pub(crate) fn cycle_error(nodes: &[u32], capacity: usize) -> Error {
    Error::new(Kind::Cycle, nodes.first().map_or(NONE, |&node| node as usize), nodes.len(), capacity)
}

/// The ranks, or the nodes of a cycle.
pub(crate) fn find_ranks<'a>(
    node_count: usize,
    edges: &[Edge],
    scratch: &mut Scratch<'a>,
) -> Result<Result<&'a [u32], &'a [u32]>, Error> {
    index_limit(node_count)?;
    index_limit(edges.len())?;
    for (i, edge) in edges.iter().enumerate() {
        if let Some(node) = [edge.from, edge.to].into_iter().find(|&node| node as usize >= node_count) {
            return Err(Error::new(Kind::EdgeNode, i, node as usize, node_count));
        }
    }
    if node_count == 0 {
        return Ok(Ok(&[]));
    }
    let ranks = scratch.filled(node_count, 0)?;
    let missing = scratch.filled(node_count, 0)?;
    let starts = scratch.filled(node_count + 1, 0)?;
    let by_source = scratch.filled(edges.len(), 0)?;
    let mut queue = scratch.list(node_count)?;
    counting_sort(0..edges.len() as u32, |edge| edges[edge as usize].from, starts, by_source);
    edges.iter().for_each(|edge| missing[edge.to as usize] += 1);

    (0u32..).zip(&*missing).filter(|(_, missing)| **missing == 0).for_each(|(node, _)| queue.push(node));
    let mut next = 0;
    while let Some(&u) = queue.get(next) {
        for &edge in &by_source[starts[u as usize] as usize..starts[u as usize + 1] as usize] {
            let v = edges[edge as usize].to;
            ranks[v as usize] = ranks[v as usize].max(ranks[u as usize] + 1);
            missing[v as usize] -= 1;
            if missing[v as usize] == 0 {
                queue.push(v);
            }
        }
        next += 1;
    }
    match missing.iter().position(|&missing| missing > 0) {
        None => Ok(Ok(ranks)),
        Some(node) => Ok(Err(cycle_behind(node as u32, edges, missing, ranks, starts))),
    }
}

/// The cycle that `node`, which misses a predecessor, is on or is reached from; begins with its smallest node.
fn cycle_behind<'a>(
    node: u32,
    edges: &[Edge],
    missing: &[u32],
    predecessors: &mut [u32],
    nodes: &'a mut [u32],
) -> &'a [u32] {
    predecessors.fill(u32::MAX);
    let is_stuck = |node: u32| missing[node as usize] > 0;
    for edge in edges.iter().filter(|edge| is_stuck(edge.from) && is_stuck(edge.to)) {
        let predecessor = &mut predecessors[edge.to as usize];
        *predecessor = edge.from.min(*predecessor);
    }
    // After so many steps back as there are nodes, the rest of the way is the cycle.
    let back = |node: u32| predecessors[node as usize];
    let entry = (0..predecessors.len()).fold(node, |node, _| back(node));
    let around = |from: u32| core::iter::successors(Some(back(from)), move |&node| (node != from).then(|| back(node)));
    let smallest = around(entry).min().unwrap_or(entry);
    // From the last node back to the first.
    let mut length = 0;
    for (place, node) in nodes.iter_mut().zip(around(smallest)) {
        *place = node;
        length += 1;
    }
    nodes[..length].reverse();
    &nodes[..length]
}

/// The place of each node by ascending rank, equal ranks by ascending id: a stable radix sort, a byte at a time, that
/// passes over bytes in which all ranks agree. 4 bytes of scratch a node stay; 4 more and 1,028 while it sorts.
pub(super) fn positions<'a>(ranks: &[i64], scratch: &mut Scratch<'a>) -> Result<&'a [u32], Error> {
    let positions = scratch.filled(ranks.len(), 0)?;
    let mut phase = scratch.phase();
    let order = phase.filled(ranks.len(), 0)?;
    let starts = phase.filled(257, 0)?;
    let count = ranks.len() as u32;
    (0..count).zip(order.iter_mut()).for_each(|(node, place)| *place = node);
    for shift in (0..64).step_by(8) {
        // With the sign bit flipped, the order of the numbers is that of their bits.
        let byte = |rank: i64| (rank as u64 ^ 1 << 63) >> shift & 0xff;
        if ranks.iter().any(|&rank| byte(rank) != byte(ranks[0])) {
            counting_sort(order.iter().copied(), |node| byte(ranks[node as usize]) as u32, starts, positions);
            order.copy_from_slice(positions);
        }
    }
    (0..count).zip(&*order).for_each(|(position, &node)| positions[node as usize] = position);
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::positions;
    use crate::scratch::Scratch;
    use std::vec::Vec;

    #[test]
    fn places_follow_the_ranks_of_any_sign_and_width_and_then_the_ids() {
        let ranks = [3, -1, i64::MIN, 3, 1 << 40, i64::MAX, -1 << 40];
        let mut words = Vec::with_capacity(200);
        let found = positions(&ranks, &mut Scratch::new(words.spare_capacity_mut()));
        assert_eq!(found, Ok(&[3, 2, 0, 4, 5, 6, 1][..]));
    }
}
