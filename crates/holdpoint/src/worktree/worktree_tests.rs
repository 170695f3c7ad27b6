#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise and prepare their own files"
)]

mod compared_tests;
mod hidden_tests;
mod odd_tests;
mod raw_tests;
mod trees_tests;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::env::FixedEnv;

/// The functions as nobody calls them: without a home, so that all is kept in the project.
fn hash(root: &Path, aside: &[String]) -> Result<String, TreeError> {
    super::hash(root, aside, &FixedEnv::default())
}

fn head(root: &Path) -> Result<Option<holdpoint_core::world::Head>, TreeError> {
    super::head(root, &FixedEnv::default())
}

fn changed(root: &Path, from: &str, to: &str) -> Result<Vec<String>, TreeError> {
    super::changed(root, from, to, &FixedEnv::default())
}

fn tree_without(root: &Path, tree: &str, aside: &[String]) -> Result<String, TreeError> {
    super::tree_without(root, tree, aside, &FixedEnv::default())
}

fn materialise(root: &Path, tree: &str, into: &Path, adding: &[PathBuf]) -> Result<(), TreeError> {
    super::materialise(root, tree, into, adding, &FixedEnv::default())
}

/// A repository in a temporary folder.
struct Repo {
    folder: tempfile::TempDir,
    root: PathBuf,
}

impl Repo {
    /// With nothing in it.
    fn empty() -> Repo {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("repo");
        std::fs::create_dir(&root).unwrap();
        git(&root, &["init", "--quiet", "--initial-branch=main"]);
        Repo { folder, root }
    }

    /// With two files in one commit.
    fn new() -> Repo {
        let repo = Repo::empty();
        repo.write("a.py", "a = 1\n");
        repo.write("src/b.py", "b = 2\n");
        repo.write(".gitignore", "*.log\n");
        repo.commit("first");
        repo
    }

    fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let full = self.root.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }

    fn remove(&self, path: &str) {
        std::fs::remove_file(self.root.join(path)).unwrap();
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    fn git(&self, args: &[&str]) -> String {
        git(&self.root, args)
    }

    fn hash(&self) -> String {
        hash(&self.root, &[]).unwrap()
    }

    /// What `git add --all` and `git write-tree` say in a copy, from the last commit on, where no time that an index has
    /// noted holds.
    fn expected(&self) -> String {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy");
        let done = Command::new("cp").arg("-a").args([&self.root, &copy]).status().unwrap();
        assert!(done.success());
        for file in ["index.lock", "index"] {
            let _ = std::fs::remove_file(copy.join(".git").join(file));
        }
        if git_command(&copy)
            .args(["rev-parse", "--verify", "--quiet", "HEAD"])
            .output()
            .unwrap()
            .status
            .success()
        {
            git(&copy, &["read-tree", "HEAD"]);
        }
        git(&copy, &["add", "--all"]);
        git(&copy, &["write-tree"])
    }

    /// When all files were last looked at one by one.
    fn looked(&self) -> std::time::SystemTime {
        let indexes = self.root.join(".holdpoint/git/indexes").read_dir().unwrap();
        let mut marks = indexes.map(|entry| entry.unwrap().path());
        let mark = marks.find(|path| path.extension() == Some(OsStr::new("looked"))).unwrap();
        mark.metadata().unwrap().modified().unwrap()
    }

    /// All that is the user's, beside the files.
    fn users(&self) -> (Vec<u8>, Vec<String>) {
        let index = std::fs::read(self.root.join(".git/index")).unwrap_or_default();
        let asked = [
            &["for-each-ref"][..],
            &["rev-parse", "--symbolic-full-name", "HEAD"],
            &["count-objects", "-v"],
            &["config", "--list", "--local"],
        ];
        let mut said: Vec<String> = asked.iter().map(|args| self.git(args)).collect();
        said.extend(std::fs::read_dir(self.root.join(".git")).unwrap().map(|entry| format!("{entry:?}")));
        said.sort();
        (index, said)
    }
}

/// Git with nobody's configuration.
fn git_command(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", dir);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@example.org");
    }
    command.arg("-C").arg(dir).args(["-c", "protocol.file.allow=always"]);
    command
}

/// What git prints; it must succeed.
fn git(dir: &Path, args: &[&str]) -> String {
    let output = git_command(dir).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn globs(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn the_hash_is_the_tree_that_git_would_commit() {
    let repo = Repo::new();
    repo.write("a.py", "a = 2\n");
    repo.write("new/c.py", "c = 3\n");
    repo.write("new/c.log", "ignored\n");
    repo.remove("src/b.py");
    let users = repo.users();
    let hash = repo.hash();
    assert_eq!(hash, repo.expected());
    assert_eq!(users, repo.users(), "nothing of the user's has changed");
    repo.commit("second");
    assert_eq!(hash, repo.git(&["rev-parse", "HEAD^{tree}"]));
    assert_eq!(hash, repo.hash());
}

#[test]
fn what_the_environment_says_of_other_repositories_is_not_heard() {
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "worktree::worktree_tests::the_hash_is_the_tree_that_git_would_commit"]);
    for name in ["DIR", "INDEX_FILE", "WORK_TREE", "OBJECT_DIRECTORY", "COMMON_DIR", "CONFIG_PARAMETERS"] {
        again.env(format!("GIT_{name}"), "/elsewhere");
    }
    let output = again.env("GIT_INDEX_VERSION", "9").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}

#[test]
fn paths_aside_do_not_count() {
    let repo = Repo::new();
    let aside = globs(&[".holdpoint/**", "docs/*.md", "src/{b,c}.py"]);
    let of = || hash(&repo.root, &aside).unwrap();
    let before = of();
    repo.write("docs/plan.md", "more\n");
    repo.write("src/c.py", "c\n");
    repo.remove("src/b.py");
    assert_eq!(of(), before);
    repo.write("docs/deep/plan.md", "a star is one name\n");
    assert_ne!(of(), before);
}

#[test]
fn a_commit_can_be_compared_without_the_paths_aside() {
    let repo = Repo::new();
    let aside = globs(&[".holdpoint/**", "log.md"]);
    repo.write("a.py", "a = 2\n");
    repo.write("log.md", "one\n");
    let proved = hash(&repo.root, &aside).unwrap();
    repo.git(&["commit", "--quiet", "--message", "x", "a.py"]);
    let head = head(&repo.root).unwrap().unwrap();
    assert_ne!(head.tree, repo.hash());
    for tree in [&head.id, &head.tree] {
        assert_eq!(tree_without(&repo.root, tree, &aside).unwrap(), proved);
    }
    assert_eq!(tree_without(&repo.root, &head.id, &[]).unwrap(), head.tree);
}

#[test]
fn two_hashes_at_once_are_both_right() {
    let repo = Repo::new();
    for number in 0..200 {
        repo.write(format!("many/{number}"), format!("{number}\n"));
    }
    let hashes: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..4).map(|_| scope.spawn(|| repo.hash())).collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let expected = repo.expected();
    assert!(hashes.iter().all(|hash| *hash == expected), "{hashes:?} {expected}");
    let left = std::fs::read_dir(repo.root.join(".holdpoint/git/scratch")).unwrap().count();
    assert_eq!(left, 0, "scratch folders go");
}

#[test]
fn without_a_repository_there_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let error = hash(folder.path(), &[]).unwrap_err().to_string();
    assert!(error.ends_with("is not the top of a git repository: there is no .git"), "{error}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "nothing was made there");

    let repo = Repo::new();
    std::fs::create_dir_all(repo.root.join("sub/.git")).unwrap();
    let error = hash(&repo.root.join("sub"), &[]).unwrap_err().to_string();
    assert!(error.contains("not a git repository"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_that_says_so() {
    let repo = Repo::new();
    repo.write(".holdpoint", "a file in the place of our folder\n");
    let error = hash(&repo.root, &[]).unwrap_err().to_string();
    assert!(error.contains("our folder cannot be written"), "{error}");
}

#[test]
fn what_is_written_down_as_an_id_is_no_option() {
    let repo = Repo::new();
    for text in ["", "HEAD", "--output=/x", "-h", "main", &"g".repeat(40)] {
        assert!(tree_without(&repo.root, text, &[]).is_err(), "{text}");
        assert!(changed(&repo.root, text, text).is_err(), "{text}");
    }
    let absent = "1".repeat(40);
    assert!(changed(&repo.root, &absent, &absent).unwrap_err().to_string().starts_with("git diff-tree: "));
}

fn bytes(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}
