//! Clients that are open for long, sessions that are taken up elsewhere, and processes that have left their client.

use serde_json::{Value as Json, json};

use super::project::{SESSION, Site};
use super::walk::total;
use super::word::{prompt, stop, told};
use crate::client::Client;

/// A run whose first task is coded, and its client.
fn coded() -> (Site, Client) {
    let site = Site::new();
    site.start(&[]);
    site.next();
    total(&site);
    let mut client = Client::like(&site.program("sh", ""));
    client.send(&prompt(&site, "go on", "p0"));
    (site, client)
}

fn begins(site: &Site, session: &str, source: &str) -> Json {
    json!({"hook_event_name": "SessionStart", "session_id": session, "cwd": site.root(), "source": source})
}

/// What a process performs that has left its client looks like anybody's, and says so.
#[test]
fn what_a_process_performs_that_left_its_client_says_so() {
    let (site, mut client) = coded();
    let before = site.evidence().len();
    let bare = "env -i PATH=\"$PATH\" HOME=\"$HOME\" XDG_STATE_HOME=\"$XDG_STATE_HOME\"";
    let said = client.shell(&format!("({bare} setsid holdpoint autopilot next </dev/null &)"));
    let pieces = site.evidence().split_off(before);
    assert!(!pieces.is_empty(), "{said}");
    for piece in pieces {
        assert!(piece["doubts"].to_string().contains("caller not proved"), "{piece}");
    }
    let shown = site.sh("holdpoint evidence");
    assert!(shown.contains("caller not proved"), "{shown}");
}

#[test]
fn a_client_that_is_open_for_more_than_a_week_is_still_the_client() {
    let (site, mut client) = coded();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(8 * 24);
    for entry in std::fs::read_dir(site.books_folder().join("clients")).unwrap() {
        let note = std::fs::File::options().write(true).open(entry.unwrap().path()).unwrap();
        note.set_modified(long_ago).unwrap();
    }
    // Another one comes along, and clears away what is old.
    let mut other = Client::like(&site.program("sh", ""));
    other.send(&begins(&site, "another", "startup"));
    let held = client.send(&stop(&site));
    assert_eq!(held["decision"], "block", "{held}");
}

#[test]
fn a_session_is_taken_up_elsewhere_once_its_client_has_gone_on() {
    let (site, mut first) = coded();
    let mut second = Client::like(&site.program("sh", ""));
    let refused = second.send(&begins(&site, SESSION, "resume"));
    assert!(told(&refused).contains("from outside of the client whose session it names"), "{refused}");
    assert!(told(&refused).contains("it is still open in process "), "{refused}");
    assert!(told(&refused).contains(&format!("claude --resume {SESSION} --fork-session")), "{refused}");
    first.send(&begins(&site, "next", "clear"));
    let taken_up = second.send(&begins(&site, SESSION, "resume"));
    assert!(!told(&taken_up).contains("a call of the hook came"), "{taken_up}");
    second.send(&prompt(&site, "go on", "p1"));
    let held = second.send(&stop(&site));
    assert_eq!(held["decision"], "block", "{held}");
    // The first one is at its own session as before.
    let answer = first.send(&json!({"hook_event_name": "Stop", "session_id": "next", "cwd": site.root()}));
    assert!(!told(&answer).contains("a call of the hook came"), "{answer}");
}
