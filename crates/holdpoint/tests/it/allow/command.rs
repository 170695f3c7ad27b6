//! `holdpoint allow`: what it shows, what it asks, who may answer.

use super::{Machine, RUNS, git, prompt, stop};
use crate::client::Client;
use crate::project::feed;
use crate::terminal::at_terminal;

const LINT: &str = ".holdpoint/workflows/lint/workflow.toml";

fn machine() -> Machine {
    Machine::cloned(&[("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), (LINT, RUNS)])
}

#[test]
fn it_shows_what_would_run_and_asks() {
    let machine = machine();
    let reviewer =
        "[reviewers.r]\ncommand = [\"claude\", \"--dangerously-skip-permissions\", \"-p\", \"\\u001b[2J\"]\n";
    machine.write(
        LINT,
        &format!("{RUNS}{reviewer}[holds.stay]\non = \"stop\"\nwhen = \"false\"\nsay = \"x\"\n"),
    );
    machine.write(".holdpoint/holdpoint.toml", "workflows = [\"lint\"]\n");
    let printed = machine.typed(&["allow"], "n\n");
    assert_eq!(printed.code, Some(1));
    for part in [
        "Workflow lint",
        "sh -c touch \"$HOME/ran\"  (check c)",
        "claude --dangerously-skip-permissions",
        "DANGER --dangerously-skip-permissions: it may do everything that you may",
        "holds     stay",
        "commands  start",
        "workflows = [\"lint\"]",
        "Digest ",
    ] {
        assert!(printed.stdout.contains(part), "{part}: {}", printed.stdout);
    }
    assert!(!printed.stdout.contains('\u{1b}'), "no escape reaches the terminal");
    assert!(printed.stderr.contains("Allow this? [y/N]"), "{}", printed.stderr);
    machine.stop();
    assert!(!machine.ran());
    assert_eq!(machine.typed(&["allow"], "y\n").code, Some(0));
    assert!(machine.typed(&["allow"], "").stdout.contains("already allowed"));
}

#[test]
fn a_change_asks_again_and_shows_the_difference() {
    let machine = machine();
    machine.allow();
    machine.write(LINT, &RUNS.replace("touch", "echo >"));
    machine.stop();
    assert!(!machine.ran(), "a workflow that has changed does nothing");
    let printed = machine.typed(&["allow"], "n\n");
    let lines: Vec<&str> = printed.stdout.lines().map(str::trim_start).collect();
    assert!(lines.contains(&"--- workflows/lint/workflow.toml"), "{}", printed.stdout);
    assert!(lines.contains(&"-run  = [\"sh\", \"-c\", \"touch \\\"$HOME/ran\\\"\"]"), "{}", printed.stdout);
    assert!(lines.contains(&"+run  = [\"sh\", \"-c\", \"echo > \\\"$HOME/ran\\\"\"]"), "{}", printed.stdout);
    machine.allow();
    machine.stop();
    assert!(machine.ran());
}

#[test]
fn a_new_text_beside_it_is_a_change_too() {
    let machine = machine();
    machine.allow();
    machine.write(".holdpoint/workflows/lint/texts/new.md", "x");
    machine.stop();
    assert!(!machine.ran());
}

#[test]
fn an_agent_cannot_allow() {
    let machine = machine();
    let digest = machine.run(&["allow", "--print"]).stdout.trim().to_owned();
    assert_eq!(digest.len(), 64);
    for variable in ["CLAUDE_CODE_SESSION_ID", "CLAUDECODE", "GEMINI_CLI", "CODEX_THREAD_ID"] {
        for args in [&["allow", "--yes"][..], &["allow", "--digest", &digest], &["allow", "--revoke"]] {
            let mut command = machine.holdpoint(args);
            command.env(variable, "1");
            let printed = at_terminal(command, "y\n");
            assert_eq!(printed.code, Some(1), "{args:?}");
            assert!(printed.stderr.contains("the user's to call"), "{}", printed.stderr);
        }
    }
    let piped = feed(machine.holdpoint(&["allow", "--yes"]), b"y\n");
    assert_eq!(piped.code, Some(1));
    assert!(piped.stderr.contains("not a terminal"), "{}", piped.stderr);
    // Nor can a clone be allowed by having `init` typed by an agent.
    let mut init = machine.holdpoint(&["init", "--agent", "claude"]);
    init.env("CLAUDECODE", "1");
    let printed = at_terminal(init, "");
    assert!(printed.stderr.contains("holdpoint allow "), "{}{}", printed.stdout, printed.stderr);
    machine.stop();
    assert!(!machine.ran());
}

/// While an agent's client works in the project, a terminal alone is not the user: whoever left the client can have one.
#[test]
fn while_a_client_works_there_a_word_is_typed() {
    let machine = machine();
    let mut client = Client::like(&machine.holdpoint(&[]));
    let mut event = prompt();
    event["cwd"] = serde_json::json!(machine.root());
    event["session_id"] = serde_json::json!("s");
    client.send(&event);
    let asked = machine.typed(&["allow", "--yes"], "y\n");
    assert!(asked.stderr.contains("the word was not typed"), "{}{}", asked.stdout, asked.stderr);
    let init = machine.typed(&["init", "--agent", "claude"], "y\n");
    assert!(init.stderr.contains("holdpoint allow "), "{}{}", init.stdout, init.stderr);
    machine.stop();
    assert!(!machine.ran(), "nothing was allowed");
    let asked = machine.typed(&["uninstall"], "y\n");
    assert!(asked.stderr.contains("to run `holdpoint uninstall`"), "{}{}", asked.stdout, asked.stderr);
    assert!(machine.root().join(".claude/settings.json").exists());
    let typed = crate::approval::typed(machine.holdpoint(&["allow"]), |word| format!("{word}\n"));
    assert_eq!(typed.code, Some(0), "{}{}", typed.stdout, typed.stderr);
    drop(client);
    machine.stop();
    assert!(machine.ran());
}

#[test]
fn without_a_terminal_the_digest_is_named() {
    let machine = machine();
    let wrong = machine.run(&["allow", "--digest", &"0".repeat(64)]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stderr.contains("another digest"), "{}", wrong.stderr);
    let refused = machine.run(&["allow"]);
    // It covers the run, too.
    let (_, digest) = refused.stderr.trim().split_once("holdpoint allow --digest ").unwrap();
    assert!(refused.stdout.contains(digest), "{}{}", refused.stdout, refused.stderr);
    machine.stop();
    assert!(!machine.ran());
    assert_eq!(machine.run(&["allow", "--digest", digest]).code, Some(0));
    machine.stop();
    assert!(machine.ran());
}

#[test]
fn an_environment_can_name_the_content() {
    let machine = Machine::cloned(&[("README.md", "x"), (LINT, RUNS)]);
    let digest = machine.run(&["allow", "--print"]).stdout.trim().to_owned();
    let hook = |named: &str| {
        machine.write(".x.json", "{\"phase\":\"a\"}");
        let mut command = machine.holdpoint(&["hook"]);
        command.env("HOLDPOINT_ALLOW", named);
        let mut event = stop();
        event["cwd"] = serde_json::json!(machine.root());
        feed(command, event.to_string().as_bytes());
        machine.ran()
    };
    assert!(!hook(&"0".repeat(64)));
    assert!(hook(&format!("{}, {digest}", "0".repeat(64))));
}

#[test]
fn what_is_allowed_is_listed_and_revoked() {
    let machine = machine();
    assert!(machine.run(&["allow", "--list"]).stdout.contains("no project"));
    machine.allow();
    let list = machine.run(&["allow", "--list"]).stdout;
    let root = machine.root().display().to_string();
    assert!(list.starts_with(&root) && list.contains("1 run"), "{list}");
    assert_eq!(machine.typed(&["allow", "--revoke", &root], "").code, Some(0));
    assert!(machine.run(&["allow", "--list"]).stdout.contains("no project"));
    machine.stop();
    assert!(!machine.ran());
    let again = machine.typed(&["allow", "--revoke"], "");
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("is not allowed"), "{}", again.stderr);
}

#[test]
fn a_worktree_with_the_same_content_is_allowed() {
    let machine = Machine::cloned(&[("README.md", "x"), (LINT, RUNS)]);
    machine.allow();
    let tree = machine.home().with_file_name("tree");
    git(&machine.root(), &["worktree", "add", "--quiet", tree.to_str().unwrap()]);
    std::fs::write(tree.join(".x.json"), "{\"phase\":\"a\"}").unwrap();
    machine.hook_in(&tree, stop());
    assert!(machine.ran());
}

/// A folder that only says that it is a worktree of an allowed repository is none.
#[test]
fn a_forged_worktree_is_a_stranger() {
    let machine = machine();
    machine.allow();
    let forged = machine.home().with_file_name("forged");
    for (path, text) in [("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), (LINT, RUNS)] {
        let file = forged.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    std::fs::write(forged.join(".git"), format!("gitdir: {}/.git\n", machine.root().display())).unwrap();
    machine.hook_in(&forged, stop());
    assert!(!machine.ran());
}

#[test]
fn a_clone_of_an_allowed_clone_is_a_stranger() {
    let machine = machine();
    machine.allow();
    let other = machine.clone_to("other");
    machine.hook_in(&other, stop());
    assert!(!machine.ran());
}

/// What is allowed is shown as it is: a command could hide where a secret would be.
#[test]
fn nothing_that_is_allowed_is_hidden_as_a_secret() {
    let machine = machine();
    let hidden = "API_KEY=abcdefgh1234567890xyz";
    machine.write(LINT, &RUNS.replace("touch", &format!("{hidden} touch")));
    machine.write(".holdpoint/holdpoint.toml", "# token=ghp_abcdefghijklmnopqrstuvwxyz0123456789\n");
    let first = machine.typed(&["allow"], "n\n").stdout;
    assert!(first.contains(&format!("sh -c {hidden} touch")), "{first}");
    assert!(first.contains("# token=ghp_abcdefghijklmnopqrstuvwxyz0123456789"), "{first}");
    machine.allow();
    machine.write(LINT, &RUNS.replace("touch", "API_KEY=zyx0987654321hgfedcba touch"));
    let changed = machine.typed(&["allow"], "n\n").stdout;
    assert!(changed.lines().any(|line| line.contains("+run") && line.contains("zyx0987654321")), "{changed}");
    assert!(changed.lines().any(|line| line.contains("-run") && line.contains(hidden)), "{changed}");
}

#[test]
fn an_agent_allows_nothing_by_a_copy() {
    let machine = Machine::cloned(&[("README.md", "x")]);
    let mut eject = machine.holdpoint(&["workflow", "eject", "taskie"]);
    eject.env("CLAUDECODE", "1");
    let printed = feed(eject, b"");
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    assert!(printed.stdout.contains("holdpoint allow "), "{}", printed.stdout);
    let status = machine.run(&["status", "--json"]).stdout;
    assert!(status.contains("its own workflows"), "{status}");
}

#[test]
fn content_without_a_known_project_can_be_revoked() {
    let machine = Machine::cloned(&[("README.md", "x")]);
    assert_eq!(machine.run(&["workflow", "eject", "taskie"]).code, Some(0));
    let waits = || machine.run(&["status", "--json"]).stdout.contains("its own workflows");
    assert!(!waits());
    let revoked = machine.typed(&["allow", "--revoke"], "");
    assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    assert!(waits());
}

#[test]
fn revoking_a_folder_leaves_the_project_around_it() {
    let machine = Machine::cloned(&[("README.md", "x")]);
    let outer = machine.home().with_file_name("outer");
    std::fs::create_dir_all(outer.join("inner")).unwrap();
    assert_eq!(at_terminal(machine.holdpoint_in(&outer, &["allow", "--yes"]), "").code, Some(0));
    let list = || machine.run(&["allow", "--list"]).stdout;
    for is_repository in [false, true] {
        if is_repository {
            git(&outer.join("inner"), &["init", "--quiet"]);
        }
        let printed = at_terminal(machine.holdpoint_in(&outer.join("inner"), &["allow", "--revoke"]), "");
        assert_eq!(printed.code, Some(1), "{}", printed.stdout);
        assert!(list().starts_with(&outer.display().to_string()), "{}", list());
    }
    let inside = outer.join("outside-a-repository");
    std::fs::create_dir(&inside).unwrap();
    let printed = at_terminal(machine.holdpoint_in(&inside, &["allow", "--revoke"]), "");
    assert!(
        printed.stderr.contains(&format!("holdpoint allow --revoke {}", outer.display())),
        "{}",
        printed.stderr
    );
}

#[test]
fn several_things_are_spoken_of_as_several() {
    let machine = Machine::cloned(&[("README.md", "x"), (LINT, RUNS)]);
    let printed = machine.run(&["lint", "start"]);
    let said = format!("{}{}", printed.stdout, printed.stderr);
    assert!(said.contains("its own workflows, which are not allowed yet"), "{said}");
}
