//! A text with a graph in it, an edge list or DOT, and the same text without some of the edges.
//!
//! A text is DOT if it begins as DOT does: `digraph {`, with or without a name or `strict`.

use crate::failure::Failure;
use crate::graph::Graph;
use crate::{dot, edge_list};

pub struct GraphText<'t> {
    pub graph: Graph<'t>,
    /// Where the text can be edited; none for an edge list, whose lines are edited.
    dot: Option<dot::Statements>,
}

impl<'t> GraphText<'t> {
    pub fn read(source: &'t str, text: &'t str) -> Result<GraphText<'t>, Failure> {
        let mut graph = Graph::new(source, text);
        let dot = match dot::is_dot(text) {
            true => Some(dot::read(text, &mut graph)?),
            false => {
                edge_list::read(text, &mut graph)?;
                None
            }
        };
        Ok(GraphText { graph, dot })
    }

    /// The text with the edges to be kept and all that is no edge.
    pub fn reduced(&self, keep: &[bool]) -> String {
        match &self.dot {
            Some(dot) => dot.reduced(self.graph.text, keep),
            None => edge_list::reduced(self.graph.text, &self.graph.places, keep),
        }
    }
}
