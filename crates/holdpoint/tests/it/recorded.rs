//! Payloads as the agents send them, one file an event: `tests/payloads/<agent>/<event>.json`. What they are, and how
//! they are recorded, stands in the README there.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json};

/// Set to 1, files that are made from what is tested are written anew instead of compared.
pub(crate) fn is_recording() -> bool {
    std::env::var_os("HOLDPOINT_RECORD").is_some_and(|value| value == "1")
}

pub(crate) fn folder(agent: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads").join(agent)
}

/// An agent's payloads by the names of their files, in order.
pub(crate) fn payloads(agent: &str) -> Vec<(String, Json)> {
    let mut found: Vec<(String, Json)> = std::fs::read_dir(folder(agent))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
        })
        .collect();
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found
}

/// A payload without what belongs to one machine or one moment: `places` are folders and what stands for them.
pub(crate) fn cleaned(payload: &Json, places: &[(&str, &str)]) -> Json {
    match payload {
        Json::Object(fields) => {
            let clean = |(name, value): (&String, &Json)| {
                (name.clone(), constant(name, value).unwrap_or_else(|| cleaned(value, places)))
            };
            Json::Object(fields.iter().map(clean).collect::<Map<_, _>>())
        }
        Json::Array(items) => items.iter().map(|item| cleaned(item, places)).collect(),
        Json::String(text) => {
            let text = places.iter().fold(text.clone(), |text, (from, to)| text.replace(from, to));
            without_ids(&text).into()
        }
        other => other.clone(),
    }
}

/// What stands for a value that differs from one session to the next.
fn constant(name: &str, value: &Json) -> Option<Json> {
    let text = match name {
        "session_id" => "a-session",
        "turn_id" => "a-turn",
        "prompt_id" => "a-prompt",
        "tool_use_id" => "a-tool-use",
        "agent_id" | "agentId" => "an-agent",
        // The folder tells whose it is.
        "transcript_path" if value.as_str().is_some_and(|path| path.contains("/.gemini/")) => {
            "/home/user/.gemini/transcript.jsonl"
        }
        "transcript_path" | "agent_transcript_path" => "/home/user/transcript.jsonl",
        "timestamp" => "2026-01-01T00:00:00.000Z",
        _ => return value.is_number().then(|| 1.into()),
    };
    value.is_string().then(|| text.into())
}

/// A text without random ids and the numbers of processes.
fn without_ids(text: &str) -> String {
    let is_id = |word: &str| word.len() == 36 && word.bytes().filter(|byte| *byte == b'-').count() == 4;
    let mut cleaned = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        let name = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let after_pgid = cleaned.ends_with("PGID: ");
        let replaced = if is_id(name) {
            "an-id"
        } else if after_pgid {
            "1"
        } else {
            name
        };
        cleaned += replaced;
        cleaned += &word[name.len()..];
    }
    cleaned
}

/// A payload's fields and the types of their values, whatever the values are.
pub(crate) fn shape(value: &Json) -> Json {
    match value {
        Json::Object(fields) => {
            Json::Object(fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect())
        }
        Json::Array(items) => items.first().map(shape).into_iter().collect(),
        Json::String(_) => "text".into(),
        Json::Number(_) => "number".into(),
        Json::Bool(_) => "boolean".into(),
        Json::Null => Json::Null,
    }
}

#[test]
fn nothing_of_a_machine_is_left_in_a_payload() {
    for agent in ["claude", "codex", "gemini", "cursor", "copilot"] {
        for (name, payload) in payloads(agent) {
            let text = payload.to_string().replace("/home/user", "");
            for part in ["/tmp/", "/root", "/home", "/Users", "target/"] {
                assert!(!text.contains(part), "{agent}/{name} has {part}: {text}");
            }
        }
    }
}

#[test]
fn ids_and_places_are_replaced_wherever_they_stand() {
    let id = "e2eb0d57-db5a-417b-b619-ab556bde5387";
    let payload = serde_json::json!({"session_id": id, "took": 12, "result": [{"text":
        format!("in /w/p/a.md: {id}#0-0, a-dash-here\nProcess Group PGID: 4711\nend")}]});
    let expected = serde_json::json!({"session_id": "a-session", "took": 1, "result": [{"text":
        "in /project/a.md: an-id#0-0, a-dash-here\nProcess Group PGID: 1\nend"}]});
    assert_eq!(cleaned(&payload, &[("/w/p", "/project")]), expected);
}
