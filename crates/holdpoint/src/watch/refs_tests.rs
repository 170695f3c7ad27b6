use std::process::Command;

use super::*;

/// A repository in which a script was run, with nobody's configuration.
fn repository(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let setup = "git init -q -b main . && git config user.name a && git config user.email a@b && git commit -q --allow-empty -m one";
    let ran = Command::new("sh")
        .args(["-ec", &format!("{setup}\n{script}")])
        .current_dir(folder.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .status();
    assert!(ran.unwrap().success(), "{script}");
    folder
}

fn said(folder: &Path, args: &[&str]) -> String {
    let said = Command::new("git").arg("-C").arg(folder).args(args).output().unwrap();
    String::from_utf8(said.stdout).unwrap().trim().to_owned()
}

/// What git itself says of the branches.
fn by_git(folder: &Path) -> BTreeMap<String, String> {
    let list = said(folder, &["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"]);
    list.lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(id, name)| (name.into(), id.into()))
        .collect()
}

#[test]
fn branches_are_what_git_says_they_are() {
    for script in [
        "true",
        "git branch a/b/c; git branch x",
        "git branch a; git pack-refs --all; git commit -q --allow-empty -m two",
        "git branch a; git pack-refs --all --prune; git branch -D a",
        "git symbolic-ref refs/heads/alias refs/heads/main",
        "git branch a; git tag t; git update-ref refs/remotes/o/r HEAD; git pack-refs --all",
    ] {
        let folder = repository(script);
        let refs = GitFolders::of(folder.path()).unwrap().refs().unwrap();
        assert_eq!(refs.branches, by_git(folder.path()), "{script}");
        assert_eq!(refs.head, Head::On("main".into()), "{script}");
    }
}

#[test]
fn a_worktree_has_its_own_head_and_the_repositorys_branches() {
    let folder =
        repository("git worktree add -q w -b side; git -C w commit -q --allow-empty -m two; mkdir -p w/sub");
    let refs = GitFolders::of(&folder.path().join("w/sub")).unwrap().refs().unwrap();
    assert_eq!(refs.head, Head::On("side".into()));
    assert_eq!(refs.branches, by_git(folder.path()));
}

#[test]
fn a_detached_head_is_its_commit() {
    let folder = repository("git checkout -q --detach");
    let head = said(folder.path(), &["rev-parse", "HEAD"]);
    let git = GitFolders::of(folder.path()).unwrap();
    assert_eq!(git.refs().unwrap().head, Head::At(head.clone()));
    let (before, after) = (Instant::new(0, 0), Instant::new(i64::MAX, 0));
    assert!(!git.was_known_elsewhere(&head, after));
    for script in ["git tag t", "git update-ref refs/remotes/o/r HEAD", "git tag t && git pack-refs --all"] {
        let folder = repository(script);
        let head = said(folder.path(), &["rev-parse", "HEAD"]);
        let git = GitFolders::of(folder.path()).unwrap();
        assert!(git.was_known_elsewhere(&head, after), "{script}");
        assert!(!git.was_known_elsewhere(&head, before), "{script}: it was made later");
    }
    let fetched = repository("git fetch -q . HEAD:refs/remotes/o/r");
    let head = said(fetched.path(), &["rev-parse", "HEAD"]);
    assert!(GitFolders::of(fetched.path()).unwrap().was_known_elsewhere(&head, before));
}

#[test]
fn what_is_no_repository_has_no_refs() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".git"), "rubbish").unwrap();
    assert_eq!(GitFolders::of(folder.path()), None);
    std::fs::write(folder.path().join(".git"), "gitdir: nowhere").unwrap();
    let refs = GitFolders::of(folder.path()).unwrap().refs().unwrap();
    assert_eq!(refs, Refs::default());
}
