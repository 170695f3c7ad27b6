//! What people do wrong, or find broken: each message says what happened, why, and what to do.

use std::process::Command;

use crate::project::{Printed, Project};
use crate::terminal::at_terminal;

/// What a command that fails says.
fn refused(mut command: Command) -> String {
    let printed: Printed = command.output().unwrap().into();
    assert_ne!(printed.code, Some(0), "{}", printed.stdout);
    printed.stderr
}

#[test]
fn a_current_folder_that_is_gone_is_said_once_and_clearly() {
    let project = Project::new();
    for args in [
        &["status"][..],
        &["log"],
        &["init", "--agent", "claude"],
        &["allow"],
        &["doctor"],
        &["taskie", "new-plan", "x"],
        &["workflow", "eject", "taskie"],
    ] {
        let gone = project.root().join("gone");
        std::fs::create_dir(&gone).unwrap();
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "rmdir ../gone; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_holdpoint")]).args(args);
        shell.current_dir(&gone).env_clear().env("XDG_STATE_HOME", project.state());
        let said = "error: the current folder no longer exists\n\
                    hint: change to another one, for example to your home with `cd`\n";
        assert_eq!(refused(shell), said, "{args:?}");
    }
}

#[test]
fn a_state_folder_that_cannot_be_used_is_named() {
    let project = Project::new();
    project.git(&["init", "-q"]);
    project.write("file", "").write("taken/holdpoint", "");
    let root = project.root().display().to_string();
    for (state, what) in [
        (
            format!("{root}/file"),
            format!("the state folder {root}/file/holdpoint cannot be used: not a directory"),
        ),
        (
            format!("{root}/taken"),
            format!(
                "the state folder {root}/taken/holdpoint cannot be used: it is not a folder, or it is a link"
            ),
        ),
        (
            String::new(),
            "there is no place for the state folder: HOME is not the path of a folder".to_owned(),
        ),
    ] {
        let with_state = |args: &[&str]| {
            let mut command = project.stranger(args);
            command.env("XDG_STATE_HOME", &state);
            command
        };
        let said = refused(with_state(&["taskie", "new-plan", "x"]));
        let hint = "hint: set XDG_STATE_HOME to the path of a folder that you can write to\n";
        assert_eq!(said, format!("error: {what}\n{hint}"));
        let allowed = at_terminal(with_state(&["allow", "--yes"]), "");
        assert_eq!(allowed.stderr, format!("error: {what}\n{hint}"));
        let doctor: Printed = with_state(&["doctor"]).output().unwrap().into();
        assert!(
            doctor
                .stdout
                .contains(&format!("  {what}, so nothing that you allow is recorded, and the books are")),
            "{}",
            doctor.stdout
        );
    }
}

#[test]
fn a_path_without_a_workflow_is_no_unknown_name() {
    let project = Project::new();
    project.write("drafts/notes.md", "");
    for path in ["./nosuch", "drafts/", "./drafts/notes.md"] {
        for command in [&["check"][..], &["test"], &["workflow", "graph"], &["demo"]] {
            let said = refused(project.command(&[command, &[path]].concat()));
            let folder = project.root().join(path);
            assert!(
                said.starts_with(&format!(
                    "error: no workflow in {}: there is no workflow.toml\nhint: ",
                    folder.display()
                )),
                "{said}"
            );
        }
    }
}

#[test]
fn a_wrong_word_is_told_with_what_was_expected() {
    let project = Project::new();
    for (args, says) in [
        (
            &["claudex", "start", "plna", "x"][..],
            "error: <MODE> cannot be \"plna\" (expected: plan or review)\nhint: holdpoint claudex start ",
        ),
        (
            &["log", "--since", "yesterday"],
            "not a time\n\n  tip: an age (90s, 10m, 2h, 3d), a date (2026-11-15), or 2026",
        ),
    ] {
        let said = refused(project.command(args));
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn a_project_that_is_too_large_to_allow_has_a_remedy_that_is_not_to_allow_it() {
    let project = Project::new();
    project.write(".holdpoint/workflows/mine/workflow.toml", "about = \"Mine.\"\n[run]\nhome = \".mine\"\n");
    project.write(".holdpoint/workflows/mine/big", vec![b'x'; 17 * 1024 * 1024]);
    let printed: Printed = project.stranger(&["doctor"]).output().unwrap().into();
    let folder = project.root().display();
    let remedy = format!(
        "    remove what is not part of a workflow from {folder}/.holdpoint/workflows, then: holdpoint allow {folder}\n"
    );
    assert!(printed.stdout.contains(&remedy), "{}", printed.stdout);
}

/// A folder that cannot be made is said with its path: whoever runs this, a file is not a folder.
#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let project = Project::new();
    project.write("closed", "");
    for args in [
        &["workflow", "eject", "taskie", "--to", "closed"][..],
        &["workflow", "plugin", "closed/plugins"],
        &["shell", "man", "--to", "closed/man"],
    ] {
        let said = refused(project.command(args));
        assert!(said.starts_with(&format!("error: {}", project.root().join("closed").display())), "{said}");
    }
}

#[test]
fn a_spec_that_is_not_text_starts_no_run() {
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    let spec = "ai/features/FTR-1-cart.md";
    project.write(spec, b"# Cart\n\n## Allowed Files\n- `a.py`\n\nCaf\xe9\n");
    project.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"]);
    let said = refused(project.command(&["autopilot", "start", spec, "--test", "true"]));
    assert!(said.contains(&format!("No run was started: {spec} is not UTF-8")), "{said}");
    assert!(!project.root().join("autopilot-state.json").exists());
    let converts = said.lines().find(|line| line.starts_with("   iconv ")).unwrap();
    let converted = Command::new("sh").args(["-ec", converts]).current_dir(project.root()).status().unwrap();
    assert!(converted.success());
    let started = project.run(&["autopilot", "start", spec, "--test", "true", "--reviews", "subagent"]);
    assert_eq!(started.code, Some(0), "{}", started.stderr);
}
