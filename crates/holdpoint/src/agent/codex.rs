//! Codex's dialect: Claude Code's forms, but every field it does not know makes the whole answer void, and at Stop it
//! wants an object even when there is nothing to say.

use holdpoint_core::event::Moment;
use serde_json::{Value as Json, json};

use super::{Answer, claude};

pub(super) fn render(answer: &Answer, event_name: &str, moment: Moment) -> Option<Json> {
    let rendered = claude::render(answer, event_name, moment);
    if moment == Moment::Stop { Some(rendered.unwrap_or_else(|| json!({}))) } else { rendered }
}
