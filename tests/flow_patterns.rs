//! The patterns of MLIR's static memory planner: the tests of LLVM's pass, and what else was found to matter, each with
//! what the pass makes of it (`compat`) and what is right (`sound`, `tight`).
//!
//! Offsets and arenas are those of the real pass. A node of `compat` counts the operations of the entry block, so where
//! nothing is nested it is a node of `sound` too.

#[path = "common/code.rs"]
mod code;

use aether::arena::{self, Pair, Plan, Planner, Problem};
use aether::flow::Decision::*;
use aether::flow::{ALLOC_EXCLUDED, AllocResult, DYNAMIC, Decision, Mode, OP_LOOP};
use code::Code;

const M: usize = 4096;
const H: usize = 2048;

/// What comes out for a program.
#[derive(Debug, PartialEq)]
struct Outcome {
    decisions: Vec<Decision>,
    /// First and last node of the planned ones.
    lives: Vec<(usize, usize)>,
    /// What goes, by dealloc.
    erasable: Vec<u8>,
    pairs: Vec<(usize, usize)>,
}

fn outcome(code: &Code, mode: Mode) -> Outcome {
    let mut words = Vec::new();
    let mut flow = code.flow(mode, &mut words);
    let mut pairs = vec![Pair { a: 0, b: 0 }; 100];
    let count = flow.compatible_pairs(&mut pairs);
    let planned = |result: &AllocResult| result.decision == Planned;
    let lives = flow.tensors().iter().zip(flow.results()).filter(|(_, result)| planned(result));
    Outcome {
        decisions: flow.results().iter().map(|result| result.decision).collect(),
        lives: lives.map(|(tensor, _)| (tensor.first_use, tensor.last_use)).collect(),
        erasable: flow.erasable().to_vec(),
        pairs: pairs[..count].iter().map(|pair| (pair.a, pair.b)).collect(),
    }
}

fn decisions(code: &Code, mode: Mode) -> Vec<Decision> {
    outcome(code, mode).decisions
}

fn blames(code: &Code, mode: Mode) -> Vec<usize> {
    let mut words = Vec::new();
    code.flow(mode, &mut words).results().iter().map(|result| result.blame).collect()
}

/// The plan of one planner over what a mode plans.
fn plan(code: &Code, mode: Mode, planner: Planner) -> (Vec<usize>, Plan) {
    let mut words = Vec::new();
    let mut flow = code.flow(mode, &mut words);
    let mut pairs = vec![Pair { a: 0, b: 0 }; 100];
    let count = flow.compatible_pairs(&mut pairs);
    let problem = Problem { tensors: flow.tensors(), compatible: &pairs[..count], ..Problem::default() };
    let need = arena::plan_portfolio_scratch_size(problem.tensors.len(), 0, count, 0);
    let mut scratch: Vec<u64> = Vec::with_capacity(need / 8);
    let (offsets, outcome) =
        arena::plan_portfolio(&problem, 1 << planner as u32, scratch.spare_capacity_mut()).expect("a valid problem");
    let planned = flow.results().iter().zip(offsets).filter(|(result, _)| result.decision == Planned);
    (planned.map(|(_, &offset)| offset).collect(), outcome.plan)
}

/// What the pass makes of a program with the algorithm `trivial`.
struct Row {
    name: &'static str,
    code: fn(&mut Code),
    compat: &'static [Decision],
    offsets: &'static [usize],
    arena: usize,
    alignment: usize,
    sound: &'static [Decision],
}

const fn row(
    name: &'static str,
    code: fn(&mut Code),
    compat: &'static [Decision],
    (offsets, arena, alignment): (&'static [usize], usize, usize),
) -> Row {
    Row { name, code, compat, offsets, arena, alignment, sound: compat }
}

const fn better(row: Row, sound: &'static [Decision]) -> Row {
    Row { sound, ..row }
}

const NOTHING: (&[usize], usize, usize) = (&[], 0, 1);

/// The tests of the pass, in their order, then what was run through it besides.
const ROWS: &[Row] = &[
    row("1: one after the other", sequential, &[Planned; 2], (&[0, M], 6144, 1)),
    row("2: at the same time", overlapping, &[Planned; 2], (&[0, M], 6144, 1)),
    row("3: three, the first freed early", freed_early, &[Planned; 3], (&[0, 2048, 3072], 3584, 1)),
    row("4: a dynamic one, never freed", dynamic, &[Dynamic], NOTHING),
    row("5: three sequential ones", three_pairs, &[Planned; 3], (&[0, 4096, 6144], 14336, 1)),
    row("6: three alignments", three_alignments, &[Planned; 3], (&[0, 1024, 1536], 1792, 128)),
    row("7: padding", padded, &[Planned; 2], (&[0, 16], 28, 16)),
    row("8: a select of the same", self_select, &[Planned], (&[0], M, 1)),
    row("9: a select of two, freed", select_of_two, &[Planned; 2], (&[0, M], 8192, 1)),
    row("10: two selects, both freed", two_selects, &[Planned; 2], (&[0, M], 8192, 1)),
    row("11: deallocs in two ifs", freed_in_ifs, &[Planned; 2], (&[0, M], 8192, 1)),
    row("12: an if swaps two", swapped_by_if, &[Planned; 2], (&[0, M], 8192, 1)),
    better(row("13: all of it in an if", within_if, &[Nested], NOTHING), &[Planned]),
    better(row("14: replaced in an if", replaced_in_if, &[Shared, Nested], NOTHING), &[Planned; 2]),
    better(row("15: all of it in a loop", within_loop, &[Nested], NOTHING), &[Planned]),
    better(row("16: a loop replaces what it carries", loop_replaces, &[Shared, Nested], NOTHING), &[Shared, Carried]),
    better(row("17: a loop leaks what it carries", loop_leaks, &[Shared, Nested], NOTHING), &[Shared, Carried]),
    better(row("18: a loop frees one from outside", loop_frees_outer, &[Shared, Nested], NOTHING), &[Shared, Carried]),
    row("19: static and dynamic", static_and_dynamic, &[Planned, Dynamic], (&[0], M, 1)),
    row("20: both branches free it", freed_in_both, &[Planned], (&[0], M, 1)),
    row("21: freed three ifs deep", freed_deep, &[Planned], (&[0], M, 1)),
    row("22: a chain of ifs", chain_of_ifs, &[Planned; 2], (&[0, M], 8192, 1)),
    row("23: a select into an if", select_into_if, &[Planned; 2], (&[0, M], 8192, 1)),
    row("24: one freed in an if, one beside", freed_in_if_and_beside, &[Planned; 2], (&[0, M], 6144, 1)),
    row("25: freed in a nested else", freed_in_else, &[Planned], (&[0], M, 1)),
    row("26: a loop reads two", loop_reads, &[Planned; 2], (&[0, M], 8192, 1)),
    row("E1: never freed", never_freed, &[NoDealloc], NOTHING),
    row("E2: freed in the next block", freed_in_next_block, &[Unstructured], NOTHING),
    better(row("E3: a bad one first", bad_one_first, &[NoDealloc, Stopped], NOTHING), &[NoDealloc, Planned]),
    row("E4: freed in one of two successors", freed_in_successor, &[Unstructured], NOTHING),
    row("X1: a loop swaps two, both freed", ping_pong, &[Planned; 2], (&[0, M], 8192, 1)),
    row("X2: freed through a cast", freed_through_cast, &[Planned], (&[0], M, 1)),
    row("X3: freed in blocks inside of an operation", freed_in_blocks, &[Planned], (&[0], M, 1)),
    better(row("X4: nested and never freed", nested_leak, &[Nested], NOTHING), &[NoDealloc]),
    row("X5: freed behind a block argument", freed_behind_block_argument, &[Unstructured], NOTHING),
    row("X6: allocated in the second block", in_second_block, &[Nested], NOTHING),
    row("X7: freed through a while", freed_through_while, &[Planned], (&[0], M, 1)),
    row("X8: freed through an unknown operation", freed_through_unknown, &[NoDealloc], NOTHING),
    row("X9: no bytes, and four", no_bytes, &[Planned; 2], (&[0, 0], 4, 1)),
    row("X10: a type without a size", excluded, &[Excluded, Planned], (&[0], M, 1)),
    better(
        row("H1: used where it is not freed", used_where_not_freed, &[Planned; 2], (&[0, M], 8192, 1)),
        &[Planned; 2],
    ),
    better(row("H2: freed with a shared one", shared_twice, &[Planned, Shared, Nested], (&[0], M, 1)), &[Planned; 3]),
    better(
        row("H2, dynamic", shared_with_dynamic, &[Planned, Shared, Dynamic], (&[0], M, 1)),
        &[Shared, Shared, Dynamic],
    ),
    better(
        row("H3: freed with a dynamic one", freed_with_dynamic, &[Planned, Dynamic], (&[0], M, 1)),
        &[Shared, Dynamic],
    ),
    better(row("H4: freed with an argument", freed_with_argument, &[Planned], (&[0], M, 1)), &[Foreign]),
    better(row("H5: freed as a call's result", freed_as_result, &[Planned], (&[0], M, 1)), &[Foreign]),
    row("H7: bytes, then floats", unaligned, &[Planned; 2], (&[0, 3], 19, 1)),
    better(row("H19: freed after a realloc", freed_after_realloc, &[Planned], (&[0], M, 1)), &[Foreign]),
];

#[test]
fn every_pattern_is_decided_as_by_the_pass_and_as_is_right() {
    for row in ROWS {
        let mut code = Code::new();
        (row.code)(&mut code);
        assert_eq!(decisions(&code, Mode::Compat), row.compat, "compat, {}", row.name);
        assert_eq!(decisions(&code, Mode::Sound), row.sound, "sound, {}", row.name);
        assert_eq!(decisions(&code, Mode::Tight), row.sound, "tight, {}", row.name);
        let (offsets, sizes) = plan(&code, Mode::Compat, Planner::Sequential);
        assert_eq!(offsets, row.offsets, "offsets, {}", row.name);
        assert_eq!((sizes.arena_size, sizes.arena_alignment), (row.arena, row.alignment), "arena, {}", row.name);
    }
}

/// What the pass calls best-fit.
#[test]
fn best_fit_reuses_what_is_freed() {
    let best_fit = |build: fn(&mut Code)| {
        let mut code = Code::new();
        build(&mut code);
        let (offsets, sizes) = plan(&code, Mode::Compat, Planner::FirstUse);
        (offsets, sizes.arena_size, sizes.arena_alignment)
    };
    assert_eq!(best_fit(sequential), (vec![0, 0], 4096, 1));
    assert_eq!(best_fit(freed_early), (vec![0, 2048, 0], 3072, 1));
    assert_eq!(best_fit(three_pairs), (vec![0, 0, 0], 8192, 1));
    // B1 to B4 of the tests of the pass.
    let same = |code: &mut Code| {
        for _ in 0..2 {
            let a = code.alloc(M);
            code.free(a);
        }
    };
    assert_eq!(best_fit(same), (vec![0, 0], 4096, 1));
    assert_eq!(best_fit(overlapping), (vec![0, 4096], 6144, 1));
    let ties = |code: &mut Code| {
        let [a, b, c, d] = [4096, 1024, 4096, 1024].map(|size| code.alloc(size));
        [b, d, a].iter().for_each(|&x| _ = code.free(x));
        let e = code.alloc(512);
        code.free(c);
        code.free(e);
    };
    assert_eq!(best_fit(ties), (vec![0, 4096, 5120, 9216, 9216], 10240, 1));
    let aligned = |code: &mut Code| {
        let [a, b, c] = [(128, 128), (56, 1), (128, 128)].map(|(size, alignment)| code.alloc_aligned(size, alignment));
        code.free(b);
        let [d, e] = [(64, 128), (64, 256)].map(|(size, alignment)| code.alloc_aligned(size, alignment));
        [a, c, d, e].iter().for_each(|&x| _ = code.free(x));
    };
    assert_eq!(best_fit(aligned), (vec![0, 128, 256, 128, 512], 576, 256));
}

fn outcomes(build: fn(&mut Code)) -> [Outcome; 3] {
    let mut code = Code::new();
    build(&mut code);
    [Mode::Compat, Mode::Sound, Mode::Tight].map(|mode| outcome(&code, mode))
}

#[test]
fn a_life_of_the_pass_ends_before_the_last_dealloc() {
    let lives = |build| outcomes(build)[0].lives.clone();
    // Half-open as the pass has them: [0, 2), [0, 1), [0, 2).
    assert_eq!(lives(self_select), [(0, 1)]);
    assert_eq!(lives(freed_in_both), [(0, 0)]);
    assert_eq!(lives(sequential), [(0, 0), (2, 2)]);
    assert_eq!(lives(freed_in_ifs), [(0, 1), (1, 2)]);
}

/// The program of H1: the operations are alloc a, if, free a, end, alloc b, read b, if, read a, end, free b.
#[test]
fn a_life_covers_the_last_use_on_the_path_that_does_not_free() {
    let [compat, sound, tight] = outcomes(used_where_not_freed);
    assert_eq!(compat.lives, [(0, 0), (2, 4)]);
    assert_eq!(sound.lives, [(0, 7), (4, 8)]);
    assert_eq!(tight.lives, [(7, 7), (5, 5)]);
}

/// The operations are alloc a, if, free a, alloc b, yield b, yield a, free.
#[test]
fn what_a_branch_replaces_may_share_the_bytes_of_what_it_frees() {
    let [compat, sound, tight] = outcomes(replaced_in_if);
    assert_eq!((compat.erasable, compat.pairs), (vec![0, 0], vec![]));
    assert_eq!((sound.lives, sound.pairs), (vec![(0, 5), (3, 5)], vec![(0, 1)]));
    assert_eq!((tight.lives, tight.pairs), (vec![(5, 5), (4, 4)], vec![]));
    assert_eq!((sound.erasable, tight.erasable), (vec![1, 1], vec![1, 1]));
}

/// MLIR's example of future work, where the branch still needs both: the new buffer is made before the old one is
/// freed. The operations are alloc a, if, alloc b, read b, free a, yield b, yield a, read, free.
#[test]
fn in_tight_mode_a_branch_that_does_not_use_the_old_buffer_shares_its_slot() {
    let [_, sound, tight] = outcomes(none_left);
    assert_eq!((sound.lives, sound.pairs), (vec![(0, 7), (2, 7)], vec![]));
    assert_eq!((tight.lives, tight.pairs), (vec![(6, 7), (3, 7)], vec![(0, 1)]));
    let mut code = Code::new();
    none_left(&mut code);
    let arena = |mode| plan(&code, mode, Planner::Size);
    assert_eq!(arena(Mode::Sound).1.arena_size, 2 * M);
    assert_eq!((arena(Mode::Tight).0, arena(Mode::Tight).1.arena_size), (vec![0, 0], M));
}

#[test]
fn no_dealloc_goes_that_may_free_what_is_not_planned() {
    for build in [shared_with_dynamic, freed_with_dynamic, freed_with_argument, freed_as_result, loop_frees_outer] {
        let [_, sound, tight] = outcomes(build);
        assert!(sound.erasable.iter().chain(&tight.erasable).all(|&gone| gone == 0));
    }
    // The pass lets them go: the other buffer leaks.
    for build in [freed_with_dynamic, freed_with_argument, freed_as_result] {
        assert_eq!(outcomes(build)[0].erasable, [1]);
    }
    assert_eq!(outcomes(shared_twice)[0].erasable, [1, 0]);
    assert_eq!(outcomes(shared_twice)[1].erasable, [1, 1]);
}

#[test]
fn floats_after_bytes_are_aligned_where_a_least_alignment_is_asked_for() {
    let mut code = Code::new();
    unaligned(&mut code);
    code.min_alignment = 16;
    let (offsets, sizes) = plan(&code, Mode::Sound, Planner::Sequential);
    assert_eq!((offsets, sizes.arena_size, sizes.arena_alignment), (vec![0, 16], 32, 16));
    // 24 is no multiple of 16; 48 is one of both.
    code.allocs[1].alignment = 24;
    assert_eq!(plan(&code, Mode::Sound, Planner::Sequential).0, [0, 48]);
}

#[test]
fn what_is_to_blame_is_told() {
    let blamed = |build: fn(&mut Code), mode| {
        let mut code = Code::new();
        build(&mut code);
        blames(&code, mode)
    };
    let none = usize::MAX;
    assert_eq!(blamed(sequential, Mode::Sound), [none, none]);
    // The dealloc for the pass; else the dynamic allocation.
    assert_eq!(blamed(shared_with_dynamic, Mode::Compat), [none, 8, 5]);
    assert_eq!(blamed(shared_with_dynamic, Mode::Sound), [5, 5, 5]);
    // The argument is value 0.
    assert_eq!(blamed(freed_with_argument, Mode::Sound), [0]);
    // The loop, and what the loop spoils.
    assert_eq!(blamed(loop_replaces, Mode::Sound), [3, 1]);
    assert_eq!(blamed(freed_in_next_block, Mode::Sound), [2]);
    // The erring allocation.
    assert_eq!(blamed(bad_one_first, Mode::Compat), [0, 0]);
    assert_eq!(blamed(nested_leak, Mode::Compat), [1]);
}

#[test]
fn a_component_is_what_shares_deallocs() {
    let components = |build: fn(&mut Code)| {
        let mut code = Code::new();
        build(&mut code);
        let mut words = Vec::new();
        let flow = code.flow(Mode::Sound, &mut words);
        flow.results().iter().map(|result| result.component).collect::<Vec<_>>()
    };
    assert_eq!(components(sequential), [0, 1]);
    assert_eq!(components(shared_twice), [0, 0, 0]);
    // What is never freed is a component of its own, and so is what is only used together.
    assert_eq!(components(bad_one_first), [0, 1]);
    let used_together = |code: &mut Code| {
        let (a, b) = (code.alloc(M), code.alloc(M));
        let s = code.select(&[a, b]);
        code.read(s);
        code.free(a);
        code.free(b);
    };
    assert_eq!(components(used_together), [0, 1]);
}

// ---- The programs ----

fn sequential(code: &mut Code) {
    let a = code.alloc(M);
    code.free(a);
    let b = code.alloc(H);
    code.free(b);
}

fn overlapping(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(H));
    code.free(a);
    code.free(b);
}

fn freed_early(code: &mut Code) {
    let (a, b) = (code.alloc(2048), code.alloc(1024));
    code.free(a);
    let c = code.alloc(512);
    code.free(b);
    code.free(c);
}

fn dynamic(code: &mut Code) {
    code.alloc(DYNAMIC);
}

fn three_pairs(code: &mut Code) {
    for size in [4096, 2048, 8192] {
        let a = code.alloc(size);
        code.free(a);
    }
}

fn three_alignments(code: &mut Code) {
    for (size, alignment) in [(1024, 128), (512, 64), (256, 128)] {
        let a = code.alloc_aligned(size, alignment);
        code.free(a);
    }
}

fn padded(code: &mut Code) {
    let (a, b) = (code.alloc_aligned(12, 4), code.alloc_aligned(12, 16));
    code.free(a);
    code.free(b);
}

fn self_select(code: &mut Code) {
    let a = code.alloc(M);
    let s = code.select(&[a, a]);
    code.free(s);
}

fn select_of_two(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(M));
    let s = code.select(&[a, b]);
    code.free(s);
}

fn two_selects(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(M));
    let (s, t) = (code.select(&[a, b]), code.select(&[b, a]));
    code.free(s);
    code.free(t);
}

fn freed_in_ifs(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(M));
    for x in [a, b] {
        code.when(|code| {
            code.free(x);
        });
    }
}

fn swapped_by_if(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(M));
    let [x, y] = code.branch(|_| [a, b], |_| [b, a]);
    code.free(x);
    code.free(y);
}

fn within_if(code: &mut Code) {
    code.when(|code| {
        let a = code.alloc(M);
        code.free(a);
    });
}

fn replaced_in_if(code: &mut Code) {
    let a = code.alloc(M);
    let replace = |code: &mut Code| {
        code.free(a);
        [code.alloc(M)]
    };
    let [x] = code.branch(replace, |_| [a]);
    code.free(x);
}

fn within_loop(code: &mut Code) {
    code.each(|code| {
        let a = code.alloc(M);
        code.read(a);
        code.free(a);
    });
}

fn loop_replaces(code: &mut Code) {
    let a = code.alloc(M);
    let [x] = code.repeat(OP_LOOP, [a], |code, [x]| {
        code.free(x);
        [code.alloc(M)]
    });
    code.free(x);
}

fn loop_leaks(code: &mut Code) {
    let a = code.alloc(M);
    let [x] = code.repeat(OP_LOOP, [a], |code, [_]| [code.alloc(M)]);
    code.free(x);
}

fn loop_frees_outer(code: &mut Code) {
    let a = code.alloc(M);
    let [x] = code.repeat(OP_LOOP, [a], |code, [_]| {
        code.free(a);
        [code.alloc(M)]
    });
    code.free(x);
}

fn static_and_dynamic(code: &mut Code) {
    let a = code.alloc(M);
    code.alloc(DYNAMIC);
    code.free(a);
}

fn freed_in_both(code: &mut Code) {
    let a = code.alloc(M);
    let free = |code: &mut Code| {
        code.free(a);
        []
    };
    code.branch(free, free);
}

fn freed_deep(code: &mut Code) {
    let a = code.alloc(M);
    code.when(|code| {
        code.when(|code| {
            code.when(|code| {
                code.free(a);
            });
        });
    });
}

fn chain_of_ifs(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(M));
    let [x] = code.branch(|_| [a], |_| [b]);
    let [y] = code.branch(|_| [x], |_| [a]);
    code.free(y);
}

fn select_into_if(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(M));
    let s = code.select(&[a, b]);
    let [x] = code.branch(|_| [s], |_| [a]);
    code.free(x);
}

fn freed_in_if_and_beside(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(H));
    code.when(|code| {
        code.free(a);
    });
    code.free(b);
}

fn freed_in_else(code: &mut Code) {
    let a = code.alloc(M);
    code.when(|code| {
        let free = |code: &mut Code| {
            code.free(a);
            []
        };
        code.branch(|_| [], free);
    });
}

fn loop_reads(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(M));
    code.each(|code| {
        code.read(a);
        code.read(b);
    });
    code.free(a);
    code.free(b);
}

fn never_freed(code: &mut Code) {
    code.alloc(M);
}

fn freed_in_next_block(code: &mut Code) {
    let a = code.alloc(M);
    code.op();
    code.next_block();
    code.free(a);
}

fn bad_one_first(code: &mut Code) {
    code.alloc(M);
    let b = code.alloc(M);
    code.free(b);
}

fn freed_in_successor(code: &mut Code) {
    let a = code.alloc(M);
    code.op();
    code.next_block();
    code.free(a);
    code.next_block();
    code.op();
}

fn ping_pong(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(M));
    let [x, y] = code.repeat(OP_LOOP, [a, b], |code, [x, y]| {
        code.read(x);
        [y, x]
    });
    code.free(x);
    code.free(y);
}

fn freed_through_cast(code: &mut Code) {
    let a = code.alloc(M);
    let view = code.select(&[a]);
    code.free(view);
}

fn freed_in_blocks(code: &mut Code) {
    let a = code.alloc(M);
    let op = code.op();
    code.region(op, 0, |code| {
        code.op();
        code.next_block();
        code.free(a);
    });
}

fn nested_leak(code: &mut Code) {
    code.when(|code| {
        code.alloc(M);
    });
}

fn freed_behind_block_argument(code: &mut Code) {
    let a = code.alloc(M);
    let branch = code.op();
    let argument = code.argument();
    code.used(branch, a);
    code.alias(a, argument);
    code.next_block();
    code.free(argument);
}

fn in_second_block(code: &mut Code) {
    code.op();
    code.next_block();
    let a = code.alloc(M);
    code.free(a);
}

/// The region before the condition passes what it was given on to the one after it, and to the result.
fn freed_through_while(code: &mut Code) {
    let a = code.alloc(M);
    let op = code.op_with(OP_LOOP);
    let [before, after, result] = [(); 3].map(|()| code.value_of(op));
    code.used(op, a);
    code.alias(a, before);
    code.region(op, 0, |code| code.yields(&[before, before], &[after, result], None));
    code.region(op, 1, |code| code.yields(&[after], &[before], None));
    code.free(result);
}

fn freed_through_unknown(code: &mut Code) {
    let a = code.alloc(M);
    let unknown = code.read(a);
    let result = code.value_of(unknown);
    code.free(result);
}

fn no_bytes(code: &mut Code) {
    let (a, b) = (code.alloc(0), code.alloc(4));
    code.free(a);
    code.free(b);
}

fn excluded(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(M));
    code.free(a);
    code.free(b);
    code.allocs[0].flags = ALLOC_EXCLUDED;
}

fn used_where_not_freed(code: &mut Code) {
    let a = code.alloc(M);
    code.when(|code| {
        code.free(a);
    });
    let b = code.alloc(M);
    code.read(b);
    code.when(|code| {
        code.read(a);
    });
    code.free(b);
}

fn shared_twice(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(M));
    let s = code.select(&[a, b]);
    code.free(s);
    let [x] = code.branch(|code| [code.alloc(M)], |_| [b]);
    code.free(x);
}

fn shared_with_dynamic(code: &mut Code) {
    shared_twice(code);
    code.allocs[2].size = DYNAMIC;
}

fn freed_with_dynamic(code: &mut Code) {
    let (a, b) = (code.alloc(M), code.alloc(DYNAMIC));
    let view = code.select(&[a]);
    let s = code.select(&[view, b]);
    code.free(s);
}

fn freed_with_argument(code: &mut Code) {
    let argument = code.argument();
    let a = code.alloc(M);
    let s = code.select(&[a, argument]);
    code.free(s);
}

fn freed_as_result(code: &mut Code) {
    let a = code.alloc(M);
    let result = code.select(&[a]);
    code.foreign.push(result);
    code.free(result);
}

fn unaligned(code: &mut Code) {
    let (a, b) = (code.alloc(3), code.alloc(16));
    code.free(a);
    code.free(b);
}

/// The result is the buffer itself, or another one that took its place.
fn freed_after_realloc(code: &mut Code) {
    freed_as_result(code);
}

fn none_left(code: &mut Code) {
    let a = code.alloc(M);
    let replace = |code: &mut Code| {
        let b = code.alloc(M);
        code.read(b);
        code.free(a);
        [b]
    };
    let [x] = code.branch(replace, |_| [a]);
    code.read(x);
    code.free(x);
}
