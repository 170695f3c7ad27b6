//! Repositories that are not as most are.

use super::*;

#[test]
fn a_repository_without_a_commit() {
    let repo = Repo::empty();
    assert_eq!(hash(&repo.root, &globs(&["**"])).unwrap(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    repo.write("a.py", "a = 1\n");
    assert_eq!(repo.hash(), repo.expected());
    assert_eq!(head(&repo.root).unwrap(), None);
    repo.git(&["add", "a.py"]);
    assert_eq!(repo.hash(), repo.expected());
}

#[test]
fn a_head_on_no_branch() {
    let repo = Repo::new();
    repo.git(&["checkout", "--quiet", "--detach"]);
    repo.write("a.py", "a = 2\n");
    assert_eq!(repo.hash(), repo.expected());
    assert_eq!(head(&repo.root).unwrap().unwrap().id, repo.git(&["rev-parse", "HEAD"]));
}

#[test]
fn a_linked_working_tree_has_an_index_of_its_own() {
    let repo = Repo::new();
    let linked = repo.folder.path().canonicalize().unwrap().join("linked");
    repo.git(&["worktree", "add", "--quiet", "-b", "other", linked.to_str().unwrap()]);
    std::fs::write(linked.join("new.py"), "new\n").unwrap();
    let main = repo.hash();
    let other = hash(&linked, &[]).unwrap();
    assert_eq!(main, repo.expected());
    git(&linked, &["add", "--all"]);
    assert_eq!(other, git(&linked, &["write-tree"]));
    git(&linked, &["commit", "--quiet", "--message", "x"]);
    let head = head(&linked).unwrap().unwrap();
    assert_eq!((head.tree.as_str(), head.subject.as_str()), (other.as_str(), "x"));
    assert_eq!(changed(&linked, &head.parent.unwrap(), &other).unwrap(), head.paths);
}

#[test]
fn a_submodule_is_the_commit_that_is_checked_out() {
    let inner = Repo::new();
    let repo = Repo::new();
    repo.git(&["submodule", "--quiet", "add", inner.root.to_str().unwrap(), "sub"]);
    repo.commit("with a submodule");
    repo.hash();
    repo.commit("with our folder");
    let before = repo.hash();
    assert_eq!(before, repo.git(&["rev-parse", "HEAD^{tree}"]));
    let sub = repo.root.join("sub");
    std::fs::write(sub.join("new"), "the folder has another time\n").unwrap();
    let looked = repo.looked();
    assert_eq!(repo.hash(), before);
    assert!(repo.looked() > looked, "which says nothing");
    std::fs::remove_file(sub.join("new")).unwrap();
    git(&sub, &["commit", "--quiet", "--allow-empty", "--message", "further"]);
    let after = repo.hash();
    assert_eq!(after, repo.expected());
    assert_eq!(changed(&repo.root, &before, &after).unwrap(), ["sub"]);
    std::fs::write(sub.join("a.py"), "a = 3\n").unwrap();
    let of_sub = hash(&sub, &[]).unwrap();
    git(&sub, &["add", "--all"]);
    assert_eq!(of_sub, git(&sub, &["write-tree"]), "a submodule can be asked about, too");
    repo.git(&["submodule", "--quiet", "deinit", "--force", "sub"]);
    assert_eq!(repo.hash(), before, "one that is not there is what the index says");
}

#[test]
fn names_links_and_modes() {
    let repo = Repo::new();
    for name in
        [&b"new\nline"[..], b"quo\"te's", b"-option", b":(top)x", b"tab\t", b"\xff\xfe.py", b" ", b"\\x"]
    {
        repo.write(bytes(name), name);
    }
    std::os::unix::fs::symlink("a.py", repo.root.join("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", repo.root.join("src/dangling")).unwrap();
    std::os::unix::fs::symlink("src", repo.root.join("folder")).unwrap();
    Command::new("chmod").args(["+x", "a.py"]).current_dir(&repo.root).status().unwrap();
    let hash = repo.hash();
    assert_eq!(hash, repo.expected());
    let paths = changed(&repo.root, &repo.git(&["rev-parse", "HEAD"]), &hash).unwrap();
    for path in ["new\nline", "quo\"te's", "-option", ":(top)x", "\u{fffd}\u{fffd}.py", "link", "a.py"] {
        assert!(paths.iter().any(|found| found == path), "{path}: {paths:?}");
    }
    assert!(paths.is_sorted());
    let without = super::hash(&repo.root, &globs(&["*", "src/dangling", ".holdpoint/*"])).unwrap();
    assert_eq!(repo.git(&["ls-tree", "-r", "--name-only", "HEAD", "src/"]), "src/b.py");
    let kept = changed(&repo.root, &repo.git(&["rev-parse", "HEAD"]), &without).unwrap();
    assert_eq!(kept, [".gitignore", "a.py"], "odd names can be taken out");
}

#[test]
fn a_file_too_large_for_memory_goes_its_own_way() {
    let repo = Repo::new();
    repo.git(&["config", "core.bigFileThreshold", "64k"]);
    repo.write("large.bin", vec![7; 1024 * 1024]);
    let users = repo.users();
    assert_eq!(repo.hash(), repo.expected());
    assert_eq!(repo.hash(), repo.expected());
    assert_eq!(users, repo.users());
}

#[test]
fn a_merge_in_progress_is_taken_as_the_files_are() {
    let repo = Repo::new();
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("a.py", "a = 2\n");
    repo.remove("src/b.py");
    repo.commit("other");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("a.py", "a = 3\n");
    repo.write("src/b.py", "b = 3\n");
    repo.commit("main");
    let merge = git_command(&repo.root).args(["merge", "--quiet", "other"]).output().unwrap();
    assert!(!merge.status.success());
    let users = repo.users();
    assert_eq!(repo.hash(), repo.expected());
    assert_eq!(users, repo.users());
    assert!(repo.git(&["ls-files", "--unmerged"]).contains("a.py"));
}

#[test]
fn an_index_that_others_have_locked() {
    let repo = Repo::new();
    repo.write(".git/index.lock", "");
    repo.write("a.py", "a = 2\n");
    assert_eq!(repo.hash(), repo.expected());
}

#[test]
fn an_index_in_two_parts_or_without_a_checksum() {
    for setting in ["core.splitIndex", "index.skipHash"] {
        let repo = Repo::new();
        repo.git(&["config", setting, "true"]);
        repo.write("new.py", "new\n");
        repo.git(&["add", "new.py"]);
        repo.write("a.py", "a = 2\n");
        let users = repo.users();
        assert_eq!(repo.hash(), repo.expected(), "{setting}");
        assert_eq!(users, repo.users(), "{setting}");
    }
}

#[test]
fn a_sparse_checkout_keeps_what_is_not_checked_out() {
    for sparse_index in ["--sparse-index", "--no-sparse-index"] {
        let repo = Repo::new();
        repo.write("docs/deep/x.md", "x\n");
        repo.commit("docs");
        let whole = repo.git(&["rev-parse", "HEAD^{tree}"]);
        repo.git(&["sparse-checkout", "set", sparse_index, "src"]);
        assert!(!repo.root.join("docs").exists());
        let aside = globs(&[".holdpoint/**"]);
        assert_eq!(hash(&repo.root, &aside).unwrap(), whole);
        repo.write("docs/new.md", "outside\n");
        repo.write("docs/deep/x.md", "there all the same\n");
        let paths = changed(&repo.root, &whole, &hash(&repo.root, &aside).unwrap()).unwrap();
        assert_eq!(paths, ["docs/deep/x.md", "docs/new.md"]);
        let into = repo.folder.path().join("whole");
        materialise(&repo.root, &whole, &into, &[]).unwrap();
        assert_eq!(std::fs::read_to_string(into.join("docs/deep/x.md")).unwrap(), "x\n");
    }
}

#[test]
fn paths_with_the_signs_of_lists() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a:b", "quo\"te", "back\\slash:", "line\nend"] {
        let root = folder.path().join(name);
        std::fs::create_dir(&root).unwrap();
        git(&root, &["init", "--quiet"]);
        std::fs::write(root.join("a.py"), "a = 1\n").unwrap();
        git(&root, &["add", "--all"]);
        git(&root, &["commit", "--quiet", "--message", "x"]);
        std::fs::write(root.join("b.py"), "b = 1\n").unwrap();
        let hash = hash(&root, &globs(&[".holdpoint/**"])).unwrap();
        let paths = changed(&root, &git(&root, &["rev-parse", "HEAD"]), &hash).unwrap();
        assert_eq!(paths, ["b.py"], "{name}");
    }
}

#[test]
fn a_file_that_cannot_be_added_is_an_error_in_gits_words() {
    let repo = Repo::new();
    git(&repo.root, &["init", "--quiet", "inner"]);
    let error = hash(&repo.root, &[]).unwrap_err().to_string();
    assert!(error.starts_with("git add: ") && error.contains("inner/"), "{error}");
}
