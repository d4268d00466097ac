//! Plans two tensors into scratch of the caller's, without `std`.
#![no_std]

use aether::arena::{Tensor, plan_offsets};

/// The bytes of an arena for two tensors that live together, if the scratch is enough.
pub fn arena_size(scratch: &mut [aether::Word]) -> Option<usize> {
    let tensor = Tensor { size: 90, alignment: 1, first_use: 0, last_use: 0 };
    Some(plan_offsets(&[tensor, tensor], scratch).ok()?.1.arena_size)
}
