//! `plan --algorithm search`: the smallest arena, its limits, seeds and jobs, and what it tells while it runs.

use serde_json::{Value, json};

use crate::folder::{ABC, Folder};

/// C and D fill 8 bytes at time 5, so one of them is at 0 and the other at 4. With C at 0 the rest fits above or below:
/// A at 5, E at 3, B at 0. No planner finds that: the best of them needs 9.
const BETTER_THAN_GREEDY: &str = "id,lower,upper,size\nA,2,4,3\nB,0,2,3\nC,3,6,4\nD,5,6,4\nE,1,3,2\n";

/// A problem that no search can finish in the time of a test. Its alignments hold L at 0, R at half + 1 and so the wall
/// between them, if the arena is to be 2 * half + 1, which all of it fills. The items would have to be split into two
/// sums of half, which is odd, and they are even: a search would have to try nearly all of 2^40 ways. One byte more is
/// enough: then the wall is at the top.
fn endless() -> Folder {
    let mut random = Random(1);
    let mut items: Vec<u64> = (0..40).map(|_| 2 * (random.below(1 << 24) + 1)).collect();
    if items.iter().sum::<u64>() % 4 == 0 {
        items[0] += 2;
    }
    let half = items.iter().sum::<u64>() / 2;
    let mut rows = format!("L,0,1,{half},{}\nR,0,1,{half},{}\nwall,0,2,1,1\n", 4 * half, half + 1);
    for (k, item) in items.iter().enumerate() {
        rows += &format!("item{k},1,2,{item},1\n");
    }
    Folder::with(format!("id,lower,upper,size,alignment\n{rows}"))
}

/// Rows that fill an arena of 1000 bytes from time 0 to 100 without a hole: a rectangle that is cut again and again.
fn full_arena(rows: usize) -> String {
    let mut random = Random(7);
    let mut pieces = vec![(0, 100, 0, 1000)];
    while pieces.len() < rows {
        let (k, _) =
            pieces.iter().enumerate().max_by_key(|(_, piece)| (piece.1 - piece.0) * (piece.3 - piece.2)).unwrap();
        let (left, right, bottom, top) = pieces.swap_remove(k);
        let (width, height) = (right - left, top - bottom);
        if width > 1 && (height == 1 || random.below(2) == 0) {
            let cut = left + 1 + random.below(width - 1);
            pieces.extend([(left, cut, bottom, top), (cut, right, bottom, top)]);
        } else {
            let cut = bottom + 1 + random.below(height - 1);
            pieces.extend([(left, right, bottom, cut), (left, right, cut, top)]);
        }
    }
    pieces.sort_by_key(|&(left, _, bottom, _)| (left, bottom));
    let row = |(k, (left, right, bottom, top)): (usize, &(u64, u64, u64, u64))| {
        format!("r{k},{left},{right},{}\n", top - bottom)
    };
    "id,lower,upper,size\n".to_string() + &pieces.iter().enumerate().map(row).collect::<String>()
}

/// The generator of Knuth's MMIX.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

// The answer

#[test]
fn the_smallest_arena_is_found_where_no_planner_finds_it() {
    let folder = Folder::with(BETTER_THAN_GREEDY);
    let json = folder.run(&["plan", "x.csv", "--json", "-o", "plan.csv"]).ok().json();
    assert_eq!(
        (&json["algorithm"], &json["arena_size"], &json["optimal"]),
        (&"search".into(), &8.into(), &true.into())
    );
    assert_eq!(folder.run(&["check", "plan.csv", "--json"]).ok().json()["arena_size"], 8);
    let json = folder.run(&["plan", "x.csv", "--json", "--algorithm", "portfolio"]).ok().json();
    assert_eq!((&json["arena_size"], &json["optimal"]), (&9.into(), &false.into()));
}

#[test]
fn the_bound_rises_where_no_plan_reaches_the_peak() {
    // In 7 bytes L is at 0, R at 4 and the wall at 3, which leaves twice 3 bytes for three items of 2. With 8 the wall
    // is at 7.
    let rows = "L,0,1,3,12\nR,0,1,3,4\nwall,0,2,1,1\na,1,2,2,1\nb,1,2,2,1\nc,1,2,2,1\n";
    let folder = Folder::with(format!("id,lower,upper,size,alignment\n{rows}"));
    let json = folder.run(&["plan", "x.csv", "--json"]).ok().json();
    assert_eq!(
        (&json["peak_live_bytes"], &json["lower_bound"], &json["arena_size"]),
        (&7.into(), &8.into(), &8.into())
    );
    assert_eq!(json["stopped_by"], "optimal");
}

#[test]
fn a_problem_without_rows_needs_no_search() {
    let json = Folder::with("id,lower,upper,size\n").run(&["plan", "x.csv", "--json"]).ok().json();
    assert_eq!((&json["arena_size"], &json["nodes"], &json["stopped_by"]), (&0.into(), &0.into(), &"optimal".into()));
}

#[test]
fn json_tells_the_nodes_the_seed_and_why_the_search_ended() {
    let folder = Folder::with(BETTER_THAN_GREEDY);
    let mut json = folder.run(&["plan", "x.csv", "--json", "--seed", "3"]).ok().json();
    assert!(json["nodes"].as_u64().unwrap() > 0, "{json}");
    for number in ["nodes", "seconds", "planner"] {
        json.as_object_mut().unwrap().remove(number).unwrap();
    }
    let expected = json!({
        "tensors": 5, "arena_size": 8, "arena_alignment": 1, "lower_bound": 8, "gap_percent": 0.0, "peak_live_bytes": 8,
        "peak_node": 5, "optimal": true, "algorithm": "search", "seed": 3, "stopped_by": "optimal",
    });
    assert_eq!(json, expected);
}

#[test]
fn only_a_search_tells_nodes() {
    let json = Folder::with(ABC).run(&["plan", "x.csv", "--json", "--algorithm", "portfolio"]).ok().json();
    assert_eq!((&json["nodes"], &json["seed"], &json["stopped_by"]), (&Value::Null, &Value::Null, &Value::Null));
}

#[test]
fn the_summary_tells_the_search() {
    let search_line = |content: &str, options: &[&str]| {
        let run = Folder::with(content).run(&[&["plan", "x.csv"], options].concat()).ok();
        run.out.lines().find(|line| line.starts_with("search ")).map(str::to_string)
    };
    assert_eq!(search_line(ABC, &[]).unwrap(), "search                   not needed");
    assert_eq!(
        search_line(BETTER_THAN_GREEDY, &["--work-limit", "0"]).unwrap(),
        "search                   0 nodes with seed 0, ended by --work-limit"
    );
    let line = search_line(BETTER_THAN_GREEDY, &["--seed", "5"]).unwrap();
    assert!(line.ends_with(" nodes with seed 5, proven optimal"), "{line}");
    let run = Folder::with(BETTER_THAN_GREEDY).run(&["plan", "x.csv"]).ok();
    assert!(run.out.starts_with("planner                  search, from the plan of "), "{}", run.out);
    assert_eq!(search_line(BETTER_THAN_GREEDY, &["--algorithm", "portfolio"]), None);
}

#[test]
fn compare_has_a_column_for_the_search_where_it_is_asked_for() {
    let folder = Folder::with(BETTER_THAN_GREEDY);
    let run = folder.run(&["compare", "x.csv", "--algorithm", "portfolio,search"]).ok();
    assert!(run.out.contains("x.csv                   1.1250   1.0000*\n"), "{}", run.out);
}

// Limits

#[test]
fn a_work_limit_of_0_is_the_plan_of_the_portfolio() {
    for content in [BETTER_THAN_GREEDY.to_string(), full_arena(120)] {
        let folder = Folder::with(content);
        let json = folder.run(&["plan", "x.csv", "--work-limit", "0", "-o", "search.csv", "--json"]).ok().json();
        assert_eq!((&json["nodes"], &json["stopped_by"]), (&0.into(), &"work-limit".into()));
        let portfolio = folder.run(&["plan", "x.csv", "--algorithm", "portfolio", "-o", "portfolio.csv", "--json"]);
        assert_eq!(json["planner"], portfolio.ok().json()["planner"]);
        assert_eq!(folder.read("search.csv"), folder.read("portfolio.csv"));
    }
}

#[test]
fn a_work_limit_ends_the_search_after_exactly_so_many_nodes() {
    let json = endless().run(&["plan", "x.csv", "--work-limit", "1234", "--json"]).ok().json();
    assert_eq!((&json["nodes"], &json["stopped_by"]), (&1234.into(), &"work-limit".into()));
    assert_eq!(json["optimal"], false);
}

#[test]
fn a_time_limit_ends_the_search_with_a_valid_plan() {
    let folder = endless();
    let arguments = ["plan", "x.csv", "--work-limit", "none", "--time-limit", "0.25", "-o", "plan.csv", "--json"];
    let json = folder.run(&arguments).fails(0, &[]).json();
    assert_eq!((&json["stopped_by"], &json["optimal"]), (&"time-limit".into(), &false.into()));
    assert!(json["seconds"].as_f64().unwrap() >= 0.25, "{json}");
    assert_eq!(folder.run(&["check", "plan.csv", "--json"]).ok().json()["arena_size"], json["arena_size"]);
}

#[test]
fn a_time_limit_of_0_still_gives_a_valid_plan() {
    let folder = endless();
    for jobs in ["1", "2"] {
        let arguments =
            ["plan", "x.csv", "--time-limit", "0", "--seeds", "2", "--jobs", jobs, "-o", "plan.csv", "--json"];
        assert_eq!(folder.run(&arguments).ok().json()["stopped_by"], "time-limit");
        folder.run(&["check", "plan.csv"]).ok();
    }
}

#[test]
fn limits_and_counts_that_mean_nothing_are_named() {
    let folder = Folder::with(ABC);
    for value in ["-1", "1e6", "1.5", "", "all", "18446744073709551616"] {
        let expected = "for '--work-limit <NODES>': expected a whole number from 0 to 18446744073709551615, or none";
        folder.run(&["plan", "x.csv", "--work-limit", value]).refused(&[value, expected]);
    }
    for value in ["-1", "nan", "inf", "", "1m", "1e30"] {
        let expected = "for '--time-limit <SECONDS>': expected a number of seconds, 0 or more, or none";
        folder.run(&["plan", "x.csv", "--time-limit", value]).refused(&[value, expected]);
    }
    for option in ["--seeds", "--jobs"] {
        for value in ["0", "-1", "x", ""] {
            folder.run(&["plan", "x.csv", option, value]).refused(&[value, option, "expected a whole number from 1"]);
        }
    }
    for value in ["-1", "x", "1.5", ""] {
        folder.run(&["plan", "x.csv", "--seed", value]).refused(&[value, "--seed", "expected a whole number from 0"]);
    }
}

// Seeds and jobs

/// The plan of x.csv as text, and what the search told about it, without the time.
fn searched(folder: &Folder, options: &[&str]) -> (String, Value) {
    let arguments = ["plan", "x.csv", "-o", "plan.csv", "--json", "--time-limit", "none"];
    let mut json = folder.run(&[&arguments, options].concat()).fails(0, &[]).json();
    json.as_object_mut().unwrap().remove("seconds");
    (folder.read("plan.csv"), json)
}

/// Of the seeds 0 to 3, each searched alone, the answer that ranks first.
fn best_alone(folder: &Folder, work_limit: &str) -> (String, Value) {
    let alone = ["0", "1", "2", "3"].map(|seed| searched(folder, &["--work-limit", work_limit, "--seed", seed]));
    let number = |answer: &Value, name: &str| answer[name].as_u64().unwrap();
    let rank = |(_, json): &(String, Value)| {
        let bound = u64::MAX - number(json, "lower_bound");
        (number(json, "arena_size"), bound, number(json, "nodes"), number(json, "seed"))
    };
    alone.into_iter().min_by_key(rank).unwrap()
}

#[test]
fn any_number_of_jobs_gives_the_answer_that_ranks_first_among_the_seeds() {
    let folder = Folder::with(full_arena(120));
    let mut stops = Vec::new();
    for work_limit in ["100", "3000", "100000"] {
        let expected = best_alone(&folder, work_limit);
        for jobs in ["1", "2", "4"] {
            let options = ["--work-limit", work_limit, "--seeds", "4", "--jobs", jobs];
            assert_eq!(searched(&folder, &options), expected, "--work-limit {work_limit} --jobs {jobs}");
        }
        stops.push(expected.1["stopped_by"].clone());
    }
    assert_eq!((&stops[0], &stops[2]), (&"work-limit".into(), &"optimal".into()));
}

#[test]
fn the_seeds_begin_where_they_are_told_to() {
    let folder = Folder::with(BETTER_THAN_GREEDY);
    let json = searched(&folder, &["--seed", "18446744073709551615", "--seeds", "2"]).1;
    assert_eq!(json["arena_size"], 8);
}

// While it runs

#[test]
fn a_search_of_seconds_tells_its_progress_in_lines() {
    let run = endless().run(&["plan", "x.csv", "--work-limit", "none", "--time-limit", "1.5"]);
    let run = run.fails(0, &["x.csv: ", " s: arena "]);
    let is_progress = |line: &str| {
        let mut parts = [", bound ", ", gap 0.00 %, ", " nodes/s"].iter();
        line.starts_with("x.csv: ") && line.contains(" s: arena ") && parts.all(|part| line.contains(part))
    };
    assert!(run.err.lines().all(is_progress), "{}", run.err);
}

#[cfg(unix)]
mod interrupt {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ChildStderr, Command, Stdio};

    use super::{BETTER_THAN_GREEDY, endless};
    use crate::folder::{BINARY, Folder, Run};

    /// An endless search that is under way: it told its progress, which is read.
    fn running(folder: &Folder, options: &[&str]) -> (Child, BufReader<ChildStderr>) {
        let mut command = Command::new(BINARY);
        command.args(["plan", "x.csv", "--work-limit", "none", "--time-limit", "none"]).args(options);
        command.current_dir(&folder.0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        err.read_line(&mut line).unwrap();
        assert!(line.starts_with("x.csv: ") && line.contains(" s: arena "), "{line}");
        (child, err)
    }

    fn press_ctrl_c(child: &Child) {
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    }

    fn rest(child: Child, err: BufReader<ChildStderr>) -> Run {
        let lines: Vec<String> = err.lines().map(Result::unwrap).collect();
        let mut run = Run::from(child.wait_with_output().unwrap());
        run.err = lines.join("\n");
        run
    }

    #[test]
    fn ctrl_c_ends_the_search_and_the_best_plan_is_written() {
        for options in [&[][..], &["--seeds", "3", "--jobs", "2"]] {
            let folder = endless();
            let (child, err) = running(&folder, &[options, &["-o", "plan.csv", "--json"]].concat());
            press_ctrl_c(&child);
            let run = rest(child, err).fails(130, &["x.csv: interrupted: this is the best plan so far"]);
            let json = run.json();
            assert_eq!((&json["stopped_by"], &json["optimal"]), (&"interrupt".into(), &false.into()));
            assert_eq!(folder.names(), ["plan.csv", "x.csv"]);
            let check = folder.run(&["check", "plan.csv", "--json"]).ok().json();
            assert_eq!(check["arena_size"], json["arena_size"]);
        }
    }

    #[test]
    fn a_plan_that_was_interrupted_is_judged_by_the_capacity_too() {
        let folder = endless();
        let (child, err) = running(&folder, &["--capacity", "1"]);
        press_ctrl_c(&child);
        let run = rest(child, err).fails(130, &["x.csv: interrupted", "capacity 1, short by"]);
        assert!(run.out.contains(" nodes with seed 0, interrupted\n"), "{}", run.out);
    }

    #[test]
    fn a_second_ctrl_c_ends_the_command_at_once() {
        // The plan goes to a pipe that nobody reads, so the command waits there.
        let folder = endless();
        assert!(Command::new("mkfifo").arg(folder.0.join("pipe")).status().unwrap().success());
        let (mut child, mut err) = running(&folder, &["-o", "pipe"]);
        press_ctrl_c(&child);
        // Once the search is over its progress is no longer told, and the pipe is all that is left.
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(child.try_wait().unwrap(), None);
        press_ctrl_c(&child);
        assert_eq!(child.wait().unwrap().signal(), Some(2));
        let mut line = String::new();
        assert_eq!(err.read_line(&mut line).unwrap(), 0, "{line}");
    }

    #[test]
    fn a_search_that_was_not_interrupted_is_none_the_worse_for_listening() {
        Folder::with(BETTER_THAN_GREEDY).run(&["plan", "x.csv"]).ok();
    }
}
