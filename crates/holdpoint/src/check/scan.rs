//! Looking through changed files for what a script can find.

use holdpoint_checks::scan::Scan;
use holdpoint_core::phase::Review;
use serde_json::Value as Json;

use super::{Failure, Performed, lint};
use crate::project::Run;

/// Scans `files`, with `code_lines` and `test_lines` as limits where they are told.
pub(super) fn perform(review: &Review, run: &Run) -> Result<Performed, Failure> {
    let usual = Scan::default();
    let told = |name: &str, usual: usize| {
        let number = review.told.get(name).and_then(Json::as_u64);
        number.and_then(|number| usize::try_from(number).ok()).unwrap_or(usual)
    };
    let scan = Scan {
        code_lines: told("code_lines", usual.code_lines),
        test_lines: told("test_lines", usual.test_lines),
    };
    lint(&scan, review, run)
}
