//! Case files: TOML, where each case is merged over the file's shared keys.

use serde_json::{Map, Value as Json};

use super::error::CaseFileError;

/// A file of cases.
#[derive(Debug)]
pub struct CaseFile {
    /// Its subject.
    pub title: String,
    /// The cases, each with all its keys.
    pub cases: Vec<Case>,
}

/// One case, with everything it starts from and everything it expects.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Its subject.
    pub about: String,
    /// Its keys, merged over those of the file.
    pub keys: Map<String, Json>,
}

pub(super) const FILE_KEYS: [&str; 6] = ["title", "only", "protocol", "agent", "state_at", "given"];
pub(super) const CASE_KEYS: [&str; 36] = [
    "name",
    "about",
    "files",
    "state",
    "event",
    "stdin",
    "env",
    "git",
    "branches",
    "committed",
    "commits",
    "executable",
    "cwd",
    "agent",
    "only",
    "protocol",
    "state_at",
    "expect",
    "says",
    "never_says",
    "codes",
    "stdout",
    "stderr",
    "exit",
    "fault",
    "after",
    "becomes",
    "wrote",
    "run",
    "approve",
    "no",
    "first",
    "now",
    "reviewer",
    "asked",
    "never_asked",
];
/// Stands for a key that is absent.
pub(super) const NONE: &str = "(none)";
const NULL: &str = "(null)";
/// The value that matches any value.
pub(super) const ANY: &str = "(any)";

/// Parses a case file.
pub fn parse(text: &str) -> Result<CaseFile, CaseFileError> {
    let top: Map<String, Json> = toml::from_str(text)?;
    let known = |key: &String| FILE_KEYS.contains(&key.as_str()) || key == "case";
    if let Some(key) = top.keys().find(|key| !known(key)) {
        return Err(CaseFileError::UnknownKey { key: key.clone() });
    }
    let mut shared: Map<String, Json> =
        top.get("given").and_then(Json::as_object).cloned().unwrap_or_default();
    for key in ["only", "protocol", "agent", "state_at"] {
        if let Some(value) = top.get(key) {
            shared.insert(key.to_owned(), value.clone());
        }
    }
    let cases = top.get("case").and_then(Json::as_array).ok_or(CaseFileError::NoCases)?;
    let cases = cases.iter().map(|case| self::case(&shared, case)).collect::<Result<_, _>>()?;
    let title = top.get("title").and_then(Json::as_str).unwrap_or_default().to_owned();
    Ok(CaseFile { title, cases })
}

fn case(shared: &Map<String, Json>, own: &Json) -> Result<Case, CaseFileError> {
    let text = |key: &str| own.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut keys = Json::Object(Map::new());
    lay_over(&mut keys, &Json::Object(shared.clone()));
    lay_over(&mut keys, own);
    expect_gone(&mut keys, own);
    let Json::Object(keys) = keys else { return Err(CaseFileError::NotATable) };
    let name = text("name");
    if let Some(key) = keys.keys().find(|key| !CASE_KEYS.contains(&key.as_str())) {
        return Err(CaseFileError::UnknownCaseKey { case: name, key: key.clone() });
    }
    if name.is_empty() {
        return Err(CaseFileError::Nameless);
    }
    Ok(Case { name, about: text("about"), keys })
}

/// Keeps `(none)` under `after`: there it expects a missing file and does not remove the key.
fn expect_gone(keys: &mut Json, own: &Json) {
    for (path, content) in own.get("after").and_then(Json::as_object).into_iter().flatten() {
        if content == NONE {
            keys["after"][path.as_str()] = content.clone();
        }
    }
}

/// Merges `over` into `under`: tables key by key, and a table whose keys are indexes into a list. `(none)` removes a
/// key, `(null)` is null.
pub(super) fn lay_over(under: &mut Json, over: &Json) {
    match (under, over) {
        (Json::Object(under), Json::Object(over)) => {
            for (key, value) in over {
                match value {
                    Json::String(word) if word == NONE => {
                        under.shift_remove(key);
                    }
                    _ => lay_over(under.entry(key.clone()).or_insert(Json::Null), value),
                }
            }
        }
        (Json::Array(under), Json::Object(over)) if over.keys().all(|key| place(under, key).is_some()) => {
            for (key, value) in over {
                if let Some(item) = place(under, key).and_then(|at| under.get_mut(at)) {
                    lay_over(item, value);
                }
            }
        }
        (under, Json::Object(over)) => {
            *under = Json::Object(Map::new());
            lay_over(under, &Json::Object(over.clone()));
        }
        (under, over) => *under = with_nulls(over),
    }
}

/// Replaces `(null)` by null, in lists too.
fn with_nulls(value: &Json) -> Json {
    match value {
        Json::String(word) if word == NULL => Json::Null,
        Json::Array(items) => items.iter().map(with_nulls).collect(),
        Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), with_nulls(value))).collect(),
        other => other.clone(),
    }
}

/// Reads a key as an index into a list, from 0.
fn place(list: &[Json], key: &str) -> Option<usize> {
    key.parse().ok().filter(|at| *at < list.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cases_are_laid_over_what_is_given() {
        let file = parse(
            "title = \"t\"\nonly = \"r\"\n[given]\nstate = { a = { b = 1, c = 2 }, d = 3 }\n[[case]]\nname = \"x\"\nstate.a.b = \"(null)\"\nstate.d = \"(none)\"\nstate.e = 5\n[[case]]\nname = \"y\"\nstate = \"broken\"\n",
        )
        .unwrap();
        assert_eq!(file.cases[0].keys["state"], json!({"a": {"b": null, "c": 2}, "e": 5}));
        assert_eq!(file.cases[0].keys["only"], json!("r"));
        assert_eq!(file.cases[1].keys["state"], json!("broken"));
    }

    #[test]
    fn elements_of_lists_are_laid_over_by_their_place() {
        let file = parse(
            "[given]\nstate.tasks = [{ id = 1, n = 0 }, { id = 2, m = \"(null)\" }]\n[[case]]\nname = \"x\"\nstate.tasks.0.n = 2\n[[case]]\nname = \"y\"\nstate.tasks.2.n = 2\n",
        )
        .unwrap();
        assert_eq!(file.cases[0].keys["state"]["tasks"], json!([{"id": 1, "n": 2}, {"id": 2, "m": null}]));
        assert_eq!(file.cases[1].keys["state"]["tasks"], json!({"2": {"n": 2}}), "there is no third one");
    }

    #[test]
    fn a_file_can_be_expected_to_be_gone() {
        let file =
            parse("[[case]]\nname = \"x\"\nafter = { \"a\" = \"(none)\", \"b\" = \"text\" }\n").unwrap();
        assert_eq!(file.cases[0].keys["after"], json!({"a": "(none)", "b": "text"}));
    }

    #[test]
    fn mistakes_are_told() {
        for (text, part) in [
            ("titel = 1", "unknown key `titel`"),
            ("title = \"t\"", "there is no [[case]]"),
            ("[[case]]\nname = \"x\"\nsay = 1", "unknown key `say`"),
            ("[[case]]\nabout = \"x\"", "a case has no name"),
        ] {
            assert!(parse(text).unwrap_err().to_string().contains(part), "{text}");
        }
    }
}
