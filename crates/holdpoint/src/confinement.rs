//! How a program of a check or a reviewer is started: with a fixed list of variables, and on Linux able to write in a
//! few folders only. Reading and running stay free.

mod folders;
pub mod sandbox;
pub mod variables;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use holdpoint_core::workflow::grants::Grants;

use crate::caller::Performer;
use crate::env::Env;
use crate::env_vars::{PATH, REVIEWER};
use crate::program::Ended;
use crate::store::review_token::ReviewToken;

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
    /// Starts it: `run` gets its command, without its arguments. Fails with `NotFound` if there is no such program, and
    /// without starting it if it cannot be confined where the system can do that.
    pub fn start(&self, run: impl FnOnce(Command) -> io::Result<Ended> + Send) -> io::Result<Ended> {
        let mut command = Command::new(self.find()?);
        command.current_dir(self.folder).env_clear();
        command.envs(variables::passed(self.role, &self.grants.pass));
        variables::pass_pinned(&mut command, self.role, self.env);
        // Holdpoint's hooks leave a reviewer alone. A check must not see that it is one.
        let token = (self.role == Role::Reviewer).then(|| ReviewToken::give(self.env));
        command.envs(token.iter().map(|token| (REVIEWER, token.value())));
        let _performer = Performer::note(self.env);
        match folders::writable(self) {
            Some(folders) if sandbox::can_confine() => {
                folders::make_missing(self);
                sandbox::within(&folders, || run(command))
            }
            _ => run(command),
        }
    }

    /// Does something in a thread that can write what it could, and starts nothing that could write more.
    pub fn confined<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        match folders::writable(self) {
            Some(folders) => sandbox::within(&folders, work),
            None => work(),
        }
    }

    /// Returns whether it can write its report only if the file is there already: it can make none in that folder.
    pub fn needs_report(&self) -> bool {
        let (Some(report), Some(folders)) = (self.report, folders::writable(self)) else { return false };
        sandbox::can_confine() && !folders.iter().any(|open| open != report && report.starts_with(open))
    }

    /// Where it is. A path is meant from the folder it runs in.
    fn find(&self) -> io::Result<PathBuf> {
        let (place, is_there) = if self.name.contains(['/', '\\']) {
            let place = self.folder.join(self.name);
            let is_there = place.exists();
            (place, is_there)
        } else if let Some(file) = self.env.program(self.name) {
            (file, true)
        } else {
            // Without a PATH the system looks where it likes.
            (self.name.into(), self.env.var(PATH).is_none() || !cfg!(unix))
        };
        if is_there { Ok(place) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// Why a program is not confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unconfined {
    /// The system cannot do it.
    #[error("this system has no sandbox")]
    System,
    /// Its workflow or the project's settings say so.
    #[error("`writes` grants it `/`")]
    Granted,
}

/// Returns why a program with these grants is not confined; none if it is.
pub fn unconfined(grants: &Grants) -> Option<Unconfined> {
    if folders::is_anywhere(grants) {
        return Some(Unconfined::Granted);
    }
    (!sandbox::can_confine()).then_some(Unconfined::System)
}

/// What a program says when it is refused a write.
const REFUSED: [&str; 2] = ["Permission denied", "EACCES"];

/// A remark for a program that failed and says that it was refused something, where it was started in a sandbox.
pub fn remark(output: &[u8], grants: &Grants) -> Option<&'static str> {
    let text = String::from_utf8_lossy(output);
    let is_refused = REFUSED.iter().any(|word| text.contains(word));
    (is_refused && unconfined(grants).is_none()).then_some(
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
            child.start(|_| Err(io::ErrorKind::Interrupted.into())).unwrap_err().kind()
        };
        assert_eq!(child("sh"), io::ErrorKind::Interrupted, "it is there");
        assert_eq!(child("bin/sh"), io::ErrorKind::Interrupted, "from the folder it runs in");
        assert_eq!(child("no-such-program"), io::ErrorKind::NotFound);
        assert_eq!(child("./no-such-program"), io::ErrorKind::NotFound);
    }
}
