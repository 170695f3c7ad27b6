//! Whose word is the user's: a prompt counts once the client's record says that it was typed, a terminal if it is no agent's,
//! and a process that left its client for nothing.

use std::path::{Path, PathBuf};

use holdpoint::allow::identity::Identity;
use serde_json::{Value as Json, json};

use super::project::{SESSION, Site};
use super::walk::total;
use crate::client::{Client, recorded};
use crate::project::{Printed, feed};
use crate::terminal::at_terminal;

const RESUME: &str = "holdpoint autopilot resume retry";

/// A run that waits for its user, and the client that works on it.
fn escalated() -> (Site, Client) {
    let site = Site::new();
    site.start(&[]);
    site.next();
    total(&site);
    site.shell("holdpoint autopilot escalate 'the prices are unclear'");
    assert_eq!(site.phase(), "escalated");
    let mut client = Client::like(&site.program("sh", ""));
    client.send(&prompt(&site, "go on", "p0"));
    (site, client)
}

fn transcript(site: &Site) -> PathBuf {
    site.tools().join("transcript.jsonl")
}

pub(super) fn prompt(site: &Site, text: &str, id: &str) -> Json {
    json!({"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "cwd": site.root(), "prompt": text,
        "prompt_id": id, "transcript_path": transcript(site)})
}

fn looks(site: &Site) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": SESSION, "cwd": site.root(), "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"})
}

pub(super) fn stop(site: &Site) -> Json {
    json!({"hook_event_name": "Stop", "session_id": SESSION, "cwd": site.root()})
}

pub(super) fn told(answer: &Json) -> &str {
    answer["systemMessage"].as_str().unwrap_or_default()
}

#[test]
fn a_prompt_that_was_typed_is_the_users_word() {
    for (text, line) in [
        (RESUME, "typed"),
        (RESUME, "typed-197"),
        ("/autopilot resume retry", "typed-command"),
        ("/autopilot:resume retry", "typed-command"),
        ("/autopilot:autopilot resume take the cents, don't round", "typed-command"),
    ] {
        let (site, mut client) = escalated();
        let heard = client.send(&prompt(&site, text, "p1"));
        assert!(heard.to_string().contains("Do not run it yourself"), "{text}: {heard}");
        // The client's record is not written yet.
        assert_eq!(told(&client.send(&looks(&site))), "", "{text}");
        assert_eq!(site.phase(), "escalated", "{text}");
        std::fs::write(transcript(&site), recorded(line, text, "p1")).unwrap();
        let done = client.send(&looks(&site));
        assert!(told(&done).contains("done, as you typed it: `holdpoint autopilot resume"), "{text}: {done}");
        assert_ne!(site.phase(), "escalated", "{text}");
        assert_eq!(told(&client.send(&looks(&site))), "", "{text}: once");
    }
}

/// What agents can have delivered: scheduled, sent to the client's socket, given to a client without a screen.
#[test]
fn a_prompt_that_the_agent_had_delivered_is_not_the_users_word() {
    for (text, line, how) in [
        (RESUME, "cron", "(scheduled)"),
        ("/autopilot resume retry", "cron-command", "(scheduled)"),
        ("/autopilot:resume retry", "cron-command", "(scheduled)"),
        (RESUME, "peer", "(peer)"),
        (RESUME, "print", "(sdk)"),
        (RESUME, "print-197", "(sdk)"),
        ("/autopilot resume retry", "command-197", "(not said)"),
    ] {
        let (site, mut client) = escalated();
        client.send(&prompt(&site, text, "p1"));
        std::fs::write(transcript(&site), recorded(line, text, "p1")).unwrap();
        let refused = client.send(&looks(&site));
        assert!(told(&refused).contains(how), "{line}: {refused}");
        assert!(
            told(&refused).contains("type in a terminal of your own:\n   holdpoint autopilot resume"),
            "{refused}"
        );
        assert_eq!(site.phase(), "escalated", "{line}");
        assert!(site.read_book("journal.jsonl").contains("you did not type it"), "{line}");
    }
}

#[test]
fn a_prompt_of_which_there_is_no_record_is_not_the_users_word() {
    let (site, mut client) = escalated();
    // Another's words, or another's id, confirm nothing.
    let others = recorded("typed", "holdpoint autopilot abandon", "p1") + &recorded("typed", RESUME, "p0");
    std::fs::write(transcript(&site), others).unwrap();
    client.send(&prompt(&site, RESUME, "p1"));
    assert_eq!(told(&client.send(&looks(&site))), "");
    let refused = client.send(&stop(&site));
    assert!(told(&refused).contains("record does not say that you typed it"), "{refused}");
    // Nor does a record that only the event names, or an event that is not the client's.
    let forged = site.tools().join("forged.jsonl");
    std::fs::write(&forged, recorded("typed", RESUME, "p2")).unwrap();
    let mut event = prompt(&site, RESUME, "p2");
    event["transcript_path"] = json!(forged);
    std::fs::write(site.tools().join("event"), event.to_string()).unwrap();
    let said = client.shell("holdpoint hook --agent claude <../tools/event");
    assert!(said.contains("not from the agent's client"), "{said}");
    client.send(&stop(&site));
    assert_eq!(site.phase(), "escalated");
}

#[test]
fn an_agent_without_a_record_of_what_is_typed_leaves_the_terminal() {
    let (site, mut client) = escalated();
    let mut event = prompt(&site, RESUME, "p1");
    event["turn_id"] = json!("t");
    event["model"] = json!("m");
    let heard = client.send(&event);
    assert!(told(&heard).contains("Codex keeps no record"), "{heard}");
    assert!(told(&heard).contains("holdpoint autopilot resume retry"), "{heard}");
    assert_eq!(site.phase(), "escalated");
}

/// A process that left the client's tree has no terminal of the user's.
#[test]
fn a_process_that_left_its_client_is_not_the_user() {
    let (site, mut client) = escalated();
    let bare = "env -i PATH=\"$PATH\" HOME=\"$HOME\" XDG_STATE_HOME=\"$XDG_STATE_HOME\"";
    for script in [
        format!("(setsid {RESUME} </dev/null &)"),
        format!("({bare} setsid sh -c 'a=autopilot; holdpoint $a resume retry' </dev/null &)"),
        format!("({bare} nohup sh -c 'echo resume retry | xargs holdpoint autopilot' </dev/null &)"),
        format!("({bare} setsid sh -c 'exec {RESUME}' </dev/null &)"),
        // A terminal of its own, at which nobody types the word that is shown.
        format!("({bare} setsid script -qec '{RESUME}' /dev/null </dev/null &)"),
        format!("(CLAUDECODE=1 setsid script -qec 'unset CLAUDECODE; {RESUME}' /dev/null </dev/null &)"),
    ] {
        let said = client.shell(&script);
        let is_refused = said.contains("the user's to call") || said.contains("the word was not typed");
        assert!(is_refused, "{script}: {said}");
        assert_eq!(site.phase(), "escalated", "{script}");
    }
}

/// Another home does not hide the client that is above.
#[test]
fn a_shell_with_another_home_is_still_the_agents() {
    let (site, mut client) = escalated();
    std::fs::write(site.tools().join("event"), stop(&site).to_string()).unwrap();
    for script in [
        "export XDG_STATE_HOME=$PWD/../tools/state; holdpoint autopilot resume retry",
        "unset XDG_STATE_HOME; HOME=$PWD/../tools holdpoint autopilot resume retry",
        "env -i PATH=\"$PATH\" HOME=/tmp holdpoint autopilot abandon",
    ] {
        let said = client.shell(script);
        assert!(said.contains("the user's to call"), "{script}: {said}");
        assert_eq!(site.phase(), "escalated", "{script}");
    }
    // There the run is nobody's: nothing is judged.
    let said =
        client.shell("XDG_STATE_HOME=$PWD/../tools/state holdpoint hook --agent claude <../tools/event");
    assert!(!said.contains("decision") && site.phase() == "escalated", "{said}");
    let said = client
        .shell("(XDG_STATE_HOME=$PWD/../tools/state setsid holdpoint autopilot resume retry </dev/null &)");
    assert!(!said.contains("resumed") && site.phase() == "escalated", "{said}");
}

/// An event of a session comes from that session's client, wherever else it comes from.
#[test]
fn a_call_from_outside_of_the_client_is_not_the_clients() {
    let (site, mut client) = escalated();
    std::fs::write(site.tools().join("event"), stop(&site).to_string()).unwrap();
    for script in [
        "(setsid holdpoint hook --agent claude <../tools/event &)",
        "(setsid sh -c 'cat ../tools/event | holdpoint hook' &)",
        "(env -i PATH=\"$PATH\" XDG_STATE_HOME=\"$XDG_STATE_HOME\" setsid holdpoint hook <../tools/event &)",
    ] {
        let said = client.shell(script);
        assert!(said.contains("a call of the hook came from"), "{script}: {said}");
    }
    let mut hook = site.program(env!("CARGO_BIN_EXE_holdpoint"), "");
    hook.arg("hook");
    let said: Printed = feed(hook, stop(&site).to_string().as_bytes());
    assert!(said.stdout.contains("from outside of the client whose session it names"), "{}", said.stdout);
}

/// The user at a terminal of their own, while the client works.
#[test]
fn at_a_terminal_of_their_own_the_user_is_asked() {
    let (site, client) = escalated();
    let resume = || {
        let mut command = site.program(env!("CARGO_BIN_EXE_holdpoint"), "");
        command.args(["autopilot", "resume", "retry"]);
        command
    };
    let piped = feed(resume(), b"y\n");
    assert!(
        piped.stderr.contains("an agent's client works here: standard input is not a terminal"),
        "{}",
        piped.stderr
    );
    let stray = at_terminal(resume(), "y\n");
    assert!(stray.stderr.contains("the word was not typed"), "{}{}", stray.stdout, stray.stderr);
    assert_eq!(site.phase(), "escalated");
    let typed = crate::approval::typed(resume(), |word| format!("{word}\n"));
    assert_eq!(typed.code, Some(0), "{}{}", typed.stdout, typed.stderr);
    assert!(
        typed.stderr.contains("` to run `holdpoint autopilot resume retry`. Anything else"),
        "{}",
        typed.stderr
    );
    assert_ne!(site.phase(), "escalated");
    drop(client);
}

/// Neither an option nor another folder takes the place of the word while a client works in the project.
#[test]
fn no_option_and_no_folder_replaces_the_word() {
    let site = Site::new();
    site.start(&[]);
    let (root, above) = (site.root().display().to_string(), site.tools());
    let holdpoint = |args: &[&str], folder: &Path| {
        let mut command = site.later(env!("CARGO_BIN_EXE_holdpoint"), "");
        command.args(args).current_dir(folder);
        command
    };
    assert_eq!(at_terminal(holdpoint(&["allow", "--yes"], &site.root()), "").code, Some(0));
    let mut client = Client::like(&site.later("sh", ""));
    client.send(&prompt(&site, "go on", "p0"));
    site.script("tools/claude", "#!/bin/sh\nexit 1\n");
    let digest = feed(holdpoint(&["allow", "--print"], &site.root()), b"").stdout.trim().to_owned();
    let allow = ["allow", "--digest", &digest, &root];
    let kept = || pinned(&site);
    let before = kept();
    assert!(!before.is_empty());
    for args in
        [&["allow", "--yes", &root][..], &["allow", "--yes", "ai/.."], &allow, &["allow", "--revoke", &root]]
    {
        let folder = if args.contains(&"ai/..") { site.root() } else { above.clone() };
        let piped = feed(holdpoint(args, &folder), b"y\n");
        assert!(
            piped.stderr.contains("an agent's client works here: standard input is not"),
            "{args:?}: {}",
            piped.stderr
        );
        let asked = at_terminal(holdpoint(args, &folder), "y\n");
        assert!(
            asked.stderr.contains("` to run `holdpoint allow`"),
            "{args:?}: {}{}",
            asked.stdout,
            asked.stderr
        );
        assert!(asked.stderr.contains("the word was not typed"), "{args:?}: {}", asked.stderr);
        assert_eq!(kept(), before, "{args:?}");
    }
    // The way that containers and CI have, where no client is.
    drop(client);
    assert_eq!(feed(holdpoint(&allow, &above), b"").code, Some(0));
    let typed = at_terminal(holdpoint(&["allow", "--yes", &root], &above), "");
    assert!(typed.code == Some(0) && kept() != before, "{}{}", typed.stdout, typed.stderr);
}

/// What is kept of the programs' files.
fn pinned(site: &Site) -> Vec<String> {
    let id = Identity::of(&site.root()).unwrap().id;
    let folder = site.books_folder().join("projects").join(id).join("pin/programs");
    let files = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut kept: Vec<String> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    kept.sort();
    kept
}

/// A word that waits is acted on for the client alone: its surroundings are those that count.
#[test]
fn a_word_that_waits_is_done_for_the_client_alone() {
    let (site, mut client) = escalated();
    client.send(&prompt(&site, RESUME, "p1"));
    std::fs::write(transcript(&site), recorded("typed", RESUME, "p1")).unwrap();
    std::fs::write(site.tools().join("event"), looks(&site).to_string()).unwrap();
    for script in [
        "holdpoint hook --agent claude <../tools/event",
        "(env -i PATH=\"$PATH\" XDG_STATE_HOME=\"$XDG_STATE_HOME\" setsid holdpoint hook <../tools/event &)",
    ] {
        let said = client.shell(script);
        assert!(said.contains("a call of the hook came from"), "{script}: {said}");
        assert_eq!(site.phase(), "escalated", "{script}");
    }
    assert!(told(&client.send(&looks(&site))).contains("done, as you typed it"));
    assert_ne!(site.phase(), "escalated");
}

/// A person in a terminal that an agent's shell once started hears by what that is told.
#[test]
fn whoever_is_taken_for_an_agent_hears_by_what() {
    let (site, client) = escalated();
    drop(client);
    let mut shell = site.program("sh", "");
    shell.env("CLAUDECODE", "1").args(["-c", "unset CLAUDECODE; holdpoint autopilot abandon; true"]);
    let said = feed(shell, b"").stderr;
    assert!(said.contains("this is an agent's shell: process "), "{said}");
    assert!(said.contains("(sh) above it was started with CLAUDECODE"), "{said}");
    assert!(said.contains("in a terminal that no agent has started"), "{said}");
}

/// Where no client works, a script of the user's may give it.
#[test]
fn without_a_client_a_script_may_give_the_users_command() {
    let (site, client) = escalated();
    drop(client);
    let mut command = site.program(env!("CARGO_BIN_EXE_holdpoint"), "");
    command.args(["autopilot", "resume", "retry"]);
    let printed = feed(command, b"");
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    assert_ne!(site.phase(), "escalated");
}

/// Whoever is in the terminal of the client may be the agent, even in front.
#[test]
fn the_clients_own_terminal_is_not_the_users() {
    let (site, client) = escalated();
    drop(client);
    let script = site.tools().join("client.py");
    std::fs::write(&script, IN_ITS_TERMINAL).unwrap();
    std::fs::write(site.tools().join("event"), prompt(&site, "go on", "p9").to_string()).unwrap();
    let mut python = site.program("python3", "");
    python.arg(&script).arg(env!("CARGO_BIN_EXE_holdpoint"));
    let printed = at_terminal(python, "");
    assert!(
        printed.stdout.contains("is the terminal that a client of claude runs in"),
        "{}{}",
        printed.stdout,
        printed.stderr
    );
    assert_eq!(site.phase(), "escalated");
}

/// A client at a terminal, and a process that leaves it and puts itself in front there.
const IN_ITS_TERMINAL: &str = r#"
import os, signal, socket, subprocess, sys
ours, theirs = socket.socketpair()
hook = subprocess.Popen([sys.argv[1], "hook", "--agent", "claude"], stdin=theirs, stdout=subprocess.DEVNULL)
theirs.close()
ours.sendall(open("../tools/event", "rb").read())
ours.close()
hook.wait()
read, write = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        os.close(read)
        while os.getppid() == int(os.environ.get("CHILD", "0")):
            pass
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpgrp())
        os.dup2(write, 1)
        os.dup2(write, 2)
        os.execv(sys.argv[1], ["holdpoint", "autopilot", "resume", "retry"])
    os._exit(0)
os.close(write)
os.wait()
sys.stdout.write(os.fdopen(read).read())
"#;
