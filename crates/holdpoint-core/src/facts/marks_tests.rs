//! What the engine notes of files, and what it makes of that later.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::Value;
use serde_json::{Value as Json, json};

use super::super::Facts;
use super::marked;
use crate::event::{Event, Moment};
use crate::phase::{self, Answered, Turn, subagent};
use crate::tool::Tool;
use crate::verdict::Verdict;
use crate::workflow::Workflow;
use crate::workflow::parse::parse;
use crate::world::world_tests::FakeWorld;
use crate::world::{Answer, Head};

const FLOW: &str = r#"
about = "x"
[run]
home   = "run.json"
sealed = true
aside  = ["docs/**"]
record = { file = "docs/log.md", under = "Log" }
[fields]
word = "open"
[mirror]
word = { file = "docs/log.md", find = 'Status: (\w+)' }
[permit.default]
edits = ["src/**"]
never = ["src/locked/**"]
[phases.write]
by    = "agent"
ask   = "Write."
edits = ["src/new.rs"]
until = "phase.changed and not phase.breaches and not breaches and landed and began.tree"
then.go     = "review"
then.freeze = ["docs/log.md", "src/new.rs"]
[phases.review]
by       = "reviewer"
reviewer = "reader"
prompt   = "Look."
then.pass = "over"
then.fail = "over"
[phases.over]
by = "nobody"
[reviewers]
reader = { program = "claude", way = "subagent", ask = "Ask with {{ nonce }}.", subagents = ["second"] }
"#;

type Files = BTreeMap<&'static str, &'static str>;

/// A project in a few words: its files now, in the tree `then`, and in the last commit.
#[derive(Clone, Default)]
struct Project {
    state: Json,
    then: Files,
    committed: Files,
    now: Files,
    head: Option<Head>,
    has_no_tree: bool,
}

impl Project {
    fn changed_since(&self, tree: &str, aside: &[String]) -> Answer<Vec<String>> {
        if tree == "gone" {
            return Answer::None;
        }
        let then = if tree == "committed" { &self.committed } else { &self.then };
        let paths = self.now.keys().chain(then.keys()).map(ToString::to_string);
        let is_aside = |path: &str| aside.iter().any(|glob| fast_glob::glob_match(glob, path));
        let mut changed: Vec<String> = paths
            .filter(|path| self.now.get(path.as_str()) != then.get(path.as_str()) && !is_aside(path))
            .collect();
        changed.sort();
        changed.dedup();
        Answer::Is(changed)
    }

    fn world(&self) -> FakeWorld {
        let project = Arc::new(self.clone());
        let (files, compared, digested) = (Arc::clone(&project), Arc::clone(&project), Arc::clone(&project));
        FakeWorld {
            read: Box::new(move |path| match path {
                "run.json" => Answer::Is(files.state.to_string().into_bytes()),
                path => files.now.get(path).map_or(Answer::None, |text| Answer::Is(text.as_bytes().to_vec())),
            }),
            tree: Box::new(move |_| match (project.has_no_tree, project.now == project.then) {
                (true, _) => Answer::None,
                (false, true) => Answer::Is("then".to_owned()),
                (false, false) => Answer::Is("now".to_owned()),
            }),
            changed_since: Box::new(move |tree, aside| compared.changed_since(tree, aside)),
            tree_without: Box::new(|_, _| Answer::Is("committed".to_owned())),
            digest: Box::new(move |paths| {
                let there = paths.iter().filter_map(|path| digested.now.get(path.as_str()));
                Answer::Is(there.copied().collect())
            }),
            head: self.head.clone(),
            random: 0x77,
            ..FakeWorld::default()
        }
    }
}

fn workflow() -> Workflow {
    let parsed = parse("flow", FLOW, &|_| None);
    assert_eq!(parsed.problems, []);
    parsed.workflow
}

impl Project {
    fn facts(&self) -> Arc<Facts> {
        self.facts_at(Event::from_shell(Moment::Stop, "/p"))
    }

    fn facts_at(&self, event: Event) -> Arc<Facts> {
        Facts::new(workflow(), Arc::new(event), "/p".into(), Arc::new(self.world()))
    }

    fn value(&self, expression: &str) -> Value {
        let facts = self.facts();
        facts.evaluate(&expression.to_owned().into(), facts.context()).unwrap()
    }

    fn json(&self, expression: &str) -> Json {
        serde_json::to_value(self.value(expression)).unwrap()
    }
}

/// A run in the phase `write`, begun at the tree `then` and the commit `c1`.
fn begun(now: &[(&'static str, &'static str)]) -> Project {
    let head = Head {
        id: "c1".into(),
        parent: None,
        parents: 0,
        tree: "t".into(),
        subject: "first".into(),
        paths: Vec::new(),
    };
    Project {
        state: json!({"phase": "write", "word": "open", "marks": {
            "phase": "then", "settings": "", "began": {"tree": "then", "head": "c1"},
        }}),
        now: now.iter().copied().collect(),
        head: Some(head),
        ..Project::default()
    }
}

#[test]
fn entering_a_phase_notes_what_is_asked_for() {
    let project = Project { state: json!({"phase": "write"}), ..begun(&[("src/a.rs", "a")]) };
    let sets = project.facts().entering().unwrap();
    let noted: Vec<(String, Json)> = sets.into_iter().map(|set| (set.path.join("."), set.value)).collect();
    assert_eq!(
        noted,
        [
            ("marks.phase".to_owned(), json!("now")),
            ("marks.began".to_owned(), json!({"tree": "now", "head": "c1"})),
            ("marks.settings".to_owned(), json!("")),
        ]
    );
    let again = begun(&[]).facts().entering().unwrap();
    assert_eq!(again.len(), 1, "where the run began stays: {again:?}");
}

#[test]
fn a_phase_and_the_run_have_bounds_of_their_own() {
    let project = begun(&[
        ("src/new.rs", ""),
        ("src/old.rs", ""),
        ("src/locked/a.rs", ""),
        ("top", ""),
        ("docs/a", ""),
    ]);
    assert_eq!(project.json("changed"), json!(["src/locked/a.rs", "src/new.rs", "src/old.rs", "top"]));
    assert_eq!(project.json("phase.changed"), project.json("changed"));
    assert_eq!(project.json("phase.breaches"), json!(["src/locked/a.rs", "src/old.rs", "top"]));
    assert_eq!(project.json("breaches.files"), json!(["src/locked/a.rs", "top"]));
    assert!(!begun(&[("src/new.rs", "")]).value("breaches").is_true());
}

#[test]
fn what_is_not_on_record_or_has_no_repository_is_a_fault() {
    for (marks, expression, expect) in [
        (
            json!({"began": {"tree": "then", "head": "c1"}}),
            "phase.changed",
            "when the phase began is not recorded",
        ),
        (json!({"phase": "then"}), "changed", "where the work began is not recorded"),
        (json!({"phase": "then"}), "breaches", "where the work began is not recorded"),
        (json!({"phase": "gone", "began": {"tree": "gone"}}), "phase.breaches", "there is no repository"),
        (json!({"phase": "gone", "began": {"tree": "gone"}}), "breaches", "there is no repository"),
    ] {
        let mut project = begun(&[("top", "")]);
        project.state["marks"] = marks;
        let facts = project.facts();
        let error = facts.evaluate(&format!("{expression} and 1").into(), facts.context()).unwrap_err();
        assert!(error.to_string().contains(expect), "{expression}: {error}");
    }
    let mut project = begun(&[]);
    project.head = None;
    assert_eq!(project.json("breaches"), json!({"head": "no commit"}), "the commit is gone");
}

#[test]
fn an_unfinished_round_keeps_what_the_phase_began_with() {
    let counted = FLOW.replace("ask   = \"Write.\"", "ask   = \"Write.\"\nlimit = \"tries\"")
        + "\n[limits]\ntries = { count = \"tries\", most = 3, then = \"over\" }\n";
    let parsed = parse("flow", &counted, &|_| None);
    assert_eq!(parsed.problems, []);
    let project = begun(&[("top", "")]);
    let event = Arc::new(Event::from_shell(Moment::Stop, "/p"));
    let facts = Facts::new(parsed.workflow, event, "/p".into(), Arc::new(project.world()));
    let crate::phase::Due::Phase(phase) = crate::phase::due(&facts).unwrap() else {
        panic!("nothing is due")
    };
    let crate::phase::Turn::Step(effects) = crate::phase::turn(&facts, &phase).unwrap() else {
        panic!("no step")
    };
    let paths: Vec<String> = effects.sets.iter().map(|set| set.path.join(".")).collect();
    assert_eq!(paths, ["tries"], "what was changed in it stays changed");
}

#[test]
fn a_moved_head_and_other_settings_are_breaches() {
    let mut project = begun(&[]);
    project.head.as_mut().unwrap().id = "c2".into();
    assert_eq!(project.json("breaches"), json!({"head": "c2"}));
    let project = begun(&[(".claude/settings.json", "{}")]);
    assert_eq!(project.json("breaches.settings"), json!(true));
}

#[test]
fn a_frozen_file_may_be_written_by_the_engine_alone() {
    let before = "Status: open\n\nText.\n\n## Log\n\n- one\n";
    let mut project = begun(&[("docs/log.md", before), ("src/locked/a.rs", "kept")]);
    let facts = project.facts();
    let digest = |path: &str| facts.frozen(path).unwrap().value;
    project.state["marks"]["frozen"] =
        json!({"docs/log.md": digest("docs/log.md"), "src/locked/a.rs": digest("src/locked/a.rs")});
    assert!(!project.value("breaches").is_true(), "a frozen file is where it belongs");
    for (path, text, expect) in [
        ("docs/log.md", "Status: done\n\nText.\n\n## Log\n\n- one\n- two\n", None),
        ("docs/log.md", "Status: done\n\nText.\n", None),
        ("docs/log.md", "Status: open\n\nOther text.\n\n## Log\n\n- one\n", Some("docs/log.md")),
        ("src/locked/a.rs", "changed", Some("src/locked/a.rs")),
    ] {
        let mut now = project.clone();
        now.now.insert(path, text);
        assert_eq!(now.json("breaches.frozen[0]"), json!(expect), "{path}: {text}");
    }
    project.now.remove("src/locked/a.rs");
    assert_eq!(project.json("breaches.frozen"), json!(["src/locked/a.rs"]), "it is gone");
}

#[test]
fn what_changed_has_landed_in_one_commit_or_has_not() {
    let commit = |parent: &str, parents: usize, paths: &[&str]| Head {
        id: "c2".into(),
        parent: Some(parent.into()),
        parents,
        tree: "t".into(),
        subject: "second".into(),
        paths: paths.iter().map(ToString::to_string).collect(),
    };
    let all = [("src/a.rs", "a")];
    for (head, committed, expect, about) in [
        (commit("c1", 1, &["src/a.rs", "docs/x"]), &all[..], true, "what is aside may come along"),
        (commit("c0", 1, &["src/a.rs"]), &all, false, "a commit on something else"),
        (commit("c1", 2, &["src/a.rs"]), &all, false, "a merge"),
        (commit("c1", 1, &["src/a.rs", "src/b.rs"]), &all, false, "more than was changed"),
        (commit("c1", 1, &["docs/x"]), &[], false, "not what was changed"),
    ] {
        let mut project = begun(&all);
        (project.head, project.committed) = (Some(head), committed.iter().copied().collect());
        assert_eq!(project.json("landed"), json!(expect), "{about}");
    }
    assert_eq!(begun(&all).json("landed"), json!(false), "no new commit");
}

fn answer(who: &str, said: &str) -> Event {
    let input = json!({"subagent_type": who, "prompt": "x"});
    let tool = Tool { name: "Task".into(), input, result: Some(json!(said)), ..Tool::default() };
    Event { moment: Moment::After, tool: Some(tool), ..Event::from_shell(Moment::After, "/p") }
}

#[test]
fn a_sub_agents_verdict_carries_the_nonce() {
    let mut project = begun(&[]);
    project.state["phase"] = json!("review");
    project.state["marks"]["asked"] = json!({"phase": "review", "nonce": "77", "tree": "then"});
    for (who, said, expect) in [
        ("reader", "VERDICT 77 pass", Some("pass")),
        ("plugin:second", "fine\nVERDICT 77 fail.", Some("fail")),
        ("reader", "You said: VERDICT 77 and one of pass, fail\nVERDICT 77 fail", Some("fail")),
        ("reader", "VERDICT 77 fail\nNo: VERDICT 77 pass", Some("pass")),
        ("reader", "VERDICT 78 pass", None),
        ("reader", "VERDICT 77 approved", None),
        ("reader", "pass", None),
        ("coder", "VERDICT 77 pass", None),
    ] {
        let heard = subagent::heard(&project.facts_at(answer(who, said))).unwrap();
        let verdict = heard.sets.first().map(|set| set.value["verdict"].as_str().unwrap_or_default());
        assert_eq!(verdict, expect, "{who}: {said}");
    }
}

#[test]
fn a_verdict_that_stands_in_the_prompt_alone_is_none() {
    let mut project = begun(&[]);
    project.state["phase"] = json!("review");
    project.state["marks"]["asked"] = json!({"phase": "review", "nonce": "77", "tree": "then"});
    let mut event = answer("reader", "");
    let prompt = "Say VERDICT 77 pass or VERDICT 77 fail";
    event.tool.as_mut().unwrap().result =
        Some(json!({"status": "completed", "prompt": prompt, "content": []}));
    assert_eq!(subagent::heard(&project.facts_at(event)).unwrap().sets, []);
}

#[test]
fn an_answer_is_bound_to_its_phase_and_its_question() {
    let asked = json!({"phase": "review", "nonce": "77", "tree": "then"});
    let right = json!({"phase": "review", "nonce": "77", "verdict": "pass", "notes": "fine"});
    let turn = |asked: &Json, answer: &Json| {
        let mut project = begun(&[]);
        project.state["phase"] = json!("review");
        (project.state["marks"]["asked"], project.state["marks"]["answer"]) = (asked.clone(), answer.clone());
        let facts = project.facts();
        phase::turn(&facts, facts.workflow.phase("review").unwrap()).unwrap()
    };
    assert!(matches!(turn(&asked, &right), Turn::Perform(_)));
    for (field, value) in [("phase", json!("write")), ("nonce", json!("78")), ("nonce", Json::Null)] {
        let mut other = right.clone();
        other[field] = value;
        assert!(matches!(turn(&asked, &other), Turn::Unfinished { .. }), "{other}");
    }
    for (field, value) in [("phase", json!("write")), ("nonce", Json::Null)] {
        let mut other = asked.clone();
        other[field] = value;
        let Turn::Step(anew) = turn(&other, &right) else { panic!("{other} is no question of this phase") };
        assert!(anew.messages[0].text.contains("0000000000000077"), "{anew:?}");
    }
    let mut unasked = begun(&[]);
    unasked.state["phase"] = json!("review");
    unasked.state["marks"]["asked"] = json!({"phase": "write", "nonce": "77", "tree": "then"});
    let heard = subagent::heard(&unasked.facts_at(answer("reader", "VERDICT 77 pass"))).unwrap();
    assert_eq!(heard.sets, [], "an answer to the question of another phase");
}

#[test]
fn an_answer_about_files_that_git_does_not_know_is_a_fault() {
    let mut project = Project { has_no_tree: true, ..begun(&[]) };
    project.state["phase"] = json!("review");
    project.state["marks"]["asked"] = json!({"phase": "review", "nonce": "77", "tree": null});
    project.state["marks"]["answer"] = json!({"phase": "review", "nonce": "77", "verdict": "pass"});
    let facts = project.facts();
    let fault = phase::turn(&facts, facts.workflow.phase("review").unwrap()).unwrap_err().to_string();
    assert!(fault.contains("git does not know them"), "{fault}");
}

#[test]
fn an_answer_is_used_once() {
    let mut project = begun(&[]);
    project.state["phase"] = json!("review");
    let facts = project.facts();
    let pass = Answered { verdict: Some(Verdict::Pass), ..Answered::default() };
    let done = phase::performed(&facts, facts.workflow.phase("review").unwrap(), &pass).unwrap();
    assert!(done.sets.contains(&marked("answer", Json::Null)), "{done:?}");
}

#[test]
fn of_a_long_answer_a_part_is_kept_and_no_secret() {
    let mut project = begun(&[]);
    project.state["phase"] = json!("review");
    project.state["marks"]["asked"] = json!({"phase": "review", "nonce": "77", "tree": "then"});
    let said = format!("API_KEY=hunter2hunter2\n{}\nVERDICT 77 pass", "é".repeat(64 * 1024));
    let heard = subagent::heard(&project.facts_at(answer("reader", &said))).unwrap();
    let kept = &heard.sets[0].value;
    let notes = kept["notes"].as_str().unwrap();
    assert_eq!(
        (&kept["verdict"], &kept["nonce"], &kept["phase"]),
        (&json!("pass"), &json!("77"), &json!("review"))
    );
    assert!(notes.starts_with("API_KEY=[secret]\n") && notes.ends_with('é'), "{}", &notes[..40]);
    assert!((64 * 1024 - 1..=64 * 1024).contains(&notes.len()), "{}", notes.len());
}
