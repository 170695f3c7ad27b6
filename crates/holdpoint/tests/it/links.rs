//! What a stranger's repository can do by links, pipes and folders in the places of files: nothing outside of it is
//! written or deleted, nothing of the user's is lost, and nothing is waited for.

mod outside;
pub(crate) mod trees;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use holdpoint::store::books::Books;
use holdpoint::store::layout;
use serde_json::{Value as Json, json};

use crate::gate::{COUNTING, ISDLC_STATE, STATE};
use crate::project::{Printed, Project, feed};

/// In the place of every reviewer: says something on standard error, leaves the report it was asked for, approves.
const REVIEWER: &str = r#"#!/bin/sh
echo "a reviewer's troubles" >&2
cat >/dev/null
echo "No issues." >.taskie/plans/p/plan-review-1.md
echo '{"result":{"verdict":"approved"},"structured_output":{"verdict":"approved","notes":""}}'
"#;

/// A repository of a stranger's, the user's clone of it, and the user's home beside it.
pub(crate) struct Site {
    top: Project,
}

impl Site {
    pub(crate) fn new() -> Site {
        let site = Site { top: Project::new() };
        site.top.write("home/.bashrc", "export IMPORTANT=1\n").write("bin/claude", REVIEWER);
        let program = site.top.root().join("bin/claude");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::copy(&program, site.top.root().join("bin/codex")).unwrap();
        // Checks may write to it, and it is made for them.
        std::fs::create_dir(site.home(".cache")).unwrap();
        site.upstream("README.md", "# A project\n")
    }

    /// A file in the stranger's repository.
    pub(crate) fn upstream(self, path: &str, text: &str) -> Site {
        self.top.write(&format!("upstream/{path}"), text);
        self
    }

    /// A link in the stranger's repository to a place beside the clone.
    pub(crate) fn linked(self, path: &str, to: &str) -> Site {
        let link = self.top.root().join("upstream").join(path);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        let up = "../".repeat(Path::new(path).components().count());
        symlink(format!("{up}{to}"), link).unwrap();
        self
    }

    /// Commits what is upstream, and clones it.
    pub(crate) fn cloned(self) -> Site {
        let author =
            ["-c", "user.name=Stranger", "-c", "user.email=s@example.invalid", "-c", "commit.gpgsign=false"];
        let upstream = self.top.root().join("upstream").to_string_lossy().into_owned();
        self.top.git(&["init", "--quiet", "--initial-branch", "main", &upstream]);
        let git = |args: &[&str]| {
            let all: Vec<&str> =
                ["-C", &upstream].into_iter().chain(author).chain(args.iter().copied()).collect();
            self.top.git(&all)
        };
        git(&["add", "--all", "--force"]);
        git(&["commit", "--quiet", "--message", "all of it"]);
        self.top.git(&["clone", "--quiet", &upstream, "clone"]);
        self
    }

    pub(crate) fn clone(&self) -> PathBuf {
        self.top.root().join("clone")
    }

    pub(crate) fn home(&self, path: &str) -> PathBuf {
        self.top.root().join("home").join(path)
    }

    /// The program in the clone, as the user calls it.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        // The user has allowed it: what follows is what a project can do that is trusted, and should not be.
        crate::project::allow(&self.top.root().join("state"), &self.clone());
        self.stranger(args)
    }

    /// The same in a clone that nobody has allowed.
    fn stranger(&self, args: &[&str]) -> Command {
        let mut command = self.top.stranger(args);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = [self.top.root().join("bin")];
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path))).unwrap();
        command.current_dir(self.clone()).env("HOME", self.home("")).env("PATH", path);
        command.env("XDG_STATE_HOME", self.top.root().join("state"));
        command
    }

    fn run(&self, args: &[&str]) -> Printed {
        self.command(args).stdin(Stdio::null()).output().unwrap().into()
    }

    fn event(&self, name: &str) -> Json {
        json!({"hook_event_name": name, "session_id": "s1", "cwd": self.clone(), "tool_name": "Bash",
            "tool_input": {"command": "ls"}, "prompt": "go on"})
    }

    fn hook(&self, name: &str) -> Printed {
        feed(self.command(&["hook", "--agent", "claude"]), self.event(name).to_string().as_bytes())
    }

    /// All that is in the user's home.
    fn users(&self) -> Vec<(PathBuf, String)> {
        contents(&self.home(""))
    }
}

/// Everything below a folder, with what it is: a file's bytes, a link's target. No link is followed.
pub(crate) fn contents(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let what = if metadata.is_symlink() {
                format!("-> {}", std::fs::read_link(&path).unwrap().display())
            } else if metadata.is_dir() {
                folders.push(path.clone());
                "folder".to_owned()
            } else if metadata.is_file() {
                String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()
            } else {
                "neither".to_owned()
            };
            all.push((path, format!("{:o} {what}", metadata.permissions().mode())));
        }
    }
    all.sort();
    all
}

/// The state of a taskie plan whose review is due.
pub(crate) const PLAN_STATE: &str = r#"{"max_reviews":8,"current_task":null,"phase":"new-plan","next_phase":"plan-review",
 "phase_iteration":0,"review_model":"opus","consecutive_clean":0,"tdd":false}"#;

/// A repository with a plan whose review is due.
fn with_plan() -> Site {
    Site::new()
        .upstream(".taskie/plans/p/plan.md", "# A plan\n")
        .upstream(".taskie/plans/p/state.json", PLAN_STATE)
}

/// Nothing of the user's changes while these events come by.
fn nothing_changes(site: &Site, events: &[&str]) {
    let before = site.users();
    for event in events {
        let printed = site.hook(event);
        assert_eq!(printed.code, Some(0), "{event}: {}", printed.stderr);
    }
    assert_eq!(site.users(), before);
}

#[test]
fn a_journal_that_is_a_link_appends_to_no_file_of_the_users() {
    let site = Site::new()
        .linked(".holdpoint/journal.jsonl", "home/.bashrc")
        .upstream(".holdpoint/.gitignore", "")
        .upstream(".holdpoint/workflows/broken/workflow.toml", "nonsense [")
        .upstream(".isdlc/state.json", ISDLC_STATE)
        .cloned();
    nothing_changes(&site, &["Stop", "PreToolUse"]);
    // The journal is in the books; the project's own is only written where there is no state folder.
    let mut event = site.event("Stop");
    event["session_id"] = json!("s2");
    let digest = site.run(&["allow", "--print"]).stdout.trim().to_owned();
    let mut alone = site.command(&["hook", "--agent", "claude"]);
    alone.env_remove("XDG_STATE_HOME").env("HOME", "/nonexistent").env("HOLDPOINT_ALLOW", digest);
    let told = feed(alone, event.to_string().as_bytes());
    assert!(
        told.stdout.contains("journal.jsonl is a link, and Holdpoint follows no link here"),
        "{}",
        told.stdout
    );
}

#[test]
fn our_folder_that_is_a_link_is_made_nowhere_else() {
    let site =
        Site::new().linked(".holdpoint", "home/stuff").upstream(".isdlc/state.json", ISDLC_STATE).cloned();
    std::fs::create_dir(site.home("stuff")).unwrap();
    nothing_changes(&site, &["PreToolUse", "Stop"]);
}

#[test]
fn a_sessions_memory_that_is_a_link_overwrites_nothing() {
    let place = |path: PathBuf| path.strip_prefix("/p").unwrap().to_string_lossy().into_owned();
    let home = Path::new("/p");
    let books = Books::in_project(home);
    let site = with_plan()
        .linked(&place(books.owner(&home.join(".taskie/plans/p"))), "home/.bashrc")
        .linked(&place(books.memory("s1", "taskie")), "home/.bashrc")
        .linked(&place(layout::lock(home, "sessions")), "home/.bashrc")
        .linked(".holdpoint/told", "home/stuff")
        .linked(".holdpoint/reports", "home/stuff")
        .cloned();
    std::fs::create_dir(site.home("stuff")).unwrap();
    nothing_changes(&site, &["UserPromptSubmit", "Stop", "Stop"]);
}

#[test]
fn a_reviewers_log_that_is_a_link_empties_no_file() {
    let site = with_plan().linked(".taskie/plans/p/.review-1.log", "home/.bashrc").cloned();
    nothing_changes(&site, &["Stop"]);
}

#[test]
fn a_state_that_is_a_link_out_of_the_project_is_not_written_there() {
    let site = Site::new()
        .upstream(".holdpoint/workflows/gate/workflow.toml", COUNTING)
        .linked(STATE, "home/state.json");
    let site = site.cloned();
    std::fs::write(site.home("state.json"), "{\"locked\": true, \"count\": 7}").unwrap();
    nothing_changes(&site, &["PreToolUse"]);
    let site = Site::new()
        .upstream(".taskie/plans/p/plan.md", "# A plan\n")
        .linked(".taskie/plans/p/state.json", "home/state.json")
        .cloned();
    std::fs::write(site.home("state.json"), PLAN_STATE).unwrap();
    nothing_changes(&site, &["Stop", "Stop"]);
}

#[test]
fn strays_behind_a_link_stay() {
    let site = Site::new().linked(".claude/claudex", "home/games").cloned();
    for name in ["game.state", "db.state"] {
        std::fs::create_dir_all(site.home("games")).unwrap();
        std::fs::write(site.home("games").join(name), "level: 7\n").unwrap();
    }
    nothing_changes(&site, &["Stop"]);
}

#[test]
fn a_stray_is_cleared_away_and_not_lost() {
    let site = Site::new().upstream(".claude/claudex/game.state", "level: 7\n").cloned();
    nothing_changes(&site, &["Stop"]);
    assert!(!site.clone().join(".claude/claudex/game.state").exists());
    let kept = contents(&site.clone().join(".holdpoint/aside"));
    assert!(kept.len() == 1 && kept[0].1.ends_with("level: 7\n"), "{kept:?}");
}

#[test]
fn a_spec_that_is_a_link_is_not_added_to() {
    let state = r#"{"spec_id":"FTR-7","spec_path":"ai/features/FTR-7-cart.md","plan_exists":true,"phase":"tester",
        "spec_status":"in_progress","current_task":1,"test_command":"echo 9 passed in 0.1s",
        "tasks":[{"id":1,"name":"total","status":"in_progress","coder":"done","files_changed":["x"]}]}"#;
    let sealed = format!("{} none\n{state}", layout::content_digest(state.as_bytes()));
    let site = Site::new()
        .upstream("autopilot-state.json", state)
        .upstream(".holdpoint/sealed/autopilot.json", &sealed)
        .linked("ai/features/FTR-7-cart.md", "home/spec.md")
        .cloned();
    let spec = "# Cart\n\n**Status:** queued\n\n## Implementation Plan\n\n### Task 1: total\nSum.\n";
    std::fs::write(site.home("spec.md"), spec).unwrap();
    nothing_changes(&site, &["Stop", "Stop"]);
}

#[test]
fn init_refuses_links_that_lead_out_of_the_project() {
    let cases = [(".claude/settings.json", ".claude/settings.json"), (".claude/commands", "commands")];
    for (link, to) in cases {
        let site = Site::new().linked(link, &format!("home/{to}")).cloned();
        std::fs::create_dir_all(site.home(".claude")).unwrap();
        std::fs::create_dir_all(site.home("commands")).unwrap();
        std::fs::write(site.home(".claude/settings.json"), "{}\n").unwrap();
        let before = site.users();
        let printed = site.run(&["init", "--agent", "claude"]);
        assert_eq!(printed.code, Some(3), "{link}: {}{}", printed.stdout, printed.stderr);
        let target = site.home(to).to_string_lossy().into_owned();
        assert!(printed.stderr.contains("leads out of the project, to "), "{}", printed.stderr);
        assert!(printed.stderr.contains(&target) && printed.stderr.contains("hint: "), "{}", printed.stderr);
        assert_eq!(site.users(), before, "{link}");
    }
}

#[test]
fn init_for_the_user_refuses_links_that_lead_out_of_the_home() {
    let site = Site::new().cloned();
    std::fs::create_dir_all(site.home(".claude")).unwrap();
    std::fs::create_dir_all(site.home("dotfiles")).unwrap();
    std::fs::write(site.clone().join("shared.json"), "{}\n").unwrap();
    symlink(site.clone().join("shared.json"), site.home(".claude/settings.json")).unwrap();
    let printed = site.run(&["init", "--user", "--agent", "claude"]);
    assert_eq!(printed.code, Some(3), "{}", printed.stdout);
    assert!(printed.stderr.contains("leads out of your home folder"), "{}", printed.stderr);
    assert_eq!(std::fs::read_to_string(site.clone().join("shared.json")).unwrap(), "{}\n");
    std::fs::write(site.home("dotfiles/claude.json"), "{}\n").unwrap();
    std::fs::remove_file(site.home(".claude/settings.json")).unwrap();
    symlink("../dotfiles/claude.json", site.home(".claude/settings.json")).unwrap();
    assert_eq!(site.run(&["init", "--user", "--agent", "claude"]).code, Some(0));
    assert!(std::fs::read_to_string(site.home("dotfiles/claude.json")).unwrap().contains("PreToolUse"));
}

#[test]
fn init_for_the_user_installs_nothing_that_came_with_a_clone() {
    let flow = "about = \"x\"\n[run]\nhome = \"README.md\"\n";
    let site = Site::new()
        .upstream(".holdpoint/workflows/evil/workflow.toml", flow)
        .upstream(
            ".holdpoint/workflows/evil/commands/deploy.md",
            "---\nallowed-tools: Bash(*)\n---\n!`touch x`\n",
        )
        .upstream(".holdpoint/workflows/taskie/workflow.toml", flow)
        .upstream(".holdpoint/workflows/taskie/commands/evil.md", "!`touch x`\n")
        .cloned();
    assert_eq!(site.run(&["init", "--user", "--agent", "claude"]).code, Some(0));
    let made: Vec<PathBuf> = contents(&site.home(".claude")).into_iter().map(|(path, _)| path).collect();
    assert!(made.iter().any(|path| path.ends_with("commands/taskie/new-plan.md")), "{made:?}");
    assert!(!made.iter().any(|path| path.to_string_lossy().contains("evil")), "{made:?}");
    let printed = site.run(&["init", "--user", "--agent", "claude", "--workflow", "evil"]);
    assert_eq!(printed.code, Some(2), "{}", printed.stdout);
    assert!(printed.stderr.contains("`--user` installs built-in workflows"), "{}", printed.stderr);
}

#[test]
fn uninstall_removes_nothing_behind_a_link() {
    let site = Site::new()
        .linked(".holdpoint", "home/stuff")
        .linked(".claude/settings.json", "home/settings.json")
        .cloned();
    std::fs::create_dir_all(site.home("stuff/backups/old")).unwrap();
    std::fs::write(site.home("stuff/mine"), "precious").unwrap();
    let hook = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "holdpoint hook --agent claude"}]}]}});
    std::fs::write(site.home("settings.json"), hook.to_string()).unwrap();
    let before = site.users();
    site.run(&["uninstall"]);
    assert_eq!(site.users(), before);
}

#[test]
fn what_we_write_is_closed_to_others() {
    let site = with_plan()
        .upstream(".isdlc/state.json", ISDLC_STATE)
        .upstream(".holdpoint/workflows/gate/workflow.toml", COUNTING)
        .upstream(STATE, "{\"locked\": true, \"count\": 7}")
        .cloned();
    for event in ["UserPromptSubmit", "PreToolUse", "Stop", "Stop"] {
        site.hook(event);
    }
    let ours = site.clone().join(".holdpoint");
    let books = site.top.root().join("state/holdpoint/projects");
    let written: Vec<(PathBuf, String)> = contents(&ours)
        .into_iter()
        .chain(contents(&books))
        .filter(|(path, _)| !path.starts_with(ours.join("workflows")) && !path.ends_with(".gitignore"))
        .collect();
    assert!(written.iter().any(|(path, _)| path.ends_with("journal.jsonl")), "{written:?}");
    assert!(written.iter().any(|(path, _)| path.ends_with("locks")), "{written:?}");
    for (path, what) in &written {
        assert!(what.starts_with("40700 ") || what.starts_with("100600 "), "{}: {what}", path.display());
    }
    let site = Site::new().upstream(".isdlc/state.json", ISDLC_STATE).cloned();
    site.hook("PreToolUse");
    assert!(!site.clone().join(".holdpoint").exists(), "nothing is written there that the books can have");
    let mode = site.top.root().join("state/holdpoint/projects").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "a folder that we make");
}

#[test]
fn a_folder_in_the_place_of_a_sealed_state_is_not_lost() {
    let state = "{\"phase\":\"x\"}";
    let sealed = format!("{} none\n{state}", layout::content_digest(state.as_bytes()));
    let site = Site::new()
        .upstream("autopilot-state.json/notes.txt", "the user's notes")
        .upstream(".holdpoint/sealed/autopilot.json", &sealed)
        .cloned();
    nothing_changes(&site, &["Stop"]);
    let all = contents(&site.clone());
    assert!(
        all.iter().any(|(path, what)| path.ends_with("notes.txt") && what.ends_with("the user's notes")),
        "{all:?}"
    );
}

#[test]
fn init_does_not_wait_for_a_pipe() {
    let site = Site::new().cloned();
    std::fs::create_dir(site.clone().join(".holdpoint")).unwrap();
    let record = site.clone().join(".holdpoint/installed.json");
    assert!(Command::new("mkfifo").arg(&record).status().unwrap().success());
    let printed = trees::within_the_deadline(site.command(&["init", "--agent", "claude"]), "");
    assert_eq!(printed.code, Some(3), "{}", printed.stdout);
    assert!(printed.stderr.contains("installed.json is not a regular file"), "{}", printed.stderr);
}
