//! The nodes at which something begins to live, in order, each with who departs and who arrives.
//!
//! Invariant: after a step's departures and arrivals the live set is exactly the tensors alive at its node. No live set
//! between two steps is larger, so whatever is largest, or first goes wrong, does so at a step.
//! Cost: two sorts of the tensors that have bytes, then linear; 24 bytes of scratch a tensor to make, 8 to keep.

use super::Tensor;
use crate::error::Error;
use crate::scratch::Scratch;
use crate::sort::by_key;

#[derive(Clone, Copy)]
pub(super) struct Timeline<'a> {
    tensors: &'a [Tensor],
    /// Tensors that have bytes, by first use.
    arrivals: &'a [u32],
    /// The same, by last use.
    departures: &'a [u32],
}

pub(super) struct Step<'a> {
    pub node: usize,
    pub departing: &'a [u32],
    pub arriving: &'a [u32],
}

impl<'a> Timeline<'a> {
    pub fn new(tensors: &'a [Tensor], scratch: &mut Scratch<'a>) -> Result<Timeline<'a>, Error> {
        let mut by_time = |time: fn(&Tensor) -> usize| {
            by_key(with_bytes(tensors), tensors.len(), |i| time(&tensors[i as usize]), scratch)
        };
        Ok(Timeline { tensors, arrivals: by_time(|t| t.first_use)?, departures: by_time(|t| t.last_use)? })
    }
}

/// The indices of the tensors that take part in planning.
pub(super) fn with_bytes(tensors: &[Tensor]) -> impl Iterator<Item = u32> + Clone {
    (0u32..).zip(tensors).filter(|(_, tensor)| tensor.size > 0).map(|(i, _)| i)
}

impl<'a> Iterator for Timeline<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let tensor = |i: &u32| &self.tensors[*i as usize];
        let node = tensor(self.arrivals.first()?).first_use;
        let arriving = self.arrivals.iter().take_while(|i| tensor(i).first_use == node).count();
        let departing = self.departures.iter().take_while(|i| tensor(i).last_use < node).count();
        let step = Step { node, departing: &self.departures[..departing], arriving: &self.arrivals[..arriving] };
        self.arrivals = &self.arrivals[arriving..];
        self.departures = &self.departures[departing..];
        Some(step)
    }
}
