//! Claude Code at a terminal: a conversation that is compacted, two sessions side by side, what is seen while a review runs.

use std::path::Path;

use serde_json::json;

use crate::clients::held::ask;
use crate::clients::install::claude;
use crate::clients::seat::{Puppet, Seat};
use crate::clients::sessions::{asked, note};
use crate::cycle;
use crate::project::Project;

fn events(project: &Project, event: &str) -> usize {
    project.lines().iter().filter(|entry| entry["event"] == event).count()
}

fn decided(project: &Project, decision: &str) -> usize {
    project.journal().iter().filter(|entry| entry["event"] == "stop" && entry["decision"] == decision).count()
}

#[test]
fn claude_code_is_held_after_a_compaction_and_told_where_it_stands() {
    let Some(claude) = claude() else { return };
    let project = note();
    let model = asked(&[json!({"command": "holdpoint note start"})]);
    let home = tempfile::tempdir().unwrap();
    let mut seat = Seat::claude(&claude, &project, &model, home.path(), &[]);
    seat.types("begin with a note");
    seat.waits("it is let go", |_| decided(&project, "release") == 1);
    seat.sees("Write NOTE.md first.");
    let (held, begun) = (decided(&project, "hold"), events(&project, "start"));
    seat.types("/compact");
    seat.waits("a compaction", |_| events(&project, "start") > begun);
    seat.types("then go on, please");
    seat.waits("it is held again", |_| decided(&project, "hold") > held);
    let shown = model.shown().concat();
    assert!(shown.contains("the note run goes on after the conversation was compacted."), "{shown}");
}

/// Begins a plan in a session of its own, up to the end of its turn.
fn plans(seat: &mut Seat, puppet: &Puppet, project: &Project, name: &str) {
    seat.types(&format!("plan the {name}"));
    puppet.hears();
    puppet.runs(&format!("holdpoint taskie new-plan {name}"));
    let plan = project.root().join(format!(".taskie/plans/{name}/plan.md"));
    puppet.calls("Write", json!({"file_path": plan, "content": "# It\n\n## Overview\n\nSell things.\n"}));
}

/// The agent ends its turn, is held with the review of its own plan, and answers it. Returns what the command says.
fn is_held(puppet: &Puppet, project: &Project, name: &str) -> String {
    puppet.says("The plan is written.");
    let held = puppet.hears();
    let review = format!("REVIEW 1 OF THE PLAN IS WRITTEN: .taskie/plans/{name}/plan-review-1.md");
    assert!(ask(&held).is_some_and(|ask| ask.starts_with(&review)), "{name}: {held}");
    let answer = project.root().join(format!(".taskie/plans/{name}/plan-post-review-1.md"));
    puppet.calls("Write", json!({"file_path": answer, "content": "Settled.\n"}));
    puppet.runs("holdpoint taskie done post-plan-review")
}

#[test]
fn two_sessions_with_two_plans_each_keep_their_own() {
    let Some(claude) = claude() else { return };
    let project = cycle::project(&["FAIL", "FAIL"]);
    init(&project);
    let (one, two) = (Puppet::new(), Puppet::new());
    let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let seat = |puppet: &Puppet, home: &Path| Seat::claude(&claude, &project, &puppet.model, home, &[]);
    let mut first = seat(&one, homes[0].path());
    let mut second = seat(&two, homes[1].path());
    plans(&mut first, &one, &project, "cart");
    plans(&mut second, &two, &project, "till");
    for (puppet, name) in [(&one, "cart"), (&two, "till")] {
        let recorded = is_held(puppet, &project, name);
        assert!(recorded.contains(&format!("Recorded in .taskie/plans/{name}/state.json")), "{recorded}");
    }
    let screens = first.screen() + &second.screen();
    assert!(!screens.contains("another session works on"), "{screens}");
}

fn init(project: &Project) {
    let printed = project.run(&["init", "--agent", "claude", "--workflow", "taskie"]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
}

#[test]
fn what_is_going_on_is_seen_while_a_review_runs() {
    let Some(claude) = claude() else { return };
    let project = cycle::project(&["FAIL"]);
    init(&project);
    let reviewer = project.read("bin/claude").replace("sleep 60 &", "cat gate > /dev/null");
    project.write("bin/claude", reviewer);
    let gate = project.root().join("gate");
    let made = std::process::Command::new("mkfifo").arg(&gate).status().unwrap();
    assert!(made.success());
    let (puppet, home) = (Puppet::new(), tempfile::tempdir().unwrap());
    let mut seat = Seat::claude(&claude, &project, &puppet.model, home.path(), &[]);
    plans(&mut seat, &puppet, &project, "shop");
    puppet.says("The plan is written.");
    seat.sees("Holdpoint is checking the work; a review can take minutes");
    // It can be opened as soon as the reviewer is there, who reads from it until it is closed.
    let gate = std::fs::File::options().write(true).open(&gate).unwrap();
    let status = project.run(&["status"]).stdout;
    assert!(status.contains("reviewing plan-review by opus, round 1 of 8"), "{status}");
    let line =
        project.run_with(&["statusline"], json!({"cwd": project.root()}).to_string().as_bytes()).stdout;
    assert!(line.contains("reviewing 1/8, opus"), "{line}");
    drop(gate);
    let held = puppet.hears();
    assert!(ask(&held).is_some_and(|ask| ask.starts_with("REVIEW 1 OF THE PLAN IS WRITTEN")), "{held}");
}
