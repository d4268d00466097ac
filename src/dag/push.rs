//! One group of the sweep, pushed: only active nodes are visited, each of which gives its row to its predecessors.
//!
//! So an empty row costs nothing. Active from the beginning are the columns, and from the visit of a column on the
//! sources of the open edges to it; a visit makes the irredundant predecessors active. An open edge is not pushed
//! along: its source decides it by its row, and from the next group on a kept one is pushed along too. Invariants:
//! active nodes are below the visited one, whose row is complete; between groups all rows are empty and none is active.
//! Cost: 16 bytes of scratch for each 64 nodes, besides the rows and the predecessors.

use super::columns::Group;
use super::decisions::Sweep;
use super::graph::Predecessors;
use super::rows::Row;

/// Which of 64 nodes are to be visited, and which of these are columns or have open edges to some.
#[derive(Clone, Copy, Default)]
pub(super) struct State {
    active: u64,
    asked: u64,
}

impl State {
    #[cfg(test)]
    pub fn is_idle(&self) -> bool {
        self.active | self.asked == 0
    }

    fn wake(&mut self, node: usize) {
        self.active |= 1 << (node % 64);
        self.asked |= 1 << (node % 64);
    }
}

impl<const WORDS: usize> Sweep<'_, '_, WORDS> {
    /// Decides the open edges to the columns of a group. Returns how many nodes of its range it did not visit.
    pub fn push(&mut self, group: Group, states: &mut [State], predecessors: &mut Predecessors) -> usize {
        let columns = self.columns;
        let columns = || (group.first as usize..=group.top as usize).filter(|&v| columns.number(v, group).is_some());
        columns().for_each(|v| states[v / 64].wake(v));
        let mut visited = 0;
        for word in (group.lowest as usize / 64..=group.top as usize / 64).rev() {
            // Visits make lower nodes of the word active.
            while states[word].active != 0 {
                let state = &mut states[word];
                let bit = state.active.ilog2();
                let is_asked = state.asked >> bit & 1 == 1;
                state.active ^= 1 << bit;
                state.asked &= !(1 << bit);
                let u = word * 64 + bit as usize;
                if is_asked {
                    self.decide(group, u, states, predecessors);
                }
                let row = self.rows[u];
                // The row of a column is wanted once more, by the sources of open edges.
                if !(is_asked && self.columns.number(u, group).is_some()) {
                    self.rows[u] = Row::EMPTY;
                }
                for &p in predecessors.kept(u).iter().filter(|&&p| p >= group.lowest) {
                    self.rows[p as usize].merge(&row);
                    states[p as usize / 64].active |= 1 << (p % 64);
                }
                visited += 1;
            }
        }
        columns().for_each(|v| self.rows[v] = Row::EMPTY);
        (group.top - group.lowest) as usize + 1 - visited
    }

    /// Decides the open edges of a source that end in the group, where its row holds what its decided ones reach. If it
    /// is a column, wakes the sources of the open ones to it.
    #[inline(never)]
    fn decide(&mut self, group: Group, u: usize, states: &mut [State], predecessors: &mut Predecessors) {
        if self.decisions.is_open(u, group.top) {
            self.decisions.decide(u, group.top, self.rows, self.columns, |v, is_kept| {
                predecessors.decide(v as usize, u as u32, is_kept);
            });
        }
        if let Some(column) = self.columns.number(u, group) {
            self.rows[u].insert(column);
            for &p in predecessors.open(u) {
                states[p as usize / 64].wake(p as usize);
            }
        }
    }
}
