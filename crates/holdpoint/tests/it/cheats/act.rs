//! What the agent does: its hook event, and the act itself.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::autopilot::project::{SESSION, Site};
use crate::autopilot::subagents;

/// What the agent does.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// Replaces text in a file: path, old text, new text.
    Edit(&'static str, &'static str, &'static str),
    /// Writes a file.
    Write(&'static str, &'static str),
    /// Runs a command.
    Bash(&'static str),
    /// The same in another session.
    Elsewhere(&'static str),
    /// Calls a tool of this agent's, with this input, in which `ROOT` is the repository; the line does what the tool would.
    Tool(&'static str, &'static str, &'static str, &'static str),
    /// Calls a sub-agent.
    Call(&'static str, &'static str),
    /// A sub-agent has answered; `NONCE` is the one that was asked for.
    Heard(&'static str, &'static str),
    /// Ends its turn.
    Stop,
    /// Time goes by: what an earlier act left behind is at work, until this file is there.
    Until(&'static str),
}

/// Sends the agent's events, and does what it would do if no hook held it. Returns the first rule that holds, and what
/// the last command said.
pub(crate) fn cheat(site: &Site, acts: &[Act]) -> (String, String) {
    let (mut rule, mut said) = (String::new(), String::new());
    for act in acts {
        let (held, instead) = event(site, act);
        if rule.is_empty() {
            rule = held;
        }
        if let Some(printed) = done(site, act, instead.as_deref()) {
            said = printed;
        }
    }
    (rule, said)
}

/// Sends the event of an act. Returns the rule that holds it, and the command that is run instead of the agent's.
fn event(site: &Site, act: &Act) -> (String, Option<String>) {
    let file = |path: &str| site.root().join(path);
    let shell = |line: &str| json!({"command": line, "description": "Go on"});
    let (session, tool, input) = match *act {
        Act::Edit(path, old, new) => {
            (SESSION, "Edit", json!({"file_path": file(path), "old_string": old, "new_string": new}))
        }
        Act::Write(path, text) => (SESSION, "Write", json!({"file_path": file(path), "content": text})),
        Act::Bash(line) => (SESSION, "Bash", shell(line)),
        Act::Elsewhere(line) => ("another-session", "Bash", shell(line)),
        Act::Call(who, prompt) => {
            (SESSION, "Task", json!({"subagent_type": who, "description": "Go on", "prompt": prompt}))
        }
        Act::Tool(agent, tool, input, _) => return (other_tool(site, agent, tool, input), None),
        Act::Heard(who, answer) => {
            subagents::answered(site, who, &answer.replace("NONCE", &subagents::nonce(site)));
            return (String::new(), None);
        }
        Act::Stop => {
            let is_held = !site.stop().is_empty();
            return (if is_held { "Stop".to_owned() } else { String::new() }, None);
        }
        Act::Until(_) => return (String::new(), None),
    };
    let (held, instead) = site.called(session, tool, &input);
    let rule = held.map(|(rule, why)| {
        assert!(why.contains("holdpoint ") || why.contains("git "), "it says what to do: {why}");
        rule
    });
    (rule.unwrap_or_default(), instead)
}

/// The rule that holds a call of a tool that another agent has, or calls by another name.
fn other_tool(site: &Site, agent: &str, tool: &str, input: &str) -> String {
    let input: Json = serde_json::from_str(&input.replace("ROOT", site.root().to_str().unwrap())).unwrap();
    let name = if agent == "gemini" { "BeforeTool" } else { "PreToolUse" };
    let event = json!({"hook_event_name": name, "session_id": SESSION, "cwd": site.root(), "tool_name": tool,
        "tool_input": input});
    let answer = site.answered(agent, &event);
    let is_held =
        answer["hookSpecificOutput"]["permissionDecision"] == "deny" || answer["decision"] == "deny";
    if is_held { site.last_rule() } else { String::new() }
}

/// Does what the agent would do. Returns what a command printed.
fn done(site: &Site, act: &Act, instead: Option<&str>) -> Option<String> {
    match *act {
        Act::Edit(path, old, new) => {
            let text = site.read(path);
            assert!(text.contains(old), "{path}: {text}");
            site.write(path, &text.replace(old, new));
        }
        Act::Write(path, text) => drop(site.write(path, text)),
        Act::Bash(line) | Act::Elsewhere(line) | Act::Tool(_, _, _, line) => {
            let printed = site.unseen(instead.unwrap_or(line));
            return Some(format!("{:?} {}{}", printed.code, printed.stdout, printed.stderr));
        }
        Act::Until(path) => {
            let end = Instant::now() + Duration::from_mins(2);
            while !site.root().join(path).exists() {
                assert!(Instant::now() < end, "{path} never came to be");
                std::thread::yield_now();
            }
        }
        Act::Call(..) | Act::Heard(..) | Act::Stop => {}
    }
    None
}
