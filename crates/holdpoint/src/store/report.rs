//! Reports that existed before they were asked for: an old file proves nothing about a new round.

use std::path::Path;
use std::time::UNIX_EPOCH;

use super::{atomic, layout};

/// Marks an existing report, so that it does not count as new.
pub fn note(home: &Path, report: &Path) -> Result<(), String> {
    let Some(trace) = trace(report) else { return Ok(()) };
    let mark = layout::report(home, report);
    let told = |error: std::io::Error| error.to_string();
    layout::prepare(home, &mark).map_err(told)?;
    mark.parent().map(layout::clear_old);
    atomic::replace(&mark, trace.as_bytes()).map_err(told)
}

/// Returns whether the report is the one that was marked.
pub fn is_old(home: &Path, report: &Path) -> bool {
    let noted = std::fs::read_to_string(layout::report(home, report)).ok();
    noted.is_some() && noted == trace(report)
}

/// Identifies one version of a file, by its time and its content.
pub fn trace(report: &Path) -> Option<String> {
    let metadata = report.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let content = std::fs::read(report).ok()?;
    Some(format!("{} {}", modified.as_nanos(), layout::digest(&[&String::from_utf8_lossy(&content)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "an agent's report")]
    fn a_report_counts_once_it_is_written_anew() {
        let home = tempfile::tempdir().unwrap();
        let report = home.path().join("review-1.md");
        note(home.path(), &report).unwrap();
        std::fs::write(&report, "one").unwrap();
        assert!(!is_old(home.path(), &report));
        note(home.path(), &report).unwrap();
        assert!(is_old(home.path(), &report));
        std::fs::write(&report, "two").unwrap();
        assert!(!is_old(home.path(), &report));
    }
}
