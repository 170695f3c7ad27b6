//! Whether a session is still there, and who takes its place. A session whose client is gone, or that the client said has
//! ended, has given up what it worked on. In a terminal a client has one session at a time: the newest takes the place of the
//! one before it.

use std::path::Path;

use super::client::{Client, FOLDER, session_file};
use super::process::{Marks, Process};
use super::transcript;
use crate::agent::Agent;
use crate::env::Env;
use crate::store::state_folder::StateFolder;

/// What a session's file begins with once the session has ended.
const ENDED: &str = "ended ";

/// Where a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// Its client is there.
    There(Process),
    /// It has ended, or its client is gone: this was the client.
    Gone(Option<Process>),
    /// No client of its is known.
    Unknown,
}

/// Whether a session has given up what it worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handover {
    /// Another takes its place, and that is the one that asks.
    ToThis,
    /// It is gone: whoever comes next may have it.
    ToAnybody,
    /// It is there.
    No,
    /// Nobody knows: it may be there.
    Unknown,
}

/// The session that asks.
#[derive(Clone, Copy, Debug)]
pub struct Claimant<'a> {
    /// Its id.
    pub session: &'a str,
    /// Where its client keeps the record of it.
    pub transcript: Option<&'a str>,
}

/// Tells whether a session has given up what it worked on, and to whom.
pub fn handover(env: &dyn Env, from: &str, to: &Claimant<'_>) -> Handover {
    let Ok(folder) = StateFolder::of(env) else { return Handover::Unknown };
    let is_copy = || to.transcript.is_some_and(|path| transcript::descends(Path::new(path), from));
    match presence(&folder, from) {
        // A client may name the session that it copies at its start, and the copy from then on.
        Presence::There(client) if noted(&folder, to.session).1 == Some(client) => {
            if has_gone_on(&folder, client, from, to) || is_copy() { Handover::ToThis } else { Handover::No }
        }
        Presence::Gone(client) => {
            let is_same = client.is_some() && client == noted(&folder, to.session).1;
            if is_same || is_copy() { Handover::ToThis } else { Handover::ToAnybody }
        }
        Presence::Unknown if is_copy() => Handover::ToThis,
        Presence::Unknown => Handover::Unknown,
        Presence::There(_) => Handover::No,
    }
}

/// Lists the folders that the client of a session was prompted in.
pub fn places(env: &dyn Env, session: &str) -> Vec<String> {
    let Ok(folder) = StateFolder::of(env) else { return Vec::new() };
    let client = noted(&folder, session).1.and_then(|client| Client::noted(&folder, &client));
    client.map(|client| client.places).unwrap_or_default()
}

/// Remembers that a session has ended.
pub fn end(env: &dyn Env, session: &str) {
    let Ok(folder) = StateFolder::of(env) else { return };
    let file = session_file(session);
    let Some(before) = folder.text(&file).filter(|before| !before.starts_with(ENDED)) else { return };
    // One that cannot be remembered falls silent all the same.
    let _ = folder.write(&file, format!("{ENDED}{before}").as_bytes());
}

/// Returns whether a session has ended, or was never seen.
pub(super) fn is_over(folder: &StateFolder, session: &str) -> bool {
    folder.text(&session_file(session)).is_none_or(|noted| noted.starts_with(ENDED))
}

/// Returns whether a session is over and may be taken up by whoever stops in its name: no client of its is known.
pub(super) fn is_open(folder: &StateFolder, session: &str) -> bool {
    folder.text(&session_file(session)).is_none_or(|noted| noted == ENDED)
}

/// Returns whether a session is known to be there: its client is.
pub fn is_there(env: &dyn Env, session: &str) -> bool {
    let folder = StateFolder::of(env).ok();
    folder.is_some_and(|folder| matches!(presence(&folder, session), Presence::There(_)))
}

/// Whether a session is noted as ended, and its client.
fn noted(folder: &StateFolder, session: &str) -> (bool, Option<Process>) {
    let noted = folder.text(&session_file(session)).unwrap_or_default();
    let rest = noted.strip_prefix(ENDED);
    let client =
        rest.unwrap_or(&noted).strip_prefix(FOLDER).and_then(|name| name.strip_prefix('/')?.parse().ok());
    (rest.is_some(), client)
}

fn presence(folder: &StateFolder, session: &str) -> Presence {
    match noted(folder, session) {
        (true, client) => Presence::Gone(client),
        (false, None) => Presence::Unknown,
        (false, Some(client)) if client.is_alive() => Presence::There(client),
        // The numbers of another container's processes say nothing here.
        (false, Some(client)) if is_elsewhere(folder, client) => Presence::Unknown,
        (false, Some(client)) => Presence::Gone(Some(client)),
    }
}

fn is_elsewhere(folder: &StateFolder, client: Process) -> bool {
    let own = Process::of(std::process::id()).and_then(Marks::of);
    let marks = Client::noted(folder, &client).map(|client| client.marks);
    !own.zip(marks).is_some_and(|(own, marks)| own.shares_processes(&marks))
}

/// Returns whether a client that has one session at a time has gone on to another: any at a terminal, and Claude Code
/// wherever it is, if it keeps a record. There it may not have written down yet what it copied of the one before.
fn has_gone_on(folder: &StateFolder, client: Process, from: &str, to: &Claimant<'_>) -> bool {
    Client::noted(folder, &client).is_some_and(|client| {
        let keeps_record = client.agent == Agent::Claude.name() && to.transcript.is_some();
        let is_one_at_a_time = client.terminal != 0 || keeps_record;
        is_one_at_a_time && client.sessions.last().is_some_and(|last| last != from)
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::caller::client::{self, Sighting};
    use crate::env::FixedEnv;
    use crate::env_vars::HOME;

    #[test]
    fn a_session_gives_up_what_it_worked_on_when_its_client_is_gone_or_says_so() {
        let home = tempfile::tempdir().unwrap();
        let env =
            FixedEnv { variables: [(HOME.to_owned(), home.path().display().to_string())].into(), now: None };
        let folder = StateFolder::of(&env).unwrap();
        let own = Process::of(std::process::id()).unwrap();
        let gone = Process { start: own.start + 1, ..own };
        let note = |process: &Process, session| {
            Client::note(&folder, process, &Sighting { agent: "codex", session: Some(session), place: "/p" })
                .unwrap();
        };
        let from = |from, to| handover(&env, from, &Claimant { session: to, transcript: None });
        client::see(&folder, "unknown");
        note(&own, "there");
        note(&gone, "gone");
        assert_eq!(from("unknown", "x"), Handover::Unknown);
        assert_eq!(from("there", "x"), Handover::No);
        assert_eq!(from("gone", "x"), Handover::ToAnybody);
        // The same client, which has no terminal: it may have several sessions.
        note(&own, "next");
        assert_eq!(from("there", "next"), Handover::No);
        // At a terminal it has one at a time, the newest.
        let kept = Client::noted(&folder, &own).unwrap();
        let seated = |sessions: [&str; 2]| Client {
            terminal: 5,
            sessions: sessions.map(str::to_owned).into(),
            ..kept.clone()
        };
        let keep = |client: &Client| {
            folder.write(&client::file(&own), &serde_json::to_vec(client).unwrap()).unwrap();
        };
        keep(&Client { terminal: 0, agent: "claude".to_owned(), ..seated(["there", "next"]) });
        assert_eq!(from("there", "next"), Handover::No);
        let recorded = Claimant { session: "next", transcript: Some("/not/there/yet") };
        assert_eq!(handover(&env, "there", &recorded), Handover::ToThis, "it has one at a time anywhere");
        keep(&seated(["there", "next"]));
        assert_eq!((from("there", "next"), from("there", "x")), (Handover::ToThis, Handover::No));
        keep(&seated(["next", "there"]));
        assert_eq!(from("there", "next"), Handover::No, "it was resumed");
        end(&env, "there");
        assert_eq!((from("there", "next"), from("there", "x")), (Handover::ToThis, Handover::ToAnybody));
        // It goes on after all.
        note(&own, "there");
        assert_eq!(from("there", "next"), Handover::No);
        end(&env, "unknown");
        assert_eq!(from("unknown", "x"), Handover::ToAnybody);
        client::see(&folder, "unknown");
        assert_eq!(from("unknown", "x"), Handover::Unknown, "it goes on");
        end(&env, "never seen");
        assert_eq!(from("never seen", "x"), Handover::Unknown);
        // Nobody but its own client takes up one that has ended.
        end(&env, "there");
        assert!(is_over(&folder, "there") && !is_open(&folder, "there") && is_open(&folder, "new"));
    }
}
