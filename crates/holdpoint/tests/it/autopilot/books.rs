//! The books lie outside of the project: what is wiped, put back, copied or moved there is noticed, said, and undone.

use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};

use super::project::{SESSION, SPEC, STATE, Site};
use super::walk::{READY_1, TASK_1, commit_1, follow, nothing, total};
use crate::project::{Printed, feed};
use crate::terminal::at_terminal;

/// A run at its first task.
fn begun() -> Site {
    let site = Site::new();
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &nothing)]);
    site
}

/// What the hook answers to a prompt: nothing is performed at one, and patience begins anew.
fn prompted(site: &Site) -> Json {
    site.hook_as(SESSION, json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"}))
}

/// A program in another folder of the same machine; nobody has allowed anything meanwhile.
fn program_at(site: &Site, folder: &Path, session: &str) -> Command {
    let mut command = site.later(env!("CARGO_BIN_EXE_holdpoint"), session);
    command.current_dir(folder);
    command
}

/// What the hook answers to a Stop in a folder.
fn stop_at(site: &Site, folder: &Path, session: &str) -> Json {
    let mut hook = program_at(site, folder, "");
    hook.args(["hook", "--agent", "claude"]).env("CLAUDE_PROJECT_DIR", folder);
    let event =
        json!({"hook_event_name": "Stop", "session_id": session, "cwd": folder, "stop_hook_active": false});
    feed(hook, event.to_string().as_bytes()).json()
}

fn run_at(site: &Site, folder: &Path, words: &[&str]) -> Printed {
    let mut command = program_at(site, folder, "");
    command.args(words);
    feed(command, b"")
}

/// A user at a terminal who allows what a folder has.
fn allow_at(site: &Site, folder: &Path) -> Printed {
    let mut command = program_at(site, folder, "");
    command.arg("allow");
    at_terminal(command, "y\n")
}

/// C1, C2: nothing is lost, it is said once, and the run does not start again on other terms.
#[test]
fn what_is_wiped_is_written_again_from_the_books() {
    let site = begun();
    let wiped = [
        "git clean -fdxq",
        "rm -rf .holdpoint autopilot-state.json",
        "git stash --all --quiet",
        "mv autopilot-state.json .holdpoint ../tools/",
        "find . -name 'auto*' -delete",
    ];
    for act in wiped {
        let state = site.read(STATE);
        site.unseen(act);
        assert!(!site.root().join(STATE).exists(), "{act}");
        let answer = site.stop_as(SESSION);
        assert_eq!(answer["decision"], "block", "{act}: {answer}");
        let said = answer["systemMessage"].as_str().unwrap_or_default();
        assert!(
            said.contains("`autopilot-state.json` was gone: it was written again from the books"),
            "{act}: {answer}"
        );
        assert_eq!(site.read(STATE), state, "{act}");
        assert!(!prompted(&site).to_string().contains("was gone"), "{act}: it is said once");
    }
    for act in &wiped[..3] {
        let state = site.read(STATE);
        site.unseen(act);
        let again = site.tell(&["start", SPEC, "--test", "echo 9 passed in 0.01s"]);
        assert_ne!(again.code, Some(0), "{act}: {}", again.stdout);
        assert_eq!(site.read(STATE), state, "{act}");
        site.unseen(act);
        let status = run_at(&site, &site.root(), &["autopilot", "status"]).stdout;
        assert!(
            status.starts_with("Note: `autopilot-state.json` was gone") && status.contains("level     kept"),
            "{status}"
        );
    }
    site.unseen("git clean -fdxq");
    let shown = run_at(&site, &site.root(), &["status"]);
    assert!(shown.stdout.contains("autopilot"), "{}{}", shown.stdout, shown.stderr);
}

/// D1: counters and escalations cannot be taken back.
#[test]
fn a_project_that_is_put_back_goes_on_where_the_books_are() {
    let site = begun();
    site.sh("cp -a . ../bk");
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &nothing)]);
    let state = site.read(STATE);
    for act in [
        "rm -rf ./.h* ./auto*json; cp -a ../bk/. .",
        "tar -C ../bk -cf - . | tar -xf -",
        "cp -a ../bk/.git/. .git && cp ../bk/autopilot-state.json .",
    ] {
        site.unseen(act);
        let answer = prompted(&site);
        let said = answer["systemMessage"].as_str().unwrap_or_default();
        assert!(said.contains("was put back to an earlier copy"), "{act}: {answer}");
        assert!(said.contains("the books count"), "{act}: {answer}");
        assert_eq!(site.read(STATE), state, "{act}");
    }
}

/// What counts is in the books, also for what is worked out while a program is at work: no edit of the view is sealed.
#[test]
fn what_is_edited_while_something_is_performed_is_put_back() {
    for (field, forged) in [("test_command", "echo 9 passed in 0.01s"), ("phase", "finishing")] {
        let site = Site::new();
        let state = site.root().join(STATE);
        let edit =
            format!("sed -i 's|\"{field}\": \"[^\"]*\"|\"{field}\": \"{forged}\"|' '{}'", state.display());
        site.write("tests/test_base.sh", &format!("{edit} 2>/dev/null; test -f cart.py\n"));
        site.git("add --all && git commit --quiet --message 'test(cart): edit'");
        site.start(&[]);
        follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &commit_1)]);
        let sealed = site.read_book("sealed/autopilot.json");
        assert!(!sealed.contains(forged), "{field}: {sealed}");
        let said = "`autopilot-state.json` is written by the engine alone: a change to it was put back";
        assert!(site.read_book("journal.jsonl").contains(said), "{field}");
        assert!(!site.read(STATE).contains(forged), "{field}");
    }
}

/// A witness is the agent's to write: however far ahead it says the books were, the user can go on.
#[test]
fn a_witness_that_is_made_up_stops_nobody_for_good() {
    for counter in [u64::MAX, u64::MAX / 2, 5_000] {
        let site = begun();
        site.unseen(&format!(
            "sed -i 's/\"counter\":[0-9]*/\"counter\":{counter}/' .git/holdpoint/witness/root"
        ));
        let next = site.tell(&["next"]);
        assert!(next.code != Some(0) && next.stderr.contains("were set back"), "{}", next.stderr);
        let allowed = allow_at(&site, &site.root());
        assert!(
            allowed.stdout.contains("The run of autopilot goes on here."),
            "{}{}",
            allowed.stdout,
            allowed.stderr
        );
        follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &nothing)]);
    }
}

/// F1: what is forged in the project is not read.
#[test]
fn a_forged_state_with_a_forged_seal_is_put_back() {
    let site = begun();
    let state = site.read(STATE);
    let forge = "import hashlib, json, os; s = json.load(open('autopilot-state.json')); s['phase'] = 'finishing'\n\
         s = json.dumps(s).encode(); open('autopilot-state.json', 'wb').write(s); d = hashlib.sha256(s).hexdigest()\n\
         for at in AT:\n    os.makedirs(at, exist_ok=True); open(at + '/autopilot.json', 'wb').write(f'{d} none 99\\n'.encode() + s)";
    for at in [
        "['.holdpoint/sealed']",
        "['.holdpoint/sealed', '.git/holdpoint/sealed']",
        "['.holdpoint', 'sealed']",
    ] {
        site.write("../forge.py", &forge.replace("AT", at));
        site.sh("python3 ../forge.py");
        assert_eq!(site.stop_as(SESSION)["decision"], "block", "{at}");
        assert_eq!(site.read(STATE), state, "{at}");
    }
}

#[test]
fn a_copy_performs_nothing_until_its_user_has_taken_the_run_over() {
    let site = begun();
    for (number, act) in [
        "cp -a . ../COPY",
        "cp -r --preserve=all . ../COPY",
        "mkdir ../COPY && tar -cf - . | tar -C ../COPY -xf -",
    ]
    .iter()
    .enumerate()
    {
        let name = format!("copy{number}");
        site.sh(&act.replace("COPY", &name));
        let copy = site.root().with_file_name(&name);
        let before = std::fs::read(copy.join(STATE)).unwrap();
        let answer = stop_at(&site, &copy, &name);
        let said = answer["systemMessage"].as_str().unwrap_or_default();
        assert!(answer["decision"].is_null() && said.contains("of which this is a copy"), "{act}: {answer}");
        assert!(said.contains(&format!("holdpoint allow {}", copy.display())), "{said}");
        let next = run_at(&site, &copy, &["autopilot", "next"]);
        assert!(next.code != Some(0) && next.stderr.contains("of which this is a copy"), "{}", next.stderr);
        assert_eq!(std::fs::read(copy.join(STATE)).unwrap(), before, "{act}");
        let allowed = allow_at(&site, &copy);
        assert!(
            allowed.stdout.contains("The run of autopilot goes on here."),
            "{}{}",
            allowed.stdout,
            allowed.stderr
        );
        assert_eq!(stop_at(&site, &copy, &name)["decision"], "block", "{act}");
    }
    assert!(!site.stop().is_empty(), "the project itself goes on as before");
}

#[test]
fn a_project_that_is_moved_takes_its_run_along() {
    let site = begun();
    let moved = site.root().with_file_name("moved");
    let (root, away) = (site.root(), moved.clone());
    for act in [
        "mv FROM TO",
        "python3 -c \"import os; os.rename('FROM', 'TO')\"",
        "perl -e 'rename(\"FROM\", \"TO\")'",
    ] {
        for (from, to) in [(&root, &away), (&away, &root)] {
            let line = act.replace("FROM", &from.to_string_lossy()).replace("TO", &to.to_string_lossy());
            let status = Command::new("sh").args(["-c", &line]).status().unwrap();
            assert!(status.success(), "{line}");
            let answer = stop_at(&site, to, SESSION);
            let said = answer["systemMessage"].as_str().unwrap_or_default();
            assert_eq!(answer["decision"], "block", "{line}: {answer}");
            assert!(said.contains(&format!("was moved here from {}", from.display())), "{line}: {answer}");
        }
        prompted(&site);
    }
}

/// The project remembers that it has a run: whoever takes the books away does not open the gate.
#[test]
fn books_that_are_gone_hold_within_patience() {
    for act in [
        "rm -rf \"$XDG_STATE_HOME\"/holdpoint/projects/*/books",
        "rm -rf \"$XDG_STATE_HOME/holdpoint\" auto*.json",
        "rm auto*.json; find \"$XDG_STATE_HOME\" -name sealed -exec rm -r {} +",
    ] {
        let site = begun();
        site.unseen(act);
        let gone = "the books of this run are gone";
        let answers: Vec<Json> = (0..4).map(|_| stop_at(&site, &site.root(), SESSION)).collect();
        for answer in &answers[..3] {
            let reason = answer["reason"].as_str().unwrap_or_default();
            assert!(reason.contains(gone) && reason.contains("holdpoint allow"), "{act}: {answer}");
        }
        let last = answers[3]["systemMessage"].as_str().unwrap_or_default();
        assert!(answers[3]["decision"].is_null() && last.contains(gone), "{act}: {}", answers[3]);
        for words in [&["autopilot", "next"][..], &["autopilot", "start", SPEC]] {
            let printed = run_at(&site, &site.root(), words);
            assert!(
                printed.code != Some(0) && printed.stderr.contains(gone),
                "{act} {words:?}: {}",
                printed.stderr
            );
        }
        let allowed = allow_at(&site, &site.root());
        assert!(
            allowed.stdout.contains("The run of autopilot is over."),
            "{act}: {}{}",
            allowed.stdout,
            allowed.stderr
        );
        assert_eq!(run_at(&site, &site.root(), &["autopilot", "start", SPEC]).code, Some(0), "{act}");
    }
}

#[test]
fn a_git_folder_that_is_exchanged_does_not_end_the_run() {
    for act in [
        "rm -rf .git && git init -q",
        "mv .git ../tools/g && git init -q",
        "rm -rf .git; cp -a ../bk/.git .git",
    ] {
        let site = begun();
        site.sh("cp -a . ../bk");
        site.unseen(act);
        let answer = stop_at(&site, &site.root(), SESSION);
        let reason = answer["reason"].as_str().unwrap_or_default();
        assert!(reason.contains("the git folder here is another"), "{act}: {answer}");
        let allowed = allow_at(&site, &site.root());
        assert!(
            allowed.stdout.contains("The run of autopilot goes on here."),
            "{act}: {}{}",
            allowed.stdout,
            allowed.stderr
        );
    }
}

#[test]
fn worktrees_have_books_of_their_own() {
    let site = begun();
    let other = site.root().with_file_name("other");
    site.git("worktree add --quiet ../other -b other");
    let none = run_at(&site, &other, &["autopilot", "status"]);
    assert!(none.stdout.contains("No autopilot run is at work"), "{}{}", none.stdout, none.stderr);
    assert_eq!(run_at(&site, &other, &["autopilot", "start", SPEC]).code, Some(0));
    assert_eq!(run_at(&site, &other, &["autopilot", "next"]).code, Some(0));
    assert!(site.root().join(".git/worktrees/other/holdpoint/witness/root").is_file());
    let (one, two) = (site.read(STATE), std::fs::read_to_string(other.join(STATE)).unwrap());
    for act in ["git clean -fdxq", "rm -rf .holdpoint auto*.json", "git stash --all --quiet"] {
        let wipe = Command::new("sh").args(["-c", act]).current_dir(&other).status().unwrap();
        assert!(wipe.success(), "{act}");
        assert_eq!(stop_at(&site, &other, "another")["decision"], "block", "{act}");
        assert_eq!(std::fs::read_to_string(other.join(STATE)).unwrap(), two, "{act}");
    }
    assert_eq!(site.read(STATE), one);
    let copy = site.root().with_file_name("copied");
    assert!(Command::new("cp").arg("-a").args([&other, &copy]).status().unwrap().success());
    let answer = stop_at(&site, &copy, "a third");
    assert!(
        answer["decision"].is_null() && answer.to_string().contains("of which this is a copy"),
        "{answer}"
    );
}

/// The chain of records is what counts, whatever is put back in the books.
#[test]
fn books_that_are_set_back_are_noticed() {
    let site = begun();
    site.sh("cp -a \"$XDG_STATE_HOME\"/holdpoint/projects/*/books ../kept");
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &commit_1)]);
    site.unseen("cp -a ../kept/. \"$XDG_STATE_HOME\"/holdpoint/projects/*/books/");
    let answer = site.stop_as("another");
    let reason = answer["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("the books of this run were set back"), "{answer}");
    let next = site.tell(&["next"]);
    assert!(next.code != Some(0) && next.stderr.contains("were set back"), "{}", next.stderr);
}
