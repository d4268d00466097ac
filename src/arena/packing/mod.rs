//! Places tensors one after another, in any order, each into a free interval that a rule chooses: the engine of every
//! greedy planner.
//!
//! | file | holds |
//! |---|---|
//! | `lifetimes` | lifetimes in ranks, and what follows from them alone |
//! | `windows` | what is free for a tensor, narrowed step by step |
//! | `collect`, `gap_tree` | two ways to find what is free; the same answer |
//!
//! What is free does not depend on how it is found, so the way is chosen by cost: see [`Method::cheapest`].
//! Cost: research of ours; on real inputs a large multiple of n rather than of the pairs that meet. Scratch: linear.
//! Source: the gap tree is our own; its canonical nodes are those of a segment tree (Bentley 1977).

mod collect;
mod gap_tree;
mod lifetimes;
#[cfg(test)]
mod tests;
mod windows;

use core::hint::select_unpredictable as select;

use super::fit::Fit;
use super::timeline::with_bytes;
use super::{FREE, Range, Tensor};
use crate::error::{Error, Kind, NONE};
use crate::scratch::Scratch;
use crate::sort::by_key;
use collect::Collect;
use gap_tree::{Cut, GapTree};
use lifetimes::{Lifetime, Lifetimes};
use windows::{SPACE, SPACE_END, Windows};

/// What does not depend on the order of placement, made once for a problem.
pub(super) struct Packing<'a> {
    tensors: &'a [Tensor],
    fixed: &'a [usize],
    hints: &'a [usize],
    hint_limit: usize,
    /// What is not reserved.
    space: &'a [Range],
    lifetimes: Lifetimes<'a>,
    blocks: Blocks<'a>,
    windows: Windows<'a>,
}

/// The placed tensors, kept for the question what is free.
enum Blocks<'a> {
    Collect(Collect<'a>),
    Tree(GapTree<'a>),
}

/// How placed tensors are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Collect,
    Tree(Cut),
}

/// Scratch of a [`Packing`] beside its constant part: bytes a tensor, 240 with 64-bit sizes and 136 with 32-bit ones.
const TENSOR_BYTES: usize = 26 * size_of::<usize>() + 32;
/// The same for a reserved range, at most 48.
const RESERVED_BYTES: usize = 48;
const CONSTANT_BYTES: usize = 1024;

/// Counts and bytes for [`size`](crate::scratch::size): what [`Packing::new`] carves at most.
pub(super) fn scratch_parts(tensor_count: usize, reserved_count: usize) -> [(usize, usize); 3] {
    [(tensor_count, TENSOR_BYTES), (reserved_count, RESERVED_BYTES), (1, CONSTANT_BYTES)]
}

impl<'a> Packing<'a> {
    /// `fixed`: empty, or one a tensor, [`FREE`] where it is planned. A tensor with a fixed offset is placed before all
    /// others; the caller has checked that these are aligned, end in the space and do not clash.
    /// `hints`: empty, or one a tensor, [`FREE`] where there is none. A hint that is aligned, whose bytes are free and
    /// whose end is at most `hint_limit` goes before any [`Fit`].
    /// `reserved`: bytes that no tensor may use, in any order; they may overlap and be empty.
    /// The lifetimes must be valid.
    pub fn new(
        tensors: &'a [Tensor],
        fixed: &'a [usize],
        hints: &'a [usize],
        hint_limit: usize,
        reserved: &[Range],
        scratch: &mut Scratch<'a>,
    ) -> Result<Packing<'a>, Error> {
        let lifetimes = Lifetimes::new(tensors, scratch)?;
        let method = Method::cheapest(tensors, &lifetimes);
        let packing = Packing::by_method(method, tensors, lifetimes, reserved, scratch)?;
        Ok(Packing { fixed, hints, hint_limit, ..packing })
    }

    fn by_method(
        method: Method,
        tensors: &'a [Tensor],
        lifetimes: Lifetimes<'a>,
        reserved: &[Range],
        scratch: &mut Scratch<'a>,
    ) -> Result<Packing<'a>, Error> {
        let space = unreserved(reserved, scratch)?;
        let windows = Windows::new(lifetimes.count, space.len(), scratch)?;
        let blocks = match method {
            Method::Collect => Blocks::Collect(Collect::new(tensors, &lifetimes, scratch)?),
            Method::Tree(cut) => Blocks::Tree(GapTree::new(tensors, &lifetimes, cut, scratch)?),
        };
        Ok(Packing { tensors, fixed: &[], hints: &[], hint_limit: 0, space, lifetimes, blocks, windows })
    }

    /// Places the tensors of `order` one after another, and writes an offset for every tensor, 0 where it has no bytes.
    /// In `order` are tensors that have bytes and no fixed offset, each once; what is not in it is not placed.
    /// Returns the highest end, or None as soon as one reaches the ceiling: this order is no improvement then.
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
        let too_high = |end: usize| ceiling.is_some_and(|ceiling| end >= ceiling);
        self.blocks.clear();
        offsets.fill(0);
        let (mut arena, mut cursor) = (0, 0);
        for (i, &begin) in
            self.fixed.iter().enumerate().filter(|(i, begin)| **begin != FREE && self.tensors[*i].size > 0)
        {
            let end = begin + self.tensors[i].size;
            self.blocks.insert(i, self.lifetimes.of[i], Range { begin, end });
            offsets[i] = begin;
            arena = arena.max(end);
        }
        if too_high(arena) {
            return Ok(None);
        }
        for (placed, i) in order.iter().map(|&i| i as usize).enumerate() {
            let (tensor, lifetime) = (&self.tensors[i], self.lifetimes.of[i]);
            let hint = self.hints.get(i).copied().filter(|&hint| hint != FREE);
            let floor = if fit == Fit::Next { cursor } else { 0 };
            // The space below the floor concerns a hint only.
            self.blocks.find_free(lifetime, tensor.size, self.space, hint.map_or(floor, |_| 0), &mut self.windows);
            let windows = self.windows.as_slice();
            let hint = hint.filter(|&hint| is_welcome(hint, tensor, self.hint_limit, windows));
            let Some(begin) = hint.or_else(|| choose(windows, tensor, fit, floor, arena)) else {
                return Err(self.overflow(i, floor, &order[..placed], offsets));
            };
            let end = begin + tensor.size;
            self.blocks.insert(i, lifetime, Range { begin, end });
            offsets[i] = begin;
            (arena, cursor) = (arena.max(end), end);
            if too_high(arena) {
                return Ok(None);
            }
        }
        Ok(Some(arena))
    }

    /// The largest sum of sizes alive at one node, if a plan was found.
    pub fn peak_live_bytes(&self, scratch: Scratch) -> Result<usize, Error> {
        self.lifetimes.peak_live_bytes(self.tensors, scratch)
    }

    /// Why the tensor does not fit: the windows are those found for it.
    fn overflow(&self, i: usize, floor: usize, placed: &[u32], offsets: &[usize]) -> Error {
        let last = self.windows.as_slice().last().map_or(0, |last| last.begin);
        let left = align_up(last.max(floor), self.tensors[i].stride()).map_or(0, |begin| SPACE_END - begin);
        // The tensor that the last window begins on, the first of several.
        let is_below = |&j: &usize| {
            let ends_there = self.tensors[j].size > 0 && offsets[j] + self.tensors[j].size == last;
            ends_there && self.lifetimes.of[i].meets(self.lifetimes.of[j])
        };
        let fixed = self.fixed.iter().enumerate().filter(|(_, begin)| **begin != FREE).map(|(j, _)| j);
        let below = placed.iter().map(|&j| j as usize).chain(fixed).filter(is_below).min();
        Error::new(Kind::ArenaOverflow, i, self.tensors[i].size, left).against(below.unwrap_or(NONE))
    }
}

impl Blocks<'_> {
    fn clear(&mut self) {
        match self {
            Blocks::Collect(blocks) => blocks.clear(),
            Blocks::Tree(blocks) => blocks.clear(),
        }
    }

    /// The windows in `space` that are free during `lifetime`; those below `floor` may be left out.
    fn find_free(&mut self, lifetime: Lifetime, size: usize, space: &[Range], floor: usize, windows: &mut Windows) {
        match self {
            Blocks::Collect(blocks) => {
                windows.start_between(blocks.meeting(lifetime), size);
                if space != [SPACE] {
                    windows.intersect(space, size);
                }
            }
            Blocks::Tree(blocks) => {
                windows.start(space, floor);
                blocks.narrow(lifetime, size, windows);
            }
        }
    }

    fn insert(&mut self, tensor: usize, lifetime: Lifetime, bytes: Range) {
        match self {
            Blocks::Collect(blocks) => blocks.insert(tensor, lifetime, bytes),
            Blocks::Tree(blocks) => blocks.insert(lifetime, bytes),
        }
    }
}

impl Method {
    /// Chosen by measurement; a poor choice costs time, up to a few times, and never changes the answer.
    fn cheapest(tensors: &[Tensor], lifetimes: &Lifetimes) -> Method {
        let count = lifetimes.count as u64;
        if count <= 128 {
            return Method::Collect;
        }
        // A tensor sorts what it meets, and passes over the groups of the others.
        let meeting = lifetimes.pairs(tensors) / count;
        if (meeting <= 8 && count <= 2_500) || (meeting <= 12 && count <= 512) {
            return Method::Collect;
        }
        // Short lifetimes want narrow leaves, so that few blocks are partial in them, and long ones wide leaves, so that
        // there are few lists; half way between the length and 128 ranks, on a scale of powers, serves both.
        let length_bits = upper_quartile_bits(tensors, lifetimes);
        let leaf_bits = (length_bits + 7) / 2;
        // Where most lifetimes are long, levels above the leaves hold little that is not in the leaves already. Where a few
        // are, and so cause most of the meetings, steep levels keep them out of the many lists below.
        let fan_bits = match meeting {
            _ if length_bits > 6 => 10,
            0..=128 => 4,
            _ => 3,
        };
        Method::Tree(Cut { leaf_bits, fan_bits })
    }
}

/// The bits of the length, in ranks, that three quarters of the lifetimes do not exceed: 2^bits is at most twice below.
fn upper_quartile_bits(tensors: &[Tensor], lifetimes: &Lifetimes) -> u32 {
    let mut by_bits = [0usize; 32];
    for i in with_bytes(tensors) {
        let Lifetime { first, last } = lifetimes.of[i as usize];
        by_bits[(last - first + 1).ilog2() as usize] += 1;
    }
    let mut above = lifetimes.count / 4;
    let quartile = by_bits.iter().rposition(|&lifetimes| {
        let found = lifetimes > above;
        above = above.saturating_sub(lifetimes);
        found
    });
    quartile.unwrap_or(0) as u32
}

/// The space without the reserved ranges, as a list of windows.
fn unreserved<'a>(reserved: &[Range], scratch: &mut Scratch<'a>) -> Result<&'a [Range], Error> {
    crate::scratch::index_limit(reserved.len())?;
    let mut space = scratch.list(reserved.len() + 1)?;
    let mut top = 0;
    if !reserved.is_empty() {
        let mut phase = scratch.phase();
        let by_begin = by_key(0..reserved.len() as u32, reserved.len(), |i| reserved[i as usize].begin, &mut phase)?;
        for Range { begin, end } in
            by_begin.iter().map(|&i| reserved[i as usize]).filter(|range| range.begin < range.end)
        {
            if begin > top {
                space.push(Range { begin: top, end: begin });
            }
            top = top.max(end);
        }
    }
    space.push(Range { begin: top, end: SPACE_END });
    Ok(space.into_slice())
}

/// Whether the tensor may lie where its hint says. Free bytes that are enough for it lie in one window.
fn is_welcome(hint: usize, tensor: &Tensor, limit: usize, windows: &[Range]) -> bool {
    let end = hint.checked_add(tensor.size).filter(|&end| end <= limit);
    let is_free = |end| windows.iter().any(|window| window.begin <= hint && end <= window.end);
    hint.is_multiple_of(tensor.stride()) && end.is_some_and(is_free)
}

/// The offset that the rule chooses, none if nothing fits. `top` is the highest end so far.
fn choose(windows: &[Range], tensor: &Tensor, fit: Fit, floor: usize, top: usize) -> Option<usize> {
    let (size, stride) = (tensor.size, tensor.stride());
    let (last, others) = windows.split_last()?;
    let lowest = |windows: &[Range]| {
        let begins = windows.iter().map(|window| (align_up(window.begin.max(floor), stride), window.end));
        begins.filter_map(|(begin, end)| (end.checked_sub(begin?)? >= size).then_some(begin?)).next()
    };
    let chosen = match fit {
        Fit::First | Fit::Next => lowest(others),
        Fit::Best => smallest(others.iter(), size, stride),
        Fit::BestBelowTop => smallest(others.iter().chain([&Range { begin: last.begin, end: top }]), size, stride),
    };
    chosen.or_else(|| lowest(core::slice::from_ref(last)))
}

/// Where the smallest usable part of at least `size` bytes begins, the first on a tie.
fn smallest<'a>(windows: impl Iterator<Item = &'a Range>, size: usize, stride: usize) -> Option<usize> {
    if !stride.is_power_of_two() {
        let usable = |window: &Range| {
            let begin = align_up(window.begin, stride)?;
            Some((window.end.checked_sub(begin).filter(|&usable| usable >= size)?, begin))
        };
        return windows.filter_map(usable).min_by_key(|(usable, _)| *usable).map(|(_, begin)| begin);
    }
    let (mut least, mut chosen) = (usize::MAX, 0);
    for window in windows {
        // Which one is smaller is hard to foretell, so no branch asks.
        let begin = window.begin.saturating_add(stride - 1) & !(stride - 1);
        let usable = window.end.saturating_sub(begin);
        let is_smaller = (usable >= size) & (usable < least);
        least = select(is_smaller, usable, least);
        chosen = select(is_smaller, begin, chosen);
    }
    (least < usize::MAX).then_some(chosen)
}

/// The next multiple of `stride`, if there is one. Without a division where the stride is a power of two.
fn align_up(byte: usize, stride: usize) -> Option<usize> {
    if stride.is_power_of_two() {
        return Some(byte.checked_add(stride - 1)? & !(stride - 1));
    }
    byte.checked_next_multiple_of(stride)
}
