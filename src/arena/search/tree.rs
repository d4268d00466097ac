//! The search for a packing of one height: place or exclude.
//!
//! Normal form. Of all packings within the capacity take one with the smallest sum of offsets. Then (N1) every item
//! lies at 0 or, up to its alignment, directly on an item that it meets, and (N2) no item fits, the rest unmoved, at
//! any lower place. Listed by offset, each lies exactly on its support when its turn comes. So a search that places
//! items on their supports by non-decreasing offset, and drops only states that have no completion with N1 and N2, is
//! complete.
//!
//! At a node the level is the lowest support of an item that may still lie on it (`low` = support), and one of those
//! candidates is chosen:
//! - Place it: whoever meets it now rests on it or higher.
//! - Exclude it, once that has failed: by N1 it will rest on an item k that is not yet placed, so its `low` becomes the
//!   smallest max(low[k], level) + size[k] among those it meets. The same holds for its identical twins.
//!
//! A state fails when
//! - a section's free units, begun at its floor or at the level, pass the roof;
//! - (hole) nothing can come to lie in the place of an excluded item any more, so by N2 it would be there; if it
//!   meets no unplaced item at all, its place was not what failed, and no sibling helps;
//! - (dominance) the level reaches support + size of an unplaced item: by N2 it would drop into that hole;
//! - no candidate is left.
//!
//! Where no unplaced item crosses a point of time the sides are packed apart (windows).
//!
//! Two modes. [`Complete`] goes back to the last decision, or over a finished window, whose items the failed one does
//! not know. If it ends without a packing there is none, and the smallest height that one of its cuts would have let
//! through is a lower bound. [`Jumping`] goes back to the last decision that its conflict sets name. They leave out
//! how the order by offset couples everything weakly, so when it ends, nothing is proven.

use core::cmp::Reverse;

use super::conflict::{Conflicts, NO_SET};
use super::layout::Layout;
use super::orders::{Focus, Key, Keys};
use super::state::{Failure, Item, Mark, NOBODY, State};
use super::windows::{DONE, Window, WindowMark, Windows};
use crate::error::Error;
use crate::scratch::{List, Scratch};

/// How to go back, and what the end of a search proves.
pub(super) trait Mode {
    const IS_COMPLETE: bool;
    /// What is known when every branch has failed.
    type Exhausted;
    fn exhausted(needed: usize) -> Self::Exhausted;
}

pub(super) struct Complete;
pub(super) struct Jumping;

/// Made by a complete search alone: no packing is lower than so many bytes.
pub(super) struct Infeasible {
    pub needed: usize,
}

impl Mode for Complete {
    const IS_COMPLETE: bool = true;
    type Exhausted = Infeasible;
    fn exhausted(needed: usize) -> Infeasible {
        Infeasible { needed }
    }
}

impl Mode for Jumping {
    const IS_COMPLETE: bool = false;
    type Exhausted = ();
    fn exhausted(_: usize) {}
}

/// How a search ended.
pub(super) enum End<E> {
    /// The offsets lie in the state.
    Packed,
    Exhausted(E),
    /// The node limit, or more to undo than the trails remember.
    GaveUp,
    /// The caller wants no more.
    Stopped,
}

/// What a search may do.
pub(super) struct Limits<'a> {
    pub nodes: u64,
    /// Compute the exclusions anew in every node.
    pub retighten: bool,
    pub focus: Focus,
    /// Is told the nodes now and then; true: stop.
    pub watch: &'a mut dyn FnMut(u64) -> bool,
}

/// How often the watcher is asked, in nodes.
const WATCH: u64 = 1 << 13;

#[derive(Clone, Copy)]
struct Frame {
    entry: Mark,
    placing: Mark,
    sets: u32,
    windows: WindowMark,
    window: u32,
    item: u32,
    /// No item will be placed below.
    level: usize,
    /// The depth of the decision that made the level.
    last: u32,
    /// A set of this node found no room.
    has_lost_set: bool,
}

pub(super) struct Tree<'a> {
    pub state: State<'a>,
    conflicts: Conflicts<'a>,
    windows: Windows<'a>,
    frames: List<'a, Frame>,
    /// The smallest height in bytes that a cut would have let through.
    needed: usize,
    focus: Focus,
}

pub(super) fn tree_size(items: usize) -> usize {
    let sets = super::conflict::set_words(items);
    let windows = super::windows::most_windows(items);
    crate::scratch::size(&[
        (1, super::state::state_size(items)),
        (sets, 8),
        (windows, size_of::<Window>()),
        (super::windows::most_totals(items), size_of::<usize>()),
        (items, 4),
        (items.saturating_add(1), size_of::<Frame>()),
        (1, size_of::<Tree>()),
        (5, 64),
    ])
}

impl<'a> Tree<'a> {
    // Not inlined, so that the tree leaves the stack.
    #[inline(never)]
    pub fn new(layout: Layout<'a>, scratch: &mut Scratch<'a>) -> Result<&'a mut Tree<'a>, Error> {
        let state = State::new(layout, scratch)?;
        let count = state.items.len();
        let tree = Tree {
            state,
            conflicts: Conflicts::new(count, scratch)?,
            windows: Windows::new(count, scratch)?,
            frames: scratch.list(count + 1)?,
            needed: usize::MAX,
            focus: Focus::Level,
        };
        scratch.keep(tree)
    }

    /// Searches for a packing of at most `capacity` bytes, which is at least the padded peak. Adds to `nodes`.
    pub fn search<M: Mode>(
        &mut self,
        capacity: usize,
        keys: &Keys,
        limits: Limits,
        nodes: &mut u64,
    ) -> End<M::Exhausted> {
        let Limits { nodes: limit, focus, retighten, watch } = limits;
        self.focus = focus;
        let last_node = nodes.saturating_add(limit);
        self.state.reset(capacity);
        self.needed = usize::MAX;
        self.frames.clear();
        self.conflicts.release(0);
        self.windows.clear();
        let sections = self.state.layout.section_count();
        let layout = self.state.layout;
        let window = self.windows.split(Window::whole(sections), &layout, self.state.crossing, self.state.free);
        self.enter(window, 0, NOBODY);
        loop {
            // Down: a candidate of the top frame, placed.
            let depth = self.frames.len() as u32 - 1;
            if self.frames[depth as usize].window == DONE {
                return End::Packed;
            }
            match self.choose(keys, depth, retighten) {
                Some(item) => {
                    if *nodes >= last_node {
                        return End::GaveUp;
                    }
                    *nodes += 1;
                    if nodes.is_multiple_of(WATCH) && watch(*nodes) {
                        return End::Stopped;
                    }
                    if self.place::<M>(item, depth) {
                        continue;
                    }
                }
                None => {
                    self.conclude::<M>(depth);
                    if !self.leave() {
                        return End::GaveUp;
                    }
                }
            }
            // Back: to the newest decision that explains the failure.
            loop {
                let Some(frame) = self.frames.last().copied() else {
                    return End::Exhausted(M::exhausted(self.needed));
                };
                let depth = self.frames.len() as u32 - 1;
                if !self.state.remembers(frame.placing) {
                    return End::GaveUp;
                }
                self.windows.release(frame.windows);
                self.state.undo(frame.placing);
                self.state.unplace(frame.item);
                if self.conflicts.has(depth) {
                    if self.exclude(depth) {
                        break;
                    }
                    self.conclude::<M>(depth);
                }
                if !self.leave() {
                    return End::GaveUp;
                }
            }
        }
    }

    /// Opens a node.
    fn enter(&mut self, window: u32, level: usize, last: u32) {
        let mark = self.state.mark();
        self.frames.push(Frame {
            entry: mark,
            placing: mark,
            sets: self.conflicts.mark(),
            windows: self.windows.mark(),
            window,
            item: NOBODY,
            level,
            last,
            has_lost_set: false,
        });
    }

    /// Closes the top node, whose conflict set is current. Its item is not placed.
    fn leave(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        if !self.state.remembers(frame.entry) {
            return false;
        }
        self.state.undo(frame.entry);
        self.conflicts.release(frame.sets);
        true
    }

    /// The current set becomes that of the node: in jumping mode those of all of its children, without itself; in
    /// complete mode the decision before it, or if it is the first of a window, the one that split it off.
    fn conclude<M: Mode>(&mut self, depth: u32) {
        let frame = self.frames[depth as usize];
        if M::IS_COMPLETE {
            self.conflicts.clear();
            self.add(frame.last);
            return;
        }
        self.conflicts.add_since(frame.sets);
        if frame.has_lost_set {
            self.conflicts.add_up_to(depth);
        }
        self.conflicts.remove(depth);
    }

    /// Places a candidate. False: that fails at once, and the conflict set says why.
    fn place<M: Mode>(&mut self, item: u32, depth: u32) -> bool {
        let frame = &mut self.frames[depth as usize];
        frame.item = item;
        frame.placing = self.state.mark();
        let mut window = frame.window;
        let level = self.level_at(self.state.items[item as usize].support);
        match self.state.place(item, depth) {
            Ok(may_split) => {
                let (mut level, mut last) = (level, depth);
                if may_split {
                    let whole = Window { level, split: depth, ..self.windows.get(window) };
                    window = self.windows.split(whole, &self.state.layout, self.state.crossing, self.state.free);
                    if window != DONE {
                        Window { level, split: last, .. } = self.windows.get(window);
                    }
                }
                self.enter(window, level, last);
                true
            }
            Err(failure) => {
                self.conflicts.clear();
                self.explain(failure, level, depth);
                if M::IS_COMPLETE {
                    self.conflicts.add(depth);
                }
                false
            }
        }
    }

    /// Computes the exclusions of a window anew: what they rest on has risen. False: one of them cannot be kept.
    fn settle(&mut self, items: core::ops::Range<u32>, level: usize, last: u32) -> bool {
        for e in items {
            let own = self.state.items[e as usize];
            if own.is_placed || own.excluded == NO_SET {
                continue;
            }
            let (low, is_hole_open) = self.rest(e, level);
            if is_hole_open && low <= own.low {
                continue;
            }
            // The set of the exclusion, and what is behind those that it could rest on.
            self.conflicts.clear();
            self.conflicts.add_saved(own.excluded);
            self.blame_neighbours(e, level, last);
            if !is_hole_open {
                self.add(own.why);
                return false;
            }
            let set = self.conflicts.save();
            if let Some(frame) = self.frames.last_mut() {
                frame.has_lost_set |= self.conflicts.is_lost(set);
            }
            if let Err(failure) = self.state.raise(e..e + 1, low, set) {
                self.conflicts.clear();
                self.explain(failure, level, last);
                return false;
            }
        }
        true
    }

    /// The lowest place of an item that does not lie on its support but on an unplaced item, `usize::MAX` where it
    /// meets none; and whether one of them may still come to lie where it would be on its support.
    fn rest(&self, e: u32, level: usize) -> (usize, bool) {
        let own = &self.state.items[e as usize];
        let top = own.support.saturating_add(own.size);
        let (mut low, mut is_hole_open) = (usize::MAX, false);
        for k in self.state.layout.meeting(own.first, own.last) {
            let item = &self.state.items[k as usize];
            if item.is_placed || k == e || item.last < own.first {
                continue;
            }
            let begin = item.low.max(item.above(level));
            is_hole_open |= begin < top;
            low = low.min(own.above(begin.saturating_add(item.size)));
        }
        (low, is_hole_open)
    }

    /// Adds what is behind `low` of all unplaced items that meet `e`.
    fn blame_neighbours(&mut self, e: u32, level: usize, last: u32) {
        let Item { first, last: end, .. } = self.state.items[e as usize];
        for k in self.state.layout.meeting(first, end) {
            let item = &self.state.items[k as usize];
            if !item.is_placed && k != e && item.last >= first {
                self.blame(k, level, last);
            }
        }
    }

    /// The candidate of the top node that comes first. None: it has failed, and the conflict set says why.
    fn choose(&mut self, keys: &Keys, depth: u32, retighten: bool) -> Option<u32> {
        let Frame { window, level: before, last, item, .. } = self.frames[depth as usize];
        let items = self.windows.items(&self.state.layout, window);
        if retighten && item == NOBODY && !self.settle(items.clone(), before, last) {
            return None;
        }
        if self.focus == Focus::Fullest {
            return self.choose_in_fullest(keys, window);
        }
        let Window { first, last: end, .. } = self.windows.get(window);
        let (level, lowest_end) = self.state.lowest(items.clone());
        self.conflicts.clear();
        if level == usize::MAX {
            for k in items {
                if !self.state.items[k as usize].is_placed {
                    self.blame(k, before, last);
                }
            }
            return None;
        }
        if let Some(section) = self.state.crowded(first..end + 1, level) {
            self.explain(Failure::Section(section), level, last);
            return None;
        }
        if level >= lowest_end {
            let is_below = |k: &u32| {
                let item = &self.state.items[*k as usize];
                !item.is_placed && item.support.saturating_add(item.size) <= level
            };
            if let Some(k) = items.clone().find(is_below) {
                let Item { why, excluded, .. } = self.state.items[k as usize];
                self.add(last);
                self.add(why);
                self.conflicts.add_saved(excluded);
            }
            return None;
        }
        let within = self.windows.get(window);
        let (mut best, mut rest) = (None, items);
        loop {
            let next = self.state.candidates(rest.clone(), level).next();
            let Some(k) = next else { return best.map(|(_, Reverse(k))| k) };
            best = best.max(Some(self.key(keys, &within, k)));
            rest.start = k + 1;
        }
    }

    /// The largest comes first. A wall is a neighbouring section whose unplaced items are all higher.
    fn key(&mut self, keys: &Keys, within: &Window, k: u32) -> (Key, Reverse<u32>) {
        let Item { first, last, low, .. } = self.state.items[k as usize];
        let is_left = first > within.first && self.state.is_above(first - 1, low);
        let is_right = last < within.last && self.state.is_above(last + 1, low);
        let walls = u32::from(is_left) + u32::from(is_right);
        (keys.of(k, self.windows.total(within, k), walls), Reverse(k))
    }

    /// The level that a decision about an item on this support makes for all others.
    fn level_at(&self, support: usize) -> usize {
        match self.focus {
            Focus::Level => support,
            Focus::Fullest => 0,
        }
    }

    /// From the fullest section down to an item that nobody it meets can lie below: a hole at its side stays open
    /// only for who fits into it, and who could has a lower `low`.
    fn choose_in_fullest(&mut self, keys: &Keys, window: u32) -> Option<u32> {
        let within = self.windows.get(window);
        let layout = self.state.layout;
        let (_, focus) = (within.first..=within.last).map(|s| (self.state.free[s as usize], Reverse(s))).max()?;
        let (mut first, mut last) = (focus.0, focus.0);
        let mut floor = self.state.floor(focus.0);
        loop {
            // Of the lowest that meet the sections, a candidate if there is one.
            let mut best = None;
            for k in layout.meeting(first, last) {
                let item = &self.state.items[k as usize];
                if !item.is_placed && item.last >= first && item.low == floor {
                    best = best.max(Some((item.is_candidate(), self.key(keys, &within, k))));
                }
            }
            let (_, (_, Reverse(e))) = best?;
            let state = &self.state;
            let own = &state.items[e as usize];
            let met = state.layout.meeting(own.first, own.last).filter(|&k| {
                let item = &state.items[k as usize];
                !item.is_placed && item.last >= own.first
            });
            let low = met.map(|k| state.items[k as usize].low).min()?;
            if low == own.low {
                return Some(e);
            }
            (first, last, floor) = (own.first, own.last, low);
        }
    }

    /// After its placement has failed: the item is not on its support. False: that fails too.
    fn exclude(&mut self, depth: u32) -> bool {
        let Frame { item: e, last, .. } = self.frames[depth as usize];
        let own = self.state.items[e as usize];
        let level = self.level_at(own.support);
        self.conflicts.remove(depth);
        let set = self.conflicts.save();
        self.frames[depth as usize].has_lost_set |= self.conflicts.is_lost(set);

        let (low, is_hole_open) = self.rest(e, level);
        if low == usize::MAX {
            return false;
        }
        if !is_hole_open {
            self.add(own.why);
            self.blame_neighbours(e, level, last);
            return false;
        }
        let twins = self.twins(e);
        match self.state.raise(twins, low, set) {
            Ok(()) => true,
            Err(failure) => {
                self.conflicts.clear();
                self.explain(failure, level, last);
                false
            }
        }
    }

    /// The unplaced items that are identical to `e` and on the same support.
    fn twins(&self, e: u32) -> core::ops::Range<u32> {
        let shapes = self.state.layout.shapes;
        let own = &self.state.items[e as usize];
        let is_twin = |k: &u32| {
            let item = &self.state.items[*k as usize];
            shapes[*k as usize] == shapes[e as usize]
                && !item.is_placed
                && (item.support, item.low) == (own.support, own.low)
        };
        let begin = (0..e).rev().take_while(is_twin).last().unwrap_or(e);
        let end = (e + 1..shapes.len() as u32).take_while(is_twin).last().map_or(e + 1, |k| k + 1);
        begin..end
    }

    fn add(&mut self, depth: u32) {
        if depth != NOBODY {
            self.conflicts.add(depth);
        }
    }

    /// Adds what is behind `low` of an unplaced item.
    fn blame(&mut self, k: u32, level: usize, last: u32) {
        let Item { low, why, excluded, .. } = self.state.items[k as usize];
        if low < level {
            self.add(last);
        } else if excluded != NO_SET {
            self.conflicts.add_saved(excluded);
        } else {
            self.add(why);
        }
    }

    /// Adds what is behind a failure at a level that the decision `last` has made.
    fn explain(&mut self, failure: Failure, level: usize, last: u32) {
        let unit = self.state.layout.unit;
        let bytes =
            |units: usize, rounding: usize| units.checked_mul(unit).map_or(usize::MAX, |bytes| bytes - rounding);
        match failure {
            Failure::Item(k) => {
                let Item { low, size, .. } = self.state.items[k as usize];
                let rounding = self.state.layout.shapes[k as usize].rounding;
                self.needed = self.needed.min(bytes(low.saturating_add(size), rounding));
                self.blame(k, level, last);
            }
            Failure::Section(s) => {
                let (mut floor, mut rounding) = (usize::MAX, 0);
                for k in self.state.layout.meeting(s, s) {
                    let item = &self.state.items[k as usize];
                    if !item.is_placed && item.last >= s {
                        floor = floor.min(item.low);
                        rounding = rounding.max(self.state.layout.shapes[k as usize].rounding);
                        self.blame(k, level, last);
                    }
                }
                let end = floor.max(level).saturating_add(self.state.free[s as usize]);
                self.needed = self.needed.min(bytes(end, rounding));
            }
        }
    }
}
