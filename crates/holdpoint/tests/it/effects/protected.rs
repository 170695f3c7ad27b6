//! Files that a rule protects, and the agents' settings: changed by a shell, whatever its words.

use super::project::Agent;

const SETTINGS: &str = r#"{"hooks":{"Stop":[]},"permissions":{"allow":[]}}"#;

#[test]
fn a_protected_file_is_not_changed_unseen() {
    for command in [
        "echo two > contracts/one.txt",
        "python3 -c \"open('contracts/one.txt','w').write('x')\"",
        "sed -i s/one/two/ contracts/*.txt",
        "mv contracts/one.txt elsewhere",
        "rm -rf contracts",
        "cp a.py contracts/new.txt",
        "d=contr; echo x >> ${d}acts/one.txt; touch -d 2001-01-01 contracts/one.txt",
        "ln -sf ../a.py contracts/one.txt",
    ] {
        let agent = Agent::without_commits();
        let told = agent.shell(command);
        assert!(
            told.agent.contains("contracts/") && told.agent.contains("`contracts`"),
            "{command}: {told:?}"
        );
        assert!(told.user.contains("contracts/"), "{command}");
        assert!(agent.stop().agent.contains("NOT SETTLED"), "{command}");
    }
}

#[test]
fn a_protected_file_that_is_put_back_is_settled() {
    let agent = Agent::without_commits();
    agent.shell("echo two > contracts/one.txt");
    assert!(agent.stop().agent.contains("git checkout"));
    assert!(agent.shell("git checkout HEAD -- contracts/one.txt").is_nothing());
    assert!(!agent.stop().agent.contains("NOT SETTLED"));
}

/// Each file is settled by itself, and one whose place something else has taken is not.
#[test]
fn of_several_protected_files_each_is_settled_by_itself() {
    let agent = Agent::without_commits();
    agent.run("for i in 1 2; do echo $i > contracts/$i.txt; done; git add contracts; git commit -qm more");
    agent.shell("for i in 1 2; do echo new > contracts/$i.txt; done; echo x > contracts/new.txt");
    let held = agent.stop().agent;
    for name in ["contracts/1.txt", "contracts/2.txt", "contracts/new.txt"] {
        assert!(held.contains(name), "{name}: {held}");
    }
    agent.shell("git checkout HEAD -- contracts/1.txt; rm contracts/new.txt; mkdir contracts/new.txt; echo y > contracts/new.txt/y");
    let held = agent.stop().agent;
    assert!(!held.contains("contracts/1.txt"), "{held}");
    assert!(held.contains("contracts/2.txt") && held.contains("contracts/new.txt"), "{held}");
    agent.shell("rm -r contracts/new.txt; git checkout HEAD -- contracts/2.txt");
    assert!(!agent.stop().agent.contains("NOT SETTLED"));
}

#[test]
fn a_file_that_is_only_touched_or_not_protected_is_not_spoken_of() {
    for command in [
        "touch contracts/one.txt",
        "cp contracts/one.txt x; mv x contracts/one.txt",
        "echo x > b.py; rm a.py",
        "mkdir -p contracts.d && echo x > contracts.d/y",
    ] {
        let agent = Agent::without_commits();
        let told = agent.shell(command);
        assert!(told.is_nothing(), "{command}: {told:?}");
    }
}

#[test]
fn the_settings_are_watched_in_every_workflow_that_holds() {
    for command in [
        "rm .claude/settings.json",
        "echo '{\"disableAllHooks\":true}' > .claude/settings.local.json",
        "python3 -c \"open('.claude/settings.json','w').write('{}')\"",
        "mkdir -p .codex; echo > .codex/hooks.json",
    ] {
        for agent in [Agent::on_trunk(), Agent::without_commits(), planned()] {
            agent.project.write(".claude/settings.json", SETTINGS);
            let told = agent.shell(command);
            assert!(told.agent.contains("which says how Holdpoint is called"), "{command}: {told:?}");
            assert!(told.user.contains("holdpoint accept"), "{command}: {told:?}");
        }
    }
}

/// A plan under review: a workflow with phases, and without a rule about shells.
fn planned() -> Agent {
    let agent = Agent::in_repository();
    agent.project.write(".taskie/plans/shop/plan.md", "# Plan\n").write(
        ".taskie/plans/shop/state.json",
        r#"{"phase":"new-plan","next_phase":"plan-review","max_reviews":8,"phase_iteration":0,"consecutive_clean":0,"review_model":"opus","tdd":false,"current_task":null}"#,
    );
    agent
}

#[test]
fn what_the_client_writes_about_permissions_is_the_users() {
    let agent = Agent::on_trunk();
    agent.project.write(".claude/settings.json", SETTINGS);
    let told = agent.shell(
        "echo '{\"hooks\":{\"Stop\":[]},\"permissions\":{\"allow\":[\"Bash(ls)\"]}}' > .claude/settings.json",
    );
    assert!(told.is_nothing(), "{told:?}");
}

#[test]
fn what_a_workflow_has_put_back_is_put_back_and_nothing_is_lost() {
    let agent = Agent::in_repository();
    agent.project.workflow(
        "own",
        "about = \"x\"\n[run]\nhome = \".own\"\nrestore = [\"settings\", \"docs/plan.md\"]\n\
         [holds.a]\non = \"stop\"\nwhen = \"false\"\nsay = \"a\"\n",
    );
    agent
        .project
        .write(".own/x", "")
        .write("docs/plan.md", "plan\n")
        .write(".claude/settings.json", SETTINGS);
    let told = agent.shell("echo other > docs/plan.md; rm .claude/settings.json");
    assert!(told.agent.contains("PUT BACK") && told.user.contains("docs/plan.md"), "{told:?}");
    assert_eq!(agent.project.read("docs/plan.md"), "plan\n");
    assert_eq!(agent.project.read(".claude/settings.json"), SETTINGS);
    let kept = told.agent.split("kept in ").nth(1).unwrap().split_whitespace().next().unwrap();
    assert_eq!(agent.project.read(kept.trim_end_matches('.')), "other\n");
    assert!(!agent.stop().agent.contains("NOT SETTLED"));
    // Armed again, and the user's own edit stays.
    agent.project.write("docs/plan.md", "the user's\n");
    assert!(agent.shell("ls").is_nothing());
    assert_eq!(agent.project.read("docs/plan.md"), "the user's\n");
    assert!(agent.shell("rm docs/plan.md").agent.contains("PUT BACK"));
    assert_eq!(agent.project.read("docs/plan.md"), "the user's\n");
}

/// A sealed run, whose marks remember what its phase does not permit.
const SEALED: &str = r#"
about = "Only src is edited."
[run]
home   = "own.json"
sealed = true
[phases.code]
by      = "agent"
ask     = "Write the code."
edits   = ["src/**"]
commits = false
until   = "phase.changed and not phase.breaches"
then    = "done"
[phases.done]
by   = "nobody"
tell = "done"
[commands.start]
about = "Start"
steps = [{ create = true, go = "code", say = "started" }]
"#;

#[test]
fn a_sealed_run_is_told_at_once_what_its_phase_does_not_permit() {
    for (command, what) in [
        ("python3 -c \"open('contracts/one.txt','w').write('x')\"", "contracts/one.txt"),
        ("rm a.py", "a.py"),
        ("f() { git \"$@\"; }; f commit -qm x", "refs/heads/main"),
    ] {
        let agent = Agent::in_repository();
        agent.project.git(&["commit", "-qm", "all"]);
        agent
            .project
            .workflow("own", SEALED)
            .write(".git/info/exclude", "own.json\n")
            .write("src/x.py", "x\n");
        let started = agent.project.run(&["own", "start"]);
        assert!(started.stdout.contains("started"), "{}{}", started.stdout, started.stderr);
        assert!(agent.shell("echo y >> src/x.py").is_nothing());
        if command.contains("commit") {
            agent.project.git(&["add", "src"]);
        }
        let told = agent.shell(command);
        assert!(
            told.agent.contains("ALTHOUGH IT IS HELD") && told.agent.contains(what),
            "{command}: {told:?}"
        );
        assert!(told.user.contains(what), "{command}: {told:?}");
        assert!(!agent.stop().agent.is_empty(), "{command}");
    }
}

/// The state of a sealed run is put back, and that is told as soon as the call is over.
#[test]
fn the_state_of_a_sealed_run_is_put_back_after_the_call() {
    let agent = Agent::in_repository();
    agent.project.workflow("own", SEALED).write(".git/info/exclude", "own.json\n");
    agent.project.run(&["own", "start"]);
    let before = agent.project.read("own.json");
    let told =
        agent.shell("python3 -c \"import glob; [open(f,'w').write('{}') for f in glob.glob('ow*.json')]\"");
    assert_eq!(agent.project.read("own.json"), before);
    assert!(told.user.contains("was put back"), "{told:?}");
}

#[test]
fn the_users_own_settings_are_watched_for_what_steers_hooks() {
    for command in [
        "mkdir -p ~/.claude; echo '{\"disableAllHooks\":true}' > ~/.claude/settings.json",
        "mkdir -p ~/.claude; cd ~/.cl*; echo '{\"hooks\":{}}' > settings.json",
        "mkdir -p ~/.claude; echo '{\"hooks\":{}}' > ~/.claude/settings.local.json",
    ] {
        let agent = Agent::without_commits();
        let told = agent.shell(command);
        assert!(told.user.contains("no-home/.c"), "{command}: {told:?}");
        assert!(agent.stop().agent.contains("NOT SETTLED"), "{command}");
        assert_eq!(agent.user(&["accept"], "y\n").code, Some(0));
        assert!(!agent.stop().agent.contains("NOT SETTLED"), "{command}");
    }
    let agent = Agent::without_commits();
    let told = agent.shell("mkdir -p ~/.claude; echo '{\"theme\":\"dark\"}' > ~/.claude/settings.json");
    assert!(told.user.contains("settings.json"), "a new file is told: {told:?}");
    assert_eq!(agent.user(&["accept"], "y\n").code, Some(0));
    let told = agent.shell("echo '{\"theme\":\"light\",\"model\":\"opus\"}' > ~/.claude/settings.json");
    assert!(told.is_nothing(), "what the client writes there is its own business: {told:?}");
}

#[test]
fn a_repository_that_lies_about_its_files_hides_nothing() {
    for command in [
        "git config filter.f.clean 'echo one'; echo 'contracts/* filter=f' > .git/info/attributes; echo two > contracts/one.txt",
        "git update-index --assume-unchanged contracts/one.txt; echo two > contracts/one.txt",
        "git update-index --skip-worktree contracts/one.txt; echo two > contracts/one.txt",
        "git config core.fsmonitor true; echo two > contracts/one.txt",
        "git config filter.a=b.clean 'echo one'; echo '* filter=a=b' > .gitattributes; echo two > contracts/one.txt",
    ] {
        let agent = Agent::without_commits();
        let told = agent.shell(command);
        assert!(told.agent.contains("contracts/one.txt"), "{command}: {told:?}");
        assert!(agent.stop().agent.contains("NOT SETTLED"), "{command}");
    }
}

#[test]
fn a_filter_of_the_repository_is_not_run_by_the_hook() {
    let agent = Agent::without_commits();
    agent.shell(
        "git config filter.f.clean 'touch ../ran; cat'; echo 'contracts/* filter=f' > .git/info/attributes",
    );
    agent.shell("echo two > contracts/one.txt");
    agent.stop();
    assert!(!agent.project.root().parent().unwrap().join("ran").exists());
    assert!(!agent.project.root().join("ran").exists());
}

#[test]
fn a_repository_that_git_cannot_read_settles_nothing() {
    let agent = Agent::without_commits();
    agent.shell("echo two > contracts/one.txt");
    assert!(agent.stop().agent.contains("NOT SETTLED"));
    agent.shell("echo '[x' >> .git/config");
    let held = agent.stop();
    assert!(held.agent.contains("NOT SETTLED"), "{held:?}");
    agent.run("sed -i '$d' .git/config");
    assert!(agent.stop().agent.contains("NOT SETTLED"));
}

#[test]
fn what_git_could_not_compare_is_compared_the_next_time() {
    let agent = Agent::without_commits();
    let told = agent.shell("echo two > contracts/one.txt; echo '[x' >> .git/config");
    assert!(told.user.contains("could not be compared"), "{told:?}");
    agent.before("c2", "sed -i '$d' .git/config");
    agent.run("sed -i '$d' .git/config");
    let told = agent.after("c2", "sed -i '$d' .git/config");
    assert!(told.agent.contains("contracts/one.txt"), "{told:?}");
}

#[test]
fn many_files_with_long_names_are_all_compared() {
    let agent = Agent::without_commits();
    let long = "n".repeat(200);
    let all = format!("for i in $(seq 400); do echo x > contracts/$i-{long}; done");
    agent.run(&format!("{all}; git add -A; git commit -qm many"));
    let told = agent.shell("for f in contracts/*; do echo changed > $f; done");
    assert!(told.agent.contains("contracts/"), "{told:?}");
}

#[test]
fn touching_many_files_hides_no_other() {
    let agent = Agent::without_commits();
    agent.run("mkdir aaa; for i in $(seq 600); do echo x > aaa/$i; done; git add -A; git commit -qm many");
    let told = agent.shell("touch aaa/*; echo two > contracts/one.txt");
    assert!(told.agent.contains("contracts/one.txt"), "{told:?}");
    let agent = Agent::without_commits();
    agent.run("for i in $(seq 600); do echo x > contracts/$i; done; git add -A; git commit -qm many");
    let told = agent.shell("touch contracts/*; echo two > contracts/one.txt");
    assert!(told.agent.contains("contracts/one.txt"), "{told:?}");
}
