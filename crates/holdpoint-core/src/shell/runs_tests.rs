//! Which programs a workflow means by `runs`.

use super::shell_tests::repositories;
use super::{is_one_run, is_run, programs};

#[test]
fn a_command_is_told_by_its_words_and_the_options_that_are_named() {
    let is_run = |line: &str, wanted: &str| {
        programs(line, "/w", &repositories()).unwrap().iter().any(|program| is_run(&program.words, wanted))
    };
    for (line, wanted) in [
        ("git merge x", "git merge"),
        ("git -C . merge x", "git merge"),
        ("git -c a=b --git-dir .git --no-pager merge x", "git merge"),
        ("git reset --hard", "git reset --hard"),
        ("git reset HEAD~1 --har", "git reset --hard"),
        ("git reset $how", "git reset --hard"),
        ("npm publish --tag=next", "npm publish --tag"),
    ] {
        assert!(is_run(line, wanted), "{line}: {wanted}");
    }
    for (line, wanted) in [
        ("git -C merge status", "git merge"),
        ("git reset --soft HEAD~1", "git reset --hard"),
        ("git reset HEAD~1", "git reset --hard"),
        ("git reset --h", "git reset --hard"),
        ("git log --hard", "git reset --hard"),
    ] {
        assert!(!is_run(line, wanted), "{line}: {wanted}");
    }
}

#[test]
fn what_is_left_out_is_left_out_only_as_it_is_written() {
    let wanted =
        ["git stash", "!git stash list", "git clean", "!git clean -n", "git merge", "!git merge --abort"];
    let wanted = wanted.map(str::to_owned);
    let is_run = |line: &str| {
        programs(line, "/w", &repositories())
            .unwrap()
            .iter()
            .any(|program| is_one_run(&program.words, &wanted))
    };
    for line in
        ["git stash list", "git -C . stash list --stat", "git clean -n", "git merge --abort", "git status"]
    {
        assert!(!is_run(line), "{line}");
    }
    for line in [
        "git stash",
        "git stash push list",
        "git stash list; git stash",
        "git stash $what",
        "git clean -f -e -n",
        "git clean -n --no-dry-run -f",
        "git clean -fd -- -n",
        "git merge --abort --no-abort topic",
        "git $what --abort",
    ] {
        assert!(is_run(line), "{line}");
    }
}
