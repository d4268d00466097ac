//! What is attacked: one function of bytes a target. It panics where a promise of the header is broken.
//!
//! Two drivers share the targets: libFuzzer (`fuzz_targets/any.rs`), and seeded bytes on a stable compiler (`main.rs`).
//! `calls` holds each call of the C ABI to its contract on hostile buffers, `differential` compares fast ways with slow
//! ones, `readers` reads texts. A new target is a function there and a line in [`TARGETS`].

mod bytes;
mod calls;
mod differential;
mod readers;
mod stage;

// The readers of the command, which is a program and no library.
#[allow(dead_code)]
#[path = "../../cli/src/dot.rs"]
mod dot;
#[allow(dead_code)]
#[path = "../../cli/src/dot_tokens.rs"]
mod dot_tokens;
#[allow(dead_code)]
#[path = "../../cli/src/edge_list.rs"]
mod edge_list;
#[allow(dead_code)]
#[path = "../../cli/src/failure.rs"]
mod failure;
#[allow(dead_code)]
#[path = "../../cli/src/gaps.rs"]
mod gaps;
#[allow(dead_code)]
#[path = "../../cli/src/graph.rs"]
mod graph;
#[allow(dead_code)]
#[path = "../../cli/src/graph_text.rs"]
mod graph_text;
#[allow(dead_code)]
#[path = "../../cli/src/input.rs"]
mod input;
#[allow(dead_code)]
#[path = "../../cli/src/interrupt.rs"]
mod interrupt;
#[allow(dead_code)]
#[path = "../../cli/src/output.rs"]
mod output;
#[allow(dead_code)]
#[path = "../../cli/src/problem.rs"]
mod problem;
#[allow(dead_code)]
#[path = "../../cli/src/table.rs"]
mod table;

#[allow(dead_code)]
#[path = "../../benches/reference/dense_closure.rs"]
mod dense_closure;
#[path = "../../tests/common/problems.rs"]
mod problems;
#[allow(dead_code)]
#[path = "../../benches/reference/xnnpack.rs"]
mod xnnpack;

pub struct Target {
    pub room: &'static str,
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// Of which seeded texts are made; none for a target that takes numbers.
    pub words: &'static [&'static str],
}

macro_rules! targets {
    ($($room:ident: $($name:ident $words:expr),+;)+) => {
        pub const TARGETS: &[Target] =
            &[$($(Target { room: stringify!($room), name: stringify!($name), run: $room::$name, words: $words }),+),+];
    };
}

targets! {
    calls:
        plan_offsets &[],
        check_offsets &[],
        peak_live_bytes &[],
        plan_portfolio &[],
        check_problem &[],
        lower_bound &[],
        plan_search &[],
        transitive_reduction &[],
        transitive_reduction_ranked &[],
        topological_ranks &[],
        reachability &[],
        islands &[],
        texts &[],
        absurd_counts &[],
        scratch_sizes &[];
    differential:
        planner_is_xnnpacks &[],
        planners_agree_with_paint &[],
        search_is_no_worse &[],
        stages_agree &[],
        islands_are_traversals &[];
    readers:
        csv readers::CSV,
        dot readers::DOT,
        edge_list readers::EDGES,
        packed &[];
}
