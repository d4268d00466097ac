//! `plan --space`: which memory each row lives in, and where there; and whether such a plan is valid.

use crate::folder::{Folder, Run};

/// The banks of ExecuTorch: all three alive together.
const BANKS: &str = "id,lower,upper,size\nA,0,1,80\nB,0,1,60\nC,0,1,60\n";
const BANK_OPTIONS: [&str; 4] = ["--space", "one=100", "--space", "two=200"];

fn plan(content: &str, options: &[&str]) -> (Run, String) {
    let folder = Folder::with(content);
    let run = folder.run(&[&["plan", "x.csv", "-o", "plan.csv"], options].concat());
    let plan = if folder.names().contains(&"plan.csv".to_string()) { folder.read("plan.csv") } else { String::new() };
    (run, plan)
}

/// The space and the offset of each row.
fn places(content: &str, options: &[&str]) -> Vec<String> {
    let (run, plan) = plan(content, options);
    run.ok();
    let place = |line: &str| {
        let [offset, space] = line.rsplit(',').take(2).collect::<Vec<_>>()[..] else { panic!("{line}") };
        format!("{space} {offset}")
    };
    plan.lines().skip(1).map(place).collect()
}

fn refused(content: &str, options: &[&str], parts: &[&str]) {
    let (run, plan) = plan(content, options);
    run.refused(parts);
    assert_eq!(plan, "");
}

#[test]
fn banks_are_filled_in_the_order_in_which_they_are_given() {
    let (run, plan) = plan(BANKS, &BANK_OPTIONS);
    assert_eq!(plan, "id,lower,upper,size,space,offset\nA,0,1,80,one,0\nB,0,1,60,two,0\nC,0,1,60,two,60\n");
    // Bank two costs 1 a byte; 100 of the 200 bytes fit bank one, if tensors could be cut.
    let table = "\
space  rows  arena  bound  capacity    used  cost a byte
one       1     80     80       100  80.0 %            0
two       2    120    120       200  60.0 %            1
tensors                  3
without a space          0
cost                     120
lower bound              100
over the bound           20.00 %
";
    assert!(run.ok().out.starts_with(table));
}

#[test]
fn a_row_that_finds_no_room_is_named_with_what_each_space_lacks_and_who_is_there() {
    let (run, plan) = plan(&format!("{BANKS}W,0,1,250\n"), &BANK_OPTIONS);
    let run = run.fails(
        1,
        &["x.csv:5: W: 250 bytes find no room in any space\nno plan has room for all rows\n\
           one: short by 230: of 100 bytes 20 are free over its life, 20 of them in one piece; at node 0, the tightest, \
           it holds A 80\n\
           two: short by 170: of 200 bytes 80 are free over its life, 80 of them in one piece; at node 0, the tightest, \
           it holds B 60, C 60\n"],
    );
    assert!(run.out.contains("without a space          1\n"), "{}", run.out);
    assert!(plan.ends_with("\nW,0,1,250,,\n"), "{plan}");
}

#[test]
fn only_the_largest_of_several_rows_without_room_is_told_of_and_the_others_counted() {
    let rows = "id,lower,upper,size\nA,5,6,8\nB,5,6,9\nC,5,6,10\n";
    let (run, _) = plan(rows, &["--space", "x=7"]);
    run.fails(
        1,
        &["x.csv:4: C: 10 bytes find no room in any space, nor do 2 other rows\n", "short by 3: of 7 bytes 7"],
    );
}

#[test]
fn bytes_that_are_free_in_pieces_only_are_told_so() {
    // Pinned in the middle, P leaves 40 bytes on each side.
    let rows = "id,lower,upper,size,space,offset\nP,0,1,20,x,40\nW,0,1,60,,\n";
    let (run, _) = plan(rows, &["--space", "x=100"]);
    run.fails(1, &["short by 20 in one piece: of 100 bytes 80 are free over its life, 40 of them in one piece"]);
}

#[test]
fn a_space_that_a_row_may_not_be_in_lacks_nothing_but_permission() {
    let rows = "id,lower,upper,size,alignment,spaces\nW,0,1,60,64,odd small\n";
    let (run, _) = plan(rows, &["--space", "odd=100:48", "--space", "small=50", "--space", "other=none"]);
    run.fails(
        1,
        &[
            "\nodd: its alignment 48 is no multiple of that of the row, 64\n",
            "\nsmall: short by 10: of 50 bytes 50 are free over its life, 50 of them in one piece; at node 0, the \
             tightest, it holds nothing\n",
            "\nother: not allowed\n",
        ],
    );
}

#[test]
fn the_cheapest_space_gets_what_is_moved_most() {
    let rows = "id,lower,upper,size,weight\nbig,0,1,100,100\nbusy,0,1,60,6000\n";
    let spaces = ["--space", "slow=none::10", "--space", "fast=100::1"];
    assert_eq!(places(rows, &spaces), ["slow 0", "fast 0"]);
    // Without a weight it is the size.
    assert_eq!(places(&rows.replace("6000", ""), &spaces), ["fast 0", "slow 0"]);
}

#[test]
fn the_column_spaces_names_where_a_row_may_be() {
    let rows = "id,lower,upper,size,spaces\nA,0,1,10,two three\nB,0,1,10,three\nC,0,1,10,\n";
    let spaces = ["--space", "one=10", "--space", "two=10", "--space", "three=10"];
    assert_eq!(places(rows, &spaces), ["two 0", "three 0", "one 0"]);
}

#[test]
fn a_plan_is_planned_again_as_it_is_and_anew_where_offsets_are_ignored() {
    let rows = "id,lower,upper,size,space,offset\nA,0,1,80,two,7\nB,0,1,60,two,\nempty,0,1,0,,0\n";
    assert_eq!(places(rows, &BANK_OPTIONS), ["two 7", "two 87", " 0"]);
    let anew = [&BANK_OPTIONS[..], &["--ignore-offsets"]].concat();
    assert_eq!(places(rows, &anew), ["one 0", "two 0", " 0"]);
    // One allowed space is as good as a pin.
    let rows = "id,lower,upper,size,spaces,offset\nA,0,1,80,two,7\nB,0,1,60,,\n";
    assert_eq!(places(rows, &BANK_OPTIONS), ["two 7", "one 0"]);
}

#[test]
fn an_offset_without_one_space_is_refused() {
    let rows = "id,lower,upper,size,offset,spaces\nA,0,1,80,-1,\nB,0,1,60,40,one two\n";
    refused(rows, &BANK_OPTIONS, &["x.csv:3: column offset: value \"40\": expected nothing or -1 where the row may"]);
}

#[test]
fn a_pin_that_cannot_be_is_refused_in_the_terms_of_the_file() {
    let refused = |rows: &str, part| refused(rows, &BANK_OPTIONS, &[part]);
    let header = "id,lower,upper,size,space,offset,spaces\n";
    let expected = "x.csv:2: column space: value \"two\": expected one of the spaces in column spaces\n";
    refused(&format!("{header}A,0,1,80,two,,one\n"), expected);
    let above = "x.csv:2: A: it ends at byte 101 by its fixed offset, above the capacity 100\n";
    refused(&format!("{header}A,0,1,80,one,21,\n"), above);
    let clash = "x.csv:2: A: its fixed bytes 40..80 are fixed bytes of B (line 3) too\n";
    refused(&format!("{header}A,0,1,80,two,0,\nB,0,1,60,two,40,\n"), clash);
}

#[test]
fn unknown_names_and_bad_weights_are_refused_with_line_and_value() {
    let spaces = "id,lower,upper,size,spaces\nA,0,1,80,one tow\n";
    refused(spaces, &BANK_OPTIONS, &["x.csv:2: column spaces: value \"tow\": expected a name of --space: one, two\n"]);
    let space = "id,lower,upper,size,space\nA,0,1,80,three\n";
    refused(space, &BANK_OPTIONS, &["x.csv:2: column space: value \"three\": expected a name of --space: one, two\n"]);
    let weight = "id,lower,upper,size,weight\nA,0,1,80,-1\n";
    let what =
        "x.csv:2: column weight: value \"-1\": expected the bytes moved to and from the row, a whole number from 0";
    refused(weight, &BANK_OPTIONS, &[what]);
}

#[test]
fn gaps_and_hints_are_refused() {
    let what = "x.csv:2: column gaps: value \"1-2\": expected nothing, since --space takes none of these\n";
    refused("id,lower,upper,size,gaps\nA,0,3,80,1-2\n", &BANK_OPTIONS, &[what]);
    let what = "x.csv:3: column hint: value \"8\": expected nothing";
    refused("id,lower,upper,size,hint\nA,0,3,80,\nB,0,3,80,8\n", &BANK_OPTIONS, &[what]);
}

#[test]
fn a_bad_space_is_refused_with_what_it_should_have_been() {
    for (space, part) in [
        ("one", "expected NAME=CAPACITY, NAME=CAPACITY:ALIGN or NAME=CAPACITY:ALIGN:COST"),
        ("one=1:2:3:4", "expected NAME=CAPACITY"),
        ("=100", "expected a name without blanks before the ="),
        ("a b=100", "expected a name without blanks before the ="),
        ("one=0", "capacity: expected a whole number from 1 to 18446744073709551615, or none"),
        ("one=", "capacity: expected a whole number from 1"),
        ("one=-1", "capacity: expected a whole number from 1"),
        ("one=100:0", "alignment: expected a whole number from 1"),
        ("one=100::x", "cost: expected a whole number from 0"),
    ] {
        refused(BANKS, &["--space", space], &[&format!("invalid value '{space}'"), part]);
    }
}

#[test]
fn spaces_that_do_not_go_together_are_refused() {
    let twice = ["--space", "one=1", "--space", "one=2"];
    refused(BANKS, &twice, &["--space: \"one\" is there twice: expected each name once\n"]);
    let mixed = ["--space", "one=1::5", "--space", "two=2"];
    refused(BANKS, &mixed, &["--space: \"two\" has no cost: expected one for each space or for none\n"]);
    let names: Vec<String> = (0..33).map(|k| format!("s{k}=100")).collect();
    let many: Vec<&str> = names.iter().flat_map(|name| ["--space", name]).collect();
    refused(BANKS, &many, &["--space: 33 spaces: expected at most 32\n"]);
    Folder::with(BANKS).run(&[&["plan", "x.csv"], &many[..64]].concat()).ok();
}

#[test]
fn options_of_one_arena_are_refused_beside_spaces() {
    for option in
        [["--capacity", "100"], ["--algorithm", "size"], ["--seeds", "2"], ["--jobs", "1"], ["--time-limit", "1"]]
    {
        refused(BANKS, &[&BANK_OPTIONS[..], &option].concat(), &["cannot be used with", option[0]]);
    }
    let unlimited = [&BANK_OPTIONS[..], &["--work-limit", "none"]].concat();
    refused(BANKS, &unlimited, &["--work-limit: none: expected a number of looks with --space\n"]);
}

#[test]
fn the_json_has_a_list_of_spaces() {
    let options = ["plan", "x.csv", "--json", "--space", "fast=100:64:1", "--space", "slow=none::3", "--seed", "4"];
    let json = Folder::with(BANKS).run(&options).ok().json();
    assert_eq!(
        (json["tensors"].as_u64(), json["fits"].as_bool(), json["seed"].as_u64()),
        (Some(3), Some(true), Some(4))
    );
    // 80 bytes at cost 1 and 120 at cost 3; of 100 bytes in the fast space each would save 2.
    assert_eq!((json["cost"].as_u64(), json["cost_bound"].as_u64()), (Some(440), Some(400)));
    assert_eq!((json["gap_percent"].as_f64(), json["optimal"].as_bool()), (Some(10.0), Some(false)));
    let [fast, slow] = &json["spaces"].as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!(
        (fast["name"].as_str(), fast["capacity"].as_u64(), fast["cost"].as_u64()),
        (Some("fast"), Some(100), Some(1))
    );
    assert_eq!((fast["arena_size"].as_u64(), fast["used_percent"].as_f64()), (Some(80), Some(80.0)));
    assert_eq!(
        (slow["name"].as_str(), slow["tensors"].as_u64(), slow["lower_bound"].as_u64()),
        (Some("slow"), Some(2), Some(120))
    );
    assert!(slow["capacity"].is_null() && slow["used_percent"].is_null());
}

#[test]
fn the_example_of_the_readme_prints_what_it_shows() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let (_, example) = readme.split_once("$ aether plan examples/networks/densenet121.csv --space ").unwrap();
    let (options, rest) = example.split_once('\n').unwrap();
    let (want, _) = rest.split_once("```").unwrap();
    let options: Vec<&str> = ["--space"].into_iter().chain(options.split_whitespace()).collect();
    let network = std::fs::read_to_string(root.join("examples/networks/densenet121.csv")).unwrap();
    let run = Folder::with(network).run(&[&["plan", "x.csv"], &options[..]].concat()).ok();
    assert!(run.out.starts_with(want), "{}", run.out);
}

#[test]
fn the_work_limit_bounds_the_trials_and_the_same_seed_gives_the_same_plan() {
    let rows: String =
        (0..200).map(|i| format!("t{i},{i},{},{}\n", i + 5 + i * 7 % 13, 1 + i * i * 37 % 101)).collect();
    let content = format!("id,lower,upper,size\n{rows}");
    let run = |limit| {
        let folder = Folder::with(&content);
        let options = ["plan", "x.csv", "-o", "plan.csv", "--json", "--space", "a=150", "--space", "b=none"];
        let json = folder.run(&[&options[..], &["--work-limit", limit]].concat()).ok().json();
        (json["work"].as_u64().unwrap(), json["cost"].as_u64().unwrap(), folder.read("plan.csv"))
    };
    let (first, improved) = (run("0"), run("100000"));
    assert_eq!(first.0, 0);
    assert!(improved.0 >= 100_000 && improved.1 < first.1, "{} {}", improved.0, improved.1);
    assert_eq!(run("100000"), improved);
}

#[test]
fn columns_of_spaces_are_noted_where_all_rows_are_in_one_arena() {
    let rows = "id,lower,upper,size,spaces,weight\nA,0,1,80,one,7\n";
    let note = "note: x.csv: \"spaces\", \"weight\": only plan --space looks there; all rows are in one arena\n";
    Folder::with(rows).run(&["plan", "x.csv"]).noted(note);
    Folder::with(rows).run(&["compare", "x.csv"]).noted(note);
}

/// A plan of two banks, and the options that say so.
const PLAN: &str = "id,lower,upper,size,alignment,spaces,space,offset\n\
                    A,0,2,80,1,,one,0\nB,0,2,64,64,one two,two,0\nC,1,3,60,1,two,two,64\nE,0,1,0,1,,,0\n";
const LIMITS: [&str; 4] = ["--space", "one=100", "--space", "two=200:128"];

fn check(plan: &str, options: &[&str]) -> Run {
    Folder::with(plan).run(&[&["check", "x.csv"], options].concat())
}

#[test]
fn what_plan_writes_for_several_spaces_is_valid_in_them() {
    let (_, plan) = plan(BANKS, &BANK_OPTIONS);
    check(&plan, &BANK_OPTIONS).ok();
    let table = "\
plan                     valid
space  rows  arena  bound  capacity    used  cost a byte
one       1     80     80       100  80.0 %            0
two       2    124    124       200  62.0 %            1
tensors                  4
";
    assert_eq!(check(PLAN, &LIMITS).ok().out, table);
    let json = check(PLAN, &[&LIMITS[..], &["--json"]].concat()).ok().json();
    assert_eq!((&json["valid"], &json["spaces"][1]["arena_size"]), (&true.into(), &124.into()));
}

#[test]
fn without_capacities_a_plan_of_several_spaces_is_checked_for_all_else() {
    let run = check(PLAN, &[]).ok();
    assert!(run.out.contains("two       2    124    124      none     -            1\n"), "{}", run.out);
    let clash = PLAN.replace("two,64", "two,63");
    let what = "x.csv: space two: B [0,64) (line 3) and C [63,123) (line 4) overlap at node 1, from byte 63";
    check(&clash, &[]).fails(1, &[what]);
    check(PLAN, &["--capacity", "9"]).refused(&["--capacity: expected --space for each space of the plan instead"]);
}

#[test]
fn each_fault_of_a_plan_of_several_spaces_is_told_with_its_rows_offsets_and_space() {
    let wrong = |from: &str, to: &str, what: &str| {
        assert!(PLAN.contains(from), "{from}");
        let plan = PLAN.replace(from, to);
        let run = check(&plan, &[&LIMITS[..], &["--json"]].concat()).fails(1, &[what]);
        assert_eq!(run.json()["valid"], false);
        run.json()["error"].clone()
    };
    wrong("two,64", "two,63", "space two: B [0,64) (line 3) and C [63,123) (line 4) overlap at node 1, from byte 63");
    wrong("two,0", "two,8", "space two: B [8,72) (line 3): offset 8 is not a multiple of its alignment 64");
    let error = wrong("one,0", "one,21", "space one: A [21,101) (line 2): the end is 1 above the capacity 100");
    assert_eq!((&error["kind"], &error["space"]), (&"above_capacity".into(), &"one".into()));
    wrong("two,two,64", "two,one,80", "space one: C [80,140) (line 4): the row may be in two");
    let what = "space two: B [0,64) (line 3): alignment 128 of the space is not a multiple of that of the row, 96";
    wrong("64,64", "64,96", what);
    let error = wrong("A,0,2,80,1,,one,0", "A,0,2,80,1,,,", "x.csv: A (line 2): it has no space\n");
    assert_eq!(error["kind"], "no_space");
}

#[test]
fn rows_of_different_spaces_may_have_the_same_bytes() {
    let rows = "id,lower,upper,size,space,offset\nA,0,1,80,one,0\nB,0,1,80,two,0\n";
    check(rows, &[]).ok();
    check(&rows.replace("two", "one"), &[]).fails(1, &["A [0,80) (line 2) and B [0,80) (line 3) overlap"]);
}

#[test]
fn check_refuses_a_space_that_nobody_told_it_of() {
    let what = "x.csv:3: column spaces: value \"two\": expected a name of --space: one\n";
    let elsewhere = PLAN.replace("two,0", "one,0").replace("two,64", "one,80");
    check(&elsewhere, &["--space", "one=100"]).refused(&[what]);
    let what = "x.csv:3: column space: value \"two\": expected a name of --space: one\n";
    check(PLAN, &["--space", "one=100"]).refused(&[what]);
    let gaps = "id,lower,upper,size,gaps,space,offset\nA,0,9,8,1-2,a,0\nB,0,9,8,,b,0\n";
    check(gaps, &[]).refused(&["x.csv:2: column gaps: value \"1-2\": expected nothing, since --space takes none"]);
}

#[test]
fn the_verbs_for_one_arena_refuse_a_plan_of_several_spaces() {
    let what = "x.csv:3: column space: value \"two\": expected \"one\" in every row, since only check takes a plan of \
                several spaces\n";
    for verb in [&["report", "x.csv"][..], &["plot", "x.csv", "-o", "p.svg"], &["diff", "x.csv", "x.csv"]] {
        Folder::with(PLAN).run(verb).refused(&[what]);
    }
}
