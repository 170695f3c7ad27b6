//! `holdpoint workflow eject`.

use insta::assert_snapshot;

use crate::project::Project;
use crate::shown::shown;

#[test]
fn the_copy_is_used_instead_of_the_built_in() {
    let project = Project::new();
    project.write(".isdlc/state.json", "{}");
    assert!(shown(&project, &["status"]).starts_with("isdlc  built in\n"));
    let printed = shown(&project, &["workflow", "eject", "isdlc"]);
    let steady: Vec<&str> = printed.lines().filter(|line| !line.contains(" files")).collect();
    assert_snapshot!(steady.join("\n"), @"
      demo.toml
      workflow.toml

    The copy now replaces the built-in workflow in this project. To return to that, remove the folder.
    Next:
      edit .holdpoint/workflows/isdlc/workflow.toml
      holdpoint check isdlc
      holdpoint test isdlc
    [exit 0]
    ");
    let status = shown(&project, &["status"]);
    assert!(status.starts_with("isdlc  the project's own, [ROOT]/.holdpoint/workflows/isdlc\n"), "{status}");
    assert!(project.read(".holdpoint/.gitignore").contains("!workflows/**"));
    assert_eq!(project.run(&["check", "isdlc"]).stdout, "isdlc: ok\n");
}

#[test]
fn what_is_there_is_never_overwritten() {
    let project = Project::new();
    project.write(".holdpoint/workflows/isdlc/notes.md", "mine").write("deep/x", "");
    assert_snapshot!(shown(&project, &["workflow", "eject", "isdlc"]), @"
    error: [ROOT]/.holdpoint/workflows/isdlc already exists
    hint: edit it, remove it first, or choose another folder with `--to FOLDER`
    [exit 1]
    ");
    let mut below = project.command(&["workflow", "eject", "isdlc"]);
    assert_eq!(below.current_dir(project.root().join("deep")).output().unwrap().status.code(), Some(1));
    assert_eq!(std::fs::read_dir(project.root().join(".holdpoint/workflows/isdlc")).unwrap().count(), 1);
}

#[test]
fn it_can_go_elsewhere() {
    let project = Project::new();
    let json = project.run(&["workflow", "eject", "isdlc", "--to", "drafts", "--json"]).json();
    assert!(json["files"].as_array().unwrap().contains(&"workflow.toml".into()), "{json}");
    assert_eq!(project.run(&["check", "./drafts/isdlc"]).stdout, "isdlc: ok\n");
    assert!(!project.root().join(".holdpoint").exists());
    assert_eq!(project.run(&["workflow", "eject", "isdlc", "--to", "drafts"]).code, Some(1));
}

#[test]
fn a_name_that_is_not_built_in_is_refused_with_a_hint() {
    assert_snapshot!(shown(&Project::new(), &["workflow", "eject", "isdcl"]), @"
    error: unknown built-in workflow `isdcl`
    hint: did you mean `isdlc`?
    [exit 2]
    ");
}
