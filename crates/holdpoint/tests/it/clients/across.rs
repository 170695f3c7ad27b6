//! A run outlives its conversation and its terminal: a whole loop with reviews and a whole task by proof, in Claude Code at
//! a terminal, across a `/clear` and the end of the terminal. Only the model and the reviewers are scripted.

use rustix::process::Signal;
use serde_json::{Value as Json, json};

use super::commits;
use crate::clients::cheats::commit_with_scripts;
use crate::clients::held::ask;
use crate::clients::install::claude;
use crate::clients::seat::{Puppet, Seat};
use crate::clients::session::at_work;
use crate::cycle::{self, PLAN};
use crate::project::Project;

fn init(project: &Project, workflow: &str) {
    let printed = project.run(&["init", "--agent", "claude", "--workflow", workflow]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
}

/// The sessions that the journal has events of, in their order.
fn sessions(project: &Project) -> Vec<Json> {
    let mut sessions: Vec<Json> = project.lines().iter().map(|entry| entry["session"].clone()).collect();
    sessions.retain(|session| !session.is_null());
    sessions.dedup();
    sessions
}

/// The user clears the conversation, and types this in the new one. Returns what the model is then shown.
fn cleared(seat: &mut Seat, puppet: &Puppet, project: &Project, prompt: &str) -> String {
    let before = sessions(project).len();
    seat.types("/clear");
    seat.waits("a session that took the place of the one before", |_| sessions(project).len() > before);
    seat.types(prompt);
    puppet.hears()
}

fn write(project: &Project, puppet: &Puppet, file: &str, text: &str) {
    puppet.calls("Write", json!({"file_path": project.root().join(file), "content": text}));
}

/// The agent is held with this review, answers it, and ends its turn.
fn answers(project: &Project, puppet: &Puppet, review: &str) {
    let held = puppet.hears();
    assert!(ask(&held).is_some_and(|ask| ask.contains(review)), "not held with {review}: {held}");
    settles(project, puppet, review);
}

/// The agent answers a review, and ends its turn.
fn settles(project: &Project, puppet: &Puppet, review: &str) {
    let (kind, number) = review.strip_suffix(".md").unwrap().rsplit_once("-review-").unwrap();
    write(project, puppet, &format!("{PLAN}/{kind}-post-review-{number}.md"), "Nothing to change.\n");
    puppet.says("It is answered.");
}

const TASKS: &str = "| Id | Status | Priority | Description | Test strategy |\n|---|---|---|---|---|\n\
    | 1 | pending | high | cart.sh | by hand |\n";

/// The user begins, and the plan is written. Its review is not answered, and the agent is let go.
fn begins(seat: &mut Seat, puppet: &Puppet, project: &Project) {
    seat.types("/taskie:new-plan a shop");
    assert!(puppet.hears().contains("a shop"));
    puppet.runs("holdpoint taskie new-plan shop");
    write(project, puppet, &format!("{PLAN}/plan.md"), "# Shop\n\n## Overview\n\nSell things.\n");
    puppet.says("The plan is written.");
    assert!(ask(&puppet.hears()).is_some_and(|ask| ask.starts_with("REVIEW 1 OF THE PLAN IS WRITTEN")));
    puppet.says("I see nothing to do.");
    seat.sees("post-plan-review is not finished.");
}

/// The user goes on, and the agent cuts the plan into tasks, whose review it is held with. Returns that.
fn cuts(seat: &mut Seat, puppet: &Puppet, project: &Project) -> String {
    seat.types("/taskie:continue-plan");
    puppet.hears();
    assert!(puppet.runs("holdpoint taskie continue").contains("tasks.md"));
    write(project, puppet, &format!("{PLAN}/tasks.md"), TASKS);
    write(project, puppet, &format!("{PLAN}/task-1.md"), "# Task 1\n\n- **Status**: pending\n");
    puppet.runs("holdpoint taskie done create-tasks");
    puppet.says("The tasks are written.");
    puppet.hears()
}

/// The task is done, and all of the code is reviewed.
fn codes(seat: &mut Seat, puppet: &Puppet, project: &Project) {
    seat.types("/taskie:continue-plan go on with the task");
    puppet.hears();
    puppet.runs("holdpoint taskie continue");
    write(project, puppet, "cart.sh", "echo $(($1 + $2))\n");
    puppet.runs(&format!("sed -i s/pending/done/ {PLAN}/tasks.md {PLAN}/task-1.md"));
    puppet.runs("holdpoint taskie done complete-task 1");
    puppet.says("The cart adds up.");
    answers(project, puppet, "task-1-review-1.md");
    seat.sees("code-review passed.");
    seat.types("/taskie:continue-plan go on with the whole");
    puppet.hears();
    puppet.says("On to the whole.");
    answers(project, puppet, "all-code-review-1.md");
    seat.sees("all-code-review passed.");
}

#[test]
fn a_whole_loop_in_claude_code_survives_a_clear_and_a_killed_terminal() {
    let Some(claude) = claude() else { return };
    let project = cycle::project(&["FAIL", "PASS", "PASS", "PASS", "PASS", "PASS", "PASS", "PASS", "PASS"]);
    init(&project, "taskie");
    let (puppet, home) = (Puppet::new(), tempfile::tempdir().unwrap());
    let seat = || Seat::claude(&claude, &project, &puppet.model, home.path(), &[]);

    let mut first = seat();
    begins(&mut first, &puppet, &project);
    let told = cleared(&mut first, &puppet, &project, "go on with the plan");
    assert!(
        told.contains("the taskie run in .taskie/plans/shop goes on after the conversation was cleared."),
        "{told}"
    );
    assert!(told.contains("You are asked for this: REVIEW 1 OF THE PLAN IS WRITTEN"), "{told}");
    settles(&project, &puppet, "plan-review-1.md");
    answers(&project, &puppet, "plan-review-2.md");
    first.sees("plan-review passed.");
    let held = cuts(&mut first, &puppet, &project);
    assert!(ask(&held).is_some_and(|ask| ask.starts_with("REVIEW 1 OF THE TASKS")), "{held}");
    let screen = first.screen();
    first.ends_by(Signal::KILL);
    puppet.is_cut_off();

    let mut second = seat();
    second.types("where were we?");
    let told = puppet.hears();
    assert!(
        told.contains("the taskie run in .taskie/plans/shop is not finished, and nobody works on it"),
        "{told}"
    );
    assert!(told.contains("You are asked for this: REVIEW 1 OF THE TASKS IS WRITTEN"), "{told}");
    settles(&project, &puppet, "tasks-review-1.md");
    second.sees("tasks-review passed.");
    codes(&mut second, &puppet, &project);

    second.types("/taskie:continue-plan to the end");
    puppet.hears();
    puppet.runs("holdpoint taskie continue");
    assert_eq!(
        (cycle::state(&project)["phase"].clone(), cycle::state(&project)["next_phase"].clone()),
        (json!("complete"), Json::Null)
    );
    let reviews = project.read("reviews");
    let verdicts: Vec<&str> = reviews.lines().filter_map(|line| line.split(' ').next_back()).collect();
    assert_eq!(
        verdicts,
        ["FAIL", "PASS", "PASS", "PASS", "PASS", "PASS", "PASS", "PASS", "PASS"],
        "none was done twice"
    );
    assert_eq!(sessions(&project).len(), 3, "a session, one after the clear, one in the second terminal");
    let screens = screen + &second.screen();
    assert!(!screens.contains("another session works on"), "{screens}");
    second.ends_by(Signal::KILL);
    assert_eq!(at_work(&project), [""; 0], "nothing is left running");
}

const SPEC: &str = "ai/features/FTR-1-cart.md";
const RUNNER: &str = "#!/bin/sh\nn=0\nfor each in tests/test_*.sh; do sh $each || { echo \"FAILED $each::t - no\"; \
    echo \"1 failed, $n passed in 0.01s\"; exit 1; }; n=$((n + 1)); done\necho \"$n passed in 0.01s\"\n";
const REVIEWER: &str =
    "#!/bin/sh\necho '{\"structured_output\":{\"verdict\":\"approved\",\"notes\":\"fine\"}}'\n";

/// A repository with a spec of one task, whose reviewers approve.
fn specified() -> Project {
    let project = Project::new();
    project.write("test", RUNNER).write("bin/claude", REVIEWER);
    let spec = "# Cart\n\n**Status:** queued\n\n## Allowed Files\n\n1. `cart.sh`\n2. `tests/*.sh`\n\n\
        ## Implementation Plan\n\n### Task 1: total\n**Files:** `cart.sh`\nThe sum of two prices.\n";
    project.write(SPEC, spec).write("cart.sh", "echo 0\n").write("tests/test_base.sh", "test -f cart.sh\n");
    project.write(".gitignore", "autopilot-state.json\nbin/\n.holdpoint/\n.claude/\n");
    commit_with_scripts(&project);
    project
}

#[test]
fn a_whole_task_in_claude_code_is_proved_across_a_clear_and_a_closed_terminal() {
    let Some(claude) = claude() else { return };
    let project = specified();
    init(&project, "autopilot");
    let (puppet, home) = (Puppet::new(), tempfile::tempdir().unwrap());
    let seat = || Seat::claude(&claude, &project, &puppet.model, home.path(), &[]);

    let mut first = seat();
    first.types("work through the spec of the cart");
    puppet.hears();
    let begun = puppet.runs(&format!("holdpoint autopilot start {SPEC} --test ./test"));
    assert!(begun.contains("Autopilot run started."), "{begun}");
    assert!(puppet.runs("holdpoint autopilot next").contains("task 1 of 1"));
    puppet.calls("Read", json!({"file_path": project.root().join("cart.sh")}));
    write(&project, &puppet, "cart.sh", "echo $(($1 + $2))\n");
    // In the middle of the work the user stops the agent and clears the conversation.
    first.presses("\x1b");
    first.sees("Interrupted");
    puppet.is_cut_off();
    let told = cleared(&mut first, &puppet, &project, "go on with the cart");
    assert!(told.contains("the autopilot run goes on after the conversation was cleared."), "{told}");
    write(&project, &puppet, "tests/test_total.sh", "test \"$(sh cart.sh 2 3)\" = 5\n");
    puppet.says("The cart is done.");
    let held = puppet.hears();
    assert!(held.contains("task 1 of 1 is ready to commit"), "tested and reviewed at the Stop: {held}");
    // Held, it is cut off by the terminal's end.
    first.ends_by(Signal::HUP);
    puppet.is_cut_off();

    let mut second = seat();
    second.types("is the cart done?");
    let told = puppet.hears();
    assert!(told.contains("the autopilot run is not finished, and nobody works on it"), "{told}");
    puppet.says("It is done.");
    let held = puppet.hears();
    assert!(ask(&held).is_some_and(|ask| ask.contains("is ready to commit")), "{held}");
    let committed = puppet.runs("holdpoint autopilot commit 'feat(cart): add up prices'");
    assert_eq!(commits(&project), ["feat(cart): add up prices", "first"], "{committed}");
    let next = puppet.runs("holdpoint autopilot next");
    assert!(next.contains("every task is committed (1)"), "{next}");
    let stops = project.journal().len();
    puppet.says("The cart adds up, and is committed.");
    second.waits("the Stop that is not held", |_| {
        project
            .journal()
            .iter()
            .skip(stops)
            .any(|entry| entry["event"] == "stop" && entry["decision"] != "hold")
    });

    assert!(project.read(SPEC).contains("**Status:** done"), "{}", project.read(SPEC));
    let evidence = project.run(&["evidence"]).stdout;
    for proof in ["tester", "spec-review", "code-quality", "committing"] {
        assert!(evidence.contains(proof), "{proof}: {evidence}");
    }
    assert!(!evidence.contains("caller not proved"), "{evidence}");
    assert_eq!(sessions(&project).len(), 3, "{:#?}", sessions(&project));
    second.ends_by(Signal::HUP);
    assert_eq!(at_work(&project), [""; 0], "nothing is left running");
}
