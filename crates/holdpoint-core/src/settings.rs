//! Settings: what a `holdpoint.toml` says. There are three such files, one for each layer; `settings/effective.rs` says
//! what counts when several say something.

pub mod effective;
pub mod lock;
mod parse;

use std::ops::Range;

pub use self::effective::{Bar, Effective, Said};
pub use self::lock::Lock;
pub use self::parse::{Parsed, parse};
use crate::workflow::bench::{Bench, Prove};

/// Who says something: each layer decides before those below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The organisation that the machine belongs to.
    Organisation,
    /// The user.
    User,
    /// The project.
    Project,
}

impl Layer {
    /// Names the layer in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Organisation => "the organisation",
            Layer::User => "the user",
            Layer::Project => "the project",
        }
    }

    /// Names the layer for programs.
    pub fn word(self) -> &'static str {
        match self {
            Layer::Organisation => "organisation",
            Layer::User => "user",
            Layer::Project => "project",
        }
    }
}

/// A value, and where it is in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// The bytes of the file.
    pub span: Range<usize>,
}

/// What one file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The workflows that are enabled. Without it, all are.
    pub workflows: Option<Placed<Vec<Placed<String>>>>,
    /// Workflows that no layer below can leave out or replace.
    pub require: Vec<Placed<String>>,
    /// Whether the layers below can have workflows of their own.
    pub own_workflows: Option<Placed<bool>>,
    /// Variables that all programs of checks and reviewers get.
    pub pass: Option<Placed<Vec<String>>>,
    /// Folders that they can write to.
    pub writes: Option<Placed<Vec<String>>>,
    /// Where checks and reviews are performed, and what is there beside the files.
    pub bench: Option<Placed<BenchChoice>>,
    /// Other reviewers than a workflow names.
    pub reviewers: Vec<Placed<Instead>>,
    /// Keys that no layer below can set.
    pub lock: Vec<Placed<Lock>>,
}

/// Where checks and reviews are performed, whatever a workflow says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BenchChoice {
    /// The way; none: the workflow's.
    pub prove: Option<Prove>,
    /// The folders that the bench has, beside those that the workflow names.
    pub folders: Bench,
}

/// A reviewer of a workflow, and the one that is asked instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instead {
    /// The workflow.
    pub workflow: String,
    /// The reviewer that it names.
    pub reviewer: String,
    /// The reviewer that is asked.
    pub instead: String,
}

#[cfg(test)]
#[path = "settings/settings_tests.rs"]
mod tests;
