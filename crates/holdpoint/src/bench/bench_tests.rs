#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise and prepare their own files"
)]

use std::collections::HashMap;
use std::process::Command;
use std::sync::Arc;

use super::*;
use crate::catalog::{self, Origin};
use crate::env::FixedEnv;
use crate::store::books::Books;

/// A project in a repository, and a user with a home.
struct Site {
    _folder: tempfile::TempDir,
    run: Run,
    env: FixedEnv,
}

impl Site {
    fn new() -> Site {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let home = top.join("shop");
        for place in [&home, &top.join("user")] {
            std::fs::create_dir(place).unwrap();
        }
        let variable = |name: &str, value: String| (name.to_owned(), value);
        let variables: HashMap<String, String> = [
            variable("HOME", top.join("user").display().to_string()),
            variable("PATH", std::env::var("PATH").unwrap_or_default()),
        ]
        .into();
        let workflow = catalog::built_in().iter().find(|one| one.workflow.run.is_sealed).unwrap();
        let books = Books::in_project(&home);
        let run = Run::new(Arc::new(workflow.workflow.clone()), Origin::BuiltIn, books);
        let site = Site { _folder: folder, run, env: FixedEnv { variables, now: None } };
        site.shell("git init -q && printf 'node_modules/\\n.venv/\\ntarget/\\n*.log\\n' >.gitignore");
        site.write("src/a.py", "a = 1\n").write("src/b.py", "b = 1\n").shell("chmod +x src/b.py");
        site
    }

    fn write(&self, path: &str, text: &str) -> &Site {
        let full = self.run.home.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
        self
    }

    fn shell(&self, script: &str) {
        let done = Command::new("sh").args(["-ec", script]).current_dir(&self.run.home).status().unwrap();
        assert!(done.success(), "{script}");
    }

    fn tree(&self) -> String {
        worktree::hash(&self.run.home, &[".holdpoint/**".to_owned()], &self.env).unwrap()
    }

    fn bench(&self) -> Bench {
        Bench::open(&self.run, &self.env).unwrap()
    }

    /// The bench with the tree as it is now.
    fn laid(&self) -> (Bench, Vec<String>) {
        let bench = self.bench();
        let lent = bench.lay(&self.tree(), &self.env).unwrap();
        (bench, lent)
    }
}

fn read(bench: &Bench, path: &str) -> Option<String> {
    std::fs::read_to_string(bench.folder().join(path)).ok()
}

#[test]
fn it_is_exactly_the_tree_and_stays_so_whatever_happens_in_the_project() {
    let site = Site::new();
    site.write("notes.log", "ignored\n");
    let (bench, lent) = site.laid();
    assert!(lent.is_empty() && !bench.folder().starts_with(&site.run.home));
    site.write("src/a.py", "a = 9\n");
    assert_eq!(read(&bench, "src/a.py").as_deref(), Some("a = 1\n"));
    assert_eq!(read(&bench, "notes.log"), None);
    assert_eq!(bench.differing().unwrap(), [""; 0]);
    bench.lay(&site.tree(), &site.env).unwrap();
    assert_eq!(read(&bench, "src/a.py").as_deref(), Some("a = 9\n"));
}

#[test]
fn files_that_have_not_changed_keep_their_times() {
    let site = Site::new();
    let (bench, _) = site.laid();
    let written = |path: &str| bench.folder().join(path).metadata().unwrap().modified().unwrap();
    let (a, b) = (written("src/a.py"), written("src/b.py"));
    site.write("src/a.py", "a = 2\n");
    bench.lay(&site.tree(), &site.env).unwrap();
    assert_eq!(written("src/b.py"), b);
    assert_ne!(written("src/a.py"), a);
}

#[test]
fn whoever_changes_it_is_noticed_and_it_is_made_right_again() {
    let site = Site::new();
    let (bench, _) = site.laid();
    let tree = site.tree();
    let at = |path: &str| bench.folder().join(path);
    std::fs::write(at("src/a.py"), "a = 7\n").unwrap();
    std::fs::write(at("src/a.py"), "a = 1\n").unwrap();
    assert_eq!(bench.differing().unwrap(), ["src/a.py"], "it was another for a moment");
    std::fs::write(at("conftest.py"), "x\n").unwrap();
    std::fs::create_dir(at(".git")).unwrap();
    std::fs::remove_file(at("src/b.py")).unwrap();
    assert_eq!(bench.differing().unwrap(), [".git", "conftest.py", "src/a.py", "src/b.py"]);
    std::fs::write(at("left.log"), "ignored\n").unwrap();
    bench.lay(&tree, &site.env).unwrap();
    assert_eq!(bench.differing().unwrap(), [""; 0]);
    assert!(!at("conftest.py").exists() && !at(".git").exists() && !at("left.log").exists());
    assert_eq!(read(&bench, "src/b.py").as_deref(), Some("b = 1\n"));
}

#[test]
fn build_outputs_are_its_own_and_dependencies_are_lent() {
    let site = Site::new();
    site.write("target/debug/x", "of the project\n").write("web/node_modules/m/index.js", "m\n");
    site.write("web/main.js", "m\n");
    let (bench, lent) = site.laid();
    assert_eq!(lent, ["web/node_modules"]);
    assert_eq!(read(&bench, "target/debug/x"), None);
    assert_eq!(read(&bench, "web/node_modules/m/index.js").as_deref(), Some("m\n"));
    std::fs::create_dir_all(bench.folder().join("target")).unwrap();
    std::fs::write(bench.folder().join("target/x"), "built here\n").unwrap();
    assert_eq!(bench.differing().unwrap(), [""; 0]);
    bench.lay(&site.tree(), &site.env).unwrap();
    assert_eq!(read(&bench, "target/x").as_deref(), Some("built here\n"), "it is kept");
    assert_eq!(std::fs::read_to_string(site.run.home.join("web/node_modules/m/index.js")).unwrap(), "m\n");
}

#[test]
fn two_do_not_use_it_at_once() {
    let site = Site::new();
    let bench = site.bench();
    let (holder, beside) =
        (crate::store::folder::Folder::users(&bench.beside).unwrap(), bench.beside.clone());
    assert!(lock::take(&holder, &beside.join("lock"), Duration::ZERO).is_err());
    drop(bench);
    // A program that another test is just starting may still have the lock's file open.
    lock::take(&holder, &beside.join("lock"), Duration::from_mins(1)).unwrap();
}

#[test]
fn a_folder_is_made_again_when_its_file_changes() {
    let site = Site::new();
    site.write("lock.json", "one\n");
    let bench = site.bench();
    let make = holdpoint_core::workflow::bench::Make {
        name: "node_modules".into(),
        command: "mkdir node_modules && cp lock.json node_modules/ && echo made >>../made.txt".into(),
        by: "lock.json".into(),
    };
    let lay = || {
        bench.lay(&site.tree(), &site.env).unwrap();
        make::all(std::slice::from_ref(&make), &bench.folder, &bench.beside, &site.env).unwrap();
        std::fs::read_to_string(bench.beside.join("made.txt")).unwrap().lines().count()
    };
    assert_eq!(lay(), 1);
    make::all(std::slice::from_ref(&make), &bench.folder, &bench.beside, &site.env).unwrap();
    site.write("lock.json", "two\n");
    assert_eq!(lay(), 2);
    assert_eq!(read(&bench, "node_modules/lock.json").as_deref(), Some("two\n"));
}
