//! Cursor's hooks: `hooks.json`, without groups, each entry with its own matcher.

use holdpoint_core::event::Moment;
use serde_json::{Value as Json, json};

use super::host::{Handler, Host, Matching, Runs, Shape};
use super::prompt::Form;

pub(super) const HOST: Host = Host {
    name: "cursor",
    title: "Cursor",
    programs: &["cursor-agent", "cursor"],
    get: "curl https://cursor.com/install -fsS | bash",
    marks: &[".cursor"],
    folder: ".cursor",
    user_folder: ".cursor",
    user_variable: None,
    settings: "hooks.json",
    also: &[],
    shape: Shape::Flat,
    preamble: &[("version", 1)],
    local: None,
    allows: None,
    cap: None,
    events: &[
        ("preToolUse", Moment::Before),
        ("postToolUse", Moment::After),
        ("postToolUseFailure", Moment::After),
        ("stop", Moment::Stop),
        ("beforeSubmitPrompt", Moment::Prompt),
        ("sessionStart", Moment::Start),
    ],
    ignores_output_at: &[],
    matching: Matching::Names,
    handler,
    runs: Runs::Shell,
    prompts: Form::PlainMarkdown,
    next: None,
};

fn handler(handler: &Handler<'_>) -> Json {
    let mut entry = json!({"command": handler.line(), "timeout": handler.seconds});
    if let Some(matcher) = handler.matcher {
        entry["matcher"] = json!(matcher);
    }
    if handler.moment == Moment::Stop {
        // Cursor's own limit would end a review loop after five rounds; ours is counted by progress.
        entry["loop_limit"] = Json::Null;
    }
    entry
}
