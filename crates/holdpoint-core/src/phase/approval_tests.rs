use super::*;
use crate::event::{Event, Moment};
use crate::workflow::Text;
use crate::workflow::parse::parse;
use crate::world::world_tests::FakeWorld;
use crate::world::{Answer, Head, WorldError};

const WORKFLOW: &str = r#"
about = ""
[run]
home   = ".x"
state  = "s.json"
due    = "phase"
sealed = true
item   = { name = "task", list = "tasks", at = "at" }
[phases.approval]
by         = "approval"
approvals  = ["qa", "owner"]
then.pass  = "done"
then.fail  = { go = "done", set = { remark = "{{ result.name }} {{ result.notes }} {{ output }} {{ verdict }}" } }
then.stale = "done"
[phases.done]
by = "nobody"
[approvals]
qa    = { of = "tree" }
owner = { of = ["docs/**"] }
head  = { of = "commit" }
"#;

/// A run on tree `t2` and commit `c2`, in which `src/a` has changed since `t1`, and `docs/a`, too, since `t0`.
fn run(lines: &[Json]) -> FakeWorld {
    let changed_since = |tree: &str, _: &[String]| match tree {
        "t1" => Answer::Is(vec!["src/a".into()]),
        "t0" => Answer::Is(vec!["docs/a".into(), "src/a".into()]),
        _ => Answer::Fault(WorldError::Tree("there is no such tree".into())),
    };
    let head = Head {
        id: "c2".into(),
        parent: None,
        parents: 0,
        tree: "t1".into(),
        subject: String::new(),
        paths: Vec::new(),
    };
    let state = json!({"phase": "approval", "at": 1, "tasks": [{"id": 1}, {"id": 2}]});
    FakeWorld {
        now: time::epoch("2026-11-16T12:00:00Z").unwrap(),
        tree: Box::new(|_| Answer::Is("t2".to_owned())),
        changed_since: Box::new(changed_since),
        head: Some(head),
        evidence: lines.to_vec(),
        ..FakeWorld::with_state("s.json", &state)
    }
}

fn facts(lines: &[Json]) -> Arc<Facts> {
    let parsed = parse("x", WORKFLOW, &|_| None);
    assert_eq!(parsed.problems, []);
    let event = Event::from_shell(Moment::Stop, "/p");
    Facts::new(parsed.workflow, Arc::new(event), "/p".into(), Arc::new(run(lines)))
}

fn yes(name: &str, tree: &str) -> Json {
    json!({"phase": "approval", "verdict": "pass", "tree": tree, "at": "then",
        "approval": {"name": name, "run": "", "by": "anna"}})
}

fn no(name: &str) -> Json {
    json!({"phase": "approval", "verdict": "fail", "tree": "t2",
        "approval": {"name": name, "run": "", "by": "anna", "reason": "late"}})
}

/// The phase's own verdict.
fn decided(verdict: &str) -> Json {
    json!({"phase": "approval", "verdict": verdict, "passed": verdict == "pass", "tree": "t2", "details": {"run": ""}})
}

fn with(mut line: Json, key: &str, value: &str) -> Json {
    line["approval"][key] = json!(value);
    line
}

#[test]
fn words_come_to_a_verdict_or_are_waited_for() {
    let expired = with(yes("qa", "t2"), "expires", "2026-11-16T12:00:00Z");
    let in_time = with(yes("qa", "t2"), "expires", "2026-11-16T12:00:01Z");
    let not_a_time = with(yes("qa", "t2"), "expires", "soon");
    let of_task = |task: i64| {
        let mut line = yes("qa", "t2");
        line["item"] = json!(task);
        line
    };
    for (about, lines, expect) in [
        ("nobody has spoken", vec![], None),
        ("one of two", vec![yes("qa", "t2")], None),
        ("both", vec![yes("owner", "t2"), yes("qa", "t2")], Some("pass")),
        ("one refuses", vec![yes("owner", "t2"), no("qa")], Some("fail")),
        ("a no stands until that person says yes", vec![no("qa"), yes("owner", "t2")], Some("fail")),
        ("who refused says yes now", vec![no("qa"), yes("qa", "t2"), yes("owner", "t2")], Some("pass")),
        ("who said yes says no now", vec![yes("qa", "t2"), yes("owner", "t2"), no("owner")], Some("fail")),
        ("another tree", vec![yes("qa", "t1")], Some("stale")),
        ("a no wins over what is stale", vec![yes("qa", "t1"), no("owner")], Some("fail")),
        ("a stale yes wins over all others", vec![yes("owner", "t2"), yes("qa", "t1")], Some("stale")),
        ("a file that is not covered", vec![yes("owner", "t1"), yes("qa", "t2")], Some("pass")),
        ("a file that is covered", vec![yes("owner", "t0"), yes("qa", "t2")], Some("stale")),
        ("expired", vec![expired.clone()], Some("stale")),
        ("in time", vec![in_time, yes("owner", "t2")], Some("pass")),
        ("not a time", vec![not_a_time], Some("stale")),
        ("another run's word", vec![with(yes("qa", "t2"), "run", "b"), yes("owner", "t2")], None),
        ("another item's word", vec![of_task(2), yes("owner", "t2")], None),
        ("this item's word", vec![of_task(1), yes("owner", "t2")], Some("pass")),
        ("a word that no phase asks for", vec![yes("head", "t2"), yes("owner", "t2")], None),
        ("a no that was heard", vec![no("qa"), decided("fail")], None),
        ("a stale yes that was heard", vec![yes("qa", "t1"), decided("stale")], None),
        (
            "a yes that still counts",
            vec![yes("owner", "t2"), decided("stale"), yes("qa", "t2")],
            Some("pass"),
        ),
        ("a new no", vec![no("qa"), decided("fail"), no("qa")], Some("fail")),
        (
            "a pass whose step was not taken",
            vec![yes("qa", "t2"), yes("owner", "t2"), decided("pass")],
            Some("pass"),
        ),
    ] {
        let facts = facts(&lines);
        let phase = facts.workflow.phase("approval").unwrap().clone();
        let verdict = match crate::phase::turn(&facts, &phase).unwrap() {
            Turn::Answered(answered) => answered.verdict,
            Turn::Rest => None,
            other => panic!("{about}: {other:?}"),
        };
        assert_eq!(verdict.as_ref().map(Verdict::word), expect, "{about}");
    }
}

#[test]
fn facts_tell_how_approvals_stand() {
    let line = with(yes("head", "t0"), "commit", "c2");
    let all = [yes("qa", "t2"), yes("owner", "t0"), line, decided("stale")];
    let facts = facts(&all);
    for (source, expect) in [
        ("approved('qa')", true),
        ("approved('owner')", false),
        ("approved('head')", true),
        ("approved('qa', 'head')", true),
        ("approved('qa', 'owner')", false),
        ("approved()", false),
        ("approvals | map(attribute='given') | list == [true, false, true]", true),
        ("(approvals | first).by == 'anna' and (approvals | first).at == 'then'", true),
        ("evidence.approval.verdict == 'stale'", true),
        ("proved('approval')", false),
    ] {
        let value = facts.evaluate(&Text::Borrowed(source), facts.context()).unwrap();
        assert_eq!(value.is_true(), expect, "{source}");
    }
}

#[test]
fn a_step_knows_who_said_what() {
    let facts = facts(&[no("qa")]);
    let phase = facts.workflow.phase("approval").unwrap().clone();
    let Turn::Answered(said) = crate::phase::turn(&facts, &phase).unwrap() else { panic!("no verdict") };
    let effects = answered(&facts, &phase, &said).unwrap();
    assert_eq!(effects.went.as_deref(), Some("done"));
    assert_eq!(effects.sets[0].value, json!("qa late late fail"));
}
