//! `holdpoint init` and `holdpoint uninstall`: what is written, what stays, and that nothing remains.

mod brought;
mod chosen;
mod files;
mod killed;
mod refusals;

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value as Json, json};

use crate::generated::repository;
use crate::project::{Printed, Project, feed};
use crate::shown::shown;

/// The program, as it is registered.
const HOLDPOINT: &str = env!("CARGO_BIN_EXE_holdpoint");

/// All agents there are settings for.
const AGENTS: [&str; 5] = ["claude", "codex", "gemini", "cursor", "copilot"];

/// Everything below a folder: paths, and what they are or say.
pub(crate) fn snapshot(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    collect(folder, folder, &mut all);
    all.sort();
    all
}

fn collect(root: &Path, folder: &Path, all: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let what = match () {
            () if kind.is_symlink() => format!("-> {}", std::fs::read_link(&path).unwrap().display()),
            () if kind.is_dir() => "folder".to_owned(),
            () => String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
        };
        all.push((path.strip_prefix(root).unwrap().display().to_string(), what));
        if kind.is_dir() {
            collect(root, &path, all);
        }
    }
}

/// Runs a command that must work.
fn well(project: &Project, args: &[&str]) -> Printed {
    let printed = project.run(args);
    assert_eq!(printed.code, Some(0), "{args:?}: {}{}", printed.stdout, printed.stderr);
    printed
}

fn init(project: &Project, agents: &[&str]) -> Printed {
    well(project, &["init", "--agent", &agents.join(",")])
}

/// What one agent's settings register for an event: the first group or entry.
fn registered(project: &Project, file: &str, event: &str) -> Json {
    let settings: Json = serde_json::from_str(&project.read(file)).unwrap();
    settings["hooks"][event][0].clone()
}

#[test]
fn each_agent_gets_its_own_form() {
    let project = Project::new();
    init(&project, &AGENTS);
    let claude = registered(&project, ".claude/settings.json", "PreToolUse");
    assert_eq!(
        claude["matcher"],
        "^(Bash|PowerShell|Edit|Write|MultiEdit|NotebookEdit|Task|Agent|mcp__.*|Skill)$"
    );
    let exec = json!({"type": "command", "command": HOLDPOINT, "args": ["hook", "--agent", "claude"], "timeout": 600,
        "statusMessage": "Holdpoint is checking the work; a review can take minutes"});
    assert_eq!(claude["hooks"], json!([exec]));
    let quick = registered(&project, ".claude/settings.json", "PostToolUse");
    assert!(quick["hooks"][0].get("statusMessage").is_none(), "it takes no time: {quick}");
    assert_eq!(registered(&project, ".claude/settings.json", "PostToolUse")["hooks"][0]["timeout"], 30);
    assert_eq!(registered(&project, ".claude/settings.json", "Stop")["hooks"][0]["timeout"], 600);
    assert!(registered(&project, ".claude/settings.json", "PostToolUseFailure").is_object());
    let codex = registered(&project, ".codex/hooks.json", "PreToolUse");
    assert_eq!(codex["matcher"], "^(Bash|apply_patch|spawn_agent|mcp__.*|Skill)$");
    assert_eq!(codex["hooks"][0]["command"], format!("{HOLDPOINT} hook --agent codex"));
    let gemini = registered(&project, ".gemini/settings.json", "AfterAgent");
    assert_eq!(gemini["hooks"][0]["timeout"], 600_000, "milliseconds");
    let pattern = registered(&project, ".gemini/settings.json", "BeforeTool");
    assert_eq!(
        pattern["matcher"], "^(run_shell_command|write_file|replace|invoke_agent|Skill)$",
        "it need not match a whole name"
    );
    let cursor = registered(&project, ".cursor/hooks.json", "stop");
    assert_eq!(cursor["loop_limit"], Json::Null);
    let copilot = registered(&project, ".github/hooks/holdpoint.json", "PreToolUse");
    assert_eq!(copilot["bash"], format!("{HOLDPOINT} hook --agent copilot || true"));
    for file in [".cursor/hooks.json", ".github/hooks/holdpoint.json"] {
        assert_eq!(serde_json::from_str::<Json>(&project.read(file)).unwrap()["version"], 1, "{file}");
    }
}

#[test]
fn no_reading_tool_starts_the_hook() {
    let project = Project::new();
    init(&project, &AGENTS);
    for (path, text) in snapshot(project.root()) {
        let is_settings = path.ends_with("settings.json") || path.contains("hooks");
        if path.ends_with(".json") && is_settings {
            for tool in ["\"*\"", "\".*\"", "Read", "Grep", "Glob", "read_file"] {
                assert!(!text.contains(tool), "{path} has {tool}");
            }
        }
    }
}

#[test]
fn only_what_the_chosen_workflow_looks_at_is_registered() {
    let project = Project::new();
    project.workflow("starts", "about = \"x\"\n[run]\nhome = \".x\"\n[witnesses.w]\non = [\"start\", \"before Read\"]\nsay = \"x\"\n");
    well(&project, &["init", "--agent", "claude", "--workflow", "starts"]);
    let settings: Json = serde_json::from_str(&project.read(".claude/settings.json")).unwrap();
    let events: Vec<&String> = settings["hooks"].as_object().unwrap().keys().collect();
    assert_eq!(events, ["PreToolUse", "SessionStart"]);
    assert_eq!(settings["hooks"]["PreToolUse"][0]["matcher"], "Read", "a rule asks for it by name");
    assert!(!project.root().join(".claude/commands").exists(), "it has no commands");
}

#[test]
fn a_restricted_project_keeps_its_own_workflows_in_force() {
    let project = Project::new();
    project.workflow("own", "about = \"x\"\n[run]\nhome = \".x\"\n");
    let before = snapshot(project.root());
    well(&project, &["init", "--agent", "claude", "--workflow", "taskie"]);
    assert_eq!(project.read(".holdpoint/holdpoint.toml"), "workflows = [\"own\", \"taskie\"]\n");
    well(&project, &["init", "--agent", "claude", "--workflow", "claudex"]);
    assert_eq!(project.read(".holdpoint/holdpoint.toml"), "workflows = [\"own\", \"taskie\", \"claudex\"]\n");
    assert!(
        !project.root().join(".claude/commands/taskie").exists(),
        "commands are those of the last choice"
    );
    well(&project, &["uninstall"]);
    assert_eq!(snapshot(project.root()), before, "what was there stays");
}

#[test]
fn a_second_time_changes_nothing_and_says_so() {
    let project = Project::new();
    init(&project, &AGENTS);
    let before = snapshot(project.root());
    let printed = init(&project, &AGENTS);
    assert!(printed.stdout.ends_with("Nothing to change: everything is up to date.\n"), "{}", printed.stdout);
    assert_eq!(snapshot(project.root()), before);
}

#[test]
fn a_dry_run_shows_the_same_and_writes_nothing() {
    let project = Project::new();
    let dry = well(&project, &["init", "--agent", "claude", "--dry-run"]).stdout;
    assert_eq!(snapshot(project.root()), []);
    let wet = init(&project, &["claude"]).stdout;
    let told = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with("Dry run"));
        lines.take_while(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    assert_eq!(told(&dry), told(&wet));
    let before = snapshot(project.root());
    well(&project, &["uninstall", "--dry-run"]);
    assert_eq!(snapshot(project.root()), before);
}

#[test]
fn a_program_that_moved_is_registered_anew() {
    let project = Project::new();
    init(&project, &["claude", "codex"]);
    for file in [".claude/settings.json", ".codex/hooks.json"] {
        project.write(file, project.read(file).replace(HOLDPOINT, "/somewhere/else/holdpoint"));
    }
    let printed = init(&project, &["claude", "codex"]);
    assert!(printed.stdout.contains("~ PreToolUse"), "{}", printed.stdout);
    for file in [".claude/settings.json", ".codex/hooks.json"] {
        let text = project.read(file);
        assert!(!text.contains("/somewhere/else") && text.matches("PreToolUse\"").count() == 1, "{text}");
    }
}

#[test]
fn in_an_empty_folder_held_why_released_and_no_trace() {
    let project = Project::new();
    init(&project, &AGENTS);
    // The hook as it is registered, in a project that says what is held.
    let state = ".isdlc/state.json";
    project.write(
        state,
        json!({"active_workflow": {"current_phase": "06-implementation"},
        "phases": {"06-implementation": {"status": "in_progress"}}})
        .to_string(),
    );
    let entry = registered(&project, ".claude/settings.json", "PreToolUse")["hooks"][0].clone();
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(), "tool_name": "Task",
        "tool_input": {"subagent_type": "software-developer", "prompt": "write it"}});
    let ask = || {
        let mut hook = std::process::Command::new(entry["command"].as_str().unwrap());
        hook.args(entry["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()));
        hook.env("XDG_STATE_HOME", project.state());
        feed(hook, event.to_string().as_bytes())
    };
    let held = ask();
    assert_eq!(
        held.json()["hookSpecificOutput"]["permissionDecision"],
        "deny",
        "{}{}",
        held.stdout,
        held.stderr
    );
    assert!(shown(&project, &["why"]).contains("plan-surfacer"));
    std::fs::remove_dir_all(project.root().join(".isdlc")).unwrap();
    assert_eq!(ask().stdout, "", "released");
    well(&project, &["uninstall"]);
    assert_eq!(snapshot(project.root()), []);
    assert!(well(&project, &["uninstall"]).stdout.starts_with("Nothing is installed in "));
}

#[test]
fn no_file_that_we_write_stays() {
    let project = Project::new();
    init(&project, &["claude"]);
    let table = std::fs::read_to_string(repository().join("docs/reference/files.md")).unwrap();
    let (files, books) = table.split_once("## Books").unwrap();
    let (books, _) = books.split_once("\n## ").unwrap();
    let in_project = files.split("`.holdpoint/").skip(1).map(|rest| rest.split('`').next().unwrap());
    // Without a state folder, the books are in the project, too.
    let rows = books.lines().filter(|line| line.starts_with("| `"));
    let in_books = rows.flat_map(|row| row.split(" | ").next().unwrap().split('`').skip(1).step_by(2));
    let names = in_project.chain(in_books);
    // The user's own, and what may be the only copy of something.
    let ours = |name: &&str| {
        !["holdpoint.toml", "workflows/", "kept/", "aside/"].iter().any(|own| name.starts_with(own))
    };
    let names: Vec<&str> = names.filter(ours).collect();
    assert!(names.contains(&"sealed/*.json") && names.len() > 12, "{names:?}");
    for name in names.iter().filter(|name| !name.contains("installed") && !name.contains("gitignore")) {
        let name = name.replace('*', "x");
        project.write(&format!(".holdpoint/{}", name.trim_end_matches('/')), "");
    }
    well(&project, &["uninstall"]);
    assert_eq!(snapshot(project.root()), []);
}

#[test]
fn the_users_own_settings() {
    let project = Project::new();
    let home = project.root().join("no-home");
    std::fs::create_dir(&home).unwrap();
    project.write("no-home/.claude/settings.json", "{\"model\": \"opus\"}\n");
    let before = snapshot(project.root());
    well(&project, &["init", "--user", "--agent", "claude,codex"]);
    assert!(project.read("no-home/.claude/settings.json").contains("\"PreToolUse\""));
    assert!(
        home.join(".codex/hooks.json").is_file()
            && home.join(".agents/skills/taskie-new-plan/SKILL.md").is_file()
    );
    assert!(home.join(".config/holdpoint/installed.json").is_file());
    assert!(!project.root().join(".holdpoint").exists());
    assert!(well(&project, &["uninstall"]).stdout.contains("holdpoint uninstall --user"));
    well(&project, &["uninstall", "--user"]);
    let after = snapshot(project.root());
    let rest: Vec<_> = after.iter().filter(|entry| !before.contains(entry)).collect();
    assert_eq!(
        rest,
        [&("no-home/.config".to_owned(), "folder".to_owned())],
        "it may have been somebody else's"
    );
}

#[test]
fn without_an_agent_those_found_are_taken() {
    let project = Project::new();
    let run = |project: &Project| -> Printed {
        let mut command = project.command(&["init"]);
        command.env("PATH", "/nowhere").stdin(Stdio::null()).output().unwrap().into()
    };
    let none = run(&project);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("hint: name one: holdpoint init --agent claude"), "{}", none.stderr);
    assert_eq!(snapshot(project.root()), []);
    project.write(".codex/config.toml", "");
    assert!(run(&project).stdout.contains(": Codex\n"));
}

#[test]
fn a_subfolder_belongs_to_its_project() {
    let project = Project::new();
    project.write("src/deep/x", "").write(".git/HEAD", "");
    let mut below = project.command(&["init", "--agent", "claude"]);
    assert!(below.current_dir(project.root().join("src/deep")).output().unwrap().status.success());
    assert!(project.root().join(".claude/settings.json").is_file());
}

#[test]
fn without_a_command_nothing_is_answered_to_an_agent() {
    let project = Project::new();
    let printed = project.run_with(&[], b"{\"hook_event_name\": \"PreToolUse\"}");
    assert_eq!(
        (printed.code, printed.stdout.as_str()),
        (Some(0), ""),
        "an agent that knows no `args` calls us so"
    );
    assert!(printed.stderr.contains("Usage: holdpoint"), "{}", printed.stderr);
}

#[test]
fn commands_in_each_agents_form() {
    let project = Project::new();
    let workflow = ".holdpoint/workflows/flow";
    project.workflow("flow", "about = \"x\"\n[run]\nhome = \".x\"\n");
    let head = "---\ndescription: \"Go: on\"\nargument-hint: \"[X]\"\n---\n";
    let body = "\nRules: @${CLAUDE_PLUGIN_ROOT}/rules.md\nThe user adds: $ARGUMENTS\n";
    project.write(&format!("{workflow}/commands/go.md"), format!("{head}{body}"));
    project.write(&format!("{workflow}/rules.md"), "No \"tricks\".\n");
    project
        .write(&format!("{workflow}/agents/coder.md"), "---\nname: coder\ntools: Read\n---\n\nYou code.\n");
    well(&project, &["init", "--agent", &AGENTS.join(","), "--workflow", "flow"]);
    let claude = project.read(".claude/commands/flow/go.md");
    assert_eq!(claude, format!("{head}\nRules: \n\nNo \"tricks\".\n\nThe user adds: $ARGUMENTS\n"));
    assert_eq!(
        project.read(".claude/agents/flow-coder.md"),
        "---\nname: coder\ntools: Read\n---\n\nYou code.\n"
    );
    let gemini: Json = toml::from_str(&project.read(".gemini/commands/flow/go.toml")).unwrap();
    assert_eq!(gemini["description"], "Go: on");
    assert_eq!(gemini["prompt"], "\nRules: \n\nNo \"tricks\".\n\nThe user adds: {{args}}\n");
    let cursor = project.read(".cursor/commands/flow-go.md");
    assert!(!cursor.contains("---") && cursor.contains("No \"tricks\"."), "{cursor}");
    for folder in [".agents/skills", ".github/skills"] {
        let skill = project.read(&format!("{folder}/flow-go/SKILL.md"));
        assert!(skill.starts_with("---\nname: flow-go\ndescription: \"Go: on\"\n---\n"), "{skill}");
        assert!(skill.contains("No \"tricks\".") && !skill.contains("$ARGUMENTS"), "{skill}");
    }
    let policy = project.read(".agents/skills/flow-go/agents/openai.yaml");
    assert!(policy.contains("allow_implicit_invocation: false"));
}
