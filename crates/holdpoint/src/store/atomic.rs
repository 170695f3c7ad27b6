//! Files replaced whole or not at all.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes `bytes` to a file that must not be there yet.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}

/// Replaces `path` (or makes it) with `bytes`: a temporary file beside it, synced, renamed over it.
///
/// A crash at any instruction leaves the old content or the new one, and at worst a temporary file. A link is
/// followed, so that the file it leads to is replaced and the link stays.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_as(path, bytes, false)
}

/// Replaces `path` as `replace` does; one that is executable can be run by everybody.
pub fn replace_as(path: &Path, bytes: &[u8], is_executable: bool) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let temporary = temporary_beside(&target);
    let written = write_synced(&temporary, bytes, &target)
        .and_then(|()| if is_executable { make_executable(&temporary) } else { Ok(()) })
        .and_then(|()| std::fs::rename(&temporary, &target));
    if let Err(error) = written {
        let _ = std::fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder(&target);
    Ok(())
}

fn temporary_beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    path.with_file_name(name)
}

/// Whether a file's name is one that [`replace`] gives while it writes: then somebody was killed there.
pub fn is_temporary(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    let mut parts = name.rsplit('.');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty())
    };
    name.starts_with('.') && parts.next() == Some("tmp") && is_number(parts.next()) && is_number(parts.next())
}

fn write_synced(temporary: &Path, bytes: &[u8], like: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(temporary)?;
    if let Ok(metadata) = like.metadata() {
        file.set_permissions(metadata.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes the rename itself durable, where folders can be synced.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}
