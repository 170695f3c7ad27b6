//! Committing: exactly the files it is told, with the message it is told; nothing where it is `done` already. Whether
//! that is what was proved, git is asked afterwards.

use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;

use holdpoint_core::phase::Review;
use serde_json::{Value as Json, json};

use super::{Failure, Performed, texts};
use crate::env_vars::{self, Env};
use crate::program::{self, Channels, How};
use crate::project::Run;
use crate::worktree;

/// Commits `files` with `message`, running the repository's own hooks.
pub(super) fn perform(review: &Review, run: &Run, env: &dyn Env) -> Result<Performed, Failure> {
    let text = |name: &str| review.told.get(name).and_then(Json::as_str).unwrap_or_default();
    if review.told.get("done").and_then(Json::as_bool) == Some(true) {
        return Ok(made(run, Performed { verdict: Some("pass".to_owned()), ..Performed::default() }));
    }
    let files: Vec<&str> = texts(review.told.get("files")).collect();
    let message = text("message");
    let files = known(review, run, env, files)?;
    if message.is_empty() || files.is_empty() {
        return Err(Failure::Lacks("there is nothing to commit, or no message".into()));
    }
    let added = git(review, run, env, &[&["add", "--all", "--"], files.as_slice()].concat())?;
    if !has_passed(&added) {
        return Ok(added);
    }
    let words = [&["commit", "--quiet", "--message", message, "--"], files.as_slice()].concat();
    Ok(made(run, git(review, run, env, &words)?))
}

/// The files without those that were never git's and are gone: git would refuse them all.
fn known<'a>(
    review: &Review,
    run: &Run,
    env: &dyn Env,
    files: Vec<&'a str>,
) -> Result<Vec<&'a str>, Failure> {
    let is_there = |file: &&str| run.home.join(file).symlink_metadata().is_ok();
    let (mut known, gone): (Vec<&str>, Vec<&str>) = files.into_iter().partition(is_there);
    for file in gone {
        if has_passed(&git(review, run, env, &["ls-files", "--error-unmatch", "--", file])?) {
            known.push(file);
        }
    }
    Ok(known)
}

fn has_passed(performed: &Performed) -> bool {
    performed.verdict.as_deref() == Some("pass")
}

/// What was done, with the commit that is there now.
fn made(run: &Run, performed: Performed) -> Performed {
    let head = worktree::head(&run.home).ok().flatten();
    let details = head.filter(|_| has_passed(&performed));
    let details =
        details.map(|head| json!({ "commit": head.id, "parent": head.parent, "paths": head.paths }));
    Performed { details: details.unwrap_or_default(), ..performed }
}

fn git(review: &Review, run: &Run, env: &dyn Env, args: &[&str]) -> Result<Performed, Failure> {
    let mut command = Command::new("git");
    // Whoever calls us, from one of git's hooks perhaps, may have another repository or index in mind. Who commits, and
    // when, is theirs to say.
    let is_identity = |name: &OsString| {
        let name = name.to_string_lossy();
        name.starts_with("GIT_AUTHOR_") || name.starts_with("GIT_COMMITTER_")
    };
    for name in env_vars::of_git().into_iter().filter(|name| !is_identity(name)) {
        command.env_remove(name);
    }
    // A file may be called `*.py`.
    command.env("GIT_LITERAL_PATHSPECS", "1");
    command.arg("-C").arg(&run.home).args(["-c", "commit.gpgsign=false"]).args(args);
    program::with_path(&mut command, env);
    let deadline = Duration::from_secs(u64::from(review.timeout_s));
    let ended = program::run(&mut command, None, deadline, Channels::Both)
        .map_err(|error| Failure::Start(error.to_string()))?;
    let status = match ended.how {
        How::Exit(status) => status,
        How::Late => return Err(Failure::Timeout(review.timeout_s)),
        How::Interrupted => return Err(Failure::Interrupted),
    };
    let verdict = Some(if status.success() { "pass" } else { "fail" }.to_owned());
    let output = String::from_utf8_lossy(&ended.output).into_owned();
    Ok(Performed { verdict, took: ended.took, exit: status.code(), output, ..Performed::default() })
}
