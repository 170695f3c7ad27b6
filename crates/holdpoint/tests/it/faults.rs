//! The page of faults is true: it has every finding, and every test that it names is there. And those of them that belong
//! nowhere else.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::attacks::{ids, reference, tests_are_there};
use crate::project::{Project, feed};

/// What a new user met, by the ids of the review that found it.
const MET: [&str; 19] = [
    "N1", "N2", "N3", "N4", "N5", "N6", "N7", "N8", "N9", "N10", "N11", "N12", "N13", "N14", "N15", "N16",
    "N17", "N18", "N19",
];

/// The rows of the audit of what opens a hold.
const AUDITED: [&str; 15] = [
    "git fails",
    "holds cannot be counted",
    "a run cannot be read",
    "something never ends",
    "a sealed state is too large",
    "a review runs elsewhere",
    "an answer is lost",
    "input fails",
    "git is missing",
    "git hangs",
    "a state is no JSON",
    "nothing can be written",
    "a reviewer fails",
    "limits of the system",
    "the clock is ahead",
];

#[test]
fn every_finding_is_on_the_page_of_faults() {
    let page = reference("faults.md");
    let ids = ids(&page);
    for id in MET.iter().chain(&AUDITED) {
        assert!(ids.contains(id), "{id}");
    }
}

#[test]
fn every_test_on_the_page_of_faults_is_there() {
    assert!(tests_are_there(&reference("faults.md")) > 60);
}

#[test]
fn every_row_of_the_page_of_faults_names_a_test() {
    let page = reference("faults.md");
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| id |") && !line.starts_with("| --"));
    for row in rows {
        assert!(row.contains("::"), "{row}");
    }
}

/// A project on its trunk whose workflow has a branch of its own: commits to the trunk are held.
fn on_trunk() -> Project {
    let project = Project::new();
    project.git(&["init", "--quiet", "--initial-branch", "main"]);
    project.git(&[
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "commit",
        "--quiet",
        "--allow-empty",
        "-m",
        "x",
    ]);
    let branch = json!({"name": "feature/x", "status": "active"});
    let state = json!({"active_workflow": {"current_phase": "06-implementation", "git_branch": branch}});
    project.write(".isdlc/state.json", state.to_string());
    project
}

fn commit(project: &Project) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(), "tool_name": "Bash",
        "tool_input": {"command": "git commit -qam x"}})
}

#[test]
fn a_git_that_hangs_before_a_commit_is_told() {
    let project = on_trunk();
    assert_eq!(project.hook(&commit(&project)).json()["hookSpecificOutput"]["permissionDecision"], "deny");
    project.write("bin/git", "#!/bin/sh\nexec sleep 600\n");
    let git = project.root().join("bin/git");
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = project.command(&["hook"]);
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", project.root().join("bin").display()));
    let printed = feed(command, commit(&project).to_string().as_bytes());
    let told = printed.json()["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert!(told.contains("could not judge this and let it pass: git"), "{}", printed.stdout);
    let faults = project.run(&["log", "--faults"]).stdout;
    assert!(faults.contains("git commit -qam x") && faults.contains("git"), "{faults}");
}

#[test]
fn too_few_open_files_are_told_and_never_break_the_hook() {
    let project = on_trunk();
    for limit in [4, 5, 6, 7] {
        let hook = project.command(&["hook"]);
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("ulimit -n {limit}; exec \"$0\" hook")).arg(hook.get_program());
        command.current_dir(project.root()).env_clear();
        command.envs(hook.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut event = commit(&project);
        event["session_id"] = json!(format!("s{limit}"));
        let printed = feed(command, event.to_string().as_bytes());
        assert_eq!(printed.code, Some(0), "{limit}: {}", printed.stderr);
        let answer = printed.json();
        let is_held = answer["hookSpecificOutput"]["permissionDecision"] == "deny";
        let told = answer["systemMessage"].as_str().unwrap_or_default();
        assert!(is_held || told.starts_with("holdpoint: "), "{limit}: {}", printed.stdout);
    }
}

/// A state that the engine alone writes, and whose phase holds.
const SEALED: &str = r#"
about = "Sealed."

[run]
home   = "sealed.json"
state  = "sealed.json"
sealed = true
shows  = "state.phase"

[phases.note]
by    = "agent"
until = "file('NOTES.md').exists"
ask   = "WRITE NOTES.md"
then  = "over"

[phases.over]
by = "nobody"

[commands.start]
about = "Begin"
steps = [{ create = true, go = "note", say = "Begun." }]

[fields]
phase = "note"
"#;

#[test]
fn a_sealed_state_that_cannot_be_read_is_put_back() {
    let project = Project::new();
    project.workflow("sealed", SEALED);
    assert_eq!(project.run(&["sealed", "start"]).code, Some(0));
    let before = project.read("sealed.json");
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()});
    let path = project.root().join("sealed.json");
    std::fs::File::options().write(true).open(&path).unwrap().set_len(17 * 1024 * 1024).unwrap();
    let printed = project.hook(&stop);
    assert_eq!(printed.json()["decision"], "block", "{}", printed.stdout);
    assert_eq!(project.read("sealed.json"), before);
}

/// In zsh a redirection alone waits for input, and swallows the next command of the page.
#[test]
fn no_page_of_the_guide_begins_a_command_with_a_redirection() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    for page in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        assert!(!text.lines().any(|line| line.starts_with("$ >")), "{}", page.display());
    }
}

#[test]
fn a_mistyped_command_gets_the_right_remedy() {
    let project = Project::new();
    for settings in [None, Some("workflows = [\"taskie\"]\n")] {
        if let Some(text) = settings {
            project.write(".holdpoint/holdpoint.toml", text);
        }
        let printed = project.run(&["stauts"]);
        assert_ne!(printed.code, Some(0));
        assert!(printed.stderr.contains("did you mean `holdpoint status`?"), "{}", printed.stderr);
        assert!(!printed.stderr.contains("to its `workflows`"), "{}", printed.stderr);
    }
}
