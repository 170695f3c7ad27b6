//! The journal: one JSON line for every event that concerned a run, appended in one write, rotated by size.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use holdpoint_core::release::Cause;
use holdpoint_core::secret;
use holdpoint_core::verdict::Verdict;
use serde::{Deserialize, Serialize};

use super::books::Books;
use super::error::StoreError;
use super::evidence::Evidence;
use super::folder::{Access, FileError, Folder};

/// The size at which the journal is set aside.
const BYTES_MAX: u64 = 4 * 1024 * 1024;
/// The most that is read of one journal: it is set aside long before, but for a line that is very long.
const READ_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How many old journals are kept: `journal.1.jsonl` is the youngest.
const KEPT: u32 = 3;

/// How much of the journal's end is looked at where only the last lines matter.
const TAIL_BYTES: u64 = 64 * 1024;

/// One line of the journal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// When, in UTC.
    pub at: String,
    /// The moment: `before`, `after`, `stop`, `prompt`, `start`; empty if the input told none.
    pub event: String,
    /// The tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What the tool was called for: a command, a path, a sub-agent, in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The agent.
    pub agent: String,
    /// The agent's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The workflow that was asked; none where the fault lies before any workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// What was decided.
    pub decision: Decision,
    /// Why a hold did not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The rules that spoke.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Spoken>,
    /// What kept a rule, or the whole hook, from being judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The state fields that were set.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub set: serde_json::Map<String, serde_json::Value>,
    /// The reviews that were performed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Reviewed>,
    /// How long it took.
    pub took_us: u64,
}

impl Entry {
    /// The entry as it is kept: what was said or called may have a token in it. Most have none, and are not copied.
    fn without_secrets(&self) -> Cow<'_, Entry> {
        let spoken = self.rules.iter().flat_map(|rule| {
            let facts = rule.facts.iter().map(|(_, value)| value);
            facts.chain([&rule.text]).chain(&rule.satisfied_by)
        });
        let mut texts = spoken.chain(&self.about).chain(&self.faults);
        let is_clean = self.set.is_empty() && texts.all(|text| !secret::is_in(text));
        if is_clean { Cow::Borrowed(self) } else { Cow::Owned(self.clone().replaced()) }
    }

    fn replaced(mut self) -> Entry {
        let rules = self.rules.iter_mut().flat_map(|rule| {
            let facts = rule.facts.iter_mut().map(|(_, value)| value);
            facts.chain([&mut rule.text]).chain(&mut rule.satisfied_by)
        });
        for text in rules.chain(&mut self.about).chain(&mut self.faults) {
            secret::replace(text);
        }
        for (field, value) in &mut self.set {
            secret::replace_in(field, value);
        }
        self
    }
}

/// What was decided about an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The agent was held.
    Hold,
    /// Something was said.
    Witness,
    /// A hold did not hold: `cause` says why.
    Release,
    /// Something could not be judged.
    Fault,
    /// Nothing.
    #[default]
    None,
}

impl Decision {
    /// The word in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Decision::Hold => "hold",
            Decision::Witness => "witness",
            Decision::Release => "release",
            Decision::Fault => "fault",
            Decision::None => "none",
        }
    }
}

/// How a rule or a phase spoke.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speech {
    /// It held.
    Hold,
    /// It only said something.
    #[default]
    Witness,
}

impl Speech {
    /// The word in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Speech::Hold => "hold",
            Speech::Witness => "witness",
        }
    }
}

/// A review that was performed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reviewed {
    /// The phase.
    pub phase: String,
    /// Which round it was.
    pub round: i64,
    /// The reviewer's program.
    pub program: String,
    /// Its verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Its report, below the run's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// How long it took.
    pub took_ms: u64,
    /// What it cost, if it said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Reviewed {
    /// What the journal says of a piece of evidence.
    pub fn of(evidence: &Evidence) -> Reviewed {
        Reviewed {
            phase: evidence.phase.clone(),
            round: evidence.round,
            program: evidence.command.first().cloned().unwrap_or_default(),
            verdict: evidence.verdict.clone(),
            took_ms: evidence.took_ms,
            ..Reviewed::default()
        }
    }
}

/// A rule that spoke.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Spoken {
    /// Whether it held.
    pub kind: Speech,
    /// The rule's name, or the phase's.
    pub rule: String,
    /// Whether it was a phase that is due, not a rule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_phase: bool,
    /// Its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Its line in the workflow file.
    pub line: u32,
    /// What it said.
    pub text: String,
    /// What it looked at: name and short JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
    /// What would satisfy it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub satisfied_by: Option<String>,
}

/// Appends a line to the journal of a home. A shell that may not write outside of the project leaves it there.
pub fn append(books: &Books, entry: &Entry) -> Result<(), StoreError> {
    match append_to(books, entry) {
        Err(StoreError::File(error)) if books.are_outside() && error.is_refused() => {
            append_to(&Books::in_project(books.home()), entry)
        }
        appended => appended,
    }
}

fn append_to(books: &Books, entry: &Entry) -> Result<(), StoreError> {
    let path = &books.journal();
    // Nearly always its folder is there. In a project, our folder is looked at all the same.
    let there = if books.are_outside() { books.opened()? } else { None };
    let there = there.and_then(|folder| Some((folder, folder.append(path, Access::Ours).ok()?)));
    let (folder, mut file) = match there {
        Some(there) => there,
        None => {
            let folder = books.prepare(path)?;
            (folder, folder.append(path, Access::Ours)?)
        }
    };
    let mut line = serde_json::to_vec(&*entry.without_secrets())?;
    line.push(b'\n');
    if is_torn(&mut file) {
        line.insert(0, b'\n');
    }
    file.write_all(&line).map_err(FileError::io(path))?;
    if length(&file) > BYTES_MAX {
        rotate(books, folder, path)?;
    }
    Ok(())
}

fn length(file: &File) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}

/// Whether the last line has no end: a full disk or a lost machine left it so, and it must not swallow the next one.
/// A line that another process is just writing looks the same; then an empty line comes between, which readers pass over.
fn is_torn(file: &mut File) -> bool {
    let mut last = [b'\n'];
    let read = file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last));
    read.is_ok() && last != [b'\n']
}

/// Sets the journal aside. Whoever still has it open writes on into the old one: nothing is lost.
fn rotate(books: &Books, folder: &Folder, path: &Path) -> Result<(), StoreError> {
    let lock = books.lock("journal");
    folder.make_folder_of(&lock, Access::Ours)?;
    let Ok(_lock) = super::lock::take(folder, &lock, std::time::Duration::ZERO) else { return Ok(()) };
    if folder.open(path)?.is_none_or(|file| length(&file) <= BYTES_MAX) {
        return Ok(());
    }
    for number in (1..KEPT).rev() {
        let _ = folder.rename(&books.old_journal(number), &books.old_journal(number + 1));
    }
    Ok(folder.rename(path, &books.old_journal(1))?)
}

/// The journal's files, oldest first. Those in the project come first where the journal is elsewhere.
pub fn files(books: &Books) -> Vec<PathBuf> {
    let in_project = books.are_outside().then(|| Books::in_project(books.home()));
    in_project.iter().chain([books]).flat_map(own_files).collect()
}

fn own_files(books: &Books) -> Vec<PathBuf> {
    let all = (1..=KEPT).rev().map(|number| books.old_journal(number)).chain([books.journal()]);
    all.filter(|path| books.has(path)).collect()
}

/// Opens one of the journal's files; none if it is missing.
pub fn open(path: &Path) -> Result<Option<File>, FileError> {
    // Its folder is opened from the one above: a link in its place is not followed.
    let home = path.parent().and_then(Path::parent).unwrap_or(path);
    Folder::project(home)?.open(path)
}

/// Reads one of the journal's files.
pub fn contents(path: &Path) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    if let Some(file) = open(path)? {
        file.take(READ_BYTES_MAX).read_to_end(&mut bytes).map_err(FileError::io(path))?;
    }
    Ok(bytes)
}

/// The lines of a journal file; a torn or foreign line is passed over.
pub fn lines(text: &str) -> impl Iterator<Item = Entry> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok())
}

/// Everything in the journal, oldest first.
pub fn read(books: &Books) -> Vec<Entry> {
    let texts = files(books).into_iter().filter_map(|path| contents(&path).ok());
    texts.flat_map(|bytes| lines(&String::from_utf8_lossy(&bytes)).collect::<Vec<_>>()).collect()
}

/// The last hold of a workflow, if it is among the last lines of the journal: only those are read.
pub fn last_hold(books: &Books, workflow: &str) -> Option<Entry> {
    let mut file = books.opened().ok()??.open(&books.journal()).ok()??;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let holds = text.lines().rev().filter(|line| line.contains("\"decision\":\"hold\""));
    let mut entries = holds.filter_map(|line| serde_json::from_str::<Entry>(line).ok());
    entries.find(|entry| entry.workflow.as_deref() == Some(workflow))
}

/// The time now, as the journal writes it.
pub fn now() -> String {
    let now = jiff::Timestamp::now();
    format!("{now:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_appended_read_and_rotated() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        let entry = |text: &str| Entry { about: Some(text.into()), ..Entry::default() };
        append(&books, &entry("first")).unwrap();
        let big = "x".repeat(1024 * 1024);
        for _ in 0..5 {
            append(&books, &entry(&big)).unwrap();
        }
        append(&books, &entry("last")).unwrap();
        assert_eq!(files(&books).len(), 2);
        let all = read(&books);
        assert_eq!(all.len(), 7);
        assert_eq!(all[0].about.as_deref(), Some("first"));
        assert_eq!(all[6].about.as_deref(), Some("last"));
        assert!(home.path().join(".holdpoint/.gitignore").is_file());
    }

    #[test]
    fn the_last_hold_of_a_workflow_is_found_at_the_end() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        assert!(last_hold(&books, "one").is_none());
        let entry = |workflow: &str, decision: Decision, at: &str| Entry {
            workflow: Some(workflow.into()),
            decision,
            at: at.into(),
            ..Entry::default()
        };
        for (workflow, decision, at) in [
            ("one", Decision::Hold, "1"),
            ("one", Decision::Hold, "2"),
            ("one", Decision::None, "3"),
            ("other", Decision::Hold, "4"),
        ] {
            append(&books, &entry(workflow, decision, at)).unwrap();
        }
        assert_eq!(last_hold(&books, "one").unwrap().at, "2");
        let long = Entry { about: Some("x".repeat(70_000)), ..entry("one", Decision::None, "5") };
        append(&books, &long).unwrap();
        assert!(last_hold(&books, "one").is_none(), "it is too far back");
    }

    #[test]
    fn tokens_are_not_kept() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        let spoken = Spoken { text: "TOKEN=abc123".into(), ..Spoken::default() };
        let facts = vec![("tool.command".into(), "\"PGPASSWORD=abc123 psql\"".into())];
        let entry = Entry {
            about: Some("curl -H 'Authorization: Bearer abc123'".into()),
            faults: vec!["https://me:abc123@host cannot be read".into()],
            rules: vec![Spoken { facts, satisfied_by: Some("--token abc123".into()), ..spoken }],
            set: [("api_key".to_owned(), "abc123".into()), ("n".to_owned(), 1.into())].into_iter().collect(),
            ..Entry::default()
        };
        append(&books, &entry).unwrap();
        let text = std::fs::read_to_string(books.journal()).unwrap();
        assert!(!text.contains("abc123"), "{text}");
        assert_eq!(text.matches("[secret]").count(), 6, "{text}");
    }

    #[test]
    fn torn_lines_are_passed_over() {
        assert_eq!(lines("{\"at\":\"1\"}\n{\"at\":\n\nnonsense\n{\"at\":\"2\",\"later\":1}").count(), 2);
    }
}
