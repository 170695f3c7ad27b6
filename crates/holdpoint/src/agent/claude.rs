//! Claude Code's dialect. A denied tool call shows its reason to the model. `continue: false` would end the turn
//! without showing it to the model. A held Stop is context for the model where the client takes it: a block is shown to the
//! user as an error.

use holdpoint_core::event::{Moment, Occasion};
use serde_json::{Value as Json, json};

use super::{Answer, Asked, Otherwise, Parts, moment_of, object, specific, text};

/// The events and their moments. The first event of a moment is the default for payloads without a name.
pub(crate) const EVENTS: [(&str, Moment); 16] = [
    ("PreToolUse", Moment::Before),
    ("PostToolUse", Moment::After),
    ("PostToolUseFailure", Moment::After),
    ("Stop", Moment::Stop),
    ("UserPromptSubmit", Moment::Prompt),
    ("SessionStart", Moment::Start),
    ("SubagentStart", Moment::Beside(Occasion::SubagentStart)),
    ("SubagentStop", Moment::Beside(Occasion::SubagentStop)),
    ("TaskCreated", Moment::Beside(Occasion::TaskCreated)),
    ("TaskCompleted", Moment::Beside(Occasion::TaskCompleted)),
    ("PermissionRequest", Moment::Beside(Occasion::Permission)),
    ("ConfigChange", Moment::Beside(Occasion::Settings)),
    ("PreCompact", Moment::Beside(Occasion::Compacting)),
    ("PostCompact", Moment::Beside(Occasion::Compacted)),
    ("Notification", Moment::Beside(Occasion::Notification)),
    ("SessionEnd", Moment::Beside(Occasion::End)),
];

pub(super) fn parts<'a>(payload: &'a Json, otherwise: &Otherwise<'_>) -> Option<Parts<'a>> {
    let (event_name, moment) = match text(payload, "hook_event_name") {
        Some(name) => (name, moment_of(&EVENTS, name)?),
        None => unnamed(payload, otherwise)?,
    };
    Some(Parts::plain(payload, event_name, moment))
}

/// Guesses the event of a payload that names none, as the tests of older scripts send.
fn unnamed(payload: &Json, otherwise: &Otherwise<'_>) -> Option<(&'static str, Moment)> {
    let has_tool = payload.get("tool_name").is_some();
    let has_result = super::result(payload).is_some();
    let guess = has_tool.then_some(if has_result { Moment::After } else { Moment::Before });
    let moment = otherwise.moment.filter(|moment| moment.has_tool() == has_tool).or(guess)?;
    EVENTS.into_iter().find(|(_, known)| *known == moment)
}

/// How a client is told that a Stop is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopForm {
    /// A block with its reason, which every client takes.
    Block,
    /// Context for the model, which goes on with it.
    Context,
}

impl StopForm {
    /// Returns the form that a client takes. From 2.1.163 on it goes on with context, and before that it rejects the whole
    /// answer; from 2.1.196 on it names the prompt that led to the event, and nothing else tells the version.
    pub(super) fn of(asked: &Asked) -> StopForm {
        if asked.prompt_id.is_some() { StopForm::Context } else { StopForm::Block }
    }
}

pub(super) fn render(answer: &Answer, event_name: &str, moment: Moment, stop: StopForm) -> Option<Json> {
    let text = |text: &Option<String>| text.clone().map(Json::String);
    let message = text(&answer.message);
    let context = ("additionalContext", text(&answer.context));
    let block = ("decision", answer.hold.as_ref().map(|_| json!("block")));
    match moment {
        Moment::Before => {
            let deny = answer.hold.as_ref().map(|_| json!("deny"));
            // Only what we put in its place is allowed: it shows a text.
            let allow = answer.instead.as_ref().map(|_| json!("allow"));
            let fields = object([
                ("permissionDecision", deny.or(allow)),
                ("permissionDecisionReason", text(&answer.hold)),
                ("updatedInput", answer.instead.clone()),
                context,
            ]);
            object([("systemMessage", message), ("hookSpecificOutput", specific(event_name, fields))])
        }
        Moment::After | Moment::Prompt => object([
            block,
            ("reason", text(&answer.hold)),
            ("systemMessage", message),
            ("hookSpecificOutput", specific(event_name, object([context]))),
        ]),
        Moment::Stop if stop == StopForm::Context => {
            let fields = object([("additionalContext", text(&answer.hold))]);
            object([("systemMessage", message), ("hookSpecificOutput", specific(event_name, fields))])
        }
        Moment::Stop => object([block, ("reason", text(&answer.hold)), ("systemMessage", message)]),
        Moment::Start => object([
            ("systemMessage", message),
            ("hookSpecificOutput", specific(event_name, object([context]))),
        ]),
        Moment::Beside(occasion) => beside(answer, event_name, occasion),
    }
}

fn beside(answer: &Answer, event_name: &str, occasion: Occasion) -> Option<Json> {
    let text = |text: &Option<String>| text.clone().map(Json::String);
    let message = ("systemMessage", text(&answer.message));
    let block = ("decision", answer.hold.as_ref().map(|_| json!("block")));
    match occasion {
        Occasion::SubagentStop | Occasion::TaskCreated | Occasion::Settings => {
            object([block, ("reason", text(&answer.hold)), message])
        }
        Occasion::Permission => {
            let refused = answer.hold.as_ref().map(|why| json!({"behavior": "deny", "message": why}));
            let fields = specific(event_name, object([("decision", refused)]));
            object([message, ("hookSpecificOutput", fields)])
        }
        Occasion::SubagentStart => {
            let context = object([("additionalContext", text(&answer.context))]);
            object([message, ("hookSpecificOutput", specific(event_name, context))])
        }
        // What is held goes to standard error, with exit code 2.
        Occasion::TaskCompleted
        | Occasion::Compacting
        | Occasion::Compacted
        | Occasion::Notification
        | Occasion::End => object([message]),
    }
}
