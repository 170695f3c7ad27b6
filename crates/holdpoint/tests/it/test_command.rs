//! `holdpoint test` where there is nothing to run.

use insta::assert_snapshot;

use crate::project::Project;
use crate::shown::{REVIEWED, reviewed, shown};

#[test]
fn a_workflow_without_cases_is_told_so() {
    assert_snapshot!(shown(&reviewed(), &["test", "reviewed"]), @"
    reviewed: no cases
         rule no-commit (NC-1) applies in no case
         rule pushes applies in no case
    error: no cases for `reviewed`
    hint: docs/reference/cases.md explains how to write them
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
    error: [ROOT]/.holdpoint/workflows/reviewed/workflow.toml:11:19: unknown name `stat`
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
        (format!("{start}{}", LEFT.replace("\"open\"", "\"shut\"")), "phase is \"open\", not"),
        (right[2].clone(), "old.txt is not as expected afterwards: None"),
        (again.replace("x\"]", "x\", \"y\"]"), "one argument too many"),
        ("first = [{ stop = true }]\nexpect = \"allow\"\n".into(), "unknown key `stop` in `first`"),
        ("run = [\"begin\"]\n".into(), "no such command"),
    ] {
        let told = told(&case);
        assert!(told.contains(part) && told.ends_with("[exit 1]"), "{case}\n{told}");
    }
}

/// A workflow that looks at git.
const LOOKED: &str = r#"
about = "Looks."
[run]
home  = "look.json"
state = "look.json"
aside = ["look.json", ".holdpoint/**"]
[fields]
began   = ""
head    = ""
tree    = ""
changed = []
[commands.look]
about = "Looks"
steps = [{ set = { head = "{{ git.head.id }}", tree = "{{ tree }}", changed = "{{ since(state.began) }}" }, say = "SAW {{ git.head.parent }}" }]
"#;

#[test]
fn a_case_can_name_what_git_calls_its_commit_and_its_tree() {
    let head = r#"
title    = "t"
state_at = "look.json"
[[case]]
name  = "c"
run   = ["look"]
git   = "main"
committed."a.txt" = "1\n"
commits    = [{ message = "second", files."b.txt" = "1\n" }]
files      = { "c.txt" = "1\n", "run.sh" = "exit 0\n" }
executable = "run.sh"
state      = { began = "(first tree)", list = [{ n = 1 }, { n = "(null)", at = "(head) (tree)" }] }
says       = ["SAW (first head)"]
"#;
    let told = |expected: &str| {
        let project = Project::new();
        project.workflow("looked", LOOKED);
        project.write(".holdpoint/workflows/looked/cases/c.toml", format!("{head}{expected}"));
        shown(&project, &["test", "looked"])
    };
    let right = "becomes = { head = \"(head)\", tree = \"(tree)\", changed = [\"b.txt\", \"c.txt\", \"run.sh\"], list.0.n = 1 }\n";
    assert_eq!(told(right), "looked: ok. 1 passed, 0 failed\n[exit 0]");
    assert_eq!(told(&right.replace("(tree)", "(any)")), "looked: ok. 1 passed, 0 failed\n[exit 0]");
    for (wrong, part) in [
        (right.replace("(head)", "(first head)"), "look.json: head is \""),
        (right.replace("(tree)", "(first tree)"), "look.json: tree is \""),
        (right.replace("list.0.n = 1", "list.1.n = 2"), "look.json: list.1.n is null, not 2"),
        (right.replace("list.0.n = 1", "x = \"(any)\""), "look.json: x is not there, not \"(any)\""),
        (right.replace(", \"run.sh\"", ""), "look.json: changed is [\"b.txt\",\"c.txt\",\"run.sh\"], not"),
    ] {
        let told = told(&wrong);
        assert!(told.contains(part) && told.ends_with("[exit 1]"), "{wrong}\n{told}");
    }
}

/// A workflow whose check waits for whoever writes to a pipe.
const WAITING: &str = r#"
about = "Waits."
[run]
home  = "wait.json"
state = "wait.json"
due   = "phase"
[phases.waits]
by        = "check"
check     = { run = ["cat", "(pipe)"], timeout = 600 }
then.pass = "over"
then.fail = "over"
[phases.over]
by   = "user"
[commands.start]
about = "Begin"
steps = [{ create = true, go = "waits", say = "Begun." }]
"#;

/// Three cases: in the first nothing is due, the second is at work until it is interrupted, the third is never begun.
const WAITED_FOR: &str = r#"
title    = "t"
state_at = "wait.json"
[given]
event.hook_event_name = "Stop"
[[case]]
name   = "nothing is due"
state  = { phase = "over" }
expect = "allow"
[[case]]
name   = "the check is at work"
state  = { phase = "waits" }
expect = "allow"
[[case]]
name   = "never begun"
state  = { phase = "over" }
expect = "allow"
"#;

#[test]
fn an_interruption_ends_it_at_once_and_says_how_far_it_came() {
    use rustix::process::{Pid, Signal, kill_process};
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let project = Project::new();
        let pipe = project.root().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        project.workflow("waiting", &WAITING.replace("(pipe)", pipe.to_str().unwrap()));
        project.write(".holdpoint/workflows/waiting/cases/c.toml", WAITED_FOR);
        project.write("temporary/x", "");
        let temporary = project.root().join("temporary");
        let mut command = project.command(&["test", "waiting"]);
        command.env("TMPDIR", &temporary).stdout(std::process::Stdio::piped());
        let child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        // It opens once the check reads it.
        let held_open = std::fs::File::options().write(true).open(&pipe).unwrap();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let printed = crate::project::Printed::from(child.wait_with_output().unwrap());
        drop(held_open);
        assert_eq!(printed.code, Some(code), "{}{}", printed.stdout, printed.stderr);
        assert_eq!(printed.stdout, "waiting: interrupted. 1 passed, 0 failed, 2 not run\n");
        assert!(
            printed.stderr.starts_with("error: interrupted: not all cases were run\n"),
            "{}",
            printed.stderr
        );
        let left: Vec<_> =
            std::fs::read_dir(&temporary).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["x"], "what it made is gone");
    }
}

#[test]
fn a_terminal_shows_how_far_it_is() {
    let project = reviewed();
    let case =
        "title = \"t\"\n[[case]]\nname = \"c\"\nevent.hook_event_name = \"Stop\"\nexpect = \"allow\"\n";
    project.write(".holdpoint/workflows/reviewed/cases/c.toml", case);
    let shown =
        crate::terminal::Terminal::new().shown(project.command(&["test", "reviewed", "--case", "c"]), 80);
    assert!(shown.contains("\rreviewed: 0 of 1 cases\u{1b}[K\r\u{1b}[K"), "{shown:?}");
}
