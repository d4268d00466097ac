//! What a search tells on standard error while it runs: a bar on a terminal, a few lines elsewhere.
//!
//! A search that ends at once tells nothing. The lines come after 1, 2, 4, ... seconds and from then on once a minute,
//! so that a log stays short however long the search runs.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use aether::arena::Plan;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::report;

/// When the bar appears.
const BAR_AFTER: Duration = Duration::from_millis(300);
const MOST_BETWEEN_LINES: Duration = Duration::from_secs(60);
const STEPS: u64 = 1000;

pub struct Progress<'a> {
    source: &'a str,
    start: Instant,
    /// None where standard error is no terminal.
    bar: Option<ProgressBar>,
    next_line: Duration,
}

impl<'a> Progress<'a> {
    pub fn new(source: &'a str) -> Progress<'a> {
        let bar =
            stderr().is_terminal().then(|| ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::hidden()));
        Progress { source, start: Instant::now(), bar, next_line: Duration::from_secs(1) }
    }

    /// The smallest arena and the largest bound so far, the nodes of all searches, and the share of the work or of the
    /// time that was spent, from 0 to 1.
    pub fn tell(&mut self, best: &Plan, nodes: u64, spent: f64, is_interrupted: bool) {
        let elapsed = self.start.elapsed();
        let numbers = || {
            let Plan { arena_size, lower_bound, .. } = *best;
            let gap = report::gap_percent(arena_size, lower_bound);
            let speed = nodes as f64 / elapsed.as_secs_f64().max(1e-3);
            format!("arena {arena_size}, bound {lower_bound}, gap {gap:.2} %, {speed:.0} nodes/s")
        };
        match &self.bar {
            Some(bar) if elapsed >= BAR_AFTER => {
                if bar.is_hidden() {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    if let Ok(style) = ProgressStyle::with_template("{bar:16} {wide_msg}") {
                        bar.set_style(style);
                    }
                }
                bar.set_position((spent * STEPS as f64) as u64);
                // A large problem may take seconds to hear of it.
                bar.set_message(match is_interrupted {
                    true => "ending with the best plan so far; Ctrl-C again ends at once".to_string(),
                    false => numbers(),
                });
            }
            None if elapsed >= self.next_line => {
                let seconds = elapsed.as_secs();
                let _ = writeln!(stderr(), "{}: {seconds} s: {}", self.source, numbers());
                self.next_line = elapsed + elapsed.min(MOST_BETWEEN_LINES);
            }
            _ => {}
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
