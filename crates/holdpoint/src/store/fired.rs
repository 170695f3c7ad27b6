//! When agents' hooks last fired where no journal tells it: a file for each agent, event and folder, in the state folder. Its
//! time is that of the last event, so that an event costs no more than setting it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;

use super::journal;
use super::layout;
use super::state_folder::StateFolder;

/// Their folder.
const FOLDER: &str = "fired";
/// How many are kept: those that fired last.
const KEPT_MAX: usize = 512;

/// The last event of a kind in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fired {
    /// The agent's name.
    pub agent: String,
    /// The moment: `stop`, `before` …
    pub event: String,
    /// The folder that the event named.
    pub place: PathBuf,
    /// When, as the journal writes times.
    pub at: String,
}

/// Notes that a hook has fired.
pub fn note(folder: &StateFolder, agent: &str, event: &str, place: &str) -> io::Result<()> {
    let file = format!("{FOLDER}/{}", layout::digest(&[agent, event, place]));
    if folder.set_time(&file, SystemTime::now()) {
        return Ok(());
    }
    folder.write(&file, format!("{agent} {event}\n{place}").as_bytes())?;
    let names = folder.oldest_first(FOLDER);
    for name in names.iter().take(names.len().saturating_sub(KEPT_MAX)) {
        let _ = folder.remove(&format!("{FOLDER}/{name}"));
    }
    Ok(())
}

/// All that is noted of this folder and those below it.
pub fn below(folder: &StateFolder, root: &Path) -> Vec<Fired> {
    let all = folder.names_and_times(FOLDER).into_iter();
    let fired = all.filter_map(|(time, name)| read(&folder.text(&format!("{FOLDER}/{name}"))?, time));
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let root = real(root);
    fired.filter(|fired| real(&fired.place).starts_with(&root)).collect()
}

fn read(text: &str, time: SystemTime) -> Option<Fired> {
    let (who, place) = text.split_once('\n')?;
    let (agent, event) = who.split_once(' ')?;
    let at = journal::written(Timestamp::try_from(time).ok()?);
    Some(Fired { agent: agent.to_owned(), event: event.to_owned(), place: PathBuf::from(place), at })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;
    use crate::env_vars::HOME;

    fn folder(home: &Path) -> StateFolder {
        let variables = [(HOME.to_owned(), home.display().to_string())].into();
        StateFolder::of(&FixedEnv { variables, now: None }).unwrap()
    }

    #[test]
    fn the_last_time_counts_and_each_folder_has_its_own() {
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path());
        assert_eq!(below(&folder, Path::new("/p")), []);
        note(&folder, "claude", "stop", "/p").unwrap();
        let file = folder.names(FOLDER).pop().unwrap();
        assert!(folder.set_time(&format!("{FOLDER}/{file}"), SystemTime::UNIX_EPOCH));
        assert!(below(&folder, Path::new("/p"))[0].at.starts_with("1970-01-01T00:00:00"));
        note(&folder, "claude", "stop", "/p").unwrap();
        note(&folder, "claude", "stop", "/p/below").unwrap();
        note(&folder, "codex", "before", "/other").unwrap();
        let fired = below(&folder, Path::new("/p"));
        assert_eq!(fired.len(), 2);
        assert!(fired.iter().all(|fired| fired.agent == "claude" && fired.event == "stop"));
        assert!(fired.iter().all(|fired| fired.at.as_str() > "2026"), "{fired:?}");
    }

    #[test]
    fn no_more_are_kept_than_there_is_room_for() {
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path());
        for n in 0..KEPT_MAX + 3 {
            note(&folder, "claude", "stop", &format!("/p/{n}")).unwrap();
        }
        assert_eq!(folder.names(FOLDER).len(), KEPT_MAX);
    }

    #[test]
    fn rubbish_among_them_is_passed_over() {
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path());
        folder.write("fired/x", b"nothing of ours").unwrap();
        folder.write("fired/y", b"\xff\n").unwrap();
        assert_eq!(below(&folder, Path::new("/")), []);
    }
}
