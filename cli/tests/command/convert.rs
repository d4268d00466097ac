//! `aether convert`: problems from what other tools write.

use std::fs;
use std::path::Path;

use crate::folder::{Folder, Run};

/// What becomes of a text of a format.
#[track_caller]
fn convert(format: &str, text: impl AsRef<[u8]>) -> Run {
    Folder::new().run_with_stdin(&["convert", "-", "--from", format], text.as_ref())
}

fn model(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)).unwrap()
}

/// Lower, upper and size of each row.
fn without_ids(csv: &str) -> Vec<&str> {
    csv.lines().map(|line| line.split_once(',').unwrap().1).collect()
}

#[test]
fn a_list_has_a_tensor_a_line_with_inclusive_nodes() {
    let list = "size,first,last\n100,0,1\n 80 1 2  # the second\n\n60\t2\t3";
    assert_eq!(convert("list", list).ok().out, "id,lower,upper,size\n0,0,2,100\n1,1,3,80\n2,2,4,60\n");
}

#[test]
fn what_is_no_list_is_refused_with_its_line() {
    for (line, expected) in [
        ("1 2", "expected three numbers"),
        ("x 2 3", "a size in bytes"),
        ("-1 2 3", "a size in bytes"),
        ("1 2 3.5", "a node"),
        ("1 3 2", "not before the first"),
        ("size,first,last", "a size in bytes"),
    ] {
        convert("list", format!("1 2 3\n{line}\n")).refused(&["<stdin>:2: ", expected]);
    }
}

#[test]
fn usage_records_are_xnnpacks() {
    let records = r#"[{"first_node": 0, "last_node": 1, "tensor_size": 100, "reuse_value_id": 7},
        {"id": "b", "first_use": 1, "last_use": 2, "size": 80, "alignment": 64},
        {"id": 5, "first_node": 2, "last_node": 3, "tensor_size": 0}]"#;
    let expected = "id,lower,upper,size,alignment\n0,0,2,100,\nb,1,3,80,64\n5,2,4,0,\n";
    assert_eq!(convert("records", records).ok().out, expected);
    for name in ["usage_records", "records", "tensors"] {
        assert_eq!(convert("records", format!("{{\"{name}\": {records}}}")).ok().out, expected);
    }
}

#[test]
fn what_is_no_record_is_refused() {
    for (records, parts) in [
        ("[\n{\"first_node\": 0, \"last_node\": 1}]", ["<stdin>:2: no usage records", "tensor_size"]),
        ("[{\"first_node\": 2, \"last_node\": 1, \"size\": 1}]", ["record 0: last_node 1", "at least 2"]),
        ("[{\"first_node\": 0, \"last_node\": 1, \"size\": 1, \"alignment\": 0}]", ["record 0", "alignment 0"]),
        ("[{\"first_node\": 0, \"last_node\": 1, \"size\": -1}]", ["<stdin>:1", "-1"]),
        ("{\"first_node\": 0}", ["<stdin>:1", "usage_records"]),
        ("[", ["<stdin>:1", "EOF"]),
    ] {
        convert("records", records).refused(&parts);
    }
}

/// A buffer that is freed at operation 2 gives its bytes to one that is allocated there.
#[test]
fn the_end_of_a_buffer_of_mlir_is_exclusive() {
    let buffers = "size,alignment,start,end\n100,64,0,2\n80,,2,4\n";
    let problem = convert("mlir", buffers).ok().out;
    assert_eq!(problem, "id,lower,upper,size,alignment\n0,0,2,100,64\n1,2,4,80,\n");
    let json = Folder::with(problem).run(&["plan", "x.csv", "--json"]).ok().json();
    assert_eq!(json["arena_size"], 100);
}

#[test]
fn the_columns_of_mlir_are_found_by_name() {
    let buffers = "end, id ,start,size,more\n2,a,0,100,x\n";
    assert_eq!(convert("mlir", buffers).ok().out, "id,lower,upper,size\na,0,2,100\n");
    convert("mlir", "size,start\n").refused(&["<stdin>:1: no columns size, start, end"]);
    convert("mlir", "size,start,end\n1,2\n").refused(&["<stdin>:2: 2 fields: expected 3"]);
    convert("mlir", "size,start,end\n1,2,2\n").refused(&["<stdin>:2: column end: value \"2\"", "from 3"]);
    convert("mlir", "size,start,end,alignment\n1,2,3,0\n").refused(&["<stdin>:2: column alignment"]);
}

#[test]
fn a_tflite_model_gives_the_lifetimes_of_its_trace() {
    let run = Folder::new().run_with_stdin(&["convert", "-"], &model("hey_jarvis.tflite"));
    let run = run.noted("note: <stdin>: 1 more subgraphs are left out\n");
    let trace = String::from_utf8(model("hey_jarvis.csv")).unwrap();
    assert_eq!(without_ids(&run.out), without_ids(&trace));
    assert!(run.out.contains("\nserving_default_input_audio:0,0,8,120\n"), "{}", run.out);
}

#[test]
fn an_onnx_model_gives_the_lifetimes_of_its_trace() {
    let folder = Folder::new();
    folder.write("net.onnx", model("squeezenet.onnx"));
    folder.run(&["convert", "net.onnx", "-o", "net.csv"]).ok();
    let trace = String::from_utf8(model("squeezenet.csv")).unwrap();
    assert_eq!(without_ids(&folder.read("net.csv")), without_ids(&trace));
    folder.run(&["plan", "net.csv", "-o", "plan.csv"]).ok();
    folder.run(&["check", "plan.csv"]).ok();
}

#[test]
fn a_damaged_model_is_refused() {
    for (name, format) in [("hey_jarvis.tflite", "tflite"), ("squeezenet.onnx", "onnx")] {
        let whole = model(name);
        convert(format, &whole[..whole.len() / 2]).refused(&["not a whole"]);
        convert(format, "hello").refused(&["<stdin>: not a"]);
        convert(format, "").refused(&["<stdin>: not a"]);
    }
}

/// Some bytes of the message: a field of a number, its kind and length, and the content.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, content.len() as u8], content].concat()
}

/// A node that reads and makes one value.
fn node(input: &str, output: &str) -> Vec<u8> {
    field(1, &[field(1, input.as_bytes()), field(2, output.as_bytes())].concat())
}

/// A value of floats with one dimension of 4, or with an open one.
fn info(number: u8, name: &str, dimension: &[u8]) -> Vec<u8> {
    let shape = field(2, &field(1, dimension));
    let tensor = field(1, &[&[1 << 3, 1], &shape[..]].concat());
    field(number, &[field(1, name.as_bytes()), field(2, &tensor)].concat())
}

#[test]
fn an_onnx_model_without_shapes_is_refused_and_the_tensors_are_named() {
    let four = [1 << 3, 4];
    let graph = |last: &[u8]| [node("x", "a"), node("a", "y"), info(11, "x", &four), info(12, "y", last)].concat();
    let model = field(7, &graph(&four));
    convert("onnx", &model).refused(&["<stdin>: tensor a: its shape is not known", "without a shape are a\n"]);
    let whole = field(7, &[graph(&four), info(13, "a", &four)].concat());
    assert_eq!(convert("onnx", &whole).ok().out, "id,lower,upper,size\nx,0,1,16\na,0,2,16\ny,1,2,16\n");
    let open = field(7, &[graph(&field(2, b"N")), info(13, "a", &four)].concat());
    convert("onnx", &open).refused(&["tensor y"]);
}

/// The graph in the attribute of the second node reads a.
#[test]
fn what_a_graph_inside_a_node_reads_lives_until_then() {
    let four = [1 << 3, 4];
    let inner = field(5, &field(6, &node("a", "z")));
    let second = field(1, &[field(1, b"x"), field(2, b"y"), inner].concat());
    let infos = [info(11, "x", &four), info(12, "y", &four), info(13, "a", &four)].concat();
    let graph = [node("x", "a"), second, infos].concat();
    assert_eq!(convert("onnx", field(7, &graph)).ok().out, "id,lower,upper,size\nx,0,2,16\na,0,2,16\ny,1,2,16\n");
}

#[test]
fn an_unknown_format_is_refused() {
    Folder::with("hello\n")
        .run(&["convert", "x.csv"])
        .refused(&["x.csv: neither its name nor its first bytes", "--from"]);
    Folder::new().run(&["convert", "none.json"]).refused(&["none.json: cannot be read"]);
}
