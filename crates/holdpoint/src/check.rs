//! Performing what a phase asks for: a reviewer's program, or one of the engine's own checks. What comes of it is bound
//! to the tree that it looked at.

mod acceptance;
mod blueprint;
mod commit;
mod place;
mod scan;
mod signing;
pub mod tests;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use holdpoint_checks::blueprint::{Reference, Words};
use holdpoint_checks::lint::Linter;
use holdpoint_core::phase::{AnswerError, Request, Task};
use holdpoint_core::secret;
use holdpoint_core::verdict::Verdict;
use serde_json::json;

use crate::confinement::{self, Unconfined};
use crate::env::Env;
use crate::pinned::{self, NotPinned};
use crate::project::{self, Run};
use crate::reviewer;
use crate::store::evidence::Evidence;
use crate::store::folder::{Access, FileError, Folder};
use crate::store::{files, layout};
use crate::worktree;
use place::Place;

/// How far a check looks into a file.
const SOURCE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// How many findings are shown.
const FINDINGS_SHOWN: usize = 40;

/// A review or a check that was done.
#[derive(Debug)]
pub struct Performed {
    /// Its verdict.
    pub verdict: Verdict,
    /// The last of what it printed, or what is to be read of it.
    pub output: String,
    /// What it cost, if it said so.
    pub cost_usd: Option<f64>,
    /// Its evidence, as far as the performer knows it. The engine adds whose it is, and the verdict.
    pub evidence: Evidence,
    /// The tree of the project afterwards, as far as it is known.
    pub stands: Option<String>,
    /// Why its answer could not be read, if the verdict only stands for that.
    pub unread: Option<String>,
}

impl Performed {
    /// A verdict, and nothing else to tell.
    pub fn of(verdict: Verdict) -> Performed {
        Performed {
            verdict,
            output: String::new(),
            cost_usd: None,
            evidence: Evidence::default(),
            stands: None,
            unread: None,
        }
    }
}

/// Why there is no verdict.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The program is not there.
    #[error("`{0}` is not installed")]
    Missing(String),
    /// It could not be started.
    #[error("could not be started: {0}")]
    Start(String),
    /// It ended with an error.
    #[error("ended with {0}")]
    Exit(String),
    /// It took too long.
    #[error("did not finish within {0} seconds")]
    Timeout(u32),
    /// We were told to end while it was at work.
    #[error("was interrupted")]
    Interrupted,
    /// It left no new report.
    #[error("left no new report at {0}")]
    NoReport(String),
    /// Its answer cannot be read.
    #[error(transparent)]
    Unreadable(#[from] AnswerError),
    /// What it looked at changed under it.
    #[error("is not believed: files changed while it ran: {}", .0.join(", "))]
    Changed(Vec<String>),
    /// It lacks something to work with.
    #[error("{0}")]
    Lacks(String),
    /// A program that it starts is another than it was.
    #[error(transparent)]
    Pinned(#[from] NotPinned),
}

/// What begins the words about a review that failed.
pub const REVIEWER: &str = "the reviewer";

impl Failure {
    /// What happened, in words about the check or the reviewer that was asked.
    pub fn in_words(&self, request: &Request) -> String {
        let who = if request.is_review() { REVIEWER } else { "the check" };
        let program = || request.command().first().map(String::as_str).unwrap_or_default();
        match self {
            Failure::Missing(name) if name == program() => {
                format!("{who}'s program `{name}` is not installed")
            }
            Failure::Unreadable(what) => format!("{}: {what}", request.phase),
            Failure::Lacks(what) => what.clone(),
            Failure::Pinned(what) => what.to_string(),
            Failure::Interrupted if request.is_review() => "the review was interrupted".to_owned(),
            other => format!("{who} {other}"),
        }
    }
}

/// Performs a review or a check of a run.
pub fn perform(request: &Request, run: &Run, env: &Arc<dyn Env>) -> Result<Performed, Failure> {
    let grants = request.grants.and(&project::programs::granted(&run.home, env.as_ref()));
    let request = &Request { grants, ..request.clone() };
    let env = &pinned::ready(request, run, env)?;
    let mut performed = place::perform(request, run, env)?;
    performed.evidence.unconfined = unconfined(request).map(|why| why.to_string());
    for doubt in &performed.evidence.doubts {
        performed.output.extend(["\nNote: ", doubt]);
    }
    secret::replace(&mut performed.output);
    Ok(performed)
}

fn unconfined(request: &Request) -> Option<Unconfined> {
    let is_program = matches!(
        request.task,
        Task::Review { .. }
            | Task::Run { .. }
            | Task::Tests(_)
            | Task::Acceptance { .. }
            | Task::Commit { is_done: false, .. }
    );
    confinement::unconfined(&request.grants).filter(|_| is_program)
}

fn perform_once(
    request: &Request,
    run: &Run,
    place: Place<'_>,
    env: &Arc<dyn Env>,
) -> Result<Performed, Failure> {
    match &request.task {
        Task::That => Ok(Performed::of(Verdict::Pass)),
        Task::Answered { verdict, notes } => Ok(Performed {
            evidence: Evidence { details: json!({ "notes": notes }), ..Evidence::default() },
            output: notes.clone(),
            ..Performed::of(verdict.clone())
        }),
        Task::Tests(tests) => tests::perform(tests, request, run, place, env.as_ref()),
        Task::Acceptance { rows, spec, section, columns } => acceptance::perform(
            &acceptance::Rows { ids: rows, spec, section, columns },
            request,
            run,
            place,
            env.as_ref(),
        ),
        Task::Blueprint { folder, files, spec, domains, money, reference, fields } => {
            let reference = Reference { section: reference.clone(), fields: fields.clone() };
            let words = Words { domains: domains.clone(), money: money.clone(), reference };
            blueprint::perform(folder, files, spec, &words, run)
        }
        Task::Scan { files, code_lines, test_lines } => {
            scan::perform(files, *code_lines, *test_lines, place.folder)
        }
        Task::Commit { files, message, tree, is_done } => {
            let (tree, timeout_s) = (tree.as_deref(), request.timeout_s);
            let grants = &request.grants;
            let commit = commit::Commit { files, message, tree, is_done: *is_done, timeout_s, grants };
            commit.perform(run, env.as_ref())
        }
        Task::Review { .. } | Task::Run { .. } => reviewer::perform(request, place.folder, run, env.as_ref()),
    }
}

/// The tree as it is now; none where there is no repository, or the workflow does not say what belongs to it.
pub fn tree(run: &Run, env: &dyn Env) -> Option<String> {
    let aside = run.workflow.run.aside();
    if aside.is_empty() { None } else { worktree::hash(&run.home, &aside, env).ok() }
}

/// Keeps all that a program printed, and says where and what.
fn keep_log(home: &Path, name: &str, text: &[u8]) -> Option<(String, String)> {
    let at = crate::store::journal::now().replace([':', '.'], "-");
    let path = layout::log(home, &format!("{name}-{at}"));
    let project = layout::prepare(home, &path).ok()?;
    project.replace(&path, text, Access::Ours).ok()?;
    layout::clear_old_beside(&project, &path);
    let shown = path.strip_prefix(home).unwrap_or(&path).display().to_string();
    Some((shown, layout::content_digest(text)))
}

/// The files of a list with their texts. One that is gone, is a link, or is no text has nothing to look at; of one that
/// is very large, the beginning is looked at.
fn sources(folder: &Path, files: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let mut found = Vec::new();
    let unreadable = |error: FileError| Failure::Lacks(error.to_string());
    let project = Folder::project(folder).map_err(unreadable)?;
    for path in files {
        let file = files::named(path).and_then(|named| project.place(&named)).map_err(unreadable)?;
        if project.has_file(&file) {
            let bytes = start_of(&project, &file).map_err(unreadable)?;
            let text = (!is_binary(&bytes)).then(|| String::from_utf8_lossy(&bytes).into_owned());
            found.extend(text.map(|text| (path.to_owned(), text)));
        }
    }
    Ok(found)
}

/// A file of the project as text; none if it is not there.
fn read_text(run: &Run, path: &str) -> Result<Option<String>, Failure> {
    let read = || {
        let project = Folder::project(&run.home)?;
        project.read(&project.follow(&files::named(path)?)?, SOURCE_BYTES_MAX)
    };
    let bytes = read().map_err(|why| Failure::Lacks(format!("`{path}` cannot be read: {why}")))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn start_of(project: &Folder, path: &Path) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    if let Some(file) = project.open(path)? {
        file.take(SOURCE_BYTES_MAX).read_to_end(&mut bytes).map_err(FileError::io(path))?;
    }
    Ok(bytes)
}

/// Whether it is no text, told as git does.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8_000).any(|byte| *byte == 0)
}

/// Returns what a linter finds in the files, one line each; nothing is a pass.
fn lint(linter: &dyn Linter, files: &[String], folder: &Path) -> Result<Performed, Failure> {
    let files = sources(folder, files)?;
    let lines: Vec<String> = linter.findings(&files).iter().map(ToString::to_string).collect();
    let verdict = if lines.is_empty() { Verdict::Pass } else { Verdict::Fail };
    let output = match lines.len() {
        0 => "PASS".to_owned(),
        many => {
            let plural = if many == 1 { "" } else { "s" };
            format!("FAIL: {many} finding{plural}\n{}", lines[..many.min(FINDINGS_SHOWN)].join("\n"))
        }
    };
    let evidence = Evidence { details: json!({ "failed": lines }), ..Evidence::default() };
    Ok(Performed { output, evidence, ..Performed::of(verdict) })
}
