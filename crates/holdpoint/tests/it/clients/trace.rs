//! A walk through a workflow in a real client, kept as a page: what the agent did, hook call by hook call, and what it was answered.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value as Json;

use crate::clients::session::{HOLDPOINT, kept};
use crate::project::Project;

/// The file that has each hook's input and answer, one after the other.
const CALLS: &str = "calls";
/// How wide the page is, and where what is said begins.
const WIDTH: usize = 100;
const INDENT: &str = "    ";

/// Puts a recorder between the client and the hooks that it has registered: each is called as before, and what it was asked and
/// answered is kept.
pub(super) fn record(project: &Project) {
    let recorder = project.root().join("recorder");
    let script = format!(
        "#!/bin/sh\nasked=$(cat)\nanswer=$(printf '%s' \"$asked\" | '{HOLDPOINT}' \"$@\")\ncode=$?\n\
         printf '%s\\n%s\\n' \"$asked\" \"${{answer:-null}}\" >> '{0}/{CALLS}'\nprintf '%s' \"$answer\"\nexit $code\n",
        project.root().display()
    );
    project.write("recorder", script);
    std::fs::set_permissions(&recorder, PermissionsExt::from_mode(0o755)).unwrap();
    let settings = project.read(".claude/settings.json");
    let named = |path: &str| Json::from(path).to_string();
    assert!(settings.contains(&named(HOLDPOINT)), "{settings}");
    project.write(
        ".claude/settings.json",
        settings.replace(&named(HOLDPOINT), &named(recorder.to_str().unwrap())),
    );
}

/// What was recorded, for people. The project's folder is left out of it.
pub(super) fn page(project: &Project) -> String {
    let root = format!("{}/", project.root().display());
    let calls = kept(project, CALLS);
    let mut steps = Vec::new();
    for call in calls.chunks(2) {
        let [asked, answer] = call else { panic!("an answer is missing: {call:?}") };
        let event = asked["hook_event_name"].as_str().unwrap();
        let said = said(event, answer);
        // A sub-agent's call is shown when it begins, before what it does; other calls when they have been made. What is held is
        // never made.
        let is_delegation = matches!(asked["tool_name"].as_str(), Some("Task" | "Agent"));
        let is_act = match event {
            "UserPromptSubmit" | "Stop" => true,
            "PreToolUse" => is_delegation,
            "PostToolUse" | "PostToolUseFailure" => !is_delegation,
            _ => false,
        };
        if !is_act && said.is_none() {
            continue;
        }
        let number = steps.len() + 1;
        let act = folded(&act(asked).replace(&root, ""), WIDTH - INDENT.len()).join(&format!("\n{INDENT}"));
        let (word, text) = said.unwrap_or(("passed", String::new()));
        steps.push(format!("{number:2}. {act}\n{INDENT}{word}\n{}", shown(&text.replace(&root, ""))));
    }
    steps.join("\n")
}

/// What somebody did.
fn act(asked: &Json) -> String {
    let who =
        asked["agent_type"].as_str().map_or_else(|| "The agent".to_owned(), |agent| format!("Its {agent}"));
    let input = &asked["tool_input"];
    let text = |field: &str| input[field].as_str().unwrap_or_default();
    match asked["hook_event_name"].as_str().unwrap() {
        "UserPromptSubmit" => return format!("The user types: {}", asked["prompt"].as_str().unwrap()),
        "SessionStart" => return "A session starts.".to_owned(),
        "Stop" => {
            let last = asked["last_assistant_message"].as_str().unwrap_or_default();
            return format!("The agent stops: {last}");
        }
        _ => {}
    }
    let fails = if asked["hook_event_name"] == "PostToolUseFailure" { ", which fails" } else { "" };
    match asked["tool_name"].as_str().unwrap_or_default() {
        "Bash" => format!("{who} runs{fails}: {}", text("command")),
        "Task" | "Agent" => format!("{who} calls {}: {}", text("subagent_type"), text("prompt")),
        "Write" => format!("{who} writes {}", text("file_path")),
        tool => format!("{who} uses {tool}"),
    }
}

/// What a hook answered, and to whom; none if nothing.
fn said(event: &str, answer: &Json) -> Option<(&'static str, String)> {
    let text = |place: &str| answer.pointer(place).and_then(Json::as_str).map(str::to_owned);
    let held = text("/hookSpecificOutput/permissionDecisionReason").or_else(|| text("/reason"));
    // At a Stop what the agent is told keeps it going.
    let word = if event == "Stop" { "HELD" } else { "TOLD to the agent" };
    let told = || text("/hookSpecificOutput/additionalContext").map(|text| (word, text));
    let user = || text("/systemMessage").map(|text| ("TOLD to the user", text));
    held.map(|text| ("HELD", text)).or_else(told).or_else(user)
}

/// A text in lines that fit, under what was done.
fn shown(text: &str) -> String {
    let indent = INDENT.repeat(2);
    let lines = folded(text, WIDTH - indent.len());
    lines.iter().map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n").collect()
}

/// A text in lines of this width, those that it has and those that it needs.
fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let words = line.trim_start();
        let indent = &line[..line.len() - words.len()];
        let mut at = indent.to_owned();
        for word in words.split(' ') {
            if at.len() > indent.len() {
                if at.chars().count() + 1 + word.chars().count() > width {
                    lines.push(std::mem::replace(&mut at, indent.to_owned()));
                } else {
                    at.push(' ');
                }
            }
            at.push_str(word);
            // What has no blank is cut.
            while at.chars().count() > width {
                let rest = at.chars().skip(width).collect();
                lines.push(at.chars().take(width).collect());
                at = rest;
            }
        }
        lines.push(at);
    }
    lines
}
