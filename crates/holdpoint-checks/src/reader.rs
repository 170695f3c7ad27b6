//! Readers of documents: each knows one thing that a document can say, in the words that a workflow uses for it.

use serde::Serialize;
use serde_json::Value as Json;

use crate::allowed_files::AllowedFiles;
use crate::plan::Plan;

/// A reader of documents, with the words that a workflow told it.
pub trait Reader {
    /// What it finds.
    type Found;

    /// Reads a document; nothing if it says nothing of the kind.
    fn read(&self, document: &str) -> Option<Self::Found>;
}

/// Reads a document as the reader of a fact does that is not of the core, with the arguments that the fact was given.
/// An error is for people: there is no such reader, or it cannot do with these arguments.
pub fn read_as(reader: &str, document: &str, args: &[Json]) -> Result<Option<Json>, String> {
    match (reader, args) {
        ("planned", [titles]) => {
            let titles = titles.as_array().into_iter().flatten().filter_map(Json::as_str);
            json(&Plan { titles: titles.map(str::to_owned).collect() }, document)
        }
        ("allowed_files", [Json::String(title)]) => json(&AllowedFiles { title: title.clone() }, document),
        ("planned" | "allowed_files", _) => Err(format!("`{reader}` is given something else than titles")),
        _ => Err(format!("there is no reader `{reader}`")),
    }
}

fn json<R: Reader<Found: Serialize>>(reader: &R, document: &str) -> Result<Option<Json>, String> {
    let found = reader.read(document);
    found.map(|found| serde_json::to_value(found).map_err(|error| error.to_string())).transpose()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facts_are_read_by_the_words_they_are_given() {
        let spec = "## Steps\n### Task 1: a\n**Files:** `x.py`\n## May change\n- `x.py`\n";
        let tasks = json!([{ "id": 1, "name": "a", "files": ["x.py"] }]);
        assert_eq!(read_as("planned", spec, &[json!(["Plan", "Steps"])]), Ok(Some(tasks)));
        assert_eq!(read_as("planned", spec, &[json!(["Plan"])]), Ok(Some(json!([]))));
        assert_eq!(read_as("allowed_files", spec, &[json!("May change")]), Ok(Some(json!(["x.py"]))));
        assert_eq!(read_as("allowed_files", spec, &[json!("Files")]), Ok(None));
        for (reader, args) in [("allowed_files", json!(1)), ("x", json!("y"))] {
            assert!(read_as(reader, spec, &[args]).is_err(), "{reader}");
        }
    }
}
