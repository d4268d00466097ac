//! The arrays that tell a program: its operations in regions, what they allocate, free and use, and which values may be
//! the same buffer.
//!
//! Numbers are indices into the arrays, from 0; [`NO_OP`] is none. The operations stand in pre-order: each before what
//! is in its regions, the regions of one by number, a block's operations one after the other.
//! Checking the indices is linear.

use crate::error::{Error, Kind};
use crate::scratch::index_limit;

/// Where an operation's number is asked for: there is none.
pub const NO_OP: u32 = u32::MAX;

/// The [`size`](Alloc::size) of an allocation whose bytes are only known when the program runs.
pub const DYNAMIC: usize = usize::MAX;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Op {
    /// The operation in one of whose regions this one is; AETHER_NO_OP: in none.
    pub parent: u32,
    /// The number of that region, which never falls from one operation to the next in the same parent.
    pub region: u32,
    /// The block: equal for neighbours in one region that run one after the other.
    pub block: u32,
    /// A sum of AETHER_OP constants; 0: its regions run one after the other, each at most once.
    pub flags: u32,
}

/// What an allocation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Alloc {
    /// Bytes in memory; AETHER_DYNAMIC: not known.
    pub size: usize,
    /// Of its address, bytes; 0 means 1.
    pub alignment: usize,
    /// The operation that allocates.
    pub op: u32,
    /// The value that it makes; no two allocations make the same.
    pub value: u32,
    /// Its memory space, any number.
    pub space: u32,
    /// 0, or AETHER_ALLOC_EXCLUDED.
    pub flags: u32,
}

/// The buffer of a value is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Dealloc {
    /// The operation that frees.
    pub op: u32,
    /// The value whose buffer it frees.
    pub value: u32,
}

/// The buffer of a value is used, other than freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Use {
    /// The operation that uses it.
    pub op: u32,
    /// The value.
    pub value: u32,
    /// 0, or AETHER_USE_ESCAPES.
    pub flags: u32,
}

/// Two values may be the same buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Alias {
    /// The value that is passed on: an operand of a cast, a select, a yield.
    pub from: u32,
    /// The value that may then hold its buffer.
    pub to: u32,
    /// An exclusive operation: it is passed on only where region guard_region of it runs; AETHER_NO_OP: no such.
    pub guard_op: u32,
    /// A region of guard_op that has an operation.
    pub guard_region: u32,
}

/// A program, and what is asked of it.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// In pre-order.
    pub ops: &'a [Op],
    /// One a value: the operation whose result it is, or whose region or block has it as an argument; [`NO_OP`] where
    /// that is none of them. What one iteration of a loop passes to the next belongs to the loop's operation.
    pub value_ops: &'a [u32],
    /// What may be planned.
    pub allocs: &'a [Alloc],
    /// What frees buffers, in any order.
    pub deallocs: &'a [Dealloc],
    /// What else touches buffers, in any order.
    pub uses: &'a [Use],
    /// Which values may be the same buffer, in any order.
    pub aliases: &'a [Alias],
    /// Values that may also hold a buffer that none of the allocations makes. A value that is neither made by an
    /// allocation nor the target of an alias is foreign anyway.
    pub foreign: &'a [u32],
    /// The block that runs once, from which operations are told apart: the entry block of a function.
    pub plan_block: u32,
    /// The memory space that is planned.
    pub space: u32,
    /// Every planned buffer's alignment is made a multiple of it. 0 means 1.
    pub min_alignment: usize,
}

/// An operation's flag: its regions may run again and again, one run after the other.
pub const OP_LOOP: u32 = 1;
/// An operation's flag: at most one of its regions runs, and at most once.
pub const OP_EXCLUSIVE: u32 = 2;
/// An operation's flag: its regions, or runs of one, may run at the same time.
pub const OP_PARALLEL: u32 = 4;
/// An operation's flag: nobody knows when, how often and in which order its regions run.
pub const OP_OPAQUE: u32 = 8;
/// An allocation's flag: it is not to be planned.
pub const ALLOC_EXCLUDED: u32 = 1;
/// A use's flag: the buffer may be reached later by ways that no value here tells of.
pub const USE_ESCAPES: u32 = 1;

/// The arrays by their place in the C struct, for the errors.
#[derive(Clone, Copy)]
enum Array {
    ValueOps = 3,
    Allocs = 5,
    Deallocs = 7,
    Uses = 9,
    Aliases = 11,
    Foreign = 13,
}

impl Program<'_> {
    /// Refuses what names an operation or a value that does not exist, or has an unknown flag.
    pub(super) fn check(&self) -> Result<(), Error> {
        let counts = [self.deallocs.len(), self.uses.len(), self.aliases.len(), self.foreign.len()];
        counts.into_iter().try_for_each(index_limit)?;
        // Allocations and values are nodes of one forest, and an operation that does not exist is none.
        let nodes = self.value_ops.len().saturating_add(self.allocs.len());
        for count in [self.ops.len(), nodes] {
            if i32::try_from(count).is_err() {
                return Err(Error::new(Kind::TooMany, crate::NONE, count, i32::MAX as usize));
            }
        }
        for (i, &op) in self.value_ops.iter().enumerate() {
            self.known_op_or_none(Array::ValueOps, i, op)?;
        }
        for (i, alloc) in self.allocs.iter().enumerate() {
            self.known_op(Array::Allocs, i, alloc.op)?;
            self.known_value(Array::Allocs, i, alloc.value)?;
            known_flags(Array::Allocs, i, alloc.flags, ALLOC_EXCLUDED)?;
            self.alignment(i)?;
        }
        for (i, dealloc) in self.deallocs.iter().enumerate() {
            self.known_op(Array::Deallocs, i, dealloc.op)?;
            self.known_value(Array::Deallocs, i, dealloc.value)?;
        }
        for (i, used) in self.uses.iter().enumerate() {
            self.known_op(Array::Uses, i, used.op)?;
            self.known_value(Array::Uses, i, used.value)?;
            known_flags(Array::Uses, i, used.flags, USE_ESCAPES)?;
        }
        for (i, alias) in self.aliases.iter().enumerate() {
            self.known_value(Array::Aliases, i, alias.from)?;
            self.known_value(Array::Aliases, i, alias.to)?;
            self.known_op_or_none(Array::Aliases, i, alias.guard_op)?;
        }
        for (i, &value) in self.foreign.iter().enumerate() {
            self.known_value(Array::Foreign, i, value)?;
        }
        Ok(())
    }

    /// The alignment of an allocation, made a multiple of the least one.
    pub(super) fn alignment(&self, alloc: usize) -> Result<usize, Error> {
        let (own, least) = (self.allocs[alloc].alignment.max(1), self.min_alignment.max(1));
        let (mut divisor, mut rest) = (own, least);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        (own / divisor).checked_mul(least).ok_or(Error::new(Kind::FlowAlignment, alloc, own, least))
    }

    fn known_op(&self, array: Array, item: usize, op: u32) -> Result<(), Error> {
        match (op as usize) < self.ops.len() {
            true => Ok(()),
            false => Err(Error::new(Kind::FlowOp, item, op as usize, self.ops.len()).against(array as usize)),
        }
    }

    fn known_op_or_none(&self, array: Array, item: usize, op: u32) -> Result<(), Error> {
        match op {
            NO_OP => Ok(()),
            _ => self.known_op(array, item, op),
        }
    }

    fn known_value(&self, array: Array, item: usize, value: u32) -> Result<(), Error> {
        match (value as usize) < self.value_ops.len() {
            true => Ok(()),
            false => {
                Err(Error::new(Kind::FlowValue, item, value as usize, self.value_ops.len()).against(array as usize))
            }
        }
    }
}

fn known_flags(array: Array, item: usize, flags: u32, known: u32) -> Result<(), Error> {
    match flags & !known {
        0 => Ok(()),
        _ => Err(Error::new(Kind::FlowFlags, item, flags as usize, known as usize).against(array as usize)),
    }
}
