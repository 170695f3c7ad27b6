//! The guards around an orchestrator, in Claude Code itself: a feature from `/sdlc` to its last gate, by an agent that goes
//! astray three times and does then what it is told. Only the model is scripted; its sub-agents, tests and commits are real. What
//! happened is kept in docs/walks.

use std::collections::VecDeque;

use serde_json::{Value as Json, json};

use crate::clients::install::claude;
use crate::clients::session::{ask_claude, at_work};
use crate::clients::trace::{page, record};
use crate::generated::assert_kept;
use crate::model::{Block, Model, news};
use crate::project::Project;

/// The agents that the orchestrator has.
const AGENTS: [(&str, &str); 3] = [
    ("sdlc-orchestrator", "all"),
    ("software-developer", "06-implementation"),
    ("qa-engineer", "08-code-review"),
];
const CODE: &str = "exports.total = (prices) => prices.reduce((sum, price) => sum + price);\n";
const TESTS: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
    const { total } = require('./cart.js');\n\
    test('adds up', () => assert.strictEqual(total([1, 2]), 3));\n\
    test('an empty cart costs nothing', () => assert.strictEqual(total([]), 0));\n";
/// Sets a field of the state, as the orchestrator's own script does.
const SET: &str = "const fs = require('fs'), file = '.isdlc/state.json', [path, value] = process.argv.slice(2);\n\
    const state = JSON.parse(fs.readFileSync(file)), names = path.split('/'), last = names.pop();\n\
    names.reduce((at, name) => (at[name] ??= {}), state)[last] = JSON.parse(value);\n\
    fs.writeFileSync(file, JSON.stringify(state, null, 2) + '\\n');\n";

/// What the page begins with.
const ABOUT: &str = "isdlc in Claude Code: a feature, from /sdlc to its last gate.\n\n\
    The model is scripted: it goes astray three times, and then does what it is told. The client, its\n\
    sub-agents, the hooks, the tests and git are real. A test walks it again and compares: what stands\n\
    here is what happened.\n";

/// A turn of the agent, or of one of its sub-agents: what it must have been shown, and what it does.
type Turn = (&'static str, Block);

fn project() -> Project {
    let project = Project::new();
    project.git(&["init", "--quiet", "--initial-branch", "main"]);
    project.git(&["config", "user.name", "A"]);
    project.git(&["config", "user.email", "a@example.org"]);
    project
        .write("package.json", r#"{"name": "shop", "scripts": {"test": "node --test --test-reporter=tap"}}"#);
    project.write("scripts/set.js", SET);
    project.write(".claude/commands/sdlc.md", "Hand this to the sdlc-orchestrator: $ARGUMENTS\n");
    let mut ownership = json!({});
    for (agent, phase) in AGENTS {
        let text =
            format!("---\nname: {agent}\ndescription: It is the {agent}.\n---\nYou are the {agent}.\n");
        project.write(&format!(".claude/agents/{agent}.md"), text);
        ownership[agent] = json!({"phase": phase});
    }
    project.write(".claude/hooks/config/skills-manifest.json", json!({"ownership": ownership}).to_string());
    let requirements = json!({"phase_requirements": {
        "06-implementation": {
            "test_iteration": {"enabled": true, "max_iterations": 10, "circuit_breaker_threshold": 3},
            "constitutional_validation": {"enabled": true, "max_iterations": 5, "articles": ["I", "II"]},
            "agent_delegation_validation": {"enabled": true},
        },
        "08-code-review": {"agent_delegation_validation": {"enabled": true}},
    }});
    project.write(".claude/hooks/config/iteration-requirements.json", requirements.to_string());
    project.write(
        "docs/isdlc/constitution.md",
        "# Constitution\n\nI. The spec comes first.\nII. So do tests.\n",
    );
    project.write(".isdlc/state.json", "{}\n");
    project.write(".gitignore", ".isdlc/\n.claude/\ncalls\nrecorder\n");
    project.git(&["add", "--all"]);
    project.git(&["commit", "--quiet", "--message", "first"]);
    let init = project.run(&["init", "--agent", "claude", "--workflow", "isdlc"]);
    assert_eq!(init.code, Some(0), "{}", init.stderr);
    record(&project);
    project
}

fn bash(command: &str) -> Block {
    Block::ToolUse { name: "Bash", input: json!({"command": command, "description": "Works"}) }
}

/// A call that is waited for: newer clients leave their sub-agents in the background unless they are told.
fn call(agent: &str, prompt: &str) -> Block {
    let input =
        json!({"subagent_type": agent, "description": "Works", "prompt": prompt, "run_in_background": false});
    Block::ToolUse { name: "Agent", input }
}

fn write(project: &Project, file: &str, content: &str) -> Block {
    Block::ToolUse {
        name: "Write",
        input: json!({"file_path": project.root().join(file), "content": content}),
    }
}

fn set(path: &str, value: &Json) -> Block {
    bash(&format!("node scripts/set.js {path} '{value}'"))
}

/// What the agent itself does.
fn agents() -> Vec<Turn> {
    let repaired = CODE.replace("price);", "price, 0);");
    let compliant = json!({"status": "compliant", "completed": true, "iterations_used": 1,
        "articles_checked": ["I", "II"], "violations_found": []});
    vec![
        // It would rather do the work itself, and stop there.
        ("MANDATORY DELEGATION REQUIRED", Block::Text("I will write cart.js myself.")),
        ("'sdlc-orchestrator' was not called since", call("sdlc-orchestrator", "Begin: a cart's total")),
        (
            "The feature has begun.",
            call("software-developer", "Write cart.js, which adds up prices, and its tests"),
        ),
        // It believes what it is told, and hands the phase over with a failing test.
        ("It is written.", call("sdlc-orchestrator", "The cart is written: advance to the next phase")),
        ("ITERATION CORRIDOR: Tests are failing", bash(&format!("cat > cart.js <<'EOF'\n{repaired}EOF"))),
        ("", bash("npm test")),
        // The tests pass, and it forgets what comes next.
        (
            "TESTS PASSED",
            call("sdlc-orchestrator", "The tests pass, phase 06 complete: advance to the next phase"),
        ),
        ("PHASE COMPLETION BLOCKED", bash("cat docs/isdlc/constitution.md")),
        ("So do tests.", set("phases/06-implementation/constitutional_validation", &compliant)),
        ("", bash("git add cart.js cart.test.js && git commit --quiet --message 'Add up a cart'")),
        ("", call("sdlc-orchestrator", "Tests pass and the phase is validated: advance to the next phase")),
        ("The review is next.", call("qa-engineer", "Review cart.js against its tests")),
        (
            "Nothing to object to.",
            call("sdlc-orchestrator", "The review is done: proceed to the end of the workflow"),
        ),
        ("The feature is done.", Block::Text("The cart adds up its prices, tested and reviewed.")),
    ]
}

/// What its sub-agents do, each in its calls one after the other.
fn sub_agents(project: &Project) -> Vec<(&'static str, VecDeque<Turn>)> {
    let workflow = json!({"type": "feature", "phases": ["06-implementation", "08-code-review"],
        "current_phase": "06-implementation", "git_branch": {"name": "feature/cart", "status": "active"}});
    let orchestrator = vec![
        ("", bash("git checkout --quiet -b feature/cart")),
        ("", set("active_workflow", &workflow)),
        ("", set("phases/06-implementation/status", &json!("in_progress"))),
        ("", write(project, "docs/isdlc/tasks.md", "- [ ] A cart's total\n")),
        ("", Block::Text("The feature has begun. Phase 06 is in progress.")),
        ("", set("phases/06-implementation/status", &json!("completed"))),
        ("", set("phases/08-code-review/status", &json!("in_progress"))),
        ("", set("active_workflow/current_phase", &json!("08-code-review"))),
        ("", Block::Text("The review is next.")),
        ("", set("phases/08-code-review/status", &json!("completed"))),
        ("", set("active_workflow", &Json::Null)),
        ("", Block::Text("The feature is done.")),
    ];
    let developer = vec![
        ("", write(project, "cart.js", CODE)),
        ("", write(project, "cart.test.js", TESTS)),
        ("", bash("npm test")),
        ("TESTS FAILED", Block::Text("It is written.")),
    ];
    let reviewer = vec![("", bash("npm test")), ("", Block::Text("Nothing to object to."))];
    [("sdlc-orchestrator", orchestrator), ("software-developer", developer), ("qa-engineer", reviewer)]
        .map(|(name, turns)| (name, VecDeque::from(turns)))
        .into()
}

/// A model that takes each one's turns, as long as they are shown what they wait for.
fn model(project: &Project) -> Model {
    let mut own = VecDeque::from(agents());
    let mut subs = sub_agents(project);
    Model::start(move |request| {
        let system = request["system"].to_string();
        let sub = subs.iter_mut().find(|(name, _)| system.contains(&format!("You are the {name}.")));
        let turns = sub.map_or(&mut own, |(_, turns)| turns);
        match turns.pop_front() {
            Some((shown, block)) if news(request).contains(shown) => vec![block],
            _ => vec![Block::Text("I was not shown what I waited for.")],
        }
    })
}

#[test]
fn claude_code_walks_a_feature_from_its_command_to_its_last_gate() {
    let Some(claude) = claude() else { return };
    let project = project();
    let model = model(&project);
    let client = ask_claude(&claude, &project, &model, "/sdlc feature: a cart's total", &[]);
    let walked = format!("{ABOUT}\n{}", page(&project));
    let last = client.printed.json()["result"].clone();
    assert_eq!(last, "The cart adds up its prices, tested and reviewed.", "{walked}\n{:#?}", model.shown());
    let state: Json = serde_json::from_str(&project.read(".isdlc/state.json")).unwrap();
    assert_eq!((&state["active_workflow"], &state["pending_delegation"]), (&Json::Null, &Json::Null));
    let tests = &state["phases"]["06-implementation"]["iteration_requirements"]["test_iteration"];
    assert_eq!((&tests["current_iteration"], &tests["status"]), (&json!(2), &json!("success")));
    assert_eq!(state["skill_usage_log"].as_array().unwrap().len(), 5);
    assert_eq!(project.git(&["log", "--format=%s", "main"]).trim(), "first");
    assert_eq!(project.git(&["log", "-1", "--format=%s", "feature/cart"]).trim(), "Add up a cart");
    assert_eq!(at_work(&project), [""; 0], "nothing is left running");
    assert_kept("docs/walks/isdlc.txt", &walked);
}
