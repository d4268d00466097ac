//! The validated problem: the spaces that each tensor may be in, the cheapest first, and what each costs it.
//!
//! A space is offered to a tensor if the mask allows it, the pin does not forbid it, the tensor is not larger than the
//! capacity, and the base is aligned enough. A tensor to which nothing is offered is left out of every plan.
//! Invariant: all costs of all tensors in their dearest spaces add up to less than 2^64, and leaving one tensor out
//! costs more than that; so prices of up to 2^32 tensors add up exactly in 128 bits.

use super::{MOST_SPACES, NO_SPACE, Space, SpacesProblem};
use crate::arena::bound::alignments;
use crate::arena::{FREE, Tensor, validate};
use crate::error::{Error, Kind, NONE};
use crate::scratch::Scratch;
use crate::sort::sort_by_key;

pub(super) struct Offers<'a> {
    pub tensors: &'a [Tensor],
    pub spaces: &'a [Space],
    fixed_offsets: &'a [usize],
    weights: &'a [usize],
    /// A mask a tensor.
    masks: &'a [u32],
    /// The spaces by ascending cost, equal ones in their order.
    by_cost: [u8; MOST_SPACES],
    costs: [usize; MOST_SPACES],
    left_out: i128,
}

impl<'a> Offers<'a> {
    #[inline(never)]
    pub fn new(problem: &SpacesProblem<'a>, scratch: &mut Scratch<'a>) -> Result<&'a Offers<'a>, Error> {
        let SpacesProblem { tensors, spaces, allowed, pinned_spaces, fixed_offsets, weights } = *problem;
        validate(tensors)?;
        if !(1..=MOST_SPACES).contains(&spaces.len()) {
            return Err(Error::new(Kind::SpaceCount, NONE, spaces.len(), MOST_SPACES));
        }
        if let Some(k) = spaces.iter().position(|space| space.capacity == 0) {
            return Err(Error::new(Kind::SpaceCapacity, k, 0, 1));
        }
        for count in [allowed.len(), pinned_spaces.len(), fixed_offsets.len(), weights.len()] {
            if count != 0 && count != tensors.len() {
                return Err(Error::new(Kind::Count, NONE, count, tensors.len()));
            }
        }
        alignments(tensors)?;
        let mut offers = Offers {
            tensors,
            spaces,
            fixed_offsets,
            weights,
            masks: &[],
            by_cost: core::array::from_fn(|k| k as u8),
            costs: [0; MOST_SPACES],
            left_out: 0,
        };
        offers.set_costs()?;
        let masks = scratch.filled(tensors.len(), 0)?;
        for (i, mask) in masks.iter_mut().enumerate() {
            *mask = offers.mask(i, allowed, pinned_spaces)?;
        }
        offers.masks = masks;
        Ok(scratch.keep(offers)?)
    }

    fn set_costs(&mut self) -> Result<(), Error> {
        let same = self.spaces.iter().all(|space| space.cost == self.spaces[0].cost);
        for (k, space) in self.spaces.iter().enumerate() {
            self.costs[k] = if same { k } else { space.cost };
        }
        let costs = self.costs;
        sort_by_key(&mut self.by_cost[..self.spaces.len()], |&space| (costs[space as usize], space));
        let dearest = self.costs.iter().max().copied().unwrap_or(0) as u128;
        let mut sum = 0u128;
        for i in 0..self.tensors.len() {
            sum += self.weight(i) as u128 * dearest;
            if sum > u128::from(u64::MAX) {
                return Err(Error::new(Kind::CostOverflow, i, self.weight(i), dearest as usize));
            }
        }
        self.left_out = sum as i128 + 1;
        Ok(())
    }

    fn mask(&self, i: usize, allowed: &[u32], pinned_spaces: &[u32]) -> Result<u32, Error> {
        let count = self.spaces.len();
        let all = u32::MAX >> (MOST_SPACES - count);
        let mut mask = allowed.get(i).copied().unwrap_or(all);
        if mask == 0 || mask & !all != 0 {
            return Err(Error::new(Kind::AllowedSpaces, i, mask as usize, all as usize));
        }
        let pin = pinned_spaces.get(i).copied().unwrap_or(NO_SPACE);
        if pin != NO_SPACE {
            if pin as usize >= count {
                return Err(Error::new(Kind::PinnedSpace, i, pin as usize, count));
            }
            if mask & 1 << pin == 0 {
                return Err(Error::new(Kind::PinnedSpace, i, pin as usize, mask as usize).against(pin as usize));
            }
            mask = 1 << pin;
        }
        let tensor = &self.tensors[i];
        if let Some(offset) = self.fixed(i) {
            if pin == NO_SPACE {
                return Err(Error::new(Kind::FixedWithoutSpace, i, offset, 0));
            }
            if !offset.is_multiple_of(tensor.stride()) {
                return Err(Error::new(Kind::FixedMisaligned, i, offset, tensor.stride()));
            }
            let capacity = self.spaces[pin as usize].capacity;
            if capacity.checked_sub(offset).is_none_or(|room| tensor.size > room) {
                return Err(Error::new(Kind::FixedCapacity, i, offset.saturating_add(tensor.size), capacity));
            }
        }
        let suits = |space: &Space| {
            tensor.size <= space.capacity
                && (space.base_alignment == 0 || space.base_alignment.is_multiple_of(tensor.stride()))
        };
        let unsuited = (0..count).filter(|&k| !suits(&self.spaces[k])).fold(0, |mask, k| mask | 1 << k);
        Ok(if tensor.size > 0 { mask & !unsuited } else { 0 })
    }

    /// The offset that a tensor must have in the only space that is offered to it.
    pub fn fixed(&self, i: usize) -> Option<usize> {
        let offset = self.fixed_offsets.get(i).copied();
        offset.filter(|&offset| offset != FREE && self.tensors[i].size > 0)
    }

    pub fn weight(&self, i: usize) -> usize {
        self.weights.get(i).copied().unwrap_or(self.tensors[i].size)
    }

    pub fn cost(&self, space: u32) -> usize {
        self.costs[space as usize]
    }

    /// What a tensor costs in a space, or without one.
    pub fn price(&self, i: usize, space: u32) -> i128 {
        match space {
            NO_SPACE => self.left_out,
            _ => self.weight(i) as i128 * self.costs[space as usize] as i128,
        }
    }

    pub fn is_offered(&self, i: usize, space: u32) -> bool {
        self.masks[i] >> space & 1 == 1
    }

    /// Whether one of the spaces of a mask is offered.
    pub fn is_offered_any(&self, i: usize, mask: u32) -> bool {
        self.masks[i] & mask != 0
    }

    /// Whether no space outside of a mask is offered; so also where none is.
    pub fn is_offered_only(&self, i: usize, mask: u32) -> bool {
        self.masks[i] & !mask == 0
    }

    /// The spaces, the cheapest first.
    pub fn by_cost(&self) -> impl DoubleEndedIterator<Item = u32> + Clone {
        self.by_cost[..self.spaces.len()].iter().map(|&k| u32::from(k))
    }

    /// The spaces offered to a tensor, the cheapest first.
    pub fn of(&self, i: usize) -> impl DoubleEndedIterator<Item = u32> + Clone {
        self.by_cost().filter(move |&space| self.is_offered(i, space))
    }

    /// Those of them in which it costs less than in `home`.
    pub fn cheaper(&self, i: usize, home: u32) -> impl Iterator<Item = u32> + Clone {
        let price = self.price(i, home);
        self.of(i).take_while(move |&space| self.price(i, space) < price)
    }

    /// What it would save over being in `home` to be in the cheapest space that is offered.
    pub fn wish(&self, i: usize, home: u32) -> i128 {
        self.of(i).next().map_or(0, |cheapest| self.price(i, home) - self.price(i, cheapest))
    }
}
