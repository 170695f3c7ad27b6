//! Whether a folder can be written to.

use std::path::Path;

/// Returns whether a file can be created in a folder. Asks the system: to try it could follow a link out of a project, and
/// leave a file behind.
#[cfg(unix)]
pub(crate) fn can_make_file_in(folder: &Path) -> bool {
    use rustix::fs::Access;
    rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// Returns whether a file can be created in a folder, by creating and removing one.
#[cfg(not(unix))]
pub(crate) fn can_make_file_in(folder: &Path) -> bool {
    let probe = folder.join(format!(".holdpoint-{}.tmp", std::process::id()));
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&probe).is_ok();
    made && std::fs::remove_file(&probe).is_ok()
}
