//! The search for a plan of one arena under all conditions: place, or exclude.
//!
//! Of a tensor that is not placed yet the support is the lowest place that is allowed beside all that is placed, fixed
//! and reserved. At a node one that may still lie on its support (`low` = support) is chosen. Either it lies there, or
//! it does not: nothing is lost between the two, in whatever order the tensors come. What is proven about the second
//! case rests on one fact.
//!
//! (N) Of all plans within the capacity take one with the smallest sum of offsets. In it no tensor that is not fixed is
//! allowed at a lower place, the rest unmoved: it would give a smaller sum. This holds under every condition, as
//! alignment, gaps, pairs, reserved ranges and what is fixed only say which places are allowed.
//!
//! So if e is not on its support s, something that is not placed yet will forbid it s. That is a neighbour k that may
//! still get an offset at which it forbids s.
//! - (hole) If there is none, the node fails.
//! - (exclusion) If e and k have no windows, one lies wholly below the other; were k above e, it would begin above the
//!   bytes that e has on s, and not forbid s. So e lies on or above k, and `low` of e rises to the smallest low[k] +
//!   size[k]. With a window in play k may forbid s and lie anywhere: then `low` rises to the next allowed place only.
//! - The same holds for the twins of e.
//!
//! Tensors with windows are *loose*, all others *solid*. As long as no loose one is unplaced, more holds. Of the
//! unplaced tensors take the one with the lowest offset in N's plan: each place below that it might have is forbidden
//! by placed ones, for all others begin above it; so it lies on its support. If tensors are placed by offset, then
//! - (level) nobody is placed below the lowest support of a candidate;
//! - (dominance) if the level reaches the end of the bytes that a tensor has on its support, nothing can forbid that
//!   support any more, and the tensor must be a candidate;
//! - if there is no candidate, the node fails.
//!
//! With an unplaced loose tensor none of the three is used. Where no candidate is left, tensors may be waiting for each
//! other, and a complete search divides the places of a loose one: its lowest place, or a higher one.
//!
//! The cuts: a tensor's lowest place is above the last one that the capacity allows; the unplaced members of a section
//! do not fit above the lowest place of one of them, together with what is placed, fixed or reserved up there.
//!
//! Two modes, as in the search without conditions: [`Complete`](super::super::tree::Complete) goes back to the last
//! decision, and its end is a proof; [`Jumping`](super::super::tree::Jumping) goes back to the last decision that its
//! conflict sets name, gives up where tensors wait for each other, and proves nothing.

use core::cmp::Reverse;

use super::keys::Keys;
use super::sections::Sections;
use super::state::{Failure, Item, Mark, State};
use crate::arena::model::Model;
use crate::arena::search::conflict::{Conflicts, NO_SET, set_words};
use crate::arena::search::state::NOBODY;
use crate::arena::search::tree::{End, Mode};
use crate::error::Error;
use crate::scratch::{List, Scratch, size};

/// How often the watcher is asked, in nodes.
const WATCH: u64 = 1 << 13;

#[derive(Clone, Copy)]
struct Frame {
    entry: Mark,
    placing: Mark,
    sets: u32,
    /// The tensor that was placed last, and whether it was not a candidate.
    item: u32,
    is_division: bool,
    /// No solid tensor will be placed below; 0 while there is an unplaced loose one.
    level: usize,
    /// A set of this node found no room.
    has_lost_set: bool,
}

pub(super) struct Tree<'a> {
    pub state: State<'a>,
    conflicts: Conflicts<'a>,
    frames: List<'a, Frame>,
    /// The smallest arena that a cut would have let through.
    needed: usize,
}

/// Scratch bytes of a tree beside its state.
pub(super) fn tree_size(tensors: usize) -> usize {
    size(&[(set_words(tensors), 8), (tensors.saturating_add(1), size_of::<Frame>()), (1, size_of::<Tree>()), (4, 8)])
}

impl<'a> Tree<'a> {
    // Not inlined, so that the tree leaves the stack.
    #[inline(never)]
    pub fn new(model: &'a Model, sections: Sections<'a>, scratch: &mut Scratch<'a>) -> Result<&'a mut Tree<'a>, Error> {
        let state = State::new(model, sections, scratch)?;
        let count = state.items.len();
        let conflicts = Conflicts::new(count, scratch)?;
        let frames = scratch.list(count + 1)?;
        scratch.keep(Tree { state, conflicts, frames, needed: usize::MAX })
    }

    /// Searches for a plan of some tensors and all that are fixed, in at most `capacity` bytes; these are at least the
    /// lower bound. Adds to `nodes`, up to `last_node`. `watch` is told the nodes now and then; true: stop.
    pub fn search<M: Mode>(
        &mut self,
        capacity: usize,
        takes_part: impl Fn(usize) -> bool,
        keys: &Keys,
        last_node: u64,
        watch: &mut dyn FnMut(u64) -> bool,
        nodes: &mut u64,
    ) -> End<M::Exhausted> {
        self.needed = usize::MAX;
        let mut count = || {
            if *nodes >= last_node {
                return Err(End::GaveUp);
            }
            *nodes += 1;
            if nodes.is_multiple_of(WATCH) && watch(*nodes) { Err(End::Stopped) } else { Ok(()) }
        };
        // The root counts too, so that searches that end at once do not go on forever.
        if let Err(end) = count() {
            return end;
        }
        self.frames.clear();
        self.conflicts.release(0);
        if let Err(failure) = self.state.reset(capacity, takes_part) {
            self.explain(failure, 0, NOBODY);
            return End::Exhausted(M::exhausted(self.needed));
        }
        self.enter(0);
        loop {
            // Down: a tensor of the top node, placed.
            let depth = self.frames.len() as u32 - 1;
            if self.state.unplaced().next().is_none() {
                return End::Packed;
            }
            match self.choose::<M>(keys, depth) {
                Some(item) => {
                    if let Err(end) = count() {
                        return end;
                    }
                    if self.place(item, depth) {
                        continue;
                    }
                }
                None => {
                    self.conclude(depth);
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
                self.state.undo(frame.placing);
                self.state.unplace(frame.item as usize);
                if M::IS_COMPLETE || self.conflicts.has(depth) {
                    if self.exclude(depth) {
                        break;
                    }
                    self.conclude(depth);
                }
                if !self.leave() {
                    return End::GaveUp;
                }
            }
        }
    }

    /// Opens a node.
    fn enter(&mut self, level: usize) {
        let mark = self.state.mark();
        let sets = self.conflicts.mark();
        let frame =
            Frame { entry: mark, placing: mark, sets, item: NOBODY, is_division: false, level, has_lost_set: false };
        self.frames.push(frame);
    }

    /// Closes the top node, whose conflict set is current. Its tensor is not placed.
    fn leave(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        if !self.state.remembers(frame.entry) {
            return false;
        }
        self.state.undo(frame.entry);
        self.conflicts.release(frame.sets);
        true
    }

    /// The current set becomes that of the node: those of all of its children, without itself.
    fn conclude(&mut self, depth: u32) {
        let frame = self.frames[depth as usize];
        self.conflicts.add_since(frame.sets);
        if frame.has_lost_set {
            self.conflicts.add_up_to(depth);
        }
        self.conflicts.remove(depth);
    }

    /// The tensor to place at the top node. None: it has failed, and the conflict set says why.
    fn choose<M: Mode>(&mut self, keys: &Keys, depth: u32) -> Option<usize> {
        let last = depth.wrapping_sub(1);
        let frame = &mut self.frames[depth as usize];
        let before = frame.level;
        self.conflicts.clear();
        let state = &self.state;
        let candidates = || state.unplaced().filter(|&i| state.items[i].is_candidate());
        let key = |i: usize| (keys.of(i), Reverse(i));
        let Some(level) = candidates().map(|i| state.items[i].support).min() else {
            if state.loose > 0 && M::IS_COMPLETE {
                frame.is_division = true;
                let loose = state.unplaced().filter(|&i| state.items[i].is_loose);
                return loose.min_by_key(|&i| (state.items[i].low, Reverse(key(i))));
            }
            for i in 0..self.state.items.len() {
                if self.state.is_unplaced(i) {
                    self.blame(i, before, last);
                }
            }
            return None;
        };
        frame.is_division = false;
        if state.loose == 0 {
            frame.level = level;
            let is_below = |i: &usize| state.items[*i].support + state.items[*i].size <= level;
            let below = state.unplaced().find(is_below);
            let crowded = state.crowded(level);
            if let Some(i) = below {
                let Item { why, excluded, .. } = state.items[i];
                self.add(last);
                self.add(why);
                self.conflicts.add_saved(excluded);
                return None;
            }
            if let Some(section) = crowded {
                self.explain(Failure::Section(section), level, last);
                return None;
            }
        }
        let on_level = candidates().filter(|&i| state.items[i].support == level);
        on_level.max_by_key(|&i| key(i))
    }

    /// Places a tensor on its lowest place. False: that fails at once, and the conflict set says why.
    fn place(&mut self, i: usize, depth: u32) -> bool {
        let frame = &mut self.frames[depth as usize];
        frame.item = i as u32;
        frame.placing = self.state.mark();
        let level = frame.level;
        match self.state.place(i, self.state.items[i].low, level, depth) {
            Ok(()) => {
                self.enter(level);
                true
            }
            Err(failure) => {
                self.conflicts.clear();
                self.explain(failure, level, depth);
                false
            }
        }
    }

    /// After its placement has failed: the tensor is not on its lowest place. False: that fails too.
    fn exclude(&mut self, depth: u32) -> bool {
        let Frame { item, level, is_division, .. } = self.frames[depth as usize];
        let (e, last) = (item as usize, depth.wrapping_sub(1));
        let own = self.state.items[e];
        self.conflicts.remove(depth);
        let set = self.conflicts.save();
        self.frames[depth as usize].has_lost_set |= self.conflicts.is_lost(set);
        let raised = if is_division {
            self.state.raise(e, own.low.saturating_add(1), set, level)
        } else {
            let Some(low) = self.rest(e, level) else {
                self.add(own.why);
                for k in 0..self.state.items.len() {
                    if self.state.is_unplaced(k) && self.state.may_conflict(e, k) {
                        self.blame(k, level, last);
                    }
                }
                return false;
            };
            // The tensor itself changes last, so that it can be compared.
            let twins = (0..self.state.items.len()).filter(|&k| k != e);
            let mut raised = Ok(());
            for k in twins {
                if raised.is_ok() && self.state.is_unplaced(k) && self.state.items[k].is_twin(&own) {
                    raised = self.state.raise(k, low, set, level);
                }
            }
            raised.and_then(|()| self.state.raise(e, low, set, level))
        };
        match raised {
            Ok(()) => true,
            Err(failure) => {
                self.conflicts.clear();
                self.explain(failure, level, last);
                false
            }
        }
    }

    /// The lowest place of a tensor that is not on its support; None where nothing can forbid it the support.
    fn rest(&self, e: usize, level: usize) -> Option<usize> {
        let own = &self.state.items[e];
        let others = self.state.unplaced().filter(|&k| k != e);
        let rests = others.filter_map(|k| {
            let (item, begin) = (&self.state.items[k], self.state.begin(k, level));
            let mut can_forbid = false;
            self.state.each_forbidden(e, own.support, k, |range| can_forbid |= begin < range.end);
            let low = match own.is_loose || item.is_loose {
                true => own.support.saturating_add(1),
                false => begin.saturating_add(item.size),
            };
            can_forbid.then_some(low)
        });
        Some(rests.min()?.max(own.support.saturating_add(1)))
    }

    fn add(&mut self, depth: u32) {
        if depth != NOBODY {
            self.conflicts.add(depth);
        }
    }

    /// Adds what is behind `low` of an unplaced tensor.
    fn blame(&mut self, i: usize, level: usize, last: u32) {
        let Item { low, why, excluded, .. } = self.state.items[i];
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
        self.needed = self.needed.min(self.state.needed(failure, level));
        match failure {
            Failure::Item(i) => self.blame(i, level, last),
            Failure::Section(s) => {
                for n in 0..self.state.sections.members(s).count() {
                    let i = self.state.sections.member(s, n);
                    if self.state.is_unplaced(i) {
                        self.blame(i, level, last);
                    }
                }
            }
        }
    }
}
