//! The calls into the library, each with the scratch that it asks for.

use aether::Error;
use aether::arena::{self, Plan, Tensor};

/// The offsets, one a tensor, and the plan's numbers.
pub fn plan(tensors: &[Tensor]) -> Result<(Vec<usize>, Plan), Error> {
    let mut scratch = scratch(arena::plan_offsets_scratch_size(tensors.len()));
    let (offsets, plan) = arena::plan_offsets(tensors, scratch.spare_capacity_mut())?;
    Ok((offsets.to_vec(), plan))
}

/// The numbers of a plan, if it is valid.
pub fn check(tensors: &[Tensor], offsets: &[usize]) -> Result<Plan, Error> {
    let mut scratch = scratch(arena::check_offsets_scratch_size(tensors.len()));
    arena::check_offsets(tensors, offsets, scratch.spare_capacity_mut())
}

/// The first node at which the most bytes are alive; none where no tensor has bytes.
pub fn peak_node(tensors: &[Tensor]) -> Result<Option<usize>, Error> {
    let mut scratch = scratch(arena::peak_live_bytes_scratch_size(tensors.len()));
    let (bytes, node) = arena::peak_live_bytes(tensors, scratch.spare_capacity_mut())?;
    // The node alone cannot tell: the last node that there can be has the same number as none.
    Ok((bytes > 0).then_some(node))
}

fn scratch(bytes: usize) -> Vec<u64> {
    Vec::with_capacity(bytes / size_of::<u64>())
}
