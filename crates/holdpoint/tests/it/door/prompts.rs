//! The door in a prompt: it opens if the client's record says that it was typed.

use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::{COMMIT, gate, hold, released, status};
use crate::client::{Client, recorded};
use crate::project::Project;

fn transcript(project: &Project) -> PathBuf {
    project.state().join("transcript.jsonl")
}

fn prompt(project: &Project, text: &str, id: &str) -> Json {
    json!({"hook_event_name": "UserPromptSubmit", "session_id": "mine", "cwd": project.root(), "prompt": text,
        "prompt_id": id, "transcript_path": transcript(project)})
}

fn commit(project: &Project) -> Json {
    super::call(project, "mine", "Bash", json!({"command": COMMIT}))
}

fn is_held(answer: &Json) -> bool {
    answer["hookSpecificOutput"]["permissionDecision"] == "deny"
}

/// A run in which a commit was held, and the client that works on it.
fn held() -> (Project, Client) {
    let project = gate();
    let mut client = Client::like(&project.command(&[]));
    client.send(&prompt(&project, "commit it", "p0"));
    let held = client.send(&commit(&project));
    assert!(is_held(&held), "{held}");
    (project, client)
}

#[test]
fn a_release_that_was_typed_lets_the_next_try_pass() {
    let (project, mut client) = held();
    let text = "holdpoint release --reason 'docs only'";
    let heard = client.send(&prompt(&project, text, "p1")).to_string();
    assert!(heard.contains("Do not run it yourself") && heard.contains("try again what was held"), "{heard}");
    assert!(is_held(&client.send(&commit(&project))), "the record does not say so yet");
    std::fs::write(transcript(&project), recorded("typed", text, "p1")).unwrap();
    let passed = client.send(&commit(&project));
    assert!(!is_held(&passed), "{passed}");
    let told = passed["systemMessage"].as_str().unwrap();
    assert!(
        told.contains("done, as you typed it: `holdpoint release h")
            && told.contains("as you said: docs only"),
        "{told}"
    );
    assert!(is_held(&client.send(&commit(&project))), "once");
    drop(client);
    assert_eq!(released(&project)[0]["release"]["word"]["through"], "prompt");
}

#[test]
fn a_release_that_was_delivered_or_is_unclear_opens_nothing() {
    let (project, mut client) = held();
    let hold = hold(&project);
    let text = format!("holdpoint release {hold} --reason x");
    for (id, line) in [("p1", "cron"), ("p2", "peer"), ("p3", "print")] {
        client.send(&prompt(&project, &text, id));
        std::fs::write(transcript(&project), recorded(line, &text, id)).unwrap();
        let answer = client.send(&commit(&project));
        assert!(is_held(&answer), "{line}: {answer}");
        assert!(answer["systemMessage"].as_str().unwrap().contains("you did not type it"), "{answer}");
    }
    for (id, text, expect) in [
        ("q1", "holdpoint release", "in a prompt it is typed as"),
        ("q2", "holdpoint release ../x --reason y", "can be released here"),
        ("q3", "holdpoint pause", "in a prompt it is typed as"),
    ] {
        let heard = client.send(&prompt(&project, text, id));
        assert!(heard.to_string().contains(expect), "{text}: {heard}");
    }
    for (id, text) in [("r1", "/release 1.0"), ("r2", "/resume"), ("r3", "/pause")] {
        let heard = client.send(&prompt(&project, text, id)).to_string();
        assert!(!heard.contains("holdpoint"), "{text}: {heard}");
    }
    assert!(is_held(&client.send(&commit(&project))));
    // Files that change after it was typed are not those that it was typed for.
    client.send(&prompt(&project, &text, "s1"));
    std::fs::write(transcript(&project), recorded("typed", &text, "s1")).unwrap();
    project.write("a.txt", "other\n");
    let answer = client.send(&commit(&project));
    assert!(is_held(&answer) && answer.to_string().contains("the files have changed since"), "{answer}");
    drop(client);
    assert_eq!(released(&project).len(), 0);
}

#[test]
fn a_run_is_paused_and_resumed_by_prompts_that_were_typed() {
    let (project, mut client) = held();
    for (id, text, is_paused) in
        [("p1", "holdpoint pause --for 1h --reason a spike", true), ("p2", "holdpoint resume", false)]
    {
        client.send(&prompt(&project, text, id));
        std::fs::write(transcript(&project), recorded("typed", text, id)).unwrap();
        let answer = client.send(&commit(&project));
        assert_eq!(is_held(&answer), !is_paused, "{text}: {answer}");
        assert_eq!(status(&project)["pause"].is_object(), is_paused, "{text}");
    }
}

/// While a client works here, a terminal is asked for a word, and what only looks like one is refused.
#[test]
fn beside_a_client_a_release_takes_the_users_terminal() {
    let (project, client) = held();
    let printed = project.run(&["release", &hold(&project), "--reason", "x"]);
    assert_eq!(printed.code, Some(1), "{}", printed.stdout);
    assert!(printed.stderr.contains("standard input is not a terminal"), "{}", printed.stderr);
    let typed = |word: &str| {
        crate::approval::typed(project.command(&["release", &hold(&project), "--reason", "x"]), |shown| {
            format!("{}\n", if word.is_empty() { shown } else { word })
        })
    };
    assert_eq!(typed("something").code, Some(1));
    let printed = typed("");
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    drop(client);
}
