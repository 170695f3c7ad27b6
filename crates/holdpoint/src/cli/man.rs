//! `holdpoint man`: prints manual pages, from the same definitions as `--help`.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use super::{Context, surface};
use crate::error::{CommandError, Kind};
use crate::store::atomic;

/// Print the manual page, or write one for every command
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint man | man -l -                              read it
  holdpoint man --to ~/.local/share/man/man1            write all pages to where `man holdpoint-why` finds them")]
pub(super) struct Arguments {
    /// Write the pages of all commands to this folder instead
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let whole = surface::own().disable_help_subcommand(true);
    let Some(folder) = &arguments.to else {
        context.ui.line(page(whole)?.trim_end());
        return Ok(());
    };
    let folder = context.cwd.join(folder);
    std::fs::create_dir_all(&folder)
        .map_err(|error| CommandError::new(Kind::Files, format!("{}: {error}", folder.display())))?;
    let commands: Vec<Command> = whole.get_subcommands().cloned().map(name_page).collect();
    for command in std::iter::once(whole).chain(commands) {
        write(context, &folder, command)?;
    }
    Ok(())
}

/// Names a command after its page: `holdpoint-why` for `holdpoint why`.
fn name_page(command: Command) -> Command {
    let name = command.get_name().to_owned();
    command.display_name(format!("holdpoint-{name}")).bin_name(format!("holdpoint {name}"))
}

fn write(context: &Context, folder: &Path, command: Command) -> Result<(), CommandError> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let file = folder.join(format!("{name}.1"));
    atomic::replace(&file, page(command)?.as_bytes())
        .map_err(|error| CommandError::new(Kind::Files, format!("{}: {error}", file.display())))?;
    context.ui.line(file.display());
    Ok(())
}

fn page(command: Command) -> Result<String, CommandError> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
