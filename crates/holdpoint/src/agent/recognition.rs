//! Who is asking: agents differ in the fields they send and in the names of their events.

use serde_json::Value as Json;

use super::{Agent, claude, gemini, named, text};

impl Agent {
    /// Who is asking: what the payload shows counts more than what the command line says, because agents read each
    /// other's settings files.
    pub fn recognise(told: Option<Agent>, payload: &Json) -> Agent {
        let has = |field: &str| payload.get(field).is_some();
        let event_name = text(payload, "hook_event_name").unwrap_or_default();
        match () {
            () if has("cursor_version") => Agent::Cursor,
            () if has("sessionId") || has("toolName") => Agent::Copilot,
            () if has("turn_id") && has("model") => Agent::Codex,
            () if has("prompt_id") || has("effort") => Agent::Claude,
            // These two alone tell in which mode they work; one of them must be meant.
            () if has("permission_mode") => {
                told.filter(|told| *told == Agent::Codex).unwrap_or(Agent::Claude)
            }
            () if gemini::is_own(event_name) => Agent::Gemini,
            () => told
                .filter(|told| told.has_event(event_name) && !(*told == Agent::Claude && has("timestamp")))
                .unwrap_or_else(|| Agent::stranger(payload, event_name)),
        }
    }

    /// Who sends what nobody was expected to send.
    fn stranger(payload: &Json, event_name: &str) -> Agent {
        let is_stamped = payload.get("timestamp").is_some();
        let keeps = |folder: &str| text(payload, "transcript_path").is_some_and(|path| path.contains(folder));
        match () {
            () if event_name.starts_with(char::is_lowercase) => Agent::Cursor,
            () if !is_stamped || named(&claude::EVENTS, event_name).is_none() => Agent::Claude,
            () if keeps("/.gemini/") => Agent::Gemini,
            () => Agent::Copilot,
        }
    }

    /// Whether the agent could send an event of this name, or of none.
    fn has_event(self, name: &str) -> bool {
        match self {
            Agent::Claude | Agent::Codex => !name.starts_with(char::is_lowercase),
            Agent::Gemini => named(&gemini::EVENTS, name).is_some() || named(&claude::EVENTS, name).is_none(),
            Agent::Cursor | Agent::Copilot => true,
        }
    }
}
