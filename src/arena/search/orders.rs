//! Which candidate of a level comes first: the wide before the narrow, in one of four orders, with some noise.
//!
//! A key is compared by its coarse part, then by its fine part; the larger comes first. The fine part grows with each
//! end at which the item leans on a wall, a neighbouring section that is higher or full, and with noise from a seeded
//! generator. Identical items share their noise. All is integer arithmetic, so every platform has the same order.

use super::layout::Layout;
use crate::arena::random::Random;
use crate::error::Error;
use crate::scratch::Scratch;

/// Where the next item is placed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Focus {
    /// On the lowest support of all.
    Level,
    /// On the lowest in the section with the most free units.
    Fullest,
}

/// What makes an order.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub focus: Focus,
    /// First those in the section with the most units.
    pub by_total: bool,
    /// Then by size x length, else by length.
    pub by_area: bool,
    /// Each wall adds so many 256ths.
    pub wall: u32,
    /// Noise adds up to so many 65536ths.
    pub noise: u32,
    pub seed: u64,
}

/// Total, length or area, size.
pub(super) type Key = (usize, u64, usize);

pub(super) struct Keys<'a> {
    keys: &'a mut [u64],
    sizes: &'a [super::layout::Shape],
    wall: u32,
    by_total: bool,
}

/// Bits of a length or area that count.
const FINE_BITS: u32 = 32;

impl<'a> Keys<'a> {
    pub fn new(layout: &Layout<'a>, scratch: &mut Scratch<'a>) -> Result<Keys<'a>, Error> {
        Ok(Keys { keys: scratch.filled(layout.shapes.len(), 0)?, sizes: layout.shapes, wall: 0, by_total: false })
    }

    pub fn set(&mut self, rule: Rule) {
        self.wall = rule.wall;
        self.by_total = rule.by_total;
        let mut random = Random(rule.seed);
        let fine = |k: usize| {
            let shape = &self.sizes[k];
            let length = u128::from(shape.last - shape.first + 1);
            if rule.by_area { length * shape.size as u128 } else { length }
        };
        let largest = (0..self.keys.len()).map(fine).max().unwrap_or(0);
        let shift = (u128::BITS - largest.leading_zeros()).saturating_sub(FINE_BITS);
        let mut noise = 0;
        for k in 0..self.keys.len() {
            if rule.noise > 0 && (k == 0 || self.sizes[k] != self.sizes[k - 1]) {
                noise = u64::from(random.below(rule.noise));
            }
            let fine = (fine(k) >> shift) as u64 * ((1 << 16) + noise);
            self.keys[k] = fine;
        }
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn of(&self, k: u32, total: usize, walls: u32) -> Key {
        let fine = self.keys[k as usize];
        (if self.by_total { total } else { 0 }, fine * u64::from(256 + walls * self.wall), self.sizes[k as usize].size)
    }
}
