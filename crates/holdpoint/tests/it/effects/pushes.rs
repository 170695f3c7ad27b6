//! Pushes cannot be taken back: they are held before, by the words of a command.

use super::project::Agent;

#[test]
fn a_push_to_the_trunk_is_held_before_it_is_made() {
    for command in [
        "git push origin main",
        "git push -q origin HEAD:main",
        "git -C . push origin side:refs/heads/main",
        "git -c alias.p=push p origin main",
        "git config alias.p push; git p origin main; git push --all",
        "sh -c 'git push origin +HEAD:main'",
        "env A=b git push origin :main",
        "printf main | xargs git push origin",
        "git push --mirror origin",
        "B=main; git push origin $B",
    ] {
        let told = Agent::on_trunk().before("c1", command);
        assert!(told.agent.contains("PUSH TO MAIN BLOCKED"), "{command}: {told:?}");
    }
    for command in
        ["git push -u origin feature/x", "git push --dry-run origin main", "git push origin v1:refs/tags/v1"]
    {
        let told = Agent::on_trunk().before("c1", command);
        assert!(told.is_nothing(), "{command}: {told:?}");
    }
}

/// A repository beside the project, to push to.
fn with_remote(agent: &Agent) {
    agent.project.git(&["init", "-q", "--bare", "no-home/remote"]);
    agent.project.git(&["remote", "add", "origin", "no-home/remote"]);
}

fn pushed(agent: &Agent) -> String {
    agent.project.git(&["--git-dir=no-home/remote", "for-each-ref", "--format=%(refname)"]).trim().to_owned()
}

#[test]
fn gits_own_hook_sees_the_pushes_that_nobody_reads() {
    for command in [
        "printf 'git push -q origin main\\n' > z.sh; . ./z.sh",
        "python3 -c \"import subprocess as s; s.run(['git','push','-q','origin','main'])\"",
        "a=git; p=push; \"$a\" \"$p\" -q origin main; true | awk 'BEGIN{system(\"git push -q origin main\")}'",
    ] {
        let agent = Agent::on_trunk();
        with_remote(&agent);
        let installed = agent.user(&["init", "--agent", "claude", "--pre-push"], "");
        assert!(installed.stdout.contains(".git/hooks/pre-push"), "{}{}", installed.stdout, installed.stderr);
        agent.run(command);
        assert_eq!(pushed(&agent), "", "{command}");
        agent.run("git push -q origin feature/x");
        assert_eq!(pushed(&agent), "refs/heads/feature/x", "{command}");
        // The user's own.
        agent.project.git(&["push", "-q", "origin", "main"]);
        assert_eq!(pushed(&agent), "refs/heads/feature/x\nrefs/heads/main", "{command}");
    }
}

#[test]
fn gits_hook_is_added_at_a_terminal_only_and_undone_byte_for_byte() {
    let agent = Agent::on_trunk();
    let hook = agent.project.root().join(".git/hooks/pre-push");
    let piped = agent.project.run(&["init", "--agent", "claude", "--pre-push"]);
    assert!(piped.code != Some(0) && !hook.exists() && piped.stderr.contains("terminal"), "{}", piped.stderr);
    let before = listing(&agent);
    let added = agent.user(&["init", "--agent", "claude", "--pre-push"], "");
    assert!(hook.exists() && added.code == Some(0), "{}", added.stderr);
    // Without the option it stays; uninstall removes it.
    agent.user(&["init", "--agent", "claude"], "");
    assert!(hook.exists());
    let removed = agent.project.run(&["uninstall"]);
    assert!(!hook.exists() && listing(&agent) == before, "{}", removed.stderr);
}

fn listing(agent: &Agent) -> Vec<std::path::PathBuf> {
    let mut names: Vec<_> = std::fs::read_dir(agent.project.root().join(".git/hooks"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    names.sort();
    names
}

#[test]
fn a_hook_of_the_users_is_never_written_over() {
    let agent = Agent::on_trunk();
    agent.project.write(".git/hooks/pre-push", "#!/bin/sh\nexit 0\n");
    let refused = agent.user(&["init", "--agent", "claude", "--pre-push"], "");
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("pre-push \"$@\""), "{}", refused.stderr);
    assert_eq!(agent.project.read(".git/hooks/pre-push"), "#!/bin/sh\nexit 0\n");
    assert!(!agent.project.root().join(".claude").exists(), "nothing was written");
    let agent = Agent::on_trunk();
    agent.project.git(&["config", "core.hooksPath", ".husky"]);
    let refused = agent.user(&["init", "--agent", "claude", "--pre-push"], "");
    assert!(refused.code != Some(0) && refused.stderr.contains(".husky"), "{}", refused.stderr);
}
