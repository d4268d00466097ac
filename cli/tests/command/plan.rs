//! `aether plan`: offsets, the summary, the written plan.

use crate::folder::{ABC, ABC_PLAN, Folder, arena, offsets, offsets_with};

// Offsets

#[test]
fn a_tensor_goes_below_the_lowest_one_alive_with_it_where_it_fits() {
    assert_eq!(offsets(ABC), [0, 100, 0]);
    assert_eq!(arena(ABC), 180);
}

#[test]
fn a_large_block_is_split_among_later_tensors() {
    let problem = "id,lower,upper,size\nA,0,1,100\nB,1,2,60\nC,1,2,40\n";
    assert_eq!(offsets(problem), [0, 0, 60]);
    assert_eq!(arena(problem), 100);
}

#[test]
fn an_aligned_tensor_begins_at_the_next_multiple() {
    let problem = "id,lower,upper,size,alignment\nA,0,2,100,16\nB,1,3,100,16\nC,2,4,100,16\n";
    assert_eq!(offsets(problem), [0, 112, 0]);
    assert_eq!(arena(problem), 212);
}

#[test]
fn the_base_of_the_arena_must_be_aligned_for_every_tensor() {
    let folder = Folder::with("id,lower,upper,size,alignment\nA,0,2,1,64\nB,0,2,1,1\n");
    let run = folder.run(&["plan", "x.csv"]).ok();
    assert!(run.out.contains("required base alignment  64 bytes\n"), "{}", run.out);
    assert_eq!(folder.run(&["plan", "x.csv", "--json"]).json()["arena_alignment"], 64);
}

#[test]
fn tensors_of_size_0_are_at_0_and_count_for_nothing() {
    let problem = "id,lower,upper,size,alignment\nA,0,5,0,1\nB,0,5,16,1\nC,0,5,0,64\n";
    assert_eq!(offsets(problem), [0, 0, 0]);
    let json = Folder::with(problem).run(&["plan", "x.csv", "--json"]).ok().json();
    assert_eq!((&json["arena_size"], &json["arena_alignment"]), (&16.into(), &1.into()));
    assert_eq!(json["tensors"], 3);
}

#[test]
fn only_tensors_of_size_0_are_an_arena_of_0() {
    let json = Folder::with("id,lower,upper,size\nA,0,5,0\n").run(&["plan", "x.csv", "--json"]).ok().json();
    assert_eq!((&json["arena_size"], &json["lower_bound"], &json["gap_percent"]), (&0.into(), &0.into(), &0.0.into()));
    assert_eq!((&json["peak_node"], &json["optimal"]), (&serde_json::Value::Null, &true.into()));
}

#[test]
fn a_scratch_tensor_of_one_node_counts_at_the_peak() {
    assert_eq!(arena("id,lower,upper,size\nT,0,3,100\nS,1,2,40\n"), 140);
}

#[test]
fn tensors_that_never_meet_share_bytes_whatever_the_order_of_their_sizes() {
    assert_eq!(offsets("id,lower,upper,size\nA,5,6,100\nB,0,1,50\n"), [0, 0]);
    assert_eq!(offsets("id,lower,upper,size,alignment\nin,0,1,600,16\nout,5,6,5,16\n"), [0, 0]);
}

#[test]
fn the_same_numbers_mean_more_room_where_the_end_is_inclusive() {
    let rows = "a,6,7,4096\nb,7,10,4096\nk,7,10,1024\n";
    assert_eq!(arena(format!("id,lower,end,size\n{rows}")), 9216);
    assert_eq!(arena(format!("id,lower,upper,size\n{rows}")), 5120);
}

#[test]
fn the_example_of_minimalloc_needs_12() {
    assert_eq!(arena("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n"), 12);
}

#[test]
fn the_order_of_the_sizes_holds_also_where_no_byte_is_shared() {
    let problem = "id,lower,upper,size\nA,0,1,16\nB,0,1,48\nC,0,1,32\n";
    assert_eq!(offsets_with(problem, &["--algorithm", "size"]), [80, 0, 48]);
}

#[test]
fn the_order_of_rows_of_distinct_sizes_does_not_matter() {
    let rows = ["A,0,2,100\n", "B,1,3,80\n", "C,2,4,60\n"];
    for [a, b, c] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let problem = format!("id,lower,upper,size\n{}{}{}", rows[a], rows[b], rows[c]);
        assert_eq!(offsets(problem), [a, b, c].map(|row| [0, 100, 0][row]));
    }
}

#[test]
fn times_may_be_negative() {
    let problem = "id,lower,upper,size\nA,-7,-5,100\nB,-6,-4,80\nC,-5,-3,60\n";
    assert_eq!(offsets(problem), [0, 100, 0]);
    assert_eq!(Folder::with(problem).run(&["plan", "x.csv", "--json"]).json()["peak_node"], -6);
}

#[test]
fn times_may_span_all_64_bits() {
    let problem = "id,lower,end,size\n\
        A,-9223372036854775808,9223372036854775807,8\n\
        B,9223372036854775807,9223372036854775807,8\n\
        C,-9223372036854775808,-9223372036854775808,4\n";
    assert_eq!(offsets(problem), [0, 8, 8]);
    let json = Folder::with(problem).run(&["plan", "x.csv", "--json"]).json();
    assert_eq!((&json["arena_size"], &json["peak_node"]), (&16.into(), &i64::MAX.into()));
}

#[test]
fn the_arena_may_be_larger_than_4_gib() {
    assert_eq!(arena("id,lower,upper,size,alignment\nA,0,2,4294967296,8\n"), 1 << 32);
}

#[test]
fn the_arena_may_have_as_many_bytes_as_can_be_counted() {
    assert_eq!(arena("id,lower,upper,size\nA,0,2,18446744073709551615\n"), u64::MAX);
}

#[test]
fn the_sum_of_all_sizes_may_be_above_what_can_be_counted() {
    assert_eq!(arena("id,lower,upper,size\nA,0,1,18446744073709551615\nB,1,2,18446744073709551615\n"), u64::MAX);
}

#[test]
fn an_arena_end_of_2_to_the_64_is_refused_and_names_both_tensors() {
    let folder = Folder::with("id,lower,upper,size\nA,0,2,9223372036854775808\nB,0,2,9223372036854775808\n");
    folder.run(&["plan", "x.csv"]).refused(&[
        "x.csv:3: B: its end in the arena is above 18446744073709551615: it has 9223372036854775808 bytes",
        "above its offset, which is on A (line 2)",
    ]);
    assert_eq!(arena("id,lower,upper,size\nA,0,2,9223372036854775808\n"), 1 << 63);
}

#[test]
fn an_arena_end_that_cannot_be_counted_is_refused_also_where_gaps_delay_it() {
    let rows = "A,0,9,9223372036854775808,2-5\nB,3,9,9223372036854775808,\n";
    let folder = Folder::with(format!("id,lower,upper,size,gaps\n{rows}"));
    folder.run(&["plan", "x.csv"]).refused(&["x.csv:3: B: its end in the arena", "which is on A (line 2)"]);
}

#[test]
fn padding_that_would_wrap_is_refused_and_names_both_tensors() {
    let folder = Folder::with("id,lower,upper,size,alignment\nA,0,2,18446744073709551615,32\nB,0,2,64,1\n");
    folder.run(&["plan", "x.csv"]).refused(&["x.csv:3: B: ", "above its offset, which is on A (line 2)"]);
    // A ends at 2^63 + 1, so B would begin at 2^63 + 32, and end at 2^64.
    let rows = "A,0,2,9223372036854775809,1\nB,0,2,9223372036854775776,32\n";
    let folder = Folder::with(format!("id,lower,upper,size,alignment\n{rows}"));
    folder.run(&["plan", "x.csv", "--algorithm", "size"]).refused(&[
        "x.csv:3: B: its end in the arena is above 18446744073709551615",
        "above its offset, which is on A (line 2)",
    ]);
}

#[test]
fn a_planner_whose_padding_would_wrap_does_not_keep_the_others_from_a_plan() {
    // B below A.
    let rows = "A,1,2,9223372036854775809,1\nB,0,2,9223372036854775776,32\n";
    let problem = format!("id,lower,upper,size,alignment\n{rows}");
    assert_eq!(offsets(problem), [9223372036854775776, 0]);
}

#[test]
fn alignments_without_a_common_multiple_are_refused_and_name_the_row() {
    let content = "id,lower,upper,size,alignment\nA,0,2,8,9223372036854775808\nB,0,2,8,3\n";
    Folder::with(content).run(&["plan", "x.csv"]).refused(&["x.csv:3: B: the least common multiple", "alignment 3"]);
}

// --alignment

#[test]
fn an_alignment_can_be_asked_for_in_every_row() {
    assert_eq!(offsets_with(ABC, &["--alignment", "64"]), [0, 128, 0]);
    let json = Folder::with(ABC).run(&["plan", "x.csv", "--json", "--alignment", "64"]).ok().json();
    assert_eq!((&json["arena_size"], &json["arena_alignment"]), (&208.into(), &64.into()));
}

#[test]
fn an_alignment_that_a_row_has_already_changes_nothing() {
    let problem = "id,lower,upper,size,alignment\nA,0,2,10,64\nB,0,2,10,64\n";
    assert_eq!(offsets_with(problem, &["--alignment", "16"]), [0, 64]);
}

#[test]
fn the_alignment_of_a_row_and_the_one_asked_for_both_hold() {
    // The larger of 48 and 32 is no multiple of the other; 96 is one of both.
    let problem = "id,lower,upper,size,alignment\nA,0,2,10,48\nB,0,2,10,48\n";
    assert_eq!(offsets_with(problem, &["--alignment", "32"]), [0, 96]);
}

#[test]
fn an_alignment_without_a_common_multiple_with_that_of_a_row_is_refused() {
    let folder = Folder::with("id,lower,upper,size,alignment\nA,0,2,8,9223372036854775808\n");
    folder.run(&["plan", "x.csv", "--alignment", "3"]).refused(&[
        "x.csv:2: column alignment: value \"9223372036854775808\"",
        "expected one whose least common multiple with 3 is at most 18446744073709551615",
    ]);
    folder.run(&["plan", "x.csv", "--alignment", "4"]).ok();
}

#[test]
fn an_alignment_that_is_no_positive_number_is_a_usage_error() {
    for alignment in ["0", "-1", "x", "", "18446744073709551616"] {
        let expected = "for '--alignment <BYTES>': expected a whole number from 1 to 18446744073709551615";
        Folder::with(ABC).run(&["plan", "x.csv", "--alignment", alignment]).refused(&[alignment, expected]);
    }
}

// --algorithm

#[test]
fn each_planner_has_a_name() {
    let names =
        "size,first-use,sequential,spatial,temporal,conflicts,first-fit,area,colouring,pressure,portfolio,search";
    for name in names.split(',') {
        let json = Folder::with(ABC).run(&["plan", "x.csv", "--json", "--algorithm", name]).ok().json();
        assert_eq!(json["algorithm"], name);
    }
}

#[test]
fn an_unknown_planner_is_a_usage_error_that_lists_the_known_ones() {
    Folder::with(ABC)
        .run(&["plan", "x.csv", "--algorithm", "magic"])
        .refused(&["magic", "search, portfolio, size, first-use"]);
}

// Pinned offsets

#[test]
fn an_offset_column_without_offsets_pins_nothing() {
    assert_eq!(offsets("id,offset,lower,upper,size\nA,,0,2,100\nB,-1,1,3,80\nC, ,2,4,60\n"), [0, 100, 0]);
}

#[test]
fn a_pin_is_a_whole_number_that_leaves_room_for_a_byte() {
    for value in ["-2", "x", "1e3", "0x10", "7.0", "18446744073709551615", "18446744073709551616"] {
        let folder = Folder::with(format!("id,lower,upper,size,offset\nA,0,2,100,\nB,1,3,80,{value}\n"));
        folder.run(&["plan", "x.csv"]).refused(&[
            &format!("x.csv:3: column offset: value \"{value}\": expected a fixed offset in bytes, a whole number"),
            "below 18446744073709551615, or nothing or -1: planned",
        ]);
    }
}

#[test]
fn ignore_offsets_plans_the_file_anew() {
    let folder = Folder::with("id,lower,upper,size,offset\nA,0,2,100,7\nB,1,3,80,low\nC,2,4,60,\n");
    folder.run(&["plan", "x.csv", "--ignore-offsets", "-o", "plan.csv"]).ok();
    assert_eq!(folder.read("plan.csv"), ABC_PLAN);
}

#[test]
fn planning_a_plan_anew_gives_the_same_bytes() {
    let folder = Folder::with(ABC);
    folder.run(&["plan", "x.csv", "-o", "first.csv"]).ok();
    folder.run(&["plan", "first.csv", "--ignore-offsets", "-o", "second.csv"]).ok();
    assert_eq!(folder.read("first.csv"), folder.read("second.csv"));
}

// The written plan

#[test]
fn the_plan_repeats_the_rows_with_the_offset_last() {
    let folder = Folder::with(ABC);
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    assert_eq!(folder.read("plan.csv"), ABC_PLAN);
}

#[test]
fn the_plan_keeps_columns_and_values_as_they_were() {
    let folder = Folder::with("note,offset,hint,end,start,size,buffer\nmine,-1,-1,+1,00,8,\"a,1\"\n,,,1,0,4,b b\n");
    let note = "note: x.csv: column \"note\" is not known; it is only carried through\n";
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).noted(note);
    assert_eq!(
        folder.read("plan.csv"),
        "note,hint,end,start,size,buffer,offset\nmine,-1,+1,00,8,\"a,1\",0\n,,1,0,4,b b,8\n"
    );
    folder.run(&["check", "plan.csv"]).noted(&note.replace("x.csv", "plan.csv"));
}

#[test]
fn ids_are_quoted_only_where_needed() {
    let folder = Folder::with("id,lower,upper,size\n\"plain\",0,2,8\n");
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    assert_eq!(folder.read("plan.csv"), "id,lower,upper,size,offset\nplain,0,2,8,0\n");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let folder = Folder::with(ABC);
    for name in ["1.csv", "2.csv"] {
        folder.run(&["plan", "x.csv", "-o", name]).ok();
    }
    assert_eq!(folder.read("1.csv"), folder.read("2.csv"));
}

#[test]
fn the_plan_may_replace_its_problem() {
    let folder = Folder::with(ABC);
    folder.run(&["plan", "x.csv", "-o", "x.csv"]).ok();
    assert_eq!(folder.read("x.csv"), ABC_PLAN);
    assert_eq!(folder.names(), ["x.csv"]);
}

#[test]
fn without_an_output_no_plan_is_written() {
    let folder = Folder::with(ABC);
    folder.run(&["plan", "x.csv"]).ok();
    assert_eq!(folder.names(), ["x.csv"]);
}

// The summary

#[test]
fn the_summary_tells_the_numbers_of_the_plan() {
    let folder = Folder::with(ABC);
    let run = folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    assert_eq!(
        run.out,
        "planner                  size\n\
         search                   not needed\n\
         tensors                  3\n\
         arena                    180 bytes, optimal\n\
         lower bound              180 bytes\n\
         over the bound           0.00 %\n\
         peak live bytes          180 bytes at node 1\n\
         required base alignment  1 byte\n\
         plan written to          plan.csv\n"
    );
}

pub const WITH_A_GAP: &str = "id,lower,upper,size\nA,0,3,4\nB,2,5,4\nC,4,7,4\nD,6,9,4\nE,8,9,5\nF,0,1,5\n";

#[test]
fn a_plan_above_the_bound_is_not_called_optimal() {
    // E and F, the largest, never meet: both at 0. A meets F: at 5. B meets A alone: below it, at 0. C meets B: at 4.
    // D meets C in [4,8) and E in [0,5): at 8, so the arena is 12. Never more than 9 are alive: A and F, or D and E.
    assert_eq!(offsets_with(WITH_A_GAP, &["--algorithm", "size"]), [5, 0, 4, 8, 0, 0]);
    let folder = Folder::with(WITH_A_GAP);
    let run = folder.run(&["plan", "x.csv", "--algorithm", "size"]).ok();
    assert!(run.out.contains("arena                    12 bytes\n"), "{}", run.out);
    assert!(run.out.contains("over the bound           33.33 %\n"), "{}", run.out);
    let json = folder.run(&["plan", "x.csv", "--json", "--algorithm", "size"]).json();
    assert_eq!((&json["arena_size"], &json["lower_bound"], &json["optimal"]), (&12.into(), &9.into(), &false.into()));
    assert!((json["gap_percent"].as_f64().unwrap() - 100.0 / 3.0).abs() < 1e-9);
}

#[test]
fn large_sizes_are_told_in_a_larger_unit_too() {
    let run = Folder::with("id,lower,upper,size\nA,0,2,3145728\n").run(&["plan", "x.csv"]).ok();
    assert!(run.out.contains("3145728 bytes (3.0 MiB)"), "{}", run.out);
    let run = Folder::with("id,lower,upper,size\nA,0,2,20480\n").run(&["plan", "x.csv"]).ok();
    assert!(run.out.contains("20480 bytes (20.0 KiB)"), "{}", run.out);
    let run = Folder::with("id,lower,upper,size\nA,0,2,10239\n").run(&["plan", "x.csv"]).ok();
    assert!(run.out.contains("10239 bytes, optimal\n"), "{}", run.out);
    let run = Folder::with("id,lower,upper,size\nA,0,2,5368709120\n").run(&["plan", "x.csv"]).ok();
    assert!(run.out.contains("5368709120 bytes (5.0 GiB)"), "{}", run.out);
}

#[test]
fn json_is_one_object_with_the_numbers_of_the_plan() {
    let run = Folder::with(ABC).run(&["plan", "x.csv", "--json"]).ok();
    assert_eq!(run.out.lines().count(), 1);
    let mut json = run.json();
    let seconds = json.as_object_mut().unwrap().remove("seconds").unwrap();
    assert!(seconds.as_f64().unwrap() >= 0.0);
    assert_eq!(
        json,
        serde_json::json!({
            "tensors": 3,
            "arena_size": 180,
            "arena_alignment": 1,
            "lower_bound": 180,
            "gap_percent": 0.0,
            "peak_live_bytes": 180,
            "peak_node": 1,
            "optimal": true,
            "algorithm": "search",
            "planner": "size",
            "nodes": 0,
            "seed": 0,
            "stopped_by": "optimal",
        })
    );
}

#[test]
fn alignment_can_raise_the_bound_above_the_peak() {
    // Both at a multiple of 16: the lower of the two reaches up to 16, so 26 bytes, though 20 are alive.
    let content = "id,lower,upper,size,alignment\nA,0,1,10,16\nB,0,1,10,16\n";
    let json = Folder::with(content).run(&["plan", "x.csv", "--json"]).ok().json();
    assert_eq!((&json["lower_bound"], &json["peak_live_bytes"]), (&26.into(), &20.into()));
    assert_eq!((&json["arena_size"], &json["optimal"]), (&26.into(), &true.into()));
}
