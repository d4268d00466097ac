//! One group of the sweep, pulled: every node takes the rows of its successors.
//!
//! Sources descend from the highest column to the lowest source of an open edge to one. Invariant: each row from the
//! present source to the top holds what its node reaches within the group, and a row above the top is empty, since no
//! earlier group came so far.

use super::columns::Group;
use super::decisions::Sweep;
use super::graph::Predecessors;
use super::rows::Row;

impl<const WORDS: usize> Sweep<'_, '_, WORDS> {
    /// Decides the open edges to the columns of a group. Returns about how many rows are empty.
    pub fn pull(&mut self, group: Group, mut predecessors: Option<&mut Predecessors>) -> usize {
        let mut empty = 0;
        for u in (group.lowest as usize..=group.top as usize).rev() {
            let (rows, above) = self.rows.split_at_mut(u + 1);
            write_union(&mut rows[u], self.decisions.kept(u), above, u + 1);
            if self.decisions.is_open(u, group.top) {
                match &mut predecessors {
                    None => self.decisions.decide(u, group.top, self.rows, self.columns, |_, _| {}),
                    Some(predecessors) => self.decisions.decide(u, group.top, self.rows, self.columns, |v, is_kept| {
                        predecessors.decide(v as usize, u as u32, is_kept);
                    }),
                }
            }
            if let Some(column) = self.columns.number(u, group) {
                self.rows[u].insert(column);
            }
            if u % SAMPLED == 0 && self.rows[u].is_empty() {
                empty += SAMPLED;
            }
        }
        empty
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
