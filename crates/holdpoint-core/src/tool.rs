//! A tool call, whichever agent makes it: the tool's kind, the sub-agent it is for, the files it touches.

use std::borrow::Cow;

use serde_json::Value as Json;

mod command;
mod path;
mod ran;
mod unknown;

/// The kind of a tool, as far as rules distinguish tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::tool))]
pub enum ToolKind {
    /// Runs a shell command.
    Shell,
    /// Writes to files.
    Edit,
    /// Hands work to a sub-agent.
    Delegation,
    /// Anything else.
    Other,
}

/// Tools that agents have and rules need not tell apart by kind.
const OTHERS: [&str; 38] = [
    "AskUserQuestion",
    "BashOutput",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "NotebookRead",
    "Read",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "TaskCreate",
    "TaskOutput",
    "TaskUpdate",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "ask_user",
    "fetch",
    "glob",
    "google_web_search",
    "grep",
    "grep_search",
    "list_directory",
    "read_file",
    "read_many_files",
    "save_memory",
    "search_file_content",
    "show_file",
    "update_plan",
    "view",
    "view_image",
    "wait_agent",
    "web_fetch",
    "web_search",
    "write_todos",
];

impl ToolKind {
    /// The kinds a rule can name, by their names in workflow files.
    pub const NAMED: [(&'static str, ToolKind); 3] =
        [("shell", ToolKind::Shell), ("edit", ToolKind::Edit), ("delegation", ToolKind::Delegation)];

    /// Returns the kind of the tool that agents call `name`.
    pub fn of(name: &str) -> ToolKind {
        TOOLS.iter().find(|known| known.name == name).map_or(ToolKind::Other, |known| known.kind)
    }

    /// Returns the names of all tools that agents have.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        TOOLS.iter().map(|known| known.name).chain(OTHERS)
    }

    /// Returns whether a rule can name this: nothing, a kind, or a tool that an agent has. Tools of MCP servers have any
    /// name.
    pub(crate) fn is_a_tool(name: &str) -> bool {
        name.is_empty()
            || name.starts_with("mcp_")
            || ToolKind::NAMED.iter().any(|(kind, _)| *kind == name)
            || ToolKind::names().any(|tool| tool == name)
    }

    /// Returns the pattern by which hooks are registered for the tools of MCP servers, of which any may be of this kind,
    /// with an agent that calls hooks for them.
    pub fn servers_pattern(self, agent: &str) -> Option<&'static str> {
        let can_be = matches!(self, ToolKind::Shell | ToolKind::Edit);
        (can_be && matches!(agent, "claude" | "codex")).then_some("mcp__.*")
    }

    /// Returns the names under which hooks for this kind of tool are registered with `agent`.
    pub fn registered_for(self, agent: &str) -> impl Iterator<Item = &'static str> {
        let is_meant = move |known: &&Known| known.kind == self && known.registered_for.contains(&agent);
        TOOLS.iter().filter(is_meant).map(|known| known.name)
    }
}

/// A tool that some agent has.
#[derive(Debug)]
pub struct Known {
    /// Its name, as the agent spells it.
    pub name: &'static str,
    /// Its kind.
    pub kind: ToolKind,
    /// The agents whose hooks are registered for it under this name, as `--agent` spells them. Without any, the name
    /// is recognized in events only.
    pub registered_for: &'static [&'static str],
}

/// Every tool whose kind matters. What is registered with an agent and what is recognized in its events both come from
/// this table, so that no tool is registered and then let through.
pub const TOOLS: [Known; 24] = [
    known("Bash", ToolKind::Shell, &["claude", "codex", "copilot"]),
    known("PowerShell", ToolKind::Shell, &["claude", "copilot"]),
    known("run_shell_command", ToolKind::Shell, &["gemini"]),
    known("Shell", ToolKind::Shell, &["cursor"]),
    known("shell", ToolKind::Shell, &[]),
    known("exec_command", ToolKind::Shell, &[]),
    known("bash", ToolKind::Shell, &[]),
    known("powershell", ToolKind::Shell, &[]),
    known("write_stdin", ToolKind::Shell, &[]),
    known("Edit", ToolKind::Edit, &["claude", "copilot"]),
    known("Write", ToolKind::Edit, &["claude", "cursor", "copilot"]),
    known("MultiEdit", ToolKind::Edit, &["claude"]),
    known("NotebookEdit", ToolKind::Edit, &["claude"]),
    known("apply_patch", ToolKind::Edit, &["codex"]),
    known("write_file", ToolKind::Edit, &["gemini"]),
    known("replace", ToolKind::Edit, &["gemini"]),
    known("Delete", ToolKind::Edit, &["cursor"]),
    known("create", ToolKind::Edit, &[]),
    known("edit", ToolKind::Edit, &[]),
    known("Task", ToolKind::Delegation, &["claude", "cursor", "copilot"]),
    known("Agent", ToolKind::Delegation, &["claude", "copilot"]),
    known("spawn_agent", ToolKind::Delegation, &["codex"]),
    known("invoke_agent", ToolKind::Delegation, &["gemini"]),
    known("task", ToolKind::Delegation, &[]),
];

const fn known(name: &'static str, kind: ToolKind, registered_for: &'static [&'static str]) -> Known {
    Known { name, kind, registered_for }
}

/// A tool call: its name, its input and, after it ran, its result.
#[derive(Clone, Debug, Default)]
pub struct Tool {
    /// The tool's name as the agent spells it.
    pub name: String,
    /// The input object.
    pub input: Json,
    /// The result, in the agent's own form.
    pub result: Option<Json>,
    /// The error, if the call failed.
    pub error: Option<Json>,
    /// Whether the event itself says that the call succeeded.
    pub has_succeeded: bool,
}

impl Tool {
    /// Returns the tool's kind. One that no table has is known by what it is called and given, and a shell call that
    /// consists of a patch is an edit.
    pub fn kind(&self) -> ToolKind {
        let known = TOOLS.iter().find(|known| known.name == self.name).map(|known| known.kind);
        match known {
            Some(ToolKind::Shell) if command::patch(&self.input).is_some() => ToolKind::Edit,
            Some(kind) => kind,
            None if OTHERS.contains(&self.name.as_str()) => ToolKind::Other,
            None => unknown::kind(self),
        }
    }

    /// Returns the sub-agent that a delegation names, or an error if the field is not a string.
    pub fn agent(&self) -> Result<Option<&str>, NotText> {
        match self.first(&["subagent_type", "agent_type", "agent", "agent_name"]) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(name)) => Ok(Some(name)),
            Some(_) => Err(NotText),
        }
    }

    /// Returns the instructions for the sub-agent: prompt and description.
    pub(crate) fn text(&self) -> String {
        let prompt = self.first(&["prompt", "message"]).map(as_text).unwrap_or_default();
        let description = self.input.get("description").map(as_text).unwrap_or_default();
        format!("{prompt} {description}")
    }

    /// Returns the shell command, if the tool runs one.
    pub fn command(&self) -> Option<Cow<'_, str>> {
        let given = (self.kind() == ToolKind::Shell).then(|| command::given(&self.input))?;
        // These take a text and run nothing else; other agents' shells take a list of words, too.
        let takes_text = matches!(self.name.as_str(), "Bash" | "PowerShell");
        let given = given.filter(|given| !takes_text || matches!(given, Cow::Borrowed(_)));
        given.or_else(|| unknown::git(self).map(Cow::Owned))
    }

    /// Returns the paths of the files that the tool writes, as the agent spells them.
    pub fn paths(&self) -> Vec<String> {
        if let Some(patch) = self.patch() {
            return path::patched(patch);
        }
        path::named(&self.input)
    }

    /// Returns the patch that an edit applies. The tool need not be called `apply_patch`: an agent may send another
    /// agent's name, so that rules written for that one apply.
    fn patch(&self) -> Option<&str> {
        let is_patch =
            |text: &&str| self.name == "apply_patch" || text.trim_start().starts_with("*** Begin Patch");
        let text = || match &self.input {
            Json::String(text) => Some(text.as_str()),
            _ => self.first(&["command", "input", "patch"]).and_then(Json::as_str),
        };
        let text = command::patch(&self.input).or_else(text);
        text.filter(|_| self.kind() == ToolKind::Edit).filter(is_patch)
    }

    /// Returns the result as text: its text blocks if it has any, otherwise its JSON.
    pub fn result_text(&self) -> Option<String> {
        let result = self.finished()?;
        self.said().or_else(|| Some(result.to_string()))
    }

    /// Returns what the tool itself said: its text, or its text blocks. The rest of a result may repeat what the tool was
    /// asked.
    pub(crate) fn said(&self) -> Option<String> {
        match self.finished()? {
            Json::String(text) => Some(text.clone()),
            other => text_blocks(other),
        }
    }

    /// The result, if there is one. A sub-agent in the background has only started: its result comes later.
    fn finished(&self) -> Option<&Json> {
        let has_only_started =
            |result: &&Json| result.get("status").and_then(Json::as_str) == Some("async_launched");
        self.result.as_ref().filter(|result| !result.is_null() && !has_only_started(result))
    }

    /// Returns the error as text, if the call failed.
    pub fn error_text(&self) -> Option<String> {
        self.error.as_ref().map(as_text)
    }

    fn first(&self, names: &[&str]) -> Option<&Json> {
        names.iter().find_map(|name| self.input.get(*name))
    }
}

/// The error of a field that should be a string and is not.
#[derive(Debug, PartialEq, Eq)]
pub struct NotText;

/// Renders a value that should be text: lists are joined by commas, as agents' own scripts do.
fn as_text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(","),
        Json::Bool(_) | Json::Number(_) | Json::Object(_) => value.to_string(),
    }
}

fn text_blocks(result: &Json) -> Option<String> {
    let blocks = result.get("content").unwrap_or(result).as_array()?;
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(name: &str, input: Json) -> Tool {
        Tool { name: name.into(), input, ..Tool::default() }
    }

    #[test]
    fn every_spelling_of_a_tool_has_its_kind() {
        for (name, kind) in [
            ("Task", ToolKind::Delegation),
            ("Agent", ToolKind::Delegation),
            ("spawn_agent", ToolKind::Delegation),
            ("Bash", ToolKind::Shell),
            ("PowerShell", ToolKind::Shell),
            ("MultiEdit", ToolKind::Edit),
            ("NotebookEdit", ToolKind::Edit),
            ("apply_patch", ToolKind::Edit),
            ("run_shell_command", ToolKind::Shell),
            ("write_file", ToolKind::Edit),
            ("replace", ToolKind::Edit),
            ("invoke_agent", ToolKind::Delegation),
            ("Shell", ToolKind::Shell),
            ("Delete", ToolKind::Edit),
            ("bash", ToolKind::Shell),
            ("create", ToolKind::Edit),
            ("edit", ToolKind::Edit),
            ("task", ToolKind::Delegation),
            ("Read", ToolKind::Other),
        ] {
            assert_eq!(ToolKind::of(name), kind, "{name}");
        }
    }

    #[test]
    fn a_patch_names_all_the_files_it_touches() {
        let patch = "*** Begin Patch\n*** Update File: a/b.rs\n@@\n*** Move to: c.rs\n*** Add File: d.md\n*** End Patch";
        for (name, input) in [
            ("apply_patch", json!({ "command": patch })),
            ("apply_patch", json!(patch)),
            ("Edit", json!({ "patch": patch })),
        ] {
            assert_eq!(tool(name, input).paths(), ["a/b.rs", "c.rs", "d.md"], "{name}");
        }
    }

    #[test]
    fn text_is_joined_whatever_its_type() {
        assert_eq!(tool("Task", json!({"prompt": ["08-code-review", 1]})).text(), "08-code-review,1 ");
        assert_eq!(tool("Task", json!({"subagent_type": 5})).agent(), Err(NotText));
        assert_eq!(tool("Task", json!(null)).agent(), Ok(None));
    }

    #[test]
    fn a_result_is_its_text_blocks_or_its_json() {
        let mut task = tool("Agent", json!({}));
        task.result = Some(json!({"status": "completed", "content": [{"type": "text", "text": "one"}]}));
        assert_eq!(task.result_text().as_deref(), Some("one"));
        task.result = Some(json!({"status": "async_launched", "agentId": "a"}));
        assert_eq!(task.result_text(), None);
        task.result = Some(json!({"output": "x"}));
        assert_eq!(task.result_text().as_deref(), Some(r#"{"output":"x"}"#));
    }

    #[test]
    fn what_a_tool_was_asked_is_not_what_it_said() {
        for (result, said) in [
            (json!({"status": "completed", "prompt": "asked", "content": []}), None),
            (json!({"prompt": "asked", "content": [{"type": "text", "text": "said"}]}), Some("said")),
            (json!("said"), Some("said")),
            (json!({"status": "async_launched", "content": [{"type": "text", "text": "x"}]}), None),
            (json!(null), None),
        ] {
            let task = Tool { result: Some(result), ..tool("Agent", json!({"prompt": "asked"})) };
            assert_eq!(task.said().as_deref(), said, "{:?}", task.result);
        }
    }
}
