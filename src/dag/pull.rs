//! One group of the sweep, pulled: every node takes the rows of its successors.
//!
//! Sources descend from the highest column to the lowest source of an open edge to one. Invariant: each row from the
//! present source to the top holds what its node reaches within the group, and a row above the top is empty, since no
//! earlier group came so far.
//!
//! A node below the columns without a successor up to the top need not be visited: it reaches no column, and its row is
//! empty already. For the rows of columns are emptied after their group, and a node that once had a successor keeps
//! one, as nothing bypasses its first.
//!
//! Where most rows are full (`full.rs`), a full successor makes a node's row full without a merge.

use super::columns::Group;
use super::decisions::Sweep;
use super::rows::Row;

impl<const WORDS: usize> Sweep<'_, '_, WORDS> {
    /// Decides the open edges to the columns of a group from the nodes, which descend, and tells the source, the target
    /// and the verdict of each. Returns about how many rows of the group are empty.
    pub fn pull(
        &mut self,
        group: Group,
        nodes: impl Iterator<Item = u32>,
        mut tell: impl FnMut(usize, u32, bool),
    ) -> usize {
        let nodes = nodes.map(|u| u as usize);
        if self.full.are_sought {
            self.pull_seeking(group, nodes, &mut tell);
        } else {
            for u in nodes {
                let (rows, above) = self.rows.split_at_mut(u + 1);
                write_union(&mut rows[u], self.decisions.kept(u), above, u + 1);
                self.decide_and_insert(u, group, &mut tell);
            }
        }
        self.sample_rows(group)
    }

    /// Returns about how many rows of a group are empty, and has full ones sought in the next if many are.
    #[inline(never)]
    fn sample_rows(&mut self, group: Group) -> usize {
        let last = self.columns.numbers[group.top as usize];
        let rows = &self.rows[group.lowest as usize..=group.top as usize];
        let (mut full_count, mut empty_count) = (0, 0);
        for row in rows.iter().step_by(SAMPLED) {
            full_count += usize::from(row.is_full(last));
            empty_count += usize::from(row.is_empty());
        }
        self.full.seek_if_common(full_count * SAMPLED, group, &self.decisions.graph);
        empty_count * SAMPLED
    }

    /// As [`Sweep::pull`], where full rows are sought. Apart from it, so that its frame is not there at the same time.
    #[inline(never)]
    fn pull_seeking(
        &mut self,
        group: Group,
        nodes: impl Iterator<Item = usize>,
        tell: &mut impl FnMut(usize, u32, bool),
    ) {
        let last = self.columns.numbers[group.top as usize];
        self.full.begin(group);
        for u in nodes {
            // A full node is below the columns, since it reaches the lowest.
            if self.write_union_or_full(u, last) && !self.columns.is_partial {
                self.decisions.drop_edges(u, group.top);
            } else {
                self.decide_and_insert(u, group, tell);
            }
        }
    }

    /// Decides the open edges of a source by its row, and makes it reach itself if it is a column.
    #[inline(always)]
    fn decide_and_insert(&mut self, u: usize, group: Group, tell: &mut impl FnMut(usize, u32, bool)) {
        if self.decisions.is_open(u, group.top) {
            self.decisions.decide(u, group.top, self.rows, self.columns, |v, is_kept| tell(u, v, is_kept));
        }
        if let Some(column) = self.columns.number(u, group) {
            self.rows[u].insert(column);
        }
    }

    /// As [`write_union`], where full rows are sought. Returns whether it is full.
    #[inline(never)]
    fn write_union_or_full(&mut self, u: usize, last: u32) -> bool {
        let successors = self.decisions.kept(u);
        let (rows, above) = self.rows.split_at_mut(u + 1);
        let row = &mut rows[u];
        if successors.iter().any(|&v| self.full.contains(v)) {
            row.fill(last);
        } else {
            write_union(row, successors, above, u + 1);
        }
        let is_full = row.is_full(last);
        if is_full {
            self.full.insert(u);
        }
        is_full
    }
}

/// Of so many rows one is looked at.
const SAMPLED: usize = 32;

/// Writes what the successors of a node reach; `above` are the rows of the nodes above it. Apart from the loop over the
/// nodes, where the compiler would keep the union word by word.
#[inline(never)]
fn write_union<const WORDS: usize>(row: &mut Row<WORDS>, successors: &[u32], above: &[Row<WORDS>], first: usize) {
    let mut union = Row::EMPTY;
    for &v in successors {
        union.merge(&above[v as usize - first]);
    }
    *row = union;
}

#[cfg(test)]
mod tests {
    use super::super::columns::Columns;
    use super::super::decisions::Decisions;
    use super::super::full::FullRows;
    use super::super::levels::find_depths;
    use super::super::rows::WORDS;
    use super::super::tests::{ask, random_edges};
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use std::vec;
    use std::vec::Vec;

    /// Which edges are needed, and whether a row was full, where the first edge of each source is decided beforehand:
    /// it is needed, since nothing bypasses it.
    fn pulled(edges: &[(u32, u32)], of_long_alone: bool, are_sought: bool) -> (Vec<u8>, bool) {
        ask(edges, |graph, scratch| {
            let mut depths = vec![0; graph.node_count()];
            find_depths(graph, &mut depths);
            let columns = &Columns::of(graph, of_long_alone.then_some(&depths[..]), scratch).expect("columns");
            let mut keep = vec![0; edges.len()];
            for u in 0..graph.node_count() {
                if let Some(first) = graph.edges(u).next() {
                    keep[graph.origins[first] as usize] = 1;
                    graph.opens[u] += 1;
                }
            }
            let mut phase = scratch.phase();
            let mut decisions = Decisions::of(graph.lent(), &mut phase).expect("decisions");
            let mut full = FullRows::of(&decisions.graph, &mut phase).expect("marks");
            full.are_sought = are_sought;
            let mut rows = vec![Row::EMPTY; depths.len()];
            let mut sweep = Sweep::<WORDS> { decisions: &mut decisions, columns, rows: &mut rows, full };
            for &group in columns.groups {
                sweep.pull(group, group.nodes().rev(), |_, _, _| {});
            }
            let was_full = (0..depths.len() as u32).any(|u| sweep.full.contains(u));
            decisions.tell(&mut keep);
            (keep, was_full)
        })
        .0
    }

    #[test]
    fn where_full_rows_are_sought_the_same_edges_are_needed() {
        let mut rng = StdRng::seed_from_u64(5);
        let mut with_full_rows = 0;
        for _ in 0..2_000 {
            let edges = random_edges(&mut rng);
            for of_long_alone in [false, true] {
                let (keep, was_full) = pulled(&edges, of_long_alone, true);
                assert_eq!(keep, pulled(&edges, of_long_alone, false).0, "{edges:?}");
                with_full_rows += usize::from(was_full);
            }
        }
        assert!(with_full_rows > 1_000, "{with_full_rows}");
    }

    #[test]
    fn of_the_rows_of_a_group_those_that_are_empty_are_told_and_full_ones_are_sought_if_many_are_full() {
        // 1 to 63 have no edges. Each node from 64 on has one to each of the next 24; those to the last 16 nodes are
        // open, and with that of node 0 the group goes from there.
        let edges = (64..320).flat_map(|u: u32| (u + 1..320.min(u + 25)).map(move |v| (u, v)));
        let edges: Vec<(u32, u32)> = [(0, 319)].into_iter().chain(edges).collect();
        ask(&edges, |graph, scratch| {
            for u in 0..304 {
                let decided = graph.targets[graph.edges(u)].iter().filter(|&&v| v < 304).count();
                graph.opens[u] += decided as u32;
            }
            let columns = &Columns::of(graph, None, scratch).expect("columns");
            let mut phase = scratch.phase();
            let mut decisions = Decisions::of(graph.lent(), &mut phase).expect("decisions");
            let full = FullRows::of(&decisions.graph, &mut phase).expect("marks");
            let mut rows = vec![Row::EMPTY; 320];
            let mut sweep = Sweep::<WORDS> { decisions: &mut decisions, columns, rows: &mut rows, full };
            let group = columns.groups[0];
            assert_eq!((group.lowest, group.first, group.top), (0, 304, 319));
            // Of rows 0, 32, 64, ... row 32 alone is empty, and those of 64 to 288 are full.
            assert_eq!(sweep.pull(group, group.nodes().rev(), |_, _, _| {}), 32);
            assert!(sweep.full.are_sought, "8 x 32 rows of 18 edges are more than 320 of 12");
        });
    }
}
