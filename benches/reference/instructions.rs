//! How many instructions a piece of a benchmark takes: the benchmark runs itself once more, under callgrind.
//!
//! That run, which [`asked`] knows, hands each piece to [`count`] and prints nothing; [`of_this_program`] gives the
//! counts in the same order. What it takes to hand over a piece is not counted.

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::sync::Once;

const ASKED: &str = "AETHER_BENCH_COUNTS_INSTRUCTIONS";

/// Is this the run that is counted?
pub fn asked() -> bool {
    std::env::var_os(ASKED).is_some()
}

/// Counts what the piece takes, where this is asked.
pub fn count(piece: &mut dyn FnMut() -> usize) {
    static NOTHING: Once = Once::new();
    NOTHING.call_once(|| aether_count_instructions(&mut || 0));
    aether_count_instructions(piece);
}

#[inline(never)]
#[unsafe(no_mangle)]
fn aether_count_instructions(piece: &mut dyn FnMut() -> usize) {
    black_box(piece());
}

/// The counts of a run of this program with these arguments; or why there are none.
pub fn of_this_program(arguments: &[&str]) -> Result<Vec<u64>, String> {
    let folder = std::env::temp_dir().join(format!("aether-instructions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let name = stringify!(aether_count_instructions);
    let valgrind = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no"])
        .args([format!("--toggle-collect={name}"), format!("--dump-after={name}")])
        .arg(format!("--callgrind-out-file={}", folder.join("counts").display()))
        .arg(std::env::current_exe().expect("this program"))
        .args(arguments)
        .env(ASKED, "1")
        .stdout(Stdio::null())
        .output()
        .map_err(|error| format!("valgrind: {error}"))
        .and_then(|run| match run.status.success() {
            true => Ok(()),
            false => Err(format!("valgrind: {}", run.status)),
        });
    let counts: Vec<u64> = (1..)
        .map_while(|k| std::fs::read_to_string(folder.join(format!("counts.{k}"))).ok())
        .map(|text| {
            let summary = text.lines().find_map(|line| line.strip_prefix("summary: ")).expect("a summary");
            summary.parse().expect("a count")
        })
        .collect();
    let _ = std::fs::remove_dir_all(&folder);
    valgrind?;
    match counts.split_first() {
        Some((nothing, counts)) => Ok(counts.iter().map(|count| count - nothing).collect()),
        None => Err("callgrind counted nothing".to_string()),
    }
}
