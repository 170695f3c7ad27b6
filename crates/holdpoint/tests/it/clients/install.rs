//! The clients themselves, and test runners of JavaScript: installed from the npm registry, or why they are not.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A client, in the two versions that docs/reference/agents.md names.
pub(crate) struct Client {
    package: &'static str,
    /// The oldest one that these tests pass with, which they usually run on.
    pub(crate) oldest: &'static str,
    /// The newest one that they have passed with.
    pub(crate) newest: &'static str,
    found: OnceLock<Result<PathBuf, String>>,
}

pub(crate) static CLAUDE: Client = Client {
    package: "@anthropic-ai/claude-code",
    oldest: "2.1.197",
    newest: "2.1.326",
    found: OnceLock::new(),
};
pub(crate) static CODEX: Client =
    Client { package: "@openai/codex", oldest: "0.166.0", newest: "0.169.0", found: OnceLock::new() };
pub(crate) static GEMINI: Client =
    Client { package: "@google/gemini-cli", oldest: "0.61.0", newest: "0.61.0", found: OnceLock::new() };

/// Test runners, for runs in projects that have them.
pub(crate) static JEST: Client =
    Client { package: "jest", oldest: "29.7.0", newest: "29.7.0", found: OnceLock::new() };
pub(crate) static VITEST: Client =
    Client { package: "vitest", oldest: "2.1.9", newest: "2.1.9", found: OnceLock::new() };

/// Says which versions are tested: `newest` is what the registry has now, anything else the oldest ones.
const WHICH: &str = "HOLDPOINT_CLIENTS";

/// Whether the newest versions are tested.
pub(crate) fn is_newest() -> bool {
    std::env::var(WHICH).is_ok_and(|which| which == "newest")
}

impl Client {
    /// The version that is tested.
    fn version(&self) -> Result<String, String> {
        match std::env::var(WHICH).as_deref() {
            Ok("newest") => self.registered(),
            Ok("oldest") | Err(_) => Ok(self.oldest.to_owned()),
            Ok(other) => panic!("{WHICH} is `{other}`, and not `oldest` or `newest`"),
        }
    }

    /// The newest version that the registry has.
    fn registered(&self) -> Result<String, String> {
        let mut npm = Command::new("npm");
        npm.args(["view", "--fetch-retries=1", self.package, "version"]);
        let output = npm.stdin(Stdio::null()).output().map_err(|error| format!("npm: {error}"))?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let is_version = version.starts_with(|c: char| c.is_ascii_digit());
        is_version.then_some(version).ok_or_else(|| "npm view told no version".to_owned())
    }

    /// The folder with its node modules; none if the test is to be skipped.
    pub(crate) fn modules(&self) -> Option<PathBuf> {
        install_all();
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
        let package = format!("{}@{}", self.package, self.version()?);
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

/// Installs all of them, and takes the test off the network: before its model listens there, and once.
pub(crate) fn install_all() {
    for client in [&CLAUDE, &CODEX, &GEMINI, &JEST, &VITEST] {
        client.found.get_or_init(|| client.install());
    }
    #[cfg(target_os = "linux")]
    super::offline::leave_network();
}

/// Claude Code's native program, of whatever platform npm has chosen.
pub(super) fn claude() -> Option<PathBuf> {
    let folder = CLAUDE.modules()?.join("@anthropic-ai");
    let programs = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path().join("claude"));
    let program = programs.into_iter().find(|program| program.is_file());
    Some(program.unwrap_or_else(|| panic!("no program `claude` below {}", folder.display())))
}

pub(super) fn codex() -> Option<PathBuf> {
    Some(CODEX.modules()?.join(".bin/codex"))
}

pub(super) fn gemini() -> Option<PathBuf> {
    Some(GEMINI.modules()?.join(".bin/gemini"))
}
