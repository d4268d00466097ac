//! The tensor with the most others alive beside it first, equal ones in input order, best fit.
//!
//! Where it wins, much lives for long: those tensors leave the fewest places to the others, so they choose first.
//! Source: the order of apache/tvm `usmp/algo/greedy.cc`, `greedy_by_conflicts`.

use super::unplaced::Unplaced;
use crate::arena::timeline::with_bytes;
use crate::error::Error;
use crate::scratch::Scratch;
use crate::sort::by_key;

pub(super) fn order<'s>(unplaced: Unplaced, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
    let conflicts = counts(unplaced, scratch)?;
    unplaced.by_descending(|i| conflicts[i] as usize, scratch)
}

/// For each tensor the number of tensors whose lifetimes meet its own, itself included: those that begin by its last
/// use, less those that end before its first.
pub(super) fn counts<'s>(unplaced: Unplaced, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
    let tensors = unplaced.tensors;
    let counts = scratch.filled(tensors.len(), 0)?;
    let mut phase = scratch.phase();
    let mut sorted = |time: fn(&crate::arena::Tensor) -> usize| {
        by_key(with_bytes(tensors), tensors.len(), |i| time(&tensors[i as usize]), &mut phase)
    };
    let starts = sorted(|tensor| tensor.first_use)?;
    let ends = sorted(|tensor| tensor.last_use)?;
    // Both pointers only rise: once by ascending last use, once by ascending first use.
    let mut begun = 0;
    for &i in ends.iter() {
        let last_use = tensors[i as usize].last_use;
        begun += starts[begun..].iter().take_while(|&&j| tensors[j as usize].first_use <= last_use).count();
        counts[i as usize] = begun as u32;
    }
    let mut ended = 0;
    for &i in starts.iter() {
        let first_use = tensors[i as usize].first_use;
        ended += ends[ended..].iter().take_while(|&&j| tensors[j as usize].last_use < first_use).count();
        counts[i as usize] -= ended as u32;
    }
    Ok(counts)
}
