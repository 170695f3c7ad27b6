//! Whether a test run passed.

use super::TestReport;

/// Whether a test run passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The command ended with 0 and nothing it printed says otherwise.
    Passed,
    /// The command ended with another code, or with 0 although it reported failures.
    Failed {
        /// The exit code.
        exit: i32,
    },
    /// There was no run of tests to speak of, and why: one of the constants of this module.
    Broken(&'static str),
}

/// The shell found no such command.
pub const NOT_FOUND: &str = "the command was not found";
/// There is such a file, but it cannot be run.
pub const NOT_EXECUTABLE: &str = "the command cannot be executed";
/// A signal or our deadline ended it.
pub const KILLED: &str = "the command was ended before it was done";
/// A runner ran, and ran nothing.
pub const NO_TESTS: &str = "no tests were run";

/// Judges a run by its exit code, `None` where a signal or a deadline ended it, and by what it printed.
///
/// The exit code always wins: no output makes a pass of a code that is not 0. The other way round, 0 is not
/// believed where failures were reported, as by `pytest | tee log`, nor where a runner ran no test. A command whose
/// output no reader here understands passes with 0.
pub fn outcome(report: &TestReport, exit: Option<i32>) -> Outcome {
    let Some(exit) = exit else { return Outcome::Broken(KILLED) };
    match exit {
        // Failures come before 126 and 127: mocha's code is how many tests failed.
        _ if report.failed > 0 => Outcome::Failed { exit },
        126 => Outcome::Broken(NOT_EXECUTABLE),
        127 => Outcome::Broken(NOT_FOUND),
        _ if report.is_counted && report.passed == 0 => Outcome::Broken(NO_TESTS),
        0 => Outcome::Passed,
        _ => Outcome::Failed { exit },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(passed: u64, failed: u64, skipped: u64, exit: Option<i32>) -> Outcome {
        outcome(&TestReport { passed, failed, skipped, is_counted: true, ..TestReport::default() }, exit)
    }

    #[test]
    fn the_exit_code_wins() {
        assert_eq!(judged(5, 0, 0, Some(0)), Outcome::Passed);
        assert_eq!(judged(5, 0, 0, Some(1)), Outcome::Failed { exit: 1 });
        assert_eq!(judged(5, 1, 0, Some(1)), Outcome::Failed { exit: 1 });
        assert_eq!(judged(5, 0, 0, None), Outcome::Broken(KILLED));
        assert_eq!(judged(5, 1, 0, None), Outcome::Broken(KILLED));
        assert_eq!(judged(5, 0, 0, Some(126)), Outcome::Broken(NOT_EXECUTABLE));
        assert_eq!(judged(5, 0, 0, Some(127)), Outcome::Broken(NOT_FOUND));
        assert_eq!(judged(0, 127, 0, Some(127)), Outcome::Failed { exit: 127 });
    }

    #[test]
    fn a_zero_is_not_believed_over_reported_failures() {
        assert_eq!(judged(12, 3, 0, Some(0)), Outcome::Failed { exit: 0 });
    }

    #[test]
    fn no_test_is_no_pass() {
        for exit in [0, 1, 4, 5] {
            assert_eq!(judged(0, 0, 0, Some(exit)), Outcome::Broken(NO_TESTS));
            assert_eq!(judged(0, 0, 7, Some(exit)), Outcome::Broken(NO_TESTS), "all skipped");
        }
        assert_eq!(judged(0, 1, 0, Some(1)), Outcome::Failed { exit: 1 });
    }

    #[test]
    fn of_a_plain_script_only_the_exit_code_is_known() {
        let plain = TestReport::default();
        assert_eq!(outcome(&plain, Some(0)), Outcome::Passed);
        assert_eq!(outcome(&plain, Some(3)), Outcome::Failed { exit: 3 });
        assert_eq!(outcome(&plain, Some(-1)), Outcome::Failed { exit: -1 });
    }
}
