//! One group of the sweep, pulled: every node takes the rows of its successors.
//!
//! Sources descend from the group's highest column to the lowest source of an open edge to one. Invariant: each row from
//! the present source to the top holds what its node reaches within the group, and a row above the top is empty, since
//! no earlier group came so far.

use super::columns::Group;
use super::graph::Predecessors;
use super::rows::Row;
use super::sweep::Sweep;

impl<const WORDS: usize> Sweep<'_, '_, WORDS> {
    /// Decides the open edges to the columns of a group. Returns how many nodes have a row that is not empty.
    pub fn pull(&mut self, group: Group, mut predecessors: Option<&mut Predecessors>) -> usize {
        let mut pull = |u: &usize| self.pull_node(group, *u, predecessors.as_deref_mut());
        (group.lowest as usize..=group.top as usize).rev().filter(|u| pull(u)).count()
    }

    /// Apart from the loop over the nodes, where the compiler would keep the row word by word.
    #[inline(never)]
    fn pull_node(&mut self, group: Group, u: usize, predecessors: Option<&mut Predecessors>) -> bool {
        let mut row = union(self.decisions.kept(u), self.rows);
        if self.decisions.is_open(u, group.top) {
            self.decisions.decide(u, group.top, &mut row, self.rows, self.columns, predecessors);
        }
        if let Some(column) = self.columns.number(u, group) {
            row.insert(column);
        }
        self.rows[u] = row;
        !row.is_empty()
    }
}

/// Apart from the deciding loop, which indexes its row by a variable and so would keep this one out of registers.
fn union<const WORDS: usize>(successors: &[u32], rows: &[Row<WORDS>]) -> Row<WORDS> {
    let mut row = Row::EMPTY;
    for &v in successors {
        row.merge(&rows[v as usize]);
    }
    row
}
