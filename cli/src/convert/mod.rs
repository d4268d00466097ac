//! `aether convert`: what other tools know of tensors and lifetimes, as a problem in CSV.
//!
//! `records`, `list` and `mlir` are lifetimes already. `tflite` and `onnx` are models: their `network` of operators is
//! read, and the lifetimes follow from it.

mod flatbuffer;
mod list;
mod mlir;
mod network;
mod onnx;
mod records;
mod tflite;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::failure::Failure;
use crate::table::push_quoted_if_needed;
use crate::{input, output};

#[derive(clap::Args)]
pub struct Args {
    /// The file, plain or compressed by gzip or zstd; - is standard input
    input: PathBuf,
    /// Write the problem here; without this, or where it is -, to standard output
    #[arg(short, long, value_name = "CSV")]
    output: Option<PathBuf>,
    /// What the file is, where its name and first bytes do not tell
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<Format>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// JSON: a list of usage records as XNNPACK has them, with first_node, last_node and tensor_size
    Records,
    /// Text: size, first and last node of a tensor a line, both inclusive
    List,
    /// CSV: the buffers of MLIR's static memory planner, with size, start, end and perhaps alignment and id
    Mlir,
    /// A TensorFlow Lite model
    Tflite,
    /// An ONNX model whose shapes are known
    Onnx,
}

/// A tensor, alive at the times `[lower, upper)`.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    pub id: String,
    pub lower: i128,
    pub upper: i128,
    pub size: u64,
    /// None where the file says nothing of it.
    pub alignment: Option<u64>,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let (source, bytes) = input::read(&args.input)?;
    let bytes = input::unpacked(&source, bytes)?;
    let format = args.from.or_else(|| recognised(&args.input, &bytes)).ok_or_else(|| {
        Failure::input(format!("{source}: neither its name nor its first bytes tell its format: give it with --from"))
    })?;
    let rows = match format {
        Format::Records => records::read(&source, input::text(&source, &bytes, "usage records as JSON")?)?,
        Format::List => list::read(&source, input::text(&source, &bytes, "a list of tensors")?)?,
        Format::Mlir => mlir::read(&source, input::text(&source, &bytes, "a CSV file of buffers")?)?,
        Format::Tflite => tflite::read(&source, &bytes)?,
        Format::Onnx => onnx::read(&source, &bytes)?,
    };
    let csv = csv(rows);
    match args.output.as_deref() {
        Some(path) if path != Path::new("-") => output::to_file(path, csv.as_bytes()),
        _ => output::to_stdout(csv.as_bytes()),
    }
}

fn recognised(path: &Path, bytes: &[u8]) -> Option<Format> {
    // A flatbuffer may tell its kind after the place of its root.
    if bytes.get(4..8) == Some(b"TFL3") {
        return Some(Format::Tflite);
    }
    if path.extension().is_some_and(|extension| extension == "onnx") {
        return Some(Format::Onnx);
    }
    let text = std::str::from_utf8(bytes).ok()?;
    match text.trim_start_matches('\u{feff}').trim_start().chars().next()? {
        '[' | '{' => Some(Format::Records),
        '0'..='9' | '#' => Some(Format::List),
        _ if mlir::is_header(text) => Some(Format::Mlir),
        _ => None,
    }
}

/// Ids are made unique where they are not: by the number of the row.
fn csv(rows: Vec<Row>) -> String {
    let has_alignment = rows.iter().any(|row| row.alignment.is_some());
    let mut text = format!("id,lower,upper,size{}\n", if has_alignment { ",alignment" } else { "" });
    let mut taken: HashSet<String> = rows.iter().map(|row| row.id.clone()).collect();
    let mut seen = HashSet::new();
    for (number, Row { id, lower, upper, size, alignment }) in rows.into_iter().enumerate() {
        // Spaces around a field are not part of it, and a name of nothing is none.
        let mut name = id.trim().to_string();
        while name.is_empty() || !seen.insert(name.clone()) {
            name = format!("{name}#{number}");
            while !taken.insert(name.clone()) {
                name.push('\'');
            }
        }
        push_quoted_if_needed(&mut text, &name);
        text += &format!(",{lower},{upper},{size}");
        if has_alignment {
            text += &alignment.map_or(",".to_string(), |alignment| format!(",{alignment}"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str) -> Row {
        Row { id: id.to_string(), lower: 0, upper: 1, size: 8, alignment: None }
    }

    #[test]
    fn ids_are_made_unique() {
        let names = ["a", "a", "", " a", "a#1", "x,\"y\""];
        let csv = csv(names.map(row).into());
        let ids: Vec<&str> = csv.lines().skip(1).map(|line| line.strip_suffix(",0,1,8").unwrap()).collect();
        assert_eq!(ids, ["a", "a#1'", "#2", "a#3", "a#1", "\"x,\"\"y\"\"\""]);
    }

    #[test]
    fn the_alignment_is_a_column_only_where_one_is_known() {
        assert_eq!(csv(vec![row("a")]), "id,lower,upper,size\na,0,1,8\n");
        let aligned = Row { alignment: Some(64), ..row("b") };
        assert_eq!(csv(vec![row("a"), aligned]), "id,lower,upper,size,alignment\na,0,1,8,\nb,0,1,8,64\n");
    }

    #[test]
    fn a_format_is_recognised_by_name_or_content() {
        let of = |name: &str, bytes: &[u8]| recognised(Path::new(name), bytes);
        assert_eq!(of("-", b"\x1c\0\0\0TFL3"), Some(Format::Tflite));
        assert_eq!(of("net.onnx", b"\x08\x07"), Some(Format::Onnx));
        assert_eq!(of("-", b" [{\"size\": 1}]"), Some(Format::Records));
        assert_eq!(of("-", b"# tensors\n100 0 1\n"), Some(Format::List));
        assert_eq!(of("-", b"size,alignment,start,end\n"), Some(Format::Mlir));
        assert_eq!((of("-", b"hello"), of("-", b""), of("-", b"\xff\xfe")), (None, None, None));
    }
}
