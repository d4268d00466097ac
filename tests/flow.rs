//! Buffer flow: what is refused, and the rules of regions one at a time.

#[path = "common/code.rs"]
mod code;

use aether::arena::Pair;
use aether::flow::{
    Alloc, Counts, DYNAMIC, Decision, Flow, Mode, NO_OP, OP_EXCLUSIVE, OP_LOOP, OP_OPAQUE, OP_PARALLEL, Op,
    flow_scratch_size,
};
use aether::{Error, Kind, NONE};
use code::{Code, anything};
use rand::SeedableRng;
use rand::rngs::StdRng;

fn refused(code: &Code) -> Error {
    let mut words = Vec::new();
    match code.try_flow(Mode::Sound, &mut words) {
        Ok(_) => panic!("it was accepted"),
        Err(error) => error,
    }
}

fn error(kind: Kind, index: usize, other: usize, got: usize, limit: usize) -> Error {
    Error { kind, index, other, got, limit }
}

/// Three operations, two values, one allocation that is used and freed.
fn small() -> Code {
    let mut code = Code::new();
    let a = code.alloc(8);
    code.read(a);
    code.free(a);
    let view = code.value_of(1);
    code.alias(a, view);
    code
}

#[test]
fn an_operation_that_does_not_exist_is_named_with_its_array() {
    let refuse = |change: fn(&mut Code)| {
        let mut code = small();
        change(&mut code);
        refused(&code)
    };
    assert_eq!(refuse(|code| code.value_ops[1] = 3), error(Kind::FlowOp, 1, 3, 3, 3));
    assert_eq!(refuse(|code| code.allocs[0].op = 3), error(Kind::FlowOp, 0, 5, 3, 3));
    assert_eq!(refuse(|code| code.allocs[0].op = NO_OP), error(Kind::FlowOp, 0, 5, u32::MAX as usize, 3));
    assert_eq!(refuse(|code| code.deallocs[0].op = 9), error(Kind::FlowOp, 0, 7, 9, 3));
    assert_eq!(refuse(|code| code.uses[0].op = 3), error(Kind::FlowOp, 0, 9, 3, 3));
    assert_eq!(refuse(|code| code.aliases[0].guard_op = 3), error(Kind::FlowOp, 0, 11, 3, 3));
}

#[test]
fn a_value_that_does_not_exist_is_named_with_its_array() {
    let refuse = |change: fn(&mut Code)| {
        let mut code = small();
        change(&mut code);
        refused(&code)
    };
    assert_eq!(refuse(|code| code.allocs[0].value = 2), error(Kind::FlowValue, 0, 5, 2, 2));
    assert_eq!(refuse(|code| code.deallocs[0].value = 2), error(Kind::FlowValue, 0, 7, 2, 2));
    assert_eq!(refuse(|code| code.uses[0].value = u32::MAX), error(Kind::FlowValue, 0, 9, u32::MAX as usize, 2));
    assert_eq!(refuse(|code| code.aliases[0].from = 2), error(Kind::FlowValue, 0, 11, 2, 2));
    assert_eq!(refuse(|code| code.aliases[0].to = 2), error(Kind::FlowValue, 0, 11, 2, 2));
    assert_eq!(refuse(|code| code.foreign.push(2)), error(Kind::FlowValue, 0, 13, 2, 2));
}

#[test]
fn an_unknown_flag_is_named_with_its_array() {
    let refuse = |change: fn(&mut Code)| {
        let mut code = small();
        change(&mut code);
        refused(&code)
    };
    assert_eq!(refuse(|code| code.ops[2].flags = 16), error(Kind::FlowFlags, 2, 1, 16, 15));
    assert_eq!(refuse(|code| code.allocs[0].flags = 2), error(Kind::FlowFlags, 0, 5, 2, 1));
    assert_eq!(refuse(|code| code.uses[0].flags = 3), error(Kind::FlowFlags, 0, 9, 3, 1));
}

fn ops(parents: &[(u32, u32, u32)]) -> Code {
    let mut code = Code::new();
    code.ops = parents.iter().map(|&(parent, region, block)| Op { parent, region, block, flags: 0 }).collect();
    code
}

#[test]
fn a_parent_that_does_not_come_before_is_named_and_so_no_cycle_passes() {
    assert_eq!(refused(&ops(&[(NO_OP, 0, 0), (1, 0, 1)])), error(Kind::FlowParent, 1, NONE, 1, 1));
    assert_eq!(refused(&ops(&[(1, 0, 0), (0, 0, 1)])), error(Kind::FlowParent, 0, NONE, 1, 0));
    assert_eq!(refused(&ops(&[(NO_OP, 0, 0), (7, 0, 1)])), error(Kind::FlowParent, 1, NONE, 7, 1));
}

#[test]
fn operations_that_are_not_in_pre_order_are_named() {
    // 0 { 1 }, 2, and then one in 0 again.
    let interleaved = ops(&[(NO_OP, 0, 0), (0, 0, 1), (NO_OP, 0, 0), (0, 0, 1)]);
    assert_eq!(refused(&interleaved), error(Kind::FlowOrder, 3, NONE, 0, 0));
    // Region 1 before region 0.
    let falling = ops(&[(NO_OP, 0, 0), (0, 1, 1), (0, 0, 2)]);
    assert_eq!(refused(&falling), error(Kind::FlowOrder, 2, 1, 0, 1));
}

#[test]
fn a_plan_block_in_two_places_is_named() {
    let apart = ops(&[(NO_OP, 0, 0), (NO_OP, 0, 1), (NO_OP, 0, 0)]);
    assert_eq!(refused(&apart), error(Kind::FlowPlanBlock, 2, 0, 0, 0));
    let below = ops(&[(NO_OP, 0, 0), (0, 0, 0)]);
    assert_eq!(refused(&below), error(Kind::FlowPlanBlock, 1, 0, 0, 0));
}

#[test]
fn two_allocations_of_one_value_are_named() {
    let mut code = small();
    code.allocs.push(code.allocs[0]);
    assert_eq!(refused(&code), error(Kind::FlowAlloc, 1, 0, 0, 2));
}

#[test]
fn an_alignment_without_a_common_multiple_is_named() {
    let mut code = small();
    code.min_alignment = usize::MAX / 2 + 1;
    code.allocs[0].alignment = 3;
    assert_eq!(refused(&code), error(Kind::FlowAlignment, 0, NONE, 3, usize::MAX / 2 + 1));
    code.allocs[0].alignment = 1 << 20;
    let mut words = Vec::new();
    assert_eq!(code.flow(Mode::Sound, &mut words).tensors()[0].alignment, usize::MAX / 2 + 1);
}

#[test]
fn two_deallocs_on_one_path_are_named() {
    // In one block, through a cast.
    let mut code = Code::new();
    let (a, b) = (code.alloc(8), code.alloc(8));
    code.free(b);
    code.free(a);
    let view = code.select(&[a]);
    code.free(view);
    assert_eq!(refused(&code), error(Kind::FlowDoubleFree, 2, 1, 0, 2));
    // In a branch and after it, the array the other way round.
    let mut code = Code::new();
    let a = code.alloc(8);
    code.when(|code| {
        code.free(a);
    });
    code.free(a);
    code.deallocs.swap(0, 1);
    assert_eq!(refused(&code), error(Kind::FlowDoubleFree, 1, 0, 0, 1));
    // Twice by one operation.
    let mut code = small();
    code.deallocs.push(code.deallocs[0]);
    assert_eq!(refused(&code), error(Kind::FlowDoubleFree, 1, 0, 0, 1));
    // And that operation ends its block.
    let mut code = Code::new();
    let a = code.alloc(8);
    code.free(a);
    code.deallocs.push(code.deallocs[0]);
    code.next_block();
    code.op();
    assert_eq!(refused(&code), error(Kind::FlowDoubleFree, 1, 0, 0, 1));
}

#[test]
fn deallocs_that_no_path_needs_both_or_that_may_free_others_are_fine() {
    // Two branches; two ifs; and a select that may be the other.
    let mut code = Code::new();
    let [a, b, c, d] = [(); 4].map(|()| code.alloc(8));
    let free = |code: &mut Code| {
        code.free(a);
        []
    };
    code.branch(free, free);
    for _ in 0..2 {
        code.when(|code| {
            code.free(b);
        });
    }
    let s = code.select(&[c, d]);
    code.free(s);
    code.free(c);
    let mut words = Vec::new();
    code.flow(Mode::Sound, &mut words);
}

#[test]
fn less_scratch_than_the_query_says_is_refused() {
    let code = small();
    let need = flow_scratch_size(code.program().counts());
    let mut words: Vec<u64> = Vec::with_capacity(need / 8);
    let short = &mut words.spare_capacity_mut()[..need / 8 - 1];
    let refusal = Flow::new(&code.program(), Mode::Sound, short).err();
    assert_eq!(refusal, Some(error(Kind::ScratchTooSmall, NONE, NONE, need - 8, need)));
}

#[test]
fn nothing_is_a_program_too() {
    let code = Code::new();
    assert_eq!(flow_scratch_size(Counts::default()), 0);
    let mut flow = Flow::new(&code.program(), Mode::Sound, &mut []).expect("nothing");
    assert_eq!((flow.tensors().len(), flow.erasable().len(), flow.compatible_pairs(&mut [])), (0, 0, 0));
}

// ---- Regions ----

fn decisions(code: &Code) -> Vec<Decision> {
    let mut words = Vec::new();
    code.flow(Mode::Sound, &mut words).results().iter().map(|result| result.decision).collect()
}

fn lives(code: &Code, mode: Mode) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    code.flow(mode, &mut words).tensors().iter().map(|tensor| (tensor.first_use, tensor.last_use)).collect()
}

fn pairs(code: &Code) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut pairs = [Pair { a: 0, b: 0 }; 8];
    let count = code.flow(Mode::Sound, &mut words).compatible_pairs(&mut pairs);
    pairs[..count].iter().map(|pair| (pair.a, pair.b)).collect()
}

/// One operation with flags, in whose region a buffer is made, read and freed.
fn made_inside(flags: u32) -> Code {
    let mut code = Code::new();
    let op = code.op_with(flags);
    code.region(op, 0, |code| {
        let a = code.alloc(8);
        code.read(a);
        code.free(a);
    });
    code
}

#[test]
fn what_is_made_inside_is_planned_unless_its_runs_may_meet() {
    assert_eq!(decisions(&made_inside(0)), [Decision::Planned]);
    assert_eq!(decisions(&made_inside(OP_EXCLUSIVE)), [Decision::Planned]);
    assert_eq!(decisions(&made_inside(OP_LOOP)), [Decision::Planned]);
    for flags in [OP_PARALLEL, OP_OPAQUE, OP_LOOP | OP_PARALLEL, OP_LOOP | OP_OPAQUE] {
        assert_eq!(decisions(&made_inside(flags)), [Decision::Nested]);
    }
}

#[test]
fn what_is_made_in_one_of_several_blocks_is_not_planned() {
    let mut code = Code::new();
    let op = code.op_with(OP_LOOP);
    code.region(op, 0, |code| {
        let a = code.alloc(8);
        code.free(a);
        code.next_block();
        code.op();
    });
    assert_eq!(decisions(&code), [Decision::Nested]);
}

#[test]
fn a_use_in_a_loop_counts_for_all_of_it_to_what_is_older() {
    // alloc a, alloc b, loop { read a, read b, free a, yield }: a is never free for what comes in the loop.
    let mut code = Code::new();
    let a = code.alloc(8);
    code.each(|code| {
        code.read(a);
        let b = code.alloc(8);
        code.read(b);
        code.free(b);
        code.op();
    });
    code.free(a);
    // The loop is operation 1 and ends with 7; operation 8 frees.
    assert_eq!(lives(&code, Mode::Sound), [(0, 7), (3, 4)]);
    assert_eq!(lives(&code, Mode::Tight), [(1, 7), (4, 4)]);
}

#[test]
fn the_outermost_loop_that_is_younger_counts() {
    // loop { alloc a, loop { loop { read a } }, op, free a }
    let mut code = Code::new();
    code.each(|code| {
        let a = code.alloc(8);
        code.each(|code| {
            code.each(|code| {
                code.read(a);
            });
        });
        code.op();
        code.free(a);
    });
    // Operations: loop 0, alloc 1, loop 2, loop 3, read 4, end 5, end 6, op 7, free 8.
    assert_eq!(lives(&code, Mode::Tight), [(2, 6)]);
    assert_eq!(lives(&code, Mode::Sound), [(1, 7)]);
}

#[test]
fn what_leaves_the_iteration_is_carried() {
    // Only the result of the loop, which is a value of the loop, may hold it.
    let mut code = Code::new();
    let op = code.op_with(OP_LOOP);
    let result = code.value_of(op);
    code.region(op, 0, |code| {
        let a = code.alloc(8);
        code.yields(&[a], &[result], None);
    });
    code.free(result);
    assert_eq!(decisions(&code), [Decision::Carried]);
    // Used or freed after the loop, by whatever way.
    for is_freed_after in [false, true] {
        let mut code = Code::new();
        let mut made = 0;
        code.each(|code| {
            made = code.alloc(8);
            if is_freed_after {
                code.read(made);
            } else {
                code.free(made);
            }
        });
        if is_freed_after {
            code.free(made);
        } else {
            code.read(made);
        }
        assert_eq!(decisions(&code), [Decision::Carried]);
    }
    // Out of an if inside the loop is not out of the loop.
    let mut code = Code::new();
    code.each(|code| {
        let [x] = code.branch(|code| [code.alloc(8)], |code| [code.alloc(8)]);
        code.read(x);
        code.free(x);
    });
    assert_eq!(decisions(&code), [Decision::Planned; 2]);
    assert_eq!(pairs(&code), [(0, 1)]);
}

#[test]
fn what_escapes_is_planned_where_its_own_block_frees_it() {
    let mut code = Code::new();
    let a = code.alloc(8);
    code.escape(a);
    code.op();
    code.free(a);
    assert_eq!(decisions(&code), [Decision::Planned]);
    // Its deallocs count in tight mode too.
    assert_eq!(lives(&code, Mode::Tight), [(0, 2)]);
    let mut code = Code::new();
    let a = code.alloc(8);
    code.escape(a);
    code.when(|code| {
        code.free(a);
    });
    assert_eq!(decisions(&code), [Decision::Escapes]);
}

#[test]
fn what_is_used_in_another_block_is_not_planned() {
    let mut code = Code::new();
    let a = code.alloc(8);
    code.free(a);
    code.next_block();
    code.read(a);
    assert_eq!(decisions(&code), [Decision::UsedOutside]);
}

#[test]
fn another_space_is_not_planned_and_spoils_what_shares_its_deallocs() {
    let mut code = Code::new();
    let [a, b, c] = [(); 3].map(|()| code.alloc(8));
    let s = code.select(&[a, b]);
    code.free(s);
    code.free(c);
    code.allocs[0].space = 1;
    assert_eq!(decisions(&code), [Decision::Space, Decision::Shared, Decision::Planned]);
    code.space = 1;
    assert_eq!(decisions(&code), [Decision::Shared, Decision::Space, Decision::Space]);
}

#[test]
fn a_buffer_that_is_never_used_lives_where_it_is_made() {
    let mut code = Code::new();
    let a = code.alloc(8);
    code.free(a);
    assert_eq!(lives(&code, Mode::Tight), [(0, 0)]);
    assert_eq!(lives(&code, Mode::Sound), [(0, 0)]);
}

#[test]
fn a_cycle_of_values_that_nothing_feeds_is_foreign() {
    let mut code = Code::new();
    let op = code.op_with(OP_LOOP);
    let [x, y] = [(); 2].map(|()| code.value_of(op));
    code.alias(x, y);
    code.alias(y, x);
    let a = code.alloc(8);
    let s = code.select(&[a, x]);
    code.free(s);
    assert_eq!(decisions(&code), [Decision::Foreign]);
}

#[test]
fn branches_of_one_if_share_and_two_ifs_do_not() {
    // Two results, made in the two branches of one if, or each in an if of its own.
    let mut code = Code::new();
    let [x] = code.branch(|code| [code.alloc(8)], |code| [code.alloc(8)]);
    code.free(x);
    assert_eq!(pairs(&code), [(0, 1)]);
    let mut code = Code::new();
    let first = code.alloc(8);
    let [x] = code.branch(|code| [code.alloc(8)], |_| [first]);
    let [y] = code.branch(|_| [first], |code| [code.alloc(8)]);
    code.read(x);
    code.free(y);
    assert_eq!(pairs(&code), []);
    // One without bytes is in no arena.
    for sizes in [(0, 8), (8, 0)] {
        let mut code = Code::new();
        let [x] = code.branch(|code| [code.alloc(sizes.0)], |code| [code.alloc(sizes.1)]);
        code.free(x);
        assert_eq!(pairs(&code), []);
    }
}

#[test]
fn a_dealloc_of_what_comes_from_outside_frees_no_allocation() {
    let mut code = Code::new();
    let outside = code.argument();
    code.foreign.push(outside);
    code.alloc(8);
    code.free(outside);
    assert_eq!(decisions(&code), [Decision::NoDealloc]);
}

#[test]
fn what_an_operation_uses_itself_is_used_before_its_region_begins() {
    let mut code = Code::new();
    let a = code.alloc(8);
    let op = code.op();
    code.used(op, a);
    code.region(op, 0, |code| {
        code.op();
        code.op();
    });
    code.free(a);
    assert_eq!(lives(&code, Mode::Tight), [(1, 1)]);
    assert_eq!(lives(&code, Mode::Sound), [(0, 3)]);
}

/// The branch that made `b` ran in one iteration, the one that passes `a` on in the next.
#[test]
fn a_branch_inside_a_loop_tells_nothing_to_what_is_older() {
    let mut code = Code::new();
    let a = code.alloc(8);
    code.each(|code| {
        let op = code.op_with(OP_EXCLUSIVE);
        let x = code.value_of(op);
        code.region(op, 0, |code| {
            code.op();
            code.guarded_alias(a, x, op, 0);
        });
        code.region(op, 1, |code| {
            let b = code.alloc(8);
            code.read(b);
            code.free(b);
        });
        code.read(x);
    });
    code.free(a);
    let mut words = Vec::new();
    let mut flow = code.flow(Mode::Tight, &mut words);
    assert!(flow.results().iter().all(|result| result.decision == Decision::Planned));
    assert_eq!(flow.compatible_pairs(&mut []), 0);
}

#[test]
fn more_branches_than_are_remembered_cost_a_pair_and_nothing_else() {
    // Six ifs, each inside the else of the one before, yield `a` in all thens; the innermost else makes `b`.
    fn nested(code: &mut Code, a: u32, depth: usize) -> u32 {
        let [x] = code.branch(
            |_| [a],
            |code| match depth {
                0 => [code.alloc(8)],
                _ => [nested(code, a, depth - 1)],
            },
        );
        x
    }
    for (depth, want) in [(2, vec![(0, 1)]), (6, vec![])] {
        let mut code = Code::new();
        let a = code.alloc(8);
        let x = nested(&mut code, a, depth);
        code.read(x);
        code.free(x);
        assert_eq!(decisions(&code), [Decision::Planned; 2]);
        assert_eq!(pairs(&code), want, "{depth}");
    }
}

/// The planned pairs of a program, all of whose allocations are planned.
fn pairs_of_planned(code: &Code) -> Vec<(usize, usize)> {
    assert!(decisions(code).iter().all(|decision| *decision == Decision::Planned));
    pairs(code)
}

#[test]
fn what_the_next_iteration_holds_or_the_allocation_itself_uses_is_carried() {
    // The argument of the loop holds the buffer of the iteration before; it is used inside alone, after the allocation.
    let mut code = Code::new();
    let op = code.op_with(OP_LOOP);
    let argument = code.value_of(op);
    code.region(op, 0, |code| {
        let a = code.alloc(8);
        code.read(argument);
        code.free(a);
        code.yields(&[a], &[argument], None);
    });
    assert_eq!(decisions(&code), [Decision::Carried]);
    // What an operation uses it has from before.
    let mut code = made_inside(OP_LOOP);
    code.used(1, 0);
    assert_eq!(decisions(&code), [Decision::Carried]);
}

#[test]
fn a_dealloc_in_a_loop_counts_for_all_of_it_to_what_is_older() {
    let mut code = Code::new();
    let a = code.alloc(8);
    code.each(|code| {
        code.free(a);
        code.op();
    });
    // Operations: alloc 0, loop 1, free 2, op 3, end 4.
    assert_eq!(lives(&code, Mode::Sound), [(0, 4)]);
}

#[test]
fn in_compat_an_error_stops_what_was_planned_and_all_that_comes_later() {
    let mut code = Code::new();
    let a = code.alloc(8);
    code.alloc(DYNAMIC);
    let op = code.alloc(8);
    // Another result of the operation that makes the error, and a later one.
    code.allocs.push(Alloc { size: DYNAMIC, value: code.value_ops.len() as u32, ..code.allocs[op as usize] });
    code.value_of(2);
    code.alloc(DYNAMIC);
    code.free(a);
    let mut words = Vec::new();
    let flow = code.flow(Mode::Compat, &mut words);
    let results: Vec<_> = flow.results().iter().map(|result| (result.decision, result.blame)).collect();
    let [stopped, erring] = [(Decision::Stopped, 2), (Decision::NoDealloc, 2)];
    assert_eq!(results, [stopped, (Decision::Dynamic, 1), erring, stopped, stopped]);
}

#[test]
fn a_dealloc_that_may_free_the_first_value_surely_frees_no_allocation() {
    let mut code = Code::new();
    let outside = code.argument();
    let a = code.alloc(8);
    let s = code.select(&[outside, a]);
    code.free(s);
    code.free(a);
    assert_eq!(decisions(&code), [Decision::Foreign]);
}

#[test]
fn a_buffer_made_right_before_the_other_is_freed_shares_with_it_where_no_run_does_both() {
    // x = if { alloc b } else { free a; alloc c }
    let mut code = Code::new();
    let a = code.alloc(8);
    let op = code.op_with(OP_EXCLUSIVE);
    let x = code.value_of(op);
    code.region(op, 0, |code| {
        let b = code.alloc(8);
        code.guarded_alias(b, x, op, 0);
    });
    code.region(op, 1, |code| {
        code.free(a);
        let c = code.alloc(8);
        code.guarded_alias(c, x, op, 1);
    });
    code.free(x);
    assert_eq!(lives(&code, Mode::Sound), [(0, 2), (2, 4), (4, 4)]);
    assert_eq!(pairs_of_planned(&code), [(0, 1), (1, 2)]);
}

#[test]
fn the_innermost_of_many_branches_is_remembered() {
    // Five ifs, each in the else of the one before: the thens yield `c`, but the innermost `a`; the innermost else
    // makes `b`. To the result `a` comes through five branches, of which only the first excludes `b`.
    fn nested(code: &mut Code, (a, c): (u32, u32), depth: usize) -> u32 {
        let then = if depth == 0 { a } else { c };
        let otherwise = |code: &mut Code| match depth {
            0 => [code.alloc(8)],
            _ => [nested(code, (a, c), depth - 1)],
        };
        let [x] = code.branch(|_| [then], otherwise);
        x
    }
    let mut code = Code::new();
    let (a, c) = (code.alloc(8), code.alloc(8));
    let x = nested(&mut code, (a, c), 4);
    code.read(x);
    code.free(x);
    assert_eq!(pairs_of_planned(&code), [(0, 2), (1, 2)]);
}

#[test]
fn what_a_loop_makes_itself_is_older_than_its_insides() {
    let mut code = Code::new();
    let a = code.alloc(8);
    code.ops[0].flags = OP_LOOP;
    code.region(0, 0, |code| {
        code.read(a);
        code.op();
    });
    code.free(a);
    // Operations: loop 0, read 1, op 2, free 3.
    assert_eq!(lives(&code, Mode::Tight), [(0, 2)]);
}

#[test]
fn what_an_if_makes_itself_and_what_is_made_right_behind_it_is_excluded_by_none_of_its_branches() {
    // when { b = if { read a; free a } }
    let mut code = Code::new();
    let a = code.alloc(8);
    code.when(|code| {
        let b = code.alloc(8);
        let op = code.allocs[1].op;
        code.ops[op as usize].flags = OP_EXCLUSIVE;
        code.region(op, 0, |code| {
            code.read(a);
            code.free(a);
        });
        code.free(b);
    });
    assert_eq!(pairs_of_planned(&code), []);
    // when { x = if { a } else { c }; alloc b; read x; free b; free x }
    let mut code = Code::new();
    let (a, c) = (code.alloc(8), code.alloc(8));
    code.when(|code| {
        let [x] = code.branch(|_| [a], |_| [c]);
        let b = code.alloc(8);
        code.read(x);
        code.free(b);
        code.free(x);
    });
    assert_eq!(pairs_of_planned(&code), []);
}

#[test]
fn regions_that_all_run_exclude_nothing() {
    // when { op { a to x } { alloc b; read b; free b }; free x }
    let mut code = Code::new();
    let a = code.alloc(8);
    code.when(|code| {
        let op = code.op();
        let x = code.value_of(op);
        code.region(op, 0, |code| code.yields(&[a], &[x], Some((op, 0))));
        code.region(op, 1, |code| {
            let b = code.alloc(8);
            code.read(b);
            code.free(b);
        });
        code.free(x);
    });
    assert_eq!(pairs_of_planned(&code), []);
}

#[test]
fn a_branch_that_is_passed_many_times_is_remembered_once() {
    // when { a to v, five times in a row; x = if { v } else { alloc b }; free x }
    let mut code = Code::new();
    let a = code.alloc(8);
    code.when(|code| {
        let around = 1;
        let values = [(); 5].map(|()| code.value_of(around));
        code.guarded_alias(a, values[0], around, 0);
        values.windows(2).for_each(|pair| code.guarded_alias(pair[0], pair[1], around, 0));
        let [x] = code.branch(|_| [values[4]], |code| [code.alloc(8)]);
        code.free(x);
    });
    assert_eq!(pairs_of_planned(&code), [(0, 1)]);
}

#[test]
fn a_way_that_is_found_many_times_is_kept_once() {
    // if { a to x, five times } else { alloc b to x }; free x
    let mut code = Code::new();
    let a = code.alloc(8);
    let op = code.op_with(OP_EXCLUSIVE);
    let x = code.value_of(op);
    code.region(op, 0, |code| code.yields(&[a; 5], &[x; 5], Some((op, 0))));
    code.region(op, 1, |code| {
        let b = code.alloc(8);
        code.yields(&[b], &[x], Some((op, 1)));
    });
    code.free(x);
    assert_eq!(pairs_of_planned(&code), [(0, 1)]);
}

// ---- Arrays of anything ----

/// The values that `value` may hold the buffer of, itself included.
fn sources(code: &Code, value: u32) -> Vec<u32> {
    let mut reached = vec![value];
    let mut next = 0;
    while next < reached.len() {
        let target = reached[next];
        for alias in code.aliases.iter().filter(|alias| alias.to == target) {
            if !reached.contains(&alias.from) {
                reached.push(alias.from);
            }
        }
        next += 1;
    }
    reached
}

#[test]
fn a_dealloc_goes_exactly_where_all_that_it_may_free_is_planned_and_components_are_as_large_as_they_can_be() {
    let mut random = StdRng::seed_from_u64(7);
    let (mut planned, mut spoiled) = (0, 0);
    for round in 0..20_000 {
        let code = anything(&mut random, false);
        let mut words = Vec::new();
        let Ok(flow) = code.try_flow(Mode::Sound, &mut words) else { continue };
        let made_by = |value: u32| code.allocs.iter().position(|alloc| alloc.value == value);
        let fed = |value: u32| code.aliases.iter().any(|alias| alias.to == value);
        let is_planned = |alloc: usize| flow.results()[alloc].decision == Decision::Planned;
        let owners: Vec<(Vec<usize>, bool)> = code
            .deallocs
            .iter()
            .map(|dealloc| {
                let all = sources(&code, dealloc.value);
                let foreign = |&value: &u32| code.foreign.contains(&value) || (made_by(value).is_none() && !fed(value));
                // What only a cycle feeds comes from nowhere.
                let lost = |&value: &u32| {
                    sources(&code, value).iter().all(|source| made_by(*source).is_none() && !foreign(source))
                };
                let owners: Vec<usize> = all.iter().filter_map(|&value| made_by(value)).collect();
                (owners, all.iter().any(|value| foreign(value) || lost(value)))
            })
            .collect();
        for (dealloc, (owners, foreign)) in owners.iter().enumerate() {
            let goes = flow.erasable()[dealloc] == 1;
            assert_eq!(goes, owners.iter().any(|&alloc| is_planned(alloc)), "round {round}, dealloc {dealloc}");
            assert!(!goes || (!foreign && owners.iter().all(|&alloc| is_planned(alloc))), "round {round}, {dealloc}");
        }
        // Whoever is kept for others' sake is linked by deallocs to one that is kept for its own, or to a foreign one.
        for (alloc, result) in flow.results().iter().enumerate() {
            planned += usize::from(result.decision == Decision::Planned);
            let (mut linked, mut foreign) = (vec![alloc], false);
            let mut next = 0;
            while next < linked.len() {
                let member = linked[next];
                for (owners, is_foreign) in owners.iter().filter(|(owners, _)| owners.contains(&member)) {
                    foreign |= is_foreign;
                    linked.extend(owners.iter().filter(|other| !linked.contains(other)).collect::<Vec<_>>());
                }
                next += 1;
            }
            let component = |&other: &usize| flow.results()[other].component == result.component;
            assert!(linked.iter().all(component), "round {round}, alloc {alloc}");
            let own = |other: usize| {
                !matches!(flow.results()[other].decision, Decision::Planned | Decision::Shared | Decision::Foreign)
            };
            let is_spoiled = linked.iter().any(|&other| own(other));
            match result.decision {
                Decision::Planned => assert!(!is_spoiled && !foreign, "round {round}, alloc {alloc}"),
                // Deallocs of one foreign buffer link what they free, too.
                Decision::Shared => assert!(is_spoiled || foreign, "round {round}, alloc {alloc}"),
                Decision::Foreign => assert!(foreign, "round {round}, alloc {alloc}"),
                _ => continue,
            }
            spoiled += usize::from(result.decision != Decision::Planned);
            let tensor = &flow.tensors()[alloc];
            assert!(tensor.first_use <= tensor.last_use && tensor.last_use < code.ops.len(), "round {round}");
        }
    }
    assert!(planned > 1000 && spoiled > 1000, "{planned}, {spoiled}");
}

#[test]
fn no_arrays_make_it_panic() {
    let mut random = StdRng::seed_from_u64(8);
    let mut refused = 0;
    for _ in 0..20_000 {
        let code = anything(&mut random, true);
        for mode in [Mode::Sound, Mode::Tight, Mode::Compat] {
            let mut words = Vec::new();
            match code.try_flow(mode, &mut words) {
                Ok(mut flow) => _ = flow.compatible_pairs(&mut []),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 10_000 && refused < 59_000, "{refused}");
}
