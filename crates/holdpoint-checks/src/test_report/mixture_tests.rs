use proptest::prelude::*;

use super::test_report_tests::{NOTHING, PASSED, failed};
use super::*;

macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!("samples/", $name))
    };
}

#[test]
fn several_runners_are_summed() {
    let all = [
        sample!("cargo_fail.txt"),
        sample!("nextest_nocapture.txt"),
        sample!("pytest_fail.txt"),
        sample!("jest_fail.txt"),
        sample!("vitest_fail.txt"),
        sample!("mocha_fail.txt"),
        sample!("node_tap_fail.txt"),
        sample!("node_spec_fail.txt"),
        sample!("go_fail_verbose.txt"),
        sample!("pytest_pass.txt"),
    ];
    let report = read(&all.join("\n"));
    assert_eq!(
        (report.passed, report.failed),
        (5 + 4 + 2 + 2 + 2 + 1 + 2 + 2 + 4 + 4, 6 + 5 + 7 + 3 + 3 + 5 + 6 + 6 + 5)
    );
    let zero = [sample!("cargo_zero.txt"), sample!("pytest_zero.txt"), sample!("go_zero.txt")].join("\n");
    assert_eq!(outcome(&read(&zero), Some(0)), NOTHING);
    let one = zero + sample!("mocha_pass.txt");
    assert_eq!(outcome(&read(&one), Some(0)), PASSED);
}

#[test]
fn a_document_beside_a_runner_does_not_count_again() {
    let report = read(&[sample!("vitest_fail.txt"), sample!("junit_vitest.xml")].join("\n"));
    assert_eq!((report.runner, report.passed, report.failed), (Some("vitest"), 2, 3));
}

#[test]
fn what_only_looks_like_a_result_is_none() {
    for output in [
        "",
        "all good\n",
        "12 passed",
        "  note: 3 failed in 0.1s\n",
        "5 files changed in 0.3s\n",
        "2 passing\n",
        "Tests: 5, Assertions: 9\n",
        "ok 1 - looks like TAP\n1..1\n",
        "# tests 3\nand nothing more\n",
        "# tests 3\n# fail 2\n",
        "FAILED tests/x.py::y - no\n",
        "    test result: ok. 3 passed; 0 failed\n",
        "<html><body/></html>",
        "<testsuite><unclosed>",
    ] {
        let report = read(output);
        assert_eq!((report.runner, report.is_counted), (None, false), "{output}");
        assert_eq!(outcome(&report, Some(0)), PASSED, "{output}");
        assert_eq!(outcome(&report, Some(1)), failed(1), "{output}");
    }
}

#[test]
fn a_pass_through_a_pipe_is_not_believed() {
    let report = read(sample!("pytest_fail.txt"));
    assert_eq!(outcome(&report, Some(0)), failed(0));
    assert_eq!(outcome(&report, None), Outcome::Broken(KILLED));
    assert_eq!(outcome(&read("sh: 1: pytest: not found\n"), Some(127)), Outcome::Broken(NOT_FOUND));
}

/// Lines that begin something, or end it.
const PIECES: [&str; 40] = [
    "=== FAILURES ===",
    "____ test_a ____",
    "E   x",
    "=== short test summary info ===",
    "FAILED a.py::b[ - c",
    "=== 99999999999999999999 failed in 0.1s ===",
    "18446744073709551615 passed, 18446744073709551615 failed in 0.1s",
    "test result: ok. 18446744073709551615 passed; 1 failed; 0 ignored",
    "failures:",
    "    tests::a",
    "---- tests::a stdout ----",
    "thread 'tests::a' panicked at src/a.rs:1:2:",
    "error: could not compile `a` (lib)",
    "  process didn't exit successfully: `a` (signal: 6)",
    "     Running unittests src/lib.rs (a)",
    "running 1 test",
    "    Starting 1 test across 1 binary",
    "        FAIL [   0.1s] (1/1) a tests::a",
    "     Summary [   0.1s] 1 test run: 0 passed (1 slow, 1 failed",
    "--- FAIL: TestA/b (0.00s)",
    "=== RUN   TestA",
    "FAIL\ta\t0.1s",
    "ok  \ta\t0.1s",
    "# a",
    "{\"Action\":\"output\",\"Package\":\"a\",\"Output\":\"FAIL\\ta\\n\"}",
    "FAIL a.test.js",
    "  ● a › b",
    "Tests:       1 failed, 1 total",
    " FAIL  a.test.js > b",
    "⎯⎯⎯",
    "      Tests  1 failed (1)",
    "  1 passing (1ms)",
    "  1 failing",
    "  1) a",
    "       b:",
    " Exception during run: x",
    "not ok 1 - a",
    "# tests 1",
    "# pass 1",
    "<testsuite><testcase/></testsuite>",
];

fn is_sound(output: &str) -> bool {
    let report = read(output);
    [None, Some(0), Some(1), Some(127)].into_iter().all(|exit| {
        let outcome = outcome(&report, exit);
        let text = summary(&report, &outcome, 1.0, Some("log"));
        let is_one_line = outcome != Outcome::Passed || !text.contains('\n');
        let is_zero = exit == Some(0) && report.failed == 0;
        is_one_line && text.chars().count() < 4_200 && (outcome != Outcome::Passed || is_zero)
    })
}

#[test]
fn long_outputs_are_read_in_one_go() {
    for piece in PIECES {
        assert!(
            is_sound(
                &format!(
                    "{piece}
"
                )
                .repeat(10_000)
            ),
            "{piece}"
        );
    }
    assert!(is_sound(&format!("{}\n", PIECES.join("\n")).repeat(500)));
}

proptest! {
    #[test]
    fn any_text_is_read(output in any::<String>()) {
        prop_assert!(is_sound(&output));
        let _ = junit(&output);
    }

    #[test]
    fn any_mixture_is_read(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..40),
        cut in any::<proptest::sample::Index>(),
    ) {
        let mut output = pieces.join("\n");
        let end = cut.index(output.len() + 1);
        output.truncate((0..=end).rev().find(|at| output.is_char_boundary(*at)).unwrap_or(0));
        prop_assert!(is_sound(&output));
    }
}
