//! The same decisions with `Vec`s, for Rust callers who may allocate.
//!
//! Where the slice forms return an [`Error`], these panic with its sentence.

use std::vec::Vec;

use crate::arena::{self, Tensor};
use crate::dag::{self, Edge};
use crate::error::{Error, Kind};
use crate::islands::{self as components, Incidence};

/// A tensor of alignment 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorLifetime {
    /// Bytes; 0: not planned, its offset is 0.
    pub size: usize,
    /// The first node that uses it.
    pub first_use: usize,
    /// The last node that uses it, inclusive.
    pub last_use: usize,
}

/// Where each tensor lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// Bytes from the start of the arena, one a tensor in input order.
    pub offsets: Vec<usize>,
    /// Bytes: the largest offset + size.
    pub arena_size: usize,
    /// Bytes: no plan is smaller.
    pub lower_bound: usize,
    /// Bytes: the largest sum of sizes alive at one node.
    pub peak_live_bytes: usize,
}

/// [`arena::plan_offsets`] of tensors with alignment 1.
///
/// # Panics
/// If a lifetime is reversed, or the arena's end is beyond `usize::MAX`; the message names the tensor.
pub fn plan_offsets(tensors: &[TensorLifetime]) -> MemoryPlan {
    let tensors = unaligned(tensors);
    let mut scratch = Vec::new();
    let scratch = reserve(&mut scratch, arena::plan_offsets_scratch_size(tensors.len()));
    let (offsets, plan) = arena::plan_offsets(&tensors, scratch).unwrap_or_else(|error| panic!("{error}"));
    MemoryPlan {
        offsets: offsets.to_vec(),
        arena_size: plan.arena_size,
        lower_bound: plan.lower_bound,
        peak_live_bytes: plan.peak_live_bytes,
    }
}

/// The largest sum of sizes alive at one node.
///
/// # Panics
/// If a lifetime is reversed, or a sum is beyond `usize::MAX`; the message names the tensor.
pub fn peak_live_bytes(tensors: &[TensorLifetime]) -> usize {
    let tensors = unaligned(tensors);
    let mut scratch = Vec::new();
    let scratch = reserve(&mut scratch, arena::peak_live_bytes_scratch_size(tensors.len()));
    arena::peak_live_bytes(&tensors, scratch).unwrap_or_else(|error| panic!("{error}")).0
}

/// The edges of the transitive reduction, sorted and distinct.
///
/// # Panics
/// If an edge names a node that does not exist, or does not rise in the topological numbering; the message names it. If
/// there are more nodes or edges than `u32` numbers.
pub fn transitive_reduction(node_count: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let id = |edge, node| {
        u32::try_from(node).unwrap_or_else(|_| panic!("{}", Error::new(Kind::EdgeNode, edge, node, node_count)))
    };
    let narrow: Vec<Edge> =
        edges.iter().enumerate().map(|(i, &(from, to))| Edge { from: id(i, from), to: id(i, to) }).collect();
    let mut scratch = Vec::new();
    let scratch = reserve(&mut scratch, dag::transitive_reduction_scratch_size(node_count, edges.len()));
    let mut keep = std::vec![0; edges.len()];
    dag::transitive_reduction(node_count, &narrow, &mut keep, scratch).unwrap_or_else(|error| panic!("{error}"));
    let mut kept: Vec<_> = edges.iter().zip(keep).filter(|(_, keep)| *keep == 1).map(|(edge, _)| *edge).collect();
    kept.sort_unstable();
    kept
}

/// The island of each node, none for a node in no incidence, and the number of islands.
///
/// # Panics
/// If an incidence names a node that does not exist; the message names it. If there are more nodes than `i32` numbers.
pub fn islands(node_count: usize, incidences: &[(usize, usize)]) -> (Vec<Option<usize>>, usize) {
    let id = |incidence, node| {
        let error = Error::new(Kind::IncidenceNode, incidence, node, node_count);
        i32::try_from(node).unwrap_or_else(|_| panic!("{error}"))
    };
    let narrow: Vec<Incidence> =
        incidences.iter().enumerate().map(|(i, &(a, b))| Incidence { a: id(i, a), b: id(i, b) }).collect();
    let mut labels = std::vec![0; node_count];
    let count = components::islands(&narrow, &mut labels).unwrap_or_else(|error| panic!("{error}"));
    (labels.into_iter().map(|label| usize::try_from(label).ok()).collect(), count)
}

fn unaligned(tensors: &[TensorLifetime]) -> Vec<Tensor> {
    let tensor =
        |t: &TensorLifetime| Tensor { size: t.size, alignment: 1, first_use: t.first_use, last_use: t.last_use };
    tensors.iter().map(tensor).collect()
}

fn reserve(words: &mut Vec<u64>, bytes: usize) -> &mut [crate::scratch::Word] {
    words.reserve_exact(bytes / size_of::<u64>());
    words.spare_capacity_mut()
}
