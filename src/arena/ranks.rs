//! A set of ranks 0..n that answers "the next above", "the next below" and "the largest" at once.
//!
//! Invariant: bit r of the lowest level says whether r is a member; bit w of every higher level says whether word w of
//! the level below is non-zero. Each operation walks the levels, 64-fold per level, so at most six times.
//! Scratch: n bits, and a 63rd of that for the levels above; at most 8 bytes a rank (at n = 1).
//! Source: the hierarchical bitmap, a well-known form of bit-parallel priority queue.

use crate::error::Error;
use crate::scratch::Scratch;

pub(super) struct RankSet<'a> {
    levels: [&'a mut [u64]; LEVELS],
}

/// 64^6 is above 2^32.
const LEVELS: usize = 6;

impl<'a> RankSet<'a> {
    pub fn new(n: usize, scratch: &mut Scratch<'a>) -> Result<RankSet<'a>, Error> {
        let mut levels: [&mut [u64]; LEVELS] = Default::default();
        let mut bits = n;
        for level in &mut levels {
            let words = bits.div_ceil(64);
            *level = scratch.filled(words, 0)?;
            if words <= 1 {
                break;
            }
            bits = words;
        }
        Ok(RankSet { levels })
    }

    pub fn insert(&mut self, rank: u32) {
        let mut at = rank as usize;
        for level in self.levels.iter_mut().take_while(|level| !level.is_empty()) {
            let word = &mut level[at / 64];
            let was_empty = *word == 0;
            *word |= 1 << (at % 64);
            if !was_empty {
                break;
            }
            at /= 64;
        }
    }

    pub fn remove(&mut self, rank: u32) {
        let mut at = rank as usize;
        for level in self.levels.iter_mut().take_while(|level| !level.is_empty()) {
            let word = &mut level[at / 64];
            *word &= !(1 << (at % 64));
            if *word != 0 {
                break;
            }
            at /= 64;
        }
    }

    /// The smallest member at or above `rank`.
    pub fn at_or_above(&self, rank: u32) -> Option<u32> {
        let mut at = rank as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let found = level.get(at / 64).map_or(0, |word| word & (u64::MAX << (at % 64)));
            if found != 0 {
                let bit = at / 64 * 64 + found.trailing_zeros() as usize;
                return Some(self.descend(height, bit, |word| word.trailing_zeros()));
            }
            at = at / 64 + 1;
        }
        None
    }

    /// The largest member below `rank`.
    pub fn below(&self, rank: u32) -> Option<u32> {
        let mut at = rank as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let found = level.get(at / 64).map_or(0, |word| word & !(u64::MAX << (at % 64)));
            if found != 0 {
                let bit = at / 64 * 64 + 63 - found.leading_zeros() as usize;
                return Some(self.descend(height, bit, |word| 63 - word.leading_zeros()));
            }
            at /= 64;
        }
        None
    }

    /// The largest member.
    pub fn largest(&self) -> Option<u32> {
        let top = self.levels.iter().rposition(|level| !level.is_empty())?;
        let word = *self.levels[top].first().filter(|word| **word != 0)?;
        Some(self.descend(top, 63 - word.leading_zeros() as usize, |word| 63 - word.leading_zeros()))
    }

    /// All members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        core::iter::successors(self.at_or_above(0), |rank| self.at_or_above(rank.checked_add(1)?))
    }

    /// From a set bit of a level down to a member, choosing a bit of each word on the way.
    fn descend(&self, height: usize, mut bit: usize, choose: fn(u64) -> u32) -> u32 {
        for level in self.levels[..height].iter().rev() {
            bit = bit * 64 + choose(level[bit]) as usize;
        }
        bit as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Word;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    #[test]
    fn the_set_answers_like_an_ordered_set_of_the_same_members() {
        for n in [1u32, 2, 63, 64, 65, 128, 4095, 4096, 4097, 262_145] {
            let mut words: Vec<u64> = Vec::with_capacity(n as usize);
            let words: &mut [Word] = words.spare_capacity_mut();
            let mut set = RankSet::new(n as usize, &mut Scratch::new(words)).unwrap();
            let mut oracle = BTreeSet::new();
            assert_eq!((set.largest(), set.at_or_above(0), set.below(n - 1)), (None, None, None));
            let mut state = u64::from(n);
            for _ in 0..2_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let rank = (state >> 33) as u32 % n;
                match state & 1 {
                    0 => (set.insert(rank), oracle.insert(rank)).0,
                    _ => (set.remove(rank), oracle.remove(&rank)).0,
                }
                assert_eq!(set.at_or_above(rank), oracle.range(rank..).next().copied());
                assert_eq!(set.below(rank), oracle.range(..rank).next_back().copied());
                assert_eq!(set.largest(), oracle.last().copied());
            }
            assert!(set.iter().eq(oracle.iter().copied()));
        }
    }
}
