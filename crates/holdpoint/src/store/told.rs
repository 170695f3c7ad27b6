//! What has been told to a session already: a fault is shown once, not at every tool call.

use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{atomic, layout};

/// Marks older than this are cleared away.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// Whether this is the first time that `what` is told to the session; of hooks in parallel, one is told so.
///
/// Where no mark can be made, every time is the first: there the journal is missing too, and nobody else would tell.
pub fn first_time(home: &Path, session: &str, what: &str) -> bool {
    let mark = layout::told(home).join(layout::digest(&[session, what]));
    if mark.exists() {
        return false;
    }
    match layout::prepare(home, &mark).and_then(|()| atomic::create(&mark, b"")) {
        Ok(()) => clear_old(&layout::told(home)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && mark.exists() => return false,
        Err(_) => {}
    }
    true
}

fn clear_old(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let old = |modified: SystemTime| modified.elapsed().is_ok_and(|age| age > KEPT);
    for entry in entries.flatten() {
        if entry.metadata().and_then(|metadata| metadata.modified()).is_ok_and(old) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
