//! The recording of the demonstration: `docs/demo.txt` is what `holdpoint demo` prints, and the README shows parts of it.

#![cfg(unix)]

use crate::generated::{assert_kept, repository};
use crate::project::Project;

/// What stands for lines that are left out.
const GAP: &str = "…";

/// The text without what differs from run to run: the folder's name, and times.
fn steady(text: &str) -> String {
    let (before, after) = text.split_once("/holdpoint-demo-").unwrap();
    let (_, after) = after.split_once('/').unwrap();
    let (after, _) = after.split_once("The median hook call took ").unwrap();
    format!("{before}{after}")
}

#[test]
fn the_recording_is_what_the_demonstration_prints() {
    let project = Project::new();
    let temporary = project.root().to_str().unwrap();
    let printed = project.command(&["demo"]).env("TMPDIR", temporary).env("COLUMNS", "80").output().unwrap();
    let shown = String::from_utf8(printed.stdout).unwrap().replace(temporary, "/tmp");
    let recording = std::fs::read_to_string(repository().join("docs/demo.txt")).unwrap_or_default();
    let is_true = recording.contains("/holdpoint-demo-") && steady(&recording) == steady(&shown);
    // A recording that is true stays as it is, with the times that were measured.
    if !is_true {
        assert_kept("docs/demo.txt", &shown);
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "every line fits");
}

#[test]
fn the_readme_shows_the_recording() {
    let read = |path: &str| std::fs::read_to_string(repository().join(path)).unwrap();
    let (readme, recording) = (read("README.md"), read("docs/demo.txt"));
    let (_, shown) = readme.split_once("```text\n$ holdpoint demo\n").unwrap();
    let shown = shown.split_once("```").unwrap().0;
    let mut rest = recording.as_str();
    for part in shown.split(&format!("{GAP}\n")) {
        let part = part.trim_matches('\n');
        let (_, after) =
            rest.split_once(part).unwrap_or_else(|| panic!("docs/demo.txt does not go on with\n{part}"));
        rest = after;
    }
    assert!(shown.contains("HELD") && shown.contains("RELEASED") && shown.contains("What was proved"));
}
