//! `aether check`: verdicts on plans, ours and others'.

use serde_json::json;

use crate::folder::{ABC, ABC_PLAN, Folder, both_refuse};

const CLASH: &str = "id,lower,upper,size,offset\nA,0,2,100,0\nB,1,3,80,100\nC,2,4,60,120\n";

#[test]
fn what_plan_writes_is_valid() {
    let folder = Folder::with(ABC);
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    let run = folder.run(&["check", "plan.csv"]).ok();
    assert_eq!(
        run.out,
        "plan                     valid\n\
         tensors                  3\n\
         arena                    180 bytes, optimal\n\
         lower bound              180 bytes\n\
         over the bound           0.00 %\n\
         peak live bytes          180 bytes at node 1\n\
         required base alignment  1 byte\n"
    );
}

#[test]
fn a_plan_from_elsewhere_is_valid_though_it_is_not_ours() {
    let json = Folder::with(ABC_PLAN.replace("B,1,3,80,100", "B,1,3,80,140")).run(&["check", "x.csv", "--json"]);
    assert_eq!(json.ok().json()["arena_size"], 220);
}

#[test]
fn two_rows_that_share_bytes_are_named_with_lines_node_and_byte() {
    let run = Folder::with(CLASH).run(&["check", "x.csv"]);
    let run = run.fails(1, &["B [100,180) (line 3) and C [120,180) (line 4) overlap at node 2, from byte 120"]);
    assert_eq!(run.out, "");
}

#[test]
fn the_node_of_a_clash_is_told_in_the_time_of_the_file() {
    let plan = "id,lower,upper,size,offset\nA,-9,-7,8,0\nB,-8,-6,8,4\n";
    Folder::with(plan).run(&["check", "x.csv"]).fails(1, &["overlap at node -8, from byte 4"]);
}

#[test]
fn rows_that_share_bytes_at_different_times_are_valid() {
    Folder::with("id,lower,upper,size,offset\nA,0,2,8,0\nB,2,4,8,0\n").run(&["check", "x.csv"]).ok();
}

#[test]
fn inclusive_ends_that_touch_are_alive_together() {
    let plan = "id,start,end,size,offset\na,6,7,4096,0\nb,7,10,4096,1024\n";
    Folder::with(plan).run(&["check", "x.csv"]).fails(1, &["overlap at node 7, from byte 1024"]);
}

#[test]
fn neighbours_that_touch_share_no_byte() {
    Folder::with("id,lower,upper,size,offset\nA,0,2,8,0\nB,0,2,8,8\n").run(&["check", "x.csv"]).ok();
}

#[test]
fn a_misaligned_offset_is_named_with_its_line() {
    let run = Folder::with("id,lower,upper,size,alignment,offset\nA,0,2,8,16,8\n").run(&["check", "x.csv"]);
    let run = run.fails(1, &["A [8,16) (line 2): offset 8 is not a multiple of its alignment 16"]);
    assert_eq!(run.out, "");
}

#[test]
fn an_alignment_can_be_asked_for_in_every_row() {
    let folder = Folder::with(ABC_PLAN);
    let message = "B [100,180) (line 3): offset 100 is not a multiple of its alignment 64";
    folder.run(&["check", "x.csv", "--alignment", "64"]).fails(1, &[message]);
    folder.run(&["plan", "x.csv", "--ignore-offsets", "--alignment", "64", "-o", "plan.csv"]).ok();
    let json = folder.run(&["check", "plan.csv", "--alignment", "64", "--json"]).ok().json();
    assert_eq!((&json["arena_size"], &json["arena_alignment"]), (&208.into(), &64.into()));
}

#[test]
fn a_plan_with_an_end_that_cannot_be_counted_is_invalid() {
    let folder = Folder::with("id,lower,upper,size,offset\nA,0,2,8,0\nB,0,2,16,18446744073709551600\n");
    let message = "B [18446744073709551600,18446744073709551616) (line 3): the end is above 18446744073709551615";
    folder.run(&["check", "x.csv"]).fails(1, &[message]);
    let json = folder.run(&["check", "x.csv", "--json"]).fails(1, &[message]).json();
    assert_eq!((&json["valid"], &json["error"]["kind"]), (&false.into(), &"end_beyond_limit".into()));
}

#[test]
fn an_id_in_a_verdict_cannot_steer_the_terminal() {
    let folder = Folder::with("id,lower,upper,size,offset\n\x1b[31m,0,2,8,0\nB,0,2,8,0\n");
    folder.run(&["check", "x.csv"]).fails(1, &["\\u{1b}[31m [0,8) (line 2) and B [0,8) (line 3)"]);
}

#[test]
fn each_row_with_bytes_needs_an_offset() {
    for offset in ["", "-1", "-5", "x", "18446744073709551616"] {
        let folder = Folder::with(format!("id,lower,upper,size,offset\nA,0,2,8,0\nB,0,2,8,{offset}\n"));
        folder.run(&["check", "x.csv"]).refused(&[
            &format!("x.csv:3: column offset: value \"{offset}\": expected an offset in bytes"),
            "a whole number from 0",
        ]);
    }
}

#[test]
fn a_plan_needs_the_column_offset() {
    Folder::with(ABC).run(&["check", "x.csv"]).refused(&["x.csv:1: no column offset"]);
}

#[test]
fn a_row_without_bytes_needs_no_offset_and_clashes_with_nobody() {
    for offset in ["", "-1", "4"] {
        let plan = format!("id,lower,upper,size,alignment,offset\nA,0,2,8,1,0\nZ,0,2,0,64,{offset}\n");
        let json = Folder::with(plan).run(&["check", "x.csv", "--json"]).ok().json();
        assert_eq!((&json["arena_size"], &json["arena_alignment"]), (&8.into(), &1.into()));
    }
    Folder::with("id,lower,upper,size\nZ,0,2,0\n").run(&["check", "x.csv"]).ok();
}

#[test]
fn a_plan_with_alignment_0_or_a_negative_size_or_a_reversed_lifetime_is_refused() {
    both_refuse("id,lower,upper,size,alignment,offset\nA,0,2,8,0,0\n", &["x.csv:2: column alignment: value \"0\""]);
    both_refuse("id,lower,upper,size,offset\nA,0,2,-4,0\n", &["x.csv:2: column size: value \"-4\""]);
    both_refuse("id,lower,upper,size,offset\nA,9,3,8,0\n", &["x.csv:2: column upper: value \"3\""]);
}

#[test]
fn a_plan_of_100_000_rows_is_judged() {
    // Row k lives [k, k+2) and holds the lower or the upper 8 bytes by turns, so neighbours never meet in a byte.
    let row = |k: usize| format!("r{k},{k},{},8,{}\n", k + 2, k % 2 * 8);
    let plan = |last: &str| {
        let rows: String = (0..99_999).map(row).collect();
        format!("id,lower,upper,size,offset\n{rows}{last}")
    };
    Folder::with(plan(&row(99_999))).run(&["check", "x.csv"]).ok();
    let run = Folder::with(plan("last,99999,100001,8,4\n")).run(&["check", "x.csv"]);
    run.fails(1, &["r99998 [0,8) (line 100000) and last [4,12) (line 100001) overlap at node 99999, from byte 4"]);
}

#[test]
fn json_of_a_valid_plan_has_its_numbers() {
    let mut json = Folder::with(ABC_PLAN).run(&["check", "x.csv", "--json"]).ok().json();
    assert!(json.as_object_mut().unwrap().remove("seconds").unwrap().is_f64());
    assert_eq!(
        json,
        json!({
            "valid": true,
            "tensors": 3,
            "arena_size": 180,
            "arena_alignment": 1,
            "lower_bound": 180,
            "gap_percent": 0.0,
            "peak_live_bytes": 180,
            "peak_node": 1,
            "optimal": true,
        })
    );
}

#[test]
fn json_of_a_clash_has_ids_lines_bytes_and_node() {
    let run = Folder::with(CLASH).run(&["check", "x.csv", "--json"]).fails(1, &["overlap at node 2"]);
    assert_eq!(
        run.json(),
        json!({
            "valid": false,
            "error": {
                "kind": "clash",
                "rows": [
                    {"id": "B", "line": 3, "start": 100, "end": 180},
                    {"id": "C", "line": 4, "start": 120, "end": 180},
                ],
                "node": 2,
                "byte": 120,
            },
        })
    );
}

#[test]
fn json_of_a_misaligned_offset_has_the_offset_and_the_alignment() {
    let folder = Folder::with("id,lower,upper,size,alignment,offset\nA,0,2,8,16,8\n");
    let run = folder.run(&["check", "x.csv", "--json"]).fails(1, &["not a multiple"]);
    assert_eq!(
        run.json(),
        json!({
            "valid": false,
            "error": {
                "kind": "offset_misaligned",
                "rows": [{"id": "A", "line": 2, "start": 8, "end": 16}],
                "offset": 8,
                "alignment": 16,
            },
        })
    );
}
