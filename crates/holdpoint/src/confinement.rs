//! How a program of a check or a reviewer is started: with a fixed list of variables, and on Linux able to write in a
//! few folders only. Reading and running stay free.

mod folders;
pub mod launcher;
pub mod variables;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use holdpoint_core::workflow::grants::Grants;

use crate::env::Env;
use crate::env_vars::{PATH, REVIEWER};
use crate::program;

/// Who a program works for: what it is given depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A reviewer: it reads the project, and leaves a report.
    Reviewer,
    /// A check: it builds and tests the project.
    Check,
}

/// A program to start.
pub struct Child<'a> {
    /// Its name on PATH, or its path from `folder`.
    pub name: &'a str,
    /// Who it works for.
    pub role: Role,
    /// The folder in which it runs: the project.
    pub folder: &'a Path,
    /// Where it must leave its report.
    pub report: Option<&'a Path>,
    /// What it gets beyond the usual.
    pub grants: &'a Grants,
    /// The surroundings.
    pub env: &'a dyn Env,
}

impl Child<'_> {
    /// Returns the command that starts it, without its arguments. Fails with `NotFound` if there is no such program.
    /// Holdpoint's hooks do nothing in it.
    pub fn command(&self) -> io::Result<Command> {
        self.find()?;
        let folders = if launcher::is_here() { folders::writable(self) } else { None };
        let mut command = match folders {
            Some(folders) => {
                folders::make_missing(self);
                launcher::command(self.name, &folders)
            }
            None => Command::new(self.name),
        };
        command.current_dir(self.folder).env_clear();
        command.envs(variables::passed(self.role, &self.grants.pass)).env(REVIEWER, "1");
        program::with_path(&mut command, self.env);
        Ok(command)
    }

    /// The launcher could only say that it found nothing when it is too late to tell that from the program's own failure.
    fn find(&self) -> io::Result<()> {
        let is_there = if self.name.contains(['/', '\\']) {
            self.folder.join(self.name).exists()
        } else {
            // Without a PATH the system looks where it likes.
            self.env.var(PATH).is_none() || program::on_path(self.name, self.env).is_some() || !cfg!(unix)
        };
        if is_there { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// What a program says when it is refused a write.
const REFUSED: [&str; 2] = ["Permission denied", "EACCES"];

/// A remark for a program that failed and says that it was refused something, where it was started in a sandbox.
pub fn remark(output: &[u8], grants: &Grants) -> Option<&'static str> {
    let is_confined = launcher::is_here() && launcher::can_confine() && !folders::is_anywhere(grants);
    let text = String::from_utf8_lossy(output);
    (is_confined && REFUSED.iter().any(|word| text.contains(word))).then_some(
        "it was refused something. If that was a write, name the folder in `writes = […]`: of its check or reviewer, or of \
         `[programs]` in holdpoint.toml",
    )
}

/// The user's home.
fn home(env: &dyn Env) -> Option<PathBuf> {
    env.var(crate::env_vars::HOME).map(PathBuf::from).filter(|home| home.is_absolute())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;

    #[test]
    fn a_program_that_is_not_there_is_not_started() {
        let env = FixedEnv { variables: [("PATH".to_owned(), "/bin:/usr/bin".to_owned())].into(), now: None };
        let grants = Grants::default();
        let child = |name: &str| {
            let child = Child {
                name,
                role: Role::Check,
                folder: Path::new("/"),
                report: None,
                grants: &grants,
                env: &env,
            };
            child.command().map_err(|error| error.kind()).map(|_| ())
        };
        assert_eq!(child("sh"), Ok(()));
        assert_eq!(child("bin/sh"), Ok(()));
        assert_eq!(child("no-such-program"), Err(io::ErrorKind::NotFound));
        assert_eq!(child("./no-such-program"), Err(io::ErrorKind::NotFound));
    }
}
