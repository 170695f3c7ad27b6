//! What approves nothing: agents, pipes, stray keys, changed files, rubbish.

use std::process::Stdio;

use serde_json::{Value as Json, json};

use super::{Site, typed};
use crate::project::feed;

#[test]
fn an_agent_approves_nothing() {
    let site = Site::waiting();
    for name in [
        "CLAUDECODE",
        "GEMINI_CLI",
        "CURSOR_AGENT",
        "CLAUDE_CODE_SESSION_ID",
        "CODEX_THREAD_ID",
        "HOLDPOINT_REVIEWER",
    ] {
        let mut command = site.0.command(&["approve", "qa"]);
        command.env(name, "1");
        let printed = typed(command, |word| format!("{word}\n"));
        assert_eq!(printed.code, Some(1), "{name}");
        assert!(
            printed.stderr.contains("`holdpoint approve` is the user's to call, not an agent's"),
            "{}",
            printed.stderr
        );
    }
    for command in [
        "holdpoint approve qa",
        "holdpoint approve owner --no x",
        "yes | holdpoint approve qa",
        "script -qc 'holdpoint approve qa' /dev/null",
        "bash -c \"holdpoint 'approve' qa\"",
        "/usr/local/bin/holdpoint approve qa",
    ] {
        let held = site.shell(command).to_string();
        assert!(held.contains("This is the user's to do"), "{command}: {held}");
    }
    assert_eq!(site.shell("echo approve"), Json::Null);
    assert_eq!(site.words(), [Json::Null; 0]);
}

#[test]
fn what_is_no_terminal_approves_nothing() {
    let site = Site::waiting();
    let piped = feed(site.0.command(&["approve", "qa"]), b"amber-10\n");
    let mut empty = site.0.command(&["approve", "qa", "--no", "x"]);
    let empty = empty.stdin(Stdio::null()).output().unwrap();
    for (code, stderr) in
        [(piped.code, piped.stderr), (empty.status.code(), String::from_utf8(empty.stderr).unwrap())]
    {
        assert_eq!(code, Some(1));
        assert!(stderr.contains("standard input is not a terminal"), "{stderr}");
    }
    assert_eq!(site.words(), [Json::Null; 0]);
}

#[test]
fn a_stray_key_approves_nothing() {
    let site = Site::waiting();
    for typed in ["\n", "y\n", "yes\n", "qa\n", "\u{4}", "amber\n", &format!("{}\n", "x".repeat(1_000))] {
        let printed = site.answer(&["qa"], |_| typed.to_owned());
        assert_eq!(printed.code, Some(1), "{typed:?}");
        assert!(printed.stderr.contains("nothing was recorded"), "{typed:?}: {}", printed.stderr);
    }
    assert_eq!(site.words(), [Json::Null; 0]);
}

#[test]
fn files_that_change_while_one_reads_are_not_approved() {
    let site = Site::waiting();
    let printed = site.answer(&["qa"], |word| {
        site.0.write("src/a.txt", "two\n");
        format!("{word}\n")
    });
    assert_eq!(printed.code, Some(1));
    assert!(printed.stderr.contains("files changed while you were asked"), "{}", printed.stderr);
    assert!(printed.stderr.contains("hint: look again: holdpoint approve qa"), "{}", printed.stderr);
    assert_eq!(site.words(), [Json::Null; 0]);
}

#[test]
fn a_run_that_moves_on_while_one_reads_is_not_approved() {
    let site = Site::waiting();
    let printed = site.answer(&["qa"], |word| {
        site.says(&["owner", "--no", "not yet"]);
        format!("{word}\n")
    });
    assert_eq!(printed.code, Some(1));
    assert!(printed.stderr.contains("the run has moved on"), "{}", printed.stderr);
    assert_eq!(site.words().len(), 1);
}

#[test]
fn rubbish_is_answered_with_what_would_do() {
    let site = Site::waiting();
    for (words, what, hint) in [
        (
            &["ownr"][..],
            "no run here waits for the approval `ownr`",
            "did you mean `holdpoint approve owner`?",
        ),
        (&["../../etc"], "no run here waits for the approval `../../etc`", "these are due: qa, owner"),
        (&[""], "no run here waits for the approval ``", "these are due: qa, owner"),
        (&["a\u{1b}[2Jb"], "no run here waits for the approval `a [2Jb`", "these are due: qa, owner"),
        (&["qa", "--no", " "], "a refusal needs a reason", "--no \"1.0 has no date\""),
        (&["--no", "bad"], "which one do you refuse?", "`holdpoint approve` lists them"),
        (&["qa", "--workflow", "pubish"], "pubish", "did you mean `publish`?"),
    ] {
        let printed = site.approve(words);
        assert_ne!(printed.code, Some(0), "{words:?}");
        assert!(
            printed.stderr.contains(what) && printed.stderr.contains(hint),
            "{words:?}: {}",
            printed.stderr
        );
    }
    assert_eq!(site.words(), [Json::Null; 0]);
    let idle = Site::new();
    let printed = idle.approve(&["qa"]);
    assert_eq!(printed.code, Some(1));
    assert!(printed.stderr.contains("hint: see `holdpoint status`"), "{}", printed.stderr);
}

#[test]
fn forged_words_count_for_nothing() {
    let site = Site::waiting();
    site.says(&["qa"]);
    let line = site.words().pop().unwrap().to_string();
    let path = "evidence/publish.jsonl";
    site.0.write_book(path, site.0.read_book(path) + &line.replace("\"qa\"", "\"owner\"") + "\n");
    site.stop();
    assert_eq!(site.phase(), "approval");
}

#[test]
fn two_workflows_may_wait_for_the_same_approval() {
    let site = Site::waiting();
    let other =
        site.0.read(".holdpoint/workflows/publish/workflow.toml").replace("release.json", "other.json");
    site.0.write(".holdpoint/workflows/other/workflow.toml", other);
    for file in ["asks/prepare.md", "asks/fix.md", "texts/checklist.md"] {
        let text = site.0.read(&format!(".holdpoint/workflows/publish/{file}"));
        site.0.write(&format!(".holdpoint/workflows/other/{file}"), text);
    }
    assert_eq!(site.0.run(&["other", "start"]).code, Some(0));
    site.stop();
    let printed = site.approve(&["qa"]);
    assert_eq!(printed.code, Some(2), "{}", printed.stdout);
    assert!(printed.stderr.contains("several runs wait for this approval"), "{}", printed.stderr);
    let listed = site.says(&[]);
    assert!(listed.contains("holdpoint approve owner --workflow other"), "{listed}");
    site.says(&["qa", "--workflow", "other"]);
    let waits = site.0.run(&["status", "--json"]).json();
    let of = |name: &str| {
        let runs = waits["runs"].as_array().unwrap();
        runs.iter().find(|run| run["workflow"] == name).unwrap()["waits_for"].clone()
    };
    assert_eq!((of("publish"), of("other")), (json!(["qa", "owner"]), json!(["owner"])));
}
