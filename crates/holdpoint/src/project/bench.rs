//! `[bench]` of `holdpoint.toml`: what the bench of a project has beside its files, and whether there is one.

use std::collections::BTreeMap;
use std::path::Path;

use holdpoint_core::workflow::Text;
use holdpoint_core::workflow::bench::{Make, Prove, wrong_lend, wrong_name};
use serde::Deserialize;

use crate::env::Env;

/// The key of `make` that is no folder: the file by which all of them are made.
const BY: &str = "by";

/// The table's contents.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Where checks and reviews are performed, whatever a workflow says.
    prove: Option<String>,
    /// Folders that are kept on the bench.
    pub own: Vec<String>,
    /// Folders that are the project's own, to be read.
    pub lend: Vec<String>,
    /// Folders, each with the command that makes it; and `by`.
    make: BTreeMap<String, String>,
}

impl Settings {
    /// Says what is wrong with it, if anything is.
    pub(super) fn wrong(&self) -> Option<String> {
        let word = self.prove.as_ref().filter(|word| Prove::of(word).is_none());
        let unknown =
            word.map(|word| (format!("unknown prove `{word}`"), "write bench or in-place".to_owned()));
        let has_no_file = !self.make.is_empty() && !self.make.contains_key(BY);
        let no_file = has_no_file.then(|| ("`make` has no `by`".to_owned(), "name the lock file".to_owned()));
        let made = self.make.keys().filter(|name| *name != BY);
        let names = self.own.iter().chain(made).filter_map(|name| wrong_name(name));
        let lent = self.lend.iter().filter_map(|name| wrong_lend(name));
        let mut all = unknown.into_iter().chain(no_file).chain(names).chain(lent);
        all.next().map(|(what, hint)| format!("[bench]: {what} ({hint})"))
    }

    /// Where checks and reviews are performed, if it says so.
    pub fn prove(&self) -> Option<Prove> {
        Prove::of(self.prove.as_deref()?)
    }

    /// The folders that are made.
    pub fn made(&self) -> Vec<Make> {
        let text = |text: &String| Text::Owned(text.clone());
        let by = self.make.get(BY).map(text).unwrap_or_default();
        let made = self.make.iter().filter(|(name, _)| *name != BY);
        made.map(|(name, command)| Make { name: text(name), command: text(command), by: by.clone() })
            .collect()
    }
}

/// Returns the settings of the project of `home`, as far as the user has allowed them.
pub fn settings(home: &Path, env: &dyn Env) -> Settings {
    let content = super::allowed_content(home, env);
    let config = content.and_then(|content| super::config(&content, &mut Vec::new()));
    config.unwrap_or_default().bench
}
