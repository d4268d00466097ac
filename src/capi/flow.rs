//! Which buffers of a program make up its arena, and when do they live?

use core::ffi::c_void;

use super::buffers::{Buffer, call, deliver, deliver_if_wanted, items, words};
use super::problem::read_struct;
use super::status::{ErrorRecord, Status};
use crate::arena::{Pair, Tensor};
use crate::error::{Error, Kind, NONE};
use crate::flow::{self, Alias, Alloc, AllocResult, Counts, Dealloc, Flow, Mode, Op, Program, Use};

/// A program: what it allocates, frees, uses and passes on. Set struct_size to sizeof(aether_program) and everything
/// that is not needed to 0. A shorter struct of an older header is read as if the rest were 0.
///
/// Operations and values are told by their indices. All arrays are read only. An operation that allocates, frees or
/// passes a value on is listed there, not among the uses; every other operand that is a buffer, those of casts, selects
/// and yields too, is a use.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ProgramRecord {
    /// sizeof(aether_program).
    pub struct_size: usize,
    /// In pre-order: each before what is in its regions, the regions of one by number, the operations of a block in a
    /// row.
    pub ops: *const Op,
    /// At most 2^31 - 1.
    pub op_count: usize,
    /// One a value: the operation whose result it is, or whose region or block has it as an argument, so that what one
    /// iteration of a loop passes to the next belongs to the loop; AETHER_NO_OP where that is none of them.
    pub value_ops: *const u32,
    /// value_count + alloc_count is at most 2^31 - 1.
    pub value_count: usize,
    /// What may be planned, in any order.
    pub allocs: *const Alloc,
    /// See value_count.
    pub alloc_count: usize,
    /// What frees buffers, in any order.
    pub deallocs: *const Dealloc,
    /// At most 2^32 - 1.
    pub dealloc_count: usize,
    /// What else touches buffers, in any order.
    pub uses: *const Use,
    /// At most 2^32 - 1.
    pub use_count: usize,
    /// Which values may be the same buffer, in any order: one from each operand to each result or argument that may
    /// hold its buffer.
    pub aliases: *const Alias,
    /// At most 2^32 - 1.
    pub alias_count: usize,
    /// Values that may also hold a buffer that none of allocs makes: results of calls, of reallocs. A value that is
    /// neither made by one nor the target of an alias is foreign anyway.
    pub foreign: *const u32,
    /// At most 2^32 - 1.
    pub foreign_count: usize,
    /// Every planned alignment is made a multiple of it, in bytes; 0 means 1.
    pub min_alignment: usize,
    /// The block that runs once, as the entry block of a function does. What is neither in it nor in a region below it
    /// is not planned.
    pub plan_block: u32,
    /// The memory space that is planned.
    pub space: u32,
}

/// An operation's flag: its regions may run again and again, one run after the other.
pub const AETHER_OP_LOOP: u32 = 1;
/// An operation's flag: at most one of its regions runs, and at most once.
pub const AETHER_OP_EXCLUSIVE: u32 = 2;
/// An operation's flag: its regions, or runs of one, may run at the same time.
pub const AETHER_OP_PARALLEL: u32 = 4;
/// An operation's flag: nobody knows when, how often and in which order its regions run. An operation that has a region
/// with several blocks counts as one.
pub const AETHER_OP_OPAQUE: u32 = 8;
/// An allocation's flag: it is not to be planned.
pub const AETHER_ALLOC_EXCLUDED: u32 = 1;
/// A use's flag: the buffer may be reached later by ways that no value here tells of: it is stored, passed to what
/// keeps it, or used by what runs on when the operation is over. It is not reached once it is freed.
pub const AETHER_USE_ESCAPES: u32 = 1;

/// A mode: no run of the program is changed by the plan.
pub const AETHER_FLOW_SOUND: i32 = 0;
/// A mode: the same, with lifetimes from the first use to the last, since the deallocs go.
pub const AETHER_FLOW_TIGHT: i32 = 1;
/// A mode: the rules of MLIR's static memory planner (LLVM 24), where they are wrong too. Only allocations in the plan
/// block are planned, lifetimes end at the deallocs whatever is used later, a dealloc goes although it may free what is
/// not planned, and the first NO_DEALLOC or UNSTRUCTURED ends it all. A node is an operation's place in the plan block.
pub const AETHER_FLOW_COMPAT: i32 = 2;

/// A part of the arena. blame: SIZE_MAX.
pub const AETHER_DECISION_PLANNED: i32 = 0;
/// Not planned: its size is AETHER_DYNAMIC. blame: its operation.
pub const AETHER_DECISION_DYNAMIC: i32 = 1;
/// Not planned: it is outside of the plan block and the regions below it, or in a parallel or opaque operation; in
/// COMPAT: it is not in the plan block itself. blame: that operation, else its own.
pub const AETHER_DECISION_NESTED: i32 = 2;
/// Not planned: it is in another memory space. blame: its operation.
pub const AETHER_DECISION_SPACE: i32 = 3;
/// Not planned: it is flagged AETHER_ALLOC_EXCLUDED. blame: its operation.
pub const AETHER_DECISION_EXCLUDED: i32 = 4;
/// Not planned: nothing frees it. blame: its operation.
pub const AETHER_DECISION_NO_DEALLOC: i32 = 5;
/// Not planned: it is freed outside of the plan block and the regions below it. blame: the dealloc's operation.
pub const AETHER_DECISION_UNSTRUCTURED: i32 = 6;
/// Not planned: it is used outside of the plan block and the regions below it. blame: the use's operation.
pub const AETHER_DECISION_USED_OUTSIDE: i32 = 7;
/// Not planned: it may outlive the iteration that made it. blame: the loop.
pub const AETHER_DECISION_CARRIED: i32 = 8;
/// Not planned: it escapes, and no dealloc in its block frees it and nothing else. blame: the use's operation.
pub const AETHER_DECISION_ESCAPES: i32 = 9;
/// Not planned: a dealloc, or a chain of them, may free it or an allocation that is not planned. blame: the operation
/// of that allocation; in COMPAT, where only a dealloc of its own counts, that of the dealloc.
pub const AETHER_DECISION_SHARED: i32 = 10;
/// Not planned: a dealloc, or a chain of them, may free it or a foreign buffer. blame: the foreign value.
pub const AETHER_DECISION_FOREIGN: i32 = 11;
/// Not planned: in COMPAT, another allocation's error ended it all. blame: that allocation's operation.
pub const AETHER_DECISION_STOPPED: i32 = 12;

/// Scratch bytes that aether_flow_lifetimes needs for so many of each: 84 an operation, 117 a value, 100 an
/// allocation, 17 a dealloc, 8 a use, 8 an alias, and 368 where there is any; with a 32-bit size_t 80 an allocation.
/// Rounded up to a multiple of 8; SIZE_MAX where the arithmetic overflows; never less for more.
/// AETHER_FLOW_LIFETIMES_SCRATCH_SIZE(...) is the same as a constant expression.
#[unsafe(no_mangle)]
pub extern "C" fn aether_flow_lifetimes_scratch_size(
    op_count: usize,
    value_count: usize,
    alloc_count: usize,
    dealloc_count: usize,
    use_count: usize,
    alias_count: usize,
) -> usize {
    flow::flow_scratch_size(Counts {
        ops: op_count,
        values: value_count,
        allocs: alloc_count,
        deallocs: dealloc_count,
        uses: use_count,
        aliases: alias_count,
    })
}

/// Decides which allocations of a program become parts of one arena, when each of them lives, which deallocs go, and
/// which buffers may share bytes because no run needs both: the static memory planner of MLIR without its offsets,
/// which tensors and pairs, as the tensors and compatible of an aether_problem, get from any planner.
///
/// mode: AETHER_FLOW_SOUND, AETHER_FLOW_TIGHT or AETHER_FLOW_COMPAT.
/// tensors: gets alloc_count tensors. A node is an operation (but see COMPAT). Where the allocation is not planned all
/// is 0 but alignment, which is 1.
/// results: gets alloc_count results.
/// erasable: gets dealloc_count flags: 1 where the dealloc must go, since what it frees becomes a part of the arena.
/// The others stay; none of them is reached by a part of the arena (but see COMPAT).
/// pairs: room for pair_capacity pairs of allocations; gets the first ones of those whose lifetimes meet and that may
/// share bytes all the same, none in COMPAT. Where they do not fit the rest is left out: that costs bytes, not
/// correctness. (NULL, 0) with a NULL pair_count saves the time.
/// pair_count: gets the number of all such pairs; may be NULL. Only the smaller of it and pair_capacity were written.
/// scratch: at least aether_flow_lifetimes_scratch_size(...) bytes.
///
/// In SOUND and TIGHT allocations are planned at any depth: what is made in a branch, and what is made in a sequential
/// loop and does not outlive the iteration. Allocations that may share deallocs are a component, and are planned
/// together or not at all. Lifetimes: SOUND: from the allocation to the last use or the node before the last dealloc,
/// whichever is later; TIGHT: from the first use to the last, but as SOUND where the buffer escapes. What happens in a
/// loop that the buffer is older than counts for the whole loop.
///
/// Errors: STRUCT_SIZE; FLOW_MODE; FLOW_OP, FLOW_VALUE or FLOW_FLAGS in value_ops, allocs, deallocs, uses, aliases,
/// foreign; FLOW_ALIGNMENT; FLOW_PARENT, FLOW_ORDER or FLOW_FLAGS for the first operation; FLOW_PLAN_BLOCK; FLOW_ALLOC;
/// FLOW_DOUBLE_FREE. That an allocation is not planned is no error.
/// Cost: linear, and close to linear in the sets of owners: 10,000 allocations, 100,000 operations and as many aliases
/// take 5 to 15 ms. With pairs also, for each buffer that lives when one in a branch is allocated, the values that may
/// hold it and each such pair: seldom more than a few ms, quadratic at worst.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aether_flow_lifetimes(
    program: *const ProgramRecord,
    mode: i32,
    tensors: *mut Tensor,
    results: *mut AllocResult,
    erasable: *mut u8,
    pairs: *mut Pair,
    pair_capacity: usize,
    pair_count: *mut usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut ErrorRecord,
) -> Status {
    // SAFETY: the caller's contract.
    let record = match unsafe { read_struct(program, SMALLEST) } {
        Ok(record) => record,
        // SAFETY: the caller's contract.
        Err(refusal) => return unsafe { call(error, [], || Err(refusal)) },
    };
    let need = record.scratch_size();
    let most = u32::MAX as usize;
    let buffers = [
        Buffer::input(0, program.cast::<u8>(), record.struct_size),
        Buffer::input(0, record.ops, record.op_count).at_most(i32::MAX as usize).member(1),
        Buffer::input(0, record.value_ops, record.value_count).at_most(i32::MAX as usize).member(3),
        Buffer::input(0, record.allocs, record.alloc_count).at_most(i32::MAX as usize).member(5),
        Buffer::input(0, record.deallocs, record.dealloc_count).at_most(most).member(7),
        Buffer::input(0, record.uses, record.use_count).at_most(most).member(9),
        Buffer::input(0, record.aliases, record.alias_count).at_most(most).member(11),
        Buffer::input(0, record.foreign, record.foreign_count).at_most(most).member(13),
        Buffer::output(2, tensors, record.alloc_count).at_most(i32::MAX as usize),
        Buffer::output(3, results, record.alloc_count).at_most(i32::MAX as usize),
        Buffer::output(4, erasable, record.dealloc_count).at_most(most),
        Buffer::output(5, pairs, pair_capacity),
        Buffer::optional(7, pair_count),
        Buffer::scratch(8, scratch, scratch_size, need),
    ];
    let body = || {
        let mode = mode_of(mode)?;
        // SAFETY: `call` runs this only with accepted buffers.
        unsafe {
            let mut flow = Flow::new(&record.program(), mode, words(scratch, need))?;
            deliver(flow.tensors(), tensors);
            deliver(flow.results(), results);
            deliver(flow.erasable(), erasable);
            if pair_capacity > 0 || !pair_count.is_null() {
                let mut count = 0;
                flow.each_compatible_pair(|pair| {
                    if count < pair_capacity {
                        // SAFETY: accepted, with room for more than `count`.
                        pairs.add(count).write(pair);
                    }
                    count += 1;
                });
                deliver_if_wanted(count, pair_count);
            }
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { call(error, buffers, body) }
}

/// What every caller's program has: its size, the operations, and their count.
const SMALLEST: usize = 3 * size_of::<usize>();

fn mode_of(mode: i32) -> Result<Mode, Error> {
    match mode {
        AETHER_FLOW_SOUND => Ok(Mode::Sound),
        AETHER_FLOW_TIGHT => Ok(Mode::Tight),
        AETHER_FLOW_COMPAT => Ok(Mode::Compat),
        _ => Err(Error::new(Kind::FlowMode, NONE, mode as isize as usize, AETHER_FLOW_COMPAT as usize)),
    }
}

impl ProgramRecord {
    fn scratch_size(&self) -> usize {
        aether_flow_lifetimes_scratch_size(
            self.op_count,
            self.value_count,
            self.alloc_count,
            self.dealloc_count,
            self.use_count,
            self.alias_count,
        )
    }

    /// The slices of accepted buffers.
    unsafe fn program<'a>(&self) -> Program<'a> {
        // SAFETY: accepted.
        unsafe {
            Program {
                ops: items(self.ops, self.op_count),
                value_ops: items(self.value_ops, self.value_count),
                allocs: items(self.allocs, self.alloc_count),
                deallocs: items(self.deallocs, self.dealloc_count),
                uses: items(self.uses, self.use_count),
                aliases: items(self.aliases, self.alias_count),
                foreign: items(self.foreign, self.foreign_count),
                plan_block: self.plan_block,
                space: self.space,
                min_alignment: self.min_alignment,
            }
        }
    }
}
