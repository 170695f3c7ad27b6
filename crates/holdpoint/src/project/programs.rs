//! `[programs]` of `holdpoint.toml`: what the programs of a project's checks and reviewers get, whatever the workflow.

use std::path::Path;

use holdpoint_core::workflow::Text;
use holdpoint_core::workflow::grants::{Grants, wrong_folder, wrong_variable};
use serde::Deserialize;

use crate::env::Env;

/// The table's contents.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Programs {
    /// The names of variables that are passed on.
    pub pass: Vec<String>,
    /// Folders that they may write to.
    pub writes: Vec<String>,
}

impl Programs {
    /// Says what is wrong with it, if anything is.
    pub(super) fn wrong(&self) -> Option<String> {
        let variables = self.pass.iter().filter_map(|name| wrong_variable(name));
        let mut all = variables.chain(self.writes.iter().filter_map(|path| wrong_folder(path)));
        all.next().map(|(what, hint)| format!("{what} ({hint})"))
    }
}

/// Returns what the programs of the project of `home` get, as far as the user has allowed it.
pub fn granted(home: &Path, env: &dyn Env) -> Grants {
    let config =
        super::allowed_content(home, env).and_then(|content| super::config(&content, &mut Vec::new()));
    let Programs { pass, writes } = config.unwrap_or_default().programs;
    let list = |names: Vec<String>| names.into_iter().map(Text::Owned).collect::<Vec<_>>().into();
    Grants { pass: list(pass), writes: list(writes) }
}
