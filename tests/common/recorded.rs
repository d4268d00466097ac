//! Readers of the recorded inputs; their README tells the formats.
#![allow(dead_code)] // Each test uses a part.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use aether::arena::Tensor;
use aether::dag::Edge;
use sha2::{Digest, Sha256};

/// The header and the cells of a plain CSV file.
pub fn table(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut rows = text.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
    (rows.next().unwrap_or_default(), rows.collect())
}

/// The rows of a trace, half open in the file, with one alignment for all.
pub fn tensors(path: &Path, alignment: usize) -> Vec<Tensor> {
    let (header, rows) = table(path);
    let column = |name| header.iter().position(|cell| cell == name).expect(name);
    let (lower, upper, size) = (column("lower"), column("upper"), column("size"));
    let number = |row: &[String], column: usize| row[column].parse::<usize>().expect("a number");
    rows.iter()
        .map(|row| Tensor {
            size: number(row, size),
            alignment,
            first_use: number(row, lower),
            last_use: number(row, upper) - 1,
        })
        .collect()
}

/// The fields of a graph's header and its edges; nothing for a file that is no graph.
pub fn graph(path: &Path) -> Option<(HashMap<String, String>, Vec<Edge>)> {
    let text = match path.extension().and_then(|extension| extension.to_str()) {
        Some("txt") => std::fs::read_to_string(path).expect("text"),
        Some("zst") => decompress(path),
        _ => return None,
    };
    let owned = |(key, value): (&str, &str)| (key.to_string(), value.to_string());
    let known = header_fields(text.lines().take(2)).into_iter().map(owned).collect();
    Some((known, text.lines().skip(2).map(edge).collect()))
}

fn decompress(path: &Path) -> String {
    let file = std::fs::File::open(path).expect("a file");
    let mut text = String::new();
    ruzstd::decoding::StreamingDecoder::new(file).expect("zstd").read_to_string(&mut text).expect("text");
    text
}

fn edge(line: &str) -> Edge {
    let (from, to) = line.split_once(' ').expect("two nodes");
    Edge { from: from.parse().expect("a node"), to: to.parse().expect("a node") }
}

/// `key=value` words of the comment lines.
pub fn header_fields<'a>(lines: impl Iterator<Item = &'a str>) -> HashMap<&'a str, &'a str> {
    let words = lines.flat_map(|line| line.split([' ', ',', '#']));
    words.filter_map(|word| word.split_once('=')).collect()
}

pub fn numbers(line: &str) -> Vec<i32> {
    line.split([',', ' ']).filter(|word| !word.is_empty()).map(|word| word.parse().expect("a number")).collect()
}

/// The digest in hexadecimal.
pub fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
