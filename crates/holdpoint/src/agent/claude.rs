//! Claude Code's dialect. A refused tool call shows its reason to the model; `continue: false` would end the turn and
//! show it to nobody who could act on it.

use holdpoint_core::event::Moment;
use serde_json::{Value as Json, json};

use super::{Answer, object};

pub(super) fn render(answer: &Answer, event_name: &str, moment: Moment) -> Option<Json> {
    let text = |text: &Option<String>| text.clone().map(Json::String);
    let specific = |fields: Option<Json>| {
        let Json::Object(fields) = fields? else { return None };
        let mut object = serde_json::Map::from_iter([("hookEventName".to_owned(), json!(event_name))]);
        object.extend(fields);
        Some(Json::Object(object))
    };
    let message = text(&answer.message);
    match moment {
        Moment::Before => {
            let fields = object([
                ("permissionDecision", answer.hold.as_ref().map(|_| json!("deny"))),
                ("permissionDecisionReason", text(&answer.hold)),
                ("additionalContext", text(&answer.context)),
            ]);
            object([("systemMessage", message), ("hookSpecificOutput", specific(fields))])
        }
        Moment::After | Moment::Prompt => {
            let fields = object([("additionalContext", text(&answer.context))]);
            object([
                ("decision", answer.hold.as_ref().map(|_| json!("block"))),
                ("reason", text(&answer.hold)),
                ("systemMessage", message),
                ("hookSpecificOutput", specific(fields)),
            ])
        }
        Moment::Stop => object([
            ("decision", answer.hold.as_ref().map(|_| json!("block"))),
            ("reason", text(&answer.hold)),
            ("systemMessage", message),
        ]),
        Moment::Start => {
            let fields = object([("additionalContext", text(&answer.context))]);
            object([("systemMessage", message), ("hookSpecificOutput", specific(fields))])
        }
    }
}
