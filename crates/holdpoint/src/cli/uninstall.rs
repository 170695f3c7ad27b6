//! `holdpoint uninstall`: removes what `init` wrote.

use std::path::Path;

use clap::Args;

use super::Context;
use super::confirmation::Users;
use super::installed::{self, Where};
use crate::error::CommandError;
use crate::install::place::{Place, Scope};
use crate::install::record::Record;
use crate::install::{apply, removal};

/// Remove exactly what `holdpoint init` added
///
/// A file that has not changed since `init` is restored byte for byte. A file that was edited since loses only Holdpoint's
/// entries. The project's `.holdpoint` folder is removed too, unless it contains your own workflows.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint uninstall              this project
  holdpoint uninstall --dry-run    show the changes without making them
  holdpoint uninstall --user       your own settings")]
pub(super) struct Arguments {
    #[command(flatten)]
    place: Where,
    /// Show the changes without making them
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let place = arguments.place.place(context)?;
    // Whoever could take the hooks away would be held by nothing. Those of the user's own settings are every project's.
    let concerned = match place.scope {
        Scope::Project => place.root.as_path(),
        Scope::User => Path::new("/"),
    };
    let users = Users::command(context, concerned, "holdpoint uninstall")?;
    let ui = context.ui;
    let record = Record::read(&place)?;
    let plan = removal::plan(&place, record.as_ref())?;
    if record.is_none() && plan.changes().next().is_none() {
        ui.line(format!("Nothing is installed in {}.", shown_root(&place)));
        hint_elsewhere(context, &place);
        return Ok(());
    }
    if arguments.dry_run {
        ui.line("Dry run: nothing was changed.");
        installed::show(&ui, &place, plan.changes());
        return Ok(());
    }
    users.confirm(context)?;
    let lock = apply::lock(&place)?;
    let record = Record::read(&place)?.unwrap_or_default();
    let plan = removal::plan(&place, Some(&record))?;
    for planned in plan.changes() {
        apply::write(&place, planned)?;
    }
    apply::remove_empty(&place, &record.folders);
    drop(lock);
    let stays = removal::remove_own(&place, &record)?;
    installed::show(&ui, &place, plan.changes());
    for path in &plan.left_alone {
        ui.line(format!(
            "kept     {}  you have edited it, or it leads out of the project",
            place.shown(path)
        ));
    }
    for path in &stays {
        ui.line(format!("kept     {}  not written by Holdpoint, or still needed", place.shown(path)));
    }
    ui.line(format!("Removed Holdpoint from {}.", shown_root(&place)));
    Ok(())
}

fn shown_root(place: &Place) -> String {
    match place.scope {
        Scope::Project => place.root.display().to_string(),
        Scope::User => "your own settings".to_owned(),
    }
}

/// Points to the other settings if Holdpoint is installed there.
fn hint_elsewhere(context: &Context, place: &Place) {
    let (scope, command) = match place.scope {
        Scope::Project => (Scope::User, "holdpoint uninstall --user"),
        Scope::User => (Scope::Project, "holdpoint uninstall"),
    };
    let other = Place::find(scope, &context.cwd, &context.env);
    if other.is_ok_and(|other| other.record().is_file()) {
        context.ui.line(format!(
            "It is installed in {}. Remove it with: {command}",
            match scope {
                Scope::User => "your own settings",
                Scope::Project => "this project",
            }
        ));
    }
}
