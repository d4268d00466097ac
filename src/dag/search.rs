//! A search from each source of open edges, for graphs in which little lies between source and target.
//!
//! An open edge u -> v is redundant if and only if a path leads to v from another successor of u. So the search of u
//! starts at all its successors and goes along edges that are not known to be redundant; an open target that an edge
//! enters has another path. Nodes beyond the highest open target, or at least as deep as the deepest, lead to none and
//! are left out. Sources descend, so the searches pass over reduced lists.
//!
//! A search that comes to its end decides every open edge of its source. One that is given up has proven redundant
//! what it entered; the rest stays open, and nothing was lost but its steps.
//!
//! A sample of sources, spread evenly, tells beforehand what searching them all will cost.
//! Cost: a step for each edge passed; 20 bytes of scratch a node while it runs.
//! Source: windowed depth-first search as in graphviz's tred; the reduced lists, cuts and sample are our own.

use super::graph::{Graph, decide, retain};
use crate::error::Error;
use crate::scratch::Scratch;

/// A search that goes further than this is given up.
const MOST_STEPS: u64 = 512;

#[derive(Clone, Copy)]
struct Node {
    /// The present search's even number where it has been, one more where an open target waits to be entered.
    mark: u32,
    depth: u32,
    /// Where its edges that are not known to be redundant lie.
    begin: u32,
    end: u32,
}

/// Searches from every source of open edges.
pub(super) fn run(graph: &mut Graph, depths: &[u32], keep: &mut [u8], mut scratch: Scratch) -> Result<(), Error> {
    let mut search = Search::new(graph, depths, &mut scratch)?;
    search.run(graph, u64::MAX, keep);
    search.close(graph);
    Ok(())
}

/// Searches from a sample of the sources, and from all if that promises to cost two thirds of the sweep or less, which
/// is given in merges; returns whether it did. To pass an edge costs about a merge, and to enter a node four more. A
/// target leaves the sweep only when all its open edges are decided, so a search which often gives up is worth little.
pub(super) fn run_if_cheaper(
    graph: &mut Graph,
    depths: &[u32],
    sweep_cost: u64,
    keep: &mut [u8],
    mut scratch: Scratch,
) -> Result<bool, Error> {
    let mut search = Search::new(graph, depths, &mut scratch)?;
    let sample = search.sample(graph, keep);
    let sources = (0..graph.node_count()).filter(|&u| search.has_open_edges(graph, u)).count() as u64;
    let cost = sources.saturating_mul(sample.steps + 4 * sample.entered) / sample.sources.max(1);
    let is_cheaper = cost <= sweep_cost / 3 * 2 && sample.given_up <= sample.sources / 16;
    if is_cheaper {
        search.run(graph, sweep_cost / 2, keep);
    }
    search.close(graph);
    Ok(is_cheaper)
}

struct Search<'s> {
    nodes: &'s mut [Node],
    stack: &'s mut [u32],
    /// The number of the present search.
    seen: u32,
}

/// What some searches came to.
#[derive(Default)]
struct Effort {
    sources: u64,
    /// Edges passed.
    steps: u64,
    /// Nodes whose edges these were.
    entered: u64,
    given_up: u64,
}

impl<'s> Search<'s> {
    fn new(graph: &Graph, depths: &[u32], scratch: &mut Scratch<'s>) -> Result<Search<'s>, Error> {
        let nodes = scratch.filled(graph.node_count(), Node { mark: 0, depth: 0, begin: 0, end: 0 })?;
        for (u, (node, &depth)) in nodes.iter_mut().zip(depths).enumerate() {
            *node = Node { mark: 0, depth, begin: graph.starts[u], end: graph.starts[u + 1] };
        }
        Ok(Search { nodes, stack: scratch.filled(graph.node_count(), 0)?, seen: 0 })
    }

    /// Searches from every source of open edges, until the budget of steps is spent.
    fn run(&mut self, graph: &mut Graph, budget: u64, keep: &mut [u8]) {
        let mut effort = Effort::default();
        for u in (0..graph.node_count()).rev() {
            // Marks may run out where there are 2^31 nodes.
            if effort.steps > budget || self.seen > u32::MAX - 3 {
                break;
            }
            if self.has_open_edges(graph, u) {
                self.search(graph, u, keep, &mut effort);
            }
        }
    }

    /// Searches from 64 sources of open edges, spread evenly, or from fewer once more than a sixteenth were given up.
    fn sample(&mut self, graph: &mut Graph, keep: &mut [u8]) -> Effort {
        let mut effort = Effort::default();
        let stride = graph.node_count().div_ceil(64);
        for begin in (0..graph.node_count()).step_by(stride.max(1)) {
            if effort.given_up > 64 / 16 {
                break;
            }
            let end = graph.node_count().min(begin.saturating_add(stride));
            if let Some(u) = (begin..end).find(|&u| self.has_open_edges(graph, u)) {
                self.search(graph, u, keep, &mut effort);
            }
        }
        effort
    }

    fn has_open_edges(&self, graph: &Graph, source: usize) -> bool {
        graph.opens[source] < self.nodes[source].end
    }

    fn search(&mut self, graph: &mut Graph, u: usize, keep: &mut [u8], effort: &mut Effort) {
        self.seen += 2;
        let (seen, goal) = (self.seen, self.seen + 1);
        let (begin, open, end) = (graph.starts[u] as usize, graph.opens[u] as usize, self.nodes[u].end as usize);
        let highest = graph.targets[end - 1];
        let deepest = graph.targets[open..end].iter().map(|&v| self.nodes[v as usize].depth).max().unwrap_or(0);

        let mut height = 0;
        let targets = &graph.targets[..];
        for (edge, &w) in (begin..).zip(&targets[begin..end]) {
            let node = &mut self.nodes[w as usize];
            node.mark = if edge < open { seen } else { goal };
            if w < highest && node.depth < deepest {
                self.stack[height] = w;
                height += 1;
            }
        }
        let mut waiting = end - open;
        let (mut steps, mut entered) = ((end - begin) as u64, 0);
        'search: while height > 0 && steps < MOST_STEPS {
            height -= 1;
            let node = self.nodes[self.stack[height] as usize];
            steps += u64::from(node.end - node.begin);
            entered += 1;
            for &x in &targets[node.begin as usize..node.end as usize] {
                if x > highest {
                    continue;
                }
                let node = &mut self.nodes[x as usize];
                if node.mark == goal {
                    node.mark = seen;
                    waiting -= 1;
                    if waiting == 0 {
                        break 'search;
                    }
                } else if node.mark != seen && node.depth < deepest {
                    node.mark = seen;
                    self.stack[height] = x;
                    height += 1;
                }
            }
        }
        // Every node below and less deep was gone through, or every target was entered.
        let complete = height == 0 || waiting == 0;
        effort.sources += 1;
        effort.steps += steps;
        effort.entered += entered;
        effort.given_up += u64::from(!complete);
        let is_unseen = |v| self.nodes[v as usize].mark == goal;
        let end = open + retain(&mut graph.targets[open..end], &mut graph.origins[open..end], is_unseen);
        self.nodes[u].end = end as u32;
        if complete {
            graph.origins[open..end].iter().for_each(|&origin| decide(origin, true, keep));
            graph.opens[u] = end as u32;
        }
    }

    /// Closes the holes that dropped edges left: what lies between two moves at once.
    fn close(self, graph: &mut Graph) {
        let (mut begin, mut gone) = (0, 0);
        let mut move_down = |edges: core::ops::Range<usize>, gone: u32| {
            if gone > 0 {
                let place = edges.start - gone as usize;
                graph.targets.copy_within(edges.clone(), place);
                graph.origins.copy_within(edges, place);
            }
        };
        for (u, node) in self.nodes.iter().enumerate() {
            graph.starts[u] -= gone;
            graph.opens[u] -= gone;
            let next = graph.starts[u + 1];
            if node.end < next {
                move_down(begin..node.end as usize, gone);
                begin = next as usize;
                gone += next - node.end;
            }
        }
        if let Some(end) = graph.starts.last_mut() {
            move_down(begin..*end as usize, gone);
            *end -= gone;
        }
    }
}
