//! Ways to have git see other bytes, other files or another mode than those in the folder.

use super::*;

/// The files of the working tree, as its tree has them.
fn copied(repo: &Repo) -> tempfile::TempDir {
    let into = tempfile::tempdir().unwrap();
    materialise(&repo.root, &repo.hash(), into.path(), &[]).unwrap();
    into
}

/// Checks that the tree has this file exactly as it is.
fn assert_raw(repo: &Repo, path: &str) {
    let copy = std::fs::read(copied(repo).path().join(path)).unwrap();
    assert_eq!(copy, std::fs::read(repo.root.join(path)).unwrap(), "{path}");
}

#[test]
fn a_filter_that_shows_the_file_of_the_last_commit() {
    let repo = Repo::new();
    let before = repo.hash();
    repo.write(".git/info/attributes", "*.py filter=k\n");
    repo.git(&["config", "filter.k.clean", "git show HEAD:%f"]);
    repo.write("a.py", "a = 9\n");
    assert_eq!(repo.git(&["diff", "--name-only"]), "", "git is deceived");
    assert_ne!(repo.hash(), before);
    assert_raw(&repo, "a.py");
}

#[test]
fn line_ends_idents_and_encodings() {
    let repo = Repo::new();
    repo.write(
        ".gitattributes",
        "*.txt text eol=crlf ident\n*.up filter=up\n*.u16 working-tree-encoding=UTF-16LE\n",
    );
    repo.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    repo.git(&["config", "core.autocrlf", "input"]);
    repo.git(&["config", "core.safecrlf", "true"]);
    repo.write("x.txt", "$Id: not what git would write $\r\nand\nboth\r\n");
    repo.write("x.up", "small\n");
    repo.write("x.u16", "no\0pairs");
    for path in ["x.txt", "x.up", "x.u16"] {
        assert_raw(&repo, path);
    }
}

#[test]
fn a_file_that_only_this_repository_ignores() {
    let repo = Repo::new();
    let before = repo.hash();
    repo.write(".git/info/exclude", "hidden.py\n");
    repo.git(&["config", "core.excludesFile", ".git/info/exclude"]);
    repo.write("hidden.py", "x = 1\n");
    assert_eq!(repo.git(&["status", "--porcelain", "hidden.py"]), "", "git is deceived");
    assert_eq!(changed(&repo.root, &before, &repo.hash()).unwrap(), ["hidden.py"]);
}

#[test]
fn a_mode_that_does_not_count() {
    let repo = Repo::new();
    let before = repo.hash();
    repo.git(&["config", "core.fileMode", "false"]);
    Command::new("chmod").args(["+x", "a.py"]).current_dir(&repo.root).status().unwrap();
    assert_eq!(changed(&repo.root, &before, &repo.hash()).unwrap(), ["a.py"]);
}

#[test]
fn a_file_in_the_place_of_another() {
    let repo = Repo::new();
    repo.write("b.py", "b = 9\n");
    repo.commit("another");
    let before = repo.hash();
    repo.git(&["replace", "HEAD:a.py", "HEAD:b.py"]);
    assert_eq!(repo.git(&["show", "HEAD:a.py"]), "b = 9", "git is deceived");
    assert_eq!(repo.hash(), before);
    assert_raw(&repo, "a.py");
}

#[test]
fn an_index_that_has_other_files() {
    let repo = Repo::new();
    let before = repo.hash();
    repo.git(&["rm", "--quiet", "--cached", "a.py"]);
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        "160000,1111111111111111111111111111111111111111,ghost",
    ]);
    repo.write(".git/info/exclude", "a.py\n");
    assert_eq!(repo.hash(), before);
}

#[test]
fn a_repository_in_the_repository() {
    let repo = Repo::new();
    repo.write("inner/x.py", "x = 1\n");
    git(&repo.root.join("inner"), &["init", "--quiet"]);
    git(&repo.root.join("inner"), &["commit", "--quiet", "--allow-empty", "--message", "x"]);
    let error = hash(&repo.root, &[]).unwrap_err().to_string();
    assert!(error.starts_with("inner in the project is a git repository of its own"), "{error}");
    hash(&repo.root, &globs(&["inner"])).unwrap();
    repo.write(".gitignore", "inner/\n");
    repo.hash();
}

#[test]
fn a_users_own_list_of_what_is_ignored_counts() {
    let repo = Repo::new();
    let home = tempfile::tempdir().unwrap();
    let variables = [("HOME".to_owned(), home.path().display().to_string())].into();
    let env = FixedEnv { variables, now: None };
    repo.write("notes.swp", "mine\n");
    let with = super::super::hash(&repo.root, &[], &env).unwrap();
    std::fs::create_dir_all(home.path().join(".config/git")).unwrap();
    std::fs::write(home.path().join(".config/git/ignore"), "*.swp\n").unwrap();
    let without = super::super::hash(&repo.root, &[], &env).unwrap();
    assert_eq!(super::super::changed(&repo.root, &with, &without, &env).unwrap(), ["notes.swp"]);
    assert!(!repo.root.join(".holdpoint").exists(), "all of it is in the state folder");
}

#[test]
fn files_of_another_tree_are_put_into_one() {
    let repo = Repo::new();
    let before = repo.hash();
    repo.write("a.py", "a = 2\n");
    repo.write("src/new.py", "n = 1\n");
    repo.remove("src/b.py");
    let after = repo.hash();
    let with = |files: &[&str]| {
        let tree = tree_with(&repo.root, &before, &after, &globs(files), &FixedEnv::default()).unwrap();
        changed(&repo.root, &before, &tree).unwrap()
    };
    assert_eq!(with(&["a.py"]), ["a.py"]);
    assert_eq!(with(&["src/new.py", "src/b.py", "gone.py"]), ["src/b.py", "src/new.py"]);
    assert_eq!(with(&["src"]), [""; 0], "a folder is no file");
}
