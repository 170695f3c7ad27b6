//! The result of a test run, read from what its runner printed.
//!
//! Nothing here decides by itself whether the tests passed: the exit code does, in [`outcome`]. What was printed
//! can only make it worse, and tells a run of no tests from a good one.

mod cargo;
mod excerpt;
mod go;
mod hearsay;
mod jest;
mod junit;
mod mocha;
mod nextest;
mod node;
mod outcome;
mod place;
mod plain;
mod pytest;
mod summary;
mod tally;
mod vitest;

pub use hearsay::{Came, Hearsay, hearsay};
pub use junit::junit;
pub use outcome::{KILLED, NO_TESTS, NOT_EXECUTABLE, NOT_FOUND, Outcome, outcome};
pub use summary::summary;

use tally::Tally;

/// A test that failed, or a file or package whose tests could not be run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The name, as the runner says it.
    pub name: String,
    /// The file it is in, without a line, as the runner says it: from the project or from the root; for cargo
    /// sometimes from the package's folder, for Go from its import path.
    pub file: Option<String>,
    /// What was wrong, in a few lines.
    pub excerpt: Vec<String>,
}

/// The result of a test run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestReport {
    /// Who ran the tests; the first, where several did.
    pub runner: Option<&'static str>,
    /// How many tests passed, over all runners, binaries and packages.
    pub passed: u64,
    /// How many failed. A file or package that could not be run counts as one.
    pub failed: u64,
    /// How many were not run, or were expected to fail and did.
    pub skipped: u64,
    /// Those that failed, in the output's order; at most [`FAILURES_MAX`].
    pub failures: Vec<Failure>,
    /// Whether a runner said how many there were. If not, only the exit code is known.
    pub is_counted: bool,
    /// How many of the failures belong to what would count as one, had it passed: a package of Go, without `-v`.
    pub surplus: u64,
    /// Whether a runner stopped at a failure: what it did not run may fail as well.
    pub is_cut_short: bool,
    /// The last lines of the output, for a run that names no failure.
    pub ending: Vec<String>,
}

/// The most failures that are kept. [`TestReport::failed`] has the number of all.
pub const FAILURES_MAX: usize = 1_000;

/// How many lines [`TestReport::ending`] has at most.
const ENDING_LINES: usize = 10;

/// A runner's name, and how to read what it prints.
type Runner = (&'static str, fn(&[&str]) -> Option<Tally>);

const RUNNERS: [Runner; 8] = [
    ("pytest", pytest::read),
    ("cargo test", cargo::read),
    ("nextest", nextest::read),
    ("go test", go::read),
    ("jest", jest::read),
    ("vitest", vitest::read),
    ("mocha", mocha::read),
    ("node --test", node::read),
];

/// Reads what a test command printed on both channels, colours and all. Several runners in one output are summed.
/// A JUnit document counts where no runner says anything else, so that no test counts twice.
pub fn read(output: &str) -> TestReport {
    let text = plain::text(output);
    let lines: Vec<&str> = text.lines().collect();
    let mut report = TestReport { ending: excerpt::last(&lines, ENDING_LINES), ..TestReport::default() };
    // A document holds what tests printed, which may look like anything.
    let is_document = text.trim_start().starts_with('<');
    if is_document && let Some(tally) = junit::in_output(&lines) {
        report.add(junit::NAME, tally);
        return report;
    }
    for (name, read) in RUNNERS {
        if let Some(tally) = read(&lines) {
            report.add(name, tally);
        }
    }
    if !report.is_counted
        && let Some(tally) = junit::in_output(&lines)
    {
        report.add(junit::NAME, tally);
    }
    report
}

impl TestReport {
    /// How many tests ran, in what this runner counts: the same whether they fail or not.
    pub fn count(&self) -> u64 {
        self.passed.saturating_add(self.failed).saturating_sub(self.surplus)
    }

    fn add(&mut self, runner: &'static str, tally: Tally) {
        self.runner.get_or_insert(runner);
        self.is_counted = true;
        self.surplus = self.surplus.saturating_add(tally.surplus);
        self.is_cut_short |= tally.is_cut_short;
        self.passed = self.passed.saturating_add(tally.passed);
        self.failed = self.failed.saturating_add(tally.failed);
        self.skipped = self.skipped.saturating_add(tally.skipped);
        let room = FAILURES_MAX - self.failures.len();
        self.failures.extend(tally.failures.into_iter().take(room));
    }
}

#[cfg(test)]
#[path = "test_report_tests.rs"]
mod test_report_tests;

#[cfg(test)]
mod mixture_tests;
