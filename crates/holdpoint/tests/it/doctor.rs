//! `holdpoint doctor`: that what is registered fires, and that each thing in the way is found, with a remedy that works.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};
use crate::shown::{REVIEWED, shell};

const HOLDPOINT: &str = env!("CARGO_BIN_EXE_holdpoint");

/// A project and a home whose login shell finds our program, git, and nothing of the machine's agents.
fn place() -> Project {
    let project = Project::new();
    let bin = project.root().join("no-home/bin");
    std::fs::create_dir_all(&bin).unwrap();
    for program in ["git", "bash", "sh", "cat", "printf"] {
        let path = std::env::var_os("PATH").unwrap();
        let found =
            std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file());
        if let Some(found) = found {
            symlink(found, bin.join(program)).unwrap();
        }
    }
    symlink(HOLDPOINT, bin.join("holdpoint")).unwrap();
    project.write("no-home/.profile", format!("PATH='{}'\n", bin.display()));
    project.write("no-home/.bash_profile", format!("PATH='{}'\n", bin.display()));
    project
}

fn command(project: &Project, args: &[&str]) -> Command {
    let mut command = project.command(args);
    command.env("PATH", project.root().join("no-home/bin")).env("SHELL", "/bin/sh").stdin(Stdio::null());
    command
}

fn run(project: &Project, args: &[&str]) -> Printed {
    command(project, args).output().unwrap().into()
}

/// Hooks that call the program by its path: PATH does not find it where they are installed.
fn installed(agents: &str) -> Project {
    let project = place();
    let printed = project.run(&["init", "--agent", agents]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    project
}

fn doctor(project: &Project) -> (Json, Option<i32>) {
    let printed = run(project, &["doctor", "--json"]);
    let report = serde_json::from_str(&printed.stdout).unwrap_or_else(|_| panic!("{}", printed.stderr));
    (report, printed.code)
}

/// What is wrong: each with its remedy.
fn wrong(report: &Json) -> Vec<(String, String)> {
    let findings = report["findings"].as_array().unwrap().iter();
    let text = |value: &Json| value.as_str().unwrap().to_owned();
    findings
        .filter(|one| one["level"] == "wrong")
        .map(|one| (text(&one["what"]), text(&one["remedy"])))
        .collect()
}

/// The one thing that is wrong here has these words.
fn finds(project: &Project, words: &str) -> String {
    let (report, code) = doctor(project);
    assert_eq!(code, Some(1), "{report:#}");
    let wrong = wrong(&report);
    let found = wrong.iter().find(|(what, _)| what.contains(words));
    found.unwrap_or_else(|| panic!("{words}: {wrong:#?}")).1.clone()
}

/// A client reads the settings of the tree it works in, and those that are in no commit are in no other tree.
#[test]
fn a_linked_working_tree_without_the_settings() {
    let project = installed("claude");
    project.git(&["init", "-q", "."]);
    let id = ["-c", "user.name=a", "-c", "user.email=a@b"];
    project.git(&[&id[..], &["commit", "-q", "--allow-empty", "-m", "one"]].concat());
    project.git(&["worktree", "add", "-q", "side"]);
    let side = || {
        let findings = doctor(&project).0["findings"].as_array().unwrap().clone();
        findings.into_iter().find(|one| one["what"].as_str().unwrap().contains("in the working tree"))
    };
    let found = side().expect("the tree is named");
    assert!(
        found["what"].as_str().unwrap().ends_with("are not held: it has no .claude/settings.json"),
        "{found}"
    );
    assert_eq!(found["remedy"], "commit it, and bring the commit there: git add .claude/settings.json");
    project.git(&["add", ".claude/settings.json"]);
    project.git(&[&id[..], &["commit", "-q", "-m", "two"]].concat());
    let head = project.git(&["rev-parse", "HEAD"]);
    project.git(&["-C", "side", "reset", "-q", "--hard", head.trim()]);
    assert_eq!(side(), None);
}

#[test]
fn every_hook_of_every_dialect_lets_go_and_holds() {
    let agents = holdpoint::agent::Agent::ALL.map(|(name, _)| name);
    let project = installed(&agents.join(","));
    let (report, code) = doctor(&project);
    assert_eq!(wrong(&report), []);
    assert_eq!(code, Some(0), "{report:#}");
    for agent in agents {
        let of = report["agents"].as_array().unwrap().iter().find(|one| one["agent"] == agent).unwrap();
        let hooks = of["hooks"].as_array().unwrap();
        assert!(hooks.len() >= 4, "{agent}: {hooks:#?}");
        // Nothing can be held when a session ends.
        let is_proved = |hook: &Json| hook["holds"] == json!(hook["event"] != "SessionEnd");
        assert!(hooks.iter().all(|hook| hook["allows"] == true && is_proved(hook)), "{agent}: {hooks:#?}");
    }
    let told = run(&project, &["doctor"]);
    assert!(
        told.stdout.contains("allows and holds") && told.stdout.ends_with("No problems found.\n"),
        "{}",
        told.stdout
    );
}

#[test]
fn all_events_that_there_are_can_be_tried() {
    let project = place();
    let every = "about = \"x\"\n[run]\nhome = \".x\"\n[holds.all]\non = [\"before\", \"after\", \"stop\", \"prompt\", \"start\", \"subagent-stop\", \"task-created\", \"task-completed\", \"permission\", \"settings\"]\nsay = \"x\"\n";
    project.workflow("every", every);
    let agents = holdpoint::agent::Agent::ALL.map(|(name, _)| name).join(",");
    assert_eq!(run(&project, &["init", "--agent", &agents]).code, Some(0));
    let (report, _) = doctor(&project);
    assert_eq!(wrong(&report), []);
}

#[test]
fn a_hook_that_fired_in_earnest_is_dated() {
    let project = place();
    project.workflow("reviewed", REVIEWED).write(".reviewed/state.json", "{\"phase\": \"code\"}\n");
    run(&project, &["init", "--agent", "claude"]);
    project
        .run_with(&["hook", "--agent", "claude"], shell(&project, "s", "git commit").to_string().as_bytes());
    let (report, _) = doctor(&project);
    let hooks = report["agents"][0]["hooks"].as_array().unwrap();
    let dated =
        |event: &str| hooks.iter().find(|hook| hook["event"] == event).unwrap()["last_fired"].is_string();
    assert!(dated("PreToolUse") && !dated("Stop"), "{hooks:#?}");
    assert_eq!(project.journal().len(), 1, "the trials leave nothing behind");
}

#[test]
fn a_hook_that_fired_without_a_run_is_dated_too() {
    let project = place();
    run(&project, &["init", "--agent", "claude"]);
    project.write("below/file", "");
    let fire = |event: Json| {
        let printed = project.run_with(&["hook", "--agent", "claude"], event.to_string().as_bytes());
        assert_eq!((printed.code, printed.stdout.as_str()), (Some(0), ""));
    };
    let dated = |event: &str| {
        let (report, _) = doctor(&project);
        let hooks = report["agents"][0]["hooks"].as_array().unwrap().clone();
        hooks.iter().find(|hook| hook["event"] == event).unwrap()["last_fired"].as_str().map(str::to_owned)
    };
    assert_eq!((dated("PreToolUse"), dated("Stop")), (None, None));
    fire(shell(&project, "s", "ls"));
    fire(json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root().join("below")}));
    let first = dated("PreToolUse").unwrap();
    assert!(dated("Stop").is_some() && dated("UserPromptSubmit").is_none());
    assert!(!project.book("journal.jsonl").exists(), "no run, no journal");
    fire(shell(&project, "s", "ls"));
    assert!(dated("PreToolUse").unwrap() > first);
    let status = project.run(&["status"]).stdout;
    assert!(status.contains("just now: Claude Code, before."), "{status}");
    let fired = project.run(&["status", "--json"]).json()["fired"].clone();
    assert_eq!(fired[0]["event"], "before", "{fired}");
    let elsewhere = Project::new().run(&["status"]).stdout;
    assert!(elsewhere.contains("No agent's hook has fired here yet."), "{elsewhere}");
}

#[test]
fn nothing_registered() {
    assert_eq!(finds(&place(), "no agent has Holdpoint's hooks"), "holdpoint init");
}

#[test]
fn a_program_that_is_gone_and_the_remedy() {
    let project = installed("claude,codex");
    for file in [".claude/settings.json", ".codex/hooks.json"] {
        project.write(file, project.read(file).replace(HOLDPOINT, "/gone/holdpoint"));
    }
    for agent in ["claude", "codex"] {
        let title = if agent == "claude" { "Claude Code" } else { "Codex" };
        let remedy = finds(&project, &format!("{title} does not hold at Stop"));
        assert_eq!(remedy, format!("holdpoint init --agent {agent}"));
        let words: Vec<&str> = remedy.split(' ').skip(1).collect();
        assert_eq!(run(&project, &words).code, Some(0));
    }
    assert_eq!(wrong(&doctor(&project).0), []);
}

#[test]
fn an_old_program() {
    let project = installed("claude");
    let elsewhere = tempfile::tempdir().unwrap();
    let old = elsewhere.path().join("holdpoint");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo holdpoint 0.0.1 && exit\nexec '{HOLDPOINT}' \"$@\"\n"
    );
    std::fs::write(&old, script).unwrap();
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o755)).unwrap();
    let file = ".claude/settings.json";
    project.write(file, project.read(file).replace(HOLDPOINT, &old.display().to_string()));
    assert_eq!(
        finds(&project, "calls another version of Holdpoint at PreToolUse"),
        "holdpoint init --agent claude"
    );
    let (bin, link) = (project.root().join("no-home/bin/holdpoint"), "the `holdpoint` on PATH");
    std::fs::remove_file(&bin).unwrap();
    symlink(&old, &bin).unwrap();
    let remedy = finds(&project, link);
    assert!(Command::new("sh").args(["-c", &remedy]).status().unwrap().success());
    assert!(!wrong(&doctor(&project).0).iter().any(|(what, _)| what.contains(link)));
}

#[test]
fn two_copies() {
    let project = installed("codex");
    assert_eq!(run(&project, &["init", "--user", "--agent", "codex"]).code, Some(0));
    let remedy = finds(&project, "Codex has two Holdpoint hooks at PreToolUse");
    let words: Vec<&str> = remedy.split(' ').skip(1).collect();
    assert_eq!(run(&project, &words).code, Some(0));
    assert_eq!(wrong(&doctor(&project).0), []);
}

#[test]
fn the_plugin_beside_the_settings() {
    let project = installed("claude");
    project.write(".claude/settings.local.json", "{\"enabledPlugins\": {\"taskie@holdpoint\": true}}");
    assert_eq!(finds(&project, "from the plugin taskie@holdpoint"), "claude plugin disable taskie@holdpoint");
}

#[test]
fn hooks_that_are_turned_off() {
    let project = installed("claude");
    project.write(".claude/settings.local.json", "{\n  // quiet\n  \"disableAllHooks\": true,\n}");
    finds(&project, "turns all hooks off");
}

#[test]
fn an_event_that_is_looked_at_and_not_registered() {
    let project = installed("claude");
    let mut settings: Json = serde_json::from_str(&project.read(".claude/settings.json")).unwrap();
    settings["hooks"].as_object_mut().unwrap().remove("SessionStart").unwrap();
    project.write(".claude/settings.json", settings.to_string());
    assert_eq!(finds(&project, "workflows need SessionStart"), "holdpoint init --agent claude");
}

#[test]
fn broken_workflows_and_choices() {
    let project = installed("claude");
    project.workflow("broken", "about = ");
    assert_eq!(finds(&project, "workflow `broken` cannot be used"), "holdpoint check broken");
    project.write(".holdpoint/holdpoint.toml", "workflows = [\"taksie\"]\n");
    assert_eq!(finds(&project, "`taksie`"), "holdpoint check");
}

#[test]
fn settings_that_cannot_be_read() {
    let project = installed("claude");
    project.write(".claude/settings.local.json", "{");
    let remedy = finds(&project, "Claude Code cannot read ");
    assert!(remedy.contains("settings.local.json"), "{remedy}");
}

#[test]
fn programs_that_are_missing() {
    let project = installed("claude");
    let bin = project.root().join("no-home/bin");
    std::fs::remove_file(bin.join("git")).unwrap();
    finds(&project, "git is not on PATH");
    std::fs::remove_file(bin.join("holdpoint")).unwrap();
    let remedy = finds(&project, "`holdpoint` is not on PATH");
    assert!(Command::new("sh").args(["-c", &remedy]).status().unwrap().success());
    assert!(bin.join("holdpoint").exists());
    project.write(".taskie/plans/shop/state.json", "{}");
    let remedy = finds(&project, "the reviewer of `taskie`, `claude`, is not installed");
    assert_eq!(remedy, "npm install --global @anthropic-ai/claude-code");
}

#[test]
fn a_login_shell_that_sets_path_anew() {
    let project = installed("codex");
    project.write("no-home/.profile", "PATH=/nowhere\n").write("no-home/.bash_profile", "PATH=/nowhere\n");
    let remedy = finds(&project, "Codex runs commands in a login shell, which does not find `holdpoint`");
    let mut sh = Command::new("/bin/sh");
    assert!(sh.args(["-c", &remedy]).env("HOME", project.root().join("no-home")).status().unwrap().success());
    assert!(!wrong(&doctor(&project).0).iter().any(|(what, _)| what.contains("login shell")));
}

#[test]
fn a_login_shell_that_talks() {
    let project = installed("codex");
    let profile = project.read("no-home/.profile") + "echo Welcome!\n";
    project.write("no-home/.profile", &profile).write("no-home/.bash_profile", &profile);
    finds(&project, "prints text around the answer");
}

#[test]
fn a_folder_that_cannot_be_written_to() {
    let project = installed("claude");
    let ours = project.root().join(".holdpoint");
    std::fs::set_permissions(&ours, std::fs::Permissions::from_mode(0o555)).unwrap();
    let remedy = finds(&project, "is not writable");
    assert!(Command::new("sh").args(["-c", &remedy]).status().unwrap().success());
    assert_eq!(wrong(&doctor(&project).0), []);
}

#[test]
fn what_reviewers_may_do_is_told() {
    let project = installed("claude");
    let (report, _) = doctor(&project);
    let taskie =
        report["reviewers"].as_array().unwrap().iter().find(|one| one["workflow"] == "taskie").unwrap();
    assert!(
        taskie["permits"][0].as_str().unwrap().starts_with("--dangerously-skip-permissions: "),
        "{taskie}"
    );
    for list in ["reviewers", "findings"] {
        let all = report[list].as_array().unwrap();
        let twice = all.iter().enumerate().find(|(place, one)| all[..*place].contains(one));
        assert_eq!(twice, None, "each is told once");
    }
}

#[test]
fn an_old_client_that_does_not_know_the_entries_form() {
    let project = installed("claude");
    let client = Path::new("no-home/bin/claude");
    project.write(client.to_str().unwrap(), "#!/bin/sh\necho '2.1.138 (Claude Code)'\n");
    std::fs::set_permissions(project.root().join(client), std::fs::Permissions::from_mode(0o755)).unwrap();
    finds(&project, "does not support hooks without a shell");
    project.write(client.to_str().unwrap(), "#!/bin/sh\necho '2.1.139 (Claude Code)'\n");
    assert_eq!(wrong(&doctor(&project).0), []);
}

#[test]
fn a_program_that_came_with_the_project_is_not_run() {
    for path in ["./holdpoint", "ROOT/tools/holdpoint"] {
        let project = installed("claude,codex");
        let script = format!("#!/bin/sh\ntouch '{}'\n", project.root().join("ran").display());
        for program in ["holdpoint", "tools/holdpoint"] {
            project.write(program, &script);
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(project.root().join(program), mode).unwrap();
        }
        let path = path.replace("ROOT", &project.root().display().to_string());
        for file in [".claude/settings.json", ".codex/hooks.json"] {
            project.write(file, project.read(file).replace(HOLDPOINT, &path));
        }
        finds(&project, "the program is part of the project, so it was not run");
        assert!(!project.root().join("ran").exists());
    }
}

#[test]
fn what_is_not_ours_is_not_run() {
    let project = installed("claude");
    let mut settings: Json = serde_json::from_str(&project.read(".claude/settings.json")).unwrap();
    let touch = json!({"hooks": [{"type": "command", "command": format!("touch '{}'", project.root().join("ran").display())}]});
    settings["hooks"]["Stop"].as_array_mut().unwrap().push(touch);
    project.write(".claude/settings.json", settings.to_string());
    assert_eq!(wrong(&doctor(&project).0), []);
    assert!(!project.root().join("ran").exists());
}

#[test]
fn a_name_that_everybody_finds_is_as_good_as_a_path() {
    let project = place();
    assert_eq!(run(&project, &["init", "--agent", "claude,codex"]).code, Some(0));
    assert!(!project.read(".claude/settings.json").contains(HOLDPOINT));
    let (report, _) = doctor(&project);
    assert_eq!(wrong(&report), []);
    let notes = report["findings"].to_string();
    assert!(!notes.contains("by its name"), "{notes}");
}

#[test]
fn a_limit_of_the_client_that_is_not_raised() {
    let project = installed("claude");
    assert!(!doctor(&project).0["findings"].to_string().contains("ends a turn after 8 holds"));
    let mut settings: Json = serde_json::from_str(&project.read(".claude/settings.json")).unwrap();
    settings.as_object_mut().unwrap().remove("env");
    project.write(".claude/settings.json", settings.to_string());
    let findings = doctor(&project).0["findings"].clone();
    let finding =
        findings.as_array().unwrap().iter().find(|one| one["what"].to_string().contains("after 8 holds"));
    let remedy = finding.unwrap_or_else(|| panic!("{findings:#}"))["remedy"].as_str().unwrap().to_owned();
    assert_eq!(remedy, "to raise that: holdpoint init --agent claude");
    assert_eq!(run(&project, &["init", "--agent", "claude"]).code, Some(0));
    assert!(!doctor(&project).0["findings"].to_string().contains("ends a turn after 8 holds"));
}

#[test]
fn the_last_review_that_failed() {
    let project = place();
    assert_eq!(run(&project, &["init", "--agent", "claude", "--workflow", "taskie"]).code, Some(0));
    project.write("no-home/bin/claude", "#!/bin/sh\necho 'Not logged in' >&2\nexit 1\n");
    let program = project.root().join("no-home/bin/claude");
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(run(&project, &["taskie", "new-plan", "cart"]).code, Some(0));
    project.write(".taskie/plans/cart/plan.md", "# Plan\n\n## Overview\n\nWhat is to be done.\n");
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()});
    let told =
        crate::project::feed(command(&project, &["hook", "--agent", "claude"]), stop.to_string().as_bytes());
    assert!(told.stdout.contains("Review failed"), "{}{}", told.stdout, told.stderr);
    assert_eq!(finds(&project, "the last review of `taskie` failed"), "holdpoint log --faults");
}

/// Claude Code refuses its boldest flag to root, and a container's user often is root.
#[test]
fn a_reviewer_that_root_cannot_start() {
    let project = place();
    project.write("no-home/bin/claude", "#!/bin/sh\nexit 1\n");
    let program = project.root().join("no-home/bin/claude");
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(run(&project, &["init", "--agent", "claude", "--workflow", "taskie"]).code, Some(0));
    let said = |command: &mut Command| Printed::from(command.output().unwrap()).stdout;
    let is_said = |text: &str| text.contains("`claude` refuses --dangerously-skip-permissions");
    let mut plain = command(&project, &["doctor", "--json"]);
    assert_eq!(is_said(&said(&mut plain)), rustix::process::geteuid().is_root());
    let mut contained = command(&project, &["doctor", "--json"]);
    assert!(!is_said(&said(contained.env("IS_SANDBOX", "1"))));
}
