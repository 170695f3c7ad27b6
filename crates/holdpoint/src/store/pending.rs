//! The user's word in a prompt, until the client's own record confirms that it was typed. One for each session, in the
//! state folder.

use serde::{Deserialize, Serialize};

use super::layout;
use super::state_folder::StateFolder;

/// The folder of the words.
const FOLDER: &str = "words";

/// A user's command that a prompt has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The prompt.
    pub prompt: String,
    /// The client's id of it.
    pub prompt_id: String,
    /// Where the client keeps its record of the session, as it said then.
    pub transcript: String,
    /// The words after `holdpoint`.
    pub words: Vec<String>,
    /// The folder it was typed in.
    pub cwd: String,
    /// The tree that an approval was given to.
    #[serde(default)]
    pub tree: Option<String>,
    /// The commit that an approval was given to: its id and the first line of its message.
    #[serde(default)]
    pub commit: Option<(String, String)>,
}

fn file(session: &str) -> String {
    format!("{FOLDER}/{}.json", layout::digest(&[session]))
}

impl Pending {
    /// The word that waits in a session.
    pub fn of(folder: &StateFolder, session: &str) -> Option<Pending> {
        let kept = Some(folder).filter(|folder| folder.has_folder(FOLDER))?.read(&file(session))?;
        serde_json::from_slice(&kept).ok()
    }

    /// Keeps it.
    pub fn keep(&self, folder: &StateFolder, session: &str) -> std::io::Result<()> {
        folder.write(&file(session), &serde_json::to_vec(self)?)?;
        folder.clear_old(FOLDER);
        Ok(())
    }

    /// Drops it. Of several hooks, one does: it acts on the word.
    pub fn take(&self, folder: &StateFolder, session: &str) -> bool {
        let mark = format!("{FOLDER}/{}.done", layout::digest(&[session, &self.prompt_id, &self.prompt]));
        let is_first = folder.mark(&mark).unwrap_or(false);
        folder.remove(&file(session)).is_ok() && is_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;
    use crate::env_vars::HOME;

    #[test]
    fn a_word_is_acted_on_once() {
        let home = tempfile::tempdir().unwrap();
        let variables = [(HOME.to_owned(), home.path().display().to_string())].into();
        let folder = StateFolder::of(&FixedEnv { variables, now: None }).unwrap();
        assert_eq!(Pending::of(&folder, "s"), None);
        let pending = Pending {
            prompt: "holdpoint flow resume".into(),
            prompt_id: "p1".into(),
            transcript: "/t".into(),
            words: vec!["flow".into(), "resume".into()],
            cwd: "/p".into(),
            tree: None,
            commit: None,
        };
        pending.keep(&folder, "s").unwrap();
        assert_eq!((Pending::of(&folder, "s"), Pending::of(&folder, "t")), (Some(pending.clone()), None));
        assert!(pending.take(&folder, "s"));
        assert_eq!(Pending::of(&folder, "s"), None);
        pending.keep(&folder, "s").unwrap();
        assert!(!pending.take(&folder, "s"), "the same prompt again");
    }
}
