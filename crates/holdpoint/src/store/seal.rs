//! State that only the engine writes: a copy is kept, and what others change in the file is put back.

use std::path::Path;

use super::{atomic, layout};
use crate::world::read_file;

/// The largest state that is sealed.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Keeps a copy of the state as it is now.
pub fn close(home: &Path, workflow: &str, state: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    let copy = layout::seal(home, workflow);
    let Some(bytes) = read_file(state, BYTES_MAX)? else { return Ok(()) };
    layout::prepare(home, &copy).map_err(told)?;
    atomic::replace(&copy, &bytes).map_err(told)
}

/// Takes the seal away: the run is over, and whoever starts another starts anew.
pub fn remove(home: &Path, workflow: &str) {
    let _ = std::fs::remove_file(layout::seal(home, workflow));
}

/// Puts the state back if it is not what was sealed; true if it was not.
pub fn uphold(home: &Path, workflow: &str, state: &Path) -> Result<bool, String> {
    let Some(sealed) = read_file(&layout::seal(home, workflow), BYTES_MAX)? else { return Ok(false) };
    // A folder or a link in its place is taken away first: it was put there to keep us out.
    let is_plain = state.symlink_metadata().map_or(true, |metadata| metadata.is_file());
    if is_plain && read_file(state, BYTES_MAX)?.as_deref() == Some(sealed.as_slice()) {
        return Ok(false);
    }
    let told = |error: std::io::Error| error.to_string();
    if !is_plain {
        std::fs::remove_file(state).or_else(|_| std::fs::remove_dir_all(state)).map_err(told)?;
    }
    atomic::replace(state, &sealed).map_err(told)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a foreign writer")]
    fn what_others_change_is_put_back() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state.json");
        assert_eq!(uphold(home.path(), "flow", &state), Ok(false), "nothing is sealed yet");
        std::fs::write(&state, "{\"n\": 1}").unwrap();
        close(home.path(), "flow", &state).unwrap();
        assert_eq!(uphold(home.path(), "flow", &state), Ok(false));
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
            assert_eq!(uphold(home.path(), "flow", &state), Ok(true));
            assert_eq!(std::fs::read_to_string(&state).unwrap(), "{\"n\": 1}");
        }
    }
}
