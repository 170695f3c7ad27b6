//! Child processes in their own process group, so that everything they started can be killed with them.

use std::io;
use std::process::{Child, Command, Stdio};

/// Makes the command start in a new process group.
#[cfg(unix)]
pub fn own(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Kills the child and everything in its group.
#[cfg(unix)]
pub fn kill(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

/// Does nothing on systems without process groups.
#[cfg(not(unix))]
pub fn own(_: &mut Command) {}

/// Does nothing on systems without process groups.
#[cfg(not(unix))]
pub fn kill(_: &Child) {}

/// A process group for successive children. Dropping it kills what is left.
#[derive(Debug)]
pub struct Group {
    /// An idle process whose id is the group's. While it lives, the id cannot be reused.
    keeper: Child,
}

impl Group {
    /// Creates a group.
    pub fn new() -> io::Result<Group> {
        let mut command = Command::new("cat");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        own(&mut command);
        Ok(Group { keeper: command.spawn()? })
    }

    /// Makes the command start in this group.
    #[cfg(unix)]
    pub fn take_in(&self, command: &mut Command) {
        let group = i32::try_from(self.keeper.id()).unwrap_or(0);
        std::os::unix::process::CommandExt::process_group(command, group);
    }

    /// Does nothing on systems without process groups.
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
