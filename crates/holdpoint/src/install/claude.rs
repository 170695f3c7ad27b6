//! Claude Code's settings: `settings.json`, groups with matchers, and entries that need no shell.

use serde_json::{Value as Json, json};

use super::host::{Handler, Host, Matching, Runs, Shape};
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
    events: &crate::agent::claude::EVENTS,
    ignores_output_at: &[],
    matching: Matching::Names,
    handler,
    runs: Runs::Shell,
    prompts: Form::Markdown,
    next: None,
};

/// With `args` no shell stands between: no profile's output, no quoting.
fn handler(handler: &Handler<'_>) -> Json {
    json!({
        "type": "command",
        "command": handler.program,
        "args": ["hook", "--agent", handler.agent],
        "timeout": handler.seconds,
    })
}
