//! Evidence: what the engine saw itself, one line each, bound to the tree it was true of.

use std::io::Write;

use holdpoint_core::door::Grant;
use holdpoint_core::level::Level;
use holdpoint_core::phase::approval::Given;
use holdpoint_core::secret;
use holdpoint_core::verdict::Verdict;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::books::Books;
use super::error::StoreError;
use super::folder::{Access, FileError};
use super::layout;
use super::lock::{self, Lock, LockError};

/// The most evidence of one run that is read: some ten thousand pieces.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

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
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// Whether the run took the passing route then.
    pub passed: bool,
    /// Its exit code, if it ended by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// How long it took.
    pub took_ms: u64,
    /// The tree it looked at; none if that changed meanwhile or cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What was lent of the project's own: nothing proves what is in there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lent: Vec<String>,
    /// Where all it printed is, from the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// A digest of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_digest: Option<String>,
    /// What is odd about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Why its program could write anywhere; none if it was confined, or there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unconfined: Option<String>,
    /// What else it said.
    #[serde(skip_serializing_if = "Json::is_null")]
    pub details: Json,
    /// What one person said, in a phase that asks for approvals. The phase's verdict has a line of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Given>,
    /// The hold that the user released, if that is what it is about. It is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<Grant>,
    /// What can be believed of it; none where the books lie in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// A digest of this piece and the one before it: what others write between them does not count.
    pub chain: String,
}

impl Evidence {
    /// Whether it is a phase's verdict, and not a person's word.
    pub fn is_verdict(&self) -> bool {
        self.approval.is_none() && self.release.is_none()
    }

    /// The piece as it is kept: what was run, printed or said may have a token in it.
    fn without_secrets(mut self) -> Evidence {
        let reason = self.approval.as_mut().and_then(|given| given.reason.as_mut());
        let released = self.release.as_mut().map(|grant| &mut grant.word.reason);
        let texts = self.command.iter_mut().chain(&mut self.doubts).chain(reason).chain(released);
        texts.for_each(secret::replace);
        secret::replace_in("", &mut self.details);
        self
    }

    /// What its chain must be after this one.
    fn link(&self, before: &str) -> String {
        let piece = Evidence { chain: before.to_owned(), ..self.clone() };
        layout::content_digest(&serde_json::to_vec(&piece).unwrap_or_default())
    }
}

/// Appends a piece of evidence, under the file's own lock: runs of a workflow side by side have one file, and each piece
/// follows from the last.
pub fn append(books: &Books, evidence: &Evidence) -> Result<(), StoreError> {
    let evidence = &evidence.clone().without_secrets();
    let path = books.evidence(&evidence.workflow);
    let _lock = locked(books, &evidence.workflow)?;
    let folder = books.prepare(&path)?;
    let text = folder.read(&path, BYTES_MAX)?.unwrap_or_default();
    let last = Chain::of(&text).pieces.pop().map(|last| last.chain).unwrap_or_default();
    let mut line = serde_json::to_vec(&Evidence { chain: evidence.link(&last), ..evidence.clone() })?;
    line.push(b'\n');
    // Somebody who was killed here left half a line: what comes next must not become a part of it.
    if text.last().is_some_and(|byte| *byte != b'\n') {
        line.insert(0, b'\n');
    }
    Ok(folder.append(&path, Access::Ours)?.write_all(&line).map_err(FileError::io(&path))?)
}

fn locked(books: &Books, workflow: &str) -> Result<Lock, LockError> {
    let path = books.lock(&format!("evidence {workflow}"));
    lock::take(books.prepare(&path)?, &path, lock::PATIENCE)
}

/// Puts the evidence of the last run away: it proves nothing of the next one.
pub fn set_aside(books: &Books, workflow: &str) -> Result<(), StoreError> {
    let path = books.evidence(workflow);
    if !books.has(&path) {
        return Ok(());
    }
    let _lock = locked(books, workflow)?;
    Ok(books.rename(&path, &path.with_extension("last.jsonl"))?)
}

/// Whether something that people have said is about a run of this name.
pub fn is_about(books: &Books, workflow: &str, run: &str) -> bool {
    let is_about = |piece: &Evidence| {
        piece.approval.as_ref().is_some_and(|given| given.run == run) || piece.details["run"] == run
    };
    read(books, workflow).iter().any(is_about)
}

/// Chains the lines that are there, whoever wrote them: a case's evidence is given, not seen.
pub(super) fn vouch(books: &Books, workflow: &str) -> Result<(), StoreError> {
    let path = books.evidence(workflow);
    let Some(text) = books.read(&path, BYTES_MAX)? else { return Ok(()) };
    books.prepare(&path)?.remove(&path)?;
    let text = String::from_utf8_lossy(&text);
    let mut given = text.lines().filter_map(|line| serde_json::from_str::<Evidence>(line).ok());
    given.try_for_each(|piece| append(books, &Evidence { workflow: workflow.to_owned(), ..piece }))
}

/// All evidence of a workflow's runs here, oldest first. What cannot be read proves nothing.
pub fn read(books: &Books, workflow: &str) -> Vec<Evidence> {
    chain(books, workflow).pieces
}

/// The same, with how much of what is there does not count.
pub fn chain(books: &Books, workflow: &str) -> Chain {
    let text = books.read(&books.evidence(workflow), BYTES_MAX);
    Chain::of(&text.ok().flatten().unwrap_or_default())
}

/// The evidence of a run.
#[derive(Debug, Default)]
pub struct Chain {
    /// The pieces that follow from one another, oldest first.
    pub pieces: Vec<Evidence>,
    /// How many others there are: somebody has changed or removed a line, or added one.
    pub strays: usize,
}

impl Chain {
    /// Reads a text. A torn or foreign line is passed over, and so is what follows where a line is missing.
    fn of(text: &[u8]) -> Chain {
        let text = String::from_utf8_lossy(text);
        let mut chain = Chain::default();
        for piece in text.lines().filter_map(|line| serde_json::from_str::<Evidence>(line).ok()) {
            let before = chain.pieces.last().map(|piece| piece.chain.as_str()).unwrap_or_default();
            if piece.chain == piece.link(before) {
                chain.pieces.push(piece);
            } else {
                chain.strays += 1;
            }
        }
        chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_a_no_is_kept_without_secrets() {
        let home = tempfile::tempdir().unwrap();
        let reason = Some("it prints API_KEY=hunter2hunter2".to_owned());
        let given = Given { name: "qa".into(), reason, ..Given::default() };
        let piece = Evidence { workflow: "flow".into(), approval: Some(given), ..Evidence::default() };
        let books = Books::in_project(home.path());
        append(&books, &piece).unwrap();
        let kept = read(&books, "flow").remove(0).approval.unwrap().reason;
        assert_eq!(kept.as_deref(), Some("it prints API_KEY=[secret]"));
    }

    #[test]
    fn runs_that_are_reviewed_at_once_lose_nothing() {
        let home = tempfile::tempdir().unwrap();
        let add = |number: i64| {
            let piece = Evidence { workflow: "flow".into(), round: number, ..Evidence::default() };
            append(&Books::in_project(home.path()), &piece).unwrap();
        };
        let add = &add;
        std::thread::scope(|scope| (0..16).for_each(|number| drop(scope.spawn(move || add(number)))));
        let chain = chain(&Books::in_project(home.path()), "flow");
        assert_eq!((chain.pieces.len(), chain.strays), (16, 0));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a forger")]
    fn what_others_write_into_it_does_not_count() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        let add = |phase: &str| {
            let piece = Evidence { workflow: "flow".into(), phase: phase.into(), ..Evidence::default() };
            append(&books, &piece).unwrap();
        };
        let phases = || read(&books, "flow").into_iter().map(|piece| piece.phase).collect::<Vec<_>>();
        let path = books.evidence("flow");
        let text = || std::fs::read_to_string(&path).unwrap();
        add("one");
        let forged = text().replace("one", "forged");
        std::fs::write(&path, text() + &forged + &text() + "{}\nnonsense\n{\"torn").unwrap();
        assert_eq!(phases(), ["one"], "neither a new line, nor an old one again");
        add("two");
        add("three");
        assert_eq!(phases(), ["one", "two", "three"]);
        let without: String =
            text().lines().filter(|line| !line.contains("two")).map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, without).unwrap();
        assert_eq!(phases(), ["one"], "what came after a line that is gone proves nothing");
    }
}
