//! The structs of the C ABI lie in Rust as they lie in C: include/aether.abi, which scripts/abi makes with a C compiler.

use aether::arena::{Gap, Pair, Plan, Range, Space, SpaceReport, Tensor};
use aether::capi::{
    ErrorRecord, OutcomeRecord, ProblemRecord, ProgramRecord, SearchRecord, SpacesOutcomeRecord, SpacesRecord,
};
use aether::dag::Edge;
use aether::flow::{Alias, Alloc, AllocResult, Dealloc, Op, Use};
use aether::islands::Incidence;
use std::mem::offset_of;

const RECORD: &str = include_str!("../include/aether.abi");

/// The lines of a struct, as scripts/abi writes them.
macro_rules! layout {
    ($name:literal, $type:ty, $($member:ident)+) => {{
        let mut lines = vec![format!("{} {} {} bytes", usize::BITS, $name, size_of::<$type>())];
        $(lines.push(format!(
            "{} {}.{} at {}, {} bytes",
            usize::BITS,
            $name,
            stringify!($member),
            offset_of!($type, $member),
            size_of_member(|value: &$type| &value.$member),
        ));)+
        lines
    }};
}

fn size_of_member<S, M>(_: fn(&S) -> &M) -> usize {
    size_of::<M>()
}

#[test]
fn every_struct_lies_in_rust_as_it_lies_in_c() {
    let lines = [
        layout!("aether_error", ErrorRecord, status reserved index other got limit),
        layout!("aether_tensor", Tensor, size alignment first_use last_use),
        layout!("aether_plan", Plan, arena_size arena_alignment lower_bound peak_live_bytes),
        layout!("aether_gap", Gap, tensor first last window_begin window_end),
        layout!("aether_pair", Pair, a b),
        layout!("aether_range", Range, begin end),
        layout!("aether_problem", ProblemRecord, struct_size tensors tensor_count fixed_offsets hint_offsets gaps gap_count
            compatible compatible_count apart apart_count reserved reserved_count capacity),
        layout!("aether_outcome", OutcomeRecord, plan verdict planner),
        layout!("aether_search", SearchRecord, plan nodes verdict stopped_by planner reserved),
        layout!("aether_space", Space, capacity base_alignment cost),
        layout!("aether_space_report", SpaceReport, plan free_bytes tightest_node longest_range),
        layout!("aether_spaces", SpacesRecord, struct_size tensors tensor_count spaces space_count allowed pinned_spaces
            fixed_offsets weights),
        layout!("aether_spaces_outcome", SpacesOutcomeRecord, cost cost_bound work left_out largest_left_out verdict
            reserved),
        layout!("aether_op", Op, parent region block flags),
        layout!("aether_alloc", Alloc, size alignment op value space flags),
        layout!("aether_dealloc", Dealloc, op value),
        layout!("aether_use", Use, op value flags),
        layout!("aether_alias", Alias, from to guard_op guard_region),
        layout!("aether_program", ProgramRecord, struct_size ops op_count value_ops value_count allocs alloc_count
            deallocs dealloc_count uses use_count aliases alias_count foreign foreign_count min_alignment plan_block
            space),
        layout!("aether_alloc_result", AllocResult, decision component blame),
        layout!("aether_edge", Edge, from to),
        layout!("aether_incidence", Incidence, a b),
    ];
    let mut found: Vec<String> = lines.into_iter().flatten().collect();
    let is_ours = |line: &&str| line.starts_with(&format!("{} ", usize::BITS));
    let mut recorded: Vec<&str> = RECORD.lines().filter(is_ours).collect();
    found.sort();
    recorded.sort();
    assert_eq!(found, recorded);
}
