//! Files outside of projects, at paths that the user named: written whole or not at all.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use super::folder::{Access, Folder};

/// Writes `bytes` to a file that must not be there yet.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}

/// Replaces a file, or makes it, in a folder that is there.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_as(path, bytes, Access::Users)
}

/// Replaces a file as `replace` does, for others than its user, too.
pub fn replace_as(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(Folder::users(folder)?.replace(Path::new(name), bytes, access)?)
}
