//! `holdpoint shell completions`: prints completion scripts for shells.

use clap::Args;
use clap_complete::{Shell, generate};

use crate::cli::{Context, surface};

/// Print a completion script for your shell
///
/// It completes Holdpoint's commands and those of the built-in workflows.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bash, in ~/.bashrc:
    source <(holdpoint shell completions bash)
  zsh, with `fpath+=~/.zfunc` before `compinit`:
    holdpoint shell completions zsh > ~/.zfunc/_holdpoint
  fish, in ~/.config/fish/completions:
    holdpoint shell completions fish > holdpoint.fish")]
pub(super) struct Arguments {
    /// The shell
    shell: Shell,
}

pub(super) fn run(context: &Context, arguments: &Arguments) {
    let mut script = Vec::new();
    generate(arguments.shell, &mut surface::all(), "holdpoint", &mut script);
    context.ui.data(String::from_utf8_lossy(&script).trim_end());
}
