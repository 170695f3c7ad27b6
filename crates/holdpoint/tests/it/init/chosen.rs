//! What `init` chooses: the client's own settings that holding needs, how hooks call the program, what a second `init` does
//! without options, and what the user is told.

use serde_json::{Value as Json, json};

use super::{HOLDPOINT, init, registered, snapshot, well};
use crate::project::{Printed, Project};
use crate::terminal::at_terminal;

const FILE: &str = ".claude/settings.json";
const LOCAL: &str = ".claude/settings.local.json";
const CAP: &str = "/env/CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

fn settings(project: &Project, file: &str) -> Json {
    serde_json::from_str(&project.read(file)).unwrap()
}

/// Runs a command of a user who has this program, and no other, on PATH.
fn on_path(project: &Project, args: &[&str]) -> Printed {
    let folder = std::path::Path::new(HOLDPOINT).parent().unwrap().to_str().unwrap();
    let mut command = project.command(args);
    // Its login shell, which Codex runs hooks in, keeps that.
    command.env("PATH", format!("{folder}:/usr/bin:/bin")).env("COLUMNS", "100").env("SHELL", "/bin/sh");
    project.write("no-home/.profile", format!("PATH='{folder}:/usr/bin:/bin'\n"));
    let printed: Printed = command.stdin(std::process::Stdio::null()).output().unwrap().into();
    assert_eq!(printed.code, Some(0), "{args:?}: {}{}", printed.stdout, printed.stderr);
    printed
}

#[test]
fn the_clients_limit_of_holds_is_raised_and_put_back() {
    let project = Project::new();
    init(&project, &["claude"]);
    assert_eq!(settings(&project, FILE).pointer(CAP), Some(&json!("60")));
    well(&project, &["uninstall"]);
    assert_eq!(snapshot(project.root()), []);
    for before in [r#"{"env": {"A": "b"}}"#, "{\n  // mine\n  \"env\": {}\n}\n", "{\"hooks\": {}}"] {
        project.write(FILE, before);
        init(&project, &["claude"]);
        assert_eq!(settings_with_comments(&project).pointer(CAP), Some(&json!("60")), "{before}");
        // What the user writes meanwhile keeps the file from being put back as a whole.
        project.write(FILE, project.read(FILE).replacen('{', "{\"mine\": true,", 1));
        well(&project, &["uninstall"]);
        let after = project.read(FILE);
        assert!(after.contains("\"mine\": true") && !after.contains("BLOCK_CAP"), "{after}");
        assert_eq!(after.contains("\"env\""), before.contains("env"), "{after}");
        assert_eq!(after.contains("\"A\": \"b\""), before.contains("\"A\""), "{after}");
        std::fs::remove_dir_all(project.root().join(".claude")).unwrap();
    }
}

fn settings_with_comments(project: &Project) -> Json {
    holdpoint::install::jsonc::value(&project.read(FILE)).unwrap()
}

#[test]
fn a_limit_that_the_user_set_stays() {
    let project = Project::new();
    project.write(FILE, r#"{"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "20"}}"#);
    let before = project.read(FILE);
    init(&project, &["claude"]);
    assert_eq!(settings(&project, FILE).pointer(CAP), Some(&json!("20")));
    well(&project, &["uninstall"]);
    assert_eq!(project.read(FILE), before);
    std::fs::remove_dir_all(project.root().join(".claude")).unwrap();
    init(&project, &["claude"]);
    project.write(FILE, project.read(FILE).replace("\"60\"", "\"30\""));
    well(&project, &["uninstall"]);
    assert_eq!(settings(&project, FILE), json!({"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "30"}}));
}

#[test]
fn without_a_record_the_limit_goes_too() {
    let project = Project::new();
    project.write(FILE, "{\"a\": 1}");
    init(&project, &["claude"]);
    std::fs::remove_file(project.root().join(".holdpoint/installed.json")).unwrap();
    well(&project, &["uninstall"]);
    assert_eq!(settings(&project, FILE), json!({"a": 1}));
}

#[test]
fn what_the_user_adds_to_what_was_made_for_us_is_not_lost() {
    let project = Project::new();
    init(&project, &["claude"]);
    let mut edited = settings(&project, FILE);
    edited["hooks"]["Stop"]
        .as_array_mut()
        .unwrap()
        .push(json!({"hooks": [{"type": "command", "command": "say done"}]}));
    edited["env"]["MINE"] = json!("yes");
    project.write(FILE, edited.to_string());
    well(&project, &["uninstall"]);
    let after = settings(&project, FILE);
    assert_eq!(after["env"], json!({"MINE": "yes"}), "{after:#}");
    assert_eq!(after["hooks"], json!({"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}));
}

#[test]
fn a_limit_in_the_wrong_place_is_said() {
    let project = Project::new();
    project.write(FILE, "{\"env\": []}");
    let printed = project.run(&["init", "--agent", "claude"]);
    assert_eq!(printed.code, Some(3));
    assert!(printed.stderr.contains("its `env` is not an object"), "{}", printed.stderr);
}

#[test]
fn files_that_a_team_shares_name_the_program_as_everybody_finds_it() {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    let printed = on_path(&project, &["init", "--agent", "claude,codex,gemini"]);
    for (file, event) in
        [(FILE, "Stop"), (".codex/hooks.json", "Stop"), (".gemini/settings.json", "AfterAgent")]
    {
        let command = registered(&project, file, event)["hooks"][0]["command"].as_str().unwrap().to_owned();
        assert_eq!(command.split(' ').next(), Some("holdpoint"), "{file}");
        assert!(!project.read(file).contains(HOLDPOINT), "{file}");
    }
    let add = "  git add .claude/settings.json .codex/hooks.json .gemini/settings.json";
    assert!(
        printed.stdout.contains("Commit them, so that they count for your team and in every worktree"),
        "{}",
        printed.stdout
    );
    assert!(printed.stdout.contains(add), "{}", printed.stdout);
    let (_, command) = printed.stdout.split_once("  git add ").unwrap();
    let words = command.split_whitespace().filter(|word| *word != "\\");
    project.git(&["add"].into_iter().chain(words).collect::<Vec<_>>());
    let left = project.git(&["status", "--porcelain", "--untracked-files=all"]);
    let home = |line: &&str| line.contains("no-home/");
    assert!(left.lines().filter(|line| !home(line)).all(|line| line.starts_with("A ")), "{left}");
    assert_eq!(
        on_path(&project, &["init"]).stdout.lines().last(),
        Some("Nothing to change: everything is up to date.")
    );
}

#[test]
fn an_agent_that_would_not_find_the_name_gets_the_path() {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    let folder = std::path::Path::new(HOLDPOINT).parent().unwrap().to_str().unwrap();
    project.write("no-home/.profile", "PATH=/nowhere\n");
    let mut command = project.command(&["init", "--agent", "claude,codex"]);
    command.env("PATH", format!("{folder}:/usr/bin:/bin")).env("SHELL", "/bin/sh").env("COLUMNS", "200");
    let printed: Printed = command.output().unwrap().into();
    assert_eq!(registered(&project, FILE, "Stop")["hooks"][0]["command"], "holdpoint");
    assert_eq!(
        registered(&project, ".codex/hooks.json", "Stop")["hooks"][0]["command"],
        format!("{HOLDPOINT} hook --agent codex")
    );
    let shown = printed.stdout;
    assert!(
        shown.contains("The hooks of Codex call") && shown.contains("git add .claude/settings.json"),
        "{shown}"
    );
    assert!(!shown.split_once("git add").unwrap().1.contains(".codex"), "{shown}");
}

#[test]
fn a_path_of_this_machine_is_not_to_be_shared() {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    let printed = init(&project, &["claude"]);
    assert!(
        printed.stdout.contains("a path of this machine") && printed.stdout.contains("do not share"),
        "{}",
        printed.stdout
    );
    assert!(!printed.stdout.contains("git add"));
}

#[test]
fn for_one_user_alone_in_one_project() {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    let printed = on_path(&project, &["init", "--agent", "claude", "--local"]);
    assert_eq!(registered(&project, LOCAL, "Stop")["hooks"][0]["command"], HOLDPOINT);
    assert_eq!(settings(&project, LOCAL).pointer(CAP), Some(&json!("60")));
    assert!(!project.root().join(FILE).exists());
    assert!(printed.stdout.contains("do not commit them"), "{}", printed.stdout);
    // It stays so, until the user says otherwise.
    on_path(&project, &["init"]);
    assert!(!project.root().join(FILE).exists());
    on_path(&project, &["init", "--project"]);
    assert_eq!(registered(&project, FILE, "Stop")["hooks"][0]["command"], "holdpoint");
    assert!(!project.root().join(LOCAL).exists(), "it is in one file");
    well(&project, &["uninstall"]);
    assert!(!project.root().join(".claude").exists());
    let refused = project.run(&["init", "--agent", "codex", "--local"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("Codex has no settings of your own for one project"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_second_time_renews_what_the_first_chose() {
    let project = Project::new();
    well(&project, &["init", "--agent", "claude", "--workflow", "taskie"]);
    project.write(".codex/config.toml", "").write(".gemini/settings.json", "{}");
    let before = snapshot(project.root());
    let printed = well(&project, &["init"]);
    assert!(printed.stdout.contains("Nothing to change"), "{}", printed.stdout);
    assert_eq!(snapshot(project.root()), before);
    well(&project, &["init", "--agent", "gemini"]);
    assert!(project.read(".gemini/settings.json").contains("hook --agent gemini"));
    assert!(!project.root().join(".gemini/commands/claudex").exists(), "and the same workflows");
    project.write(FILE, project.read(FILE).replace(HOLDPOINT, "/old/holdpoint"));
    project.write(
        ".gemini/settings.json",
        project.read(".gemini/settings.json").replace(HOLDPOINT, "/old/holdpoint"),
    );
    well(&project, &["init"]);
    assert!(
        !project.read(FILE).contains("/old/") && !project.read(".gemini/settings.json").contains("/old/")
    );
    assert_eq!(project.read(".codex/config.toml"), "");
}

#[test]
fn only_what_is_enabled_here_gets_commands() {
    let project = Project::new();
    project.write(".holdpoint/holdpoint.toml", "workflows = [\"taskie\"]\n");
    project.allow();
    init(&project, &["claude"]);
    assert!(project.root().join(".claude/commands/taskie").is_dir());
    assert!(!project.root().join(".claude/commands/claudex").exists());
}

#[test]
fn which_reviewers_are_needed_and_which_are_there() {
    let project = Project::new();
    project.write("bin/codex", "#!/bin/sh\n");
    let program = project.root().join("bin/codex");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = project.command(&["init", "--agent", "codex", "--workflow", "taskie,claudex"]);
    command.env("PATH", program.parent().unwrap());
    let printed: Printed = command.output().unwrap().into();
    let shown = printed.stdout;
    assert!(shown.contains("  claude    for taskie: not installed, so no review is done\n"), "{shown}");
    assert!(shown.contains("npm install --global @anthropic-ai/claude-code"), "{shown}");
    assert!(shown.contains("  codex     for claudex\n"), "{shown}");
}

#[test]
fn a_workflow_that_check_refuses_is_not_registered() {
    let project = Project::new();
    project.workflow(
        "mine",
        "about = \"m\"\n[run]\nhome = \".mine\"\n[holds.a]\non = \"stop\"\nwhen = \"promt\"\nsay = \"no\"\n",
    );
    project.allow();
    let printed = init(&project, &["claude"]);
    let said = "workflow `mine` cannot be used and is skipped: see `holdpoint check mine`";
    assert!(printed.stderr.contains(said), "{}", printed.stderr);
    let named = project.run(&["init", "--agent", "claude", "--workflow", "mine"]);
    assert_eq!(named.code, Some(1), "{}", named.stderr);
}

#[test]
fn commands_are_allowed_if_the_user_says_so() {
    let project = Project::new();
    project.write(FILE, "{\"permissions\": {\"allow\": [\"Bash(ls)\"]}}");
    let refused = project.run(&["init", "--agent", "claude", "--workflow", "taskie", "--allow-commands"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("commands are allowed at a terminal only"), "{}", refused.stderr);
    let args = ["init", "--agent", "claude", "--workflow", "taskie", "--allow-commands"];
    let added = at_terminal(project.command(&args), "");
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let allow = || settings(&project, FILE)["permissions"]["allow"].clone();
    assert_eq!(allow(), json!(["Bash(ls)", "Bash(holdpoint taskie:*)"]));
    well(&project, &["init"]);
    assert_eq!(allow(), json!(["Bash(ls)", "Bash(holdpoint taskie:*)"]));
    // What a project says that its user chose counts for nobody else.
    let clone = Project::new();
    for path in [".holdpoint/installed.json", ".holdpoint/holdpoint.toml"] {
        clone.write(path, project.read(path));
    }
    well(&clone, &["init"]);
    assert_eq!(settings(&clone, FILE)["permissions"], json!(null));
    project.write(FILE, project.read(FILE).replacen('{', "{\"mine\": true, ", 1));
    well(&project, &["uninstall"]);
    assert_eq!(settings(&project, FILE), json!({"mine": true, "permissions": {"allow": ["Bash(ls)"]}}));
}

/// A slash command whose text has commands of ours in it names them, so that the user is not asked about each.
#[test]
fn every_slash_command_may_call_what_it_tells_to() {
    let project = Project::new();
    init(&project, &["claude"]);
    let files = snapshot(&project.root().join(".claude/commands"));
    let calling = files.iter().filter_map(|(path, text)| {
        let workflow = path.split('/').next().unwrap();
        (path.ends_with(".md") && text.contains(&format!("holdpoint {workflow} ")))
            .then_some((path, text, workflow))
    });
    let calling: Vec<_> = calling.collect();
    assert!(calling.len() > 20, "{}", calling.len());
    for (path, text, workflow) in calling {
        let allowed = text.lines().find_map(|line| line.strip_prefix("allowed-tools: "));
        let allowed = allowed.unwrap_or_else(|| panic!("{path} has no allowed-tools"));
        assert!(allowed.contains(&format!("Bash(holdpoint {workflow}")), "{path}: {allowed}");
    }
}
