//! Buffer flow: from what a program allocates, frees, uses and passes on to what its arena must hold, and when.
//!
//! MLIR's static memory planner as a call on plain arrays, a [`Program`]: operations in regions, allocations,
//! deallocs, uses, and which values may be the same buffer. [`Flow`] answers for each allocation whether it becomes a
//! part of the arena, or why not, and when it lives; for each dealloc whether it is to go; and which buffers may share
//! bytes because no run needs both. The tensors and the pairs are parts of a [`Problem`](crate::arena::Problem) as
//! they are.
//!
//! Stages: the region tree (`tree`), the graph of values (`graph`), who owns what a dealloc frees (`owners`), what is
//! known of each allocation (`facts`), what becomes of it (`decision`), when it lives (`lives`), what branches exclude
//! (`branches`).
//!
//! Cost: linear in operations, values, aliases, uses and deallocs, near linear in the forest of owners.
//! Source: the pass `static-memory-planner-analysis` of LLVM, its tests, and reports of where it errs.

mod branches;
mod decision;
mod facts;
mod graph;
mod lives;
mod owners;
mod program;
mod tree;

pub use decision::{AllocResult, Decision};
pub use program::{
    ALLOC_EXCLUDED, Alias, Alloc, DYNAMIC, Dealloc, NO_OP, OP_EXCLUSIVE, OP_LOOP, OP_OPAQUE, OP_PARALLEL, Op, Program,
    USE_ESCAPES, Use,
};

use crate::arena::{Pair, Tensor};
use crate::error::{Error, NONE};
use crate::scratch::{List, Scratch, Word, size};
use branches::{Subject, Walk};
use decision::Known;
use facts::{Facts, Orders};
use graph::Graph;
use owners::Owners;
use tree::Tree;

/// By which rules it is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(i32)]
pub enum Mode {
    /// No run of the program is changed by the plan.
    #[default]
    Sound = 0,
    /// The same, with lifetimes that end at the last use and not at the dealloc, which goes anyway.
    Tight = 1,
    /// MLIR's own rules, where they are wrong too.
    Compat = 2,
}

/// How many there are of what a program tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Operations.
    pub ops: usize,
    /// Values.
    pub values: usize,
    /// Allocations.
    pub allocs: usize,
    /// Deallocs.
    pub deallocs: usize,
    /// Uses.
    pub uses: usize,
    /// Aliases.
    pub aliases: usize,
}

impl Program<'_> {
    /// Its counts.
    pub fn counts(&self) -> Counts {
        Counts {
            ops: self.ops.len(),
            values: self.value_ops.len(),
            allocs: self.allocs.len(),
            deallocs: self.deallocs.len(),
            uses: self.uses.len(),
            aliases: self.aliases.len(),
        }
    }
}

/// Scratch bytes of [`Flow::new`]; `usize::MAX` on overflow.
pub fn flow_scratch_size(counts: Counts) -> usize {
    let Counts { ops, values, allocs, deallocs, uses, aliases } = counts;
    let any = usize::from(counts != Counts::default());
    size(&[
        (ops, tree::TREE + tree::TREE_WORK + facts::ORDERS_WORK_OP),
        (values, LABELS + graph::GRAPH_VALUE + owners::OWNERS_VALUE + owners::OWNERS_WORK_VALUE),
        (values, facts::ORDERS_ITEM + branches::WALK_VALUE),
        (allocs, ANSWER + size_of::<Facts>() + facts::ORDERS_ITEM + owners::OWNERS_ALLOC + owners::OWNERS_WORK_ALLOC),
        (deallocs, 1 + facts::ORDERS_ITEM + owners::OWNERS_DEALLOC + owners::OWNERS_WORK_DEALLOC),
        (deallocs, branches::WALK_DEALLOC),
        (uses, facts::ORDERS_ITEM + branches::WALK_USE),
        (aliases, graph::GRAPH_ALIAS),
        (any, tree::TREE_CONSTANT + graph::GRAPH_CONSTANT + facts::ORDERS_WORK_CONSTANT),
        (any, owners::OWNERS_WORK_CONSTANT + branches::WALK_CONSTANT),
    ])
}

/// Bytes of labels and stack a value, and of tensor, result and birth an allocation.
const LABELS: usize = 8;
const ANSWER: usize = size_of::<Tensor>() + size_of::<AllocResult>() + 4;

/// A program that was understood.
pub struct Flow<'a> {
    program: Program<'a>,
    mode: Mode,
    tree: Tree<'a>,
    graph: Graph<'a>,
    walk: Walk<'a>,
    facts: &'a [Facts],
    tensors: &'a mut [Tensor],
    results: &'a mut [AllocResult],
    erasable: &'a mut [u8],
    by_op: &'a [u32],
    /// The planned allocations in branches that have bytes, by operation.
    in_branches: List<'a, u32>,
}

impl<'a> Flow<'a> {
    /// Decides what is planned, and when it lives.
    ///
    /// # Errors
    /// Counts that cannot be numbered; what names an operation or a value that does not exist, or an unknown flag; an
    /// alignment that the least one cannot be combined with; operations that are not in pre-order, or a plan block that
    /// is not one row of neighbours; a value that two allocations make; two deallocs that surely free the same
    /// allocation on one path; scratch too small.
    pub fn new(program: &Program<'a>, mode: Mode, scratch: &'a mut [Word]) -> Result<Flow<'a>, Error> {
        let mut scratch = Scratch::new(scratch);
        let counts = program.counts();
        scratch.require(flow_scratch_size(counts))?;
        program.check()?;
        let nothing = Tensor { size: 0, alignment: 1, first_use: 0, last_use: 0 };
        let undecided = AllocResult { decision: Decision::Planned, component: 0, blame: NONE };
        let tensors = scratch.filled(counts.allocs, nothing)?;
        let results = scratch.filled(counts.allocs, undecided)?;

        let tree = Tree::new(program.ops, program.plan_block, &mut scratch)?;
        let graph = Graph::new(program.aliases, counts.values, &mut scratch)?;
        let orders = Orders::new(program, &mut scratch)?;
        let labels = scratch.filled(counts.values, NO_OP)?;
        let mut stack = scratch.list(counts.values)?;
        let owners = {
            let stage = (&tree, &graph, orders.deallocs);
            Owners::new(program, stage, (&mut *labels, &mut stack), &mut scratch)?
        };
        let facts: &[Facts] = {
            let stage = (&tree, &graph, &orders, &owners);
            facts::gather(program, stage, (&mut *labels, &mut stack), &mut scratch)?
        };
        let mut in_branches = scratch.list(counts.allocs)?;
        let walk = Walk::new(program, &mut scratch)?;
        let erasable = scratch.filled(counts.deallocs, 0)?;

        let known = Known { program, tree: &tree, graph: &graph, orders: &orders, owners: &owners, facts };
        known.decide(mode, results, erasable, (labels, &mut stack));
        for (i, alloc) in program.allocs.iter().enumerate() {
            if results[i].decision == Decision::Planned {
                let (first, last) = lives::life(mode, &tree, alloc, &facts[i]);
                tensors[i] = Tensor {
                    size: alloc.size,
                    alignment: program.alignment(i)?,
                    first_use: first as usize,
                    last_use: last as usize,
                };
            }
        }
        let is_in_branch =
            |&&i: &&u32| tensors[i as usize].size > 0 && tree.branch(program.allocs[i as usize].op) != NO_OP;
        orders.allocs.iter().filter(is_in_branch).for_each(|&i| in_branches.push(i));
        let (program, by_op) = (*program, orders.allocs);
        Ok(Flow { program, mode, tree, graph, walk, facts, tensors, results, erasable, by_op, in_branches })
    }

    /// One tensor an allocation: its lifetime, and its size and alignment; size 0 where it is not planned.
    pub fn tensors(&self) -> &[Tensor] {
        self.tensors
    }

    /// One result an allocation.
    pub fn results(&self) -> &[AllocResult] {
        self.results
    }

    /// One flag a dealloc: 1 where it is to go, because what it frees is a part of the arena.
    pub fn erasable(&self) -> &[u8] {
        self.erasable
    }

    /// The first `pairs.len()` pairs of tensors that may share bytes although their lifetimes meet, because no run
    /// needs both at once; and how many there are. None in [`Mode::Compat`].
    pub fn compatible_pairs(&mut self, pairs: &mut [Pair]) -> usize {
        let mut count = 0;
        self.each_compatible_pair(|pair| {
            if let Some(slot) = pairs.get_mut(count) {
                *slot = pair;
            }
            count += 1;
        });
        count
    }

    /// Tells each pair, by the operations of its first and then of its second allocation.
    pub(crate) fn each_compatible_pair(&mut self, mut tell: impl FnMut(Pair)) {
        let allocs = self.program.allocs;
        if self.mode == Mode::Compat {
            return;
        }
        for a in self.by_op.iter().map(|&i| i as usize).filter(|&i| self.tensors[i].size > 0) {
            let (op, life) = (allocs[a].op, self.tensors[a]);
            let later = self.in_branches.partition_point(|&b| allocs[b as usize].op <= op);
            let mut is_followed = false;
            for b in self.in_branches[later..].iter().map(|&b| b as usize) {
                let other = allocs[b].op;
                // In tight mode a tensor may begin later than its allocation.
                if other as usize > life.last_use {
                    break;
                }
                let Tensor { first_use, last_use, .. } = self.tensors[b];
                if !life.meets(first_use, last_use) {
                    continue;
                }
                if !is_followed {
                    let subject = self.subject(a);
                    self.walk.follow(subject, &self.program, (&self.tree, &self.graph));
                    is_followed = true;
                }
                if self.walk.is_over(other, &self.tree) {
                    tell(Pair { a, b });
                }
            }
        }
    }

    fn subject(&self, i: usize) -> Subject {
        let (alloc, escapes) = (&self.program.allocs[i], self.facts[i].escape != NO_OP);
        Subject {
            op: alloc.op,
            value: alloc.value,
            last: self.tensors[i].last_use as u32,
            escapes,
            is_freed: self.mode == Mode::Sound || escapes,
        }
    }
}
