//! What no plan of all tensors can cost less than.
//!
//! Order the spaces by cost, c1 <= c2 <= ... <= ck. The cost of a plan is the sum of all weights at the dearest cost,
//! less, for each j < k, (c[j+1] - cj) x the weight that lives in the first j spaces. What lives there together is at
//! no node larger than the sum of their capacities, whatever its offsets; so that weight is at most what a fractional
//! choice of the tensors that may live there has under this one limit.
//! The fractional optimum is bounded by prices: let each node have any price a byte, then a choice weighs at most
//! the sum of what each tensor's weight is above the price of its bytes over its life, if it is, and the limit times
//! the sum of all prices. This holds for any prices, so these may come from floating point; the sum itself is made
//! exactly, in integers, once they are chosen.
//! The prices: a price rises where more is chosen than the limit, and falls where less is; the step is Polyak's.
//! Cost: [`ROUNDS`] passes over tensors and nodes for each space but the dearest.

use super::offers::Offers;
use super::residents::Residents;
use crate::arena::timeline::with_bytes;
use crate::error::Error;
use crate::scratch::Scratch;

const ROUNDS: usize = 300;

/// Scratch bytes a tensor.
pub(super) const BYTES: usize = 4 * size_of::<f64>() + size_of::<u128>();

#[inline(never)]
pub(super) fn lower_bound(offers: &Offers, residents: &Residents, mut scratch: Scratch) -> Result<u64, Error> {
    let dearest = offers.by_cost().next_back().map_or(0, |space| offers.cost(space));
    let all: u128 = with_bytes(offers.tensors).map(|i| offers.weight(i as usize) as u128).sum();
    let mut cost = all * dearest as u128;
    let (mut capacity, mut mask) = (0u128, 0u32);
    for (cheap, dear) in offers.by_cost().zip(offers.by_cost().skip(1)) {
        let space = &offers.spaces[cheap as usize];
        capacity += space.capacity as u128;
        mask |= 1 << cheap;
        let step = (offers.cost(dear) - offers.cost(cheap)) as u128;
        if step > 0 {
            let limit = Limit { offers, residents, mask, capacity };
            cost -= step * limit.most_weight(scratch.phase())?.min(all);
        }
    }
    Ok(u64::try_from(cost).unwrap_or(u64::MAX))
}

/// So many bytes at each node for the tensors that a space of the mask is offered to.
struct Limit<'s, 'a> {
    offers: &'s Offers<'a>,
    residents: &'s Residents<'a>,
    mask: u32,
    capacity: u128,
}

impl Limit<'_, '_> {
    /// At least the largest weight of a fractional choice under the limit.
    fn most_weight(&self, mut scratch: Scratch) -> Result<u128, Error> {
        let prices = self.prices(&mut scratch)?;
        // Fixed point: as many bits behind the point as keep the sum of all prices below 2^62.
        let sum: f64 = prices.iter().sum();
        let mut bits = 0;
        while bits < 40 && sum * ((1u64 << (bits + 1)) as f64) < (1u64 << 61) as f64 {
            bits += 1;
        }
        let sums = scratch.filled(prices.len() + 1, 0u128)?;
        for (k, price) in prices.iter().enumerate() {
            // The cast rounds down and ends at the largest number; no price is negative.
            sums[k + 1] = sums[k] + u128::from(((price * (1u64 << bits) as f64) as u64).min(1 << 62));
        }
        let mut most = sums[prices.len()].saturating_mul(self.capacity);
        for i in self.choice() {
            let lifetime = self.residents.lifetimes.of[i];
            let price = sums[lifetime.last as usize + 1] - sums[lifetime.first as usize];
            let price = price.saturating_mul(self.offers.tensors[i].size as u128);
            most = most.saturating_add(((self.offers.weight(i) as u128) << bits).saturating_sub(price));
        }
        Ok(most >> bits)
    }

    /// Prices of a byte at each rank, for which the bound is low.
    fn prices<'s>(&self, scratch: &mut Scratch<'s>) -> Result<&'s [f64], Error> {
        let (offers, lifetimes) = (self.offers, &self.residents.lifetimes);
        let count = lifetimes.count;
        let best = scratch.filled(count, 0.0)?;
        let mut scratch = scratch.phase();
        let prices = scratch.filled(count, 0.0)?;
        let sums = scratch.filled(count + 1, 0.0)?;
        let chosen = scratch.filled(count + 1, 0.0)?;
        let capacity = to_float(self.capacity);
        // The plan at hand is a choice too, so no prices lead below its weight.
        let is_inside = |i: &usize| (self.mask as u64) >> self.residents.homes[*i].min(63) & 1 == 1;
        let target: f64 = self.choice().filter(is_inside).map(|i| offers.weight(i) as f64).sum();
        let (mut least, mut pace, mut stalled) = (f64::INFINITY, 1.0, 0);
        for _ in 0..ROUNDS {
            for k in 0..count {
                sums[k + 1] = sums[k] + prices[k];
            }
            chosen.fill(0.0);
            let mut value = capacity * sums[count];
            for i in self.choice() {
                let (size, weight, lifetime) =
                    (offers.tensors[i].size as f64, offers.weight(i) as f64, lifetimes.of[i]);
                let (begin, end) = (lifetime.first as usize, lifetime.last as usize + 1);
                let gain = weight - size * (sums[end] - sums[begin]);
                if gain > 0.0 {
                    value += gain;
                    chosen[begin] += size;
                    chosen[end] -= size;
                }
            }
            if value < least {
                (least, stalled) = (value, 0);
                best.copy_from_slice(prices);
            } else {
                stalled += 1;
                if stalled == 10 {
                    (pace, stalled) = (pace / 2.0, 0);
                }
            }
            // From here on: by how much more is chosen at a rank than the limit, 0 where the price cannot fall.
            let (mut live, mut norm) = (0.0, 0.0);
            for k in 0..count {
                live += chosen[k];
                let excess = live - capacity;
                chosen[k] = if excess < 0.0 && prices[k] == 0.0 { 0.0 } else { excess };
                norm += chosen[k] * chosen[k];
            }
            let step = pace * (value - target) / norm;
            if !(step > 0.0 && step.is_finite()) {
                break;
            }
            for k in 0..count {
                let price: f64 = prices[k] + step * chosen[k];
                // f64::max is a call into the C library where the processor lacks it.
                prices[k] = if price > 0.0 { price } else { 0.0 };
            }
        }
        Ok(best)
    }

    fn choice(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.offers.tensors.len()).filter(|&i| self.offers.is_offered_any(i, self.mask))
    }
}

/// The conversion that a call into the compiler's runtime would do, which the C artifact does without.
fn to_float(number: u128) -> f64 {
    (number >> 64) as u64 as f64 * 18_446_744_073_709_551_616.0 + number as u64 as f64
}

/// Whether a tensor may live nowhere, or those that may live in one space only, or all together, are at some node more
/// bytes than there are.
#[inline(never)]
pub(super) fn is_impossible(offers: &Offers, residents: &Residents, mut scratch: Scratch) -> Result<bool, Error> {
    let live = scratch.filled(residents.lifetimes.count + 1, 0i128)?;
    let mut exceeds = |spaces: u32, capacity: u128| {
        live.fill(0);
        for i in with_bytes(offers.tensors).map(|i| i as usize).filter(|&i| offers.is_offered_only(i, spaces)) {
            let (size, lifetime) = (offers.tensors[i].size as i128, residents.lifetimes.of[i]);
            live[lifetime.first as usize] += size;
            live[lifetime.last as usize + 1] -= size;
        }
        let mut sum = 0;
        live.iter().any(|change| {
            sum += change;
            sum as u128 > capacity
        })
    };
    let capacity = |space: u32| offers.spaces[space as usize].capacity as u128;
    let all = offers.by_cost().map(capacity).sum();
    let is_homeless = |i: u32| offers.is_offered_only(i as usize, 0);
    Ok(with_bytes(offers.tensors).any(is_homeless)
        || exceeds(u32::MAX, all)
        || offers.by_cost().any(|space| exceeds(1 << space, capacity(space))))
}

#[cfg(test)]
mod tests {
    use super::to_float;

    #[test]
    fn numbers_of_up_to_128_bits_become_floating_point_as_by_the_compiler() {
        for bits in 0..128 {
            let number = 1u128 << bits | 1 << (bits / 2);
            assert_eq!(to_float(number), number as f64, "{number}");
        }
    }
}
