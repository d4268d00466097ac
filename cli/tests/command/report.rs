//! `aether report`: what a plan's arena is made of.

use serde_json::{Value, json};

use crate::folder::{ABC, ABC_PLAN, Folder};

#[track_caller]
fn report(plan: impl AsRef<[u8]>) -> Value {
    Folder::with(plan).run(&["report", "x.csv", "--json"]).ok().json()
}

#[test]
fn the_peak_is_told_with_those_who_are_live_there() {
    let report = report(ABC_PLAN);
    assert_eq!(
        (&report["peak_live_bytes"], &report["peak_node"], &report["peak_nodes"]),
        (&json!(180), &json!(1), &json!(1))
    );
    let live: Vec<_> =
        report["live_at_peak"].as_array().unwrap().iter().map(|live| (&live["id"], &live["bytes"])).collect();
    assert_eq!(live, [(&json!("A"), &json!(100)), (&json!("B"), &json!(80))]);
    let percent = report["live_at_peak"][0]["percent_of_peak"].as_f64().unwrap();
    assert!((percent - 100.0 / 1.8).abs() < 1e-9);
}

/// Without A at node 1 the peak is B and C at node 2; without B there, it is that too.
#[test]
fn each_holder_tells_the_peak_if_it_lived_a_node_less() {
    let report = report(ABC_PLAN);
    let holders = report["holders"].as_array().unwrap();
    let told = |k: usize| {
        let holder = &holders[k];
        ["id", "peak_if_one_node_shorter", "saved", "leaves_the_peak_when_shorter_by"].map(|name| holder[name].clone())
    };
    assert_eq!(holders.len(), 2);
    assert_eq!(told(0), [json!("A"), json!(140), json!(40), json!(1)]);
    assert_eq!(told(1), [json!("B"), json!(140), json!(40), json!(1)]);
}

#[test]
fn a_peak_at_two_nodes_is_not_lowered_by_one_node_less() {
    let report = report("id,lower,upper,size,offset\nA,0,4,100,0\nB,1,3,80,100\n");
    assert_eq!(report["peak_nodes"], 2);
    // A must end before node 1 or begin after node 2; B is gone with two nodes less.
    let told: Vec<_> =
        report["holders"].as_array().unwrap().iter().map(|h| h["leaves_the_peak_when_shorter_by"].clone()).collect();
    assert_eq!((told, &report["holders"][0]["saved"]), (vec![json!(3), json!(2)], &json!(0)));
}

/// B begins at 128 for its alignment of 64, 28 bytes above A. C lies 100 bytes above B for no reason.
#[test]
fn bytes_are_lost_to_alignment_or_to_fragmentation() {
    let plan = "id,lower,upper,size,alignment,offset\nA,0,1,100,1,0\nB,0,1,72,64,128\nC,0,1,10,1,300\n";
    let top = report(plan)["top"].clone();
    let expected = json!({"node": 0, "live_bytes": 182, "lost_to_alignment": 28, "lost_to_fragmentation": 100});
    assert_eq!(top, expected);
}

#[test]
fn an_alignment_may_be_asked_for() {
    let folder = Folder::with("id,lower,upper,size,offset\nA,0,1,100,0\nB,0,1,72,128\n");
    let lost = |options: &[&str]| {
        folder.run(&[&["report", "x.csv", "--json"], options].concat()).ok().json()["top"]["lost_to_alignment"].clone()
    };
    assert_eq!((lost(&[]), lost(&["--alignment", "64"])), (json!(0), json!(28)));
}

/// D is the highest at nodes 0 to 5. At node 3 it has A beside it, else nothing.
#[test]
fn the_top_node_is_where_the_highest_tensor_has_most_company() {
    let top = report("id,lower,upper,size,offset\nD,0,6,10,100\nA,3,4,60,0\n")["top"].clone();
    assert_eq!((&top["node"], &top["live_bytes"], &top["lost_to_fragmentation"]), (&json!(3), &json!(70), &json!(40)));
}

#[test]
fn a_window_counts_as_the_bytes_that_stay_in_use() {
    // At node 1 only 10 bytes of A are in use, so the peak is node 0.
    let report = report("id,lower,upper,size,gaps,offset\nA,0,2,100,1-2@90:100,0\nB,1,2,80,,0\n");
    assert_eq!((&report["peak_live_bytes"], &report["peak_node"]), (&json!(100), &json!(0)));
    assert_eq!(
        report["top"],
        json!({"node": 0, "live_bytes": 100, "lost_to_alignment": 0, "lost_to_fragmentation": 0})
    );
}

#[test]
fn without_bytes_there_is_no_peak() {
    for plan in ["id,lower,upper,size,offset\n", "id,lower,upper,size,offset\nA,0,5,0,\n"] {
        let report = report(plan);
        assert_eq!(
            (&report["peak_node"], &report["top"], &report["live_at_peak"]),
            (&Value::Null, &Value::Null, &json!([]))
        );
        Folder::with(plan).run(&["report", "x.csv"]).ok();
        Folder::with(plan).run(&["report", "x.csv", "--markdown"]).ok();
    }
}

#[test]
fn people_get_tables() {
    let out = Folder::with(ABC_PLAN).run(&["report", "x.csv"]).ok().out;
    for part in [
        "arena                    180 bytes, optimal\n",
        "peak node                1\n",
        "  lost to fragmentation  0 bytes\n",
        "Live at the peak, node 1 (2 tensors)\n  id  bytes  % of peak  lives  offset\n  A     100      55.56   0..1 ",
        "  id  bytes  lives  peak then  saved  off the peak when shorter by\n  A     100   0..1        140     40",
    ] {
        assert!(out.contains(part), "{part:?} in {out}");
    }
}

#[test]
fn a_long_list_is_cut_and_the_rest_summed_up() {
    let rows: String = (0..25).map(|k| format!("r{k},0,1,{},{}\n", 10, 10 * k)).collect();
    let plan = format!("id,lower,upper,size,offset\n{rows}");
    let out = Folder::with(&plan).run(&["report", "x.csv"]).ok().out;
    assert!(out.contains("(25 tensors)") && out.contains("  5 more     50      20.00\n"), "{out}");
    assert_eq!(report(&plan)["live_at_peak"].as_array().unwrap().len(), 25);
    assert_eq!(report(&plan)["holders"].as_array().unwrap().len(), 10);
}

#[test]
fn markdown_is_not_broken_by_names() {
    let plan = "id,lower,upper,size,offset\n\"a|b<i>`*\",0,1,8,0\n";
    let out = Folder::with(plan).run(&["report", "x.csv", "--markdown"]).ok().out;
    assert!(out.contains("| a\\|b\\<i\\>\\`\\* | 8 | 100.00 | 0..0 | 0 |\n"), "{out}");
    Folder::new().run(&["report", "x.csv", "--markdown", "--json"]).refused(&["--json"]);
}

#[test]
fn an_invalid_plan_is_not_explained() {
    let folder = Folder::with("id,lower,upper,size,offset\nA,0,2,100,0\nB,1,3,80,50\n");
    let run = folder.run(&["report", "x.csv"]).fails(1, &["A [0,100) (line 2) and B [50,130) (line 3) overlap"]);
    assert_eq!(run.out, "");
    Folder::with(ABC).run(&["report", "x.csv"]).refused(&["no column offset"]);
}

#[test]
fn a_plan_may_come_from_standard_input() {
    let run = Folder::new().run_with_stdin(&["report", "-", "--json"], ABC_PLAN.as_bytes()).ok();
    assert_eq!(run.json()["arena_size"], 180);
}

/// Against counting at every node: the peak, those live there, and the peak after each is shortened at either end.
#[test]
fn random_plans_are_explained_as_counting_does() {
    let mut state = 7u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % limit
    };
    for round in 0..60 {
        let count = 1 + below(8);
        let tensors: Vec<(i64, i64, i64)> = (0..count)
            .map(|_| {
                let first = below(9) as i64 - 3;
                (first, first + below(4) as i64, 1 + below(5) as i64)
            })
            .collect();
        let mut offset = 0;
        let mut plan = "id,lower,upper,size,offset\n".to_string();
        for (id, (first, last, size)) in tensors.iter().enumerate() {
            plan += &format!("{id},{first},{},{size},{offset}\n", last + 1);
            offset += size;
        }
        let sum = |tensors: &[(i64, i64, i64)], node: i64| -> i64 {
            tensors.iter().filter(|(first, last, _)| (*first..=*last).contains(&node)).map(|tensor| tensor.2).sum()
        };
        let peak = |tensors: &[(i64, i64, i64)]| (-3..12).map(|node| sum(tensors, node)).max().unwrap();
        let node = (-3..12).find(|&node| sum(&tensors, node) == peak(&tensors)).unwrap();
        let report = report(&plan);
        assert_eq!(
            (&report["peak_live_bytes"], &report["peak_node"]),
            (&json!(peak(&tensors)), &json!(node)),
            "{plan}"
        );
        let mut live: Vec<i64> =
            tensors.iter().filter(|t| (t.0..=t.1).contains(&node)).map(|tensor| tensor.2).collect();
        live.sort_by_key(|size| -size);
        let told: Vec<i64> =
            report["live_at_peak"].as_array().unwrap().iter().map(|live| live["bytes"].as_i64().unwrap()).collect();
        assert_eq!(told, live, "round {round}: {plan}");
        for holder in report["holders"].as_array().unwrap() {
            let row: usize = holder["id"].as_str().unwrap().parse().unwrap();
            let with = |first, last| {
                let mut tensors = tensors.clone();
                (tensors[row].0, tensors[row].1) = (first, last);
                peak(&tensors)
            };
            let (first, last, _) = tensors[row];
            let then = with(first + 1, last).min(with(first, last - 1));
            assert_eq!(holder["peak_if_one_node_shorter"], then, "round {round}: {plan}");
            // Shortened at one end until it is live at no node that had the peak.
            let is_off = |first: i64, last: i64| (first..=last).all(|node| sum(&tensors, node) < peak(&tensors));
            let least = (1..20).find(|by| is_off(first + by, last) || is_off(first, last - by)).unwrap();
            assert_eq!(holder["leaves_the_peak_when_shorter_by"], least, "round {round}: {plan}");
        }
    }
}
