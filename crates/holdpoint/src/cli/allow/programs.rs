//! The programs that a project's checks and reviews are performed with, for the user to read and to renew.

use std::path::Path;

use crate::allow::survey::Survey;
use crate::catalog;
use crate::cli::Context;
use crate::cli::phrase::printable;
use crate::error::CommandError;
use crate::pinned::{self, Change, Changes, Pinned};
use crate::ui::{Style, Ui};
use crate::user;

/// Shows what is other than it was when it was pinned.
pub(super) fn show(ui: &Ui, changes: &Changes) {
    if changes.is_empty() {
        return;
    }
    ui.whole_line("\nChanged since they were pinned, for checks and reviews");
    for Change { name, was, at, is } in &changes.programs {
        ui.whole_line(format!("  {}", ui.paint(Style::Bold, printable(name))));
        ui.whole_line(format!("    was  {}, on {}", printable(&was.to_string_lossy()), pinned::day(*at)));
        let is = match is {
            Some(file) if file == was => "the same path, another file".to_owned(),
            Some(file) => printable(&file.to_string_lossy()),
            None => "not there".to_owned(),
        };
        ui.whole_line(format!("    is   {is}"));
    }
    for (name, was, is) in &changes.variables {
        let value = |value: &Option<String>| value.as_deref().map_or("not set".to_owned(), printable);
        ui.whole_line(format!("  {}", ui.paint(Style::Bold, name)));
        ui.whole_line(format!("    was  {}", value(was)));
        ui.whole_line(format!("    is   {}", value(is)));
    }
}

/// Lists what is pinned of the project in a folder.
pub(super) fn list(context: &Context, folder: &Path) {
    let Some(pinned) = Pinned::of(folder, context.env.as_ref()) else { return };
    for program in pinned.programs() {
        let (name, file) = (printable(&program.name), program.file.to_string_lossy());
        context.ui.line(format!("  {name}: {}, on {}", printable(&file), pinned::day(program.at)));
    }
}

/// Pins what the user has now, if it can be nobody else's word, unless a program is another one: `holdpoint allow` shows that,
/// and asks.
pub(in crate::cli) fn pin(context: &Context, survey: &Survey) {
    let changes = pinned::changes(&survey.root, context.env.as_ref());
    if !changes.programs.is_empty() {
        context.ui.note("Programs of checks and reviews have changed. To see which: holdpoint allow");
    } else if user::is_alone(context.env.as_ref(), &survey.root) {
        // What cannot be pinned now is pinned as something is first performed.
        let _ = renew(context, survey);
    }
}

/// Pins what the user has now: the programs of the built-in workflows and of the project's. Only for the user, who was asked.
pub(super) fn renew(context: &Context, survey: &Survey) -> Result<(), CommandError> {
    let built_in = catalog::built_in().iter().map(|built_in| built_in.workflow.clone());
    let mut workflows: Vec<_> = built_in.collect();
    workflows.extend(survey.content.workflows().into_iter().map(|(_, parsed)| parsed.workflow));
    Ok(pinned::renew(&survey.root, context.env.as_ref(), workflows.iter())?)
}
