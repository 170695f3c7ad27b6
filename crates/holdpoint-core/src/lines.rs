//! State in `key: value` lines: read as an object and edited one line at a time; all other lines stay unchanged.
//!
//! A value that is not one plain word is written as a JSON string, so that any text can be read back.

use serde_json::{Map, Value as Json};

/// Reads the fields of a text. If a key appears twice, the first one counts. All values are strings; the field's
/// declaration decides their type.
pub fn parse(text: &str) -> Map<String, Json> {
    let mut fields = Map::new();
    for (key, value) in text.lines().filter_map(field) {
        fields.entry(key).or_insert_with(|| Json::String(decode(value)));
    }
    fields
}

/// Sets a field, in place or as a new line at the end.
pub fn set(text: &str, key: &str, value: &Json) -> String {
    let line = format!("{key}: {}", encode(value));
    let mut found = false;
    let mut edited = String::with_capacity(text.len() + line.len());
    for old in text.split_inclusive('\n') {
        let ending = &old[old.trim_end_matches(['\r', '\n']).len()..];
        if !found && field(old.trim_end()).is_some_and(|(name, _)| name == key) {
            found = true;
            edited.push_str(line.trim_end());
            edited.push_str(ending);
        } else {
            edited.push_str(old);
        }
    }
    if !found {
        if !edited.is_empty() && !edited.ends_with('\n') {
            edited.push('\n');
        }
        edited.push_str(line.trim_end());
        edited.push('\n');
    }
    edited
}

fn field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_end_matches('\r').split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    is_key.then(|| (key, value.trim()))
}

/// Decodes a value. Older writers put a string in quotes and escaped only the quotes inside it.
fn decode(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return value.to_owned();
    };
    serde_json::from_str(value).unwrap_or_else(|_| inner.replace("\\\"", "\""))
}

fn encode(value: &Json) -> String {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '"';
    match value {
        Json::Null => String::new(),
        Json::String(text) if !text.is_empty() && text.chars().all(plain) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn fields_are_read_as_older_writers_wrote_them() {
        let fields = parse(
            "mode: plan\r\ntopic: \"say \\\"hi\\\" in C:\\Users\"\nround: 08\nround: 9\nno field\nempty:\n",
        );
        assert_eq!(
            Json::Object(fields),
            json!({"mode": "plan", "topic": "say \"hi\" in C:\\Users", "round": "08", "empty": ""})
        );
    }

    #[test]
    fn a_field_is_set_in_place_and_a_new_one_gets_a_line_of_its_own() {
        let text = "# kept\nround: 1\r\nmode: plan";
        assert_eq!(set(text, "round", &json!(2)), "# kept\nround: 2\r\nmode: plan");
        assert_eq!(set(text, "new", &json!("x")), "# kept\nround: 1\r\nmode: plan\nnew: x\n");
        assert_eq!(set("phase: a\n", "phase", &Json::Null), "phase:\n");
        assert_eq!(set("a: 1\n", "roots", &json!("/a b")), "a: 1\nroots: \"/a b\"\n");
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in any::<String>(), other in "[a-z: \"\\n]{0,20}") {
            let written = set(&other, "topic", &Json::String(text.clone()));
            prop_assert_eq!(parse(&written).get("topic").cloned(), Some(Json::String(text)));
        }
    }
}
