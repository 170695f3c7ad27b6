//! What can be released: the holds of a project's runs that the journal knows and that nobody has satisfied.

use std::collections::BTreeSet;

use holdpoint_core::door::Held;
use holdpoint_core::holds::How;
use jiff::{SignedDuration, Timestamp};

use crate::project::{self, Found, Run};
use crate::store::journal::{self, Decision, Entry, Speech, Spoken};

/// How long a hold can be released after it held last.
const AGE: SignedDuration = SignedDuration::from_hours(24);

/// A hold that can be released.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The run that holds.
    pub run: Run,
    /// What is held.
    pub held: Held,
    /// When it held last.
    pub at: String,
    /// What was held, in a few words: `before Bash: git commit`.
    pub what: String,
    /// What the hold says.
    pub text: String,
}

/// Returns the holds of these runs that can be released, the newest first. Of other runs of the same workflows, too: a hold's
/// id is enough to name it.
pub fn subjects(found: &Found) -> Vec<Subject> {
    let mut all = Vec::new();
    let mut seen: BTreeSet<(String, std::path::PathBuf)> = BTreeSet::new();
    for run in &found.runs {
        if seen.insert((run.workflow.name.to_string(), run.books.base().to_path_buf())) {
            all.extend(of(run));
        }
    }
    all.sort_by(|one, other| other.at.cmp(&one.at));
    all
}

/// Returns the hold of this id; or else the newest of the rule of this name.
pub fn named(subjects: Vec<Subject>, name: &str) -> Option<Subject> {
    let at = subjects.iter().position(|subject| subject.held.hold == name);
    let at = at.or_else(|| subjects.iter().position(|subject| subject.held.rule == name))?;
    subjects.into_iter().nth(at)
}

/// The same for the runs of one workflow in one home.
fn of(run: &Run) -> Vec<Subject> {
    let runs = project::every(run);
    let since = Timestamp::now().checked_sub(AGE).unwrap_or(Timestamp::MIN);
    let since = format!("{since:.3}");
    // What lies in the project, or says that it is of tomorrow, anybody could have written.
    let (mut entries, now) = (journal::read_own(&run.books), journal::now());
    let is_recent = |at: &String| (&since..=&now).contains(&at);
    entries.retain(|entry| entry.workflow.as_deref() == Some(&*run.workflow.name) && is_recent(&entry.at));
    let mut done: BTreeSet<String> = BTreeSet::new();
    let mut found = Vec::new();
    for entry in entries.iter().rev() {
        if let Some(settled) = &entry.settled
            && settled.how != How::Dropped
        {
            done.insert(settled.hold.clone());
        }
        for spoken in entry.rules.iter().filter(|_| entry.decision == Decision::Hold) {
            let is_first = spoken.hold.as_ref().is_some_and(|hold| done.insert(hold.clone()));
            if is_first && spoken.kind == Speech::Hold {
                found.extend(subject(&runs, entry, spoken));
            }
        }
    }
    found
}

fn subject(runs: &[Run], entry: &Entry, spoken: &Spoken) -> Option<Subject> {
    let run = runs.iter().find(|run| Some(run.place_name()) == entry.run)?.clone();
    let held = Held {
        hold: spoken.hold.clone()?,
        rule: spoken.rule.clone(),
        event: entry.event.clone(),
        call: spoken.call.clone().unwrap_or_default(),
        digest: spoken.digest.clone()?,
    };
    let tool = entry.tool.as_ref().map(|tool| format!(" {tool}")).unwrap_or_default();
    let about = entry.about.as_ref().map(|about| format!(": {about}")).unwrap_or_default();
    let what = format!("{}{tool}{about}", entry.event);
    Some(Subject { run, held, at: entry.at.clone(), what, text: spoken.text.clone() })
}
