//! A fresh folder to run the command in.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

pub const BINARY: &str = env!("CARGO_BIN_EXE_aether");

/// Arena 180: at time 1 A and B are alive together, at time 2 B and C.
pub const ABC: &str = "id,lower,upper,size\nA,0,2,100\nB,1,3,80\nC,2,4,60\n";

/// ABC with its offsets.
pub const ABC_PLAN: &str = "id,lower,upper,size,offset\nA,0,2,100,0\nB,1,3,80,100\nC,2,4,60,0\n";

/// What is said of x.csv where each of its rows has an offset.
pub const ALL_PINNED: &str = "note: x.csv: the offset of every row is given, so there is nothing to plan; \
                              --ignore-offsets plans it anew\n";

pub struct Folder(pub PathBuf);

/// What a run of the command came to.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A folder with one file, x.csv.
    pub fn with(content: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::new();
        folder.write("x.csv", content);
        folder
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// The names of all files, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_with_stdin(arguments, b"")
    }

    pub fn run_with_stdin(&self, arguments: &[&str], stdin: &[u8]) -> Run {
        let mut command = Command::new(BINARY);
        command.args(arguments).current_dir(&self.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A run that ends without reading its input is fine.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        Run::from(child.wait_with_output().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Run {
    #[track_caller]
    pub fn ok(self) -> Run {
        self.noted("")
    }

    /// The run ended well, and standard error has these notes and nothing else.
    #[track_caller]
    pub fn noted(self, notes: &str) -> Run {
        assert_eq!((self.code, self.err.as_str()), (Some(0), notes), "standard output: {}", self.out);
        self
    }

    /// The run ended with `code`, told all `parts` on standard error, and did not panic.
    #[track_caller]
    pub fn fails(self, code: i32, parts: &[&str]) -> Run {
        assert_eq!(self.code, Some(code), "standard error: {}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "no {part:?} in {:?}", self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }

    /// Bad input: exit code 2, and nothing on standard output.
    #[track_caller]
    pub fn refused(self, parts: &[&str]) {
        let run = self.fails(2, parts);
        assert_eq!(run.out, "");
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

/// The offsets that `plan` gives, in row order.
#[track_caller]
pub fn offsets(problem: impl AsRef<[u8]>) -> Vec<usize> {
    offsets_with(problem, &[])
}

#[track_caller]
pub fn offsets_with(problem: impl AsRef<[u8]>, options: &[&str]) -> Vec<usize> {
    let folder = Folder::with(problem);
    folder.run(&[&["plan", "x.csv", "-o", "plan.csv"], options].concat()).ok();
    let plan = folder.read("plan.csv");
    let last = |line: &str| line.rsplit(',').next().unwrap().parse().unwrap();
    plan.lines().skip(1).map(last).collect()
}

#[track_caller]
pub fn arena(problem: impl AsRef<[u8]>) -> u64 {
    let json = Folder::with(problem).run(&["plan", "x.csv", "--json"]).ok().json();
    json["arena_size"].as_u64().unwrap()
}

/// Both verbs refuse the file, with all `parts` in the message.
#[track_caller]
pub fn both_refuse(content: impl AsRef<[u8]>, parts: &[&str]) {
    let folder = Folder::with(content);
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).refused(parts);
    folder.run(&["check", "x.csv"]).refused(parts);
    assert_eq!(folder.names(), ["x.csv"]);
}
