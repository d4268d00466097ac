//! What the sweep has decided: the irredundant edges of each source before its open ones, and a bit for each edge.
//!
//! Groups of columns are far apart in the lists of a source, so a verdict is but a bit at first: to tell the caller at
//! once would touch two lists more, each far from what is near. The next open target of a source is kept apart for the
//! same reason: most sources have none in a group. An edge to a node that is no column is decided when a group passes
//! its target, or at the end.
//! Cost: 8 bytes of scratch a node and a bit an edge.

use super::columns::Columns;
use super::graph::{Graph, decide};
use super::rows::Row;
use crate::error::Error;
use crate::scratch::Scratch;

pub(super) struct Decisions<'s> {
    pub graph: Graph<'s>,
    /// Where the irredundant edges of a source end.
    pub kept_ends: &'s mut [u32],
    /// The lowest open target of a source, or `u32::MAX`.
    pub next_targets: &'s mut [u32],
    /// Which of the edges that were open are in the reduction, by their place.
    verdicts: &'s mut [u64],
}

/// The sweep over a group: what is decided, the columns that open edges lead to, and a row for each node.
pub(super) struct Sweep<'a, 's, const WORDS: usize> {
    pub decisions: &'a mut Decisions<'s>,
    pub columns: &'a Columns<'a>,
    pub rows: &'a mut [Row<WORDS>],
}

impl<'s> Decisions<'s> {
    pub fn of(graph: Graph<'s>, scratch: &mut Scratch<'s>) -> Result<Decisions<'s>, Error> {
        let kept_ends = scratch.filled(graph.node_count(), 0)?;
        kept_ends.copy_from_slice(graph.opens);
        let next_targets = scratch.filled(graph.node_count(), 0)?;
        let verdicts = scratch.filled(graph.edge_count().div_ceil(64), 0)?;
        let mut decisions = Decisions { graph, kept_ends, next_targets, verdicts };
        (0..decisions.graph.node_count()).for_each(|u| decisions.find_next_target(u));
        Ok(decisions)
    }

    fn find_next_target(&mut self, source: usize) {
        let open = self.graph.open_edges(source);
        self.next_targets[source] = if open.is_empty() { u32::MAX } else { self.graph.targets[open.start] };
    }

    /// The targets of the irredundant edges of a source that are known by now.
    pub fn kept(&self, source: usize) -> &[u32] {
        &self.graph.targets[self.graph.starts[source] as usize..self.kept_ends[source] as usize]
    }

    /// Whether a source has open edges up to a target.
    pub fn is_open(&self, source: usize, top: u32) -> bool {
        self.next_targets[source] <= top
    }

    /// Decides the open edges of a source up to the top of the group, tells the verdicts, and merges what they reach. A
    /// verdict steers no branch, since nobody can foretell it; a redundant edge's row is held already and may be merged
    /// again. The union is at hand besides its row, as a row that was just written is slow to read.
    #[inline(always)]
    pub fn decide<const WORDS: usize>(
        &mut self,
        source: usize,
        top: u32,
        rows: &mut [Row<WORDS>],
        columns: &Columns,
        mut tell: impl FnMut(u32, bool),
    ) {
        let (row, rows) = rows.split_at_mut(source + 1);
        let row = &mut row[source];
        let graph = &mut self.graph;
        let edges = &mut graph.targets[..graph.starts[source + 1] as usize];
        let (mut open, mut kept_end) = (graph.opens[source], self.kept_ends[source]);
        let mut next_target = self.next_targets[source];
        let mut union = *row;
        while next_target <= top {
            let v = next_target;
            let is_kept = columns.is_beside(v) | !row.contains(columns.numbers[v as usize]);
            union.merge(&rows[v as usize - source - 1]);
            *row = union;
            self.verdicts[open as usize / 64] |= u64::from(is_kept) << (open % 64);
            edges[kept_end as usize] = v;
            tell(v, is_kept);
            kept_end += u32::from(is_kept);
            open += 1;
            next_target = edges.get(open as usize).map_or(u32::MAX, |&v| v);
        }
        self.next_targets[source] = next_target;
        (graph.opens[source], self.kept_ends[source]) = (open, kept_end);
    }

    /// Decides the open edges to nodes that are no column.
    pub fn keep_edges_beside(&mut self, columns: &Columns) {
        for u in 0..self.graph.node_count() {
            let edges = self.graph.open_edges(u);
            // From the last edge down: what stays open moves to the end and keeps its order.
            let mut open = edges.end;
            for edge in edges.clone().rev() {
                if !columns.is_beside(self.graph.targets[edge]) {
                    open -= 1;
                    self.graph.targets.swap(edge, open);
                    self.graph.origins.swap(edge, open);
                }
            }
            for edge in edges.start..open {
                self.keep(edge);
                self.graph.targets[self.kept_ends[u] as usize] = self.graph.targets[edge];
                self.kept_ends[u] += 1;
            }
            self.graph.opens[u] = open as u32;
            self.find_next_target(u);
        }
    }

    fn keep(&mut self, edge: usize) {
        self.verdicts[edge / 64] |= 1 << (edge % 64);
    }

    /// Tells the caller. Edges that are still open lead to nodes that are no column.
    pub fn tell(mut self, keep: &mut [u8]) {
        for u in 0..self.graph.node_count() {
            if self.is_open(u, u32::MAX - 1) {
                self.graph.open_edges(u).for_each(|edge| self.keep(edge));
            }
        }
        for (word, &verdicts) in self.verdicts.iter().enumerate() {
            let mut rest = verdicts;
            while rest != 0 {
                let edge = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                decide(self.graph.origins[edge], true, keep);
            }
        }
    }
}
