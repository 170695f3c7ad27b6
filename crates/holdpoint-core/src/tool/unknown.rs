//! A tool that no table has: an MCP server's, or one that an agent got after this was written. What it does is told by its
//! name and by what it is given. What cannot be told is never taken for harmless in a tool of a server's.

use super::{Tool, ToolKind};

/// Words for what only looks.
const READS: [&str; 28] = [
    "read",
    "get",
    "list",
    "search",
    "find",
    "view",
    "show",
    "glob",
    "grep",
    "diff",
    "status",
    "log",
    "stat",
    "info",
    "describe",
    "query",
    "tree",
    "fetch",
    "lookup",
    "browse",
    "check",
    "help",
    "count",
    "output",
    "diagnostics",
    "symbols",
    "references",
    "resolve",
];
/// Words for what changes a file.
const WRITES: [&str; 20] = [
    "write",
    "edit",
    "create",
    "update",
    "delete",
    "remove",
    "move",
    "rename",
    "replace",
    "insert",
    "append",
    "patch",
    "apply",
    "save",
    "copy",
    "put",
    "set",
    "add",
    "modify",
    "overwrite",
];
/// What git does to a branch, as servers name their tools: `git_commit`.
const GIT: [&str; 9] = ["commit", "push", "merge", "reset", "rebase", "pull", "cherry-pick", "revert", "am"];

/// The kind of a tool that is in no table.
pub(super) fn kind(tool: &Tool) -> ToolKind {
    let words = words(&tool.name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let is_servers = tool.name.starts_with("mcp_");
    let (reads, writes) = (has(&READS), has(&WRITES));
    let names_file = !super::path::named(&tool.input).is_empty();
    if git(tool).is_some() {
        ToolKind::Shell
    } else if words.first().is_some_and(|word| word == "git") {
        ToolKind::Other
    } else if names_file && (writes || (is_servers && !reads)) {
        ToolKind::Edit
    } else if !names_file && super::command::given(&tool.input).is_some() {
        ToolKind::Shell
    } else {
        ToolKind::Other
    }
}

/// The command that a tool for git stands for.
pub(super) fn git(tool: &Tool) -> Option<String> {
    let words = words(&tool.name);
    let (first, rest) = words.split_first()?;
    let verb = rest.join("-");
    if first != "git" || !GIT.contains(&verb.as_str()) {
        return None;
    }
    let folder =
        ["repo_path", "repository", "path", "cwd"].iter().find_map(|key| tool.input.get(*key)?.as_str());
    let folder = folder.map(|folder| format!(" -C {}", super::command::quoted(folder)));
    Some(format!("git{} {verb}", folder.unwrap_or_default()))
}

/// The words of a tool's name, without its server's: `mcp__files__writeFile` is `write` and `file`.
fn words(name: &str) -> Vec<String> {
    let own = name.rsplit("__").next().unwrap_or(name);
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in own.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn tool(name: &str, input: Json) -> Tool {
        Tool { name: name.into(), input, ..Tool::default() }
    }

    #[test]
    fn a_tool_is_known_by_its_name_and_its_input() {
        let path = || json!({"path": "a.py"});
        for (name, input, kind) in [
            ("mcp__filesystem__write_file", path(), ToolKind::Edit),
            ("mcp__filesystem__edit_file", path(), ToolKind::Edit),
            ("mcp__files__zap", path(), ToolKind::Edit),
            ("mcp__filesystem__read_text_file", path(), ToolKind::Other),
            ("mcp__filesystem__directory_tree", path(), ToolKind::Other),
            ("mcp__ide__getDiagnostics", json!({"uri": "file:///a"}), ToolKind::Other),
            ("mcp__serena__createTextFile", json!({"relative_path": "a"}), ToolKind::Edit),
            ("str_replace_editor", json!({"command": "create", "path": "a"}), ToolKind::Edit),
            ("LSP", json!({"filePath": "a.py", "operation": "hover"}), ToolKind::Other),
            ("Monitor", json!({"command": "git commit"}), ToolKind::Shell),
            ("mcp__shell__run", json!({"cmd": ["ls"]}), ToolKind::Shell),
            ("mcp__git__git_commit", json!({"repo_path": ".", "message": "x"}), ToolKind::Shell),
            ("mcp__git__git_add", json!({"repo_path": ".", "files": ["a.py"]}), ToolKind::Other),
            ("mcp__git__git_diff", json!({"repo_path": "."}), ToolKind::Other),
            ("mcp__weather__forecast", json!({"city": "Rome"}), ToolKind::Other),
            ("Read", json!({"file_path": "a.py"}), ToolKind::Other),
            ("Glob", json!({"pattern": "*", "path": "src"}), ToolKind::Other),
        ] {
            assert_eq!(tool(name, input).kind(), kind, "{name}");
        }
    }

    #[test]
    fn a_tool_for_git_is_a_command() {
        let commit = tool("mcp__git__git_commit", json!({"repo_path": "/a b", "message": "x"}));
        assert_eq!(commit.command().as_deref(), Some("git -C '/a b' commit"));
        let push = tool("mcp__git__git_cherry_pick", json!({}));
        assert_eq!(push.command().as_deref(), Some("git cherry-pick"));
    }
}
