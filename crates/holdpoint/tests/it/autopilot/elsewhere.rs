//! Clients that are open for long, sessions that are taken up elsewhere, and processes that have left their client.

use serde_json::{Value as Json, json};

use super::project::{SESSION, SPEC, Site};
use super::walk::total;
use super::word::{prompt, stop, told};
use crate::client::Client;
use crate::terminal::at_terminal;

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

/// Plays a client, with sockets and a session of its own: sends each event of a file, and prints the answers.
const PLAYER: &str = r#"
import json, socket, subprocess, sys
for line in open(sys.argv[1]):
    ours, theirs = socket.socketpair()
    ours.sendall(line.encode()); ours.close()
    print(subprocess.run(["holdpoint", "hook", "--agent", "claude"], stdin=theirs, capture_output=True, text=True).stdout)
"#;

/// Has a process that left the client, without a trace in its variables, send events as a client would.
fn play(site: &Site, client: &mut Client, events: &[Json]) -> String {
    write_player(site, events);
    let bare = "env -i PATH=\"$PATH\" HOME=\"$HOME\" XDG_STATE_HOME=\"$XDG_STATE_HOME\"";
    client.shell(&format!("({bare} setsid python3 ../tools/play.py ../tools/events </dev/null &)"))
}

fn write_player(site: &Site, events: &[Json]) {
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    std::fs::write(site.tools().join("events"), lines).unwrap();
    std::fs::write(site.tools().join("play.py"), PLAYER).unwrap();
}

/// A run that nobody's session has taken yet, whose first task is coded.
fn coded_by_nobody() -> Site {
    let site = Site::new();
    for words in [&["start", SPEC][..], &["next"]] {
        let printed = site.tell_as("", words);
        assert_eq!(printed.code, Some(0), "{words:?}: {}{}", printed.stdout, printed.stderr);
    }
    total(&site);
    site
}

fn with_client(site: &Site) -> Client {
    let mut client = Client::like(&site.program("sh", ""));
    client.send(&prompt(site, "go on", "p0"));
    client
}

fn of_player(mut event: Json) -> Json {
    event["session_id"] = json!("the-players");
    event
}

#[test]
fn whoever_left_a_client_and_plays_one_is_doubted_at_every_call() {
    let site = coded_by_nobody();
    let mut client = with_client(&site);
    let before = site.evidence().len();
    let next = |site: &Site| {
        json!({"hook_event_name": "PreToolUse", "session_id": SESSION, "cwd": site.root(),
        "tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "holdpoint autopilot next"}})
    };
    let prompts = ["go on", "go on with it"].map(|text| of_player(prompt(&site, text, text)));
    let said = play(&site, &mut client, &[&prompts[..], &[of_player(next(&site))]].concat());
    let pieces = site.evidence().split_off(before);
    assert!(!pieces.is_empty(), "{said}");
    for piece in pieces {
        assert!(piece["doubts"].to_string().contains("caller not proved"), "{piece}");
    }
    // The client itself is nobody else.
    let site = coded_by_nobody();
    let mut client = with_client(&site);
    let before = site.evidence().len();
    play(&site, &mut client, &[of_player(prompt(&site, "go on", "p1"))]);
    let performed = client.send(&next(&site));
    let pieces = site.evidence().split_off(before);
    assert!(!pieces.is_empty(), "{performed}");
    assert!(pieces.iter().all(|piece| !piece.to_string().contains("caller not proved")), "{pieces:?}");
}

/// The user's second window, which was open before the client of the first one was started.
#[test]
fn a_client_in_a_terminal_that_was_there_before_is_not_doubted() {
    let site = coded_by_nobody();
    site.sh("mkfifo ../tools/there ../tools/go");
    let next = json!({"hook_event_name": "PreToolUse", "cwd": site.root(), "tool_name": "Bash", "tool_use_id": "t1",
        "tool_input": {"command": "holdpoint autopilot next"}});
    let events = [of_player(prompt(&site, "go on", "p1")), of_player(next)];
    write_player(&site, &events);
    let mut window = site.program("sh", "");
    window.args([
        "-c",
        "echo >../tools/there; read word <../tools/go; python3 ../tools/play.py ../tools/events; true",
    ]);
    let before = site.evidence().len();
    std::thread::scope(|scope| {
        let shown = scope.spawn(|| at_terminal(window, ""));
        std::fs::read(site.tools().join("there")).unwrap();
        let _client = with_client(&site);
        std::fs::write(site.tools().join("go"), "go\n").unwrap();
        let shown = shown.join().unwrap().stdout;
        let pieces = site.evidence().split_off(before);
        assert!(!pieces.is_empty(), "{shown}");
        assert!(pieces.iter().all(|piece| !piece.to_string().contains("caller not proved")), "{pieces:?}");
    });
}

/// The record of a client that somebody plays is the player's own.
#[test]
fn whoever_left_a_client_and_plays_one_has_no_users_word() {
    let site = coded_by_nobody();
    site.tell_as("", &["escalate", "the prices are unclear"]);
    assert_eq!(site.phase(), "escalated");
    let mut client = with_client(&site);
    let text = "holdpoint autopilot resume retry";
    let word = of_player(prompt(&site, text, "p2"));
    std::fs::write(word["transcript_path"].as_str().unwrap(), crate::client::recorded("typed", text, "p2"))
        .unwrap();
    let looks = json!({"hook_event_name": "PreToolUse", "cwd": site.root(), "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    let events = [of_player(prompt(&site, "go on", "p1")), word, of_player(looks.clone()), of_player(looks)];
    let said = play(&site, &mut client, &events);
    assert!(said.contains("nothing was done for the prompt"), "{said}");
    assert_eq!(site.phase(), "escalated", "{said}");
}
