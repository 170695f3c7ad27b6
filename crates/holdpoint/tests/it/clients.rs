//! The agents' own clients, Claude Code and Codex, with a scripted model on loopback: what holds an agent, and what the
//! model then sees. The clients come from the npm registry; without it these tests are skipped and say so, or fail where
//! `HOLDPOINT_REQUIRE_CLIENTS=1` is set.

use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value as Json, json};

use crate::model::{Block, Model, news};
use crate::project::{Printed, Project};

const HOLDPOINT: &str = env!("CARGO_BIN_EXE_holdpoint");

/// A client in the version these tests were written with.
struct Client {
    package: &'static str,
    version: &'static str,
    found: OnceLock<Result<PathBuf, String>>,
}

static CLAUDE: Client =
    Client { package: "@anthropic-ai/claude-code", version: "2.1.197", found: OnceLock::new() };
static CODEX: Client = Client { package: "@openai/codex", version: "0.166.0", found: OnceLock::new() };

impl Client {
    /// The folder with its node modules; none if the test is to be skipped.
    fn modules(&self) -> Option<PathBuf> {
        let because = match self.found.get_or_init(|| self.install()) {
            Ok(folder) => return Some(folder.join("node_modules")),
            Err(because) => because,
        };
        let package = self.package;
        let required = std::env::var_os("HOLDPOINT_REQUIRE_CLIENTS").is_some_and(|value| value == "1");
        assert!(!required, "{package} is required and could not be installed: {because}");
        // Not by a macro: the harness would hide it.
        let _ = writeln!(std::io::stderr(), "skipped a test with {package}: {because}");
        None
    }

    /// Installs it once below the target folder: beside its place and then moved there, so that it is whole or absent.
    fn install(&self) -> Result<PathBuf, String> {
        let clients = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("clients");
        let package = format!("{}@{}", self.package, self.version);
        let folder = clients.join(package.replace('/', "+"));
        if folder.exists() {
            return Ok(folder);
        }
        std::fs::create_dir_all(&clients).map_err(|error| error.to_string())?;
        let beside = tempfile::tempdir_in(&clients).map_err(|error| error.to_string())?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1"]);
        npm.arg("--fetch-retry-mintimeout=1000").arg("--prefix").arg(beside.path()).arg(&package);
        let output = npm.stdin(Stdio::null()).output().map_err(|error| match error.kind() {
            ErrorKind::NotFound => "npm is not installed".to_owned(),
            _ => format!("npm: {error}"),
        })?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let mut lines = errors.lines().filter(|line| line.starts_with("npm error"));
            let reason = lines.clone().find(|line| line.contains("reason:")).or(lines.next());
            return Err(reason.unwrap_or("npm install failed").to_owned());
        }
        // Another process may have been first; its installation is as good.
        if std::fs::rename(beside.path(), &folder).is_err() && !folder.exists() {
            return Err(format!("could not move it to {}", folder.display()));
        }
        Ok(folder)
    }
}

/// Claude Code's native program, of whatever platform npm has chosen.
fn claude() -> Option<PathBuf> {
    let folder = CLAUDE.modules()?.join("@anthropic-ai");
    let programs = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path().join("claude"));
    let program = programs.into_iter().find(|program| program.is_file());
    Some(program.unwrap_or_else(|| panic!("no program `claude` below {}", folder.display())))
}

fn codex() -> Option<PathBuf> {
    Some(CODEX.modules()?.join(".bin/codex"))
}

/// Runs a client in a project with a home of its own. All that it would send elsewhere goes to the model as to a proxy,
/// which refuses.
fn run<S: AsRef<OsStr>>(
    program: &Path,
    project: &Project,
    model: &Model,
    args: &[&str],
    vars: &[(&str, S)],
) -> Printed {
    let home = tempfile::tempdir().unwrap();
    let mut client = Command::new(program);
    client.args(args).current_dir(project.root()).env_clear();
    client.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    client.env("HOME", home.path()).env("TMPDIR", home.path());
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
        client.env(name, model.url());
    }
    client.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
    for (name, value) in vars {
        client.env(name, value);
    }
    finish(client)
}

/// Waits for a client; one that takes longer than a minute is killed with all its children.
fn finish(mut client: Command) -> Printed {
    let client = client.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = client.process_group(0).spawn().unwrap();
    let group = Pid::from_child(&child);
    let (done, waiting) = mpsc::channel();
    std::thread::spawn(move || done.send(child.wait_with_output()));
    if let Ok(output) = waiting.recv_timeout(Duration::from_mins(1)) {
        return output.unwrap().into();
    }
    let _ = kill_process_group(group, Signal::KILL);
    // A child that left the group may keep the pipes open: then there is nothing to show.
    let output = waiting.recv_timeout(Duration::from_secs(5)).map(|output| Printed::from(output.unwrap()));
    let (stdout, stderr) = output.map(|printed| (printed.stdout, printed.stderr)).unwrap_or_default();
    panic!("the client did not end within a minute\n{stdout}\n{stderr}")
}

fn run_claude(program: &Path, project: &Project, model: &Model) -> Printed {
    let args = ["-p", "go", "--output-format", "json", "--dangerously-skip-permissions", "--model", "sonnet"];
    let url = model.url();
    let vars = [
        ("ANTHROPIC_BASE_URL", url.as_str()),
        ("ANTHROPIC_API_KEY", "none"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("CLAUDE_CODE_MAX_RETRIES", "0"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("IS_SANDBOX", "1"),
    ];
    run(program, project, model, &args, &vars)
}

fn run_codex(program: &Path, project: &Project, model: &Model, hooks: &Json) -> Printed {
    let home = tempfile::tempdir().unwrap();
    let config = format!(
        "model = \"scripted\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\n\
         base_url = \"{}/v1\"\nwire_api = \"responses\"\nenv_key = \"KEY\"\nrequest_max_retries = 0\n\
         stream_max_retries = 0\n[projects.'{}']\ntrust_level = \"trusted\"\n",
        model.url(),
        project.root().display()
    );
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    std::fs::write(home.path().join("hooks.json"), hooks.to_string()).unwrap();
    let args = [
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "--skip-git-repo-check",
        "go",
    ];
    run(
        program,
        project,
        model,
        &args,
        &[("CODEX_HOME", home.path().as_os_str()), ("KEY", OsStr::new("none"))],
    )
}

/// Registers the program with Claude Code for an event; what the client sends is also kept, in `sent`.
fn register(project: &Project, event: &str, args: &[&str]) {
    let hook = json!({"type": "command", "command": HOLDPOINT, "args": args, "timeout": 60});
    let keep = json!({"type": "command", "command": "sh", "args": ["-c", "cat >> sent"], "timeout": 60});
    let settings = json!({"hooks": {event: [{"hooks": [hook, keep]}]}});
    project.write(".claude/settings.json", settings.to_string());
}

/// What the client sent to its hooks.
fn sent(project: &Project) -> Vec<Json> {
    let text = project.read("sent");
    serde_json::Deserializer::from_str(&text).into_iter().map(Result::unwrap).collect()
}

/// A project on `main` with one commit, whose work belongs on a branch.
fn on_main() -> Project {
    let project = Project::new();
    let branch = json!({"name": "feature/x", "status": "active"});
    let state = json!({"active_workflow": {"current_phase": "06-implementation", "git_branch": branch}});
    project.write(".isdlc/state.json", state.to_string());
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    git(&project, &["config", "user.name", "A"]);
    git(&project, &["config", "user.email", "a@example.org"]);
    git(&project, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
    project
}

fn git(project: &Project, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(args).current_dir(project.root()).env("HOME", project.root()).env("GIT_CONFIG_NOSYSTEM", "1");
    let output = git.output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn commits(project: &Project) -> Vec<String> {
    git(project, &["log", "--format=%s"]).lines().map(str::to_owned).collect()
}

/// A model that asks for one commit with this tool and is then done.
fn committer(tool: &'static str, argument: &'static str) -> Model {
    let mut asked = false;
    Model::start(move |_| {
        if std::mem::replace(&mut asked, true) {
            return vec![Block::Text("Done.")];
        }
        let command = "git commit --quiet --allow-empty --message second";
        vec![Block::ToolUse { name: tool, input: json!({argument: command}) }]
    })
}

#[test]
fn claude_code_is_held_and_sees_why() {
    let Some(claude) = claude() else { return };
    let project = on_main();
    register(&project, "PreToolUse", &["hook", "--agent", "claude"]);
    let model = committer("Bash", "command");
    let printed = run_claude(&claude, &project, &model);
    assert_eq!(printed.code, Some(0), "{}\n{}", printed.stdout, printed.stderr);
    let shown = model.shown();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[1].contains("COMMIT TO MAIN BLOCKED"), "{}", shown[1]);
    assert_eq!(commits(&project), ["first"]);
}

#[test]
fn codex_is_held_and_sees_why() {
    let Some(codex) = codex() else { return };
    let project = on_main();
    let command = format!("'{HOLDPOINT}' hook --agent codex");
    let hook = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": command, "timeout": 60}]});
    let model = committer("exec_command", "cmd");
    let printed = run_codex(&codex, &project, &model, &json!({"hooks": {"PreToolUse": [hook]}}));
    assert_eq!(printed.code, Some(0), "{}\n{}", printed.stdout, printed.stderr);
    let shown = model.shown();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[1].contains("COMMIT TO MAIN BLOCKED"), "{}", shown[1]);
    assert_eq!(commits(&project), ["first"]);
}

#[test]
fn a_hook_that_faults_lets_claude_code_go_on() {
    let Some(claude) = claude() else { return };
    let project = on_main();
    register(&project, "PreToolUse", &["hook", "--no-such-option"]);
    let model = committer("Bash", "command");
    let printed = run_claude(&claude, &project, &model);
    assert_eq!(printed.code, Some(0), "{}\n{}", printed.stdout, printed.stderr);
    assert_eq!(sent(&project).len(), 1, "hooks ran");
    assert_eq!(commits(&project), ["second", "first"], "{:#?}", model.shown());
}

const LOOP: &str = r#"
about = "A draft is reviewed until two reviews in a row are clean."

[run]
home   = ".drafts"
each   = "*"
newest = ["*.md", "state.json"]
state  = "state.json"
due    = "next"
last   = "done"

[defaults.reviewer]
rounds = { count = "round", limit = 8, exhausted = { tell = "LIMIT." } }
models = { field = "model", rotate = ["big", "small"] }
clean  = { count = "clean", need = 2 }
failed = { tell = "NO REVIEW: {{ because }}." }

[defaults.agent]
rounds = { limit = 0, exhausted = { tell = "OUTSTANDING: {{ state.next }}." } }

[phases.review]
by     = "reviewer"
prompt = "Review draft.md."
report = "review-{{ state.round }}.md"
issues = { go = "mend" }
passed = { go = "publish", pause = "PASSED, now {{ target }}." }

[phases.mend]
by     = "agent"
ask    = "MEND what review-{{ state.round }}.md says, then write mend-{{ state.round }}.md."
report = "mend-{{ state.round }}.md"
then   = { go = "review" }

[phases.publish]
by = "user"

[reviewers.script]
command = ["sh", "reviewer.sh", "{{ state.model }}", "{{ state.round }}"]
verdict = ["structured_output.verdict"]
clean   = "PASS"
log     = ".review-{{ state.round }}.log"
timeout = 30

[fields]
round = 0
clean = 0
model = "big"
"#;

/// Notes who reviews and finds issues in the first round alone.
const REVIEWER: &str = r#"
echo "$1 $2" >> reviews
echo report > ".drafts/one/review-$2.md"
if [ "$2" = 1 ]; then verdict=FAIL; else verdict=PASS; fi
printf '{"structured_output":{"verdict":"%s"},"total_cost_usd":0.5}' "$verdict"
"#;

#[test]
fn claude_code_loops_until_two_reviews_are_clean() {
    let Some(claude) = claude() else { return };
    let project = Project::new();
    project.workflow("drafts", LOOP).write("reviewer.sh", REVIEWER);
    project
        .write(".drafts/one/draft.md", "# Draft\n")
        .write(".drafts/one/state.json", "{\"next\":\"review\"}");
    register(&project, "Stop", &["hook", "--agent", "claude"]);
    let folder = project.root().join(".drafts/one");
    let model = Model::start(move |request| {
        let news = news(request);
        let asked = (1..9).map(|round| format!("mend-{round}.md")).find(|name| news.contains(name));
        match asked {
            Some(name) if news.contains("Stop hook feedback") => {
                let input = json!({"file_path": folder.join(name), "content": "mended\n"});
                vec![Block::ToolUse { name: "Write", input }]
            }
            _ => vec![Block::Text("I am done.")],
        }
    });
    let printed = run_claude(&claude, &project, &model);
    assert_eq!(printed.code, Some(0), "{}\n{}", printed.stdout, printed.stderr);

    assert_eq!(project.read("reviews"), "big 1\nsmall 2\nbig 3\n");
    let state: Json = serde_json::from_str(&project.read(".drafts/one/state.json")).unwrap();
    assert_eq!(
        state,
        json!({"next": "publish", "done": "review", "round": 3, "model": "small", "clean": 2}),
        "it is the user's turn"
    );
    let journal = project.journal();
    let took: Vec<_> =
        journal.iter().map(|line| (&line["decision"], &line["reviews"][0]["verdict"])).collect();
    let expected = [("hold", "FAIL"), ("hold", "PASS"), ("witness", "PASS")];
    assert_eq!(json!(took), json!(expected), "{journal:#?}");
    assert_eq!(journal[2]["rules"][0]["text"], "PASSED, now publish.");

    // From the second stop on the client says that a hook made it go on; the loop must not end for that.
    let active: Vec<_> = sent(&project).iter().map(|event| event["stop_hook_active"].clone()).collect();
    assert_eq!(active, [false, true, true]);
    assert_eq!(model.shown().len(), 5, "a prompt, two requests to mend, two files written");
    assert_eq!(printed.json()["subtype"], "success", "{}", printed.stdout);
    assert_eq!(printed.json()["result"], "I am done.");
}
