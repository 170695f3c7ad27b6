//! Every command, in a project whose every text tries to steer the terminal.

use std::io::Read;
use std::process::Stdio;

use serde_json::json;

use crate::project::{Printed, Project};

/// Sets the window's title, clears the screen, then the same with one character, then turns the writing around.
const EVIL: &str = "evil\u{1b}]0;PWN\u{7}\u{1b}[2J\u{9b}2J\u{202e}\u{2066}\u{7f}\r\u{8}end";

/// A workflow whose texts come from the state. TOML has no raw control characters, and needs none.
const WORKFLOW: &str = r#"
about = "Texts EVIL."

[run]
home  = "state.json"
state = "state.json"
due   = "phase"
shows = "state.name"
log   = "plain.log"

[phases.tests]
by    = "check"
check = { tests = ["sh", "-c", "printf '%b' \"$(cat evil)\"; exit 1"] }
then.pass = "idle"
then.fail = { go = "idle", set = { output = "{{ output }}" }, tell = "Tests of {{ state.name }}: {{ output }}" }

[phases.review]
by     = "reviewer"
prompt = "{{ state.name }}"
report = "report.md"
then.pass  = "idle"
then.fail  = "idle"
then.fault = { tell = "No review of {{ state.name }}: {{ because }}" }

[phases.idle]
by = "user"

[reviewers.reader]
command    = ["sh", "-c", "cat evil; exit 3", "{{ prompt }}"]
verdict_at = ["verdict"]

[fields]
phase  = ""
name   = ""
output = ""

[holds.shells]
on   = "before shell"
when = "'commit' in tool.command"
say  = "Not yet, {{ state.name }}: {{ tool.command }}"
satisfied_by = "{{ state.name }}"

[commands.status]
about = "What is"
steps = [{ say = "The name is {{ state.name }} EVIL" }]

[commands.refuse]
about = "Never"
steps = [{ fail = 3, say = "{{ state.name }} EVIL" }]

[commands.next]
about   = "Goes on EVIL"
through = ["all"]
steps   = [{ when = "args.phase", set = { phase = "{{ args.phase }}" }, say = "" }, { say = "" }]
args    = ["phase?"]
"#;

fn project() -> Project {
    let project = Project::new();
    let escaped: String = EVIL.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    project.workflow("evil", &WORKFLOW.replace("EVIL", &escaped));
    project.write("state.json", json!({"phase": EVIL, "name": EVIL, EVIL: EVIL}).to_string());
    project.write("evil", EVIL).write("report.md", EVIL).write("plain.log", EVIL);
    let entry = json!({"at": EVIL, "event": EVIL, "tool": EVIL, "about": EVIL, "agent": EVIL, "session": EVIL,
        "workflow": "evil", "decision": "hold", "faults": [EVIL], "set": {EVIL: EVIL}, "took_us": 1,
        "rules": [{"kind": "hold", "rule": EVIL, "code": EVIL, "line": 1, "text": EVIL, "facts": [[EVIL, EVIL]],
            "satisfied_by": EVIL}],
        "reviews": [{"phase": EVIL, "round": 1, "program": EVIL, "verdict": EVIL, "report": EVIL, "took_ms": 1}]});
    project.write_book("journal.jsonl", format!("{entry}\n"));
    let piece = json!({"at": EVIL, "workflow": "evil", "item": EVIL, "phase": EVIL, "round": 1, "command": [EVIL],
        "verdict": EVIL, "passed": true, "took_ms": 1, "tree": EVIL, "log": EVIL, "doubts": [EVIL],
        "details": {EVIL: EVIL}, "chain": EVIL});
    project.write_book("evidence/evil.jsonl", format!("{piece}\n"));
    project
}

/// Whatever a terminal obeys: control characters other than line breaks and tabs, and turns of direction.
fn steers(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

fn assert_tame(words: &[&str], printed: &Printed) {
    let text = format!("{}{}", printed.stdout, printed.stderr);
    assert!(!text.is_empty(), "{words:?} prints nothing");
    assert!(!text.contains(steers), "{words:?}: {text:?}");
}

#[test]
fn no_command_prints_what_steers_a_terminal() {
    let project = project();
    let commands: &[&[&str]] = &[
        &["status"],
        &["status", "--json"],
        &["why"],
        &["why", "--json"],
        &["log"],
        &["log", "--json"],
        &["log", "--faults"],
        &["evidence"],
        &["evidence", "--json"],
        &["review", "--dry-run"],
        &["review"],
        &["review", "--json"],
        &["check"],
        &["check", "--json"],
        &["workflow", "graph", "evil"],
        &["workflow", "graph", "evil", "--format", "dot"],
        &["test", "evil"],
        &["doctor"],
        &["doctor", "--json"],
        &["init", "--dry-run", "--agent", "claude"],
        &["uninstall"],
        &["evil"],
        &["evil", "next", "--help"],
        &["evil", "status"],
        &["evil", "refuse"],
        &["evil", "next"],
        &["evil", "next", "tests"],
        &["evil", "next", "review"],
        &["evil", EVIL],
        &["status", "--workflow", EVIL],
        &[EVIL],
        &["workflow", "eject", "evil"],
        &["demo", "evil"],
    ];
    for words in commands {
        assert_tame(words, &project.run(words));
    }
    project.hook(&crate::shown::shell(&project, EVIL, &format!("git commit -m '{EVIL}'")));
    for words in [&["log"][..], &["why"], &["status"]] {
        assert_tame(words, &project.run(words));
    }
    let line = project
        .run_with(&["statusline"], json!({"cwd": project.root(), "session_id": EVIL}).to_string().as_bytes());
    assert_tame(&["statusline"], &line);
}

#[test]
fn a_workflow_or_settings_file_that_cannot_be_read_steers_nothing() {
    let project = project();
    project.workflow("evil", &format!("about = 5 # {EVIL}\n[{EVIL}"));
    project.write(".holdpoint/holdpoint.toml", format!("workflows = [\"{EVIL}\", 5"));
    for words in [&["status"][..], &["check"], &["check", "evil"], &["evil", "status"], &["doctor"]] {
        assert_tame(words, &project.run(words));
    }
}

#[test]
fn a_journal_that_is_followed_steers_nothing() {
    let project = project();
    let mut child =
        project.command(&["log", "--follow"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut text = Vec::new();
    // The date has a line of its own, and may come by itself.
    while text.split(|byte| *byte == b'\n').count() < 3 {
        let mut part = [0; 4096];
        let length = out.read(&mut part).unwrap();
        assert!(length > 0, "it ended");
        text.extend(&part[..length]);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("evil") && !text.contains(steers), "{text:?}");
}
