//! The call about buffer flow, on programs that are mostly valid.

use aether::arena::{self, Pair, Problem, Tensor};
use aether::capi::*;
use aether::flow::{Alias, Alloc, AllocResult, DYNAMIC, Dealloc, Decision, NO_OP, Op, Use};

use crate::bytes::Bytes;
use crate::code::Code;
use crate::stage::Stage;

/// Operations anywhere and values that flow anywhere.
pub fn code(bytes: &mut Bytes) -> Code {
    let mut code = Code::new();
    // The operations that are open around the next one, each with the region and the block that it is in.
    let mut open: Vec<(u32, u32, u32)> = vec![];
    for i in 0..1 + bytes.below(24) as u32 {
        open.truncate(bytes.below(open.len() + 1));
        let (parent, region, block) = match open.last_mut() {
            Some((parent, region, block)) => {
                if bytes.one_in(3) {
                    (*region, *block) = (*region + 1, *block + 1);
                } else if bytes.one_in(8) {
                    *block += 1;
                }
                (*parent, *region, 1 + 100 * *parent + *block)
            }
            None => (NO_OP, 0, 0),
        };
        let flags = [0, 0, 2, 2, 1, 4, 8][bytes.below(7)];
        code.ops.push(Op { parent, region, block, flags });
        open.push((i, 0, 0));
    }
    let (ops, values) = (code.ops.len(), 1 + bytes.below(16));
    let op = |bytes: &mut Bytes| bytes.below(ops) as u32;
    let value = |bytes: &mut Bytes| bytes.below(values) as u32;
    code.value_ops = (0..values).map(|_| if bytes.one_in(4) { NO_OP } else { op(bytes) }).collect();
    for value in 0..values as u32 {
        if bytes.one_in(2) {
            let op = op(bytes);
            let size = if bytes.one_in(32) { DYNAMIC } else { bytes.below(40) };
            let alignment = [0, 1, 4, 6][bytes.below(4)];
            let (space, flags) = (u32::from(bytes.one_in(16)), u32::from(bytes.one_in(16)));
            code.value_ops[value as usize] = op;
            code.allocs.push(Alloc { size, alignment, op, value, space, flags });
        }
    }
    code.deallocs = bytes.list(8, |bytes| Dealloc { op: op(bytes), value: value(bytes) });
    code.uses = bytes.list(8, |bytes| Use { op: op(bytes), value: value(bytes), flags: u32::from(bytes.one_in(16)) });
    code.aliases = bytes.list(12, |bytes| {
        let guard_op = if bytes.one_in(2) { op(bytes) } else { NO_OP };
        Alias { from: value(bytes), to: value(bytes), guard_op, guard_region: bytes.below(3) as u32 }
    });
    code.foreign = bytes.list(1, value);
    code.min_alignment = [0, 0, 1, 4][bytes.below(4)];
    code
}

/// One number of the program becomes any other.
fn spoil(code: &mut Code, bytes: &mut Bytes) {
    let number = bytes.number() as u32;
    let kind = bytes.below(10);
    let place = bytes.byte() as usize;
    fn item<T>(items: &mut [T], place: usize) -> Option<&mut T> {
        let count = items.len().max(1);
        items.get_mut(place % count)
    }
    let slot = match kind {
        0 => item(&mut code.ops, place).map(|op| &mut op.parent),
        1 => item(&mut code.ops, place).map(|op| &mut op.region),
        2 => item(&mut code.ops, place).map(|op| &mut op.block),
        3 => item(&mut code.ops, place).map(|op| &mut op.flags),
        4 => item(&mut code.value_ops, place),
        5 => item(&mut code.allocs, place).map(|alloc| &mut alloc.value),
        6 => item(&mut code.deallocs, place).map(|dealloc| &mut dealloc.value),
        7 => item(&mut code.uses, place).map(|used| &mut used.op),
        8 => item(&mut code.aliases, place).map(|alias| &mut alias.to),
        _ => item(&mut code.foreign, place),
    };
    slot.into_iter().for_each(|slot| *slot = number);
    if bytes.one_in(4) {
        code.allocs.iter_mut().for_each(|alloc| (alloc.size, alloc.alignment) = (bytes.number(), bytes.number()));
    }
}

pub fn flow_lifetimes(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut code = code(&mut bytes);
    if bytes.one_in(4) {
        spoil(&mut code, &mut bytes);
    }
    let mode = if bytes.one_in(32) { bytes.word() as i32 } else { bytes.below(3) as i32 };
    let plan_block = if bytes.one_in(8) { bytes.below(300) as u32 } else { 0 };
    let struct_size = if bytes.one_in(32) { bytes.number() } else { size_of::<ProgramRecord>() };
    let (allocs, deallocs) = (code.allocs.len(), code.deallocs.len());
    let mut stage = Stage::default();
    let (ops, value_ops, made) = (stage.input(&code.ops), stage.input(&code.value_ops), stage.input(&code.allocs));
    let (freed, uses, aliases) = (stage.input(&code.deallocs), stage.input(&code.uses), stage.input(&code.aliases));
    let foreign = stage.input(&code.foreign);
    let (tensors, results) = (stage.output::<Tensor>(allocs), stage.output::<AllocResult>(allocs));
    let erasable = stage.output::<u8>(deallocs);
    let room = bytes.below(12);
    let (pairs, pair_count) = (stage.output::<Pair>(room), stage.optional::<usize>());
    let (op_count, value_count) = (code.ops.len(), code.value_ops.len());
    let (use_count, alias_count) = (code.uses.len(), code.aliases.len());
    let need = aether_flow_lifetimes_scratch_size(op_count, value_count, allocs, deallocs, use_count, alias_count);
    let scratch = stage.scratch(need, &mut bytes);
    if struct_size != size_of::<ProgramRecord>() {
        stage.expect_nothing();
    }
    let done = stage.play(need, &mut bytes, super::never, |a| unsafe {
        let record = ProgramRecord {
            struct_size,
            ops: a.at(ops),
            op_count,
            value_ops: a.at(value_ops),
            value_count,
            allocs: a.at(made),
            alloc_count: allocs,
            deallocs: a.at(freed),
            dealloc_count: deallocs,
            uses: a.at(uses),
            use_count,
            aliases: a.at(aliases),
            alias_count,
            foreign: a.at(foreign),
            foreign_count: code.foreign.len(),
            min_alignment: code.min_alignment,
            plan_block,
            space: 0,
        };
        let record = super::long(record);
        let (tensors, results, erasable) = (a.at(tensors), a.at(results), a.at(erasable));
        let (pairs, count, scratch, size) = (a.at(pairs), a.at(pair_count), a.at(scratch), a.scratch_size);
        let program = record.as_ptr().cast();
        aether_flow_lifetimes(program, mode, tensors, results, erasable, pairs, room, count, scratch, size, a.error)
    });
    if !done.is_ok() || struct_size < size_of::<ProgramRecord>() {
        return;
    }
    let (tensors, results) = (done.read::<Tensor>(tensors), done.read::<AllocResult>(results));
    for (tensor, result) in tensors.iter().zip(&results) {
        if result.decision == Decision::Planned {
            assert!(tensor.first_use <= tensor.last_use && tensor.last_use < op_count);
        } else {
            assert_eq!(*tensor, Tensor { size: 0, alignment: 1, first_use: 0, last_use: 0 });
        }
    }
    assert!(done.read::<u8>(erasable).iter().all(|&flag| flag <= 1));
    // Without their number it is not known how many were written.
    let [count] = done.read::<usize>(pair_count)[..] else { return };
    let pairs = done.read::<Pair>(pairs);
    let (written, rest) = pairs.split_at(count.min(room));
    let garbage = usize::from_ne_bytes([0xa5; size_of::<usize>()]);
    assert!(rest.iter().all(|pair| (pair.a, pair.b) == (garbage, garbage)));
    // They are what a planner takes, and every two of them different.
    assert!((0..written.len()).all(|i| !written[..i].contains(&written[i])));
    let problem = Problem { tensors: &tensors, compatible: written, ..Problem::default() };
    let mut words = Vec::with_capacity(arena::lower_bound_scratch_size(allocs, 0, written.len(), 0) / 8);
    match arena::lower_bound(&problem, words.spare_capacity_mut()) {
        Ok(_) => {}
        Err(error) => assert!([aether::Kind::PeakOverflow, aether::Kind::AlignmentOverflow].contains(&error.kind)),
    }
}
