//! What the user releases: once, this call, these files, for a while.

use std::process::Stdio;

use serde_json::{Value as Json, json};

use super::{COMMIT, book_of, call, edit, gate, hold, is_held, release, released, shell, status, stop, told};
use crate::project::{Printed, Project};
use crate::terminal::at_terminal;

#[test]
fn a_held_commit_passes_once_and_is_told_for_good() {
    let project = gate();
    assert!(is_held(&project.hook(&shell(&project, COMMIT))));
    let hold = release(&project);
    let passed = project.hook(&shell(&project, COMMIT));
    assert!(!is_held(&passed), "{}", passed.stdout);
    assert_eq!(
        told(&passed),
        "holdpoint: gate has let this pass once, as you said: docs only. Still open: no commits now. See \
         `holdpoint status`."
    );
    // The call does what it was to do, and that is no breach.
    project.git(&["commit", "-qam", "two"]);
    let mut after = shell(&project, COMMIT);
    after["hook_event_name"] = json!("PostToolUse");
    assert_eq!(project.hook(&after).stdout, "", "nobody is accused");
    let line = project.journal().into_iter().rfind(|line| line["cause"] == "user").unwrap();
    assert_eq!((&line["decision"], &line["released"][0]["hold"]), (&json!("release"), &json!(hold)));
    assert_eq!(line["released"][0]["reason"], "docs only");
    let settled = project.lines().into_iter().find(|line| line["kind"] == "settled").unwrap();
    assert_eq!((&settled["settled"]["hold"], &settled["settled"]["how"]), (&json!(hold), &json!("released")));
    let log = project.run(&["log", "-n", "0"]).stdout;
    assert!(log.contains("granted  [gate] no-commits: may pass once until "), "{log}");
    assert!(log.contains("(released by the user: docs only)"), "{log}");
    let shown = project.run(&["status"]).stdout;
    assert!(shown.contains("door    no-commits released by the user"), "{shown}");
    let pieces = released(&project);
    assert_eq!(pieces.len(), 1, "{pieces:#?}");
    assert_eq!((&pieces[0]["verdict"], &pieces[0]["passed"]), (&json!("released"), &json!(false)));
    let shown = project.run(&["evidence"]).stdout;
    assert!(shown.contains("released by the user (") && shown.contains("docs only"), "{shown}");
    // Once.
    project.write("a.txt", "three\n");
    let again = project.hook(&shell(&project, COMMIT));
    assert!(is_held(&again) && !again.stdout.contains("although you released"), "{}", again.stdout);
    assert_eq!(status(&project)["released"].as_array().unwrap().len(), 1);
}

#[test]
fn a_release_is_for_this_call_and_these_files() {
    let project = gate();
    project.hook(&shell(&project, COMMIT));
    release(&project);
    let other = project.hook(&shell(&project, "git commit -qam other"));
    assert!(is_held(&other) && !told(&other).contains("although"), "{}", other.stdout);
    assert!(is_held(&project.hook(&edit(&project, "x"))), "another rule");
    project.write("a.txt", "other\n");
    let held = project.hook(&shell(&project, COMMIT));
    assert!(is_held(&held), "{}", held.stdout);
    assert!(
        told(&held).contains("although you released no-commits: the files have changed since"),
        "{}",
        told(&held)
    );
    project.write("a.txt", "two\n");
    // What an agent says about a call is no part of it, and another session may make it.
    let again =
        call(&project, "other", "Bash", json!({"command": COMMIT, "description": "Once more", "timeout": 9}));
    assert!(!is_held(&project.hook(&again)));
    assert!(is_held(&project.hook(&shell(&project, COMMIT))));
}

#[test]
fn a_release_that_is_too_old_says_so() {
    let project = gate();
    project.hook(&shell(&project, COMMIT));
    let id = release(&project);
    let path = book_of(&project, ".grants.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let grants: Json = serde_json::from_str(&text).unwrap();
    let until = grants[0]["until"].as_str().unwrap();
    std::fs::write(&path, text.replace(until, "2026-01-01T00:00:00.000Z")).unwrap();
    let held = project.hook(&shell(&project, COMMIT));
    assert!(is_held(&held));
    // By the rule: the hold may be another by then.
    let said = "its time is over. To let it pass once as it is now: holdpoint release no-commits";
    assert!(told(&held).contains(said), "{}", told(&held));
    let printed = project.run(&["release", &id, "--reason", "again", "--for", "1s x"]);
    assert_eq!(printed.code, Some(2), "{}", printed.stdout);
    release(&project);
    assert!(!is_held(&project.hook(&shell(&project, COMMIT))));
}

#[test]
fn a_held_edit_and_a_held_stop_pass_once() {
    let project = gate();
    assert!(is_held(&project.hook(&edit(&project, "x"))));
    let printed = project.run(&["release", "contracts", "--reason", "by its rule"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    assert!(is_held(&project.hook(&edit(&project, "y"))), "another text is another edit");
    assert!(!is_held(&project.hook(&edit(&project, "x"))));
    assert!(is_held(&project.hook(&edit(&project, "x"))));
    assert!(is_held(&project.hook(&stop(&project))));
    release(&project);
    let passed = project.hook(&stop(&project));
    assert!(!is_held(&passed) && told(&passed).contains("as you said: docs only. Still open: OPEN: a note."));
    let run = status(&project);
    assert_eq!((&run["condition"], &run["cause"]), (&json!("released"), &json!("user")));
    assert!(run["now"].as_str().unwrap().starts_with("open released by the user, still open:"), "{run:#}");
    assert!(is_held(&project.hook(&stop(&project))), "it holds again");
    assert_eq!(status(&project)["condition"], "held");
}

/// A hold that the agent gave up on when its turn ended: that is when the user hears of it.
#[test]
fn a_hold_can_be_released_after_the_turn_has_ended() {
    let project = gate();
    project.write(".gate/state.json", "{}");
    project.hook(&shell(&project, COMMIT));
    assert!(!is_held(&project.hook(&stop(&project))));
    assert_eq!(status(&project)["holds"], json!([]));
    release(&project);
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": project.root(),
        "prompt": "try it again"});
    project.hook(&prompt);
    assert!(!is_held(&project.hook(&shell(&project, COMMIT))));
}

#[test]
fn what_another_workflow_holds_uses_nothing_up() {
    let project = gate();
    let other = "about = \"x\"\n[run]\nhome = \".gate\"\nstate = \".gate/other.json\"\n[holds.also]\non = \"before shell\"\n\
        when = \"state.also\"\nsay = \"ALSO\"\n";
    project.workflow("other", other).write(".gate/other.json", "{}");
    project.hook(&shell(&project, COMMIT));
    release(&project);
    project.write(".gate/other.json", "{\"also\": true}");
    let held = project.hook(&shell(&project, COMMIT));
    assert!(is_held(&held) && held.stdout.contains("ALSO"), "{}", held.stdout);
    assert_eq!(released(&project).len(), 0);
    project.write(".gate/other.json", "{}");
    assert!(!is_held(&project.hook(&shell(&project, COMMIT))));
    assert_eq!(released(&project).len(), 1);
}

#[test]
fn of_sixteen_hooks_at_once_one_passes() {
    let project = gate();
    project.hook(&shell(&project, COMMIT));
    release(&project);
    project.allow();
    let event = shell(&project, COMMIT).to_string();
    let start = |_| {
        let mut hook = project.stranger(&["hook"]);
        hook.env("HOLDPOINT_INPUT_TIMEOUT_MS", "600000");
        hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut hooks: Vec<_> = (0..16).map(start).collect();
    for hook in &mut hooks {
        std::io::Write::write_all(&mut hook.stdin.take().unwrap(), event.as_bytes()).unwrap();
    }
    let answers = hooks.into_iter().map(|hook| Printed::from(hook.wait_with_output().unwrap()));
    let passed = answers.filter(|answer| !is_held(answer)).count();
    assert_eq!((passed, released(&project).len()), (1, 1));
}

#[test]
fn the_newest_hold_is_shown_and_asked_about() {
    let project = gate();
    project.hook(&shell(&project, COMMIT));
    let refused = project.run(&["release", "--reason", "x"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(
        refused.stderr.contains("nothing was released") && refused.stderr.contains("holdpoint release h"),
        "{}",
        refused.stderr
    );
    let without = project.run(&["release", &hold(&project)]);
    assert!(without.stderr.contains("it needs a reason"), "{}", without.stderr);
    let printed = at_terminal(project.command(&["release"]), "only the docs\ny\n");
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    for part in ["no-commits", "before Bash: git commit -qam two", "no commits now", "tree "] {
        assert!(printed.stdout.contains(part), "{part}: {}", printed.stdout);
    }
    assert!(!is_held(&project.hook(&shell(&project, COMMIT))));
    assert_eq!(released(&project)[0]["release"]["word"]["reason"], "only the docs");
}

#[test]
fn hostile_ids_rubbish_and_empty_projects_release_nothing() {
    let project = gate();
    let nothing = project.run(&["release", "--reason", "x"]);
    assert!(nothing.stderr.contains("nothing was held here in the last day"), "{}", nothing.stderr);
    project.hook(&shell(&project, COMMIT));
    for id in ["../x", "/etc/passwd", "h", "", "h\u{1b}[31m", "*"] {
        let printed = project.run(&["release", id, "--reason", "x"]);
        assert_eq!(printed.code, Some(1), "{id}: {}", printed.stdout);
        assert!(
            printed.stderr.contains("can be released here") && !printed.stderr.contains('\u{1b}'),
            "{}",
            printed.stderr
        );
    }
    release(&project);
    for rubbish in ["rubbish", "{}", "[{\"held\": 3}]", "\0\0"] {
        std::fs::write(book_of(&project, ".grants.json"), rubbish).unwrap();
        assert!(is_held(&project.hook(&shell(&project, COMMIT))), "{rubbish}");
    }
    release(&project);
    assert!(!is_held(&project.hook(&shell(&project, COMMIT))));
    let elsewhere = Project::new();
    let printed = elsewhere.run(&["release", "--reason", "x"]);
    assert_eq!(printed.code, Some(1), "{}", printed.stderr);
}

#[test]
fn an_agents_shell_opens_no_door() {
    let project = gate();
    project.hook(&shell(&project, COMMIT));
    let hold = hold(&project);
    for words in [
        vec!["release", &hold, "--reason", "x"],
        vec!["release"],
        vec!["pause", "--reason", "x"],
        vec!["resume"],
    ] {
        let mut command = project.command(&words);
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "s");
        let printed = Printed::from(command.stdin(Stdio::null()).output().unwrap());
        assert_eq!(printed.code, Some(1), "{words:?}: {}", printed.stdout);
        assert!(printed.stderr.contains("is the user's to call, not an agent's"), "{}", printed.stderr);
        assert!(printed.stderr.contains("tell the user, and end your turn"), "{}", printed.stderr);
    }
    assert!(is_held(&project.hook(&shell(&project, COMMIT))));
}

/// The user is shown the way past a call that is held again, and the agent is not.
#[test]
fn the_door_is_named_once_where_a_call_is_held_again_and_again() {
    let project = gate();
    for _ in 0..2 {
        assert_eq!(told(&project.hook(&shell(&project, COMMIT))), "");
    }
    let again = project.hook(&shell(&project, COMMIT));
    let command = format!("holdpoint release {}", hold(&project));
    assert!(told(&again).ends_with(&format!("To let it pass once: {command}")), "{}", told(&again));
    let reason = again.json()["hookSpecificOutput"]["permissionDecisionReason"].to_string();
    assert!(!reason.contains("release"), "{reason}");
    assert_eq!(told(&project.hook(&shell(&project, COMMIT))), "", "once");
}

/// Without git the files cannot be told apart; everything else binds all the same.
#[test]
fn without_git_a_release_is_for_the_call() {
    let project = Project::new();
    project.workflow("gate", super::GATE).write(".gate/state.json", "{}");
    assert!(is_held(&project.hook(&edit(&project, "x"))));
    let printed = project.run(&["release", &hold(&project), "--reason", "x"]);
    assert!(printed.stdout.contains("none: without git"), "{}", printed.stdout);
    assert!(!is_held(&project.hook(&edit(&project, "x"))));
    assert!(is_held(&project.hook(&edit(&project, "x"))));
}

/// The built-in workflows: a Stop that a plan's structure holds, and a commit on a trunk.
#[test]
fn holds_of_built_in_workflows_can_be_released() {
    let project = Project::new();
    project.git(&["init", "-q", "."]);
    project.write(".taskie/plans/cart/tasks.md", "# Tasks\n");
    assert!(is_held(&project.hook(&stop(&project))));
    release(&project);
    assert!(!is_held(&project.hook(&stop(&project))));
    assert!(is_held(&project.hook(&stop(&project))));
    let project = gate();
    project.remove(".gate/state.json");
    std::fs::remove_dir(project.root().join(".gate")).unwrap();
    project.git(&["branch", "feature/x"]);
    let state = r#"{"active_workflow":{"current_phase":"06-implementation","git_branch":{"name":"feature/x","status":"active"}}}"#;
    project.write(".isdlc/state.json", state);
    assert!(is_held(&project.hook(&shell(&project, COMMIT))));
    release(&project);
    let passed = project.hook(&shell(&project, COMMIT));
    assert!(!is_held(&passed), "{}", passed.stdout);
    assert!(is_held(&project.hook(&shell(&project, COMMIT))));
}
