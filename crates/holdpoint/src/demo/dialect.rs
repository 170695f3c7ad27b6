//! The clients that a demo can run in: how each is set up and started, and what its tools are called.

use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value as Json, json};

use super::client::{put, source};
use super::error::DemoError;
use super::model::Block;
use super::script::Script;
use super::stage::{SESSION, Stage};
use crate::install::host::{self, Host};
use crate::install::wanted::Wanted;
use crate::plugin;

/// A client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
}

/// The model that Codex gives a tool for patches.
const CODEX_MODEL: &str = "gpt-5.5";

impl Dialect {
    /// Returns the client of an agent. None if no demo runs in it.
    pub fn named(agent: &str) -> Option<Dialect> {
        match agent {
            "claude" => Some(Dialect::Claude),
            "codex" => Some(Dialect::Codex),
            "gemini" => Some(Dialect::Gemini),
            _ => None,
        }
    }

    /// Returns how `init` knows it.
    pub fn host(self) -> Option<&'static Host> {
        host::named(match self {
            Dialect::Claude => "claude",
            Dialect::Codex => "codex",
            Dialect::Gemini => "gemini",
        })
    }

    /// Returns its name for people.
    pub fn title(self) -> &'static str {
        self.host().map_or("the client", |host| host.title)
    }

    /// Writes what the client reads when it starts: hooks, settings, and the sub-agents that the script calls.
    pub(super) fn prepare(self, script: &Script, stage: &Stage, url: &str) -> Result<(), DemoError> {
        match self {
            Dialect::Claude => {
                for (path, text) in plugin::marketplace(&[source(stage)?]) {
                    put(&stage.tools.join("plugin").join(path), &text)?;
                }
                for name in script.sub_agents() {
                    let text =
                        format!("---\nname: {name}\ndescription: {name}\n---\n\nDo as you are told.\n");
                    put(&stage.home.join(".claude/agents").join(format!("{name}.md")), &text)?;
                }
                Ok(())
            }
            Dialect::Codex => {
                put(&stage.home.join(".codex/config.toml"), &codex_config(stage, url))?;
                let hooks = json!({"hooks": self.hooks(stage)?});
                put(&stage.home.join(".codex/hooks.json"), &hooks.to_string())
            }
            Dialect::Gemini => {
                let settings = json!({"hooks": self.hooks(stage)?,
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false}});
                put(&stage.home.join(".gemini/settings.json"), &settings.to_string())
            }
        }
    }

    /// Renders the hooks as `init` would write them.
    fn hooks(self, stage: &Stage) -> Result<Map<String, Json>, DemoError> {
        let wanted = Wanted::of(std::iter::once(&source(stage)?.workflow));
        let program = stage.program().to_string_lossy().into_owned();
        let entries = self.host().map(|host| wanted.entries(host, &program)).unwrap_or_default();
        Ok(entries.into_iter().map(|entry| (entry.event.to_owned(), json!([entry.value]))).collect())
    }

    /// Prepares the client's command line for a prompt, in the existing session if there is one.
    pub(super) fn command(
        self,
        stage: &Stage,
        program: &Path,
        prompt: &str,
        has_session: bool,
        url: &str,
    ) -> Command {
        let mut client = stage.command(program);
        client.envs(environment(url)).env_remove(crate::env_vars::SESSIONS[0]);
        match self {
            Dialect::Claude => {
                client.args(["-p", prompt, if has_session { "--resume" } else { "--session-id" }, SESSION]);
                client.args([
                    "--dangerously-skip-permissions",
                    "--output-format",
                    "json",
                    "--model",
                    "sonnet",
                ]);
                client.arg("--plugin-dir").arg(stage.tools.join("plugin").join(&stage.workflow));
            }
            Dialect::Codex => {
                client.args(["exec", "--dangerously-bypass-approvals-and-sandbox"]);
                client.args(["--dangerously-bypass-hook-trust", "--skip-git-repo-check"]);
                if has_session {
                    client.args(["resume", "--last"]);
                }
                client.arg(prompt).env("CODEX_HOME", stage.home.join(".codex")).env("KEY", "none");
            }
            Dialect::Gemini => {
                client.args(["-p", prompt, "--output-format", "json", "--approval-mode", "yolo"]);
                client.args(["--model", "gemini-2.5-flash"]);
                if has_session {
                    client.args(["--resume", "latest"]);
                }
                client.env("GEMINI_API_KEY", "none").env("GOOGLE_GEMINI_BASE_URL", url);
                client.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
            }
        }
        client
    }

    /// Renders a call of a script, which has Claude Code's names, as this client's own.
    pub(super) fn call(self, stage: &Stage, tool: &str, input: &Map<String, Json>) -> Block {
        let text = |name: &str| input.get(name).and_then(Json::as_str).unwrap_or_default();
        let call = |tool: &str, input: Json| Block::Call { tool: tool.to_owned(), input };
        let path = stage.root.join(text("file_path"));
        let sub_agent = || format!("{}: {}", text("subagent_type"), text("prompt"));
        match (self, tool) {
            (Dialect::Codex, "Bash") => call("exec_command", json!({"cmd": text("command")})),
            (Dialect::Gemini, "Bash") => call("run_shell_command", json!({"command": text("command")})),
            (Dialect::Codex, "Write" | "Edit") => {
                call("apply_patch", patch(&path, &written(&path, tool, &text)).into())
            }
            (Dialect::Gemini, "Write" | "Edit") => {
                let content = written(&path, tool, &text);
                call("write_file", json!({"file_path": path, "content": content}))
            }
            (Dialect::Codex, "Task" | "Agent") => {
                call("multi_agent_v1.spawn_agent", json!({"message": sub_agent()}))
            }
            (Dialect::Gemini, "Task" | "Agent") => {
                call("invoke_agent", json!({"agent_name": "generalist", "prompt": sub_agent()}))
            }
            _ => call(tool, Json::Object(claudes(input, &path))),
        }
    }

    /// Returns how a sub-agent gives its answer.
    pub(super) fn report(self, answer: &str) -> Block {
        match self {
            Dialect::Claude | Dialect::Codex => Block::Text(answer.to_owned()),
            Dialect::Gemini => Block::Call {
                tool: "complete_task".to_owned(),
                input: json!({"result": {"response": answer}}),
            },
        }
    }

    /// Returns what the agent calls to wait for the sub-agent that it was told of. None where the call itself waits.
    pub(super) fn wait(self, news: &str) -> Option<Block> {
        let (_, agent) = news.split_once("\"agent_id\":").filter(|_| self == Dialect::Codex)?;
        let target = agent.split('"').nth(1)?;
        let input = json!({"targets": [target]});
        Some(Block::Call { tool: "multi_agent_v1.wait_agent".to_owned(), input })
    }

    /// Reads a shell's exit code from what the client shows the model of it.
    pub(super) fn exit_code(self, text: &str, is_error: bool) -> Option<i32> {
        let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
        match self {
            Dialect::Claude if !is_error => Some(0),
            Dialect::Claude => number(text.trim_start().strip_prefix("Exit code ")?),
            Dialect::Codex => number(text.split_once("exited with code ")?.1),
            Dialect::Gemini => {
                Some(text.split_once("Exit Code: ").and_then(|(_, rest)| number(rest)).unwrap_or(0))
            }
        }
    }
}

/// Completes a call's input as Claude Code wants it.
fn claudes(input: &Map<String, Json>, path: &Path) -> Map<String, Json> {
    let mut input = input.clone();
    if input.contains_key("file_path") {
        input.insert("file_path".into(), json!(path));
    }
    if input.contains_key("subagent_type") {
        input.insert("run_in_background".into(), json!(false));
    }
    if input.contains_key("subagent_type") || input.contains_key("command") {
        input.insert("description".into(), json!("work"));
    }
    input
}

/// Returns a file's text after a call that writes or edits it.
fn written<'a>(path: &Path, tool: &str, text: &impl Fn(&str) -> &'a str) -> String {
    if tool == "Write" {
        return text("content").to_owned();
    }
    let old = std::fs::read_to_string(path).unwrap_or_default();
    old.replacen(text("old_string"), text("new_string"), 1)
}

/// Renders a patch that gives a file this text.
fn patch(path: &Path, text: &str) -> String {
    let lines =
        |sign: char, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
    let (file, new) = (path.display(), lines('+', text));
    let change = match std::fs::read_to_string(path) {
        Ok(old) if !old.is_empty() => format!("*** Update File: {file}\n@@\n{}{new}", lines('-', &old)),
        _ => format!("*** Add File: {file}\n{new}"),
    };
    format!("*** Begin Patch\n{change}*** End Patch\n")
}

fn codex_config(stage: &Stage, url: &str) -> String {
    let mut config = toml_edit::DocumentMut::new();
    // A login shell would set PATH anew, from the machine's profile.
    config["allow_login_shell"] = toml_edit::value(false);
    config["model"] = toml_edit::value(CODEX_MODEL);
    config["model_provider"] = toml_edit::value("scripted");
    let mut provider = toml_edit::InlineTable::new();
    for (key, value) in [
        ("name", "scripted"),
        ("base_url", &format!("{url}/v1")),
        ("wire_api", "responses"),
        ("env_key", "KEY"),
    ] {
        provider.insert(key, value.into());
    }
    for key in ["request_max_retries", "stream_max_retries"] {
        provider.insert(key, 0.into());
    }
    config["model_providers"]["scripted"] = toml_edit::value(provider);
    let root = stage.root.to_string_lossy().into_owned();
    config["projects"][root.as_str()]["trust_level"] = toml_edit::value("trusted");
    config.to_string()
}

/// Variables that make a client talk only to the scripted model: no account, no other traffic.
fn environment(url: &str) -> Vec<(&'static str, String)> {
    let proxies =
        ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map(|name| (name, url.to_owned()));
    let switches = [
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_AUTOUPDATER",
        "IS_SANDBOX",
    ];
    let mut all = vec![("ANTHROPIC_BASE_URL", url.to_owned()), ("ANTHROPIC_API_KEY", "none".to_owned())];
    all.extend([("NO_PROXY", "127.0.0.1".to_owned()), ("no_proxy", "127.0.0.1".to_owned())]);
    all.push(("CLAUDE_CODE_MAX_RETRIES", "0".to_owned()));
    all.extend(proxies);
    all.extend(switches.map(|name| (name, "1".to_owned())));
    all
}
