//! Whose run it is, where the run's own state does not say: the session that last worked on it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{atomic, layout, lock};
use crate::world::read_file;

/// After how long without a sign a session has given a run up, in seconds.
const SILENT_S: i64 = 2 * 60 * 60;

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Owner {
    session: String,
    seen: i64,
}

/// Makes the run at `place` this session's: somebody works on it there.
pub fn claim(home: &Path, place: &Path, session: &str, now: i64) -> Result<(), String> {
    let (path, _lock) = locked(home, place)?;
    write(&path, &Owner { session: session.to_owned(), seen: now })
}

/// Whether the run is another session's. One that is nobody's, or whose session has fallen silent, becomes this
/// session's.
pub fn is_anothers(home: &Path, place: &Path, session: &str, now: i64) -> Result<bool, String> {
    let (path, _lock) = locked(home, place)?;
    let bytes = read_file(&path, 64 * 1024)?.unwrap_or_default();
    let owner: Owner = serde_json::from_slice(&bytes).unwrap_or_default();
    let silent = now.saturating_sub(owner.seen) > SILENT_S;
    if owner.session != session && !owner.session.is_empty() && !silent {
        return Ok(true);
    }
    write(&path, &Owner { session: session.to_owned(), seen: now })?;
    Ok(false)
}

fn locked(home: &Path, place: &Path) -> Result<(PathBuf, lock::Lock), String> {
    let path = layout::owner(home, place);
    let lock_path = layout::lock(home, "owners");
    layout::prepare(home, &path).map_err(|error| error.to_string())?;
    layout::prepare(home, &lock_path).map_err(|error| error.to_string())?;
    let lock = lock::take(&lock_path, lock::PATIENCE).map_err(|error| error.to_string())?;
    Ok((path, lock))
}

fn write(path: &Path, owner: &Owner) -> Result<(), String> {
    if !path.exists() {
        path.parent().map(layout::clear_old);
    }
    let bytes = serde_json::to_vec(owner).map_err(|error| error.to_string())?;
    atomic::replace(path, &bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_session_owns_a_run_until_it_falls_silent_or_another_works_on_it() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("plan");
        let anothers = |session: &str, now: i64| is_anothers(home.path(), &place, session, now).unwrap();
        assert!(!anothers("a", 0));
        assert!(anothers("b", 10));
        assert!(!anothers("a", 20));
        claim(home.path(), &place, "b", 30).unwrap();
        assert!(anothers("a", 40));
        assert!(!anothers("a", 31 + SILENT_S));
        assert!(anothers("b", 32 + SILENT_S));
    }
}
