//! The sweep: decides every open edge, 512 or 1,024 targets at a time.
//!
//! An edge u -> v is redundant if and only if another path leads from u to v. Its first step goes to some w < v, and
//! may be taken to be irredundant. So with the successors of u in ascending order, v is redundant exactly if the rows
//! of the irredundant successors before it already hold v; redundant rows add nothing. Irredundant successors after v
//! may be merged too early without harm: they are above v and cannot reach it.
//!
//! Rows of n bits for n nodes would take n^2/8 bytes; a row of 512 columns is one cache line. The groups of columns
//! ascend, so that when one is swept, every edge to a target of an earlier one is decided.
//!
//! Rows are pulled from successors (`pull.rs`) or pushed to predecessors (`push.rs`). Two groups at a time have half as
//! many nodes to visit, and a row of two lines costs less than two rows; so pairs of groups are pulled as far up as
//! there is room for such rows, where the two need much the same nodes, of which those are visited that have a
//! successor by then. They are left for good when half of the rows turn out empty. Single groups are pulled until a
//! quarter of the rows is empty, and pushed until less than a quarter would be; predecessors are looked up at the first
//! push, and in many graphs there is none.
//!
//! Cost: a line of 64 bytes for each edge in the range of each group, at most O(n/512 x irredundant edges). Scratch,
//! besides the columns and a number a node: 76 3/8 bytes a node and 4 1/8 an edge; for pairs 8 1/8 and 1/8, and what
//! is left.
//! Source: Goralcikova and Koubek 1979 for the order; the groups of columns and the active nodes are our own.

use super::columns::{Columns, Group};
use super::decisions::{Decisions, Sweep};
use super::full::FullRows;
use super::graph::{Graph, Predecessors};
use super::push::State;
use super::rows::{Row, WORDS};
use crate::error::Error;
use crate::scratch::Scratch;

/// Decides every open edge, with columns for all targets of some or for those of long ones alone. `numbers` holds the
/// depths.
pub(super) fn sweep_all(
    graph: &mut Graph,
    numbers: &mut [u32],
    of_long_alone: bool,
    keep: &mut [u8],
    scratch: &mut Scratch,
) -> Result<(), Error> {
    if !graph.has_open_edges() {
        return Ok(());
    }
    let mut phase = scratch.phase();
    let columns = Columns::of(graph, of_long_alone.then_some(&*numbers), &mut phase)?;
    sweep(graph, &columns, numbers, keep, &mut phase)
}

/// Decides every open edge. `numbers` has a place for each node.
pub(super) fn sweep<'s>(
    graph: &'s mut Graph,
    columns: &Columns,
    numbers: &'s mut [u32],
    keep: &mut [u8],
    scratch: &mut Scratch<'s>,
) -> Result<(), Error> {
    if !graph.has_open_edges() {
        return Ok(());
    }
    let pairs_pay = 2 * columns.most_merges(graph, 1) >= 3 * columns.most_merges(graph, 2);
    let mut decisions = Decisions::of(graph.lent(), scratch)?;
    let room = if pairs_pay { room_for_pairs(&decisions.graph, columns) } else { 0 };
    let done = sweep_pairs(&mut decisions, columns, room, numbers, scratch.phase())?;
    sweep_single(&mut decisions, columns, done, numbers, scratch)?;
    decisions.tell(keep);
    Ok(())
}

/// How many nodes may have rows of two groups: the graph, its numbers, the columns, the decisions and a bit for full
/// rows need 24 19/128 bytes a node and 8 1/8 an edge, and there are 96 and 16. For some nodes alone it is only used
/// where all edges are open at the beginning, so that none that is decided leads beyond them.
fn room_for_pairs(graph: &Graph, columns: &Columns) -> usize {
    // 71 bytes a node and 7 7/8 an edge are left for rows of 128.
    let rows = (71 * 8 * graph.node_count() as u64 + 63 * graph.targets.len() as u64) / 1_024;
    match graph.node_count() {
        all if rows >= all as u64 => all,
        _ if columns.is_partial => rows as usize,
        _ => 0,
    }
}

/// Pulls two groups at a time, as far as there is room for so many rows. Returns how many it swept: fewer, too, where
/// it found that few rows hold anything.
// A call, as the next: the rows that the two have on the stack are not there at the same time.
#[inline(never)]
fn sweep_pairs(
    decisions: &mut Decisions,
    columns: &Columns,
    room: usize,
    nodes: &mut [u32],
    mut scratch: Scratch,
) -> Result<usize, Error> {
    let node_count = decisions.graph.node_count();
    let rows = scratch.filled(room, Row::EMPTY)?;
    let full = FullRows::of(&decisions.graph, &mut scratch)?;
    let mut sweep = Sweep::<{ 2 * WORDS }> { decisions, columns, rows, full };
    // Sums over groups: with words of 32 bits they may pass a usize.
    let (mut looked_at, mut empty) = (0, 0);
    for (done, pair) in (0..).step_by(2).zip(columns.groups.chunks(2)) {
        let group = Group::of_all(pair);
        // What is spent in vain is bounded by what a few visits of all nodes cost; the lowest groups are thin anyway.
        if group.top as usize >= room || 2 * empty > looked_at + node_count as u64 {
            return Ok(done);
        }
        let count = sweep.decisions.list_nodes(group, nodes);
        looked_at += u64::from(group.top - group.lowest) + 1;
        empty += sweep.pull(group, nodes[..count].iter().copied(), |_, _, _| {}) as u64;
        // Not every column will be visited again.
        sweep.rows[group.first as usize..=group.top as usize].fill(Row::EMPTY);
    }
    Ok(columns.groups.len())
}

/// Pulls or pushes the groups after so many, one at a time.
#[inline(never)]
fn sweep_single<'s>(
    decisions: &mut Decisions,
    columns: &Columns,
    done: usize,
    numbers: &'s mut [u32],
    scratch: &mut Scratch<'s>,
) -> Result<(), Error> {
    let node_count = decisions.graph.node_count();
    let groups = &columns.groups[done..];
    if groups.is_empty() {
        return Ok(());
    }
    let rows = scratch.filled(node_count, Row::EMPTY)?;
    let states = scratch.filled(node_count.div_ceil(64), State::default())?;
    let full = FullRows::of(&decisions.graph, scratch)?;
    let mut sweep = Sweep::<WORDS> { decisions, columns, rows, full };
    let mut predecessors = None;
    let mut room = Some(numbers);
    let mut is_sparse = false;
    for &group in groups {
        let empty = match &mut predecessors {
            Some(predecessors) if is_sparse => sweep.push(group, states, predecessors),
            Some(predecessors) => sweep.pull(group, group.nodes().rev(), |u, v, is_kept| {
                predecessors.decide(v as usize, u as u32, is_kept);
            }),
            None => sweep.pull(group, group.nodes().rev(), |_, _, _| {}),
        };
        let next_is_sparse = has_few_rows(group, empty);
        if next_is_sparse && !is_sparse {
            sweep.rows[..=group.top as usize].fill(Row::EMPTY);
            if let Some(opens) = room.take() {
                // Only sources of edges to columns are asked for a pushed group.
                if columns.is_partial {
                    sweep.decisions.keep_edges_beside(columns);
                }
                predecessors =
                    Some(Predecessors::of(&sweep.decisions.graph, sweep.decisions.kept_ends, opens, scratch)?);
            }
        }
        is_sparse = next_is_sparse;
    }
    Ok(())
}

/// Whether more than a quarter of the rows of a group is empty.
fn has_few_rows(group: Group, empty: usize) -> bool {
    empty > (group.top - group.lowest) as usize / 4
}

#[cfg(test)]
mod tests {
    use super::super::levels::find_depths;
    use super::super::tests::{ask, random_edges};
    use super::super::{Edge, Method, transitive_reduction_by, transitive_reduction_by_scratch_size};
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn a_group_has_few_rows_if_more_than_a_quarter_is_empty() {
        let group = Group { lowest: 50, first: 60, top: 150 };
        assert!(!has_few_rows(group, 25));
        assert!(has_few_rows(group, 26));
    }

    #[test]
    fn pairs_have_room_for_rows_of_128_bytes_where_a_node_leaves_71_and_an_edge_seven_and_seven_eighths() {
        // 63 nodes: 63 x 71 + 456 x 7 7/8 bytes are as many rows. With an edge less one is missing.
        for (edge_count, room, room_of_all) in [(456, 63, 63), (455, 62, 0)] {
            let edges: Vec<(u32, u32)> = (0..edge_count - 1).map(|i| (i % 61, i % 61 + 1)).chain([(0, 62)]).collect();
            let (rooms, _) = ask(&edges, |graph, scratch| {
                let depths = [0; 63];
                [Some(&depths[..]), None].map(|depths| {
                    let columns = Columns::of(graph, depths, &mut scratch.phase()).expect("columns");
                    room_for_pairs(graph, &columns)
                })
            });
            assert_eq!(rooms, [room, room_of_all]);
        }
    }

    #[test]
    fn pairs_of_groups_decide_as_the_matrices_do() {
        const NODES: u32 = 4_000;
        let mut rng = StdRng::seed_from_u64(3);
        // Successors of each node of so many; how far away they are, but for one of 64, which may be anywhere. Of 64 a
        // node most rows are full.
        let sizes = [(12, 1, NODES), (36, 3, NODES), (36, 3, 400), (5, 1, NODES), (9, 2, 400), (64, 1, NODES)];
        for (successors, stride, reach) in sizes {
            let sources = (0..NODES - 1).step_by(stride).flat_map(|from| vec![from; successors]);
            let edge = |(i, from): (usize, u32)| {
                let end = if i % 64 == 0 { NODES } else { NODES.min(from + 1 + reach) };
                Edge { from, to: rng.random_range(from + 1..end) }
            };
            let edges: Vec<Edge> = sources.enumerate().map(edge).collect();
            let [by_pairs, by_levels, by_matrices] = [Method::Sweep, Method::Levels, Method::Dense].map(|method| {
                let need = transitive_reduction_by_scratch_size(method, NODES as usize, edges.len());
                let mut words = Vec::with_capacity(need / 8);
                let mut keep = vec![0; edges.len()];
                let scratch = words.spare_capacity_mut();
                transitive_reduction_by(method, NODES as usize, None, &edges, None, &mut keep, scratch)
                    .expect("a reduction");
                keep
            });
            assert!(by_pairs == by_matrices, "{successors} successors up to {reach} away");
            assert!(by_levels == by_matrices, "{successors} successors up to {reach} away, by levels before");
        }
    }

    /// What a group is decided with, and what is left of it.
    #[derive(Debug, PartialEq)]
    struct Trace {
        keep: Vec<u8>,
        kept: Vec<Vec<u32>>,
        visited: usize,
    }

    /// By pushing, or by pulling, all edges of a graph of one group.
    fn trace(edges: &[(u32, u32)], is_pushed: bool) -> Trace {
        ask(edges, |graph, scratch| {
            let node_count = graph.node_count();
            let mut depths = vec![0; node_count];
            find_depths(graph, &mut depths);
            let columns = &Columns::of(graph, Some(&depths), scratch).expect("columns");
            let mut keep = vec![0; edges.len()];
            let mut opens = vec![0; node_count];
            let mut phase = scratch.phase();
            let mut decisions = Decisions::of(graph.lent(), &mut phase).expect("decisions");
            decisions.keep_edges_beside(columns);
            let mut predecessors =
                Predecessors::of(&decisions.graph, decisions.kept_ends, &mut opens, &mut phase).expect("predecessors");
            let (mut rows, mut states) = (vec![Row::EMPTY; node_count], vec![State::default(); 1]);
            let full = FullRows::of(&decisions.graph, &mut phase).expect("marks");
            let mut sweep = Sweep::<WORDS> { decisions: &mut decisions, columns, rows: &mut rows, full };
            let mut visited = 0;
            for &group in columns.groups {
                if is_pushed {
                    let idle = sweep.push(group, &mut states, &mut predecessors);
                    visited = (group.top - group.lowest) as usize + 1 - idle;
                    assert!(sweep.rows.iter().all(Row::is_empty), "rows are left");
                    assert!(states.iter().all(State::is_idle), "nodes are left");
                } else {
                    sweep.pull(group, group.nodes().rev(), |u, v, is_kept| {
                        predecessors.decide(v as usize, u as u32, is_kept);
                    });
                    visited = sweep.rows.iter().filter(|row| !row.is_empty()).count();
                }
            }
            decisions.tell(&mut keep);
            let kept = |v: usize| {
                let mut kept = predecessors.kept(v).to_vec();
                kept.sort();
                kept
            };
            Trace { keep, kept: (0..node_count).map(kept).collect(), visited }
        })
        .0
    }

    #[test]
    fn rows_that_are_pushed_decide_as_those_that_are_pulled_and_only_nodes_with_a_row_are_visited() {
        let mut rng = StdRng::seed_from_u64(2);
        for _ in 0..1_000 {
            let edges = random_edges(&mut rng);
            assert_eq!(trace(&edges, true), trace(&edges, false), "{edges:?}");
        }
    }
}
