//! The trunk is moved in every spelling that nobody reads in the command: caught after the call, told, and remembered.

use serde_json::json;

use super::project::Agent;

/// Ways to move `main`, by what kind they are. Each is one shell call that nothing holds before.
const SPELLINGS: [(&str, &str); 34] = [
    // Text that is decoded or put together.
    ("decoded", "echo Z2l0IGNvbW1pdCAtcW0geA== | base64 -d | sh"),
    (
        "decoded",
        "xxd -r -p <<< 67697420636f6d6d6974202d716d2078 | bash || printf 'git commit -qm x' | tr a a | bash",
    ),
    ("decoded", "a=gi; b=t; c=com; \"$a$b\" \"${c}mit\" -qm x"),
    ("decoded", "rev <<< 'x mq- timmoc tig' | sh"),
    // Programs that start programs.
    ("programs", "python3 -c \"import subprocess as s; s.run(['git','commit','-qm','x'])\""),
    ("programs", "awk 'BEGIN{system(\"git commit -qm x\")}'"),
    ("programs", "perl -e 'system(\"git commit -qm x\")'"),
    ("programs", "python3 -c \"import os; os.execvp('git', ['git','commit','-qm','x'])\""),
    // Files.
    ("files", "printf 'git commit -qm x\\n' > z.sh; . ./z.sh"),
    ("files", "printf 'c:\\n\\tgit commit -qm x\\n' > Makefile; make -s c || sh -c \"$(tail -1 Makefile)\""),
    ("files", "printf '#!/bin/sh\\ngit commit -qm x\\n' > z; chmod +x z; ./z"),
    ("files", "printf 'import os\\nos.system(\"git commit -qm x\")\\n' > z.py; python3 z.py"),
    // Git by another name.
    ("names", "$(git --exec-path)/git-commit -qm x || \"$(command -v git)\" commit -qm x"),
    ("names", "f() { git \"$@\"; }; f commit -qm x"),
    ("names", "ln -s \"$(command -v git)\" ./g; ./g commit -qm x"),
    // Git's own configuration.
    ("configuration", "printf '[alias]\\nzz = commit\\n' > al; git -c include.path=$PWD/al zz -qm x"),
    ("configuration", "git config alias.qq commit && git qq -qm x"),
    ("configuration", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.zz GIT_CONFIG_VALUE_0=commit git zz -qm x"),
    // Programs that git starts.
    (
        "hooks",
        "printf '#!/bin/sh\\ntest -e .once || { touch .once; git commit -qm x; }\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change; git add -A",
    ),
    ("hooks", "GIT_EDITOR='git commit -qm x; true' git config -e"),
    (
        "hooks",
        "git bisect start -q; git rebase -q --exec 'git commit -q --allow-empty -m x' HEAD~0; GIT_SEQUENCE_EDITOR='git commit -qm x; true' git rebase -qi HEAD; git commit-tree -m y HEAD^{tree} | xargs git update-ref refs/heads/main",
    ),
    // Other ways to move a branch.
    ("moves", "git merge -q --ff-only side"),
    ("moves", "git reset -q --hard side"),
    ("moves", "git update-ref refs/heads/main side"),
    ("moves", "git checkout -q --detach; git commit -qm x; git branch -f main HEAD"),
    ("moves", "git fetch -q --update-head-ok . side:main"),
    ("moves", "git branch -q -M main old"),
    ("plumbing", "printf 'update refs/heads/main %s\\n' $(git rev-parse side) | git update-ref --stdin"),
    (
        "plumbing",
        "printf 'commit refs/heads/main\\ncommitter a <a@b> 1 +0000\\ndata 1\\nx\\nfrom refs/heads/main^0\\n' | git fast-import --quiet",
    ),
    (
        "plumbing",
        "t=$(git write-tree); c=$(echo x | git commit-tree $t -p main); git update-ref refs/heads/main $c",
    ),
    ("written", "git rev-parse side > .git/refs/heads/main"),
    (
        "written",
        "git pack-refs --all; sed -i \"s/^.* refs.heads.main\\$/$(git rev-parse side) refs\\/heads\\/main/\" .git/packed-refs",
    ),
    ("written", "rm -rf .git/refs/heads/main"),
    (
        "worktree",
        "git worktree add -q -f ../w$$ main; cd ../w$$ && f() { git \"$@\"; }; f commit -q --allow-empty -m x; rm -rf ../w$$",
    ),
];

#[test]
fn the_trunk_is_not_moved_unseen() {
    for (kind, command) in SPELLINGS {
        let agent = Agent::on_trunk();
        let before = agent.at("main");
        let told = agent.shell(command);
        let now = agent.project.git(&["for-each-ref", "--format=%(objectname)", "refs/heads/main"]);
        assert_ne!(now.trim(), before, "{kind}: {command} has not moved it");
        assert!(
            told.agent.contains("refs/heads/main") && told.agent.contains("branch-guard"),
            "{kind}: {command}: {told:?}"
        );
        assert!(
            told.user.contains("refs/heads/main") && told.user.contains("holdpoint accept"),
            "{kind}: {command}"
        );
        let first = command.lines().next().unwrap().chars().take(20).collect::<String>();
        assert!(told.agent.contains(&first), "{kind}: the call is named: {}", told.agent);
        let stop = agent.stop();
        assert!(
            stop.agent.contains("NOT SETTLED") && stop.agent.contains("git update-ref"),
            "{kind}: {stop:?}"
        );
    }
}

/// The same mechanisms where a workflow of the project's own holds every commit.
#[test]
fn no_commit_is_made_unseen_on_any_branch() {
    for command in [
        "echo Z2l0IGNvbW1pdCAtcW0geA== | base64 -d | sh",
        "python3 -c \"import subprocess as s; s.run(['git','commit','-qm','x'])\"",
        "printf 'git commit -qm x\\n' > z.sh; . ./z.sh",
        "f() { git \"$@\"; }; f commit -qm x",
        "git config alias.qq commit && git qq -qm x",
        "git checkout -q feature/x 2>/dev/null || git checkout -qf feature/x; git merge -q --ff-only side",
        "git checkout -q -b new; $(git --exec-path)/git-commit -qm x || python3 -c \"import os; os.system('git commit -qm x')\"",
        "git checkout -q --detach; a=git; $a \"com\"mit -qm x",
        "git rev-parse side > .git/refs/heads/feature/x",
    ] {
        let agent = Agent::without_commits();
        let told = agent.shell(command);
        assert!(told.agent.contains("no-commits"), "{command}: {told:?}");
        assert!(told.user.contains("no-commits"), "{command}: {told:?}");
        assert!(agent.stop().agent.contains("NOT SETTLED"), "{command}");
    }
}

#[test]
fn what_the_agent_writes_into_the_state_meanwhile_does_not_open_the_trunk() {
    for command in [
        "echo '{}' > .isdlc/state.json; f() { git \"$@\"; }; f commit -qm x",
        "mv .isdlc .was; f() { git \"$@\"; }; f commit -qm x; mv .was .isdlc",
        "echo '{\"projects\":{\"a\":{\"path\":\"a\"}},\"default_project\":\"none\"}' > .isdlc/monorepo.json; f() { git \"$@\"; }; f commit -qm x",
    ] {
        let agent = Agent::on_trunk();
        let told = agent.shell(command);
        assert!(told.agent.contains("refs/heads/main"), "{command}: {told:?}");
    }
}

#[test]
fn it_is_remembered_until_the_user_undoes_or_accepts_it() {
    let agent = Agent::on_trunk();
    let before = agent.at("main");
    let told = agent.shell("f() { git \"$@\"; }; f commit -qm x");
    let status = agent.project.run(&["status"]);
    assert!(status.stdout.contains("refs/heads/main was moved"), "{}", status.stdout);
    let log = agent.project.run(&["log"]);
    assert!(log.stdout.contains("branch-guard"), "{}", log.stdout);
    // Told once, and held at Stop until it is settled.
    assert!(agent.shell("ls").is_nothing());
    assert!(agent.stop().agent.contains("NOT SETTLED"));
    // The command that is shown works as it is shown, and gives nothing away.
    let undo = told.user.lines().find(|line| line.contains("git update-ref")).unwrap().trim().to_owned();
    agent.project.git(&undo.split_whitespace().skip(1).collect::<Vec<_>>());
    assert_eq!(agent.at("main"), before);
    assert_eq!(agent.project.read("a.py"), "two\n");
    assert!(!agent.stop().agent.contains("NOT SETTLED"));
    assert!(!agent.project.run(&["status"]).stdout.contains("was moved"));
    // Armed again.
    assert!(agent.shell("f() { git \"$@\"; }; f commit -qm x").agent.contains("refs/heads/main"));
    let accepted = agent.user(&["accept"], "y\n");
    assert!(
        accepted.stdout.contains("Accepted") && accepted.stdout.contains("git update-ref"),
        "{}",
        accepted.stdout
    );
    assert!(!agent.stop().agent.contains("NOT SETTLED"));
    assert!(
        agent.shell("f() { git \"$@\"; }; f commit -q --allow-empty -m y").agent.contains("refs/heads/main")
    );
}

#[test]
fn only_the_user_accepts() {
    let agent = Agent::on_trunk();
    agent.shell("f() { git \"$@\"; }; f commit -qm x");
    let piped = agent.project.run(&["accept", "--yes"]);
    assert_ne!(piped.code, Some(0), "{}", piped.stdout);
    let mut command = agent.project.command(&["accept", "--yes"]);
    command.env("CLAUDECODE", "1");
    assert_ne!(crate::terminal::at_terminal(command, "y\n").code, Some(0));
    assert_ne!(agent.user(&["accept"], "n\n").code, Some(0));
    assert!(agent.stop().agent.contains("NOT SETTLED"));
    // While a client works here, whoever left it can have a terminal, too.
    let mut client = crate::client::Client::like(&agent.project.command(&[]));
    let root = agent.project.root();
    let prompt =
        json!({"hook_event_name": "UserPromptSubmit", "session_id": "other", "cwd": root, "prompt": "go"});
    client.send(&prompt);
    let asked = agent.user(&["accept", "--yes"], "y\n");
    assert!(asked.stderr.contains("to run `holdpoint accept`"), "{}{}", asked.stdout, asked.stderr);
    assert_ne!(asked.code, Some(0));
    let typed = |command| crate::approval::typed(command, |word| format!("{word}\n"));
    assert_eq!(typed(agent.project.command(&["accept"])).code, Some(0));
    drop(client);
}

#[test]
fn a_stop_is_held_within_patience() {
    let agent = Agent::on_trunk();
    agent.shell("f() { git \"$@\"; }; f commit -qm x");
    for round in 1..=3 {
        let told = agent.stop();
        assert!(told.agent.contains("NOT SETTLED"), "round {round}: {told:?}");
    }
    let released = agent.stop();
    assert!(!released.agent.contains("NOT SETTLED"), "{released:?}");
    assert!(released.user.contains("Still open"), "{released:?}");
    assert!(agent.stop().user.is_empty(), "the user is told once");
}
