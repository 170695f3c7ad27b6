//! Receipts: what came of a command that a hook performed for an agent, until the agent's shell shows it. They are kept in
//! the state folder. They prove nothing; evidence does.

use std::io;

use serde::{Deserialize, Serialize};

use super::layout;
use super::state_folder::StateFolder;
use crate::env::Env;
use crate::error::{CommandError, Kind};

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "came", rename_all = "lowercase")]
pub enum Receipt {
    /// It was performed, and says this.
    Done {
        /// What it prints.
        text: String,
    },
    /// It was refused, or failed.
    Failed {
        /// What happened.
        what: String,
        /// What to do about it.
        hints: Vec<String>,
        /// The exit code.
        code: u8,
    },
}

/// A call of a command: an agent's shell that cannot be given another command finds its receipt by this.
pub struct Call<'a> {
    /// The agent's session; empty if the shell does not know it.
    pub session: &'a str,
    /// The folder.
    pub cwd: &'a str,
    /// The words after `holdpoint`.
    pub words: &'a [String],
}

impl From<Result<String, CommandError>> for Receipt {
    fn from(performed: Result<String, CommandError>) -> Receipt {
        match performed {
            Ok(text) => Receipt::Done { text },
            Err(error) => Receipt::Failed { what: error.what(), code: error.code(), hints: error.hints },
        }
    }
}

impl Receipt {
    /// Returns what the command would have printed.
    pub fn shown(self) -> Result<String, CommandError> {
        match self {
            Receipt::Done { text } => Ok(text),
            Receipt::Failed { what, hints, code } => {
                let error = CommandError::new(Kind::Refused(code), what);
                Err(hints.into_iter().fold(error, CommandError::hinted))
            }
        }
    }

    /// Keeps it, and returns its id.
    pub fn keep(&self, env: &dyn Env) -> io::Result<String> {
        let folder = folder(env)?;
        let id = format!("{:016x}", env.random_u64());
        folder.write(&file(&id), &serde_json::to_vec(self)?)?;
        folder.clear_old(FOLDER);
        Ok(id)
    }

    /// Keeps it for a shell that will make this call.
    pub fn keep_for(&self, env: &dyn Env, call: &Call<'_>) -> io::Result<()> {
        let id = self.keep(env)?;
        let anywhere = Call { session: "", ..*call };
        [call.file(), anywhere.file()].iter().try_for_each(|file| folder(env)?.write(file, id.as_bytes()))
    }

    /// Returns the receipt with this id.
    pub fn find(env: &dyn Env, id: &str) -> Option<Receipt> {
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let kept = folder(env).ok().filter(|_| is_id)?.read(&file(id))?;
        serde_json::from_slice(&kept).ok()
    }

    /// Returns the receipt that was kept for this call, once.
    pub fn find_for(env: &dyn Env, call: &Call<'_>) -> Option<Receipt> {
        let folder = folder(env).ok()?;
        let id = folder.text(&call.file())?;
        // A shell that may not write there shows it all the same.
        for file in [call.file(), Call { session: "", ..*call }.file()] {
            let _ = folder.remove(&file);
        }
        Receipt::find(env, &id)
    }
}

/// Returns whether a hook is to perform a tool call: it is the first to see it, as two may be registered, and what comes of
/// it can be kept.
pub fn begin(env: &dyn Env, session: &str, call_id: Option<&str>) -> bool {
    let id = call_id.map_or_else(|| format!("{:016x}", env.random_u64()), str::to_owned);
    let mark = format!("{FOLDER}/{}.seen", layout::digest(&[session, &id]));
    folder(env).and_then(|folder| folder.mark(&mark)).unwrap_or(false)
}

const FOLDER: &str = "receipts";

fn file(id: &str) -> String {
    format!("{FOLDER}/{id}.json")
}

impl Call<'_> {
    fn file(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        // A session is known by its name, wherever its shell is; another shell by its folder.
        let place = if self.session.is_empty() { self.cwd } else { "" };
        format!("{FOLDER}/{}.for", layout::digest(&[&[self.session, place], words.as_slice()].concat()))
    }
}

fn folder(env: &dyn Env) -> io::Result<StateFolder> {
    StateFolder::of(env).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;
    use crate::env_vars::HOME;

    #[test]
    fn a_receipt_is_found_by_its_id_or_once_by_its_call() {
        let home = tempfile::tempdir().unwrap();
        let variables = [(HOME.to_owned(), home.path().display().to_string())].into();
        let env = FixedEnv { variables, now: None };
        let refused = CommandError::new(Kind::Refused(4), "not now").hinted("later");
        let receipt = Receipt::from(Err(refused));
        let id = receipt.keep(&env).unwrap();
        assert_eq!(Receipt::find(&env, &id), Some(receipt.clone()));
        let shown = receipt.clone().shown().unwrap_err();
        assert_eq!(
            (shown.what(), shown.code(), shown.hints),
            ("not now".to_owned(), 4, vec!["later".to_owned()])
        );
        for id in ["", "../../x", "0", "x.json"] {
            assert_eq!(Receipt::find(&env, id), None, "{id}");
        }
        let words = ["flow".to_owned(), "next".to_owned()];
        let call = |session| Call { session, cwd: "/p", words: &words };
        receipt.keep_for(&env, &call("one")).unwrap();
        assert_eq!(Receipt::find_for(&env, &call("two")), None);
        assert_eq!(Receipt::find_for(&env, &call("one")), Some(receipt.clone()));
        assert_eq!(Receipt::find_for(&env, &call("one")), None, "once");
        receipt.keep_for(&env, &call("one")).unwrap();
        assert_eq!(Receipt::find_for(&env, &Call { cwd: "/q", ..call("") }), None, "another folder");
        assert_eq!(Receipt::find_for(&env, &call("")), Some(receipt), "a shell that knows no session");
        let begins = |session, id| begin(&env, session, id);
        assert!(begins("one", Some("t1")) && !begins("one", Some("t1")) && begins("two", Some("t1")));
        assert!(begins("one", None) && begins("one", None));
        assert!(!begin(&FixedEnv::default(), "one", None), "there is no place to keep anything");
    }
}
