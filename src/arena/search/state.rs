//! A partial packing, and what it proves about the items that are not placed yet.
//!
//! Of an unplaced item: `support`, the lowest place on top of all placed items that it meets, and `low` >= support, a
//! proven lower bound of its final offset. Of a section: `free`, the units of its unplaced items; a `witness`, one of
//! them from whose `low` on they all fit below the roof; and `floor`, a lower bound of every `low` among them.
//!
//! Invariants, between calls:
//! - A witness is unplaced, and its `low` is at most roof - free: so the section is not full, whatever the lowest is.
//! - `watched` counts the sections whose witness an item is: only a watched item's rise can fill a section.
//! - Every change of an item, witness or floor is on its trail.
//!
//! A placement costs the items that it meets, and a scan of the sections whose witness has gone. As in the watched
//! literals of a SAT solver, a section that has another witness need not know its lowest item; who asks for that pays.

use core::ops::Range;

use super::conflict::NO_SET;
use super::layout::Layout;
use super::trail::Trail;
use crate::arena::largest::Largest;
use crate::error::Error;
use crate::scratch::Scratch;

/// The depth of no decision, and no item.
pub(super) const NOBODY: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub(super) struct Item {
    pub size: usize,
    pub stride: usize,
    /// What the end must not pass.
    pub roof: usize,
    pub support: usize,
    pub low: usize,
    pub first: u32,
    pub last: u32,
    /// The depth of the decision that the support is on.
    pub why: u32,
    /// The conflict set that explains why `low` is above the support, or `NO_SET` where it is not.
    pub excluded: u32,
    watched: u32,
    pub is_placed: bool,
}

impl Item {
    pub fn is_candidate(&self) -> bool {
        !self.is_placed && self.low == self.support
    }

    /// The lowest offset of this item that is not below `place`.
    #[inline]
    pub fn above(&self, place: usize) -> usize {
        if self.stride == 1 { place } else { place.checked_next_multiple_of(self.stride).unwrap_or(usize::MAX) }
    }

    fn overflows(&self) -> bool {
        self.low > self.roof - self.size
    }
}

#[derive(Clone, Copy)]
struct ItemChange {
    item: u32,
    why: u32,
    excluded: u32,
    support: usize,
    low: usize,
}

#[derive(Clone, Copy)]
struct FloorChange {
    section: u32,
    witness: u32,
    floor: usize,
}

/// A place on both trails.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark {
    items: u64,
    floors: u64,
}

/// Why a state has no completion.
#[derive(Clone, Copy)]
pub(super) enum Failure {
    /// The floor or level of a section and its free units pass its roof.
    Section(u32),
    /// An item's `low` and size pass its roof.
    Item(u32),
}

/// Items or sections share a minimum or maximum in blocks of so many.
const BLOCK: usize = 64;

pub(super) struct State<'a> {
    pub layout: Layout<'a>,
    pub items: &'a mut [Item],
    pub offsets: &'a mut [usize],
    pub free: &'a mut [usize],
    /// It never sinks on a path.
    floor: &'a mut [usize],
    witness: &'a mut [u32],
    roof: &'a mut [usize],
    /// By section how many unplaced items are in it and in the next one.
    pub crossing: &'a mut [u32],
    /// By item one more than its last section if it is unplaced, else 0.
    unplaced: Largest<'a>,
    item_trail: Trail<'a, ItemChange>,
    floor_trail: Trail<'a, FloorChange>,
    /// By block of items: the lowest candidate, the lowest end that an unplaced item could have, and whether both
    /// must be computed anew.
    lowest: &'a mut [(usize, usize, bool)],
    /// By block of sections: the most free units, and whether they must be computed anew.
    freest: &'a mut [(usize, bool)],
}

fn trail_entries(count: usize) -> usize {
    // A rise for each pair, and as many again for exclusions.
    let pairs = count.saturating_mul(count).saturating_add(64);
    pairs.min(count.saturating_mul(40).saturating_add(1 << 16))
}

/// Scratch bytes of a state.
pub(super) fn state_size(count: usize) -> usize {
    let trails = trail_entries(count).saturating_mul(size_of::<ItemChange>() + size_of::<FloorChange>());
    // Two numbers more for the table of unplaced items and the minima of blocks.
    let item = size_of::<Item>() + 6 * size_of::<usize>() + 3 * 4 + 1;
    crate::scratch::size(&[(1, trails), (count, item), (8, 64)])
}

impl<'a> State<'a> {
    pub fn new(layout: Layout<'a>, scratch: &mut Scratch<'a>) -> Result<State<'a>, Error> {
        let (count, sections) = (layout.shapes.len(), layout.section_count());
        let mut items = scratch.list(count)?;
        for shape in layout.shapes {
            items.push(Item {
                size: shape.size,
                stride: shape.stride,
                roof: 0,
                support: 0,
                low: 0,
                first: shape.first,
                last: shape.last,
                why: NOBODY,
                excluded: NO_SET,
                watched: 0,
                is_placed: false,
            });
        }
        Ok(State {
            layout,
            items: items.into_slice(),
            offsets: scratch.filled(count, 0)?,
            free: scratch.filled(sections, 0)?,
            floor: scratch.filled(sections, 0)?,
            witness: scratch.filled(sections, NOBODY)?,
            roof: scratch.filled(sections, 0)?,
            crossing: scratch.filled(sections, 0)?,
            unplaced: Largest::new(count, scratch)?,
            item_trail: Trail::new(trail_entries(count), scratch)?,
            floor_trail: Trail::new(trail_entries(count), scratch)?,
            lowest: scratch.filled(count.div_ceil(BLOCK), (0, 0, true))?,
            freest: scratch.filled(sections.div_ceil(BLOCK), (0, true))?,
        })
    }

    /// Nothing placed, for an arena of so many bytes: at least as many as each tensor has.
    pub fn reset(&mut self, capacity: usize) {
        self.item_trail.clear();
        self.floor_trail.clear();
        self.free.fill(0);
        self.crossing.fill(0);
        self.floor.fill(0);
        self.roof.fill(0);
        for (item, shape) in self.items.iter_mut().zip(self.layout.shapes) {
            let bytes = shape.size.wrapping_mul(self.layout.unit).wrapping_sub(shape.rounding);
            let roof = (capacity - bytes) / self.layout.unit + shape.size;
            let fresh =
                Item { support: 0, low: 0, why: NOBODY, excluded: NO_SET, watched: 0, is_placed: false, ..*item };
            *item = Item { roof, ..fresh };
            for s in shape.first..=shape.last {
                self.free[s as usize] += shape.size;
                self.roof[s as usize] = self.roof[s as usize].max(roof);
                self.crossing[s as usize] += u32::from(s < shape.last);
            }
        }
        for (k, shape) in (0..).zip(self.layout.shapes) {
            self.unplaced.set(k, shape.last as usize + 1);
        }
        // Every section has an item that begins in it.
        for s in 0..self.layout.section_count() as u32 {
            let witness = self.layout.beginning(s, s).start;
            self.witness[s as usize] = witness;
            self.items[witness as usize].watched += 1;
        }
        self.lowest.iter_mut().for_each(|block| block.2 = true);
        self.freest.iter_mut().for_each(|block| block.1 = true);
    }

    pub fn mark(&self) -> Mark {
        Mark { items: self.item_trail.mark(), floors: self.floor_trail.mark() }
    }

    pub fn remembers(&self, mark: Mark) -> bool {
        self.item_trail.remembers(mark.items) && self.floor_trail.remembers(mark.floors)
    }

    /// Undoes all changes of items and floors since the mark.
    pub fn undo(&mut self, mark: Mark) {
        while let Some(change) = self.item_trail.pop(mark.items) {
            let ItemChange { item, why, excluded, support, low } = change;
            self.lowest[item as usize / BLOCK].2 = true;
            let item = &mut self.items[item as usize];
            *item = Item { why, excluded, support, low, ..*item };
        }
        while let Some(FloorChange { section, witness, floor }) = self.floor_trail.pop(mark.floors) {
            self.watch(section, witness);
            self.floor[section as usize] = floor;
        }
    }

    fn watch(&mut self, section: u32, witness: u32) {
        let before = core::mem::replace(&mut self.witness[section as usize], witness);
        if before != NOBODY {
            self.items[before as usize].watched -= 1;
        }
        if witness != NOBODY {
            self.items[witness as usize].watched += 1;
        }
    }

    /// Places item `e` on its support. Tells whether the unplaced items may have fallen apart in time.
    pub fn place(&mut self, e: u32, depth: u32) -> Result<bool, Failure> {
        let Item { support, size, first, last, watched, .. } = self.items[e as usize];
        let top = support + size;
        self.offsets[e as usize] = support;
        self.items[e as usize].is_placed = true;
        self.unplaced.set(e, 0);
        self.lowest[e as usize / BLOCK].2 = true;
        let mut has_cut = false;
        for s in first as usize..=last as usize {
            self.free[s] -= size;
            self.crossing[s] -= u32::from(s < last as usize);
            has_cut |= s < last as usize && self.crossing[s] == 0;
        }
        self.free_changed(first, last);
        // The sections of watched items that have moved.
        let mut moved = if watched > 0 { first..last + 1 } else { first..first };
        for k in self.layout.meeting(first, last) {
            let item = &mut self.items[k as usize];
            if item.support >= top || item.is_placed || item.last < first {
                continue;
            }
            let Item { why, excluded, support, low, .. } = *item;
            self.item_trail.push(ItemChange { item: k, why, excluded, support, low });
            self.lowest[k as usize / BLOCK].2 = true;
            item.support = item.above(top);
            item.why = depth;
            if item.low <= item.support {
                (item.low, item.excluded) = (item.support, NO_SET);
                if item.overflows() {
                    return Err(Failure::Item(k));
                }
                if item.watched > 0 {
                    moved = moved.start.min(item.first)..moved.end.max(item.last + 1);
                }
            }
        }
        self.replace_witnesses(moved)?;
        Ok(has_cut || self.free[first as usize] == 0)
    }

    /// Takes back the placement of an item; what it changed must be undone as well.
    pub fn unplace(&mut self, e: u32) {
        let Item { size, first, last, .. } = self.items[e as usize];
        self.items[e as usize].is_placed = false;
        self.unplaced.set(e, last as usize + 1);
        self.lowest[e as usize / BLOCK].2 = true;
        for s in first as usize..=last as usize {
            self.free[s] += size;
            self.crossing[s] += u32::from(s < last as usize);
        }
        self.free_changed(first, last);
    }

    /// Raises `low` of some items, which a conflict set explains.
    pub fn raise(&mut self, some: Range<u32>, low: usize, set: u32) -> Result<(), Failure> {
        // Identical items have the same sections.
        let mut moved = 0..0;
        for k in some {
            let item = &mut self.items[k as usize];
            let Item { why, excluded, support, low: before, .. } = *item;
            self.item_trail.push(ItemChange { item: k, why, excluded, support, low: before });
            self.lowest[k as usize / BLOCK].2 = true;
            (item.low, item.excluded) = (low, set);
            if item.overflows() {
                return Err(Failure::Item(k));
            }
            if item.watched > 0 {
                moved = item.first..item.last + 1;
            }
        }
        self.replace_witnesses(moved)
    }

    /// Finds another witness where the old one is placed or too high.
    fn replace_witnesses(&mut self, sections: Range<u32>) -> Result<(), Failure> {
        for s in sections {
            let highest = self.highest(s);
            if let Some(witness) = self.items.get(self.witness[s as usize] as usize)
                && (witness.is_placed || witness.low > highest)
                && self.seek(s, highest) > highest
                && self.free[s as usize] > 0
            {
                return Err(Failure::Section(s));
            }
        }
        Ok(())
    }

    /// Where the unplaced items of a section must begin to fit below its roof.
    fn highest(&self, s: u32) -> usize {
        self.roof[s as usize] - self.free[s as usize]
    }

    /// Makes the witness of a section one that is not higher than `enough`, or the lowest where there is none. Returns
    /// its `low`, `usize::MAX` where nothing is unplaced.
    fn seek(&mut self, s: u32, enough: usize) -> usize {
        let (mut low, mut witness) = (usize::MAX, NOBODY);
        let mut try_item = |k: u32, item: &Item| {
            if !item.is_placed && item.first <= s && s <= item.last && item.low < low {
                (low, witness) = (item.low, k);
            }
            low <= enough
        };
        let before = s.checked_sub(1).map_or(NOBODY, |before| self.witness[before as usize]);
        if self.free[s as usize] == 0 || self.items.get(before as usize).is_some_and(|item| try_item(before, item)) {
            // Nobody, or who serves the section before serves here too.
        } else if self.layout.lists_all_sections() {
            self.layout.meeting(s, s).any(|k| try_item(k, &self.items[k as usize]));
        } else {
            let mut from = 0;
            while let Some(k) = self.unplaced.first_above(from, s as usize)
                && self.items[k as usize].first <= s
                && !try_item(k, &self.items[k as usize])
            {
                from = k + 1;
            }
        }
        let floor = self.floor[s as usize];
        self.floor_trail.push(FloorChange { section: s, witness: self.witness[s as usize], floor });
        self.watch(s, witness);
        self.floor[s as usize] = if low > enough { low } else { floor };
        low
    }

    /// The smallest `low` of the unplaced items in a section; `usize::MAX` where there is none.
    pub fn floor(&mut self, s: u32) -> usize {
        let floor = self.floor[s as usize];
        match self.items.get(self.witness[s as usize] as usize) {
            Some(witness) if witness.low == floor => floor,
            Some(_) => self.seek(s, floor),
            None => usize::MAX,
        }
    }

    /// Whether all unplaced items in a section are higher than `place`, and there are any.
    pub fn is_above(&mut self, s: u32, place: usize) -> bool {
        match self.items.get(self.witness[s as usize] as usize) {
            Some(witness) => witness.low > place && (self.floor[s as usize] > place || self.seek(s, place) > place),
            None => false,
        }
    }

    /// The lowest candidate, and the lowest end that an unplaced item could have, of a range of items.
    pub fn lowest(&mut self, range: Range<u32>) -> (usize, usize) {
        let fold = |(level, end): (usize, usize), item: &Item| {
            if item.is_placed {
                return (level, end);
            }
            let level = if item.low == item.support { level.min(item.low) } else { level };
            (level, end.min(item.support.saturating_add(item.size)))
        };
        let (begin, end) = (range.start as usize, range.end as usize);
        let mut lowest = (usize::MAX, usize::MAX);
        for block in begin / BLOCK..end.div_ceil(BLOCK) {
            let whole = block * BLOCK..((block + 1) * BLOCK).min(self.items.len());
            if begin > whole.start || end < whole.end {
                let part = &self.items[begin.max(whole.start)..end.min(whole.end)];
                lowest = part.iter().fold(lowest, fold);
                continue;
            }
            if self.lowest[block].2 {
                let (level, end) = self.items[whole].iter().fold((usize::MAX, usize::MAX), fold);
                self.lowest[block] = (level, end, false);
            }
            let (level, end, _) = self.lowest[block];
            lowest = (lowest.0.min(level), lowest.1.min(end));
        }
        lowest
    }

    /// The candidates at a level that is the lowest of the range.
    pub fn candidates(&self, range: Range<u32>, level: usize) -> impl Iterator<Item = u32> {
        let blocks = range.start / BLOCK as u32..range.end.div_ceil(BLOCK as u32);
        // A block that the range has only in part has no minimum of its own.
        let worth = move |block: &u32| self.lowest[*block as usize].2 || self.lowest[*block as usize].0 <= level;
        let items = move |block: u32| range.start.max(block * BLOCK as u32)..range.end.min((block + 1) * BLOCK as u32);
        blocks.filter(worth).flat_map(items).filter(move |&k| {
            let item = &self.items[k as usize];
            item.low == level && item.is_candidate()
        })
    }

    fn free_changed(&mut self, first: u32, last: u32) {
        self.freest[first as usize / BLOCK..=last as usize / BLOCK].iter_mut().for_each(|block| block.1 = true);
    }

    /// Whether a section of the range has no room above `level` for its unplaced items.
    pub fn crowded(&mut self, sections: Range<u32>, level: usize) -> Option<u32> {
        let (begin, end) = (sections.start as usize, sections.end as usize);
        for block in begin / BLOCK..end.div_ceil(BLOCK) {
            let whole = block * BLOCK..((block + 1) * BLOCK).min(self.free.len());
            // Need is what the level must not exceed: roof - free, as a complement so that the largest counts.
            if self.freest[block].1 {
                let need = whole.clone().map(|s| self.need(s)).max();
                self.freest[block] = (need.unwrap_or(0), false);
            }
            if level > usize::MAX - self.freest[block].0 {
                let part = begin.max(whole.start)..end.min(whole.end);
                if let Some(s) = part.max_by_key(|&s| self.need(s)).filter(|&s| level > usize::MAX - self.need(s)) {
                    return Some(s as u32);
                }
            }
        }
        None
    }

    /// The complement of the highest level at which the free units of a section still fit. 0 where nothing is free.
    fn need(&self, s: usize) -> usize {
        match self.free[s] {
            0 => 0,
            free => usize::MAX - (self.roof[s] - free),
        }
    }
}
