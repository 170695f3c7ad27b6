use super::*;

/// What a runner really printed; paths and times are made neutral.
macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!("test_report/samples/", $name))
    };
}

pub(super) const PASSED: Outcome = Outcome::Passed;
pub(super) const NOTHING: Outcome = Outcome::Broken(NO_TESTS);

pub(super) fn failed(exit: i32) -> Outcome {
    Outcome::Failed { exit }
}

/// Checks samples with the exit codes they came with: name, text, exit code; passed, failed, skipped; outcome.
#[track_caller]
fn check(runner: &str, samples: &[(&str, &str, i32, [u64; 3], Outcome)]) {
    for (name, output, exit, counts, expected) in samples {
        let report = read(output);
        assert_eq!(report.runner, Some(runner), "{name}");
        assert!(report.is_counted, "{name}");
        assert_eq!([report.passed, report.failed, report.skipped], *counts, "{name}: {report:#?}");
        assert_eq!(report.failures.len() as u64, report.failed, "{name}: {report:#?}");
        assert_eq!(outcome(&report, Some(*exit)), *expected, "{name}");
    }
}

/// The failures as `name @ file`.
fn names(output: &str) -> Vec<String> {
    let shown = |failure: &Failure| format!("{} @ {}", failure.name, failure.file.as_deref().unwrap_or("?"));
    read(output).failures.iter().map(shown).collect()
}

/// What is said of the failure with this name.
fn excerpt(output: &str, name: &str) -> String {
    let report = read(output);
    report.failures.iter().find(|failure| failure.name == name).unwrap().excerpt.join("\n")
}

#[test]
fn pytest() {
    check(
        "pytest",
        &[
            ("pass", sample!("pytest_pass.txt"), 0, [4, 0, 2], PASSED),
            ("-qq", sample!("pytest_brief_pass.txt"), 0, [4, 0, 2], PASSED),
            ("fail", sample!("pytest_fail.txt"), 1, [2, 7, 0], failed(1)),
            ("-qq --tb=no", sample!("pytest_brief_fail.txt"), 1, [2, 7, 0], failed(1)),
            ("--color=yes", sample!("pytest_colour.txt"), 1, [2, 7, 0], failed(1)),
            ("-rN", sample!("pytest_nosummary.txt"), 1, [2, 7, 0], failed(1)),
            ("-n 2", sample!("pytest_xdist.txt"), 1, [2, 7, 0], failed(1)),
            ("files that cannot be imported", sample!("pytest_crash.txt"), 2, [0, 2, 0], failed(2)),
            ("no tests", sample!("pytest_zero.txt"), 5, [0, 0, 0], NOTHING),
            ("-k nothing_like_it", sample!("pytest_deselected.txt"), 5, [0, 0, 0], NOTHING),
        ],
    );
    let expected = [
        "tests/test_cart.py::test_total @ tests/test_cart.py",
        "tests/test_cart.py::test_words[a b] @ tests/test_cart.py",
        "tests/test_cart.py::test_words[x - y] @ tests/test_cart.py",
        "tests/test_cart.py::TestOrder::test_sum @ tests/test_cart.py",
        "tests/test_deep.py::test_raise @ tests/test_deep.py",
        "tests/test_deep.py::test_strict @ tests/test_deep.py",
        "tests/test_cart.py::test_setup @ tests/test_cart.py",
    ];
    for output in [sample!("pytest_fail.txt"), sample!("pytest_brief_fail.txt"), sample!("pytest_colour.txt")]
    {
        assert_eq!(names(output), expected);
    }
    assert_eq!(
        names(sample!("pytest_crash.txt")),
        ["tests/test_import.py @ tests/test_import.py", "tests/test_syntax.py @ tests/test_syntax.py"]
    );
    assert_eq!(names(sample!("pytest_nosummary.txt"))[5], "test_raise @ tests/test_deep.py");
    let story = "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'\ncart.py:2: TypeError";
    assert_eq!(excerpt(sample!("pytest_fail.txt"), "tests/test_deep.py::test_raise"), story);
    assert_eq!(excerpt(sample!("pytest_colour.txt"), "tests/test_deep.py::test_raise"), story);
    assert_eq!(excerpt(sample!("pytest_brief_fail.txt"), "tests/test_cart.py::test_total"), "assert 3 == 4");
}

#[test]
fn pytest_tells_tests_of_one_name_apart_by_their_files() {
    let block = |file: &str, error: &str| format!("____ test_a ____\n\nE   {error}\n\n{file}:2: E\n");
    let output = format!(
        "=== FAILURES ===\n{}{}=== short test summary info ===\nFAILED b.py::test_a - x\nFAILED a.py::test_a - y\n\
         === 2 failed, 1 passed in 61.20s (0:01:01) ===\n",
        block("a.py", "in a"),
        block("b.py", "in b")
    );
    assert_eq!(read(&output).passed, 1);
    assert_eq!(excerpt(&output, "a.py::test_a"), "in a\na.py:2: E");
    assert_eq!(excerpt(&output, "b.py::test_a"), "in b\nb.py:2: E");
}

#[test]
fn cargo() {
    check(
        "cargo test",
        &[
            ("pass", sample!("cargo_pass.txt"), 0, [4, 0, 1], PASSED),
            ("a workspace", sample!("cargo_fail.txt"), 101, [5, 6, 1], failed(101)),
            ("--color=always", sample!("cargo_colour.txt"), 101, [5, 6, 1], failed(101)),
            ("--nocapture", sample!("cargo_nocapture.txt"), 101, [5, 6, 1], failed(101)),
            ("RUST_BACKTRACE=1", sample!("cargo_backtrace.txt"), 101, [5, 6, 1], failed(101)),
            ("standard error first", sample!("cargo_split.txt"), 101, [5, 6, 1], failed(101)),
            ("not compiled", sample!("cargo_crash.txt"), 101, [0, 1, 0], failed(101)),
            ("aborted", sample!("cargo_abort.txt"), 101, [0, 1, 0], failed(101)),
            ("no tests", sample!("cargo_zero.txt"), 0, [0, 0, 0], NOTHING),
            ("all filtered out", sample!("cargo_filtered.txt"), 0, [0, 0, 0], NOTHING),
        ],
    );
    let mut expected = [
        "tests::does_not_panic @ beta/src/lib.rs",
        "tests::result @ src/lib.rs",
        "tests::wrong @ beta/src/lib.rs",
        "in_thread @ beta/tests/api.rs",
        "negative @ beta/src/lib.rs",
        "beta/src/lib.rs - half (line 3) @ beta/src/lib.rs",
    ];
    for output in [sample!("cargo_fail.txt"), sample!("cargo_colour.txt"), sample!("cargo_backtrace.txt")] {
        assert_eq!(names(output), expected);
    }
    // Where cargo's own lines are not between the tests', they say nothing of them.
    expected[1] = "tests::result @ ?";
    assert_eq!(names(sample!("cargo_split.txt")), expected);
    assert_eq!(names(sample!("cargo_crash.txt")), ["could not compile `broken` @ broken/src/lib.rs"]);
    assert_eq!(names(sample!("cargo_abort.txt")), ["the tests of src/lib.rs @ src/lib.rs"]);
    let story = "thread 'tests::wrong' (1) panicked at beta/src/lib.rs:15:9:\n\
                 assertion `left == right` failed: half of four\n  left: 2\n right: 3";
    for output in [
        sample!("cargo_fail.txt"),
        sample!("cargo_colour.txt"),
        sample!("cargo_backtrace.txt"),
        sample!("cargo_nocapture.txt"),
    ] {
        assert_eq!(excerpt(output, "tests::wrong"), story);
    }
    assert_eq!(excerpt(sample!("cargo_nocapture.txt"), "tests::result"), "");
    assert_eq!(
        excerpt(sample!("cargo_abort.txt"), "the tests of src/lib.rs"),
        "signal: 6, SIGABRT: process abort signal"
    );
}

#[test]
fn cargo_names_what_is_running_only_in_step_with_it() {
    let running = |file: &str| format!("     Running tests/{file}.rs (target/{file})\n");
    let run = |test: &str| {
        format!(
            "running 1 test\n\nfailures:\n    {test}\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n"
        )
    };
    let in_step = [running("a"), run("one"), running("b"), run("two")].concat();
    assert_eq!(names(&in_step), ["one @ tests/a.rs", "two @ tests/b.rs"]);
    let errors_first = [running("a"), running("b"), run("one"), run("two")].concat();
    assert_eq!(names(&errors_first), ["one @ ?", "two @ ?"]);
    let errors_last = [run("one"), run("two"), running("a"), running("b")].concat();
    assert_eq!(names(&errors_last), ["one @ ?", "two @ ?"]);
}

#[test]
fn nextest() {
    check(
        "nextest",
        &[
            ("pass", sample!("nextest_pass.txt"), 0, [3, 0, 1], PASSED),
            ("flaky", sample!("nextest_flaky.txt"), 0, [2, 0, 0], PASSED),
            ("fail", sample!("nextest_fail.txt"), 100, [4, 5, 1], failed(100)),
            ("fail fast", sample!("nextest_failfast.txt"), 100, [3, 1, 1], failed(100)),
            ("--no-capture", sample!("nextest_nocapture.txt"), 100, [4, 5, 1], failed(100)),
            ("retries", sample!("nextest_retries.txt"), 100, [4, 5, 1], failed(100)),
            ("aborted", sample!("nextest_abort.txt"), 100, [1, 1, 0], failed(100)),
            ("no tests", sample!("nextest_zero.txt"), 4, [0, 0, 0], NOTHING),
        ],
    );
    let mut expected = [
        "beta tests::does_not_panic @ beta/src/lib.rs",
        "beta tests::result @ ?",
        "beta tests::wrong @ beta/src/lib.rs",
        "beta::api in_thread @ beta/tests/api.rs",
        "beta::api negative @ beta/src/lib.rs",
    ];
    expected.sort_unstable();
    for output in
        [sample!("nextest_fail.txt"), sample!("nextest_nocapture.txt"), sample!("nextest_retries.txt")]
    {
        let mut found = names(output);
        found.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(excerpt(output, "beta tests::result"), "Error: \"no such thing\"");
        assert_eq!(
            excerpt(output, "beta::api negative"),
            "thread 'negative' (1) panicked at beta/src/lib.rs:8:33:\nmust be positive, got -1"
        );
    }
    assert_eq!(
        excerpt(sample!("nextest_abort.txt"), "abort tests::boom"),
        "(test aborted with signal 6: SIGABRT)"
    );
}

#[test]
fn nextest_before_it_indented_what_tests_print() {
    let output = "    Starting 2 tests across 1 binary\n        FAIL [   0.003s] a b::c\n\n--- STDOUT:              a b::c ---\n\n\
                  running 1 test\ntest b::c ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n\n\
                  --- STDERR:              a b::c ---\nthread 'b::c' panicked at src/lib.rs:3:5:\nno\n\n\
                  \x20    Summary [   0.004s] 2 tests run: 0 passed, 1 failed, 1 timed out, 0 skipped\n\
                  \x20       FAIL [   0.003s] a b::c\n     TIMEOUT [   9.003s] a b::d\nerror: test run failed\n";
    let report = read(output);
    assert_eq!((report.runner, report.passed, report.failed), (Some("nextest"), 0, 2));
    assert_eq!(names(output), ["a b::c @ src/lib.rs", "a b::d @ ?"]);
    assert_eq!(excerpt(output, "a b::c"), "thread 'b::c' panicked at src/lib.rs:3:5:\nno");
}

#[test]
fn go() {
    check(
        "go test",
        &[
            ("a package", sample!("go_pass.txt"), 0, [1, 0, 0], PASSED),
            ("-v", sample!("go_pass_verbose.txt"), 0, [3, 0, 1], PASSED),
            ("fail", sample!("go_fail.txt"), 2, [1, 5, 0], failed(2)),
            ("fail -v", sample!("go_fail_verbose.txt"), 2, [4, 5, 0], failed(2)),
            ("fail -json", sample!("go_json.txt"), 2, [4, 5, 0], failed(2)),
            ("no tests", sample!("go_zero.txt"), 0, [0, 0, 0], NOTHING),
        ],
    );
    for output in [sample!("go_fail.txt"), sample!("go_fail_verbose.txt"), sample!("go_json.txt")] {
        assert_eq!(
            names(output),
            [
                "example.com/shop/bad @ bad/bad_test.go",
                "example.com/shop/boom TestBoom @ /home/dev/shop/boom/boom_test.go",
                "example.com/shop/cart TestTotal @ example.com/shop/cart/cart_test.go",
                "example.com/shop/cart TestTable/full @ example.com/shop/cart/cart_test.go",
                "example.com/shop/slow @ /home/dev/shop/slow/slow_test.go",
            ]
        );
        let story = "cart_test.go:4: total = 3,\n    want 4";
        assert_eq!(excerpt(output, "example.com/shop/cart TestTotal"), story);
        assert_eq!(excerpt(output, "example.com/shop/slow"), "panic: test timed out after 1s");
    }
}

#[test]
fn jest() {
    check(
        "jest",
        &[
            ("pass", sample!("jest_pass.txt"), 0, [1, 0, 2], PASSED),
            ("fail", sample!("jest_fail.txt"), 1, [2, 3, 0], failed(1)),
            ("--color", sample!("jest_colour.txt"), 1, [2, 3, 0], failed(1)),
            ("a file without tests", sample!("jest_crash.txt"), 1, [0, 1, 0], failed(1)),
            ("no files", sample!("jest_zero.txt"), 1, [0, 0, 0], NOTHING),
        ],
    );
    for output in [sample!("jest_fail.txt"), sample!("jest_colour.txt")] {
        let mut found = names(output);
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "cart › adds up @ tests/cart.test.js",
                "cart › when empty › is zero › really @ tests/cart.test.js",
                "tests/broken.test.js @ tests/broken.test.js",
            ]
        );
        assert!(excerpt(output, "cart › adds up").contains("\nExpected: 3\nReceived: 2\n> 5 | "));
    }
}

#[test]
fn vitest() {
    check(
        "vitest",
        &[
            ("pass", sample!("vitest_pass.txt"), 0, [1, 0, 2], PASSED),
            ("fail", sample!("vitest_fail.txt"), 1, [2, 3, 0], failed(1)),
            ("in colour", sample!("vitest_colour.txt"), 1, [2, 3, 0], failed(1)),
            ("a file without tests", sample!("vitest_crash.txt"), 1, [0, 1, 0], failed(1)),
            ("no files", sample!("vitest_zero.txt"), 1, [0, 0, 0], NOTHING),
        ],
    );
    for output in [sample!("vitest_fail.txt"), sample!("vitest_colour.txt")] {
        assert_eq!(
            names(output),
            [
                "tests/broken.test.js @ tests/broken.test.js",
                "tests/cart.test.js > cart > adds up @ tests/cart.test.js",
                "tests/cart.test.js > cart > when empty > is zero > really @ tests/cart.test.js",
            ]
        );
    }
    assert_eq!(
        excerpt(sample!("vitest_fail.txt"), "tests/cart.test.js > cart > when empty > is zero > really"),
        "Error: no items\n ❯ total src/cart.js:1:53\n ❯ tests/cart.test.js:8:70"
    );
}

#[test]
fn vitest_says_once_what_several_tests_share() {
    let output = " FAIL  |unit| a.test.ts > one\n FAIL  |unit| a.test.ts > two\nError: gone\n⎯⎯⎯[1/2]⎯\n\n\
                  Test Files  1 failed (1)\n      Tests  2 failed (2)\n";
    assert_eq!(names(output), ["a.test.ts > one @ a.test.ts", "a.test.ts > two @ a.test.ts"]);
    assert_eq!(excerpt(output, "a.test.ts > one"), "Error: gone");
}

#[test]
fn mocha() {
    check(
        "mocha",
        &[
            ("pass", sample!("mocha_pass.txt"), 0, [1, 0, 2], PASSED),
            ("fail", sample!("mocha_fail.txt"), 5, [1, 5, 0], failed(5)),
            ("--color", sample!("mocha_colour.txt"), 5, [1, 5, 0], failed(5)),
            ("-R dot", sample!("mocha_dot.txt"), 5, [1, 5, 0], failed(5)),
            ("a file that cannot be loaded", sample!("mocha_crash.txt"), 1, [0, 1, 0], failed(1)),
            ("no tests", sample!("mocha_zero.txt"), 0, [0, 0, 0], NOTHING),
            ("no files", sample!("mocha_nofiles.txt"), 1, [0, 0, 0], NOTHING),
        ],
    );
    for output in [sample!("mocha_fail.txt"), sample!("mocha_colour.txt"), sample!("mocha_dot.txt")] {
        assert_eq!(
            names(output),
            [
                "cart > adds up @ test/cart.js",
                "cart > slow @ /home/dev/shop/test/cart.js",
                "cart > objects @ test/cart.js",
                "cart > when empty > is zero @ test/cart.js",
                "hooks > \"before all\" hook for \"never\" @ test/cart.js",
            ]
        );
        assert_eq!(excerpt(output, "cart > when empty > is zero"), "Error: no items");
    }
}

#[test]
fn node() {
    check(
        "node --test",
        &[
            ("TAP, pass", sample!("node_tap_pass.txt"), 0, [1, 0, 2], PASSED),
            ("TAP, fail", sample!("node_tap_fail.txt"), 1, [2, 6, 0], failed(1)),
            ("TAP, crash", sample!("node_tap_crash.txt"), 1, [0, 1, 0], failed(1)),
            ("TAP, no tests", sample!("node_tap_zero.txt"), 0, [0, 0, 0], NOTHING),
            ("pass", sample!("node_spec_pass.txt"), 0, [1, 0, 2], PASSED),
            ("fail", sample!("node_spec_fail.txt"), 1, [2, 6, 0], failed(1)),
            ("in colour", sample!("node_colour.txt"), 1, [2, 6, 0], failed(1)),
            ("crash", sample!("node_spec_crash.txt"), 1, [0, 1, 0], failed(1)),
            ("no tests", sample!("node_spec_zero.txt"), 0, [0, 0, 0], NOTHING),
        ],
    );
    let expected = ["adds up", "is zero", "objects", "never", "hooks", "child"];
    for (output, root) in [
        (sample!("node_tap_fail.txt"), "/home/dev/shop/"),
        (sample!("node_spec_fail.txt"), ""),
        (sample!("node_colour.txt"), ""),
    ] {
        let file = |name: &str| if name == "child" { "ok" } else { "cart" };
        assert_eq!(names(output), expected.map(|name| format!("{name} @ {root}test/{}.test.js", file(name))));
        assert!(excerpt(output, "adds up").ends_with("Expected values to be strictly equal:\n2 !== 3"));
    }
}

#[test]
fn a_runner_that_stops_at_a_failure_says_so() {
    let failed = "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
    let cargo = format!("{failed}error: test failed, to rerun pass `--test a`\n");
    let whole = format!("{cargo}error: 1 target failed:\n    `--test a`\n");
    let pytest = "FAILED tests/a.py::b - no\n!!!!!!! stopping after 1 failures !!!!!!!\n==== 1 failed, 2 passed in 0.01s ====\n";
    for (output, is_cut_short) in [
        (cargo.as_str(), true),
        (&whole, false),
        (sample!("cargo_fail.txt"), false),
        (sample!("cargo_pass.txt"), false),
        (sample!("nextest_failfast.txt"), true),
        (sample!("nextest_fail.txt"), false),
        (pytest, true),
        (sample!("pytest_crash.txt"), true),
        ("error[E0425]: no\nerror: could not compile `x` (test \"old\") due to 1 previous error\n", true),
        ("==== 1 failed, 2 passed in 0.01s ====\n", false),
    ] {
        assert_eq!(read(output).is_cut_short, is_cut_short, "{output}");
    }
}

#[test]
fn a_package_of_go_counts_as_one_whether_it_fails_or_not() {
    let fails = |tests: &[&str]| {
        let lines: String =
            tests.iter().map(|test| format!("--- FAIL: {test} (0.00s)\n    a_test.go:3: no\n")).collect();
        format!("{lines}FAIL\nFAIL\tx\t0.001s\nok  \ty\t0.001s\nFAIL\n")
    };
    for output in
        [fails(&["TestA", "TestB"]), fails(&["TestB"]), "ok  \tx\t0.001s\nok  \ty\t0.001s\n".to_owned()]
    {
        assert_eq!(read(&output).count(), 2, "{output}");
    }
    let verbose = "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tx\t0.001s\n";
    assert_eq!(read(verbose).count(), 2);
}
