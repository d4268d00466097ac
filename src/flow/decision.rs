//! What becomes of each allocation: planned, or not, and why.
//!
//! An allocation is judged by itself first. Then the owners decide: in `compat` as the pass does, by the allocations
//! outside of the entry block that share a dealloc; else by whole components, of which one spoiled member spoils all.
//! So every dealloc that may go has planned owners only, and none that stays can be reached by a part of the arena.

use super::Mode;
use super::facts::{Facts, Orders};
use super::graph::{Graph, Way};
use super::owners::Owners;
use super::program::{ALLOC_EXCLUDED, Alloc, DYNAMIC, NO_OP, Program};
use super::tree::Tree;
use crate::error::NONE;
use crate::scratch::List;

/// Whether an allocation is planned, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Decision {
    /// It is a part of the arena.
    Planned = 0,
    /// Its size is not known.
    Dynamic = 1,
    /// It is not where allocations are planned.
    Nested = 2,
    /// It is in another memory space.
    Space = 3,
    /// It is flagged so.
    Excluded = 4,
    /// Nothing frees it.
    NoDealloc = 5,
    /// It is freed outside of the plan block and what is in it.
    Unstructured = 6,
    /// It is used outside of the plan block and what is in it.
    UsedOutside = 7,
    /// It may outlive the iteration that made it.
    Carried = 8,
    /// It may be reached unseen, and there is no dealloc in its block that surely frees it.
    Escapes = 9,
    /// It shares a dealloc, maybe by others, with an allocation that is not planned.
    Shared = 10,
    /// It shares a dealloc, maybe by others, with a foreign value.
    Foreign = 11,
    /// In compat: another allocation's error ended the pass.
    Stopped = 12,
}

impl Decision {
    /// Whether the pass that `compat` follows makes an error of it, which ends it.
    pub fn is_error(self) -> bool {
        matches!(self, Decision::NoDealloc | Decision::Unstructured)
    }
}

/// What became of one allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct AllocResult {
    /// One of the AETHER_DECISION constants.
    pub decision: Decision,
    /// The set of allocations that are planned together or not at all, because they may share deallocs. They are
    /// numbered from 0 by their first allocations.
    pub component: u32,
    /// What is to blame, as the constant says; SIZE_MAX where that is nothing.
    pub blame: usize,
}

/// What is known when it is decided.
pub(super) struct Known<'a> {
    pub program: &'a Program<'a>,
    pub tree: &'a Tree<'a>,
    pub graph: &'a Graph<'a>,
    pub orders: &'a Orders<'a>,
    pub owners: &'a Owners<'a>,
    pub facts: &'a [Facts],
}

impl Known<'_> {
    /// Decides, and tells of each dealloc whether it is to go.
    pub fn decide(
        &self,
        mode: Mode,
        results: &mut [AllocResult],
        erasable: &mut [u8],
        (labels, stack): (&mut [u32], &mut List<u32>),
    ) {
        for (i, result) in results.iter_mut().enumerate() {
            let verdict = match mode {
                Mode::Compat => self.as_the_pass(i),
                Mode::Sound | Mode::Tight => self.strictly(i),
            };
            let (decision, blame) = verdict.unwrap_or((Decision::Planned, NO_OP));
            let component = self.owners.components[i] as u32;
            *result = AllocResult { decision, component, blame: index_or_none(blame) };
        }
        match mode {
            Mode::Compat => {
                self.skip_shared(results, erasable, (labels, stack));
                self.stop_at_an_error(results);
            }
            Mode::Sound | Mode::Tight => self.spoil_components(results, labels),
        }
        let Program { allocs, deallocs, .. } = *self.program;
        let planned = allocs.iter().zip(&*results).filter(|(_, result)| result.decision == Decision::Planned);
        self.graph.spread(Way::Forward, planned.map(|(alloc, _)| (alloc.value, 0)), labels, stack);
        for (erasable, dealloc) in erasable.iter_mut().zip(deallocs) {
            *erasable = u8::from(labels[dealloc.value as usize] != NO_OP);
        }
    }

    fn as_the_pass(&self, i: usize) -> Option<(Decision, u32)> {
        let op = self.program.allocs[i].op;
        self.unknown(i).or_else(|| match self.tree.in_plan_block(op) {
            false => Some((Decision::Nested, op)),
            true => self.unsuited(i),
        })
    }

    fn strictly(&self, i: usize) -> Option<(Decision, u32)> {
        let (op, facts) = (self.program.allocs[i].op, &self.facts[i]);
        let (disorder, around) = (self.tree.disorder(op), self.tree.barrier(op));
        if let Some(verdict) = self.unknown(i) {
            return Some(verdict);
        }
        if !self.tree.anchored(op) {
            return Some((Decision::Nested, op));
        }
        if disorder != NO_OP {
            return Some((Decision::Nested, disorder));
        }
        self.unsuited(i).or_else(|| {
            if facts.loose_use != NO_OP {
                Some((Decision::UsedOutside, facts.loose_use))
            } else if around != NO_OP && !self.stays_in_iteration(op, around, facts) {
                Some((Decision::Carried, around))
            } else if facts.escape != NO_OP && !facts.surely_freed {
                Some((Decision::Escapes, facts.escape))
            } else {
                None
            }
        })
    }

    fn unknown(&self, i: usize) -> Option<(Decision, u32)> {
        let Alloc { size, op, .. } = self.program.allocs[i];
        (size == DYNAMIC).then_some((Decision::Dynamic, op))
    }

    /// What the caller excludes, and what is not freed as it must be.
    fn unsuited(&self, i: usize) -> Option<(Decision, u32)> {
        let (alloc, facts) = (&self.program.allocs[i], &self.facts[i]);
        if alloc.space != self.program.space {
            Some((Decision::Space, alloc.op))
        } else if alloc.flags & ALLOC_EXCLUDED != 0 {
            Some((Decision::Excluded, alloc.op))
        } else if facts.last_dealloc == NO_OP {
            Some((Decision::NoDealloc, alloc.op))
        } else if facts.loose_dealloc != NO_OP {
            Some((Decision::Unstructured, facts.loose_dealloc))
        } else {
            None
        }
    }

    /// Whether all that may hold, use or free it belongs to the insides of the loop, and no use comes before it.
    fn stays_in_iteration(&self, alloc: u32, around: u32, facts: &Facts) -> bool {
        let last_use = if facts.last_use == NO_OP { 0 } else { facts.last_use };
        let last = last_use.max(facts.last_dealloc);
        facts.first_definition > around && facts.first_use > alloc && last <= self.tree.last_of(around)
    }

    /// The pass's guard: a dealloc that may free an allocation outside of the entry block keeps all that it may free.
    fn skip_shared(
        &self,
        results: &mut [AllocResult],
        marks: &mut [u8],
        (labels, stack): (&mut [u32], &mut List<u32>),
    ) {
        let Program { allocs, deallocs, .. } = *self.program;
        let nested = allocs.iter().filter(|alloc| !self.tree.in_plan_block(alloc.op));
        self.graph.spread(Way::Forward, nested.map(|alloc| (alloc.value, 0)), labels, stack);
        for (mark, dealloc) in marks.iter_mut().zip(deallocs) {
            *mark = u8::from(labels[dealloc.value as usize] != NO_OP);
        }
        let keeping = self.orders.deallocs.iter().filter(|&&d| marks[d as usize] != 0);
        let freed = keeping.map(|&d| (deallocs[d as usize].value, deallocs[d as usize].op));
        self.graph.spread(Way::Backward, freed, labels, stack);
        for (result, alloc) in results.iter_mut().zip(allocs) {
            let dealloc = labels[alloc.value as usize];
            if result.decision == Decision::Planned && dealloc != NO_OP {
                (result.decision, result.blame) = (Decision::Shared, dealloc as usize);
            }
        }
    }

    /// The pass ends at the first error in the order of the operations, and changes nothing.
    fn stop_at_an_error(&self, results: &mut [AllocResult]) {
        let Program { allocs, .. } = *self.program;
        let erring = self.orders.allocs.iter().find(|&&i| results[i as usize].decision.is_error());
        let Some(erring) = erring.map(|&i| i as usize) else { return };
        let end = allocs[erring].op;
        for (i, result) in results.iter_mut().enumerate() {
            let is_reached = allocs[i].op < end;
            if i != erring && (!is_reached || result.decision == Decision::Planned) {
                (result.decision, result.blame) = (Decision::Stopped, end as usize);
            }
        }
    }

    /// One member of a component that is not planned, or that is foreign, spoils it.
    fn spoil_components(&self, results: &mut [AllocResult], spoilers: &mut [u32]) {
        let Program { allocs, .. } = *self.program;
        let spoilers = &mut spoilers[..self.owners.foreign.len()];
        spoilers.fill(NO_OP);
        for (i, result) in results.iter().enumerate().rev() {
            if result.decision != Decision::Planned {
                spoilers[result.component as usize] = allocs[i].op;
            }
        }
        for result in results.iter_mut().filter(|result| result.decision == Decision::Planned) {
            let component = result.component as usize;
            if spoilers[component] != NO_OP {
                (result.decision, result.blame) = (Decision::Shared, spoilers[component] as usize);
            } else if self.owners.foreign[component] != NO_OP {
                (result.decision, result.blame) = (Decision::Foreign, self.owners.foreign[component] as usize);
            }
        }
    }
}

fn index_or_none(item: u32) -> usize {
    if item == NO_OP { NONE } else { item as usize }
}
