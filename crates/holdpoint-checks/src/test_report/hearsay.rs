//! What a test run that somebody else started came to: by its exit code, by what the reader of test output counts, and only
//! where neither says anything, by the signs that runners print.

use serde::Serialize;

use super::{plain, read};

/// What such a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Came {
    /// The tests passed.
    Passed,
    /// Some failed, or the run did.
    Failed,
    /// Nobody can tell.
    Unknown,
}

/// A test run that somebody else started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hearsay {
    /// What it came to.
    pub outcome: Came,
    /// How many tests failed, as far as they were counted.
    pub failed: u64,
    /// How many were skipped.
    pub skipped: u64,
    /// The names of those, as far as the runner says them.
    pub skips: Vec<String>,
    /// The line that says what went wrong; empty if nothing did.
    pub error: String,
    /// Who ran the tests.
    pub runner: Option<&'static str>,
}

/// How many names of skipped tests are kept.
const SKIPS_MAX: usize = 100;
/// How long a line is that can be an error.
const LINE: std::ops::RangeInclusive<usize> = 10..=300;
/// Signs of a failure that need no count.
const FAILURES: [&str; 13] = [
    "FAIL",
    "FAILED",
    "FAILURES!",
    "--- FAIL:",
    "✖",
    "✗",
    "Error:",
    "AssertionError",
    "TypeError",
    "ReferenceError",
    "SyntaxError",
    "npm ERR!",
    "error Command failed",
];
/// Signs of a success.
const SUCCESSES: [&str; 5] = ["All tests passed", "PASSED", "BUILD SUCCESS", "✓", "✔"];
/// How lines begin that say of every failure the same: the runner of Node prints them before the error.
const GENERAL: [&str; 2] = ["failureType:", "code: 'ERR_TEST_FAILURE'"];
/// Words that name what went wrong.
const NAMING: [&str; 4] = ["error", "fail", "assert", "exception"];

/// Reads what a test run printed, with its exit code if that is known.
pub fn hearsay(output: &str, exit: Option<i64>) -> Hearsay {
    let text = plain::text(output);
    let lines: Vec<&str> = text.lines().collect();
    let report = read(output);
    let outcome = match exit {
        Some(code) if code != 0 => Came::Failed,
        _ if report.failed > 0 => Came::Failed,
        _ if report.passed > 0 => Came::Passed,
        // The runner itself says that there was no test.
        Some(_) if report.is_counted => Came::Unknown,
        // It may be the exit code of what came after the tests.
        Some(_) if signs(&lines) == Came::Failed => Came::Failed,
        Some(_) => Came::Passed,
        None => signs(&lines),
    };
    let error = if outcome == Came::Failed { error(&lines) } else { String::new() };
    let skips = lines.iter().filter_map(|line| skipped(line)).take(SKIPS_MAX).collect();
    Hearsay { outcome, failed: report.failed, skipped: report.skipped, skips, error, runner: report.runner }
}

/// What the signs say: a failure counts for more than a success.
fn signs(lines: &[&str]) -> Came {
    if lines.iter().any(|line| fails(line)) {
        Came::Failed
    } else if lines.iter().any(|line| passes(line)) {
        Came::Passed
    } else {
        Came::Unknown
    }
}

fn fails(line: &str) -> bool {
    match counted(line, &["failed", "failing", "failure", "failures"]) {
        Some(0) => false,
        Some(_) => true,
        None => FAILURES.iter().any(|sign| line.contains(sign)),
    }
}

fn passes(line: &str) -> bool {
    let has_count = counted(line, &["passing", "passed"]).is_some_and(|count| count > 0);
    let has_none = counted(line, &["failures", "failed"]) == Some(0);
    let is_ok = line.trim_start().starts_with("OK (");
    has_count || has_none || is_ok || SUCCESSES.iter().any(|sign| line.contains(sign))
}

/// The number before one of these words, the highest if there are several.
fn counted(line: &str, words: &[&str]) -> Option<u64> {
    let all: Vec<&str> =
        line.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let pairs = all.windows(2).filter(|pair| words.iter().any(|word| pair[1].eq_ignore_ascii_case(word)));
    pairs.filter_map(|pair| pair[0].parse().ok()).max()
}

/// The first line that names what went wrong; else one with a sign of it; else a general word.
fn error(lines: &[&str]) -> String {
    let fits = |line: &&&str| LINE.contains(&line.trim().chars().count());
    let names = |line: &&&str| {
        let lower = line.to_lowercase();
        let is_none =
            counted(line, &["failed", "failures", "failure", "failing", "errors", "error"]) == Some(0);
        let is_general = GENERAL.iter().any(|start| line.trim_start().starts_with(start));
        !is_none && !is_general && NAMING.iter().any(|word| lower.contains(word))
    };
    let first = lines.iter().filter(fits).find(names);
    let found = first.or_else(|| lines.iter().find(|line| fails(line)));
    found
        .map_or_else(|| "the tests failed".to_owned(), |line| line.trim().chars().take(*LINE.end()).collect())
}

/// The name of the test that a line says was skipped.
fn skipped(line: &str) -> Option<String> {
    let line = line.trim();
    let name = line
        .strip_prefix("--- SKIP: ")
        .or_else(|| line.strip_prefix("○ skipped "))
        .or_else(|| line.strip_prefix("↓ "))
        .or_else(|| line.strip_prefix("﹣ "))
        .or_else(|| line.strip_prefix("SKIPPED "))
        .or_else(|| line.strip_prefix("test ")?.split_once(" ... ignored").map(|(name, _)| name))
        .or_else(|| line.split_once(" SKIPPED").map(|(name, _)| name))?;
    let name = name.split(" (").next().unwrap_or(name).trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn came(output: &str, exit: Option<i64>) -> Came {
        hearsay(output, exit).outcome
    }

    #[test]
    fn an_exit_code_counts_first_and_then_what_was_counted() {
        let cargo =
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert_eq!(came(cargo, Some(0)), Came::Passed);
        assert_eq!(came(cargo, None), Came::Passed);
        assert_eq!(came(cargo, Some(101)), Came::Failed);
        let mixed = format!(
            "{cargo}\n\ntest result: FAILED. 1 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out"
        );
        assert_eq!(came(&mixed, Some(0)), Came::Failed);
        assert_eq!(came("✓ a\nSegmentation fault", Some(139)), Came::Failed);
        assert_eq!(came("anything", Some(0)), Came::Passed);
        assert_eq!(came("", None), Came::Unknown);
        assert_eq!(came("", Some(0)), Came::Passed);
    }

    #[test]
    fn signs_count_where_nothing_else_does() {
        for failed in
            ["2 failed", "FAIL x", "✖ a", "Error: boom", "npm ERR! x", "✓ a\n✗ b", "0 failed\n3 failed"]
        {
            assert_eq!(came(failed, None), Came::Failed, "{failed}");
        }
        for passed in ["All tests passed", "3 passing", "OK (3 tests)", "0 failures", "BUILD SUCCESS", "✔ a"]
        {
            assert_eq!(came(passed, None), Came::Passed, "{passed}");
        }
        assert_eq!(came("hello", None), Came::Unknown);
    }

    #[test]
    fn the_error_is_the_first_line_that_names_it() {
        assert_eq!(
            hearsay("start\nAssertionError: 1 != 2\nError: late", Some(1)).error,
            "AssertionError: 1 != 2"
        );
        assert_eq!(hearsay("3 passed; 0 failed\nTypeError: no", Some(1)).error, "TypeError: no");
        assert_eq!(hearsay("x", Some(1)).error, "the tests failed");
        let tap = "not ok 2 - b\n  failureType: 'testCodeFailure'\n  error: 'Reduce of empty array'\n";
        assert_eq!(hearsay(tap, Some(1)).error, "error: 'Reduce of empty array'");
        assert_eq!(hearsay("✗ a", Some(1)).error, "✗ a");
        assert_eq!(hearsay("fine", Some(0)).error, "");
    }

    #[test]
    fn skipped_tests_are_named() {
        let output =
            "--- SKIP: TestA (0.00s)\n  ○ skipped adds numbers\ntest b ... ignored\nt.py::c SKIPPED (why)";
        assert_eq!(hearsay(output, Some(0)).skips, ["TestA", "adds numbers", "b", "t.py::c"]);
    }
}
