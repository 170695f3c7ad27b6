//! A repository with a run that tests and reviews, a user with an SSH key, and what others could do with it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use holdpoint::env_vars::ORGANISATION;
use serde_json::Value as Json;

use crate::project::{Printed, Project, allow, books};

const WORKFLOW: &str = r#"
about = "Tests, then a review."

[run]
home   = "state.json"
state  = "state.json"
sealed = true
due    = "phase"
aside  = ["state.json", ".holdpoint/**", "notes/**"]

[phases.suite]
by    = "check"
check = "suite"
then.pass = "look"
then.fail = "idle"

[phases.look]
by     = "reviewer"
prompt = "LOOK"
then.pass  = "idle"
then.fail  = "idle"
then.fault = { tell = "NO REVIEW: {{ because }}" }

[phases.idle]
by = "user"

[checks.suite]
tests = ["sh", "test.sh", "--fast"]

[reviewers.critic]
command    = ["critic", "{{ prompt }}"]
verdict_at = ["verdict"]

[fields]
phase = ""

[commands.go]
about   = "Proves the files as they are"
through = ["all"]
steps   = [
  { when = "not run.has_state", create = true, set = { phase = "suite" }, say = "" },
  { set = { phase = "suite" }, say = "" },
]
"#;

const TEST: &str = "#!/bin/sh\ngrep -q 'x = 1' a.py || { echo '1 failed, 1 passed in 0.1s'; exit 1; }\necho '2 passed in 0.1s'\n";
const CRITIC: &str = "#!/bin/sh\necho '{\"verdict\": \"pass\", \"notes\": \"SECRET NOTES\"}'\n";

/// A repository at some point of its life.
pub(super) struct Site {
    project: Project,
}

impl Site {
    /// A file of the repository's books.
    pub(super) fn book(&self, name: &str) -> PathBuf {
        books(self.project.state(), &self.root()).base().join(name)
    }

    /// A repository with files that nobody has proved or committed yet.
    pub(super) fn new() -> Site {
        let site = Site { project: Project::new() };
        site.script("tools/critic", CRITIC);
        site.project.write("tools/.gitconfig", "[user]\n\tname = A\n\temail = a@example.com\n");
        site.write(".holdpoint/workflows/flow/workflow.toml", WORKFLOW);
        site.write("a.py", "x = 1\n").write("test.sh", TEST).write("notes/n.md", "aside\n");
        site.sh("git init --quiet --initial-branch main");
        site
    }

    /// The same with a commit that was proved.
    pub(super) fn proved() -> Site {
        let site = Site::new();
        site.prove();
        site.commit("a thing");
        site
    }

    /// The same with a key, and an attestation that is signed with it.
    pub(super) fn attested() -> Site {
        let site = Site::proved();
        site.key("me");
        site.sign_with("me");
        site.allow_signer("me", "");
        site.ok(&["attest"]);
        site
    }

    pub(super) fn root(&self) -> PathBuf {
        self.project.root().join("repo")
    }

    pub(super) fn tools(&self) -> PathBuf {
        self.project.root().join("tools")
    }

    fn script(&self, path: &str, text: &str) {
        self.project.write(path, text);
        std::fs::set_permissions(self.project.root().join(path), PermissionsExt::from_mode(0o755)).unwrap();
    }

    pub(super) fn write(&self, path: &str, text: &str) -> &Site {
        self.project.write(&format!("repo/{path}"), text);
        self
    }

    pub(super) fn read(&self, path: &str) -> String {
        self.project.read(&format!("repo/{path}"))
    }

    /// A program in a folder, for a user who has nothing but this site.
    pub(super) fn program(&self, name: &str, folder: &Path) -> Command {
        let path = std::env::var("PATH").unwrap();
        let ours = Path::new(env!("CARGO_BIN_EXE_holdpoint")).parent().unwrap();
        let mut command = Command::new(name);
        command.current_dir(folder).env_clear().env("COLUMNS", "1000").stdin(Stdio::null());
        command.env("HOME", self.tools()).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("XDG_STATE_HOME", self.project.state()).env(ORGANISATION, "/nonexistent");
        command.env("PATH", format!("{}:{}:{path}", self.tools().display(), ours.display()));
        command
    }

    /// Runs a line of shell in the repository.
    pub(super) fn sh(&self, line: &str) -> String {
        self.sh_in(&self.root(), line)
    }

    pub(super) fn sh_in(&self, folder: &Path, line: &str) -> String {
        let output = self.program("sh", folder).args(["-c", line]).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Holdpoint in the repository, whose user has allowed it.
    pub(super) fn run(&self, args: &[&str]) -> Printed {
        allow(self.project.state(), &self.root());
        self.run_in(&self.root(), args)
    }

    /// Holdpoint in any folder.
    pub(super) fn run_in(&self, folder: &Path, args: &[&str]) -> Printed {
        self.program(env!("CARGO_BIN_EXE_holdpoint"), folder).args(args).output().unwrap().into()
    }

    /// The same, which must work.
    pub(super) fn ok(&self, args: &[&str]) -> String {
        let printed = self.run(args);
        assert_eq!(printed.code, Some(0), "{args:?}: {}{}", printed.stdout, printed.stderr);
        printed.stdout
    }

    /// What `verify` says about commits that are not proved.
    pub(super) fn refused(&self, args: &[&str]) -> String {
        let printed = self.run(&[&["verify"], args].concat());
        assert_eq!(printed.code, Some(1), "{args:?}: {}{}", printed.stdout, printed.stderr);
        format!("{}{}", printed.stdout, printed.stderr)
    }

    /// Has the files as they are tested and reviewed.
    pub(super) fn prove(&self) {
        self.ok(&["flow", "go"]);
    }

    /// Commits all files, and returns the commit.
    pub(super) fn commit(&self, message: &str) -> String {
        self.sh(&format!("git add --all && git commit --quiet --message '{message}'"));
        self.sh("git rev-parse HEAD")
    }

    /// Makes a key of this name.
    pub(super) fn key(&self, name: &str) {
        let file = self.tools().join(name);
        self.sh(&format!("ssh-keygen -q -t ed25519 -N '' -C {name} -f {}", file.display()));
    }

    /// Has git sign with a key.
    pub(super) fn sign_with(&self, name: &str) {
        let file = self.tools().join(name);
        self.sh(&format!("git config gpg.format ssh && git config user.signingKey {}", file.display()));
    }

    /// Says that a key counts, with these options of `allowed_signers`.
    pub(super) fn allow_signer(&self, name: &str, options: &str) {
        let file = self.tools().join("allowed");
        let public = self.project.read(&format!("tools/{name}.pub"));
        let line = format!("{name}@example.com {options} {public}");
        std::fs::write(&file, line).unwrap();
        self.sh(&format!("git config gpg.ssh.allowedSignersFile {}", file.display()));
    }

    /// The lines of the last commit's note.
    pub(super) fn note(&self) -> Vec<String> {
        self.sh("git notes --ref holdpoint show HEAD").lines().map(str::to_owned).collect()
    }

    /// Puts a note in the place of the last commit's, as a forger would.
    pub(super) fn forge(&self, lines: &[String]) {
        let file = self.tools().join("note");
        std::fs::write(&file, lines.join("\n") + "\n").unwrap();
        self.sh(&format!("git notes --ref holdpoint add --force --file {} HEAD", file.display()));
    }

    /// The statement in a line.
    pub(super) fn statement(&self, line: &str) -> Json {
        serde_json::from_str(&self.payload(line)).unwrap()
    }

    /// The same as it is written.
    pub(super) fn payload(&self, line: &str) -> String {
        let envelope: Json = serde_json::from_str(line).unwrap();
        let payload = envelope["payload"].as_str().unwrap();
        self.sh(&format!("printf %s '{payload}' | base64 --decode"))
    }

    /// A line with another statement in the same envelope.
    pub(super) fn restated(&self, line: &str, payload: &str) -> String {
        std::fs::write(self.tools().join("payload"), payload).unwrap();
        let encoded = self.sh(&format!("base64 --wrap 0 {}", self.tools().join("payload").display()));
        let mut envelope: Json = serde_json::from_str(line).unwrap();
        envelope["payload"] = Json::String(encoded);
        envelope.to_string()
    }

    /// A line signed with a key, for a namespace, as somebody with that key could.
    pub(super) fn signed(&self, line: &str, key: &str, namespace: &str) -> String {
        let payload = self.payload(line);
        let kind = "application/vnd.in-toto+json";
        let text = format!("DSSEv1 {} {kind} {} {payload}", kind.len(), payload.len());
        std::fs::write(self.tools().join("text"), text).unwrap();
        let (key, text) = (self.tools().join(key), self.tools().join("text"));
        let armored = self.sh(&format!(
            "ssh-keygen -q -Y sign -n {namespace} -f {} < {} | sed 1d | sed '$d' | tr -d '\\n'",
            key.display(),
            text.display()
        ));
        let mut envelope: Json = serde_json::from_str(line).unwrap();
        envelope["signatures"] = serde_json::json!([{ "sig": armored }]);
        envelope.to_string()
    }

    /// A clone of the repository with its notes, at the path of this name.
    pub(super) fn clone_to(&self, name: &str) -> PathBuf {
        let folder = self.project.root().join(name);
        self.sh(&format!("git clone --quiet . {0} && git -C {0} fetch --quiet origin refs/notes/holdpoint:refs/notes/holdpoint", folder.display()));
        folder
    }
}
