//! Where answers go: standard output, standard error, or a file that is written whole or not at all.
//!
//! Every answer is complete before its first byte is written. A reader that went away (`aether plan x.csv | head -0`)
//! is no error.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::failure::Failure;

pub fn to_stdout(bytes: &[u8]) -> Result<(), Failure> {
    finish("standard output", write_all(io::stdout().lock(), bytes))
}

pub fn to_stderr(bytes: &[u8]) -> Result<(), Failure> {
    finish("standard error", write_all(io::stderr().lock(), bytes))
}

/// Something about a file that does not keep it from being worked with, but may not be what its author meant. It is
/// no part of the answer, so nothing depends on whether it can be written.
pub fn note(source: &str, what: impl Display) {
    let _ = writeln!(io::stderr(), "note: {source}: {what}");
}

/// Replaces the file in one step, so that a reader sees the old content or the new one, and a failure leaves the old.
pub fn to_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = match fs::metadata(path) {
        Err(_) if fs::symlink_metadata(path).is_err() => replace(path, bytes, None),
        Ok(old) if old.is_file() && old.permissions().readonly() => Err(ErrorKind::PermissionDenied.into()),
        Ok(old) if old.is_file() => {
            // The file behind a link is replaced, not the link.
            fs::canonicalize(path).and_then(|path| replace(&path, bytes, Some(old.permissions())))
        }
        // A device or a pipe takes the bytes, and stays what it is; so does a link whose file is not there yet.
        _ => File::create(path).and_then(|file| write_all(file, bytes)),
    };
    finish(&path.display().to_string(), written)
}

/// One line of JSON.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    match serde_json::to_string(value) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(Failure::input(format!("the JSON cannot be written: {error}"))),
    }
}

fn replace(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    // Two processes may have the same id, in two containers that share the directory.
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.subsec_nanos());
    let temporary = path.with_file_name(format!(".aether-{}-{nanos}.tmp", std::process::id()));
    let file = File::create_new(&temporary)?;
    // Before there is anything to read.
    let written = permissions
        .map_or(Ok(()), |permissions| file.set_permissions(permissions))
        .and_then(|()| write_all(&file, bytes))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_all(mut out: impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(bytes)?;
    out.flush()
}

fn finish(target: &str, written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::input(format!("{target}: cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}
