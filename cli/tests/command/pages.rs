//! Every command line of the README and of `docs`, run as it stands.
//!
//! It runs in a folder with links to `examples` and `cli`, where `aether` is the built command. Lines about building
//! are steps of scripts/test themselves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::{BINARY, Folder};

/// How lines begin that are run elsewhere in scripts/test.
const ELSEWHERE: [&str; 3] = ["scripts/demo", "scripts/test", "cargo build"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The contents of the blocks of shell.
fn blocks(page: &str) -> Vec<&str> {
    page.split("```sh\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect()
}

#[cfg(unix)]
#[test]
fn every_command_line_of_the_pages_runs() {
    let root = root();
    let mut pages = vec![root.join("README.md")];
    pages.extend(fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    assert!(pages.len() >= 5, "{pages:?}");
    let mut lines = 0;
    for page in pages {
        let folder = Folder::new();
        for name in ["examples", "cli"] {
            std::os::unix::fs::symlink(root.join(name), folder.0.join(name)).unwrap();
        }
        for block in blocks(&fs::read_to_string(&page).unwrap()) {
            let is_here = |line: &&str| !ELSEWHERE.iter().any(|begin| line.starts_with(begin));
            let script: String = block.lines().filter(is_here).map(|line| line.to_string() + "\n").collect();
            let path = format!("{}:{}", Path::new(BINARY).parent().unwrap().display(), std::env::var("PATH").unwrap());
            let mut command = Command::new("sh");
            let output = command.args(["-euc", &script]).current_dir(&folder.0).env("PATH", path).output().unwrap();
            let err = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}:\n{script}\n{err}", page.display());
            lines += script.lines().filter(|line| line.contains("aether ")).count();
        }
    }
    assert!(lines > 20, "{lines}");
}

#[test]
fn the_table_of_the_readme_is_what_compare_prints() {
    let names = ["basic-pitch.csv", "densenet121.csv", "mobilenet-v2.csv"];
    let folder = Folder::new();
    for name in names {
        folder.write(name, fs::read(root().join("examples/networks").join(name)).unwrap());
    }
    let algorithms = ["--algorithm", "size,first-use,first-fit,temporal,portfolio,search"];
    let printed = folder.run(&[&["compare"], &names[..], &algorithms].concat()).ok().out.replace('*', " ");
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for label in names.into_iter().chain(["geometric mean"]) {
        let printed = printed.lines().find_map(|line| line.strip_prefix(label)).unwrap();
        let shown = readme.lines().find(|line| line.starts_with(&format!("| {label}"))).unwrap();
        let shown: Vec<&str> = shown.split('|').skip(2).map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(printed.split_whitespace().collect::<Vec<_>>(), shown, "{label}");
    }
}
