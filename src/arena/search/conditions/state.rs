//! A partial plan, and what it proves about the tensors that are not placed yet.
//!
//! Of an unplaced tensor: `support`, the lowest place that nothing placed, fixed or reserved forbids, and `low` >=
//! support, a proven lower bound of its final offset. Both are on its alignment, and nothing forbids them.
//!
//! What is placed forbids ranges of offsets. Those below the supports of all that they concern will never matter again,
//! since supports only rise; the placed tensors with others are the *obstacles*, which every search for a place asks.
//! Fixed tensors are obstacles from the start. In a problem without conditions there are none for long.
//!
//! Invariant: every change of an unplaced tensor is on the trail; `free` holds the bytes of unplaced members.
//! A placement costs a look at each unplaced tensor, and at the sections of those that it moves.

use super::sections::{Sections, Span, up};
use crate::arena::fit::align_up;
use crate::arena::interference::each_forbidden;
use crate::arena::model::{Model, Part};
use crate::arena::problem::Range;
use crate::arena::search::conflict::NO_SET;
use crate::arena::search::state::NOBODY;
use crate::arena::search::trail::Trail;
use crate::error::Error;
use crate::scratch::{List, Scratch, size};

#[derive(Clone, Copy)]
pub(super) struct Item {
    pub size: usize,
    stride: usize,
    first_use: usize,
    last_use: usize,
    /// The highest place within the capacity.
    pub last: usize,
    pub support: usize,
    pub low: usize,
    /// The depth of the decision that the support is on.
    pub why: u32,
    /// The conflict set that explains why `low` is above the support, or `NO_SET` where it is not.
    pub excluded: u32,
    /// It holds a part of its bytes at some nodes, so another tensor may lie beside and between its bytes.
    pub is_loose: bool,
    /// It has neither gaps nor pairs: one of the same size, alignment and lifetime can take its place.
    is_common: bool,
    has_apart: bool,
}

impl Item {
    /// Whether these tensors can take each other's place, now and later.
    pub fn is_twin(&self, other: &Item) -> bool {
        let key = |item: &Item| (item.size, item.stride, item.first_use, item.last_use, item.support, item.low);
        self.is_common && other.is_common && key(self) == key(other)
    }

    pub fn is_candidate(&self) -> bool {
        self.low == self.support
    }
}

#[derive(Clone, Copy)]
struct Change {
    item: u32,
    why: u32,
    excluded: u32,
    support: usize,
    low: usize,
}

/// A place on the trail, and how many obstacles there were.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    changes: u64,
    obstacles: u32,
}

/// Why a partial plan has no completion.
#[derive(Clone, Copy)]
pub(super) enum Failure {
    /// The unplaced members of a section do not fit above the lowest place of one of them.
    Section(usize),
    /// The lowest place of a tensor is too high.
    Item(usize),
}

pub(super) struct State<'a> {
    pub model: &'a Model<'a>,
    pub sections: Sections<'a>,
    /// By tensor.
    pub items: &'a mut [Item],
    pub offsets: &'a mut [usize],
    /// The tensors that take part, the unplaced ones first, and where each of them is there.
    order: List<'a, u32>,
    position: &'a mut [u32],
    unplaced: usize,
    /// How many unplaced tensors are loose.
    pub loose: usize,
    obstacles: List<'a, u32>,
    /// By section: the bytes of its unplaced members, and the highest end of any.
    free: &'a mut [usize],
    roof: &'a mut [usize],
    trail: Trail<'a, Change>,
    capacity: usize,
}

fn trail_entries(count: usize) -> usize {
    let pairs = count.saturating_mul(count).saturating_add(64);
    pairs.min(count.saturating_mul(40).saturating_add(1 << 16))
}

/// Scratch bytes of a state beside the sections, for so many tensors and parts.
pub(super) fn state_size(tensors: usize, parts: usize) -> usize {
    let tensor = size_of::<Item>() + size_of::<usize>() + 12;
    let trail = trail_entries(tensors).saturating_mul(size_of::<Change>());
    size(&[(tensors, tensor), (parts, 2 * size_of::<usize>()), (1, trail), (8, 64)])
}

impl<'a> State<'a> {
    pub fn new(model: &'a Model, sections: Sections<'a>, scratch: &mut Scratch<'a>) -> Result<State<'a>, Error> {
        let tensors = model.problem.tensors;
        let mut items = scratch.list(tensors.len())?;
        for (i, tensor) in tensors.iter().enumerate() {
            let parts = model.parts(i);
            let has_apart = !model.apart(i).is_empty();
            let is_whole = |part: &Part| part.end - part.begin == tensor.size;
            items.push(Item {
                size: tensor.size,
                stride: tensor.stride(),
                first_use: tensor.first_use,
                last_use: tensor.last_use,
                last: 0,
                support: 0,
                low: 0,
                why: NOBODY,
                excluded: NO_SET,
                is_loose: !parts.iter().all(is_whole),
                is_common: parts == [model.whole(i)] && !has_apart && model.compatible(i).is_empty(),
                has_apart,
            });
        }
        Ok(State {
            model,
            items: items.into_slice(),
            offsets: scratch.filled(tensors.len(), 0)?,
            order: scratch.list(tensors.len())?,
            position: scratch.filled(tensors.len(), NOBODY)?,
            unplaced: 0,
            loose: 0,
            obstacles: scratch.list(tensors.len())?,
            free: scratch.filled(sections.count(), 0)?,
            roof: scratch.filled(sections.count(), 0)?,
            trail: Trail::new(trail_entries(tensors.len()), scratch)?,
            capacity: 0,
            sections,
        })
    }

    /// Some tensors take part, among them all that are fixed; only these are placed. The arena has so many bytes: at
    /// least as many as each tensor.
    pub fn reset(&mut self, capacity: usize, takes_part: impl Fn(usize) -> bool) -> Result<(), Failure> {
        self.capacity = capacity;
        self.trail.clear();
        self.obstacles.clear();
        self.order.clear();
        for i in 0..self.items.len() {
            self.position[i] = NOBODY;
            if self.items[i].size > 0 && (takes_part(i) || self.model.fixed(i).is_some()) {
                self.position[i] = self.order.len() as u32;
                self.order.push(i as u32);
            }
        }
        self.unplaced = self.order.len();
        self.loose = self.unplaced().filter(|&i| self.items[i].is_loose).count();
        self.free.fill(0);
        self.roof.fill(0);
        for i in 0..self.items.len() {
            let item = &mut self.items[i];
            // Sizes are at most the capacity, also that of nothing.
            let last = (capacity - item.size) / item.stride * item.stride;
            *item = Item { last, support: 0, low: 0, why: NOBODY, excluded: NO_SET, ..*item };
            let takes_part = self.position[i] != NOBODY;
            for (s, bytes) in self.sections.held_by(i).filter(|_| takes_part) {
                // Modulo 2^bits; what is too small only costs a cut.
                self.free[s] = self.free[s].wrapping_add(bytes);
            }
        }
        for s in 0..self.sections.count() {
            let end = |span: Span| self.items[span.tensor as usize].last.saturating_add(span.end);
            self.roof[s] = self.sections.members(s).map(end).max().unwrap_or(0);
        }
        for i in 0..self.items.len() {
            if let Some(offset) = self.model.fixed(i) {
                self.offsets[i] = offset;
                self.take(i);
                self.obstacles.push(i as u32);
            }
        }
        for k in 0..self.unplaced {
            let i = self.order[k] as usize;
            let place = self.allowed(i, 0);
            (self.items[i].support, self.items[i].low) = (place, place);
            if place > self.items[i].last {
                return Err(Failure::Item(i));
            }
        }
        (0..self.sections.count()).try_for_each(|s| self.check(s, 0))
    }

    pub fn unplaced(&self) -> impl Iterator<Item = usize> + Clone {
        self.order[..self.unplaced].iter().map(|&i| i as usize)
    }

    pub fn is_unplaced(&self, i: usize) -> bool {
        (self.position[i] as usize) < self.unplaced
    }

    fn is_placed(&self, i: usize) -> bool {
        self.position[i] != NOBODY && !self.is_unplaced(i)
    }

    pub fn mark(&self) -> Mark {
        Mark { changes: self.trail.mark(), obstacles: self.obstacles.len() as u32 }
    }

    pub fn remembers(&self, mark: Mark) -> bool {
        self.trail.remembers(mark.changes)
    }

    /// Undoes all changes since the mark.
    pub fn undo(&mut self, mark: Mark) {
        self.obstacles.truncate(mark.obstacles as usize);
        while let Some(Change { item, why, excluded, support, low }) = self.trail.pop(mark.changes) {
            let item = &mut self.items[item as usize];
            *item = Item { why, excluded, support, low, ..*item };
        }
    }

    fn change(&mut self, i: usize, support: usize, low: usize, why: u32, excluded: u32) {
        let before = self.items[i];
        self.trail.push(Change {
            item: i as u32,
            why: before.why,
            excluded: before.excluded,
            support: before.support,
            low: before.low,
        });
        self.items[i] = Item { support, low, why, excluded, ..before };
    }

    /// Counts a tensor as placed.
    fn take(&mut self, e: usize) {
        self.unplaced -= 1;
        self.loose -= usize::from(self.items[e].is_loose);
        let (hole, last) = (self.position[e], self.order[self.unplaced]);
        (self.order[hole as usize], self.order[self.unplaced]) = (last, e as u32);
        (self.position[last as usize], self.position[e]) = (hole, self.unplaced as u32);
        for (s, bytes) in self.sections.held_by(e) {
            self.free[s] = self.free[s].wrapping_sub(bytes);
        }
    }

    /// Takes back the last placement, that of `e`; what it changed must be undone as well.
    pub fn unplace(&mut self, e: usize) {
        self.unplaced += 1;
        self.loose += usize::from(self.items[e].is_loose);
        for (s, bytes) in self.sections.held_by(e) {
            self.free[s] = self.free[s].wrapping_add(bytes);
        }
    }

    /// Whether one of two tensors may forbid the other anything.
    pub fn may_conflict(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.items[i], &self.items[j]);
        (a.first_use <= b.last_use && b.first_use <= a.last_use) || (a.has_apart && b.has_apart)
    }

    /// The offsets of `k` that `e` forbids at a place.
    pub fn each_forbidden(&self, e: usize, place: usize, k: usize, each: impl FnMut(Range)) {
        if self.may_conflict(e, k) {
            each_forbidden(self.model, e, place, k, each);
        }
    }

    /// The lowest allowed place of `i` that is not below `place`; too high where there is none within the capacity.
    pub fn allowed(&self, i: usize, mut place: usize) -> usize {
        let Item { last, stride, .. } = self.items[i];
        loop {
            let Some(aligned) = align_up(place, stride) else { return usize::MAX };
            if aligned > last {
                return aligned;
            }
            place = aligned;
            for part in self.model.parts(i) {
                let (begin, end) = (place + part.begin, place + part.end);
                let at = self.model.reserved.partition_point(|range| range.end <= begin);
                if let Some(range) = self.model.reserved.get(at).filter(|range| range.begin < end) {
                    place = range.end - part.begin;
                    break;
                }
            }
            for &j in self.obstacles.iter() {
                self.each_forbidden(j as usize, self.offsets[j as usize], i, |range| {
                    if range.contains(place) {
                        place = range.end;
                    }
                });
            }
            if place == aligned {
                return place;
            }
        }
    }

    /// Places a tensor where it is allowed; no solid one will be placed below `level`.
    pub fn place(&mut self, e: usize, place: usize, level: usize, depth: u32) -> Result<(), Failure> {
        self.offsets[e] = place;
        self.take(e);
        self.obstacles.push(e as u32);
        let mut moved = self.sections.around(e);
        let mut is_obstacle = false;
        for n in 0..self.unplaced {
            let k = self.order[n] as usize;
            let Item { support, low, excluded, why, .. } = self.items[k];
            let (mut top, mut moves_support, mut moves_low) = (0, false, false);
            self.each_forbidden(e, place, k, |range| {
                top = top.max(range.end);
                moves_support |= range.contains(support);
                moves_low |= range.contains(low);
            });
            if moves_support || moves_low {
                let support = if moves_support { self.allowed(k, support) } else { support };
                let low = if low <= support { support } else { self.allowed(k, low) };
                let excluded = if low == support { NO_SET } else { excluded };
                self.change(k, support, low, if moves_support { depth } else { why }, excluded);
                if low > self.items[k].last {
                    return Err(Failure::Item(k));
                }
                let own = self.sections.around(k);
                moved = moved.start.min(own.start)..moved.end.max(own.end);
            }
            is_obstacle |= top > self.items[k].support;
        }
        if !is_obstacle {
            self.obstacles.pop();
        }
        moved.into_iter().try_for_each(|s| self.check(s, level))
    }

    /// Raises `low` of an unplaced tensor, which a conflict set explains.
    pub fn raise(&mut self, i: usize, low: usize, set: u32, level: usize) -> Result<(), Failure> {
        let Item { support, why, last, .. } = self.items[i];
        let low = self.allowed(i, low);
        self.change(i, support, low, why, set);
        if low > last {
            return Err(Failure::Item(i));
        }
        self.sections.around(i).try_for_each(|s| self.check(s, level))
    }

    /// The lowest place that is left for an unplaced tensor.
    pub fn begin(&self, i: usize, level: usize) -> usize {
        self.items[i].low.max(level)
    }

    fn check(&self, s: usize, level: usize) -> Result<(), Failure> {
        let (need, roof, _) = self.need(s, level);
        if need > roof { Err(Failure::Section(s)) } else { Ok(()) }
    }

    /// How high the unplaced members of a section reach at least, rounded up; how high they may; and by how much that
    /// may be above the capacity. Above any byte there must be room for those that cannot begin below it, and for what
    /// is placed, fixed or reserved there; the bytes to ask are the lowest place of all, and where reserved ranges end,
    /// since those who did not fit below such a range begin there.
    fn need(&self, s: usize, level: usize) -> (usize, usize, usize) {
        let (mut floor, mut highest, mut roof, mut sum, mut above) = (usize::MAX, 0, 0, 0usize, 0);
        for span in self.sections.members(s).filter(|span| self.is_unplaced(span.tensor as usize)) {
            let item = &self.items[span.tensor as usize];
            let begin = item.low.max(level).saturating_add(span.begin);
            (floor, highest) = (floor.min(begin), highest.max(begin));
            roof = roof.max(item.last.saturating_add(span.end));
            sum = sum.saturating_add(span.end - span.begin);
            above = above.max(span.end.saturating_sub(item.size));
        }
        if floor == usize::MAX {
            return (0, roof, above);
        }
        let reserved = self.model.reserved;
        if reserved.is_empty() && self.obstacles.is_empty() {
            return (floor.saturating_add(sum), roof, above);
        }
        let mut need = self.need_above(s, level, floor..roof);
        for range in &reserved[reserved.partition_point(|range| range.end <= floor)..] {
            if range.end > highest {
                break;
            }
            need = need.max(self.need_above(s, level, range.end..roof));
        }
        (need, roof, above)
    }

    /// How high those members of a section reach at least that are above the begin of these bytes, none of which ends
    /// above their end.
    fn need_above(&self, s: usize, level: usize, bytes: core::ops::Range<usize>) -> usize {
        let clip = |begin: usize, end: usize| end.min(bytes.end).saturating_sub(begin.max(bytes.start));
        let held = self.sections.members(s).map(|span| {
            let i = span.tensor as usize;
            if self.is_placed(i) {
                let offset = self.offsets[i];
                clip(offset.saturating_add(span.begin), offset.saturating_add(span.end))
            } else if self.is_unplaced(i) && self.begin(i, level).saturating_add(span.begin) >= bytes.start {
                span.end - span.begin
            } else {
                0
            }
        });
        let reserved = self.model.reserved;
        let ranges = reserved[reserved.partition_point(|range| range.end <= bytes.start)..].iter();
        let ranges = ranges.take_while(|range| range.begin < bytes.end);
        let ranges = ranges.map(|range| clip(up(self.model, range.begin), up(self.model, range.end)));
        held.chain(ranges).fold(bytes.start, usize::saturating_add)
    }

    /// A section that has no room above `level` for its unplaced members.
    pub fn crowded(&self, level: usize) -> Option<usize> {
        (0..self.free.len()).find(|&s| self.free[s] > 0 && level.saturating_add(self.free[s]) > self.roof[s])
    }

    /// The smallest arena in which a failure at this level would not be one.
    pub fn needed(&self, failure: Failure, level: usize) -> usize {
        let needed = match failure {
            Failure::Item(i) => self.items[i].low.saturating_add(self.items[i].size),
            Failure::Section(s) => {
                let (need, _, above) = self.need(s, level);
                need.saturating_sub(above)
            }
        };
        needed.max(self.capacity.saturating_add(1))
    }
}
