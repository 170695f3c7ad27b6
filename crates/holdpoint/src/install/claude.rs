//! Claude Code's settings: `settings.json`, groups with matchers, and entries that need no shell.

use serde_json::{Value as Json, json};

use super::host::{Cap, Handler, Host, Matching, Runs, Shape};
use super::prompt::Form;

pub(super) const HOST: Host = Host {
    name: "claude",
    title: "Claude Code",
    programs: &["claude"],
    get: "npm install --global @anthropic-ai/claude-code",
    marks: &[".claude"],
    folder: ".claude",
    user_folder: ".claude",
    user_variable: Some(crate::env_vars::CLAUDE_CONFIG_DIR),
    settings: "settings.json",
    also: &["settings.local.json"],
    shape: Shape::Grouped,
    preamble: &[],
    local: Some("settings.local.json"),
    allows: Some(&["permissions", "allow"]),
    cap: Some(CAP),
    events: &crate::agent::claude::EVENTS,
    ignores_output_at: &[],
    matching: Matching::Names,
    handler,
    runs: Runs::Shell,
    prompts: Form::Markdown,
    next: None,
};

/// The client ends a turn after 8 holds in a row without a tool call between them, whatever its hooks say. The engine has
/// limits of its own, which tell the user what is open.
const CAP: Cap = Cap { path: &["env", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"], value: "60", usual: 8 };

/// With `args` no shell stands between: no profile's output, no quoting.
fn handler(handler: &Handler<'_>) -> Json {
    let mut entry = json!({
        "type": "command",
        "command": handler.program,
        "args": ["hook", "--agent", handler.agent],
        "timeout": handler.seconds,
    });
    if let (Some(status), Some(fields)) = (handler.status, entry.as_object_mut()) {
        fields.insert("statusMessage".to_owned(), status.into());
    }
    entry
}
