//! The transitive reduction of a graph in a file: which edges go, what stays of the text, and what is refused.

use sha2::{Digest, Sha256};

use crate::common::traces;
use crate::folder::{Folder, Run};

/// The reduction of a text, on standard output.
#[track_caller]
fn reduced(text: &str) -> String {
    reduce(text, &[]).ok().out
}

fn reduce(text: impl AsRef<[u8]>, options: &[&str]) -> Run {
    Folder::with(text).run(&[&["reduce", "x.csv"], options].concat())
}

#[track_caller]
fn stats(text: impl AsRef<[u8]>) -> serde_json::Value {
    reduce(text, &["--json"]).ok().json()
}

// Which edges go

#[test]
fn an_edge_goes_where_another_path_leads() {
    assert_eq!(reduced("a b\nb c\na c\n"), "a b\nb c\n");
}

#[test]
fn two_paths_are_both_needed() {
    let diamond = "a b\na c\nb d\nc d\n";
    assert_eq!(reduced(diamond), diamond);
}

#[test]
fn the_order_of_the_lines_need_not_be_topological() {
    assert_eq!(reduced("y z\nx z\nx y\n"), "y z\nx y\n");
}

#[test]
fn of_equal_edges_the_first_stays() {
    assert_eq!(reduced("a b 1\na b 2\n"), "a b 1\n");
}

#[test]
fn duplicates_are_counted_apart_from_implied_edges() {
    let json = stats("0 1\n0 1\n1 2\n0 2\n2 3\n2 3\n");
    let number = |key: &str| json[key].as_u64().unwrap();
    assert_eq!(["nodes", "edges", "kept", "duplicates"].map(number), [4, 6, 3, 2]);
}

#[test]
fn no_edge_is_fine() {
    assert_eq!(reduced("# nothing\n"), "# nothing\n");
    let json = stats("");
    assert_eq!((&json["nodes"], &json["kept"], &json["method"]), (&0.into(), &0.into(), &serde_json::Value::Null));
}

#[test]
fn a_long_chain_needs_no_stack() {
    let chain: String = (0..200_000).map(|k| format!("{k} {}\n", k + 1)).collect();
    assert_eq!(reduced(&chain), chain);
}

// Cycles

#[test]
fn a_cycle_is_told_from_its_first_node_to_its_first_node() {
    let run = reduce("a b\nb c\nc a\n", &[]).fails(1, &[]);
    assert_eq!((run.err.as_str(), run.out.as_str()), ("x.csv:1: cycle: a -> b -> c -> a\n", ""));
}

#[test]
fn a_self_loop_is_a_cycle() {
    reduce("a b\na a\n", &[]).fails(1, &["x.csv:2: cycle: a -> a\n"]);
}

#[test]
fn a_cycle_has_no_node_that_only_leads_to_it_or_away() {
    reduce("1 2\n2 1\n2 3\n3 4\n", &[]).fails(1, &[": cycle: 1 -> 2 -> 1\n"]);
    reduce("5 1\n5 8\n8 5\n", &[]).fails(1, &[": cycle: 5 -> 8 -> 5\n"]);
    reduce("0 5\n5 8\n8 5\n", &[]).fails(1, &["x.csv:2: cycle: 5 -> 8 -> 5\n"]);
}

#[test]
fn a_cycle_leaves_the_old_output_as_it_was() {
    let folder = Folder::with("1 2\n2 1\n3 1\n3 2\n");
    folder.write("out", "old");
    folder.run(&["reduce", "x.csv", "-o", "out"]).fails(1, &["cycle: 1 -> 2 -> 1"]);
    assert_eq!(folder.read("out"), "old");
}

// Edge lists

#[test]
fn attributes_comments_and_blank_lines_stay() {
    assert_eq!(
        reduced("# head\n\n 0\t1 w=5\n1 2 w=7 # why\n0 2 w=9\n# tail"),
        "# head\n\n 0\t1 w=5\n1 2 w=7 # why\n# tail"
    );
}

#[test]
fn every_line_end_is_one() {
    assert_eq!(reduced("a b\r\na c\r\nb c\r\n"), "a b\r\nb c\r\n");
    assert_eq!(reduced("a b\ra c\rb c"), "a b\rb c");
}

#[test]
fn an_id_is_any_text_without_white_space() {
    assert_eq!(reduced("größe/1 \"x\"\n\"x\" -7\ngröße/1 -7\n"), "größe/1 \"x\"\n\"x\" -7\n");
}

#[test]
fn ids_are_texts_and_not_numbers() {
    assert_eq!(stats("1 2\n01 2\n")["nodes"], 3);
}

#[test]
fn a_line_with_one_field_is_refused() {
    reduce("a b\nb,c\n", &[]).refused(&["x.csv:2: one field, \"b,c\": expected an edge, u v"]);
    reduce("a # b\n", &[]).refused(&["x.csv:1: one field, \"a\""]);
}

#[test]
fn dot_without_its_first_line_is_no_edge_list() {
    reduce("a -> b;\n", &[]).refused(&["x.csv:1: second field \"->\": an edge list has no arrows"]);
}

#[test]
fn a_node_may_be_called_digraph() {
    assert_eq!(reduced("digraph b\nb c\ndigraph c\n"), "digraph b\nb c\n");
}

#[test]
fn other_than_utf_8_is_refused() {
    reduce(b"a b\nb \xff\n", &[]).refused(&["x.csv:2: byte 0xff is not UTF-8 text"]);
}

// Compressed input

/// `printf 'a b\nb c\na c\n' | gzip -n9`
const GZIP: [u8; 30] =
    [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 84, 72, 226, 74, 82, 72, 230, 74, 4, 98, 0, 255, 203, 243, 130, 12, 0, 0, 0];

/// The same through `zstd --check`.
const ZSTD: [u8; 25] =
    [40, 181, 47, 253, 4, 104, 97, 0, 0, 97, 32, 98, 10, 98, 32, 99, 10, 97, 32, 99, 10, 168, 25, 213, 187];

#[test]
fn input_is_unpacked_whatever_its_name() {
    for packed in [&GZIP[..], &ZSTD] {
        assert_eq!(reduce(packed, &[]).ok().out, "a b\nb c\n");
    }
}

#[test]
fn packed_parts_are_read_one_after_another() {
    for packed in [&GZIP[..], &ZSTD] {
        assert_eq!(stats(packed.repeat(2))["duplicates"], 3);
    }
    // Three bytes that a reader of zstd passes over.
    let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
    assert_eq!(stats([skipped, &ZSTD[..], skipped].concat())["edges"], 3);
}

#[test]
fn damaged_packed_input_is_refused() {
    for (packed, message) in
        [(&GZIP[..], "x.csv: cannot be unpacked as gzip"), (&ZSTD, "x.csv: cannot be unpacked as zstd")]
    {
        reduce(&packed[..packed.len() - 1], &[]).refused(&[message]);
        let mut changed = packed.to_vec();
        // A byte of the checksum, which in gzip stands before the length.
        let at = packed.len() - if packed == ZSTD { 1 } else { 5 };
        changed[at] ^= 1;
        reduce(changed, &[]).refused(&[message]);
    }
}

// DOT

#[test]
fn a_dot_statement_goes_with_its_line() {
    let dot = "digraph g {\n  a -> b [w=1];\n  a -> c; // why\n  a -> c\n  b -> c\n}\n";
    assert_eq!(reduced(dot), "digraph g {\n  a -> b [w=1];\n  // why\n  b -> c\n}\n");
}

#[test]
fn a_dot_statement_goes_from_within_its_line() {
    assert_eq!(reduced("digraph{a->b;a->c;b->c}"), "digraph{a->b;b->c}");
    assert_eq!(reduced("digraph { a -> b; b -> c; a -> c }"), "digraph { a -> b; b -> c; }");
    assert_eq!(reduced("digraph { a->b b->c a->c\n}"), "digraph { a->b b->c\n}");
}

#[test]
fn statements_around_one_that_goes_do_not_grow_together() {
    assert_eq!(reduced("digraph { a->b b->c x\"a\"->c y }"), "digraph { a->b b->c x y }");
    assert_eq!(reduced("digraph {b->1n->b->1x}"), "digraph {b->1n->b x}");
}

#[test]
fn all_else_in_a_dot_file_stays() {
    let dot = "/* head */ strict digraph \"g\" {\n# line 1\n rankdir=LR; \
               graph [a=b c=\"d\"; e=<<b>&gt;</b><!-- -> -->>]\n \
               edge [x=1]\n \
               z [label=\"a -> c;\"]\n subgraph cluster { a -> b:n:sw [w=.5] ; { q } }\n b:s -> c // end\n} // tail";
    assert_eq!(reduced(dot), dot);
}

#[test]
fn isolated_nodes_of_a_dot_file_stay_and_count() {
    let dot = "digraph { c; a -> b }";
    assert_eq!((reduced(dot).as_str(), &stats(dot)["nodes"]), (dot, &3.into()));
}

#[test]
fn a_chain_is_split_where_an_edge_goes_and_both_parts_have_its_attributes() {
    let dot = "digraph { b -> x -> c; a -> b -> c -> d [w=1]; }";
    assert_eq!(reduced(dot), "digraph { b -> x -> c; a -> b [w=1]; c -> d [w=1]; }");
}

#[test]
fn a_chain_that_loses_its_end_is_shorter() {
    assert_eq!(reduced("digraph { b -> x -> c; a -> b -> c; }"), "digraph { b -> x -> c; a -> b; }");
}

#[test]
fn a_node_stays_in_its_subgraph() {
    let dot = "digraph { subgraph cluster { a -> c; a -> b }; b -> c }";
    assert_eq!(reduced(dot), "digraph { subgraph cluster { a; c; a -> b }; b -> c }");
}

#[test]
fn a_node_keeps_the_defaults_of_its_first_mention() {
    let dot = "digraph { a -> c [w=1]; node [shape=box]; a -> b; b -> c }";
    assert_eq!(reduced(dot), "digraph { a; c; node [shape=box]; a -> b; b -> c }");
}

#[test]
fn names_with_and_without_quotes_are_the_same() {
    assert_eq!(stats("digraph { \"a\" -> a1; a -> \"a\" + \"1\"; \"a\\\n1\" -> b:p }")["nodes"], 3);
    assert_eq!(stats("digraph { \"\\\"\" -> 1.0; 1 -> -.5 }")["nodes"], 4);
}

#[test]
fn ports_are_no_part_of_a_name() {
    assert_eq!(reduced("digraph { a:n -> b:s; a -> b }"), "digraph { a:n -> b:s; }");
}

#[test]
fn a_repeated_edge_of_a_strict_digraph_stays_since_it_may_add_attributes() {
    let dot = "strict digraph { a -> b; a -> b [w=1]; b -> c; a -> c; a -> c [w=2] }";
    assert_eq!(reduced(dot), "strict digraph { a -> b; a -> b [w=1]; b -> c; }");
}

#[test]
fn a_cycle_in_a_dot_file_has_the_line_of_its_first_edge() {
    reduce("digraph {\na -> b ->\nc\nc -> \"a\"}", &[]).fails(1, &["x.csv:2: cycle: a -> b -> c -> a\n"]);
}

#[test]
fn edges_of_subgraphs_are_refused() {
    for dot in ["digraph {\na -> {b c}}", "digraph {\na -> subgraph s {b}}", "digraph {\n{a b} -> c}"] {
        reduce(dot, &[]).refused(&["x.csv:2: an edge from or to a subgraph stands for many edges"]);
    }
}

#[test]
fn undirected_graphs_are_refused() {
    reduce("graph { a -- b }", &[]).refused(&["x.csv:1: an undirected graph has no transitive reduction"]);
    reduce("digraph {\n a -- b }", &[]).refused(&["x.csv:2: \"--\": expected ->"]);
}

#[test]
fn faults_of_a_dot_file_have_their_line() {
    for (dot, message) in [
        ("digraph {\na -> b", "x.csv:2: the end of the file: expected }"),
        ("digraph {\na -> }", "x.csv:2: \"}\": expected a name"),
        ("digraph {\n\"a -> b }", "x.csv:2: a quote is opened and never closed"),
        ("digraph {\n/* }", "x.csv:2: a comment is opened and never closed"),
        ("digraph {\na [l=<b }", "x.csv:2: a < is opened and never closed"),
        ("digraph {\n<a> -> b }", "x.csv:2: a node whose name is HTML is not supported"),
        ("digraph {\na, b -> c }", "x.csv:2: \",\": expected a statement"),
        ("digraph {\na [x=1 }", "x.csv:2: \"}\": expected a name"),
        ("digraph {\n}\ndigraph { }", "x.csv:3: \"digraph\": expected nothing after the graph"),
        ("digraph {\na -> b \"x\" + c }", "x.csv:2: expected text in quotes after +"),
        ("digraph {\na -> Edge -> b }", "x.csv:2: a node called Edge needs quotes"),
        ("digraph {\na & b }", "x.csv:2: a character that no token begins with"),
    ] {
        reduce(dot, &[]).refused(&[message]);
    }
}

#[test]
fn deep_subgraphs_need_no_stack() {
    let dot = format!("digraph {}a -> b{}", "{".repeat(200_000), "}".repeat(200_000));
    assert_eq!(reduced(&dot), dot);
}

// Where answers go

#[test]
fn an_output_is_written_and_nothing_printed() {
    let folder = Folder::with("a b\nb c\na c\n");
    assert_eq!(folder.run(&["reduce", "x.csv", "-o", "out"]).ok().out, "");
    assert_eq!(folder.read("out"), "a b\nb c\n");
}

#[test]
fn a_dash_is_standard_input_and_output() {
    let run = Folder::new().run_with_stdin(&["reduce", "-", "-o", "-"], b"a b\nb c\na c\n").ok();
    assert_eq!(run.out, "a b\nb c\n");
    Folder::new().run_with_stdin(&["reduce", "-"], b"a\n").refused(&["<stdin>:1: one field"]);
}

#[test]
fn stats_are_beside_the_reduction() {
    let run = reduce("a b\nb c\na c\n", &["--stats"]).fails(0, &["kept                     2\n", "duplicates"]);
    assert_eq!(run.out, "a b\nb c\n");
    let run = reduce("a b\n", &["--stats", "-o", "out"]).ok();
    assert!(run.out.contains("method                   levels\n"), "{}", run.out);
}

#[test]
fn json_alone_prints_the_numbers_alone() {
    let json = stats("a b\nb c\na c\n");
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["duplicates", "edges", "kept", "method", "nodes", "peak_scratch_bytes", "seconds"]);
}

#[test]
fn a_missing_file_is_named() {
    Folder::new().run(&["reduce", "none.txt"]).refused(&["none.txt: cannot be read"]);
}

// Real graphs

#[test]
fn real_graphs_have_the_recorded_reduction() {
    let Some(traces) = traces() else { return };
    for name in ["git-zstd.txt.zst", "onnx-densenet121.txt"] {
        let path = traces.join("dag").join(name);
        let out = Folder::new().run(&["reduce", path.to_str().unwrap()]).ok().out;
        let expected = out.lines().find_map(|line| line.split_once("sha256=")).unwrap().1;
        let edges: String = out.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        assert_eq!(format!("{:x}", Sha256::digest(edges)), expected, "{name}");
    }
}
