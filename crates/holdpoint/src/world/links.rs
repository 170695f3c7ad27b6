//! Where paths really lead.

use std::path::{Path, PathBuf};

/// Where a path leads, with all links followed, even one whose end does not exist yet.
pub(super) fn real_place(path: &Path) -> Option<PathBuf> {
    const LINKS_MAX: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let there = path.ancestors().find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
        let (folder, real) = there?;
        let rest = path.strip_prefix(folder).ok()?.to_owned();
        let Some(next) = rest.components().next() else { return Some(real) };
        let Ok(link) = real.join(next).read_link() else { return Some(real.join(rest)) };
        let beyond: PathBuf = rest.components().skip(1).collect();
        path = real.join(link).join(beyond);
    }
    None
}
