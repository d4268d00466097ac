//! Places tensors one after another, in any order, each into a free interval that a rule chooses: the engine of the
//! greedy planners.
//!
//! | file | holds |
//! |---|---|
//! | `lifetimes` | lifetimes in ranks, and what follows from them alone |
//! | `windows` | lists of windows, narrowed by what is placed |
//! | `few`, `collect`, `gap_tree` | three ways to keep what is placed; they find the same windows |
//! | `method` | which of them is the cheapest |
//! | `locality` | an order that gives the same plan and is faster where the caches are too small |
//!
//! Invariant: the windows found for a tensor are exactly the bytes that are neither reserved nor held by a placed
//! tensor alive with it, those too short for it left out; so the plan depends on the order and the rule alone.
//! The bytes of the arena are below `usize::MAX`, where the last window of every list ends, and no end is ever added
//! up before it is known to fit: nothing wraps.
//! Cost: that of `collect` or `gap_tree`; real inputs take 0.03 us a tensor where each meets 2 others, 0.4 us where
//! each meets 800 and 2 us where each meets 2,900.
//! Scratch: linear, told by [`PACKING`].

mod collect;
mod few;
mod gap_tree;
pub(super) mod lifetimes;
mod locality;
mod method;
#[cfg(test)]
mod tests;
mod windows;

use super::bytes::Bytes;
use super::fit::{Choice, Fit};
use super::{FREE, Range, Tensor};
use crate::error::{Error, Kind, NONE};
use crate::scratch::{Scratch, index_limit};
use crate::sort::by_key;
use collect::Collect;
use few::Few;
use gap_tree::GapTree;
use lifetimes::Lifetimes;
use method::Method;
use windows::{SPACE, SPACE_END, Windows};

/// What does not depend on the order of placement, made once for a problem; and the placed tensors of one order.
pub(super) struct Packing<'a> {
    tensors: &'a [Tensor],
    fixed: &'a [usize],
    hints: &'a [usize],
    hint_limit: usize,
    /// The bytes that are not reserved, as a list of windows.
    space: &'a [Range],
    /// Whether nothing is reserved and no tensor has a hint.
    is_plain: bool,
    blocks: Blocks<'a>,
    windows: Windows<'a>,
}

enum Blocks<'a> {
    Few(Few<'a>),
    Collect(Collect<'a>),
    Tree(GapTree<'a>),
}

/// Scratch of a packing of some tensors: 240 bytes each with 64-bit sizes, 176 with 32-bit ones.
pub(super) const PACKING: Bytes = {
    let word = size_of::<usize>();
    Bytes { tensor: 16 * word + 112, gap: 0, pair: 0, reserved: 10 * word + 8, constant: 1024 }
};

impl<'a> Packing<'a> {
    /// `fixed`: empty, or one a tensor, [`FREE`] where it is planned. A tensor with a fixed offset is placed before all
    /// others; the caller has checked that these are aligned, end within `usize` and do not clash.
    /// `hints`: empty, or one a tensor, [`FREE`] where there is none. A hint that is aligned, whose bytes are free and
    /// whose end is at most `hint_limit` goes before any [`Fit`].
    /// `reserved`: bytes that no tensor may use, in any order; they may overlap and be empty.
    /// The caller has checked the lifetimes.
    pub fn new(
        tensors: &'a [Tensor],
        fixed: &'a [usize],
        hints: &'a [usize],
        hint_limit: usize,
        reserved: &[Range],
        scratch: &mut Scratch<'a>,
    ) -> Result<Packing<'a>, Error> {
        Packing::by_method(None, tensors, fixed, hints, hint_limit, reserved, scratch)
    }

    /// By the cheapest method if none is given.
    fn by_method(
        method: Option<Method>,
        tensors: &'a [Tensor],
        fixed: &'a [usize],
        hints: &'a [usize],
        hint_limit: usize,
        reserved: &[Range],
        scratch: &mut Scratch<'a>,
    ) -> Result<Packing<'a>, Error> {
        let space = unreserved(reserved, scratch)?;
        let windows = Windows::new(tensors.len(), space.len(), scratch)?;
        let blocks = Blocks::new(method, tensors, scratch)?;
        let is_plain = reserved.is_empty() && hints.is_empty();
        Ok(Packing { tensors, fixed, hints, hint_limit, space, is_plain, blocks, windows })
    }

    /// Places the tensors of `order` one after another, and writes an offset for every tensor: 0 where it has no bytes,
    /// or is not in the order. The order holds tensors that have bytes and no fixed offset, each at most once.
    /// Returns the highest end, or None as soon as an end reaches the ceiling: this order is no improvement then.
    ///
    /// # Errors
    /// A tensor whose end would be beyond `usize::MAX`, with the one that it would lie on.
    pub fn place(
        &mut self,
        order: &[u32],
        fit: Fit,
        ceiling: Option<usize>,
        offsets: &mut [usize],
    ) -> Result<Option<usize>, Error> {
        self.blocks.clear();
        offsets.fill(0);
        let (mut top, mut cursor) = (0, 0);
        for (i, &begin) in self.fixed.iter().enumerate() {
            if begin != FREE && self.tensors[i].size > 0 {
                let end = begin + self.tensors[i].size;
                self.blocks.insert(i, Range { begin, end });
                offsets[i] = begin;
                top = top.max(end);
            }
        }
        let is_too_high = |end: usize| ceiling.is_some_and(|ceiling| end >= ceiling);
        if is_too_high(top) {
            return Ok(None);
        }
        for (placed, i) in order.iter().map(|&i| i as usize).enumerate() {
            let size = self.tensors[i].size;
            let floor = if fit == Fit::Next { cursor } else { 0 };
            let mut choice = Choice::new(&self.tensors[i], fit, floor);
            let (hint, last) = self.offer_free(i, floor, &mut choice);
            if fit == Fit::BestBelowTop {
                choice.offer(Range { begin: last.begin, end: top });
            }
            let Some(begin) = hint.or_else(|| choice.or_last(last.begin)) else {
                let error = Error::new(Kind::ArenaOverflow, i, size, choice.left(last.begin));
                return Err(error.against(self.below(last.begin.max(floor), i, &order[..placed], offsets)));
            };
            let end = begin + size;
            self.blocks.insert(i, Range { begin, end });
            offsets[i] = begin;
            (top, cursor) = (top.max(end), end);
            if is_too_high(top) {
                return Ok(None);
            }
        }
        Ok(Some(top))
    }

    /// Reorders an order so that it is placed faster where there are very many tensors. The plan by [`Fit::Best`] or
    /// [`Fit::First`] stays the same; of several tensors that do not fit, another may be the first. Scratch: 18 bytes a
    /// tensor.
    pub fn stay_near(&self, order: &mut [u32], scratch: Scratch) -> Result<(), Error> {
        match &self.blocks {
            Blocks::Few(_) => Ok(()),
            Blocks::Collect(Collect { lifetimes, .. }) | Blocks::Tree(GapTree { lifetimes, .. }) => {
                locality::stay_near(order, self.tensors, lifetimes, scratch)
            }
        }
    }

    /// The largest sum of sizes alive at one node, if some plan of the tensors fits `usize`.
    pub fn peak_live_bytes(&self, scratch: Scratch) -> Result<usize, Error> {
        match &self.blocks {
            Blocks::Few(blocks) => Ok(blocks.peak_live_bytes),
            Blocks::Collect(Collect { lifetimes, .. }) | Blocks::Tree(GapTree { lifetimes, .. }) => {
                lifetimes.peak_live_bytes(self.tensors, scratch)
            }
        }
    }

    /// Offers the windows that are free for a tensor but the last, which it returns, with the hint if that is free too.
    /// Windows below `floor` are left out where no hint can be in them.
    fn offer_free(&mut self, i: usize, floor: usize, choice: &mut Choice) -> (Option<usize>, Range) {
        let size = self.tensors[i].size;
        let hint = self.hints.get(i).copied().filter(|&hint| hint != FREE);
        let gathered = match &self.blocks {
            Blocks::Few(blocks) => Some(self.windows.gather(|met| blocks.gather(&self.tensors[i], met))),
            Blocks::Collect(blocks) => Some(self.windows.gather(|met| blocks.gather(i, met))),
            Blocks::Tree(blocks) => {
                self.windows.start(self.space, if hint.is_none() { floor } else { 0 });
                blocks.narrow(i, size, &mut self.windows);
                None
            }
        };
        match gathered {
            // Nobody else needs the windows: each is offered as soon as it is found.
            Some(met) if self.is_plain => {
                let mut top = 0;
                for block in met {
                    choice.offer(Range { begin: top, end: block.begin });
                    top = top.max(block.end);
                }
                return (None, Range { begin: top, end: SPACE_END });
            }
            Some(_) => {
                self.windows.start_between_gathered(size);
                self.windows.intersect(self.space, size);
            }
            None => {}
        }
        let windows = self.windows.as_slice();
        let (last, others) = windows.split_last().unwrap_or((&SPACE, &[]));
        others.iter().for_each(|&window| choice.offer(window));
        (hint.filter(|&hint| is_welcome(hint, &self.tensors[i], self.hint_limit, windows)), *last)
    }

    /// The first tensor alive with tensor `i` that ends at `top`, or `NONE`: for the error only.
    fn below(&self, top: usize, i: usize, placed: &[u32], offsets: &[usize]) -> usize {
        let is_below = |&j: &usize| {
            let Tensor { size, first_use, last_use, .. } = self.tensors[j];
            offsets[j] + size == top && self.tensors[i].meets(first_use, last_use)
        };
        let fixed = self.fixed.iter().enumerate().filter(|(_, begin)| **begin != FREE).map(|(j, _)| j);
        placed.iter().map(|&j| j as usize).chain(fixed).filter(is_below).min().unwrap_or(NONE)
    }
}

impl<'a> Blocks<'a> {
    fn new(method: Option<Method>, tensors: &[Tensor], scratch: &mut Scratch<'a>) -> Result<Blocks<'a>, Error> {
        if method.is_none()
            && let Some(few) = Few::new(tensors, scratch)?
        {
            return Ok(Blocks::Few(few));
        }
        let lifetimes = Lifetimes::new(tensors, scratch)?;
        Ok(match method.unwrap_or_else(|| Method::cheapest(tensors, &lifetimes)) {
            Method::Collect => Blocks::Collect(Collect::new(tensors, lifetimes, scratch)?),
            Method::Tree(cut) => Blocks::Tree(GapTree::new(tensors, lifetimes, cut, scratch)?),
        })
    }

    fn clear(&mut self) {
        match self {
            Blocks::Few(blocks) => blocks.clear(),
            Blocks::Collect(blocks) => blocks.clear(),
            Blocks::Tree(blocks) => blocks.clear(),
        }
    }

    #[inline(always)] // As a call it takes a 20th of the time of a small plan.
    fn insert(&mut self, tensor: usize, bytes: Range) {
        match self {
            Blocks::Few(blocks) => blocks.insert(tensor, bytes),
            Blocks::Collect(blocks) => blocks.insert(tensor, bytes),
            Blocks::Tree(blocks) => blocks.insert(tensor, bytes),
        }
    }
}

/// Whether the tensor may lie at its hint. Free bytes that are enough for it lie in one window.
fn is_welcome(hint: usize, tensor: &Tensor, limit: usize, windows: &[Range]) -> bool {
    let end = hint.checked_add(tensor.size).filter(|&end| end <= limit);
    let is_free = |end| windows.iter().any(|window| window.begin <= hint && end <= window.end);
    hint.is_multiple_of(tensor.stride()) && end.is_some_and(is_free)
}

/// The space without the reserved ranges.
fn unreserved<'a>(reserved: &[Range], scratch: &mut Scratch<'a>) -> Result<&'a [Range], Error> {
    if reserved.is_empty() {
        return Ok(&[SPACE]);
    }
    index_limit(reserved.len())?;
    let mut space = scratch.list(reserved.len().saturating_add(1))?;
    let mut phase = scratch.phase();
    let begin = |i: u32| reserved[i as usize].begin;
    let by_begin = by_key(0..reserved.len() as u32, reserved.len(), begin, &mut phase)?;
    let mut top = 0;
    for &Range { begin, end } in by_begin.iter().map(|&i| &reserved[i as usize]).filter(|range| range.begin < range.end)
    {
        if begin > top {
            space.push(Range { begin: top, end: begin });
        }
        top = top.max(end);
    }
    space.push(Range { begin: top, end: SPACE_END });
    Ok(space.into_slice())
}
