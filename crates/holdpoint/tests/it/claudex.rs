//! The loop in which a second agent attacks a plan, from outside: a real repository, the real binary, the commands as
//! its texts print them, and a shell script in the place of the reviewer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project, WIDE, feed};

#[cfg(target_os = "linux")]
mod crash;
mod engine;
mod faults;
mod places;
mod races;
mod rounds;
mod smoke;
mod topics;

/// The folder of the loops.
pub(crate) const LOOPS: &str = ".claude/claudex";
/// The session of the agent at work.
const SESSION: &str = "s";

/// In the place of the reviewer. It keeps what it was given, stops as an agent with hooks would, and leaves the answer
/// prepared for this call where the prompt says.
const CODEX: &str = r#"#!/bin/sh
here=$(dirname -- "$0")
count=$(($(cat "$here/calls" 2>/dev/null || echo 0) + 1))
echo $count >"$here/calls"
cat >"$here/prompt-$count"
printf '%s\n' "$*" "$PWD" >"$here/words-$count"
echo '{"hook_event_name":"Stop"}' | holdpoint hook >"$here/hook-$count"
round=$(grep -m1 -x '/.*/findings-round-[0-9]*\.md' "$here/prompt-$count")
review=$(sed -n 's|^1\. \(/.*/reviews/review-.*\.md\), in exactly this form:$|\1|p' "$here/prompt-$count")
fixes=$(sed -n 's|^2\. \(/.*/reviews/proposed-fixes-.*\.md\): for each .*|\1|p' "$here/prompt-$count")
[ -z "$fixes" ] || echo fixes >"$fixes"
cp "$here/answer-$count" "${round:-$review}"
"#;

/// A repository, and a folder on PATH that has the reviewer.
pub(crate) struct Site {
    pub(crate) project: Project,
    tools: Project,
}

impl Site {
    /// A repository without a loop; the reviewer will give these answers, one a call.
    pub(crate) fn new(answers: &[String]) -> Site {
        let site = Site { project: Project::new(), tools: Project::new() };
        site.tools.write("codex", CODEX);
        make_executable(&site.tools.root().join("codex"));
        for (count, answer) in answers.iter().enumerate() {
            site.tools.write(&format!("answer-{}", count + 1), answer);
        }
        let mut git = Command::new("git");
        git.args(["init", "--quiet"]).current_dir(site.project.root());
        git.env("HOME", site.tools.root()).env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(git.status().unwrap().success());
        site
    }

    pub(crate) fn root(&self) -> &Path {
        self.project.root()
    }

    /// A file of the project's books.
    pub(crate) fn book(&self, name: &str) -> PathBuf {
        self.project.book(name)
    }

    /// What the reviewer kept of one of its calls.
    pub(crate) fn kept(&self, what: &str, call: usize) -> String {
        self.tools.read(&format!("{what}-{call}"))
    }

    /// A program in this folder, with the reviewer and our binary on PATH, in the agent's session.
    fn prepared(&self, mut command: Command, folder: &Path) -> Command {
        let ours = Path::new(env!("CARGO_BIN_EXE_holdpoint")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        command.current_dir(folder).env_clear().env("HOME", self.tools.root());
        command.env("PATH", format!("{}:{}:{path}", self.tools.root().display(), ours.display()));
        command.env("CLAUDE_CODE_SESSION_ID", SESSION).env("XDG_STATE_HOME", self.project.state());
        command.env(WIDE.0, WIDE.1);
        self.project.allow();
        command
    }

    /// Runs a line in a shell in this folder.
    pub(crate) fn shell_in(&self, folder: &Path, line: &str) -> Printed {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]);
        feed(self.prepared(shell, folder), b"")
    }

    /// Runs a line in a shell in the repository.
    pub(crate) fn shell(&self, line: &str) -> Printed {
        self.shell_in(self.root(), line)
    }

    /// One of the workflow's commands in this folder.
    pub(crate) fn tell_in(&self, folder: &Path, words: &[&str]) -> Printed {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
        command.arg("claudex").args(words);
        feed(self.prepared(command, folder), b"")
    }

    /// One of the workflow's commands.
    pub(crate) fn tell(&self, words: &[&str]) -> Printed {
        self.tell_in(self.root(), words)
    }

    /// One of the workflow's commands, which must do what it is asked.
    pub(crate) fn done(&self, words: &[&str]) -> String {
        let printed = self.tell(words);
        assert_eq!(printed.code, Some(0), "{words:?}: {}{}", printed.stdout, printed.stderr);
        printed.stdout
    }

    /// A prompt of the user's: from then on the session is known.
    fn begin(&self) {
        let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "cwd": self.root(),
            "prompt": "go on"});
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
        command.args(["hook", "--agent", "claude"]);
        feed(self.prepared(command, self.root()), event.to_string().as_bytes());
    }

    /// Starts a loop and returns its id.
    pub(crate) fn start(&self, words: &[&str]) -> String {
        self.begin();
        let printed = self.done(&[&["start"], words].concat());
        printed.lines().find_map(|line| line.strip_prefix("ID: ")).unwrap().to_owned()
    }

    /// The agent of this session stops in this folder.
    pub(crate) fn stop_as(&self, session: &str, folder: &Path) -> Answer {
        let event = json!({"hook_event_name": "Stop", "session_id": session, "cwd": folder, "stop_hook_active": true});
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
        command.args(["hook", "--agent", "claude"]);
        Answer::of(feed(self.prepared(command, folder), event.to_string().as_bytes()))
    }

    /// The agent at work stops.
    pub(crate) fn stop(&self) -> Answer {
        self.stop_as(SESSION, self.root())
    }

    /// Leaves findings of a round, as its reviewer does.
    pub(crate) fn find(&self, id: &str, round: usize) {
        let name = format!("{LOOPS}/{id}/findings-round-{round}.md");
        self.project.write(&name, format!("# Round {round} findings\n\n## Low\n\n- A word (mend it)\n"));
    }

    /// The state of a loop.
    pub(crate) fn state(&self, id: &str) -> BTreeMap<String, String> {
        state(&self.project, id)
    }

    /// Of the state of a loop: its phase, its round, and what was decided.
    pub(crate) fn stands(&self, id: &str) -> (String, String, String) {
        let state = self.state(id);
        (state["phase"].clone(), state["round"].clone(), state["decision_signal"].clone())
    }

    /// A file of a loop: `-runner.sh`, `/findings-round-1.md` and so on.
    pub(crate) fn file(&self, id: &str, rest: &str) -> PathBuf {
        self.root().join(format!("{LOOPS}/{id}{rest}"))
    }
}

/// What a Stop was answered.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    /// What the agent is sent back with; empty: it may go.
    pub(crate) hold: String,
    /// What the user is told.
    pub(crate) message: String,
}

impl Answer {
    fn of(printed: Printed) -> Answer {
        assert_eq!(printed.code, Some(0), "{}", printed.stderr);
        let answer = printed.json();
        let text = |field: &str| answer[field].as_str().unwrap_or_default().to_owned();
        assert_eq!(answer["decision"] == "block", answer["reason"] != Json::Null, "{answer}");
        Answer { hold: text("reason"), message: text("systemMessage") }
    }

    /// Whether the agent may go and the user is told nothing.
    pub(crate) fn is_silent(&self) -> bool {
        self.hold.is_empty() && self.message.is_empty()
    }

    /// The command in the text that begins so, as it is printed.
    pub(crate) fn command(&self, start: &str) -> &str {
        let mut lines = self.hold.lines().chain(self.message.lines()).map(str::trim);
        lines.find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no `{start}`: {self:?}"))
    }
}

/// The state of a loop, letter for letter.
pub(crate) fn state(project: &Project, id: &str) -> BTreeMap<String, String> {
    let text = project.read(&format!("{LOOPS}/{id}.state"));
    let pairs = text.lines().map(|line| line.split_once(':').unwrap_or_else(|| panic!("no field: {line:?}")));
    pairs.map(|(key, value)| (key.to_owned(), value.trim_start().to_owned())).collect()
}

/// A report with so many findings of each severity.
pub(crate) fn report(round: usize, counts: [usize; 3]) -> String {
    let section = |(name, count): (&str, usize)| {
        let items = (1..=count).map(|n| format!("- {name} thing {n} of round {round} (mend it)\n"));
        format!("\n## {name}\n{}", items.collect::<String>())
    };
    let sections = ["High", "Medium", "Low"].into_iter().zip(counts).map(section);
    format!("# Round {round} findings\n{}", sections.collect::<String>())
}

/// The files in a folder and below, by their paths from it.
pub(crate) fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for path in std::fs::read_dir(&next).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

fn make_executable(path: &Path) {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}
