//! Files, standard streams, help, and what happens when one of them fails.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::folder::{ABC, ABC_PLAN, BINARY, Folder, Run};

#[test]
fn a_dash_reads_standard_input() {
    let folder = Folder::new();
    folder.run_with_stdin(&["plan", "-", "-o", "plan.csv"], ABC.as_bytes()).ok();
    assert_eq!(folder.read("plan.csv"), ABC_PLAN);
    folder.run_with_stdin(&["check", "-"], ABC_PLAN.as_bytes()).ok();
}

#[test]
fn standard_input_has_a_name_in_messages() {
    let run = Folder::new().run_with_stdin(&["plan", "-"], b"id,lower,upper,size\na,0,2,x\n");
    run.refused(&["<stdin>:2: column size"]);
}

#[test]
fn an_output_of_dash_is_the_plan_on_standard_output_and_the_summary_on_standard_error() {
    let run = Folder::with(ABC).run(&["plan", "x.csv", "-o", "-"]).fails(0, &["tensors                  3\n"]);
    assert_eq!(run.out, ABC_PLAN);
    let run = Folder::with(ABC).run(&["plan", "x.csv", "-o", "-", "--json"]).fails(0, &["\"arena_size\":180"]);
    assert_eq!(run.out, ABC_PLAN);
}

#[test]
fn a_file_that_does_not_exist_is_named() {
    for verb in ["plan", "check"] {
        Folder::new().run(&[verb, "none.csv"]).refused(&["none.csv: cannot be read"]);
    }
}

#[test]
fn a_folder_is_no_input() {
    Folder::new().run(&["plan", "."]).refused(&[".: cannot be read"]);
}

#[test]
fn a_bad_problem_leaves_the_old_plan_as_it_was() {
    let folder = Folder::with("id,lower,upper,size\na,0,2,x\n");
    folder.write("plan.csv", "old");
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).refused(&["column size"]);
    assert_eq!(folder.read("plan.csv"), "old");
}

#[test]
fn an_output_in_no_folder_is_refused() {
    let folder = Folder::with(ABC);
    folder.run(&["plan", "x.csv", "-o", "none/plan.csv"]).refused(&["none/plan.csv: cannot be written"]);
    assert_eq!(folder.names(), ["x.csv"]);
}

#[test]
fn an_output_that_is_a_folder_is_refused() {
    let folder = Folder::with(ABC);
    fs::create_dir(folder.0.join("plans")).unwrap();
    folder.run(&["plan", "x.csv", "-o", "plans"]).refused(&["plans: cannot be written"]);
    assert_eq!(folder.names(), ["plans", "x.csv"]);
}

#[cfg(unix)]
#[test]
fn a_folder_without_write_permission_gets_no_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(ABC);
    let locked = folder.0.join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        let _ = writeln!(std::io::stderr(), "skipped: this user may write to any folder");
        return;
    }
    folder.run(&["plan", "x.csv", "-o", "locked/plan.csv"]).refused(&["locked/plan.csv: cannot be written"]);
    assert_eq!(fs::read_dir(&locked).unwrap().count(), 0);
}

/// Runs a line of shell in the folder, with the binary as $0.
#[cfg(unix)]
fn shell(folder: &Folder, line: &str) -> Run {
    Run::from(Command::new("sh").args(["-c", line, BINARY]).current_dir(&folder.0).output().unwrap())
}

/// The shell limits files to one block of 512 bytes, and the plan is longer.
#[cfg(unix)]
#[test]
fn a_write_that_fails_midway_leaves_the_old_plan_and_nothing_else() {
    let rows: String = (0..1000).map(|k| format!("row{k},0,1,8\n")).collect();
    let folder = Folder::with(format!("id,lower,upper,size\n{rows}"));
    let line = "trap '' XFSZ; ulimit -f 1; exec \"$0\" plan x.csv -o plan.csv";
    shell(&folder, line).refused(&["plan.csv: cannot be written"]);
    assert_eq!(folder.names(), ["x.csv"]);
    folder.write("plan.csv", "old");
    shell(&folder, line).refused(&["plan.csv: cannot be written"]);
    assert_eq!((folder.read("plan.csv").as_str(), folder.names().len()), ("old", 2));
}

#[cfg(unix)]
#[test]
fn a_pipe_takes_the_plan_and_stays_a_pipe() {
    let folder = Folder::with(ABC);
    shell(&folder, "mkfifo pipe; cat pipe > got & \"$0\" plan x.csv -o pipe; wait; test -p pipe").ok();
    assert_eq!(folder.read("got"), ABC_PLAN);
}

#[cfg(unix)]
#[test]
fn a_link_whose_file_is_not_there_yet_stays_a_link() {
    let folder = Folder::with(ABC);
    std::os::unix::fs::symlink("real.csv", folder.0.join("plan.csv")).unwrap();
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    assert_eq!(folder.read("real.csv"), ABC_PLAN);
    assert!(fs::symlink_metadata(folder.0.join("plan.csv")).unwrap().is_symlink());
}

#[cfg(unix)]
#[test]
fn a_file_that_may_only_be_read_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(ABC);
    folder.write("plan.csv", "old");
    fs::set_permissions(folder.0.join("plan.csv"), fs::Permissions::from_mode(0o444)).unwrap();
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).refused(&["plan.csv: cannot be written"]);
    assert_eq!(folder.read("plan.csv"), "old");
}

#[cfg(unix)]
#[test]
fn a_replaced_plan_keeps_its_permissions_and_its_links() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(ABC);
    folder.write("real.csv", "old");
    fs::set_permissions(folder.0.join("real.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.csv", folder.0.join("plan.csv")).unwrap();
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    assert_eq!(folder.read("real.csv"), ABC_PLAN);
    assert!(fs::symlink_metadata(folder.0.join("plan.csv")).unwrap().is_symlink());
    assert_eq!(fs::metadata(folder.0.join("real.csv")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::with(ABC);
    shell(&folder, "\"$0\" plan x.csv > /dev/full").refused(&["standard output: cannot be written"]);
}

/// Standard output is closed before the command can have written a byte, since it waits for its input.
fn run_without_reader(arguments: &[&str], stdin: &str) -> Run {
    let mut command = Command::new(BINARY);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    Run::from(child.wait_with_output().unwrap())
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    for arguments in [&["plan", "-"][..], &["plan", "-", "--json"], &["plan", "-", "-o", "-"]] {
        run_without_reader(arguments, ABC).fails(0, &[]);
    }
    for arguments in [&["check", "-"][..], &["check", "-", "--json"]] {
        run_without_reader(arguments, ABC_PLAN).fails(0, &[]);
    }
}

#[test]
fn a_reader_that_went_away_does_not_hide_the_verdict() {
    run_without_reader(&["plan", "-", "--capacity", "1"], ABC).fails(1, &["short by 179"]);
}

#[cfg(unix)]
#[test]
fn help_may_be_cut_short() {
    shell(&Folder::new(), "\"$0\" --help | head -0").fails(0, &[]);
}

#[test]
fn the_version_is_told_with_that_of_the_c_interface() {
    let run = Folder::new().run(&["--version"]).ok();
    assert_eq!(run.out, concat!("aether ", env!("CARGO_PKG_VERSION"), " (C ABI 0)\n"));
}

/// All that the command can do.
const VERBS: [&str; 11] =
    ["plan", "check", "compare", "plot", "report", "diff", "convert", "reduce", "islands", "completions", "man"];

#[test]
fn help_has_an_example_and_the_exit_codes() {
    let helps = VERBS.map(|verb| vec![verb, "--help"]);
    for arguments in std::iter::once(vec!["--help"]).chain(helps) {
        let run = Folder::new().run(&arguments).ok();
        assert!(run.out.contains("Example:") && run.out.contains("Exit codes:"), "{}", run.out);
    }
}

#[test]
fn a_shell_gets_completions_of_every_verb() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = Folder::new().run(&["completions", shell]).ok().out;
        for verb in VERBS {
            assert!(script.contains(verb), "{verb} for {shell}");
        }
    }
    Folder::new().run(&["completions", "dos"]).refused(&["dos"]);
}

#[cfg(unix)]
#[test]
fn bash_reads_its_completions() {
    if Command::new("bash").arg("--version").output().is_err() {
        let _ = writeln!(std::io::stderr(), "skipped: there is no bash");
        return;
    }
    let line = "\"$0\" completions bash > c && bash -c '. ./c; COMP_WORDS=(aether plo); COMP_CWORD=1; \
                _aether aether plo aether; echo \"${COMPREPLY[@]}\"'";
    assert_eq!(shell(&Folder::new(), line).ok().out, "plot\n");
}

#[test]
fn every_verb_has_a_page_for_man() {
    let man = Folder::new().run(&["man"]).ok().out;
    assert!(man.contains(".TH aether 1") && man.contains("aether plan net.csv"), "{man}");
    for verb in VERBS {
        let page = Folder::new().run(&["man", verb]).ok().out;
        assert!(page.contains(&format!(".TH aether-{verb} 1")), "{page}");
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH OPTIONS") && page.contains("Example:\n"), "{page}");
    }
    Folder::new().run(&["man", "fly"]).refused(&["fly: no such verb"]);
}

#[test]
fn every_verb_that_reads_a_file_reads_standard_input() {
    for (arguments, text) in [
        (&["plan", "-"][..], ABC),
        (&["check", "-"], ABC_PLAN),
        (&["compare", "-"], ABC),
        (&["plot", "-"], ABC_PLAN),
        (&["report", "-"], ABC_PLAN),
        (&["diff", "-", "x.csv"], ABC_PLAN),
        (&["convert", "-"], "100 0 1\n"),
        (&["reduce", "-"], "a b\n"),
    ] {
        let run = Folder::with(ABC_PLAN).run_with_stdin(arguments, text.as_bytes()).ok();
        assert!(!run.out.is_empty() && !run.out.contains('\x1b'), "{arguments:?}");
    }
}

#[test]
fn the_example_of_the_help_is_true() {
    let help = Folder::new().run(&["--help"]).ok().out;
    let rows = ABC.lines().map(|line| format!("  {line}\n")).collect::<String>();
    assert!(help.contains(&rows) && help.contains("offsets 0, 100, 0: an arena of 180 bytes"), "{help}");
}

#[test]
fn wrong_usage_ends_with_exit_code_2() {
    for arguments in [&[][..], &["plan"], &["check"], &["plan", "a", "b"], &["fly"], &["check", "x.csv", "-o", "y"]] {
        Folder::new().run(arguments).refused(&["Usage"]);
    }
}
