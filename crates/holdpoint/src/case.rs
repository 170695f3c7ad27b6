//! Cases: a workflow's own tests. Each is one hook call in a real folder, compared with the expected answer.

mod approval;
mod call;
mod error;
mod file;
pub(crate) mod folder;
mod judge;
mod placeholder;
mod prepared;
pub(crate) mod reviewer;

pub use error::{CaseError, CaseFileError};
pub use file::{Case, CaseFile, parse};
pub use judge::{CaseRun, run};
pub use prepared::Prepared;

use holdpoint_core::settings::Layer;
use holdpoint_core::workflow::{Format, Rule};

use crate::catalog::Origin;
use crate::error::in_full;
use crate::program;

/// The results of a workflow's cases.
#[derive(Debug, Default)]
pub struct Report {
    /// The number of cases that passed.
    pub passed: usize,
    /// The cases that failed.
    pub failed: Vec<Failure>,
    /// Rules that no case triggered.
    pub silent_rules: Vec<String>,
    /// How many cases were not run, because the user interrupted them.
    pub not_run: usize,
}

/// A case that failed.
#[derive(Debug)]
pub struct Failure {
    /// The case's file.
    pub file: String,
    /// Its name and what it is about.
    pub case: String,
    /// What differs from the expectation.
    pub problems: Vec<String>,
}

/// The workflow that the cases are about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The workflow's name.
    pub name: &'a str,
    /// The workflow's rules, each of which should be triggered by a case.
    pub rules: &'a [Rule],
    /// The programs of its reviewers.
    pub reviewers: &'a [String],
    /// Paths that do not belong to the tree that results are bound to.
    pub aside: &'a [String],
    /// The format of its state file.
    pub format: Format,
    /// The workflow's folder, if it is a project's own. It is copied into every case.
    pub own_folder: Option<&'a std::path::Path>,
}

impl Subject<'_> {
    /// Returns the origin of its runs.
    fn origin(&self) -> Origin {
        let own = |folder: &std::path::Path| Origin::Own { layer: Layer::Project, folder: folder.into() };
        self.own_folder.map_or(Origin::BuiltIn, own)
    }
}

/// Runs the cases in `files` (path and text). With `filter`, only those whose name or file contains it. Reports before each
/// how many are done, of how many. An interruption ends it; the case that it hit counts as not run.
pub fn run_all(
    subject: Subject<'_>,
    files: &[(String, String)],
    filter: Option<&str>,
    progress: &dyn Fn(usize, usize),
) -> Report {
    let mut report = Report::default();
    let chosen = chosen(files, filter, &mut report);
    let mut spoken = Vec::new();
    let prepared = Prepared::default();
    for (done, (path, case)) in chosen.iter().enumerate() {
        progress(done, chosen.len());
        let ran = run(subject, case, &prepared);
        if program::is_interrupted() {
            report.not_run = chosen.len() - done;
            return report;
        }
        spoken.extend(ran.spoke);
        if ran.problems.is_empty() {
            report.passed += 1;
        } else {
            let separator = if case.about.is_empty() { "" } else { ": " };
            let case = format!("{}{separator}{}", case.name, case.about);
            report.failed.push(Failure { file: (*path).to_owned(), case, problems: ran.problems });
        }
    }
    if filter.is_none() {
        let silent =
            subject.rules.iter().filter(|rule| !spoken.contains(&(rule.name.to_string(), rule.line)));
        report.silent_rules = silent.map(label).collect();
    }
    report
}

/// Returns the cases that are chosen, each with its file. A file that cannot be read is a failure.
fn chosen<'a>(
    files: &'a [(String, String)],
    filter: Option<&str>,
    report: &mut Report,
) -> Vec<(&'a str, Case)> {
    let mut chosen = Vec::new();
    for (path, text) in files {
        let is_chosen =
            |case: &Case| filter.is_none_or(|part| case.name.contains(part) || path.contains(part));
        match parse(text) {
            Ok(parsed) => {
                let cases = parsed.cases.into_iter().filter(is_chosen);
                chosen.extend(cases.map(|case| (path.as_str(), case)));
            }
            Err(error) => report.failed.push(Failure {
                file: path.clone(),
                case: "the file itself".into(),
                problems: vec![in_full(&error)],
            }),
        }
    }
    chosen
}

fn label(rule: &Rule) -> String {
    rule.code.as_ref().map_or_else(|| rule.name.to_string(), |code| format!("{} ({code})", rule.name))
}
