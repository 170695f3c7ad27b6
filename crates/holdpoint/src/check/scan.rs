//! Searching changed files for what a script can find.

use std::path::Path;

use holdpoint_checks::scan::Scan;

use super::{Failure, Performed, lint};

/// Scans `files` in a folder, with limits on their length.
pub(super) fn perform(
    files: &[String],
    code_lines: Option<u64>,
    test_lines: Option<u64>,
    folder: &Path,
) -> Result<Performed, Failure> {
    let usual = Scan::default();
    let most =
        |told: Option<u64>, usual: usize| told.and_then(|most| usize::try_from(most).ok()).unwrap_or(usual);
    let scan = Scan {
        code_lines: most(code_lines, usual.code_lines),
        test_lines: most(test_lines, usual.test_lines),
    };
    lint(&scan, files, folder)
}
