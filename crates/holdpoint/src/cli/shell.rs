//! `holdpoint shell`: prints what a shell can use: completion scripts and manual pages.

mod completions;
mod man;

use clap::{Args, Subcommand};

use super::Context;
use crate::error::CommandError;

/// Print completion scripts and manual pages
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Completions(completions::Arguments),
    Man(man::Arguments),
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    match &arguments.command {
        Command::Completions(arguments) => {
            completions::run(context, arguments);
            Ok(())
        }
        Command::Man(arguments) => man::run(context, arguments),
    }
}
