//! Transitive reduction: the fewest edges with the same reachability, which for an acyclic graph are unique.
//!
//! An edge is needed exactly if no other path leads from its source to its target. Each stage decides some of the open
//! edges for good, so that any stages in any number give the same answer; `choose.rs` tells which cost least.

use super::choose::choose;
use super::graph::{Graph, Ids, Numbering};
use super::ranks::positions;
use super::sweep::sweep_all;
use super::{Edge, Flag, backward, chains, dense, levels, search};
use crate::error::{Error, Kind};
use crate::scratch::{Scratch, Word, index_limit, size};

/// Scratch bytes of [`transitive_reduction`]: 96 a node, 16 an edge and 1,024. For at most 2,048 nodes, edges beyond a
/// number count no more. 0 where there is no edge; `usize::MAX` on overflow.
pub fn transitive_reduction_scratch_size(node_count: usize, edge_count: usize) -> usize {
    match edge_count {
        0 => 0,
        _ if node_count > MOST_CAPPED_NODES => sparse_scratch_size(node_count, edge_count),
        _ => sparse_scratch_size(node_count, edge_count.min(fewest_dense_edges(node_count))),
    }
}

/// Scratch bytes of [`transitive_reduction_ranked`]: those of [`transitive_reduction`], 8 a node and 1,032.
pub fn transitive_reduction_ranked_scratch_size(node_count: usize, edge_count: usize) -> usize {
    match edge_count {
        0 => 0,
        _ => {
            let unranked = transitive_reduction_scratch_size(node_count, edge_count);
            size(&[(unranked, 1), (node_count, 8), (1, 1_032)])
        }
    }
}

fn sparse_scratch_size(node_count: usize, edge_count: usize) -> usize {
    size(&[(node_count, 96), (edge_count, 16), (1, 1_024)])
}

/// With no more nodes than this, what the matrices need bounds the scratch.
const MOST_CAPPED_NODES: usize = 2_048;

/// From so many edges on the matrices are used: where they are faster, and need no more scratch than the lists.
fn fewest_dense_edges(node_count: usize) -> usize {
    if node_count > dense::MOST_NODES {
        return usize::MAX;
    }
    let faster = node_count + node_count * node_count / 320;
    let smaller = dense::scratch_size(node_count).saturating_sub(node_count * 96 + 1_024).div_ceil(16);
    faster.max(smaller)
}

/// Finds for each edge whether it is in the reduction: `keep` gets 1 or 0, one an edge. Returns how many are.
/// Of equal edges the first is kept. The result depends on the set of edges alone, not on their order.
///
/// # Errors
/// The first edge that names a node at or beyond `node_count`, or that does not rise (`from < to`); more than
/// `u32::MAX` nodes or edges; scratch too small. `keep` is untouched then.
///
/// # Panics
/// If there are fewer places in `keep` than edges.
pub fn transitive_reduction(
    node_count: usize,
    edges: &[Edge],
    keep: &mut [u8],
    scratch: &mut [Word],
) -> Result<usize, Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(transitive_reduction_scratch_size(node_count, edges.len()))?;
    let problem = Problem { node_count, ranks: None, edges, flags: None };
    problem.check()?;
    problem.reduce(Method::Chosen, &mut keep[..edges.len()], &mut scratch).map(|(kept, _)| kept)
}

/// As [`transitive_reduction`], for nodes in any numbering and edges with flags.
///
/// Every edge must rise in `ranks`, one a node; without them the ids are the ranks. Equal ranks are fine where no edge
/// joins them. `flags` holds the number of a [`Flag`] for each edge; without them all are [`Flag::Ordinary`]. An
/// ordinary edge goes when another path exists over all edges together, and also when an edge with a flag equals it.
///
/// # Errors
/// As there, where to rise means in rank; and the first edge whose flag is none.
///
/// # Panics
/// If there are fewer ranks than nodes, or fewer flags or places in `keep` than edges.
pub fn transitive_reduction_ranked(
    node_count: usize,
    ranks: Option<&[i64]>,
    edges: &[Edge],
    flags: Option<&[u8]>,
    keep: &mut [u8],
    scratch: &mut [Word],
) -> Result<usize, Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(transitive_reduction_ranked_scratch_size(node_count, edges.len()))?;
    let problem = Problem { node_count, ranks, edges, flags };
    problem.check()?;
    problem.reduce(Method::Chosen, &mut keep[..edges.len()], &mut scratch).map(|(kept, _)| kept)
}

/// Which stages to run. The answer is the same; this is for tests and measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// What costs least by the rules.
    Chosen,
    /// The matrices of few nodes.
    Dense,
    /// The sweep alone, with columns for the targets of edges that span more than a level.
    Sweep,
    /// The filter by levels, then the sweep.
    Levels,
    /// The filters by levels and by chains, then the sweep.
    Chains,
    /// The filter by levels, then the search, then the sweep.
    Search,
    /// The filter by levels, then the search from targets back, then the sweep.
    Backward,
}

impl Method {
    /// All of them; those that force stages after the one that does not.
    pub const fn all() -> [Method; 7] {
        [Method::Chosen, Method::Dense, Method::Sweep, Method::Levels, Method::Chains, Method::Search, Method::Backward]
    }

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Chosen => "chosen",
            Method::Dense => "dense",
            Method::Sweep => "sweep",
            Method::Levels => "levels",
            Method::Chains => "chains",
            Method::Search => "search",
            Method::Backward => "backward",
        }
    }
}

/// Scratch bytes of [`transitive_reduction_by`].
pub fn transitive_reduction_by_scratch_size(method: Method, node_count: usize, edge_count: usize) -> usize {
    let lists = sparse_scratch_size(node_count, edge_count);
    let method = match method {
        Method::Chosen => transitive_reduction_scratch_size(node_count, edge_count),
        Method::Dense => dense::scratch_size(node_count),
        _ => lists,
    };
    size(&[(method, 1), (node_count, 8), (1, 1_032)])
}

/// [`transitive_reduction_ranked`] by the given stages. Returns how many edges are kept, and the stages that ran.
#[allow(clippy::too_many_arguments)]
pub fn transitive_reduction_by(
    method: Method,
    node_count: usize,
    ranks: Option<&[i64]>,
    edges: &[Edge],
    flags: Option<&[u8]>,
    keep: &mut [u8],
    scratch: &mut [Word],
) -> Result<(usize, Method), Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(transitive_reduction_by_scratch_size(method, node_count, edges.len()))?;
    let problem = Problem { node_count, ranks, edges, flags };
    problem.check()?;
    problem.reduce(method, &mut keep[..edges.len()], &mut scratch)
}

#[derive(Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub node_count: usize,
    pub ranks: Option<&'a [i64]>,
    pub edges: &'a [Edge],
    pub flags: Option<&'a [u8]>,
}

impl Problem<'_> {
    /// Refuses what cannot be reduced.
    pub fn check(self) -> Result<(), Error> {
        index_limit(self.node_count)?;
        index_limit(self.edges.len())?;
        if self.ranks.is_none() && self.flags.is_none() && all_rise(self.edges, self.node_count as u32) {
            return Ok(());
        }
        for (i, edge) in self.edges.iter().enumerate() {
            let (from, to) = (edge.from as usize, edge.to as usize);
            if let Some(node) = [from, to].into_iter().find(|&node| node >= self.node_count) {
                return Err(Error::new(Kind::EdgeNode, i, node, self.node_count));
            }
            if !self.ranks.map_or(from < to, |ranks| ranks[from] < ranks[to]) {
                return Err(Error::new(Kind::NotTopological, i, from, to));
            }
            if let Some(flag) = self.flags.map(|flags| flags[i]).filter(|&flag| flag > Flag::Background as u8) {
                return Err(Error::new(Kind::EdgeFlag, i, flag as usize, Flag::Background as usize));
            }
        }
        Ok(())
    }

    /// Writes the answer of a checked problem to `keep`, one an edge. Returns how many are kept, and the stages.
    pub fn reduce(self, method: Method, keep: &mut [u8], scratch: &mut Scratch) -> Result<(usize, Method), Error> {
        keep.fill(0);
        let method = match self.ranks {
            _ if self.edges.is_empty() => method,
            None => self.reduce_numbered(method, Ids, keep, scratch)?,
            Some(ranks) => {
                let positions = positions(&ranks[..self.node_count], scratch)?;
                self.reduce_numbered(method, positions, keep, scratch)?
            }
        };
        Ok((keep.iter().map(|&flag| usize::from(flag)).sum(), method))
    }

    fn reduce_numbered(
        self,
        method: Method,
        numbering: impl Numbering,
        keep: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<Method, Error> {
        let Problem { node_count, edges, flags, .. } = self;
        let scratch = &mut scratch.phase();
        let is_dense = method == Method::Chosen && edges.len() >= fewest_dense_edges(node_count);
        if is_dense || method == Method::Dense {
            dense::reduce(node_count, edges, numbering, flags, keep, scratch)?;
            return Ok(Method::Dense);
        }
        let graph = &mut Graph::new(node_count, edges, numbering, flags, keep, scratch)?;
        // The depths of the filter by levels; afterwards the sweep's.
        let numbers = scratch.filled(node_count, 0)?;
        if method == Method::Chosen {
            return choose(graph, numbers, keep, scratch);
        }
        levels::find_depths(graph, numbers);
        if method != Method::Sweep {
            levels::keep_short_edges(graph, numbers, keep, scratch.phase())?;
        }
        match method {
            Method::Chains => chains::drop_bypassed_edges(graph, scratch)?,
            Method::Search => search::run(graph, numbers, keep, scratch.phase())?,
            Method::Backward => backward::run(graph, numbers, keep, scratch.phase())?,
            _ => {}
        }
        sweep_all(graph, numbers, method == Method::Sweep, keep, scratch)?;
        Ok(method)
    }
}

/// Whether all edges rise between nodes. Without a way out in the middle this takes several edges at once.
fn all_rise(edges: &[Edge], node_count: u32) -> bool {
    edges.iter().fold(true, |all, edge| all & (edge.from < edge.to) & (edge.to < node_count))
}
