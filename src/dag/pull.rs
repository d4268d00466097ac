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
        let full = &Row::full(self.columns.numbers[group.top as usize]);
        if self.full.are_sought {
            self.full.begin(group);
            for u in nodes {
                // A full node is below the columns, since it reaches the lowest.
                if self.write_union_or_full(u, full) && !self.columns.is_partial {
                    self.decisions.drop_edges(u, group.top);
                } else {
                    self.decide_and_insert(u, group, &mut tell);
                }
            }
        } else {
            for u in nodes {
                let (rows, above) = self.rows.split_at_mut(u + 1);
                write_union(&mut rows[u], self.decisions.kept(u), above, u + 1);
                self.decide_and_insert(u, group, &mut tell);
            }
        }
        let rows = &self.rows[group.lowest as usize..=group.top as usize];
        let (mut full_count, mut empty_count) = (0, 0);
        for row in rows.iter().step_by(SAMPLED) {
            full_count += usize::from(row.equals(full));
            empty_count += usize::from(row.is_empty());
        }
        self.full.seek_if_common(full_count * SAMPLED, group, &self.decisions.graph);
        empty_count * SAMPLED
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
    fn write_union_or_full(&mut self, u: usize, full: &Row<WORDS>) -> bool {
        let successors = self.decisions.kept(u);
        let (rows, above) = self.rows.split_at_mut(u + 1);
        let row = &mut rows[u];
        if successors.iter().any(|&v| self.full.contains(v)) {
            *row = *full;
        } else {
            write_union(row, successors, above, u + 1);
        }
        let is_full = row.equals(full);
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
