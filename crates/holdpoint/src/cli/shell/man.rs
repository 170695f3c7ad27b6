//! `holdpoint shell man`: prints manual pages, from the same definitions as `--help`.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use crate::cli::{Context, surface};
use crate::error::{CommandError, Kind};
use crate::store::atomic;

/// Print the manual page, or write one for every command
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint shell man | man -l -                      read it
  holdpoint shell man --to ~/.local/share/man/man1    for `man holdpoint-why`")]
pub(super) struct Arguments {
    /// Write the pages of all commands to this folder instead
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let whole = surface::own().disable_help_subcommand(true);
    let Some(folder) = &arguments.to else {
        context.ui.data(page(whole)?.trim_end());
        return Ok(());
    };
    let folder = context.cwd.join(folder);
    std::fs::create_dir_all(&folder)
        .map_err(|error| CommandError::new(Kind::Files, format!("{}: {error}", folder.display())))?;
    write(context, &folder, whole, &["holdpoint"])
}

/// Writes the page of a command and those of the commands below it. `holdpoint why` has the page `holdpoint-why`.
fn write(context: &Context, folder: &Path, command: Command, words: &[&str]) -> Result<(), CommandError> {
    let below: Vec<Command> = command.get_subcommands().cloned().collect();
    let file = folder.join(format!("{}.1", words.join("-")));
    let command = command.display_name(words.join("-")).bin_name(words.join(" "));
    atomic::replace(&file, page(command)?.as_bytes())
        .map_err(|error| CommandError::new(Kind::Files, format!("{}: {error}", file.display())))?;
    context.ui.data(file.display());
    below.into_iter().try_for_each(|command| {
        let name = command.get_name().to_owned();
        write(context, folder, command, &[words, &[name.as_str()]].concat())
    })
}

fn page(command: Command) -> Result<String, CommandError> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
