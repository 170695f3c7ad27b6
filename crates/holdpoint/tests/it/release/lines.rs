//! What the journal tells beside events, and what is shown while a review runs.

use std::io::{Read, Write};

use serde_json::{Value as Json, json};

use super::{hook_in_review, is_held, lines, message, project, reviewer, status, statusline, stop};

#[test]
fn a_review_is_seen_while_it_runs_and_leaves_two_lines() {
    let project = project(&json!({"phase": "review"}));
    let mut hook = hook_in_review(&project);
    let seen = status(&project);
    assert_eq!((&seen["condition"], &seen["turn"]), (&json!("reviewing"), &json!("reviewer")), "{seen:#}");
    assert_eq!(seen["performing"]["round"], 1);
    let shown = statusline(&project);
    assert!(shown.contains("reviewing 1/2, big, "), "{shown}");
    let log = project.run(&["log"]).stdout;
    assert!(log.contains("began    [notes] review round 1 of 2, big"), "{log}");
    std::fs::OpenOptions::new()
        .write(true)
        .open(project.root().join("go"))
        .unwrap()
        .write_all(b"go\n")
        .unwrap();
    let mut answer = String::new();
    hook.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    hook.wait().unwrap();
    assert!(answer.contains("MEND round 1."), "{answer}");
    let (began, ended) = (lines(&project, "began"), lines(&project, "ended"));
    assert_eq!((began.len(), ended.len()), (1, 1));
    assert_eq!(began[0]["job"]["id"], ended[0]["job"]["id"]);
    assert_eq!(ended[0]["job"]["verdict"], "fail");
    assert_eq!((&began[0]["run"], &began[0]["workflow"]), (&json!(".notes/one"), &json!("notes")));
    assert!(statusline(&project).contains("held by "), "{}", statusline(&project));
}

#[test]
fn a_review_that_failed_says_why_in_one_line() {
    let project = project(&json!({"phase": "review"}));
    reviewer(&project, "echo starting >&2; echo 'cannot be used with root privileges.' >&2; exit 1");
    let told = message(&stop(&project));
    assert!(
        told.contains("the reviewer ended with exit status: 1: cannot be used with root privileges"),
        "{told}"
    );
    assert!(told.contains("See `holdpoint review`."), "{told}");
    let ended = lines(&project, "ended");
    assert!(ended[0]["job"]["why"].as_str().unwrap().contains("root privileges"), "{ended:#?}");
    let log = project.run(&["log"]).stdout;
    assert!(log.contains("no verdict: the reviewer ended with exit status: 1"), "{log}");
}

#[test]
fn the_journal_tells_the_way_of_a_run() {
    let project = project(&json!({"phase": "note"}));
    assert!(is_held(&stop(&project)));
    project.write(".notes/one/NOTES.md", "# Notes\n");
    assert!(stop(&project).stdout.contains("MEND round 1."));
    let journal = project.journal();
    let (held, moved) = (&journal[0], &journal[1]);
    assert_eq!((&held["turn"], &held["run"]), (&json!("agent"), &json!(".notes/one")));
    assert!(held["rules"][0]["hold"].as_str().unwrap().starts_with('h'), "{held}");
    let steps: Vec<(Json, Json, Json)> = moved["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (step["from"].clone(), step["outcome"].clone(), step["to"].clone()))
        .collect();
    assert_eq!(
        steps,
        [(json!("note"), json!("done"), json!("review")), (json!("review"), json!("fail"), json!("mend"))]
    );
    assert!(moved["performed_us"].as_u64().unwrap() > 0);
    let all = project.lines();
    let numbers: Vec<u64> = all.iter().map(|line| line["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert!(!format!("{all:?}").contains(project.root().to_str().unwrap()), "no absolute paths");
    let sessions = lines(&project, "session");
    assert_eq!((sessions.len(), &sessions[0]["session"]), (1, &json!("s")));
    assert_eq!(sessions[0]["began"]["workflows"]["notes"].as_str().unwrap().len(), 64);
}

#[test]
fn an_event_that_nobody_holds_leaves_one_line_and_no_file() {
    let project = project(&json!({}));
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(), "tool_name": "Bash",
        "tool_input": {"command": "ls"}});
    project.hook(&event);
    assert_eq!(project.lines().len(), 1);
    let names: Vec<_> =
        std::fs::read_dir(project.books().base()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !names.iter().any(|name| ["holds", "jobs", "unheard", "told"].iter().any(|own| name == own)),
        "{names:?}"
    );
}

#[test]
fn a_good_structure_is_not_said_at_every_stop() {
    let project = crate::project::Project::new();
    project.workflow(
        "x",
        "about = \"x\"\n[run]\nhome = \".x\"\nstate = \".x/state.json\"\n[witnesses.well]\non = \"stop\"\nwhen = \"true\"\nsay = \"ALL IS WELL\"\n",
    );
    project.write(".x/state.json", "{}");
    assert_eq!(message(&stop(&project)), "ALL IS WELL");
    assert_eq!(stop(&project).stdout, "");
}
