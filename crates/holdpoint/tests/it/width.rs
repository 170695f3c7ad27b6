//! Every command's output fits into 80 columns: in a pipe without `COLUMNS`, and on a terminal of that width.

use std::process::{Command, Stdio};

use crate::generated::workflow_names;
use crate::project::{Printed, Project};
use crate::reference::{commands, own_commands};
use crate::shown::{REVIEWED, shell};
use crate::terminal::Terminal;

const COLUMNS: usize = 80;

/// A project that has something to show in every command: a hold, a fault, runs, a workflow that has no effect yet.
fn project() -> Project {
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    project.workflow("reviewed", REVIEWED).write(".reviewed/state.json", "{\"phase\": \"code\"}\n");
    for command in ["git commit -m 'a message that is long enough to be cut or folded'", "git push"] {
        project.hook(&shell(&project, "s", command));
    }
    project.run(&["taskie", "new-plan", "a-plan-with-a-name-that-is-quite-long"]);
    project.run(&["claudex", "start", "plan", "--", "a cart that adds up"]);
    project.write(".reviewed/state.json", "{\"phase\": ");
    project.hook(&shell(&project, "s", "git commit"));
    project
}

/// The command without the width that tests have.
fn narrow(mut command: Command) -> Command {
    command.env_remove("COLUMNS");
    command
}

/// A line may be wider only if it is one word, such as a path, or one command to copy.
fn assert_fits(args: &[&str], text: &str) {
    for line in text.lines() {
        let rest = line.trim_start().trim_start_matches('`');
        let is_whole = !rest.contains(' ') || rest.starts_with("holdpoint ");
        assert!(line.chars().count() <= COLUMNS || is_whole, "{args:?}: {line}");
    }
}

/// Runs a command in a pipe, and returns what it printed.
fn piped(project: &Project, args: &[&str]) -> String {
    let printed: Printed = narrow(project.command(args)).stdin(Stdio::null()).output().unwrap().into();
    assert_fits(args, &printed.stderr);
    assert_fits(args, &printed.stdout);
    printed.stdout
}

/// Runs a command on a terminal.
fn on_terminal(project: &Project, args: &[&str]) -> String {
    let shown = Terminal::new().shown(narrow(project.command(args)), 80);
    let mut plain = String::new();
    let mut parts = shown.split("\u{1b}[");
    plain.push_str(parts.next().unwrap());
    for part in parts {
        plain.push_str(part.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, rest)| rest));
    }
    assert_fits(args, &plain);
    shown
}

/// How each command is tried. One that is not here is not tried, so it fails the test.
fn tries(name: &str) -> &'static [&'static [&'static str]] {
    match name {
        "demo" => &[&["demo"], &["demo", "nosuch"]],
        "init" => &[
            &["init", "--agent", "claude,codex,gemini,cursor,copilot", "--dry-run"],
            &["init", "--agent", "claude,codex,gemini,cursor,copilot"],
        ],
        "uninstall" => &[&["uninstall", "--dry-run"]],
        "allow" => &[&["allow"], &["allow", "--list"], &["allow", "nosuch"]],
        "run" => &[&["run"], &["run", "nosuch"]],
        "accept" => &[&["accept"]],
        "doctor" => &[&["doctor"]],
        "status" => &[&["status"]],
        "why" => &[&["why"], &["why", "--any"], &["why", "99"]],
        "release" => &[&["release"], &["release", "nosuch"]],
        "pause" => &[&["pause"], &["pause", "--run", "nosuch"]],
        "stats" => &[&["stats"]],
        "review" => &[&["review"], &["review", "--dry-run"]],
        "check" => &[&["check"], &["check", "./nosuch"]],
        "test" => &[&["test", "reviewed"]],
        "workflow" => &[
            &["workflow", "graph", "taskie", "--format", "plain"],
            &["workflow", "graph", "autopilot", "--format", "plain"],
            &["workflow", "eject", "taskie", "--to", "drafts"],
            &["workflow", "plugin", "plugins"],
        ],
        "attest" => &[&["attest"], &["attest", "nosuch"]],
        "verify" => &[&["verify"], &["verify", "nosuch"]],
        "approve" => &[&["approve"], &["approve", "nosuch"]],
        "hook" | "help" => &[&["help"], &["help", "hook"]],
        // One line for each entry in a pipe, which are tried on a terminal; scripts and pages are data.
        "log" | "evidence" | "statusline" | "shell" => &[],
        other => panic!("say here how `{other}` is tried"),
    }
}

#[test]
fn every_command_fits_into_a_pipe() {
    let project = project();
    let names = own_commands(&project.run(&["--help"]).stdout);
    assert!(names.len() > 15, "{names:?}");
    for name in &names {
        for args in tries(name) {
            piped(&project, args);
        }
    }
    for args in [&["allow"][..], &["status"], &["reviewed", "x"], &["why"]] {
        let stranger: Printed = narrow(project.stranger(args))
            .env("XDG_STATE_HOME", project.root().join("elsewhere"))
            .output()
            .unwrap()
            .into();
        assert_fits(args, &format!("{}{}", stranger.stdout, stranger.stderr));
    }
}

#[test]
fn all_help_fits() {
    let project = Project::new();
    for name in own_commands(&piped(&project, &["--help"])) {
        for inner in commands(&piped(&project, &[&name, "--help"])) {
            piped(&project, &[&name, &inner, "--help"]);
        }
    }
    for workflow in workflow_names() {
        for inner in commands(&piped(&project, &[&workflow])) {
            piped(&project, &[&workflow, &inner, "--help"]);
        }
    }
}

#[test]
fn a_terminal_shows_whole_words_in_color_and_a_pipe_gets_neither() {
    let project = project();
    for args in [
        &["log"][..],
        &["evidence"],
        &["status"],
        &["why"],
        &["doctor"],
        &["claudex", "status"],
        &["taskie", "status"],
        &["claudex", "doctor"],
        &["workflow", "graph", "taskie"],
    ] {
        on_terminal(&project, args);
    }
    assert!(on_terminal(&project, &["status"]).contains("\u{1b}["));
    assert!(!piped(&project, &["status"]).contains('\u{1b}'));
    let uncolored = Terminal::new().shown(
        {
            let mut command = project.command(&["status"]);
            command.env("NO_COLOR", "1");
            command
        },
        80,
    );
    assert!(!uncolored.contains('\u{1b}'), "{uncolored}");
}
