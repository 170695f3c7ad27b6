//! One session of a client: its settings and its hooks, what it prints, and its end.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::model::Model;
use crate::project::{Printed, Project};

/// The program, as the hooks are registered.
pub(super) const HOLDPOINT: &str = env!("CARGO_BIN_EXE_holdpoint");

/// A session that ended well.
pub(super) struct Session {
    /// What the client printed.
    pub(super) printed: Printed,
    home: TempDir,
}

impl Session {
    /// The folder that was the client's home.
    pub(super) fn home(&self) -> &str {
        self.home.path().to_str().unwrap()
    }

    /// What the hooks made Claude Code show to its user, as its transcript has it.
    pub(super) fn shown_to_user(&self) -> Vec<String> {
        let lines = self.transcript().into_iter();
        let messages = lines.filter(|line| line["attachment"]["type"] == "hook_system_message");
        messages.map(|line| line["attachment"]["content"].as_str().unwrap().to_owned()).collect()
    }

    /// What Claude Code recorded of the session.
    pub(super) fn transcript(&self) -> Vec<Json> {
        let folders = std::fs::read_dir(self.home.path().join(".claude/projects")).unwrap();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap());
        let transcripts = files.map(|file| file.unwrap().path()).filter(|path| path.is_file());
        let text: String = transcripts.map(|path| std::fs::read_to_string(path).unwrap()).collect();
        text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()).collect()
    }
}

/// Runs a client in a project with this folder as its home. All that it would send elsewhere goes to the model as to a
/// proxy, which refuses.
fn run<S: AsRef<OsStr>>(
    home: TempDir,
    program: &Path,
    project: &Project,
    model: &Model,
    args: &[&str],
    vars: &[(&str, S)],
) -> Session {
    let printed = finish(prepared(home.path(), program, project, model, args, vars));
    assert_eq!(printed.code, Some(0), "{}\n{}", printed.stdout, printed.stderr);
    Session { printed, home }
}

/// The client's command.
fn prepared<S: AsRef<OsStr>>(
    home: &Path,
    program: &Path,
    project: &Project,
    model: &Model,
    args: &[&str],
    vars: &[(&str, S)],
) -> Command {
    let mut client = Command::new(program);
    client.args(args).current_dir(project.root()).env_clear();
    client.env("PATH", path(project));
    client.env("HOME", home).env("TMPDIR", home).env("XDG_STATE_HOME", project.state());
    project.allow();
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
        client.env(name, model.url());
    }
    client.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
    client.envs(vars.iter().map(|(name, value)| (name, value)));
    client
}

/// Claude Code's command, for a terminal.
#[cfg(target_os = "linux")]
pub(super) fn claude_at(
    home: &Path,
    program: &Path,
    project: &Project,
    model: &Model,
    args: &[&str],
) -> Command {
    prepared(home, program, project, model, args, &claude_vars(&model.url()))
}

/// Where the client's hooks and tools find programs: the project's own first, then ours.
fn path(project: &Project) -> OsString {
    let own = [project.root().join("bin"), Path::new(HOLDPOINT).parent().unwrap().to_owned()];
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(own.into_iter().chain(std::env::split_paths(&others))).unwrap()
}

/// How long a session may take: a machine with other work takes its time.
pub(super) const PATIENCE: Duration = Duration::from_mins(5);

/// Waits for a client; one that takes longer is killed with all its children.
fn finish(mut client: Command) -> Printed {
    let client = client.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = client.process_group(0).spawn().unwrap();
    let group = Pid::from_child(&child);
    let (done, waiting) = mpsc::channel();
    std::thread::spawn(move || done.send(child.wait_with_output()));
    if let Ok(output) = waiting.recv_timeout(PATIENCE) {
        return output.unwrap().into();
    }
    let _ = kill_process_group(group, Signal::KILL);
    // A child that left the group may keep the pipes open: then there is nothing to show.
    let output = waiting.recv_timeout(Duration::from_secs(5)).map(|output| Printed::from(output.unwrap()));
    let (stdout, stderr) = output.map(|printed| (printed.stdout, printed.stderr)).unwrap_or_default();
    panic!("the client did not end within {PATIENCE:?}\n{stdout}\n{stderr}")
}

pub(super) fn run_claude(program: &Path, project: &Project, model: &Model) -> Session {
    claude(tempfile::tempdir().unwrap(), program, project, model, &[])
}

/// The same session of Claude Code, with the user's next prompt.
pub(super) fn resume_claude(program: &Path, project: &Project, model: &Model, session: Session) -> Session {
    let id = session.printed.json()["session_id"].as_str().unwrap().to_owned();
    claude(session.home, program, project, model, &["--resume", &id])
}

/// A copy of a session of Claude Code, with the user's next prompt.
pub(super) fn fork_claude(program: &Path, project: &Project, model: &Model, session: Session) -> Session {
    let id = session.printed.json()["session_id"].as_str().unwrap().to_owned();
    claude(session.home, program, project, model, &["--resume", &id, "--fork-session"])
}

/// Claude Code with another prompt, as a user has it who is asked before commands.
pub(super) fn ask_careful_claude(program: &Path, project: &Project, model: &Model, prompt: &str) -> Session {
    let args = ["-p", prompt, "--output-format", "json", "--permission-mode", "default", "--model", "sonnet"];
    with(tempfile::tempdir().unwrap(), program, project, model, &args)
}

/// Claude Code with another prompt, and more arguments.
pub(super) fn ask_claude(
    program: &Path,
    project: &Project,
    model: &Model,
    prompt: &str,
    more: &[&str],
) -> Session {
    asked(tempfile::tempdir().unwrap(), program, project, model, &[&["-p", prompt], more].concat())
}

fn claude(home: TempDir, program: &Path, project: &Project, model: &Model, more: &[&str]) -> Session {
    asked(home, program, project, model, &[&["-p", "go"], more].concat())
}

fn asked(home: TempDir, program: &Path, project: &Project, model: &Model, more: &[&str]) -> Session {
    let args = ["--output-format", "json", "--dangerously-skip-permissions", "--model", "sonnet"];
    with(home, program, project, model, &[more, &args].concat())
}

fn with(home: TempDir, program: &Path, project: &Project, model: &Model, args: &[&str]) -> Session {
    let url = model.url();
    run(home, program, project, model, args, &claude_vars(&url))
}

fn claude_vars(url: &str) -> [(&'static str, &str); 8] {
    [
        ("ANTHROPIC_BASE_URL", url),
        ("ANTHROPIC_API_KEY", "none"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("CLAUDE_CODE_MAX_RETRIES", "0"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("IS_SANDBOX", "1"),
    ]
}

/// The name of a model that Codex knows nothing of.
const UNKNOWN_MODEL: &str = "scripted";
/// The name of a model to which Codex gives a tool for patches, but no sub-agents at once.
const PATCHING_MODEL: &str = "gpt-5.5";

pub(super) fn run_codex(program: &Path, project: &Project, model: &Model, hooks: &Json) -> Session {
    codex(UNKNOWN_MODEL, program, project, model, hooks)
}

/// The same with a tool for patches.
pub(super) fn run_codex_with_patches(
    program: &Path,
    project: &Project,
    model: &Model,
    hooks: &Json,
) -> Session {
    codex(PATCHING_MODEL, program, project, model, hooks)
}

fn codex(name: &str, program: &Path, project: &Project, model: &Model, hooks: &Json) -> Session {
    let home = tempfile::tempdir().unwrap();
    settle_codex(home.path(), name, project, model, hooks);
    in_codex(home, program, project, model, &["exec"])
}

/// Codex's command, for a terminal.
#[cfg(target_os = "linux")]
pub(super) fn codex_at(
    home: &Path,
    program: &Path,
    project: &Project,
    model: &Model,
    hooks: &Json,
) -> Command {
    settle_codex(home, UNKNOWN_MODEL, project, model, hooks);
    let args = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"];
    let vars = [("CODEX_HOME", home.as_os_str()), ("KEY", OsStr::new("none"))];
    prepared(home, program, project, model, &args, &vars)
}

/// Writes the settings of Codex's user.
fn settle_codex(home: &Path, name: &str, project: &Project, model: &Model, hooks: &Json) {
    // A login shell would set PATH anew, from the machine's profile.
    let config = format!(
        "allow_login_shell = false\nmodel = \"{name}\"\nmodel_provider = \"scripted\"\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
         [projects.'{}']\ntrust_level = \"trusted\"\n",
        model.url(),
        project.root().display()
    );
    std::fs::write(home.join("config.toml"), config).unwrap();
    std::fs::write(home.join("hooks.json"), hooks.to_string()).unwrap();
}

/// The last session of Codex, with the user's next prompt.
pub(super) fn resume_codex(program: &Path, project: &Project, model: &Model, session: Session) -> Session {
    // The model of the former session listens no longer.
    let config = session.home.path().join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let lines = text.lines().map(|line| {
        if line.starts_with("base_url") {
            format!("base_url = \"{}/v1\"\n", model.url())
        } else {
            format!("{line}\n")
        }
    });
    std::fs::write(&config, lines.collect::<String>()).unwrap();
    in_codex(session.home, program, project, model, &["exec", "resume", "--last"])
}

fn in_codex(home: TempDir, program: &Path, project: &Project, model: &Model, verb: &[&str]) -> Session {
    let args = [
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "--skip-git-repo-check",
        "go",
    ];
    let folder = home.path().to_owned();
    let vars = [("CODEX_HOME", folder.as_os_str()), ("KEY", OsStr::new("none"))];
    run(home, program, project, model, &[verb, &args].concat(), &vars)
}

/// Runs Gemini CLI with these hooks, which belong to its user: a project's own would want the folder to be trusted.
pub(super) fn run_gemini(program: &Path, project: &Project, model: &Model, hooks: &Json) -> Session {
    let home = tempfile::tempdir().unwrap();
    settle_gemini(home.path(), hooks);
    in_gemini(home, program, project, model, &[])
}

/// Gemini CLI's command, for a terminal.
#[cfg(target_os = "linux")]
pub(super) fn gemini_at(
    home: &Path,
    program: &Path,
    project: &Project,
    model: &Model,
    hooks: &Json,
) -> Command {
    settle_gemini(home, hooks);
    let url = model.url();
    let args = ["--approval-mode", "yolo", "--model", "gemini-2.5-flash"];
    prepared(home, program, project, model, &args, &gemini_vars(&url))
}

/// Writes the settings of Gemini CLI's user.
fn settle_gemini(home: &Path, hooks: &Json) {
    let settings = json!({"hooks": hooks, "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false}});
    std::fs::create_dir(home.join(".gemini")).unwrap();
    std::fs::write(home.join(".gemini/settings.json"), settings.to_string()).unwrap();
}

/// The last session of Gemini CLI, with the user's next prompt.
pub(super) fn resume_gemini(program: &Path, project: &Project, model: &Model, session: Session) -> Session {
    in_gemini(session.home, program, project, model, &["--resume", "latest"])
}

fn in_gemini(home: TempDir, program: &Path, project: &Project, model: &Model, more: &[&str]) -> Session {
    let args =
        ["-p", "go", "--output-format", "json", "--approval-mode", "yolo", "--model", "gemini-2.5-flash"];
    let url = model.url();
    run(home, program, project, model, &[&args, more].concat(), &gemini_vars(&url))
}

fn gemini_vars(url: &str) -> [(&'static str, &str); 3] {
    [("GEMINI_API_KEY", "none"), ("GOOGLE_GEMINI_BASE_URL", url), ("GEMINI_CLI_TRUST_WORKSPACE", "true")]
}

/// Registers the program with Claude Code for events; what the client sends is also kept, in `sent`.
pub(super) fn register(project: &Project, events: &[&str], args: &[&str]) {
    let hook = json!({"type": "command", "command": HOLDPOINT, "args": args, "timeout": 60});
    let keep = json!({"type": "command", "command": "sh", "args": ["-c", "cat >> sent"], "timeout": 60});
    let hooks: serde_json::Map<_, _> =
        events.iter().map(|event| ((*event).to_owned(), json!([{"hooks": [hook, keep]}]))).collect();
    project.write(".claude/settings.json", json!({"hooks": hooks}).to_string());
}

/// The program as Codex's hook for events; what the client sends is also kept, in `sent`, and what it is answered, in
/// `answers`.
pub(super) fn codex_hooks(events: &[&str]) -> Json {
    let command = format!("tee -a sent | '{HOLDPOINT}' hook --agent codex | tee -a answers");
    let hook = json!({"hooks": [{"type": "command", "command": command, "timeout": 60}]});
    let hooks: serde_json::Map<_, _> =
        events.iter().map(|event| ((*event).to_owned(), json!([hook]))).collect();
    json!({"hooks": hooks})
}

/// What the client sent to its hooks.
pub(super) fn sent(project: &Project) -> Vec<Json> {
    kept(project, "sent")
}

/// What was kept in a file, value after value.
pub(super) fn kept(project: &Project, file: &str) -> Vec<Json> {
    let text = project.read(file);
    serde_json::Deserializer::from_str(&text).into_iter().map(Result::unwrap).collect()
}

/// What the client sent at each Stop.
pub(super) fn stops(project: &Project) -> Vec<Json> {
    sent(project).into_iter().filter(|event| event["hook_event_name"] == "Stop").collect()
}

/// What the client said at each Stop about being in a stop hook already.
pub(super) fn stop_hook_active(project: &Project) -> Vec<Json> {
    stops(project).iter().map(|event| event["stop_hook_active"].clone()).collect()
}

/// The command lines of the processes that work in the project's folder, where the system tells.
pub(super) fn at_work(project: &Project) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().map(|entry| entry.unwrap().path());
    let here = |process: &PathBuf| {
        std::fs::read_link(process.join("cwd")).is_ok_and(|folder| folder.starts_with(project.root()))
    };
    let line = |process: PathBuf| std::fs::read_to_string(process.join("cmdline")).unwrap_or_default();
    processes.filter(here).map(line).collect()
}
