//! Committing: exactly the files it is told, as they are in the tree that was proved, with the message it is told; nothing
//! where it is `done` already. Whether that is what was proved, git is asked afterwards.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use holdpoint_core::verdict::Verdict;
use holdpoint_core::world::Head;
use serde_json::json;

use super::place::no_bench;
use super::{Failure, Performed};
use crate::bench::Bench;
use crate::confinement::{Role, variables};
use crate::env::Env;
use crate::env_vars;
use crate::error::in_full;
use crate::program::{self, Channels, Ended, How, millis};
use crate::project::Run;
use crate::store::evidence::Evidence;
use crate::store::git_folder::copy_index;
use crate::worktree::{self, TreeError};

/// A commit to make.
pub(super) struct Commit<'a> {
    pub(super) files: &'a [String],
    pub(super) message: &'a str,
    /// The tree that was proved.
    pub(super) tree: Option<&'a str>,
    /// Whether it is there already.
    pub(super) is_done: bool,
    pub(super) timeout_s: u32,
}

/// What a commit is made of and with.
struct Making<'a> {
    commit: &'a Commit<'a>,
    run: &'a Run,
    env: &'a dyn Env,
    head: Option<Head>,
}

impl Commit<'_> {
    /// Makes the commit of the tree, after the repository's own hooks have seen it.
    pub(super) fn perform(&self, run: &Run, env: &dyn Env) -> Result<Performed, Failure> {
        if self.is_done {
            return Ok(made(run, env, Performed::of(Verdict::Pass)));
        }
        if self.message.is_empty() || self.files.is_empty() {
            return Err(Failure::Lacks("there is nothing to commit, or no message".into()));
        }
        let head = worktree::head(&run.home, env).map_err(|error| untold(&error))?;
        let making = Making { commit: self, run, env, head };
        let tree = making.tree().map_err(|error| untold(&error))?;
        if making.head.as_ref().is_some_and(|head| head.tree == tree) {
            return Ok(refused("there is nothing to commit: the files are as they were".to_owned()));
        }
        let bench = Bench::open(run, env).map_err(|error| no_bench(&error))?;
        bench.lay(&tree, env).map_err(|error| no_bench(&error))?;
        Ok(made(run, env, making.perform(&bench, &tree)?))
    }
}

impl Making<'_> {
    /// The tree of the last commit, with the files of the tree that was proved.
    fn tree(&self) -> Result<String, TreeError> {
        let (home, env) = (&self.run.home, self.env);
        let proved = match self.commit.tree {
            Some(tree) => tree.to_owned(),
            None => worktree::hash(home, &[], env)?,
        };
        let base = match &self.head {
            Some(head) => head.tree.clone(),
            None => worktree::tree_without(home, &proved, &["**".to_owned()], env)?,
        };
        worktree::tree_with(home, &base, &proved, self.commit.files, env)
    }

    fn perform(&self, bench: &Bench, tree: &str) -> Result<Performed, Failure> {
        let filtered = bench.copy().filtered(tree, self.commit.files).map_err(|error| untold(&error))?;
        if !filtered.is_empty() {
            return Ok(refused(format!(
                "git would not store these files as they were proved, because of a filter or a rule for line ends: {}",
                filtered.join(", ")
            )));
        }
        let base = self.head.as_ref().map(|head| head.id.as_str());
        bench.copy().hand_over(tree, base).map_err(|error| untold(&error))?;
        let scratch = tempfile::tempdir().map_err(|error| started(&error))?;
        let message = match self.hooks(bench, scratch.path())? {
            Ok(message) => message,
            Err(refused) => return Ok(refused),
        };
        let committed = self.commit_tree(tree, &message)?;
        if committed.verdict != Verdict::Pass {
            return Ok(committed);
        }
        let moved = self.move_head(committed.output.trim(), &message)?;
        if moved.verdict != Verdict::Pass {
            return Ok(moved);
        }
        let refreshed = self.refresh()?;
        self.tell_hook()?;
        Ok(refreshed)
    }

    /// Runs the repository's own hooks on the bench. Returns the message, or what refuses the commit.
    fn hooks(&self, bench: &Bench, scratch: &Path) -> Result<Result<String, Performed>, Failure> {
        let (index, file) = (scratch.join("index"), scratch.join("COMMIT_EDITMSG"));
        copy_index(&bench.index(), &index).map_err(|error| started(&error))?;
        io::Write::write_all(
            &mut std::fs::File::create(&file).map_err(|error| started(&error))?,
            format!("{}\n", self.commit.message).as_bytes(),
        )
        .map_err(|error| started(&error))?;
        for name in ["pre-commit", "commit-msg"] {
            let Some(hook) = self.hook(name)? else { continue };
            let mut command = self.hook_command(&hook, bench.folder())?;
            command.env("GIT_INDEX_FILE", &index);
            if name == "commit-msg" {
                command.arg(&file);
            }
            let ran = self.ended(program::run(&mut command, None, self.deadline(), Channels::Both))?;
            if ran.verdict != Verdict::Pass {
                return Ok(Err(ran));
            }
            let differing = bench.differing().map_err(|error| no_bench(&error))?;
            if !differing.is_empty() {
                let files = differing.join(", ");
                let why = format!("the {name} hook changed files, and what it wrote is not proved: {files}");
                return Ok(Err(refused(why)));
            }
        }
        let message = std::fs::read_to_string(&file).map_err(|error| started(&error))?;
        Ok(Ok(format!("{}\n", message.trim_end())))
    }

    /// A hook of the repository, if it has it.
    fn hook(&self, name: &str) -> Result<Option<PathBuf>, Failure> {
        let found = self.git(&["rev-parse", "--git-path", &format!("hooks/{name}")], None)?;
        let path = self.run.home.join(found.output.trim());
        Ok((found.verdict == Verdict::Pass && crate::world::is_program(&path)).then_some(path))
    }

    fn hook_command(&self, hook: &Path, folder: &Path) -> Result<Command, Failure> {
        let mut command = Command::new(hook);
        self.surround(&mut command);
        command.current_dir(folder).env_remove("GIT_LITERAL_PATHSPECS");
        command.env("GIT_DIR", self.git_folder()?).env("GIT_WORK_TREE", folder);
        Ok(command)
    }

    /// Runs the hook that is told of a commit that was made, as git would. What comes of it changes nothing.
    fn tell_hook(&self) -> Result<(), Failure> {
        if let Some(hook) = self.hook("post-commit")? {
            let mut command = self.hook_command(&hook, &self.run.home)?;
            let _ = program::run(&mut command, None, self.deadline(), Channels::Both);
        }
        Ok(())
    }

    fn git_folder(&self) -> Result<String, Failure> {
        Ok(self.git(&["rev-parse", "--absolute-git-dir"], None)?.output.trim().to_owned())
    }

    /// Who commits, and whether it is signed, is as git would have it.
    fn commit_tree(&self, tree: &str, message: &str) -> Result<Performed, Failure> {
        let is_signed = self.git(&["config", "--type=bool", "--get", "commit.gpgsign"], None)?;
        let mut words = vec!["commit-tree", tree];
        words.extend(self.head.iter().flat_map(|head| ["-p", head.id.as_str()]));
        if is_signed.output.trim() == "true" {
            words.push("-S");
        }
        words.extend(["-F", "-"]);
        self.git(&words, Some(message.to_owned()))
    }

    /// Moves the branch, if it is where it was.
    fn move_head(&self, commit: &str, message: &str) -> Result<Performed, Failure> {
        let why = format!("commit: {}", message.lines().next().unwrap_or_default());
        let before = self.head.as_ref().map_or_else(|| "0".repeat(commit.len()), |head| head.id.clone());
        self.git(&["-c", "core.hooksPath=/dev/null", "update-ref", "-m", &why, "HEAD", commit, &before], None)
    }

    /// Has the user's index know what was committed. Where that does not work the commit is there all the same.
    fn refresh(&self) -> Result<Performed, Failure> {
        let words = [
            "-c",
            "core.hooksPath=/dev/null",
            "reset",
            "--quiet",
            "--pathspec-from-file=-",
            "--pathspec-file-nul",
        ];
        let files: String = self.commit.files.iter().map(|file| format!("{file}\0")).collect();
        let refreshed = self.git(&words, Some(files))?;
        let evidence = Evidence { exit: Some(0), ..refreshed.evidence };
        let mut performed = Performed { evidence, ..Performed::of(Verdict::Pass) };
        if refreshed.verdict != Verdict::Pass {
            performed
                .evidence
                .doubts
                .push("git's index does not know of the commit yet: run `git reset --quiet`".to_owned());
        }
        Ok(performed)
    }

    fn git(&self, args: &[&str], input: Option<String>) -> Result<Performed, Failure> {
        let mut command = Command::new(self.env.program("git").unwrap_or_else(|| "git".into()));
        self.surround(&mut command);
        command.arg("-C").arg(&self.run.home).args(args);
        self.ended(program::run(&mut command, input, self.deadline(), Channels::Both))
    }

    /// Whoever calls us, from one of git's hooks perhaps, may have another repository or index in mind. Who commits, and
    /// when, and what signs it, is theirs to say.
    fn surround(&self, command: &mut Command) {
        command.env_clear().envs(variables::passed(Role::Check, &[])).envs(env_vars::for_commit());
        // A file may be called `*.py`.
        command.env("GIT_LITERAL_PATHSPECS", "1");
        program::with_path(command, self.env);
    }

    fn deadline(&self) -> Duration {
        Duration::from_secs(u64::from(self.commit.timeout_s))
    }

    fn ended(&self, ended: io::Result<Ended>) -> Result<Performed, Failure> {
        let ended = ended.map_err(|error| started(&error))?;
        let status = match ended.how {
            How::Exit(status) => status,
            How::Late => return Err(Failure::Timeout(self.commit.timeout_s)),
            How::Interrupted => return Err(Failure::Interrupted),
        };
        let verdict = if status.success() { Verdict::Pass } else { Verdict::Fail };
        let output = String::from_utf8_lossy(&ended.output).into_owned();
        let evidence = Evidence { exit: status.code(), took_ms: millis(ended.took), ..Evidence::default() };
        Ok(Performed { output, evidence, ..Performed::of(verdict) })
    }
}

/// A commit that is not made, and why.
fn refused(why: String) -> Performed {
    Performed { output: why, ..Performed::of(Verdict::Fail) }
}

fn started(error: &io::Error) -> Failure {
    Failure::Start(error.to_string())
}

fn untold(error: &TreeError) -> Failure {
    Failure::Lacks(format!("the commit cannot be made: {}", in_full(error)))
}

/// What was done, with the commit that is there now.
fn made(run: &Run, env: &dyn Env, mut performed: Performed) -> Performed {
    let head = worktree::head(&run.home, env).ok().flatten();
    let details = head.filter(|_| performed.verdict == Verdict::Pass);
    let details =
        details.map(|head| json!({ "commit": head.id, "parent": head.parent, "paths": head.paths }));
    performed.evidence.details = details.unwrap_or_default();
    performed
}
