//! Readers of documents: each knows one thing that a document can say, and gives it as data to whoever asks by name.

use serde_json::{Value as Json, json};

use crate::{allowed_files, plan};

/// What a reader makes of a document; nothing if the document says nothing of the kind. An error is for people: there
/// is no such reader.
pub fn read_as(reader: &str, document: &str) -> Result<Option<Json>, String> {
    match reader {
        "planned" => Ok(Some(json!(plan::in_order(document)))),
        "allowed_files" => Ok(allowed_files::paths(document).map(Json::from)),
        _ => Err(format!("there is no reader `{reader}`")),
    }
}
