//! An order of placement that stays near one time, for problems that do not fit the caches.
//!
//! Where a tensor goes depends on the earlier ones that it meets, and on no other, if the rule is [`Fit::Best`] or
//! [`Fit::First`]; so any order in which those still come before it gives the same plan. The ranks are cut into
//! regions; each has a queue of the tensors that touch it, in the given order. A tensor is ready when it heads all of
//! its queues. Of the ready ones the last is taken first, and so the walk stays where it is.
//! Invariant: two tensors that meet share a region, in whose queue the earlier one is ahead. The earliest tensor that
//! is left is ready, so the walk does not stop before the end.
//! Cost: linear in the entries of the queues, of which there are at most two a tensor: regions are widened until this
//! holds. Scratch: 18 bytes a tensor at most.
//!
//! [`Fit::Best`]: super::Fit::Best
//! [`Fit::First`]: super::Fit::First

use core::ops::RangeInclusive;

use super::lifetimes::{Lifetime, Lifetimes};
use super::method::upper_quartile_bits;
use crate::arena::Tensor;
use crate::error::Error;
use crate::scratch::Scratch;

/// Reorders the tensors of `order`, each of which has bytes.
pub(super) fn stay_near(
    order: &mut [u32],
    tensors: &[Tensor],
    lifetimes: &Lifetimes,
    mut scratch: Scratch,
) -> Result<(), Error> {
    // Four lifetimes of the longer ones in a region, so that most touch only one.
    let bits = (upper_quartile_bits(tensors, lifetimes) + 2).clamp(6, 31);
    // With 31 bits there are at most two regions.
    let entries = |bits| order.iter().map(|&i| span(lifetimes.of[i as usize], bits)).sum::<usize>();
    let bits = (bits..31).find(|&bits| entries(bits) / 2 <= order.len()).unwrap_or(31);
    stay_in_regions(order, lifetimes, bits, &mut scratch)
}

/// As [`stay_near`], with regions of 2^`bits` ranks.
pub(super) fn stay_in_regions(
    order: &mut [u32],
    lifetimes: &Lifetimes,
    bits: u32,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    let lifetime = |i: u32| lifetimes.of[i as usize];
    let region_count = (lifetimes.count >> bits) + 1;
    // First the length of each queue, then where its next entry goes, and so at last where it ends.
    let ends = scratch.filled(region_count, 0usize)?;
    order.iter().flat_map(|&i| regions(lifetime(i), bits)).for_each(|region| ends[region] += 1);
    let mut sum = 0;
    for end in ends.iter_mut() {
        sum += core::mem::replace(end, sum);
    }
    let heads = scratch.filled(region_count, 0usize)?;
    heads.copy_from_slice(ends);
    let queues = scratch.filled(sum, 0u32)?;
    for &i in order.iter() {
        for region in regions(lifetime(i), bits) {
            queues[ends[region]] = i;
            ends[region] += 1;
        }
    }

    let headed = scratch.filled(lifetimes.of.len(), 0u32)?;
    let mut ready = scratch.list(order.len())?;
    let mut head = |i: u32| {
        headed[i as usize] += 1;
        headed[i as usize] as usize == span(lifetime(i), bits)
    };
    for region in (0..region_count).rev().filter(|&region| heads[region] < ends[region]) {
        let i = queues[heads[region]];
        if head(i) {
            ready.push(i);
        }
    }
    for place in order {
        let Some(i) = ready.pop() else { break };
        *place = i;
        for region in regions(lifetime(i), bits) {
            heads[region] += 1;
            if heads[region] < ends[region] && head(queues[heads[region]]) {
                ready.push(queues[heads[region]]);
            }
        }
    }
    Ok(())
}

fn regions(lifetime: Lifetime, bits: u32) -> RangeInclusive<usize> {
    (lifetime.first >> bits) as usize..=(lifetime.last >> bits) as usize
}

/// The number of its regions.
fn span(lifetime: Lifetime, bits: u32) -> usize {
    ((lifetime.last >> bits) - (lifetime.first >> bits)) as usize + 1
}
