//! The form of older hook scripts: `continue: false` before a tool, a block at Stop, and nothing otherwise. If a
//! workflow's `[legacy]` has fields for it, also an object for an allowed Stop.

use holdpoint_core::event::Moment;
use serde_json::{Value as Json, json};

use super::{Answer, Fields};

pub(super) fn render(answer: &Answer, moment: Moment) -> Option<Json> {
    match (&answer.hold, moment) {
        (Some(reason), Moment::Before) => Some(json!({"continue": false, "stopReason": reason})),
        (Some(reason), Moment::After | Moment::Stop | Moment::Prompt | Moment::Start | Moment::Beside(_)) => {
            Some(json!({"decision": "block", "reason": reason}))
        }
        (None, _) => release(answer),
    }
}

fn release(answer: &Answer) -> Option<Json> {
    let fields = answer.release.clone()?;
    let message = answer.message.clone().map(|text| ("systemMessage".to_owned(), Json::String(text)));
    let said: Fields = message.into_iter().chain(fields).collect();
    (!said.is_empty()).then_some(Json::Object(said))
}
