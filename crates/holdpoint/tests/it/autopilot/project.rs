//! A repository with a spec, a small test runner, and an agent's hands in it: its shell, its tools, its hook events.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use holdpoint::allow::identity::Identity;
use serde_json::{Value as Json, json};

use crate::project::{Printed, Project, WIDE, allow, books, feed};

/// The session of the agent at work.
pub(crate) const SESSION: &str = "6a1f0c2e-0001-4000-8000-000000000001";
/// The spec.
pub(crate) const SPEC: &str = "ai/features/FTR-7-cart.md";
/// The state.
pub(crate) const STATE: &str = "autopilot-state.json";

/// A runner in the manner of pytest: every `test_*.sh` below `tests` is a test; 77 is the exit code of one that skips.
const RUNNER: &str = r#"#!/bin/sh
passed=0; failed=0; skipped=0
for each in $(find tests -name 'test_*.sh' | sort); do
  said=$(sh "$each" 2>&1)
  case $? in
    0) passed=$((passed + 1));;
    77) skipped=$((skipped + 1));;
    *)
      [ $failed -ne 0 ] || echo "=========== short test summary info ==========="
      failed=$((failed + 1)); echo "FAILED $each::$(basename "$each" .sh) - $said";;
  esac
done
and=; [ $skipped -eq 0 ] || and=", $skipped skipped"
[ $failed -eq 0 ] || { echo "$failed failed, $passed passed$and in 0.01s"; exit 1; }
[ $passed -ne 0 ] || { echo "no tests ran in 0.00s"; exit 5; }
echo "$passed passed$and in 0.01s"
"#;

/// In the place of reviewers, debugger and council: keeps what it was asked and gives the next answer of its queue; then a
/// reviewer approves, a debugger has nothing to add, and the council leaves it to the user.
const CLAUDE: &str = r#"#!/bin/sh
here=$(dirname -- "$0")
for prompt; do :; done
case $prompt in
  "You are a debugger"*) who=debugger other=skipped;;
  "You are one of three"* | "You chair a council"*) who=council other=needs_human;;
  *) who=reviewer other=approved;;
esac
count=$(($(cat "$here/$who.count" 2>/dev/null || echo 0) + 1))
echo $count >"$here/$who.count"
printf '%s\n' "$prompt" >"$here/$who.asked.$count"
answer=$(sed -n "${count}p" "$here/$who.answers" 2>/dev/null)
[ -n "$answer" ] || answer="{\"structured_output\":{\"verdict\":\"$other\",\"notes\":\"nothing to add\"}}"
printf '%s\n' "$answer"
"#;

/// The rest of the spec, after the plan.
pub(crate) const ACCEPTANCE: &str = "\
| ID | Check | Command / Action | Expected | Timeout |
|----|-------|------------------|----------|---------|
| AV-S1 | it loads | `python3 -B -c 'import cart'` | exit 0 | 20s |

| ID | Check | Setup | Action | Expected |
|----|-------|-------|--------|----------|
| AV-F1 | it adds up | | `python3 -B -c 'import cart; print(cart.total([1, 2]))'` | prints `3` |
";

/// Two tasks.
pub(crate) const PLAN: &str = "\
### Task 1: total
**Files:** `cart.py`, `tests/test_total.sh`
The sum of the prices.

### Task 2: discount
**Files:** `cart.py`, `tests/test_off.sh`
Ten percent off.
";

/// A repository at some point of a run.
pub(crate) struct Site {
    project: Project,
    /// Whether this process is known as the agent's client.
    is_client: AtomicBool,
}

impl Site {
    /// An empty folder, for a user of git.
    pub(crate) fn bare() -> Site {
        let site = Site { project: Project::new(), is_client: AtomicBool::new(false) };
        site.project.write("tools/.gitconfig", "[user]\n\tname = A\n\temail = a@example.com\n[init]\n\tdefaultBranch = work\n[alias]\n\tci = commit\n");
        std::fs::create_dir(site.root()).unwrap();
        site
    }

    /// A repository with one commit, and a spec with this plan and these acceptance checks.
    pub(crate) fn with(plan: &str, acceptance: &str) -> Site {
        let site = Site::bare();
        site.script("tools/claude", CLAUDE).script("repo/test", RUNNER);
        site.write(SPEC, &spec(&["cart.py", "tests/*.sh", "src/**"], plan, acceptance));
        site.write("ai/backlog.md", BACKLOG);
        site.write("cart.py", "def total(prices):\n    return 0\n").write("shop.py", "OPEN = True\n");
        site.write("tests/test_base.sh", "test -f cart.py\n");
        site.write("tests/contracts/test_shop.sh", "grep -q 'OPEN = True' shop.py\n");
        site.write("tests/regression/test_old.sh", "grep -q '^def total' cart.py\n");
        site.write(".gitignore", "autopilot-state.json\n")
            .write(".claude/settings.json", "{\"hooks\": {}}\n");
        site.git("init --quiet && git add --all && git commit --quiet --message 'chore(cart): begin'");
        site
    }

    /// A repository with these files in one commit, and a spec with two tasks that lets the `allowed` ones be changed.
    pub(crate) fn of(files: &[(&str, &str)], allowed: &[&str]) -> Site {
        let site = Site::bare();
        site.script("tools/claude", CLAUDE).write(SPEC, &spec(allowed, PLAN, "N/A"));
        site.write("ai/backlog.md", BACKLOG);
        for (path, text) in files {
            site.write(path, text);
        }
        site.git("init --quiet && git add --all && git commit --quiet --message 'chore(cart): begin'");
        site
    }

    /// The same with two tasks, a smoke and a functional check.
    pub(crate) fn new() -> Site {
        Site::with(PLAN, ACCEPTANCE)
    }

    /// A copy of it as it stands.
    pub(crate) fn copy(&self) -> Site {
        let copy = Project::new();
        let from = format!("{}/.", self.project.root().display());
        let copied = Command::new("cp").args(["-a", &from]).arg(copy.root()).status().unwrap();
        assert!(copied.success());
        let copy = Site { project: copy, is_client: AtomicBool::new(false) };
        copy.take_trees_of(self);
        copy
    }

    /// Takes over the trees and books of the site that this is a copy of: they are kept by project, outside of it.
    fn take_trees_of(&self, other: &Site) {
        let kept = |site: &Site| {
            let id = Identity::of(&site.root()).unwrap().id;
            site.project.state().join("holdpoint/projects").join(id)
        };
        for part in ["git", "books"].map(|part| (kept(other).join(part), kept(self).join(part))) {
            if part.0.exists() {
                std::fs::create_dir_all(part.1.parent().unwrap()).unwrap();
                let copied = Command::new("cp").arg("-a").args([part.0, part.1]).status().unwrap();
                assert!(copied.success());
            }
        }
        // The user has taken the run over: this is a site of its own.
        let _ = std::fs::remove_dir_all(self.root().join(".git/holdpoint"));
        let _ = std::fs::remove_file(self.book("home"));
    }

    /// Writes a program, in `repo` or in `tools`.
    pub(crate) fn script(&self, path: &str, text: &str) -> &Site {
        self.project.write(path, text);
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(self.project.root().join(path), executable).unwrap();
        self
    }

    /// A file of the repository's books.
    pub(crate) fn book(&self, name: &str) -> PathBuf {
        books(self.project.state(), &self.root()).base().join(name)
    }

    /// What is in a file of the repository's books.
    pub(crate) fn read_book(&self, name: &str) -> String {
        std::fs::read_to_string(self.book(name)).unwrap()
    }

    /// The repository.
    pub(crate) fn root(&self) -> PathBuf {
        self.project.root().join("repo")
    }

    /// The folder of the scripted reviewers: no part of the repository.
    pub(crate) fn tools(&self) -> PathBuf {
        self.project.root().join("tools")
    }

    /// Where everything is that is kept of the user.
    #[cfg(target_os = "linux")]
    pub(crate) fn books_folder(&self) -> PathBuf {
        self.project.state().join("holdpoint")
    }

    /// Writes a file of the repository, past every hook.
    pub(crate) fn write(&self, path: &str, text: &str) -> &Site {
        self.project.write(&format!("repo/{path}"), text);
        self
    }

    /// A git hook of the repository.
    pub(crate) fn git_hook(&self, name: &str, script: &str) -> &Site {
        self.script(&format!("repo/.git/hooks/{name}"), script)
    }

    /// A file of the repository.
    pub(crate) fn read(&self, path: &str) -> String {
        self.project.read(&format!("repo/{path}"))
    }

    /// What the reviewers (or the debugger) answer, one line a call.
    pub(crate) fn answers(&self, who: &str, answers: &[Json]) -> &Site {
        let lines = answers.iter().map(|answer| format!("{}\n", json!({ "structured_output": answer })));
        self.project.write(&format!("tools/{who}.answers"), lines.collect::<String>());
        self
    }

    /// What the reviewer or debugger was asked in a call, from 1.
    pub(crate) fn asked(&self, who: &str, call: usize) -> String {
        self.project.read(&format!("tools/{who}.asked.{call}"))
    }

    /// The user allows the project at a terminal. From then on this process is known as the agent's client, so that all
    /// below it is the agent's, whatever variables it has, and nothing is allowed any more.
    pub(crate) fn has_client(&self) {
        allow(self.project.state(), &self.root());
        let mut allowing = self.later(env!("CARGO_BIN_EXE_holdpoint"), "");
        allowing.args(["allow", "--yes"]);
        let printed = crate::terminal::at_terminal(allowing, "");
        assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
        self.is_client.store(true, Ordering::SeqCst);
        self.hook_as(SESSION, json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"}));
    }

    /// A program in the repository, as in the shell of the agent of this session; of a user, if it is empty. Unless an
    /// agent's client is at work, the user has just allowed the project as it is, and so its programs.
    pub(crate) fn program(&self, name: &str, session: &str) -> Command {
        if !self.is_client.load(Ordering::SeqCst) {
            allow(self.project.state(), &self.root());
        }
        self.later(name, session)
    }

    /// Hands an event to the hook: by a pipe, or by a socket as a client does.
    fn send(&self, hook: Command, event: &Json) -> Printed {
        let event = event.to_string();
        if self.is_client.load(Ordering::SeqCst) {
            by_socket(hook, &event)
        } else {
            feed(hook, event.as_bytes())
        }
    }

    /// The same, and nobody has allowed anything meanwhile.
    pub(crate) fn later(&self, name: &str, session: &str) -> Command {
        let ours = Path::new(env!("CARGO_BIN_EXE_holdpoint")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        // A program that is called like the shell is for the agent to find, not for these tests.
        let mut command = Command::new(if name == "sh" { "/bin/sh" } else { name });
        command
            .current_dir(self.root())
            .env_clear()
            .env("HOME", self.tools())
            .env("HOLDPOINT_ORGANISATION", "/nonexistent")
            .env("HOLDPOINT_OUTERMOST", std::process::id().to_string())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("XDG_STATE_HOME", self.project.state())
            .env(WIDE.0, WIDE.1);
        command.env("PATH", format!("{}:{}:{path}", self.tools().display(), ours.display()));
        if !session.is_empty() {
            command.env("CLAUDE_CODE_SESSION_ID", session);
        }
        command
    }

    /// Runs a line in the agent's shell.
    pub(crate) fn shell(&self, line: &str) -> Printed {
        self.unseen(&self.seen(SESSION, line))
    }

    /// What the hook before a shell call makes of it: the agent's shell runs that.
    fn seen(&self, session: &str, line: &str) -> String {
        if !line.contains("holdpoint") || session.is_empty() {
            return line.to_owned();
        }
        let event = json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": self.root(),
            "tool_name": "Bash", "tool_input": {"command": line}});
        let answer = self.answered("claude", &event);
        let instead = &answer["hookSpecificOutput"]["updatedInput"]["command"];
        instead.as_str().unwrap_or(line).to_owned()
    }

    /// What the hook answers to an event of an agent.
    pub(crate) fn answered(&self, agent: &str, event: &Json) -> Json {
        let mut hook = self.program(env!("CARGO_BIN_EXE_holdpoint"), "");
        hook.args(["hook", "--agent", agent]);
        self.send(hook, event).json()
    }

    /// Runs a line in the agent's shell as if no hook had seen it.
    pub(crate) fn unseen(&self, line: &str) -> Printed {
        let mut shell = self.program("sh", SESSION);
        shell.args(["-c", line]);
        feed(shell, b"")
    }

    /// Runs a line that must work, and returns what it prints.
    pub(crate) fn sh(&self, line: &str) -> String {
        let printed = self.shell(line);
        assert_eq!(printed.code, Some(0), "{line}: {}{}", printed.stdout, printed.stderr);
        printed.stdout.trim_end().to_owned()
    }

    /// What git prints.
    pub(crate) fn git(&self, words: &str) -> String {
        self.sh(&format!("git {words}"))
    }

    /// One of the workflow's commands, typed by the agent.
    pub(crate) fn tell(&self, words: &[&str]) -> Printed {
        self.tell_as(SESSION, words)
    }

    /// The same, typed in the shell of this session, or by the user.
    pub(crate) fn tell_as(&self, session: &str, words: &[&str]) -> Printed {
        let quoted = words.iter().map(|word| format!(" '{}'", word.replace('\'', r"'\''")));
        let line = format!("holdpoint autopilot{}", quoted.collect::<String>());
        let mut shell = self.program("sh", session);
        shell.args(["-c", &self.seen(session, &line)]);
        feed(shell, b"")
    }

    /// One of the workflow's commands, which must do what it is asked.
    pub(crate) fn done(&self, words: &[&str]) -> String {
        let printed = self.tell(words);
        assert_eq!(printed.code, Some(0), "{words:?}: {}{}", printed.stdout, printed.stderr);
        printed.stdout
    }

    /// Takes up the spec.
    pub(crate) fn start(&self, more: &[&str]) -> String {
        self.done(&[&["start", SPEC], more].concat())
    }

    /// What is due.
    pub(crate) fn next(&self) -> String {
        self.done(&["next"])
    }

    /// The state.
    pub(crate) fn state(&self) -> Json {
        serde_json::from_str(&self.read(STATE)).unwrap()
    }

    /// The phase that is due.
    pub(crate) fn phase(&self) -> String {
        self.state()["phase"].as_str().unwrap().to_owned()
    }

    /// A task of the state, from 1.
    pub(crate) fn task(&self, id: usize) -> Json {
        self.state()["tasks"][id - 1].clone()
    }

    /// What the engine saw itself.
    pub(crate) fn evidence(&self) -> Vec<Json> {
        let printed = self.sh("holdpoint evidence --json");
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What the hook answers to an event of this session.
    pub(crate) fn hook_as(&self, session: &str, mut event: Json) -> Json {
        event["session_id"] = json!(session);
        event["cwd"] = json!(self.root());
        event["transcript_path"] = json!(self.tools().join("transcript.jsonl"));
        event["permission_mode"] = json!("bypassPermissions");
        let mut command = self.program(env!("CARGO_BIN_EXE_holdpoint"), "");
        command.args(["hook", "--agent", "claude"]).env("CLAUDE_PROJECT_DIR", self.root());
        let printed = self.send(command, &event);
        assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""));
        printed.json()
    }

    /// The rule that holds a tool call, and what it says; none: the call is let through.
    pub(crate) fn held(&self, session: &str, tool: &str, input: &Json) -> Option<(String, String)> {
        self.called(session, tool, input).0
    }

    /// The same, and the command that the shell runs instead, if the hook has performed this one.
    pub(crate) fn called(
        &self,
        session: &str,
        tool: &str,
        input: &Json,
    ) -> (Option<(String, String)>, Option<String>) {
        let event = json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input});
        let answer = self.hook_as(session, event);
        let specific = &answer["hookSpecificOutput"];
        let held = (specific["permissionDecision"] == "deny")
            .then(|| (self.last_rule(), specific["permissionDecisionReason"].as_str().unwrap().to_owned()));
        (held, specific["updatedInput"]["command"].as_str().map(str::to_owned))
    }

    /// The rule that held last, as the journal has it.
    pub(crate) fn last_rule(&self) -> String {
        let line = self.read_book("journal.jsonl").lines().next_back().unwrap().to_owned();
        let entry: Json = serde_json::from_str(&line).unwrap();
        entry["rules"][0]["rule"].as_str().unwrap_or_else(|| panic!("{entry}")).to_owned()
    }

    /// What a Stop of this session is answered.
    pub(crate) fn stop_as(&self, session: &str) -> Json {
        self.hook_as(session, json!({"hook_event_name": "Stop", "stop_hook_active": true}))
    }

    /// What a Stop is held with; empty: the agent may go.
    pub(crate) fn stop(&self) -> String {
        let answer = self.stop_as(SESSION);
        assert_eq!(answer["decision"] == "block", answer["reason"] != Json::Null, "{answer}");
        answer["reason"].as_str().unwrap_or_default().to_owned()
    }

    /// A commit's tree without what is no part of the work, as git itself would write it.
    pub(crate) fn bare_tree(&self, commit: &str) -> String {
        self.sh(&format!(
            "export GIT_INDEX_FILE=$PWD/.git/bare-index; git read-tree {commit} && \
             git rm -r -q -f --cached --ignore-unmatch ai .holdpoint {STATE} && git write-tree; rm -f .git/bare-index"
        ))
    }
}

/// The list of specs.
const BACKLOG: &str =
    "| ID | Name | Status |\n|---|---|---|\n| FTR-6 | shop | queued |\n| FTR-7 | cart | queued |\n";

/// A spec.
fn spec(allowed: &[&str], plan: &str, acceptance: &str) -> String {
    let allowed: String = allowed.iter().map(|path| format!("- `{path}`\n")).collect();
    format!(
        "# Cart\n\n**Status:** queued | **Priority:** P1\n\n## Allowed Files\n\n{allowed}\n\
         ## Implementation Plan\n\n{plan}\n## Acceptance Verification\n\n{acceptance}\n## Notes\n\nNone.\n"
    )
}

/// Hands an event over by a socket of this process.
fn by_socket(mut hook: Command, event: &str) -> Printed {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    hook.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = hook.spawn().unwrap();
    drop(hook);
    ours.write_all(event.as_bytes()).unwrap();
    drop(ours);
    child.wait_with_output().unwrap().into()
}
