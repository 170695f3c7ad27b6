//! What must be true of every run, whatever was done in it: the state, the log, the statuses and the evidence say what
//! git says.

use serde_json::{Value as Json, json};

use super::project::{SPEC, Site};

/// The items of a list of texts.
pub(crate) fn texts(list: &Json) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Compares what is on record with git. Returns the commits, oldest first.
pub(crate) fn agrees_with_git(site: &Site) -> Vec<String> {
    let state = site.state();
    let tasks = state["tasks"].as_array().unwrap();
    let commits: Vec<String> = tasks.iter().flat_map(|task| texts(&task["commits"])).collect();
    let began = tasks[0]["commits"][0].as_str().unwrap();
    assert_eq!(site.git(&format!("rev-list --reverse {began}^..HEAD")).lines().collect::<Vec<_>>(), commits);
    for task in tasks.iter().filter(|task| !task["commit"].is_null()) {
        assert_eq!(texts(&task["commits"]).last().map(String::as_str), task["commit"].as_str());
        assert!(matches!(task["status"].as_str(), Some("done" | "in_progress")), "{task}");
        is_proved(site, task);
    }
    log_names_commits(site, &commits);
    assert!(site.read(SPEC).contains(&format!("**Status:** {} |", state["spec_status"].as_str().unwrap())));
    let row = format!("| FTR-7 | cart | {} |", state["spec_status"].as_str().unwrap());
    assert!(site.read("ai/backlog.md").contains(&row), "{}", site.read("ai/backlog.md"));
    assert!(site.read("ai/backlog.md").contains("| FTR-6 | shop | queued |"));
    commits
}

/// Each commit of a task is the tree that was tested and reviewed, with the task's files and no others.
pub(crate) fn is_proved(site: &Site, task: &Json) {
    let evidence = site.evidence();
    let mut paths: Vec<String> = Vec::new();
    for commit in texts(&task["commits"]) {
        assert_eq!(site.git(&format!("cat-file -t {commit}")), "commit");
        assert_eq!(
            site.git(&format!("rev-list --parents -n 1 {commit}")).split(' ').count(),
            2,
            "one parent"
        );
        let subject = site.git(&format!("log -1 --format=%s {commit}"));
        assert!(subject.split_once("): ").is_some_and(|(kind, _)| kind.contains('(')), "{subject}");
        let changed = site.git(&format!("diff-tree -r --no-commit-id --name-only {commit}"));
        paths.extend(changed.lines().map(str::to_owned));
        let tree = site.bare_tree(&commit);
        let is_of = |piece: &&Json| piece["item"] == task["id"] && piece["tree"] == tree.as_str();
        let outcomes = |phase: &str| {
            let pieces = evidence.iter().filter(is_of).filter(|piece| piece["phase"] == phase);
            pieces.map(|piece| piece["verdict"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let tested = outcomes("tester");
        assert!(tested.iter().any(|outcome| outcome == "pass" || outcome == "out-of-scope"), "{tested:?}");
        for phase in ["spec-review", "code-quality"] {
            assert!(outcomes(phase).iter().any(|outcome| outcome == "approved"), "{phase} of {commit}");
        }
        let made =
            |piece: &Json| piece["phase"] == "committing" && piece["details"]["commit"] == commit.as_str();
        assert!(evidence.iter().any(made), "{commit} is no evidence");
    }
    paths.sort();
    paths.dedup();
    assert_eq!(json!(paths), task["files_changed"]);
}

/// Every hash in the log is one of the commits, and each commit is in the log.
fn log_names_commits(site: &Site, commits: &[String]) {
    let log = log(site);
    let is_hash = |word: &&str| word.len() == 40 && word.chars().all(|c| c.is_ascii_hexdigit());
    let named: Vec<&str> = log.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_hash).collect();
    assert!(named.iter().all(|hash| commits.iter().any(|commit| commit == hash)), "{log}");
    for commit in commits {
        assert!(log.contains(&format!("- Commit: {commit}\n")), "{commit}: {log}");
    }
}

/// The Autopilot Log in the spec.
pub(crate) fn log(site: &Site) -> String {
    let spec = site.read(SPEC);
    spec.split_once("## Autopilot Log\n").map(|(_, log)| log.to_owned()).unwrap_or_default()
}
