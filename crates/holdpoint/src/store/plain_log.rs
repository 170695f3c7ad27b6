//! A workflow's own log: what the journal says, in plain lines with UTC times, for people and other programs.

use std::io::Write;
use std::path::Path;

use holdpoint_core::secret;

use super::folder::{Access, FileError, Folder};

/// When a log is set aside: one old one is kept.
const BYTES_MAX: u64 = 1024 * 1024;
/// How much of a line's text is written.
const CHARS_MAX: usize = 200;

/// Appends a line to a log in the project at `home`. A log that cannot be written changes nothing.
pub fn append(home: &Path, path: &Path, at: &str, what: &str) {
    let first = secret::replaced(what.lines().next().unwrap_or_default());
    let first: String = first.chars().take(CHARS_MAX).collect();
    let _ = write(home, path, &format!("[{at}] {first}\n"));
}

fn write(home: &Path, path: &Path, line: &str) -> Result<(), FileError> {
    let project = Folder::project(home)?;
    let path = project.place(path)?;
    let mut file = project.append(&path, Access::Users)?;
    file.write_all(line.as_bytes()).map_err(FileError::io(&path))?;
    if file.metadata().is_ok_and(|metadata| metadata.len() > BYTES_MAX) {
        let mut old = path.as_os_str().to_owned();
        old.push(".1");
        project.rename(&path, Path::new(&old))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a log that has grown")]
    fn a_log_that_has_grown_is_set_aside_and_lines_stay_lines() {
        let folder = tempfile::tempdir().unwrap();
        let (log, old) = (folder.path().join("log"), folder.path().join("log.1"));
        std::fs::write(&log, vec![b'x'; usize::try_from(BYTES_MAX).unwrap()]).unwrap();
        std::fs::write(&old, "older").unwrap();
        append(folder.path(), &log, "2026-11-15T12:00:00Z", "one\ntwo");
        assert!(!log.exists());
        assert!(std::fs::read_to_string(&old).unwrap().ends_with("x[2026-11-15T12:00:00Z] one\n"));
        append(folder.path(), &log, "2026-11-15T12:00:01Z", &"é".repeat(500));
        let line = std::fs::read_to_string(&log).unwrap();
        assert_eq!(line, format!("[2026-11-15T12:00:01Z] {}\n", "é".repeat(CHARS_MAX)));
    }
}
