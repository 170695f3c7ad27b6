//! What checks look at, apart from the decisions they lead to: changed files (`scan`, `blueprint`), the documents
//! that a run works by (`reader`), and what a test run printed (`test_report`).
//!
//! Invariant: nothing here does I/O, reads a clock or the environment. Whoever performs a check reads the files and
//! gives their texts; the crate's own `clippy.toml` refuses anything else. The hook path never comes by here unless a
//! workflow asks for something that only a reader knows.

pub mod lint;
pub mod reader;

pub mod acceptance;
pub mod allowed_files;
pub mod plan;

pub mod blueprint;
pub mod scan;
mod source;

pub mod test_report;
