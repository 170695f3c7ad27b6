//! What is noted of an agent's client: its process, its sessions, where it works, and at which terminal.

use std::cell::LazyCell;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::presence;
use super::process::{Marks, Process, Standing};
use crate::allow::identity::Identity;
use crate::store::layout;
use crate::store::state_folder::StateFolder;

/// The folder of the clients.
pub(super) const FOLDER: &str = "clients";
/// The folder of the sessions.
const SESSIONS: &str = "sessions";
/// The folder of the clients that came along while others were at work.
const DOUBTED: &str = "doubted";
/// How many sessions and places of a client are kept: the newest.
const KEPT_MAX: usize = 64;

/// A client, as it is noted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Client {
    /// The agent's name.
    pub agent: String,
    /// Its sessions, the newest last.
    pub sessions: Vec<String>,
    /// The folders it was prompted in.
    pub places: Vec<String>,
    /// The device of its terminal; 0 if it has none.
    pub terminal: u64,
    /// What a sandbox would have left on it.
    pub marks: Marks,
}

/// An event by which a client is known.
#[derive(Clone, Copy, Debug)]
pub struct Sighting<'a> {
    /// The agent's name.
    pub agent: &'a str,
    /// The session that the event names.
    pub session: Option<&'a str>,
    /// The folder that the event names.
    pub place: &'a str,
}

pub(super) fn file(process: &Process) -> String {
    format!("{FOLDER}/{process}")
}

pub(super) fn session_file(session: &str) -> String {
    format!("{SESSIONS}/{}", layout::digest(&[session]))
}

impl Client {
    /// The client that a process is noted as.
    pub fn noted(folder: &StateFolder, process: &Process) -> Option<Client> {
        let kept = folder.read(&file(process))?;
        // A note of an earlier version is empty: a client all the same.
        Some(serde_json::from_slice(&kept).unwrap_or_default())
    }

    /// Notes a client, or what is new of it.
    pub(super) fn note(folder: &StateFolder, process: &Process, seen: &Sighting<'_>) -> std::io::Result<()> {
        let before = Client::noted(folder, process);
        let mut client = before.clone().unwrap_or_else(|| Client {
            terminal: Standing::of(process.pid).map(|standing| standing.terminal).unwrap_or_default(),
            marks: Marks::of(*process).unwrap_or_default(),
            ..Client::default()
        });
        seen.agent.clone_into(&mut client.agent);
        seen.session.into_iter().for_each(|session| add(&mut client.sessions, session));
        add(&mut client.places, seen.place);
        if before.as_ref() != Some(&client) {
            folder.write(&file(process), &serde_json::to_vec(&client)?)?;
            // A client may be open for longer than a week.
            let is_alive = |name: &str| name.parse::<Process>().is_ok_and(|process| process.is_alive());
            folder.clear_old_unless(FOLDER, is_alive);
        }
        match seen.session {
            Some(session) => folder.write(&session_file(session), file(process).as_bytes()),
            None => Ok(()),
        }
    }

    /// Returns whether a session is the one that it is at: the newest.
    pub(super) fn is_at_session(&self, session: &str) -> bool {
        self.sessions.last().is_none_or(|newest| newest == session)
    }

    /// Returns whether it was prompted in a folder for which this is so.
    fn was_in(&self, is_it: impl Fn(&Path) -> bool) -> bool {
        self.places.iter().any(|place| is_it(Path::new(place)))
    }
}

/// Puts a text last, once.
fn add(texts: &mut Vec<String>, text: &str) {
    texts.retain(|known| known != text);
    texts.push(text.to_owned());
    let too_many = texts.len().saturating_sub(KEPT_MAX);
    texts.drain(..too_many);
}

/// Remembers a session that a hook has seen, whoever its client is.
pub(super) fn see(folder: &StateFolder, session: &str) {
    if presence::is_over(folder, session) {
        // One that cannot be remembered can claim nothing: the next to stop does.
        let _ = folder.write(&session_file(session), b"");
        let is_open = |name: &str| client_in(folder, &format!("{SESSIONS}/{name}")).is_some();
        folder.clear_old_unless(SESSIONS, is_open);
    }
}

/// Returns whether a hook has seen this session.
pub(super) fn is_seen(folder: &StateFolder, session: &str) -> bool {
    folder.has(&session_file(session))
}

/// Returns the client of a session, if one is noted and still there.
pub(super) fn of_session(folder: &StateFolder, session: &str) -> Option<Process> {
    client_in(folder, &session_file(session))
}

fn client_in(folder: &StateFolder, session_file: &str) -> Option<Process> {
    let noted = folder.text(session_file)?;
    noted.strip_prefix(FOLDER)?.strip_prefix('/')?.parse().ok().filter(Process::is_alive)
}

/// Notes that a client came along while another was at work: nothing tells it from somebody who has left that one.
pub(super) fn doubt(folder: &StateFolder, process: &Process) {
    let _ = folder.mark(&doubted_file(process));
    let is_alive = |name: &str| name.parse::<Process>().is_ok_and(|process| process.is_alive());
    folder.clear_old_unless(DOUBTED, is_alive);
}

/// Returns whether that is noted.
pub(super) fn is_doubted(folder: &StateFolder, process: &Process) -> bool {
    folder.has(&doubted_file(process))
}

fn doubted_file(process: &Process) -> String {
    format!("{DOUBTED}/{process}")
}

/// Lists the clients that are noted and still there.
fn alive(folder: &StateFolder) -> impl Iterator<Item = (Process, Client)> + '_ {
    let processes = folder.names(FOLDER).into_iter().filter_map(|name| name.parse::<Process>().ok());
    let noted = |process: Process| Client::noted(folder, &process).map(|client| (process, client));
    processes.filter(Process::is_alive).filter_map(noted)
}

/// Lists the clients still there that work in this folder, above it, below it, or elsewhere in its project: what is done for
/// one worktree counts for all.
pub(super) fn at<'a>(folder: &'a StateFolder, place: &'a Path) -> impl Iterator<Item = Process> + 'a {
    let project = LazyCell::new(|| Identity::of(place));
    let is_same = |noted: &Path, project: &Identity| {
        noted.starts_with(&project.root) || Identity::of(noted).is_some_and(|other| other.id == project.id)
    };
    let is_near = move |noted: &Path| {
        let is_way = place.starts_with(noted) || noted.starts_with(place);
        is_way || project.as_ref().is_some_and(|project| is_same(noted, project))
    };
    alive(folder).filter(move |(_, client)| client.was_in(&is_near)).map(|(process, _)| process)
}

/// Returns the agent whose client is at this terminal, if one is.
pub(super) fn at_terminal(folder: &StateFolder, device: u64) -> Option<String> {
    let mut alive = alive(folder).map(|(_, client)| client);
    alive.find(|client| device != 0 && client.terminal == device).map(|client| client.agent)
}

#[cfg(all(test, target_os = "linux"))]
#[expect(clippy::disallowed_methods, reason = "foreign files")]
mod tests {
    use super::*;
    use crate::env::FixedEnv;
    use crate::env_vars::HOME;

    #[test]
    fn a_client_is_known_by_its_sessions_and_places_while_it_is_there() {
        let home = tempfile::tempdir().unwrap();
        let variables = [(HOME.to_owned(), home.path().display().to_string())].into();
        let folder = StateFolder::of(&FixedEnv { variables, now: None }).unwrap();
        let own = Process::of(std::process::id()).unwrap();
        let gone = Process { start: own.start + 1, ..own };
        let seen = |session, place| Sighting { agent: "claude", session: Some(session), place };
        Client::note(&folder, &own, &seen("one", "/p/a")).unwrap();
        Client::note(&folder, &own, &seen("two", "/p/b")).unwrap();
        Client::note(&folder, &gone, &seen("old", "/q")).unwrap();
        assert_eq!(Client::noted(&folder, &own).unwrap().sessions, ["one", "two"]);
        assert_eq!(of_session(&folder, "one"), Some(own));
        assert_eq!((of_session(&folder, "old"), of_session(&folder, "none")), (None, None));
        assert!(is_seen(&folder, "old") && !is_seen(&folder, "none"));
        for (place, expect) in
            [("/p/a", true), ("/p", true), ("/p/b/src", true), ("/p/abc", false), ("/q", false)]
        {
            assert_eq!(at(&folder, Path::new(place)).next().is_some(), expect, "{place}");
        }
        assert_eq!(at_terminal(&folder, 0), None);
    }

    #[test]
    fn a_client_works_in_all_of_its_project() {
        let (home, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let variables = [(HOME.to_owned(), home.path().display().to_string())].into();
        let folder = StateFolder::of(&FixedEnv { variables, now: None }).unwrap();
        let place = |name: &str| root.path().join(name);
        for name in ["p/.git/worktrees/w", "p/a", "p/b", "w", "q/.git"] {
            std::fs::create_dir_all(place(name)).unwrap();
        }
        let own = place("p/.git/worktrees/w");
        let link = |path: &Path, text: String| std::fs::write(path, text).unwrap();
        link(&own.join("gitdir"), format!("{}\n", place("w/.git").display()));
        link(&own.join("commondir"), "../..\n".to_owned());
        link(&place("w/.git"), format!("gitdir: {}\n", own.display()));
        let noted = place("p/a").display().to_string();
        let seen = Sighting { agent: "claude", session: Some("s"), place: &noted };
        Client::note(&folder, &Process::of(std::process::id()).unwrap(), &seen).unwrap();
        for (name, expect) in [("p/b", true), ("w", true), ("q", false), ("", true)] {
            assert_eq!(at(&folder, &place(name)).next().is_some(), expect, "{name}");
        }
    }

    #[test]
    fn a_client_is_noted_as_long_as_it_is_there() {
        let home = tempfile::tempdir().unwrap();
        let variables = [(HOME.to_owned(), home.path().display().to_string())].into();
        let folder = StateFolder::of(&FixedEnv { variables, now: None }).unwrap();
        let own = Process::of(std::process::id()).unwrap();
        let gone = Process { start: own.start + 1, ..own };
        let seen = |session| Sighting { agent: "claude", session: Some(session), place: "/p" };
        Client::note(&folder, &own, &seen("one")).unwrap();
        Client::note(&folder, &gone, &seen("old")).unwrap();
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(9 * 24);
        for name in [file(&own), file(&gone), session_file("one"), session_file("old")] {
            let file = std::fs::File::options().write(true).open(folder.root().join(name)).unwrap();
            file.set_modified(long_ago).unwrap();
        }
        // Another client and another session come along, and clear away.
        Client::note(&folder, &Process { start: own.start + 2, ..own }, &seen("two")).unwrap();
        see(&folder, "three");
        assert!(Client::noted(&folder, &own).is_some() && Client::noted(&folder, &gone).is_none());
        assert_eq!(of_session(&folder, "one"), Some(own));
        assert!(is_seen(&folder, "one") && !is_seen(&folder, "old"));
    }
}
