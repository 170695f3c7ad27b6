//! `[programs]` of the settings: what the programs of a project's checks and reviewers get, whatever the workflow.

use std::path::Path;

use holdpoint_core::workflow::grants::Grants;

use crate::env::Env;
use crate::layers;

/// Returns what the programs of the project of `home` get, as far as the user has allowed it.
pub fn granted(home: &Path, env: &dyn Env) -> Grants {
    layers::around(home, env).effective.programs
}
