#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise and prepare their own files"
)]

use std::os::unix::fs::symlink;

use super::*;
use crate::env::FixedEnv;

/// A project with a file, and a folder outside of it with another.
fn project() -> (tempfile::TempDir, ProjectWorld) {
    let root = tempfile::tempdir().unwrap();
    for folder in ["project/run", "outside"] {
        std::fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    std::fs::write(root.path().join("outside/secret"), "secret").unwrap();
    std::fs::write(root.path().join("project/plain"), "plain").unwrap();
    let home = root.path().join("project");
    let env = FixedEnv { variables: variables(), now: None };
    let world = ProjectWorld::new(&home, &home.join("run"), Arc::new(env));
    (root, world)
}

fn variables() -> std::collections::HashMap<String, String> {
    let known = VARIABLES.iter().map(|name| ((*name).to_owned(), "known".to_owned()));
    known.chain([("AWS_SECRET_ACCESS_KEY".to_owned(), "secret".to_owned())]).collect()
}

fn is_outside<T: std::fmt::Debug>(answer: &Answer<T>) -> bool {
    matches!(answer, Answer::Fault(WorldError::Outside(_)))
}

#[test]
fn links_out_of_the_project_are_not_followed() {
    let (root, world) = project();
    let home = root.path().join("project");
    symlink("../../outside/secret", home.join("run/file")).unwrap();
    symlink(root.path().join("outside"), home.join("run/folder")).unwrap();
    symlink("file", home.join("run/link")).unwrap();
    let full = home.join("run/file").to_string_lossy().into_owned();
    for path in ["file", "folder/secret", "link", &full] {
        assert!(is_outside(&world.read(path)), "{path}: {:?}", world.read(path));
        assert!(is_outside(&world.exists(path)), "{path}");
    }
    assert!(is_outside(&world.exists("folder/not-there")));
    assert!(is_outside(&world.list("folder")));
    assert_eq!(world.is_writable("folder/new"), Answer::None);
}

#[test]
fn links_within_the_project_are_followed() {
    let (root, world) = project();
    let home = root.path().join("project");
    symlink("../plain", home.join("run/file")).unwrap();
    symlink(home.join("plain"), home.join("run/absolute")).unwrap();
    symlink("nowhere", home.join("run/dangling")).unwrap();
    assert_eq!(world.read("file"), Answer::Is(b"plain".to_vec()));
    assert_eq!(world.read("absolute"), Answer::Is(b"plain".to_vec()));
    assert_eq!(world.read("dangling"), Answer::None);
    assert_eq!(world.read("not/there"), Answer::None);
}

#[test]
fn what_is_no_file_or_too_large_is_refused_at_once() {
    let (root, world) = project();
    let run = root.path().join("project/run");
    let fifo = std::process::Command::new("mkfifo").arg(run.join("fifo")).status().unwrap();
    assert!(fifo.success());
    std::fs::File::create(run.join("large")).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
    for path in ["fifo", "large", "../run"] {
        assert!(matches!(world.read(path), Answer::Fault(_)), "{path}");
    }
}

#[test]
fn only_listed_variables_are_told() {
    let (_root, world) = project();
    assert_eq!(world.env("AWS_SECRET_ACCESS_KEY"), None);
    assert!(VARIABLES.iter().all(|name| world.env(name).as_deref() == Some("known")));
    assert!(VARIABLES.is_sorted());
}

/// A file of another length than what was read of it is not whole, whatever its time says.
#[cfg(target_os = "linux")]
#[test]
fn what_is_read_short_or_long_is_not_whole() {
    let (root, _) = project();
    let mut bytes = Vec::new();
    assert!(read_unchanged(&root.path().join("project/plain"), 100, &mut bytes).unwrap());
    assert!(
        !read_unchanged(Path::new("/proc/self/status"), 1_000_000, &mut bytes).unwrap(),
        "it says 0 bytes"
    );
}
