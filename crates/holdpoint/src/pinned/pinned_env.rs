//! The surroundings of a performance: the caller's, but for what is pinned.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::caller::Lineage;
use crate::caller::process::Terminal;
use crate::confinement::variables;
use crate::env::Env;
use crate::env_vars::PATH;
use crate::fence::relayed::Relayed;
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

impl Env for PinnedEnv {
    fn var(&self, name: &str) -> Option<String> {
        if variables::is_pinned(name) { self.variables.get(name).cloned() } else { self.outer.var(name) }
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let file = self.files.get(name).cloned();
        file.or_else(|| program::on(self.variables.get(PATH)?, name))
    }

    fn now(&self) -> i64 {
        self.outer.now()
    }

    fn random_u64(&self) -> u64 {
        self.outer.random_u64()
    }

    fn pause(&self, time: Duration) {
        self.outer.pause(time);
    }

    fn has_terminal(&self) -> bool {
        self.outer.has_terminal()
    }

    fn terminal(&self) -> Terminal {
        self.outer.terminal()
    }

    fn unproved(&self) -> Option<&'static str> {
        self.outer.unproved()
    }

    fn began_everything(&self) -> bool {
        self.outer.began_everything()
    }

    fn lineage(&self) -> Lineage {
        self.outer.lineage()
    }

    fn is_below_client(&self) -> bool {
        self.outer.is_below_client()
    }

    fn relayed(&self) -> Option<Relayed> {
        self.outer.relayed()
    }

    fn is_below_agent(&self) -> bool {
        self.outer.is_below_agent()
    }
}
