//! State that only the engine writes: a copy is kept, and what others change in the file is put back.

use std::path::{Path, PathBuf};

use holdpoint_core::workflow::parse::FILE;

use super::{atomic, evidence, layout, lock, state};
use crate::project::{self, Run};
use crate::world::{is_missing, read_file};

/// The largest state that is sealed.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The seal of a run's state.
#[derive(Clone, Debug)]
pub struct Seal {
    home: PathBuf,
    workflow: String,
    /// What the state's lock is for.
    place: PathBuf,
}

impl Seal {
    /// The seal of a run, if its workflow has one.
    pub fn of(run: &Run) -> Option<Seal> {
        let workflow = run.workflow.name.to_string();
        run.workflow.run.is_sealed.then(|| Seal { home: run.home.clone(), workflow, place: run.place() })
    }

    /// Keeps a copy of the state as it is about to be written.
    pub fn close(&self, state: &[u8]) -> Result<(), String> {
        let told = |error: std::io::Error| error.to_string();
        let copy = layout::seal(&self.home, &self.workflow);
        layout::prepare(&self.home, &copy).map_err(told)?;
        let head = Head { state: layout::content_digest(state), workflow: own(&self.home, &self.workflow) };
        atomic::replace(&copy, &[head.line().as_bytes(), state].concat()).map_err(told)
    }

    /// Puts the state back if it is not what was sealed, or the copy if it is no longer what it was; true if so. An
    /// error if both were changed: then nobody can say what was true.
    pub fn uphold(&self, state: &Path) -> Result<bool, String> {
        if self.damage(state)? == Damage::None {
            return Ok(false);
        }
        // Whoever writes it writes the copy first: with the lock, nobody is in between.
        let _lock = state::lock(&self.home, &self.place, lock::PATIENCE)?;
        let told = |error: std::io::Error| error.to_string();
        match self.damage(state)? {
            Damage::None => return Ok(false),
            Damage::OfCopy(state) => self.close(&state)?,
            Damage::OfState(sealed) => {
                if !is_plain(state) {
                    std::fs::remove_file(state).or_else(|_| std::fs::remove_dir_all(state)).map_err(told)?;
                }
                atomic::replace(state, &sealed).map_err(told)?;
            }
        }
        Ok(true)
    }

    /// The last run is over, and another begins: its state is kept beside the seals, and no longer counts. The lock must
    /// be held.
    pub fn retire(&self, state: &Path) -> Result<(), String> {
        let copy = layout::seal(&self.home, &self.workflow);
        let done = [std::fs::rename(&copy, copy.with_extension("last.json")), std::fs::remove_file(state)];
        match done.into_iter().filter_map(Result::err).find(|error| !is_missing(error)) {
            Some(error) => Err(error.to_string()),
            None => Ok(()),
        }
    }

    /// What others have changed.
    fn damage(&self, state: &Path) -> Result<Damage, String> {
        let copy = layout::seal(&self.home, &self.workflow);
        let Some(sealed) = read_file(&copy, BYTES_MAX)? else {
            let is_there = state.symlink_metadata().is_ok();
            let why = "the engine has no copy of it: to begin anew, delete it";
            return if is_there { Err(why.to_owned()) } else { Ok(Damage::None) };
        };
        let found = if is_plain(state) { read_file(state, BYTES_MAX)? } else { None };
        let (head, body) = Head::read(&sealed);
        let is_true = |bytes: &[u8]| layout::content_digest(bytes) == head.state;
        match found {
            Some(found) if is_true(&found) && is_true(body) => Ok(Damage::None),
            Some(found) if is_true(&found) => Ok(Damage::OfCopy(found)),
            _ if is_true(body) => Ok(Damage::OfState(body.to_vec())),
            _ => Err(format!("so was its copy: to begin anew, delete it and {}", copy.display())),
        }
    }
}

/// What others have changed, and what it should be.
#[derive(Debug, PartialEq, Eq)]
enum Damage {
    None,
    OfState(Vec<u8>),
    OfCopy(Vec<u8>),
}

/// The first line of a copy: digests of the state, and of the project's own workflow file if it has one.
struct Head {
    state: String,
    workflow: String,
}

impl Head {
    fn line(&self) -> String {
        format!("{} {}\n", self.state, self.workflow)
    }

    fn read(sealed: &[u8]) -> (Head, &[u8]) {
        let end = sealed.iter().position(|byte| *byte == b'\n').unwrap_or(sealed.len());
        let line = String::from_utf8_lossy(&sealed[..end]);
        let (state, workflow) = line.split_once(' ').unwrap_or_default();
        let head = Head { state: state.to_owned(), workflow: workflow.to_owned() };
        (head, sealed.get(end + 1..).unwrap_or_default())
    }
}

/// Where there is no workflow file of the project's own.
const NO_FILE: &str = "none";

/// A digest of the workflow file that the project has for this name.
fn own(home: &Path, workflow: &str) -> String {
    let file = project::base(home).map(|base| layout::workflows(&base).join(workflow).join(FILE));
    let bytes = file.and_then(|file| read_file(&file, BYTES_MAX).ok().flatten());
    bytes.map_or_else(|| NO_FILE.to_owned(), |bytes| layout::content_digest(&bytes))
}

/// Vouches for a state that was given and not made, as a case's is, and for the evidence beside it.
pub fn vouch(home: &Path, workflow: &str, state: &Path) -> Result<(), String> {
    if let Some(bytes) = read_file(state, BYTES_MAX)? {
        Seal { home: home.into(), workflow: workflow.to_owned(), place: home.into() }.close(&bytes)?;
    }
    evidence::vouch(home, workflow).map_err(|error| error.to_string())
}

/// Which of a name's workflows a run was begun with, if one is sealed here and it is no longer that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// With the built-in one: the project's own came later.
    BuiltIn,
    /// With the project's own, which has changed.
    Otherwise,
}

/// Whether the project's own workflow of this name is another than the sealed run here was begun with: whoever may
/// write a workflow could end any run.
pub fn changed_since(start: &Path, workflow: &str) -> Option<Begun> {
    let home = start.ancestors().find(|folder| layout::seal(folder, workflow).is_file())?;
    let sealed = read_file(&layout::seal(home, workflow), BYTES_MAX).ok()??;
    let begun = Head::read(&sealed).0.workflow;
    if begun == own(home, workflow) {
        return None;
    }
    Some(if begun == NO_FILE { Begun::BuiltIn } else { Begun::Otherwise })
}

/// Whether it is a file, or not there. A folder or a link in its place was put there to keep us out.
fn is_plain(state: &Path) -> bool {
    state.symlink_metadata().map_or(true, |metadata| metadata.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a foreign writer")]
    fn what_others_change_is_put_back() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state.json");
        let place = home.path().to_path_buf();
        let seal = Seal { home: place.clone(), workflow: "flow".into(), place };
        assert_eq!(seal.uphold(&state), Ok(false), "nothing is sealed yet");
        std::fs::write(&state, "{\"n\": 1}").unwrap();
        seal.close(b"{\"n\": 1}").unwrap();
        assert_eq!(seal.uphold(&state), Ok(false));
        let changes: [&dyn Fn(); 3] = [
            &|| std::fs::write(&state, "{\"n\": 2}").unwrap(),
            &|| std::fs::remove_file(&state).unwrap(),
            &|| {
                std::fs::remove_file(&state).unwrap();
                std::fs::create_dir(&state).unwrap();
            },
        ];
        for change in changes {
            change();
            assert_eq!(seal.uphold(&state), Ok(true));
            assert_eq!(std::fs::read_to_string(&state).unwrap(), "{\"n\": 1}");
        }
        let copy = layout::seal(home.path(), "flow");
        let forge = |path: &Path| {
            let text = std::fs::read_to_string(path).unwrap();
            std::fs::write(path, text.replace("\"n\": 1", "\"n\": 2")).unwrap();
        };
        forge(&copy);
        assert_eq!(seal.uphold(&state), Ok(true), "the copy was forged: the state is true");
        assert_eq!(seal.uphold(&state), Ok(false));
        forge(&copy);
        forge(&state);
        assert!(seal.uphold(&state).is_err(), "both were forged");
        std::fs::remove_file(&copy).unwrap();
        assert!(seal.uphold(&state).is_err(), "a state that the engine has not written");
        vouch(home.path(), "flow", &state).unwrap();
        assert_eq!(seal.uphold(&state), Ok(false));
    }
}
