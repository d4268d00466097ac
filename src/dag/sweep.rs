//! The sweep: decides every open edge, 512 targets at a time.
//!
//! An edge u -> v is redundant if and only if another path leads from u to v. Its first step goes to some w < v, and
//! may be taken to be irredundant. So with the successors of u in ascending order, v is redundant exactly if the rows
//! of the irredundant successors before it already hold v; redundant rows add nothing. Irredundant successors after v
//! may be merged too early without harm: they are above v and cannot reach it.
//!
//! Rows of n bits for n nodes would take n^2/8 bytes; a row of 512 columns is one cache line. The groups of columns
//! ascend, and within one the sources descend. Invariants: when a group is swept, every edge to a target of an earlier
//! group is decided; each row from the group's lowest source to its top holds what its node reaches within the group;
//! and a row above the top is empty, since no earlier group came so far.
//!
//! Where less than three quarters of the rows of the last group held anything, rows are not pulled from successors but
//! pushed to predecessors: only active nodes are visited, and each merges its row into those of its irredundant
//! predecessors and makes them active, so that an empty row costs nothing. Active from the beginning are the columns,
//! and from the visit of a column on the sources of the open edges to it. An open edge is not pushed along; its source
//! decides it as above, and from the next group on a kept one is pushed along too. Between such groups all rows are
//! empty. Predecessors are looked up only when the first such group comes; in many graphs none does.
//!
//! Cost: a line of 64 bytes for each edge in the range of each group, at most O(n/512 x irredundant edges). Scratch: 73
//! bytes a node and 4 an edge, besides the columns and a number a node.
//! Source: Goralcikova and Koubek 1979 for the order; the groups of columns and the active nodes are our own.

use super::columns::{Columns, GROUP, Group};
use super::graph::{Graph, Predecessors, decide};
use crate::error::Error;
use crate::scratch::Scratch;

/// Decides every open edge. `numbers` has a place for each node.
pub(super) fn sweep<'s>(
    graph: &mut Graph,
    columns: &Columns,
    numbers: &'s mut [u32],
    keep: &mut [u8],
    scratch: &mut Scratch<'s>,
) -> Result<(), Error> {
    if columns.groups.is_empty() {
        return Ok(());
    }
    let node_count = graph.node_count();
    let kept_ends = scratch.filled(node_count, 0)?;
    kept_ends.copy_from_slice(graph.opens);
    let mut sweep = Sweep {
        rows: scratch.filled(node_count, Row::EMPTY)?,
        kept_ends,
        states: scratch.filled(node_count.div_ceil(64), State::default())?,
        numbers: columns.numbers,
        graph,
        keep,
    };
    let mut predecessors = None;
    let mut room = Some(numbers);
    let mut is_sparse = false;
    let mut lowest_column = 0;
    for (number, &group) in (0u32..).zip(columns.groups) {
        let (lowest, top) = (group.lowest as usize, group.top as usize);
        let visited = match &mut predecessors {
            Some(predecessors) if is_sparse => sweep.push(number, group, lowest_column, predecessors),
            predecessors => {
                let mut pull = |u: &usize| sweep.pull(number, group.top, *u, predecessors.as_mut());
                (lowest..=top).rev().filter(|u| pull(u)).count()
            }
        };
        let next_is_sparse = has_few_rows(group, visited);
        if next_is_sparse && !is_sparse {
            sweep.rows[..=top].fill(Row::EMPTY);
            if let Some(opens) = room.take() {
                predecessors = Some(Predecessors::of(sweep.graph, sweep.kept_ends, opens, scratch)?);
            }
        }
        is_sparse = next_is_sparse;
        lowest_column = top;
    }
    Ok(())
}

/// Whether less than three quarters of the rows of a group held anything.
fn has_few_rows(group: Group, visited: usize) -> bool {
    visited < (group.top - group.lowest) as usize / 4 * 3
}

struct Sweep<'s, 'g> {
    rows: &'s mut [Row],
    /// Where the irredundant edges of a source end.
    kept_ends: &'s mut [u32],
    states: &'s mut [State],
    numbers: &'s [u32],
    graph: &'s mut Graph<'g>,
    keep: &'s mut [u8],
}

/// Which of 64 nodes are to be visited, and which of these are columns or have open edges to some.
#[derive(Clone, Copy, Default)]
struct State {
    active: u64,
    asked: u64,
}

impl State {
    fn wake(&mut self, node: usize) {
        self.active |= 1 << (node % 64);
        self.asked |= 1 << (node % 64);
    }
}

impl Sweep<'_, '_> {
    fn is_column(&self, group: u32, node: usize) -> bool {
        self.numbers[node] / GROUP as u32 == group
    }

    /// Decides the open edges of a source that end in the group; writes its row, and says whether that is not empty.
    fn pull(&mut self, group: u32, top: u32, u: usize, predecessors: Option<&mut Predecessors>) -> bool {
        let kept = self.graph.starts[u] as usize..self.kept_ends[u] as usize;
        let mut row = union(&self.graph.targets[kept], self.rows);
        self.decide_open(top, u, &mut row, predecessors);
        if self.is_column(group, u) {
            row.insert(self.numbers[u]);
        }
        self.rows[u] = row;
        !row.is_empty()
    }

    /// Visits the active nodes of the group from above; none of its columns is below `lowest_column`. Leaves no row and
    /// no node active. Returns how many it visited.
    fn push(&mut self, number: u32, group: Group, lowest_column: usize, predecessors: &mut Predecessors) -> usize {
        for v in lowest_column..=group.top as usize {
            if self.is_column(number, v) {
                self.states[v / 64].wake(v);
            }
        }
        let mut visited = 0;
        for word in (group.lowest as usize / 64..=group.top as usize / 64).rev() {
            // Visits make lower nodes of the word active.
            while self.states[word].active != 0 {
                let state = &mut self.states[word];
                let bit = state.active.ilog2();
                let is_asked = state.asked >> bit & 1 == 1;
                state.active ^= 1 << bit;
                state.asked &= !(1 << bit);
                let u = word * 64 + bit as usize;
                if is_asked {
                    self.decide(number, group.top, u, predecessors);
                }
                let row = self.rows[u];
                if !(is_asked && self.is_column(number, u)) {
                    self.rows[u] = Row::EMPTY;
                }
                for &p in predecessors.kept(u).iter().filter(|&&p| p >= group.lowest) {
                    self.rows[p as usize].merge(&row);
                    self.states[p as usize / 64].active |= 1 << (p % 64);
                }
                visited += 1;
            }
        }
        for v in lowest_column..=group.top as usize {
            if self.is_column(number, v) {
                self.rows[v] = Row::EMPTY;
            }
        }
        visited
    }

    /// Decides the open edges of a source that end in the group, where its row holds what its decided ones reach. If it
    /// is a column, wakes the sources of the open ones to it.
    #[inline(never)]
    fn decide(&mut self, group: u32, top: u32, u: usize, predecessors: &mut Predecessors) {
        let mut row = self.rows[u];
        self.decide_open(top, u, &mut row, Some(predecessors));
        if self.is_column(group, u) {
            row.insert(self.numbers[u]);
            for &p in predecessors.open(u) {
                self.states[p as usize / 64].wake(p as usize);
            }
        }
        self.rows[u] = row;
    }

    /// Decides the open edges of a source up to the top of the group, and merges what they reach. The verdict steers no
    /// branch, since nobody can foretell it; a redundant edge's row is held already and may be merged again.
    #[inline(always)]
    fn decide_open(&mut self, top: u32, u: usize, row: &mut Row, mut predecessors: Option<&mut Predecessors>) {
        let graph = &mut *self.graph;
        let end = graph.starts[u + 1];
        let (mut open, mut kept_end) = (graph.opens[u], self.kept_ends[u]);
        while open < end && graph.targets[open as usize] <= top {
            let v = graph.targets[open as usize];
            let is_kept = !row.contains(self.numbers[v as usize]);
            row.merge(&self.rows[v as usize]);
            decide(graph.origins[open as usize], is_kept, self.keep);
            graph.targets[kept_end as usize] = v;
            if let Some(predecessors) = &mut predecessors {
                predecessors.decide(v as usize, u as u32, is_kept);
            }
            kept_end += u32::from(is_kept);
            open += 1;
        }
        (graph.opens[u], self.kept_ends[u]) = (open, kept_end);
    }
}

/// Apart from the deciding loop, which indexes its row by a variable and so would keep this one out of registers.
fn union(successors: &[u32], rows: &[Row]) -> Row {
    let mut row = Row::EMPTY;
    for &v in successors {
        row.merge(&rows[v as usize]);
    }
    row
}

/// What a node reaches among the columns of the group, each at its number modulo 512: one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row([u64; GROUP / 64]);

impl Row {
    const EMPTY: Row = Row([0; GROUP / 64]);

    fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    fn merge(&mut self, other: &Row) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    fn contains(&self, column: u32) -> bool {
        self.0[column as usize / 64 % (GROUP / 64)] >> (column % 64) & 1 == 1
    }

    fn insert(&mut self, column: u32) {
        self.0[column as usize / 64 % (GROUP / 64)] |= 1 << (column % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ask, random_edges};
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn a_row_is_empty_if_it_holds_no_column() {
        assert!(Row::EMPTY.is_empty());
        for column in [0, 63, 64, 511] {
            let mut row = Row::EMPTY;
            row.insert(column);
            assert!(!row.is_empty());
            // The same bit of another word.
            row.insert(column ^ 64);
            assert!(!row.is_empty());
        }
    }

    #[test]
    fn a_group_has_few_rows_below_three_quarters() {
        let group = Group { lowest: 50, top: 150 };
        assert!(has_few_rows(group, 74));
        assert!(!has_few_rows(group, 75));
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
            let columns = Columns::of(graph, scratch).expect("columns");
            let mut keep = vec![0; edges.len()];
            let mut kept_ends = graph.opens.to_vec();
            let mut opens = vec![0; node_count];
            let mut phase = scratch.phase();
            let mut predecessors = Predecessors::of(graph, &kept_ends, &mut opens, &mut phase).expect("predecessors");
            let (mut rows, mut states) = (vec![Row::EMPTY; node_count], vec![State::default(); 1]);
            let (kept_ends, keep) = (&mut kept_ends[..], &mut keep[..]);
            let numbers = columns.numbers;
            let mut sweep = Sweep { rows: &mut rows, kept_ends, states: &mut states, numbers, graph, keep };
            let mut visited = 0;
            for &group in columns.groups {
                visited = if is_pushed {
                    let visited = sweep.push(0, group, 0, &mut predecessors);
                    assert!(sweep.rows.iter().all(Row::is_empty), "rows are left");
                    assert!(sweep.states.iter().all(|state| state.active | state.asked == 0), "nodes are left");
                    visited
                } else {
                    let range = (group.lowest as usize..=group.top as usize).rev();
                    range.filter(|&u| sweep.pull(0, group.top, u, Some(&mut predecessors))).count()
                };
            }
            let kept = |v: usize| {
                let mut kept = predecessors.kept(v).to_vec();
                kept.sort();
                kept
            };
            Trace { keep: sweep.keep.to_vec(), kept: (0..node_count).map(kept).collect(), visited }
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
