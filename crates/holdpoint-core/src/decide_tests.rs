use std::collections::HashMap;
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::effects::Set;
use crate::event::{Event, Moment};
use crate::tool::Tool;
use crate::workflow::parse::parse;
use crate::world::world_tests::FakeWorld;
use crate::world::{Answer, WorldError};

/// A project on `main` with these files; one of them may be `unreadable`.
fn project(files: &[(&'static str, &'static str)]) -> FakeWorld {
    let files: HashMap<&str, &str> = files.iter().copied().collect();
    let read = move |path: &str| match files.get(path) {
        Some(&"unreadable") => Answer::Fault(WorldError::Unreadable("permission denied".into())),
        Some(text) => Answer::Is(text.as_bytes().to_vec()),
        None => Answer::None,
    };
    FakeWorld {
        read: Box::new(read),
        variables: &[("TEAM", "blue")],
        ..FakeWorld::with_git(|_, _| Answer::Is("main".into()))
    }
}

fn decide_with(rules: &str, files: &[(&'static str, &'static str)]) -> Effects {
    let source = format!("about = \"\"\n[run]\nhome = \".x\"\nstate = \"state.json\"\n{rules}");
    let parsed = parse("x", &source, &|_| None);
    assert_eq!(parsed.problems, []);
    let event = Event {
        tool: Some(Tool { name: "Bash".into(), input: json!({"command": "git commit"}), ..Tool::default() }),
        agent: "claude".into(),
        ..Event::from_shell(Moment::Before, "/w/sub")
    };
    let world = Arc::new(project(files));
    decide(&Facts::new(parsed.workflow, Arc::new(event), "/w".into(), world), None)
}

fn said(rules: &str, files: &[(&'static str, &'static str)]) -> Vec<String> {
    decide_with(rules, files).messages.into_iter().map(|finding| finding.text).collect()
}

const STATE: (&str, &str) =
    ("state.json", r#"{"phase":"code","tasks":{"a":{"n":1},"b":{"n":2}},"list":[3,4]}"#);

#[test]
fn a_true_condition_is_said() {
    let rules = "[holds.a]\non=\"before shell\"\nwhen=\"state.phase == 'code'\"\nsay=\"{{ state.phase }} in {{ cwd }} of {{ env.TEAM }} on {{ git.branch }}\"\n";
    assert_eq!(said(rules, &[STATE]), ["code in sub of blue on main"]);
    assert_eq!(said(rules, &[]), [""; 0]);
}

#[test]
fn other_events_and_tools_are_not_looked_at() {
    for on in ["after shell", "before edit", "stop", "before Read"] {
        assert_eq!(said(&format!("[holds.a]\non=\"{on}\"\nsay=\"x\"\n"), &[]), [""; 0], "{on}");
    }
    for on in ["before", "before Bash", "before shell"] {
        assert_eq!(said(&format!("[holds.a]\non=\"{on}\"\nsay=\"x\"\n"), &[]), ["x"], "{on}");
    }
}

#[test]
fn each_element_is_looked_at() {
    let rules = "[witnesses.a]\non=\"before\"\neach=\"state.tasks\"\nwhen=\"value.n > 1\"\nsay=\"{{ key }}={{ value.n }}\"\n[witnesses.b]\non=\"before\"\neach=\"state.list\"\nsay=\"{{ key }}:{{ value }}\"\n[witnesses.c]\non=\"before\"\neach=\"state.phase\"\nsay=\"never\"\n";
    assert_eq!(said(rules, &[STATE]), ["b=2", "0:3", "1:4"]);
}

#[test]
fn a_fault_is_one_rules_own() {
    let rules = "[holds.a]\non=\"before\"\nwhen=\"state.phase == 'x'\"\nsay=\"a\"\n[holds.b]\non=\"before\"\nsay=\"b\"\n[holds.c]\non=\"before\"\nwhen=\"state.x\"\nsay=\"c\"\n";
    let decision = decide_with(rules, &[("state.json", "unreadable")]);
    assert_eq!(decision.messages.iter().map(|f| f.text.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(decision.faults.len(), 1, "{:?}", decision.faults);
    assert_eq!(decision.faults[0].what, "the state file `state.json` cannot be read: permission denied");
    let broken = decide_with(rules, &[("state.json", "{")]);
    assert!(broken.faults[0].what.starts_with("the state file `state.json` is not valid JSON"));
}

#[test]
fn names_are_worked_out_once_and_shown() {
    let rules = "[holds.a]\non=\"before\"\nwhen=\"twice and files\"\nsay=\"x\"\nsatisfied_by=\"a {{ twice }}\"\n[let]\ntwice=\"state.phase ~ state.phase\"\nfiles=\"file('state.json').exists\"\n";
    let finding = decide_with(rules, &[STATE]).messages.remove(0);
    assert_eq!(finding.facts, [("twice".into(), "\"codecode\"".into()), ("files".into(), "true".into())]);
    assert_eq!(finding.satisfied_by.as_deref(), Some("a codecode"));
}

#[test]
fn what_is_held_stays_held_when_its_text_cannot_be_shown() {
    let rules = "[holds.gate]\non=\"before shell\"\nsay=\"{{ file('notes.md').text }}\"\n";
    let decision = decide_with(rules, &[("notes.md", "unreadable")]);
    assert!(decision.holds(), "{decision:?}");
    assert!(decision.messages[0].text.starts_with("`gate` holds this."), "{decision:?}");
    assert_eq!(decision.faults.len(), 1, "and it is told");
    let witness = rules.replace("holds.gate", "witnesses.gate");
    assert!(decide_with(&witness, &[("notes.md", "unreadable")]).messages.is_empty());
}

#[test]
fn a_name_defined_by_itself_is_a_fault() {
    let rules = "[holds.a]\non=\"before\"\nwhen=\"x\"\nsay=\"x\"\n[let]\nx=\"y\"\ny=\"x\"\n";
    assert_eq!(decide_with(rules, &[]).faults[0].what, "`x` is defined by itself");
}

#[test]
fn an_endless_text_ends_with_a_fault() {
    let rules = "[holds.a]\non=\"before\"\nsay=\"{% for a in big %}{% for b in big %}{% for c in big %}x{% endfor %}{% endfor %}{% endfor %}\"\n[data]\nbig=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,93,94,95,96,97,98,99,100]\n";
    assert!(decide_with(rules, &[]).faults[0].what.contains("too much work"));
}

#[test]
fn fields_are_set_with_their_type() {
    let rules = "[witnesses.a]\non=\"before\"\nsay=\"x\"\nset={ \"a.b\" = \"{{ state.list[0] + 1 }}\", c = \"n{{ 1 }}\" }\n";
    let sets = decide_with(rules, &[STATE]).sets;
    assert_eq!(sets[0], Set { path: vec!["a".into(), "b".into()], value: json!(4) });
    assert_eq!(sets[1].value, json!("n1"));
}

/// Of two rules about a field the later one wins, also where the state says already what it sets.
#[test]
fn what_stands_there_is_set_only_beside_what_does_not() {
    let rule = |name: &str, value: i64| {
        format!("[witnesses.{name}]\non=\"before\"\nsay=\"x\"\nset={{ \"tasks.a.n\" = {value} }}\n")
    };
    assert_eq!(decide_with(&rule("a", 1), &[STATE]).sets, []);
    let sets = decide_with(&(rule("a", 5) + &rule("b", 1)), &[STATE]).sets;
    assert_eq!(sets.last().map(|set| set.value.clone()), Some(json!(1)), "{sets:?}");
}

/// A file that is no JSON, where another takes its place, keeps no rule from being judged.
#[test]
fn what_is_strange_is_told_and_lets_nothing_go() {
    let rules = "[holds.a]\non=\"before\"\nwhen=\"first_json(['x.json', 'y.json']).n == 1\"\nsay=\"HELD\"\n";
    let effects = decide_with(rules, &[("x.json", "{"), ("y.json", r#"{"n":1}"#)]);
    assert!(effects.holds());
    assert!(
        effects.faults.iter().all(|fault| fault.is_aside && !fault.may_be_of("a")),
        "{:?}",
        effects.faults
    );
    assert_eq!(effects.faults.len(), 1);
}

#[test]
fn commits_and_documents_are_facts() {
    let rules = "[holds.a]\non=\"before shell\"\nwhen=\"tool.commits_to | select('in', ['main']) | first\"\nsay=\"{{ table('t.md').rows[0].id }} {{ markdown('t.md')['Tasks'].rows | length }} {{ tool.kind }}\"\n";
    let table = ("t.md", "## Tasks\n\n| ID |\n|---|\n| 7 |\n");
    assert_eq!(said(rules, &[table]), ["7 1 shell"]);
}
