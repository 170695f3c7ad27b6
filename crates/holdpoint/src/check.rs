//! Performing what a phase asks for: a reviewer's program, or one of the engine's own checks. What comes of it is bound
//! to the tree that it looked at.

mod acceptance;
mod blueprint;
mod commit;
mod scan;
mod tests;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use holdpoint_checks::lint::Linter;
use holdpoint_core::phase::Review;
use serde_json::{Value as Json, json};

use crate::env_vars::Env;
use crate::project::Run;
use crate::reviewer;
use crate::store::{files, layout};
use crate::worktree;
use crate::world::read_file;

/// How far a check looks into a file.
const SOURCE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// How many findings are shown.
const FINDINGS_SHOWN: usize = 40;

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
    let mut before = tree(run);
    let mut performed = perform_once(review, run, env)?;
    let mut after = tree(run);
    if review.kind == "tests" && before != after {
        // The first run may leave files behind that the next one finds there; one that always does proves nothing.
        before = after;
        performed = perform_once(review, run, env)?;
        after = tree(run);
    }
    if before == after {
        performed.tree = after;
    } else {
        performed.doubts.push(unsteady(run, before.as_deref(), after.as_deref()));
        if review.kind == "tests" && performed.verdict.as_deref() == Some("pass") {
            performed.verdict = Some("fail".to_owned());
        }
    }
    for doubt in &performed.doubts {
        performed.output.extend(["\nNote: ", doubt]);
    }
    Ok(performed)
}

/// What is odd about a tree that changed under a check.
fn unsteady(run: &Run, before: Option<&str>, after: Option<&str>) -> String {
    let changed = before.zip(after).and_then(|(from, to)| worktree::changed(&run.home, from, to).ok());
    let files = changed.unwrap_or_default().join(", ");
    format!(
        "files changed meanwhile, so it is no proof of anything: {files}. What a run leaves behind belongs in .gitignore"
    )
}

fn perform_once(review: &Review, run: &Run, env: &Arc<dyn Env>) -> Result<Performed, Failure> {
    match review.kind.as_str() {
        "condition" => Ok(Performed { verdict: Some("pass".to_owned()), ..Performed::default() }),
        "tests" => tests::perform(review, run, env.as_ref()),
        "acceptance" => acceptance::perform(review, run, env.as_ref()),
        "blueprint" => blueprint::perform(review, run),
        "scan" => scan::perform(review, run),
        "commit" => commit::perform(review, run, env.as_ref()),
        _ => reviewer::perform(review, &run.home, &run.folder, env.as_ref()),
    }
}

/// The tree as it is now; none where there is no repository, or the workflow does not say what belongs to it.
pub fn tree(run: &Run) -> Option<String> {
    let aside = run.workflow.run.aside();
    if aside.is_empty() { None } else { worktree::hash(&run.home, &aside).ok() }
}

/// Keeps all that a program printed, and says where and what.
fn keep_log(home: &Path, name: &str, text: &[u8]) -> Option<(String, String)> {
    let at = crate::store::journal::now().replace([':', '.'], "-");
    let path = layout::log(home, &format!("{name}-{at}"));
    layout::prepare(home, &path).ok()?;
    crate::store::atomic::replace(&path, text).ok()?;
    path.parent().map(layout::clear_old);
    let shown = path.strip_prefix(home).unwrap_or(&path).display().to_string();
    Some((shown, layout::content_digest(text)))
}

/// The files of a list with their texts. One that is gone, is a link, or is no text has nothing to look at; of one that
/// is very large, the beginning is looked at.
fn sources(run: &Run, files: Option<&Json>) -> Result<Vec<(String, String)>, Failure> {
    let mut found = Vec::new();
    for path in texts(files) {
        let file = files::place(&run.home, path).map_err(Failure::Lacks)?;
        if file.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
            let bytes = start_of(&file).map_err(|why| unreadable(path, &why.to_string()))?;
            let text = (!is_binary(&bytes)).then(|| String::from_utf8_lossy(&bytes).into_owned());
            found.extend(text.map(|text| (path.to_owned(), text)));
        }
    }
    Ok(found)
}

/// A file of the project as text; none if it is not there.
fn read_text(run: &Run, path: &str) -> Result<Option<String>, Failure> {
    let file = files::place(&run.home, path).map_err(Failure::Lacks)?;
    let bytes = read_file(&file, SOURCE_BYTES_MAX).map_err(|why| unreadable(path, &why))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn unreadable(path: &str, why: &str) -> Failure {
    Failure::Lacks(format!("`{path}` cannot be read: {why}"))
}

fn start_of(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(SOURCE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether it is no text, told as git does.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8_000).any(|byte| *byte == 0)
}

/// What a linter finds in the `files` it is told, one line each; nothing is a pass.
fn lint(linter: &dyn Linter, review: &Review, run: &Run) -> Result<Performed, Failure> {
    let files = sources(run, review.told.get("files"))?;
    let lines: Vec<String> = linter.findings(&files).iter().map(ToString::to_string).collect();
    let verdict = Some(if lines.is_empty() { "pass" } else { "fail" }.to_owned());
    let output = match lines.len() {
        0 => "PASS".to_owned(),
        many => format!("FAIL: {many}\n{}", lines[..many.min(FINDINGS_SHOWN)].join("\n")),
    };
    Ok(Performed { verdict, output, details: json!({ "failed": lines }), ..Performed::default() })
}

fn texts(list: Option<&Json>) -> impl Iterator<Item = &str> {
    list.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str)
}
