//! One call of git about a working tree, within a deadline: in a repository of Holdpoint's own, where nothing of the
//! user's configuration, attributes and indexes counts, or in the user's.

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

/// Configuration for every call, whatever any file says: no foreign programs, nothing that changes a file's bytes or mode
/// on the way, nothing that lets git skip a file as unchanged without reading it, nothing that turns a warning into an
/// error, no network.
const SETTINGS: [&str; 26] = [
    "core.fileMode=true",
    "core.symlinks=true",
    "core.ignoreCase=false",
    "core.autocrlf=false",
    "core.attributesFile=/dev/null",
    "core.sparseCheckout=false",
    "core.quotePath=true",
    "diff.external=",
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
    "advice.graftFileDeprecated=false",
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

/// The git that is pinned, or the one that is there.
fn program(repository: &Repository) -> Command {
    let (program, path) = &repository.program;
    let mut git = Command::new(program);
    git.envs(path.iter().map(|path| (env_vars::PATH, path)));
    git
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
    /// Prepares `git COMMAND ARGS…` in Holdpoint's own repository, for the working tree of the user's.
    pub(super) fn new(repository: &Repository, command: &'static str, args: &[&str]) -> Call {
        Call::with(repository, &[], command, args)
    }

    /// Prepares the same with further configuration.
    pub(super) fn with(
        repository: &Repository,
        settings: &[String],
        command: &'static str,
        args: &[&str],
    ) -> Call {
        let mut git = program(repository);
        set_apart(&mut git, repository);
        for setting in SETTINGS.into_iter().chain(settings.iter().map(String::as_str)) {
            git.args(["-c", setting]);
        }
        git.current_dir(&repository.root).arg(command).args(args);
        Call { git, command, input: Vec::new(), deadline: CALL_MAX }
    }

    /// Prepares `git COMMAND ARGS…` in the user's repository: what only that can say, such as which commit is checked out.
    pub(super) fn users(repository: &Repository, command: &'static str, args: &[&str]) -> Call {
        let mut git = program(repository);
        for name in env_vars::of_git() {
            git.env_remove(name);
        }
        if cfg!(test) {
            git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        }
        // If `.git` is not a repository, git must not find one further up.
        git.env("GIT_CEILING_DIRECTORIES", repository.root.parent().unwrap_or(Path::new("/")))
            .env("GIT_WORK_TREE", &repository.root);
        believe_objects(&mut git);
        git.args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "protocol.allow=never",
        ]);
        git.args(["-c", "i18n.logOutputEncoding=UTF-8", "-c", "advice.graftFileDeprecated=false"]);
        git.current_dir(&repository.root).arg(command).args(args);
        Call { git, command, input: Vec::new(), deadline: CALL_MAX }
    }

    /// Uses this index.
    pub(super) fn index(mut self, path: &Path) -> Call {
        self.git.env("GIT_INDEX_FILE", path);
        self
    }

    /// Uses the working tree at `path` instead of the repository's own.
    pub(super) fn working_tree(mut self, path: &Path) -> Call {
        self.git.env("GIT_WORK_TREE", path).current_dir(path);
        self
    }

    /// Uses this git folder, from wherever it is called.
    pub(super) fn git_folder(mut self, path: &Path) -> Call {
        self.git.env("GIT_DIR", path);
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

/// Leaves git nothing of the caller's environment and the user's configuration: its repository is Holdpoint's own.
fn set_apart(git: &mut Command, repository: &Repository) {
    git.env_clear()
        .envs(env_vars::for_git())
        .env("LC_ALL", "C")
        .env("GIT_DIR", repository.ours.path())
        .env("GIT_WORK_TREE", &repository.root)
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", in_a_list(&repository.objects))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_ATTR_NOSYSTEM", "1");
    believe_objects(git);
}

/// Has git show objects as they are, name paths by their letters, and wait for nobody.
fn believe_objects(git: &mut Command) {
    // `git replace` and grafts show commits that differ from the real ones.
    git.env("GIT_NO_REPLACE_OBJECTS", "1")
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
        let repository = Repository::at(root, &crate::env::FixedEnv::default()).unwrap();
        let call = Call::users(&repository, "add", &["--all"]).index(&root.join(".git/ours"));
        let started = Instant::now();
        let ended = Call { deadline: Duration::from_secs(1), ..call }.printed();
        assert_eq!(ended.unwrap_err().to_string(), "git add did not end within 1 seconds");
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    }
}
