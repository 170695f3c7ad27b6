//! The workflow that plans, tasks and codes, in Claude Code itself: the agent is held with the text of its post-review
//! until two reviews in a row are clean, or until patience ends. Only the model and the reviewer are scripted.

use std::collections::VecDeque;

use serde_json::{Value as Json, json};

use crate::clients::held::{ask, asks};
use crate::clients::install::claude;
use crate::clients::session::{Session, at_work, register, run_claude, stop_hook_active};
use crate::cycle::{self, PLAN};
use crate::model::{Block, Model, news};
use crate::project::Project;

/// A project with a plan whose review is due, and the program registered as it would be for good.
fn planned(verdicts: &[&str]) -> Project {
    let project = cycle::project(verdicts);
    cycle::tell(&project, &["new-plan", "shop"]);
    project.write(&format!("{PLAN}/plan.md"), "# Shop\n\n## Overview\n\nSell things.\n");
    let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];
    register(&project, &events, &["hook", "--agent", "claude"]);
    project
}

/// A model that knows nothing but the text it is held with: it does the steps in it that it has tools for.
fn obedient(project: &Project, tools: &'static [&str]) -> Model {
    let root = project.root().to_owned();
    let in_root = move |name: &str| root.join(name.trim_end_matches([',', ':']));
    let call = move |step: &str| {
        let (tool, input) = match step.split(' ').collect::<Vec<_>>()[..] {
            ["Read", file, ..] => ("Read", json!({"file_path": in_root(file)})),
            ["Write", file, ..] => ("Write", json!({"file_path": in_root(file), "content": "Settled.\n"})),
            _ => ("Bash", json!({"command": step.split_once("run: ")?.1})),
        };
        tools.contains(&tool).then_some(Block::ToolUse { name: tool, input })
    };
    let mut calls = VecDeque::new();
    Model::start(move |request| {
        if let Some(ask) = ask(&news(request)) {
            let steps = ask.lines().filter_map(|line| line.split_once(". "));
            calls = steps.filter_map(|(_, step)| call(step)).collect();
        }
        vec![calls.pop_front().unwrap_or(Block::Text("I am done."))]
    })
}

/// What the journal has of Stops and of the workflow's commands since the plan was begun.
fn journal(project: &Project) -> Vec<Json> {
    let journal = project.journal().into_iter();
    journal.filter(|entry| entry["event"] == "stop" || entry["event"] == "command").skip(1).collect()
}

/// What must be true once one review found issues and two found none, however the agent told of its work.
fn assert_passed(project: &Project, model: &Model, session: &Session) {
    assert_eq!(
        cycle::state(project),
        json!({"max_reviews": 8, "current_task": null, "phase": "plan-review", "next_phase": "create-tasks",
            "phase_iteration": 3, "review_model": "sonnet", "consecutive_clean": 2, "tdd": false})
    );
    let reviews = format!(
        "opus {PLAN}/plan-review-1.md FAIL\nsonnet {PLAN}/plan-review-2.md PASS\nopus {PLAN}/plan-review-3.md PASS\n"
    );
    assert_eq!(project.read("reviews"), reviews);
    let asks = asks(model);
    assert_eq!(asks.len(), 2, "{asks:#?}");
    for (ask, number, judgement) in [(&asks[0], 1, "wants changes"), (&asks[1], 2, "asks for no change")] {
        let start = format!("REVIEW {number} OF THE PLAN IS WRITTEN: {PLAN}/plan-review-{number}.md.");
        assert!(ask.starts_with(&start) && ask.contains(judgement), "{ask}");
        assert_eq!(project.read(&format!("{PLAN}/plan-post-review-{number}.md")), "Settled.\n");
    }
    // From the second Stop on the client says that a hook made it go on; the loop must not end for that.
    assert_eq!(stop_hook_active(project), [false, true, true]);
    let [message] = &session.shown_to_user()[..] else { panic!("{:#?}", session.shown_to_user()) };
    assert!(
        message.starts_with("plan-review passed.") && message.contains("/taskie:continue-plan"),
        "{message}"
    );
    assert_eq!(session.printed.json()["result"], "I am done.");
    assert_eq!(at_work(project), [""; 0], "nothing is left running");
}

#[test]
fn claude_code_does_what_it_is_held_for_until_two_reviews_are_clean() {
    let Some(claude) = claude() else { return };
    let project = planned(&["FAIL", "PASS", "PASS"]);
    let model = obedient(&project, &["Read", "Write", "Bash"]);
    let session = run_claude(&claude, &project, &model);
    assert_passed(&project, &model, &session);

    let shown = model.shown();
    assert_eq!(shown.len(), 9, "a prompt, and twice: held, a review read, an answer written, a command run");
    for at in [4, 8] {
        assert!(shown[at].contains("phase post-plan-review, next_phase plan-review"), "{}", shown[at]);
    }
    let journal = journal(&project);
    let took = journal.iter().map(|entry| {
        let set = &entry["set"];
        json!([
            entry["event"],
            entry["decision"],
            entry["reviews"][0]["verdict"],
            set["phase_iteration"],
            set["review_model"],
            set["consecutive_clean"],
            set["next_phase"]
        ])
    });
    let done = json!(["command", "none", null, null, null, null, "plan-review"]);
    assert_eq!(
        took.collect::<Vec<_>>(),
        [
            json!(["stop", "hold", "fail", 1, "sonnet", 0, "post-plan-review"]),
            done.clone(),
            json!(["stop", "hold", "pass", 2, "opus", 1, "post-plan-review"]),
            done,
            json!(["stop", "witness", "pass", 3, "sonnet", 2, "create-tasks"]),
        ]
    );
}

#[test]
fn claude_code_that_forgets_the_command_is_believed_for_its_file() {
    let Some(claude) = claude() else { return };
    let project = planned(&["FAIL", "PASS", "PASS"]);
    let model = obedient(&project, &["Write"]);
    let session = run_claude(&claude, &project, &model);
    assert_passed(&project, &model, &session);
    let events: Vec<Json> = journal(&project).iter().map(|entry| entry["event"].clone()).collect();
    assert_eq!(events, ["stop"; 3], "no command was run");
}

#[test]
fn claude_code_that_never_answers_its_review_is_let_go_and_the_user_told() {
    let Some(claude) = claude() else { return };
    let project = planned(&["FAIL"]);
    let model = obedient(&project, &[]);
    let session = run_claude(&claude, &project, &model);
    assert_eq!(asks(&model).len(), 1, "{:#?}", model.shown());
    assert_eq!(stop_hook_active(&project), [false, true]);
    let [message] = &session.shown_to_user()[..] else { panic!("{:#?}", session.shown_to_user()) };
    assert!(message.starts_with("Plan 'shop': post-plan-review is not finished."), "{message}");
    assert!(
        message.contains("/taskie:continue-plan") && message.contains("`holdpoint taskie stop`"),
        "{message}"
    );
    assert_eq!(cycle::state(&project)["next_phase"], "post-plan-review", "it is still due");
    assert_eq!(project.read("reviews").lines().count(), 1, "and nothing was reviewed again");
    assert_eq!(at_work(&project), [""; 0], "nothing is left running");
}

#[test]
fn claude_code_that_never_tidies_the_plan_is_let_go_and_the_user_told() {
    let Some(claude) = claude() else { return };
    let project = planned(&[]);
    cycle::tell(&project, &["stop"]);
    project.write(&format!("{PLAN}/notes.md"), "A name that is not allowed.\n");
    let model = obedient(&project, &[]);
    let session = run_claude(&claude, &project, &model);
    let asks = asks(&model);
    assert_eq!(asks.len(), 3, "{asks:#?}");
    assert!(asks.iter().all(|ask| ask.contains("notes.md")), "{asks:#?}");
    assert_eq!(stop_hook_active(&project), [false, true, true, true]);
    let [message] = &session.shown_to_user()[..] else { panic!("{:#?}", session.shown_to_user()) };
    assert!(message.contains("without progress") && message.contains("notes.md"), "{message}");
    assert_eq!(session.printed.json()["result"], "I am done.");
}
