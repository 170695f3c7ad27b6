//! What the journal must have so that whoever shows something need not guess, item by item.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

/// Two tasks, each coded, checked by a script and agreed to by the user.
const TASKS: &str = r#"
about = "Tasks, one after the other."

[run]
home   = ".tasks"
each   = "*"
newest = ["state.json"]
state  = "state.json"
shows  = "state.phase"
item   = { name = "task", list = "tasks", at = "current_task", fields = ["done"] }

[limits]
again = { count = "task.again", most = 3, then = "over" }

[phases.code]
by    = "agent"
until = "file('code.txt').exists"
ask   = "Write code.txt."
then  = "look"

[phases.look]
by    = "check"
check = { that = "true" }
then.pass = "prove"
then.fail = "over"

[phases.prove]
by    = "check"
check = { run = ["sh", "prove.sh"] }
limit = "again"
then.pass = "agree"
then.fail = "code"

[phases.agree]
by  = "user"
ask = "Is it good?"

[phases.over]
by = "nobody"

[commands.good]
about = "It is good"
steps = [{ go = "over", say = "Good." }]

[fields]
phase = "code"
current_task = 1
tasks = []
"#;

fn project() -> Project {
    let project = Project::new();
    project.git(&["init", "--quiet", "--initial-branch", "feature/x"]);
    project.workflow("tasks", TASKS).write("prove.sh", "exit 0\n");
    let state = json!({"phase": "code", "current_task": 2, "tasks": [{"id": 1}, {"id": 2}]});
    project.write(".tasks/cart/state.json", state.to_string());
    project
}

fn event(project: &Project, name: &str, more: Json) -> Json {
    let mut event = json!({"hook_event_name": name, "session_id": "s1", "cwd": project.root()});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

fn stop(project: &Project) -> Printed {
    project.hook(&event(project, "Stop", json!({})))
}

fn of_kind(project: &Project, kind: &str) -> Vec<Json> {
    project.lines().into_iter().filter(|line| line["kind"] == kind).collect()
}

/// A run that was held, went on, was proved, and waits for the user.
fn gone_through() -> Project {
    let project = project();
    assert_eq!(stop(&project).json()["decision"], "block");
    project.write(".tasks/cart/code.txt", "code");
    let printed = stop(&project);
    assert_ne!(printed.json()["decision"], "block", "{}", printed.stdout);
    project
}

#[test]
fn every_line_of_a_run_names_it_and_its_item() {
    let project = gone_through();
    let printed = project.run(&["tasks", "good"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    for line in project.lines() {
        assert_eq!((&line["workflow"], &line["run"]), (&json!("tasks"), &json!(".tasks/cart")), "{line:#}");
        let is_of_item = line["kind"].is_null() || line["kind"] == "began" || line["kind"] == "ended";
        assert!(!is_of_item || line["item"] == "2", "{line:#}");
    }
}

#[test]
fn every_move_is_told_also_past_what_performs_nothing_and_by_a_command() {
    let project = gone_through();
    project.run(&["tasks", "good"]);
    let moves: Vec<(Json, Json, Json)> = project
        .journal()
        .iter()
        .flat_map(|line| line["moves"].as_array().cloned().unwrap_or_default())
        .map(|step| {
            assert!(step["at"].as_str().unwrap().starts_with("20"), "{step}");
            (step["from"].clone(), step["outcome"].clone(), step["to"].clone())
        })
        .collect();
    let step = |from: &str, outcome: &str, to: &str| (json!(from), json!(outcome), json!(to));
    assert_eq!(
        moves,
        [
            step("code", "done", "look"),
            step("look", "pass", "prove"),
            step("prove", "pass", "agree"),
            step("agree", "good", "over")
        ]
    );
}

#[test]
fn a_check_has_a_line_when_it_begins_and_one_when_it_ends() {
    let project = gone_through();
    let (began, ended) = (of_kind(&project, "began"), of_kind(&project, "ended"));
    assert_eq!((began.len(), ended.len()), (1, 1), "what performs nothing has none");
    let (began, ended) = (&began[0]["job"], &ended[0]["job"]);
    assert_eq!(began["id"], ended["id"]);
    assert_eq!(
        (&began["phase"], &began["program"], &began["limit"]),
        (&json!("prove"), &json!("sh"), &json!(3))
    );
    assert!(began["pid"].is_u64() && ended["pid"].is_null(), "{began} {ended}");
    assert_eq!(ended["verdict"], "pass");
    assert!(ended["took_ms"].is_u64(), "{ended}");
}

#[test]
fn a_hold_has_an_id_and_a_line_that_says_how_it_was_settled() {
    let project = gone_through();
    let held = project.journal().into_iter().find(|line| line["decision"] == "hold").unwrap();
    let id = held["rules"][0]["hold"].clone();
    assert!(id.as_str().unwrap().starts_with('h'), "{held:#}");
    let settled = of_kind(&project, "settled");
    assert_eq!(settled.len(), 1);
    let settled = &settled[0]["settled"];
    assert_eq!(
        (&settled["hold"], &settled["how"], &settled["rule"]),
        (&id, &json!("satisfied"), &json!("code"))
    );
    assert!(settled["after_ms"].is_u64());
}

#[test]
fn whose_turn_it_is_and_the_next_command_stand_in_each_line_that_moves() {
    let project = gone_through();
    let journal = project.journal();
    let turns: Vec<&Json> = journal.iter().map(|line| &line["turn"]).collect();
    assert_eq!(turns, [&json!("agent"), &json!("user")]);
    assert_eq!(journal[1]["next"], "holdpoint tasks", "the list of commands: the user chooses");
}

#[test]
fn the_hooks_own_time_is_apart_from_what_it_performed() {
    let project = gone_through();
    let journal = project.journal();
    let number = |line: &Json, field: &str| line[field].as_u64().unwrap_or_default();
    assert_eq!(number(&journal[0], "performed_us"), 0, "nothing was performed: {:#}", journal[0]);
    let ended = number(&of_kind(&project, "ended")[0]["job"], "took_ms");
    assert_eq!(number(&journal[1], "performed_us") / 1000, ended, "{:#}", journal[1]);
    assert!(journal.iter().all(|line| number(line, "took_us") > 0), "{journal:#?}");
    project.run(&["tasks", "good"]);
    let command = project.journal().pop().unwrap();
    assert!(command["took_us"].as_u64().unwrap() > 0, "a command takes time, too: {command:#}");
}

#[test]
fn a_session_has_a_line_with_who_works_where() {
    let project = project();
    let record = project.root().join("record.jsonl");
    project.write("record.jsonl", "{\"type\":\"user\",\"version\":\"2.1.326\"}\n");
    let prompt = json!({"prompt": "go on", "transcript_path": record});
    project.hook(&event(&project, "UserPromptSubmit", prompt.clone()));
    project.hook(&event(&project, "UserPromptSubmit", prompt));
    stop(&project);
    let sessions = of_kind(&project, "session");
    assert_eq!(sessions.len(), 1, "once a session");
    let (line, began) = (&sessions[0], &sessions[0]["began"]);
    assert_eq!((&line["agent"], &line["session"]), (&json!("claude"), &json!("s1")));
    assert_eq!(began["version"], "2.1.326");
    assert_eq!((&began["worktree"], &began["branch"]), (&json!("main"), &json!("feature/x")));
    assert_eq!(began["workflows"]["tasks"].as_str().unwrap().len(), 64, "{began}");
}

#[test]
fn a_built_in_workflow_has_the_digest_of_its_file() {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    project.write(".isdlc/state.json", "{\"active_workflow\":{\"current_phase\":\"06-implementation\"}}");
    project.hook(&event(&project, "SessionStart", json!({"source": "startup"})));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workflows/isdlc/workflow.toml");
    let digest = holdpoint::store::layout::content_digest(&std::fs::read(file).unwrap());
    let sessions = of_kind(&project, "session");
    assert_eq!(sessions[0]["began"]["workflows"]["isdlc"], digest, "{sessions:#?}");
}

#[test]
fn lines_are_numbered_without_a_gap() {
    let project = gone_through();
    let numbers: Vec<u64> = project.lines().iter().map(|line| line["seq"].as_u64().unwrap()).collect();
    assert!(numbers.len() >= 6, "{numbers:?}");
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
}

#[test]
fn no_line_has_a_path_of_this_machine() {
    let project = gone_through();
    let root = project.root().to_str().unwrap().to_owned();
    let call = json!({"tool_name": "Bash", "tool_input": {"command": format!("cat {root}/deep/a.txt")}});
    project.hook(&event(&project, "PreToolUse", call));
    let edit =
        json!({"tool_name": "Write", "tool_input": {"file_path": format!("{root}/b.txt"), "content": ""}});
    project.hook(&event(&project, "PreToolUse", edit));
    project.write(".tasks/cart/state.json", "{ broken");
    stop(&project);
    let text = project.read_book("journal.jsonl");
    assert!(text.contains("cat deep/a.txt") && text.contains("\"b.txt\""), "{text}");
    assert!(!text.contains(&root), "{text}");
}
