//! Ctrl-C: the first asks for an end with the best plan so far, the second ends the command at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// The exit code of a shell for what Ctrl-C ended.
pub const EXIT_CODE: u8 = 130;

/// From now on Ctrl-C sets the flag, and ends the command only where the flag is set. Where that cannot be arranged,
/// Ctrl-C goes on to end it at once.
pub fn flag() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // In this order: each Ctrl-C looks at the flag before it sets it.
    let armed = flag::register_conditional_default(SIGINT, Arc::clone(&interrupted));
    let _ = armed.and_then(|_| flag::register(SIGINT, Arc::clone(&interrupted)));
    interrupted
}
