//! Boost.Graph's transitive reduction, where its headers are: a C++ program that the benchmark builds and feeds.
//!
//! The compiler finds the headers in the system's folders, or in one that `CPLUS_INCLUDE_PATH` names.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::graphs::Graph;

pub struct Boost {
    program: PathBuf,
}

impl Boost {
    /// Builds the program into `folder`; says why not.
    pub fn build(folder: &Path) -> Result<Boost, String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/reference/boost.cpp");
        let program = folder.join("boost-transitive-reduction");
        let compiler = Command::new("c++")
            .args(["-O2", "-std=c++14", "-o"])
            .args([&program, &source])
            .output()
            .map_err(|error| format!("c++: {error}"))?;
        match compiler.status.success() {
            true => Ok(Boost { program }),
            false => Err(String::from_utf8_lossy(&compiler.stderr).lines().next().unwrap_or("c++ failed").to_string()),
        }
    }

    /// The median milliseconds of its runs, which are its own and not interleaved with others, and the edges it keeps.
    pub fn run(&self, graph: &Graph) -> (f64, usize) {
        let mut child = Command::new(&self.program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program that was built");
        let mut input = BufWriter::new(child.stdin.take().expect("a pipe"));
        writeln!(input, "{} {}", graph.nodes, graph.edges.len()).expect("a reader");
        graph.edges.iter().for_each(|(from, to)| writeln!(input, "{from} {to}").expect("a reader"));
        drop(input);
        let output = child.wait_with_output().expect("an end");
        assert!(output.status.success(), "Boost on {}: {}", graph.name, output.status);
        let text = String::from_utf8(output.stdout).expect("text");
        let (time, kept) = text.trim().split_once(' ').expect("a time and a count");
        (time.parse().expect("a time"), kept.parse().expect("a count"))
    }
}
