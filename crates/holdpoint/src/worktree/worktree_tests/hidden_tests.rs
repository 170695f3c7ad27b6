//! Ways to change a file so that git does not look at it.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

use super::*;

/// The hash before and after the file was changed in secret.
fn changes(repo: &Repo, change: impl FnOnce()) {
    let before = repo.hash();
    change();
    let after = repo.hash();
    assert_ne!(before, after);
    assert_eq!(repo.hash(), after, "it is not forgotten");
    repo.write("a.py", "a = 1\n");
    assert_eq!(repo.hash(), before, "and back");
}

/// Changes a file without changing its size, and not in the same moment of the file system's clock.
fn edit(repo: &Repo, path: &str, text: &str) {
    let changed = || repo.root.join(path).metadata().map(|file| (file.ctime(), file.ctime_nsec())).unwrap();
    let before = changed();
    while changed() == before {
        repo.write(path, text);
    }
}

#[test]
fn a_file_that_is_to_be_taken_as_unchanged() {
    let repo = Repo::new();
    repo.git(&["update-index", "--assume-unchanged", "a.py"]);
    changes(&repo, || repo.write("a.py", "a = 9\n"));
}

#[test]
fn a_file_that_is_to_be_skipped() {
    let repo = Repo::new();
    repo.git(&["update-index", "--skip-worktree", "a.py"]);
    changes(&repo, || repo.write("a.py", "a = 9\n"));
    let before = repo.hash();
    repo.remove("a.py");
    assert_ne!(repo.hash(), before, "nor does it count when it is not there");
}

#[test]
fn a_file_with_its_time_put_back() {
    let repo = Repo::new();
    for setting in [["core.trustctime", "false"], ["core.checkStat", "minimal"], ["core.ignoreStat", "true"]]
    {
        repo.git(&["config", setting[0], setting[1]]);
    }
    let path = repo.root.join("a.py");
    let past = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let put_back = || File::options().append(true).open(&path).unwrap().set_modified(past).unwrap();
    put_back();
    repo.git(&["update-index", "--refresh"]);
    changes(&repo, || {
        edit(&repo, "a.py", "a = 9\n");
        put_back();
        assert_eq!(repo.git(&["diff", "--name-only"]), "", "git is deceived");
    });
}

#[test]
fn an_index_that_stays_wrong() {
    let repo = Repo::new();
    let path = repo.root.join("a.py");
    let put_back =
        || File::options().append(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let second = || path.metadata().unwrap().ctime();
    let before = repo.hash();
    // All within one second, or once more.
    loop {
        repo.write("a.py", "a = 1\n");
        put_back();
        repo.git(&["update-index", "--refresh"]);
        assert_eq!(repo.hash(), before);
        let noted = second();
        edit(&repo, "a.py", "a = 9\n");
        put_back();
        if second() == noted {
            break;
        }
    }
    assert_eq!(repo.git(&["diff", "--name-only"]), "", "git is deceived");
    let looked = repo.looked();
    assert_ne!(repo.hash(), before);
    assert_eq!(repo.looked(), looked, "files of this second are looked at again when it has passed");
}

#[test]
fn an_index_that_is_made_younger() {
    let repo = Repo::new();
    let next_year = SystemTime::now() + std::time::Duration::from_hours(365 * 24);
    changes(&repo, || {
        // Within one second; where another begins in between there is nothing to hide.
        edit(&repo, "a.py", "a = 1\n");
        repo.git(&["add", "a.py"]);
        edit(&repo, "a.py", "a = 9\n");
        let index = File::options().append(true).open(repo.root.join(".git/index")).unwrap();
        index.set_modified(next_year).unwrap();
    });
}

#[test]
fn a_monitor_that_says_that_nothing_changed() {
    let repo = Repo::new();
    repo.write("../monitor", "#!/bin/sh\nprintf 'token\\0'\ntouch \"$0.ran\"\n");
    let monitor = repo.folder.path().canonicalize().unwrap().join("monitor");
    let ran = monitor.with_extension("ran");
    Command::new("chmod").arg("+x").arg(&monitor).status().unwrap();
    repo.git(&["config", "core.fsmonitor", monitor.to_str().unwrap()]);
    repo.git(&["config", "core.untrackedCache", "true"]);
    repo.git(&["update-index", "--fsmonitor", "--untracked-cache"]);
    repo.git(&["status"]);
    std::fs::remove_file(&ran).unwrap();
    changes(&repo, || repo.write("a.py", "a = 9\n"));
    assert!(!ran.exists());
}

#[test]
fn another_working_tree_than_this_one() {
    let repo = Repo::new();
    let elsewhere = tempfile::tempdir().unwrap();
    repo.git(&["config", "core.worktree", elsewhere.path().to_str().unwrap()]);
    changes(&repo, || repo.write("a.py", "a = 9\n"));
}

#[test]
fn hooks_of_git_do_not_run() {
    let repo = Repo::new();
    let ran = repo.folder.path().join("ran");
    repo.write(".git/hooks/post-index-change", format!("#!/bin/sh\ntouch '{}'\n", ran.display()));
    Command::new("chmod").arg("+x").arg(repo.root.join(".git/hooks/post-index-change")).status().unwrap();
    repo.write("a.py", "a = 9\n");
    repo.hash();
    assert!(!ran.exists());
    repo.git(&["add", "a.py"]);
    assert!(ran.exists(), "the user's git runs it");
}

#[test]
fn commits_that_are_said_to_be_others() {
    let repo = Repo::new();
    let first = repo.git(&["rev-parse", "HEAD"]);
    repo.write("a.py", "a = 9\n");
    repo.commit("second");
    let second = repo.git(&["rev-parse", "HEAD"]);
    let before = head(&repo.root).unwrap().unwrap();
    repo.git(&["replace", &second, &first]);
    repo.write(".git/info/grafts", format!("{second}\n"));
    assert_eq!(repo.git(&["log", "--format=%s"]), "first", "git is deceived");
    assert_eq!(head(&repo.root).unwrap().unwrap(), before);
}
