//! The sweep: decides every open edge, 512 targets at a time.
//!
//! An edge u -> v is redundant if and only if another path leads from u to v. Its first step goes to some w < v, and
//! may be taken to be irredundant. So with the successors of u in ascending order, v is redundant exactly if the rows
//! of the irredundant successors before it already hold v; redundant rows need not be merged at all. Irredundant
//! successors after v may be merged too early without harm: they are above v and cannot reach it.
//!
//! Rows of n bits for n nodes would take n^2/8 bytes; a row of 512 columns is one cache line. The groups of columns
//! ascend, and within one the sources descend. Invariants: when a group is swept, every edge to a target of an earlier
//! group is decided; each row from the group's lowest source to its top holds what its node reaches within the group;
//! and a row above the top is empty, since no earlier group came so far.
//!
//! Where less than half of the rows of the last group held anything, only active nodes are visited: those of the
//! columns, and from each on its predecessors. Between such groups all rows are empty.
//!
//! Cost: a line of 64 bytes for each edge in the range of each group, at most O(n/512 x irredundant edges). Scratch: 77
//! bytes a node and 4 an edge, besides the columns.
//! Source: Goralcikova and Koubek 1979 for the order; the groups of columns and the active nodes are our own.

use super::columns::{Columns, GROUP, Group};
use super::graph::{Graph, Predecessors, decide};
use crate::error::Error;
use crate::scratch::Scratch;

/// Decides every open edge.
pub(super) fn sweep(graph: &mut Graph, columns: &Columns, keep: &mut [u8], scratch: &mut Scratch) -> Result<(), Error> {
    if columns.groups.is_empty() {
        return Ok(());
    }
    let kept_ends = scratch.filled(graph.node_count(), 0)?;
    kept_ends.copy_from_slice(graph.opens);
    let mut sweep = Sweep {
        rows: scratch.filled(graph.node_count(), Row::EMPTY)?,
        kept_ends,
        active: scratch.filled(graph.node_count().div_ceil(64), 0)?,
        predecessors: Predecessors::of(graph, scratch)?,
        numbers: columns.numbers,
        graph,
        keep,
    };
    let mut is_sparse = false;
    let mut lowest_column = 0;
    for (number, &group) in (0u32..).zip(columns.groups) {
        let (lowest, top) = (group.lowest as usize, group.top as usize);
        let visited = match is_sparse {
            true => sweep.visit_active(number, group, lowest_column),
            false => (lowest..=top).rev().filter(|&u| sweep.visit(number, u)).count(),
        };
        let next_is_sparse = visited < (top - lowest) / 2;
        if next_is_sparse && !is_sparse {
            sweep.rows[..=top].fill(Row::EMPTY);
        }
        is_sparse = next_is_sparse;
        lowest_column = top + 1;
    }
    Ok(())
}

struct Sweep<'s, 'g> {
    rows: &'s mut [Row],
    /// Where the irredundant edges of a source end.
    kept_ends: &'s mut [u32],
    /// A bit for each node to visit.
    active: &'s mut [u64],
    predecessors: Predecessors<'s>,
    numbers: &'s [u32],
    graph: &'s mut Graph<'g>,
    keep: &'s mut [u8],
}

impl Sweep<'_, '_> {
    fn is_column(&self, group: u32, node: usize) -> bool {
        self.numbers[node] / GROUP as u32 == group
    }

    /// Decides the open edges of a source that end in the group; writes its row, and says whether that is not empty.
    fn visit(&mut self, group: u32, u: usize) -> bool {
        let graph = &mut *self.graph;
        let columns_end = (group + 1).saturating_mul(GROUP as u32);
        let kept = graph.starts[u] as usize..self.kept_ends[u] as usize;
        let mut row = union(&graph.targets[kept], self.rows);
        let end = graph.starts[u + 1];
        while graph.opens[u] < end {
            let open = graph.opens[u] as usize;
            let v = graph.targets[open] as usize;
            if self.numbers[v] >= columns_end {
                break;
            }
            if !row.contains(self.numbers[v]) {
                row.merge(&self.rows[v]);
                decide(graph.origins[open], true, self.keep);
                graph.targets[self.kept_ends[u] as usize] = v as u32;
                self.kept_ends[u] += 1;
            }
            graph.opens[u] += 1;
        }
        if self.is_column(group, u) {
            row.insert(self.numbers[u]);
        }
        self.rows[u] = row;
        !row.is_empty()
    }

    /// Visits the active nodes of the group from above: its columns, none of them below `lowest_column`, and what leads
    /// to them. Leaves no row and no node active. Returns how many it visited.
    fn visit_active(&mut self, number: u32, group: Group, lowest_column: usize) -> usize {
        let words = group.lowest as usize / 64..=group.top as usize / 64;
        for v in lowest_column..=group.top as usize {
            if self.is_column(number, v) {
                self.active[v / 64] |= 1 << (v % 64);
            }
        }
        let mut visited = 0;
        for word in words.clone().rev() {
            let mut below = u64::MAX;
            while self.active[word] & below != 0 {
                let bit = (self.active[word] & below).ilog2();
                below = (1 << bit) - 1;
                let u = word * 64 + bit as usize;
                self.visit(number, u);
                visited += 1;
                for &p in self.predecessors.of_node(u).iter().filter(|&&p| p >= group.lowest) {
                    self.active[p as usize / 64] |= 1 << (p % 64);
                }
            }
        }
        for word in words {
            while self.active[word] != 0 {
                self.rows[word * 64 + self.active[word].trailing_zeros() as usize] = Row::EMPTY;
                self.active[word] &= self.active[word] - 1;
            }
        }
        visited
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
