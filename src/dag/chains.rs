//! A linear filter: of the successors of a node that lie on one chain, all but the first are redundant.
//!
//! A chain is a path of edges. If w comes before v on it, u -> w and the path from w to v bypass u -> v. The chains are
//! made greedily: a node passes its chain on to its first successor that has none yet, so each node is on one chain.
//!
//! Exact in one direction: what it drops is redundant, what it leaves open may be too.
//! Cost: each edge is looked at three times; 12 bytes of scratch a node while it runs.
//! Source: the chain covers of Simon 1988.

use super::graph::{Graph, retain};
use crate::error::Error;
use crate::scratch::Scratch;

/// The lowest node on a chain among the successors of the last source that has any there.
#[derive(Clone, Copy)]
struct First {
    source: u32,
    node: u32,
}

const NONE: u32 = u32::MAX;

/// Drops what it can.
pub(super) fn drop_bypassed_edges(graph: &mut Graph, scratch: &mut Scratch) -> Result<(), Error> {
    let mut phase = scratch.phase();
    let chains = chains(graph, &mut phase)?;
    drop_all_but_the_first(graph, chains, phase)
}

/// Drops what it can if that is much: if, of 64 sources of open edges spread evenly, more than half have all their
/// successors on one chain. Along a chain the depth rises; where it does for no more than three sources of four, which
/// may well be by chance, no chains are made. Returns whether it did.
pub(super) fn drop_if_one_chain_is_common(
    graph: &mut Graph,
    depths: &[u32],
    scratch: &mut Scratch,
) -> Result<bool, Error> {
    let stride = graph.node_count().div_ceil(64).max(1);
    let more_than = |quarters: usize, is_on_one: &dyn Fn(usize) -> bool| {
        let (mut sources, mut on_one_chain) = (0, 0);
        for begin in (0..graph.node_count()).step_by(stride) {
            let end = graph.node_count().min(begin.saturating_add(stride));
            if let Some(u) = (begin..end).find(|&u| !graph.open_edges(u).is_empty() && graph.edges(u).len() > 1) {
                sources += 1;
                on_one_chain += usize::from(is_on_one(u));
            }
        }
        on_one_chain * 4 > sources * quarters
    };
    let rises = |u| graph.targets[graph.open_edges(u)].is_sorted_by(|&v, &w| depths[v as usize] < depths[w as usize]);
    if !more_than(3, &rises) {
        return Ok(false);
    }
    let mut phase = scratch.phase();
    let chains = chains(graph, &mut phase)?;
    let is_on_one = |u| {
        let mut of_successors = graph.targets[graph.edges(u)].iter().map(|&v| chains[v as usize]);
        let first = of_successors.next();
        of_successors.all(|chain| Some(chain) == first)
    };
    let is_common = more_than(2, &is_on_one);
    if is_common {
        drop_all_but_the_first(graph, chains, phase)?;
    }
    Ok(is_common)
}

/// The chain of each node, by the id of its first node.
fn chains<'a>(graph: &Graph, scratch: &mut Scratch<'a>) -> Result<&'a [u32], Error> {
    let chains = scratch.filled(graph.node_count(), NONE)?;
    for u in 0..graph.node_count() {
        if chains[u] == NONE {
            chains[u] = u as u32;
        }
        // Which successor it is does not matter for the answer.
        if let Some(&next) = graph.targets[graph.edges(u)].iter().find(|&&v| chains[v as usize] == NONE) {
            chains[next as usize] = chains[u];
        }
    }
    Ok(chains)
}

fn drop_all_but_the_first(graph: &mut Graph, chains: &[u32], mut scratch: Scratch) -> Result<(), Error> {
    let firsts = scratch.filled(graph.node_count(), First { source: NONE, node: NONE })?;
    graph.filter_sources(|u, targets, origins, open| {
        // The lowest on its chain comes first: nothing bypasses a kept one, and open ones ascend.
        for &v in &*targets {
            let first = &mut firsts[chains[v as usize] as usize];
            if first.source != u as u32 {
                *first = First { source: u as u32, node: v };
            }
        }
        let is_first = |v| firsts[chains[v as usize] as usize].node == v;
        (open + retain(&mut targets[open..], &mut origins[open..], is_first), open)
    });
    Ok(())
}
