//! Codex's own record of a session, the rollout: whether it has a tool call, and whether the agent's commands run in a
//! sandbox. Only its end is read.

use std::path::{Path, PathBuf};

use holdpoint_core::event::Event;
use serde_json::Value as Json;

use super::tail::tail;
use crate::env::Env;
use crate::env_vars::{CODEX_HOME, HOME};

/// The most that is read of a record, from its end. A line of it can have a file's whole text.
const TAIL_BYTES: u64 = 1024 * 1024;
/// How many of its newest lines a call must be among.
const NEWEST: usize = 64;
/// The policies under which commands run in a sandbox.
const SANDBOXED: [&str; 2] = ["read-only", "workspace-write"];

/// The end of a record.
pub(super) struct Rollout {
    /// Its lines, the newest first.
    lines: Vec<Json>,
}

impl Rollout {
    /// Reads the record that an event names, if it is one of the client's with these surroundings, and of this session.
    pub(super) fn read(client: &dyn Env, named: Option<&str>, event: &Event) -> Option<Rollout> {
        let folder = client.var(CODEX_HOME).map(PathBuf::from);
        let folder = folder.or_else(|| Some(Path::new(&client.var(HOME)?).join(".codex")))?;
        let path = Path::new(named?).canonicalize().ok()?;
        let is_its = path.starts_with(folder.join("sessions").canonicalize().ok()?);
        let name = path.file_name()?.to_str()?;
        let is_of = event.session.as_ref().is_some_and(|session| name.contains(session.as_str()));
        (is_its && is_of).then(|| tail(&path, TAIL_BYTES)).flatten().map(|text| Rollout::of(&text))
    }

    fn of(text: &str) -> Rollout {
        Rollout { lines: text.lines().rev().filter_map(|line| serde_json::from_str(line).ok()).collect() }
    }

    /// Returns whether a call of this id is among the newest, with this command.
    pub(super) fn has_call(&self, id: &str, command: Option<&str>) -> bool {
        let is_it = |line: &&Json| {
            let item = &line["payload"];
            line["type"] == "response_item" && item["type"] == "function_call" && item["call_id"] == id
        };
        let call = self.lines.iter().take(NEWEST).find(is_it);
        let arguments = call.and_then(|line| line["payload"]["arguments"].as_str());
        let Some(arguments) = arguments.and_then(|text| serde_json::from_str::<Json>(text).ok()) else {
            return false;
        };
        let given = ["cmd", "command"].into_iter().find_map(|key| arguments[key].as_str());
        command.is_none() || given == command
    }

    /// Returns whether the agent's commands run in a sandbox, as the record says of the newest turn.
    pub(super) fn is_sandboxed(&self) -> bool {
        let turn = self.lines.iter().find(|line| line["type"] == "turn_context");
        let policy = turn.and_then(|turn| turn["payload"]["sandbox_policy"]["type"].as_str());
        policy.is_some_and(|policy| SANDBOXED.contains(&policy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = r#"{"type":"response_item","payload":{"type":"function_call","id":"fc1","name":"exec_command","arguments":"{\"cmd\": \"holdpoint flow next\"}","call_id":"call_1"}}"#;

    #[test]
    fn a_call_counts_with_its_id_and_its_very_words_among_the_newest() {
        let other = r#"{"type":"event_msg","payload":{"type":"token_count"}}"#;
        let rollout = Rollout::of(&format!("{CALL}\n{other}\nnonsense\n"));
        assert!(rollout.has_call("call_1", Some("holdpoint flow next")));
        assert!(!rollout.has_call("call_2", Some("holdpoint flow next")), "another id");
        assert!(!rollout.has_call("call_1", Some("holdpoint flow  next")), "other words");
        assert!(!Rollout::of("").has_call("call_1", None));
        let long_ago = format!("{CALL}\n{}", format!("{other}\n").repeat(NEWEST));
        assert!(!Rollout::of(&long_ago).has_call("call_1", Some("holdpoint flow next")), "too long ago");
    }

    #[test]
    fn the_newest_turn_says_whether_there_is_a_sandbox() {
        let turn = |policy: &str| {
            format!(r#"{{"type":"turn_context","payload":{{"sandbox_policy":{{"type":"{policy}"}}}}}}"#)
        };
        let of = |policies: &[&str]| {
            Rollout::of(&policies.iter().map(|policy| turn(policy)).collect::<Vec<_>>().join("\n"))
                .is_sandboxed()
        };
        assert!(of(&["workspace-write"]) && of(&["danger-full-access", "read-only"]));
        assert!(!of(&["workspace-write", "danger-full-access"]) && !of(&["unheard-of"]) && !of(&[]));
    }
}
