//! Recognizes the calling agent by the fields it sends and the names of its events.

use serde_json::Value as Json;

use super::{Agent, claude, gemini, moment_of, text};

impl Agent {
    /// Returns the calling agent. The payload counts more than the command line, because agents read each other's
    /// settings files.
    pub fn recognise(named: Option<Agent>, payload: &Json) -> Agent {
        let has = |field: &str| payload.get(field).is_some();
        let event_name = text(payload, "hook_event_name").unwrap_or_default();
        if has("cursor_version") {
            Agent::Cursor
        } else if has("sessionId") || has("toolName") {
            Agent::Copilot
        } else if has("turn_id") && has("model") {
            Agent::Codex
        } else if has("prompt_id") || has("effort") {
            Agent::Claude
        } else if has("permission_mode") {
            // Only Claude Code and Codex send their mode.
            named.filter(|named| *named == Agent::Codex).unwrap_or(Agent::Claude)
        } else if gemini::is_own(event_name) {
            Agent::Gemini
        } else {
            named
                .filter(|named| named.has_event(event_name) && !(*named == Agent::Claude && has("timestamp")))
                .unwrap_or_else(|| Agent::guess(payload, event_name))
        }
    }

    /// Guesses the agent from the payload alone.
    fn guess(payload: &Json, event_name: &str) -> Agent {
        let is_stamped = payload.get("timestamp").is_some();
        let keeps = |folder: &str| text(payload, "transcript_path").is_some_and(|path| path.contains(folder));
        if event_name.starts_with(char::is_lowercase) {
            Agent::Cursor
        } else if !is_stamped || moment_of(&claude::EVENTS, event_name).is_none() {
            Agent::Claude
        } else if keeps("/.gemini/") {
            Agent::Gemini
        } else {
            Agent::Copilot
        }
    }

    /// Returns whether the agent could send an event of this name, which may be empty.
    fn has_event(self, name: &str) -> bool {
        match self {
            Agent::Claude | Agent::Codex => !name.starts_with(char::is_lowercase),
            Agent::Gemini => {
                moment_of(&gemini::EVENTS, name).is_some() || moment_of(&claude::EVENTS, name).is_none()
            }
            Agent::Cursor | Agent::Copilot => true,
        }
    }
}
