//! Interval colouring: tensors binned by size class, each class coloured as an interval graph, the classes packed.
//!
//! A class is the sizes of one bit length. Going through a class by first use and giving each tensor the lowest colour
//! that is free again uses no more colours than tensors of the class are alive at once, which is optimal. Were every
//! colour a shelf as high as the largest of its class, the largest classes lowest, the stack of shelves would be a
//! plan. First fit in the order of the shelves packs it: at alignment 1 the place on the own shelf is always free, so
//! nobody ends above it, and whoever fits lower goes lower.
//! Cost: O(n log n) beside the placing.
//! Source: the colouring of interval graphs by first use is folklore; classes as in buddy allocation.

use super::unplaced::{Unplaced, then};
use crate::arena::largest::Largest;
use crate::error::Error;
use crate::scratch::Scratch;

pub(super) fn order<'s>(unplaced: Unplaced, scratch: &mut Scratch<'s>) -> Result<&'s mut [u32], Error> {
    let tensors = unplaced.tensors;
    let colours = scratch.filled(tensors.len(), 0)?;
    colour(unplaced, colours, scratch.phase())?;
    unplaced.by_wide(|i| then(colours[i] as usize, tensors[i].first_use), scratch)
}

/// Numbers the colours from the largest class on, so that no two classes share one.
fn colour(unplaced: Unplaced, colours: &mut [u32], mut scratch: Scratch) -> Result<(), Error> {
    let tensors = unplaced.tensors;
    let class = |i: usize| tensors[i].size.leading_zeros() as usize;
    let arrivals = unplaced.by_wide(|i| then(class(i), tensors[i].first_use), &mut scratch)?;
    let departures = unplaced.by_wide(|i| then(class(i), tensors[i].last_use), &mut scratch)?;
    // 1 at every colour that is free again.
    let mut free = Largest::new(tensors.len(), &mut scratch)?;
    let mut next_colour = 0;
    // Every class departs as often as it arrives, so both lists enter a class at the same place.
    let mut departed = 0;
    for (arrived, &i) in arrivals.iter().enumerate() {
        let i = i as usize;
        if arrived > 0 && class(i) != class(arrivals[arrived - 1] as usize) {
            while let Some(colour) = free.first_above(0, 0) {
                free.set(colour, 0);
            }
            departed = arrived;
        }
        while departed < arrived && tensors[departures[departed] as usize].last_use < tensors[i].first_use {
            free.set(colours[departures[departed] as usize], 1);
            departed += 1;
        }
        let lowest = free.first_above(0, 0);
        colours[i] = lowest.unwrap_or(next_colour);
        match lowest {
            Some(colour) => free.set(colour, 0),
            None => next_colour += 1,
        }
    }
    Ok(())
}
