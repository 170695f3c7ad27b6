//! `holdpoint completions`: prints completion scripts for shells.

use clap::Args;
use clap_complete::{Shell, generate};

use super::{Context, surface};

/// Print a completion script for your shell, including the built-in workflows' commands
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bash:  holdpoint completions bash > ~/.local/share/bash-completion/completions/holdpoint
  zsh:   holdpoint completions zsh > ~/.zfunc/_holdpoint      (with `fpath+=~/.zfunc` before `compinit`)
  fish:  holdpoint completions fish > ~/.config/fish/completions/holdpoint.fish")]
pub(super) struct Arguments {
    /// The shell
    shell: Shell,
}

pub(super) fn run(context: &Context, arguments: &Arguments) {
    let mut script = Vec::new();
    generate(arguments.shell, &mut surface::all(), "holdpoint", &mut script);
    context.ui.line(String::from_utf8_lossy(&script).trim_end());
}
