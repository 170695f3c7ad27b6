//! The token of a review that is under way. Its reviewer has it in its environment, so that Holdpoint's hooks leave the
//! reviewer alone; the state folder has its digest until the review ends. Any other value of the variable means nothing.
//!
//! Where the agent starts the reviewer itself, by a script that a workflow wrote for it, the script's path is the token: it
//! counts as long as the script is there.

use std::path::Path;

use holdpoint_core::effects::FileChange;

use super::layout::content_digest;
use super::state_folder::StateFolder;
use crate::env::Env;
use crate::env_vars::REVIEWER;

/// A token. It counts until it is dropped.
#[derive(Debug)]
pub struct ReviewToken {
    folder: Option<StateFolder>,
    value: String,
}

impl ReviewToken {
    /// Gives out a token.
    pub fn give(env: &dyn Env) -> ReviewToken {
        let value = format!("{:016x}{:016x}", env.random_u64(), env.random_u64());
        let folder = StateFolder::of(env).ok();
        if let Some(folder) = &folder {
            // One that is not kept silences nothing: the reviewer is then held like anybody.
            let _ = folder.mark(&file(&value));
            folder.clear_old(FOLDER);
        }
        ReviewToken { folder, value }
    }

    /// Its value.
    pub fn value(&self) -> &str {
        &self.value
    }
}

impl Drop for ReviewToken {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = folder.remove(&file(&self.value));
        }
    }
}

/// Notes the scripts among the files that a run has written: those that set the variable for a reviewer.
pub fn note_scripts(env: &dyn Env, home: &Path, files: &[FileChange]) {
    let starts_reviewer = |file: &FileChange| match file {
        FileChange::Write { path, text } if text.contains(REVIEWER) => Some(home.join(path)),
        _ => None,
    };
    for script in files.iter().filter_map(starts_reviewer) {
        let noted = StateFolder::of(env).map(|folder| folder.write(&file(&script.to_string_lossy()), b""));
        // One that is not noted silences nothing.
        drop(noted);
    }
}

/// Returns whether a value is the token of a review that is under way. Without a state folder nothing of a project counts
/// anyway, so any value will do.
pub fn is_under_way(env: &dyn Env, value: &str) -> bool {
    let is_over = || Path::new(value).is_absolute() && !Path::new(value).is_file();
    StateFolder::of(env).ok().is_none_or(|folder| folder.has(&file(value)) && !is_over())
}

const FOLDER: &str = "reviews";

fn file(value: &str) -> String {
    format!("{FOLDER}/{}", content_digest(value.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;
    use crate::env_vars::HOME;

    #[test]
    fn a_token_counts_until_its_review_ends() {
        let home = tempfile::tempdir().unwrap();
        let variables = [(HOME.to_owned(), home.path().display().to_string())].into();
        let env = FixedEnv { variables, now: None };
        let token = ReviewToken::give(&env);
        let value = token.value().to_owned();
        assert!(is_under_way(&env, &value) && !is_under_way(&env, "1") && !is_under_way(&env, ""));
        drop(token);
        assert!(!is_under_way(&env, &value));
    }
}
