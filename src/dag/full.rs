//! Which nodes reach every column of a group: their rows are full.
//!
//! In a graph of many edges most nodes some way below the columns do. A node with a full successor is full, so the rows
//! of its others need not be merged; and where all targets of open edges are columns, all those of a full node up to
//! the group's top are redundant. A bit tells, as to compare a row takes as long as to merge one.
//!
//! Full rows are looked for only where those of the group before would have spared much.
//! Cost: a bit of scratch a node.

use super::columns::Group;
use super::graph::Graph;
use crate::error::Error;
use crate::scratch::Scratch;

pub(super) struct FullRows<'a> {
    /// Of the nodes of the present group, from the top down to the visited one.
    bits: &'a mut [u64],
    pub are_sought: bool,
}

impl<'a> FullRows<'a> {
    pub fn of(graph: &Graph, scratch: &mut Scratch<'a>) -> Result<FullRows<'a>, Error> {
        Ok(FullRows { bits: scratch.filled(graph.node_count().div_ceil(64), 0)?, are_sought: false })
    }

    /// Forgets the group before.
    pub fn begin(&mut self, group: Group) {
        self.bits[group.lowest as usize / 64..=group.top as usize / 64].fill(0);
    }

    pub fn insert(&mut self, node: usize) {
        self.bits[node / 64] |= 1 << (node % 64);
    }

    pub fn contains(&self, node: u32) -> bool {
        self.bits[node as usize / 64] >> (node % 64) & 1 == 1
    }

    /// Says whether to look for full rows from the next group on: if so many would have spared twelve edges for each
    /// node of this one.
    pub fn seek_if_common(&mut self, count: usize, group: Group, graph: &Graph) {
        let nodes = u64::from(group.top - group.lowest) + 1;
        let edges = u64::from(graph.starts[group.top as usize + 1] - graph.starts[group.lowest as usize]);
        self.are_sought = count as u64 * (edges / nodes) >= 12 * nodes;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::ask;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn a_group_begins_without_full_rows_and_those_above_it_stay_so() {
        ask(&[(0, 199)], |graph, scratch| {
            let mut full = FullRows::of(graph, scratch).expect("marks");
            [70, 127, 129].into_iter().for_each(|node| full.insert(node));
            assert_eq!([69, 70, 71, 127, 129].map(|node| full.contains(node)), [false, true, false, true, true]);
            full.begin(Group { lowest: 70, first: 120, top: 129 });
            assert!((0..200).all(|node| !full.contains(node)));
        });
    }

    #[test]
    fn full_rows_are_sought_where_they_would_have_spared_twelve_edges_a_node() {
        // From each of the nodes 4 to 35 there are 15 edges, and more from those below.
        let edges = (0..36).flat_map(|u| (u + 1..u + if u < 4 { 41 } else { 16 }).map(move |v| (u, v)));
        let edges: Vec<(u32, u32)> = edges.collect();
        ask(&edges, |graph, scratch| {
            let mut full = FullRows::of(graph, scratch).expect("marks");
            let group = Group { lowest: 4, first: 16, top: 35 };
            // 25 x 15 edges are fewer than 32 x 12, and 26 x 15 are not.
            for (count, are_sought) in [(26, true), (25, false)] {
                full.seek_if_common(count, group, graph);
                assert_eq!(full.are_sought, are_sought);
            }
        });
    }
}
