//! The README shows what is really there.

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
