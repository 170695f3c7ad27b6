//! When two tool calls are the same call. What an agent writes beside a shell command only for people to read, or how long it
//! will wait, makes no difference.

use serde_json::{Map, Value as Json};

use crate::tool::{Tool, ToolKind};

/// What is left out of a shell call's input.
const INCIDENTAL: [&str; 6] =
    ["description", "justification", "max_output_tokens", "timeout", "timeout_ms", "yield_time_ms"];

/// Returns a call as one text, which is the same for the same call: the tool, and its input with the fields in order.
pub fn normalised(tool: &Tool) -> String {
    let is_shell = tool.kind() == ToolKind::Shell;
    let input = match &tool.input {
        Json::Object(fields) if is_shell => {
            let counts = |(name, _): &(&String, &Json)| !INCIDENTAL.contains(&name.as_str());
            let fields = fields.iter().filter(counts).map(|(name, value)| (name.clone(), value.clone()));
            Json::Object(fields.collect())
        }
        other => other.clone(),
    };
    format!("{} {}", tool.name, in_order(&input, is_shell))
}

/// A value with the fields of its objects in order. Space around the texts of a shell call says nothing.
fn in_order(value: &Json, is_shell: bool) -> Json {
    match value {
        Json::Object(fields) => {
            let mut fields: Vec<(&String, &Json)> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            let ordered = fields.into_iter().map(|(name, value)| (name.clone(), in_order(value, is_shell)));
            Json::Object(ordered.collect::<Map<String, Json>>())
        }
        Json::Array(values) => Json::Array(values.iter().map(|value| in_order(value, is_shell)).collect()),
        Json::String(text) if is_shell => Json::String(text.trim().to_owned()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(name: &str, input: Json) -> String {
        normalised(&Tool { name: name.to_owned(), input, ..Tool::default() })
    }

    #[test]
    fn a_call_is_the_same_whatever_is_said_about_it() {
        let first = call("Bash", json!({"command": "git commit -m x", "description": "Commit"}));
        let again =
            call("Bash", json!({"description": "Try again", "command": " git commit -m x\n", "timeout": 9}));
        assert_eq!(first, again);
        for other in
            [json!({"command": "git commit -m y"}), json!({"command": "git commit -m x", "workdir": "/"})]
        {
            assert_ne!(first, call("Bash", other));
        }
        assert_ne!(first, call("shell", json!({"command": "git commit -m x"})));
        assert_eq!(
            call("Edit", json!({"b": {"d": 1, "c": 2}, "a": [1]})),
            call("Edit", json!({"a": [1], "b": {"c": 2, "d": 1}}))
        );
        assert_eq!(call("x", Json::Null), "x null");
    }
}
