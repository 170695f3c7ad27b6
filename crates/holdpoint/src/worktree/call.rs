//! One call of git about a working tree: in an environment of its own, with an index and objects that are not the
//! user's, within a deadline.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::repository::Repository;
use crate::{env_vars, process_group};

/// How long one call may take. The first look at a large repository reads every file.
const CALL_MAX: Duration = Duration::from_mins(5);
/// How much of git's complaint is told.
const COMPLAINT_LINES_MAX: usize = 3;

/// What is set for every call, whatever the user's configuration says: no program of others beside the filters that
/// `git add` runs too, nothing that lets git believe that a file is unchanged without looking at it, nothing that
/// makes it stop where it would only warn, no network.
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
    name: &'static str,
    input: Vec<u8>,
    deadline: Duration,
}

/// What git did.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) status: ExitStatus,
    pub(super) printed: Vec<u8>,
    complaint: Vec<u8>,
    name: &'static str,
}

impl Call {
    /// `git NAME ARGS…` in a repository.
    pub(super) fn new(repository: &Repository, name: &'static str, args: &[&str]) -> Call {
        let mut git = Command::new("git");
        set_apart(&mut git, repository);
        git.arg("-C").arg(&repository.root);
        for setting in SETTINGS {
            git.args(["-c", setting]);
        }
        git.arg(name).args(args);
        Call { git, name, input: Vec::new(), deadline: CALL_MAX }
    }

    /// With this index.
    pub(super) fn index(mut self, path: &Path) -> Call {
        self.git.env("GIT_INDEX_FILE", path);
        self
    }

    /// With the working tree at `path` in place of the repository's own.
    pub(super) fn working_tree(mut self, path: &Path) -> Call {
        self.git.env("GIT_WORK_TREE", path);
        self
    }

    /// With this on standard input.
    pub(super) fn input(mut self, bytes: Vec<u8>) -> Call {
        self.input = bytes;
        self
    }

    /// What git prints; an error in its own words if it does not succeed.
    pub(super) fn printed(self) -> Result<Vec<u8>, String> {
        let done = self.done()?;
        if done.status.success() { Ok(done.printed) } else { Err(done.complaint()) }
    }

    /// What git did. Files in place of pipes: nothing has to be read while it runs.
    pub(super) fn done(mut self) -> Result<Done, String> {
        let (name, deadline) = (self.name, self.deadline);
        let started = || -> io::Result<(Child, File, File)> {
            let (mut input, output, complaint) =
                (tempfile::tempfile()?, tempfile::tempfile()?, tempfile::tempfile()?);
            input.write_all(&self.input)?;
            input.rewind()?;
            self.git.stdin(input).stdout(Stdio::from(output.try_clone()?));
            self.git.stderr(Stdio::from(complaint.try_clone()?));
            process_group::own(&mut self.git);
            Ok((self.git.spawn()?, output, complaint))
        }();
        let (child, output, complaint) =
            started.map_err(|error| format!("git {name} could not be started: {error}"))?;
        let status = wait(child, deadline)
            .ok_or_else(|| format!("git {name} did not end within {} seconds", deadline.as_secs()))?;
        let read = |file| whole(file).map_err(|error| format!("git {name}: {error}"));
        Ok(Done { status, printed: read(output)?, complaint: read(complaint)?, name })
    }
}

impl Done {
    /// What git complains of.
    pub(super) fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.complaint);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(COMPLAINT_LINES_MAX)..];
        if last.is_empty() {
            return format!("git {} failed: {}", self.name, self.status);
        }
        format!("git {}: {}", self.name, last.join("; "))
    }
}

/// Nothing that the caller's environment says about git reaches ours, but where its configuration is.
fn set_apart(git: &mut Command, repository: &Repository) {
    for name in env_vars::of_git() {
        git.env_remove(name);
    }
    if cfg!(test) {
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    }
    git.env("GIT_WORK_TREE", &repository.root)
        // A `.git` that is no repository must not lead to one further up.
        .env("GIT_CEILING_DIRECTORIES", repository.root.parent().unwrap_or(Path::new("/")))
        .env("GIT_OBJECT_DIRECTORY", repository.ours.objects())
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", in_a_list(&repository.objects))
        // What `git replace` and grafts say is not what is there.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_GRAFT_FILE", "/dev/null")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0");
}

/// A path as one of a list: quoted if it has the sign that parts a list.
fn in_a_list(path: &Path) -> OsString {
    match path.to_str() {
        Some(text) if text.contains([':', '"']) && cfg!(unix) => {
            format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\"")).into()
        }
        _ => OsStr::new(path).to_owned(),
    }
}

/// How the child ended; nothing if it did not in time, and then it is gone with all it started.
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
        // Most calls take a few milliseconds: a longer pause would be felt.
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
        assert_eq!(ended.unwrap_err(), "git add did not end within 1 seconds");
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    }
}
