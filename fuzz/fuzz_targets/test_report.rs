//! Any text as what a test run printed, and as a JUnit document.

#![no_main]

use holdpoint_checks::test_report::{Outcome, junit, outcome, read, summary};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for report in [Some(read(text)), junit(text)].into_iter().flatten() {
        for exit in [None, Some(0), Some(1)] {
            let outcome = outcome(&report, exit);
            assert!(outcome != Outcome::Passed || (exit == Some(0) && report.failed == 0));
            assert!(summary(&report, &outcome, 1.0, None).chars().count() < 4_300);
        }
    }
});
