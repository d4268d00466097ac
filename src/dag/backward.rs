//! A search from the target of each open edge back to its source, for graphs of many edges of which few are open.
//!
//! An open edge u -> v is redundant if and only if u reaches a predecessor of v by an edge or more. The successors of u
//! are marked as reached. From v the search goes to predecessors, depth first, until it comes to a node that is
//! reached; then all on its way are reached, too. A node that it leaves without having come to one is not, and nobody
//! goes there again for another edge of u. Nodes up to u are left out, and those less than two levels deeper than u,
//! since of these u reaches its successors alone.
//!
//! Where nodes have many successors in the next of some layers, a search forward passes all of theirs until it finds
//! one certain node; this one is content with any that is reached.
//!
//! A search that is given up leaves its edge open. A sample of sources, spread evenly, tells beforehand what all of
//! them will cost.
//! Cost: a step for each edge passed and eight for each node gone to; 16 bytes of scratch a node and 4 an edge.
//! Source: bidirectional search, of which the forward half is one step; what the edges of a source share is our own.

use super::graph::{Graph, accumulate, decide, retain};
use crate::error::Error;
use crate::scratch::Scratch;

/// A search that takes more steps than this is given up.
const MOST_STEPS: u64 = 2_048;

/// To go to a node takes as long as to pass so many edges, since nobody can foretell which it will be.
const STEPS_A_NODE: u64 = 8;

/// Searches for every open edge.
// A call, as the next: what it has on the stack is gone when another stage begins.
#[inline(never)]
pub(super) fn run<'s>(
    graph: &mut Graph,
    depths: &'s [u32],
    keep: &mut [u8],
    mut scratch: Scratch<'s>,
) -> Result<(), Error> {
    Backward::of(graph, depths, &mut scratch)?.run(graph, u64::MAX, keep);
    Ok(())
}

/// Searches for every open edge if the sample promises that this takes so many steps or fewer; returns whether it did.
/// After twice as many it ends.
#[inline(never)]
pub(super) fn run_if_cheaper<'s>(
    graph: &mut Graph,
    depths: &'s [u32],
    most_steps: u64,
    keep: &mut [u8],
    mut scratch: Scratch<'s>,
) -> Result<bool, Error> {
    let mut backward = Backward::of(graph, depths, &mut scratch)?;
    let is_cheaper = backward.predict_steps(graph) <= most_steps;
    if is_cheaper {
        backward.run(graph, 2 * most_steps, keep);
    }
    Ok(is_cheaper)
}

struct Backward<'a> {
    depths: &'a [u32],
    /// Where the predecessors of each node begin; they descend.
    starts: &'a [u32],
    predecessors: &'a [u32],
    /// Of a node that was gone to: `passed`, or one more if the present source reaches it.
    marks: &'a mut [u32],
    passed: u32,
    /// The nodes on the way, and where their next predecessor lies.
    stack: &'a mut [(u32, u32)],
}

impl<'a> Backward<'a> {
    fn of(graph: &Graph, depths: &'a [u32], scratch: &mut Scratch<'a>) -> Result<Backward<'a>, Error> {
        let starts = scratch.filled(graph.node_count() + 1, 0)?;
        let predecessors = scratch.filled(graph.edge_count(), 0)?;
        graph.targets[..graph.edge_count()].iter().for_each(|&v| starts[v as usize] += 1);
        accumulate(starts);
        for u in 0..graph.node_count() {
            for &v in &graph.targets[graph.edges(u)] {
                let place = &mut starts[v as usize];
                *place -= 1;
                predecessors[*place as usize] = u as u32;
            }
        }
        let marks = scratch.filled(graph.node_count(), 0)?;
        let stack = scratch.filled(graph.node_count(), (0, 0))?;
        Ok(Backward { depths, starts, predecessors, marks, passed: 0, stack })
    }

    /// How many steps the open edges will take, by those of 64 sources.
    fn predict_steps(&mut self, graph: &Graph) -> u64 {
        let (mut steps, mut edge_count) = (0, 0);
        let stride = graph.node_count().div_ceil(64).max(1);
        for begin in (0..graph.node_count()).step_by(stride) {
            let end = graph.node_count().min(begin.saturating_add(stride));
            if let Some(u) = (begin..end).find(|&u| !graph.open_edges(u).is_empty()) {
                self.begin(&graph.targets[graph.edges(u)], &mut steps);
                let targets = &graph.targets[graph.open_edges(u)];
                edge_count += targets.len() as u64;
                for &v in targets {
                    self.has_other_path(u, v, &mut steps);
                }
            }
        }
        let open_count: u64 = (0..graph.node_count()).map(|u| graph.open_edges(u).len() as u64).sum();
        steps.saturating_mul(open_count) / edge_count.max(1)
    }

    /// Searches for the open edges of all sources, until so many steps are taken.
    fn run(&mut self, graph: &mut Graph, most_steps: u64, keep: &mut [u8]) {
        let mut steps = 0;
        graph.filter_sources(|u, targets, origins, open| {
            // Marks may run out where there are 2^31 nodes.
            if steps > most_steps || self.passed > u32::MAX - 3 {
                return (targets.len(), open);
            }
            self.begin(targets, &mut steps);
            let mut are_known = true;
            let count = retain(&mut targets[open..], &mut origins[open..], |v| {
                let has_other_path = self.has_other_path(u, v, &mut steps);
                are_known &= has_other_path.is_some();
                has_other_path != Some(true)
            });
            let left = open + count;
            if !are_known {
                return (left, open);
            }
            origins[open..left].iter().for_each(|&origin| decide(origin, true, keep));
            (left, left)
        });
    }

    /// Begins with another source, which has these successors.
    fn begin(&mut self, successors: &[u32], steps: &mut u64) {
        self.passed += 2;
        *steps += successors.len() as u64;
        successors.iter().for_each(|&w| self.marks[w as usize] = self.passed + 1);
    }

    /// Whether u reaches v by another path than the edge between them; `None` where the search was given up.
    #[inline(always)]
    fn has_other_path(&mut self, u: usize, v: u32, steps: &mut u64) -> Option<bool> {
        let Backward { depths, starts, predecessors, marks, stack, .. } = self;
        let (passed, reached) = (self.passed, self.passed + 1);
        let most_steps = *steps + MOST_STEPS;
        let mut height = 0;
        let (mut node, mut next) = (v, starts[v as usize]);
        'way: loop {
            let end = starts[node as usize + 1];
            while next < end {
                let x = predecessors[next as usize];
                next += 1;
                *steps += 1;
                if x as usize <= u {
                    break;
                }
                let mark = &mut marks[x as usize];
                if *mark == reached {
                    stack[..height].iter().for_each(|&(node, _)| marks[node as usize] = reached);
                    marks[node as usize] = reached;
                    return Some(true);
                }
                if *mark != passed && depths[x as usize] > depths[u] + 1 {
                    *mark = passed;
                    stack[height] = (node, next);
                    height += 1;
                    *steps += STEPS_A_NODE;
                    (node, next) = (x, starts[x as usize]);
                    continue 'way;
                }
            }
            if height == 0 {
                return Some(false);
            }
            if *steps >= most_steps {
                // Nothing is known of those on the way but of v, which u reaches in any case.
                stack[1..height].iter().for_each(|&(node, _)| marks[node as usize] = 0);
                marks[node as usize] = 0;
                return None;
            }
            height -= 1;
            (node, next) = stack[height];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::levels::find_depths;
    use super::super::tests::ask;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    /// What is asked of the search in a graph of these edges, all of which are open.
    fn ask_search<T>(edges: &[(u32, u32)], question: impl FnOnce(&mut Backward, &mut Graph) -> T) -> T {
        ask(edges, |graph, scratch| {
            let mut depths = vec![0; graph.node_count()];
            find_depths(graph, &mut depths);
            let mut phase = scratch.phase();
            question(&mut Backward::of(graph, &depths, &mut phase).expect("room"), graph)
        })
        .0
    }

    /// The verdicts on some edges of node 0, and the steps that each took.
    fn verdicts(edges: &[(u32, u32)], targets: &[u32]) -> Vec<(Option<bool>, u64)> {
        ask_search(edges, |backward, graph| {
            backward.begin(&graph.targets[graph.edges(0)], &mut 0);
            let verdict = |&v| {
                let mut steps = 0;
                (backward.has_other_path(0, v, &mut steps), steps)
            };
            targets.iter().map(verdict).collect()
        })
    }

    #[test]
    fn a_way_from_the_source_is_found_once_for_all_targets_behind_it() {
        // To 4: back to 3 and to 2, and 1 is a successor of 0. To 5: 3 is reached.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (0, 4), (0, 5)];
        let expected = [(Some(true), 3 + 2 * STEPS_A_NODE), (Some(true), 1)];
        assert_eq!(verdicts(&edges, &[4, 5]), expected);
    }

    #[test]
    fn a_node_that_the_source_does_not_reach_is_left_once_for_all_targets_behind_it() {
        // To 4: back to 3, from which 2 is no deeper than a successor of 0; and 0 is no other predecessor. To 5: 3 was
        // left, and so is 0.
        let edges = [(1, 2), (2, 3), (3, 4), (3, 5), (0, 4), (0, 5)];
        assert_eq!(verdicts(&edges, &[4, 5]), [(Some(false), 3 + STEPS_A_NODE), (Some(false), 2)]);
    }

    #[test]
    fn a_search_that_is_given_up_leaves_its_edge_open_and_no_marks_on_its_way() {
        // A chain from 1 to its end, to which 0 has an edge, too. Back to each of its nodes but 1 and 2 are nine steps.
        let last = 2 + MOST_STEPS.div_ceil(1 + STEPS_A_NODE) as u32;
        for (end, verdict, left_open, marked) in [(last, Some(false), 0, last - 2), (last + 1, None, 1, 1)] {
            let edges: Vec<(u32, u32)> = [(0, end)].into_iter().chain((1..end).map(|u| (u, u + 1))).collect();
            ask_search(&edges, |backward, graph| {
                backward.begin(&[end], &mut 0);
                assert_eq!(backward.has_other_path(0, end, &mut 0), verdict);
                assert_eq!(backward.marks.iter().filter(|&&mark| mark != 0).count(), marked as usize);
                let mut keep = vec![0; edges.len()];
                backward.run(graph, u64::MAX, &mut keep);
                assert_eq!(graph.open_edges(0).len(), left_open);
                assert_eq!(keep.iter().filter(|&&flag| flag == 1).count(), edges.len() - left_open);
            });
        }
    }

    /// From 0 the search marks 4 and passes 3, to which it goes, 2 and 0; from the others it marks and passes one.
    const STEPS: [u64; 4] = [4 + STEPS_A_NODE, 2, 2, 2];
    const EDGES: [(u32, u32); 4] = [(0, 4), (1, 2), (2, 3), (3, 4)];

    #[test]
    fn edges_are_open_from_the_source_on_before_which_the_steps_were_too_many() {
        for (most_steps, searched) in [(0, 1), (STEPS[0] - 1, 1), (STEPS[0], 2), (STEPS[0] + 1, 2), (STEPS[0] + 2, 3)] {
            ask_search(&EDGES, |backward, graph| {
                let mut keep = [0; 4];
                backward.run(graph, most_steps, &mut keep);
                assert_eq!(keep, [0, 1, 2, 3].map(|u| u8::from(u < searched)));
                assert!((0..4).all(|u| graph.open_edges(u).is_empty() == (u < searched)));
            });
        }
    }

    #[test]
    fn edges_are_open_from_the_source_on_for_which_there_are_no_marks() {
        for (passed, searched) in [(u32::MAX - 5, 2), (u32::MAX - 3, 1), (u32::MAX - 1, 0)] {
            ask_search(&EDGES, |backward, graph| {
                let mut keep = [0; 4];
                backward.passed = passed;
                backward.run(graph, u64::MAX, &mut keep);
                assert_eq!(keep, [0, 1, 2, 3].map(|u| u8::from(u < searched)));
            });
        }
    }

    #[test]
    fn the_search_begins_where_the_sample_promises_no_more_steps_than_allowed() {
        let steps = STEPS.iter().sum();
        assert_eq!(ask_search(&EDGES, |backward, graph| backward.predict_steps(graph)), steps);
        for (most_steps, is_cheaper) in [(steps - 1, false), (steps, true)] {
            ask(&EDGES, |graph, scratch| {
                let (mut depths, mut keep) = ([0; 5], [0; 4]);
                find_depths(graph, &mut depths);
                assert_eq!(run_if_cheaper(graph, &depths, most_steps, &mut keep, scratch.phase()), Ok(is_cheaper));
                assert_eq!(keep, [u8::from(is_cheaper); 4]);
                assert_eq!(run(graph, &depths, &mut keep, scratch.phase()), Ok(()));
                assert_eq!(keep, [1; 4], "where it is forced");
            });
        }
    }

    #[test]
    fn of_more_than_64_sources_some_speak_for_all() {
        // Every second of 128 nodes is asked: its successor to mark and itself to pass, for each of 127 edges.
        let edges: Vec<(u32, u32)> = (0..127).map(|u| (u, u + 1)).collect();
        assert_eq!(ask_search(&edges, |backward, graph| backward.predict_steps(graph)), 2 * 127);
    }
}
