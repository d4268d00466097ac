//! Several memories instead of one arena: which space does each tensor live in, and where there?
//!
//! A space has a capacity and a cost a byte that is moved to or from it; a tensor has a weight, the bytes moved over
//! its life. Every tensor lies wholly in one space. Wanted is the least cost: the sum of weight x cost.
//!
//! | file | holds |
//! |---|---|
//! | `problem` | what a caller asks, and is told of each space |
//! | `offers` | the validated problem: the spaces a tensor may be in, and what each costs it |
//! | `residents` | who lives where, and who is alive with whom |
//! | `holes` | in one space: the best hole for a tensor, or the cheapest place to make one |
//! | `greedy` | the first plan, the best of several orders |
//! | `improve` | moves, swaps and evictions under a work limit |
//! | `repack` | a space packed anew by the search, for one more tensor |
//! | `bound` | what no plan can cost less than |
//! | `live` | the bytes in use over the life of a tensor |
//! | `settle` | each space packed by itself, and its numbers |
//!
//! Invariant: from the first plan on, no two tensors of a space clash and none passes its capacity. A tensor that
//! finds no room is left out, and leaving one out is dearer than anything else; so of two plans that with fewer left
//! out is better, then that which costs less. The kept plan never gets worse.
//! A space that holds all its tensors one above the other is roomy: nobody can be in the way there, so offsets in it
//! are made only at the end.
//! Cost: that of looking at the residents alive with a tensor, for each tensor and order; then as the work limit says.

mod bound;
mod greedy;
mod holes;
mod improve;
mod live;
mod offers;
mod problem;
mod repack;
mod residents;
mod settle;

use super::Tensor;
use super::planners::{PORTFOLIO, Verdict};
use super::timeline::with_bytes;
use crate::error::{Error, NONE};
use crate::scratch::{List, Scratch, Word, index_limit, size};
use offers::Offers;
pub use problem::{NO_SPACE, Space, SpaceReport, SpacesProblem};
use residents::Residents;

/// How many spaces there may be: a mask has a bit for each.
const MOST_SPACES: usize = 32;

/// How a plan over several spaces turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpacesOutcome {
    /// Whether every tensor has a space; and where not, whether none of the plans can have them all.
    pub verdict: Verdict,
    /// The sum of weight x cost over the tensors that have a space.
    pub cost: u64,
    /// Proven: no plan of all tensors costs less.
    pub cost_bound: u64,
    /// How many tensors have no space.
    pub left_out: usize,
    /// The largest of them, or [`NONE`](crate::NONE).
    pub largest_left_out: usize,
    /// How much work was done, in the units of the limit.
    pub work: u64,
}

/// A plan over several spaces, in the scratch.
#[derive(Clone, Copy, Debug)]
pub struct SpacesAnswer<'a> {
    /// One a tensor: the space it is in, [`NO_SPACE`] where it has none: it has no bytes, or found no room.
    pub spaces: &'a [u32],
    /// One a tensor: its offset in that space.
    pub offsets: &'a [usize],
    /// One a space.
    pub reports: &'a [SpaceReport],
    /// What came out.
    pub outcome: SpacesOutcome,
}

/// Scratch of each tensor: masks, lifetimes, numbering, the plan kept and the plan at work; and the most that a phase
/// takes, which is packing a space: its members, and the portfolio.
const TENSOR: usize = {
    let word = size_of::<usize>();
    let kept = 4 + 8 + 4 + 4 + 2 * (4 + word);
    let packing = size_of::<Tensor>() + word + 4 + PORTFOLIO.tensor;
    assert!(bound::BYTES <= packing);
    assert!(improve::BYTES <= packing);
    assert!(greedy::BYTES <= packing);
    assert!(repack::BYTES <= packing);
    kept + packing
};

/// Scratch of what the steps share, with its alignment.
const SHARED: usize = 656;
const _: () = assert!(size_of::<Offers>() + size_of::<Residents>() + align_of::<Offers>() <= SHARED);

/// Scratch bytes of [`plan_spaces`]; `usize::MAX` on overflow.
pub fn plan_spaces_scratch_size(tensor_count: usize, space_count: usize) -> usize {
    let entries = tensor_count.saturating_mul(space_count);
    size(&[
        (tensor_count, TENSOR),
        // The table of residents, and a 15th of it for its levels.
        (entries, size_of::<usize>()),
        (entries / 15, size_of::<usize>()),
        (space_count, size_of::<SpaceReport>()),
        (1, PORTFOLIO.constant + SHARED + 256),
        (1, repack::packing_size(tensor_count)),
    ])
}

/// Gives every tensor a space and an offset, at the least cost that is found with so much work.
///
/// `work_limit`: how many times improving looks at a resident; 0: the first plan. An eighth of it, and what improving
/// has left, is for packing spaces anew. `seed`: any number.
/// The same problem, limit and seed give the same plan on every machine.
///
/// # Errors
/// A lifetime that ends before it begins; no space, more than 32, or one without capacity; a mask that names none or
/// an unknown one; a pin to an unknown space or one outside the mask; a fixed offset without a pinned space, off its
/// alignment, above the capacity, or that clashes; arrays of another length than the tensors; costs beyond 64 bits; a
/// common multiple of alignments beyond `usize::MAX`; too many tensors; scratch too small.
/// A tensor that fits nowhere is no error but a verdict.
pub fn plan_spaces<'a>(
    problem: &SpacesProblem,
    work_limit: u64,
    seed: u64,
    scratch: &'a mut [Word],
) -> Result<SpacesAnswer<'a>, Error> {
    let SpacesProblem { tensors, spaces, .. } = *problem;
    index_limit(tensors.len().saturating_mul(spaces.len().max(1)))?;
    let mut scratch = Scratch::new(scratch);
    scratch.require(plan_spaces_scratch_size(tensors.len(), spaces.len()))?;
    let homes = scratch.filled(tensors.len(), NO_SPACE)?;
    let offsets = scratch.filled(tensors.len(), 0)?;
    let reports = scratch.list(spaces.len())?;

    // None of the steps is inlined, so that each has the stack of the one before; what they share is off the stack.
    let mut phase = scratch.phase();
    let offers = Offers::new(problem, &mut phase)?;
    let residents = Residents::new(offers, &mut phase)?;
    let mut kept = Kept { homes, offsets };
    greedy::first_plan(offers, residents, &mut kept, phase.phase())?;
    let cost_bound = bound::lower_bound(offers, residents, phase.phase())?;
    let mut reports = reports;
    // Each step saves something or changes nothing, so that more work is never dearer than none.
    pack_and_refill(offers, residents, &mut kept, &mut reports, phase.phase())?;
    let (goal, moving) = (i128::from(cost_bound), work_limit - work_limit / 8);
    let mut work = improve::improve(offers, residents, &mut kept, goal, moving, seed, phase.phase())?;
    if work > 0 {
        pack_and_refill(offers, residents, &mut kept, &mut reports, phase.phase())?;
    }
    if repack::repack(offers, residents, &mut work, work_limit, seed, phase.phase())? {
        improve::refill(offers, residents, phase.phase())?;
        kept.save(residents);
        settle::settle(offers, residents, &mut kept, false, &mut reports, phase.phase())?;
    }

    let outcome = outcome(offers, residents, cost_bound, work, phase.phase())?;
    if outcome.largest_left_out != NONE {
        settle::tell_room(outcome.largest_left_out as u32, offers, &kept, &mut reports, phase)?;
    }
    Ok(SpacesAnswer { spaces: kept.homes, offsets: kept.offsets, reports: reports.into_slice(), outcome })
}

/// What the plan in the residents comes to.
#[inline(never)]
fn outcome(
    offers: &Offers,
    residents: &Residents,
    cost_bound: u64,
    work: u64,
    scratch: Scratch,
) -> Result<SpacesOutcome, Error> {
    let tensors = offers.tensors;
    let left_out = || with_bytes(tensors).filter(|&i| residents.homes[i as usize] == NO_SPACE);
    let largest = left_out().max_by_key(|&i| (tensors[i as usize].size, u32::MAX - i));
    let verdict = match largest {
        None => Verdict::Fits,
        Some(_) if bound::is_impossible(offers, residents, scratch)? => Verdict::Impossible,
        Some(_) => Verdict::Exceeds,
    };
    let cost = with_bytes(tensors).filter(|&i| residents.homes[i as usize] != NO_SPACE);
    let cost = cost.map(|i| offers.price(i as usize, residents.homes[i as usize])).sum::<i128>() as u64;
    Ok(SpacesOutcome {
        verdict,
        cost,
        cost_bound,
        left_out: left_out().count(),
        largest_left_out: largest.map_or(NONE, |i| i as usize),
        work,
    })
}

/// Packs each space by the portfolio, and moves tensors into the holes that this makes.
#[inline(never)]
fn pack_and_refill(
    offers: &Offers,
    residents: &mut Residents,
    kept: &mut Kept,
    reports: &mut List<SpaceReport>,
    mut scratch: Scratch,
) -> Result<(), Error> {
    settle::settle(offers, residents, kept, true, reports, scratch.phase())?;
    residents.load(kept);
    if improve::refill(offers, residents, scratch.phase())? {
        kept.save(residents);
        // Packing once more could make room for a tensor without a space.
        settle::settle(offers, residents, kept, false, reports, scratch)?;
    }
    Ok(())
}

/// The best plan so far.
struct Kept<'a> {
    homes: &'a mut [u32],
    offsets: &'a mut [usize],
}

impl Kept<'_> {
    fn save(&mut self, residents: &Residents) {
        self.homes.copy_from_slice(residents.homes);
        self.offsets.copy_from_slice(residents.offsets);
    }
}
