//! Any bytes as the state file: every rule of every built-in workflow decides on it, and fields are set in it.

#![no_main]

#[path = "files.rs"]
mod files;

use std::sync::Arc;

use files::Files;
use holdpoint_core::decide::decide;
use holdpoint_core::effects::Set;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::Facts;
use holdpoint_core::tool::Tool;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fn event(moment: Moment, name: &str, input: Value) -> Arc<Event> {
    let result = (moment == Moment::After)
        .then(|| json!("[1] new project, and more words than fifty characters in all"));
    let tool = Tool { name: name.into(), input, result, ..Tool::default() };
    Arc::new(Event { tool: Some(tool), agent: "claude".into(), ..Event::from_shell(moment, "/w") })
}

fuzz_target!(|bytes: &[u8]| {
    let events = [
        event(Moment::Before, "Task", json!({"subagent_type": "software-developer", "prompt": "phase 06"})),
        event(Moment::Before, "Bash", json!({"command": "git commit -m x"})),
        event(Moment::After, "Write", json!({"file_path": "/w/.isdlc/state.json"})),
        event(Moment::After, "Task", json!({"subagent_type": "discover-orchestrator"})),
    ];
    for built_in in holdpoint::catalog::built_in() {
        for event in &events {
            let world = Arc::new(Files(bytes.to_vec()));
            decide(&Facts::new(built_in.workflow.clone(), Arc::clone(event), "/w".into(), world), None);
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let set = Set { path: vec!["a".into(), "b".into()], value: json!({"c": [1.5, "x", null]}) };
        if let Ok(edited) = holdpoint::store::state::edit(text, &[set]) {
            let value: Value = serde_json::from_str(&edited).unwrap();
            assert_eq!(value["a"]["b"], json!({"c": [1.5, "x", null]}));
        }
    }
});
