//! A table of numbers, all 0 at first, that answers "the largest" and "the first above" at once.
//!
//! Invariant: entry k of every higher level is the largest of the entries 16 k to 16 k + 15 of the level below. Each
//! operation walks the levels, 16-fold per level, and one block of each.
//! Never inlined: eight levels unrolled at each use would make the artifact several times as large.
//! Scratch: n numbers, and a 15th of that for the levels above, rounded up.

use crate::error::Error;
use crate::scratch::Scratch;

pub(super) struct Largest<'a> {
    levels: [&'a mut [usize]; LEVELS],
}

const WIDTH: usize = 16;
/// 16^8 is 2^32.
const LEVELS: usize = 8;

/// The entries of a level that entry `at` of the level above stands for.
fn block(level: &[usize], at: usize) -> &[usize] {
    let begin = (at * WIDTH).min(level.len());
    &level[begin..(begin + WIDTH).min(level.len())]
}

impl<'a> Largest<'a> {
    #[inline(never)]
    pub fn new(n: usize, scratch: &mut Scratch<'a>) -> Result<Largest<'a>, Error> {
        let mut levels: [&mut [usize]; LEVELS] = Default::default();
        let mut entries = n;
        for level in &mut levels {
            *level = scratch.filled(entries, 0)?;
            if entries <= WIDTH {
                break;
            }
            entries = entries.div_ceil(WIDTH);
        }
        Ok(Largest { levels })
    }

    #[inline(never)]
    pub fn set(&mut self, index: u32, mut value: usize) {
        let mut at = index as usize;
        for height in 0..LEVELS {
            let old = core::mem::replace(&mut self.levels[height][at], value);
            let Some(largest) = self.levels.get(height + 1).and_then(|level| level.get(at / WIDTH)) else { break };
            // The block's largest changes only where it is surpassed, or was this very number.
            if old == value || (value <= *largest && old < *largest) {
                break;
            }
            at /= WIDTH;
            if value < old {
                value = block(self.levels[height], at).iter().copied().max().unwrap_or(0);
            }
        }
    }

    pub fn get(&self, index: u32) -> usize {
        self.levels[0][index as usize]
    }

    /// The largest number.
    #[inline(never)]
    pub fn largest(&self) -> usize {
        let top = self.levels.iter().rfind(|level| !level.is_empty());
        top.and_then(|level| level.iter().copied().max()).unwrap_or(0)
    }

    /// The first index at or above `from` whose number is above `bound`.
    #[inline(never)]
    pub fn first_above(&self, from: u32, bound: usize) -> Option<u32> {
        let mut at = from as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let rest = block(level, at / WIDTH).get(at % WIDTH..).unwrap_or_default();
            if let Some(k) = rest.iter().position(|&number| number > bound) {
                return Some(self.descend(height, at + k, bound));
            }
            at = at / WIDTH + 1;
        }
        None
    }

    fn descend(&self, height: usize, mut at: usize, bound: usize) -> u32 {
        for level in self.levels[..height].iter().rev() {
            let k = block(level, at).iter().position(|&number| number > bound);
            at = at * WIDTH + k.unwrap_or(0);
        }
        at as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Word;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn the_table_answers_like_a_scan_of_the_same_numbers() {
        for n in [1u32, 2, 15, 16, 17, 255, 256, 257, 5000] {
            let mut words: Vec<u64> = Vec::with_capacity(2 * n as usize);
            let words: &mut [Word] = words.spare_capacity_mut();
            let mut table = Largest::new(n as usize, &mut Scratch::new(words)).unwrap();
            let mut numbers = vec![0; n as usize];
            let mut state = u64::from(n);
            let mut random = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % below
            };
            for _ in 0..1_000 {
                let (index, value) = (random(n as usize), random(50));
                table.set(index as u32, value);
                numbers[index] = value;
                let (from, bound) = (random(n as usize), random(50));
                let first = numbers[from..].iter().position(|&number| number > bound).map(|k| (from + k) as u32);
                assert_eq!(table.first_above(from as u32, bound), first);
                assert_eq!(Some(table.largest()), numbers.iter().copied().max());
            }
        }
    }
}
