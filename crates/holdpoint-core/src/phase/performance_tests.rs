use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::*;
use crate::effects::Set;
use crate::event::{Event, Moment};
use crate::phase::{Due, due};
use crate::workflow::parse::parse;
use crate::world::Answer;
use crate::world::world_tests::FakeWorld;

const WORKFLOW: &str = r#"
about = ""
[run]
home  = ".x"
state = "s.json"
due   = "phase"
aside = ["s.json"]
item  = { name = "task", list = "tasks", at = "at" }

[limits]
tries = { count = "task.tries", most = 2, then = { go = "stuck", log = "{{ because }} after {{ task.tries }}" } }
next  = { count = "at", most = "state.tasks | length", then = "end" }

[phases.review]
by = "reviewer"
prompt = "Look."
verdicts = ["good", "bad"]
then.good = { go = "code", round = "next", set = { task.done = true }, log = "done {{ task.name }}" }
then.bad  = { go = "stuck", round = "tries", set = { task.notes = "{{ result.notes }}" } }

[phases.code]
by    = "agent"
ask   = "code {{ task.name }}"
enter = { set = { "task.base" = "{{ tree }}" }, log = "begin {{ task.name }}" }
until = "evidence.review.fresh"
then  = "tests"

[phases.tests]
by    = "check"
check = "suite"
then.pass = "review"
then.fail = "code"

[phases.stuck]
by    = "user"
enter = { set = { why = "{{ because or verdict }}", "task.status" = "stuck" } }

[reviewers.r]
command = ["r", "{{ schema }}"]

[checks.suite]
tests = ["sh"]
scope = "task.files or []"
if    = "state.has_tests"
"#;

fn facts(state: Json, evidence: Vec<Json>) -> Arc<Facts> {
    let parsed = parse("x", WORKFLOW, &|_| None);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let event = Arc::new(Event::from_shell(Moment::Stop, "/p"));
    let tree = |aside: &[String]| {
        assert_eq!(aside, ["s.json"]);
        Answer::Is("t2".into())
    };
    let world = FakeWorld { tree: Box::new(tree), evidence, ..FakeWorld::with_state("s.json", &state) };
    Facts::new(parsed.workflow, event, "/p".into(), Arc::new(world))
}

fn in_phase(phase: &str, tries: i64, at: i64) -> Arc<Facts> {
    let tasks = json!([{"id": 1, "name": "one", "tries": tries}, {"id": 2, "name": "two"}]);
    facts(json!({"phase": phase, "at": at, "tasks": tasks}), Vec::new())
}

fn taken(facts: &Arc<Facts>, answer: Option<&str>) -> Effects {
    let Ok(Due::Phase(phase)) = due(facts) else { panic!("no phase is due") };
    let details = json!({"notes": "too long"});
    let answered = Answered { verdict: answer.map(Verdict::of), details, output: String::new() };
    performed(facts, &phase, &answered).unwrap()
}

fn set(path: &str, value: Json) -> Set {
    Set { path: path.split('.').map(str::to_owned).collect(), value }
}

#[test]
fn an_answer_has_its_own_step_and_sets_fields_of_the_item_at_hand() {
    let taken = taken(&in_phase("review", 0, 1), Some("bad"));
    assert!(taken.sets.contains(&set("tasks.0.tries", json!(1))), "{:?}", taken.sets);
    assert!(taken.sets.contains(&set("tasks.0.notes", json!("too long"))));
    assert!(taken.sets.contains(&set("tasks.0.status", json!("stuck"))));
    assert!(taken.sets.contains(&set("why", json!("bad"))));
}

#[test]
fn a_limit_is_used_up_and_then_its_own_step_is_taken() {
    let counts = |tries| {
        let taken = taken(&in_phase("review", tries, 1), Some("bad"));
        let count = taken.sets.iter().find(|set| set.path.last().is_some_and(|name| name == "tries"));
        (count.map(|set| set.value.clone()), taken.log)
    };
    assert_eq!(counts(1), (Some(json!(2)), vec![]), "one is left");
    assert_eq!(counts(2), (None, vec!["tries after 2".to_owned()]), "none is left");
    assert_eq!(counts(3), (None, vec!["tries after 3".to_owned()]), "nor is it if somebody counted too far");
}

#[test]
fn what_a_step_logs_is_about_the_item_it_leaves() {
    let taken_now = taken(&in_phase("review", 0, 1), Some("good"));
    assert_eq!(taken_now.log, ["done one", "begin two"]);
    assert_eq!(taken_now.messages[0].text, "code two");
    assert!(taken_now.sets.contains(&set("tasks.0.done", json!(true))), "{:?}", taken_now.sets);
    assert!(taken_now.sets.contains(&set("tasks.1.base", json!("t2"))));
    let last = taken(&in_phase("review", 0, 2), Some("good"));
    assert_eq!(last.went.as_deref(), Some("end"));
}

#[test]
fn verdicts_go_their_default_way_and_none_is_a_fault() {
    let went = |phase, answer| taken(&in_phase(phase, 0, 1), answer).went;
    assert_eq!(went("tests", Some("skip")).as_deref(), Some("review"));
    assert_eq!(went("tests", Some("warn")).as_deref(), Some("review"));
    assert_eq!(went("tests", Some("broken")).as_deref(), Some("code"));
    assert_eq!(went("tests", Some("out-of-scope")).as_deref(), Some("code"));
    assert_eq!(went("review", None), None);
}

#[test]
fn a_check_with_nothing_to_look_at_is_skipped() {
    let facts = in_phase("tests", 0, 1);
    let Ok(Due::Phase(phase)) = due(&facts) else { panic!("no phase is due") };
    let what = phase.performance().unwrap();
    assert_eq!(request(&facts, &phase, what, 1).unwrap(), None);
    let facts = self::facts(json!({"phase": "tests", "has_tests": true}), Vec::new());
    let task = request(&facts, &phase, what, 1).unwrap().unwrap().task;
    assert!(matches!(task, Task::Tests(tests) if tests.scope.is_empty()));
}

#[test]
fn a_schema_is_made_from_the_answers() {
    let facts = in_phase("review", 0, 1);
    let Ok(Due::Phase(phase)) = due(&facts) else { panic!("no phase is due") };
    let request = request(&facts, &phase, phase.performance().unwrap(), 1).unwrap().unwrap();
    let schema: Json = serde_json::from_str(&request.command()[1]).unwrap();
    assert_eq!(schema["properties"]["verdict"]["enum"], json!(["good", "bad"]));
}

#[test]
fn evidence_is_of_the_item_at_hand_and_fresh_on_its_own_tree_only() {
    let piece = |item: i64, tree: &str, verdict: &str| {
        let passed = verdict == "good";
        json!({"phase": "review", "item": item, "tree": tree, "verdict": verdict, "passed": passed})
    };
    let says = |pieces: Vec<Json>| {
        let facts = facts(json!({"phase": "code", "at": 1, "tasks": [{"id": 1}]}), pieces);
        let asked = "[evidence.review.fresh, evidence.review.passed, evidence.review.verdict]".into();
        serde_json::to_value(facts.evaluate(&asked, facts.context()).unwrap()).unwrap()
    };
    assert_eq!(says(vec![]), json!([null, null, null]));
    assert_eq!(says(vec![piece(2, "t2", "good")]), json!([null, null, null]), "another's");
    assert_eq!(says(vec![piece(1, "t1", "good")]), json!([false, true, "good"]), "stale");
    assert_eq!(says(vec![piece(1, "t2", "bad")]), json!([true, false, "bad"]));
    let both = vec![piece(1, "t2", "good"), piece(1, "t1", "bad")];
    assert_eq!(says(both), json!([false, false, "bad"]), "the last one counts");
    assert_eq!(
        says(vec![json!({"phase": "review", "item": 1, "verdict": "good", "passed": true})]),
        json!([false, true, "good"])
    );
}
