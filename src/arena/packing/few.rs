//! The blocks that a tensor meets, where a machine word has a bit for every tensor.
//!
//! A table over the nodes, from the earliest first use to the latest, holds two sets: the tensors first used up to a
//! node, and those that ended before it. A tensor meets who is in the first set at its last use and not in the second
//! at its first use. No lifetime that meets another does so only behind the latest first use.
//! Invariant: `placed` is the set of the tensors that are placed, and `bytes` tells where.
//! Cost: linear in the nodes; a tensor takes a few instructions, and some for each block that it meets.
//! Scratch with 64-bit sizes: 16 bytes a tensor, and 16 a node, of which there are at most [`NODES`] a tensor.

use crate::arena::{Range, Tensor};
use crate::error::Error;
use crate::scratch::{List, Scratch};

/// So many tensors have a bit.
const FEW: usize = u64::BITS as usize;

/// Nodes a tensor up to which there is a table.
const NODES: usize = 4;

pub(super) struct Few<'a> {
    earliest: usize,
    nodes: &'a mut [Node],
    placed: u64,
    /// By tensor.
    bytes: &'a mut [Range],
    /// The largest sum of sizes alive at one node, modulo 2^bits.
    pub peak_live_bytes: usize,
}

#[derive(Clone, Copy)]
struct Node {
    begun: u64,
    ended: u64,
}

impl<'a> Few<'a> {
    /// None if there are too many tensors or nodes. Those without bytes take part, for they do no harm.
    pub fn new(tensors: &[Tensor], scratch: &mut Scratch<'a>) -> Result<Option<Few<'a>>, Error> {
        let first_uses = || tensors.iter().map(|tensor| tensor.first_use);
        let (earliest, latest) = (first_uses().min().unwrap_or(0), first_uses().max().unwrap_or(0));
        if tensors.len() > FEW || latest - earliest >= NODES * tensors.len() {
            return Ok(None);
        }
        let bytes = scratch.filled(tensors.len(), Range { begin: 0, end: 0 })?;
        let nodes = scratch.filled(latest - earliest + 1, Node { begun: 0, ended: 0 })?;
        let mut phase = scratch.phase();
        // What is first used at a node, less what ended just before.
        let change = phase.filled(nodes.len(), 0usize)?;
        for (i, tensor) in tensors.iter().enumerate() {
            let (first, behind) = (tensor.first_use - earliest, tensor.last_use - earliest + 1);
            nodes[first].begun |= 1 << i;
            change[first] = change[first].wrapping_add(tensor.size);
            if behind < nodes.len() {
                nodes[behind].ended |= 1 << i;
                change[behind] = change[behind].wrapping_sub(tensor.size);
            }
        }
        let (mut before, mut live, mut peak_live_bytes) = (Node { begun: 0, ended: 0 }, 0usize, 0);
        for (node, change) in nodes.iter_mut().zip(change) {
            node.begun |= before.begun;
            node.ended |= before.ended;
            before = *node;
            live = live.wrapping_add(*change);
            peak_live_bytes = peak_live_bytes.max(live);
        }
        Ok(Some(Few { earliest, nodes, placed: 0, bytes, peak_live_bytes }))
    }

    /// Forgets all blocks.
    pub fn clear(&mut self) {
        self.placed = 0;
    }

    /// Adds the bytes of the placed tensors that meet this one.
    #[inline]
    pub fn gather(&self, tensor: &Tensor, met: &mut List<Range>) {
        let last = (tensor.last_use - self.earliest).min(self.nodes.len() - 1);
        let first = tensor.first_use - self.earliest;
        let mut meeting = self.placed & self.nodes[last].begun & !self.nodes[first].ended;
        while meeting != 0 {
            met.push(self.bytes[meeting.trailing_zeros() as usize]);
            meeting &= meeting - 1;
        }
    }

    #[inline]
    pub fn insert(&mut self, tensor: usize, bytes: Range) {
        self.placed |= 1 << tensor;
        self.bytes[tensor] = bytes;
    }
}
