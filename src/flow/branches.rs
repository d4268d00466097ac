//! Which buffers may share bytes although their lifetimes meet: those that no run needs at the same time.
//!
//! A lifetime is a range that covers both branches of an `if`. What really happens to a buffer are events, its uses
//! and deallocs, each under guards: branches of which it is known that they ran, the one the event is in, and those
//! that passed the buffer on to the value. With `a` allocated before `b`: they are needed at the same time only if
//! some event of `a` comes at or after the allocation of `b`, and none of its guards excludes the branch that `b` is
//! in. That is the rule by which values of a program in SSA form interfere, carried over to buffers.
//!
//! Only where `b` is in a branch can that tell more than the lifetimes. Guards inside a barrier that `a` is not in
//! hold for one round only, and are dropped. A value keeps up to [`MOST_ROUTES`] sets of [`MOST_GUARDS`] guards, of
//! which one held; where there are more, guards are forgotten, which costs a pair but is never wrong.
//!
//! Source: Budimlic et al. 2002 (fast copy coalescing) for the rule without guards.
//! Cost: for each buffer that lives across the allocation of one in a branch, a walk over the values that may hold it;
//! and each pair of such buffers. Nothing where no buffer is in a branch.

use super::graph::Graph;
use super::lives::latest;
use super::program::{NO_OP, Program};
use super::tree::Tree;
use crate::error::Error;
use crate::scratch::{List, Scratch, and_more};
use crate::sort::{counting_sort, sort_by_key};

const MOST_GUARDS: usize = 4;
const MOST_ROUTES: usize = 4;
const MOST_EVENTS: usize = 16;

/// Branches that all ran, ascending; the rest of the places is [`NO_OP`].
type Guards = [u32; MOST_GUARDS];
const NONE_KNOWN: Guards = [NO_OP; MOST_GUARDS];

/// The ways on which a buffer comes to a value; a way with fewer guards stands for those with more.
#[derive(Clone, Copy)]
struct Routes {
    ways: [Guards; MOST_ROUTES],
    count: u32,
    is_waiting: bool,
}

const NO_ROUTES: Routes = Routes { ways: [NONE_KNOWN; MOST_ROUTES], count: 0, is_waiting: false };

/// When something may happen for the last time under these guards.
#[derive(Clone, Copy)]
struct Event {
    time: u32,
    guards: Guards,
}

pub(super) struct Walk<'a> {
    routes: &'a mut [Routes],
    waiting: List<'a, u32>,
    reached: List<'a, u32>,
    events: List<'a, Event>,
    uses: Touches<'a>,
    deallocs: Touches<'a>,
}

/// Items by value.
struct Touches<'a> {
    starts: &'a mut [u32],
    items: &'a mut [u32],
}

/// Bytes of a walk.
pub(super) const WALK_VALUE: usize = size_of::<Routes>() + 4 + 4 + 4 + 4;
pub(super) const WALK_USE: usize = 4;
pub(super) const WALK_DEALLOC: usize = 4;
pub(super) const WALK_CONSTANT: usize = MOST_EVENTS * size_of::<Event>() + 8;

/// A buffer whose pairs are looked for.
#[derive(Clone, Copy)]
pub(super) struct Subject {
    pub op: u32,
    pub value: u32,
    pub last: u32,
    /// It may be reached unseen until its last node.
    pub escapes: bool,
    /// Its deallocs will be there.
    pub is_freed: bool,
}

impl<'a> Walk<'a> {
    pub fn new(program: &Program, scratch: &mut Scratch<'a>) -> Result<Walk<'a>, Error> {
        let Program { value_ops, uses, deallocs, .. } = *program;
        let count = value_ops.len();
        let mut touches = |items: usize, value: &dyn Fn(usize) -> u32| {
            let touches = Touches { starts: scratch.filled(and_more(count, 1), 0)?, items: scratch.filled(items, 0)? };
            counting_sort(0..items as u32, |item| value(item as usize), touches.starts, touches.items);
            Ok::<_, Error>(touches)
        };
        let (uses, deallocs) =
            (touches(uses.len(), &|i| uses[i].value)?, touches(deallocs.len(), &|i| deallocs[i].value)?);
        Ok(Walk {
            routes: scratch.filled(count, NO_ROUTES)?,
            waiting: scratch.list(count)?,
            reached: scratch.list(count)?,
            events: scratch.list(if count == 0 { 0 } else { MOST_EVENTS })?,
            uses,
            deallocs,
        })
    }

    /// Collects the events of a buffer.
    pub fn follow(&mut self, subject: Subject, program: &Program, (tree, graph): (&Tree, &Graph)) {
        self.events.clear();
        if subject.escapes {
            self.events.push(Event { time: subject.last, guards: NONE_KNOWN });
            return;
        }
        self.spread(subject, (tree, graph));
        for &value in &*self.reached {
            let routes = self.routes[value as usize];
            let uses = self.uses.of(value).iter().map(|&u| program.uses[u as usize].op);
            let deallocs = self.deallocs.of(value).iter().map(|&d| program.deallocs[d as usize].op);
            let deallocs = deallocs.filter(|_| subject.is_freed);
            for op in uses.chain(deallocs) {
                let branch = tree.branch(tree.seen_from(op, subject.op));
                let time = latest(tree, op, subject.op);
                for way in &routes.ways[..routes.count as usize] {
                    note(&mut self.events, Event { time, guards: with(way, branch) });
                }
            }
        }
        for &value in &*self.reached {
            self.routes[value as usize] = NO_ROUTES;
        }
        self.reached.clear();
    }

    /// Finds the ways to all values that may hold the buffer.
    fn spread(&mut self, subject: Subject, (tree, graph): (&Tree, &Graph)) {
        let start = &mut self.routes[subject.value as usize];
        (start.count, start.is_waiting) = (1, true);
        self.reached.push(subject.value);
        self.waiting.push(subject.value);
        while let Some(value) = self.waiting.pop() {
            self.routes[value as usize].is_waiting = false;
            let from = self.routes[value as usize];
            for alias in graph.from(value) {
                let guard = match alias.guard_op {
                    NO_OP => NO_OP,
                    op => match tree.seen_from(op, subject.op) {
                        seen if seen == op => tree.branch_of(op, alias.guard_region),
                        barrier => tree.branch(barrier),
                    },
                };
                let to = &mut self.routes[alias.to as usize];
                let is_new = to.count == 0;
                let mut has_more = false;
                for way in &from.ways[..from.count as usize] {
                    has_more |= to.add(with(way, guard));
                }
                if is_new {
                    self.reached.push(alias.to);
                }
                if has_more && !to.is_waiting {
                    to.is_waiting = true;
                    self.waiting.push(alias.to);
                }
            }
        }
    }

    /// Whether no run needs the buffer that was followed once the operation `other` has allocated another.
    pub fn is_over(&self, other: u32, tree: &Tree) -> bool {
        let is_excluded = |guard: &u32| *guard != NO_OP && tree.excludes(*guard, other);
        self.events.iter().filter(|event| event.time >= other).all(|event| event.guards.iter().any(is_excluded))
    }
}

impl Touches<'_> {
    fn of(&self, value: u32) -> &[u32] {
        let range = self.starts[value as usize]..self.starts[value as usize + 1];
        &self.items[range.start as usize..range.end as usize]
    }
}

impl Routes {
    /// Adds a way, and tells whether that says more.
    fn add(&mut self, way: Guards) -> bool {
        let count = self.count as usize;
        if self.ways[..count].iter().any(|known| includes(&way, known)) {
            return false;
        }
        let mut kept = 0;
        for i in 0..count {
            if !includes(&self.ways[i], &way) {
                self.ways[kept] = self.ways[i];
                kept += 1;
            }
        }
        match self.ways.get_mut(kept) {
            Some(free) => (*free, self.count) = (way, kept as u32 + 1),
            None => (self.ways[0], self.count) = (NONE_KNOWN, 1),
        }
        true
    }
}

/// Whether all guards of `fewer` are in `more`.
fn includes(more: &Guards, fewer: &Guards) -> bool {
    fewer.iter().all(|guard| *guard == NO_OP || more.contains(guard))
}

/// The guards and one more, if there is one, it is not yet among them, and there is room.
fn with(guards: &Guards, guard: u32) -> Guards {
    let mut all = *guards;
    if guard != NO_OP && !all.contains(&guard) && all[MOST_GUARDS - 1] == NO_OP {
        all[MOST_GUARDS - 1] = guard;
        sort_by_key(&mut all, |&guard| guard);
    }
    all
}

/// Adds an event, to the one with the same guards where there is one; of too many all guards are forgotten.
fn note(events: &mut List<Event>, event: Event) {
    if let Some(same) = events.iter_mut().find(|known| known.guards == event.guards) {
        same.time = same.time.max(event.time);
    } else if events.len() < MOST_EVENTS {
        events.push(event);
    } else {
        let time = events.iter().fold(event.time, |time, known| time.max(known.time));
        events.clear();
        events.push(Event { time, guards: NONE_KNOWN });
    }
}
