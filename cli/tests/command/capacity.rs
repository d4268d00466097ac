//! `--capacity`: what is told when a plan needs more.

use crate::folder::{ABC, ABC_PLAN, Folder, Run};

#[test]
fn a_plan_above_the_capacity_tells_how_much_is_missing_and_what_fills_the_peak() {
    let run = Folder::with(ABC).run(&["plan", "x.csv", "--capacity", "144"]);
    let run = run.fails(1, &["needs 180, capacity 144, short by 36", "no plan fits: the lower bound is 180"]);
    assert!(run.err.contains("at the peak, node 1, 180 bytes are alive: A 100, B 80\n"), "{}", run.err);
    assert!(run.out.contains("capacity                 144 bytes, short by 36\n"), "{}", run.out);
}

#[test]
fn a_plan_above_the_capacity_is_written_all_the_same() {
    let folder = Folder::with(ABC);
    folder.run(&["plan", "x.csv", "-o", "plan.csv", "--capacity", "144"]).fails(1, &["short by 36"]);
    assert_eq!(folder.read("plan.csv"), ABC_PLAN);
}

#[test]
fn a_capacity_that_is_met_exactly_fits() {
    let run = Folder::with(ABC).run(&["plan", "x.csv", "--capacity", "180"]).ok();
    assert!(run.out.contains("capacity                 180 bytes, fits\n"), "{}", run.out);
}

#[test]
fn one_byte_too_few_is_short_by_1() {
    Folder::with(ABC).run(&["plan", "x.csv", "--capacity", "179"]).fails(1, &["needs 180, capacity 179, short by 1"]);
}

#[test]
fn a_capacity_of_0_is_a_capacity() {
    Folder::with(ABC).run(&["plan", "x.csv", "--capacity", "0"]).fails(1, &["capacity 0, short by 180"]);
    Folder::with("id,lower,upper,size\n").run(&["plan", "x.csv", "--capacity", "0"]).ok();
    for verb in ["plan", "check"] {
        let help = Folder::new().run(&[verb, "--help"]).ok().out;
        assert!(help.contains("where 0 means zero bytes"), "{help}");
    }
}

#[test]
fn a_capacity_that_another_plan_could_meet_is_not_called_impossible() {
    // The offsets need 220 bytes, the bound is 180.
    let plan = ABC_PLAN.replace("B,1,3,80,100", "B,1,3,80,140");
    let run = Folder::with(plan).run(&["check", "x.csv", "--capacity", "200"]);
    let may = "a plan that fits may exist: the lower bound is 180";
    let run = run.fails(1, &["needs 220, capacity 200, short by 20", may, "node 1"]);
    assert!(!run.err.contains("no plan fits"), "{}", run.err);
}

#[test]
fn check_tells_the_same_as_plan() {
    let run = |verb: &str, content: &str| -> Run {
        Folder::with(content).run(&[verb, "x.csv", "--capacity", "144"]).fails(1, &["short by 36"])
    };
    let (plan, check) = (run("plan", ABC), run("check", ABC_PLAN));
    assert_eq!(
        check.out,
        plan.out.replace(
            "planner                  size\nsearch                   not needed\n",
            "plan                     valid\n"
        )
    );
    assert_eq!(check.err, plan.err);
}

#[test]
fn the_tensors_at_the_peak_are_listed_largest_first_and_ten_at_most() {
    // Twelve alive at time 5, sizes 1 to 12; `before` is gone by then, and `empty` has no bytes.
    let rows: String = (1..=12).map(|size| format!("t{size},5,6,{size}\n")).collect();
    let content = format!("id,lower,upper,size\nbefore,0,5,50\nempty,0,9,0\n{rows}");
    let run = Folder::with(content).run(&["plan", "x.csv", "--capacity", "1"]);
    run.fails(
        1,
        &["at the peak, node 5, 78 bytes are alive: \
           t12 12, t11 11, t10 10, t9 9, t8 8, t7 7, t6 6, t5 5, t4 4, t3 3, and 2 more\n"],
    );
}

#[test]
fn ten_tensors_at_the_peak_are_all_listed() {
    let rows: String = (1..=10).map(|size| format!("t{size},5,6,{size}\n")).collect();
    let content = format!("id,lower,upper,size\n{rows}");
    Folder::with(content).run(&["plan", "x.csv", "--capacity", "1"]).fails(1, &["t2 2, t1 1\n"]);
}

#[test]
fn a_capacity_equal_to_the_bound_is_not_proven_too_small() {
    let plan = ABC_PLAN.replace("B,1,3,80,100", "B,1,3,80,140");
    let run = Folder::with(plan).run(&["check", "x.csv", "--capacity", "180"]).fails(1, &["short by 40"]);
    assert!(!run.err.contains("no plan fits"), "{}", run.err);
}

#[test]
fn the_peak_node_is_told_in_the_time_of_the_file() {
    let content = "id,lower,upper,size\nA,-3,-1,100\nB,-2,0,80\n";
    Folder::with(content).run(&["plan", "x.csv", "--capacity", "1"]).fails(1, &["at the peak, node -2, 180 bytes"]);
}

#[test]
fn capacities_of_2_gib_and_more_are_echoed_unchanged() {
    for capacity in [2147483648, 4294967296, 9223372036854775807, u64::MAX] {
        let text = capacity.to_string();
        let json = Folder::with(ABC).run(&["plan", "x.csv", "--json", "--capacity", &text]).ok().json();
        assert_eq!((&json["capacity"], &json["fits"], &json["short_by"]), (&capacity.into(), &true.into(), &0.into()));
    }
}

#[test]
fn an_arena_of_exactly_4_gib_fits_4_gib_and_nothing_less() {
    let folder = Folder::with("id,lower,upper,size,alignment\nA,0,2,4294967296,8\n");
    folder.run(&["plan", "x.csv", "--capacity", "4294967296"]).ok();
    folder.run(&["plan", "x.csv", "--capacity", "4294967295"]).fails(1, &["short by 1"]);
}

#[test]
fn json_tells_whether_the_plan_fits_and_how_much_is_missing() {
    let run = Folder::with(ABC).run(&["plan", "x.csv", "--json", "--capacity", "144"]).fails(1, &["short by 36"]);
    let json = run.json();
    assert_eq!((&json["capacity"], &json["fits"], &json["short_by"]), (&144.into(), &false.into(), &36.into()));
    assert_eq!(json["no_plan_fits"], true);
    let run = Folder::with(ABC_PLAN).run(&["check", "x.csv", "--json", "--capacity", "144"]).fails(1, &["short by 36"]);
    assert_eq!((&run.json()["valid"], &run.json()["fits"]), (&true.into(), &false.into()));
}

#[test]
fn json_tells_whether_it_is_proven_that_no_plan_fits() {
    // The offsets need 220 bytes, the bound is 180.
    let folder = Folder::with(ABC_PLAN.replace("B,1,3,80,100", "B,1,3,80,140"));
    for (capacity, proven) in [("179", true), ("180", false), ("219", false)] {
        let run = folder.run(&["check", "x.csv", "--json", "--capacity", capacity]).fails(1, &["short by"]);
        assert_eq!(run.json()["no_plan_fits"], proven);
    }
}

#[test]
fn a_tensor_that_fits_exactly_is_charged_no_padding() {
    let folder = Folder::with("id,lower,upper,size,alignment\nA,0,1,16379,8\n");
    let json = folder.run(&["plan", "x.csv", "--json", "--capacity", "16384"]).ok().json();
    assert_eq!(json["arena_size"], 16379);
    let folder = Folder::with("id,lower,upper,size\nA,0,1,100\n");
    folder.run(&["plan", "x.csv", "--capacity", "100"]).ok();
    folder.run(&["plan", "x.csv", "--capacity", "99"]).fails(1, &["needs 100, capacity 99, short by 1"]);
}

#[test]
fn a_scratch_tensor_counts_for_the_capacity() {
    let folder = Folder::with("id,lower,upper,size\nT,0,3,100\nS,1,2,40\n");
    folder.run(&["plan", "x.csv", "--capacity", "140"]).ok();
    folder.run(&["plan", "x.csv", "--capacity", "139"]).fails(1, &["needs 140, capacity 139, short by 1"]);
}

#[test]
fn a_capacity_that_is_no_number_of_bytes_is_a_usage_error() {
    let expected = "for '--capacity <BYTES>': expected a whole number from 0 to 18446744073709551615";
    for capacity in ["18446744073709551616", "1e3", "lots", ""] {
        Folder::with(ABC).run(&["plan", "x.csv", &format!("--capacity={capacity}")]).refused(&[expected]);
    }
    Folder::with(ABC).run(&["plan", "x.csv", "--capacity", "-1"]).refused(&["'-1'", expected]);
}
