//! Where a loop is and whose it is: links, subfolders, other sessions, loops of long ago, and what is left behind.

use std::path::Path;
use std::time::{Duration, SystemTime};

use holdpoint::store::{layout, lock, state};
use serde_json::json;

use super::{LOOPS, Site, files_below, report};

fn started() -> (Site, String) {
    let site = Site::new(&[report(1, [0, 0, 0])]);
    let id = site.start(&["plan", "a clock"]);
    (site, id)
}

/// Sets a field of a loop's state by hand.
fn edit(site: &Site, id: &str, field: &str, value: &str) {
    let path = format!("{LOOPS}/{id}.state");
    let lines = site.project.read(&path);
    let set = |line: &str| match line.split_once(": ") {
        Some((name, _)) if name == field => format!("{name}: {value}\n"),
        _ => format!("{line}\n"),
    };
    site.project.write(&path, lines.lines().map(set).collect::<String>());
}

fn touch_later(path: &Path) {
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_mins(1)).unwrap();
}

#[test]
fn a_link_to_the_project_is_the_project() {
    let elsewhere = tempfile::tempdir().unwrap();
    let (site, id) = started();
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(site.root(), &link).unwrap();
    assert!(
        site.stop_as("s", &link).hold.contains("PLAN.md is missing"),
        "begun in the folder, stopped in the link"
    );
    site.project.write("PLAN.md", "1. Tick.\n");

    // Whoever comes through the link waits for the same lock.
    let place = site.root().join(LOOPS).join(format!("{id}.state"));
    let ours = state::lock(&site.project.books(), false, &place, lock::PATIENCE).unwrap();
    let names = || std::fs::read_dir(layout::folder(site.root()).join("locks")).unwrap().count();
    let before = names();
    let mut command = site.project.command(&["hook"]);
    let mut child =
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let event = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": link}).to_string();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.as_bytes()).unwrap();
    super::races::come_to(&mut child, &layout::lock(site.root(), &layout::name(site.root(), &place)));
    assert_eq!(site.stands(&id).0, "drafting", "the lock is ours");
    drop(ours);
    let answer = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(answer.contains("### Claudex round 1 of 3, "), "{answer}");
    assert_eq!(names(), before);

    site.find(&id, 1);
    let hold = site.stop_as("s", &link);
    assert!(hold.hold.starts_with("### Claudex round 2 of 3, "), "{hold:?}");
    assert_eq!(site.shell_in(&link, hold.command("bash ")).code, Some(0));
    assert_eq!(site.tell_in(&link, &["start", "plan", "another"]).code, Some(1));
    assert_eq!(site.tell_in(&link, &["cancel"]).code, Some(0));
    let id = site.tell_in(&link, &["start", "plan", "another"]);
    assert_eq!(id.code, Some(0), "{}", id.stderr);
    assert!(site.stop().hold.contains("before this loop"), "begun in the link, stopped in the folder");
}

#[test]
fn a_loop_that_began_elsewhere_is_not_looked_at() {
    let (site, id) = started();
    edit(&site, &id, "repo_root", "/somewhere/else");
    assert_eq!(site.stop().hold, "", "a copied folder holds nobody");
    assert!(site.project.read(&format!("{LOOPS}/log")).contains("this run began in /somewhere/else"));
    site.start(&["plan", "another"]);
}

#[test]
fn names_of_folders_are_only_names() {
    let site = Site::new(&[report(1, [0, 0, 0])]);
    let folder = site.root().join("-it's a \"$(touch canary)\" `touch canary` & ñ; {{ 1 }} %s place");
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    std::fs::write(folder.join("PLAN.md"), "1. Tick.\n").unwrap();
    assert_eq!(site.tell_in(&folder, &["start", "plan", "--from-draft", "a clock"]).code, Some(0));
    let printed = site.shell(site.stop_as("s", &folder).command("bash "));
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""), "{}", printed.stdout);
    assert!(site.kept("words", 1).ends_with(&format!("\n{}\n", folder.display())));
    assert!(site.tell_in(&folder, &["status"]).stdout.contains("round 1  high=0 medium=0 low=0"));
    assert!(!files_below(site.root()).iter().any(|file| file.ends_with("canary")));
}

#[test]
fn a_finished_loop_never_hides_one_at_work() {
    let (site, finished) = started();
    site.project.write("PLAN.md", "1. Tick.\n");
    site.stop();
    std::fs::write(site.file(&finished, "/findings-round-1.md"), "No substantive findings.\n").unwrap();
    site.done(&["mark-done", &finished]);
    let at_work = site.start(&["plan", "another"]);
    // Of the finished one the summary has not been shown yet; then it has.
    for leftovers in [true, false] {
        if !leftovers {
            std::fs::remove_file(site.file(&finished, "-runner.sh")).unwrap();
            std::fs::remove_file(site.file(&finished, ".lock")).unwrap();
        }
        touch_later(&site.file(&finished, ".state"));
        assert!(site.stop().hold.contains("PLAN.md is still the one from before this loop"), "{leftovers}");
        assert_eq!(site.tell(&["start", "plan", "a third"]).code, Some(1));
        assert!(site.done(&["status"]).contains(&format!("loop        {at_work}\n")));
    }
    let before = std::fs::read(site.file(&finished, ".state")).unwrap();
    assert_eq!(site.tell(&["mark-done", &finished]).code, Some(1), "it is over");
    assert!(site.done(&["cancel"]).contains(&at_work));
    assert_eq!(site.stands(&at_work).0, "cancelled");
    assert_eq!(std::fs::read(site.file(&finished, ".state")).unwrap(), before);
}

#[test]
fn where_there_is_no_loop_nothing_is_left_behind() {
    let site = Site::new(&[]);
    std::fs::create_dir_all(site.root().join("src/deep")).unwrap();
    let files = files_below(site.root());
    for folder in [site.root().to_path_buf(), site.root().join("src/deep")] {
        assert!(site.stop_as("s", &folder).is_silent());
        site.project.run_with(&["hook", "--protocol", "legacy", "--workflow", "claudex"], b"{}");
        assert!(site.tell_in(&folder, &["status"]).stdout.contains("No claudex loops in"));
        assert_eq!(site.tell_in(&folder, &["cancel"]).code, Some(0));
    }
    assert_eq!(files_below(site.root()), files);

    // A loop is held from below, and is found and kept at the root.
    let deep = site.root().join("src/deep");
    assert_eq!(site.tell_in(&deep, &["start", "plan", "a clock"]).code, Some(0));
    assert!(site.stop_as("s", &deep).hold.contains(&format!("{}/PLAN.md", site.root().display())));
    assert!(files_below(&site.root().join("src")).is_empty());
    site.done(&["cancel"]);
    let log = site.project.read(&format!("{LOOPS}/log"));
    let files = files_below(&site.root().join(LOOPS));
    assert!((0..3).all(|_| site.stop_as("s", &deep).is_silent()));
    assert_eq!(files_below(&site.root().join(LOOPS)), files, "a finished loop's folder is not made again");
    assert!(!site.project.read(&format!("{LOOPS}/log"))[log.len()..].contains("fault"), "nothing is wrong");
}

#[test]
fn a_rollback_leaves_nothing_half_written() {
    let (site, id) = started();
    site.project.write("PLAN.md", "1. Tick.\n");
    site.stop();
    for name in [format!(".{id}.state.77.0.tmp"), format!("{id}.state.tmp.77"), format!("{id}/.x.77.0.tmp")] {
        site.project.write(&format!("{LOOPS}/{name}"), "half");
    }
    site.project.write(&format!("{LOOPS}/notes.md"), "mine").write(&format!("{LOOPS}/mine/x"), "mine");
    site.done(&["rollback"]);
    assert_eq!(files_below(&site.root().join(LOOPS)), ["log", "mine/x", "notes.md"]);
}

#[test]
fn another_session_is_neither_held_nor_moves_the_loop() {
    let (site, id) = started();
    site.project.write("PLAN.md", "1. Tick.\n");
    let first = site.stop_as("other", site.root());
    assert_eq!(first.hold, "");
    assert!(first.message.contains("belongs to session s."), "{first:?}");
    assert!(site.stop_as("other", site.root()).is_silent(), "told once");
    assert_eq!(site.stands(&id), ("drafting".into(), "1".into(), "none".into()));
    let refused = site.shell("CLAUDE_CODE_SESSION_ID=other holdpoint claudex start plan another");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("in another session"), "{}", refused.stderr);
    assert!(site.stop().hold.starts_with("### Claudex round 1 of 3, "));
    assert!(site.stop_as("other", site.root()).hold.is_empty());
    assert_eq!(site.state(&id)["round"], "1", "the other's Stops use up nothing");
    edit(&site, &id, "session_id", "unknown");
    site.find(&id, 1);
    assert!(
        site.stop_as("other", site.root()).hold.starts_with("### Claudex round 2 of 3, "),
        "nobody's: anybody's"
    );
}

#[test]
fn a_loop_of_long_ago_holds_only_whose_it_is() {
    let ago = |minutes: i64| {
        (jiff::Timestamp::now() - jiff::SignedDuration::from_mins(minutes))
            .strftime("%Y-%m-%dT%H:%M:%SZ")
            .to_string()
    };
    let (site, id) = started();
    edit(&site, &id, "last_updated_at", &ago(14));
    edit(&site, &id, "session_id", "unknown");
    assert!(!site.stop_as("other", site.root()).hold.is_empty(), "not yet");
    assert_eq!(site.tell(&["start", "plan", "another"]).code, Some(1));
    edit(&site, &id, "last_updated_at", &ago(16));
    let legacy = ["hook", "--protocol", "legacy", "--workflow", "claudex"];
    assert_eq!(site.stop_as("other", site.root()).hold, "");
    assert_eq!(site.project.run_with(&legacy, b"{}").stdout, "{\"decision\":\"approve\"}\n");
    let mut longer = site.project.command(&legacy);
    longer.env("CLAUDEX_STALE_MINUTES", "30");
    assert_eq!(crate::project::feed(longer, b"{}").json()["decision"], "block");

    edit(&site, &id, "session_id", "s");
    assert!(!site.stop().hold.is_empty(), "its owner is held: a review may take long");
    assert_eq!(site.stop_as("other", site.root()).hold, "");
    edit(&site, &id, "session_id", "gone");
    edit(&site, &id, "last_updated_at", &ago(2 * 24 * 60));
    let before = std::fs::read(site.file(&id, ".state")).unwrap();
    let new = site.start(&["plan", "another"]);
    assert_eq!(std::fs::read(site.file(&id, ".state")).unwrap(), before, "nothing is swept away");
    assert!(!site.stop().hold.is_empty());
    assert!(site.done(&["status"]).contains(&format!("loop        {new}\n")));
}
