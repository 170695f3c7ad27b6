//! Files that cannot be edited: a clear word, and not one byte changed, in no agent's settings.

use serde_json::json;

use super::{AGENTS, init, snapshot, well};
use crate::project::Project;

const FILE: &str = ".claude/settings.json";

/// Refused with these words and a hint, and nothing is written.
fn refused(project: &Project, words: &str) {
    let before = snapshot(project.root());
    let printed = project.run(&["init", "--agent", &AGENTS.join(",")]);
    assert_eq!(printed.code, Some(3), "{}{}", printed.stdout, printed.stderr);
    assert!(printed.stderr.contains(words) && printed.stderr.contains("\nhint: "), "{}", printed.stderr);
    assert_eq!(snapshot(project.root()), before);
}

#[test]
fn what_is_not_json_of_the_right_shape() {
    let deep = "[".repeat(100_000);
    for (text, words) in [
        ("{", "cannot be edited"),
        ("{\"a\": }", "cannot be edited"),
        ("{\"a\": 1 \"b\": 2}", "cannot be edited"),
        ("{'a': 1}", "cannot be edited"),
        ("nonsense", "cannot be edited"),
        ("{} {}", "cannot be edited"),
        ("[]", "it is not a JSON object"),
        ("null", "it is not a JSON object"),
        ("{\"hooks\": []}", "its `hooks` is not an object"),
        ("{\"hooks\": null}", "its `hooks` is not an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "its `hooks.Stop` is not a list"),
        (deep.as_str(), "nested more than"),
    ] {
        let project = Project::new();
        project.write(FILE, text).write(".codex/hooks.json", "{}");
        refused(&project, words);
    }
}

#[test]
fn the_last_agents_file_is_looked_at_before_the_first_is_written() {
    let project = Project::new();
    project.write(FILE, "{}").write(".github/hooks/holdpoint.json", "{\"hooks\": 5}");
    refused(&project, "holdpoint.json cannot be edited");
}

#[test]
fn what_is_no_text_or_no_file() {
    let project = Project::new();
    project.write(FILE, [0xff, 0xfe, b'{', 0]);
    refused(&project, "it is not UTF-8 text");
    let project = Project::new();
    project.write(".claude/settings.json/x", "");
    refused(&project, "not a file");
    let project = Project::new();
    project.write(FILE, "{}").write(".github/skills", "a file where a folder should be");
    refused(&project, "Not a directory");
}

#[cfg(unix)]
#[test]
fn what_is_closed_or_leads_nowhere() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    project.write(FILE, "{}");
    let close = |path: &str, mode| {
        std::fs::set_permissions(project.root().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    close(FILE, 0o444);
    refused(&project, "settings.json is read-only");
    close(FILE, 0o644);
    close(".claude", 0o555);
    refused(&project, ".claude is read-only");
    close(".claude", 0o755);
    init(&project, &["claude"]);
    let project = Project::new();
    project.write(".claude/x", "");
    std::os::unix::fs::symlink("nowhere.json", project.root().join(FILE)).unwrap();
    refused(&project, "is a link that leads nowhere");
}

#[test]
fn a_file_in_the_way_of_a_command_is_not_overwritten() {
    let project = Project::new();
    project.write(".claude/commands/taskie/new-plan.md", "mine");
    refused(&project, "is there and is not ours");
    well(&project, &["init", "--agent", "claude", "--workflow", "claudex"]);
    well(&project, &["uninstall"]);
    assert_eq!(project.read(".claude/commands/taskie/new-plan.md"), "mine");
}

#[test]
fn a_command_that_the_user_edited_stays() {
    let project = Project::new();
    init(&project, &["claude"]);
    project.write(".claude/commands/taskie/new-plan.md", "mine now");
    assert!(init(&project, &["claude"]).stdout.contains("kept     .claude/commands/taskie/new-plan.md"));
    well(&project, &["uninstall"]);
    let rest: Vec<String> = snapshot(project.root()).into_iter().map(|(path, _)| path).collect();
    assert_eq!(rest.last().unwrap(), ".claude/commands/taskie/new-plan.md");
    assert_eq!(rest.len(), 4, "{rest:?}");
}

#[test]
fn a_broken_file_is_not_uninstalled_from_either() {
    let project = Project::new();
    project.write(FILE, "{}");
    init(&project, &["claude"]);
    project.write(FILE, project.read(FILE) + "}");
    let before = snapshot(project.root());
    let printed = project.run(&["uninstall"]);
    assert_eq!(printed.code, Some(3));
    assert!(printed.stderr.contains("hint: fix it"), "{}", printed.stderr);
    assert_eq!(snapshot(project.root()), before);
}

#[test]
fn names_that_do_not_exist() {
    let project = Project::new();
    for (args, words) in [
        (["--agent", "cloude"], "hint: did you mean `claude`?"),
        (["--workflow", "taksie"], "hint: did you mean `taskie`?"),
    ] {
        let printed = project.run(&[&["init"][..], &args, &["--agent", "claude"]].concat());
        assert_eq!(printed.code, Some(2), "{}", printed.stderr);
        assert!(printed.stderr.contains(words), "{}", printed.stderr);
    }
    assert_eq!(snapshot(project.root()), []);
}

#[test]
fn a_record_that_leads_out_of_the_project_is_refused() {
    for (path, copy) in
        [("../x", "a"), ("/etc/x", "a"), (".claude/settings.json", "../../x"), ("a/../../x", "a")]
    {
        let project = Project::new();
        let kept =
            json!({"path": path, "agent": "claude", "part": "hooks", "before": {"file": copy}, "left": "0"});
        project.write(".holdpoint/installed.json", json!({"files": [kept]}).to_string());
        let before = snapshot(project.root());
        for command in [&["uninstall"][..], &["init", "--agent", "claude"]] {
            let printed = project.run(command);
            assert_eq!(printed.code, Some(3), "{path}: {}", printed.stdout);
            assert!(printed.stderr.contains("which is elsewhere\nhint: "), "{}", printed.stderr);
        }
        assert_eq!(snapshot(project.root()), before);
    }
}

#[cfg(unix)]
#[test]
fn what_a_record_says_of_a_file_elsewhere_is_not_believed() {
    let (project, elsewhere) = (Project::new(), Project::new());
    let link = |path: &str| {
        std::os::unix::fs::symlink(elsewhere.root().join("settings.json"), project.root().join(path))
    };
    project.write(FILE, "{}");
    init(&project, &["claude"]);
    let theirs = project.read(FILE);
    elsewhere.write("settings.json", &theirs);
    std::fs::remove_file(project.root().join(FILE)).unwrap();
    link(FILE).unwrap();
    for copy in std::fs::read_dir(project.root().join(".holdpoint/backups")).unwrap() {
        std::fs::write(copy.unwrap().path(), "something else").unwrap();
    }
    let printed = well(&project, &["uninstall"]);
    assert!(printed.stdout.contains("kept     .claude/settings.json"), "{}", printed.stdout);
    assert_eq!(elsewhere.read("settings.json"), theirs, "even if it is as the record says that it was left");
}
