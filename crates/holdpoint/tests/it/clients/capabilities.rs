//! What each client can be held to, one test a client and capability: docs/reference/agents.md is made of these.

use std::collections::VecDeque;

use holdpoint::env_vars::SESSIONS;
use serde_json::Value as Json;

use crate::clients::kind::{Kind, hook};
use crate::clients::session::{Session, kept, sent};
use crate::model::{Block, Model, news};
use crate::project::Project;

const RULES: &str = r#"
about = "One rule for each thing that a client may or may not do."
[run]
home = ".proof"

[holds.held]
on   = "before shell"
when = "'forbidden' in tool.command"
say  = "HELD: forbidden commands are not for agents."

[holds.edit]
on   = "before edit"
when = "'forbidden' in tool.paths | join(' ')"
say  = "HELD-EDIT: forbidden files are not for agents."

[witnesses.before]
on   = "before shell"
when = "'looked-at' in tool.command"
to   = "agent"
say  = "SEEN-BEFORE: this command is looked at."

[witnesses.after]
on   = "after shell"
when = "'looked-at' in tool.command"
to   = "agent"
say  = "SEEN-AFTER: this command was looked at."

[holds.result]
on   = "after shell"
when = "'regretted' in tool.command"
say  = "HELD-AFTER: this command should not have been run."

[witnesses.failed]
on   = "after shell"
when = "tool.error"
to   = "agent"
say  = "SEEN-FAILING: this command failed."

[witnesses.context]
on   = "start"
to   = "agent"
say  = "CONTEXT: proofs are kept in this folder."

[witnesses.told]
on   = "stop"
when = "file('tell').exists"
say  = "TOLD: this is for the user."

[holds.prompt]
on   = "prompt"
when = "file('no-prompts').exists"
say  = "REFUSED: no prompts are taken here."

[holds.stop]
on   = "stop"
when = "file('unfinished').exists"
say  = "UNFINISHED: remove the file `unfinished` before you stop."
"#;

fn project() -> Project {
    let project = Project::new();
    project.workflow("proof", RULES).write(".proof/here", "");
    project
}

/// A model that makes these calls, one a turn, and is then done.
fn caller(calls: Vec<Block>) -> Model {
    let mut calls = VecDeque::from(calls);
    Model::start(move |_| vec![calls.pop_front().unwrap_or(Block::Text("I am done."))])
}

/// Runs a client in a project with all that we answer registered; none if it is not installed.
fn run(kind: Kind, project: &Project, model: &Model) -> Option<Session> {
    let program = kind.program()?;
    Some(kind.run(&program, project, model, &hook(&format!("--agent {}", kind.agent()))))
}

/// A tool call is held, and the model sees why.
fn held(kind: Kind) {
    let project = project();
    let model = caller(vec![kind.shell("echo > forbidden")]);
    let Some(_) = run(kind, &project, &model) else { return };
    let shown = model.shown();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[1].contains("HELD: forbidden"), "{}", shown[1]);
    assert!(!project.root().join("forbidden").exists());
}

/// A tool that writes files is held by the file that it would write.
fn edit_held(kind: Kind) {
    let Some(program) = kind.program() else { return };
    let project = project();
    let file = project.root().join("forbidden.md");
    let model = caller(vec![kind.write(&file, "one\n")]);
    kind.run_writer(&program, &project, &model, &hook(&format!("--agent {}", kind.agent())));
    let shown = model.shown();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[1].contains("HELD-EDIT: forbidden"), "{}", shown[1]);
    assert!(!file.exists());
}

/// What a witness says after a tool reaches the model, and what it says before one where the client hears it.
fn witnessed(kind: Kind, is_heard_before: bool) {
    let project = project();
    let model = caller(vec![kind.shell("echo > looked-at")]);
    let Some(_) = run(kind, &project, &model) else { return };
    let shown = model.shown();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[1].contains("SEEN-AFTER: this command"), "{}", shown[1]);
    assert_eq!(shown[1].contains("SEEN-BEFORE: this command"), is_heard_before, "{}", shown[1]);
    assert!(project.root().join("looked-at").exists());
}

/// A hold after a tool reaches the model, beside the tool's result or in its place.
fn held_after(kind: Kind, replaces_result: bool) {
    let project = project();
    let model = caller(vec![kind.shell("echo regretted $((40 + 2))")]);
    let Some(_) = run(kind, &project, &model) else { return };
    let shown = model.shown();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[1].contains("HELD-AFTER: this command"), "{}", shown[1]);
    assert_eq!(!shown[1].contains("regretted 42"), replaces_result, "{}", shown[1]);
}

/// A witness of what failed speaks of a command that failed, and only then.
fn failure_is_seen(kind: Kind) {
    let project = project();
    let model = caller(vec![kind.shell("exit 0"), kind.shell("exit 7")]);
    let Some(_) = run(kind, &project, &model) else { return };
    let shown = model.shown();
    assert_eq!(shown.len(), 3, "{shown:#?}");
    assert!(!shown[1].contains("SEEN-FAILING"), "{}", shown[1]);
    assert!(shown[2].contains("SEEN-FAILING: this command"), "{}", shown[2]);
}

/// A Stop is held, the agent goes on with the reason, and once it has done as it is told it is let go.
fn stop_held(kind: Kind) {
    let project = project();
    project.write("unfinished", "");
    let mut calls = VecDeque::from([Block::Text("I am done."), kind.shell("rm unfinished")]);
    let model = Model::start(move |_| vec![calls.pop_front().unwrap_or(Block::Text("Now I am done."))]);
    let Some(_) = run(kind, &project, &model) else { return };
    let shown = model.shown();
    assert_eq!(shown.len(), 3, "a prompt, a hold, what the command printed: {shown:#?}");
    assert!(shown[1].contains("UNFINISHED: remove"), "{}", shown[1]);
    assert!(!project.root().join("unfinished").exists());
    assert_eq!(decisions(&project, "stop"), ["hold", "none"]);
}

/// A Stop that nothing satisfies is held three times, and then the agent is let go.
fn stop_given_up(kind: Kind) {
    let project = project();
    project.write("unfinished", "");
    let model = caller(vec![]);
    let Some(_) = run(kind, &project, &model) else { return };
    let held = model.shown().iter().filter(|news| news.contains("UNFINISHED: remove")).count();
    assert_eq!(held, 3, "{:#?}", model.shown());
    assert_eq!(decisions(&project, "stop"), ["hold", "hold", "hold", "release"]);
}

/// What is for the user does not keep the agent from stopping, and comes before the user's eyes; but `codex exec` only
/// says that the hook did its work.
fn user_told(kind: Kind) {
    let project = project();
    project.write("tell", "");
    let model = caller(vec![]);
    let Some(session) = run(kind, &project, &model) else { return };
    assert_eq!(model.shown().len(), 1, "{:#?}", model.shown());
    let answered = kept(&project, "answers").into_iter().any(|answer| answer["systemMessage"].is_string());
    assert!(answered, "{}", project.read("answers"));
    let (shown, expected) = match kind {
        Kind::Claude => (session.shown_to_user().concat(), "TOLD: this is for the user."),
        Kind::Codex => (session.printed.stderr, "hook: Stop Completed"),
        Kind::Gemini => (session.printed.stderr, "TOLD: this is for the user."),
    };
    assert!(shown.contains(expected), "{shown}");
}

fn decisions(project: &Project, event: &str) -> Vec<Json> {
    let own = project.journal().into_iter().filter(|entry| entry["event"] == event);
    own.map(|entry| entry["decision"].clone()).collect()
}

/// What is said at a session's start is before the model from its first turn.
fn context_given(kind: Kind) {
    let project = project();
    let model = caller(vec![]);
    let Some(_) = run(kind, &project, &model) else { return };
    let shown = model.shown();
    assert_eq!(shown.len(), 1, "{shown:#?}");
    assert!(shown[0].contains("CONTEXT: proofs are kept"), "{}", shown[0]);
}

/// A prompt that is held never reaches the model; the client says so.
fn prompt_held(kind: Kind, saying: &str) {
    let project = project();
    project.write("no-prompts", "");
    let model = caller(vec![]);
    let Some(session) = run(kind, &project, &model) else { return };
    assert_eq!(model.shown(), [""; 0]);
    let said = [session.printed.stdout, session.printed.stderr].concat();
    assert!(said.contains(saying), "{said}");
}

/// A sub-agent's tool call is held as the agent's own would be.
fn sub_agent_held(kind: Kind) {
    const TASK: &str = "Make the file that nobody may make.";
    let project = project();
    let mut is_delegated = false;
    let mut is_called = false;
    let model = Model::start(move |request| {
        let news = news(request);
        let call = if news.contains("HELD: forbidden") {
            kind.report()
        } else if news.contains(TASK) && is_delegated && !std::mem::replace(&mut is_called, true) {
            kind.shell("echo > forbidden")
        } else if !std::mem::replace(&mut is_delegated, true) {
            kind.delegate(TASK)
        } else {
            kind.wait(&news).unwrap_or(Block::Text("I am done."))
        };
        vec![call]
    });
    let Some(_) = run(kind, &project, &model) else { return };
    let shown = model.shown();
    assert!(shown.iter().any(|news| news.contains("HELD: forbidden")), "{shown:#?}");
    assert!(!project.root().join("forbidden").exists());
    let calls =
        sent(&project).into_iter().filter(|event| event["tool_input"].to_string().contains("forbidden"));
    let marked: Vec<bool> = calls.map(|event| event["agent_id"].is_string()).collect();
    // Gemini's hooks are not told that it is a sub-agent who calls.
    assert!(
        !marked.is_empty() && marked.iter().all(|marked| *marked == (kind != Kind::Gemini)),
        "{marked:?}"
    );
}

/// A command in the agent's shell is given the session that the hooks are told of.
fn session_known(kind: Kind) {
    let project = project();
    let model = caller(vec![kind.shell("env > environment")]);
    let Some(_) = run(kind, &project, &model) else { return };
    let session = sent(&project)[0]["session_id"].as_str().unwrap().to_owned();
    let environment = project.read("environment");
    let given = |name: &str| environment.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    assert_eq!(SESSIONS.iter().find_map(|name| given(name)), Some(session.as_str()), "{environment}");
}

/// A hook that is registered wrongly holds nothing, and its user is told.
fn fault_lets_go(kind: Kind) {
    let Some(program) = kind.program() else { return };
    let project = project();
    project.write("unfinished", "");
    let model = caller(vec![kind.shell("echo > forbidden")]);
    kind.run(&program, &project, &model, &hook("--no-such-option"));
    assert!(project.root().join("forbidden").exists(), "{:#?}", model.shown());
    assert_eq!(model.shown().len(), 2, "and it may stop");
    let answers = kept(&project, "answers");
    assert!(answers.iter().all(|answer| answer["systemMessage"].is_string()), "{answers:#?}");
    assert!(!sent(&project).is_empty());
}

/// Tests, and the list of their names.
macro_rules! proofs {
    ($($name:ident: $proof:expr;)*) => {
        $(#[test] fn $name() { $proof; })*
        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

proofs! {
    claude_is_held_before_a_tool: held(Kind::Claude);
    codex_is_held_before_a_tool: held(Kind::Codex);
    gemini_is_held_before_a_tool: held(Kind::Gemini);
    claude_is_held_before_an_edit: edit_held(Kind::Claude);
    codex_is_held_before_an_edit: edit_held(Kind::Codex);
    gemini_is_held_before_an_edit: edit_held(Kind::Gemini);
    claude_hears_a_witness: witnessed(Kind::Claude, true);
    codex_hears_a_witness: witnessed(Kind::Codex, true);
    gemini_hears_a_witness_after_a_tool: witnessed(Kind::Gemini, false);
    claude_sees_a_hold_beside_the_result: held_after(Kind::Claude, false);
    codex_sees_a_hold_for_the_result: held_after(Kind::Codex, true);
    gemini_sees_a_hold_for_the_result: held_after(Kind::Gemini, true);
    claude_tells_that_a_command_failed: failure_is_seen(Kind::Claude);
    gemini_tells_that_a_command_failed: failure_is_seen(Kind::Gemini);
    claude_is_held_at_stop: stop_held(Kind::Claude);
    codex_is_held_at_stop: stop_held(Kind::Codex);
    gemini_is_held_at_stop: stop_held(Kind::Gemini);
    claude_is_let_go_in_the_end: stop_given_up(Kind::Claude);
    codex_is_let_go_in_the_end: stop_given_up(Kind::Codex);
    gemini_is_let_go_in_the_end: stop_given_up(Kind::Gemini);
    claude_is_given_context: context_given(Kind::Claude);
    codex_is_given_context: context_given(Kind::Codex);
    gemini_is_given_context: context_given(Kind::Gemini);
    claude_is_held_at_a_prompt: prompt_held(Kind::Claude, "REFUSED: no prompts");
    codex_is_held_at_a_prompt: prompt_held(Kind::Codex, "UserPromptSubmit Blocked");
    gemini_is_held_at_a_prompt: prompt_held(Kind::Gemini, "REFUSED: no prompts");
    claude_has_its_sub_agents_held: sub_agent_held(Kind::Claude);
    codex_has_its_sub_agents_held: sub_agent_held(Kind::Codex);
    gemini_has_its_sub_agents_held: sub_agent_held(Kind::Gemini);
    claude_shows_its_user_a_message: user_told(Kind::Claude);
    codex_takes_a_message_for_its_user: user_told(Kind::Codex);
    gemini_shows_its_user_a_message: user_told(Kind::Gemini);
    claude_names_its_session_to_commands: session_known(Kind::Claude);
    codex_names_its_session_to_commands: session_known(Kind::Codex);
    claude_goes_on_after_a_fault: fault_lets_go(Kind::Claude);
    codex_goes_on_after_a_fault: fault_lets_go(Kind::Codex);
    gemini_goes_on_after_a_fault: fault_lets_go(Kind::Gemini);
}
