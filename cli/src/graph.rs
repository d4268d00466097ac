//! A graph that is written in a text, and where in the text its edges are.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;

use aether::dag::Edge;

use crate::failure::Failure;
use crate::input::line_ends;

pub struct Graph<'t> {
    /// How messages call the file.
    pub source: &'t str,
    pub text: &'t str,
    /// Of each node, numbered by first mention.
    pub names: Vec<Cow<'t, str>>,
    numbers: HashMap<Cow<'t, str>, u32>,
    /// In the order of the text, as often as they are there.
    pub edges: Vec<Edge>,
    /// Where each edge begins in the text.
    pub places: Vec<usize>,
    /// Equal edges are one, as DOT calls `strict`.
    pub is_strict: bool,
}

impl<'t> Graph<'t> {
    /// Without nodes yet.
    pub fn new(source: &'t str, text: &'t str) -> Graph<'t> {
        let (names, numbers) = (Vec::new(), HashMap::new());
        Graph { source, text, names, numbers, edges: Vec::new(), places: Vec::new(), is_strict: false }
    }

    pub fn add_node(&mut self, name: Cow<'t, str>) -> Result<u32, Failure> {
        if let Some(&number) = self.numbers.get(&name) {
            return Ok(number);
        }
        let too_many = |_| Failure::input(format!("{}: more than {} nodes", self.source, u32::MAX));
        let number = u32::try_from(self.names.len()).map_err(too_many)?;
        self.numbers.insert(name.clone(), number);
        self.names.push(name);
        Ok(number)
    }

    pub fn add_edge(&mut self, from: u32, to: u32, place: usize) {
        self.edges.push(Edge { from, to });
        self.places.push(place);
    }

    /// The first edge equal to each.
    pub fn firsts(&self) -> Vec<usize> {
        let mut seen = HashMap::with_capacity(self.edges.len());
        self.edges.iter().enumerate().map(|(i, edge)| *seen.entry((edge.from, edge.to)).or_insert(i)).collect()
    }

    /// Where the first such edge begins in the text.
    pub fn place(&self, from: u32, to: u32) -> usize {
        let edge = self.edges.iter().position(|&edge| edge == Edge { from, to });
        edge.map_or(0, |edge| self.places[edge])
    }

    /// A message with the file and the line of a place in the text.
    pub fn at(&self, place: usize, what: impl Display) -> String {
        let line = 1 + line_ends(&self.text.as_bytes()[..place]);
        format!("{}:{line}: {what}", self.source)
    }

    /// Something at a place in the text that cannot be worked with.
    pub fn refuse(&self, place: usize, what: impl Display) -> Failure {
        Failure::input(self.at(place, what))
    }
}
