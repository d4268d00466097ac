//! The first plan: tensors in a fixed order, each into the cheapest space that has room for it.
//!
//! Orders: by decreasing size, the usual rule, and by decreasing benefit density: what a tensor saves in its cheapest
//! space over its dearest, for each byte and node that it takes there. Each order with first fit and with best fit.
//! Invariant: the plan kept is the best of those made, of equal ones the first; so it is never worse than the usual
//! rule, by decreasing size and first fit.
//! Cost: four times that of looking at the residents alive with each tensor.

use super::holes::hole;
use super::offers::Offers;
use super::residents::{BLOCK, Residents, Stay};
use super::{Kept, NO_SPACE};
use crate::arena::fit::Fit;
use crate::arena::timeline::with_bytes;
use crate::error::Error;
use crate::scratch::Scratch;
use crate::sort::{by_descending_key, by_wide_key};

/// Scratch bytes a tensor: blocks, and sorting by a wide key.
pub(super) const BYTES: usize = BLOCK + 64;

/// Leaves the plan it keeps in the residents too.
#[inline(never)]
pub(super) fn first_plan(
    offers: &Offers,
    residents: &mut Residents,
    kept: &mut Kept,
    mut scratch: Scratch,
) -> Result<(), Error> {
    let tensors = offers.tensors;
    let mut blocks = scratch.list(tensors.len())?;
    let mut best = None;
    for by_density in [false, true] {
        let mut phase = scratch.phase();
        let order = match by_density {
            false => by_descending_key(with_bytes(tensors), tensors.len(), |i| tensors[i as usize].size, &mut phase)?,
            true => by_wide_key(
                with_bytes(tensors),
                tensors.len(),
                // No density is negative, and of such numbers the bits rise with the value.
                |i| u128::from(u64::MAX - density(offers, residents, i as usize).to_bits()),
                &mut phase,
            )?,
        };
        for fit in [Fit::First, Fit::Best] {
            residents.reset(offers, &mut blocks)?;
            let mut price = 0;
            for &i in order.iter() {
                if residents.homes[i as usize] == NO_SPACE {
                    let place = offers.of(i as usize).find_map(|home| {
                        if residents.is_roomy(home) {
                            return Some(Stay { tensor: i, home, offset: 0 });
                        }
                        residents.beside(i, home, offers, &mut blocks);
                        let capacity = offers.spaces[home as usize].capacity;
                        let offset = hole(&tensors[i as usize], &blocks, capacity, fit)?;
                        Some(Stay { tensor: i, home, offset })
                    });
                    place.into_iter().for_each(|stay| residents.put(stay));
                }
                price += offers.price(i as usize, residents.homes[i as usize]);
            }
            if best.is_none_or(|best| price < best) {
                best = Some(price);
                kept.save(residents);
            }
        }
    }
    residents.load(kept);
    Ok(())
}

/// Saved cost for each byte and rank of its life.
fn density(offers: &Offers, residents: &Residents, i: usize) -> f64 {
    let dearest = offers.of(i).next_back();
    let benefit = dearest.map_or(0, |dearest| offers.wish(i, dearest)) as u64;
    let lifetime = residents.lifetimes.of[i];
    let ranks = u64::from(lifetime.last - lifetime.first) + 1;
    benefit as f64 / (offers.tensors[i].size as f64 * ranks as f64)
}
