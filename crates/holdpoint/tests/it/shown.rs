//! What commands show, without what differs from run to run; and a small project whose agent is held.

use serde_json::{Value as Json, json};

use crate::project::Project;

/// A workflow that holds commits until a review is done, and witnesses pushes.
pub(crate) const REVIEWED: &str = r#"
about = "Reviews before commits."
[run]
home  = ".reviewed"
state = ".reviewed/state.json"
shows = "stage"
[holds.no-commit]
code = "NC-1"
on   = "before shell"
when = """commits
          and not state.reviewed"""
say  = "NOT REVIEWED: phase {{ stage }}.\n\nAsk for a review."
satisfied_by = "reviewed is true in {{ run.state }}"
[witnesses.pushes]
on   = "before shell"
when = "'push' in tool.command"
say  = "A push."
[let]
stage   = "state.phase"
commits = "'commit' in tool.command"
"#;

/// A project with that workflow and a state.
pub(crate) fn reviewed() -> Project {
    let project = Project::new();
    project.workflow("reviewed", REVIEWED).write(".reviewed/state.json", "{\"phase\": \"code\"}\n");
    project
}

/// A shell command that an agent is about to run.
pub(crate) fn shell(project: &Project, session: &str, command: &str) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": project.root(), "tool_name": "Bash",
        "tool_input": {"command": command}})
}

/// What a command prints, with the project's folder as `[ROOT]`, dates as `[DATE]` and times as `[TIME]`.
pub(crate) fn shown(project: &Project, args: &[&str]) -> String {
    let printed = project.run(args);
    let text = format!("{}{}[exit {}]", printed.stdout, printed.stderr, printed.code.unwrap());
    let text = text.replace(&project.root().display().to_string(), "[ROOT]");
    replaced(&replaced(&text, "0000-00-00", "[DATE]"), "00:00:00", "[TIME]")
}

/// The text with everything that has the pattern's shape replaced; `0` stands for any digit.
fn replaced(text: &str, pattern: &str, by: &str) -> String {
    let fits = |rest: &str| {
        rest.len() >= pattern.len()
            && rest.bytes().zip(pattern.bytes()).all(|(b, p)| b == p || (p == b'0' && b.is_ascii_digit()))
    };
    let mut result = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = if fits(rest) { pattern.len() } else { next.len_utf8() };
        result.push_str(if fits(rest) { by } else { &rest[..length] });
        rest = &rest[length..];
    }
    result
}
