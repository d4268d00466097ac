//! Values of options. What clap says of a bad one of its own accord is about types of Rust.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

pub fn whole_number(text: &str) -> Result<u64, String> {
    number(text, 0, u64::MAX, "")
}

pub fn bytes(text: &str) -> Result<usize, String> {
    number(text, 0, usize::MAX, "")
}

pub fn at_least_1(text: &str) -> Result<NonZeroUsize, String> {
    number(text, 1, usize::MAX, "")
}

/// `none` is as much as can be counted.
pub fn whole_number_or_none(text: &str) -> Result<u64, String> {
    if text == "none" { Ok(u64::MAX) } else { number(text, 0, u64::MAX, ", or none") }
}

/// None: no limit. A type of its own, since clap takes an `Option` for an option that may be left out.
#[derive(Clone, Copy)]
pub struct TimeLimit(pub Option<Duration>);

pub fn time_limit(text: &str) -> Result<TimeLimit, String> {
    if text == "none" {
        return Ok(TimeLimit(None));
    }
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match seconds {
        Some(limit) => Ok(TimeLimit(Some(limit))),
        None => Err("expected a number of seconds, 0 or more, or none".to_string()),
    }
}

/// Where standard output is taken.
pub fn file(text: &str) -> Result<PathBuf, String> {
    if text == "-" { Err("expected a file".to_string()) } else { Ok(PathBuf::from(text)) }
}

fn number<T: FromStr>(text: &str, least: u8, most: impl Display, or: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("expected a whole number from {least} to {most}{or}"))
}
