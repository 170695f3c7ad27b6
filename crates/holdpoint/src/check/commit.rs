//! Committing: exactly the files it is told, with the message it is told; nothing where it is `done` already. Whether
//! that is what was proved, git is asked afterwards.

use std::process::Command;
use std::time::Duration;

use holdpoint_core::verdict::Verdict;
use serde_json::json;

use super::{Failure, Performed};
use crate::confinement::{Role, variables};
use crate::env::Env;
use crate::env_vars;
use crate::program::{self, Channels, How, millis};
use crate::project::Run;
use crate::store::evidence::Evidence;
use crate::worktree;

/// A commit to make.
pub(super) struct Commit<'a> {
    pub(super) files: &'a [String],
    pub(super) message: &'a str,
    /// Whether it is there already.
    pub(super) is_done: bool,
    pub(super) timeout_s: u32,
}

impl Commit<'_> {
    /// Commits the files, running the repository's own hooks.
    pub(super) fn perform(&self, run: &Run, env: &dyn Env) -> Result<Performed, Failure> {
        if self.is_done {
            return Ok(made(run, Performed::of(Verdict::Pass)));
        }
        let files = self.known(run, env)?;
        if self.message.is_empty() || files.is_empty() {
            return Err(Failure::Lacks("there is nothing to commit, or no message".into()));
        }
        let added = self.git(run, env, &[&["add", "--all", "--"], files.as_slice()].concat())?;
        if added.verdict != Verdict::Pass {
            return Ok(added);
        }
        let words = [&["commit", "--quiet", "--message", self.message, "--"], files.as_slice()].concat();
        Ok(made(run, self.git(run, env, &words)?))
    }

    /// The files without those that were never git's and are gone: git would refuse them all.
    fn known(&self, run: &Run, env: &dyn Env) -> Result<Vec<&str>, Failure> {
        let is_there = |file: &&str| run.home.join(file).symlink_metadata().is_ok();
        let files = self.files.iter().map(String::as_str);
        let (mut known, gone): (Vec<&str>, Vec<&str>) = files.partition(is_there);
        for file in gone {
            if self.git(run, env, &["ls-files", "--error-unmatch", "--", file])?.verdict == Verdict::Pass {
                known.push(file);
            }
        }
        Ok(known)
    }

    fn git(&self, run: &Run, env: &dyn Env, args: &[&str]) -> Result<Performed, Failure> {
        let mut command = Command::new(env.program("git").unwrap_or_else(|| "git".into()));
        // Whoever calls us, from one of git's hooks perhaps, may have another repository or index in mind. Who commits, and
        // when, is theirs to say.
        command.env_clear().envs(variables::passed(Role::Check, &[])).envs(env_vars::for_commit());
        // A file may be called `*.py`.
        command.env("GIT_LITERAL_PATHSPECS", "1");
        command.arg("-C").arg(&run.home).args(["-c", "commit.gpgsign=false"]).args(args);
        program::with_path(&mut command, env);
        let deadline = Duration::from_secs(u64::from(self.timeout_s));
        let ended = program::run(&mut command, None, deadline, Channels::Both)
            .map_err(|error| Failure::Start(error.to_string()))?;
        let status = match ended.how {
            How::Exit(status) => status,
            How::Late => return Err(Failure::Timeout(self.timeout_s)),
            How::Interrupted => return Err(Failure::Interrupted),
        };
        let verdict = if status.success() { Verdict::Pass } else { Verdict::Fail };
        let output = String::from_utf8_lossy(&ended.output).into_owned();
        let evidence = Evidence { exit: status.code(), took_ms: millis(ended.took), ..Evidence::default() };
        Ok(Performed { output, evidence, ..Performed::of(verdict) })
    }
}

/// What was done, with the commit that is there now.
fn made(run: &Run, mut performed: Performed) -> Performed {
    let head = worktree::head(&run.home).ok().flatten();
    let details = head.filter(|_| performed.verdict == Verdict::Pass);
    let details =
        details.map(|head| json!({ "commit": head.id, "parent": head.parent, "paths": head.paths }));
    performed.evidence.details = details.unwrap_or_default();
    performed
}
