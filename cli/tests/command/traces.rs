//! Real problems: every file of `minimalloc/` and `models/` is planned, and the plan is valid. That of a network is
//! proven optimal.

use std::fs;
use std::path::PathBuf;

use crate::common::traces;
use crate::folder::Folder;

#[test]
fn plans_of_the_real_problems_are_valid_and_those_of_networks_optimal() {
    let Some(traces) = traces() else { return };
    let not_problems = ["manifest.csv", "best-known.csv", "tie-order.csv", "tie-order-unstable.csv"];
    let mut planned = 0;
    for folder in ["minimalloc", "models"] {
        let entries = fs::read_dir(traces.join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let is_csv = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "csv");
        let is_problem =
            |path: &PathBuf| path.file_name().is_some_and(|name| !not_problems.iter().any(|no| *no == name));
        for path in paths.filter(is_csv).filter(is_problem) {
            let scratch = Folder::new();
            let path = path.to_str().unwrap();
            let plan =
                scratch.run(&["plan", path, "-o", "plan.csv", "--json", "--time-limit", "none"]).fails(0, &[]).json();
            assert!(folder == "minimalloc" || plan["optimal"] == true, "{path}");
            let check = scratch.run(&["check", "plan.csv", "--json"]).ok().json();
            for number in ["tensors", "arena_size", "lower_bound", "peak_live_bytes", "peak_node"] {
                assert_eq!(plan[number], check[number], "{number} of {path}");
            }
            planned += 1;
        }
    }
    assert_eq!(planned, 102);
}

#[test]
fn alignment_raises_the_bound_of_real_networks_above_their_peak() {
    let Some(traces) = traces() else { return };
    for (network, peak, bound) in [("zfnet512", 18629428, 18629520), ("inception_v1", 9389656, 9389776)] {
        let path = traces.join("mlir").join(network).with_extension("csv");
        let folder = Folder::new();
        let arguments = ["plan", path.to_str().unwrap(), "--alignment", "64", "--json", "-o", "plan.csv"];
        let plan = folder.run(&arguments).ok().json();
        assert_eq!((&plan["peak_live_bytes"], &plan["lower_bound"]), (&peak.into(), &bound.into()), "{network}");
        folder.run(&["check", "plan.csv", "--alignment", "64"]).ok();
    }
}
