//! What the sweep has to do, known before it begins.
//!
//! Only nodes at which open edges end need a column; where the depths are known, only those at which a long one ends,
//! that is one which spans more than a level: short edges are in the reduction without a question (`levels.rs`).
//! Columns are numbered upwards, and 512 of them are a group, for which the sweep goes through the nodes from the
//! group's highest target down to the lowest source of its open edges. So its cost is the number of edges that leave
//! these nodes, summed over the groups.
//! Cost: each open edge is looked at once; 4 bytes of scratch a node, 12 for each 512, and a byte a node for a while.

use super::graph::{Graph, accumulate};
use crate::error::Error;
use crate::scratch::Scratch;

/// The targets of open edges, numbered upwards, in groups of 512.
pub(super) struct Columns<'a> {
    /// The number of a target modulo the bits of two groups, with [`Columns::LEADS_ON`] if it has successors; or
    /// [`Columns::NONE`].
    pub numbers: &'a [u32],
    pub groups: &'a [Group],
    /// Whether there may be open edges to nodes that are no column. All of these are in the reduction.
    pub is_partial: bool,
}

/// The nodes whose rows a group needs: from the lowest source of its open edges to its highest target.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub lowest: u32,
    /// The lowest target.
    pub first: u32,
    pub top: u32,
}

impl Group {
    /// Its nodes, upwards.
    pub fn nodes(self) -> core::ops::RangeInclusive<u32> {
        self.lowest..=self.top
    }

    /// Several groups as one.
    pub fn of_all(groups: &[Group]) -> Group {
        groups.iter().fold(Group { lowest: u32::MAX, first: u32::MAX, top: 0 }, |all, group| Group {
            lowest: all.lowest.min(group.lowest),
            first: all.first.min(group.first),
            top: all.top.max(group.top),
        })
    }
}

/// The bits of a row.
pub(super) const GROUP: usize = 512;

impl<'a> Columns<'a> {
    pub(super) const NONE: u32 = u32::MAX;

    /// Rows, which take a number modulo their bits, do not see it.
    pub(super) const LEADS_ON: u32 = 1 << 30;

    /// With depths, those of long edges alone.
    pub fn of(graph: &Graph, depths: Option<&[u32]>, scratch: &mut Scratch<'a>) -> Result<Columns<'a>, Error> {
        let numbers = scratch.filled(graph.node_count(), Columns::NONE)?;
        let mut groups = scratch.list(graph.node_count().div_ceil(GROUP))?;
        match depths {
            None => find_lowest_sources(graph, numbers),
            Some(depths) => find_lowest_sources_of_long(graph, depths, numbers, scratch.phase())?,
        }
        let targets = (0u32..).zip(numbers.iter_mut()).filter(|(_, number)| **number != Columns::NONE);
        for (count, (v, number)) in targets.enumerate() {
            if count.is_multiple_of(GROUP) {
                groups.push(Group { lowest: *number, first: v, top: v });
            }
            if let Some(group) = groups.last_mut() {
                group.lowest = group.lowest.min(*number);
                group.top = v;
            }
            *number = (count % (2 * GROUP)) as u32;
        }
        for (number, ends) in numbers.iter_mut().zip(graph.starts.windows(2)) {
            *number |= if ends[0] < ends[1] { Columns::LEADS_ON } else { 0 };
        }
        Ok(Columns { numbers, groups: groups.into_slice(), is_partial: depths.is_some() })
    }

    /// Whether a node is no column.
    pub fn is_beside(&self, node: u32) -> bool {
        self.numbers[node as usize] == Columns::NONE
    }

    /// The number of a node, at most the group's top, if it is a column of the group.
    pub fn number(&self, node: usize, group: Group) -> Option<u32> {
        // Below the group's first target most nodes are, and their numbers are not looked at.
        let number = if node < group.first as usize { Columns::NONE } else { self.numbers[node] };
        (number != Columns::NONE).then_some(number)
    }

    /// At most how many rows the sweep merges, so many groups at a time: as many as edges leave the nodes of each.
    pub fn most_merges(&self, graph: &Graph, at_a_time: usize) -> u64 {
        let edges = |group: Group| graph.starts[group.top as usize + 1] - graph.starts[group.lowest as usize];
        self.groups.chunks(at_a_time).map(|groups| u64::from(edges(Group::of_all(groups)))).sum()
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

/// Writes for each node the lowest source of an open edge to it: the last that is seen.
fn find_lowest_sources(graph: &Graph, sources: &mut [u32]) {
    for u in (0..graph.node_count()).rev() {
        for &v in &graph.targets[graph.open_edges(u)] {
            sources[v as usize] = u as u32;
        }
    }
}

/// As [`find_lowest_sources`], of the nodes at which a long one ends.
fn find_lowest_sources_of_long(
    graph: &Graph,
    depths: &[u32],
    sources: &mut [u32],
    mut scratch: Scratch,
) -> Result<(), Error> {
    let have_long = scratch.filled(graph.node_count(), false)?;
    graph.for_each_edge_down(|u, v| {
        sources[v as usize] = u;
        have_long[v as usize] |= depths[v as usize] != depths[u as usize] + 1;
    });
    for (source, &has_long) in sources.iter_mut().zip(&*have_long) {
        *source = if has_long { *source } else { Columns::NONE };
    }
    Ok(())
}
