//! Approvals by a prompt, where the workflow takes them so.

use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::Site;
use crate::client::{Client, recorded};

/// A run that waits, in which qa may approve by a prompt and the owner only in a terminal; and the client.
fn waiting() -> (Site, Client) {
    let site = Site::new();
    let file = ".holdpoint/workflows/publish/workflow.toml";
    let text = site.0.read(file);
    let text = text
        .replace("of = \"tree\", expires", "of = \"tree\", through = [\"terminal\", \"prompt\"], expires");
    site.0.write(file, text);
    assert_eq!(site.0.run(&["publish", "start"]).code, Some(0));
    site.0.write("CHANGELOG.md", "## 1.0\n");
    let stopped = site.stop();
    assert!(stopped.to_string().contains("Or type it here, as a prompt of its own"), "{stopped}");
    let mut client = Client::like(&site.0.command(&[]));
    client.send(&prompt(&site, "go on", "p0"));
    (site, client)
}

fn transcript(site: &Site) -> PathBuf {
    site.0.state().join("transcript.jsonl")
}

fn prompt(site: &Site, text: &str, id: &str) -> Json {
    json!({"hook_event_name": "UserPromptSubmit", "session_id": "mine", "cwd": site.0.root(), "prompt": text,
        "prompt_id": id, "transcript_path": transcript(site)})
}

fn stop(site: &Site) -> Json {
    json!({"hook_event_name": "Stop", "session_id": "mine", "cwd": site.0.root()})
}

#[test]
fn an_approval_that_was_typed_says_how_it_came() {
    let (site, mut client) = waiting();
    client.send(&prompt(&site, "holdpoint approve qa", "p1"));
    assert_eq!(site.words(), [Json::Null; 0]);
    std::fs::write(transcript(&site), recorded("typed", "holdpoint approve qa", "p1")).unwrap();
    let told = client.send(&stop(&site)).to_string();
    assert!(told.contains("Still missing in `approval`: owner"), "{told}");
    let word = site.words().pop().unwrap();
    assert_eq!((&word["approval"]["name"], &word["approval"]["through"]), (&json!("qa"), &json!("prompt")));
    assert!(word["tree"].is_string() && word["approval"]["expires"].is_string(), "{word}");
    let shown = site.0.run(&["evidence"]).stdout;
    assert!(shown.contains(", by a prompt, until "), "{shown}");
}

#[test]
fn an_approval_that_was_not_typed_or_not_to_these_files_is_none() {
    let (site, mut client) = waiting();
    for (id, line, text, expect) in [
        ("p1", "cron", "holdpoint approve qa", "you did not type it"),
        ("p2", "peer", "holdpoint approve qa", "you did not type it"),
        ("p3", "print", "holdpoint approve qa --no later", "you did not type it"),
    ] {
        client.send(&prompt(&site, text, id));
        std::fs::write(transcript(&site), recorded(line, text, id)).unwrap();
        let told = client.send(&stop(&site)).to_string();
        assert!(told.contains(expect), "{line}: {told}");
    }
    let heard = client.send(&prompt(&site, "holdpoint approve owner", "p4")).to_string();
    assert!(heard.contains("`owner` cannot be approved by a prompt"), "{heard}");
    client.send(&prompt(&site, "holdpoint approve qa", "p5"));
    std::fs::write(transcript(&site), recorded("typed", "holdpoint approve qa", "p5")).unwrap();
    site.0.write("src/a.txt", "two\n");
    let told = client.send(&stop(&site)).to_string();
    assert!(told.contains("files changed while you were asked"), "{told}");
    assert_eq!(site.words(), [Json::Null; 0]);
}

/// A prompt that only looks like an approval is the user's own affair.
#[test]
fn a_command_of_the_users_own_is_left_alone() {
    let (site, mut client) = waiting();
    for (id, text) in [("p1", "/approve pr 12"), ("p2", "/approve qa"), ("p3", "/approve:pr 12")] {
        let heard = client.send(&prompt(&site, text, id)).to_string();
        assert!(!heard.contains("approve"), "{text}: {heard}");
    }
    drop(client);
    // Where no run is, nobody waits for one.
    let project = crate::project::Project::new();
    for text in ["/approve pr 12", "holdpoint approve qa", "holdpoint approve pr 12"] {
        let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": project.root(), "prompt": text});
        let heard = project.hook(&event);
        assert_eq!((heard.stdout.as_str(), heard.stderr.as_str()), ("", ""), "{text}");
    }
}
