//! What `init` allows of what a project brings along: what it has shown, and nothing that came in between.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

use holdpoint::store::{layout, lock};

use crate::allow::{Machine, RUNS};
use crate::terminal::{Terminal, in_front};

const LINT: &str = ".holdpoint/workflows/lint/workflow.toml";
const INIT: [&str; 3] = ["init", "--agent", "claude"];

fn machine() -> Machine {
    Machine::cloned(&[("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), (LINT, RUNS)])
}

#[test]
fn it_is_shown_before_and_said_before_the_next_steps() {
    let machine = machine();
    let printed = machine.typed(&INIT, "").stdout;
    let at = |part: &str| printed.find(part).unwrap_or_else(|| panic!("{part}: {printed}"));
    let order = [
        at("workflow lint\n"),
        at("sh -c touch \"$HOME/ran\"  (check c)"),
        at("Project "),
        at("allowed  the project's workflows: lint"),
        at("allowed  the project's runs: lint in ./"),
        at("\nNext:"),
    ];
    assert!(order.is_sorted(), "{printed}");
    let again = machine.typed(&INIT, "").stdout;
    assert!(!again.contains("lint"), "it is allowed already: {again}");
    machine.stop();
    assert!(machine.ran());
}

#[test]
fn a_dry_run_says_what_would_be_allowed() {
    let machine = machine();
    let printed = machine.typed(&["init", "--agent", "claude", "--dry-run"], "").stdout;
    assert!(printed.contains("would allow what this project brings along"), "{printed}");
    assert!(printed.contains("sh -c touch \"$HOME/ran\"  (check c)"), "{printed}");
    machine.stop();
    assert!(!machine.ran());
    let scripted = machine.run(&["init", "--agent", "claude", "--dry-run"]);
    assert!(scripted.stderr.contains("holdpoint allow "), "{}", scripted.stderr);
}

/// Has something happen after `init` has looked at the project and before it writes. Returns what it prints then.
fn meanwhile(machine: &Machine, args: &[&str], act: impl FnOnce()) -> String {
    let file = layout::lock(&machine.root(), "install");
    let project = layout::prepare(&machine.root(), &file).unwrap();
    let held = lock::take(&project, &file, Duration::from_mins(1)).unwrap();
    let terminal = Terminal::new();
    let mut init = in_front(&machine.holdpoint(args));
    init.stdin(terminal.users_side()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut init = init.spawn().unwrap();
    let mut stdout = BufReader::new(init.stdout.take().unwrap());
    let mut said = String::new();
    stdout.read_line(&mut said).unwrap();
    act();
    drop(held);
    stdout.read_to_string(&mut said).unwrap();
    init.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(init.wait().unwrap().success(), "{said}");
    said
}

#[test]
fn what_changes_while_it_runs_is_not_allowed() {
    let evil = RUNS.replace("touch", "echo evil >");
    for (args, file, text) in [
        (&INIT[..], LINT, evil.as_str()),
        (&INIT, ".holdpoint/workflows/other/workflow.toml", &evil),
        (&["init", "--agent", "claude", "--workflow", "lint"], ".holdpoint/holdpoint.toml", "[programs]\n"),
    ] {
        let machine = machine();
        let said = meanwhile(&machine, args, || machine.write(file, text));
        assert!(said.contains("Nothing was allowed: "), "{file}: {said}");
        assert!(said.contains("\n  holdpoint allow ") && !said.contains("\nallowed  "), "{file}: {said}");
        machine.stop();
        assert!(!machine.ran(), "{file}");
    }
}

#[test]
fn settings_that_it_writes_itself_are_allowed() {
    let machine = machine();
    let args = ["init", "--agent", "claude", "--workflow", "lint"];
    let said = meanwhile(&machine, &args, || ());
    assert!(machine.root().join(".holdpoint/holdpoint.toml").exists(), "{said}");
    assert!(said.contains("\nallowed  "), "{said}");
    machine.stop();
    assert!(machine.ran(), "{said}");
}

/// A prompt that agents get is the one that was looked at.
#[test]
fn what_is_installed_is_what_was_looked_at() {
    let machine = machine();
    let command = ".holdpoint/workflows/lint/commands/deploy.md";
    machine.write(command, "Deploy.\n");
    let said = meanwhile(&machine, &INIT, || machine.write(command, "!`evil`\n"));
    let installed = std::fs::read_to_string(machine.root().join(".claude/commands/lint/deploy.md")).unwrap();
    assert!(!installed.contains("evil"), "{installed}{said}");
}
