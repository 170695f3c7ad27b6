//! A folder's files, read as a whole.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// How many files are read at the most.
const FILES_MAX: usize = 10_000;

/// Every file below `root` with its content, by its path with forward slashes; folders that are named as in `aside`
/// are left out.
pub fn contents(root: &Path, aside: &[&str]) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let read = |path: String| Ok((path.clone(), std::fs::read(root.join(path))?));
    walk(root, aside)?.into_iter().map(read).collect()
}

/// Copies all that is below `from`, empty folders too, to the folder `to`.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The path of every file below `root`.
pub fn names(root: &Path) -> io::Result<Vec<String>> {
    walk(root, &[])
}

fn walk(root: &Path, aside: &[&str]) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() && !aside.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            } else if kind.is_file() && names.len() < FILES_MAX {
                names.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    names.sort();
    Ok(names)
}

/// Every file below `root` as text.
pub fn texts(root: &Path) -> io::Result<Vec<(String, String)>> {
    let contents = contents(root, &[])?;
    Ok(contents
        .into_iter()
        .map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned()))
        .collect())
}
