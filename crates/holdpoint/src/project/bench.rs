//! `[bench]` of the settings: where a project's checks and reviews are performed, and what is there beside its files.

use std::path::Path;

use holdpoint_core::settings::BenchChoice;

use crate::env::Env;
use crate::layers;

/// Returns the settings for the project of `home`, as far as the user has allowed them.
pub fn settings(home: &Path, env: &dyn Env) -> BenchChoice {
    layers::around(home, env).effective.bench
}
