//! What the clients send to their hooks, recorded in a session of each: every payload that is kept as a fixture still
//! looks as the client sends it. With `HOLDPOINT_RECORD=1` the fixtures are written anew.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value as Json;

use crate::clients::install::is_newest;
use crate::clients::kind::Kind;
use crate::clients::session::sent;
use crate::model::{Block, Model, news};
use crate::project::Project;
use crate::recorded::{cleaned, folder, is_recording, payloads, shape};

const TASK: &str = "Say that you are there.";

/// An agent that does one thing of each kind, and whose sub-agent does one, too.
fn busy(kind: Kind) -> Model {
    let mut calls =
        VecDeque::from([kind.shell("echo fine"), kind.shell("echo bad; exit 7"), kind.delegate(TASK)]);
    let mut sub_calls = VecDeque::from([kind.shell("echo here"), kind.report()]);
    let mut is_with_sub_agent = false;
    Model::start(move |request| {
        let news = news(request);
        is_with_sub_agent |= news.contains(TASK) && calls.is_empty();
        if is_with_sub_agent && is_sub_agents(request) {
            return vec![sub_calls.pop_front().unwrap_or(Block::Text("I am there."))];
        }
        vec![calls.pop_front().or_else(|| kind.wait(&news)).unwrap_or(Block::Text("I am done."))]
    })
}

/// An agent that writes a file.
fn writer(kind: Kind, project: &Project) -> Model {
    let mut call = Some(kind.write(&project.root().join("notes.md"), "one\n"));
    Model::start(move |_| vec![call.take().unwrap_or(Block::Text("I am done."))])
}

/// Whether a request is a sub-agent's: its first words are the task.
fn is_sub_agents(request: &Json) -> bool {
    let items =
        ["messages", "input", "contents"].iter().find_map(|field| request[*field].as_array()).unwrap();
    let own = |item: &&Json| {
        item["role"] == "assistant" || item["role"] == "model" || item["type"] == "function_call"
    };
    let first: String = items.iter().take_while(|item| !own(item)).map(Json::to_string).collect();
    first.contains(TASK)
}

/// The name of the file for a payload: the event, and the tool if there is one.
fn name(payload: &Json) -> String {
    let event = payload["hook_event_name"].as_str().unwrap();
    let tool = payload["tool_name"].as_str().map(|tool| format!("-{tool}")).unwrap_or_default();
    let by = if payload["agent_id"].is_string() && !tool.is_empty() { "-by-sub-agent" } else { "" };
    let fails = !event.ends_with("Failure") && payload["tool_input"].to_string().contains("exit 7");
    let failed = if fails && is_after(payload) { "-that-failed" } else { "" };
    format!("{event}{tool}{failed}{by}")
}

fn is_after(payload: &Json) -> bool {
    !payload["tool_response"].is_null()
}

fn record(kind: Kind) {
    let Some(program) = kind.program() else { return };
    let project = Project::new();
    let model = busy(kind);
    let events = [kind.events(), kind.other_events()].concat();
    let session = kind.run_at(&events, &program, &project, &model, "cat >> sent");
    let second = kind.run_writer(&program, &project, &writer(kind, &project), "cat >> sent");
    let homes = [&session, &second].map(|session| (session.home(), "/home/user"));
    let places = [(project.root().to_str().unwrap(), "/project"), homes[0], homes[1]];
    let mut seen = BTreeMap::new();
    for payload in sent(&project) {
        seen.entry(name(&payload)).or_insert_with(|| cleaned(&payload, &places));
    }
    if is_recording() {
        write(kind.agent(), &seen);
    }
    let kept: BTreeMap<String, Json> = payloads(kind.agent()).into_iter().collect();
    let names = |payloads: &BTreeMap<String, Json>| payloads.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&seen), names(&kept), "HOLDPOINT_RECORD=1 records them anew");
    for (name, payload) in &seen {
        let (is, was) = (shape(payload), shape(&kept[name]));
        if is_newest() {
            // What is in a field is the newer client's business: the fields that were recorded of the oldest are there.
            let lacks = was.as_object().unwrap().keys().find(|field| is.get(field).is_none());
            assert_eq!(lacks, None, "{name}");
        } else {
            assert_eq!(is, was, "{name}: HOLDPOINT_RECORD=1 records it anew");
        }
    }
}

fn write(agent: &str, payloads: &BTreeMap<String, Json>) {
    let folder = folder(agent);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, payload) in payloads {
        let text = serde_json::to_string_pretty(payload).unwrap();
        std::fs::write(folder.join(format!("{name}.json")), text + "\n").unwrap();
    }
}

#[test]
fn claude_code_sends_what_was_recorded() {
    record(Kind::Claude);
}

#[test]
fn codex_sends_what_was_recorded() {
    record(Kind::Codex);
}

#[test]
fn gemini_cli_sends_what_was_recorded() {
    record(Kind::Gemini);
}
