//! A repository with a run in it, and an agent whose shell calls go through the hooks.

use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};
use crate::terminal::at_terminal;

/// A state in which a branch of its own is active, so that the trunk is held.
const STATE: &str = r#"{"active_workflow":{"current_phase":"06-implementation","git_branch":{"name":"feature/x","status":"active"}}}"#;

/// A workflow in which no commit may be made, and some files may not be changed.
const OWN: &str = r#"
about = "No commits, no changes of contracts."
[run]
home = ".own"
[holds.no-commits]
on   = "before shell"
when = "tool.commits"
say  = "no commits"
[holds.contracts]
on   = "before edit"
when = "tool.files | only(['contracts/**'])"
say  = "contracts stay"
"#;

/// An agent at work in a repository.
pub(super) struct Agent {
    pub(super) project: Project,
    pub(super) session: String,
}

/// What the agent and the user are told after a shell call.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) agent: String,
    pub(super) user: String,
}

impl Told {
    /// Whether nobody is told anything.
    pub(super) fn is_nothing(&self) -> bool {
        self.agent.is_empty() && self.user.is_empty()
    }

    fn of(answer: &Json) -> Told {
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        let context = &answer["hookSpecificOutput"]["additionalContext"];
        let reason = &answer["hookSpecificOutput"]["permissionDecisionReason"];
        let said = [&answer["reason"], context, reason].map(text).concat();
        Told { agent: said, user: text(&answer["systemMessage"]) }
    }
}

impl Agent {
    /// A repository on `main` with a branch `feature/x` and one `side`, ahead of both, under the built-in workflow that keeps the
    /// trunk clean.
    pub(super) fn on_trunk() -> Agent {
        let agent = Agent::in_repository();
        agent.project.write(".isdlc/state.json", STATE);
        agent
    }

    /// The same under a workflow of the project's own, in which no commit may be made at all.
    pub(super) fn without_commits() -> Agent {
        let agent = Agent::in_repository();
        agent.project.workflow("own", OWN).write(".own/x", "");
        agent
    }

    /// The same under no workflow.
    pub(super) fn in_repository() -> Agent {
        let project = Project::new();
        project.git(&["init", "-q", "-b", "main", "."]);
        project.git(&["config", "user.name", "a"]);
        project.git(&["config", "user.email", "a@b"]);
        project.git(&["config", "commit.gpgsign", "false"]);
        project.write("a.py", "one\n").write("contracts/one.txt", "one\n");
        project.write(".gitignore", ".holdpoint/\n.isdlc/\n.own/\nno-home/\n");
        project.git(&["add", "-A"]);
        project.git(&["commit", "-qm", "one"]);
        project.git(&["branch", "feature/x"]);
        project.git(&["checkout", "-q", "-b", "side"]);
        project.git(&["commit", "-q", "--allow-empty", "-m", "two"]);
        project.git(&["checkout", "-q", "main"]);
        project.write("a.py", "two\n");
        project.git(&["add", "-A"]);
        // No other test's: what a session leaves running is looked for by its name.
        let session = format!("s-{}", project.root().display());
        Agent { project, session }
    }

    /// Another session in the same project.
    pub(super) fn another(self) -> Agent {
        Agent { session: format!("{}-2", self.session), ..self }
    }

    /// Sends an event of this session.
    pub(super) fn event(&self, event: Json) -> Json {
        let mut event = event;
        event["session_id"] = json!(self.session);
        event["cwd"] = json!(self.project.root());
        let printed = self.project.run_with(&["hook", "--agent", "claude"], event.to_string().as_bytes());
        assert_eq!(printed.code, Some(0), "{}", printed.stderr);
        printed.json()
    }

    fn call(&self, event: &str, id: &str, command: &str) -> Json {
        self.event(json!({
            "hook_event_name": event, "tool_use_id": id, "tool_name": "Bash", "tool_input": {"command": command},
            "tool_response": {"stdout": ""},
        }))
    }

    /// What is said before a shell call. Then it is open.
    pub(super) fn before(&self, id: &str, command: &str) -> Told {
        Told::of(&self.call("PreToolUse", id, command))
    }

    /// What is said after it.
    pub(super) fn after(&self, id: &str, command: &str) -> Told {
        Told::of(&self.call("PostToolUse", id, command))
    }

    /// A whole call: held before, or run and looked at.
    pub(super) fn shell(&self, command: &str) -> Told {
        let before = self.before("c1", command);
        assert!(before.is_nothing(), "{command} is held before: {before:?}");
        self.run(command);
        self.after("c1", command)
    }

    /// A command of the agent's, without hooks.
    pub(super) fn run(&self, command: &str) {
        let mut shell = Command::new("bash");
        shell.args(["-c", command]).current_dir(self.project.root()).env_clear();
        shell.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.project.root().join("no-home"));
        shell.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", &self.session);
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        shell.status().unwrap();
    }

    /// What a Stop is answered.
    pub(super) fn stop(&self) -> Told {
        Told::of(&self.event(json!({"hook_event_name": "Stop", "stop_hook_active": false})))
    }

    /// What a prompt of the user's is answered.
    pub(super) fn prompt(&self, text: &str) -> Told {
        Told::of(&self.event(json!({"hook_event_name": "UserPromptSubmit", "prompt": text})))
    }

    /// A command at the user's terminal, with what the user types.
    pub(super) fn user(&self, args: &[&str], typed: &str) -> Printed {
        at_terminal(self.project.command(args), typed)
    }

    /// Where a branch points.
    pub(super) fn at(&self, branch: &str) -> String {
        self.project.git(&["rev-parse", branch]).trim().to_owned()
    }
}
