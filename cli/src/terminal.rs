//! What is only for people who watch: bold type, and a sign of life where something takes long.
//!
//! Neither is there where the stream is no terminal. Bold type is also off where NO_COLOR is set, as no-color.org asks.

use std::io::{IsTerminal, stderr, stdout};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Whether standard output may have bold type.
pub fn may_be_bold() -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stdout().is_terminal() && !no_color
}

/// A title, in bold where that may be.
pub fn title(text: &str) -> String {
    if may_be_bold() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
}

const QUIET: Duration = Duration::from_millis(500);
const TURN: Duration = Duration::from_millis(100);

/// Does some work that prints nothing; after half a second a turning sign on standard error tells that it goes on.
pub fn patiently<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if !stderr().is_terminal() {
        return work();
    }
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if is_done.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.set_message(what.to_string());
            while is_done.recv_timeout(TURN) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        let result = work();
        drop(done);
        result
    })
}
