use super::*;

/// A repository at /w on `main` with a branch `feature`, one at /other on `topic`; `ci` and `sneak` are aliases.
struct Repositories;

impl World for Repositories {
    fn read(&self, _: &str) -> Answer<Vec<u8>> {
        Answer::None
    }
    fn exists(&self, _: &str) -> Answer<()> {
        Answer::None
    }
    fn env(&self, _: &str) -> Option<String> {
        None
    }
    fn git(&self, dir: &str, question: &GitQuestion) -> Answer<String> {
        let answer = match question {
            GitQuestion::Branch if dir.starts_with("/w") => Some("main"),
            GitQuestion::Branch if dir.starts_with("/other") => Some("topic"),
            GitQuestion::Switch(name) if name == "feature" || name == "main" => Some(name.as_str()),
            GitQuestion::Switch(name) if name == "-" => Some("feature"),
            GitQuestion::Switch(name) if name == "v1.0" => Some(""),
            GitQuestion::Alias(name) if name == "ci" => Some("commit -v"),
            GitQuestion::Alias(name) if name == "sneak" => Some("!git add . && git commit"),
            GitQuestion::Alias(name) if name == "loop" => Some("loop"),
            _ => None,
        };
        answer.map_or(Answer::None, |text| Answer::Is(text.to_owned()))
    }
}

fn branches(command: &str) -> Vec<String> {
    let commits = commits(command, "/w", &Repositories).unwrap();
    commits.into_iter().map(|commit| commit.branch.unwrap_or_else(|| "none".into())).collect()
}

#[test]
fn commits_are_seen_however_they_are_written() {
    for command in [
        "git commit -m x",
        "git add . && git commit -m \"msg\"",
        "git commit --amend --no-edit",
        "git -C /w commit",
        "git -C sub -c user.name=x --no-pager commit -m x",
        "git --git-dir=.git --work-tree . commit",
        "GIT_AUTHOR_NAME=x git commit",
        "env -u A B=1 git commit",
        "sudo -u me git commit",
        "timeout 5 git commit",
        "/usr/bin/git commit",
        "git \"commit\" -m x",
        "gi''t com\"mit\"",
        "git \\\n commit -m x",
        "sh -c 'git commit -m x'",
        "bash -lc \"cd sub && git commit\"",
        "eval 'git commit'",
        "(git commit)",
        "{ git commit; }",
        "if true; then git commit; fi",
        "for f in a b; do git commit -m $f; done",
        "true || git commit",
        "git status; git commit -am --dry-run",
        "git commit -m '--dry-run'",
        "git commit -m --help",
        "echo $(git commit -m x)",
        "x=`git commit`",
        "git ci -m x",
        "git -c alias.zz=commit zz",
        "git sneak",
        "bash <<'EOF'\ngit commit -m x\nEOF",
        "bash <<< 'git commit'",
        "g=git; $g commit",
        "commit() { git commit; }; commit",
        "git commit -m \"$(cat <<'EOF'\nhello\nEOF\n)\"",
        "cd \"$SOMEWHERE\" && git commit",
        "git checkout -- file && git commit",
        "git checkout nosuch && git commit",
        "git checkout feature || git commit",
        "(git checkout feature) && git commit",
        "git checkout feature && git checkout main && git commit",
        "git commit )",
        "time git commit",
        "pwsh -Command \"git commit -m x\"",
        "! git commit",
        "git commit -m x | cat",
        "git commit -m x & wait",
    ] {
        assert_eq!(branches(command), ["main"], "{command}");
    }
}

#[test]
fn what_is_no_commit_is_none() {
    for command in [
        "ls -la",
        "git push",
        "git status",
        "git commit-tree HEAD^{tree}",
        "git commit-graph write",
        "git commit --dry-run",
        "git commit --dry",
        "git commit --short",
        "git commit --help",
        "git commit -h",
        "git help commit",
        "git --help commit",
        "echo git commit",
        "echo 'git commit' >> notes.txt",
        "grep -r \"git commit\" .",
        "# git commit",
        "ls # then git commit",
        "git log --grep='git commit'",
        "cat <<'EOF'\ngit commit -m x\nEOF",
        "git show HEAD:git commit",
        "git loop",
        "git $verb",
        "digit commit",
        "",
    ] {
        assert_eq!(branches(command), [""; 0], "{command}");
    }
}

#[test]
fn the_branch_is_the_one_the_commit_would_land_on() {
    for (command, branch) in [
        ("git checkout feature && git commit", "feature"),
        ("git switch feature; git commit", "feature"),
        ("git checkout -b fresh && git commit", "fresh"),
        ("git switch -c fresh && git commit", "fresh"),
        ("git checkout - && git commit", "feature"),
        ("git checkout v1.0 && git commit", "none"),
        ("git switch --detach && git commit", "none"),
        ("cd /other && git commit", "topic"),
        ("git -C /other commit", "topic"),
        ("GIT_DIR=/other/.git git commit", "topic"),
        ("cd /nowhere && git commit", "none"),
        ("git symbolic-ref HEAD refs/heads/trunk && git commit", "trunk"),
    ] {
        assert_eq!(branches(command), [branch], "{command}");
    }
}

#[test]
fn monstrous_commands_are_read_in_bounded_time() {
    assert_eq!(branches(&format!("{}git commit{}", "(".repeat(5000), ")".repeat(5000))), ["main"]);
    assert_eq!(branches(&format!("echo {} && git commit", "x".repeat(100_000))), ["main"]);
    assert_eq!(branches(&format!("{}git commit", "eval ".repeat(5))), ["main"]);
    assert_eq!(
        branches(&format!("{}git commit", "eval ".repeat(50))),
        [""; 0],
        "scripts start scripts only so deep"
    );
}

#[test]
fn git_that_cannot_be_asked_is_a_fault() {
    struct NoGit;
    impl World for NoGit {
        fn read(&self, _: &str) -> Answer<Vec<u8>> {
            Answer::None
        }
        fn exists(&self, _: &str) -> Answer<()> {
            Answer::None
        }
        fn env(&self, _: &str) -> Option<String> {
            None
        }
        fn git(&self, _: &str, _: &GitQuestion) -> Answer<String> {
            Answer::Fault("no git".into())
        }
    }
    assert_eq!(commits("git commit", "/w", &NoGit), Err("no git".into()));
}
