//! Pins, gaps, hints and planners that differ: what the whole problem model means through the command.

use serde_json::json;

use crate::folder::{ABC, ABC_PLAN, ALL_PINNED, Folder, arena, offsets, offsets_with};

// Pins

#[test]
fn a_pinned_row_stays_and_the_others_go_around_it() {
    assert_eq!(offsets("id,lower,upper,size,offset\nA,0,2,32,0\nB,0,2,32,-1\n"), [0, 32]);
    assert_eq!(offsets("id,lower,upper,size,offset\nA,0,2,32,\nB,0,2,32,0\n"), [32, 0]);
    assert_eq!(offsets("id,lower,upper,size,offset\nA,0,2,100,50\nB,1,3,40,\n"), [50, 0]);
}

#[test]
fn a_plan_that_is_planned_again_keeps_all_its_offsets() {
    let plan = "id,lower,upper,size,offset\nA,0,2,100,0\nB,1,3,80,140\nC,2,4,60,0\n";
    let folder = Folder::with(plan);
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).noted(ALL_PINNED);
    assert_eq!(folder.read("plan.csv"), plan);
}

#[test]
fn a_pin_counts_for_the_arena_and_its_bound() {
    // B lies below A.
    let folder = Folder::with("id,lower,upper,size,offset\nA,0,2,32,96\nB,0,2,32,\n");
    let json = folder.run(&["plan", "x.csv", "--json"]).ok().json();
    assert_eq!((&json["arena_size"], &json["lower_bound"]), (&128.into(), &128.into()));
}

#[test]
fn where_every_row_has_an_offset_no_planner_is_named_and_a_note_says_why() {
    let folder = Folder::with(ABC_PLAN);
    for algorithm in ["portfolio", "sequential"] {
        let run = folder.run(&["plan", "x.csv", "--algorithm", algorithm]).noted(ALL_PINNED);
        assert!(run.out.starts_with("planner                  none: every offset is given\n"), "{}", run.out);
        let json = folder.run(&["plan", "x.csv", "--algorithm", algorithm, "--json"]).noted(ALL_PINNED).json();
        assert_eq!((&json["algorithm"], &json["planner"]), (&algorithm.into(), &serde_json::Value::Null));
    }
    let json = folder.run(&["plan", "x.csv", "--ignore-offsets", "--json"]).ok().json();
    assert_eq!(json["planner"], "size");
}

#[test]
fn a_row_without_bytes_needs_no_offset_for_all_to_be_given() {
    let folder = Folder::with("id,lower,upper,size,offset\nA,0,2,32,0\nZ,0,2,0,\n");
    folder.run(&["plan", "x.csv"]).noted(ALL_PINNED);
}

#[test]
fn where_no_row_has_bytes_or_one_has_no_offset_there_is_no_note() {
    for rows in ["", "Z,0,2,0,0\n", "A,0,2,32,0\nB,0,2,32,\n"] {
        let folder = Folder::with(format!("id,lower,upper,size,offset\n{rows}"));
        let run = folder.run(&["plan", "x.csv"]).ok();
        assert!(run.out.starts_with("planner                  size\n"), "{}", run.out);
    }
}

#[test]
fn the_note_leaves_a_plan_on_standard_output_as_it_is() {
    let run = Folder::with(ABC_PLAN).run(&["plan", "x.csv", "-o", "-"]).fails(0, &[ALL_PINNED]);
    assert_eq!(run.out, ABC_PLAN);
}

#[test]
fn every_planner_honours_a_pin() {
    for name in ["first-use", "sequential", "spatial", "temporal", "conflicts", "first-fit", "area", "colouring"] {
        let problem = "id,lower,upper,size,offset\nA,0,2,100,\nB,1,3,80,7\nC,2,4,60,\n";
        assert_eq!(offsets_with(problem, &["--algorithm", name])[1], 7, "{name}");
    }
}

#[test]
fn two_pins_that_share_bytes_are_both_named_with_lines_and_bytes() {
    let folder = Folder::with("id,lower,upper,size,offset\nleft,0,2,32,0\nright,0,2,32,16\n");
    let message = "x.csv:2: left: its fixed bytes 16..32 are fixed bytes of right (line 3) too\n";
    folder.run(&["plan", "x.csv"]).refused(&[message]);
}

#[test]
fn pins_that_share_bytes_at_different_times_are_fine() {
    assert_eq!(offsets("id,lower,upper,size,offset\nA,0,2,32,0\nB,2,4,32,16\nC,4,5,8,\n"), [0, 16, 0]);
}

#[test]
fn a_misaligned_pin_is_refused_with_its_line() {
    let folder = Folder::with("id,lower,upper,size,alignment,offset\nA,0,2,32,16,8\n");
    let message = "x.csv:2: A: its fixed offset 8 is not a multiple of its alignment 16\n";
    folder.run(&["plan", "x.csv"]).refused(&[message]);
    let folder = Folder::with("id,lower,upper,size,offset\nA,0,2,32,8\n");
    folder.run(&["plan", "x.csv", "--alignment", "16"]).refused(&[message]);
}

#[test]
fn a_pin_beyond_the_capacity_is_refused_with_its_line_and_end() {
    let folder = Folder::with("id,lower,upper,size,offset\nA,0,2,32,96\n");
    folder
        .run(&["plan", "x.csv", "--capacity", "100"])
        .refused(&["x.csv:2: A: it ends at byte 128 by its fixed offset, above the capacity 100\n"]);
    folder.run(&["plan", "x.csv", "--capacity", "128"]).noted(ALL_PINNED);
}

// Gaps

#[test]
fn a_row_without_bytes_in_a_gap_lends_them_to_others() {
    assert_eq!(offsets("id,lower,upper,size,gaps\nA,0,10,100,3-6\nB,3,6,80,\n"), [0, 0]);
    assert_eq!(offsets("id,lower,end,size,gaps\nA,0,9,100,3-5\nB,3,5,80,\n"), [0, 0]);
}

#[test]
fn a_row_alive_before_or_after_the_gap_meets_the_whole() {
    assert_eq!(arena("id,lower,upper,size,gaps\nA,0,10,100,3-6\nB,2,6,80,\n"), 180);
    assert_eq!(arena("id,lower,upper,size,gaps\nA,0,10,100,3-6\nB,3,7,80,\n"), 180);
    assert_eq!(arena("id,lower,end,size,gaps\nA,0,9,100,3-5\nB,3,6,80,\n"), 180);
}

#[test]
fn a_window_stays_in_use_during_its_gap() {
    assert_eq!(offsets("id,lower,upper,size,gaps\nA,0,10,100,3-6@0:20\nB,3,6,80,\n"), [0, 20]);
    assert_eq!(offsets("id,lower,upper,size,gaps\nA,0,10,100,3-6@80:100\nB,3,6,80,\n"), [0, 0]);
    assert_eq!(offsets("id,lower,upper,size,gaps\nA,0,10,100,3-6@5:5\nB,3,6,80,\n"), [0, 0]);
}

#[test]
fn two_rows_may_both_have_gaps() {
    let problem = "id,lower,upper,size,gaps\nA,0,10,100,0-5\nB,0,10,80,5-10\n";
    assert_eq!(offsets(problem), [0, 0]);
}

#[test]
fn gaps_at_negative_times_are_honoured() {
    assert_eq!(offsets("id,lower,upper,size,gaps\nA,-9,-1,100,-7--3\nB,-7,-3,80,\n"), [0, 0]);
}

const WINDOW: &str = "id,lower,upper,size,gaps\nA,0,10,100,3-6@0:20\nB,3,6,90,\n";

#[test]
fn gaps_lower_the_peak_and_the_bound() {
    // In the gap 20 bytes of A are in use, and the 90 of B.
    let json = Folder::with(WINDOW).run(&["plan", "x.csv", "--json"]).ok().json();
    assert_eq!((&json["peak_live_bytes"], &json["peak_node"]), (&110.into(), &3.into()));
    assert_eq!((&json["lower_bound"], &json["arena_size"]), (&110.into(), &110.into()));
}

#[test]
fn what_fills_the_peak_is_told_in_the_bytes_in_use() {
    let run = Folder::with(WINDOW).run(&["plan", "x.csv", "--capacity", "100"]);
    run.fails(1, &["needs 110, capacity 100, short by 10", "at the peak, node 3, 110 bytes are alive: B 90, A 20\n"]);
}

#[test]
fn check_judges_with_gaps() {
    let plan = |b: &str| format!("id,lower,upper,size,gaps,offset\nA,0,10,100,3-6@0:20,0\n{b}\n");
    Folder::with(plan("B,3,6,80,,20")).run(&["check", "x.csv"]).ok();
    let run = Folder::with(plan("B,3,6,80,,10")).run(&["check", "x.csv"]);
    run.fails(1, &["A [0,100) (line 2) and B [10,90) (line 3) overlap at node 3, from byte 10"]);
    let run = Folder::with(plan("B,2,6,80,,20")).run(&["check", "x.csv"]);
    run.fails(1, &["A [0,100) (line 2) and B [20,100) (line 3) overlap at node 2, from byte 20"]);
}

#[test]
fn windows_are_judged_byte_by_byte_at_each_time() {
    // A lies below B at time 1 and above it at time 2. minimalloc would want one of them below the other throughout.
    let plan = "id,lower,upper,size,gaps,offset\nA,1,3,30,1-2@0:10 2-3@20:30,0\nB,1,3,10,,10\n";
    let json = Folder::with(plan).run(&["check", "x.csv", "--json"]).ok().json();
    assert_eq!(json["arena_size"], 30);
}

#[test]
fn what_plan_writes_with_gaps_is_valid() {
    let folder = Folder::with(WINDOW);
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    assert_eq!(
        folder.read("plan.csv"),
        WINDOW.replace("gaps\n", "gaps,offset\n").replace(":20\n", ":20,0\n").replace(",\n", ",,20\n")
    );
    folder.run(&["check", "plan.csv"]).ok();
}

// Hints

#[test]
fn a_hint_is_honoured_where_the_bytes_are_free() {
    assert_eq!(offsets("id,lower,upper,size,hint\nA,0,2,100,-1\nB,1,3,80,\nC,2,4,60,4\n"), [0, 100, 4]);
}

#[test]
fn a_hint_that_cannot_be_honoured_changes_nothing() {
    // B meets A at byte 7; C is to lie at a multiple of 8.
    let problem = "id,lower,upper,size,alignment,hint\nA,0,2,100,1,-1\nB,1,3,80,1,7\nC,2,4,60,8,4\n";
    assert_eq!(offsets(problem), [0, 100, 0]);
}

// Planners that differ

#[test]
fn the_portfolio_tells_which_planner_won() {
    // By size the arena is 12; the optimum is 9.
    let folder = Folder::with(crate::plan::WITH_A_GAP);
    let json = folder.run(&["plan", "x.csv", "--json"]).ok().json();
    let winner = json["planner"].as_str().unwrap();
    let alone = folder.run(&["plan", "x.csv", "--json", "--algorithm", winner]).ok().json();
    assert_eq!((&alone["arena_size"], &alone["planner"]), (&json["arena_size"], &json["planner"]));
    assert!(json["arena_size"].as_u64().unwrap() <= 12);
}

#[test]
fn one_planner_alone_is_told_as_the_planner() {
    let json = Folder::with(ABC).run(&["plan", "x.csv", "--json", "--algorithm", "sequential"]).ok().json();
    assert_eq!(
        (&json["algorithm"], &json["planner"], &json["arena_size"]),
        (&"sequential".into(), &"sequential".into(), &240.into())
    );
}

#[test]
fn the_best_of_a_row_is_marked() {
    // One after another ABC needs 240.
    let run = Folder::with(ABC).run(&["compare", "x.csv", "--algorithm", "sequential,size"]).ok();
    assert!(run.out.contains("x.csv                    1.3333   1.0000*\n"), "{}", run.out);
}

#[test]
fn a_planner_that_fails_alone_leaves_its_cells_open() {
    // One after another the two would end at 2^64.
    let folder = Folder::with("id,lower,upper,size\nA,0,1,9223372036854775808\nB,1,2,9223372036854775808\n");
    let arguments = ["compare", "x.csv", "--algorithm", "size,sequential"];
    let run = folder.run(&arguments).fails(2, &["x.csv:3: B: ", "(sequential)\n"]);
    assert!(
        run.out.contains("x.csv                1.0000*           -\ntotal                1.0000*           -\n"),
        "{}",
        run.out
    );
    let run = folder.run(&[&arguments[..], &["--json"]].concat()).fails(2, &[]);
    assert_eq!(run.json()["files"][0]["arena_sizes"], json!({"size": 1u64 << 63, "sequential": null}));
}
