//! Which candidate comes first: the long or the large, with some noise.

use super::sections::Sections;
use crate::arena::model::Model;
use crate::arena::search::orders::Random;
use crate::error::Error;
use crate::scratch::Scratch;

/// What makes an order.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    /// First those in the section with the most bytes.
    pub by_total: bool,
    /// Then by size x sections, else by sections.
    pub by_area: bool,
    /// Noise adds up to so many 65536ths.
    pub noise: u32,
    pub seed: u64,
}

/// Total, sections or area, size; the larger comes first.
pub(super) type Key = (usize, u64, usize);

pub(super) struct Keys<'a> {
    keys: &'a mut [Key],
    /// By tensor: how many sections it is in, and the most bytes of one of them.
    shapes: &'a mut [(u32, usize)],
}

/// Scratch bytes of the keys of a tensor.
pub(super) const KEYS: usize = size_of::<Key>() + size_of::<(u32, usize)>();

impl<'a> Keys<'a> {
    pub fn new(model: &Model, sections: &Sections, scratch: &mut Scratch<'a>) -> Result<Keys<'a>, Error> {
        let count = model.problem.tensors.len();
        let shapes = scratch.filled(count, (0, 0))?;
        for s in 0..sections.count() {
            let total = sections.bytes(s);
            for span in sections.members(s) {
                let (length, most) = shapes[span.tensor as usize];
                shapes[span.tensor as usize] = (length + 1, most.max(total));
            }
        }
        Ok(Keys { keys: scratch.filled(count, (0, 0, 0))?, shapes })
    }

    pub fn set(&mut self, model: &Model, rule: Rule) {
        let mut random = Random(rule.seed);
        let sizes = || model.problem.tensors.iter().map(|tensor| tensor.size);
        let largest = sizes().max().unwrap_or(0).max(1);
        // The area counts in 2^-16ths of the largest size.
        let area = |size: usize| ((size as u128) << 16).div_ceil(largest as u128) as u64;
        for ((key, size), &(length, total)) in self.keys.iter_mut().zip(sizes()).zip(self.shapes.iter()) {
            let weight = if rule.by_area { area(size) } else { 1 };
            let noise = if rule.noise > 0 { u64::from(random.below(rule.noise)) } else { 0 };
            // At most 2^32 * 2^16, and the noise in full only where that leaves its bits.
            let fine = (u64::from(length) * weight).saturating_mul((1 << 16) + noise);
            *key = (if rule.by_total { total } else { 0 }, fine, size);
        }
    }

    pub fn of(&self, i: usize) -> Key {
        self.keys[i]
    }
}
