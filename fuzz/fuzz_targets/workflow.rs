//! Any text as a workflow file: parsed, checked, and, if nothing is wrong with it, asked about an event.

#![no_main]

#[path = "files.rs"]
mod files;

use std::sync::Arc;

use files::Files;
use holdpoint_core::decide::decide;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::Facts;
use holdpoint_core::tool::Tool;
use holdpoint_core::workflow::check::{Surroundings, check};
use holdpoint_core::workflow::parse::parse;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|source: &str| {
    let parsed = parse("fuzzed", source, &|_| Some("{{ state.a }}".into()));
    let commands = ["status".to_owned()];
    let text = [("more.md".to_owned(), source.to_owned())];
    let around = Surroundings { files: &text, commands: Some(&commands), workflows: &[], variables: None };
    for problem in check(&parsed, &around) {
        problem.position(source);
    }
    if parsed.error().is_some() {
        return;
    }
    let tool = Tool { name: "Bash".into(), input: json!({"command": "ls"}), ..Tool::default() };
    for moment in [Moment::Before, Moment::After, Moment::Stop, Moment::Prompt, Moment::Start] {
        let tool = moment.has_tool().then(|| tool.clone());
        let event = Event { tool, agent: "claude".into(), ..Event::from_shell(moment, "/w") };
        let world = Arc::new(Files(br#"{"a": {"b": [1, 2]}, "phases": {"x": {"status": "open"}}}"#.to_vec()));
        decide(&Facts::new(parsed.workflow.clone(), Arc::new(event), "/w".into(), world), None);
    }
});
