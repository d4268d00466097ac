//! What the values that may hold an allocation's buffer tell of it: the first and last uses and deallocs among them.
//!
//! One walk of the graph a fact, each from uses, deallocs or definitions in the order of their operations.

use super::graph::{Graph, Way};
use super::owners::Owners;
use super::program::{NO_OP, Program, USE_ESCAPES};
use super::tree::Tree;
use crate::error::Error;
use crate::scratch::{List, Scratch};
use crate::sort::counting_sort;

/// Of one allocation; each an operation, or none.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub last_dealloc: u32,
    pub first_use: u32,
    pub last_use: u32,
    /// The first dealloc and the first use that are not in the subtrees of the plan block.
    pub loose_dealloc: u32,
    pub loose_use: u32,
    /// The first use by which it escapes.
    pub escape: u32,
    /// The first operation that one of the values belongs to; 0 also where a value belongs to none.
    pub first_definition: u32,
    /// Whether a dealloc in its block frees it and nothing else.
    pub surely_freed: bool,
}

/// The allocations, the deallocs, the uses and the values, each by operation.
pub(super) struct Orders<'a> {
    pub allocs: &'a [u32],
    pub deallocs: &'a [u32],
    pub uses: &'a [u32],
    pub definitions: &'a [u32],
}

const NOTHING: Facts = Facts {
    last_dealloc: NO_OP,
    first_use: NO_OP,
    last_use: NO_OP,
    loose_dealloc: NO_OP,
    loose_use: NO_OP,
    escape: NO_OP,
    first_definition: NO_OP,
    surely_freed: false,
};

pub(super) fn gather<'a>(
    program: &Program,
    (tree, graph, orders, owners): (&Tree, &Graph, &Orders, &Owners),
    (labels, stack): (&mut [u32], &mut List<u32>),
    scratch: &mut Scratch<'a>,
) -> Result<&'a mut [Facts], Error> {
    let Program { allocs, deallocs, uses, value_ops, .. } = *program;
    let facts = scratch.filled(allocs.len(), NOTHING)?;
    let mut learn = |sources: &mut dyn Iterator<Item = (u32, u32)>, fact: fn(&mut Facts) -> &mut u32| {
        graph.spread(Way::Backward, sources, labels, stack);
        for (facts, alloc) in facts.iter_mut().zip(allocs) {
            *fact(facts) = labels[alloc.value as usize];
        }
    };
    let freed = |d: &u32| (deallocs[*d as usize].value, deallocs[*d as usize].op);
    let used = |u: &u32| (uses[*u as usize].value, uses[*u as usize].op);
    let loose = |&(_, op): &(u32, u32)| !tree.anchored(op);
    let escapes = |u: &&u32| uses[**u as usize].flags & USE_ESCAPES != 0;
    let defined = |&value: &u32| (value, definition(value_ops[value as usize]));
    learn(&mut orders.deallocs.iter().rev().map(freed), |facts| &mut facts.last_dealloc);
    learn(&mut orders.deallocs.iter().map(freed).filter(loose), |facts| &mut facts.loose_dealloc);
    learn(&mut orders.uses.iter().map(used), |facts| &mut facts.first_use);
    learn(&mut orders.uses.iter().rev().map(used), |facts| &mut facts.last_use);
    learn(&mut orders.uses.iter().map(used).filter(loose), |facts| &mut facts.loose_use);
    learn(&mut orders.uses.iter().filter(escapes).map(used), |facts| &mut facts.escape);
    learn(&mut orders.definitions.iter().map(defined), |facts| &mut facts.first_definition);
    for (dealloc, &only) in deallocs.iter().zip(&*owners.only) {
        if let Some(alloc) = allocs.get(only as usize) {
            facts[only as usize].surely_freed |= tree.same_block(dealloc.op, alloc.op);
        }
    }
    Ok(facts)
}

/// Bytes that the orders take, and what making them takes besides.
pub(super) const ORDERS_ITEM: usize = 4;
pub(super) const ORDERS_WORK_OP: usize = 4;
pub(super) const ORDERS_WORK_CONSTANT: usize = 8;

impl<'a> Orders<'a> {
    pub fn new(program: &Program, scratch: &mut Scratch<'a>) -> Result<Orders<'a>, Error> {
        let Program { ops, value_ops, allocs, deallocs, uses, .. } = *program;
        let orders = [
            scratch.filled(allocs.len(), 0)?,
            scratch.filled(deallocs.len(), 0)?,
            scratch.filled(uses.len(), 0)?,
            scratch.filled(value_ops.len(), 0)?,
        ];
        let mut phase = scratch.phase();
        let starts = phase.filled(if value_ops.is_empty() { 0 } else { ops.len().max(1) + 1 }, 0)?;
        let mut sort = |op: &dyn Fn(usize) -> u32, sorted: &mut [u32]| {
            let items = 0..sorted.len() as u32;
            counting_sort(items, |item| op(item as usize), starts, sorted);
        };
        let [by_alloc, by_dealloc, by_use, by_value] = orders;
        sort(&|i| allocs[i].op, by_alloc);
        sort(&|i| deallocs[i].op, by_dealloc);
        sort(&|i| uses[i].op, by_use);
        sort(&|i| definition(value_ops[i]), by_value);
        Ok(Orders { allocs: by_alloc, deallocs: by_dealloc, uses: by_use, definitions: by_value })
    }
}

/// The operation that a value belongs to; one that belongs to none is there before all.
fn definition(op: u32) -> u32 {
    if op == NO_OP { 0 } else { op }
}
