//! What has been told to a session already: a fault is shown once, not at every tool call.

use std::path::Path;

use super::folder::{Access, Folder};
use super::layout;

/// Whether this is the first time that `what` is told to the session; of hooks in parallel, one is told so.
///
/// Where no mark can be made, every time is the first: there the journal is missing too, and nobody else would tell.
pub fn first_time(home: &Path, session: &str, what: &str) -> bool {
    let mark = layout::told(home).join(layout::digest(&[session, what]));
    let is_marked = |project: &Folder| project.find(&mark).is_ok_and(|found| found.is_some());
    if Folder::project(home).is_ok_and(|project| is_marked(&project)) {
        return false;
    }
    let Ok(project) = layout::prepare(home, &mark) else { return true };
    match project.create(&mark, b"", Access::Ours) {
        Ok(()) => layout::clear_old_beside(&project, &mark),
        Err(error) if error.is_taken() && is_marked(&project) => return false,
        Err(_) => {}
    }
    true
}
