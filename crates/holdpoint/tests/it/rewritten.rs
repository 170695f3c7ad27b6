//! A foreign program rewrites a state in place, and gets one step further at every system call of the hook: whatever the
//! hook sees of it, what the state holds before and after is held.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::kill::{Reached, Traced};
use crate::project::Project;

const STATE: &str = ".locked/state";

/// Holds while the state says so.
fn workflow(format: &str) -> String {
    format!(
        r#"
about = "Holds while the state says so."
[run]
home   = ".locked"
state  = "{STATE}"
format = "{format}"
[fields]
version = 0
locked  = false
[holds.locked]
on   = "before"
when = "state.locked"
say  = "LOCKED {{{{ state.version }}}}"
"#
    )
}

fn before(project: &Project) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(), "tool_name": "Bash",
        "tool_input": {"command": "ls"}})
}

/// So many calls apart, the hook reads the whole of a text that is not whole.
const STILL: usize = 40;
/// How many of the hook's calls before its judgement is written down are tried: the state is read in the last of them.
const CALLS: usize = 120;

/// Has the state go through these texts while the hook looks at it, from each of the hook's last system calls on, a step
/// every few calls.
fn is_held_throughout(format: &str, old: &str, texts: &[&str], apart: usize) {
    let tried = |from: Option<usize>| {
        let project = Project::new();
        project.workflow("locked", &workflow(format)).write(STATE, old);
        let (path, journal) = (project.root().join(STATE), project.book("journal.jsonl"));
        let mut judged = None;
        let end = Traced::hook(&project, &before(&project)).run_until(|seen| {
            if judged.is_none() && journal.exists() {
                judged = Some(seen);
            }
            rewrite(&path, texts, from.and_then(|from| seen.checked_sub(from)), apart);
            false
        });
        assert!(matches!(end, Reached::End(0)));
        let journal = project.journal();
        assert_eq!(journal.len(), 1, "{format}, from call {from:?}: {journal:?}");
        assert_eq!(journal[0]["decision"], "hold", "{format}, from call {from:?}: {journal:?}");
        assert!(journal[0]["faults"].is_null(), "{format}, from call {from:?}: {journal:?}");
        judged.unwrap()
    };
    let judged = tried(None);
    assert!(judged > CALLS, "only {judged} calls were seen: this is not the hook");
    for from in judged - CALLS..=judged {
        tried(Some(from));
    }
}

/// Writes the text whose turn it is after so many calls, as a script would: it empties the file first.
fn rewrite(path: &Path, texts: &[&str], passed: Option<usize>, apart: usize) {
    let Some(passed) = passed.filter(|passed| passed.is_multiple_of(apart)) else { return };
    if let Some(text) = texts.get(passed / apart) {
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn no_hold_is_missed_at_any_step_of_a_state_in_json() {
    let text = |version: usize| {
        json!({"version": version, "history": vec!["a line of history"; 2_000], "locked": true}).to_string()
    };
    let new = text(10);
    let (half, most) = (&new[..new.len() / 2], &new[..new.len() - 5]);
    for apart in [3, STILL] {
        is_held_throughout("json", &text(9), &["", half, most, &new], apart);
    }
}

/// The beginning of one text and the end of a longer one are none.
#[test]
fn no_hold_is_missed_between_two_texts_in_json() {
    let text = |version: usize| json!({"locked": true, "version": version}).to_string();
    is_held_throughout("json", &text(9), &[&text(10)], 1);
}

#[test]
fn no_hold_is_missed_at_any_step_of_a_state_in_lines() {
    let new = "version: 10\nnote: none\nlocked: true\n";
    let steps = ["", "vers", "version: 10\n", "version: 10\nnote: none\nlocked: tr", new];
    is_held_throughout("lines", "version: 9\nlocked: true\n", &steps, STILL);
}
