//! The nodes at which something begins to live, in order, each with who departs and who arrives.
//!
//! Invariant: after a step's departures and arrivals the live set is exactly the items alive at its node. No live set
//! between two steps is larger, so whatever is largest, or first goes wrong, does so at a step.
//! Cost: two sorts of the items, then linear; 24 bytes of scratch an item to make, 8 to keep.

use core::ops::Range;

use super::Tensor;
use crate::error::Error;
use crate::scratch::Scratch;
use crate::sort::by_key;

/// A rectangle of a plan: bytes of a tensor over an inclusive range of nodes.
pub(super) trait Lived {
    fn first(&self) -> usize;
    fn last(&self) -> usize;
    /// Its bytes, counted from the tensor's offset.
    fn window(&self) -> Range<usize>;
    /// The tensor, if this is item `index`.
    fn tensor(&self, index: u32) -> usize;
}

impl Lived for Tensor {
    fn first(&self) -> usize {
        self.first_use
    }
    fn last(&self) -> usize {
        self.last_use
    }
    fn window(&self) -> Range<usize> {
        0..self.size
    }
    fn tensor(&self, index: u32) -> usize {
        index as usize
    }
}

pub(super) struct Timeline<'a, T = Tensor> {
    items: &'a [T],
    /// The items that take part, by first node.
    arrivals: &'a [u32],
    /// The same, by last node.
    departures: &'a [u32],
}

pub(super) struct Step<'a> {
    pub node: usize,
    pub departing: &'a [u32],
    pub arriving: &'a [u32],
}

impl<'a> Timeline<'a> {
    /// Of the tensors that have bytes.
    pub fn new(tensors: &'a [Tensor], scratch: &mut Scratch<'a>) -> Result<Timeline<'a>, Error> {
        Timeline::of(tensors, with_bytes(tensors), scratch)
    }
}

impl<'a, T: Lived> Timeline<'a, T> {
    /// Of some of the items.
    pub fn of(
        items: &'a [T],
        some: impl Iterator<Item = u32> + Clone,
        scratch: &mut Scratch<'a>,
    ) -> Result<Timeline<'a, T>, Error> {
        let arrivals = by_key(some.clone(), items.len(), |i| items[i as usize].first(), scratch)?;
        let departures = by_key(some, items.len(), |i| items[i as usize].last(), scratch)?;
        Ok(Timeline { items, arrivals, departures })
    }
}

/// The indices of the tensors that take part in planning.
pub(super) fn with_bytes(tensors: &[Tensor]) -> impl Iterator<Item = u32> + Clone {
    (0u32..).zip(tensors).filter(|(_, tensor)| tensor.size > 0).map(|(i, _)| i)
}

impl<'a, T: Lived> Iterator for Timeline<'a, T> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let item = |i: &u32| &self.items[*i as usize];
        let node = item(self.arrivals.first()?).first();
        let arriving = self.arrivals.iter().take_while(|i| item(i).first() == node).count();
        let departing = self.departures.iter().take_while(|i| item(i).last() < node).count();
        let step = Step { node, departing: &self.departures[..departing], arriving: &self.arrivals[..arriving] };
        self.arrivals = &self.arrivals[arriving..];
        self.departures = &self.departures[departing..];
        Some(step)
    }
}

impl<T> Clone for Timeline<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Timeline<'_, T> {}
