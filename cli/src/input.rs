//! Where problems come from: a file or standard input, unpacked where it is compressed, as text.

use std::io::Read as _;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

use crate::failure::Failure;

/// What messages call a file, and its bytes; `-` is standard input.
pub fn read(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let (source, content) = if path == Path::new("-") {
        let mut bytes = Vec::new();
        ("<stdin>".to_string(), std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (path.display().to_string(), std::fs::read(path))
    };
    match content {
        Ok(bytes) => Ok((source, bytes)),
        Err(error) => Err(Failure::input(format!("{source}: cannot be read: {error}"))),
    }
}

/// The bytes as text, without a byte order mark.
pub fn text<'b>(source: &str, bytes: &'b [u8], expected: &str) -> Result<&'b str, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let (before, after) = bytes.split_at(error.valid_up_to());
        let line = 1 + line_ends(before);
        let byte = after.first().copied().unwrap_or_default();
        Failure::input(format!("{source}:{line}: byte 0x{byte:02x} is not UTF-8 text: expected {expected} in UTF-8"))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The line ends in the bytes, each LF, CRLF or CR.
pub fn line_ends(bytes: &[u8]) -> usize {
    let is_end = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(|&at| is_end(at)).count()
}

/// What the bytes hold where they begin as gzip or zstd does; other bytes are given back.
pub fn unpacked(source: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Failure> {
    let refuse = |form: &str, error: String| Failure::input(format!("{source}: cannot be unpacked as {form}: {error}"));
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut content = Vec::new();
        return match MultiGzDecoder::new(&bytes[..]).read_to_end(&mut content) {
            Ok(_) => Ok(content),
            Err(error) => Err(refuse("gzip", error.to_string())),
        };
    }
    let is_skippable = matches!(bytes[..], [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
    if is_skippable || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return zstd(&bytes).map_err(|error| refuse("zstd", error));
    }
    Ok(bytes)
}

/// All frames one after another.
fn zstd(mut bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    while !bytes.is_empty() {
        let mut frame = match StreamingDecoder::new(&mut bytes) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                bytes = bytes.get(length as usize..).ok_or("a frame ends early")?;
                continue;
            }
            Err(error) => return Err(error.to_string()),
        };
        frame.read_to_end(&mut content).map_err(|error| error.to_string())?;
        let frame = frame.into_frame_decoder();
        let told = frame.get_checksum_from_data();
        if told.is_some() && told != frame.get_calculated_checksum() {
            return Err("a checksum does not match".to_string());
        }
    }
    Ok(content)
}
