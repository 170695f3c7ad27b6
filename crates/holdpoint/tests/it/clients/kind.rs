//! The clients as one: how each registers a hook, what its events and tools are called, how it is run.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use crate::clients::install;
use crate::clients::session::{
    HOLDPOINT, Session, resume_claude, resume_codex, resume_gemini, run_claude, run_codex,
    run_codex_with_patches, run_gemini,
};
use crate::model::{Block, Model};
use crate::project::Project;

/// The program as it would be registered; what the client sends is kept in `sent`, what it is answered in `answers`.
pub(super) fn hook(options: &str) -> String {
    format!("tee -a sent | '{HOLDPOINT}' hook {options} | tee -a answers")
}

/// A client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Claude,
    Codex,
    Gemini,
}

impl Kind {
    /// The agent's name, as `--agent` has it.
    pub(super) fn agent(self) -> &'static str {
        match self {
            Kind::Claude => "claude",
            Kind::Codex => "codex",
            Kind::Gemini => "gemini",
        }
    }

    /// The installed client; none if the test is to be skipped.
    pub(super) fn program(self) -> Option<PathBuf> {
        match self {
            Kind::Claude => install::claude(),
            Kind::Codex => install::codex(),
            Kind::Gemini => install::gemini(),
        }
    }

    /// The client's names for the events that we answer.
    pub(super) fn events(self) -> &'static [&'static str] {
        match self {
            Kind::Claude => &[
                "SessionStart",
                "UserPromptSubmit",
                "PreToolUse",
                "PostToolUse",
                "PostToolUseFailure",
                "Stop",
            ],
            Kind::Codex => &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"],
            Kind::Gemini => &["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"],
        }
    }

    /// Others that the client sends in a session with a sub-agent.
    pub(super) fn other_events(self) -> &'static [&'static str] {
        match self {
            Kind::Claude => &["SubagentStart", "SubagentStop", "PostToolBatch", "SessionEnd"],
            Kind::Codex => &["SubagentStart", "SubagentStop", "SessionEnd"],
            // It does not wait for the hooks at a session's end.
            Kind::Gemini => &["PreCompress"],
        }
    }

    /// Runs a session with a hook at every event that we answer.
    pub(super) fn run(self, program: &Path, project: &Project, model: &Model, command: &str) -> Session {
        self.run_at(self.events(), program, project, model, command)
    }

    /// Runs a session with a hook at these events.
    pub(super) fn run_at(
        self,
        events: &[&str],
        program: &Path,
        project: &Project,
        model: &Model,
        command: &str,
    ) -> Session {
        let hooks = self.hooks(events, command);
        match self {
            Kind::Claude => {
                project.write(".claude/settings.json", hooks.to_string());
                run_claude(program, project, model)
            }
            Kind::Codex => run_codex(program, project, model, &hooks),
            Kind::Gemini => run_gemini(program, project, model, &hooks["hooks"]),
        }
    }

    /// The same session again, with its user's next prompt.
    pub(super) fn resume(
        self,
        program: &Path,
        project: &Project,
        model: &Model,
        session: Session,
    ) -> Session {
        match self {
            Kind::Claude => resume_claude(program, project, model, session),
            Kind::Codex => resume_codex(program, project, model, session),
            Kind::Gemini => resume_gemini(program, project, model, session),
        }
    }

    /// Runs a session in which there is a tool that writes files.
    pub(super) fn run_writer(
        self,
        program: &Path,
        project: &Project,
        model: &Model,
        command: &str,
    ) -> Session {
        let hooks = self.hooks(self.events(), command);
        match self {
            Kind::Claude | Kind::Gemini => self.run(program, project, model, command),
            Kind::Codex => run_codex_with_patches(program, project, model, &hooks),
        }
    }

    /// A hook at these events, as the client's settings have it.
    pub(super) fn hooks(self, events: &[&str], command: &str) -> Json {
        // Gemini counts milliseconds, the others seconds.
        let timeout = if self == Kind::Gemini { 60_000 } else { 60 };
        let hook = json!([{"hooks": [{"type": "command", "command": command, "timeout": timeout}]}]);
        let hooks: Map<String, Json> =
            events.iter().map(|event| ((*event).to_owned(), hook.clone())).collect();
        json!({ "hooks": hooks })
    }

    /// A call that runs a shell command.
    pub(super) fn shell(self, command: &str) -> Block {
        match self {
            Kind::Claude => Block::ToolUse { name: "Bash", input: json!({"command": command}) },
            Kind::Codex => Block::ToolUse { name: "exec_command", input: json!({"cmd": command}) },
            Kind::Gemini => Block::ToolUse { name: "run_shell_command", input: json!({"command": command}) },
        }
    }

    /// A call that writes a file.
    pub(super) fn write(self, path: &Path, text: &str) -> Block {
        match self {
            Kind::Claude => {
                Block::ToolUse { name: "Write", input: json!({"file_path": path, "content": text}) }
            }
            Kind::Codex => {
                let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
                let file = path.display();
                let change = format!("*** Begin Patch\n*** Add File: {file}\n{lines}*** End Patch\n");
                Block::ToolUse { name: "apply_patch", input: change.into() }
            }
            Kind::Gemini => {
                Block::ToolUse { name: "write_file", input: json!({"file_path": path, "content": text}) }
            }
        }
    }

    /// A call that hands a task to a sub-agent.
    pub(super) fn delegate(self, task: &str) -> Block {
        match self {
            Kind::Claude => Block::ToolUse {
                name: "Agent",
                input: json!({"description": "a task", "prompt": task, "subagent_type": "general-purpose"}),
            },
            Kind::Codex => {
                Block::ToolUse { name: "multi_agent_v1.spawn_agent", input: json!({"message": task}) }
            }
            Kind::Gemini => Block::ToolUse {
                name: "invoke_agent",
                input: json!({"agent_name": "generalist", "prompt": task}),
            },
        }
    }

    /// What a sub-agent does to end its task.
    pub(super) fn report(self) -> Block {
        match self {
            Kind::Claude | Kind::Codex => Block::Text("The task is done."),
            Kind::Gemini => {
                let result = json!({"response": "The task is done."});
                Block::ToolUse { name: "complete_task", input: json!({ "result": result }) }
            }
        }
    }

    /// What the main agent does to wait for the sub-agent that it was told of; nothing where the call itself waits.
    pub(super) fn wait(self, news: &str) -> Option<Block> {
        let (_, agent) = news.split_once("{\"agent_id\":\"").filter(|_| self == Kind::Codex)?;
        let targets = [agent.split('"').next().unwrap()];
        Some(Block::ToolUse { name: "multi_agent_v1.wait_agent", input: json!({ "targets": targets }) })
    }
}
