//! What goes wrong around a loop: files that cannot be written, agents that do nothing, input that never comes.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{LOOPS, Site, make_executable, report};
use crate::project::feed;

const LEGACY: [&str; 5] = ["hook", "--protocol", "legacy", "--workflow", "claudex"];

fn site_with_plan(words: &[&str]) -> (Site, String) {
    let site = Site::new(&[report(1, [1, 0, 0]), report(2, [0, 0, 0])]);
    let id = site.start(&[&["plan"], words, &["a clock"]].concat());
    site.project.write("PLAN.md", "1. Tick.\n");
    (site, id)
}

/// A file cannot be written where a folder is, and a folder cannot be made where a file is, whoever tries.
fn block(path: &Path, with_folder: bool) {
    if with_folder {
        std::fs::create_dir_all(path.join("in the way")).unwrap();
    } else {
        std::fs::write(path, "in the way").unwrap();
    }
}

fn unblock(path: &Path) {
    if path.is_dir() { std::fs::remove_dir_all(path).unwrap() } else { std::fs::remove_file(path).unwrap() }
}

#[test]
fn a_round_whose_files_cannot_be_written_does_not_begin() {
    // The runner, and the folder of the plan's copy.
    for (rest, with_folder) in [("-runner.sh", true), ("", false)] {
        let (site, id) = site_with_plan(&[]);
        let path = site.file(&id, rest);
        block(&path, with_folder);
        for attempt in ["first", "second"] {
            let answer = site.stop();
            assert_eq!(answer.hold, "", "{rest}, {attempt}: nothing that cannot be run is asked for");
            assert_eq!(
                answer.message.contains(&path.display().to_string()),
                attempt == "first",
                "{answer:?}"
            );
            assert_eq!(site.stands(&id), ("drafting".into(), "1".into(), "none".into()), "{rest}, {attempt}");
        }
        unblock(&path);
        assert!(site.stop().hold.starts_with("### Claudex round 1 of 3, "), "{rest}");
        assert_eq!(site.stands(&id).0, "reviewing");
    }
    let (site, id) = site_with_plan(&[]);
    site.stop();
    site.find(&id, 1);
    let path = site.file(&id, "-runner.sh");
    std::fs::remove_file(&path).unwrap();
    block(&path, true);
    assert_eq!(site.stop().hold, "");
    assert_eq!(site.state(&id)["round"], "1", "no round is used up");
    unblock(&path);
    assert!(site.stop().hold.starts_with("### Claudex round 2 of 3, "));
}

#[test]
fn a_runner_at_work_is_replaced_and_not_rewritten() {
    let (site, id) = site_with_plan(&[]);
    let hold = site.stop();
    let inode = || std::fs::metadata(site.file(&id, "-runner.sh")).unwrap().ino();
    let before = inode();
    // The reviewer of the first round stops as the agent: the next round's runner is written under the shell.
    let stop = json!({"hook_event_name": "Stop", "session_id": super::SESSION, "cwd": site.root()});
    let script = format!(
        "{}\nunset HOLDPOINT_REVIEWER\necho '{stop}' | holdpoint hook >\"$here/next\"\n",
        super::CODEX
    );
    site.tools.write("codex", script);
    make_executable(&site.tools.root().join("codex"));
    let printed = site.shell(hold.command("bash "));
    assert!(site.tools.read("next").contains("### Claudex round 2 of 3, "), "{}", site.tools.read("next"));
    assert_ne!(inode(), before);
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""), "{}", printed.stdout);
    let report = site.file(&id, "/findings-round-1.md");
    assert!(
        printed.stdout.ends_with(&format!("\n[claudex] Its findings: {}\n", report.display())),
        "{}",
        printed.stdout
    );
    assert_eq!(std::fs::read_to_string(report).unwrap(), super::report(1, [1, 0, 0]));
}

#[test]
fn an_agent_that_does_not_draft_is_held_three_times_and_then_let_go() {
    let site = Site::new(&[]);
    let id = site.start(&["plan", "a clock"]);
    for fire in 1..=30 {
        let answer = site.stop();
        assert_eq!(!answer.hold.is_empty(), fire <= 3, "fire {fire}: {answer:?}");
        let told = answer.message.contains("waits for a plan")
            && answer.message.contains("holdpoint claudex cancel");
        assert_eq!(told, fire > 3, "fire {fire}: {answer:?}");
    }
    assert_eq!(site.stands(&id), ("drafting".into(), "1".into(), "none".into()), "the loop is where it was");
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": super::SESSION, "cwd": site.root(),
        "prompt": "do draft it"});
    site.project.hook(&prompt);
    assert!(!site.stop().hold.is_empty(), "the user has spoken: the count starts anew");
    site.project.write("PLAN.md", "1. Tick.\n");
    assert!(site.stop().hold.starts_with("### Claudex round 1 of 3, "));

    // The same without a session, as the older scripts were fired.
    let site = Site::new(&[]);
    site.start(&["plan", "a clock"]);
    let fires = (0..10).map(|_| site.project.run_with(&LEGACY, b"{}").json()["decision"].clone());
    assert_eq!(fires.filter(|decision| decision == "block").count(), 3);
}

#[test]
fn input_that_is_closed_or_never_comes_holds_nobody_up() {
    let (site, id) = site_with_plan(&[]);
    let approved = "{\"decision\":\"approve\"}\n";
    let closed = site.shell("holdpoint hook --protocol legacy --workflow claudex <&-");
    assert_eq!((closed.code, closed.stdout.as_str()), (Some(0), approved));

    let open = |timeout: &str, input: &[u8]| {
        let mut command = site.project.command(&LEGACY);
        command.env("HOLDPOINT_INPUT_TIMEOUT_MS", timeout).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, input).unwrap();
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(open("30", b""), approved, "held open and silent");
    assert_eq!(open("30", b"{\"hook_event_name\":"), approved, "silent in the middle");
    assert_eq!(site.stands(&id).0, "drafting");
    let started = Instant::now();
    assert!(open("20000", b"{}").starts_with("{\"decision\":\"block\""));
    assert!(started.elapsed() < Duration::from_secs(15), "a whole value is enough: nobody waits for more");
}

#[test]
fn a_log_or_journal_that_cannot_be_written_changes_nothing() {
    let (site, id) = site_with_plan(&["--rounds", "2"]);
    for path in [site.root().join(format!("{LOOPS}/log")), site.book("journal.jsonl")] {
        std::fs::remove_file(&path).unwrap();
        block(&path, true);
    }
    for round in ["1", "2"] {
        let hold = site.stop();
        assert!(hold.hold.starts_with(&format!("### Claudex round {round} of 2, ")), "{hold:?}");
        assert_eq!(site.shell(hold.command("bash ")).code, Some(0));
    }
    assert_eq!(site.done(&["mark-done", &id]).lines().count(), 1);
    assert!(site.stop().message.contains("The plan is locked"));
    site.start(&["plan", "another"]);
}

#[test]
fn a_reviewer_that_is_not_there_is_told_with_what_to_do() {
    let (site, id) = site_with_plan(&[]);
    let hold = site.stop();
    std::fs::remove_file(site.tools.root().join("codex")).unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", hold.command("bash ")]).env_clear().env("PATH", "/usr/bin:/bin");
    let printed = feed(shell, b"");
    assert_eq!((printed.code, printed.stdout.as_str()), (Some(1), ""));
    for part in ["codex is not on the PATH", "npm install -g @openai/codex", hold.command("bash ")] {
        assert!(printed.stderr.contains(part), "{part}: {}", printed.stderr);
    }
    assert!(!site.file(&id, "-prompt.txt").exists());
}
