//! Which values may be the same buffer, both ways along the aliases, and what reaches what.
//!
//! [`Graph::spread`] walks from sources in the order given and gives every value the label of the first source that
//! reaches it. With sources by ascending label that is the smallest label, with descending ones the largest: one linear
//! pass answers for every value at once, over cycles too, where the closures themselves could be quadratic.

use super::program::{Alias, NO_OP};
use crate::error::Error;
use crate::scratch::{List, Scratch, and_more};
use crate::sort::counting_sort;

pub(super) struct Graph<'a> {
    aliases: &'a [Alias],
    outgoing: Adjacency<'a>,
    incoming: Adjacency<'a>,
}

struct Adjacency<'a> {
    starts: &'a mut [u32],
    aliases: &'a mut [u32],
}

/// Which way a walk goes along the aliases.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// From a buffer to the values that may hold it.
    Forward,
    /// From a value to what it may hold.
    Backward,
}

/// Bytes a graph takes for each value and for each alias.
pub(super) const GRAPH_VALUE: usize = 8;
pub(super) const GRAPH_ALIAS: usize = 8;
pub(super) const GRAPH_CONSTANT: usize = 8;

impl<'a> Graph<'a> {
    pub fn new(aliases: &'a [Alias], value_count: usize, scratch: &mut Scratch<'a>) -> Result<Graph<'a>, Error> {
        let mut adjacency = |end: fn(&Alias) -> u32| {
            let starts = scratch.filled(and_more(value_count, 1), 0)?;
            let sorted = scratch.filled(aliases.len(), 0)?;
            counting_sort(0..aliases.len() as u32, |alias| end(&aliases[alias as usize]), starts, sorted);
            Ok::<_, Error>(Adjacency { starts, aliases: sorted })
        };
        Ok(Graph { aliases, outgoing: adjacency(|alias| alias.from)?, incoming: adjacency(|alias| alias.to)? })
    }

    /// The aliases that lead on from a value.
    pub fn from(&self, value: u32) -> impl Iterator<Item = &'a Alias> + '_ {
        self.outgoing.of(value).iter().map(|&alias| &self.aliases[alias as usize])
    }

    pub fn is_source(&self, value: u32) -> bool {
        self.incoming.of(value).is_empty()
    }

    pub fn spread(
        &self,
        way: Way,
        sources: impl Iterator<Item = (u32, u32)>,
        labels: &mut [u32],
        stack: &mut List<u32>,
    ) {
        labels.fill(NO_OP);
        for (source, label) in sources {
            let mut reach = |value: u32, stack: &mut List<u32>| {
                let known = &mut labels[value as usize];
                if *known == NO_OP {
                    *known = label;
                    stack.push(value);
                }
            };
            reach(source, stack);
            while let Some(value) = stack.pop() {
                match way {
                    Way::Forward => self.from(value).for_each(|alias| reach(alias.to, stack)),
                    Way::Backward => {
                        let aliases = self.incoming.of(value).iter();
                        aliases.for_each(|&alias| reach(self.aliases[alias as usize].from, stack));
                    }
                }
            }
        }
    }
}

impl Adjacency<'_> {
    fn of(&self, value: u32) -> &[u32] {
        let range = self.starts[value as usize]..self.starts[value as usize + 1];
        &self.aliases[range.start as usize..range.end as usize]
    }
}
