//! A test run in the few lines that an agent is shown.

use super::excerpt::{LINES_MAX, cut};
use super::{Failure, Outcome, TestReport};

/// The most failures that are shown.
const SHOWN_MAX: usize = 10;

/// The most letters of a summary, but for the line that says how many more there are.
const LETTERS_MAX: usize = 4_000;

/// One line for a pass. For anything else the count, the path of the full output, and the first failures with what
/// was wrong; where none is named, how the output ended.
pub fn summary(report: &TestReport, outcome: &Outcome, seconds: f64, log: Option<&str>) -> String {
    let counts = counts(report);
    let head = match outcome {
        Outcome::Passed if report.is_counted => format!("PASS: {counts} ({seconds:.1}s)"),
        Outcome::Passed => format!("PASS: exit code 0, no test counts in the output ({seconds:.1}s)"),
        Outcome::Broken(why) if report.passed > 0 || report.failed > 0 => {
            format!("FAIL: {why}; until then {counts} ({seconds:.1}s)")
        }
        Outcome::Broken(why) => format!("FAIL: {why} ({seconds:.1}s)"),
        Outcome::Failed { exit } => format!("FAIL: {} ({seconds:.1}s)", failed(report, &counts, *exit)),
    };
    if *outcome == Outcome::Passed { head } else { head + &details(report, log) }
}

fn counts(report: &TestReport) -> String {
    let parts = [(report.failed, "failed"), (report.passed, "passed"), (report.skipped, "skipped")];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    parts.join(", ")
}

fn failed(report: &TestReport, counts: &str, exit: i32) -> String {
    match (report.failed, exit) {
        (0, _) if counts.is_empty() => format!("exit code {exit}, no test counts in the output"),
        (0, _) => format!("exit code {exit}, although no test failed: {counts}"),
        (_, 0) => format!("{counts}, although the exit code is 0"),
        _ => counts.to_owned(),
    }
}

fn details(report: &TestReport, log: Option<&str>) -> String {
    let mut text = log.map(|path| format!("\nFull output: {path}")).unwrap_or_default();
    if !report.failures.is_empty() || !report.ending.is_empty() {
        text.push_str("\n---");
    }
    if report.failures.is_empty() {
        text.extend(report.ending.iter().map(|line| format!("\n{}", cut(line))));
        return text;
    }
    let mut left = LETTERS_MAX.saturating_sub(text.chars().count());
    let mut shown = 0;
    for failure in report.failures.iter().take(SHOWN_MAX) {
        let part = described(failure);
        let Some(rest) = left.checked_sub(part.chars().count()) else { break };
        (left, shown) = (rest, shown + 1);
        text.push_str(&part);
    }
    let all = report.failed.max(report.failures.len() as u64);
    if all > shown {
        text.extend([format!("\n… and {} more", all - shown)]);
    }
    text
}

fn described(failure: &Failure) -> String {
    let name = cut(&failure.name);
    let mut text = match &failure.file {
        Some(file) if !name.contains(file.as_str()) => format!("\n{name} ({})", cut(file)),
        _ => format!("\n{name}"),
    };
    text.extend(failure.excerpt.iter().take(LINES_MAX).map(|line| format!("\n    {}", cut(line))));
    text
}

#[cfg(test)]
mod tests {
    use super::super::{KILLED, NO_TESTS, outcome, read};
    use super::*;

    fn summed(output: &str, exit: Option<i32>) -> String {
        let report = read(output);
        summary(&report, &outcome(&report, exit), 3.44, Some(".log/t.txt"))
    }

    #[test]
    fn a_pass_is_one_line() {
        assert_eq!(summed("= 12 passed, 1 skipped in 3.40s =", Some(0)), "PASS: 12 passed, 1 skipped (3.4s)");
        assert_eq!(summed("fine\n", Some(0)), "PASS: exit code 0, no test counts in the output (3.4s)");
    }

    #[test]
    fn a_failure_says_where_and_what() {
        let text = summed(include_str!("samples/mocha_fail.txt"), Some(5));
        let expected = "FAIL: 5 failed, 1 passed (3.4s)\nFull output: .log/t.txt\n---\n\
                        cart > adds up (test/cart.js)\n          AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n    2 !== 3\n";
        assert!(text.starts_with(expected), "{text}");
        let end = "\nhooks > \"before all\" hook for \"never\" (test/cart.js)\n    Error: no database";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn exit_codes_that_do_not_fit_are_pointed_out() {
        let head = |output, exit| summed(output, exit).lines().next().unwrap_or_default().to_owned();
        assert_eq!(
            head("3 failed, 12 passed in 0.1s", Some(0)),
            "FAIL: 3 failed, 12 passed, although the exit code is 0 (3.4s)"
        );
        assert_eq!(
            head("12 passed in 0.1s", Some(2)),
            "FAIL: exit code 2, although no test failed: 12 passed (3.4s)"
        );
        assert_eq!(head("1 failed, 2 passed in 0.1s", Some(1)), "FAIL: 1 failed, 2 passed (3.4s)");
        assert_eq!(head("12 passed in 0.1s", None), format!("FAIL: {KILLED}; until then 12 passed (3.4s)"));
    }

    #[test]
    fn without_a_named_failure_the_ending_is_shown() {
        let expected =
            "FAIL: exit code 3, no test counts in the output (3.4s)\nFull output: .log/t.txt\n---\na\nb";
        assert_eq!(summed("a\n\nb\n", Some(3)), expected);
        let text = summed("no tests ran in 0.01s", Some(5));
        assert_eq!(
            text,
            format!("FAIL: {NO_TESTS} (3.4s)\nFull output: .log/t.txt\n---\nno tests ran in 0.01s")
        );
        assert_eq!(
            summary(&TestReport::default(), &Outcome::Failed { exit: 1 }, 0.0, None).lines().count(),
            1
        );
    }

    #[test]
    fn it_stays_short() {
        let failure = |number: u64, width| Failure {
            name: format!("test {number}"),
            file: Some("a.py".to_owned()),
            excerpt: vec!["x".repeat(width); 9],
        };
        let report = |width| TestReport {
            failed: 25,
            failures: (0..20).map(|number| failure(number, width)).collect(),
            ..TestReport::default()
        };
        let text = summary(&report(1), &Outcome::Failed { exit: 1 }, 1.0, None);
        assert!(text.contains("\ntest 9 (a.py)\n    x\n") && !text.contains("test 10"), "{text}");
        assert!(text.ends_with("\n… and 15 more"), "{text}");
        assert_eq!(text.lines().count(), 2 + 10 * 6 + 1);
        let text = summary(&report(500), &Outcome::Failed { exit: 1 }, 1.0, None);
        assert!(text.chars().count() < 4_100 && text.ends_with("\n… and 22 more"), "{text}");
    }
}
