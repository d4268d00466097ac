//! Why the command ends without a good answer, and with which exit code.
//!
//! A message begins with the file, and with the line where there is one, so that editors can jump to it.

use std::io::Write;
use std::process::ExitCode;

use crate::interrupt;

/// A message for standard error and the exit code that goes with it.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// The question was answered, and the answer is no: an invalid plan, or a capacity exceeded.
    pub fn verdict(message: String) -> Failure {
        Failure { code: 1, message }
    }

    /// The question could not be asked: a bad field, an unreadable file, numbers that do not fit.
    pub fn input(message: String) -> Failure {
        Failure { code: 2, message }
    }

    /// Ctrl-C ended the work early. There is an answer, as good as it got.
    pub fn interrupted(source: &str) -> Failure {
        let message = format!("{source}: interrupted: this is the best plan so far, and a smaller one may exist");
        Failure { code: interrupt::EXIT_CODE, message }
    }

    /// The same, about a part of the work.
    pub fn about(self, part: &str) -> Failure {
        Failure { message: format!("{} ({part})", self.message), ..self }
    }

    /// Several at once: all messages, and the highest exit code. None where there are none.
    pub fn all(failures: Vec<Failure>) -> Option<Failure> {
        failures.into_iter().reduce(|a, b| Failure { code: a.code.max(b.code), message: a.message + "\n" + &b.message })
    }

    /// Tells the user. Nobody is left to tell if standard error is closed too.
    pub fn report(self) -> ExitCode {
        let _ = writeln!(std::io::stderr(), "{}", self.message);
        ExitCode::from(self.code)
    }
}
