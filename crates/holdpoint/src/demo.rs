//! A demonstration: a scripted agent at work in a temporary project. Its hook calls, its files and its commits are
//! real; only what the agent decides to do is written down, in a workflow's `demo.toml`.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::case::folder;
use crate::store::atomic;

/// The file of a workflow's folder that a demonstration is written in.
pub const FILE: &str = "demo.toml";

/// How much of a call is shown.
const CALL_CHARS_MAX: usize = 100;

/// A demonstration's script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// What it shows.
    pub about: String,
    /// What the project starts from: `files`, `git` and `branches`, as in a case.
    #[serde(default)]
    given: Map<String, Json>,
    /// What happens, in order.
    #[serde(rename = "step")]
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// What the agent does, for the reader.
    does: String,
    /// The tool it calls.
    tool: String,
    /// The tool's input.
    #[serde(default)]
    input: Map<String, Json>,
    /// What must come of it: `hold`, `warn` or `pass`.
    expect: Expect,
}

/// What a step must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// The call is held.
    Hold,
    /// The call goes on, and something is said.
    Warn,
    /// The call goes on.
    Pass,
}

/// What came of a step.
#[derive(Debug)]
pub struct Scene {
    /// What the agent did.
    pub does: String,
    /// The call, in a line.
    pub call: String,
    /// What was expected.
    pub expect: Expect,
    /// What came of it.
    pub got: Expect,
    /// What was said, to whomever.
    pub said: String,
}

/// Reads a script.
pub fn parse(text: &str) -> Result<Script, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

/// Plays a script in the project folder `root`, telling each scene as it happens.
pub fn play(
    script: &Script,
    program: &Path,
    root: &Path,
    tell: &mut dyn FnMut(&Scene),
) -> Result<(), String> {
    folder::make(&script.given, holdpoint_core::workflow::Format::Json, root)?;
    for step in &script.steps {
        let scene = act(step, program, root)?;
        tell(&scene);
        if scene.got != scene.expect {
            return Err(format!("expected {:?} and got {:?}", scene.expect, scene.got));
        }
    }
    Ok(())
}

fn act(step: &Step, program: &Path, root: &Path) -> Result<Scene, String> {
    let before = ask(step, program, root, json!({"hook_event_name": "PreToolUse"}))?;
    let reason = before.0.pointer("/hookSpecificOutput/permissionDecisionReason").and_then(Json::as_str);
    let scene = |got, said: String| {
        let does = step.does.clone();
        Scene { does, call: in_a_line(step), expect: step.expect, got, said }
    };
    if let Some(reason) = reason {
        return Ok(scene(Expect::Hold, reason.to_owned()));
    }
    let result = carry_out(step, root)?;
    let after = ask(step, program, root, json!({"hook_event_name": "PostToolUse", "tool_response": result}))?;
    let said = format!("{}{}", before.1, after.1);
    let got = if said.is_empty() { Expect::Pass } else { Expect::Warn };
    Ok(scene(got, said))
}

/// Calls the hook as an agent would; its answer and what it wrote to standard error.
fn ask(step: &Step, program: &Path, root: &Path, fields: Json) -> Result<(Json, String), String> {
    let mut event = json!({"session_id": "demo", "cwd": root, "tool_name": step.tool, "tool_input": full_input(step, root)});
    if let (Json::Object(event), Json::Object(fields)) = (&mut event, fields) {
        event.extend(fields);
    }
    let mut hook = Command::new(program);
    hook.args(["hook", "--agent", "claude"]).current_dir(root);
    let output = feed(hook, event.to_string().as_bytes())?;
    let answer = serde_json::from_slice(&output.stdout).unwrap_or_default();
    Ok((answer, String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// The tool's input with its path made whole, as agents send it.
fn full_input(step: &Step, root: &Path) -> Map<String, Json> {
    let mut input = step.input.clone();
    if let Some(path) = input.get("file_path").and_then(Json::as_str).map(|path| root.join(path)) {
        input.insert("file_path".into(), json!(path));
    }
    input
}

/// Does what the tool does, and returns what it would answer.
fn carry_out(step: &Step, root: &Path) -> Result<Json, String> {
    let text = |name: &str| step.input.get(name).and_then(Json::as_str).unwrap_or_default();
    match step.tool.as_str() {
        "Bash" => {
            let mut shell = Command::new("sh");
            let identity = ["GIT_AUTHOR", "GIT_COMMITTER"];
            for who in identity {
                shell.env(format!("{who}_NAME"), "Demo").env(format!("{who}_EMAIL"), "demo@example.invalid");
            }
            let output = feed(
                {
                    shell.args(["-c", text("command")]).current_dir(root);
                    shell
                },
                b"",
            )?;
            Ok(
                json!({"stdout": String::from_utf8_lossy(&output.stdout), "stderr": String::from_utf8_lossy(&output.stderr)}),
            )
        }
        "Write" => {
            write(&root.join(text("file_path")), text("content")).map_err(|error| error.to_string())?;
            Ok(json!({"type": "update"}))
        }
        _ => Ok(step.input.get("answer").cloned().unwrap_or_else(|| json!("done"))),
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    atomic::replace(path, text.as_bytes())
}

fn feed(mut command: Command, input: &[u8]) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| format!("{program}: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = std::io::Write::write_all(&mut stdin, input);
    }
    child.wait_with_output().map_err(|error| error.to_string())
}

fn in_a_line(step: &Step) -> String {
    let text = |name: &str| step.input.get(name).and_then(Json::as_str);
    let about = text("command").or(text("file_path")).or(text("subagent_type")).unwrap_or_default();
    let line: String = about.lines().next().unwrap_or_default().chars().take(CALL_CHARS_MAX).collect();
    format!("{}({line}{})", step.tool, if line.len() < about.len() { "…" } else { "" })
}
