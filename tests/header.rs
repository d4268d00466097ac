//! The committed header is what cbindgen makes of the sources; `scripts/header` rewrites it.

use std::path::Path;

/// A section of the header: types first, then the calls.
const SECTIONS: [(&str, &[&str]); 7] = [
    ("Statuses and errors", &["src/capi/status.rs"]),
    ("Offsets: where do these tensors live in one arena?", &["src/arena/mod.rs", "src/capi/arena.rs"]),
    ("Offsets under conditions, by several planners", &["src/arena/problem.rs", "src/capi/problem.rs"]),
    ("Offsets: the smallest arena, by search", &["src/capi/search.rs"]),
    (
        "Buffer flow: which buffers of a program make up its arena, and when do they live?",
        &["src/flow/program.rs", "src/flow/decision.rs", "src/capi/flow.rs"],
    ),
    ("Transitive reduction: which ordering edges are needed?", &["src/dag/mod.rs", "src/capi/dag.rs"]),
    (
        "Islands: which constraints can be solved apart?",
        &["src/islands/mod.rs", "src/capi/islands.rs", "src/capi/concurrent.rs"],
    ),
];

#[test]
fn the_committed_header_is_what_the_sources_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = generate(root);
    let path = root.join("include/aether.h");
    if std::env::var_os("AETHER_WRITE_HEADER").is_some() {
        std::fs::write(&path, header).expect("include/aether.h");
        return;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let line = committed.lines().zip(header.lines()).position(|(old, new)| old != new);
    assert!(committed == header, "include/aether.h is out of date from line {line:?} on: run scripts/header");
}

fn generate(root: &Path) -> String {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect(path);
    let mut header = read("src/capi/preamble.h")
        .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
        .replace("@MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"))
        .replace("@MINOR@", env!("CARGO_PKG_VERSION_MINOR"))
        .replace("@PATCH@", env!("CARGO_PKG_VERSION_PATCH"));
    for (title, sources) in SECTIONS {
        let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
        let builder = cbindgen::Builder::new().with_config(config);
        let builder = sources.iter().fold(builder, |builder, source| builder.with_src(root.join(source)));
        let mut text = Vec::new();
        builder.generate().expect("the sources parse").write(&mut text);
        header += &banner(title);
        header += &compact(&String::from_utf8(text).expect("a header in UTF-8"));
    }
    header + &banner("Scratch sizes as constant expressions, for static arrays") + &read("src/capi/scratch_sizes.h")
}

fn banner(title: &str) -> String {
    format!("\n\n/* {} */\n\n", format!("---- {title} ") + &"-".repeat(108 - title.len()))
}

/// Comments of one line on one line, longer ones with a star before each; types by their typedef.
fn compact(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut comment: Option<Vec<&str>> = None;
    for line in text.trim().lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        match (line.trim(), &mut comment) {
            ("/*", _) => comment = Some(Vec::new()),
            ("*/", Some(words)) => {
                let indent = indent.strip_suffix(' ').unwrap_or(indent);
                if let [only] = words[..] {
                    lines.push(format!("{indent}/* {only} */"));
                } else {
                    lines.push(format!("{indent}/*"));
                    lines.extend(words.iter().map(|text| format!("{indent} * {text}").trim_end().to_string()));
                    lines.push(format!("{indent} */"));
                }
                comment = None;
            }
            (text, Some(words)) => words.push(text),
            (_, None) if line.starts_with("typedef struct") => lines.push(line.to_string()),
            (_, None) => lines.push(line.replace("struct aether_", "aether_")),
        }
    }
    lines.join("\n") + "\n"
}

/// The C artifact has a manifest of its own; see there.
#[test]
fn the_manifest_of_the_c_artifact_agrees_with_that_of_the_library() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = |path: &str| std::fs::read_to_string(root.join(path)).expect(path);
    let [library, artifact] = [manifest("Cargo.toml"), manifest("cmake/artifact/Cargo.toml")];
    for key in ["name", "version", "edition", "rust-version", "license"] {
        let value = |text: &str| text.lines().find(|line| line.starts_with(&format!("{key} = "))).map(str::to_string);
        assert!(value(&library).is_some(), "{key}");
        assert_eq!(value(&library), value(&artifact), "{key}");
    }
}
