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
        // Context at Stop would keep the agent going, as a hold does: what is only worth knowing goes to the user.
        Moment::Stop => object([
            ("decision", answer.hold.as_ref().map(|_| json!("block"))),
            ("reason", text(&answer.hold)),
            ("systemMessage", joined(answer)),
        ]),
        // A session's start cannot be held: what holds is said as context.
        Moment::Start => {
            let context: Vec<&str> =
                [&answer.hold, &answer.context].into_iter().flatten().map(String::as_str).collect();
            let context = (!context.is_empty()).then(|| json!(context.join("\n\n")));
            object([
                ("systemMessage", message),
                ("hookSpecificOutput", specific(object([("additionalContext", context)]))),
            ])
        }
    }
}

/// What is for the user and what is for the agent's information, in one.
pub(super) fn joined(answer: &Answer) -> Option<Json> {
    let texts: Vec<&str> =
        [&answer.message, &answer.context].into_iter().flatten().map(String::as_str).collect();
    (!texts.is_empty()).then(|| json!(texts.join("\n\n")))
}
