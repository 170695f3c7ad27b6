//! GitHub Copilot CLI's hooks: a file of our own among its hooks. The events' spelling chooses the payload: in this one
//! it has the field and tool names that Claude Code has.

use holdpoint_core::event::Moment;
use serde_json::{Value as Json, json};

use super::host::{Handler, Host, Matching, Runs, Shape};
use super::prompt::Form;

/// Claude Code's names, without what happens beside the agent's own turn: that is not known of it.
const EVENTS: [(&str, Moment); 6] = [
    ("PreToolUse", Moment::Before),
    ("PostToolUse", Moment::After),
    ("PostToolUseFailure", Moment::After),
    ("Stop", Moment::Stop),
    ("UserPromptSubmit", Moment::Prompt),
    ("SessionStart", Moment::Start),
];

pub(super) const HOST: Host = Host {
    name: "copilot",
    title: "Copilot CLI",
    programs: &["copilot"],
    get: "npm install --global @github/copilot",
    marks: &[".github/hooks", ".github/copilot"],
    folder: ".github",
    user_folder: ".copilot",
    user_variable: None,
    settings: "hooks/holdpoint.json",
    also: &[],
    shape: Shape::Flat,
    preamble: &[("version", 1)],
    local: None,
    allows: None,
    cap: None,
    events: &EVENTS,
    ignores_output_at: &[Moment::Prompt],
    matching: Matching::Names,
    handler,
    runs: Runs::Bash,
    prompts: Form::Skills {
        folder: ".github/skills",
        user_folder: ".copilot/skills",
        prefers: None,
        has_policy: false,
    },
    next: None,
};

/// A hook that fails before a tool refuses the tool here, so a program that is gone must not fail.
fn handler(handler: &Handler<'_>) -> Json {
    let mut entry = json!({
        "type": "command",
        "bash": format!("{} || true", handler.line()),
        "timeoutSec": handler.seconds,
    });
    if let Some(matcher) = handler.matcher {
        entry["matcher"] = json!(matcher);
    }
    entry
}
