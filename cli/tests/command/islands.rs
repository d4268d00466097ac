//! The islands of incidences in a file: labels, numbers, and what is refused.

use crate::common::traces;
use crate::folder::{Folder, Run};

fn islands(text: &str, options: &[&str]) -> Run {
    Folder::with(text).run(&[&["islands", "x.csv"], options].concat())
}

#[test]
fn labels_are_written_in_the_order_of_the_nodes() {
    let run = islands("3,1\n-1,4\n", &["-o", "-"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "node,label\n0,-1\n1,0\n2,-1\n3,0\n4,1\n"));
    assert!(run.err.starts_with("nodes                    5\n"), "{}", run.err);
    let folder = Folder::with("0 2 # touching\n\n");
    folder.run(&["islands", "x.csv", "-o", "labels.csv"]).ok();
    assert_eq!(folder.read("labels.csv"), "node,label\n0,0\n1,-1\n2,0\n");
}

#[test]
fn the_numbers_tell_the_islands_and_their_sizes() {
    let json = islands("# ntree=9,nisland=2\n3,1\n-1,4\n1,3\n", &["--json"]).ok().json();
    let numbers =
        ["nodes", "incidences", "static_incidences", "islands", "nodes_in_islands", "single_nodes", "largest"];
    assert_eq!(numbers.map(|key| json[key].as_u64().unwrap()), [9, 3, 1, 2, 3, 1, 2]);
    assert_eq!(json["sizes"], serde_json::json!([2, 1]));
    let text = islands("3,1\n", &[]).ok().out;
    assert!(text.starts_with("nodes                    4\nincidences               1\n"), "{text}");
}

#[test]
fn the_option_outranks_the_first_line() {
    assert_eq!(islands("# ntree=9\n0,1\n", &["--nodes", "3", "--json"]).ok().json()["nodes"], 3);
}

#[test]
fn nothing_has_no_islands() {
    let json = islands("", &["--json"]).ok().json();
    assert_eq!((&json["nodes"], &json["islands"], &json["largest"]), (&0.into(), &0.into(), &0.into()));
}

#[test]
fn a_bad_line_is_named() {
    islands("0,1\n\n-1,-1\n", &[]).fails(2, &["x.csv:3: incidence 1: both of its ends are static"]);
    islands("0,5\n", &["--nodes", "5"]).fails(2, &["x.csv:1: incidence 0: there is no node 5, the node count is 5"]);
    islands("0,-2\n", &[]).fails(2, &["x.csv:1: incidence 0: there is no node -2, the node count is 1"]);
    islands("0,1\n1\n", &[]).fails(2, &["x.csv:2: 1 fields: expected an incidence, two nodes"]);
    islands("0,1,2\n", &[]).fails(2, &["x.csv:1: 3 fields"]);
    islands("a,1\n", &[]).fails(2, &["x.csv:1: \"a\" is no node: expected an integer"]);
    islands("0,2147483648\n", &[]).fails(2, &["\"2147483648\" is no node"]);
    islands("0,1\n", &["--nodes", "2147483648"]).fails(2, &["2147483648 nodes are more than 2147483647"]);
    islands("0,2147483647\n", &[]).fails(2, &["x.csv"]);
}

#[test]
fn a_recorded_scene_has_the_islands_of_mujoco() {
    let Some(traces) = traces() else { return };
    let path = traces.join("mujoco/100_humanoids_step00500.inc.csv");
    let first = std::fs::read_to_string(&path).unwrap().lines().next().unwrap().to_string();
    let want = first.split("nisland=").nth(1).unwrap().split(',').next().unwrap().parse::<u64>().unwrap();
    let json = Folder::new().run(&["islands", path.to_str().unwrap(), "--json"]).ok().json();
    assert_eq!(json["islands"].as_u64(), Some(want));
}
