//! Performing what a phase asks for: a reviewer's program, or one of the engine's own checks. What comes of it is bound
//! to the tree that it looked at.

mod commit;
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use holdpoint_core::phase::Review;
use serde_json::Value as Json;

use crate::env_vars::Env;
use crate::project::Run;
use crate::reviewer;
use crate::store::layout;
use crate::worktree;

/// A review or a check that was done.
#[derive(Debug, Default)]
pub struct Performed {
    /// Its verdict; none if it gave none that can be read.
    pub verdict: Option<String>,
    /// How long it took.
    pub took: Duration,
    /// What it cost, if it said so.
    pub cost_usd: Option<f64>,
    /// The last of what it printed, or what is to be read of it.
    pub output: String,
    /// Its exit code, if it is a program and ended by itself.
    pub exit: Option<i32>,
    /// What else it said.
    pub details: Json,
    /// Where all it printed is, from the project.
    pub log: Option<String>,
    /// A digest of that.
    pub log_digest: Option<String>,
    /// What is odd about it.
    pub doubts: Vec<String>,
    /// The tree it looked at; none if that changed meanwhile or cannot be told.
    pub tree: Option<String>,
}

/// Why nothing was done.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The program is not there.
    Missing(String),
    /// It could not be started.
    Start(String),
    /// It ended with an error.
    Exit(String),
    /// It took too long.
    Timeout(u32),
    /// We were told to end while it was at work.
    Interrupted,
    /// It left no new report.
    NoReport(String),
    /// It lacks something to work with.
    Lacks(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Missing(program) => write!(f, "the reviewer's program `{program}` is not installed"),
            Failure::Start(why) => write!(f, "the reviewer could not be started: {why}"),
            Failure::Exit(how) => write!(f, "the reviewer ended with {how}"),
            Failure::Timeout(seconds) => write!(f, "the reviewer did not finish within {seconds} seconds"),
            Failure::Interrupted => f.write_str("the review was interrupted"),
            Failure::NoReport(path) => write!(f, "the reviewer left no new report at {path}"),
            Failure::Lacks(what) => f.write_str(what),
        }
    }
}

/// Performs a review or a check of a run.
pub fn perform(review: &Review, run: &Run, env: &Arc<dyn Env>) -> Result<Performed, Failure> {
    let before = tree(run);
    let mut performed = match review.kind.as_str() {
        "condition" => Ok(Performed { verdict: Some("pass".to_owned()), ..Performed::default() }),
        "tests" => tests::perform(review, run, env.as_ref()),
        "commit" => commit::perform(review, run, env.as_ref()),
        _ => reviewer::perform(review, &run.home, &run.folder, env.as_ref()),
    }?;
    performed.tree = before.filter(|before| tree(run).as_ref() == Some(before));
    Ok(performed)
}

/// The tree as it is now; none where there is no repository.
fn tree(run: &Run) -> Option<String> {
    let aside: Vec<String> = run.workflow.run.aside.iter().map(ToString::to_string).collect();
    worktree::hash(&run.home, &aside).ok()
}

/// Keeps all that a program printed, and says where and what.
fn keep_log(home: &Path, name: &str, at: &str, text: &[u8]) -> Option<(String, String)> {
    let path = layout::log(home, &format!("{name}-{at}"));
    layout::prepare(home, &path).ok()?;
    crate::store::atomic::replace(&path, text).ok()?;
    path.parent().map(layout::clear_old);
    let shown = path.strip_prefix(home).unwrap_or(&path).display().to_string();
    Some((shown, layout::digest(&[&String::from_utf8_lossy(text)])))
}
