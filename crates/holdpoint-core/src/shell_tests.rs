use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::world::world_tests::FakeWorld;

/// A repository at /w on `main` with a branch `feature`, one at /other on `topic`; `ci` and `sneak` are aliases.
pub(super) fn repositories() -> FakeWorld {
    let git = |dir: &str, question: &GitQuestion| {
        let answer = match question {
            GitQuestion::Repository if dir.starts_with("/w/sub") => Some("/w/.git/modules/sub"),
            GitQuestion::Repository if dir.starts_with("/w") => Some("/w/.git"),
            GitQuestion::Repository if dir.starts_with("/other") => Some("/other/.git"),
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
    };
    FakeWorld { is_folder: |dir| !dir.contains("nosuch"), ..FakeWorld::with_git(git) }
}

fn branches(command: &str) -> Vec<String> {
    let commits = commits(command, "/w", &repositories());
    commits.list.into_iter().map(|commit| commit.branch.unwrap_or_else(|| "none".into())).collect()
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
        "git checkout feature && git checkout main && git commit",
        "git commit )",
        "time git commit",
        "pwsh -Command \"git commit -m x\"",
        "! git commit",
        "git commit -m x | cat",
        "git commit -m x & wait",
        "git cherry-pick feature",
        "git revert --no-edit HEAD",
        "git am fix.patch",
        "git add .; if ($?) { git commit -m 'x' }",
        "git -C sub checkout -b topic && git commit",
        "git checkout feature && git -C sub commit",
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
        "git cherry-pick --abort",
        "git revert -n HEAD",
        "git merge feature",
        "git pull",
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
        ("(git checkout feature) && git commit", "feature"),
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
fn only_a_folder_that_is_there_is_entered() {
    for command in [
        "cd nosuch; git commit",
        "cd /other/nosuch 2>/dev/null; git commit",
        "cd /nosuch && ls; git commit",
        "cd /other; cd -; git commit",
        "cd /other && cd \"$OLDPWD\" && git commit",
        "pushd /other && popd && git commit",
        "pushd /other; pushd; git commit",
        "mkdir -p nosuch && cd nosuch && git commit",
        "cd nosuch || git commit",
        "env -C /w git commit",
        "git --work-tree=/nowhere commit",
        "cd /other; (cd /w; git commit)",
        "cd $(cd /other; pwd); git commit",
    ] {
        assert!(branches(command).contains(&"main".into()), "{command}: {:?}", branches(command));
    }
    for (command, branch) in [
        ("cd /other; git commit", "topic"),
        ("pushd /other; git commit", "topic"),
        ("cd /other && pushd /w && popd && git commit", "topic"),
        ("cd /other || exit 1; git commit", "topic"),
        ("mkdir -p /other/nosuch; cd /other/nosuch; git commit", "topic"),
        ("git clone https://x/nosuch.git && cd nosuch && git commit", "none"),
        ("git init nosuch; cd nosuch; git commit", "none"),
    ] {
        assert_eq!(branches(command), [branch], "{command}");
    }
}

#[test]
fn a_switch_that_may_not_have_worked_is_not_relied_on() {
    for command in [
        "false && git checkout feature; git commit",
        "test -f nope && git switch feature; git commit",
        "test -f nope && git switch feature\ngit commit",
        "git checkout feature --nonsense; git commit",
        "git checkout -b feature; git commit",
        "git switch v1.0; git commit",
        "if test -f nope; then git checkout feature; fi; git commit",
        "while read x; do git checkout feature; done; git commit",
        "case $x in a) git checkout feature;; esac; git commit",
        "! git checkout feature && git commit",
        "git checkout feature || true; git commit",
        "git checkout feature && git checkout main 2>&1 | tail -1; git commit",
        "git checkout feature; x=$(git checkout main); git commit",
        "git checkout feature; for i in 1 2; do git commit; git checkout main; done",
        "git checkout feature; git checkout main --; git commit",
    ] {
        assert!(branches(command).contains(&"main".into()), "{command}: {:?}", branches(command));
    }
    for command in [
        "git checkout feature; git commit",
        "git checkout feature\ngit commit",
        "git checkout feature || exit 1; git commit",
        "git checkout feature || git checkout -b feature && git commit",
        "git checkout feature && npm test; git commit",
        "git checkout feature 2>&1 | tail -1 && git commit",
        "if git checkout feature; then git commit; fi",
        "git fetch; git switch feature; git commit",
    ] {
        assert_eq!(branches(command), ["feature"], "{command}");
    }
}

#[test]
fn the_branch_before_is_the_one_before_in_the_script() {
    assert_eq!(branches("git checkout feature && git checkout - && git commit"), ["main"]);
    assert_eq!(branches("git checkout feature && git checkout @{-1} && git commit"), ["main"]);
    assert_eq!(branches("git checkout -b a && git checkout -b b && git switch - && git commit"), ["a"]);
    assert_eq!(branches("git checkout '*' && git commit"), ["main"]);
}

#[test]
fn branches_are_made_in_every_spelling() {
    for command in [
        "git checkout -bnew && git commit",
        "git checkout -qb new && git commit",
        "git checkout -b new; git commit",
        "git switch -cnew && git commit",
        "git switch -qC new && git commit",
        "git switch --create=new && git commit",
        "git switch --create new && git commit",
        "git switch --orphan=new && git commit",
        "git checkout -q -B new origin/main && git commit",
        "git checkout -t origin/new && git commit",
    ] {
        assert_eq!(branches(command), ["new"], "{command}");
    }
}

#[test]
fn commits_are_seen_through_wrappers_and_expansions() {
    for command in [
        "X=\"git commit\"; $X",
        "X='git commit -m x' && $X",
        "cmd=(git commit); \"${cmd[@]}\"",
        "cmd=(git commit -m 'a b'); ${cmd[@]}",
        "echo 'git commit -m x' | sh",
        "printf 'git commit' | bash",
        "printf '%s\\n' 'git commit' | bash -s",
        "printf 'git %s' commit | bash",
        "cat <<'EOF' | sh\ngit commit\nEOF",
        "echo 'git commit' | tee log | sh",
        "echo commit | xargs git",
        "[[ -n $(git commit) ]]",
        "cat <<EOF\nit's $(git commit)\nEOF",
        "echo ${x:-$(git commit)}",
        "echo $(( $(git commit) ))",
        "for x in $(git commit); do :; done",
        "cat > >(git commit)",
        "find . -name x -exec git commit \\;",
        "find . -exec git commit -m {} +",
        "env -S 'git commit'",
        "env -S'git commit -m x'",
        "su -c 'git commit' me",
        "su me -c 'git commit'",
        "runuser -u me --command='git commit'",
        "watch -n 5 git commit",
        "watch 'git commit'",
        "flock /tmp/lock git commit",
        "flock -w 5 /tmp/lock git commit",
        "flock /tmp/lock -c 'git commit'",
        "strace -f -o log git commit",
        "busybox sh -c 'git commit'",
        "script -qc 'git commit' /dev/null",
        "fish -c 'git commit'",
        "time -v git commit",
        "time -p git commit",
        "/usr/bin/time -f %e git commit",
        "trap 'git commit' EXIT",
        "export GIT_DIR=/w/.git; cd /other; git commit",
        "GIT_DIR=/w/.git; export GIT_DIR; cd /other && git commit",
        "cd /other; env GIT_DIR=/w/.git git commit",
        "Invoke-Expression 'git commit'",
        "iex \"git commit\"",
    ] {
        assert_eq!(branches(command), ["main"], "{command}");
    }
    assert_eq!(branches("export GIT_DIR=/other/.git; git commit"), ["topic"]);
    assert_eq!(branches("export GIT_DIR=/other/.git; unset GIT_DIR; git commit"), ["main"]);
    assert_eq!(branches("GIT_DIR=/other/.git git status; git commit"), ["main"]);
}

#[test]
fn long_notes_are_no_commands() {
    let notes = "git commit -m x\n".repeat(4_000);
    assert_eq!(branches(&format!("cat > notes.md <<'EOF'\n{notes}EOF\ngit status")), [""; 0]);
    assert_eq!(branches(&format!("cat > notes.md <<-EOF\n{notes}\tEOF\n")), [""; 0]);
    assert_eq!(branches(&format!("cat > notes.md <<'EOF'\n{notes}EOF\ngit commit")), ["main"]);
    assert_eq!(branches(&format!("bash <<'EOF'\n{notes}EOF\n")), ["main"]);
    assert_eq!(branches(&format!("cat <<EOF\n{notes}$(git commit)\nEOF\n")), ["main"]);
}

#[test]
fn too_many_ways_to_go_are_a_fault_and_take_no_time() {
    let ways: String = (0..900).map(|number| format!("x && git checkout -b b{number}; ")).collect();
    let found = commits(&format!("{ways} git commit"), "/w", &repositories());
    assert!(
        found.fault.is_some() && found.list.iter().any(|commit| commit.branch.as_deref() == Some("main"))
    );
    let nested = "(x && git switch -c a; for i in 1; do x && git switch -c b; ".repeat(7);
    let ends = "done); ".repeat(7);
    assert!(branches(&format!("{nested} git commit; {ends}")).contains(&"main".into()));
}

#[test]
fn a_fault_stands_beside_the_commits() {
    let half = FakeWorld::with_git(|dir, _| match dir {
        "/w" => Answer::Is("topic".into()),
        _ => Answer::Fault(WorldError::Git(GitError::TooSlow)),
    });
    let found = commits("git commit; git -C /other commit", "/w", &half);
    assert_eq!(
        (found.list.len(), found.fault),
        (1, Some(ShellError::World(WorldError::Git(GitError::TooSlow))))
    );
    assert_eq!(
        commits("git switch x", "/other", &half).fault,
        Some(ShellError::World(WorldError::Git(GitError::TooSlow)))
    );
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
fn commands_made_to_exhaust_time_stack_or_memory_are_read_all_the_same() {
    let laughs: String = ('b'..='h')
        .zip('a'..='g')
        .map(|(name, inner)| format!("{name}='{}'; ", format!("eval \"${inner}\"; ").repeat(8)))
        .collect();
    for command in [
        format!("a=xxxxxxxx; {}git commit", "a=$a$a; ".repeat(60)),
        format!("a={}; echo {}; git commit", "x".repeat(3_000), "$a".repeat(10_000)),
        format!("{}; git commit", "if ".repeat(3_000)),
        format!("{}; git commit", "while ".repeat(3_000)),
        format!("{}git commit", "(".repeat(24)),
        format!("{}; git commit", "case x in x) ".repeat(100)),
        format!("a='git status;'; {laughs} eval \"$h\"; git commit"),
    ] {
        assert_eq!(branches(&command), ["main"], "{}", &command[..80]);
    }
}

#[test]
fn git_is_asked_each_question_once_and_not_for_ever() {
    let asked = |command: &str| {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let world = FakeWorld::with_git(move |_, question| {
            counted.fetch_add(1, Ordering::Relaxed);
            if *question == GitQuestion::Branch { Answer::Is("main".into()) } else { Answer::None }
        });
        assert!(
            commits(command, "/w", &world).list.iter().all(|commit| commit.branch.as_deref() == Some("main"))
        );
        count.load(Ordering::Relaxed)
    };
    assert_eq!(asked(&"git checkout x; git x; git commit; ".repeat(300)), 3);
    let many: String = (0..500).map(|number| format!("git x{number}; ")).collect();
    assert_eq!(asked(&format!("{many} git commit")), QUESTIONS_MAX + 1);
}

#[test]
fn git_that_cannot_be_asked_is_a_fault() {
    let no_git = FakeWorld::with_git(|_, _| Answer::Fault(WorldError::Git(GitError::TooSlow)));
    let found = commits("git commit", "/w", &no_git);
    assert_eq!(
        found,
        Commits { list: Vec::new(), fault: Some(ShellError::World(WorldError::Git(GitError::TooSlow))) }
    );
}

#[test]
fn pushes_are_seen_with_the_branch_they_move() {
    let pushed = |command: &str| pushes(command, "/w", &repositories()).list.join(" ");
    for (command, to) in [
        ("git push", "main"),
        ("git push origin", "main"),
        ("git push -u origin feature", "feature"),
        ("git push -q origin HEAD:main", "main"),
        ("git push origin +HEAD", "main"),
        ("git push origin feature:refs/heads/main", "main"),
        ("git push origin :main", "main"),
        ("git push --delete origin main", "main"),
        ("git push -o ci.skip origin main", "main"),
        ("git push origin main feature", "main feature"),
        ("git push --all origin", "*"),
        ("git push --mirror", "*"),
        ("git push origin 'refs/heads/*:refs/heads/*'", "*"),
        ("git push origin $BRANCH", "*"),
        ("git push origin :", "*"),
        ("git checkout feature && git push", "feature"),
        ("git -C /other push", "topic"),
        ("git -c push.default=current push", "main"),
        ("git -c alias.p=push p origin HEAD:main", "main"),
        ("git -c 'alias.p=!git push origin main' p", "main"),
        ("sh -c 'git push origin main'", "main"),
        ("env A=1 git push origin main", "main"),
        ("echo main | xargs git push origin", "main"),
        ("echo 'git push origin main' | sh", "main"),
        ("git send-pack ../remote main", "main"),
        ("find . -exec git push origin main ';'", "main"),
    ] {
        assert_eq!(pushed(command), to, "{command}");
    }
    for command in [
        "git push --dry-run origin main",
        "git push -n",
        "git push --tags",
        "git push origin refs/tags/v1",
        "git status",
        "echo git push",
        "git stash push",
        "git log --grep push",
    ] {
        assert_eq!(pushed(command), "", "{command}");
    }
}

#[test]
fn git_is_asked_once_for_each_folder_whose_repository_it_is() {
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&asked);
    let git = move |dir: &str, _: &GitQuestion| {
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Answer::Is(format!("{dir}/.git"))
    };
    let world = FakeWorld { git: Box::new(git), ..FakeWorld::default() };
    let commit = |dir: &str| Commit { dir: dir.to_owned(), branch: Some("main".to_owned()) };
    let mut commits = ["/o", "/w", "/o", "/p", "/o"].map(commit).to_vec();
    keep_those_of("/w", &mut commits, &world);
    assert_eq!(commits, [commit("/w")]);
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 3);
}
