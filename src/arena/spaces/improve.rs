//! Improves a plan move by move, until the work limit.
//!
//! A tensor that would be cheaper elsewhere is drawn, and one of the cheaper spaces offered to it. There it takes the
//! best hole, or where there is none the place whose residents are worth least, and these are evicted. Each of them
//! takes the cheapest space that has a hole for it. A move that costs more than before is undone, but for a threshold
//! that sinks with the work: threshold accepting, after Dueck and Scheuer, Journal of Computational Physics 90, 1990.
//! Moves into a hole are moves, evictions with a home elsewhere are swaps.
//! Invariant: before a move that makes the plan worse, the plan is saved if it is the best so far.
//! Cost: work counts the residents looked at and one for each look. All is integer arithmetic over a seeded generator.

use super::holes::{cheapest_place, hole};
use super::offers::Offers;
use super::residents::{BLOCK, Block, Residents, STAY, Stay};
use super::{Kept, NO_SPACE};
use crate::arena::fit::Fit;
use crate::arena::random::Random;
use crate::arena::timeline::with_bytes;
use crate::error::Error;
use crate::scratch::{List, Scratch};
use crate::sort::{by_wide_key, sort_by_key};

/// Scratch bytes a tensor.
pub(super) const BYTES: usize = 2 * BLOCK + STAY + 8;

/// Improves the plan in the residents, which is the kept one, and keeps the best. Ends early at the goal, a price that
/// no plan is below. Returns the work done.
#[inline(never)]
pub(super) fn improve(
    offers: &Offers,
    residents: &mut Residents,
    kept: &mut Kept,
    goal: i128,
    work_limit: u64,
    seed: u64,
    mut scratch: Scratch,
) -> Result<u64, Error> {
    let count = offers.tensors.len();
    let mut moves = Moves {
        offers,
        blocks: scratch.list(count)?,
        by_end: scratch.list(count)?,
        moved: scratch.list(count + 1)?,
        work: 0,
    };
    let mut wishes = Wishes { list: scratch.list(count)?, places: scratch.filled(count, NOWHERE)? };
    let mut price = 0;
    for i in 0..count as u32 {
        if offers.tensors[i as usize].size > 0 {
            price += offers.price(i as usize, residents.homes[i as usize]);
        }
        wishes.update(i, offers, residents);
    }
    let (mut best, mut is_saved) = (price, true);
    let most = highest_threshold(offers);
    let mut random = Random(seed);
    while moves.work < work_limit && best > goal && !wishes.list.is_empty() {
        let tensor = wishes.list[random.below(wishes.list.len() as u32) as usize];
        let home = residents.homes[tensor as usize];
        let cheaper = || offers.cheaper(tensor as usize, home);
        let Some(space) = cheaper().nth(random.below(cheaper().count() as u32) as usize) else { break };
        let sunk = (most * i128::from(share(work_limit - moves.work, work_limit))) >> 32;
        let chance = i128::from(random.below(1 << 16));
        let change = moves.make(tensor, space, residents);
        let is_refused = change.is_none_or(|change| change > (sunk * chance * chance) >> 32);
        let change = change.unwrap_or(0);
        if is_refused || change > 0 && !is_saved {
            moves.undo(residents);
            if !is_refused {
                // The best plan is about to be left: it is saved, and another move is drawn.
                kept.save(residents);
                moves.work += count as u64 / 8;
                is_saved = true;
            }
            continue;
        }
        price += change;
        if price < best {
            (best, is_saved) = (price, false);
        }
        moves.moved.iter().for_each(|stay| wishes.update(stay.tensor, offers, residents));
    }
    if !is_saved {
        kept.save(residents);
    }
    Ok(moves.work)
}

/// Moves tensors into holes of cheaper spaces, which packing them may have made: those without a space first, then
/// those that save most. Those still without one look again, for what the others left. So none of them fits a hole.
/// Tells whether it moved any.
#[inline(never)]
pub(super) fn refill(offers: &Offers, residents: &mut Residents, mut scratch: Scratch) -> Result<bool, Error> {
    let order = by_wish(offers, residents, &mut scratch)?;
    let mut blocks = scratch.list(offers.tensors.len())?;
    let mut moved = false;
    for (k, &tensor) in order.iter().chain(order.iter()).enumerate() {
        if k >= order.len() && residents.homes[tensor as usize] != NO_SPACE {
            continue;
        }
        for home in offers.cheaper(tensor as usize, residents.homes[tensor as usize]) {
            let item = &offers.tensors[tensor as usize];
            let offset = if residents.is_roomy(home) {
                Some(0)
            } else {
                residents.beside(tensor, home, offers, &mut blocks);
                hole(item, &blocks, offers.spaces[home as usize].capacity, Fit::Best)
            };
            if let Some(offset) = offset {
                residents.put(Stay { tensor, home, offset });
                moved = true;
                break;
            }
        }
    }
    Ok(moved)
}

/// The tensors that would be cheaper in another space: those without a space first, then those that save most.
// Not inlined, so that what is done in this order has its stack.
#[inline(never)]
pub(super) fn by_wish<'s>(
    offers: &Offers,
    residents: &Residents,
    scratch: &mut Scratch<'s>,
) -> Result<&'s [u32], Error> {
    // At most the price of a tensor without a space, and not negative.
    let wish = |i: u32| offers.wish(i as usize, residents.homes[i as usize]) as u128;
    let wishing = with_bytes(offers.tensors).filter(|&i| wish(i) > 0);
    Ok(by_wide_key(wishing, offers.tensors.len(), |i| u128::MAX - wish(i), scratch)?)
}

/// Half of what tensors save on the average in their cheapest space over their dearest.
fn highest_threshold(offers: &Offers) -> i128 {
    let saving = |i: usize| offers.of(i).next_back().map_or(0, |dearest| offers.wish(i, dearest));
    let savings = || (0..offers.tensors.len()).map(saving).filter(|&saving| saving > 0);
    // Together no more than all costs, which 64 bits hold.
    i128::from(savings().sum::<i128>() as u64 / (2 * savings().count().max(1) as u64))
}

/// `part / whole` in units of 2^-32. A division of 128 bits would call into the compiler's runtime.
fn share(part: u64, whole: u64) -> u64 {
    let shift = 32u32.saturating_sub(whole.leading_zeros());
    ((part >> shift) << 32) / (whole >> shift).max(1)
}

/// What evicting a resident costs if it finds room in the next dearer space; None: it is fixed.
pub(super) fn loss(offers: &Offers, tensor: u32, space: u32) -> Option<i128> {
    let i = tensor as usize;
    if offers.fixed(i).is_some() {
        return None;
    }
    let next = offers.of(i).skip_while(|&other| other != space).nth(1).unwrap_or(NO_SPACE);
    Some(offers.price(i, next) - offers.price(i, space))
}

struct Moves<'s, 'a> {
    offers: &'s Offers<'a>,
    blocks: List<'s, Block>,
    by_end: List<'s, Block>,
    /// What the move has moved, with the places it has left.
    moved: List<'s, Stay>,
    work: u64,
}

impl Moves<'_, '_> {
    /// Moves a tensor into a space, and tells by how much the price rises; None: there is no place for it.
    fn make(&mut self, tensor: u32, space: u32, residents: &mut Residents) -> Option<i128> {
        let offers = self.offers;
        self.moved.clear();
        self.work += 1;
        let offset = if residents.is_roomy(space) {
            0
        } else {
            self.look(tensor, space, residents);
            let (item, capacity) = (&offers.tensors[tensor as usize], offers.spaces[space as usize].capacity);
            match hole(item, &self.blocks, capacity, Fit::Best) {
                Some(offset) => offset,
                None => {
                    let worth = |other| loss(offers, other, space);
                    let (_, offset) = cheapest_place(item, &self.blocks, &mut self.by_end, capacity, worth)?;
                    let is_in_the_way = |block: &&Block| block.begin < offset + item.size && offset < block.end;
                    for block in self.blocks.iter().filter(is_in_the_way) {
                        self.moved.push(residents.stay(block.tensor));
                    }
                    offset
                }
            }
        };
        sort_by_key(&mut self.moved, |stay| (-offers.price(stay.tensor as usize, space), stay.tensor));
        let evicted = self.moved.len();
        for k in 0..evicted {
            residents.put(Stay { tensor: self.moved[k].tensor, home: NO_SPACE, offset: 0 });
        }
        self.moved.push(residents.stay(tensor));
        residents.put(Stay { tensor, home: space, offset });
        for k in 0..evicted {
            self.rehome(self.moved[k].tensor, residents);
        }
        let change = |stay: &Stay| {
            let i = stay.tensor as usize;
            offers.price(i, residents.homes[i]) - offers.price(i, stay.home)
        };
        Some(self.moved.iter().map(change).sum())
    }

    fn undo(&mut self, residents: &mut Residents) {
        self.moved.iter().rev().for_each(|&stay| residents.put(stay));
    }

    /// Puts a tensor that has no space into the cheapest that has a hole for it.
    fn rehome(&mut self, tensor: u32, residents: &mut Residents) {
        let offers = self.offers;
        for home in offers.of(tensor as usize) {
            let offset = match residents.is_roomy(home) {
                true => Some(0),
                false => {
                    self.look(tensor, home, residents);
                    let capacity = offers.spaces[home as usize].capacity;
                    hole(&offers.tensors[tensor as usize], &self.blocks, capacity, Fit::Best)
                }
            };
            if let Some(offset) = offset {
                residents.put(Stay { tensor, home, offset });
                return;
            }
        }
    }

    fn look(&mut self, tensor: u32, space: u32, residents: &Residents) {
        residents.beside(tensor, space, self.offers, &mut self.blocks);
        self.work += 1 + self.blocks.len() as u64;
    }
}

/// The tensors that would be cheaper in another space.
struct Wishes<'s> {
    list: List<'s, u32>,
    /// Of each tensor in the list, or [`NOWHERE`].
    places: &'s mut [u32],
}

const NOWHERE: u32 = u32::MAX;

impl Wishes<'_> {
    fn update(&mut self, tensor: u32, offers: &Offers, residents: &Residents) {
        let place = self.places[tensor as usize];
        let wishes = offers.wish(tensor as usize, residents.homes[tensor as usize]) > 0;
        if wishes && place == NOWHERE {
            self.places[tensor as usize] = self.list.len() as u32;
            self.list.push(tensor);
        } else if !wishes && place != NOWHERE {
            self.places[tensor as usize] = NOWHERE;
            if let Some(last) = self.list.pop().filter(|&last| last != tensor) {
                self.list[place as usize] = last;
                self.places[last as usize] = place;
            }
        }
    }
}
