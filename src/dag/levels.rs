//! A linear filter: an edge that no longer path can bypass is in the reduction.
//!
//! The depth of a node is the number of edges on the longest path that ends at it, its height on the longest that
//! begins at it. A path of two edges or more raises the depth by at least two and lowers the height by at least two. So
//! an edge that spans one level of either has no other path, and neither has the only edge out of its source or the
//! only one into its target.
//!
//! Exact in one direction: what it keeps is in the reduction, what it leaves open may be too.
//! Cost: each edge is looked at three times; 12 bytes of scratch a node while it runs, of which the 4 of the depths stay.
//! Source: folklore of topological levels; GRAIL and its successors cut searches with them.

use super::graph::Graph;
use crate::error::Error;
use crate::scratch::Scratch;

/// What the filter knows of a node.
#[derive(Clone, Copy)]
struct Node {
    height: u32,
    edges_in: u32,
}

/// Decides what it can, and returns the depth of each node. All edges must still be open.
pub(super) fn keep_short_edges<'a>(
    graph: &mut Graph,
    keep: &mut [u8],
    scratch: &mut Scratch<'a>,
) -> Result<&'a mut [u32], Error> {
    let depths = scratch.filled(graph.node_count(), 0)?;
    let mut phase = scratch.phase();
    let nodes = phase.filled(graph.node_count(), Node { height: 0, edges_in: 0 })?;

    for u in 0..graph.node_count() {
        let depth = depths[u] + 1;
        for &v in &graph.targets[graph.edges(u)] {
            depths[v as usize] = depths[v as usize].max(depth);
            nodes[v as usize].edges_in += 1;
        }
    }
    for u in (0..graph.node_count()).rev() {
        let edges = graph.edges(u);
        let height = graph.targets[edges.clone()].iter().map(|&v| nodes[v as usize].height + 1).max().unwrap_or(0);
        nodes[u].height = height;
        let needed = |v: usize| {
            depths[v] == depths[u] + 1 || nodes[v].height + 1 == height || nodes[v].edges_in == 1 || edges.len() == 1
        };
        // From the last edge down: what stays open moves to the end and keeps its order.
        let mut open = edges.end;
        for edge in edges.clone().rev() {
            if needed(graph.targets[edge] as usize) {
                graph.keep(edge, keep);
            } else {
                open -= 1;
                graph.targets.swap(edge, open);
                graph.origins.swap(edge, open);
            }
        }
        graph.opens[u] = open as u32;
    }
    Ok(depths)
}
