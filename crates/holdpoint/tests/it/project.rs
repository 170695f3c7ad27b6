//! A project in a temporary folder, and the program run in it: no home, no inherited variables, no sleeping.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use holdpoint::allow::Allowance;
use holdpoint::env::Env;
use holdpoint::env_vars::{ORGANISATION, OUTERMOST, XDG_STATE_HOME};
use holdpoint::store::books::Books;
use serde_json::Value as Json;

/// A folder with a project in it.
pub(crate) struct Project {
    _temporary: tempfile::TempDir,
    root: PathBuf,
    state: tempfile::TempDir,
}

/// A terminal on which no line is folded: how wide a test's folder is, is chance.
pub(crate) const WIDE: (&str, &str) = ("COLUMNS", "1000");

/// A user of whom only the state folder is known.
pub(crate) struct User<'a>(pub(crate) &'a Path);

impl Env for User<'_> {
    fn var(&self, name: &str) -> Option<String> {
        (name == XDG_STATE_HOME).then(|| self.0.to_str().unwrap().to_owned())
    }
}

/// Allows all that a project brings along, as a user with this state folder would.
pub(crate) fn allow(state: &Path, root: &Path) {
    // What cannot be allowed is the test's own business.
    let _ = Allowance::of(&User(state)).allow_all(root);
}

/// The books of a home, of a user with this state folder.
pub(crate) fn books(state: &Path, home: &Path) -> Books {
    Books::of(home, &User(state))
}

/// What the program printed.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Printed {
    /// Standard output as JSON; null if it is empty.
    pub(crate) fn json(&self) -> Json {
        if self.stdout.is_empty() { Json::Null } else { serde_json::from_str(&self.stdout).unwrap() }
    }
}

impl From<Output> for Printed {
    fn from(output: Output) -> Printed {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Printed { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Project {
    /// An empty folder.
    pub(crate) fn new() -> Project {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        Project { _temporary: temporary, root, state: tempfile::tempdir().unwrap() }
    }

    /// Where the user's state is kept.
    pub(crate) fn state(&self) -> &Path {
        self.state.path()
    }

    /// Allows all that is in the project, as its user would.
    pub(crate) fn allow(&self) {
        allow(self.state(), &self.root);
    }

    /// The folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The project's books.
    pub(crate) fn books(&self) -> Books {
        books(self.state(), &self.root)
    }

    /// A file of the project's books.
    pub(crate) fn book(&self, name: &str) -> PathBuf {
        self.books().base().join(name)
    }

    /// What is in a file of the project's books.
    pub(crate) fn read_book(&self, name: &str) -> String {
        std::fs::read_to_string(self.book(name)).unwrap()
    }

    /// Writes a file of the project's books, as nobody but the engine should.
    pub(crate) fn write_book(&self, name: &str, text: impl AsRef<[u8]>) -> &Project {
        let full = self.book(name);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
        self
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Project {
        let full = self.root.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
        self
    }

    /// Reads a file.
    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// Removes a file.
    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.root.join(path)).unwrap();
    }

    /// Calls git in the folder; what it printed.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git").arg("-C").arg(&self.root).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A workflow of the project's own, by its file's text.
    pub(crate) fn workflow(&self, name: &str, text: &str) -> &Project {
        self.write(&format!(".holdpoint/workflows/{name}/workflow.toml"), text)
    }

    /// The program in this folder with these arguments, in a project that its user has allowed as it is now.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.allow();
        self.stranger(args)
    }

    /// The same in a project as it came: nobody has allowed anything.
    pub(crate) fn stranger(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
        command.args(args).current_dir(&self.root).env_clear();
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.root.join("no-home"))
            .env(XDG_STATE_HOME, self.state())
            .env(ORGANISATION, "/nonexistent")
            .env(OUTERMOST, std::process::id().to_string())
            .env(WIDE.0, WIDE.1);
        command
    }

    /// Runs the program without input.
    pub(crate) fn run(&self, args: &[&str]) -> Printed {
        self.command(args).stdin(Stdio::null()).output().unwrap().into()
    }

    /// Runs the program with input.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Printed {
        feed(self.command(args), input)
    }

    /// Sends an event to the hook.
    pub(crate) fn hook(&self, event: &Json) -> Printed {
        self.run_with(&["hook"], event.to_string().as_bytes())
    }

    /// The journal's lines about events and commands.
    pub(crate) fn journal(&self) -> Vec<Json> {
        self.lines().into_iter().filter(|line| line.get("kind").is_none()).collect()
    }

    /// All lines of the journal. A hook that sees another's line half written leaves an empty one before its own.
    pub(crate) fn lines(&self) -> Vec<Json> {
        let text = std::fs::read_to_string(self.book("journal.jsonl")).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Runs a command with input; a reader that leaves early is no fault.
pub(crate) fn feed(mut command: Command, input: &[u8]) -> Printed {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap().into()
}
