//! `holdpoint workflow`: copies, draws and packages workflows.

mod eject;
mod graph;
mod plugin;

use clap::{Args, Subcommand};

use super::Context;
use crate::error::CommandError;

/// Copy, draw or package a workflow
///
/// To find errors in a workflow, use `holdpoint check`; to run its cases, `holdpoint test`. The commands that a workflow has
/// itself are `holdpoint WORKFLOW COMMAND`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint workflow eject myflow        copy it into this project, to edit it
  holdpoint workflow graph myflow        draw its phases
  holdpoint workflow plugin my-plugins   write all as Claude Code plugins")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Eject(eject::Arguments),
    Graph(graph::Arguments),
    Plugin(plugin::Arguments),
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    match &arguments.command {
        Command::Eject(arguments) => eject::run(context, arguments),
        Command::Graph(arguments) => graph::run(context, arguments),
        Command::Plugin(arguments) => plugin::run(context, arguments),
    }
}
