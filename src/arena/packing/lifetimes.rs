//! Lifetimes in ranks instead of nodes.
//!
//! Number the tensors that have bytes by first use. A lifetime then runs from `first`, how many are first used before
//! its own first use, to `last`, how many are first used up to its last use, less one: the tensor itself is one.
//! Invariant: two lifetimes share a node if and only if their rank ranges meet, because the later of two first uses is
//! a first use. Ranks are dense and below the number of tensors, however far apart the nodes are.
//! Cost: linear where the first uses span at most [`SPAN`] nodes a tensor; else one sort and a binary search a tensor.
//! Scratch: 8 bytes a tensor to keep, 32 more to make.

use crate::arena::Tensor;
use crate::arena::timeline::with_bytes;
use crate::error::Error;
use crate::scratch::Scratch;
use crate::sort::sort_by_key;

/// A rank range, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::arena) struct Lifetime {
    pub first: u32,
    pub last: u32,
}

impl Lifetime {
    #[inline]
    pub fn meets(self, other: Lifetime) -> bool {
        (self.first <= other.last) & (other.first <= self.last)
    }
}

/// Nodes a tensor up to which a table over the nodes is made.
const SPAN: usize = 8;

/// The lifetimes of all tensors; those of tensors without bytes mean nothing.
pub(in crate::arena) struct Lifetimes<'a> {
    pub of: &'a mut [Lifetime],
    /// How many tensors have bytes; every rank is below it.
    pub count: usize,
}

impl<'a> Lifetimes<'a> {
    /// The lifetimes must be valid, and the tensors at most 2^32 - 1.
    pub fn new(tensors: &[Tensor], scratch: &mut Scratch<'a>) -> Result<Lifetimes<'a>, Error> {
        let of = scratch.filled(tensors.len(), Lifetime { first: 0, last: 0 })?;
        let planned = || of_bytes(tensors);
        let (mut count, mut earliest, mut latest) = (0usize, usize::MAX, 0);
        for tensor in planned() {
            count += 1;
            earliest = earliest.min(tensor.first_use);
            latest = latest.max(tensor.first_use);
        }
        let mut phase = scratch.phase();
        if count == 0 {
            return Ok(Lifetimes { of, count });
        }
        let span = latest - earliest;
        if span < SPAN.saturating_mul(count) {
            // before[t]: how many are first used before node earliest + t.
            let before = phase.filled(span + 2, 0u32)?;
            for tensor in planned() {
                before[tensor.first_use - earliest + 1] += 1;
            }
            let mut sum = 0;
            for slot in before.iter_mut() {
                sum += *slot;
                *slot = sum;
            }
            for (lifetime, tensor) in of.iter_mut().zip(tensors).filter(|(_, tensor)| tensor.size > 0) {
                lifetime.first = before[tensor.first_use - earliest];
                lifetime.last = before[(tensor.last_use - earliest).min(span) + 1] - 1;
            }
        } else {
            let mut first_uses = phase.list(count)?;
            planned().for_each(|tensor| first_uses.push(tensor.first_use));
            sort_by_key(&mut first_uses, |&node| node);
            for (lifetime, tensor) in of.iter_mut().zip(tensors).filter(|(_, tensor)| tensor.size > 0) {
                lifetime.first = first_uses.partition_point(|&node| node < tensor.first_use) as u32;
                lifetime.last = first_uses.partition_point(|&node| node <= tensor.last_use) as u32 - 1;
            }
        }
        Ok(Lifetimes { of, count })
    }

    /// The largest sum of sizes alive at one node, if some plan of the tensors fits `usize`: then so does every such
    /// sum, and it is exact though the running sum is modulo 2^bits. Linear; 8 bytes of scratch a tensor.
    pub fn peak_live_bytes(&self, tensors: &[Tensor], mut scratch: Scratch) -> Result<usize, Error> {
        // By rank: what arrives there, less what departed just before.
        let change = scratch.filled(self.count, 0usize)?;
        for i in with_bytes(tensors).map(|i| i as usize) {
            let Lifetime { first, last } = self.of[i];
            change[first as usize] = change[first as usize].wrapping_add(tensors[i].size);
            if let Some(next) = change.get_mut(last as usize + 1) {
                *next = next.wrapping_sub(tensors[i].size);
            }
        }
        let live = change.iter().scan(0usize, |live, &change| {
            *live = live.wrapping_add(change);
            Some(*live)
        });
        Ok(live.max().unwrap_or(0))
    }

    /// Pairs of tensors whose lifetimes meet: a tensor meets those behind it in the numbering up to its last rank.
    pub fn pairs(&self, tensors: &[Tensor]) -> u64 {
        let count = self.count as u64;
        let up_to_last: u64 = with_bytes(tensors).map(|i| u64::from(self.of[i as usize].last)).sum();
        // Both are below 2^64, for there are less than 2^32 tensors.
        up_to_last - count * count.saturating_sub(1) / 2
    }
}

fn of_bytes(tensors: &[Tensor]) -> impl Iterator<Item = &Tensor> {
    tensors.iter().filter(|tensor| tensor.size > 0)
}
