//! `holdpoint why`.

use insta::assert_snapshot;

use crate::project::Project;
use crate::shown::{REVIEWED, reviewed, shell, shown};

#[test]
fn without_a_hold_it_says_so_and_what_to_try() {
    assert_snapshot!(shown(&Project::new(), &["why"]), @"
    No hold yet: the journal here is empty.
    See `holdpoint status` for the workflows that are active here.
    [exit 0]
    ");
    let project = reviewed();
    project.hook(&shell(&project, "s1", "ls"));
    assert_snapshot!(shown(&project, &["why"]), @"
    No hold yet.
    See `holdpoint log` for all events.
    [exit 0]
    ");
    assert_eq!(project.run(&["why", "--json"]).stdout, "null\n");
}

#[test]
fn a_held_commit_is_explained() {
    let project = reviewed();
    project.hook(&shell(&project, "s1", "git commit -m 'x'"));
    assert_snapshot!(shown(&project, &["why"]), @"
    Held [DATE] [TIME] UTC, just now
      agent  claude, session s1
      event  before Bash: git commit -m 'x'
      rule   reviewed: no-commit NC-1
      file   [ROOT]/.holdpoint/workflows/reviewed/workflow.toml:7
      now    still open

    It said
      NOT REVIEWED: phase code.

      Ask for a review.

    It saw
      commits        = true
      state.reviewed = undefined

    It holds while
          commits
      and not state.reviewed

    Satisfied when
      reviewed is true in .reviewed/state.json
    [exit 0]
    ");
    let json = project.run(&["why", "--json"]).json();
    assert_eq!(json["rules"][0]["when"], serde_json::json!(["commits", "not state.reviewed"]));
    assert_eq!(json["rules"][0]["facts"]["commits"], "true");
}

#[test]
fn older_holds_and_witnesses_can_be_asked_for() {
    let project = reviewed();
    for (session, command) in [("s1", "git commit 1"), ("s2", "git commit 2 && git push"), ("s1", "git push")]
    {
        project.hook(&shell(&project, session, command));
    }
    let event = |args: &[&str]| {
        shown(&project, args).lines().find(|line| line.starts_with("  event")).unwrap().to_owned()
    };
    assert_eq!(event(&["why"]), "  event  before Bash: git commit 2 && git push");
    assert_eq!(event(&["why", "2"]), "  event  before Bash: git commit 1");
    assert_eq!(event(&["why", "--session", "s1"]), "  event  before Bash: git commit 1");
    assert_eq!(event(&["why", "--rule", "NC-1", "2"]), "  event  before Bash: git commit 1");
    assert_eq!(event(&["why", "--any"]), "  event  before Bash: git push");
    let both = shown(&project, &["why", "--any", "2"]);
    assert!(both.contains("no-commit NC-1 (1 of 2)") && both.contains("pushes (2 of 2)"), "{both}");
    assert_snapshot!(shown(&project, &["why", "3"]), @"
    There are only 2 such holds.
    See `holdpoint log` for all events.
    [exit 0]
    ");
    assert_snapshot!(shown(&project, &["why", "--rule", "pushes"]), @"
    No hold matches these filters.
    See `holdpoint log` for all events.
    [exit 0]
    ");
    assert_eq!(project.run(&["why", "0"]).code, Some(2));
}

#[test]
fn a_workflow_that_has_changed_since_is_told() {
    let project = reviewed();
    project.hook(&shell(&project, "s1", "git commit"));
    project.workflow("reviewed", &format!("# A line more.\n{REVIEWED}"));
    let text = shown(&project, &["why"]);
    assert!(
        text.contains("It holds while\n  (the workflow has changed since; this is the rule now, at line 8)"),
        "{text}"
    );
    project.workflow("reviewed", "[run");
    assert!(shown(&project, &["why"]).contains("It holds while\n  unknown: "));
    std::fs::remove_dir_all(project.root().join(".holdpoint/workflows")).unwrap();
    assert!(shown(&project, &["why"]).contains("NOT REVIEWED"));
}

#[test]
fn what_agents_write_does_not_drive_the_terminal() {
    let project = reviewed();
    project.hook(&shell(&project, "s\u{1b}[2J", "git commit \u{1b}[31m"));
    assert!(!project.run(&["why"]).stdout.contains('\u{1b}'));
}

#[test]
fn a_hold_that_was_given_up_is_told_as_such() {
    let project = Project::new();
    let text = "[run]\nhome = '.stay'\n[holds.stay]\non = 'stop'\nsay = 'STAY'\n";
    project.workflow("stay", text).write(".stay", "");
    let stop = serde_json::json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()});
    for _ in 0..4 {
        project.hook(&stop);
    }
    assert_snapshot!(shown(&project, &["why"]), @"
    Released [DATE] [TIME] UTC, just now, after too many holds without progress
      agent  claude, session s
      event  stop
      rule   stay: stay
      file   [ROOT]/.holdpoint/workflows/stay/workflow.toml:3
      now    still open, but released: no progress

    It said
      STAY

    It holds while
      always: the rule has no condition
    [exit 0]
    ");
    assert!(shown(&project, &["why", "2"]).starts_with("Held "));
}
