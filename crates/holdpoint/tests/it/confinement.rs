//! What programs of checks and reviewers get: few variables, and few folders to write to. Real programs, and a folder
//! beside the project that is none of theirs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::project::{Printed, Project, feed};

const WORKFLOW: &str = r#"
about = "What programs get."

[run]
home  = "state.json"
state = "state.json"
due   = "phase"

[phases.run]
by    = "check"
check = { run = ["sh", "-c", "{{ state.script }}"] }
then.pass = { go = "idle", set = { said = "{{ output }}" } }
then.fail = { go = "idle", set = { said = "FAILED {{ output }}" } }

[phases.granted]
by    = "check"
check = { run = ["sh", "-c", "{{ state.script }}"], pass = ["DATABASE_URL"], writes = ["~/kept", "astray"] }
then.pass = { go = "idle", set = { said = "{{ output }}" } }
then.fail = { go = "idle", set = { said = "FAILED {{ output }}" } }

[phases.free]
by    = "check"
check = { run = ["sh", "-c", "{{ state.script }}"], writes = ["/"] }
then.pass = "idle"
then.fail = "idle"

[phases.tests]
by    = "check"
check = { tests = ["sh", "-c", "{{ state.script }}"] }
then.pass = { go = "idle", set = { said = "{{ output }}" } }
then.fail = { go = "idle", set = { said = "FAILED {{ output }}" } }

[phases.rows]
by    = "check"
check = { acceptance = "AV-*", spec = "'spec.md'", section = "Acceptance" }
then.pass = { go = "idle", set = { said = "{{ output }}" } }
then.warn = "idle"
then.skip = "idle"
then.fail = { go = "idle", set = { said = "FAILED {{ output }}" } }

[phases.review]
by     = "reviewer"
reviewer = "claude"
prompt = "{{ state.script }}"
report = "reports/report.md"
then.pass  = { go = "idle", set = { said = "{{ output }}" } }
then.fail  = "idle"
then.fault = { tell = "No review: {{ because }}" }

[phases.top]
by     = "reviewer"
reviewer = "at-top"
prompt = "{{ state.script }}"
report = "report.md"
then.pass  = { go = "idle", set = { said = "{{ output }}" } }
then.fail  = "idle"
then.fault = { tell = "No review: {{ because }}" }

[phases.idle]
by = "user"

[reviewers.at-top]
command    = ["claude", "{{ prompt }}"]
verdict_at = ["verdict"]

[reviewers.claude]
command    = ["claude", "{{ prompt }}"]
verdict_at = ["verdict"]
log        = "reports/review.log"

[fields]
phase  = ""
script = ""
said   = ""

[commands.go]
about   = "Performs a phase"
args    = ["phase", "script"]
through = ["all"]
steps   = [{ create = true, set = { phase = "{{ args.phase }}", script = "{{ args.script }}" }, say = "" }]

[commands.own]
about = "The user's"
by    = "user"
steps = [{ say = "The user it is." }]
"#;

/// A project `app` with a home, a temporary folder and another folder beside it.
struct Beside {
    all: Project,
}

impl Beside {
    fn new() -> Beside {
        let all = Project::new();
        for folder in ["home/kept", "home/.claude/projects", "temporary", "outside", "app/reports"] {
            std::fs::create_dir_all(all.root().join(folder)).unwrap();
        }
        all.write("home/.claude/settings.json", "{}");
        all.write("app/.holdpoint/workflows/programs/workflow.toml", WORKFLOW);
        all.write(
            "tools/claude",
            "#!/bin/sh\neval \"$1\"\necho '# Report' > reports/report.md\necho '{\"verdict\":\"pass\"}'\n",
        );
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(all.root().join("tools/claude"), mode).unwrap();
        Beside { all }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.all.root().join(path)
    }

    /// A command of the program in the project; its variables are those of a user and an agent.
    fn command(&self, folder: &Path, args: &[&str]) -> Command {
        crate::project::allow(self.all.state(), folder);
        let mut command = self.all.command(args);
        let tools = self.path("tools").into_os_string().into_string().unwrap();
        let path = [tools, std::env::var("PATH").unwrap()].join(":");
        command.current_dir(folder).env("PATH", path);
        command.env("HOME", self.path("home")).env("TMPDIR", self.path("temporary"));
        for (name, value) in [
            ("DATABASE_URL", "postgres://x"),
            ("GITHUB_TOKEN", "t"),
            ("PYTHONPATH", "/evil"),
            ("NODE_OPTIONS", "-v"),
            ("BASH_ENV", "/evil"),
            ("ENV", "/evil"),
            ("GIT_DIR", "/evil"),
            ("SSH_AUTH_SOCK", "/s"),
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_SESSION_ID", "s"),
            ("ANTHROPIC_API_KEY", "k"),
            ("LC_ALL", "C"),
            ("https_proxy", "http://p"),
        ] {
            command.env(name, value);
        }
        command
    }

    /// Performs a phase of a new run with a script, as an agent has it performed: by the hook before the call.
    fn try_in(&self, folder: &Path, phase: &str, script: &str) -> Printed {
        let _ = std::fs::remove_file(folder.join("state.json"));
        let line = format!("holdpoint programs go {phase} '{}'", script.replace('\'', r"'\''"));
        let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": folder, "tool_name": "Bash",
            "tool_input": {"command": line}});
        let hook = self.command(folder, &["hook", "--agent", "claude"]);
        let answer = feed(hook, event.to_string().as_bytes()).json();
        let shown = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str();
        let id =
            shown.and_then(|shown| shown.rsplit(' ').next()).unwrap_or_else(|| panic!("{phase}: {answer}"));
        let mut command = self.command(folder, &["receipt", id]);
        command.stdin(Stdio::null()).output().unwrap().into()
    }

    /// The same, which must end well.
    fn go_in(&self, folder: &Path, phase: &str, script: &str) -> Printed {
        let printed = self.try_in(folder, phase, script);
        assert_eq!(printed.code, Some(0), "{phase}: {}{}", printed.stdout, printed.stderr);
        printed
    }

    fn go(&self, phase: &str, script: &str) -> Printed {
        self.go_in(&self.path("app"), phase, script)
    }

    fn is_written(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// The names of the variables that a script noted.
    fn noted(&self, path: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(path)).unwrap();
        text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name.to_owned()).collect()
    }
}

/// Whether writes are confined here at all; `doctor` says so where they are not.
fn is_confined() -> bool {
    holdpoint::confinement::sandbox::can_confine()
}

#[test]
fn programs_get_the_variables_of_a_list_and_no_others() {
    let beside = Beside::new();
    let usual = ["PATH", "HOME", "LC_ALL", "TMPDIR", "https_proxy"];
    let kept_back = [
        "GITHUB_TOKEN",
        "PYTHONPATH",
        "NODE_OPTIONS",
        "BASH_ENV",
        "ENV",
        "GIT_DIR",
        "SSH_AUTH_SOCK",
        "CLAUDECODE",
        "CLAUDE_CODE_SESSION_ID",
    ];
    beside
        .all
        .write("app/spec.md", "## Acceptance\n\n| AV-S1 | it runs | `env > $TMPDIR/rows` | exit 0 | 9s |\n");
    for phase in ["run", "granted", "tests", "rows", "review"] {
        beside.go(phase, &format!("env > $TMPDIR/{phase}"));
        let names = beside.noted(&format!("temporary/{phase}"));
        let has = |name: &&&str| names.iter().any(|there| there == **name);
        assert_eq!(usual.iter().find(|name| !has(name)), None, "{phase}: {names:?}");
        assert_eq!(kept_back.iter().find(has), None, "{phase}: {names:?}");
        assert_eq!(has(&&"DATABASE_URL"), phase == "granted", "{phase}: {names:?}");
        assert_eq!(has(&&"ANTHROPIC_API_KEY"), phase == "review", "{phase}: {names:?}");
        // Code that is tested cannot tell.
        assert_eq!(has(&&"HOLDPOINT_REVIEWER"), phase == "review", "{phase}: {names:?}");
    }
}

#[test]
fn a_project_names_what_all_its_programs_get() {
    let beside = Beside::new();
    beside.all.write(
        "app/.holdpoint/holdpoint.toml",
        "[programs]\npass = [\"GITHUB_TOKEN\"]\nwrites = [\"~/kept\"]\n",
    );
    beside.go("run", "env > seen; echo x > ~/kept/run");
    assert!(beside.noted("app/seen").contains(&"GITHUB_TOKEN".to_owned()));
    assert!(beside.is_written("home/kept/run"));
    beside.all.write("app/.holdpoint/holdpoint.toml", "[programs]\npass = [\"LD_PRELOAD\"]\n");
    let printed: Printed = beside.command(&beside.path("app"), &["status"]).output().unwrap().into();
    assert!(
        printed.stdout.contains("`LD_PRELOAD` is never passed on"),
        "{}{}",
        printed.stdout,
        printed.stderr
    );
}

#[test]
fn checks_write_in_the_project_and_in_temporary_folders_only() {
    let beside = Beside::new();
    let script = "echo x > inside; echo x > $TMPDIR/t; mkdir -p build/a && echo x > build/a/b && mv build/a/b b; \
                  echo x > ../outside/NAME; echo x > ~/NAME; echo x > ~/.claude/settings.json; rm ../home/.claude/settings.json; true";
    beside
        .all
        .write("app/spec.md", format!("## Acceptance\n\n| AV-S1 | it runs | `{script}` | exit 0 | 9s |\n"));
    for phase in ["run", "tests", "rows"] {
        for file in ["inside", "b"] {
            let _ = std::fs::remove_file(beside.path("app").join(file));
        }
        beside.go(phase, script);
        assert!(beside.is_written("app/inside") && beside.is_written("app/b"), "{phase}");
        assert!(beside.is_written("temporary/t"), "{phase}");
        assert_eq!(beside.is_written("outside/NAME"), !is_confined(), "{phase}");
        assert_eq!(beside.is_written("home/NAME"), !is_confined(), "{phase}");
        if is_confined() {
            assert_eq!(beside.all.read("home/.claude/settings.json"), "{}", "{phase}");
        }
    }
}

#[test]
fn a_reviewer_writes_its_report_and_what_its_tool_keeps() {
    let beside = Beside::new();
    let script = "echo x > inside; echo x > reports/notes; echo x > $TMPDIR/t; echo x > ~/.claude/projects/p; \
                  echo evil > ~/.claude/settings.json; echo evil > ~/.claude/CLAUDE.md; echo x > ../outside/r";
    beside.go("review", script);
    for path in ["app/reports/report.md", "temporary/t", "home/.claude/projects/p"] {
        assert!(beside.is_written(path), "{path}");
    }
    for path in ["app/inside", "app/reports/notes", "home/.claude/CLAUDE.md", "outside/r"] {
        assert_eq!(beside.is_written(path), !is_confined(), "{path}");
    }
    if is_confined() {
        assert_eq!(beside.all.read("home/.claude/settings.json"), "{}");
    }
}

#[test]
fn what_a_workflow_grants_can_be_written_and_a_link_opens_nothing() {
    let beside = Beside::new();
    std::os::unix::fs::symlink(beside.path("outside"), beside.path("app/astray")).unwrap();
    beside.go("granted", "echo x > ~/kept/k; echo x > ~/other; echo x > astray/a; echo done");
    assert!(beside.is_written("home/kept/k"));
    assert_eq!(beside.is_written("home/other"), !is_confined());
    assert_eq!(beside.is_written("outside/a"), !is_confined());
    beside.go("free", "echo x > ../outside/free");
    assert!(beside.is_written("outside/free"), "`/` is no sandbox");
}

/// In a new home there is nothing yet that could be opened for a program.
#[test]
fn folders_that_programs_would_make_are_made_for_them() {
    let beside = Beside::new();
    std::fs::remove_dir(beside.path("home/.claude/projects")).unwrap();
    beside.go("run", "mkdir ~/.cache/tool && echo x > ~/.cache/tool/c");
    assert!(beside.is_written("home/.cache/tool/c"));
    beside.go("review", "mkdir ~/.claude/projects/p ~/.claude/session-env/s");
    assert!(beside.is_written("home/.claude/projects/p") && beside.is_written("home/.claude/session-env/s"));
}

#[test]
fn a_refused_write_is_said_with_its_remedy() {
    let beside = Beside::new();
    if !is_confined() {
        return;
    }
    beside.go("tests", "echo x > ../outside/t");
    let state = beside.all.read("app/state.json");
    assert!(state.contains("Permission denied") && state.contains("writes = […]"), "{state}");
    let printed = beside.go("review", "cp /dev/null ../outside/r || exit 3");
    let text = format!("{}{}", printed.stdout, printed.stderr);
    assert!(text.contains("exit status: 3") && text.contains("writes = […]"), "{text}");
    beside.go("tests", "echo a failure of its own; exit 1");
    assert!(!beside.all.read("app/state.json").contains("writes"), "it was refused nothing");
}

#[test]
fn a_check_in_a_linked_working_tree_can_use_git() {
    let beside = Beside::new();
    let git = |folder: &str, args: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(beside.path(folder)).args(args).env("HOME", beside.path("home"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
    git("app", &["init", "--quiet"]);
    git("app", &["add", "--all"]);
    git("app", &[&who[..], &["commit", "--quiet", "-m", "one"]].concat());
    git("app", &["worktree", "add", "--quiet", "../linked"]);
    let script = "echo x > new; git add new && git -c user.name=a -c user.email=a@b.c commit --quiet -m two && echo x > done";
    beside.go_in(&beside.path("linked"), "run", script);
    assert!(beside.is_written("linked/done"), "{}", beside.all.read("linked/state.json"));
}

#[test]
fn a_program_is_not_the_user() {
    let beside = Beside::new();
    for phase in ["run", "review"] {
        let said = format!("$TMPDIR/{phase}");
        beside.go(phase, &format!("{} programs own > {said} 2>&1", env!("CARGO_BIN_EXE_holdpoint")));
        let said = beside.all.read(&format!("temporary/{phase}"));
        assert!(said.contains("`holdpoint programs own` is the user's to call"), "{phase}: {said}");
    }
}

#[test]
fn a_program_that_is_missing_or_cannot_run_is_told_from_one_that_failed() {
    let beside = Beside::new();
    beside.all.remove("tools/claude");
    let printed = beside.go("review", "true");
    let text = format!("{}{}", printed.stdout, printed.stderr);
    assert!(text.contains("`claude` is not installed"), "{text}");
    beside.all.write("tools/claude", "no program");
    let printed = beside.go("review", "true");
    let text = format!("{}{}", printed.stdout, printed.stderr);
    assert!(text.contains("`claude` is not installed"), "a file that cannot be run is none: {text}");
}

/// A report at the project's top opens that file, and not the project.
#[test]
fn a_report_at_the_top_opens_nothing_beside_it() {
    let beside = Beside::new();
    beside.all.write("app/cart.py", "right\n");
    let script = "echo x > inside; echo wrong > cart.py; mkdir new; echo '# Top' > report.md";
    beside.go("top", script);
    assert_eq!(beside.all.read("app/report.md"), "# Top\n");
    assert_eq!(beside.is_written("app/inside") || beside.is_written("app/new"), !is_confined());
    if is_confined() {
        assert_eq!(beside.all.read("app/cart.py"), "right\n");
    }
    let again = "echo '# Again' > report.md";
    beside.go("top", again);
    assert_eq!(beside.all.read("app/report.md"), "# Again\n", "one that is there can be written, too");
}

#[test]
fn a_report_that_was_not_written_is_not_left_behind() {
    let beside = Beside::new();
    for (script, words) in [("true", "left no new report at"), ("exit 3", "exit status: 3")] {
        let printed = beside.go("top", script);
        let text = format!("{}{}", printed.stdout, printed.stderr);
        assert!(text.contains(words), "{text}");
        assert!(!beside.is_written("app/report.md"), "{script}");
    }
}

#[test]
fn evidence_says_what_was_not_confined() {
    let beside = Beside::new();
    for (phase, words) in
        [("run", "not confined: this system"), ("free", "not confined: `writes` grants it `/`")]
    {
        beside.go(phase, "true");
        let mut command = beside.command(&beside.path("app"), &["evidence", "--phase", phase]);
        let printed: Printed = command.stdin(Stdio::null()).output().unwrap().into();
        let is_said = phase == "free" || !is_confined();
        assert_eq!(printed.stdout.contains(words), is_said, "{phase}: {}", printed.stdout);
        assert_eq!(printed.stdout.contains("not confined"), is_said, "{phase}: {}", printed.stdout);
    }
}

/// Runs the work inside so many sandboxes that the kernel refuses one more.
fn with_no_sandbox_left<T: Send>(left: u32, work: &(dyn Fn() -> T + Sync)) -> T {
    if left == 0 {
        return work();
    }
    let inner = || Ok(with_no_sandbox_left(left - 1, work));
    holdpoint::confinement::sandbox::within(&[PathBuf::from("/")], inner).unwrap()
}

#[test]
fn a_program_that_cannot_be_confined_is_not_started_and_that_is_told() {
    let beside = Beside::new();
    if !is_confined() {
        return;
    }
    let app = beside.path("app");
    for phase in ["run", "tests", "review"] {
        // The program is started by a process that is in as many sandboxes as the kernel stacks.
        let printed = with_no_sandbox_left(16, &|| {
            beside.try_in(&app, phase, "echo x > started; echo x > $TMPDIR/started")
        });
        let text = format!("{}{}", printed.stdout, printed.stderr);
        assert!(text.contains("it cannot be confined"), "{phase}: {text}");
        assert!(!beside.is_written("app/started") && !beside.is_written("temporary/started"), "{phase}");
    }
    with_no_sandbox_left(16, &|| beside.go("free", "echo x > started"));
    assert!(beside.is_written("app/started"), "who asked for no sandbox needs none");
}
