//! A tool call over all agents' spellings: what kind of tool it is, whom it is for, what it touches.

use serde_json::Value as Json;

/// What a tool does, as far as rules tell tools apart.
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

impl ToolKind {
    /// The kinds a rule can name.
    pub const NAMED: [(&'static str, ToolKind); 3] =
        [("shell", ToolKind::Shell), ("edit", ToolKind::Edit), ("delegation", ToolKind::Delegation)];

    /// The tools that agents have, by their own names, and what each does.
    pub const TOOLS: [(&'static str, ToolKind); 62] = [
        ("Bash", ToolKind::Shell),
        ("PowerShell", ToolKind::Shell),
        ("Shell", ToolKind::Shell),
        ("shell", ToolKind::Shell),
        ("exec_command", ToolKind::Shell),
        ("run_shell_command", ToolKind::Shell),
        ("bash", ToolKind::Shell),
        ("powershell", ToolKind::Shell),
        ("Write", ToolKind::Edit),
        ("Edit", ToolKind::Edit),
        ("MultiEdit", ToolKind::Edit),
        ("NotebookEdit", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("write_file", ToolKind::Edit),
        ("replace", ToolKind::Edit),
        ("create", ToolKind::Edit),
        ("edit", ToolKind::Edit),
        ("Delete", ToolKind::Edit),
        ("Task", ToolKind::Delegation),
        ("Agent", ToolKind::Delegation),
        ("spawn_agent", ToolKind::Delegation),
        ("invoke_agent", ToolKind::Delegation),
        ("task", ToolKind::Delegation),
        ("AskUserQuestion", ToolKind::Other),
        ("BashOutput", ToolKind::Other),
        ("EnterPlanMode", ToolKind::Other),
        ("ExitPlanMode", ToolKind::Other),
        ("Glob", ToolKind::Other),
        ("Grep", ToolKind::Other),
        ("KillShell", ToolKind::Other),
        ("LS", ToolKind::Other),
        ("NotebookRead", ToolKind::Other),
        ("Read", ToolKind::Other),
        ("SendMessage", ToolKind::Other),
        ("Skill", ToolKind::Other),
        ("SlashCommand", ToolKind::Other),
        ("TaskCreate", ToolKind::Other),
        ("TaskOutput", ToolKind::Other),
        ("TaskUpdate", ToolKind::Other),
        ("TodoWrite", ToolKind::Other),
        ("WebFetch", ToolKind::Other),
        ("WebSearch", ToolKind::Other),
        ("ask_user", ToolKind::Other),
        ("fetch", ToolKind::Other),
        ("glob", ToolKind::Other),
        ("google_web_search", ToolKind::Other),
        ("grep", ToolKind::Other),
        ("grep_search", ToolKind::Other),
        ("list_directory", ToolKind::Other),
        ("read_file", ToolKind::Other),
        ("read_many_files", ToolKind::Other),
        ("save_memory", ToolKind::Other),
        ("search_file_content", ToolKind::Other),
        ("show_file", ToolKind::Other),
        ("update_plan", ToolKind::Other),
        ("view", ToolKind::Other),
        ("view_image", ToolKind::Other),
        ("wait_agent", ToolKind::Other),
        ("web_fetch", ToolKind::Other),
        ("web_search", ToolKind::Other),
        ("write_stdin", ToolKind::Other),
        ("write_todos", ToolKind::Other),
    ];

    /// The kind of the tool that agents call `name`.
    pub fn of(name: &str) -> ToolKind {
        ToolKind::TOOLS.iter().find(|(tool, _)| *tool == name).map_or(ToolKind::Other, |(_, kind)| *kind)
    }

    /// Whether a rule can name this: nothing, a kind, or a tool that an agent has. Tools of MCP servers are anybody's.
    pub fn is_a_tool(name: &str) -> bool {
        name.is_empty()
            || name.starts_with("mcp_")
            || ToolKind::NAMED.iter().any(|(kind, _)| *kind == name)
            || ToolKind::TOOLS.iter().any(|(tool, _)| *tool == name)
    }
}

/// A tool call: its name, its input and, after it ran, its result.
#[derive(Clone, Debug, Default)]
pub struct Tool {
    /// The tool's name as the agent spells it.
    pub name: String,
    /// The input object.
    pub input: Json,
    /// The result, whatever its form.
    pub result: Option<Json>,
    /// What went wrong, if the call failed.
    pub error: Option<Json>,
}

impl Tool {
    /// What the tool does.
    pub fn kind(&self) -> ToolKind {
        ToolKind::of(&self.name)
    }

    /// The sub-agent a delegation names. `Err` if it is there but no text.
    pub fn agent(&self) -> Result<Option<&str>, NotText> {
        match self.first(&["subagent_type", "agent_type", "agent", "agent_name"]) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(name)) => Ok(Some(name)),
            Some(_) => Err(NotText),
        }
    }

    /// What the sub-agent is told: prompt and description.
    pub fn text(&self) -> String {
        let prompt = self.first(&["prompt", "message"]).map(as_text).unwrap_or_default();
        let description = self.input.get("description").map(as_text).unwrap_or_default();
        format!("{prompt} {description}")
    }

    /// The shell command, if the tool runs one.
    pub fn command(&self) -> Option<&str> {
        let words = self.first(&["command", "cmd"])?;
        (self.kind() == ToolKind::Shell).then_some(words)?.as_str()
    }

    /// The files the tool names as its targets, as it spells them.
    pub fn paths(&self) -> Vec<String> {
        if let Some(patch) = self.patch() {
            return patched_files(patch);
        }
        let named = self.first(&["file_path", "filePath", "notebook_path", "path"]);
        named.and_then(Json::as_str).filter(|path| !path.is_empty()).map(str::to_owned).into_iter().collect()
    }

    /// The patch that an edit brings along; a tool may go by another name for the sake of another agent's rules.
    fn patch(&self) -> Option<&str> {
        let is_patch = |text: &&str| self.name == "apply_patch" || text.starts_with("*** Begin Patch");
        let text = match &self.input {
            Json::String(text) => Some(text.as_str()),
            _ => self.first(&["command", "input", "patch"]).and_then(Json::as_str),
        };
        text.filter(|_| self.kind() == ToolKind::Edit).filter(is_patch)
    }

    /// The result as text: its text blocks if it has any, its JSON otherwise.
    pub fn result_text(&self) -> Option<String> {
        let result = self.result.as_ref()?;
        // A sub-agent in the background has only been started: its answer is still to come.
        if result.get("status").and_then(Json::as_str) == Some("async_launched") {
            return None;
        }
        match result {
            Json::Null => None,
            Json::String(text) => Some(text.clone()),
            other => Some(text_blocks(other).unwrap_or_else(|| other.to_string())),
        }
    }

    /// The error as text, if the call failed.
    pub fn error_text(&self) -> Option<String> {
        self.error.as_ref().map(as_text)
    }

    fn first(&self, names: &[&str]) -> Option<&Json> {
        names.iter().find_map(|name| self.input.get(*name))
    }
}

/// A field that should be text is something else.
#[derive(Debug, PartialEq, Eq)]
pub struct NotText;

/// How a value that should be text reads: lists are joined by commas, as agents' own scripts do.
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

fn patched_files(patch: &str) -> Vec<String> {
    const MARKS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let named =
        |line: &str| MARKS.iter().find_map(|mark| line.strip_prefix(mark).map(|p| p.trim().to_owned()));
    patch.lines().filter_map(named).collect()
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
}
