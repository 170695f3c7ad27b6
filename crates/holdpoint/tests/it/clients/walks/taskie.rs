//! A plan, its task and its code: the reviewer's verdict cannot be read once, and the agent would rather be done at once.

use serde_json::json;

use super::{Calls, Recording, Walk, read, shell, write};
use crate::clients::install::claude;
use crate::clients::session::at_work;
use crate::cycle::{self, PLAN};
use crate::generated::assert_kept;
use crate::model::Block;
use crate::project::Project;

/// The steps of a hold that the agent has tools for: what it reads, what it writes, and the command.
fn steps(project: &Project) -> impl FnMut(&str) -> Calls + Send + 'static {
    let root = project.root().to_owned();
    move |text| {
        let in_root = |name: &str| root.join(name.trim_end_matches([',', ':']));
        let call = |step: &str| match step.split(' ').collect::<Vec<_>>()[..] {
            ["Read", file, ..] => Some(read(&in_root(file))),
            ["Write", file, ..] => Some(write(&in_root(file), "1. Settled.\n")),
            _ => Some(shell(step.split_once("run: ")?.1)),
        };
        text.lines().filter_map(|line| line.split_once(". ")).filter_map(|(_, step)| call(step)).collect()
    }
}

fn table(status: &str) -> String {
    format!(
        "| Id | Status | Priority | Description | Test strategy |\n|---|---|---|---|---|\n| 1 | {status} | high | Sum | run it |\n"
    )
}

const TASK: &str = "# Task 1: the sum\n\n## Subtasks\n\n### Subtask 1.1: sum.sh\n\n- **Status**: done\n";

#[test]
fn a_plan_in_claude_code_from_the_slash_command_to_the_end() {
    let Some(claude) = claude() else { return };
    // A verdict that is none is asked for twice.
    let project = cycle::project(&[
        "LGTM", "LGTM", "PASS", "PASS", "PASS", "PASS", "FAIL", "PASS", "PASS", "PASS", "PASS",
    ]);
    let file = |name: &str| project.root().join(format!("{PLAN}/{name}"));
    let walk = Walk { claude: &claude, project: &project, plugin: "taskie", recording: Recording::default() };
    let session = |prompt: &str, first: Vec<Block>| walk.session(prompt, first, steps(&project));
    let go_on = || shell("holdpoint taskie continue");

    session(
        "/taskie:new-plan a script that adds up the prices in a cart",
        vec![
            shell("holdpoint taskie new-plan shop"),
            write(
                &file("plan.md"),
                "# Shop\n\n## Original Prompt\n\nA script …\n\n## Overview\n\nOne script.\n",
            ),
        ],
    );
    session(
        "/taskie:continue-plan",
        vec![
            go_on(),
            write(&file("tasks.md"), &table("pending")),
            write(&file("task-1.md"), TASK),
            shell("holdpoint taskie done create-tasks"),
        ],
    );
    session(
        "/taskie:continue-plan",
        vec![
            go_on(),
            write(&project.root().join("sum.sh"), "awk '{ sum += $1 } END { print sum + 0 }'\n"),
            read(&file("tasks.md")),
            write(&file("tasks.md"), &table("done")),
            // The agent takes the wrong number, and then would rather be done.
            shell("holdpoint taskie done complete-task 2"),
            shell("holdpoint taskie done complete-task 1"),
            shell("holdpoint taskie done complete"),
        ],
    );
    session("/taskie:continue-plan", vec![go_on()]);
    session("/taskie:continue-plan", vec![go_on()]);

    let title = "taskie in Claude Code: a plan from the slash command to the end\n\n\
        The model and the reviewer are scripted; the client, its hooks, the plugin and\n\
        the files are real.\n\n\
        Setbacks: the reviewer's first verdict cannot be read, and the agent wants to be\n\
        done too early.";
    assert_kept("docs/walks/taskie.txt", &walk.recording.text(title, &project, &[]));
    let state = cycle::state(&project);
    assert_eq!((&state["phase"], &state["next_phase"]), (&json!("complete"), &json!(null)), "{state}");
    assert_eq!(project.read("reviews").lines().count(), 11, "{}", project.read("reviews"));
    assert_eq!(at_work(&project), [""; 0], "nothing is left running");
}
