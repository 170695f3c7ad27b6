//! Someone who follows the guide: a home with Holdpoint and a few programs on PATH, no agent, and a project in it.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use holdpoint::env_vars::ORGANISATION;

use crate::project::{WIDE, allow};
use crate::terminal::{Terminal, in_front};

const HOLDPOINT: &str = env!("CARGO_BIN_EXE_holdpoint");
/// What the guide shows as the reader's home and program.
const HOME: &str = "/home/me";
const PROGRAM: &str = "/home/me/.cargo/bin/holdpoint";
const PROGRAMS: [&str; 18] = [
    "bash", "cat", "chmod", "cp", "find", "git", "grep", "head", "ls", "mkdir", "mv", "printf", "rm", "sed",
    "sh", "sort", "tail", "tr",
];

pub(crate) struct Reader {
    _temporary: tempfile::TempDir,
    home: PathBuf,
}

impl Reader {
    pub(crate) fn new() -> Reader {
        let temporary = tempfile::tempdir().unwrap();
        let home = temporary.path().canonicalize().unwrap();
        std::fs::create_dir_all(home.join("shop")).unwrap();
        std::fs::create_dir_all(home.join("bin")).unwrap();
        symlink(HOLDPOINT, home.join("bin/holdpoint")).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        for program in PROGRAMS {
            let mut places = std::env::split_paths(&path).map(|folder| folder.join(program));
            if let Some(found) = places.find(|path| path.is_file()) {
                symlink(found, home.join("bin").join(program)).unwrap();
            }
        }
        // The reader has read how to install it, and has called `init` in the project.
        allow(&home.join(".local/state"), &home.join("shop"));
        Reader { _temporary: temporary, home }
    }

    /// A path of the project, or with `~/` of the home.
    fn place(&self, path: &str) -> PathBuf {
        path.strip_prefix("~/").map_or_else(|| self.home.join("shop").join(path), |path| self.home.join(path))
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let place = self.place(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(&place, text).unwrap();
        if text.starts_with("#!") {
            std::fs::set_permissions(place, PermissionsExt::from_mode(0o755)).unwrap();
        }
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.place(path)).unwrap()
    }

    /// What a command prints, on standard error too.
    pub(crate) fn run(&self, command: &str) -> String {
        let bin = self.home.join("bin");
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(format!("exec 2>&1\n{command}")).stdin(Stdio::null());
        shell.current_dir(self.home.join("shop")).env_clear().env("PATH", &bin).env("HOME", &self.home);
        shell.env(ORGANISATION, "/nonexistent");
        shell.env("SHELL", "/bin/sh").env("LC_ALL", "C.UTF-8").env("TMPDIR", &self.home);
        shell.env(WIDE.0, WIDE.1);
        for name in ["GIT_AUTHOR", "GIT_COMMITTER"] {
            shell.env(format!("{name}_NAME"), "Me").env(format!("{name}_EMAIL"), "me@example.com");
        }
        // Only a user at a terminal can allow: the reader is one.
        let is_users = ["holdpoint allow", "holdpoint init"].iter().any(|words| command.contains(words));
        let _terminal = is_users.then(|| {
            let terminal = Terminal::new();
            shell = in_front(&shell);
            shell.stdin(terminal.users_side());
            terminal
        });
        let printed = String::from_utf8(shell.output().unwrap().stdout).unwrap();
        let program = Path::new(HOLDPOINT).canonicalize().unwrap();
        printed.replace(program.to_str().unwrap(), PROGRAM).replace(self.home.to_str().unwrap(), HOME)
    }
}
