//! Transitive reduction: the fewest edges with the same reachability, which for an acyclic graph are unique.
//!
//! An edge u -> v is redundant if and only if another path leads from u to v. Its first step goes to some w < v, and
//! may be taken to be irredundant. So with the successors of u in ascending order, v is redundant exactly if the rows
//! of the irredundant successors before it already hold v; redundant rows need not be merged at all.
//!
//! Rows of n bits for n nodes would take n^2/8 bytes. Here targets are swept in blocks of 512 columns, one cache line a
//! node; most blocks in which no edge ends are passed over. Invariant: when a block is swept, every edge to a lower
//! target is decided, because blocks ascend; and each row holds what its node reaches within the block, because sources
//! descend, and a node that is no source reaches only itself.
//!
//! Equal edges are adjacent after a stable sort; the second finds its target reached by the first, so the first stays.
//! Cost: O(n/512 x (sources + irredundant edges)) lines of 64 bytes; 80 bytes of scratch a node and 9 an edge.
//! Source: Goralcikova and Koubek 1979 for the order; tensorflow/tensorflow#124410 for the exact contract.

use super::Edge;
use crate::error::{Error, Kind};
use crate::scratch::{Scratch, Word, index_limit, size};
use crate::sort::counting_sort;

/// Scratch bytes of [`transitive_reduction`]: 80 a node, 9 an edge and 64, rounded up to 8; 0 where there is no edge;
/// `usize::MAX` on overflow.
pub fn transitive_reduction_scratch_size(node_count: usize, edge_count: usize) -> usize {
    match edge_count {
        0 => 0,
        _ => size(&[(node_count, 80), (edge_count, 9), (1, 64)]),
    }
}

/// For each edge, 1 if it is in the reduction, else 0; the flags lie in the scratch. Of equal edges the first is kept.
/// The result depends on the set of edges alone, not on their order.
///
/// # Errors
/// The first edge that names a node at or beyond `node_count`, or that does not rise (`from < to`); more than
/// `u32::MAX` nodes or edges; scratch too small.
pub fn transitive_reduction<'a>(node_count: usize, edges: &[Edge], scratch: &'a mut [Word]) -> Result<&'a [u8], Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(transitive_reduction_scratch_size(node_count, edges.len()))?;
    index_limit(node_count)?;
    index_limit(edges.len())?;
    for (i, edge) in edges.iter().enumerate() {
        validate(i, edge, node_count)?;
    }
    if edges.is_empty() {
        return Ok(&[]);
    }

    let reach = scratch.filled(node_count, Row::EMPTY)?;
    let starts = scratch.filled(node_count + 1, 0)?;
    let decided = scratch.filled(node_count, 0)?;
    let kept = scratch.filled(node_count, 0)?;
    let targets = scratch.filled(edges.len(), 0)?;
    let order = scratch.filled(edges.len(), 0)?;
    let keep = scratch.filled(edges.len(), 0)?;
    let mut sources = scratch.list::<u32>(node_count)?;

    sort_by_source_then_target(edges, starts, targets, order);
    for (target, &edge) in targets.iter_mut().zip(&*order) {
        *target = edges[edge as usize].to;
    }
    decided.copy_from_slice(&starts[..node_count]);
    kept.copy_from_slice(decided);
    (0u32..).zip(starts.windows(2)).filter(|(_, edges)| edges[0] < edges[1]).for_each(|(u, _)| sources.push(u));

    // No edge that is not decided yet ends below this target; at first, none ends at or below the smallest source.
    let mut next_target = sources.first().map(|&source| source as usize + 1);
    while let Some(target) = next_target {
        let start = target / Row::COLUMNS * Row::COLUMNS;
        let block = start..node_count.min(start + Row::COLUMNS);
        block.clone().for_each(|v| reach[v].insert(v));

        let below = sources.partition_point(|&source| (source as usize) < block.end);
        next_target = sources.get(below).map(|&source| source as usize + 1);
        for u in sources[..below].iter().rev().map(|&source| source as usize) {
            let mut row = union(&targets[starts[u] as usize..kept[u] as usize], reach);
            while decided[u] < starts[u + 1] {
                let v = targets[decided[u] as usize] as usize;
                if v >= block.end {
                    next_target = Some(next_target.map_or(v, |other| other.min(v)));
                    break;
                }
                if !row.contains(v) {
                    row.merge(&reach[v]);
                    keep[order[decided[u] as usize] as usize] = 1;
                    targets[kept[u] as usize] = v as u32;
                    kept[u] += 1;
                }
                decided[u] += 1;
            }
            if block.contains(&u) {
                row.insert(u);
            }
            reach[u] = row;
        }
        // The rows of sources are written anew for each block; those of other nodes must be empty outside their own.
        reach[block].fill(Row::EMPTY);
    }
    Ok(keep)
}

/// Apart from the deciding loop, which indexes its row by a variable and so would keep this one out of registers.
fn union(successors: &[u32], reach: &[Row]) -> Row {
    let mut row = Row::EMPTY;
    for &v in successors {
        row.merge(&reach[v as usize]);
    }
    row
}

fn validate(i: usize, edge: &Edge, node_count: usize) -> Result<(), Error> {
    let (from, to) = (edge.from as usize, edge.to as usize);
    if let Some(node) = [from, to].into_iter().find(|&node| node >= node_count) {
        return Err(Error::new(Kind::EdgeNode, i, node, node_count));
    }
    match from < to {
        true => Ok(()),
        false => Err(Error::new(Kind::NotTopological, i, from, to)),
    }
}

/// `order` lists the edges by source, then target, then index; `starts` delimits the sources; `spare` is overwritten.
fn sort_by_source_then_target(edges: &[Edge], starts: &mut [u32], spare: &mut [u32], order: &mut [u32]) {
    counting_sort(0..edges.len() as u32, |edge| edges[edge as usize].to, starts, spare);
    counting_sort(spare.iter().copied(), |edge| edges[edge as usize].from, starts, order);
}

/// What a node reaches among the nodes of the block, each at its number modulo 512: one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row([u64; 8]);

impl Row {
    const EMPTY: Row = Row([0; 8]);
    const COLUMNS: usize = 512;

    fn merge(&mut self, other: &Row) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    fn contains(&self, node: usize) -> bool {
        self.0[node / 64 % 8] >> (node % 64) & 1 == 1
    }

    fn insert(&mut self, node: usize) {
        self.0[node / 64 % 8] |= 1 << (node % 64);
    }
}
