//! Codex's dialect: Claude Code's form, but an unknown field makes Codex reject the whole answer, and at Stop it expects
//! an object even if it is empty.

use holdpoint_core::event::Moment;
use serde_json::{Value as Json, json};

use super::Answer;
use super::claude::{self, StopForm};

pub(super) fn render(answer: &Answer, event_name: &str, moment: Moment) -> Option<Json> {
    let rendered = claude::render(answer, event_name, moment, StopForm::Block);
    if moment.is_stop() { Some(rendered.unwrap_or_else(|| json!({}))) } else { rendered }
}
