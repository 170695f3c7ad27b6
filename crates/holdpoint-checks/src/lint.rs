//! Linters: what can be found wrong with files by looking at their texts alone.

use std::fmt;

/// A file that a linter looks at: its path in the project, and its text.
pub type Source = (String, String);

/// A linter, with what a workflow told it to look for.
pub trait Linter {
    /// Finds what is wrong with these files, by their order.
    fn findings(&self, files: &[Source]) -> Vec<Finding>;
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file.
    pub path: String,
    /// The line in it, from 1.
    pub line: usize,
    /// What kind of thing, for programs.
    pub code: &'static str,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: [{}] {}", self.path, self.line, self.code, self.message)
    }
}
