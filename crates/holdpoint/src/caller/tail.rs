//! The end of a record that an agent's client keeps: what it names may be anything, so only a regular file is read, never
//! waited for, and only so much of it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Returns the end of a file, from a line's beginning on.
pub(super) fn tail(path: &Path, bytes_max: u64) -> Option<String> {
    let mut file = opened(path)?;
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let skipped = metadata.len().saturating_sub(bytes_max);
    file.seek(SeekFrom::Start(skipped)).ok()?;
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some(if skipped == 0 { text } else { text.split_once('\n').map(|(_, rest)| rest.to_owned())? })
}

/// Returns the beginning of a file.
pub(super) fn head(path: &Path, bytes_max: u64) -> Option<String> {
    let file = opened(path)?;
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(unix)]
fn opened(path: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    // A pipe in its place would have us wait for somebody to write.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).ok().map(File::from)
}

#[cfg(not(unix))]
fn opened(path: &Path) -> Option<File> {
    File::open(path).ok()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "foreign files")]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_file_only_the_end_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, "one\ntwo\nthree\n").unwrap();
        assert_eq!(tail(&path, 8).as_deref(), Some("three\n"));
        assert_eq!(tail(&path, 100).as_deref(), Some("one\ntwo\nthree\n"));
        assert_eq!(tail(folder.path(), 100), None);
        assert_eq!(tail(&folder.path().join("none"), 100), None);
    }
}
