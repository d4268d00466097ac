//! `aether diff`: two plans side by side.

use serde_json::json;

use crate::folder::{ABC, ABC_PLAN, Folder};

/// ABC with A on B.
const OTHER: &str = "id,lower,upper,size,offset\nA,0,2,100,80\nB,1,3,80,0\nC,2,4,60,80\n";

/// A folder with the plans x.csv and y.csv.
fn two(before: &str, after: &str) -> Folder {
    let folder = Folder::with(before);
    folder.write("y.csv", after);
    folder
}

#[test]
fn a_plan_does_not_differ_from_itself() {
    let out = two(ABC_PLAN, ABC_PLAN).run(&["diff", "x.csv", "y.csv"]).ok().out;
    let expected = "arena before             180 bytes, optimal\narena after              180 bytes, optimal\n\
                    difference               the same\nmoved                    0\nequal                    3\n";
    assert_eq!(out, expected);
}

#[test]
fn those_that_moved_are_told_the_largest_first() {
    let folder = two(ABC_PLAN, OTHER);
    let out = folder.run(&["diff", "x.csv", "y.csv"]).ok().out;
    let moved =
        "moved                    3\n  A: 0 -> 80, 100 bytes\n  B: 100 -> 0, 80 bytes\n  C: 0 -> 80, 60 bytes\n";
    assert!(out.contains(moved), "{out}");
    let json = folder.run(&["diff", "x.csv", "y.csv", "--json"]).ok().json();
    assert_eq!(json["moved"][1], json!({"id": "B", "bytes": 80, "from": 100, "to": 0}));
}

#[test]
fn the_arena_is_told_before_and_after() {
    let loose = ABC_PLAN.replace("B,1,3,80,100", "B,1,3,80,280");
    let out = two(&loose, ABC_PLAN).run(&["diff", "x.csv", "y.csv"]).ok().out;
    assert!(out.contains("arena before             360 bytes, 100.00 % over the bound\n"), "{out}");
    assert!(out.contains("difference               180 bytes less, 50.00 %\n"), "{out}");
    let out = two(ABC_PLAN, &loose).run(&["diff", "x.csv", "y.csv"]).ok().out;
    assert!(out.contains("difference               180 bytes more, 100.00 %\n"), "{out}");
}

#[test]
fn rows_are_matched_by_id_whatever_their_order() {
    let turned = "id,lower,upper,size,offset\nC,2,4,60,0\nB,1,3,80,100\nA,0,2,100,0\n";
    let json = two(ABC_PLAN, turned).run(&["diff", "x.csv", "y.csv", "--json"]).ok().json();
    assert_eq!((&json["moved"], &json["equal"]), (&json!([]), &json!(3)));
}

#[test]
fn rows_that_are_other_tensors_or_stand_alone_are_named() {
    let after = "id,lower,upper,size,offset\nA,0,2,90,0\nB,1,3,80,100\nD,2,4,60,0\n";
    let folder = two(ABC_PLAN, after);
    let json = folder.run(&["diff", "x.csv", "y.csv", "--json"]).ok().json();
    assert_eq!(
        (&json["changed"], &json["only_before"], &json["only_after"]),
        (&json!(["A"]), &json!(["C"]), &json!(["D"]))
    );
    let out = folder.run(&["diff", "x.csv", "y.csv"]).ok().out;
    assert!(
        out.contains("changed                  1: A\nonly before              1: C\nonly after               1: D\n"),
        "{out}"
    );
}

/// The smallest time of a file is its node 0, and the files differ in it.
#[test]
fn lifetimes_are_compared_in_the_files_own_time() {
    let after = "id,lower,upper,size,offset\nB,1,3,80,100\n";
    let json = two(ABC_PLAN, after).run(&["diff", "x.csv", "y.csv", "--json"]).ok().json();
    assert_eq!((&json["changed"], &json["equal"]), (&json!([]), &json!(1)));
}

#[test]
fn an_invalid_plan_is_compared_and_judged() {
    let clash = ABC_PLAN.replace("B,1,3,80,100", "B,1,3,80,50");
    let run = two(ABC_PLAN, &clash).run(&["diff", "x.csv", "y.csv"]);
    let run = run.fails(1, &["y.csv: A [0,100) (line 2) and B [50,130) (line 3) overlap"]);
    assert!(run.out.contains("arena after              130 bytes, invalid\n"), "{}", run.out);
}

#[test]
fn one_of_them_may_be_standard_input() {
    let folder = Folder::with(ABC_PLAN);
    folder.run_with_stdin(&["diff", "-", "x.csv"], OTHER.as_bytes()).ok();
    folder.run_with_stdin(&["diff", "x.csv", "-"], OTHER.as_bytes()).ok();
    folder.run_with_stdin(&["diff", "-", "-"], OTHER.as_bytes()).refused(&["cannot be both plans"]);
    two(ABC, ABC_PLAN).run(&["diff", "x.csv", "y.csv"]).refused(&["x.csv:1: no column offset"]);
}
