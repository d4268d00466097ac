//! What the sweep has to do, known before it begins.
//!
//! Only nodes at which open edges end need a column. They are numbered upwards, and 512 of them are a group, for which
//! the sweep goes through the nodes from the group's highest target down to the lowest source of its open edges. So its
//! cost is the number of edges that leave these nodes, summed over the groups.
//! Cost: each open edge is looked at twice; 4 bytes of scratch a node, and 8 for each 512.

use super::graph::{Graph, accumulate};
use crate::error::Error;
use crate::scratch::Scratch;

/// The targets of open edges, numbered upwards, in groups of 512.
pub(super) struct Columns<'a> {
    /// The number of a target, or [`Columns::NONE`].
    pub numbers: &'a [u32],
    pub groups: &'a [Group],
}

/// The nodes whose rows a group needs: from the lowest source of its open edges to its highest target.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub lowest: u32,
    pub top: u32,
}

/// The bits of a row.
pub(super) const GROUP: usize = 512;

impl<'a> Columns<'a> {
    const NONE: u32 = u32::MAX;

    pub fn of(graph: &Graph, scratch: &mut Scratch<'a>) -> Result<Columns<'a>, Error> {
        let numbers = scratch.filled(graph.node_count(), Columns::NONE)?;
        let mut groups = scratch.list(graph.node_count().div_ceil(GROUP))?;
        for u in 0..graph.node_count() {
            for &v in &graph.targets[graph.open_edges(u)] {
                numbers[v as usize] = 0;
            }
        }
        let targets = (0u32..).zip(numbers.iter_mut()).filter(|(_, number)| **number == 0);
        for (count, (v, number)) in targets.enumerate() {
            if count.is_multiple_of(GROUP) {
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
                groups[numbers[v as usize] as usize / GROUP].lowest = u as u32;
            }
        }
        Ok(Columns { numbers, groups: groups.into_slice() })
    }

    /// At most how many rows the sweep merges: as many as edges leave the nodes of each group.
    pub fn most_merges(&self, graph: &Graph) -> u64 {
        let edges = |group: &Group| graph.starts[group.top as usize + 1] - graph.starts[group.lowest as usize];
        self.groups.iter().map(|group| u64::from(edges(group))).sum()
    }

    /// How many rows the sweep merges if no edge turns out redundant, no row empty, and no edge leads over all nodes of
    /// a group: as many as edges lead to nodes up to the group's top, but for those from below its lowest.
    pub fn predicted_merges(&self, graph: &Graph, mut scratch: Scratch) -> Result<u64, Error> {
        let ends = scratch.filled(graph.node_count(), 0)?;
        graph.targets[..graph.edge_count()].iter().for_each(|&v| ends[v as usize] += 1);
        accumulate(ends);
        let edges = |group: &Group| ends[group.top as usize].saturating_sub(graph.starts[group.lowest as usize]);
        Ok(self.groups.iter().map(|group| u64::from(edges(group))).sum())
    }
}
