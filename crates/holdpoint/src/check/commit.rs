//! Committing: exactly the files it is told, as they are in the tree that was proved, with the message it is told; nothing
//! where it is `done` already. Whether that is what was proved, git is asked afterwards.
//!
//! The repository's hooks and its configuration are the agent's to write, and git starts what they name. So git and the hooks
//! are confined as a check's program is, and may write to the project, its git folder and the bench.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use holdpoint_core::verdict::Verdict;
use holdpoint_core::workflow::grants::Grants;
use holdpoint_core::world::Head;
use serde_json::json;

use super::place::no_bench;
use super::signing::{self, Signing};
use super::{Failure, Performed};
use crate::bench::Bench;
use crate::confinement::{self, Child, Role};
use crate::env::Env;
use crate::env_vars;
use crate::error::in_full;
use crate::program::{self, Channels, Ended, How, millis};
use crate::project::Run;
use crate::store::evidence::Evidence;
use crate::store::git_folder::copy_index;
use crate::store::state_folder::StateFolder;
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
    /// What git and the hooks get beyond the usual.
    pub(super) grants: &'a Grants,
}

/// For every call: what git is asked starts no program on the way.
const SETTINGS: [&str; 2] = ["-c", "core.fsmonitor=false"];
/// Where GnuPG keeps what it needs to sign, unless a variable says otherwise.
const GNUPG: (&str, &str) = ("GNUPGHOME", "~/.gnupg");

/// What a commit is made of and with.
struct Making<'a> {
    commit: &'a Commit<'a>,
    run: &'a Run,
    env: &'a dyn Env,
    head: Option<Head>,
    /// What git and the hooks get: the git folder, too.
    grants: Grants,
}

impl Commit<'_> {
    /// Makes the commit of the tree, after the repository's own hooks have seen it.
    pub(super) fn perform(&self, run: &Run, env: &dyn Env) -> Result<Performed, Failure> {
        if self.is_done {
            let head = worktree::head(&run.home, env).ok().flatten();
            return Ok(with(head, Performed::of(Verdict::Pass)));
        }
        if self.message.is_empty() || self.files.is_empty() {
            return Err(Failure::Lacks("there is nothing to commit, or no message".into()));
        }
        let head = worktree::head(&run.home, env).map_err(|error| untold(&error))?;
        let mut making = Making { commit: self, run, env, head, grants: self.grants.clone() };
        making.open_git_folder()?;
        let tree = making.tree().map_err(|error| untold(&error))?;
        if making.head.as_ref().is_some_and(|head| head.tree == tree) {
            return Ok(refused("there is nothing to commit: the files are as they were".to_owned()));
        }
        let bench = Bench::open(run, env).map_err(|error| no_bench(&error))?;
        bench.lay(&tree, env).map_err(|error| no_bench(&error))?;
        making.perform(&bench, &tree)
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
        // Filters are programs.
        let git = self.child("git", bench.folder(), &self.grants);
        let filtered = git.confined(|| Ok(bench.copy().filtered(tree, self.commit.files)));
        let filtered = filtered.map_err(|error| started(&error))?.map_err(|error| untold(&error))?;
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
        let (committed, ignored) = self.commit_tree(tree, &message)?;
        if committed.verdict != Verdict::Pass {
            return Ok(committed);
        }
        let id = committed.output.trim();
        let moved = self.move_head(id, &message)?;
        if moved.verdict != Verdict::Pass {
            return Ok(moved);
        }
        let mut refreshed = self.refresh()?;
        refreshed.evidence.doubts.extend(ignored);
        self.tell_hook()?;
        // By its id: others may have moved the head meanwhile.
        Ok(with(worktree::commit(&self.run.home, id, self.env).ok(), refreshed))
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
            let args = if name == "commit-msg" { vec![file.as_path()] } else { Vec::new() };
            let ran = self.run_hook(&hook, bench.folder(), Some(&index), &args)?;
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

    /// Runs a hook in a folder, with an index and a message of its own where it needs them.
    fn run_hook(
        &self,
        hook: &Path,
        folder: &Path,
        index: Option<&Path>,
        args: &[&Path],
    ) -> Result<Performed, Failure> {
        let name = hook.to_str().ok_or_else(|| Failure::Lacks("the path of a git hook is no text".into()))?;
        let given = index.into_iter().filter_map(Path::parent).map(|folder| folder.display().to_string());
        let grants = opened(&self.grants, given);
        let (git_folder, deadline) = (self.git_folder()?, self.deadline());
        let child = self.child(name, folder, &grants);
        let mut ran = self.ended(child.start(|mut command| {
            surround(&mut command);
            command.args(args).env("GIT_DIR", git_folder).env("GIT_WORK_TREE", folder);
            command.envs(index.map(|index| ("GIT_INDEX_FILE", index)));
            program::run(&mut command, None, deadline, Channels::Both)
        }))?;
        let remark = confinement::remark(ran.output.as_bytes(), &grants);
        ran.output
            .extend(remark.filter(|_| ran.verdict != Verdict::Pass).map(|text| format!("\nNote: {text}")));
        Ok(ran)
    }

    /// Runs the hook that is told of a commit that was made, as git would. What comes of it changes nothing.
    fn tell_hook(&self) -> Result<(), Failure> {
        if let Some(hook) = self.hook("post-commit")? {
            let _ = self.run_hook(&hook, &self.run.home, None, &[]);
        }
        Ok(())
    }

    fn git_folder(&self) -> Result<String, Failure> {
        Ok(self.git(&["rev-parse", "--absolute-git-dir"], None)?.output.trim().to_owned())
    }

    /// Has git and the hooks write to the git folder. One that has the books in it, or lies in them, is none.
    fn open_git_folder(&mut self) -> Result<(), Failure> {
        let common = self.git(&["rev-parse", "--git-common-dir"], None)?.output;
        let folders = [PathBuf::from(self.git_folder()?), self.run.home.join(common.trim())];
        let state = StateFolder::of(self.env).ok().and_then(|state| state.root().canonicalize().ok());
        let is_apart = |folder: &PathBuf| {
            state.as_ref().is_none_or(|state| !state.starts_with(folder) && !folder.starts_with(state))
        };
        let folders = folders.iter().filter_map(|folder| folder.canonicalize().ok()).filter(is_apart);
        self.grants = opened(&self.grants, folders.map(|folder| folder.display().to_string()));
        Ok(())
    }

    /// Who commits, and whether it is signed, is as git would have it. Returns what of the repository's configuration does
    /// not count, too.
    fn commit_tree(&self, tree: &str, message: &str) -> Result<(Performed, Option<String>), Failure> {
        let is_signed = self.git(&["config", "--type=bool", "--get", "commit.gpgsign"], None)?;
        let parents = self.head.iter().flat_map(|head| ["-p", head.id.as_str()]);
        let words: Vec<&str> = ["commit-tree", tree].into_iter().chain(parents).chain(["-F", "-"]).collect();
        let message = Some(message.to_owned());
        if is_signed.output.trim() != "true" {
            return Ok((self.git(&words, message)?, None));
        }
        let Signing { settings, ignored } = Signing::of(&self.git(&signing::ASKED, None)?.output);
        let settings = settings.iter().flat_map(|setting| ["-c", setting]);
        let words: Vec<&str> = settings.chain(words).chain(["-S"]).collect();
        let keys = self.env.var(GNUPG.0).unwrap_or_else(|| GNUPG.1.to_owned());
        let committed = self.git_with(&opened(&self.grants, [keys]), &words, message)?;
        let ignored = (!ignored.is_empty()).then(|| {
            format!(
                "it is signed with what you have configured outside of the repository: its own {} does not count",
                ignored.join(", ")
            )
        });
        Ok((committed, ignored))
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
        self.git_with(&self.grants, args, input)
    }

    fn git_with(&self, grants: &Grants, args: &[&str], input: Option<String>) -> Result<Performed, Failure> {
        let deadline = self.deadline();
        let child = self.child("git", &self.run.home, grants);
        self.ended(child.start(|mut command| {
            surround(&mut command);
            // A file may be called `*.py`.
            command.env("GIT_LITERAL_PATHSPECS", "1").args(SETTINGS).args(args);
            program::run(&mut command, input, deadline, Channels::Both)
        }))
    }

    fn child<'b>(&'b self, name: &'b str, folder: &'b Path, grants: &'b Grants) -> Child<'b> {
        Child { name, role: Role::Check, folder, report: None, grants, env: self.env }
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

/// Whoever calls us, from one of git's hooks perhaps, may have another repository or index in mind. Who commits, and when, is
/// theirs to say.
fn surround(command: &mut Command) {
    command.envs(env_vars::for_commit());
}

/// The same with further folders to write to.
fn opened(grants: &Grants, folders: impl IntoIterator<Item = String>) -> Grants {
    let writes = grants.writes.iter().cloned().chain(folders.into_iter().map(Into::into));
    Grants { pass: grants.pass.clone(), writes: writes.collect::<Vec<_>>().into() }
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

/// What was done, with the commit that it is about.
fn with(commit: Option<Head>, mut performed: Performed) -> Performed {
    let details =
        commit.map(|commit| json!({ "commit": commit.id, "parent": commit.parent, "paths": commit.paths }));
    performed.evidence.details = details.unwrap_or_default();
    performed
}
