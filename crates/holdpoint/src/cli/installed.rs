//! Shared parts of `init` and `uninstall`: the choice of settings, and the list of changed files.

use std::path::Path;

use clap::Args;

use super::Context;
use crate::error::CommandError;
use crate::install::draft::Planned;
use crate::install::place::{Place, Scope};
use crate::install::record::Part;
use crate::ui::{Style, Ui};

/// The choice between the user's and the project's settings.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Where {
    /// Your own settings, for all projects
    #[arg(long, conflicts_with = "project")]
    pub(super) user: bool,
    /// This project's settings [default]
    #[arg(long)]
    project: bool,
}

impl Where {
    /// Returns whether the user asked for the project's settings in so many words.
    pub(super) fn is_project(self) -> bool {
        self.project
    }

    /// Returns the chosen place.
    pub(super) fn place(self, context: &Context) -> Result<Place, CommandError> {
        let scope = if self.user { Scope::User } else { Scope::Project };
        Place::find(scope, &context.cwd, &context.env)
    }
}

/// Prints each change, with a workflow's commands on one line.
pub(super) fn show<'a>(ui: &Ui, place: &Place, changes: impl Iterator<Item = &'a Planned>) {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for planned in changes {
        let verb = verb(ui, planned);
        if planned.part == Part::Command {
            let (folder, name) = folder_and_name(&planned.path);
            let row = format!("{verb}  {}/", place.shown(folder));
            match rows.iter_mut().find(|(there, _)| *there == row) {
                Some((_, names)) => names.push(name),
                None => rows.push((row, vec![name])),
            }
        } else {
            ui.line(format!("{verb}  {}", place.shown(&planned.path)));
            for change in &planned.changes {
                ui.line(format!("           {change}"));
            }
        }
    }
    for (row, names) in rows {
        ui.line(row);
        ui.line(format!("           {}", names.join(", ")));
    }
}

fn verb(ui: &Ui, planned: &Planned) -> String {
    match (&planned.before, &planned.after) {
        (None, _) => ui.paint(Style::Green, "created"),
        (_, None) => ui.paint(Style::Yellow, "removed"),
        _ => ui.paint(Style::Yellow, "changed"),
    }
}

/// Returns the folder that a command's file is listed under, and its name there.
fn folder_and_name(path: &Path) -> (&Path, String) {
    let skills = path.ancestors().find(|folder| folder.ends_with("skills"));
    let folder = skills.or_else(|| path.parent()).unwrap_or(path);
    (folder, path.strip_prefix(folder).unwrap_or(path).display().to_string())
}
