//! Ten thousand random and mutated inputs: no panic, no hang, and an answer that is nothing or one JSON object.
//!
//! The seed is fixed, so that a run is repeatable; `fuzz/` looks further.

use std::sync::Arc;
use std::time::{Duration, Instant};

use holdpoint::engine::leftovers::Leftovers;
use holdpoint::engine::{self, Call, Reply};
use holdpoint::env::{Env, FixedEnv};
use holdpoint::hook::input::Input;
use holdpoint::hook::options::Options;
use holdpoint_core::delegation::agents_in;
use holdpoint_core::shell::commits;
use holdpoint_core::workflow::check::{Surroundings, check};
use holdpoint_core::workflow::parse::parse;
use holdpoint_core::world::{Answer, GitQuestion, World};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::{Value as Json, json};

use crate::project::Project;

const PAYLOADS: u32 = 4_000;
const STATES: u32 = 1_500;
const MANIFESTS: u32 = 800;
const WORKFLOWS: u32 = 1_200;
const COMMANDS: u32 = 2_300;
const THROUGH_THE_BINARY: u32 = 200;

/// Far more than any answer needs, even on a busy machine: what takes longer hangs.
const HANGS_AFTER: Duration = Duration::from_secs(20);

const GATE: &str = r#"
about = "Counts, sets and holds."
[run]
home  = ".gate"
state = ".gate/{{ state_name }}.json"
shows = "state.phase | text"
[witnesses.count]
on   = ["before", "after"]
set  = { count = "{{ state.count | number + 1 }}", "last.tool" = "{{ tool.name }}", "last.input" = "{{ tool.input }}" }
to   = "agent"
say  = "{{ tool.text }} {{ tool.paths | join(',') }} {{ tool.result }} {{ state | spell }} {{ state.last.tool }}"
[holds.each]
on   = ["before", "stop", "prompt", "start"]
each = "state.phases"
when = "value.status != 'done' and key not in ['a']"
say  = "{{ key }} {{ value | spell }} {{ plan.rows | length }}"
satisfied_by = "{{ key | upper }}"
[let]
plan       = "table('plan.md')"
[data]
state_name = "state"
"#;

const STATE: &str = r#"{"count": 3, "phases": {"a": {"status": "done"}, "b": {"status": "open"}}, "phase": "b",
  "active_workflow": {"current_phase": "06-implementation", "phases": ["06-implementation", "07-testing"],
  "git_branch": {"status": "active", "name": "feature/x"}}, "discovery_context": {"walkthrough_completed": false},
  "list": [1, 2.5, -1e9, null, true, "\u00e9\ud83d\ude00"]}"#;

const MANIFEST: &str = r#"{"version": "1", "ownership": {"software-developer": {"phase": "06-implementation", "skills": [1, {"a": []}]},
  "tester": {"phase": "07-testing"}, "all": {"phase": "all"}}, "skills": {"x": [1, 2, 3]}}"#;

const EVENTS: [&str; 7] = [
    r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Bash","tool_input":{"command":"git status && ls"}}"#,
    r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Task","tool_input":{"subagent_type":"software-developer","prompt":"start phase 07, then 06-implementation","description":"d"}}"#,
    r#"{"hook_event_name":"PostToolUse","session_id":"s","cwd":"CWD","tool_name":"Agent","tool_input":{"agent":"discover-orchestrator"},"tool_response":{"content":[{"type":"text","text":"[1] New Project [2] auto-detect, and more words than fifty characters"}]}}"#,
    r#"{"hook_event_name":"PostToolUse","session_id":"s","cwd":"CWD","tool_name":"Write","tool_input":{"file_path":".isdlc/state.json","content":"{}"},"tool_response":"ok"}"#,
    r#"{"hook_event_name":"Stop","session_id":"s","cwd":"CWD","stop_hook_active":true,"turn_id":"t","model":"m"}"#,
    r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"CWD","prompt":"go on","prompt_id":1e3}"#,
    r#"{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a/b.rs\n*** End Patch"},"error":null}"#,
];

/// What mutations put in.
const FRAGMENTS: [&str; 42] = [
    "null",
    "true",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ":",
    "\\ud800",
    "\\u0000",
    "\u{feff}",
    "\0",
    "\n",
    "1e999",
    "-0",
    "-",
    "0.1e-400",
    "18446744073709551616",
    "{{",
    "}}",
    "{%",
    "%}",
    "{{ state }}",
    "=",
    "'",
    "'''",
    "\"\"\"",
    "#",
    "[holds.x]",
    "[let]",
    "[a.b]",
    "..",
    "../..",
    "/",
    "é",
    "😀",
    "\u{202e}",
    "06-x",
    " phase 06",
    "{\"a\":[{}]}",
];

/// One change of a text.
#[derive(Clone, Debug)]
enum Change {
    Flip(Index, u8),
    Cut(Index),
    Remove(Index, usize),
    Insert(Index, &'static str),
    Repeat(Index, usize, usize),
    Swap(Index, Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        1 => any::<Index>().prop_map(Change::Cut),
        2 => (any::<Index>(), 1..40_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        4 => (any::<Index>(), select(&FRAGMENTS[..])).prop_map(|(at, text)| Change::Insert(at, text)),
        2 => (any::<Index>(), 1..30_usize, 1..300_usize).prop_map(|(at, length, n)| Change::Repeat(at, length, n)),
        2 => (any::<Index>(), any::<Index>(), 1..30_usize).prop_map(|(a, b, length)| Change::Swap(a, b, length)),
    ]
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            bytes.push(b' ');
        }
        let len = bytes.len();
        match self {
            Change::Flip(at, byte) => bytes[at.index(len)] ^= byte,
            Change::Cut(at) => bytes.truncate(at.index(len)),
            Change::Remove(at, length) => {
                let at = at.index(len);
                bytes.drain(at..(at + length).min(len));
            }
            Change::Insert(at, text) => {
                let at = at.index(len);
                bytes.splice(at..at, text.bytes());
            }
            Change::Repeat(at, length, times) => {
                let at = at.index(len);
                let part = bytes[at..(at + length).min(len)].repeat(*times);
                bytes.splice(at..at, part);
            }
            Change::Swap(one, other, length) => {
                let (one, other) = (one.index(len), other.index(len));
                for step in (0..*length).take_while(|step| one.max(other) + step < len) {
                    bytes.swap(one + step, other + step);
                }
            }
        }
    }
}

/// One of the texts, changed at the level of bytes.
fn mutated(texts: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    (select(texts), prop::collection::vec(change(), 1..6)).prop_map(|(text, changes)| {
        let mut bytes = text.as_bytes().to_vec();
        for change in &changes {
            change.apply(&mut bytes);
        }
        bytes
    })
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        "\\PC{0,12}".prop_map(Json::from),
        select(&FRAGMENTS[..]).prop_map(Json::from),
    ];
    leaf.prop_recursive(6, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    })
}

/// A field's name: one that somebody reads, or any.
fn name() -> impl Strategy<Value = String> {
    let known = [
        "phases",
        "status",
        "phase",
        "count",
        "last",
        "tool",
        "current_phase",
        "active_workflow",
        "ownership",
        "git_branch",
        "command",
        "prompt",
        "subagent_type",
        "file_path",
        "content",
        "text",
        "key",
        "value",
    ];
    prop_oneof![3 => select(known.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,6}"]
}

/// One of the objects with fields that changed their type, were doubled, left out or put elsewhere: still JSON.
fn misshapen(texts: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<Index>(), any::<Index>(), 0..4_u8, any_json()), 1..5);
    (select(texts), changes).prop_map(|(text, changes)| {
        let whole: Json = serde_json::from_str(text).unwrap();
        let mut fields: Vec<(String, Json)> = whole.as_object().unwrap().clone().into_iter().collect();
        for (one, other, kind, value) in changes {
            let (one, other) = (one.index(fields.len()), other.index(fields.len()));
            match kind {
                0 => fields[one].1 = value,
                1 => fields.push((fields[one].0.clone(), value)),
                2 => fields.swap(one, other),
                _ => match fields[one].1.as_object_mut() {
                    Some(inner) => drop(inner.iter_mut().map(|(_, field)| *field = value.clone()).count()),
                    None => fields[one].1 = json!([fields[other].1]),
                },
            }
        }
        let spelled: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        format!("{{{}}}", spelled.join(",")).into_bytes()
    })
}

fn hostile_json(texts: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![4 => mutated(texts), 4 => misshapen(texts), 1 => any_json().prop_map(|json| json.to_string().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..200)]
}

/// Runs a property on its own number of cases; failures name the smallest input that shows them.
fn for_all<S: Strategy>(cases: u32, strategy: S, check: impl Fn(S::Value)) {
    let config =
        Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(2026), ..Config::default() };
    let bounded = |value| {
        let started = Instant::now();
        check(value);
        prop_assert!(started.elapsed() < HANGS_AFTER, "it took {:?}", started.elapsed());
        Ok(())
    };
    TestRunner::new(config).run(&strategy, bounded).unwrap();
}

fn project() -> Project {
    let project = Project::new();
    project.workflow("gate", GATE).write(".gate/state.json", STATE).write(".isdlc/state.json", STATE);
    project.write(".isdlc/config/skills-manifest.json", MANIFEST).write("docs/isdlc/tasks.md", "# Tasks\n");
    project.write("plan.md", "# Plan\n\n| ID | Status |\n|---|---|\n| 1 | open |\n");
    project
}

fn ask(project: &Project, input: &[u8]) -> Reply {
    let env: Arc<dyn Env> = Arc::new(FixedEnv::default());
    let text = String::from_utf8_lossy(input);
    let bytes = if text.contains("CWD") {
        // Replaced byte by byte, so that what is no UTF-8 stays none.
        replaced(input, b"CWD", project.root().to_str().unwrap().as_bytes())
    } else {
        input.to_vec()
    };
    let options = Options::default();
    let (input, leftovers) = (Input::Whole(bytes), Leftovers::default());
    let reply = engine::answer(&Call { input, options: &options, cwd: project.root(), env, leftovers });
    sound(&reply.stdout);
    reply
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let Some(at) = bytes.windows(from.len()).position(|window| window == from) else { return bytes.to_vec() };
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

fn sound(stdout: &str) {
    let is_object = || serde_json::from_str::<Json>(stdout).is_ok_and(|json| json.is_object());
    assert!(stdout.is_empty() || is_object(), "{stdout}");
}

#[test]
fn hostile_events_are_answered() {
    let project = project();
    for_all(PAYLOADS, hostile_json(&EVENTS), |input| {
        ask(&project, &input);
    });
}

/// Writes a file that nobody is writing any more: a fresh one that is cut off would be waited for.
fn write_long_ago(project: &Project, path: &str, bytes: &[u8]) {
    project.write(path, bytes);
    let file = std::fs::File::options().write(true).open(project.root().join(path)).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
}

#[test]
fn hostile_states_are_survived_and_never_made_worse() {
    let project = project();
    for_all(STATES, (hostile_json(&[STATE]), select(&EVENTS[..])), |(state, event)| {
        write_long_ago(&project, ".gate/state.json", &state);
        write_long_ago(&project, ".isdlc/state.json", &state);
        ask(&project, event.as_bytes());
        let after = std::fs::read(project.root().join(".gate/state.json")).unwrap();
        assert!(after == state || serde_json::from_slice::<Json>(&after).is_ok(), "what we write is JSON");
    });
}

#[test]
fn hostile_manifests_are_survived() {
    let project = project();
    for_all(MANIFESTS, hostile_json(&[MANIFEST]), |manifest| {
        let _ = agents_in(&manifest, "ownership");
        project.write(".isdlc/config/skills-manifest.json", &manifest);
        ask(&project, EVENTS[1].as_bytes());
    });
}

#[test]
fn hostile_workflows_are_refused_or_used_but_never_fatal() {
    const ISDLC: &str = include_str!("../../../../workflows/isdlc/workflow.toml");
    let project = project();
    let hostile = (mutated(&[GATE, GATE, GATE, ISDLC]), select(&EVENTS[..]));
    for_all(WORKFLOWS, hostile, |(source, event)| {
        let text = String::from_utf8_lossy(&source);
        let parsed = parse("gate", &text, &|_| Some("{{ tool.name }} {{".into()));
        let files = [("texts/x.md".to_owned(), text.to_string())];
        for problem in check(&parsed, &Surroundings { files: &files, ..Surroundings::default() }) {
            problem.position(&text);
        }
        project.workflow("gate", "").write(".holdpoint/workflows/gate/workflow.toml", &source);
        ask(&project, event.as_bytes());
    });
}

/// A repository in which every question has an answer, and aliases that lead to aliases.
struct Repository;

impl World for Repository {
    fn read(&self, _: &str) -> Answer<Vec<u8>> {
        Answer::None
    }
    fn exists(&self, _: &str) -> Answer<()> {
        Answer::None
    }
    fn env(&self, _: &str) -> Option<String> {
        None
    }
    fn git(&self, _: &str, question: &GitQuestion) -> Answer<String> {
        Answer::Is(match question {
            GitQuestion::Repository => "/r/.git".into(),
            GitQuestion::Branch | GitQuestion::PushTarget => "main".into(),
            GitQuestion::Switch(name) | GitQuestion::Contains(name) => name.clone(),
            GitQuestion::Alias(name) if name == "x" => "!git y; git y && git commit".into(),
            GitQuestion::Alias(name) if name == "y" => "!git x; git x; git x \"$@\"".into(),
            GitQuestion::Alias(name) => format!("{name} commit"),
        })
    }
}

const SHELL: [&str; 78] = [
    "git",
    "commit",
    "git commit -m x",
    "checkout",
    "main",
    "-b",
    "-C",
    "-c",
    "alias.x=y",
    "x",
    "y",
    "cd",
    "eval",
    "sh -c",
    "bash -lc",
    "sudo",
    "env",
    "xargs",
    "$(",
    "${",
    "$((",
    "$",
    "`",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "[[",
    "]]",
    "[",
    "]",
    "<<EOF\n",
    "\nEOF\n",
    "<<-'EOF'\n",
    "<<<",
    "<(",
    ">(",
    ">",
    ">>",
    "2>&1",
    "&>",
    "<",
    "|",
    "||",
    "&",
    "&&",
    "|&",
    ";",
    ";;",
    "\n",
    "\"",
    "'",
    "$'",
    "$\"",
    "\\",
    "\\\n",
    "#",
    "!",
    "if",
    "then",
    "else",
    "fi",
    "for i in",
    "do",
    "done",
    "while",
    "until",
    "case x in",
    "esac",
    "function f",
    "f()",
    "a=",
    "a=$a$a",
    "~",
    "*{a,b}",
    "é😀\0",
];

fn shell_command() -> impl Strategy<Value = String> {
    let word = (select(&SHELL[..]), prop_oneof![9 => Just(1_usize), 1 => 1..400_usize], any::<bool>());
    prop::collection::vec(word, 1..30).prop_map(|words| {
        let part = |(text, times, apart): &(&str, usize, bool)| {
            format!("{text}{}", if *apart { " " } else { "" }).repeat(*times)
        };
        // Without a git in it a command is not even parsed.
        format!("git status; {}", words.iter().map(part).collect::<String>())
    })
}

#[test]
fn hostile_commands_are_read_in_bounded_time() {
    for_all(COMMANDS, shell_command(), |command| {
        let _ = commits(&command, "/w", &Repository);
    });
}

#[test]
fn the_binary_itself_survives_hostile_events() {
    let project = project();
    for_all(THROUGH_THE_BINARY, hostile_json(&EVENTS), |input| {
        let input = replaced(&input, b"CWD", project.root().to_str().unwrap().as_bytes());
        let printed = project.run_with(&["hook"], &input);
        assert_eq!(printed.code, Some(0));
        assert!(!printed.stderr.contains("internal error"), "{}", printed.stderr);
        sound(&printed.stdout);
    });
}
