//! `holdpoint test` where there is nothing to run.

use insta::assert_snapshot;

use crate::project::Project;
use crate::shown::{REVIEWED, reviewed, shown};

#[test]
fn a_workflow_without_cases_is_told_so() {
    assert_snapshot!(shown(&reviewed(), &["test", "reviewed"]), @"
    reviewed: no cases
         rule no-commit (NC-1) is never shown to speak
         rule pushes is never shown to speak
    error: there are no cases of `reviewed`
    hint: docs/reference/cases.md shows how to write them
    [exit 1]
    ");
    let project = reviewed();
    project.write(".holdpoint/workflows/reviewed/cases/none.toml", "title = \"none yet\"\ncase = []\n");
    assert!(shown(&project, &["test", "reviewed"]).starts_with("reviewed: no cases\n"));
}

#[test]
fn a_workflow_with_errors_is_refused_before_any_case_runs() {
    let project = Project::new();
    project.workflow("reviewed", &REVIEWED.replace("not state.reviewed", "not stat.reviewed"));
    assert_snapshot!(shown(&project, &["test", "reviewed"]), @"
    error: [ROOT]/.holdpoint/workflows/reviewed/workflow.toml:12:19: unknown name `stat`
    hint: `holdpoint check reviewed` shows all
    [exit 1]
    ");
}

/// A workflow with a command, a state in lines and a file that is written.
const NOTED: &str = r#"
about = "Notes."
[run]
home   = ".noted"
each   = "{id}.state"
id     = "{date}-{time}-{hex6}"
format = "lines"
due    = "phase"
[phases.open]
by   = "user"
[commands.start]
about = "A new note"
args  = ["about"]
steps = [
  { when = "runs", fail = 4, say = "There is one." },
  { create = true, write = { "note.txt" = "{{ args.about }}" }, remove = "old.txt", go = "open", say = "NOTED {{ run.id }}" },
]
[fields]
phase = ""
about = "{{ args.about }}"
"#;

/// What `holdpoint test` says about one case, after `name = "c"`.
fn told(case: &str) -> String {
    let project = Project::new();
    let head = "title = \"t\"\nstate_at = \".noted/20261115-120000-000000.state\"\n";
    let given =
        "[given]\nnow = \"2026-11-15T12:00:00Z\"\nfiles.\"old.txt\" = \"x\"\n[[case]]\nname = \"c\"\n";
    project.workflow("noted", NOTED);
    project.write(".holdpoint/workflows/noted/cases/c.toml", format!("{head}{given}{case}"));
    shown(&project, &["test", "noted"])
}

/// What a start leaves, as cases say it.
const LEFT: &str = "after.\"old.txt\" = \"(none)\"\nwrote.\"note.txt\" = [\"limits\"]\nbecomes = { phase = \"open\", about = \"limits\" }\n";

#[test]
fn a_case_can_be_a_command_with_what_leads_up_to_it() {
    let start = "run = [\"start\", \"limits\"]\n";
    let says = "says = [\"NOTED 20261115-120000-000000\"]\n";
    let again = "first = [{ run = [\"start\", \"x\"] }]\nrun = [\"start\", \"y\"]\nexit = 4\n";
    let files = "first = [{ run = [\"start\", \"x\"] }, { files = { \"note.txt\" = \"(none)\" } }]\nafter.\"old.txt\" = \"x\"\nevent.hook_event_name = \"Stop\"\nexpect = \"allow\"\n";
    let right =
        [format!("{start}{says}{LEFT}"), format!("{again}says = \"There is one.\"\n"), files.to_owned()];
    for case in &right[..2] {
        assert_eq!(told(case), "noted: ok. 1 passed, 0 failed\n[exit 0]", "{case}");
    }
    for (case, part) in [
        (format!("{start}says = [\"SAVED\"]\n{LEFT}"), "it does not say \"SAVED\""),
        (format!("{start}exit = 4\n{LEFT}"), "expected exit code 4, got 0"),
        (format!("{start}{}", LEFT.replace("(none)", "x")), "old.txt is not as expected afterwards: None"),
        (format!("{start}{}", LEFT.replace("[\"limits\"]", "[\"more\"]")), "note.txt does not have \"more\""),
        (format!("{start}{}", LEFT.replace("note.txt", "memo.txt")), "memo.txt was not written"),
        (format!("{start}{}", LEFT.replace("\"open\"", "\"shut\"")), "phase is Some(String(\"open\")), not"),
        (right[2].clone(), "old.txt is not as expected afterwards: None"),
        (again.replace("x\"]", "x\", \"y\"]"), "one argument too many"),
        ("first = [{ stop = true }]\nexpect = \"allow\"\n".into(), "unknown key `stop` in `first`"),
        ("run = [\"begin\"]\n".into(), "no such command"),
    ] {
        let told = told(&case);
        assert!(told.contains(part) && told.ends_with("[exit 1]"), "{case}\n{told}");
    }
}
