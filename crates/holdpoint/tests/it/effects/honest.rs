//! Honest use: what the user does in their own terminal, and what agents do every day.

use super::project::Agent;

#[test]
fn the_users_own_commits_are_nobodys_business() {
    let agent = Agent::on_trunk();
    assert!(agent.shell("ls").is_nothing());
    agent.project.git(&["commit", "-qm", "the user's"]);
    agent.project.git(&["merge", "-q", "--ff-only", "main"]);
    for told in [agent.prompt("go on"), agent.shell("ls"), agent.stop()] {
        assert!(
            !told.agent.contains("refs/heads/main") && !told.user.contains("refs/heads/main"),
            "{told:?}"
        );
    }
}

#[test]
fn everyday_calls_are_not_spoken_of() {
    for command in [
        "git checkout -q feature/x && git commit -qm x",
        "git checkout -q -b another && git checkout -q main",
        "git switch -q side; git switch -q main",
        "git stash -q; git stash pop -q",
        "git tag v1; git gc -q; git pack-refs --all",
        "git init -q --bare ../r$$; git remote add origin ../r$$; git push -q -u origin feature/x; rm -rf ../r$$",
        "git worktree add -q ../w$$ side; git worktree remove ../w$$",
        "mkdir -p node_modules/x && echo x > node_modules/x/index.js",
        "sed -i s/two/three/ a.py",
        "git status; git log --oneline | cat; git diff | cat",
    ] {
        let agent = Agent::on_trunk();
        let told = agent.shell(command);
        assert!(told.is_nothing(), "{command}: {told:?}");
        assert!(!agent.stop().agent.contains("NOT SETTLED"), "{command}");
    }
}

#[test]
fn where_every_commit_is_held_a_branch_may_be_made_or_left() {
    for command in [
        "git checkout -q -b another && git checkout -q main",
        "git checkout -q --detach side && git checkout -q main",
        "git branch copy side; git tag v1; git checkout -q v1; git switch -q main",
        "git fetch -q . side:refs/remotes/o/r; git checkout -q -b r o/r; git switch -q main",
    ] {
        let agent = Agent::without_commits();
        let told = agent.shell(command);
        assert!(told.is_nothing(), "{command}: {told:?}");
    }
}

#[test]
fn another_repository_is_free() {
    let agent = Agent::on_trunk();
    let told = agent.shell("mkdir sub && cd sub && git init -q -b main . && a=git && $a -c user.name=a -c user.email=a@b commit -q --allow-empty -m x");
    assert!(told.is_nothing(), "{told:?}");
}

#[test]
fn where_no_rule_looks_nothing_is_noted() {
    let agent = Agent::in_repository();
    assert!(agent.shell("git -c user.name=a commit -qm x").is_nothing());
    assert!(!agent.project.state().join("holdpoint/watch").exists());
    // Nor where the rule has nothing to hold, beyond the settings.
    let agent = Agent::on_trunk();
    agent
        .project
        .write(".isdlc/state.json", r#"{"active_workflow":{"git_branch":{"name":"x","status":"merged"}}}"#);
    assert!(agent.before("c1", "ls").is_nothing());
    let folder = agent.project.state().join("holdpoint/watch");
    let note: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()).collect();
    let note = note.iter().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    assert!(std::fs::read_to_string(note).unwrap().contains("\"branches\":null"));
    assert!(agent.after("c1", "ls").is_nothing());
    assert!(!note.exists(), "a note goes with its call");
}

#[test]
fn a_note_that_is_rubbish_disturbs_nobody() {
    let agent = Agent::on_trunk();
    agent.before("c1", "ls");
    let folder = agent.project.state().join("holdpoint/watch");
    for path in std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
        std::fs::write(path, "{\"calls\": 7").unwrap();
    }
    assert!(agent.after("c1", "ls").is_nothing());
    assert!(agent.shell("f() { git \"$@\"; }; f commit -qm x").agent.contains("refs/heads/main"));
}
