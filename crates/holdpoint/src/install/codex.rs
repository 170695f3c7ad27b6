//! Codex's hooks: `hooks.json`, in Claude Code's shape, or `config.toml` where a user has hooks there already. Codex runs
//! none of them before the user has trusted it.

use holdpoint_core::event::{Moment, Occasion};
use serde_json::{Value as Json, json};

use super::host::{Handler, Host, Matching, Runs, Shape};
use super::prompt::Form;

pub(super) const HOST: Host = Host {
    name: "codex",
    title: "Codex",
    programs: &["codex"],
    get: "npm install --global @openai/codex",
    marks: &[".codex"],
    folder: ".codex",
    user_folder: ".codex",
    user_variable: Some(crate::env_vars::CODEX_HOME),
    settings: "hooks.json",
    also: &["config.toml"],
    shape: Shape::Grouped,
    preamble: &[],
    local: None,
    allows: None,
    cap: None,
    // There is no event for a tool that failed: the one after a tool comes in both cases.
    events: &[
        ("PreToolUse", Moment::Before),
        ("PostToolUse", Moment::After),
        ("Stop", Moment::Stop),
        ("UserPromptSubmit", Moment::Prompt),
        ("SessionStart", Moment::Start),
        ("SubagentStart", Moment::Beside(Occasion::SubagentStart)),
        ("SubagentStop", Moment::Beside(Occasion::SubagentStop)),
        ("PermissionRequest", Moment::Beside(Occasion::Permission)),
        ("PreCompact", Moment::Beside(Occasion::Compacting)),
        ("PostCompact", Moment::Beside(Occasion::Compacted)),
        ("SessionEnd", Moment::Beside(Occasion::End)),
    ],
    ignores_output_at: &[],
    matching: Matching::Names,
    handler,
    runs: Runs::LoginShell,
    prompts: Form::Skills {
        folder: ".agents/skills",
        user_folder: ".agents/skills",
        prefers: Some("codex"),
        has_policy: true,
    },
    next: Some(
        "Codex runs no hook that you have not trusted: start `codex` here, type /hooks, and trust them.",
    ),
};

/// Codex trusts an entry by its text, so the text says no more than it must.
fn handler(handler: &Handler<'_>) -> Json {
    json!({"type": "command", "command": handler.line(), "timeout": handler.seconds})
}
