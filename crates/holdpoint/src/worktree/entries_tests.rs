#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise and prepare their own files"
)]

use std::path::Path;
use std::process::Command;

use super::*;

fn git(dir: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.arg("-C").arg(dir).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with names of all lengths, some of them marked.
fn repository(format: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "--quiet", &format!("--object-format={format}")]);
    for length in 1..40 {
        std::fs::create_dir_all(root.join("d/e")).unwrap();
        std::fs::write(root.join(format!("d/{}", "n".repeat(length))), "x\n").unwrap();
        std::fs::write(root.join(format!("d/e/{}", length * 37)), "y\n").unwrap();
    }
    std::fs::write(root.join("d/".to_owned() + &"long".repeat(50)), "z\n").unwrap();
    git(root, &["add", "--all"]);
    git(root, &["update-index", "--assume-unchanged", "d/n"]);
    git(root, &["update-index", "--skip-worktree", "d/nn"]);
    git(root, &["update-index", "--chmod=+x", "d/nnn"]);
    folder
}

#[test]
fn every_version_is_read_as_git_reads_it() {
    for (format, version) in [("sha1", "2"), ("sha1", "4"), ("sha256", "3"), ("sha256", "4")] {
        let folder = repository(format);
        let root = folder.path();
        git(root, &["update-index", "--index-version", version]);
        let entries = read(&std::fs::read(root.join(".git/index")).unwrap()).unwrap();
        let lines: Vec<u8> = entries.iter().flat_map(|entry| [entry.line(), vec![b'\n']].concat()).collect();
        assert_eq!(
            String::from_utf8(lines).unwrap(),
            git(root, &["ls-files", "--stage"]),
            "{format} {version}"
        );
        let named = |is_meant: fn(&Entry) -> bool| -> Vec<&[u8]> {
            entries.iter().filter(|entry| is_meant(entry)).map(|entry| entry.path.as_slice()).collect()
        };
        assert_eq!(named(|entry| entry.is_assumed_unchanged), [b"d/n"]);
        assert_eq!(named(|entry| entry.is_skipped), [b"d/nn"]);
        let debug = git(root, &["ls-files", "--debug", "d/nnn"]);
        let Time { seconds, nanoseconds } =
            entries.iter().find(|entry| entry.path == b"d/nnn").unwrap().changed;
        assert!(debug.contains(&format!("ctime: {seconds}:{nanoseconds}\n")), "{debug}");
    }
}

#[test]
fn what_is_no_index_is_not_read() {
    let folder = repository("sha1");
    let index = folder.path().join(".git/index");
    let whole = std::fs::read(&index).unwrap();
    for length in 0..whole.len() {
        // Cut off after a number of entries that is not the one it names, or in the midst of one.
        assert_eq!(read(&whole[..length]), None, "{length}");
    }
    git(folder.path(), &["update-index", "--split-index"]);
    assert_eq!(read(&std::fs::read(&index).unwrap()), None, "one in two parts");
    let empty = |version: u8| [b"DIRC\0\0\0", &[version, 0, 0, 0, 0][..], &[0; 20]].concat();
    assert_eq!(read(&empty(2)), Some(Vec::new()));
    assert_eq!(read(&empty(5)), None, "a version to come");
}
