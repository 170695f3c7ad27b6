//! Two trees compared, the commit that is checked out, and a tree written into a folder.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn paths_that_differ_are_told_both_names_of_a_renamed_one() {
    let repo = Repo::new();
    let before = repo.hash();
    std::fs::rename(repo.root.join("a.py"), repo.root.join("z.py")).unwrap();
    repo.write("src/b.py", "b = 3\n");
    repo.write("src/c.py", "c = 3\n");
    let after = repo.hash();
    assert_eq!(changed(&repo.root, &before, &after).unwrap(), ["a.py", "src/b.py", "src/c.py", "z.py"]);
    assert_eq!(changed(&repo.root, &after, &after).unwrap(), [""; 0]);
}

#[test]
fn the_head_is_what_git_has() {
    let repo = Repo::new();
    let first = head(&repo.root).unwrap().unwrap();
    assert_eq!((first.parent.as_ref(), first.parents), (None, 0));
    assert_eq!(first.paths, [".gitignore", "a.py", "src/b.py"]);
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("other.py", "o\n");
    repo.git(&["add", "other.py"]);
    repo.git(&["commit", "--quiet", "--message", "feat(x): ünïcode\n\nMore."]);
    let other = head(&repo.root).unwrap().unwrap();
    assert_eq!(other.subject, "feat(x): ünïcode");
    assert_eq!((other.parent.as_deref(), other.parents), (Some(first.id.as_str()), 1));
    assert_eq!(other.paths, ["other.py"]);
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("main.py", "m\n");
    repo.git(&["add", "main.py"]);
    repo.git(&["commit", "--quiet", "--allow-empty-message", "--message", ""]);
    let main = head(&repo.root).unwrap().unwrap();
    assert_eq!(main.subject, "");
    repo.git(&["merge", "--quiet", "--no-edit", "other"]);
    let merge = head(&repo.root).unwrap().unwrap();
    assert_eq!((merge.parent.as_deref(), merge.parents), (Some(main.id.as_str()), 2));
    assert_eq!(merge.paths, ["other.py"], "against its first parent");
}

#[test]
fn a_shallow_clone_has_a_head_without_a_parent() {
    let repo = Repo::new();
    repo.commit("second");
    let shallow = repo.folder.path().join("shallow");
    let from = format!("file://{}", repo.root.display());
    git(repo.folder.path(), &["clone", "--quiet", "--depth=1", &from, shallow.to_str().unwrap()]);
    let head = head(&shallow).unwrap().unwrap();
    assert_eq!((head.parents, head.subject.as_str()), (0, "second"));
}

#[test]
fn a_tree_is_written_into_a_folder_with_files_of_today() {
    let repo = Repo::new();
    Command::new("chmod").args(["+x", "a.py"]).current_dir(&repo.root).status().unwrap();
    std::os::unix::fs::symlink("a.py", repo.root.join("link")).unwrap();
    let before = repo.hash();
    repo.write("a.py", "a = 2\n");
    repo.write("tests/new.py", "assert\n");
    repo.write("tests/ignored.log", "wanted all the same\n");
    repo.write("*.py", "a name, no pattern\n");
    let users = repo.users();
    let into = repo.folder.path().join("made/here");
    let adding = [
        PathBuf::from("tests/new.py"),
        PathBuf::from("*.py"),
        repo.root.canonicalize().unwrap().join("tests/ignored.log"),
    ];
    materialise(&repo.root, &before, &into, &adding).unwrap();
    let read = |path: &str| std::fs::read_to_string(into.join(path)).unwrap();
    assert_eq!(read("a.py"), "a = 1\n");
    assert_eq!(read("tests/new.py"), "assert\n");
    assert_eq!(read("tests/ignored.log"), "wanted all the same\n");
    assert_eq!(into.join("link").read_link().unwrap(), Path::new("a.py"));
    assert_ne!(into.join("a.py").metadata().unwrap().permissions().mode() & 0o100, 0);
    assert!(!into.join(".git").exists());
    assert_eq!(std::fs::read_to_string(repo.root.join("a.py")).unwrap(), "a = 2\n");
    assert_eq!(users, repo.users());
}

#[test]
fn a_tree_is_written_only_where_nothing_is_and_never_outside() {
    let repo = Repo::new();
    let tree = repo.hash();
    let error = materialise(&repo.root, &tree, &repo.root, &[]).unwrap_err().to_string();
    assert!(error.ends_with("is not empty"), "{error}");
    let made = |name: &str, adding: &str| {
        materialise(&repo.root, &tree, &repo.folder.path().join(name), &[PathBuf::from(adding)])
    };
    assert!(made("one", "missing.py").unwrap_err().to_string().contains("missing.py is not there"));
    std::fs::write(repo.folder.path().join("outside"), "x").unwrap();
    assert!(made("two", "../outside").unwrap_err().to_string().starts_with("git add: "));
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), repo.root.join("tests")).unwrap();
    let tree = repo.hash();
    repo.remove("tests");
    repo.write("tests/x.py", "x\n");
    let into = repo.folder.path().join("three");
    materialise(&repo.root, &tree, &into, &[PathBuf::from("tests/x.py")]).unwrap();
    assert_eq!(elsewhere.path().read_dir().unwrap().count(), 0, "a link in the tree leads nowhere");
    assert_eq!(std::fs::read_to_string(into.join("tests/x.py")).unwrap(), "x\n");
}
