//! What is other in the user's surroundings than it was when they were pinned.

use std::path::PathBuf;

use super::{Pinned, digest};
use crate::confinement::variables;
use crate::env::Env;

/// What has changed.
#[derive(Debug, Default)]
pub struct Changes {
    /// The programs.
    pub programs: Vec<Change>,
    /// The variables, with their values before and now.
    pub variables: Vec<(String, Option<String>, Option<String>)>,
}

/// A program that is another one.
#[derive(Debug)]
pub struct Change {
    /// How it is called.
    pub name: String,
    /// Its file.
    pub was: PathBuf,
    /// When that was pinned, in seconds since 1970.
    pub at: i64,
    /// The file that is found now, if any.
    pub is: Option<PathBuf>,
}

impl Changes {
    /// Compares what is pinned with these surroundings.
    pub(super) fn of(pinned: &Pinned, env: &dyn Env) -> Changes {
        let other = |program: crate::store::pin::Program| {
            let is_path = program.name.contains('/');
            let same_place = || Some(program.file.clone()).filter(|file| file.is_file());
            let is = if is_path { same_place() } else { env.program(&program.name) };
            let is_same =
                |file: &PathBuf| *file == program.file && digest(file).is_ok_and(|now| now == program.digest);
            let change = Change { name: program.name.clone(), was: program.file.clone(), at: program.at, is };
            (!change.is.as_ref().is_some_and(is_same)).then_some(change)
        };
        let (was, is) = (&pinned.surroundings.variables, variables::pinned(env));
        let names = was.keys().chain(is.keys().filter(|name| !was.contains_key(*name)));
        let differing = names.filter(|name| was.get(*name) != is.get(*name));
        Changes {
            programs: pinned.programs().into_iter().filter_map(other).collect(),
            variables: differing
                .map(|name| (name.clone(), was.get(name).cloned(), is.get(name).cloned()))
                .collect(),
        }
    }

    /// Returns whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty() && self.variables.is_empty()
    }
}
