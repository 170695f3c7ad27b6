//! What has been told to a session already: a fault is shown once, not at every tool call.

use std::io;
use std::path::Path;

use super::{atomic, layout};

/// Whether this is the first time that `what` is told to the session; of hooks in parallel, one is told so.
///
/// Where no mark can be made, every time is the first: there the journal is missing too, and nobody else would tell.
pub fn first_time(home: &Path, session: &str, what: &str) -> bool {
    let mark = layout::told(home).join(layout::digest(&[session, what]));
    if mark.exists() {
        return false;
    }
    match layout::prepare(home, &mark).and_then(|()| atomic::create(&mark, b"")) {
        Ok(()) => layout::clear_old(&layout::told(home)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && mark.exists() => return false,
        Err(_) => {}
    }
    true
}
