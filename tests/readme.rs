//! The README and `docs` show what is really there.

use std::path::Path;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path)
}

#[test]
fn its_c_example_is_the_one_that_is_compiled() {
    assert!(read("README.md").contains(&format!("```c\n{}```", read("examples/c/plan.c"))));
}

#[test]
fn its_table_names_every_call_of_the_header() {
    let (readme, header) = (read("README.md"), read("include/aether.h"));
    let words = header.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_call = |word: &&str| header.contains(&format!(" {word}(")) || header.contains(&format!("*{word}("));
    let calls: Vec<&str> = words.filter(|word| word.starts_with("aether_")).filter(is_call).collect();
    assert!(calls.len() > 10, "{calls:?}");
    for call in calls.into_iter().filter(|call| !call.ends_with("_scratch_size")) {
        assert!(readme.contains(&format!("`{call}`")), "{call}");
    }
}

/// The examples are compiled and run by the C tests.
#[test]
fn the_examples_of_the_pages_are_those_that_are_compiled() {
    for topic in ["offsets", "reduction", "islands"] {
        let page = read(&format!("docs/{topic}.md"));
        let name = match topic {
            "offsets" => "plan",
            "reduction" => "reduce",
            _ => topic,
        };
        for language in ["c", "cpp"] {
            let path = format!("examples/{language}/{name}.{language}");
            let shown = format!("<!-- {path} -->\n```{language}\n{}```", read(&path));
            assert!(page.contains(&shown), "{path} in docs/{topic}.md");
            assert_eq!(page.matches(&format!("```{language}\n")).count(), 1, "docs/{topic}.md");
        }
        assert!(page.contains("```rust\n"), "docs/{topic}.md");
    }
}
