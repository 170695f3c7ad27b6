//! Reports that existed before they were asked for: an old file proves nothing about a new round.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::books::Books;
use super::folder::{Access, FileError, Folder};
use super::layout;

/// The largest report that can be told from another: people and agents read it.
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The most a mark can be: a time and a digest.
const MARK_BYTES_MAX: u64 = 1024;

/// Marks an existing report, so that it does not count as new.
pub fn note(books: &Books, report: &Path) -> Result<(), FileError> {
    let Some(trace) = trace(books.home(), report) else { return Ok(()) };
    let mark = books.report(report);
    let folder = books.prepare(&mark)?;
    layout::clear_old_beside(folder, &mark);
    folder.replace(&mark, trace.as_bytes(), Access::Ours)
}

/// Returns whether the report is the one that was marked.
pub fn is_old(books: &Books, report: &Path) -> bool {
    let noted = books.read(&books.report(report), MARK_BYTES_MAX).ok().flatten();
    noted.is_some_and(|noted| Some(noted) == trace(books.home(), report).map(String::into_bytes))
}

/// Makes sure that a reviewer who writes this report writes a file of the project's: it would follow a link.
pub fn expect(home: &Path, report: &Path) -> Result<(), FileError> {
    let project = Folder::project(home)?;
    project.find_file(&project.place(report)?).map(drop)
}

/// An empty report, made for a reviewer who may write this file and nothing beside it. Once it is dropped, it is gone unless
/// something was written to it.
#[derive(Debug)]
pub struct Reserved {
    project: Folder,
    path: PathBuf,
}

/// Makes an empty report. One that is there stays as it is.
pub fn reserve(home: &Path, report: &Path) -> Result<Option<Reserved>, FileError> {
    let project = Folder::project(home)?;
    let path = project.place(report)?;
    if project.find_file(&path)?.is_some() {
        return Ok(None);
    }
    project.make_folder_of(&path, Access::Users)?;
    project.create(&path, b"", Access::Users)?;
    Ok(Some(Reserved { project, path }))
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if self.project.read(&self.path, 0).is_ok_and(|text| text.is_some()) {
            let _ = self.project.remove(&self.path);
        }
    }
}

/// Identifies one version of a file in the project, by its time and its content. A link is no report.
pub fn trace(home: &Path, report: &Path) -> Option<String> {
    let project = Folder::project(home).ok()?;
    let place = project.place(report).ok()?;
    let modified = project.find(&place).ok()??.modified.duration_since(UNIX_EPOCH).ok()?;
    let content = project.read(&place, BYTES_MAX).ok()??;
    Some(format!("{} {}", modified.as_nanos(), layout::digest(&[&String::from_utf8_lossy(&content)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a reviewer's report")]
    fn a_reserved_report_stays_only_if_it_was_written() {
        let home = tempfile::tempdir().unwrap();
        let report = home.path().join("plans/review-1.md");
        let reserved = reserve(home.path(), &report).unwrap();
        assert!(report.exists());
        drop(reserved);
        assert!(!report.exists());
        let reserved = reserve(home.path(), &report).unwrap();
        std::fs::write(&report, "one").unwrap();
        drop(reserved);
        assert!(reserve(home.path(), &report).unwrap().is_none(), "it is there");
        assert_eq!(std::fs::read_to_string(&report).unwrap(), "one");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "an agent's report")]
    fn a_report_counts_once_it_is_written_anew() {
        let home = tempfile::tempdir().unwrap();
        let report = home.path().join("review-1.md");
        let books = Books::in_project(home.path());
        note(&books, &report).unwrap();
        std::fs::write(&report, "one").unwrap();
        assert!(!is_old(&books, &report));
        note(&books, &report).unwrap();
        assert!(is_old(&books, &report));
        std::fs::write(&report, "two").unwrap();
        assert!(!is_old(&books, &report));
    }
}
