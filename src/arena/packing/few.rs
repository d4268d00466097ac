//! The blocks that a tensor meets, gathered one by one: where a word has a bit for every tensor.
//!
//! A table over the nodes holds two sets: the tensors first used up to a node, and those last used before it. A tensor
//! meets who is in the first set at its last use and not in the second at its first use. The table ends at the latest
//! first use, since lifetimes that meet do so at a first use. It needs no ranks, whose making would take longer than
//! placing so few tensors.
//! Invariant: `placed` is the set of the placed tensors, and `bytes` tells where they are.
//! Cost: linear in the nodes; then some instructions a tensor and a block that it meets.
//! Scratch with 64-bit sizes: 16 bytes a tensor, and 24 a node, of which there are at most [`NODES`] a tensor.

use crate::arena::{Range, Tensor};
use crate::error::Error;
use crate::scratch::{List, Scratch};

/// Up to so many tensors have a bit.
const FEW: usize = u64::BITS as usize;

/// Up to so many nodes a tensor there is a table.
const NODES: usize = 4;

pub(super) struct Few<'a> {
    earliest: usize,
    /// From `earliest` on.
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
    /// None if there are too many tensors or nodes. A tensor without bytes has a bit too; it is never placed.
    pub fn new(tensors: &[Tensor], scratch: &mut Scratch<'a>) -> Result<Option<Few<'a>>, Error> {
        if tensors.is_empty() || tensors.len() > FEW {
            return Ok(None);
        }
        let first_uses = tensors.iter().map(|tensor| tensor.first_use);
        let (earliest, latest) =
            first_uses.fold((usize::MAX, 0), |(least, most), node| (least.min(node), most.max(node)));
        if latest - earliest >= NODES * tensors.len() {
            return Ok(None);
        }
        let bytes = scratch.filled(tensors.len(), Range { begin: 0, end: 0 })?;
        let nodes = scratch.filled(latest - earliest + 1, Node { begun: 0, ended: 0 })?;
        let mut phase = scratch.phase();
        // What is first used at a node, less what ended just before.
        let change = phase.filled(nodes.len(), 0usize)?;
        for (i, tensor) in tensors.iter().enumerate() {
            let (first, behind) = (tensor.first_use - earliest, (tensor.last_use - earliest).saturating_add(1));
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
