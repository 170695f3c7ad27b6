//! A terminal with a user at it.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::project::Printed;

/// A terminal. It is there as long as this is.
pub(crate) struct Terminal {
    controller: File,
}

impl Terminal {
    /// A new terminal.
    pub(crate) fn new() -> Terminal {
        let controller: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        Terminal { controller: File::from(controller) }
    }

    /// The side that programs read from.
    pub(crate) fn users_side(&self) -> File {
        let name = ptsname(&self.controller, Vec::new()).unwrap();
        File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap()
    }

    /// Runs a command whose user types this.
    pub(crate) fn run(&self, mut command: Command, typed: &str) -> Printed {
        let side = self.users_side();
        (&self.controller).write_all(typed.as_bytes()).unwrap();
        command.stdin(side).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.output().unwrap().into()
    }
}

/// Runs a command at a terminal whose user types this.
pub(crate) fn at_terminal(command: Command, typed: &str) -> Printed {
    Terminal::new().run(command, typed)
}
