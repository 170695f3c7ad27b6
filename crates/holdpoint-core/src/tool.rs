//! A tool call in any agent's spelling: its kind, its sub-agent, the files it touches.

use serde_json::Value as Json;

/// The kinds of tools that rules distinguish.
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
    /// The kinds a rule can name, by their names in workflow files.
    pub const NAMED: [(&'static str, ToolKind); 3] =
        [("shell", ToolKind::Shell), ("edit", ToolKind::Edit), ("delegation", ToolKind::Delegation)];

    /// Returns the kind of the tool that agents call `name`.
    pub fn of(name: &str) -> ToolKind {
        match name {
            "Bash" | "PowerShell" | "Shell" | "shell" | "exec_command" | "run_shell_command" | "bash"
            | "powershell" => ToolKind::Shell,
            "Write" | "Edit" | "MultiEdit" | "NotebookEdit" | "apply_patch" | "write_file" | "replace"
            | "create" | "edit" | "Delete" => ToolKind::Edit,
            "Task" | "Agent" | "spawn_agent" | "invoke_agent" | "task" => ToolKind::Delegation,
            _ => ToolKind::Other,
        }
    }
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
}

impl Tool {
    /// Returns the tool's kind.
    pub fn kind(&self) -> ToolKind {
        ToolKind::of(&self.name)
    }

    /// Returns the sub-agent that a delegation names, or an error if that field is not a string.
    pub fn agent(&self) -> Result<Option<&str>, NotText> {
        match self.first(&["subagent_type", "agent_type", "agent", "agent_name"]) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(name)) => Ok(Some(name)),
            Some(_) => Err(NotText),
        }
    }

    /// Returns the sub-agent's instructions: prompt and description.
    pub fn text(&self) -> String {
        let prompt = self.first(&["prompt", "message"]).map(as_text).unwrap_or_default();
        let description = self.input.get("description").map(as_text).unwrap_or_default();
        format!("{prompt} {description}")
    }

    /// Returns the shell command, if the tool runs one.
    pub fn command(&self) -> Option<&str> {
        let words = self.first(&["command", "cmd"])?;
        (self.kind() == ToolKind::Shell).then_some(words)?.as_str()
    }

    /// Returns the files the tool names as its targets, as the agent spells them.
    pub fn paths(&self) -> Vec<String> {
        if let Some(patch) = self.patch() {
            return patched_files(patch);
        }
        let named = self.first(&["file_path", "filePath", "notebook_path", "path"]);
        named.and_then(Json::as_str).filter(|path| !path.is_empty()).map(str::to_owned).into_iter().collect()
    }

    /// Returns the patch inside an edit. The tool may have another name, because some agents translate names for
    /// another agent's rules.
    fn patch(&self) -> Option<&str> {
        let is_patch = |text: &&str| self.name == "apply_patch" || text.starts_with("*** Begin Patch");
        let text = match &self.input {
            Json::String(text) => Some(text.as_str()),
            _ => self.first(&["command", "input", "patch"]).and_then(Json::as_str),
        };
        text.filter(|_| self.kind() == ToolKind::Edit).filter(is_patch)
    }

    /// Returns the result as text: its text blocks if it has any, otherwise its JSON.
    pub fn result_text(&self) -> Option<String> {
        let result = self.result.as_ref()?;
        // A sub-agent in the background has only been started. Its result comes later.
        if result.get("status").and_then(Json::as_str) == Some("async_launched") {
            return None;
        }
        match result {
            Json::Null => None,
            Json::String(text) => Some(text.clone()),
            other => Some(text_blocks(other).unwrap_or_else(|| other.to_string())),
        }
    }

    /// Returns the error as text, if the call failed.
    pub fn error_text(&self) -> Option<String> {
        self.error.as_ref().map(as_text)
    }

    fn first(&self, names: &[&str]) -> Option<&Json> {
        names.iter().find_map(|name| self.input.get(*name))
    }
}

/// A field that should be a string is something else.
#[derive(Debug, PartialEq, Eq)]
pub struct NotText;

/// Renders a value that should be a string. Lists are joined with commas, as the scripts that this replaces do.
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
