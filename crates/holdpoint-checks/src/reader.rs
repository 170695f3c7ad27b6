//! Readers of documents: each knows one thing that a document can say, in the words that a workflow uses for it.

use serde::Serialize;
use serde_json::Value as Json;
use thiserror::Error;

use crate::allowed_files::AllowedFiles;
use crate::plan::Plan;
use crate::test_report;

/// A reader of documents, with the words that a workflow told it.
pub trait Reader {
    /// What it finds.
    type Found;

    /// Reads a document; nothing if it says nothing of the kind.
    fn read(&self, document: &str) -> Option<Self::Found>;
}

/// The reason why a document cannot be read for a fact.
#[derive(Debug, Error)]
pub enum ReaderError {
    /// There is no such reader.
    #[error("there is no reader `{0}`")]
    Unknown(String),
    /// The reader cannot do with these arguments.
    #[error("`{0}` is given something else than titles")]
    Arguments(String),
    /// What it found cannot be a fact.
    #[error(transparent)]
    Unfit(#[from] serde_json::Error),
}

/// Reads a document as the reader of a fact does that is not of the core, with the arguments that the fact was given.
pub fn read_as(reader: &str, document: &str, args: &[Json]) -> Result<Option<Json>, ReaderError> {
    match (reader, args) {
        ("planned", [Json::Array(titles)]) => json(&Plan { titles: texts(titles) }, document),
        ("allowed_files", [Json::String(title)]) => {
            json(&AllowedFiles { titles: vec![title.clone()] }, document)
        }
        ("allowed_files", [Json::Array(titles)]) => json(&AllowedFiles { titles: texts(titles) }, document),
        ("planned" | "allowed_files", _) => Err(ReaderError::Arguments(reader.to_owned())),
        _ => Err(ReaderError::Unknown(reader.to_owned())),
    }
}

/// Reads what a test run printed that somebody else started.
pub fn tests(output: &str, exit: Option<i64>) -> Result<Option<Json>, ReaderError> {
    Ok(Some(serde_json::to_value(test_report::hearsay(output, exit))?))
}

fn texts(titles: &[Json]) -> Vec<String> {
    titles.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn json<R: Reader<Found: Serialize>>(reader: &R, document: &str) -> Result<Option<Json>, ReaderError> {
    Ok(reader.read(document).map(serde_json::to_value).transpose()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facts_are_read_by_the_words_they_are_given() {
        let spec = "## Steps\n### Task 1: a\n**Files:** `x.py`\n## May change\n- `x.py`\n";
        let tasks = json!([{ "id": 1, "name": "a", "files": ["x.py"] }]);
        assert_eq!(read_as("planned", spec, &[json!(["Plan", "Steps"])]).unwrap(), Some(tasks));
        assert_eq!(read_as("planned", spec, &[json!(["Plan"])]).unwrap(), Some(json!([])));
        assert_eq!(read_as("allowed_files", spec, &[json!("May change")]).unwrap(), Some(json!(["x.py"])));
        assert_eq!(read_as("allowed_files", spec, &[json!("Files")]).unwrap(), None);
        let titles = json!(["Files", "May change"]);
        assert_eq!(read_as("allowed_files", spec, &[titles]).unwrap(), Some(json!(["x.py"])));
        for (reader, args) in [("allowed_files", json!(1)), ("x", json!("y"))] {
            assert!(read_as(reader, spec, &[args]).is_err(), "{reader}");
        }
    }
}
