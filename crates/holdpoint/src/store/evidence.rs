//! Evidence: what the engine saw itself, one line each, bound to the tree it was true of.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::layout;

/// One thing that the engine saw.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// When, in UTC.
    pub at: String,
    /// The workflow.
    pub workflow: String,
    /// The id of the element at hand, where the workflow has one.
    #[serde(skip_serializing_if = "Json::is_null")]
    pub item: Json,
    /// The phase.
    pub phase: String,
    /// Which round it was.
    pub round: i64,
    /// The program and its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// What came of it.
    pub outcome: String,
    /// Its exit code, if it ended by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// How long it took.
    pub took_ms: u64,
    /// The tree it looked at; none if that changed meanwhile or cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Where all it printed is, from the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// A digest of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_digest: Option<String>,
    /// What is odd about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// What else it said.
    #[serde(skip_serializing_if = "Json::is_null")]
    pub details: Json,
}

/// Appends a piece of evidence.
pub fn append(home: &Path, evidence: &Evidence) -> io::Result<()> {
    let path = layout::evidence(home, &evidence.workflow);
    layout::prepare(home, &path)?;
    let mut line = serde_json::to_vec(evidence)?;
    line.push(b'\n');
    OpenOptions::new().create(true).append(true).open(path)?.write_all(&line)
}

/// Puts the evidence of the last run away: it proves nothing of the next one.
pub fn set_aside(home: &Path, workflow: &str) {
    let path = layout::evidence(home, workflow);
    let _ = std::fs::rename(&path, path.with_extension("last.jsonl"));
}

/// All evidence of a workflow's runs here, oldest first; a torn or foreign line is passed over.
pub fn read(home: &Path, workflow: &str) -> Vec<Evidence> {
    let text = std::fs::read(layout::evidence(home, workflow)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
