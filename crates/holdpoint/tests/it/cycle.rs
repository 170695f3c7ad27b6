//! A whole unattended cycle of the workflow that plans, tasks and codes: a scripted reviewer on PATH, the commands an
//! agent would run, and `stop_hook_active` as the real client sends it.

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project, feed};

pub(crate) const PLAN: &str = ".taskie/plans/shop";

/// The project, and the reviewer `claude` in its `bin`: it takes its verdicts from a list, writes the report that its
/// prompt names, and leaves a process behind.
pub(crate) fn project(verdicts: &[&str]) -> Project {
    let project = Project::new();
    let script = "#!/bin/sh\n\
        for word in \"$@\"; do prompt=$word; done\n\
        report=$(printf '%s' \"$prompt\" | grep -o '[^ `]*review-[0-9]*\\.md' | grep -v post | tail -1)\n\
        echo review > \"$report\"\n\
        sleep 60 &\n\
        verdict=$(head -1 verdicts); sed -i 1d verdicts\n\
        while [ $# -gt 0 ]; do [ \"$1\" = --model ] && echo \"$2 $report $verdict\" >> reviews; shift; done\n\
        printf '{\"structured_output\":{\"verdict\":\"%s\"},\"result\":\"{}\"}' \"$verdict\"\n";
    project.write("bin/claude", script).write("verdicts", verdicts.join("\n") + "\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(project.root().join("bin/claude"), mode).unwrap();
    project
}

fn stop(project: &Project, first: bool) -> Printed {
    let path = format!("{}/bin:{}", project.root().display(), std::env::var("PATH").unwrap());
    let event = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root(), "stop_hook_active": !first});
    let mut command = project.command(&["hook", "--agent", "claude"]);
    command.env("PATH", path);
    feed(command, event.to_string().as_bytes())
}

pub(crate) fn tell(project: &Project, words: &[&str]) -> String {
    let printed = project.run(&[&["taskie"], words].concat());
    assert_eq!(printed.code, Some(0), "{words:?}: {}", printed.stderr);
    printed.stdout
}

pub(crate) fn state(project: &Project) -> Json {
    serde_json::from_str(&project.read(&format!("{PLAN}/state.json"))).unwrap()
}

/// Stops until the engine pauses for the user, doing each post-review by writing its file; returns the reviews done.
fn work_until_pause(project: &Project, kind: &str, post: &str) -> usize {
    for round in 1..=8 {
        let answer = stop(project, round == 1).json();
        if answer["decision"] != "block" {
            let message = answer["systemMessage"].as_str().unwrap();
            assert!(message.contains("passed") && message.contains("/taskie:continue-plan"), "{message}");
            return round;
        }
        let reason = answer["reason"].as_str().unwrap();
        let report = format!("{PLAN}/{kind}-review-{round}.md");
        let answer_file = format!("{PLAN}/{kind}-post-review-{round}.md");
        for part in [report.as_str(), answer_file.as_str(), post, "state.json", "holdpoint taskie stop"] {
            assert!(reason.contains(part), "{part}: {reason}");
        }
        project.write(&answer_file, "mended\n");
        // Every other time the agent forgets to say so: the file proves it.
        if round % 2 == 1 {
            tell(project, &["done", post]);
        }
    }
    panic!("never paused");
}

#[test]
fn a_plan_goes_from_start_to_complete_unattended() {
    let verdicts = [
        "FAIL", "PASS", "PASS", "PASS", "PASS", "PASS", "FAIL", "PASS", "PASS", "PASS", "PASS", "PASS",
        "PASS",
    ];
    let project = project(&verdicts);
    tell(&project, &["new-plan", "shop"]);
    assert_eq!(
        state(&project),
        json!({"max_reviews": 8, "current_task": null, "phase": "new-plan", "next_phase": "plan-review",
            "phase_iteration": 0, "review_model": "opus", "consecutive_clean": 0, "tdd": false})
    );
    project.write(&format!("{PLAN}/plan.md"), "# Shop\n\n## Overview\n\nSell things.\n");
    assert_eq!(work_until_pause(&project, "plan", "post-plan-review"), 3);
    assert_eq!(state(&project)["next_phase"], "create-tasks");
    assert!(tell(&project, &["continue"]).contains("tasks.md"), "the user says go on");

    let table = |first: &str, second: &str| {
        format!(
            "| Id | Status | Priority | Description | Test strategy |\n|---|---|---|---|---|\n| 1 | {first} | high | Cart | unit |\n| 2 | {second} | low | Till | unit |\n"
        )
    };
    let task = "# Task\n\n- **Status**: done\n";
    project.write(&format!("{PLAN}/tasks.md"), table("pending", "pending"));
    project.write(&format!("{PLAN}/task-1.md"), task).write(&format!("{PLAN}/task-2.md"), task);
    tell(&project, &["done", "create-tasks"]);
    assert_eq!(work_until_pause(&project, "tasks", "post-tasks-review"), 2);
    assert_eq!(state(&project)["next_phase"], "complete-task");

    project.write(&format!("{PLAN}/tasks.md"), table("done", "pending"));
    tell(&project, &["done", "complete-task", "1"]);
    assert_eq!(work_until_pause(&project, "task-1", "post-code-review"), 4);
    assert_eq!(
        (&state(&project)["next_phase"], &state(&project)["current_task"]),
        (&json!("complete-task"), &json!("1"))
    );

    project.write(&format!("{PLAN}/tasks.md"), table("done", "done"));
    tell(&project, &["done", "complete-task", "2"]);
    assert_eq!(work_until_pause(&project, "task-2", "post-code-review"), 2);
    assert_eq!(state(&project)["next_phase"], "all-code-review");
    assert_eq!(state(&project)["phase_iteration"], 0, "a new cycle");

    assert_eq!(work_until_pause(&project, "all-code", "post-all-code-review"), 2);
    assert_eq!(state(&project)["next_phase"], "complete");
    tell(&project, &["continue"]);
    assert_eq!(
        (&state(&project)["phase"], &state(&project)["next_phase"]),
        (&json!("complete"), &Json::Null)
    );

    let reviews = project.read("reviews");
    let models: Vec<&str> = reviews.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let cycles = [3, 2, 4, 2, 2];
    let expected = cycles.iter().flat_map(|n| (0..*n).map(|at| if at % 2 == 0 { "opus" } else { "sonnet" }));
    assert_eq!(models, expected.collect::<Vec<_>>(), "{reviews}");
}
