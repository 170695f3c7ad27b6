//! Approvals, in a real project with a real terminal: a release that two people approve.

#[cfg(target_os = "linux")]
mod prompt;
mod refusals;
mod terminal;

use serde_json::{Value as Json, json};
use std::path::PathBuf;

use crate::generated::repository;
use crate::project::{Printed, Project};
pub(crate) use terminal::typed;

const STATE: &str = "release.json";
const EVIDENCE: &str = "evidence/publish.jsonl";

/// A project with the fixture's workflow.
pub(crate) struct Site(Project);

impl Site {
    /// A repository with the workflow, and no run.
    fn new() -> Site {
        let project = Project::new();
        let fixture = repository().join("crates/holdpoint/tests/workflows/publish");
        for file in
            ["workflow.toml", "asks/prepare.md", "asks/fix.md", "texts/checklist.md", "cases/approvals.toml"]
        {
            let text = std::fs::read_to_string(fixture.join(file)).unwrap();
            project.write(&format!(".holdpoint/workflows/publish/{file}"), text);
        }
        project.write("ci.sh", "test ! -e BROKEN\n").write("src/a.txt", "one\n");
        project.git(&["init", "--quiet", "--initial-branch", "main"]);
        project.git(&["config", "user.name", "T"]);
        project.git(&["config", "user.email", "t@example.invalid"]);
        project.git(&["add", "--all"]);
        project.git(&["commit", "--quiet", "--message", "first"]);
        Site(project)
    }

    /// A run that waits for both approvals.
    fn waiting() -> Site {
        let site = Site::new();
        assert_eq!(site.0.run(&["publish", "start"]).code, Some(0));
        site.0.write("CHANGELOG.md", "## 1.0\n");
        site.stop();
        assert_eq!(site.phase(), "approval");
        site
    }

    fn stop(&self) -> Json {
        let event = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": self.0.root()});
        self.0.hook(&event).json()
    }

    /// What the hook says to a command in the agent's shell.
    fn shell(&self, command: &str) -> Json {
        let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": self.0.root(),
            "tool_name": "Bash", "tool_input": {"command": command}});
        self.0.hook(&event).json()
    }

    /// Types the word that is shown.
    fn approve(&self, words: &[&str]) -> Printed {
        self.answer(words, |word| format!("{word}\n"))
    }

    fn answer(&self, words: &[&str], answer: impl Fn(&str) -> String) -> Printed {
        typed(self.0.command(&[&["approve"], words].concat()), answer)
    }

    fn says(&self, words: &[&str]) -> String {
        let printed = self.approve(words);
        assert_eq!(printed.code, Some(0), "{words:?}: {}", printed.stderr);
        printed.stdout
    }

    fn state(&self) -> Json {
        serde_json::from_str(&self.0.read(STATE)).unwrap()
    }

    fn phase(&self) -> String {
        self.state()["phase"].as_str().unwrap_or_default().to_owned()
    }

    /// The lines of evidence about approvals.
    fn words(&self) -> Vec<Json> {
        let lines = std::fs::read_to_string(self.0.book(EVIDENCE)).unwrap_or_default();
        let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        lines.filter(|line| line.get("approval").is_some()).collect()
    }
}

#[test]
fn the_fixture_is_in_order_and_keeps_its_promises() {
    let site = Site::new();
    let checked = site.0.run(&["check", "publish"]);
    assert_eq!((checked.code, checked.stdout.trim()), (Some(0), "publish: ok"), "{}", checked.stderr);
    let tested = site.0.run(&["test", "publish"]);
    assert_eq!(tested.code, Some(0), "{}{}", tested.stdout, tested.stderr);
    let drawn = site.0.run(&["workflow", "graph", "publish", "--format", "plain"]).stdout;
    assert!(drawn.contains("approval  approval, qa, owner\n  pass → tag\n"), "{drawn}");
}

#[test]
fn a_release_is_approved_by_two_people_in_any_order() {
    let site = Site::waiting();
    assert_eq!(site.stop(), Json::Null, "it was told once whom the run waits for");
    let status = site.0.run(&["status"]).stdout;
    assert!(status.contains("waits   for the approval of qa, owner: holdpoint approve qa"), "{status}");
    let due = site.says(&[]);
    assert!(due.contains("holdpoint approve qa     qa: publish, phase approval"), "{due}");
    let shown = site.says(&["owner"]);
    for part in ["read CHANGELOG.md", "- the owner: not yet", "phase     approval", "owner (the owner), by "]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.contains("paths     CHANGELOG.md, src/**\n"), "{shown}");
    assert!(shown.contains("1 differ from the last commit\n            CHANGELOG.md\n"), "{shown}");
    assert!(shown.contains("Still missing in `approval`: qa\n   holdpoint approve qa\n"), "{shown}");
    assert_eq!(site.phase(), "approval");
    let told = site.stop()["systemMessage"].as_str().unwrap().to_owned();
    assert!(
        told.contains("waits for the approval of qa.") && told.contains("- the owner: approved by"),
        "{told}"
    );
    assert!(site.shell("git tag v1").to_string().contains("No tag before the approval"));
    // Only one is left, so that it needs no name.
    let shown = site.says(&[]);
    assert!(
        shown.contains("expires   in 3 days") && shown.contains("Due now: `tag`, by the agent."),
        "{shown}"
    );
    assert_eq!(site.phase(), "tag");
    assert_eq!(site.shell("git tag v1"), Json::Null);
    site.0.write("src/a.txt", "two\n");
    assert!(site.shell("git tag v1").to_string().contains("deny"), "what was approved has changed");
    site.0.write("src/a.txt", "one\n").write("TAG", "v1\n");
    assert_eq!(site.stop()["systemMessage"], "It is released.");
}

#[test]
fn what_people_say_is_evidence() {
    let site = Site::waiting();
    site.says(&["qa"]);
    site.says(&["owner", "--no", " 1.0 has no\u{1b}[31m date "]);
    let words = site.words();
    let [yes, no] = words.as_slice() else { panic!("{words:?}") };
    assert_eq!((&yes["verdict"], &yes["approval"]["name"]), (&json!("pass"), &json!("qa")));
    let (at, end) = (&yes["at"], &yes["approval"]["expires"]);
    assert!(at.as_str().unwrap() < end.as_str().unwrap(), "{yes}");
    assert!(!yes["approval"]["by"].as_str().unwrap().is_empty() && yes["tree"] == no["tree"], "{yes}");
    assert_eq!(no["approval"]["reason"], "1.0 has no\u{1b}[31m date");
    let listed = site.0.run(&["evidence"]).stdout;
    assert!(listed.contains("publish approval qa") && listed.contains("1.0 has no [31m date"), "{listed}");
    let journal = site.0.journal();
    let last = journal.last().unwrap();
    assert_eq!(last["about"], "publish approve owner");
    assert_eq!(last["reviews"][0]["verdict"], "fail");
}

#[test]
fn a_no_sends_the_run_back_with_its_reason() {
    let site = Site::waiting();
    site.says(&["owner"]);
    let said = site.says(&["qa", "--no", "1.0 has no date"]);
    assert!(said.contains("Recorded: refused as qa by "), "{said}");
    assert!(said.contains("Phase `approval`: fail.\nDue now: `fix`, by the agent."), "{said}");
    assert!(!said.contains("Type `"), "a reason is typed already");
    let held = site.stop()["reason"].as_str().unwrap().to_owned();
    assert!(held.contains("round 1 of 3") && held.contains("qa: 1.0 has no date"), "{held}");
    site.0.write("README.md", "new\n");
    let told = site.stop()["systemMessage"].as_str().unwrap().to_owned();
    assert!(told.contains("waits for the approval of qa."), "the owner's is of other files: {told}");
    site.says(&["qa"]);
    assert_eq!(site.phase(), "tag");
}

#[test]
fn a_change_between_two_approvals_is_found_at_the_next_stop_or_approval() {
    let site = Site::waiting();
    site.says(&["qa"]);
    site.0.write("README.md", "new\n");
    let said = site.says(&["owner"]);
    assert!(said.starts_with("Nothing was asked. What qa approved has changed since.\n"), "{said}");
    assert!(said.contains("Due now: `ci`, by a check. Run it: holdpoint review"), "{said}");
    assert_eq!((site.phase(), site.words().len()), ("ci".to_owned(), 1));
    assert_eq!(site.0.run(&["review"]).code, Some(0));
    assert_eq!(site.phase(), "approval");
    let site = Site::waiting();
    site.says(&["owner"]);
    site.0.write("BROKEN", "");
    site.stop();
    assert_eq!(site.phase(), "approval", "the owner's is of other files");
    site.0.write("src/a.txt", "two\n");
    site.stop();
    assert_eq!(
        site.state(),
        json!({"phase": "fix", "fixed": 2, "remark": site.state()["remark"],
        "seen": site.state()["seen"]}),
        "stale, and then the check fails"
    );
}

#[test]
fn an_approval_of_a_commit_counts_until_the_next_one() {
    let site = Site::waiting();
    let file = ".holdpoint/workflows/publish/workflow.toml";
    let text = site.0.read(file).replace("of = [\"CHANGELOG.md\", \"src/**\"]", "of = \"commit\"");
    // A run goes on with the files that it began with, so there is a new one.
    let site = Site::new();
    site.0.write(file, text);
    assert_eq!(site.0.run(&["publish", "start"]).code, Some(0));
    site.0.write("CHANGELOG.md", "## 1.0\n");
    site.stop();
    let shown = site.says(&["owner"]);
    assert!(shown.contains(" first\n") && !shown.contains("differ from"), "{shown}");
    site.0.write("src/a.txt", "two\n");
    let told = site.stop()["systemMessage"].as_str().unwrap().to_owned();
    assert!(told.contains("waits for the approval of qa."), "{told}");
    site.0.git(&["commit", "--quiet", "--all", "--message", "second"]);
    site.stop();
    assert_eq!(site.state()["remark"], "What owner approved has changed since.");
}

/// A run of the workflow without its seal, approved by both.
fn approved_unsealed() -> Site {
    let site = Site::new();
    let file = ".holdpoint/workflows/publish/workflow.toml";
    site.0.write(file, site.0.read(file).replace("sealed = true", "aside = [\"release.json\"]"));
    assert_eq!(site.0.run(&["publish", "start"]).code, Some(0));
    site.0.write("CHANGELOG.md", "## 1.0\n");
    site.stop();
    site.says(&["qa"]);
    site.says(&["owner"]);
    assert_eq!(site.phase(), "tag");
    site
}

#[test]
fn an_approval_of_a_former_run_counts_for_nothing_in_the_next() {
    let site = approved_unsealed();
    assert_eq!(site.0.run(&["publish", "start"]).code, Some(0));
    site.stop();
    assert_eq!(site.phase(), "approval");
    let status = site.0.run(&["status"]).stdout;
    assert!(status.contains("waits   for the approval of qa, owner:"), "{status}");
}

#[test]
fn no_run_is_made_beside_the_evidence_of_a_former_one() {
    let site = approved_unsealed();
    site.0.write_book("evidence/publish.last.jsonl/x", "in the way");
    let before = site.state();
    let printed = site.0.run(&["publish", "start"]);
    assert_eq!(printed.code, Some(3), "{}", printed.stderr);
    assert!(printed.stderr.contains("evidence/publish.jsonl: "), "{}", printed.stderr);
    assert_eq!((site.state(), site.words().len()), (before, 2), "all is as it was");
}

#[test]
fn two_people_may_approve_at_the_same_time() {
    let site = Site::waiting();
    let (qa, owner) = std::thread::scope(|scope| {
        let qa = scope.spawn(|| site.approve(&["qa"]));
        let owner = scope.spawn(|| site.approve(&["owner"]));
        (qa.join().unwrap(), owner.join().unwrap())
    });
    assert_eq!((qa.code, owner.code), (Some(0), Some(0)), "{}{}", qa.stderr, owner.stderr);
    assert_eq!((site.phase(), site.words().len()), ("tag".to_owned(), 2));
}

/// The files as they would be after a kill: the state as before the last step, the evidence without its last line.
fn killed(site: &Site, before: &[(PathBuf, Vec<u8>)]) {
    for (path, bytes) in before {
        std::fs::write(path, bytes).unwrap();
    }
    let lines = site.0.read_book(EVIDENCE);
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.pop();
    site.0.write_book(EVIDENCE, lines.join("\n") + "\n");
}

/// The state, the engine's copy of it and its records.
fn saved(site: &Site) -> Vec<(PathBuf, Vec<u8>)> {
    let copies = std::fs::read_dir(site.0.book("sealed")).unwrap().map(|entry| entry.unwrap().path());
    let records = ["head", "records.jsonl"].map(|name| site.0.book(name));
    let witness = site.0.root().join(".git/holdpoint/witness/root");
    let all = copies
        .chain(records)
        .chain([site.0.root().join(STATE)])
        .chain(Some(witness).filter(|file| file.exists()));
    all.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn a_kill_loses_no_word() {
    for (answer, verdict, phase) in
        [(&["owner"][..], "pass", "tag"), (&["owner", "--no", "not yet"], "fail", "fix")]
    {
        let site = Site::waiting();
        site.says(&["qa"]);
        let before = saved(&site);
        site.says(answer);
        assert_eq!(site.phase(), phase);
        killed(&site, &before);
        assert_eq!((site.phase(), site.words().len()), ("approval".to_owned(), 2), "the word, not the step");
        site.stop();
        assert_eq!(site.phase(), phase, "{verdict}: the next event takes the step");
    }
    let site = Site::waiting();
    site.says(&["qa"]);
    let before = saved(&site);
    site.0.write("README.md", "new\n");
    site.says(&["owner"]);
    assert_eq!(site.phase(), "ci");
    killed(&site, &before);
    let said = site.says(&["owner"]);
    assert!(said.contains("What qa approved has changed since."), "it is still stale: {said}");
    assert_eq!(site.phase(), "ci");
}

#[test]
fn a_verdict_that_was_not_recorded_is_never_a_pass() {
    let site = Site::waiting();
    site.says(&["qa", "--no", "not yet"]);
    let after = saved(&site);
    killed(&site, &after);
    assert_eq!(site.phase(), "fix");
    site.0.write("README.md", "new\n");
    site.stop();
    assert_eq!(site.state()["fixed"], 2, "the no is heard once more");
    assert_eq!(site.phase(), "fix");
}

/// Runs that are files of their own, each with an id.
const MANY: &str = r#"
about = "Each change is approved by itself."
[run]
home  = ".changes"
each  = "{id}.state"
id    = "{date}-{time}-{hex6}"
due   = "phase"
shows = "phase.name"
aside = [".changes/**", ".holdpoint/**"]
[fields]
phase = "approval"
[phases.approval]
by        = "approval"
approvals = ["qa"]
then.pass  = "done"
then.fail  = "done"
then.stale = {}
[phases.done]
by = "nobody"
[approvals]
qa = {}
[commands.start]
about = "A change begins"
steps = [{ create = true, go = "approval", say = "It waits." }]
"#;

#[test]
fn each_run_of_a_workflow_is_approved_by_itself() {
    let site = Site::new();
    site.0.workflow("changes", MANY).write(".changes/.keep", "");
    assert_eq!(site.0.run(&["check", "changes"]).stdout.trim(), "changes: ok");
    for _ in 0..2 {
        let started = site.0.run(&["changes", "start"]);
        assert_eq!((started.code, started.stdout.trim()), (Some(0), "It waits."), "{}", started.stderr);
        let said = site.says(&["qa"]);
        assert!(said.contains("Recorded: approved as qa"), "the other run's yes is not this one's: {said}");
        assert!(said.contains("The run is over: `done`."), "{said}");
    }
}
