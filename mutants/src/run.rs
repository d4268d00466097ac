//! Runs the tests: all of them once, and for a mutant those that reach it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{self, sleep};
use std::time::Duration;

use crate::weave::Mutant;

/// So many tests at a time.
const JOBS: usize = 2;
const TICK: Duration = Duration::from_millis(4);

pub struct Test {
    program: PathBuf,
    arguments: Vec<String>,
    pub name: String,
    seconds: f64,
    places: BTreeSet<u32>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum End {
    Passed,
    Failed,
    /// It took too much time.
    TimedOut,
}

impl End {
    /// What became of a mutant with which the test ended so.
    pub fn outcome(self) -> &'static str {
        match self {
            End::Passed => "missed",
            End::Failed => "caught",
            End::TimedOut => "timeout",
        }
    }
}

impl Test {
    /// Runs it with a mutant, for four times as long as it takes without.
    pub fn ask(&self, mutant: u32, tree: &Path) -> End {
        let seconds = 2 + (4.0 * self.seconds) as u64;
        run_test(self, tree, ("AETHER_MUTANT", &mutant.to_string()), seconds).0
    }
}

/// Runs a test in a process, with so many seconds of processor time, and twenty times as many by the clock. Returns how
/// many it took too.
///
/// The clock is counted in naps, so that a run that is stopped and continued loses nothing.
fn run_test(test: &Test, tree: &Path, variable: (&str, &str), seconds: u64) -> (End, f64) {
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -t {seconds}; ulimit -v 8000000; exec \"$0\" \"$@\""))
        .arg(&test.program)
        .args(&test.arguments)
        .env(variable.0, variable.1)
        .env("RUST_BACKTRACE", "0")
        .current_dir(tree)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("sh");
    let (mut naps, mut used) = (Duration::ZERO, 0.0);
    loop {
        used = seconds_of(child.id()).unwrap_or(used);
        if let Some(status) = child.try_wait().expect("a child") {
            use std::os::unix::process::ExitStatusExt;
            // What a driver in C ends with where it lacks a recorded input.
            const SKIPPED: i32 = 77;
            const KILL: i32 = 9;
            const SIGXCPU: i32 = 24;
            let end = match (status.code(), status.signal()) {
                (Some(0 | SKIPPED), _) => End::Passed,
                (_, Some(KILL | SIGXCPU)) => End::TimedOut,
                _ => End::Failed,
            };
            return (end, used);
        }
        if naps > Duration::from_secs(20 * seconds) {
            child.kill().expect("a child");
        }
        sleep(TICK);
        naps += TICK;
    }
}

/// The processor time of a process so far, as Linux tells it in hundredths of a second.
fn seconds_of(process: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The fields after the name, which is in brackets: the 12th and 13th are its own time and the kernel's.
    let mut fields = text.rsplit(')').next()?.split_whitespace().skip(11).map(|field| field.parse::<f64>().ok());
    Some((fields.next()?? + fields.next()??) / 100.0)
}

/// The tests in these programs, and the drivers in C, each of which is one. With their times and what they reach, the
/// fastest first; those that take more than so many seconds are left out.
pub fn tests(programs: &[PathBuf], drivers: &[PathBuf], slowest: u64, tree: &Path) -> Vec<Test> {
    let stem = |path: &Path| path.file_stem().expect("a file").to_string_lossy().to_string();
    let mut tests = Vec::new();
    for program in programs {
        let output = Command::new(program).args(["--list", "--format=terse"]).output().expect("a test");
        for line in String::from_utf8(output.stdout).expect("names").lines() {
            let name = line.strip_suffix(": test").expect("a test");
            let arguments = [name, "--exact", "--test-threads=1", "--quiet"].map(str::to_string).to_vec();
            let name = format!("{} {name}", stem(program).split('-').next().expect("a name"));
            tests.push(Test {
                program: program.clone(),
                arguments,
                name,
                seconds: f64::INFINITY,
                places: BTreeSet::new(),
            });
        }
    }
    for program in drivers {
        let name = format!("{}.c", stem(program));
        tests.push(Test {
            program: program.clone(),
            arguments: vec![],
            name,
            seconds: f64::INFINITY,
            places: BTreeSet::new(),
        });
    }
    let folder = tree.join("places");
    fs::create_dir_all(&folder).expect("places");
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|| {
                while let Some((index, test)) = take(&next, &tests) {
                    let file = folder.join(test.name.replace([' ', ':'], "-"));
                    let known = read_places(&file, test).or_else(|| {
                        let raw = file.with_extension("raw");
                        let _ = fs::remove_file(&raw);
                        let (end, seconds) = run_test(test, tree, ("AETHER_PLACES", raw.to_str()?), slowest);
                        assert!(end != End::Failed, "{} fails without any mutant", test.name);
                        if end == End::TimedOut {
                            return None; // Of a slow test nothing is known, so it is never asked.
                        }
                        let places = fs::read_to_string(&raw).unwrap_or_default();
                        fs::write(&file, format!("{seconds}\n{places}")).expect("places");
                        read_places(&file, test)
                    });
                    found.lock().expect("a lock").extend(known.map(|known| (index, known)));
                }
            });
        }
    });
    for (index, (seconds, places)) in found.into_inner().expect("a lock") {
        (tests[index].seconds, tests[index].places) = (seconds, places);
    }
    tests.retain(|test| test.seconds <= slowest as f64);
    tests.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let lines: String = tests
        .iter()
        .map(|test| format!("{:8.3} s {:5} places {}\n", test.seconds, test.places.len(), test.name))
        .collect();
    fs::write(tree.join("tests.txt"), lines).expect("tests.txt");
    tests
}

/// What an earlier run found, if the program is the same.
fn read_places(file: &Path, test: &Test) -> Option<(f64, BTreeSet<u32>)> {
    let age = |path: &Path| fs::metadata(path).and_then(|data| data.modified());
    if age(file).ok()? < age(&test.program).ok()? {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let (seconds, places) = text.split_once('\n')?;
    Some((seconds.parse().ok()?, places.lines().map(|line| line.parse().expect("a place")).collect()))
}

fn take<'a, T>(next: &AtomicUsize, items: &'a [T]) -> Option<(usize, &'a T)> {
    let index = next.fetch_add(1, Relaxed);
    items.get(index).map(|item| (index, item))
}

/// The file `outcomes.txt`.
pub struct Log {
    known: BTreeMap<String, String>,
    file: File,
}

impl Log {
    pub fn of(tree: &Path) -> Log {
        let file = OpenOptions::new().create(true).append(true).open(tree.join("outcomes.txt"));
        Log { known: outcomes(tree), file: file.expect("outcomes.txt") }
    }

    /// Whether asking again would tell nothing new.
    pub fn is_settled(&self, mutant: &str) -> bool {
        let outcome = self.known.get(mutant).map(String::as_str);
        outcome.is_some_and(|outcome| ["caught", "timeout", "unviable"].contains(&outcome))
    }

    pub fn add(&mut self, outcome: &str, test: &str, mutant: &str) {
        self.file.write_all(format!("{outcome}\t{test}\t{mutant}\n").as_bytes()).expect("outcomes.txt");
    }
}

/// Writes a line a mutant: what became of it, by which test, and its name.
pub fn run(asked: &[&Mutant], woven: &[&Mutant], tests: &[Test], tree: &Path) {
    let log = Log::of(tree);
    let mut left = asked.to_vec();
    left.retain(|mutant| !log.is_settled(&mutant.name));
    left.sort_by_key(|mutant| log.known.contains_key(&mutant.name));
    // A place has the number of the first mutant that stands there.
    let mut places = BTreeMap::new();
    for mutant in woven {
        places.entry(mutant.place()).or_insert(mutant.number);
    }
    let log = Mutex::new(log);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|| {
                // The test that noticed one mutant often notices the next.
                let mut last = usize::MAX;
                while let Some((_, mutant)) = take(&next, &left) {
                    let place = places[&mutant.place()];
                    let asked = |test: &Test| test.places.contains(&place);
                    let mut order: Vec<usize> = (0..tests.len()).filter(|&index| asked(&tests[index])).collect();
                    order.sort_by_key(|&index| index != last);
                    let (mut outcome, mut by) = (if order.is_empty() { "unreached" } else { "missed" }, String::new());
                    for index in order {
                        let test = &tests[index];
                        let end = test.ask(mutant.number, tree);
                        if end != End::Passed {
                            outcome = end.outcome();
                            by = test.name.clone();
                            last = index;
                            break;
                        }
                    }
                    log.lock().expect("a lock").add(outcome, &by, &mutant.name);
                }
            });
        }
    });
}

/// The outcomes by mutant, of which the last counts.
pub fn outcomes(tree: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(tree.join("outcomes.txt")).unwrap_or_default();
    let field = |line: &str, index| line.split('\t').nth(index).expect("outcome, test, name").to_string();
    text.lines().map(|line| (field(line, 2), field(line, 0))).collect()
}
