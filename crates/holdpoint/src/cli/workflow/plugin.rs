//! `holdpoint workflow plugin`: writes workflows as Claude Code plugins, with a marketplace.

use std::path::PathBuf;

use clap::Args;

use crate::cli::{Context, phrase, subject};
use crate::error::{CommandError, Kind};
use crate::plugin::{self, Source};
use crate::store::atomic;

/// Write workflows as Claude Code plugins
///
/// Writes their hooks, slash commands and sub-agents, and a marketplace that lists them. Each plugin calls `holdpoint` from PATH. Use plugins instead of `holdpoint init` for Claude Code, not alongside it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint workflow plugin my-plugins                all workflows
  holdpoint workflow plugin my-plugins myflow         one of them
  Then, in Claude Code:
    /plugin marketplace add ./my-plugins
    /plugin install myflow@holdpoint")]
pub(super) struct Arguments {
    /// The folder to write to; it must be empty or new
    folder: PathBuf,
    /// The workflows [default: all]
    workflows: Vec<String>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let folder = context.cwd.join(&arguments.folder);
    if std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(CommandError::new(Kind::Failed, format!("{} already exists", folder.display()))
            .hinted("remove it first, or choose another folder"));
    }
    let mut sources = Vec::new();
    for found in subject::find(context, &arguments.workflows)? {
        let parsed = found.parsed()?;
        if parsed.error().is_some() {
            return Err(CommandError::new(Kind::Failed, format!("workflow `{}` cannot be used", found.name))
                .hinted(format!("see `holdpoint check {}`", found.name)));
        }
        sources.push(Source { workflow: parsed.workflow, files: found.files()? });
    }
    let files = plugin::marketplace(&sources);
    for (path, text) in &files {
        let file = folder.join(path);
        let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| atomic::replace(&file, text.as_bytes()))
            .map_err(|error| CommandError::new(Kind::Files, format!("{}: {error}", file.display())))?;
    }
    let names: Vec<&str> = sources.iter().map(|source| source.workflow.name.as_ref()).collect();
    let written = phrase::counted(files.len(), "file");
    context.ui.line(format!("{}: {} in {written}", arguments.folder.display(), names.join(", ")));
    Ok(())
}
