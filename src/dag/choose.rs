//! Which stages decide the edges at the least cost.
//!
//! Costs are counted in merges of the sweep, for which there are bounds. The filter by levels is worth its cost where
//! there are few edges a node or many span one level; where a quarter to a half does, pairs may be cheaper to sweep.
//! To spare the sweep columns is worth its cost where one edge of eight spans one level.
//!
//! Where the filter leaves few edges open, to search at up to ten steps a node is cheaper than the rows of a sweep. Of
//! eight edges or more a node, and as many to an open one, those that are kept make the sweep dear, and to search back
//! at up to a step for four merges is cheaper; there is little else to drop then. Elsewhere, to sweep at six merges an
//! edge is cheaper than to make chains or to search, and chains on which few sources have all their successors cost
//! what they save. Chains come before the search, since where they drop much there is little left to search for.
//!
//! The answer is the same whatever is chosen. All numbers here are measured, by `cargo bench --bench dag`.
//! Cost: each edge is looked at some three times, and what the samples of the stages cost.

use super::columns::Columns;
use super::graph::Graph;
use super::levels::Sample;
use super::sweep::{sweep, sweep_all};
use super::{Method, backward, chains, levels, search};
use crate::error::Error;
use crate::scratch::Scratch;

/// Decides every edge, and says by which stages. `numbers` has a zero for each node.
pub(super) fn choose(
    graph: &mut Graph,
    numbers: &mut [u32],
    keep: &mut [u8],
    scratch: &mut Scratch,
) -> Result<Method, Error> {
    levels::find_depths(graph, numbers);
    if graph.edge_count() >= 2 * graph.node_count() && sweep_if_cheaper(graph, numbers, keep, scratch)? {
        return Ok(Method::Sweep);
    }
    let (node_count, edge_count) = (graph.node_count() as u64, graph.edge_count() as u64);
    let open_count = levels::keep_short_edges(graph, numbers, keep, scratch.phase())? as u64;
    if open_count == 0 {
        return Ok(Method::Levels);
    }
    if 8 * open_count <= node_count && search::run_if_cheaper(graph, numbers, 16 * node_count, keep, scratch.phase())? {
        sweep_all(graph, numbers, false, keep, scratch)?;
        return Ok(Method::Search);
    }
    let mut phase = scratch.phase();
    let mut columns = Columns::of(graph, None, &mut phase)?;
    let most_merges = columns.most_merges(graph, 1);
    let are_few_of_many = 8 * node_count.max(open_count) <= edge_count && 4 * edge_count <= most_merges;
    if are_few_of_many && backward::run_if_cheaper(graph, numbers, most_merges / 4, keep, phase.phase())? {
        sweep_all(graph, numbers, false, keep, scratch)?;
        return Ok(Method::Backward);
    }
    let mut method = Method::Levels;
    if !are_few_of_many && sweep_cost(graph, most_merges) > 6 * edge_count {
        if chains::drop_if_one_chain_is_common(graph, numbers, &mut phase)? {
            method = Method::Chains;
            phase = scratch.phase();
            columns = Columns::of(graph, None, &mut phase)?;
        }
        let cost = sweep_cost(graph, columns.predicted_merges(graph, phase.phase())?);
        if cost > 6 * edge_count && search::run_if_cheaper(graph, numbers, cost, keep, phase.phase())? {
            method = Method::Search;
            phase = scratch.phase();
            columns = Columns::of(graph, None, &mut phase)?;
        }
    }
    // After a sample alone the columns are still those of all open edges.
    sweep(graph, &columns, numbers, keep, &mut phase)?;
    Ok(method)
}

/// Sweeps without the filter by levels where that is cheaper, and says whether it did. Chains may go before it, and if
/// they do it does not.
fn sweep_if_cheaper(
    graph: &mut Graph,
    numbers: &mut [u32],
    keep: &mut [u8],
    scratch: &mut Scratch,
) -> Result<bool, Error> {
    let sample = levels::sample_edges(graph, numbers);
    if 4 * sample.short < sample.edges {
        if chains::drop_if_one_chain_is_common(graph, numbers, scratch)? {
            return Ok(false);
        }
        sweep_all(graph, numbers, 8 * sample.short >= sample.edges, keep, scratch)?;
        return Ok(true);
    }
    let most_merges = most_merges_of_pairs(graph, &sample);
    if most_merges == 0 {
        return Ok(false);
    }
    let mut phase = scratch.phase();
    let columns = Columns::of(graph, Some(numbers), &mut phase)?;
    // Without a merge there is no long edge, and the filter decides them all.
    let is_cheaper = (1..=most_merges).contains(&columns.most_merges(graph, 2));
    if is_cheaper {
        sweep(graph, &columns, numbers, keep, &mut phase)?;
    }
    Ok(is_cheaper)
}

/// Up to how many merges to sweep pairs is cheaper than the filter by levels and what follows it.
///
/// Twelve an edge, where less than half of the edges span one level. Where more do, the filter decides them sooner, but
/// from then on they are merged in each group, even where they lead beyond it. From fifteen edges a node on that is
/// dearer than to decide them by rows. Then it is twelve merges an edge, if less than seven eighths span one level; but
/// eight, if less than three eighths do and lead to a node with successors, where a search forward may be short.
fn most_merges_of_pairs(graph: &Graph, sample: &Sample) -> u64 {
    let are_many = graph.edge_count() >= 15 * graph.node_count();
    let an_edge = if 2 * sample.short < sample.edges {
        12
    } else if are_many && 8 * sample.short_to_inner < 3 * sample.edges {
        8
    } else if are_many && 8 * sample.short < 7 * sample.edges {
        12
    } else {
        0
    };
    an_edge * graph.edge_count() as u64
}

/// The merges of the sweep, three times where its rows are too many for a near cache, and what it costs to make them;
/// nothing where no edge is open.
fn sweep_cost(graph: &Graph, merges: u64) -> u64 {
    if merges == 0 {
        return 0;
    }
    let far = if graph.node_count() < 1 << 16 { 1 } else { 3 };
    merges * far + 4 * graph.node_count() as u64
}
