//! Who called, by the processes above and what is noted of them.

use super::*;
use crate::agent::Otherwise;
use crate::env_vars::HOME;

/// Surroundings with a home, and these processes above.
struct Below {
    home: String,
    lineage: Lineage,
}

impl Env for Below {
    fn var(&self, name: &str) -> Option<String> {
        (name == HOME).then(|| self.home.clone())
    }

    fn lineage(&self) -> Lineage {
        self.lineage.clone()
    }
}

fn process(pid: u32) -> Process {
    // No process has such a number.
    Process { pid: pid + 2_000_000_000, start: 7 }
}

fn stop(session: &str) -> (Asked, Event) {
    let payload = serde_json::json!({"hook_event_name": "Stop", "session_id": session, "cwd": "/p"});
    crate::agent::event(Agent::Claude, &payload, &Otherwise { cwd: "/p", moment: None }).unwrap()
}

#[test]
fn a_call_below_a_client_counts_only_if_it_is_the_clients_own() {
    // Above this process: 4, then 3, 2 and 1. The client is 2.
    let home = tempfile::tempdir().unwrap();
    let caller = |above: &[u32], maker: Option<u32>, noted: &[u32]| {
        let above = above.iter().map(|pid| process(*pid)).collect();
        let lineage = Lineage { above, maker: maker.map(|pid| process(pid).pid) };
        let home = tempfile::tempdir_in(home.path()).unwrap();
        let env = Below { home: home.path().display().to_string(), lineage };
        let folder = StateFolder::of(&env).unwrap();
        let seen = Sighting { agent: "claude", session: Some("s"), place: "/p" };
        for pid in noted {
            Client::note(&folder, &process(*pid), &seen).unwrap();
        }
        let (asked, event) = stop("s");
        of(&env, &asked, &event)
    };
    let forged = Caller::Forged(Whence::Below);
    assert_eq!(caller(&[2, 1], Some(2), &[2]), Caller::Client, "the client");
    assert_eq!(caller(&[3, 2, 1], Some(2), &[2]), Caller::Client, "the client through a shell");
    assert_eq!(caller(&[3, 2, 1], None, &[2]), forged, "a shell's pipe");
    assert_eq!(caller(&[2, 1], None, &[2]), forged, "a shell that became this process");
    assert_eq!(caller(&[3, 2, 1], Some(3), &[2]), forged, "a program's own socket");
    assert_eq!(caller(&[4, 3, 2, 1], Some(2), &[2]), forged, "a client's socket that came further down");
    assert_eq!(caller(&[3, 2, 1], Some(3), &[2, 3]), forged, "a client below a client");
    assert_eq!(caller(&[2, 1], None, &[]), Caller::User, "nobody's shell");
    assert_eq!(caller(&[3, 1], None, &[2]), Caller::User, "somebody else's shell, whose client has ended");
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_is_its_clients_alone_while_the_client_is_there() {
    let home = tempfile::tempdir().unwrap();
    let env = Below { home: home.path().display().to_string(), lineage: Lineage::default() };
    let folder = StateFolder::of(&env).unwrap();
    let own = Process::of(std::process::id()).unwrap();
    let seen = Sighting { agent: "claude", session: Some("s"), place: "/p" };
    Client::note(&folder, &own, &seen).unwrap();
    let caller = |session| {
        let (asked, event) = stop(session);
        of(&env, &asked, &event)
    };
    assert_eq!(caller("s"), Caller::Forged(Whence::Outside(own)));
    assert_eq!(caller("another"), Caller::Unproved(UNKNOWN));
    // Once it has gone on to another session, the first one may be taken up elsewhere.
    Client::note(&folder, &own, &Sighting { session: Some("next"), ..seen }).unwrap();
    assert_eq!(caller("s"), Caller::Unproved(TAKEN_UP));
    assert_eq!(caller("next"), Caller::Forged(Whence::Outside(own)));
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_whose_note_is_gone_is_known_by_its_session() {
    let home = tempfile::tempdir().unwrap();
    let own = Process::of(std::process::id()).unwrap();
    let called = |above: &[Process], maker: Option<u32>| {
        let lineage = Lineage { above: above.to_vec(), maker };
        let env = Below { home: home.path().display().to_string(), lineage };
        let folder = StateFolder::of(&env).unwrap();
        let seen = Sighting { agent: "claude", session: Some("s"), place: "/p" };
        Client::note(&folder, &own, &seen).unwrap();
        folder.remove(&file(&own)).unwrap();
        let (asked, event) = stop("s");
        of(&env, &asked, &event)
    };
    assert_eq!(called(&[own], Some(own.pid)), Caller::Client);
    assert_eq!(called(&[process(1), own], Some(own.pid)), Caller::Client, "through a shell");
    let outside = Caller::Forged(Whence::Outside(own));
    assert_eq!(called(&[own], None), outside, "by a pipe");
    assert_eq!(called(&[process(1)], Some(process(1).pid)), outside, "by another's socket");
}

#[test]
fn a_client_is_known_by_the_words_it_was_started_with() {
    for (words, expect) in [
        (&["claude"][..], true),
        (&["/usr/bin/codex", "exec"], true),
        (&["node", "/x/node_modules/.bin/gemini"], true),
        (&["/usr/bin/node", "/x/bundle/gemini.js"], true),
        (&["bash", "claude"], false),
        (&["vim", "codex"], false),
        (&["claude-notes"], false),
        (&["node", "server.js"], false),
        (&[], false),
    ] {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(is_client(&words), expect, "{words:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_processes_above_are_told_to_the_first() {
    let all = lineage(None);
    let parent = std::os::unix::process::parent_id();
    assert_eq!(all.above.first().map(|process| process.pid), Some(parent));
    assert!(all.above.iter().all(|process| process.pid > 0));
    assert_eq!(lineage(Some(parent)).above, all.above[..1]);
}
