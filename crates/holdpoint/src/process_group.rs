//! Child processes in a group of their own, so that all they started can be ended with them.

use std::process::{Child, Command};

/// Starts the command in a group of its own.
#[cfg(unix)]
pub fn own(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Ends the child and everything in its group.
#[cfg(unix)]
pub fn kill(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

/// Where there are no groups, nothing.
#[cfg(not(unix))]
pub fn own(_: &mut Command) {}

/// Where there are no groups, nothing.
#[cfg(not(unix))]
pub fn kill(_: &Child) {}
