//! Temporary files: where they are, what they are called, and when one that a killed process left goes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::{Access, FileError, Folder, Kind};

/// The age after which a temporary file is a leftover: it takes milliseconds to write one.
const LEFT_OVER: Duration = Duration::from_mins(10);
/// How many names are looked at for leftovers: enough for any crash, and nothing to wait for.
const LOOKED_AT_MAX: usize = 1_000;

/// Where temporary files are made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scratch {
    /// In this folder below: then one that is left is not among the user's files.
    Below(&'static str),
    /// Beside the file that is replaced.
    Beside,
}

impl Folder {
    /// Returns the temporary file to write before this one is replaced.
    pub(super) fn temporary_for(&self, target: &Path) -> Result<PathBuf, FileError> {
        let Scratch::Below(scratch) = self.scratch else { return Ok(beside(target)) };
        self.make_folder(Path::new(scratch), Access::Ours)?;
        Ok(Path::new(scratch).join(name(target)))
    }

    /// Removes leftovers from the folder of a temporary file. Among the user's files, only those of the same target.
    pub(super) fn clear_temporaries(&self, temporary: &Path, target: &Path) {
        let folder = temporary.parent().unwrap_or(Path::new(""));
        let start = match self.scratch {
            Scratch::Below(_) => String::new(),
            Scratch::Beside => format!(".{}.", target.file_name().unwrap_or_default().to_string_lossy()),
        };
        for (name, found) in self.entries(folder, LOOKED_AT_MAX).unwrap_or_default() {
            let is_old = found.modified.elapsed().is_ok_and(|age| age > LEFT_OVER);
            if found.kind == Kind::File && is_old && is_temporary(name.as_os_str(), &start) {
                let _ = self.remove(&folder.join(name));
            }
        }
    }
}

/// Returns a temporary file beside its target.
pub(super) fn beside(target: &Path) -> PathBuf {
    target.with_file_name(name(target))
}

/// Returns a name that no other process and no other call uses.
fn name(target: &Path) -> OsString {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}.{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    name
}

/// Returns whether a file's name is that of a temporary file, and starts like this.
pub fn is_temporary(name: &OsStr, start: &str) -> bool {
    let name = name.to_string_lossy();
    let mut parts = name.rsplit('.');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty())
    };
    name.starts_with('.')
        && name.starts_with(start)
        && parts.next() == Some("tmp")
        && is_number(parts.next())
        && is_number(parts.next())
}
