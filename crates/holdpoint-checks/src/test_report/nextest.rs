//! What `cargo nextest run` prints.

use std::collections::BTreeMap;

use super::tally::Tally;
use super::{Failure, cargo};

/// How a test's line begins that did not fail; the last word, where it was tried again.
const GOOD: [&str; 8] = ["PASS", "LEAK", "SLOW", "SKIP", "START", "DELAY", "RETRY", "SETUP"];

pub(super) fn read(lines: &[&str]) -> Option<Tally> {
    let mut tally = Tally::default();
    let mut rest = lines;
    let mut is_ours = false;
    while let Some(end) = rest.iter().position(|line| summary(line).is_some()) {
        is_ours = true;
        let after = &rest[end + 1..];
        let next = after.iter().position(|line| is_start(line)).unwrap_or(after.len());
        run(&mut tally, &rest[..end], summary(rest[end]).unwrap_or_default(), &after[..next]);
        rest = &after[next..];
    }
    tally.is_cut_short = lines.iter().any(|line| is_stop(line));
    is_ours.then_some(tally)
}

/// `Cancelling due to test failure: 2 tests still running`, `warning: 5/9 tests were not run due to test failure (run with --no-fail-fast to run all tests)`.
fn is_stop(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("Cancelling due to ")
        || line.starts_with("warning: ") && line.contains(" not run due to ")
}

/// `    Starting 9 tests across 4 binaries`.
pub(super) fn is_start(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix("Starting ").and_then(|rest| rest.split_once(" across "));
    rest.is_some_and(|(tests, _)| tests.ends_with(" test") || tests.ends_with(" tests"))
}

/// The counts in `     Summary [   0.4s] 9 tests run: 4 passed (1 slow), 5 failed, 1 skipped`.
pub(super) fn summary(line: &str) -> Option<&str> {
    let (_, rest) = line.trim_start().strip_prefix("Summary [")?.split_once("] ")?;
    let (run, counts) = rest.split_once(" run: ")?;
    (run.ends_with(" test") || run.ends_with(" tests")).then_some(counts)
}

fn run(tally: &mut Tally, before: &[&str], counts: &str, after: &[&str]) {
    let failed_before = tally.failed;
    tally.count_list(&without_asides(counts), ", ");
    if tally.failed == failed_before {
        return;
    }
    let mut names: Vec<&str> = after.iter().filter_map(|line| failed(line)).collect();
    if names.is_empty() {
        // The list at the end can be turned off.
        names = before.iter().filter_map(|line| failed(line)).collect();
    }
    let outputs = outputs(before);
    for name in names {
        let output = outputs.get(name).map(Vec::as_slice).unwrap_or_default();
        let (file, excerpt) = cargo::failure_text(output, test_in(name)).unwrap_or_default();
        tally.name(Failure { name: name.to_owned(), file, excerpt });
    }
}

fn without_asides(counts: &str) -> String {
    let parts = counts.split('(').enumerate();
    parts
        .map(|(at, part)| if at == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) })
        .collect()
}

/// How a test went and which it is: `        FAIL [   0.013s] (3/9) beta tests::wrong`.
fn status(line: &str) -> Option<(&str, &str)> {
    let (status, rest) = line.trim_start().split_once(" [")?;
    let (time, name) = rest.split_once("] ")?;
    let is_status = !status.is_empty()
        && status
            .chars()
            .all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || " +-/".contains(letter));
    let is_time = time.trim().is_empty() || time.trim().trim_start_matches('>').ends_with('s');
    let name = match name.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
        Some((count, name)) if count.contains(['/', '─']) => name,
        _ => name,
    };
    (is_status && is_time).then(|| (status, name.trim()))
}

fn failed(line: &str) -> Option<&str> {
    let (status, name) = status(line)?;
    let is_good =
        status.starts_with("FLAKY") || status.split(' ').next_back().is_some_and(|word| GOOD.contains(&word));
    (!is_good).then_some(name)
}

/// What stands under each test's lines, without what the test harness says around it.
fn outputs<'a>(lines: &[&'a str]) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut name = "";
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in lines {
        if let Some((status, of)) = status(line) {
            // Of a test that was tried again, the first time tells.
            let is_again = status.starts_with("TRY ") && found.contains_key(of);
            name = if is_again { "" } else { of };
        } else if !is_noise(line.trim(), test_in(name)) {
            found.entry(name).or_default().push(line);
        }
    }
    found
}

/// The test in `beta tests::wrong`, after its binary.
fn test_in(name: &str) -> &str {
    name.rsplit(' ').next().unwrap_or(name)
}

fn is_noise(line: &str, test: &str) -> bool {
    let is_result =
        line.starts_with("test ") && (line.contains(" ... ") || line.starts_with("test result: "));
    let is_heading = line.ends_with("───") || line.ends_with("---") || line.starts_with("Cancelling due to");
    line == "failures:"
        || line == test
        || line == "running 1 test"
        || line == "────────────"
        || is_result
        || is_heading
}
