//! Transitive reduction: the fewest edges with the same reachability, which for an acyclic graph are unique.
//!
//! Kept are exactly the edges without another path from source to target. Each stage decides some of the open edges for
//! good, so that any stages in any number give the same answer; this file chooses them by what they will cost.

use super::graph::{Graph, Ids, Numbering};
use super::sweep::{Columns, sweep};
use super::search::Search;
use super::{Edge, chains, dense, levels};
use crate::error::{Error, Kind};
use crate::scratch::{Scratch, Word, index_limit, size};

/// Scratch bytes of [`transitive_reduction`]; `usize::MAX` on overflow. 0 where there is no edge.
pub fn transitive_reduction_scratch_size(node_count: usize, edge_count: usize) -> usize {
    match edge_count {
        0 => 0,
        _ if node_count > dense::MOST_NODES => sparse_scratch_size(node_count, edge_count),
        _ => dense::scratch_size(node_count).min(sparse_scratch_size(dense::MOST_NODES, edge_count)),
    }
}

fn sparse_scratch_size(node_count: usize, edge_count: usize) -> usize {
    size(&[(node_count, 96), (edge_count, 12), (1, 512)])
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
    let problem = Problem { node_count, edges };
    let mut scratch = Scratch::new(scratch);
    scratch.require(transitive_reduction_scratch_size(node_count, edges.len()))?;
    problem.check()?;
    problem.reduce(&mut keep[..edges.len()], &mut scratch)
}

/// Which stages to run; for tests and measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// What costs least by the rules.
    Chosen,
    /// The matrices of few nodes.
    Dense,
    /// The sweep alone.
    Sweep,
    /// The filter by levels, then the sweep.
    Levels,
    /// The filters by levels and by chains, then the sweep.
    Chains,
    /// The filters by levels and by chains, then the search to the end.
    Search,
    /// The filter by levels, then the search to the end.
    SearchAlone,
}

#[doc(hidden)]
pub fn transitive_reduction_by_scratch_size(method: Method, node_count: usize, edge_count: usize) -> usize {
    match method {
        Method::Chosen => transitive_reduction_scratch_size(node_count, edge_count),
        Method::Dense => dense::scratch_size(node_count),
        _ => sparse_scratch_size(node_count, edge_count),
    }
}

#[doc(hidden)]
pub fn transitive_reduction_by(
    method: Method,
    node_count: usize,
    edges: &[Edge],
    keep: &mut [u8],
    scratch: &mut [Word],
) -> Result<usize, Error> {
    let problem = Problem { node_count, edges };
    let mut scratch = Scratch::new(scratch);
    problem.check()?;
    problem.reduce_by(method, Ids, &mut keep[..edges.len()], &mut scratch)
}

#[derive(Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub node_count: usize,
    pub edges: &'a [Edge],
}

impl Problem<'_> {
    pub fn check(self) -> Result<(), Error> {
        index_limit(self.node_count)?;
        index_limit(self.edges.len())?;
        self.edges.iter().enumerate().try_for_each(|(i, edge)| {
            let (from, to) = (edge.from as usize, edge.to as usize);
            if let Some(node) = [from, to].into_iter().find(|&node| node >= self.node_count) {
                return Err(Error::new(Kind::EdgeNode, i, node, self.node_count));
            }
            match from < to {
                true => Ok(()),
                false => Err(Error::new(Kind::NotTopological, i, from, to)),
            }
        })
    }

    /// The answer for a checked problem.
    pub fn reduce(self, keep: &mut [u8], scratch: &mut Scratch) -> Result<usize, Error> {
        self.reduce_by(Method::Chosen, Ids, keep, scratch)
    }

    fn reduce_by(
        self,
        method: Method,
        numbering: impl Numbering,
        keep: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<usize, Error> {
        if self.edges.is_empty() {
            return Ok(0);
        }
        let dense = match method {
            Method::Chosen => {
                self.node_count <= dense::MOST_NODES
                    && dense::scratch_size(self.node_count)
                        <= sparse_scratch_size(dense::MOST_NODES, self.edges.len())
            }
            method => method == Method::Dense,
        };
        match dense {
            true => dense::reduce(self.node_count, self.edges, numbering, None, keep, scratch)?,
            false => self.reduce_sparse(method, numbering, keep, scratch)?,
        }
        Ok(keep.iter().map(|&flag| usize::from(flag)).sum())
    }

    fn reduce_sparse(
        self,
        method: Method,
        numbering: impl Numbering,
        keep: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let mut graph = Graph::new(self.node_count, self.edges, numbering, None, keep, scratch)?;
        if method != Method::Sweep {
            let depths = levels::keep_short_edges(&mut graph, keep, scratch)?;
            if matches!(method, Method::Chains | Method::Search) {
                chains::drop_bypassed_edges(&mut graph, scratch)?;
            }
            if matches!(method, Method::Search | Method::SearchAlone) {
                let mut phase = scratch.phase();
                let mut search = Search::new(&graph, depths, &mut phase)?;
                search.run(&mut graph, u64::MAX, u64::MAX, keep);
                search.close(&mut graph);
            }
        }
        let columns = Columns::of(&graph, scratch)?;
        sweep(&mut graph, &columns, keep, scratch)
    }
}
