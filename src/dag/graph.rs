//! The graph that the stages share: the distinct edges by source, each source's open ones last.
//!
//! An edge is open until a stage has decided it. Invariant: the edges of source u lie at `starts[u]..starts[u + 1]`; those
//! before `opens[u]` are in the reduction, in any order; those from there on are open, by ascending target. Redundant
//! edges are gone. Whatever a stage decides is final, because every edge here is either needed or still a path that the
//! input has, and because what is gone has another path over the rest.
//!
//! Equal edges are adjacent after a stable sort, and the first stands for all. One that is protected or in the
//! background speaks for its equals: it is kept or dropped as its flag says, and the edge that stays here as a path has
//! no verdict to give.
//! Cost: linear, with two counting sorts where the edges are not sorted already; 8 bytes of scratch a node, 8 an edge.

use super::{Edge, Flag};
use crate::error::Error;
use crate::scratch::Scratch;
use crate::sort::counting_sort;

/// Where a caller's node stands in the topological order.
pub(super) trait Numbering: Copy {
    fn position(self, node: u32) -> u32;
}

/// The ids are the positions.
#[derive(Clone, Copy)]
pub(super) struct Ids;

impl Numbering for Ids {
    fn position(self, node: u32) -> u32 {
        node
    }
}

impl Numbering for &[u32] {
    fn position(self, node: u32) -> u32 {
        self[node as usize]
    }
}

pub(super) struct Graph<'a> {
    pub starts: &'a mut [u32],
    pub opens: &'a mut [u32],
    pub targets: &'a mut [u32],
    /// The input's index of an open edge, or [`Graph::NOBODY`].
    pub origins: &'a mut [u32],
}

impl<'a> Graph<'a> {
    pub const BYTES_A_NODE: usize = 8;
    pub const BYTES_AN_EDGE: usize = 8;

    /// The origin of a path that gives no verdict. No edge has this index: there are at most `u32::MAX`.
    const NOBODY: u32 = u32::MAX;

    pub fn new(
        node_count: usize,
        edges: &[Edge],
        numbering: impl Numbering,
        flags: Option<&[u8]>,
        keep: &mut [u8],
        scratch: &mut Scratch<'a>,
    ) -> Result<Graph<'a>, Error> {
        let starts = scratch.filled(node_count + 1, 0)?;
        let opens = scratch.filled(node_count, 0)?;
        let targets = scratch.filled(edges.len(), 0)?;
        let origins = scratch.filled(edges.len(), 0)?;
        let source = |edge: u32| numbering.position(edges[edge as usize].from);
        let target = |edge: u32| numbering.position(edges[edge as usize].to);

        let indices = 0..edges.len() as u32;
        if edges.is_sorted_by_key(|edge| (numbering.position(edge.from), numbering.position(edge.to))) {
            origins.iter_mut().zip(indices.clone()).for_each(|(origin, edge)| *origin = edge);
        } else {
            counting_sort(indices, target, starts, targets);
            counting_sort(targets.iter().copied(), source, starts, origins);
        }

        let mut graph = Graph { starts, opens, targets, origins };
        graph.take_distinct(source, target, flags, keep);
        Ok(graph)
    }

    /// From the sorted edges in `origins` to one a source and target.
    fn take_distinct(
        &mut self,
        source: impl Fn(u32) -> u32,
        target: impl Fn(u32) -> u32,
        flags: Option<&[u8]>,
        keep: &mut [u8],
    ) {
        let flag = |edge: u32| flags.map_or(Flag::Ordinary, |flags| Flag::of(flags[edge as usize]));
        let (mut read, mut written, mut sources) = (0, 0, 0);
        while let Some(&first) = self.origins.get(read) {
            let (from, to) = (source(first), target(first));
            let mut origin = first;
            while let Some(&edge) = self.origins.get(read).filter(|&&edge| (source(edge), target(edge)) == (from, to)) {
                if flag(edge) != Flag::Ordinary {
                    origin = Graph::NOBODY;
                }
                keep[edge as usize] = u8::from(flag(edge) == Flag::Protected);
                read += 1;
            }
            while sources <= from as usize {
                self.starts[sources] = written as u32;
                sources += 1;
            }
            self.targets[written] = to;
            self.origins[written] = origin;
            written += 1;
        }
        self.starts[sources..].fill(written as u32);
        self.opens.copy_from_slice(&self.starts[..self.opens.len()]);
    }

    pub fn node_count(&self) -> usize {
        self.opens.len()
    }

    pub fn edge_count(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// Where the edges of a source lie.
    pub fn edges(&self, source: usize) -> core::ops::Range<usize> {
        self.starts[source] as usize..self.starts[source + 1] as usize
    }

    /// Where the open ones among them lie.
    pub fn open_edges(&self, source: usize) -> core::ops::Range<usize> {
        self.opens[source] as usize..self.starts[source + 1] as usize
    }

    /// Says that an open edge is in the reduction.
    pub fn keep(&self, edge: usize, keep: &mut [u8]) {
        if let Some(flag) = keep.get_mut(self.origins[edge] as usize) {
            *flag = 1;
        }
    }
}
