//! State that only the engine writes: a copy is kept, and what others change in the file is put back.

use std::path::{Path, PathBuf};

use super::{atomic, layout, lock, state};
use crate::project::Run;
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
        atomic::replace(&copy, state).map_err(told)
    }

    /// Puts the state back if it is not what was sealed; true if it was not.
    pub fn uphold(&self, state: &Path) -> Result<bool, String> {
        if self.broken(state)?.is_none() {
            return Ok(false);
        }
        // Whoever writes it writes the copy first: with the lock, nobody is in between.
        let _lock = state::lock(&self.home, &self.place, lock::PATIENCE)?;
        let Some(sealed) = self.broken(state)? else { return Ok(false) };
        let told = |error: std::io::Error| error.to_string();
        if !is_plain(state) {
            std::fs::remove_file(state).or_else(|_| std::fs::remove_dir_all(state)).map_err(told)?;
        }
        atomic::replace(state, &sealed).map_err(told)?;
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

    /// What the state should be, if it is something else.
    fn broken(&self, state: &Path) -> Result<Option<Vec<u8>>, String> {
        let Some(sealed) = read_file(&layout::seal(&self.home, &self.workflow), BYTES_MAX)? else {
            return Ok(None);
        };
        let is_same = is_plain(state) && read_file(state, BYTES_MAX)?.as_deref() == Some(sealed.as_slice());
        Ok((!is_same).then_some(sealed))
    }
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
    }
}
