//! The surroundings of a performance: the caller's, but for what is pinned.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::confinement::variables;
use crate::env::{Env, Overlay};
use crate::env_vars::PATH;
use crate::program;

/// The caller's surroundings with the variables and programs that are pinned.
pub(super) struct PinnedEnv {
    /// The caller's.
    pub(super) outer: Arc<dyn Env>,
    /// The variables that were set.
    pub(super) variables: BTreeMap<String, String>,
    /// The files of programs.
    pub(super) files: BTreeMap<String, PathBuf>,
}

impl Overlay for PinnedEnv {
    fn outer(&self) -> &Arc<dyn Env> {
        &self.outer
    }

    fn var(&self, name: &str) -> Option<String> {
        if variables::is_pinned(name) { self.variables.get(name).cloned() } else { self.outer.var(name) }
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let file = self.files.get(name).cloned();
        file.or_else(|| program::on(self.variables.get(PATH)?, name))
    }
}
