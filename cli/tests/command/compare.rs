//! `aether compare`: the table, its marks and sums, and files that cannot be compared.

use std::process::Command;

use serde_json::json;

use crate::common::aloud;
use crate::folder::{ABC, ABC_PLAN, ALL_PINNED, BINARY, Folder, Run};
use crate::plan::WITH_A_GAP;

/// ABC, which every planner worth its name plans at its bound of 180, and a file that needs 12 where the bound is 9.
fn two_files() -> Folder {
    let folder = Folder::new();
    folder.write("abc.csv", ABC);
    folder.write("gap.csv", WITH_A_GAP);
    folder
}

const TABLE: &str = "\
arena / lower bound    size
abc.csv              1.0000*
gap.csv              1.3333*
total                1.0159*
geometric mean       1.1547*
";

#[test]
fn a_cell_is_the_arena_over_the_bound_and_two_rows_sum_up() {
    // The total is (180 + 12) / (180 + 9), the mean the square root of 1 x 12/9.
    let run = two_files().run(&["compare", "abc.csv", "gap.csv", "--algorithm", "size"]).ok();
    assert_eq!(run.out, TABLE);
}

#[test]
fn every_planner_has_a_column() {
    let run = two_files().run(&["compare", "abc.csv"]).ok();
    let header: Vec<&str> = run.out.lines().next().unwrap().split_whitespace().skip(4).collect();
    let names = "size first-use sequential spatial temporal conflicts first-fit area colouring pressure";
    assert_eq!(header.join(" "), names);
}

#[test]
fn the_columns_are_the_ones_asked_for_in_that_order_and_each_once() {
    let run = two_files().run(&["compare", "abc.csv", "--algorithm", "portfolio,size", "--algorithm", "portfolio"]);
    assert_eq!(run.ok().out.lines().next(), Some("arena / lower bound  portfolio     size"));
}

#[test]
fn equal_planners_are_all_the_best() {
    let run = two_files().run(&["compare", "abc.csv", "--algorithm", "size,portfolio"]).ok();
    assert!(run.out.contains("abc.csv              1.0000*     1.0000*\n"), "{}", run.out);
}

#[test]
fn a_file_without_bytes_is_at_its_bound() {
    let run = Folder::with("id,lower,upper,size\n").run(&["compare", "x.csv", "--algorithm", "size"]).ok();
    assert!(run.out.contains("x.csv                1.0000*\ntotal                1.0000*\n"), "{}", run.out);
}

#[test]
fn a_file_that_cannot_be_compared_does_not_hide_the_others() {
    let folder = two_files();
    folder.write("bad.csv", "id,lower,upper,size\na,0,2,x\n");
    let arguments = ["compare", "none.csv", "abc.csv", "bad.csv", "gap.csv", "--algorithm", "size"];
    let run = folder.run(&arguments).fails(2, &["none.csv: cannot be read", "\nbad.csv:2: column size: value \"x\""]);
    assert_eq!(run.out, TABLE);
}

#[test]
fn a_file_that_no_planner_can_plan_is_told_once() {
    let folder = two_files();
    folder.write("bad.csv", "id,lower,upper,size,alignment\nA,0,2,8,9223372036854775808\nB,0,2,8,3\n");
    let run = folder.run(&["compare", "bad.csv", "abc.csv"]).fails(2, &["bad.csv:3: B: the least common multiple"]);
    assert_eq!((run.err.lines().count(), run.out.lines().count()), (1, 4));
}

#[test]
fn nothing_is_printed_where_nothing_can_be_compared() {
    Folder::new().run(&["compare", "a.csv", "b.csv"]).refused(&["a.csv: cannot be read", "\nb.csv: cannot be read"]);
    Folder::new().run(&["compare", "."]).refused(&[".: cannot be read"]);
}

#[test]
fn a_dash_reads_standard_input() {
    let run = Folder::new().run_with_stdin(&["compare", "-", "--algorithm", "size"], ABC.as_bytes()).ok();
    assert!(run.out.contains("<stdin>              1.0000*\n"), "{}", run.out);
}

#[test]
fn pins_are_read_unless_they_are_to_be_ignored() {
    let folder = Folder::with(ABC_PLAN.replace("B,1,3,80,100", "B,1,3,80,low"));
    folder.run(&["compare", "x.csv"]).refused(&["x.csv:3: column offset: value \"low\": expected a fixed offset"]);
    folder.run(&["compare", "x.csv", "--ignore-offsets"]).ok();
}

#[test]
fn a_plan_whose_offsets_are_all_given_is_at_its_bound_and_a_note_says_why() {
    // The offsets need 220 bytes; anew it is 180.
    let folder = two_files();
    folder.write("x.csv", ABC_PLAN.replace("B,1,3,80,100", "B,1,3,80,140"));
    let run = folder.run(&["compare", "abc.csv", "x.csv", "--algorithm", "size,sequential"]).noted(ALL_PINNED);
    assert!(run.out.contains("x.csv                1.0000*      1.0000*\n"), "{}", run.out);
    let run = folder.run(&["compare", "x.csv", "--algorithm", "size,sequential", "--ignore-offsets"]).ok();
    assert!(run.out.contains("x.csv                1.0000*      1.3333\n"), "{}", run.out);
}

#[test]
fn an_alignment_can_be_asked_for_in_every_row() {
    let run = two_files().run(&["compare", "abc.csv", "--json", "--algorithm", "size", "--alignment", "64"]).ok();
    assert_eq!(run.json()["files"][0]["arena_sizes"]["size"], 208);
}

#[test]
fn json_has_the_bytes_of_each_file_and_the_sums() {
    let run = two_files().run(&["compare", "abc.csv", "gap.csv", "--json", "--algorithm", "size"]).ok();
    assert_eq!(run.out.lines().count(), 1);
    assert_eq!(
        run.json(),
        json!({
            "files": [
                {"file": "abc.csv", "tensors": 3, "lower_bound": 180, "arena_sizes": {"size": 180}},
                {"file": "gap.csv", "tensors": 6, "lower_bound": 9, "arena_sizes": {"size": 12}},
            ],
            "total": {"size": 1.015873},
            "geometric_mean": {"size": 1.154701},
        })
    );
}

#[test]
fn the_name_of_a_file_cannot_steer_the_terminal() {
    let folder = Folder::new();
    folder.write("\u{1b}[31m.csv", ABC);
    let run = folder.run(&["compare", "\u{1b}[31m.csv"]).ok();
    assert!(run.out.contains("\\u{1b}[31m.csv"), "{}", run.out);
}

#[test]
fn the_name_of_a_file_is_never_cut() {
    let (folder, name) = (Folder::new(), format!("{}.csv", "n".repeat(200)));
    folder.write(&name, ABC);
    let run = folder.run(&["compare", &name, "--algorithm", "size"]).ok();
    assert!(run.out.contains(&format!("\n{name}  1.0000*\n")), "{}", run.out);
}

/// What a terminal shows. It is lent by `script`; none where that is missing.
fn on_a_terminal(folder: &Folder, line: &str) -> Option<Run> {
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", line, "/dev/null"]).current_dir(&folder.0);
    let run = command.env("AETHER", BINARY).env_remove("NO_COLOR").output();
    run.map_err(|_| aloud("skipped: there is no `script` to lend a terminal")).ok().map(Run::from)
}

#[test]
fn the_best_are_bold_on_a_terminal_unless_colours_are_not_wanted() {
    let line = "\"$AETHER\" compare abc.csv --algorithm size 2>none";
    let Some(run) = on_a_terminal(&two_files(), line) else { return };
    assert!(run.out.contains("abc.csv              \u{1b}[1m1.0000\u{1b}[0m\r\n"), "{:?}", run.out);
    let run = on_a_terminal(&two_files(), &format!("NO_COLOR=1 {line}")).unwrap();
    assert!(run.out.contains("abc.csv              1.0000*\r\n"), "{:?}", run.out);
    let run = on_a_terminal(&two_files(), &format!("NO_COLOR= {line}")).unwrap();
    assert!(run.out.contains("\u{1b}[1m"), "{:?}", run.out);
}

#[test]
fn progress_is_shown_on_a_terminal_and_cleared() {
    let Some(run) = on_a_terminal(&two_files(), "\"$AETHER\" compare abc.csv gap.csv >table") else { return };
    assert!(run.out.contains("0/20") && run.out.ends_with("\r\u{1b}[2K"), "{:?}", run.out);
}

#[test]
fn a_note_has_a_line_of_its_own_on_a_terminal() {
    let folder = two_files();
    folder.write("x.csv", ABC_PLAN);
    let Some(run) = on_a_terminal(&folder, "\"$AETHER\" compare abc.csv x.csv >table") else { return };
    let note = format!("\r\u{1b}[2K{}\r\n", ALL_PINNED.trim_end());
    assert!(run.out.contains(&note), "{:?}", run.out);
}

#[test]
fn wrong_usage_ends_with_exit_code_2() {
    for arguments in [&["compare"][..], &["compare", "x.csv", "--algorithm", "magic"], &["compare", "x", "-o", "y"]] {
        Folder::new().run(arguments).refused(&["--help"]);
    }
}
