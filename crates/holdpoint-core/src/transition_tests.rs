use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::*;
use crate::command;
use crate::event::{Event, Moment};
use crate::phase::{Turn, due, turn};
use crate::workflow::parse::parse;
use crate::world::world_tests::FakeWorld;

/// Whether a rule can have this step: it leads nowhere, uses no round and has no others beside it.
fn is_for_rules(step: &str) -> bool {
    !step.starts_with('[') && !step.contains("go =") && !step.contains("round =")
}

/// A workflow whose phase `a`, whose command and, where it can, whose rule have the same step.
fn facts(step: &str, state: &Json) -> Arc<Facts> {
    let said = step.replace("tell =", "say =");
    let source = format!(
        r#"
about = ""
[run]
home  = ".x"
state = "s.json"
due   = "phase"
last  = "last"
item  = {{ name = "task", list = "tasks", at = "at" }}

[fields]
x = 0

[limits]
tries = {{ most = 2, then = "end" }}
count = {{ most = 3, then = "end" }}
"none left" = {{ count = "tries", most = 0, then = {{ set = {{ x = "{{{{ state.x + 100 }}}}" }}, go = "stuck", log = "{{{{ because }}}} x={{{{ state.x }}}}", tell = "limit" }} }}
next  = {{ count = "at", most = 2, then = "end" }}

[phases.a]
by   = "user"
stop = {step}

[phases.b]
by     = "agent"
ask    = "ask x={{{{ state.x }}}} y={{{{ state.y }}}}"
report = "report-{{{{ state.y }}}}.md"
then   = "end"
enter  = {{ set = {{ x = "{{{{ state.x + 1 }}}}", y = "{{{{ state.x * 10 }}}}" }}, write = {{ "enter-{{{{ task.id }}}}" = "x={{{{ state.x }}}}" }}, log = "enter x={{{{ state.x }}}} {{{{ task.id }}}}" }}

[phases.stuck]
by   = "user"
then = {{ go = "b", log = "x={{{{ state.x }}}}", wait = 3 }}

[commands.go]
about = "go"
steps = {command}

[commands.finish]
about = "finish"
steps = [ {{ set = {{ x = 7 }}, finish = "stuck" }}, {{ finish = "stuck", say = "finished" }} ]

[steps.part]
set = {{ z = "{{{{ state.x }}}}" }}
log = "part {{{{ state.z }}}}"

[witnesses]
rule = {rule}
"#,
        command = if step.starts_with('[') { said.clone() } else { format!("[ {said} ]") },
        rule = if is_for_rules(step) {
            said.replacen('{', "{ on = \"stop\", ", 1)
        } else {
            "{ on = \"stop\", when = \"false\", say = \"\" }".to_owned()
        },
    );
    let parsed = parse("x", &source, &|_| None);
    assert_eq!(parsed.problems, []);
    let event = Arc::new(Event::from_shell(Moment::Stop, "/p"));
    Facts::new(parsed.workflow, event, "/p".into(), Arc::new(FakeWorld::with_state("s.json", state)))
}

fn by_phase(facts: &Arc<Facts>) -> Effects {
    let crate::phase::Due::Phase(phase) = due(facts).unwrap() else { panic!("nothing is due") };
    let Turn::Step(effects) = turn(facts, &phase).unwrap() else { panic!("no step is taken") };
    effects
}

fn by_command(facts: &Arc<Facts>) -> Effects {
    let commands = facts.workflow.commands.clone();
    let step = command::step(facts, &commands[0]).unwrap().unwrap();
    command::take(facts, step, Vec::new()).unwrap()
}

/// What was set, written, logged and said, a line each.
fn listed(effects: &Effects) -> Vec<String> {
    let sets = effects.sets.iter().map(|set| format!("set {} = {}", set.path.join("."), set.value));
    let files = effects.files.iter().map(|file| match file {
        FileChange::Write { path, text } => format!("write {path}: {}", text.trim_end()),
        FileChange::Remove(path) => format!("remove {path}"),
    });
    let log = effects.log.iter().map(|line| format!("log {line}"));
    let said = effects.messages.iter().map(|message| format!("{:?} {}", message.delivery, message.text));
    sets.chain(files).chain(log).chain(said).collect()
}

/// Steps, and what each comes to from the same state.
const STEPS: [(&str, &[&str]); 8] = [
    (
        "{ go = \"b\", write = { \"f\" = \"x={{ state.x }}\" }, log = \"x={{ state.x }} to {{ target }}\", tell = \"x={{ state.x }}\" }",
        &[
            "set phase = \"b\"",
            "set x = 2",
            "set y = 20",
            "write f: x=1",
            "write enter-1: x=2",
            "log x=1 to b",
            "log enter x=2 1",
            "Tell x=2",
        ],
    ),
    (
        "{ set = { x = \"{{ state.x + 4 }}\", y = \"{{ state.x }}\" }, write = { \"f\" = \"{{ state.x }} {{ state.y }}\" }, remove = [\"g-{{ state.x }}\"], tell = \"{{ state.x }}\" }",
        &["set x = 5", "set y = 1", "write f: 5 1", "remove g-5", "Tell 5"],
    ),
    (
        "{ when = \"state.x == 1\", also = \"part\", clear = \"x\", renew = \"count\", write = { \"f\" = \"{{ state.x }} {{ state.z }}\" }, log = [\"one {{ state.x }}\", \"two\"], tell = \"{{ state.count }}\" }",
        &[
            "set z = 1",
            "set x = 0",
            "set count = 0",
            "write f: 0 1",
            "log part 1",
            "log one 0",
            "log two",
            "Tell 0",
        ],
    ),
    (
        "{ round = \"tries\", log = \"try {{ state.tries }}\", tell = \"\" }",
        &["set tries = 1", "log try 1", "Tell "],
    ),
    (
        "{ round = \"next\", go = \"b\", set = { task.done = true }, log = \"left {{ task.id }} done={{ task.done }}\", tell = \"now {{ task.id }}\" }",
        &[
            "set tasks.0.done = true",
            "set phase = \"b\"",
            "set at = 2",
            "set x = 2",
            "set y = 20",
            "write enter-2: x=2",
            "log left 1 done=True",
            "log enter x=2 2",
            "Tell now 2",
        ],
    ),
    (
        "{ go = \"b\", renew = \"count\", write = { \"f\" = \"{{ state.count }}\" }, tell = \"\" }",
        &[
            "set count = 0",
            "set phase = \"b\"",
            "set x = 2",
            "set y = 20",
            "write f: 0",
            "write enter-1: x=2",
            "log enter x=2 1",
            "Tell ",
        ],
    ),
    (
        "{ round = \"none left\", set = { x = 5 }, go = \"b\", write = { \"f\" = \"never\" }, log = \"x={{ state.x }}\", tell = \"never\" }",
        &[
            "set x = 5",
            "set x = 105",
            "set phase = \"stuck\"",
            "log x=5",
            "log none left x=105",
            "Tell limit",
        ],
    ),
    (
        "[ { when = \"state.x == 2\", tell = \"no\" }, { go = \"end\", tell = \"yes\" } ]",
        &["set phase = null", "Tell yes"],
    ),
];

/// As a phase's, as a command's and as a rule's.
#[test]
fn effects_have_one_order() {
    let state = json!({"phase": "a", "x": 1, "y": 0, "at": 1, "tasks": [{"id": 1}, {"id": 2}]});
    for (step, expected) in STEPS {
        let facts = facts(step, &state);
        assert_eq!(listed(&by_phase(&facts)), expected, "as a phase's: {step}");
        assert_eq!(listed(&by_command(&facts)), expected, "as a command's: {step}");
        let by_rule = crate::decide::decide(&facts, None);
        let expected = if is_for_rules(step) { expected } else { &[] };
        assert_eq!(listed(&by_rule), expected, "as a rule's: {step}");
    }
    assert_eq!(STEPS.iter().filter(|(step, _)| is_for_rules(step)).count(), 2);
}

#[test]
fn a_silent_step_asks_the_agent() {
    let facts = facts("{ go = \"b\" }", &json!({"phase": "a", "x": 1}));
    let effects = by_phase(&facts);
    assert_eq!(effects.messages[0].delivery, Delivery::Hold);
    assert_eq!(effects.messages[0].text, "ask x=2 y=20");
    assert_eq!(effects.expects.as_deref(), Some("report-20.md"));
    assert_eq!(effects.went.as_deref(), Some("b"));
}

#[test]
fn finishing_a_phase_keeps_all_that_its_step_comes_to() {
    let facts = facts("{ go = \"end\" }", &json!({"phase": "stuck", "x": 1}));
    let commands = facts.workflow.commands.clone();
    let effects = command::take(&facts, &commands[1].steps[0], Vec::new()).unwrap();
    let expected = [
        "set x = 7",
        "set last = \"stuck\"",
        "set phase = \"b\"",
        "set x = 8",
        "set y = 80",
        "write enter-: x=8",
        "log x=7",
        "log enter x=8",
        "Hold ask x=8 y=80",
    ];
    assert_eq!(listed(&effects), expected);
    assert_eq!(effects.wait_s, 3);
    let effects = command::take(&facts, &commands[1].steps[1], Vec::new()).unwrap();
    assert_eq!(listed(&effects).last().unwrap(), "Tell finished");
    assert_eq!(effects.messages.len(), 1);
}
