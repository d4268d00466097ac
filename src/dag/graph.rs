//! The graph that the stages share: the distinct edges by source, each source's open ones last.
//!
//! An edge is open until a stage has decided it. Invariant: the edges of source u lie at `starts[u]..starts[u + 1]`;
//! those before `opens[u]` are in the reduction, in any order; those from there on are open, by ascending target.
//! Redundant edges are gone. Whatever a stage decides is final, because every edge here is either needed or still a
//! path that the input has, and because what is gone has another path over the rest.
//!
//! Equal edges are adjacent after a stable sort, and the first stands for all. One that is protected or in the
//! background speaks for its equals: it is kept or dropped as its flag says, and the edge that stays here as a path has
//! no verdict to give.
//! Cost: linear, with two counting sorts where the edges do not come sorted and distinct. Scratch: 8 bytes a node and 8
//! an edge, and while it sorts 4 and 8 more.

use super::{Edge, Flag};
use crate::error::Error;
use crate::scratch::Scratch;

/// Where a caller's node stands in the topological order.
pub(super) trait Numbering: Copy {
    /// Whether every node stands at its id.
    const IS_IDS: bool;

    fn position(self, node: u32) -> u32;
}

/// The ids are the positions.
#[derive(Clone, Copy)]
pub(super) struct Ids;

impl Numbering for Ids {
    const IS_IDS: bool = true;

    fn position(self, node: u32) -> u32 {
        node
    }
}

impl Numbering for &[u32] {
    const IS_IDS: bool = false;

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
    /// The input, where it was these edges in this order.
    input: Option<&'a [Edge]>,
}

impl<'a> Graph<'a> {
    /// The origin of a path that gives no verdict. No edge has this index: there are at most `u32::MAX`.
    const NOBODY: u32 = u32::MAX;

    // A call: what it has on the stack is gone when the next stage begins.
    #[inline(never)]
    pub fn new<N: Numbering>(
        node_count: usize,
        edges: &'a [Edge],
        numbering: N,
        flags: Option<&[u8]>,
        keep: &mut [u8],
        scratch: &mut Scratch<'a>,
    ) -> Result<Graph<'a>, Error> {
        let mut graph = Graph {
            starts: scratch.filled(node_count + 1, 0)?,
            opens: scratch.filled(node_count, 0)?,
            targets: scratch.filled(edges.len(), 0)?,
            origins: scratch.filled(edges.len(), 0)?,
            input: None,
        };
        let ends = |edge: &Edge| (numbering.position(edge.from), numbering.position(edge.to));
        let is_strictly_sorted = find_ends_of_sorted(edges, ends, graph.starts);
        if is_strictly_sorted {
            // A source without edges begins and ends where the one before it ends.
            let mut end = 0;
            for start in &mut *graph.starts {
                end = end.max(*start);
                *start = end;
            }
            for (i, edge) in edges.iter().enumerate() {
                graph.targets[i] = ends(edge).1;
                graph.origins[i] = i as u32;
            }
        } else {
            graph.starts.fill(0);
            for edge in edges {
                graph.starts[ends(edge).0 as usize + 1] += 1;
            }
            accumulate(graph.starts);
            graph.place_sorted(edges, ends, scratch.phase())?;
        }
        if !is_strictly_sorted || flags.is_some() {
            graph.drop_repeats(flags, keep);
        }
        graph.input = (is_strictly_sorted && N::IS_IDS).then_some(edges);
        graph.opens.copy_from_slice(&graph.starts[..node_count]);
        Ok(graph)
    }

    /// Sorts by target and then, stably, by source; `starts` already tells where each source begins.
    fn place_sorted(
        &mut self,
        edges: &[Edge],
        ends: impl Fn(&Edge) -> (u32, u32),
        mut scratch: Scratch,
    ) -> Result<(), Error> {
        // Where the next edge to a node goes; afterwards, where those to the node after it begin.
        let next = scratch.filled(self.node_count() + 1, 0)?;
        let by_target = scratch.filled(edges.len(), (0, 0))?;
        for edge in edges {
            next[ends(edge).1 as usize + 1] += 1;
        }
        accumulate(next);
        for (i, edge) in edges.iter().enumerate() {
            let (source, target) = ends(edge);
            let place = &mut next[target as usize];
            by_target[*place as usize] = (source, i as u32);
            *place += 1;
        }
        self.opens.copy_from_slice(&self.starts[..self.opens.len()]);
        let mut begin = 0;
        for (target, &end) in (0u32..).zip(&*next) {
            for &(source, origin) in &by_target[begin..end as usize] {
                let place = &mut self.opens[source as usize];
                self.targets[*place as usize] = target;
                self.origins[*place as usize] = origin;
                *place += 1;
            }
            begin = end as usize;
        }
        Ok(())
    }

    /// From the sorted edges to one a source and target.
    fn drop_repeats(&mut self, flags: Option<&[u8]>, keep: &mut [u8]) {
        let (mut begin, mut written) = (0, 0);
        for u in 0..self.node_count() {
            let end = self.starts[u + 1] as usize;
            self.starts[u] = written as u32;
            for read in begin..end {
                let origin = self.origins[read];
                if read == begin || self.targets[read] != self.targets[written - 1] {
                    self.targets[written] = self.targets[read];
                    self.origins[written] = origin;
                    written += 1;
                }
                let flag = flags.map_or(Flag::Ordinary, |flags| Flag::of(flags[origin as usize]));
                if flag != Flag::Ordinary {
                    self.origins[written - 1] = Graph::NOBODY;
                    keep[origin as usize] = u8::from(flag == Flag::Protected);
                }
            }
            begin = end;
        }
        if let Some(end) = self.starts.last_mut() {
            *end = written as u32;
        }
    }

    /// The same graph, for a shorter time.
    pub fn lent(&mut self) -> Graph<'_> {
        Graph {
            starts: self.starts,
            opens: self.opens,
            targets: self.targets,
            origins: self.origins,
            input: self.input,
        }
    }

    pub fn node_count(&self) -> usize {
        self.opens.len()
    }

    pub fn has_open_edges(&self) -> bool {
        self.opens.iter().zip(&self.starts[1..]).any(|(open, end)| open < end)
    }

    pub fn edge_count(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// Shows the source and the target of each edge, upwards. All must still be open.
    pub fn for_each_edge(&self, mut show: impl FnMut(u32, u32)) {
        match self.input() {
            Some(edges) => edges.iter().for_each(|edge| show(edge.from, edge.to)),
            None => {
                for u in 0..self.node_count() {
                    self.targets[self.edges(u)].iter().for_each(|&v| show(u as u32, v));
                }
            }
        }
    }

    /// As [`Graph::for_each_edge`], downwards.
    pub fn for_each_edge_down(&self, mut show: impl FnMut(u32, u32)) {
        match self.input() {
            Some(edges) => edges.iter().rev().for_each(|edge| show(edge.from, edge.to)),
            None => {
                for u in (0..self.node_count()).rev() {
                    self.targets[self.edges(u)].iter().rev().for_each(|&v| show(u as u32, v));
                }
            }
        }
    }

    /// Takes open edges out, source by source upwards. `filter` gets a source that has some, the targets and origins of
    /// its edges, and how many are decided before them. It says how many edges are left at the front, and how many of
    /// these are decided now.
    pub fn filter_sources(&mut self, mut filter: impl FnMut(usize, &mut [u32], &mut [u32], usize) -> (usize, usize)) {
        let (mut begin, mut written) = (0, 0);
        for u in 0..self.node_count() {
            let (open, end) = (self.opens[u] as usize, self.starts[u + 1] as usize);
            let (mut left, mut decided) = (end - begin, open - begin);
            if open < end {
                let (targets, origins) = (&mut self.targets[begin..end], &mut self.origins[begin..end]);
                (left, decided) = filter(u, targets, origins, decided);
            }
            self.targets.copy_within(begin..begin + left, written);
            self.origins.copy_within(begin + decided..begin + left, written + decided);
            self.starts[u] = written as u32;
            self.opens[u] = (written + decided) as u32;
            written += left;
            begin = end;
        }
        if let Some(end) = self.starts.last_mut() {
            *end = written as u32;
        }
    }

    /// The input, where it is these edges in this order. To go through it is faster, as where the edges of a source end
    /// is hard to foretell.
    fn input(&self) -> Option<&[Edge]> {
        debug_assert!(*self.opens == self.starts[..self.node_count()], "edges are decided");
        self.input.filter(|edges| edges.len() == self.edge_count())
    }

    /// Where the edges of a source lie.
    pub fn edges(&self, source: usize) -> core::ops::Range<usize> {
        self.starts[source] as usize..self.starts[source + 1] as usize
    }

    /// Where the open ones among them lie.
    pub fn open_edges(&self, source: usize) -> core::ops::Range<usize> {
        self.opens[source] as usize..self.starts[source + 1] as usize
    }
}

/// Writes behind each source of sorted and distinct edges where its edges end. Returns false, and may have written
/// some, where the edges are not.
fn find_ends_of_sorted(edges: &[Edge], ends: impl Fn(&Edge) -> (u32, u32), starts: &mut [u32]) -> bool {
    // Below every edge, as an edge rises.
    let mut last = 0;
    for (end, edge) in (1..).zip(edges) {
        let (source, target) = ends(edge);
        let both = u64::from(source) << 32 | u64::from(target);
        if both <= last {
            return false;
        }
        starts[source as usize + 1] = end;
        last = both;
    }
    true
}

/// The sources of the edges to each node: first those of edges in the reduction, then those of open ones.
pub(super) struct Predecessors<'a> {
    starts: &'a [u32],
    /// Where the open ones begin.
    opens: &'a mut [u32],
    sources: &'a mut [u32],
}

impl<'a> Predecessors<'a> {
    /// The edges in the reduction end at `kept_ends` of their source; `opens` has a place for each node.
    pub fn of(
        graph: &Graph,
        kept_ends: &[u32],
        opens: &'a mut [u32],
        scratch: &mut Scratch<'a>,
    ) -> Result<Predecessors<'a>, Error> {
        let starts = scratch.filled(graph.node_count() + 1, 0)?;
        let sources = scratch.filled(graph.edge_count(), 0)?;
        let open = |u| &graph.targets[graph.open_edges(u)];
        let kept = |u| &graph.targets[graph.starts[u] as usize..kept_ends[u] as usize];
        // In runs between the holes that redundant edges left.
        let mut count = |edges: core::ops::Range<usize>| {
            graph.targets[edges].iter().for_each(|&v| starts[v as usize + 1] += 1);
        };
        let mut begin = 0;
        for (&kept_end, &open) in kept_ends.iter().zip(&*graph.opens).filter(|(kept_end, open)| kept_end < open) {
            count(begin..kept_end as usize);
            begin = open as usize;
        }
        count(begin..graph.edge_count());
        accumulate(starts);
        let end = starts[graph.node_count()];
        // From the end of each node down to its start: first the open ones.
        let mut place = |u: usize, v: u32, starts: &mut [u32]| {
            let start = &mut starts[v as usize + 1];
            *start -= 1;
            sources[*start as usize] = u as u32;
        };
        for u in 0..graph.node_count() {
            open(u).iter().for_each(|&v| place(u, v, starts));
        }
        opens.copy_from_slice(&starts[1..]);
        for u in 0..graph.node_count() {
            kept(u).iter().for_each(|&v| place(u, v, starts));
        }
        starts.copy_within(1.., 0);
        starts[graph.node_count()] = end;
        Ok(Predecessors { starts, opens, sources })
    }

    pub fn kept(&self, node: usize) -> &[u32] {
        &self.sources[self.starts[node] as usize..self.opens[node] as usize]
    }

    pub fn open(&self, node: usize) -> &[u32] {
        &self.sources[self.opens[node] as usize..self.starts[node + 1] as usize]
    }

    /// Says whether the open edge from a source is in the reduction. Overwrites another open one, for which nobody will
    /// ask any more: those to one node are all decided in the same group.
    pub fn decide(&mut self, node: usize, source: u32, is_kept: bool) {
        let place = &mut self.opens[node];
        self.sources[*place as usize] = source;
        *place += u32::from(is_kept);
    }
}

/// Moves the targets that are to be kept to the front, and their origins. Returns how many there are.
pub(super) fn retain(targets: &mut [u32], origins: &mut [u32], mut is_kept: impl FnMut(u32) -> bool) -> usize {
    let mut count = 0;
    for edge in 0..targets.len() {
        if is_kept(targets[edge]) {
            targets[count] = targets[edge];
            origins[count] = origins[edge];
            count += 1;
        }
    }
    count
}

/// Says whether the open edge of an origin is in the reduction, where `keep` still holds 0.
pub(super) fn decide(origin: u32, is_kept: bool, keep: &mut [u8]) {
    if let Some(flag) = keep.get_mut(origin as usize) {
        *flag |= u8::from(is_kept);
    }
}

/// From counts at one more than their place to starts.
pub(super) fn accumulate(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}
