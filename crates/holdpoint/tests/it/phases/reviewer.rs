//! A reviewer that is out of order: its answer cannot be read, or its hook was killed.

use serde_json::json;

use super::{message, project, reason, reviewer, reviews, state, stop};

#[test]
fn a_verdict_that_cannot_be_read_is_not_clean() {
    for body in [
        "echo report > .drafts/one/review-$round.md; echo rubbish",
        "echo report > .drafts/one/review-$round.md",
    ] {
        let project = project(&json!({"next": "review", "clean": 1}));
        reviewer(&project, body);
        let printed = stop(&project);
        assert!(reason(&printed).starts_with("MEND"), "{body}");
        assert_eq!(state(&project)["clean"], 0);
        assert_eq!(reviews(&project), ["big 1", "big 1"], "it is asked once more, in the same round");
        let told = message(&printed);
        for part in ["no verdict that can be read", "asked twice", ".drafts/one/.review-1.log"] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(project.read(".drafts/one/.review-1.log").contains("on standard output"));
        let faults = project.run(&["log", "--faults"]).stdout;
        assert!(faults.contains("no verdict that can be read"), "{faults}");
    }
}

#[test]
fn a_verdict_that_can_be_read_the_second_time_counts() {
    let project = project(&json!({"next": "review", "clean": 1}));
    reviewer(
        &project,
        "echo report > .drafts/one/review-$round.md; if test -f asked; then echo PASS > verdict; answer; else touch asked; fi",
    );
    assert_eq!(message(&stop(&project)), "PASSED, now publish.");
    assert_eq!(reviews(&project), ["big 1", "big 1"]);
    assert!(!project.root().join(".drafts/one/.review-1.log").exists(), "it worked");
}

/// Its report stands from the first time: it need not write it again.
#[test]
fn a_report_of_the_first_time_is_the_seconds_as_well() {
    let project = project(&json!({"next": "review", "clean": 1}));
    reviewer(
        &project,
        "if test -f asked; then echo PASS > verdict; answer; else touch asked; echo report > .drafts/one/review-$round.md; fi",
    );
    assert_eq!(message(&stop(&project)), "PASSED, now publish.");
    assert_eq!(project.read(".drafts/one/review-1.md"), "report\n");
}

/// What went wrong the second time is told.
#[test]
fn a_second_failure_is_told_beside_the_answer_that_cannot_be_read() {
    let project = project(&json!({"next": "review"}));
    reviewer(
        &project,
        "if test -f asked; then echo 'log in first' >&2; exit 1; fi; touch asked; echo report > .drafts/one/review-$round.md; echo x",
    );
    let told = message(&stop(&project));
    assert!(told.contains("asked again, it failed") && told.contains("log in first"), "{told}");
}

/// Two runs of one project are reviewed side by side: a reviewer whose hook is there keeps what it has started.
#[cfg(target_os = "linux")]
#[test]
fn a_reviewers_own_shells_are_left_alone() {
    let project = project(&json!({"next": "review"}));
    let slow = "setsid sh -c 'mkfifo gate; echo $$ > shell.new; mv shell.new shell; cat gate > done' &\n\
         wait; echo report > .drafts/one/review-$round.md; answer";
    reviewer(&project, slow);
    let event = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()}).to_string();
    let mut hook = project.command(&["hook"]);
    hook.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
    let mut hook = hook.spawn().unwrap();
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), event.as_bytes()).unwrap();
    while !project.root().join("shell").exists() {
        std::thread::yield_now();
    }
    project
        .write(".drafts/two/draft.md", "# Draft\n")
        .write(".drafts/two/state.json", r#"{"next": "review"}"#);
    reviewer(&project, "echo report > .drafts/two/review-$round.md; answer");
    let other = json!({"hook_event_name": "Stop", "session_id": "t", "cwd": project.root()});
    assert!(project.hook(&other).stdout.contains("MEND"));
    std::fs::write(project.root().join("gate"), "on").unwrap();
    assert!(hook.wait().unwrap().success());
    assert_eq!(project.read("done"), "on");
}

#[test]
fn a_verdict_that_cannot_be_read_is_a_review_all_the_same_in_a_shell() {
    let project = project(&json!({"next": "review"}));
    reviewer(&project, "echo report > .drafts/one/review-$round.md; echo rubbish");
    let printed = project.run(&["review"]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    assert!(printed.stdout.contains("no verdict that can be read"), "{}", printed.stdout);
}

/// A closed terminal, and a hook that is killed outright: its reviewer does not write over the next one's report.
#[cfg(target_os = "linux")]
#[test]
fn a_reviewer_does_not_outlive_its_hook() {
    for signal in [rustix::process::Signal::HUP, rustix::process::Signal::KILL] {
        let project = project(&json!({"next": "review"}));
        reviewer(
            &project,
            "if test -f first; then echo second > .drafts/one/review-$round.md; answer; exit; fi\n\
             echo $$ > first.new; mv first.new first; sleep 60; echo first > .drafts/one/review-$round.md; answer",
        );
        let event = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()}).to_string();
        let mut hook = project.command(&["hook"]);
        hook.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
        let mut hook = hook.spawn().unwrap();
        std::io::Write::write_all(&mut hook.stdin.take().unwrap(), event.as_bytes()).unwrap();
        while !project.root().join("first").exists() {
            std::thread::yield_now();
        }
        let first = project.read("first").trim().to_owned();
        rustix::process::kill_process(rustix::process::Pid::from_child(&hook), signal).unwrap();
        hook.wait().unwrap();
        assert!(reason(&stop(&project)).starts_with("MEND"), "{signal:?}");
        let status = std::fs::read_to_string(format!("/proc/{first}/stat")).unwrap_or_default();
        assert!(status.is_empty() || status.contains(") Z "), "{signal:?}: {status}");
        assert_eq!(project.read(".drafts/one/review-1.md"), "second\n", "{signal:?}");
    }
}
