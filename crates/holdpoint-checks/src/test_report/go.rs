//! What `go test` prints, with and without `-v` and `-json`.

use std::collections::{BTreeMap, BTreeSet};

use super::tally::Tally;
use super::{Failure, excerpt, place};

pub(super) fn read(lines: &[&str]) -> Option<Tally> {
    let unpacked = unpacked(lines);
    let mut reader = Reader::default();
    match &unpacked {
        Some(text) => text.lines().for_each(|line| reader.line(line)),
        None => lines.iter().for_each(|line| reader.line(line)),
    }
    reader.is_ours.then_some(reader.tally)
}

/// The text inside `-json`, a package after the other: their events may come in turns.
fn unpacked(lines: &[&str]) -> Option<String> {
    let mut order = Vec::new();
    let mut packages: BTreeMap<String, String> = BTreeMap::new();
    let mut plain = String::new();
    for line in lines {
        let event =
            line.starts_with('{').then(|| serde_json::from_str::<serde_json::Value>(line).ok()).flatten();
        let text = |key: &str| event.as_ref().and_then(|event| event.get(key)?.as_str().map(str::to_owned));
        match (text("Action"), text("Package").or_else(|| text("ImportPath"))) {
            (Some(_), Some(package)) => {
                if !packages.contains_key(&package) {
                    order.push(package.clone());
                }
                packages.entry(package).or_default().push_str(&text("Output").unwrap_or_default());
            }
            _ => plain.extend([*line, "\n"]),
        }
    }
    let parts = order.iter().filter_map(|package| packages.get(package));
    (!order.is_empty()).then(|| parts.fold(plain, |all, part| all + part + "\n"))
}

#[derive(Clone, Copy, PartialEq)]
enum Status {
    Passed,
    Failed,
    Skipped,
}

/// What is known of the package whose lines these are: its name comes last.
#[derive(Default)]
struct Reader<'a> {
    tally: Tally,
    is_ours: bool,
    tests: Vec<(&'a str, Status)>,
    /// What was printed in a test's turn; outside all tests, under no name.
    output: BTreeMap<&'a str, Vec<&'a str>>,
    test: &'a str,
    /// Whether tests are named as they begin: then all are counted.
    is_verbose: bool,
    /// What the compiler said of a package.
    builds: BTreeMap<&'a str, Vec<&'a str>>,
    build: Option<&'a str>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) {
        if let Some(rest) = line.strip_prefix("ok  \t") {
            self.package(package(rest), true, rest.contains("[no tests to run]"));
        } else if let Some(rest) = line.strip_prefix("FAIL\t") {
            self.package(package(rest), false, false);
        } else if line.starts_with("?   \t") && line.ends_with("[no test files]") {
            self.is_ours = true;
        } else if let Some(test) = turn(line) {
            (self.test, self.is_verbose) = (test, true);
        } else if let Some((test, status)) = result(line) {
            self.test = test;
            self.tests.push((test, status));
        } else if let Some(package) = line.strip_prefix("# ") {
            self.build = Some(package.split(' ').next().unwrap_or(package));
        } else if let Some(package) = self.build {
            self.builds.entry(package).or_default().push(line);
        } else if !matches!(line, "PASS" | "FAIL") && !line.starts_with("exit status ") {
            self.output.entry(self.test).or_default().push(line);
        }
    }

    /// Counts the package that ends here. Without `-v` nothing says how many tests of a good one there were: it
    /// counts as one.
    fn package(&mut self, package: &str, is_good: bool, is_empty: bool) {
        self.is_ours = true;
        let tests = std::mem::take(&mut self.tests);
        let [passed, failed, skipped] =
            [Status::Passed, Status::Failed, Status::Skipped].map(|status| leaves(&tests, status));
        let is_uncounted = is_good && !is_empty && tests.is_empty();
        self.tally.count(if is_uncounted { 1 } else { passed.len() as u64 }, "passed");
        self.tally.count(failed.len() as u64, "failed");
        self.tally.surplus += if self.is_verbose { 0 } else { (failed.len() as u64).saturating_sub(1) };
        self.tally.count(skipped.len() as u64, "skipped");
        for test in &failed {
            let output = self.output.remove(test).unwrap_or_default();
            self.tally.name(failure(format!("{package} {test}"), package, &output));
        }
        if !is_good && failed.is_empty() {
            let output = self.builds.remove(package).or_else(|| self.output.remove(self.test));
            self.tally.could_not_run(failure(package.to_owned(), package, &output.unwrap_or_default()));
        }
        self.output.clear();
        (self.test, self.build, self.is_verbose) = ("", None, false);
    }
}

fn package(rest: &str) -> &str {
    rest.split(['\t', ' ']).next().unwrap_or(rest)
}

/// The test whose output follows.
fn turn(line: &str) -> Option<&str> {
    let kinds = ["=== RUN   ", "=== CONT  ", "=== NAME  ", "=== PAUSE "];
    kinds.iter().find_map(|kind| line.strip_prefix(kind)).map(str::trim)
}

/// `    --- FAIL: TestTable/full (0.00s)`.
fn result(line: &str) -> Option<(&str, Status)> {
    let line = line.trim_start().strip_prefix("--- ")?;
    let kinds = [("PASS: ", Status::Passed), ("FAIL: ", Status::Failed), ("SKIP: ", Status::Skipped)];
    let (rest, status) = kinds.iter().find_map(|(kind, status)| Some((line.strip_prefix(kind)?, *status)))?;
    let (test, time) = rest.rsplit_once(" (")?;
    time.ends_with("s)").then_some((test, status))
}

/// The tests of a status without those that only stand for their subtests: a failed one with a failed subtest, any
/// other with any subtest.
fn leaves<'a>(tests: &[(&'a str, Status)], status: Status) -> Vec<&'a str> {
    let counts = |of: Status| status != Status::Failed || of == Status::Failed;
    let below = tests.iter().filter(|(_, of)| counts(*of));
    let parents: BTreeSet<&str> =
        below.flat_map(|(name, _)| name.match_indices('/').map(|(at, _)| &name[..at])).collect();
    let is_leaf = |(name, of): &&(&str, Status)| *of == status && !parents.contains(name);
    tests.iter().filter(is_leaf).map(|(name, _)| *name).collect()
}

fn failure(name: String, package: &str, output: &[&str]) -> Failure {
    let places: Vec<String> = output.iter().filter_map(|line| place::in_line(line)).collect();
    let place = places.iter().find(|path| path.ends_with("_test.go")).or(places.first());
    // A test's own lines name the file without its folder.
    let file = place.map(|path| if path.contains('/') { path.clone() } else { format!("{package}/{path}") });
    let excerpt = excerpt::first(output.iter().copied().take_while(|line| !line.starts_with("goroutine ")));
    Failure { name, file, excerpt }
}
