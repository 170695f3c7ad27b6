//! `holdpoint check` on a project's own files.

use crate::project::Project;
use crate::shown::{reviewed, shell, shown};

#[test]
fn a_projects_choices_are_checked_too() {
    let project = reviewed();
    project.write(".holdpoint/holdpoint.toml", "# ours\nworkflows = [\"reviewed\"]\n");
    let printed = project.run(&["check"]);
    assert!(printed.stdout.starts_with("holdpoint.toml: ok\n"), "{}", printed.stdout);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);

    let choices = "# ours\nworkflows = [\"reviewd\", 7]\nworkflow = 1\n";
    project.write(".holdpoint/holdpoint.toml", choices);
    let rows = project.run(&["check", "--json"]);
    let found: Vec<String> = rows
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{}:{} {} ({})", row["line"], row["column"], row["message"], row["hint"]))
        .collect();
    assert_eq!(
        found,
        [
            r#"2:14 "unknown workflow `reviewd`" ("did you mean `reviewed`?")"#,
            r#"2:25 "`workflows` must be a list of names" ("write workflows = [\"name\"]")"#,
            r#"3:1 "unknown key `workflow` in holdpoint.toml" ("did you mean `workflows`?")"#,
        ]
    );
    assert_eq!(rows.code, Some(1));
}

#[test]
fn choices_that_are_no_toml_are_shown_with_their_place() {
    let project = Project::new();
    project.write(".holdpoint/holdpoint.toml", "workflows = [\n");
    let printed = project.run(&["check"]);
    assert_eq!(printed.code, Some(1), "{}", printed.stdout);
    assert!(printed.stdout.contains(".holdpoint/holdpoint.toml:"), "{}", printed.stdout);
    for wrong in ["workflows = \"one\"\n", "workflows = 1\n"] {
        project.write(".holdpoint/holdpoint.toml", wrong);
        let printed = project.run(&["check"]);
        assert!(printed.stdout.contains("`workflows` must be a list of names"), "{}", printed.stdout);
        assert_eq!(printed.code, Some(1), "{wrong}");
    }
}

#[test]
fn an_unknown_filter_is_answered_with_those_there_are() {
    let project = Project::new();
    let rule = "on = \"stop\"\nwhen = \"1 | zzzz\"\nsay = \"x\"\n";
    project.workflow("own", &format!("about = \"x\"\n[run]\nhome = \".own\"\n[holds.a]\n{rule}"));
    let printed = shown(&project, &["check", "own"]);
    assert!(printed.contains("hint: the filters there are: appending, dated, default, "), "{printed}");
}

/// A workflow whose agent is asked to run this, while a hold is in force.
fn mending(ask: &str, hold: &str) -> String {
    format!(
        r#"
about = "Mends."
[run]
home  = ".mending"
state = ".mending/state.json"
due   = "next"
[phases.mend]
by     = "agent"
report = ".mending/report.md"
ask    = "{ask}"
then   = "end"
[commands.done]
about = "It is mended"
args  = ["phase"]
steps = [ {{ finish = "{{{{ args.phase }}}}" }} ]
[commands.begin]
about = "Begin to mend"
steps = [ {{ go = "mend" }} ]
[holds.closed]
on   = "before shell"
when = "{hold}"
say  = "The shell is closed."
"#
    )
}

#[test]
fn a_text_must_name_commands_as_they_are_typed() {
    let project = Project::new();
    let complaint = |ask: &str| {
        project.workflow("mending", &mending(ask, "state.next == 'nowhere'"));
        let rows = project.run(&["check", "mending", "--json"]).json();
        let told = |row: &serde_json::Value| {
            format!(
                "{}:{} {} ({})",
                row["line"],
                row["column"],
                row["message"].as_str().unwrap(),
                row["hint"].as_str().unwrap()
            )
        };
        rows.as_array().unwrap().iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!(
        complaint("Then run: holdpoint mending done mend. See `holdpoint why`, `holdpoint help`."),
        [""; 0]
    );
    assert_eq!(
        complaint("Then `holdpoint mending done mendd`."),
        ["10:40 there is no phase `mendd` that `done` could finish (did you mean `mend`?)"]
    );
    assert_eq!(
        complaint("Then `holdpoint mending finished`."),
        ["10:35 mending has no command `finished` (its commands are: done, begin)"]
    );
    assert_eq!(
        complaint("See `holdpoint stutus`."),
        ["10:26 there is no command or workflow `stutus` (did you mean `holdpoint status`?)"]
    );
}

#[test]
fn a_command_that_a_text_names_and_a_hold_blocks_is_refused() {
    let ask = "Then run: holdpoint mending done mend";
    for (hold, is_held) in [
        ("state.next == 'mend'", true),
        ("state.next == 'mend' and not (tool.command is startingwith('holdpoint'))", false),
    ] {
        let project = Project::new();
        project.workflow("mending", &mending(ask, hold)).write(".mending/state.json", "{\"next\": \"mend\"}");
        // What `check` calls an error does not run: such a workflow holds nothing, and says so.
        let answer = project.hook(&shell(&project, "s", "holdpoint mending done mend")).stdout;
        assert!(!answer.contains("The shell is closed."), "{answer}");
        assert_eq!(answer.contains("`mending` cannot be used, so it holds nothing"), is_held, "{answer}");
        let printed = shown(&project, &["check", "mending"]);
        assert_eq!(printed.contains("which hold `closed` blocks while `mend` is due"), is_held, "{printed}");
        assert_eq!(printed.ends_with("[exit 1]"), is_held, "{printed}");
    }
}

const HELD: &str = "about = \"\"\n[run]\nhome = \".own\"\n[holds.h]\non = \"before shell\"\nwhen = \"tool.command\"\nsay = \"Held.\"\n";

#[test]
fn what_check_calls_an_error_does_not_run() {
    let project = Project::new();
    project.write(".own/x", "");
    let held = |source: &str| {
        project.workflow("own", source);
        let is_ok = project.run(&["check", "own"]).code == Some(0);
        let holds = project.hook(&shell(&project, "s", "ls")).stdout.contains("Held.");
        assert_eq!(is_ok, holds, "{source}");
        holds
    };
    assert!(held(HELD));
    for (right, wrong) in [
        ("tool.command", "tool.comand"),
        ("tool.command", "'x'"),
        ("tool.command", "tool.command | match('[')"),
        ("before shell", "before shel"),
        ("Held.", "Held: `holdpoint stats`."),
        ("Held.", "Held: {{ git.brnch }}"),
    ] {
        assert!(!held(&HELD.replace(right, wrong)), "{wrong}");
        assert!(held(HELD), "it is right again");
    }
}

#[test]
fn a_workflow_that_was_found_good_is_not_judged_again() {
    let project = Project::new();
    project.write(".own/x", "").workflow("own", HELD);
    let holds = || project.hook(&shell(&project, "s", "ls")).stdout.contains("Held.");
    assert!(holds());
    let known = project.read(".holdpoint/checked/own");
    assert_eq!(known.len(), 16, "{known}");
    // What was remembered can be lost or forged: a good workflow stays in force.
    for forged in ["", "no digest", "0123456789abcdef"] {
        project.write(".holdpoint/checked/own", forged);
        assert!(holds(), "{forged}");
        assert_eq!(project.read(".holdpoint/checked/own"), known);
    }
}
