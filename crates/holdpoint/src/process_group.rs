//! Child processes in a group of their own, so that all they started can be ended with them.

use std::io;
use std::process::{Child, Command, Stdio};

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

/// A group that outlasts the programs that run in it, one after the other; all that is left in it ends with it.
#[derive(Debug)]
pub struct Group {
    /// A process that does nothing: its id is the group's, which no other can be given meanwhile.
    keeper: Child,
}

impl Group {
    /// A new group.
    pub fn new() -> io::Result<Group> {
        let mut command = Command::new("cat");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        own(&mut command);
        Ok(Group { keeper: command.spawn()? })
    }

    /// Starts the command in this group.
    #[cfg(unix)]
    pub fn take_in(&self, command: &mut Command) {
        let group = i32::try_from(self.keeper.id()).unwrap_or(0);
        std::os::unix::process::CommandExt::process_group(command, group);
    }

    /// Where there are no groups, nothing.
    #[cfg(not(unix))]
    pub fn take_in(&self, _: &mut Command) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        kill(&self.keeper);
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}
