//! What has been told to a session already: a fault is shown once, not at every tool call.

use super::books::Books;
use super::folder::{Access, Folder};
use super::layout;

/// Whether this is the first time that `what` is told to the session; of hooks in parallel, one is told so.
///
/// Where no mark can be made, every time is the first: there the journal is missing too, and nobody else would tell.
pub fn first_time(books: &Books, session: &str, what: &str) -> bool {
    let mark = books.told().join(layout::digest(&[session, what]));
    let is_marked = |folder: &Folder| folder.find(&mark).is_ok_and(|found| found.is_some());
    if books.opened().ok().flatten().is_some_and(is_marked) {
        return false;
    }
    let Ok(folder) = books.prepare(&mark) else { return true };
    match folder.create(&mark, b"", Access::Ours) {
        Ok(()) => layout::clear_old_beside(folder, &mark),
        Err(error) if error.is_taken() && is_marked(folder) => return false,
        Err(_) => {}
    }
    true
}
