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
//! [`Search::sample`] tries a few sources, spread evenly, and so tells what searching them all will cost and decide.
//! Cost: a step for each edge passed; 20 bytes of scratch a node while it runs.
//! Source: windowed depth-first search as in graphviz's tred; the reduced lists, cuts and sample are our own.

use super::graph::Graph;
use crate::error::Error;
use crate::scratch::Scratch;

#[derive(Clone, Copy)]
struct Node {
    /// [`Search::seen`] where the present search has been, one more where an open target waits to be entered.
    mark: u32,
    depth: u32,
    /// Where its edges end. They begin where they do in the graph.
    begin: u32,
    end: u32,
}

pub(super) struct Search<'s> {
    nodes: &'s mut [Node],
    stack: &'s mut [u32],
    seen: u32,
}

/// What some searches came to.
#[derive(Clone, Copy, Default)]
pub(super) struct Effort {
    pub sources: u64,
    pub steps: u64,
    /// Open edges before and decided ones after.
    pub open: u64,
    pub decided: u64,
}

impl<'s> Search<'s> {
    pub fn new(graph: &Graph, depths: &[u32], scratch: &mut Scratch<'s>) -> Result<Search<'s>, Error> {
        let nodes = scratch.filled(graph.node_count(), Node { mark: 0, depth: 0, begin: 0, end: 0 })?;
        for (u, (node, &depth)) in nodes.iter_mut().zip(depths).enumerate() {
            *node = Node { mark: 0, depth, begin: graph.starts[u], end: graph.starts[u + 1] };
        }
        Ok(Search { nodes, stack: scratch.filled(graph.node_count(), 0)?, seen: 0 })
    }

    /// Searches from every source of open edges, at most `most_steps` each and about `budget` together.
    pub fn run(&mut self, graph: &mut Graph, most_steps: u64, budget: u64, keep: &mut [u8]) -> Effort {
        let mut effort = Effort::default();
        for u in (0..graph.node_count()).rev() {
            if effort.steps > budget {
                break;
            }
            if graph.opens[u] < self.nodes[u].end {
                self.search(graph, u, most_steps, keep, &mut effort);
            }
        }
        effort
    }

    /// Searches from some `count` of the sources of open edges.
    pub fn sample(&mut self, graph: &mut Graph, count: usize, most_steps: u64, keep: &mut [u8]) -> Effort {
        let mut effort = Effort::default();
        let stride = graph.node_count().div_ceil(count);
        for begin in (0..graph.node_count()).step_by(stride).rev() {
            let end = graph.node_count().min(begin + stride);
            if let Some(u) = (begin..end).find(|&u| graph.opens[u] < self.nodes[u].end) {
                self.search(graph, u, most_steps, keep, &mut effort);
            }
        }
        effort
    }

    fn search(&mut self, graph: &mut Graph, u: usize, most_steps: u64, keep: &mut [u8], effort: &mut Effort) {
        self.seen = match self.seen.checked_add(2) {
            Some(seen) if seen < u32::MAX => seen,
            _ => {
                self.nodes.iter_mut().for_each(|node| node.mark = 0);
                2
            }
        };
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
        let mut steps = (end - begin) as u64;
        'search: while height > 0 && steps < most_steps {
            height -= 1;
            let node = self.nodes[self.stack[height] as usize];
            steps += u64::from(node.end - node.begin);
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
        effort.open += (end - open) as u64;
        let mut left = open;
        for edge in open..end {
            if self.nodes[graph.targets[edge] as usize].mark == goal {
                if complete {
                    graph.keep(edge, keep);
                }
                graph.targets[left] = graph.targets[edge];
                graph.origins[left] = graph.origins[edge];
                left += 1;
            }
        }
        self.nodes[u].end = left as u32;
        if complete {
            graph.opens[u] = left as u32;
        }
        effort.decided += match complete {
            true => end - open,
            false => end - left,
        } as u64;
    }

    /// Closes the holes that dropped edges left.
    pub fn close(self, graph: &mut Graph) {
        let mut written = 0;
        for (u, node) in self.nodes.iter().enumerate() {
            let (begin, end) = (graph.starts[u] as usize, node.end as usize);
            graph.starts[u] = written as u32;
            graph.opens[u] -= (begin - written) as u32;
            graph.targets.copy_within(begin..end, written);
            let open = graph.opens[u] as usize + (begin - written);
            graph.origins.copy_within(open..end, written + open - begin);
            written += end - begin;
        }
        if let Some(end) = graph.starts.last_mut() {
            *end = written as u32;
        }
    }
}
