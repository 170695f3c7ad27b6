//! A whole registration, as a settings file of older scripts has it: twenty hooks of seventeen guards, our program in the place of
//! each script. It is walked event by event, each hook run by a shell as a client does.

use std::process::Command;

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project, feed};

/// An event, a matcher, and the guards that are called for it, each with its timeout.
type Group = (&'static str, Option<&'static str>, &'static [(&'static str, u32)]);

/// What the settings file has, in its order.
const GROUPS: [Group; 9] = [
    (
        "PreToolUse",
        Some("Task"),
        &[
            ("iteration-corridor", 10000),
            ("skill-validator", 10000),
            ("phase-loop-controller", 10000),
            ("plan-surfacer", 10000),
            ("phase-sequence-guard", 10000),
            ("gate-blocker", 10000),
            ("constitution-validator", 10000),
        ],
    ),
    ("PreToolUse", Some("Skill"), &[("iteration-corridor", 10000), ("gate-blocker", 10000)]),
    ("PreToolUse", Some("Bash"), &[("branch-guard", 10000)]),
    (
        "PostToolUse",
        Some("Task"),
        &[
            ("log-skill-usage", 5000),
            ("menu-tracker", 5000),
            ("walkthrough-tracker", 5000),
            ("discover-menu-guard", 5000),
        ],
    ),
    ("PostToolUse", Some("Skill"), &[("skill-delegation-enforcer", 5000)]),
    ("PostToolUse", Some("Bash"), &[("test-watcher", 10000), ("review-reminder", 5000)]),
    ("PostToolUse", Some("Write"), &[("state-write-validator", 5000)]),
    ("PostToolUse", Some("Edit"), &[("state-write-validator", 5000)]),
    ("Stop", None, &[("delegation-gate", 5000)]),
];

/// The settings file, with our program in the place of each script.
fn settings() -> Json {
    let mut hooks = json!({});
    for (event, matcher, guards) in GROUPS {
        let hook = |(guard, timeout): &(&str, u32)| {
            let command = format!(
                "{} hook --workflow isdlc --only {guard} --protocol legacy",
                env!("CARGO_BIN_EXE_holdpoint")
            );
            json!({"type": "command", "command": command, "timeout": timeout})
        };
        let mut group = json!({"hooks": guards.iter().map(hook).collect::<Vec<_>>()});
        if let Some(matcher) = matcher {
            group["matcher"] = json!(matcher);
        }
        match hooks[event].as_array_mut() {
            Some(groups) => groups.push(group),
            None => hooks[event] = json!([group]),
        }
    }
    json!({"hooks": hooks})
}

/// A project with the settings file, and what the guards look at.
struct Registered {
    project: Project,
}

impl Registered {
    fn new() -> Registered {
        let project = Project::new();
        project.write(".claude/settings.json", settings().to_string());
        let requirements = json!({"phase_requirements": {
            "01-requirements": {"interactive_elicitation": {"enabled": true, "required_final_selection": ["save"]}},
            "06-implementation": {
                "test_iteration": {"enabled": true, "max_iterations": 10},
                "constitutional_validation": {"enabled": true, "articles": ["I", "II"]},
            },
        }});
        project.write(".claude/hooks/config/iteration-requirements.json", requirements.to_string());
        let manifest = json!({"ownership": {
            "sdlc-orchestrator": {"phase": "all"}, "requirements-analyst": {"phase": "01-requirements"},
        }});
        project.write(".claude/hooks/config/skills-manifest.json", manifest.to_string());
        project.write("docs/isdlc/tasks.md", "- [ ] Login\n");
        let registered = Registered { project };
        registered.in_phase("01-requirements");
        registered
    }

    fn in_phase(&self, phase: &str) {
        let state = json!({
            "active_workflow": {"type": "feature", "phases": ["01-requirements", "06-implementation"], "current_phase": phase},
            "phases": {phase: {"status": "in_progress"}},
            "code_review": {"enabled": false, "team_size": 2},
        });
        self.project.write(".isdlc/state.json", state.to_string());
    }

    fn state(&self) -> Json {
        serde_json::from_str(&self.project.read(".isdlc/state.json")).unwrap()
    }

    /// What each entry of the settings file answers that the event is for, by its guard; only those that say something.
    fn say(&self, event: &str, payload: &Json) -> Vec<(String, Printed)> {
        let settings: Json = serde_json::from_str(&self.project.read(".claude/settings.json")).unwrap();
        let tool = payload["tool_name"].as_str().unwrap_or_default();
        let groups = settings["hooks"][event].as_array().unwrap().iter();
        let hooks = groups
            .filter(|group| group["matcher"].as_str().unwrap_or_default() == tool)
            .flat_map(|group| group["hooks"].as_array().unwrap());
        let commands = hooks.map(|hook| hook["command"].as_str().unwrap());
        let mut said = Vec::new();
        for command in commands {
            let shell = self.shell(command);
            let printed = feed(shell, payload.to_string().as_bytes());
            assert_eq!(printed.code, Some(0), "{command}");
            if !printed.stdout.is_empty() || !printed.stderr.is_empty() {
                let guard = command.split("--only ").nth(1).unwrap().split(' ').next().unwrap();
                said.push((guard.to_owned(), printed));
            }
        }
        said
    }

    /// A shell as the client starts it for a hook, of a user who has allowed the project.
    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(self.project.root()).env_clear();
        let users = self.project.command(&[]);
        shell.envs(users.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.env("CLAUDE_PROJECT_DIR", self.project.root());
        shell
    }

    /// The same, where each of these guards, and no other, holds with a text that begins so.
    fn holds(&self, payload: &Json, expected: &[(&str, &str)]) {
        let said = self.say("PreToolUse", payload);
        let guards: Vec<&str> = said.iter().map(|(guard, _)| guard.as_str()).collect();
        assert_eq!(guards, expected.iter().map(|(guard, _)| *guard).collect::<Vec<_>>());
        for ((guard, printed), (_, start)) in said.iter().zip(expected) {
            let Json::Object(answer) = printed.json() else { panic!("{guard}: {}", printed.stdout) };
            assert_eq!(answer.keys().collect::<Vec<_>>(), ["continue", "stopReason"], "{guard}");
            assert!(answer["stopReason"].as_str().unwrap().starts_with(start), "{guard}: {}", printed.stdout);
        }
    }

    /// The same, where this guard alone says this much on standard output.
    fn prints(&self, payload: &Json, guard: &str, parts: &[&str]) {
        let said = self.say("PostToolUse", payload);
        let [(speaker, printed)] = said.as_slice() else { panic!("{guard}: {said:?}") };
        assert_eq!((speaker.as_str(), printed.stderr.as_str()), (guard, ""));
        for part in parts {
            assert!(printed.stdout.contains(part), "{guard} lacks {part}: {}", printed.stdout);
        }
    }
}

fn task(agent: &str, prompt: &str) -> Json {
    json!({"tool_name": "Task", "tool_input": {"subagent_type": agent, "prompt": prompt}})
}

fn after(mut payload: Json, result: Json) -> Json {
    payload["tool_result"] = result;
    payload
}

#[test]
fn a_skill_demands_its_orchestrator_until_that_is_called() {
    let here = Registered::new();
    let skill = json!({"tool_name": "Skill", "tool_input": {"skill": "sdlc", "args": "feature login"}});
    assert!(here.say("PreToolUse", &skill).is_empty());
    here.prints(
        &after(skill, json!("loaded")),
        "skill-delegation-enforcer",
        &["MANDATORY DELEGATION REQUIRED", "Task tool", "sdlc-orchestrator", "Do NOT enter plan mode"],
    );
    let stop = json!({"session_id": "s1"});
    let held = here.say("Stop", &stop);
    assert_eq!(held.len(), 1);
    assert_eq!(held[0].1.json()["decision"], "block");
    let call = task("sdlc-orchestrator", "begin with the feature login");
    assert!(here.say("PreToolUse", &call).is_empty());
    assert!(here.say("PostToolUse", &after(call, json!("begun"))).is_empty());
    assert_eq!(here.state()["skill_usage_log"][0]["agent"], "sdlc-orchestrator");
    assert!(here.say("Stop", &stop).is_empty());
    assert_eq!(here.state()["pending_delegation"], Json::Null);
}

#[test]
fn an_interview_is_followed_to_its_end() {
    let here = Registered::new();
    let call = task("requirements-analyst", "ask the user");
    let menu = "[A] Adjust\n[S] Save\nYour choice:";
    assert!(here.say("PostToolUse", &after(call.clone(), json!(menu))).is_empty());
    here.holds(&task("sdlc-orchestrator", "advance"), &[("gate-blocker", "GATE BLOCKED")]);
    here.prints(
        &after(call, json!("selected: [S]")),
        "menu-tracker",
        &["INTERACTIVE ELICITATION COMPLETED", "SATISFIED"],
    );
    let record =
        here.state()["phases"]["01-requirements"]["iteration_requirements"]["interactive_elicitation"]
            .clone();
    assert_eq!((&record["menu_interactions"], &record["final_selection"]), (&json!(1), &json!("save")));
    assert!(here.say("PreToolUse", &task("sdlc-orchestrator", "advance")).is_empty());
}

#[test]
fn tests_and_the_constitution_stand_before_the_gate() {
    let here = Registered::new();
    here.in_phase("06-implementation");
    let run = json!({"tool_name": "Bash", "tool_input": {"command": "npm test"}});
    assert!(here.say("PreToolUse", &run).is_empty());
    let red = json!({"stdout": "AssertionError: 1 != 2", "exitCode": 1});
    here.prints(
        &after(run.clone(), red),
        "test-watcher",
        &["TESTS FAILED", "1/10", "Remaining iterations: 9"],
    );
    let advance = task("sdlc-orchestrator", "advance");
    here.holds(
        &advance,
        &[("iteration-corridor", "ITERATION CORRIDOR: Tests are failing"), ("gate-blocker", "GATE BLOCKED")],
    );
    let skill = json!({"tool_name": "Skill", "tool_input": {"skill": "/sdlc", "args": "gate-check"}});
    here.holds(&skill, &[("iteration-corridor", "ITERATION CORRIDOR"), ("gate-blocker", "GATE BLOCKED")]);
    let escalations = here.state()["pending_escalations"].as_array().unwrap().len();
    assert_eq!(escalations, 3, "the gate says the same to both");
    let green = json!({"stdout": "Tests: 1 passed, 1 total", "exitCode": 0});
    here.prints(&after(run, green), "test-watcher", &["TESTS PASSED", "Constitutional validation required"]);
    here.holds(
        &task("software-developer", "phase complete"),
        &[
            ("iteration-corridor", "ITERATION CORRIDOR: Constitutional validation in progress"),
            ("constitution-validator", "PHASE COMPLETION BLOCKED: Constitutional validation required"),
        ],
    );
    let mut state = here.state();
    let validation = &mut state["phases"]["06-implementation"]["constitutional_validation"];
    assert_eq!(validation["status"], "pending");
    validation["status"] = json!("compliant");
    validation["completed"] = json!(true);
    here.project.write(".isdlc/state.json", state.to_string());
    let written = json!({"tool_name": "Write", "tool_input": {"file_path": here.project.root().join(".isdlc/state.json")}});
    let said = here.say("PostToolUse", &written);
    assert!(said.len() == 1 && said[0].1.stderr.starts_with("[state-write-validator] WARNING"), "{said:?}");
    assert!(here.say("PreToolUse", &advance).is_empty());
}

#[test]
fn a_commit_reminds_of_the_review() {
    let here = Registered::new();
    let git = |args: &[&str]| {
        assert!(Command::new("git").args(args).current_dir(here.project.root()).status().unwrap().success());
    };
    git(&["init", "--quiet", "--initial-branch", "topic"]);
    let commit = json!({"tool_name": "Bash", "tool_input": {"command": "git commit -m x"}});
    assert!(here.say("PreToolUse", &commit).is_empty());
    here.prints(
        &after(commit, json!("[topic 1234567] x")),
        "review-reminder",
        &["{\"warning\":", "code_review.enabled"],
    );
}

#[test]
fn a_guard_that_there_is_not_is_told_of_once_a_session() {
    let here = Registered::new();
    let ask = |session: &str| {
        let payload = json!({"session_id": session, "tool_name": "Task", "tool_input": {}});
        let args = ["hook", "--workflow", "isdlc", "--only", "no-such-guard", "--protocol", "legacy"];
        here.project.run_with(&args, payload.to_string().as_bytes())
    };
    assert!(ask("s1").stdout.contains("there is no rule `no-such-guard`"));
    assert_eq!(ask("s1").stdout, "");
    assert!(ask("s2").stdout.contains("there is no rule"));
}

/// A client runs the hooks of an event side by side: two of them write the state, and neither loses what the other wrote.
#[test]
fn guards_that_write_side_by_side_lose_nothing() {
    const CALLS: usize = 12;
    let here = Registered::new();
    let payload =
        after(task("requirements-analyst", "ask the user"), json!("[A] Adjust\n[S] Save\nYour choice:"));
    let settings = settings();
    let hooks = &settings["hooks"]["PostToolUse"][0]["hooks"];
    for _ in 0..CALLS {
        std::thread::scope(|scope| {
            for hook in hooks.as_array().unwrap() {
                let shell = here.shell(hook["command"].as_str().unwrap());
                let payload = payload.to_string();
                scope.spawn(move || assert_eq!(feed(shell, payload.as_bytes()).code, Some(0)));
            }
        });
    }
    let state = here.state();
    assert_eq!(state["skill_usage_log"].as_array().unwrap().len(), CALLS);
    let interview = &state["phases"]["01-requirements"]["iteration_requirements"]["interactive_elicitation"];
    assert_eq!(interview["menu_interactions"], CALLS);
    assert_eq!(state["code_review"]["team_size"], 2, "what others wrote is kept");
}

/// The orchestrator's instructions read these lists whole: they do not grow for ever.
#[test]
fn lists_have_caps() {
    let here = Registered::new();
    here.in_phase("06-implementation");
    let mut state = here.state();
    let entries = |count: usize, field: &str| -> Vec<Json> {
        (0..count).map(|number| json!({field: "2026-01-01T00:00:00.000Z", "number": number})).collect()
    };
    state["skill_usage_log"] = entries(50, "timestamp").into();
    state["pending_escalations"] = entries(20, "timestamp").into();
    state["phases"]["06-implementation"]["iteration_requirements"]["test_iteration"]["history"] =
        entries(100, "timestamp").into();
    here.project.write(".isdlc/state.json", state.to_string());
    let failing = json!({"tool_name": "Bash", "tool_input": {"command": "npm test"}});
    here.say("PostToolUse", &after(failing, json!({"stdout": "1 failed", "exitCode": 1})));
    here.say("PreToolUse", &task("sdlc-orchestrator", "advance"));
    here.say("PostToolUse", &after(task("software-developer", "repair it"), json!("done")));
    let state = here.state();
    let tests = &state["phases"]["06-implementation"]["iteration_requirements"]["test_iteration"];
    for (list, most, first) in [
        (&state["skill_usage_log"], 50, 1),
        (&state["pending_escalations"], 20, 2),
        (&tests["history"], 100, 1),
    ] {
        let list = list.as_array().unwrap();
        assert_eq!((list.len(), &list[0]["number"]), (most, &json!(first)), "the oldest go");
        assert!(list[most - 1]["number"].is_null(), "the newest stay");
    }
}

/// A hook that counts adds its fields, and leaves the rest of the file as others wrote it.
#[test]
fn what_others_wrote_keeps_its_order() {
    let here = Registered::new();
    let state = r#"{"zebra": 1, "active_workflow": {"current_phase": "01-requirements", "a": [1, 2]}, "apple": {"z": 1, "b": null}}"#;
    here.project.write(".isdlc/state.json", state);
    here.say("PostToolUse", &after(task("requirements-analyst", "ask the user"), json!("done")));
    let written = here.project.read(".isdlc/state.json");
    let squeezed: String = written.split_whitespace().collect();
    let before: String = state.split_whitespace().collect();
    assert!(squeezed.starts_with(before.trim_end_matches('}').trim_end_matches("null")), "{written}");
    assert!(squeezed.contains(r#""skill_usage_log":[{"timestamp":"#), "{written}");
}

/// What `init` registers for these guards alone: each event that a guard of theirs looks at.
#[test]
fn init_registers_what_the_guards_look_at() {
    let project = Project::new();
    let printed = project.run(&["init", "--agent", "claude", "--workflow", "isdlc"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let settings: Json = serde_json::from_str(&project.read(".claude/settings.json")).unwrap();
    for (event, matcher, _) in GROUPS {
        let group = &settings["hooks"][event][0];
        let registered = group["matcher"].as_str().unwrap_or_default();
        let is_there =
            |tool| registered.trim_matches(['^', '$', '(', ')']).split('|').any(|name| name == tool);
        assert!(matcher.is_none_or(is_there), "{event} {matcher:?}: {registered}");
        assert!(group["hooks"][0].get("statusMessage").is_none(), "nothing is reviewed: {group}");
    }
    let failing = settings["hooks"]["PostToolUseFailure"][0]["matcher"].as_str().unwrap();
    assert!(failing.contains("Bash") && failing.contains("PowerShell"), "{failing}");
    assert!(settings["hooks"]["UserPromptSubmit"].is_array(), "a user who types the command starts no tool");
}
