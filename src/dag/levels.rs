//! A linear filter: an edge that no longer path can bypass is in the reduction.
//!
//! The depth of a node is the number of edges on the longest path that ends at it, its height on the longest that
//! begins at it. A path of two edges or more raises the depth by at least two and lowers the height by at least two, so
//! an edge that spans one level of either has no other path. The only edge out of a node, or into one, is such an edge.
//!
//! Exact in one direction: what it keeps is in the reduction, what it leaves open may be too.
//! Cost: each edge is looked at three times; 4 bytes of scratch a node while it runs, besides the depths.
//! Source: folklore of topological levels; GRAIL and its successors cut searches with them.

use super::graph::{Graph, decide};
use crate::error::Error;
use crate::scratch::Scratch;

/// Writes the depth of each node, in place of zeros.
pub(super) fn find_depths(graph: &Graph, depths: &mut [u32]) {
    graph.for_each_edge(|u, v| {
        let depth = depths[u as usize] + 1;
        depths[v as usize] = depths[v as usize].max(depth);
    });
}

/// What the edges are like of a quarter of the sources, at most 2,048, spread evenly.
#[derive(Debug, PartialEq)]
pub(super) struct Sample {
    pub edges: usize,
    /// How many span one level of the depth.
    pub short: usize,
    /// How many of these lead to a node that has successors.
    pub short_to_inner: usize,
}

pub(super) fn sample_edges(graph: &Graph, depths: &[u32]) -> Sample {
    let mut sample = Sample { edges: 0, short: 0, short_to_inner: 0 };
    for u in (0..graph.node_count()).step_by((graph.node_count() / 1_024).max(4)) {
        let targets = &graph.targets[graph.edges(u)];
        sample.edges += targets.len();
        for &v in targets.iter().filter(|&&v| depths[v as usize] == depths[u] + 1) {
            sample.short += 1;
            sample.short_to_inner += usize::from(!graph.edges(v as usize).is_empty());
        }
    }
    sample
}

/// Decides what it can. All edges must still be open. Returns how many are left so.
// A call: what it has on the stack is gone when the next stage begins.
#[inline(never)]
pub(super) fn keep_short_edges(
    graph: &mut Graph,
    depths: &[u32],
    keep: &mut [u8],
    mut scratch: Scratch,
) -> Result<usize, Error> {
    let heights = scratch.filled(graph.node_count(), 0)?;
    let mut open_count = 0;
    for u in (0..graph.node_count()).rev() {
        let edges = graph.edges(u);
        let targets = &mut graph.targets[edges.clone()];
        let origins = &mut graph.origins[edges.clone()];
        let depth = depths[u] + 1;
        let height = targets.iter().map(|&v| heights[v as usize] + 1).max().unwrap_or(0);
        heights[u] = height;
        // From the last edge down: what stays open moves to the end and keeps its order.
        let mut open = targets.len();
        for edge in (0..targets.len()).rev() {
            let v = targets[edge] as usize;
            if depths[v] == depth || heights[v] + 1 == height {
                decide(origins[edge], true, keep);
            } else {
                open -= 1;
                targets.swap(edge, open);
                origins.swap(edge, open);
            }
        }
        graph.opens[u] = (edges.start + open) as u32;
        open_count += targets.len() - open;
    }
    Ok(open_count)
}
