//! `holdpoint help`, and the groups in which `holdpoint --help` lists the commands.

use std::fmt::Write as _;

use clap::{Args, Command, CommandFactory};

use super::{Context, act};
use crate::catalog;
use crate::error::CommandError;
use crate::hook::options;

/// The commands, by who needs them. `holdpoint --help` has to fit on one screen: what is rare belongs under a noun.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "you",
        &[
            "demo",
            "init",
            "uninstall",
            "allow",
            "run",
            "doctor",
            "status",
            "why",
            "log",
            "review",
            "release",
            "pause",
        ],
    ),
    ("authors", &["check", "test", "workflow"]),
    ("teams", &["approve", "accept", "evidence", "attest", "verify", "stats"]),
    ("more", &["shell"]),
];
/// The widest line of help. Longer ones are hard to read.
const WIDTH_MAX: usize = 100;

/// Show the help of a command, or list a workflow's commands
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint help                 all commands
  holdpoint help init            the help of one
  holdpoint help myflow          the commands of a workflow
  holdpoint help myflow start    the help of one of them")]
pub(super) struct Arguments {
    /// The command, or the workflow and its command
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let words = &arguments.words;
    let is_own = words.first().is_none_or(|name| super::names().contains(name));
    match words.first().map(String::as_str) {
        Some("hook") => context.ui.line(options::HELP.trim_end()),
        _ if is_own => show(context, words),
        _ => act::help(context, words)?,
    }
    Ok(())
}

/// Shows the help of Holdpoint's own command, as `--help` does.
fn show(context: &Context, words: &[String]) {
    let asked = ["holdpoint"].into_iter().chain(words.iter().map(String::as_str)).chain(["--help"]);
    let told = command(context.ui.width()).try_get_matches_from(asked);
    if let Err(help) = told {
        help.exit();
    }
}

/// Returns Holdpoint's own commands, with help for this many columns.
pub(super) fn command(width: usize) -> Command {
    let command = super::Arguments::command().term_width(width.min(WIDTH_MAX));
    let template = template(&command);
    command.help_template(template)
}

/// Renders the help of the program: clap knows no groups of commands, so they are part of the template.
fn template(command: &Command) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let mut text = format!(
        "{{about-with-newline}}{bold}Usage:{bold:#} holdpoint [WORKFLOW] COMMAND  ({})\n",
        workflows()
    );
    for (group, names) in GROUPS {
        let mut heading = group;
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            // A template cannot fail, and neither can writing to a string.
            let _ = writeln!(text, "  {bold}{heading:<8}{bold:#} {name:<11} {about}");
            heading = "";
        }
    }
    text
}

/// Lists the names of the built-in workflows.
fn workflows() -> String {
    let names = catalog::built_in().iter().map(|built_in| built_in.workflow.name.as_ref());
    names.collect::<Vec<&str>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let command = super::super::Arguments::command();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        let all: BTreeSet<&str> = shown.map(Command::get_name).collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), all);
        assert_eq!(grouped.len(), all.len(), "each is there once");
    }

    #[test]
    fn the_help_fits_on_one_screen() {
        let help = command(80).render_help().to_string();
        assert!(help.lines().count() <= 24, "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}
