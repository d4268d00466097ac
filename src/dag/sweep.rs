//! The sweep: decides every open edge, 512 targets at a time.
//!
//! An edge u -> v is redundant if and only if another path leads from u to v. Its first step goes to some w < v, and
//! may be taken to be irredundant. So with the successors of u in ascending order, v is redundant exactly if the rows
//! of the irredundant successors before it already hold v; redundant rows need not be merged at all. Irredundant
//! successors after v may be merged too early without harm: they are above v and cannot reach it.
//!
//! Rows of n bits for n nodes would take n^2/8 bytes. Here the nodes at which open edges end are numbered, and 512 of
//! them are a group: one cache line a node. Groups ascend, and within one the sources descend from the group's top
//! target to the lowest source of its open edges. Invariants: when a group is swept, every edge to a target of an
//! earlier group is decided; each row from the lowest source to the top holds what its node reaches within the group;
//! and a row above the top is empty, since no earlier group reached so far.
//!
//! Cost: a line of 64 bytes for each edge in the range of each group, at most O(n/512 x irredundant edges). Scratch: 76
//! bytes a node and the ranges of the groups.
//! Source: Goralcikova and Koubek 1979 for the order; the groups of columns are our own.

use super::graph::{Graph, accumulate, decide};
use crate::error::Error;
use crate::scratch::Scratch;

/// The targets of open edges, numbered upwards, in groups of 512.
pub(super) struct Columns<'a> {
    /// The number of a target, or [`Columns::NONE`].
    numbers: &'a [u32],
    groups: &'a [Group],
}

/// The nodes whose rows a group needs: from the lowest source of its open edges to its highest target.
#[derive(Clone, Copy)]
struct Group {
    lowest: u32,
    top: u32,
}

impl<'a> Columns<'a> {
    const NONE: u32 = u32::MAX;

    pub fn of(graph: &Graph, scratch: &mut Scratch<'a>) -> Result<Columns<'a>, Error> {
        let numbers = scratch.filled(graph.node_count(), Columns::NONE)?;
        let mut groups = scratch.list(graph.node_count().div_ceil(Row::COLUMNS))?;
        for u in 0..graph.node_count() {
            for &v in &graph.targets[graph.open_edges(u)] {
                numbers[v as usize] = 0;
            }
        }
        let targets = (0u32..).zip(numbers.iter_mut()).filter(|(_, number)| **number == 0);
        for (count, (v, number)) in targets.enumerate() {
            if count.is_multiple_of(Row::COLUMNS) {
                groups.push(Group { lowest: v, top: v });
            }
            if let Some(group) = groups.last_mut() {
                group.top = v;
            }
            *number = count as u32;
        }
        // The lowest source is the first that is seen.
        for u in (0..graph.node_count()).rev() {
            for &v in &graph.targets[graph.open_edges(u)] {
                groups[numbers[v as usize] as usize / Row::COLUMNS].lowest = u as u32;
            }
        }
        Ok(Columns { numbers, groups: groups.into_slice() })
    }

    /// How many rows the sweep will merge, before it drops redundant edges: known exactly, and in few steps.
    pub fn predicted_merges(&self, graph: &Graph) -> u64 {
        let edges = |group: &Group| graph.starts[group.top as usize + 1] - graph.starts[group.lowest as usize];
        self.groups.iter().map(|group| u64::from(edges(group))).sum()
    }
}

/// Decides every open edge.
pub(super) fn sweep(graph: &mut Graph, columns: &Columns, keep: &mut [u8], scratch: &mut Scratch) -> Result<(), Error> {
    if columns.groups.is_empty() {
        return Ok(());
    }
    let rows = scratch.filled(graph.node_count(), Row::EMPTY)?;
    let kept_ends = scratch.filled(graph.node_count(), 0)?;
    kept_ends.copy_from_slice(graph.opens);
    let active = scratch.filled(graph.node_count().div_ceil(64), 0)?;
    let predecessors = Predecessors::of(graph, scratch)?;
    let mut sweep = Sweep { graph, numbers: columns.numbers, rows, kept_ends, keep };

    let mut is_sparse = false;
    let mut first = 0;
    for (number, group) in (0u32..).zip(columns.groups) {
        let (lowest, top) = (group.lowest as usize, group.top as usize);
        let visited = match is_sparse {
            true => {
                for v in (first..=top).filter(|&v| sweep.is_column(number, v)) {
                    active[v / 64] |= 1 << (v % 64);
                }
                let visited = sweep.visit_active(number, *group, active, &predecessors);
                // Back to empty rows, and no active nodes.
                for (word, bits) in active[lowest / 64..=top / 64].iter_mut().enumerate() {
                    while *bits != 0 {
                        sweep.rows[(lowest / 64 + word) * 64 + bits.trailing_zeros() as usize] = Row::EMPTY;
                        *bits &= *bits - 1;
                    }
                }
                visited
            }
            false => (lowest..=top).rev().filter(|&u| sweep.visit(number, u)).count(),
        };
        let next_is_sparse = visited < (top - lowest) / 2;
        if next_is_sparse && !is_sparse {
            sweep.rows[..=top].fill(Row::EMPTY);
        }
        is_sparse = next_is_sparse;
        first = top + 1;
    }
    Ok(())
}

struct Sweep<'s, 'g> {
    graph: &'s mut Graph<'g>,
    numbers: &'s [u32],
    rows: &'s mut [Row],
    /// Where the irredundant edges of a source end.
    kept_ends: &'s mut [u32],
    keep: &'s mut [u8],
}

impl Sweep<'_, '_> {
    fn is_column(&self, group: u32, node: usize) -> bool {
        self.numbers[node] / Row::COLUMNS as u32 == group
    }

    /// Decides the open edges of a source that end in the group; writes its row, and says whether that is not empty.
    fn visit(&mut self, group: u32, u: usize) -> bool {
        let graph = &mut *self.graph;
        let columns_end = (group + 1).saturating_mul(Row::COLUMNS as u32);
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

    /// Visits the active nodes of the group's range from above; each makes its predecessors active.
    fn visit_active(&mut self, number: u32, group: Group, active: &mut [u64], predecessors: &Predecessors) -> usize {
        let mut visited = 0;
        for word in (group.lowest as usize / 64..=group.top as usize / 64).rev() {
            let mut below = u64::MAX;
            while active[word] & below != 0 {
                let bit = (active[word] & below).ilog2();
                below = (1 << bit) - 1;
                let u = word * 64 + bit as usize;
                self.visit(number, u);
                visited += 1;
                for &p in predecessors.of_node(u) {
                    if p >= group.lowest {
                        active[p as usize / 64] |= 1 << (p % 64);
                    }
                }
            }
        }
        visited
    }
}

/// The edges by target.
struct Predecessors<'a> {
    starts: &'a [u32],
    sources: &'a [u32],
}

impl<'a> Predecessors<'a> {
    fn of(graph: &Graph, scratch: &mut Scratch<'a>) -> Result<Predecessors<'a>, Error> {
        let starts = scratch.filled(graph.node_count() + 1, 0)?;
        let sources = scratch.filled(graph.edge_count(), 0)?;
        for &v in &graph.targets[..graph.edge_count()] {
            starts[v as usize + 1] += 1;
        }
        accumulate(starts);
        for u in (0..graph.node_count()).rev() {
            for &v in &graph.targets[graph.edges(u)] {
                let start = &mut starts[v as usize + 1];
                *start -= 1;
                sources[*start as usize] = u as u32;
            }
        }
        // Placing moved the end of each node to its start.
        starts.copy_within(1.., 0);
        if let Some(last) = starts.last_mut() {
            *last = sources.len() as u32;
        }
        Ok(Predecessors { starts, sources })
    }

    fn of_node(&self, node: usize) -> &[u32] {
        &self.sources[self.starts[node] as usize..self.starts[node + 1] as usize]
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
struct Row([u64; 8]);

impl Row {
    const EMPTY: Row = Row([0; 8]);
    const COLUMNS: usize = 512;

    fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    fn merge(&mut self, other: &Row) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    fn contains(&self, column: u32) -> bool {
        self.0[column as usize / 64 % 8] >> (column % 64) & 1 == 1
    }

    fn insert(&mut self, column: u32) {
        self.0[column as usize / 64 % 8] |= 1 << (column % 64);
    }
}
