//! What a clone brings along has no effect until its user has allowed it. Each attack is a real clone, made with git.

mod attacks;
mod brought;
mod command;
mod content;
mod parts;
mod pinned;
mod runs;
mod said;
mod sealed;
mod settings;

use std::path::{Path, PathBuf};
use std::process::Command;

use holdpoint::env_vars::{ORGANISATION, OUTERMOST};
use serde_json::{Value as Json, json};

use crate::init::snapshot;
use crate::project::{Printed, Project, WIDE, books, feed};
use crate::terminal::at_terminal;

/// A workflow that runs a program as soon as an agent stops, and by nobody's leave writes its state.
pub(crate) const RUNS: &str = r#"
about = "Lints."
[run]
home  = "README.md"
state = ".x.json"
due   = "phase"
[fields]
phase = "a"
[phases.a]
by    = "check"
check = "c"
then.pass = { go = "b" }
then.fail = { go = "b" }
[phases.b]
by = "user"
then = "a"
[checks.c]
run  = ["sh", "-c", "touch \"$HOME/ran\""]
timeout = 60
[commands.start]
about = "Begin."
steps = [{ create = "x", say = "Begun." }]
"#;

/// A user's machine: a repository somewhere, a clone of it, a home.
pub(crate) struct Machine {
    pub(crate) origin: Project,
    folder: tempfile::TempDir,
}

impl Machine {
    /// A repository with these files, and a clone of it.
    pub(crate) fn cloned(files: &[(&str, &str)]) -> Machine {
        let origin = Project::new();
        for (path, text) in files {
            origin.write(path, text);
        }
        git(origin.root(), &["init", "--quiet", "--initial-branch", "main"]);
        git(origin.root(), &["add", "--all", "--force"]);
        git(origin.root(), &["commit", "--quiet", "--allow-empty", "--message", "x"]);
        let machine = Machine { origin, folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(machine.home()).unwrap();
        machine.clone_to("clone");
        machine
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    pub(crate) fn clone_to(&self, name: &str) -> PathBuf {
        let to = self.home().with_file_name(name);
        git(self.origin.root(), &["clone", "--quiet", ".", to.to_str().unwrap()]);
        to
    }

    /// The clone.
    pub(crate) fn root(&self) -> PathBuf {
        self.home().with_file_name("clone")
    }

    /// A file of the clone's books.
    pub(crate) fn book(&self, name: &str) -> PathBuf {
        books(&self.home().join(".local/state"), &self.root()).base().join(name)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// A program in a folder, as the user starts it. Programs of the home come first.
    pub(crate) fn program(&self, name: &str, folder: &Path) -> Command {
        let mut command = Command::new(name);
        let path = format!("{}/bin:{}", self.home().display(), std::env::var("PATH").unwrap());
        command.current_dir(folder).env_clear().env("PATH", path).env("HOME", self.home());
        command.env(ORGANISATION, "/nonexistent").env(OUTERMOST, std::process::id().to_string());
        command.env(WIDE.0, WIDE.1);
        command
    }

    /// The program with these arguments in the clone.
    pub(crate) fn holdpoint(&self, args: &[&str]) -> Command {
        self.holdpoint_in(&self.root(), args)
    }

    pub(crate) fn holdpoint_in(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_holdpoint"), folder);
        command.args(args);
        command
    }

    /// Runs it without a terminal.
    pub(crate) fn run(&self, args: &[&str]) -> Printed {
        feed(self.holdpoint(args), b"")
    }

    /// Runs it at a terminal, where the user types this.
    pub(crate) fn typed(&self, args: &[&str], typed: &str) -> Printed {
        at_terminal(self.holdpoint(args), typed)
    }

    /// Allows the clone, as its user.
    pub(crate) fn allow(&self) {
        let printed = self.typed(&["allow", "--yes"], "");
        assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    }

    /// What the hook answers to an event in the clone.
    pub(crate) fn hook(&self, event: Json) -> Json {
        self.hook_in(&self.root(), event)
    }

    pub(crate) fn hook_in(&self, folder: &Path, mut event: Json) -> Json {
        event["cwd"] = json!(folder);
        event.as_object_mut().unwrap().entry("session_id").or_insert(json!("s"));
        let printed =
            feed(self.holdpoint_in(folder, &["hook", "--agent", "claude"]), event.to_string().as_bytes());
        assert_eq!(printed.code, Some(0), "{}", printed.stderr);
        printed.json()
    }

    pub(crate) fn stop(&self) -> Json {
        self.hook(json!({"hook_event_name": "Stop", "stop_hook_active": false}))
    }

    /// Whether something of the clone's has run.
    pub(crate) fn ran(&self) -> bool {
        self.home().join("ran").exists()
    }

    /// Puts a program into the home that leaves a trace.
    pub(crate) fn trap(&self, name: &str) {
        self.script(name, "touch \"$HOME/ran\"");
    }

    /// Puts a program into the home.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let file = self.home().join("bin").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// Nothing has run, nothing was written, and the user is told once a session what to type.
    pub(crate) fn is_harmless(&self, events: &[Json]) {
        let before = snapshot(&self.root());
        let mut told = Vec::new();
        for event in events.iter().chain(events) {
            let answer = self.hook(event.clone());
            let said = answer["systemMessage"].as_str().map(str::to_owned);
            assert!(
                answer["decision"].is_null() && answer["hookSpecificOutput"].is_null(),
                "nothing is held: {answer}"
            );
            told.extend(said);
        }
        assert!(!self.ran(), "a program of the clone's has run");
        assert_eq!(snapshot(&self.root()), before, "something was written to the clone");
        let command = format!("holdpoint allow {}", self.root().display());
        assert_eq!(told.len(), 1, "once a session: {told:?}");
        assert!(told[0].contains(&command), "{told:?}");
        for words in [&["status"][..], &["why"], &["doctor"]] {
            let printed = self.run(words);
            let said = format!("{}{}", printed.stdout, printed.stderr);
            assert!(said.contains(&command), "{words:?}: {said}");
        }
        assert!(!self.ran() && snapshot(&self.root()) == before);
    }
}

pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=x", "-c", "user.email=x@example.invalid", "-c", "commit.gpgsign=false"]);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = git.args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn stop() -> Json {
    json!({"hook_event_name": "Stop", "stop_hook_active": false})
}

pub(crate) fn prompt() -> Json {
    json!({"hook_event_name": "UserPromptSubmit", "prompt": "hello"})
}

pub(crate) fn shell(command: &str) -> Json {
    json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}})
}
