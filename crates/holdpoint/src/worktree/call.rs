//! One call of git about a working tree: in its own environment, with an index and objects that are not the user's,
//! within a deadline.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::error::GitError;
use super::repository::Repository;
use crate::{env_vars, process_group};

/// How long one call may take. The first call in a large repository reads every file.
const CALL_MAX: Duration = Duration::from_mins(5);
/// How many lines of git's message an error shows.
const MESSAGE_LINES_MAX: usize = 3;

/// Configuration for every call, whatever the user's says: no foreign programs except the filters that `git add` runs
/// too, nothing that lets git skip a file as unchanged without reading it, nothing that turns a warning into an error,
/// no network.
const SETTINGS: [&str; 17] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.ignoreStat=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.safecrlf=false",
    "core.preloadIndex=true",
    "index.sparse=false",
    "index.skipHash=true",
    "sparse.expectFilesOutsideOfPatterns=false",
    "add.ignoreErrors=false",
    "advice.addEmbeddedRepo=false",
    "i18n.logOutputEncoding=UTF-8",
    "submodule.recurse=false",
    "protocol.allow=never",
];

/// One call of git.
#[derive(Debug)]
pub(super) struct Call {
    git: Command,
    command: &'static str,
    input: Vec<u8>,
    deadline: Duration,
}

/// A call that has ended.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) status: ExitStatus,
    pub(super) printed: Vec<u8>,
    message: Vec<u8>,
    command: &'static str,
}

impl Call {
    /// Prepares `git COMMAND ARGS…` in a repository.
    pub(super) fn new(repository: &Repository, command: &'static str, args: &[&str]) -> Call {
        let (program, path) = &repository.git;
        let mut git = Command::new(program);
        git.envs(path.iter().map(|path| (env_vars::PATH, path)));
        set_apart(&mut git, repository);
        git.arg("-C").arg(&repository.root);
        for setting in SETTINGS {
            git.args(["-c", setting]);
        }
        git.arg(command).args(args);
        Call { git, command, input: Vec::new(), deadline: CALL_MAX }
    }

    /// Uses this index.
    pub(super) fn index(mut self, path: &Path) -> Call {
        self.git.env("GIT_INDEX_FILE", path);
        self
    }

    /// Uses the working tree at `path` instead of the repository's own.
    pub(super) fn working_tree(mut self, path: &Path) -> Call {
        self.git.env("GIT_WORK_TREE", path);
        self
    }

    /// Gives git this on standard input.
    pub(super) fn input(mut self, bytes: Vec<u8>) -> Call {
        self.input = bytes;
        self
    }

    /// Returns what git prints, or an error with git's message if it fails.
    pub(super) fn printed(self) -> Result<Vec<u8>, GitError> {
        let done = self.done()?;
        if done.status.success() { Ok(done.printed) } else { Err(done.error()) }
    }

    /// Runs git to its end. It prints to files, not pipes, so that nothing has to be read while it runs.
    pub(super) fn done(mut self) -> Result<Done, GitError> {
        let (command, deadline) = (self.command, self.deadline);
        let started = || -> io::Result<(Child, File, File)> {
            let (mut input, output, message) =
                (tempfile::tempfile()?, tempfile::tempfile()?, tempfile::tempfile()?);
            input.write_all(&self.input)?;
            input.rewind()?;
            self.git.stdin(input).stdout(Stdio::from(output.try_clone()?));
            self.git.stderr(Stdio::from(message.try_clone()?));
            process_group::own(&mut self.git);
            Ok((self.git.spawn()?, output, message))
        }();
        let (child, output, message) = started.map_err(|source| GitError::Start { command, source })?;
        let seconds = deadline.as_secs();
        let status = wait(child, deadline).ok_or(GitError::Timeout { command, seconds })?;
        let read = |file| whole(file).map_err(|source| GitError::Output { command, source });
        Ok(Done { status, printed: read(output)?, message: read(message)?, command })
    }
}

impl Done {
    /// Returns the error of a call that failed, with the end of git's message.
    pub(super) fn error(&self) -> GitError {
        let text = String::from_utf8_lossy(&self.message);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(MESSAGE_LINES_MAX)..];
        match last {
            [] => GitError::Silent { command: self.command, status: self.status },
            last => GitError::Failed { command: self.command, message: last.join("; ") },
        }
    }
}

/// Hides the caller's git variables from this call, except those that say where git's configuration is.
fn set_apart(git: &mut Command, repository: &Repository) {
    for name in env_vars::of_git() {
        git.env_remove(name);
    }
    if cfg!(test) {
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    }
    git.env("GIT_WORK_TREE", &repository.root)
        // If `.git` is not a repository, git must not find one further up.
        .env("GIT_CEILING_DIRECTORIES", repository.root.parent().unwrap_or(Path::new("/")))
        .env("GIT_OBJECT_DIRECTORY", repository.ours.objects())
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", in_a_list(&repository.objects))
        // `git replace` and grafts show commits that differ from the real ones.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_GRAFT_FILE", "/dev/null")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0");
}

/// Quotes a path for a list of paths, if it contains the list's separator.
fn in_a_list(path: &Path) -> OsString {
    match path.to_str() {
        Some(text) if text.contains([':', '"']) && cfg!(unix) => {
            format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\"")).into()
        }
        _ => OsStr::new(path).to_owned(),
    }
}

/// Waits for the child. Kills it, with everything it started, and returns `None` if it takes too long.
fn wait(mut child: Child, deadline: Duration) -> Option<ExitStatus> {
    let started = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if started.elapsed() < deadline => std::thread::sleep(pause),
            Ok(None) | Err(_) => {
                process_group::kill(&child);
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
        // Most calls take a few milliseconds: a longer pause would be noticeable.
        pause = (pause * 2).min(Duration::from_millis(1));
    }
}

fn whole(mut file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_hangs_ends_with_its_call() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let setup = "git init -q && echo x > x && echo '* filter=slow' > .gitattributes \
            && git config filter.slow.clean 'sleep 60; cat'";
        assert!(Command::new("sh").args(["-c", setup]).current_dir(root).status().unwrap().success());
        let repository = Repository::at(root).unwrap();
        let call = Call::new(&repository, "add", &["--all"]).index(&root.join(".git/ours"));
        let started = Instant::now();
        let ended = Call { deadline: Duration::from_secs(1), ..call }.printed();
        assert_eq!(ended.unwrap_err().to_string(), "git add did not end within 1 seconds");
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    }
}
