//! `aether completions` and `aether man`: what a shell and `man` want to know, made of the command's own definition.

use std::io;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(clap::Args)]
pub struct ManArgs {
    /// The verb; without it the page is about the command
    verb: Option<String>,
}

pub fn completions(args: &CompletionsArgs, mut command: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "aether", &mut script);
    output::to_stdout(&script)
}

pub fn man(args: &ManArgs, mut command: Command) -> Result<(), Failure> {
    command.build();
    let command = match &args.verb {
        None => command,
        Some(verb) => {
            let found = command.find_subcommand(verb).cloned();
            let named = |found: Command| found.name(format!("aether-{verb}")).bin_name(format!("aether {verb}"));
            found.map(named).ok_or_else(|| Failure::input(format!("{verb}: no such verb; see aether --help")))?
        }
    };
    let page = page(command).map_err(|error| Failure::input(format!("the page cannot be made: {error}")))?;
    output::to_stdout(&page)
}

/// The usual sections, and the examples with their lines as they are.
fn page(command: Command) -> io::Result<Vec<u8>> {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let has_verbs = command.has_subcommands();
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_verbs {
        man.render_subcommands_section(&mut page)?;
    }
    page.extend(b".SH NOTES\n.nf\n");
    for line in after.lines() {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        // A line that begins with one of these would be a request.
        let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
        page.extend(format!("{guard}{line}\n").bytes());
    }
    page.extend(b".fi\n");
    Ok(page)
}
