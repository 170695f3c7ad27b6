//! Calls that overlap: background shells, sub-agents, calls whose end nobody hears of.

use std::process::{Command, Stdio};

use serde_json::json;

use super::project::Agent;

const SNEAK: &str = "f() { git \"$@\"; }; f commit -qm x";

#[test]
fn none_is_accused_alone() {
    let agent = Agent::on_trunk();
    assert!(agent.before("c1", "sleep 1 && make one").is_nothing());
    assert!(agent.before("c2", "sleep 1 && make two").is_nothing());
    agent.run(SNEAK);
    let told = agent.after("c2", "sleep 1 && make two");
    assert!(told.agent.contains("make one") && told.agent.contains("make two"), "{told:?}");
    assert!(told.agent.contains("one of them did it"), "{told:?}");
    // Told once: the other call's end finds nothing new.
    assert!(agent.after("c1", "sleep 1 && make one").is_nothing());
    // The calls are over: what changes now is the user's.
    agent.run("git reset -q --hard side");
    assert!(agent.shell("ls").is_nothing());
}

#[test]
fn a_call_that_is_still_open_goes_on_being_looked_at() {
    let agent = Agent::on_trunk();
    agent.before("c1", "./long");
    assert!(agent.shell_beside("c2", "ls").is_nothing());
    agent.run(SNEAK);
    let told = agent.before("c3", "ls -l");
    assert!(told.agent.contains("./long") && !told.agent.contains("ls -l"), "{told:?}");
    assert!(told.user.contains("refs/heads/main"));
}

#[test]
fn a_call_whose_end_nobody_hears_of_is_compared_at_the_next_event() {
    for event in ["Stop", "UserPromptSubmit", "PreToolUse", "PostToolUse"] {
        let agent = Agent::on_trunk();
        agent.before("c1", "./lost");
        agent.run(SNEAK);
        let told = agent.event(json!({
            "hook_event_name": event, "prompt": "go on", "tool_name": "Edit", "tool_input": {"file_path": "b.py"},
        }));
        assert!(
            told.to_string().contains("refs/heads/main") && told.to_string().contains("./lost"),
            "{event}: {told}"
        );
    }
}

#[test]
fn a_failed_call_is_looked_at_too() {
    let agent = Agent::on_trunk();
    agent.before("c1", "./fails");
    agent.run(SNEAK);
    let told = agent.event(json!({
        "hook_event_name": "PostToolUseFailure", "tool_use_id": "c1", "tool_name": "Bash",
        "tool_input": {"command": "./fails"}, "error": "exit 1",
    }));
    assert!(told.to_string().contains("refs/heads/main"), "{told}");
}

/// A process that a call leaves behind, and that commits when this one lets it.
#[cfg(target_os = "linux")]
#[test]
fn what_a_call_leaves_running_is_its_own_doing() {
    let agent = Agent::on_trunk();
    let command = "./background";
    assert!(agent.before("c1", command).is_nothing());
    let mut shell = Command::new("bash");
    shell.args(["-c", "mkfifo gate; setsid sh -c 'cat gate; git commit -qm x; echo > gate2' & disown"]);
    shell.current_dir(agent.project.root()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", &agent.session);
    agent.run("mkfifo gate2");
    assert!(shell.status().unwrap().success());
    assert!(agent.after("c1", command).is_nothing(), "nothing has happened yet");
    agent.run("until test -p gate; do :; done; echo > gate; cat gate2");
    let told = agent.event(
        json!({"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": "b.py"}}),
    );
    assert!(
        told.to_string().contains("refs/heads/main") && told.to_string().contains("./background"),
        "{told}"
    );
}

#[test]
fn another_sessions_call_is_not_this_ones_end() {
    let agent = Agent::on_trunk();
    agent.before("c1", "./mine");
    let agent = agent.another();
    agent.stop();
    agent.run(SNEAK);
    let told = agent.prompt("hello");
    assert!(told.user.contains("refs/heads/main") && told.user.contains("./mine"), "{told:?}");
}

impl Agent {
    /// A call beside one that is open.
    fn shell_beside(&self, id: &str, command: &str) -> super::project::Told {
        self.before(id, command);
        self.run(command);
        self.after(id, command)
    }
}
