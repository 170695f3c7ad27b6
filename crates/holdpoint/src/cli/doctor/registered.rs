//! Holdpoint's hooks in the agents' settings, the project's and the user's.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use thiserror::Error;

use super::finding::Finding;
use crate::cli::Context;
use crate::error::{CommandError, in_full};
use crate::install::draft::read;
use crate::install::error::SettingsError;
use crate::install::host::Host;
use crate::install::ours::{self, Line};
use crate::install::place::{Place, Scope};
use crate::install::settings;

/// One of Holdpoint's hooks.
#[derive(Debug)]
pub(super) struct Hook {
    /// The settings file.
    pub(super) file: PathBuf,
    /// Whose settings these are.
    pub(super) scope: Scope,
    /// The agent's name of the event.
    pub(super) event: String,
    /// The pattern of tools that it applies to.
    pub(super) matcher: Option<String>,
    /// The command.
    pub(super) line: Line,
    /// The entry in the settings file.
    pub(super) entry: Json,
}

/// Returns the places whose settings apply here: the project's, then the user's.
pub(super) fn places(context: &Context) -> Vec<Place> {
    let place = |scope| Place::find(scope, &context.cwd, &context.env).ok();
    [Scope::Project, Scope::User].into_iter().filter_map(place).collect()
}

/// Returns Holdpoint's hooks in an agent's settings. Reports a file that cannot be read.
pub(super) fn hooks(
    host: &Host,
    places: &[Place],
    known: &[PathBuf],
    findings: &mut Vec<Finding>,
) -> Vec<Hook> {
    let mut all = Vec::new();
    for place in places {
        for file in place.all_settings(host) {
            match read_hooks(&file, host) {
                Ok(hooks) => all.extend(hooks.into_iter().filter_map(|hook| {
                    let line = ours::read(&hook.handler, known)?;
                    let (event, matcher, entry) = (hook.event, hook.matcher, hook.handler);
                    Some(Hook { file: file.clone(), scope: place.scope, event, matcher, line, entry })
                })),
                Err(why) => findings.push(Finding::wrong(
                    format!("{} cannot read {}: {why}", host.title, file.display()),
                    format!("fix it: \"${{EDITOR:-vi}}\" '{}'", file.display()),
                )),
            }
        }
    }
    all
}

/// The reason why a settings file shows no hooks.
#[derive(Debug, Error)]
enum UnreadHooks {
    #[error("{}", .0.what())]
    File(CommandError),
    #[error("{}", in_full(.0))]
    Settings(SettingsError),
}

fn read_hooks(file: &Path, host: &Host) -> Result<Vec<settings::Registered>, UnreadHooks> {
    match read(file).map_err(UnreadHooks::File)? {
        Some(text) if !text.trim().is_empty() => {
            settings::registered(file, &text, host.shape).map_err(UnreadHooks::Settings)
        }
        _ => Ok(Vec::new()),
    }
}
