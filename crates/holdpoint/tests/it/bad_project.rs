//! Whatever the project looks like, what can be judged is held, and what cannot is let go and told.

use std::process::Command;
#[cfg(unix)]
use std::process::Stdio;

use serde_json::{Value as Json, json};

use crate::gate::{COUNTING, GATE, ISDLC_STATE, STATE, event, gate, held, last_faults, message, sound};
use crate::project::{Project, allow, feed};

#[test]
fn a_state_file_in_any_condition() {
    let large = format!("{{\"locked\": true, \"x\": \"{}\"}}", "x".repeat(20 * 1024 * 1024));
    for (about, state, reason, said) in [
        ("as it should be", "{\"locked\": true}", "ANY", ""),
        ("a mark", "\u{feff}{\"locked\": true}", "ANY", ""),
        ("empty", "", "", "is not valid JSON"),
        ("blank", "  \n", "", "is not valid JSON"),
        ("null", "null", "", "holds no JSON object"),
        ("a list", "[]", "", "holds no JSON object"),
        ("a number", "5", "", "holds no JSON object"),
        ("truncated", "{\"locked\": tr", "", "is not valid JSON"),
        ("text after it", "{\"locked\": true} x", "", "is not valid JSON"),
        ("20 MB", &large, "", "cannot be read: it is larger than"),
        ("the wrong type", "{\"locked\": {\"a\": [1]}}", "ANY", ""),
    ] {
        for workflow in [GATE, COUNTING] {
            let project = gate();
            project.workflow("gate", workflow).write(STATE, state);
            let printed = project.hook(&event(&project));
            sound(&printed, about);
            assert_eq!(
                held(&printed).lines().next().unwrap_or_default(),
                reason,
                "{about}: {}",
                printed.stdout
            );
            assert!(message(&printed).contains(said), "{about}: {}", printed.stdout);
            assert!(last_faults(&project).contains(said), "{about}: {}", last_faults(&project));
            let is_object = state.trim_start_matches('\u{feff}').starts_with('{') && said.is_empty();
            let counts = workflow == COUNTING && is_object;
            assert!(
                counts || project.read(STATE) == state,
                "{about}: what cannot be understood is not written"
            );
        }
    }
}

#[test]
fn a_state_that_is_too_deep_holds_but_is_not_written() {
    let deep = format!("{{\"locked\": true, \"x\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let project = gate();
    project.workflow("gate", COUNTING).write(STATE, &deep);
    let printed = project.hook(&event(&project));
    sound(&printed, "too deep");
    assert_eq!(held(&printed), "ANY");
    assert!(message(&printed).contains("nesting depth exceeded"), "{}", printed.stdout);
    assert_eq!(project.read(STATE), deep);
}

/// Where there are several runs, the one is judged that nobody can say is finished.
#[test]
fn a_run_that_cannot_be_read_is_not_hidden_by_a_finished_one() {
    let project = Project::new();
    let run = |id: &str| format!(".claude/claudex/{id}.state");
    let (broken, finished) = (run("20261116-101010-abcdef"), run("20261117-101010-abcdef"));
    project.write(&broken, "phase: drafting\nmode: plan\n");
    let file = std::fs::File::options().write(true).open(project.root().join(&broken)).unwrap();
    file.set_len(17 * 1024 * 1024).unwrap();
    project.write(&finished, "phase: cancelled\nmode: plan\n");
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()});
    let printed = project.hook(&stop);
    assert!(message(&printed).contains("larger than 16777216 bytes"), "{}", printed.stdout);
    project.remove(&broken);
    assert_eq!(project.hook(&stop).stdout, "", "a finished run alone says nothing");
}

#[test]
fn no_state_file_is_no_fault() {
    let project = gate();
    std::fs::remove_file(project.root().join(STATE)).unwrap();
    let printed = project.hook(&event(&project));
    sound(&printed, "missing");
    assert_eq!((held(&printed), message(&printed)), (String::new(), String::new()));
    project.workflow("gate", COUNTING);
    sound(&project.hook(&event(&project)), "missing");
    assert_eq!(serde_json::from_str::<Json>(&project.read(STATE)).unwrap(), json!({"count": 1}));
}

#[cfg(unix)]
#[test]
fn a_state_that_is_no_plain_file() {
    for workflow in [GATE, COUNTING] {
        let project = gate();
        project.workflow("gate", workflow);
        let state = project.root().join(STATE);
        let mut number = 0;
        let mut fault = |said: &str| {
            number += 1;
            let mut event = event(&project);
            event["session_id"] = json!(number);
            let printed = project.hook(&event);
            sound(&printed, said);
            assert_eq!(held(&printed), "");
            assert!(last_faults(&project).contains(said), "{said}: {}", last_faults(&project));
        };
        std::fs::remove_file(&state).unwrap();
        std::fs::create_dir(&state).unwrap();
        fault("it is not a regular file");
        std::fs::remove_dir(&state).unwrap();
        mkfifo(&state);
        fault("it is not a regular file");
        std::fs::remove_file(&state).unwrap();
        let outside = tempfile::NamedTempFile::new().unwrap();
        std::os::unix::fs::symlink(outside.path(), &state).unwrap();
        fault("lies outside the project");
        std::fs::remove_file(&state).unwrap();
        std::os::unix::fs::symlink("state.json", &state).unwrap();
        fault("ymbolic link");
    }
}

#[cfg(unix)]
#[test]
fn a_state_behind_a_link_is_held_and_the_link_stays() {
    let project = gate();
    project.workflow("gate", COUNTING).write("elsewhere/real.json", "{\"locked\": true, \"count\": 7}");
    let state = project.root().join(STATE);
    std::fs::remove_file(&state).unwrap();
    std::os::unix::fs::symlink("../elsewhere/real.json", &state).unwrap();
    assert_eq!(held(&project.hook(&event(&project))), "ANY");
    assert!(state.is_symlink());
    assert!(project.read("elsewhere/real.json").contains('8'));
}

/// Someone else's files: as root, the hook runs as nobody; otherwise files without permissions do.
#[cfg(unix)]
#[test]
fn files_that_may_not_be_read_or_written() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let project = gate();
    let books = project.book("");
    project.write(".gate/plain.json", "{}");
    let mode = |path: &str, mode: u32| {
        std::fs::set_permissions(project.root().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        project.allow();
        // What is another user's does not count at all.
        for folder in [project.root(), project.state()] {
            let status = Command::new("chown").args(["-R", "65534:65534"]).arg(folder).status().unwrap();
            assert!(status.success());
        }
    }
    let ask = |event: &Json| {
        let mut command = if is_root { project.stranger(&["hook"]) } else { project.command(&["hook"]) };
        if is_root {
            command.uid(65534).gid(65534);
        }
        feed(command, event.to_string().as_bytes())
    };
    mode(".", 0o555);
    mode(".holdpoint", 0o555);
    if is_root && !reachable_for_others() {
        return;
    }
    let printed = ask(&event(&project));
    sound(&printed, "read-only");
    assert_eq!(held(&printed), "ANY\n\nSHELL ls", "a hold needs no journal");

    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()});
    std::fs::set_permissions(&books, std::fs::Permissions::from_mode(0o555)).unwrap();
    let printed = ask(&stop);
    sound(&printed, "read-only at Stop");
    assert_eq!(held(&printed), "", "a hold at Stop that cannot be counted is given up");
    assert!(message(&printed).contains("STOP"), "{}", printed.stdout);

    mode(STATE, 0o000);
    let printed = ask(&event(&project));
    sound(&printed, "unreadable");
    assert_eq!(held(&printed), "");
    assert!(
        message(&printed).contains("cannot be read"),
        "with no journal the user is told: {}",
        printed.stdout
    );
    mode(".holdpoint", 0o755);
    mode(".", 0o755);
}

/// Whether nobody could start the program: it may have been built below a home that is closed to others.
#[cfg(unix)]
fn reachable_for_others() -> bool {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
    command.arg("--version").current_dir("/").uid(65534).gid(65534);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

#[cfg(unix)]
fn mkfifo(path: &std::path::Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn our_folder_as_a_file_keeps_no_hold_from_holding() {
    let project = Project::new();
    project.write(".isdlc/state.json", ISDLC_STATE).write(".holdpoint", "not a folder");
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(),
        "tool_name": "Task", "tool_input": {"prompt": "06-implementation", "subagent_type": "x"}});
    let printed = project.hook(&event);
    sound(&printed, ".holdpoint is a file");
    assert!(held(&printed).contains("06-implementation"), "{}", printed.stdout);
    assert_eq!(project.read(".holdpoint"), "not a folder");

    project.write(".isdlc/state.json", "{ broken");
    let printed = project.hook(&event);
    sound(&printed, ".holdpoint is a file, the state is broken");
    assert!(
        message(&printed).contains("is not valid JSON"),
        "with no journal the user is told: {}",
        printed.stdout
    );
}

#[test]
fn our_files_as_folders_and_our_folders_as_files() {
    for (about, path) in [
        ("the journal is a folder", "journal.jsonl/x"),
        ("locks is a file", ".holdpoint/locks"),
        ("told is a file", "told"),
        ("sessions is a file", "sessions"),
    ] {
        let project = gate();
        project.workflow("gate", COUNTING);
        let path = if path.starts_with('.') { project.root().join(path) } else { project.book(path) };
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        let printed = project.hook(&event(&project));
        sound(&printed, about);
        assert_eq!(held(&printed), "ANY", "{about}");
        let lost = path.ends_with("locks");
        assert_eq!(message(&printed).contains("was not written"), lost, "{about}: {}", printed.stdout);
        assert_eq!(project.read(STATE).contains("count"), !lost, "{about}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), "", "{about}");
    }
}

/// A full disk or a lost machine can tear the journal's last line; the next one must not be lost with it.
#[test]
fn a_torn_journal_takes_no_other_line_with_it() {
    let project = gate();
    for torn in ["{\"at\":\"2026-01-01T00:00:00Z\",\"decision\":\"no", "\u{0}\u{0}\u{0}", "{\"at\":\"1\"}\n{"]
    {
        project.write_book("journal.jsonl", torn);
        sound(&project.hook(&event(&project)), torn);
        let last = holdpoint::store::journal::read(&project.books()).pop().unwrap();
        assert_eq!(last.decision.name(), "hold", "{torn}");
    }
}

#[test]
fn broken_entries_among_the_workflows_leave_the_others_at_work() {
    let project = gate();
    project
        .write(".holdpoint/workflows/stray-file", "x")
        .write(".holdpoint/workflows/no-workflow/readme", "x");
    project.write(".holdpoint/workflows/folder/workflow.toml/x", "").workflow("empty", "");
    project.workflow("rubbish", "\u{0}\u{1}\u{fffd}[[[").workflow("spaces and \"quotes\"", "about = 1\n");
    project.write(".holdpoint/workflows/bytes/workflow.toml", b"about = \"\xff\xfe\"\n\xff");
    #[cfg(unix)]
    {
        std::fs::create_dir_all(project.root().join(".holdpoint/workflows/fifo")).unwrap();
        mkfifo(&project.root().join(".holdpoint/workflows/fifo/workflow.toml"));
        std::os::unix::fs::symlink("loop", project.root().join(".holdpoint/workflows/loop")).unwrap();
    }
    let printed = project.hook(&event(&project));
    sound(&printed, "broken entries");
    assert_eq!(held(&printed), "ANY\n\nSHELL ls");
    for name in ["rubbish", "bytes"] {
        assert!(
            message(&printed).contains(&format!("workflow `{name}` cannot be used")),
            "{}",
            printed.stdout
        );
    }
    let journal = project.read_book("journal.jsonl");
    assert!(
        !printed.stdout.contains("spaces and") && !journal.contains("spaces and"),
        "no name of a workflow: {journal}"
    );
}

#[test]
fn workflows_as_a_file_are_none() {
    let project = Project::new();
    project.write(".holdpoint/workflows", "x").write(STATE, "{\"locked\": true}");
    let printed = project.hook(&event(&project));
    sound(&printed, "workflows is a file");
    assert_eq!(printed.stdout, "");
}

#[test]
fn a_broken_choice_of_workflows_is_told_and_all_stay_in_force() {
    for (about, text) in [
        ("rubbish", "]["),
        ("an unknown key", "workflow = [\"gate\"]\n"),
        ("a wrong type", "workflows = \"gate\"\n"),
        ("a wrong type in the list", "workflows = [1]\n"),
        ("bytes", "\u{0}"),
    ] {
        let project = gate();
        project.write(".holdpoint/holdpoint.toml", text);
        let printed = project.hook(&event(&project));
        sound(&printed, about);
        assert_eq!(held(&printed), "ANY\n\nSHELL ls", "{about}");
        assert!(message(&printed).contains("holdpoint.toml"), "{about}: {}", printed.stdout);
    }
    let project = gate();
    project.write(".holdpoint/holdpoint.toml/x", "");
    let printed = project.hook(&event(&project));
    sound(&printed, "a folder");
    assert_eq!(held(&printed), "ANY\n\nSHELL ls");
}

#[cfg(unix)]
#[test]
fn folders_with_odd_names() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    for name in
        ["with space", "qu'ote\"s", "new\nline", "{{ state }}", "$(touch x)", "-rf", "é 😀", "back\\slash"]
    {
        let project = gate();
        let folder = project.root().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::rename(project.root().join(".gate"), folder.join(".gate")).unwrap();
        std::fs::rename(project.root().join(".holdpoint"), folder.join(".holdpoint")).unwrap();
        let mut event = event(&project);
        event["cwd"] = json!(folder);
        allow(project.state(), &folder);
        let printed = project.hook(&event);
        sound(&printed, name);
        assert_eq!(held(&printed), "ANY\n\nSHELL ls", "{name}");
    }
    let project = gate();
    let below = project.root().join(OsStr::from_bytes(b"\xff\xfe"));
    std::fs::create_dir(&below).unwrap();
    let mut command = project.command(&["hook"]);
    command.current_dir(&below);
    let mut event = event(&project);
    event.as_object_mut().unwrap().remove("cwd");
    let printed = feed(command, event.to_string().as_bytes());
    sound(&printed, "not UTF-8");
    assert_eq!(held(&printed), "ANY\n\nSHELL ls", "below a project, the folder's own name does not matter");
}

#[cfg(unix)]
#[test]
fn a_working_folder_that_is_gone() {
    let project = gate();
    let gone = project.root().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "rmdir ../gone; exec \"$0\" hook", env!("CARGO_BIN_EXE_holdpoint")]);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("XDG_STATE_HOME", project.state());
    command.current_dir(&gone);
    project.allow();
    let printed = feed(command, event(&project).to_string().as_bytes());
    sound(&printed, "the hook's own folder is gone");
    assert_eq!(held(&printed), "ANY\n\nSHELL ls");
}

/// A project of the built-in workflow in which a commit to the trunk would be held.
fn on_the_trunk(is_repository: bool) -> (Project, Json) {
    let project = Project::new();
    project.write(".isdlc/state.json", ISDLC_STATE);
    if is_repository {
        let mut git = Command::new("git");
        git.args(["init", "--quiet", "--initial-branch", "main"]).current_dir(project.root());
        assert!(git.env("GIT_CONFIG_GLOBAL", "/dev/null").status().unwrap().success());
    }
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(),
        "tool_name": "Bash", "tool_input": {"command": "git commit -m x"}});
    (project, event)
}

#[test]
fn without_git_a_commit_is_let_go_and_everybody_is_told() {
    let (project, event) = on_the_trunk(true);
    assert!(held(&project.hook(&event)).contains("main"), "with git it is held");
    let mut command = project.command(&["hook"]);
    command.env("PATH", project.root().join("no-programs"));
    let printed = feed(command, event.to_string().as_bytes());
    sound(&printed, "no git");
    assert_eq!(held(&printed), "");
    assert!(message(&printed).contains("git could not be started"), "{}", printed.stdout);
    assert!(last_faults(&project).contains("git could not be started"));
}

#[test]
fn without_a_repository_there_is_no_branch_to_keep_clean() {
    let (project, event) = on_the_trunk(false);
    let mut command = project.command(&["hook"]);
    command.env("GIT_CEILING_DIRECTORIES", project.root());
    let printed = feed(command, event.to_string().as_bytes());
    sound(&printed, "no repository");
    assert_eq!(printed.stdout, "");
}

#[test]
fn the_workflows_of_a_project_share_what_an_event_may_take() {
    let terms: Vec<String> = (0..18).map(|least| format!("(long | length) > {least}")).collect();
    let greedy = |name: &str| {
        let when = terms.join(" and ");
        format!(
            r#"
about = "Reads a long text again and again."
[run]
home = ".gate"
[holds.{name}]
on   = "before shell"
when = "{when}"
say  = "HELD BY {name}"
[let]
long = "file('.gate/long').text"
"#
        )
    };
    let project = Project::new();
    project.write(".gate/long", "x".repeat(2 * 1024 * 1024));
    project.workflow("one", &greedy("one"));
    let printed = project.hook(&event(&project));
    assert_eq!((held(&printed).as_str(), last_faults(&project).as_str()), ("HELD BY one", "null"));
    project.workflow("two", &greedy("two"));
    let printed = project.hook(&event(&project));
    sound(&printed, "two greedy workflows");
    assert_eq!(held(&printed), "HELD BY one", "what was judged in time counts");
    assert!(last_faults(&project).contains("too much work"), "{}", last_faults(&project));
}
