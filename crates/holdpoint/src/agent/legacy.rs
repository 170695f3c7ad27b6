//! The form of the older hook scripts: `continue: false` before a tool, a block at Stop, silence for the rest.

use holdpoint_core::event::Moment;
use serde_json::{Value as Json, json};

use super::Answer;

pub(super) fn render(answer: &Answer, moment: Moment) -> Option<Json> {
    let reason = answer.hold.as_ref()?;
    match moment {
        Moment::Before => Some(json!({"continue": false, "stopReason": reason})),
        Moment::After | Moment::Stop | Moment::Prompt | Moment::Start => {
            Some(json!({"decision": "block", "reason": reason}))
        }
    }
}
