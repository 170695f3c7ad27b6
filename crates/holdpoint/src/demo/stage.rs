//! A demo's temporary folder: a project, an empty home, and the programs that come first on the scripted agent's PATH.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use holdpoint_core::workflow::Format;

use super::error::DemoError;
use super::reviewer;
use super::script::Script;
use crate::allow::Allowance;
use crate::case::folder;
use crate::env::{Env, FixedEnv, StateOf};
use crate::env_vars;
use crate::store::books::Books;
use crate::store::journal;
use crate::{program, project};

/// The agent's session, in the form that Claude Code expects.
pub(super) const SESSION: &str = "dec0de00-0000-4000-8000-000000000000";

/// The folder of a demo. It is removed when dropped, unless the user wants to keep it.
#[derive(Debug)]
pub struct Stage {
    pub(super) workflow: String,
    /// The project.
    pub root: PathBuf,
    pub(super) home: PathBuf,
    pub(super) tools: PathBuf,
    state: PathBuf,
    path: OsString,
    interrupted: Arc<AtomicBool>,
    _temporary: tempfile::TempDir,
}

/// The settings of a stage.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The workflow's name.
    pub workflow: &'a str,
    /// Its folder, if it is a project's own.
    pub folder: Option<&'a Path>,
    /// The programs of its reviewers.
    pub reviewers: &'a [String],
    /// The user's PATH.
    pub path: &'a str,
    /// Whether the folder is kept.
    pub keep: bool,
}

impl Stage {
    /// Creates the folder and everything that the script starts from.
    pub fn make(script: &Script, setting: Setting<'_>) -> Result<Stage, DemoError> {
        // From here on Ctrl-C must not leave the folder behind: it ends the demo after the current step.
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in program::SIGNALS {
            signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
        }
        let temporary =
            tempfile::Builder::new().prefix("holdpoint-demo-").disable_cleanup(setting.keep).tempdir();
        let temporary = temporary?;
        let top = temporary.path().canonicalize()?;
        let [root, home, tools, state] = ["project", "home", "tools", "state"].map(|name| top.join(name));
        for folder in [&root, &home, &tools, &state] {
            std::fs::create_dir(folder)?;
        }
        let program = std::env::current_exe()?;
        link(&program, &tools.join("holdpoint"))?;
        reviewer::make(setting.reviewers, &tools)?;
        folder::make(&script.given, Format::Json, &root)?;
        if let Some(own) = setting.folder {
            copy(own, &root.join(".holdpoint/workflows").join(setting.workflow))?;
        }
        Allowance::of(&StateOf(state.clone())).allow_all(&root)?;
        let outside = std::env::split_paths(setting.path);
        let path = std::env::join_paths(std::iter::once(tools.clone()).chain(outside));
        let path = path?;
        let workflow = setting.workflow.to_owned();
        Ok(Stage { workflow, root, home, tools, state, path, interrupted, _temporary: temporary })
    }

    /// Prepares a program as the agent starts it: in the project, without the caller's environment.
    pub(super) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env_clear().env("PATH", &self.path).env("HOME", &self.home);
        command.env(env_vars::XDG_STATE_HOME, &self.state);
        command.env("TMPDIR", &self.home).env("GIT_CONFIG_NOSYSTEM", "1").env(env_vars::SESSIONS[0], SESSION);
        for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
            command.env(format!("{who}_NAME"), "Demo").env(format!("{who}_EMAIL"), "demo@example.invalid");
        }
        command
    }

    /// Returns the books of the project.
    pub fn books(&self) -> Books {
        Books::of(&self.root, &StateOf(self.state.clone()))
    }

    /// Returns an error if the user interrupted the demo.
    pub(super) fn go_on(&self) -> Result<(), DemoError> {
        if self.interrupted.load(Ordering::Relaxed) { Err(DemoError::Interrupted) } else { Ok(()) }
    }

    /// Returns what a program prints for `--version`.
    pub fn version(&self, program: &Path) -> Result<String, DemoError> {
        let mut command = self.command(program);
        command.arg("--version");
        Ok(String::from_utf8_lossy(&feed(command, b"")?.stdout).trim().to_owned())
    }

    /// Returns the path of Holdpoint, as hooks call it.
    pub(super) fn program(&self) -> PathBuf {
        self.tools.join("holdpoint")
    }

    /// Runs a shell command in the project. It stops at the first line that fails.
    pub(super) fn shell(&self, script: &str) -> Result<Output, DemoError> {
        let mut shell = self.command("sh");
        shell.args(["-e", "-c", script]);
        feed(shell, b"")
    }

    /// Fills in placeholders: `(root)` is the project's folder, `(run)` the run's name or id.
    pub(super) fn filled(&self, text: &str) -> String {
        let text = text.replace("(root)", &self.root.to_string_lossy());
        if text.contains("(run)") { text.replace("(run)", &self.run().unwrap_or_default()) } else { text }
    }

    /// Returns the run's id, or its folder's name.
    fn run(&self) -> Option<String> {
        let env: Arc<dyn Env> = Arc::new(FixedEnv::default());
        // A real client may have chosen another session than ours.
        let last = journal::read(&self.books()).into_iter().rev().find_map(|entry| entry.session);
        let session = last.as_deref().unwrap_or(SESSION);
        let found = project::find(&self.root, &env, Some(session), Some(&self.workflow));
        let run = found.runs.into_iter().next()?;
        run.id.or_else(|| Some(run.folder.file_name()?.to_string_lossy().into_owned()))
    }
}

/// Runs a command with input, to its end.
pub(super) fn feed(mut command: Command, input: &[u8]) -> Result<Output, DemoError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|source| DemoError::Program { program, source })?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = std::io::Write::write_all(&mut stdin, input);
    }
    Ok(child.wait_with_output()?)
}

/// Copies a workflow's folder.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for (path, text) in crate::store::tree::texts(from)? {
        let file = to.join(path);
        file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        crate::store::atomic::create(&file, text.as_bytes())?;
    }
    Ok(())
}

#[cfg(unix)]
fn link(program: &Path, to: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(program, to)
}

#[cfg(not(unix))]
fn link(program: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::copy(program, to.with_extension("exe")).map(|_| ())
}
