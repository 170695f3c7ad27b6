use std::path::Path;

use super::*;

/// A project's folder, once as the kernel resolves paths and once as we do.
fn each(check: impl Fn(Folder)) {
    for is_stepwise in [false, true] {
        let home = tempfile::tempdir().unwrap();
        let mut folder = Folder::project(home.path()).unwrap();
        if is_stepwise {
            folder.handle = folder.handle.stepwise();
        }
        check(folder);
    }
}

fn at(path: &str) -> &Path {
    Path::new(path)
}

#[test]
fn files_are_made_replaced_read_and_removed() {
    each(|folder| {
        assert_eq!(folder.read(at("a/b.json"), 10).unwrap(), None);
        assert!(folder.replace(at("a/b.json"), b"1", Access::Ours).is_err(), "its folder is missing");
        folder.make_folder_of(at("a/b.json"), Access::Ours).unwrap();
        folder.replace(at("a/b.json"), b"1", Access::Ours).unwrap();
        folder.replace(&folder.path().join("a/b.json"), b"two", Access::Ours).unwrap();
        assert_eq!(folder.read(at("a/b.json"), 3).unwrap().as_deref(), Some(b"two".as_slice()));
        assert!(matches!(folder.read(at("a/b.json"), 2), Err(FileError::TooLarge { limit: 2, .. })));
        assert!(folder.create(at("a/b.json"), b"", Access::Ours).unwrap_err().is_taken());
        folder.append(at("a/b.json"), Access::Ours).unwrap().write_all(b"!").unwrap();
        assert_eq!(folder.read(at("a/b.json"), 9).unwrap().as_deref(), Some(b"two!".as_slice()));
        folder.rewrite(at("a/b.json"), Access::Ours).unwrap().write_all(b"x").unwrap();
        assert_eq!(folder.read(at("a/b.json"), 9).unwrap().as_deref(), Some(b"x".as_slice()));
        let entries = folder.entries(at("a"), 9).unwrap();
        assert_eq!(
            entries.iter().map(|(name, found)| (name.as_path(), found.kind)).collect::<Vec<_>>(),
            [(at("b.json"), Kind::File)]
        );
        assert!(!folder.remove_empty(at("a")), "a folder with a file in it stays");
        folder.remove(at("a/b.json")).unwrap();
        folder.remove(at("a/b.json")).unwrap();
        assert!(folder.remove(at("a")).is_err(), "a folder is not removed as a file");
        assert!(folder.remove_empty(at("a")));
    });
}

#[test]
fn paths_that_leave_the_folder_are_refused() {
    each(|folder| {
        for path in ["../x", "/etc/hostname", "a/../../x", "./../x"] {
            assert!(matches!(folder.read(at(path), 9), Err(FileError::Leaves { .. })), "{path}");
            assert!(matches!(folder.append(at(path), Access::Ours), Err(FileError::Leaves { .. })), "{path}");
        }
    });
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(folder: &Folder, path: &str) -> u32 {
        folder.path().join(path).metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn ours_are_closed_to_others_and_the_users_keep_their_mode() {
        each(|folder| {
            folder.make_folder_of(at("ours/deep/x"), Access::Ours).unwrap();
            folder.create(at("ours/deep/x"), b"", Access::Ours).unwrap();
            assert_eq!((mode(&folder, "ours"), mode(&folder, "ours/deep")), (0o700, 0o700));
            assert_eq!(mode(&folder, "ours/deep/x"), 0o600);
            for mode in [0o640, 0o755] {
                folder.replace(at("users"), b"", Access::Users).unwrap();
                let path = folder.path().join("users");
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
                folder.replace(at("users"), b"x", Access::Users).unwrap();
                assert_eq!(super::links::mode(&folder, "users"), mode);
            }
            drop(folder.append(at("users"), Access::Ours).unwrap());
            assert_eq!(mode(&folder, "users"), 0o600, "an older file of ours is closed");
            folder.replace(at("run.sh"), b"", Access::Program).unwrap();
            assert_eq!(mode(&folder, "run.sh"), 0o755);
        });
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a user's file")]
    fn no_link_is_followed_and_nothing_is_waited_for() {
        each(|folder| {
            let outside = tempfile::tempdir().unwrap();
            let precious = outside.path().join("precious");
            std::fs::write(&precious, "kept").unwrap();
            let inside = |name: &str| folder.path().join(name);
            symlink(&precious, inside("file")).unwrap();
            symlink(outside.path(), inside("folder")).unwrap();
            symlink(outside.path().join("new"), inside("dangling")).unwrap();
            std::fs::create_dir(inside("real")).unwrap();
            let fifo = std::process::Command::new("mkfifo").arg(inside("pipe")).status().unwrap();
            assert!(fifo.success());
            for path in ["file", "folder/precious", "folder/new", "dangling"] {
                let refused =
                    |error: FileError| assert!(matches!(error, FileError::Link { .. }), "{path}: {error}");
                refused(folder.read(at(path), 9).unwrap_err());
                refused(folder.append(at(path), Access::Ours).unwrap_err());
                refused(folder.rewrite(at(path), Access::Ours).unwrap_err());
                refused(folder.replace(at(path), b"x", Access::Ours).unwrap_err());
                assert!(folder.create(at(path), b"x", Access::Ours).is_err());
            }
            for path in ["pipe", "real"] {
                let refused = |error: FileError| {
                    assert!(matches!(error, FileError::NotAFile { .. }), "{path}: {error}");
                };
                refused(folder.read(at(path), 9).unwrap_err());
                refused(folder.append(at(path), Access::Ours).unwrap_err());
                refused(folder.rewrite(at(path), Access::Ours).unwrap_err());
                refused(folder.replace(at(path), b"x", Access::Ours).unwrap_err());
            }
            assert!(folder.remove(at("folder/precious")).is_err());
            assert!(folder.entries(at("folder"), 9).is_err());
            assert!(folder.make_folder(at("folder/sub"), Access::Ours).is_err());
            assert_eq!(std::fs::read_to_string(&precious).unwrap(), "kept");
            assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
        });
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a user's files")]
    fn a_link_may_lead_elsewhere_in_the_project_and_not_out_of_it() {
        each(|folder| {
            let outside = tempfile::tempdir().unwrap();
            let inside = |name: &str| folder.path().join(name);
            std::fs::create_dir_all(inside("docs/.git")).unwrap();
            std::fs::write(inside("docs/state.json"), "{}").unwrap();
            symlink("docs/state.json", inside("state.json")).unwrap();
            symlink("docs", inside("also")).unwrap();
            symlink("docs/.git/config", inside("git")).unwrap();
            symlink(outside.path(), inside("out")).unwrap();
            let follow = |path: &str| folder.follow(at(path));
            assert_eq!(follow("state.json").unwrap(), at("docs/state.json"));
            assert_eq!(follow("also/new/file").unwrap(), at("docs/new/file"));
            assert_eq!(follow("docs/state.json").unwrap(), at("docs/state.json"));
            assert_eq!(follow("none").unwrap(), at("none"));
            for path in ["out", "out/new", "git"] {
                assert!(follow(path).is_err(), "{path}");
            }
        });
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "what a killed process left")]
    fn leftovers_go_and_temporary_files_are_not_among_the_users() {
        each(|folder| {
            folder.replace(at("state.json"), b"1", Access::Users).unwrap();
            let left = folder.path().join(".holdpoint/tmp/.state.json.1.0.tmp");
            let young = folder.path().join(".holdpoint/tmp/.state.json.1.1.tmp");
            for path in [&left, &young] {
                std::fs::write(path, "half").unwrap();
            }
            let old = SystemTime::now() - std::time::Duration::from_hours(1);
            File::options().write(true).open(&left).unwrap().set_modified(old).unwrap();
            folder.replace(at("state.json"), b"2", Access::Users).unwrap();
            assert!(!left.exists() && young.exists());
            let names = folder.entries(at(""), 9).unwrap();
            assert_eq!(names.len(), 2, "{names:?}");
        });
    }
}
