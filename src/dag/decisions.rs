//! What the sweep has decided: the irredundant edges of each source before its open ones, and a bit for each edge.
//!
//! An edge to a node without successors serves in the group of that column alone, and is left out afterwards. Only if
//! a source has no other it keeps one, since nodes without any are not visited.
//!
//! Groups of columns are far apart in the lists of a source, so a verdict is but a bit at first: to tell the caller at
//! once would touch two lists more, each far from what is near. The next open target of a source is kept apart for the
//! same reason: most sources have none in a group. An edge to a node that is no column is decided when a group passes
//! its target, or at the end.
//! Cost: 8 bytes of scratch a node and a bit an edge.

use super::columns::{Columns, Group};
use super::full::FullRows;
use super::graph::{Graph, decide};
use super::rows::Row;
use crate::error::Error;
use crate::scratch::Scratch;

pub(super) struct Decisions<'s> {
    pub graph: Graph<'s>,
    /// Where the irredundant edges of a source that still serve end.
    pub kept_ends: &'s mut [u32],
    /// The lowest open target of a source, or `u32::MAX`.
    next_targets: &'s mut [u32],
    /// Which of the edges that were open are in the reduction, by their place.
    verdicts: &'s mut [u64],
}

/// The sweep over a group: what is decided, the columns that open edges lead to, and a row for each node.
pub(super) struct Sweep<'a, 's, const WORDS: usize> {
    pub decisions: &'a mut Decisions<'s>,
    pub columns: &'a Columns<'a>,
    pub rows: &'a mut [Row<WORDS>],
    pub full: FullRows<'a>,
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

    /// The targets of the irredundant edges of a source that are known by now and still serve.
    pub fn kept(&self, source: usize) -> &[u32] {
        &self.graph.targets[self.graph.starts[source] as usize..self.kept_ends[source] as usize]
    }

    /// Whether a source has open edges up to a target.
    pub fn is_open(&self, source: usize, top: u32) -> bool {
        self.next_targets[source] <= top
    }

    /// Writes the nodes of a group that have a successor up to its top or may be columns, downwards. Returns how many.
    pub fn list_nodes(&self, group: Group, nodes: &mut [u32]) -> usize {
        let range = group.lowest as usize..group.top as usize + 1;
        let nodes = &mut nodes[..range.len()];
        let starts = &self.graph.starts[range.clone()];
        let kept_ends = &self.kept_ends[range.clone()];
        let next_targets = &self.next_targets[range.clone()];
        let mut count = 0;
        for i in (0..range.len()).rev() {
            let u = (range.start + i) as u32;
            let has_successor = (starts[i] < kept_ends[i]) | (next_targets[i] <= group.top);
            nodes[count] = u;
            count += usize::from(has_successor | (u >= group.first));
        }
        count
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
            let number = columns.numbers[v as usize];
            let is_kept = (number == Columns::NONE) | !row.contains(number);
            union.merge(&rows[v as usize - source - 1]);
            *row = union;
            self.verdicts[open as usize / 64] |= u64::from(is_kept) << (open % 64);
            edges[kept_end as usize] = v;
            tell(v, is_kept);
            kept_end += u32::from(is_kept & (number & Columns::LEADS_ON != 0));
            open += 1;
            next_target = edges.get(open as usize).map_or(u32::MAX, |&v| v);
        }
        self.next_targets[source] = next_target;
        // Where none leads on, none is redundant, and the last is at the start.
        (graph.opens[source], self.kept_ends[source]) = (open, kept_end.max(graph.starts[source] + 1));
    }

    /// Drops the open edges of a source up to a target.
    pub fn drop_edges(&mut self, source: usize, top: u32) {
        let edges = &self.graph.targets[..self.graph.starts[source + 1] as usize];
        let open = self.graph.opens[source] as usize;
        let end = edges[open..].iter().position(|&v| v > top).map_or(edges.len(), |count| open + count);
        self.graph.opens[source] = end as u32;
        self.find_next_target(source);
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

#[cfg(test)]
mod tests {
    use super::super::tests::ask;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn listed_are_nodes_with_a_successor_up_to_the_top_decided_or_not_and_all_from_the_first_column_on() {
        // Up to 6 lead an open edge of 1 and the decided one of 3; 2 has no edge, and that of 4 leads to 7.
        let edges = [(0, 5), (1, 5), (1, 7), (3, 6), (4, 7)];
        let (nodes, _) = ask(&edges, |graph, scratch| {
            graph.opens[3] += 1;
            let decisions = Decisions::of(graph.lent(), &mut scratch.phase()).expect("decisions");
            let mut nodes = [0; 8];
            let count = decisions.list_nodes(Group { lowest: 1, first: 5, top: 6 }, &mut nodes);
            nodes[..count].to_vec()
        });
        assert_eq!(nodes, [6, 5, 3, 1]);
    }

    #[test]
    fn the_open_edges_up_to_a_target_are_dropped_and_those_before_them_and_after_it_are_not() {
        let edges = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 6), (0, 7), (5, 6)];
        ask(&edges, |graph, scratch| {
            graph.opens[0] += 2;
            let mut decisions = Decisions::of(graph.lent(), &mut scratch.phase()).expect("decisions");
            let mut left = |top| {
                decisions.drop_edges(0, top);
                let edges = decisions.graph.open_edges(0);
                (decisions.kept(0).to_vec(), decisions.graph.targets[edges].to_vec(), decisions.is_open(0, top + 1))
            };
            assert_eq!(left(5), (vec![1, 2], vec![6, 7], true));
            assert_eq!(left(5), (vec![1, 2], vec![6, 7], true));
            assert_eq!(left(7), (vec![1, 2], vec![], false));
        });
    }

    #[test]
    fn a_decided_edge_to_a_node_without_successors_is_left_out_unless_a_source_has_no_other() {
        // 3 and 5 have no successors. All edges but 0-5 are needed.
        let edges = [(0, 2), (0, 3), (0, 4), (0, 5), (1, 3), (1, 5), (2, 5), (4, 5)];
        let ((keep, kept), _) = ask(&edges, |graph, scratch| {
            let columns = Columns::of(graph, None, scratch).expect("columns");
            let mut decisions = Decisions::of(graph.lent(), &mut scratch.phase()).expect("decisions");
            let mut rows = [Row::<1>::EMPTY; 6];
            for u in (0..6).rev() {
                if decisions.is_open(u, 5) {
                    decisions.decide(u, 5, &mut rows, &columns, |_, _| {});
                }
                rows[u].insert(columns.numbers[u]);
            }
            let kept: Vec<_> = (0..6).map(|u| decisions.kept(u).to_vec()).collect();
            let mut keep = [0; 8];
            decisions.tell(&mut keep);
            (keep, kept)
        });
        assert_eq!(keep, [1, 1, 1, 0, 1, 1, 1, 1]);
        assert_eq!(kept, [vec![2, 4], vec![5], vec![5], vec![], vec![5], vec![]]);
    }
}
