//! The programs of a performance are those that the user had, whatever the caller brings along.

use serde_json::{Value as Json, json};

use super::project::{SESSION, Site};
use super::walk::{test_total, total};
use crate::project::{Printed, feed};
use crate::terminal::at_terminal;

const HOLDPOINT: &str = env!("CARGO_BIN_EXE_holdpoint");
const REJECTS: &str = "needs_implementation";
const APPROVES: &str = r#"#!/bin/sh
echo '{"structured_output": {"verdict": "approved", "notes": ""}}'
"#;

/// A run whose first task is to be tested and reviewed, by a reviewer that rejects it. The user has typed `holdpoint allow`.
fn coded() -> Site {
    let site = Site::new();
    site.start(&[]);
    site.next();
    total(&site);
    site.answers("reviewer", &[json!({"verdict": REJECTS, "notes": "no"})]);
    fake(&site, "claude", APPROVES);
    allow(&site, "");
    std::fs::write(site.tools().join("event"), before(&site).to_string()).unwrap();
    site
}

/// What the user reads at a terminal where `holdpoint allow` is typed.
fn allow(site: &Site, typed: &str) -> Printed {
    let mut command = site.later(HOLDPOINT, "");
    command.arg("allow");
    at_terminal(command, typed)
}

/// A program of the agent's, beside the repository.
fn fake(site: &Site, name: &str, script: &str) {
    let path = site.root().join("../fake").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

fn before(site: &Site) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": SESSION, "cwd": site.root(), "tool_name": "Bash",
        "tool_input": {"command": "holdpoint autopilot next"}})
}

/// A script that no hook sees, with no client above it.
fn unseen(site: &Site, script: &str) -> Printed {
    let mut shell = site.later("sh", "");
    shell.args(["-c", script]);
    feed(shell, b"")
}

/// The hook performs `next`, and the shell shows this.
fn next(site: &Site) -> Printed {
    let mut hook = site.later(HOLDPOINT, "");
    hook.args(["hook", "--agent", "claude"]);
    let answer = feed(hook, before(site).to_string().as_bytes()).json();
    unseen(site, answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap())
}

/// What a Stop is answered.
fn stop(site: &Site) -> Json {
    let event = json!({"hook_event_name": "Stop", "session_id": SESSION, "cwd": site.root()});
    let mut hook = site.later(HOLDPOINT, "");
    hook.args(["hook", "--agent", "claude"]);
    feed(hook, event.to_string().as_bytes()).json()
}

/// Every way to bring a PATH along ends at the user's reviewer.
#[test]
fn a_reviewer_that_the_caller_has_first_on_path_is_not_asked() {
    for script in [
        "export PATH=$PWD/../fake:$PATH\nholdpoint hook --agent claude <../tools/event",
        "env \"PA\"\"TH=$PWD/../fake:$PATH\" holdpoint hook --agent claude <../tools/event",
        "echo 'PATH=$PWD/../fake:$PATH' >../fake/e.sh; . ../fake/e.sh; holdpoint hook --agent claude <../tools/event",
        "setsid --wait sh -c '(PATH=$PWD/../fake:$PATH; holdpoint hook --agent claude <../tools/event)'",
        "PATH=$PWD/../fake:$PATH holdpoint autopilot next",
    ] {
        let site = coded();
        unseen(&site, script);
        assert!(site.tools().join("reviewer.asked.1").exists(), "{script}: the user's reviewer was asked");
        assert_ne!(site.phase(), "commit", "{script}");
    }
}

#[test]
fn a_model_of_the_callers_is_not_asked() {
    let site = coded();
    std::fs::write(site.tools().join("claude"), "#!/bin/sh\nenv >\"$(dirname \"$0\")/variables\"\n").unwrap();
    allow(&site, "y\n");
    unseen(
        &site,
        "ANTHROPIC_BASE_URL=http://127.0.0.1:9 ANTHROPIC_MODEL=x VIRTUAL_ENV=/x holdpoint autopilot next",
    );
    let text = std::fs::read_to_string(site.tools().join("variables")).unwrap_or_default();
    assert!(
        !text.contains("127.0.0.1:9") && !text.contains("ANTHROPIC_MODEL") && !text.contains("VIRTUAL_ENV"),
        "{text}"
    );
}

/// The tests' interpreter, their shell and git are the user's, too.
#[test]
fn programs_of_tests_and_of_the_tree_are_the_users() {
    let site = coded();
    site.write("cart.py", "def total(prices):\n    return 4\n");
    test_total(&site);
    fake(&site, "python3", "#!/bin/sh\ncase \"$*\" in *print*) echo 3;; esac\nexit 0\n");
    fake(&site, "sh", "#!/bin/dash\necho '9 passed in 0.01s'\n");
    let real = site.sh("command -v git");
    let noting = format!(
        "#!/bin/dash\ncase \"$*\" in *write-tree*|*commit*) : >../fake/ran;; esac\nexec {real} \"$@\"\n"
    );
    fake(&site, "git", &noting);
    allow(&site, "y\n");
    unseen(&site, "export PATH=$PWD/../fake:$PATH\nholdpoint autopilot next");
    let last = site.evidence().into_iter().rfind(|piece| piece["phase"] == "tester").unwrap();
    assert_eq!(last["verdict"], "fail", "{last}");
    assert!(!site.root().join("../fake/ran").exists(), "another git was asked for the tree");
}

/// A baseline that was taken in false surroundings would excuse what breaks later.
#[test]
fn the_baseline_is_taken_with_the_users_programs() {
    let site = Site::new();
    fake(&site, "grep", "#!/bin/sh\nexit 1\n");
    allow(&site, "y\n");
    let start = format!("PATH=$PWD/../fake:$PATH holdpoint autopilot start {}", super::project::SPEC);
    let printed = unseen(&site, &start);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    assert_eq!(site.state()["baseline"], json!([]), "no test failed before");
}

/// A reviewer in whose place the agent has put another file reviews nothing, until the user says that it is well.
#[test]
fn a_program_that_became_another_file_starts_nothing() {
    let site = coded();
    unseen(&site, "cp ../fake/claude \"$(command -v claude)\"");
    let printed = next(&site);
    assert_eq!(printed.code, Some(1), "{}{}", printed.stdout, printed.stderr);
    for part in ["`claude` is another file than on 20", "type in a terminal: holdpoint allow"] {
        assert!(printed.stderr.contains(part), "{part}: {}", printed.stderr);
    }
    let phase = site.phase();
    for turn in 0..5 {
        let answer = stop(&site);
        assert!(answer["systemMessage"].as_str().unwrap().contains("another file"), "{answer}");
        assert_eq!(answer["decision"] == "block", turn < 3, "nobody is trapped: {answer}");
        assert_eq!(site.phase(), phase, "the gate stays shut");
    }
    assert!(!unseen(&site, "holdpoint evidence").stdout.contains("approved"));

    let refused = allow(&site, "n\n");
    assert_eq!(refused.code, Some(1));
    let claude = site.tools().join("claude").display().to_string();
    assert!(refused.stdout.contains(&format!("was  {claude}, on 20")), "{}", refused.stdout);
    assert!(refused.stdout.contains("is   the same path, another file"), "{}", refused.stdout);
    assert_eq!(next(&site).code, Some(1));
    assert_eq!(allow(&site, "y\n").code, Some(0));
    assert_eq!(next(&site).code, Some(0), "upgraded");
    assert_eq!(site.phase(), "commit");
}

/// It is the content that counts, not when the file was written.
#[test]
fn a_program_that_was_only_touched_is_the_same() {
    let site = coded();
    unseen(
        &site,
        "cp -p ../tools/claude ../tools/other && mv ../tools/other ../tools/claude && touch ../tools/claude",
    );
    assert_eq!(next(&site).code, Some(0));
    assert!(site.tools().join("reviewer.asked.1").exists());
}

/// A file that comes before the pinned one on the user's own PATH is not taken for it.
#[test]
fn a_program_that_comes_in_between_is_not_taken() {
    let site = coded();
    std::fs::rename(site.tools().join("claude"), site.root().join("../claude-dir")).unwrap();
    std::fs::create_dir(site.tools().join("later")).unwrap();
    std::fs::rename(site.root().join("../claude-dir"), site.tools().join("later/claude")).unwrap();
    let line = |rest: &str| format!("export PATH=$PWD/../tools:$PWD/../tools/later:$PATH\n{rest}");
    let mut allowing = site.later("sh", "");
    allowing.args(["-c", &line("exec holdpoint allow --yes")]);
    assert_eq!(at_terminal(allowing, "").code, Some(0));
    unseen(&site, "cp ../fake/claude ../tools/claude");
    unseen(&site, &line("holdpoint autopilot next"));
    assert!(site.tools().join("later/reviewer.asked.1").exists(), "the pinned file was started");
}

/// Without `allow`, the programs are those of the first performance.
#[test]
fn what_performs_first_pins() {
    let site = Site::new();
    site.start(&[]);
    let printed = unseen(&site, "holdpoint allow --list");
    assert!(printed.stdout.contains("  git: /"), "{}", printed.stdout);
    let claude = format!("  claude: {}, on 20", site.tools().join("claude").display());
    assert!(
        printed.stdout.contains(&claude),
        "what the run will start is pinned at once: {}",
        printed.stdout
    );
}

/// A reviewer's own client calls hooks, too. They leave it alone, and nobody who only says that it is a reviewer.
#[test]
fn a_reviewers_hooks_are_silent_while_it_reviews() {
    let site = coded();
    // What a session is told it is told once.
    let stop_in = |session: &str| {
        let stop = json!({"hook_event_name": "Stop", "session_id": session, "cwd": site.root()});
        std::fs::write(site.tools().join("stop"), stop.to_string()).unwrap();
    };
    stop_in("reviewer");
    let script = "#!/bin/sh\ncd \"$(dirname -- \"$0\")\"\nprintf %s \"$HOLDPOINT_REVIEWER\" >token\n\
        holdpoint hook --agent claude <stop >inner 2>&1\n\
        echo '{\"structured_output\": {\"verdict\": \"needs_implementation\", \"notes\": \"no\"}}'\n";
    std::fs::write(site.tools().join("claude"), script).unwrap();
    assert_eq!(allow(&site, "y\n").code, Some(0));
    next(&site);
    let read = |name: &str| std::fs::read_to_string(site.tools().join(name)).unwrap();
    let (token, inner) = (read("token"), read("inner"));
    assert_eq!((token.len(), inner.as_str()), (32, ""));
    for value in ["1", &token] {
        stop_in(value);
        let line = format!("HOLDPOINT_REVIEWER={value} holdpoint hook --agent claude <../tools/stop");
        assert_ne!(unseen(&site, &line).stdout, "", "{value}");
    }
}
