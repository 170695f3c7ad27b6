//! Gemini CLI's settings: `settings.json`, with times in milliseconds and matchers that are regular expressions.

use holdpoint_core::event::{Moment, Occasion};
use serde_json::{Value as Json, json};

use super::host::{Handler, Host, Matching, Runs, Shape};
use super::prompt::Form;

pub(super) const HOST: Host = Host {
    name: "gemini",
    title: "Gemini CLI",
    programs: &["gemini"],
    get: "npm install --global @google/gemini-cli",
    marks: &[".gemini"],
    folder: ".gemini",
    user_folder: ".gemini",
    user_variable: None,
    settings: "settings.json",
    also: &[],
    shape: Shape::Grouped,
    preamble: &[],
    local: None,
    allows: None,
    cap: None,
    events: &[
        ("BeforeTool", Moment::Before),
        ("AfterTool", Moment::After),
        ("AfterAgent", Moment::Stop),
        ("BeforeAgent", Moment::Prompt),
        ("SessionStart", Moment::Start),
        ("PreCompress", Moment::Beside(Occasion::Compacting)),
        ("Notification", Moment::Beside(Occasion::Notification)),
        ("SessionEnd", Moment::Beside(Occasion::End)),
    ],
    ignores_output_at: &[],
    matching: Matching::Pattern,
    handler,
    runs: Runs::Bash,
    prompts: Form::GeminiToml,
    next: Some(
        "Gemini CLI runs a project's hooks in folders that you trust: it asks when you start it here.",
    ),
};

fn handler(handler: &Handler<'_>) -> Json {
    let milliseconds = handler.seconds.saturating_mul(1000);
    json!({"type": "command", "name": "holdpoint", "command": handler.line(), "timeout": milliseconds})
}
