//! Who owns what a dealloc frees.
//!
//! The owners of a dealloc are the allocations and foreign values that reach the value it frees. A dealloc may go only
//! if the buffer of every owner becomes a part of the arena, and such a part may never be freed: so allocations and
//! deallocs that own and free one another are planned together or not at all. Those sets are the components here.
//!
//! Joining both ends of every alias that leads to a freed value finds them: what meets in a value on the way to two
//! deallocs owns both. Cost: linear, and the forest's.

use super::graph::{Graph, Way};
use super::program::{NO_OP, Program};
use super::tree::Tree;
use crate::error::{Error, Kind};
use crate::islands::{self, Plain, Union, label};
use crate::scratch::{List, Scratch, and_more};
use crate::sort::counting_sort;

pub(super) struct Owners<'a> {
    /// The component of each allocation, numbered by their first allocations.
    pub components: &'a mut [i32],
    /// Of each component that has one: the smallest foreign value.
    pub foreign: &'a mut [u32],
    /// The only owner of each dealloc, if that is an allocation.
    pub only: &'a mut [u32],
}

/// Bytes that owners take, and what making them takes besides.
pub(super) const OWNERS_VALUE: usize = 4;
pub(super) const OWNERS_ALLOC: usize = 4 + 4;
pub(super) const OWNERS_DEALLOC: usize = 4;
pub(super) const OWNERS_WORK_VALUE: usize = 4 + 1;
pub(super) const OWNERS_WORK_ALLOC: usize = 4;
pub(super) const OWNERS_WORK_DEALLOC: usize = 4;
pub(super) const OWNERS_WORK_CONSTANT: usize = 16;

impl<'a> Owners<'a> {
    /// `by_op`: the deallocs by their operations.
    pub fn new(
        program: &Program,
        (tree, graph, by_op): (&Tree, &Graph, &[u32]),
        (labels, stack): (&mut [u32], &mut List<u32>),
        scratch: &mut Scratch<'a>,
    ) -> Result<Owners<'a>, Error> {
        let Program { allocs, deallocs, value_ops, .. } = *program;
        let nodes = scratch.filled(allocs.len() + value_ops.len(), islands::STATIC)?;
        let mut owners = Owners {
            components: &mut [],
            foreign: scratch.filled(allocs.len(), NO_OP)?,
            only: scratch.filled(deallocs.len(), NO_OP)?,
        };
        let mut phase = scratch.phase();
        let foreign = find_foreign(program, graph, &mut phase)?;
        owners.find_only(program, graph, foreign, labels, stack);
        owners.refuse_double_frees(program, tree, by_op, phase)?;

        let node = |value: u32| (allocs.len() + value as usize) as i32;
        graph.spread(Way::Backward, deallocs.iter().map(|dealloc| (dealloc.value, 0)), labels, stack);
        let mut forest = Plain { parents: nodes };
        let mut join = |a: i32, b: i32| forest.join(a as usize, b as usize);
        for (i, alloc) in allocs.iter().enumerate() {
            join(i as i32, node(alloc.value))?;
        }
        for alias in program.aliases.iter().filter(|alias| labels[alias.to as usize] != NO_OP) {
            join(node(alias.from), node(alias.to))?;
        }
        deallocs.iter().try_for_each(|dealloc| join(node(dealloc.value), node(dealloc.value)))?;
        label(nodes)?;
        let (components, of_values) = nodes.split_at_mut(allocs.len());
        // A component of a foreign value alone has a number above those of the allocations.
        for value in (0..value_ops.len()).rev().filter(|&value| foreign[value]) {
            if let Some(first) = owners.foreign.get_mut(of_values[value] as usize) {
                *first = value as u32;
            }
        }
        Ok(Owners { components, ..owners })
    }

    /// The owners are known without their closures: the smallest and the largest one are the same.
    fn find_only(
        &mut self,
        program: &Program,
        graph: &Graph,
        foreign: &mut [bool],
        labels: &mut [u32],
        stack: &mut List<u32>,
    ) {
        let Program { allocs, deallocs, value_ops, .. } = *program;
        let values = 0..value_ops.len() as u32;
        let of_allocs = (0..allocs.len() as u32).map(|i| (allocs[i as usize].value, i));
        let of_foreign = |&value: &u32| foreign[value as usize];
        let as_owner = |value: u32| (value, allocs.len() as u32 + value);
        let ascending = of_allocs.clone().chain(values.clone().filter(of_foreign).map(as_owner));
        graph.spread(Way::Forward, ascending, labels, stack);
        for (only, dealloc) in self.only.iter_mut().zip(deallocs) {
            *only = labels[dealloc.value as usize];
        }
        let descending = values.clone().filter(of_foreign).map(as_owner).rev().chain(of_allocs.rev());
        graph.spread(Way::Forward, descending, labels, stack);
        for (only, dealloc) in self.only.iter_mut().zip(deallocs) {
            let is_alloc = (*only as usize) < allocs.len();
            *only = if is_alloc && *only == labels[dealloc.value as usize] { *only } else { NO_OP };
        }
        // What nothing flows into, a cycle of values that only feed each other, is foreign too.
        values.filter(|&value| labels[value as usize] == NO_OP).for_each(|value| foreign[value as usize] = true);
    }

    /// Two deallocs that surely free the same, one of which is in the block of the other, or below, are on one path.
    fn refuse_double_frees(
        &self,
        program: &Program,
        tree: &Tree,
        by_op: &[u32],
        mut scratch: Scratch,
    ) -> Result<(), Error> {
        let Program { allocs, deallocs, .. } = *program;
        let certain = by_op.iter().copied().filter(|&d| self.only[d as usize] != NO_OP);
        let starts = scratch.filled(and_more(allocs.len(), 1), 0)?;
        let sorted = scratch.filled(deallocs.len(), 0)?;
        counting_sort(certain, |d| self.only[d as usize], starts, sorted);
        // A block is a range, so whichever dealloc of an allocation is in the block of another, a neighbour of that is.
        for (alloc, range) in starts.windows(2).enumerate() {
            for pair in sorted[range[0] as usize..range[1] as usize].windows(2) {
                let (first, second) = (pair[0].min(pair[1]) as usize, pair[0].max(pair[1]) as usize);
                let (a, b) = (deallocs[first].op, deallocs[second].op);
                if tree.in_block(a, b) || tree.in_block(b, a) {
                    let error = Error::new(Kind::FlowDoubleFree, second, alloc, allocs.len());
                    return Err(error.against(first));
                }
            }
        }
        Ok(())
    }
}

/// Which values may hold a buffer of no allocation; refuses a value that two allocations make.
fn find_foreign<'a>(program: &Program, graph: &Graph, scratch: &mut Scratch<'a>) -> Result<&'a mut [bool], Error> {
    let Program { allocs, value_ops, foreign: named, .. } = *program;
    let made_by = scratch.filled(value_ops.len(), NO_OP)?;
    for (i, alloc) in allocs.iter().enumerate() {
        let before = core::mem::replace(&mut made_by[alloc.value as usize], i as u32);
        if before != NO_OP {
            let error = Error::new(Kind::FlowAlloc, i, alloc.value as usize, value_ops.len());
            return Err(error.against(before as usize));
        }
    }
    let foreign = scratch.filled(value_ops.len(), false)?;
    for (value, foreign) in foreign.iter_mut().enumerate() {
        *foreign = made_by[value] == NO_OP && graph.is_source(value as u32);
    }
    named.iter().for_each(|&value| foreign[value as usize] = true);
    Ok(foreign)
}
