//! Small parts of a problem: what no plan of some tensors undercuts, no plan of all does.
//!
//! A relaxation takes the tensors that weigh most, by bytes and time, in a few neighbouring sections. They come in
//! passes of growing size, in each pass around the sections with most bytes first. Small ones can be searched to the
//! end where the whole cannot.

use core::cmp::Reverse;

use super::sections::Sections;
use crate::error::Error;
use crate::scratch::{List, Scratch};
use crate::sort::{by_descending_key, sort_by_key};

/// Which relaxation: how many tensors take part at most, around which of the sections.
#[derive(Clone, Copy)]
pub(in crate::arena::search) struct Relaxation {
    pub size: usize,
    center: usize,
}

impl Relaxation {
    pub const FIRST: Relaxation = Relaxation { size: 6, center: 0 };
}

pub(super) struct Relaxations<'a> {
    pub next: Relaxation,
    /// The sections, those with most bytes first.
    sections: &'a mut [u32],
    /// By tensor its weight in the present relaxation; those that take part.
    weights: &'a mut [usize],
    takes_part: &'a mut [bool],
    heaviest: List<'a, (usize, u32)>,
}

/// Scratch bytes for each tensor and part; the sections are sorted once.
pub(super) const TENSOR: usize = size_of::<usize>() + 1 + size_of::<(usize, u32)>();
pub(super) const PART: usize = 24;

impl<'a> Relaxations<'a> {
    #[inline(never)]
    pub fn new(tensors: usize, sections: &Sections, scratch: &mut Scratch<'a>) -> Result<Relaxations<'a>, Error> {
        let count = sections.count();
        let total = |s: u32| sections.bytes(s as usize);
        Ok(Relaxations {
            next: Relaxation::FIRST,
            weights: scratch.filled(tensors, 0)?,
            takes_part: scratch.filled(tensors, false)?,
            heaviest: scratch.list(tensors)?,
            sections: by_descending_key(0..count as u32, count, total, scratch)?,
        })
    }

    pub fn takes_part(&self, i: usize) -> bool {
        self.takes_part[i]
    }

    /// Turns to the next relaxation.
    pub fn advance(&mut self) {
        let Relaxation { size, center } = self.next;
        // The larger they are, the more they overlap.
        let centers = (self.sections.len() * Relaxation::FIRST.size).div_ceil(size);
        self.next = match center + 1 < centers {
            true => Relaxation { size, center: center + 1 },
            false => Relaxation { size: size + size / 2, center: 0 },
        };
    }

    /// Chooses who takes part.
    pub fn choose(&mut self, sections: &Sections, size: impl Fn(usize) -> usize) {
        let Relaxation { size: most, center } = self.next;
        let Some(&center) = self.sections.get(center) else { return };
        let (center, radius) = (center as usize, most / 8);
        let window = center.saturating_sub(radius)..(center + radius + 1).min(sections.count());
        self.weights.fill(0);
        self.takes_part.fill(false);
        self.heaviest.clear();
        for span in window.flat_map(|s| sections.members(s)) {
            let i = span.tensor as usize;
            self.weights[i] = self.weights[i].saturating_add(size(i));
        }
        for (i, &weight) in (0u32..).zip(self.weights.iter()).filter(|(_, weight)| **weight > 0) {
            self.heaviest.push((weight, i));
        }
        sort_by_key(&mut self.heaviest, |&item| Reverse(item));
        self.heaviest.iter().take(most).for_each(|&(_, i)| self.takes_part[i as usize] = true);
    }
}
