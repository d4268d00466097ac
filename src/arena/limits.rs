//! What no plan of a problem can undercut: the general form of `bound.rs`.
//!
//! Peak: the bytes of the parts alive at a node, compatible tensors counted in full, so it bounds nothing by itself.
//! Bound, the largest of:
//! - Cliques. At a node the live parts of tensors that are pairwise not compatible are disjoint, so their bytes add up.
//!   Tensors without compatible pairs always count. The others are taken one by one if compatible with none taken
//!   before, those first that forgo least: by the bytes of all that they may share with, for each byte of their own.
//!   Of exclusive branches that tends to be the one with most bytes.
//! - Padding. Let g be the greatest common divisor of the alignments. A part that begins at byte b of its tensor
//!   counts from the next multiple of g on. What is left begins at a multiple of g, so each but the topmost of a clique
//!   reaches up to the next multiple at least: the sum of bytes rounded up to g, less the largest rounding.
//! - Reserved ranges. The bytes of a clique lie in the free stretches between them. With g, a stretch from s to e takes
//!   a rounded sum of at most ceil(e) - ceil(s), for what sticks out beyond e is the rounding of one part; so both
//!   kinds of sum are laid out from byte 0 on, stretch by stretch. A single part needs one stretch as long as it.
//! - The end of every fixed tensor; the size of every tensor; the two sizes of every apart pair. Above the fixed ends
//!   fixed parts need not be told from others: they are members of the clique like the rest.
//!
//! Cost: O(m log m) for m parts; with compatible pairs also, at each node whose live bytes exceed the bound so far, the
//! live tensors in pairs and the pairs of those taken.

use core::num::NonZero;

use super::Plan;
use super::bytes::{Bytes, Counts};
use super::largest::Largest;
use super::model::{MODEL, Model, Part, WORK};
use super::problem::{Problem, Range};
use super::reading;
use super::timeline::Timeline;
use crate::error::{Error, Kind, NONE};
use crate::scratch::{Scratch, Word};
use crate::sort::by_key;

/// What no plan of a problem can undercut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes: proven, no plan is smaller; `usize::MAX` also where no plan fits `usize`.
    pub lower_bound: usize,
    /// Bytes: the largest sum alive at one node, compatible tensors counted in full; `usize::MAX` where it is more.
    pub peak_live_bytes: usize,
    /// The first node where the peak is reached; [`NONE`](crate::NONE) where it is 0.
    pub peak_node: usize,
}

/// Scratch of the bound with its model; of a check too.
pub(super) const LIMITS: Bytes = MODEL.and(WORK);

/// Scratch bytes of [`lower_bound`], for so many tensors, gaps, pairs (compatible and apart together) and reserved
/// ranges; `usize::MAX` on overflow.
pub fn lower_bound_scratch_size(
    tensor_count: usize,
    gap_count: usize,
    pair_count: usize,
    reserved_count: usize,
) -> usize {
    LIMITS.of(Counts::new(tensor_count, gap_count, pair_count, reserved_count))
}

/// The lower bound of a problem without a plan for it. It is not compared with the capacity.
///
/// # Errors
/// Those of the problem itself, as [`check_problem`](super::check_problem) tells them. The bytes of pairwise
/// conflicting tensors at one node that are beyond `usize::MAX`; too many of anything, scratch too small.
pub fn lower_bound(problem: &Problem, scratch: &mut [Word]) -> Result<Limits, Error> {
    let mut scratch = Scratch::new(scratch);
    scratch.require(LIMITS.of(Counts::of(problem)))?;
    let model = reading::model(problem, &mut scratch)?;
    limits(&model, scratch)
}

/// The numbers of a valid plan.
pub(super) fn measure(model: &Model, offsets: &[usize], scratch: Scratch) -> Result<Plan, Error> {
    let Limits { lower_bound, peak_live_bytes, .. } = limits(model, scratch)?;
    let ends = model.problem.tensors.iter().zip(offsets).filter(|(tensor, _)| tensor.size > 0);
    Ok(Plan {
        arena_size: ends.map(|(tensor, offset)| offset + tensor.size).max().unwrap_or(0),
        arena_alignment: model.alignments.least_common_multiple,
        lower_bound,
        peak_live_bytes,
    })
}

/// The bytes of some parts. Sums are exact: 2^33 parts of less than 2^64 bytes stay far below 2^128.
#[derive(Clone, Copy, Default)]
struct Sum {
    bytes: u128,
    /// Of the bytes from the first multiple of g on, rounded up to g.
    rounded: u128,
}

pub(super) fn limits(model: &Model, mut scratch: Scratch) -> Result<Limits, Error> {
    let tensors = model.problem.tensors;
    let parts = model.all_parts;
    let is_paired = |i: u32| !model.compatible(i as usize).is_empty();
    let paired = paired(model, &mut scratch)?;
    let mut scratch = scratch.phase();
    let timeline = Timeline::of(parts, 0..parts.len() as u32, &mut scratch)?;
    // For each tensor in pairs: its place in `paired`, and the last step at which one that it may share with was taken.
    let count = if paired.is_empty() { 0 } else { tensors.len() };
    let rank = scratch.filled(count, 0)?;
    for (r, &i) in (0u32..).zip(paired.iter()) {
        rank[i as usize] = r;
    }
    let passed_over = scratch.filled(count, 0)?;
    // By rank one more than the live part.
    let mut live = Largest::new(paired.len(), &mut scratch)?;
    // The roundings of the live parts of tensors without pairs.
    let mut roundings = Largest::new(parts.len(), &mut scratch)?;

    let gcd = model.alignments.greatest_common_divisor;
    let rounding = |part: &Part| up_to(gcd, from_multiple(gcd, part));
    let add = |sum: &mut Sum, part: &Part| {
        sum.bytes += (part.end - part.begin) as u128;
        sum.rounded += from_multiple(gcd, part) as u128 + rounding(part) as u128;
    };
    let remove = |sum: &mut Sum, part: &Part| {
        sum.bytes -= (part.end - part.begin) as u128;
        sum.rounded -= from_multiple(gcd, part) as u128 + rounding(part) as u128;
    };

    // All live parts, and those that have no pairs.
    let (mut all, mut unpaired) = (Sum::default(), Sum::default());
    let (mut peak, mut peak_node) = (0, NONE);
    let mut clique = Sum::default();
    for (number, step) in (1u32..).zip(timeline) {
        for &p in step.departing {
            let part = &parts[p as usize];
            remove(&mut all, part);
            if is_paired(part.tensor) {
                live.set(rank[part.tensor as usize], 0);
            } else {
                remove(&mut unpaired, part);
                roundings.set(p, 0);
            }
        }
        for &p in step.arriving {
            let part = &parts[p as usize];
            add(&mut all, part);
            if is_paired(part.tensor) {
                live.set(rank[part.tensor as usize], p as usize + 1);
                continue;
            }
            let (bytes, before) = (part.end - part.begin, unpaired.bytes as usize);
            if bytes > usize::MAX - before {
                return Err(Error::new(Kind::PeakOverflow, part.tensor as usize, bytes, usize::MAX - before));
            }
            add(&mut unpaired, part);
            roundings.set(p, rounding(part));
        }
        if all.bytes > peak {
            (peak, peak_node) = (all.bytes, step.node);
        }
        if all.bytes <= clique.bytes && all.rounded <= clique.rounded {
            continue;
        }
        let (mut sum, mut largest_rounding) = (unpaired, roundings.largest());
        let mut next = live.first_above(0, 0);
        while let Some(r) = next {
            let part = &parts[live.get(r) - 1];
            if passed_over[part.tensor as usize] != number {
                add(&mut sum, part);
                largest_rounding = largest_rounding.max(rounding(part));
                let neighbours = model.compatible(part.tensor as usize).iter();
                neighbours.for_each(|&other| passed_over[other as usize] = number);
            }
            next = r.checked_add(1).and_then(|above| live.first_above(above, 0));
        }
        clique.bytes = clique.bytes.max(sum.bytes);
        clique.rounded = clique.rounded.max(sum.rounded - largest_rounding as u128);
    }

    let exact = NonZero::<usize>::MIN;
    let longest = parts.iter().map(|part| part.end - part.begin).max().unwrap_or(0);
    let lower_bound = [
        clamp(layout(model.reserved, clique.bytes, exact)),
        clamp(layout(model.reserved, clique.rounded, gcd)),
        first_stretch(model.reserved, longest),
        (0..tensors.len()).map(|i| model.fixed(i).unwrap_or(0) + tensors[i].size).max().unwrap_or(0),
        apart_sizes(model),
    ];
    Ok(Limits { lower_bound: lower_bound.into_iter().max().unwrap_or(0), peak_live_bytes: clamp(peak), peak_node })
}

/// The tensors that are in compatible pairs, in the order in which a clique takes them.
pub(super) fn paired<'s>(model: &Model, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
    let count = if model.problem.compatible.is_empty() { 0 } else { model.problem.tensors.len() };
    let some = (0..count as u32).filter(|&i| !model.compatible(i as usize).is_empty());
    by_key(some, count, |i| loss(model, i as usize), scratch)
}

/// How many bytes a clique with tensor `i` forgoes for each of its own, in 256ths: those of all it may share with.
fn loss(model: &Model, i: usize) -> usize {
    let mut last = None;
    let others = model.compatible(i).iter().filter(|&&other| last.replace(other) != Some(other));
    let forgone = others.fold(0, |sum: usize, &other| sum.saturating_add(model.tensor(other as usize).size));
    let size = model.tensor(i).size;
    match forgone.checked_mul(256) {
        Some(scaled) => scaled / size.max(1),
        None => forgone / (size / 256).max(1),
    }
}

fn clamp(bytes: u128) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// What is missing to the next multiple.
pub(super) fn up_to(gcd: NonZero<usize>, bytes: usize) -> usize {
    match bytes % gcd {
        0 => 0,
        rest => gcd.get() - rest,
    }
}

/// The bytes of a part from the first multiple of `gcd` on.
fn from_multiple(gcd: NonZero<usize>, part: &Part) -> usize {
    (part.end - part.begin).saturating_sub(up_to(gcd, part.begin))
}

/// Where `bytes` end that are laid out from byte 0 on around the reserved ranges, in stretches that begin at multiples
/// of `gcd`.
fn layout(reserved: &[Range], mut bytes: u128, gcd: NonZero<usize>) -> u128 {
    let ceil = |byte: usize| byte as u128 + up_to(gcd, byte) as u128;
    if bytes == 0 {
        return 0;
    }
    let mut begin = 0;
    for range in reserved {
        if ceil(begin) + bytes <= range.begin as u128 {
            break;
        }
        // Something ends above this range, be it by a byte.
        bytes = bytes.saturating_sub(ceil(range.begin) - ceil(begin)).max(1);
        begin = range.end;
    }
    ceil(begin) + bytes
}

/// The end of a part that lies in the first stretch as long as it.
fn first_stretch(reserved: &[Range], bytes: usize) -> usize {
    let mut begin = 0;
    for range in reserved.iter().take_while(|_| bytes > 0) {
        if range.begin - begin >= bytes {
            break;
        }
        begin = range.end;
    }
    bytes.saturating_add(begin)
}

fn apart_sizes(model: &Model) -> usize {
    let size = |i: usize| model.tensor(i).size;
    let pairs = model.problem.apart.iter().filter(|pair| size(pair.a) > 0 && size(pair.b) > 0);
    pairs.map(|pair| size(pair.a).saturating_add(size(pair.b))).max().unwrap_or(0)
}
