//! What is in the way and is not ours to delete: moved to our folder, where nothing is ever cleared.

use std::path::{Path, PathBuf};

use super::folder::{FileError, Folder};
use super::{journal, layout};

/// How many names are tried for one thing.
const NAMES_MAX: u32 = 1_000;

/// Moves a file or a folder of the project at `home` to our folder, and returns where it is now. A link is moved itself.
pub fn set_aside(home: &Path, path: &Path) -> Result<PathBuf, FileError> {
    let folder = layout::aside(home);
    let project: Folder = layout::prepare(home, &folder.join("x"))?;
    let at = journal::now().replace([':', '.'], "-");
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let names = (0..NAMES_MAX).map(|number| folder.join(format!("{at}-{number}-{name}")));
    let mut free = names.filter(|place| project.find(place).is_ok_and(|found| found.is_none()));
    let place = free.next().ok_or_else(|| FileError::NotAFile { path: folder.clone() })?;
    project.rename(path, &place)?;
    Ok(place)
}
