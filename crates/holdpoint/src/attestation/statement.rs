//! An in-toto statement: which commit it is about, and what it says about it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use thiserror::Error;

use super::identity::{Digest, ObjectId};
use super::predicate::{self, Predicate};

/// The type of every statement.
const TYPE: &str = "https://in-toto.io/Statement/v1";
/// The most of a message that is shown: it can quote what somebody else wrote.
const MESSAGE_CHARS_MAX: usize = 200;

/// A statement about a commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The commit.
    pub subject: Subject,
    /// What it says.
    pub predicate: Predicate,
}

/// The commit that a statement is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Subject {
    /// The commit's id.
    pub git_commit: ObjectId,
    /// The id of its tree.
    pub git_tree: ObjectId,
}

/// A statement as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Described>,
    predicate_type: String,
    predicate: Box<RawValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    digest: Subject,
}

/// The reason why a text is no statement.
#[derive(Debug, Error)]
pub enum StatementError {
    /// It has another form.
    #[error("not a statement: {0}")]
    Form(String),
    /// It is of another type.
    #[error("a statement of an unknown type")]
    Type,
    /// It is about nothing, or about several things.
    #[error("a statement must be about one commit")]
    Subject,
    /// What it says has an unknown type.
    #[error("a statement with an unknown predicate")]
    Predicate,
}

impl Statement {
    /// Reads a statement. Unknown keys, keys that are there twice and values of other types are refused.
    pub fn read(text: &str) -> Result<Statement, StatementError> {
        let Written { kind, subject, predicate_type, predicate } = parsed(text)?;
        if kind != TYPE {
            return Err(StatementError::Type);
        }
        let subject: [Described; 1] = subject.try_into().map_err(|_| StatementError::Subject)?;
        let [Described { digest: subject }] = subject;
        let predicate = match predicate_type.as_str() {
            predicate::TESTS => Predicate::Tests(parsed(predicate.get())?),
            predicate::REVIEW => Predicate::Review(parsed(predicate.get())?),
            predicate::RUN => Predicate::Run(parsed(predicate.get())?),
            _ => return Err(StatementError::Predicate),
        };
        Ok(Statement { subject, predicate })
    }

    /// Writes the statement.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let (predicate_type, predicate) = match &self.predicate {
            Predicate::Tests(tests) => (predicate::TESTS, to_raw_value(tests)?),
            Predicate::Review(review) => (predicate::REVIEW, to_raw_value(review)?),
            Predicate::Run(run) => (predicate::RUN, to_raw_value(run)?),
        };
        serde_json::to_string(&Written {
            kind: TYPE.to_owned(),
            subject: vec![Described { digest: self.subject.clone() }],
            predicate_type: predicate_type.to_owned(),
            predicate,
        })
    }

    /// Returns the digest by which a summary names a written statement.
    pub fn digest(text: &str) -> Digest {
        Digest::of(text.as_bytes())
    }
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, StatementError> {
    serde_json::from_str(text).map_err(|error| StatementError::Form(brief(&error)))
}

/// Says what is wrong with a JSON text, in a line of bounded length.
pub(super) fn brief(error: &serde_json::Error) -> String {
    error.to_string().chars().take(MESSAGE_CHARS_MAX).collect()
}
