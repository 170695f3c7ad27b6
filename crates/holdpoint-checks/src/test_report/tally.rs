//! What one runner counted, and counts written as `2 failed, 3 passed`.

use super::{FAILURES_MAX, Failure};

/// What one runner counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    pub(super) failures: Vec<Failure>,
    /// How many of the failures belong to what would count as one, had it passed.
    pub(super) surplus: u64,
    /// Whether it stopped at a failure, before all had run.
    pub(super) is_cut_short: bool,
}

impl Tally {
    /// Counts what a runner calls by this word. A test that was expected to fail and did proves nothing: it counts
    /// as skipped.
    pub(super) fn count(&mut self, number: u64, word: &str) {
        let total = match word {
            "pass" | "passed" | "passing" | "xpassed" => &mut self.passed,
            "fail" | "failed" | "failing" | "error" | "errors" | "cancelled" | "timed out"
            | "exec failed" | "subtest failed" | "subtests failed" => &mut self.failed,
            "skipped" | "ignored" | "todo" | "pending" | "xfailed" => &mut self.skipped,
            _ => return,
        };
        *total = total.saturating_add(number);
    }

    /// Counts a list such as `2 failed, 3 passed`.
    pub(super) fn count_list(&mut self, list: &str, separator: &str) {
        for (number, word) in items(list, separator) {
            self.count(number, word);
        }
    }

    /// Adds a failure, unless it is there already or there are too many.
    pub(super) fn name(&mut self, failure: Failure) {
        let is_same = |other: &Failure| other.name == failure.name && other.file == failure.file;
        if self.failures.len() < FAILURES_MAX && !self.failures.iter().any(is_same) {
            self.failures.push(failure);
        }
    }

    /// Adds a file or package that could not be run, which counts as a failed test.
    pub(super) fn could_not_run(&mut self, failure: Failure) {
        let before = self.failures.len();
        self.name(failure);
        if self.failures.len() > before || before == FAILURES_MAX {
            self.failed = self.failed.saturating_add(1);
        }
    }
}

/// The items of a list that are a number and a word.
pub(super) fn items<'a>(list: &'a str, separator: &'a str) -> impl Iterator<Item = (u64, &'a str)> {
    list.split(separator).filter_map(|item| {
        let (number, word) = item.trim().split_once(' ')?;
        Some((number.parse().ok()?, word.trim()))
    })
}
