//! A terminal with a user at it.

use std::fs::File;
use std::io::{Read, Write};
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

    /// The side that the user is at.
    #[cfg(target_os = "linux")]
    pub(crate) fn controller(&self) -> &File {
        &self.controller
    }

    /// The side that programs read from.
    pub(crate) fn users_side(&self) -> File {
        let name = ptsname(&self.controller, Vec::new()).unwrap();
        File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap()
    }

    /// Returns what a command shows here, on so many columns.
    pub(crate) fn shown(self, mut command: Command, columns: u16) -> String {
        let side = self.users_side();
        let window = rustix::termios::Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&side, window).unwrap();
        command.stdin(side.try_clone().unwrap()).stdout(side.try_clone().unwrap()).stderr(side);
        let mut child = command.spawn().unwrap();
        // The terminal is closed when nobody holds the other side any more.
        drop(command);
        let mut shown = Vec::new();
        let _ = (&self.controller).read_to_end(&mut shown);
        child.wait().unwrap();
        String::from_utf8(shown).unwrap().replace("\r\n", "\n")
    }

    /// Runs a command whose user types this.
    pub(crate) fn run(&self, command: Command, typed: &str) -> Printed {
        let side = self.users_side();
        let mut command = in_front(&command);
        (&self.controller).write_all(typed.as_bytes()).unwrap();
        command.stdin(side).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.output().unwrap().into()
    }
}

/// The same command as a shell starts it: standard input is its own terminal, and it is in front there. Its variables are
/// those that were set, and no others.
pub(crate) fn in_front(command: &Command) -> Command {
    // Whatever the command's own PATH is.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let setsid = std::env::split_paths(&path).map(|folder| folder.join("setsid")).find(|file| file.is_file());
    let mut seated = Command::new(setsid.unwrap());
    seated.args(["--ctty", "--wait"]).arg(command.get_program()).args(command.get_args()).env_clear();
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    seated.envs(set).current_dir(command.get_current_dir().unwrap_or(std::path::Path::new(".")));
    seated
}

/// Runs a command at a terminal whose user types this.
pub(crate) fn at_terminal(command: Command, typed: &str) -> Printed {
    Terminal::new().run(command, typed)
}
