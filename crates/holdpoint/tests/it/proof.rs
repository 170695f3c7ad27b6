//! What a run of autopilot is measured by, and what counts as proved: in a real repository, with a small test runner
//! and a reviewer that approves of everything.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

const SPEC: &str = "ai/features/FTR-7-cart.md";

/// Each file `tests/test_*` that can be run is a test.
const RUNNER: &str = r#"#!/bin/sh
passed=0; failed=0
for each in tests/test_*; do
  if sh "$each"; then passed=$((passed+1)); else failed=$((failed+1)); echo "FAILED $each::x - no"; fi
done
if [ $failed -gt 0 ]; then echo "$failed failed, $passed passed in 0.01s"; exit 1; fi
echo "$passed passed in 0.01s"
"#;

const APPROVES: &str = r#"#!/bin/sh
case "$*" in *fix_proposed*) verdict=skipped;; *) verdict=approved;; esac
echo '{"structured_output":{"verdict":"'$verdict'","notes":"fine"}}'
"#;

struct Site(Project);

impl Site {
    /// A run whose first task is due.
    fn new(rows: &str) -> Site {
        let site = Site::planning(rows);
        site.says(&["next"]);
        site
    }

    /// A run whose plan is due.
    fn planning(rows: &str) -> Site {
        let project = Project::new();
        project.write("test", RUNNER).write("bin/claude", APPROVES).write(".gitignore", "bin/\n");
        for program in ["test", "bin/claude"] {
            let path = project.root().join(program);
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        project
            .write("tests/test_one", "true")
            .write("tests/test_two", "true")
            .write("src/old.py", "x = 1\n");
        project.write(
            SPEC,
            format!("# FTR-7\n\n**Status:** queued\n\n## Allowed Files\n- `src/**`\n- `tests/*`\n\n## Implementation Plan\n\n### Task 1: Total\nIt adds up.\n\n### Task 2: Off\nIt takes off.\n\n## Acceptance Verification\n\n### Smoke\n\n{rows}\n"),
        );
        project.git(&["init", "--quiet"]);
        project.git(&["config", "user.name", "T"]);
        project.git(&["config", "user.email", "t@example.invalid"]);
        project.git(&["add", "--all"]);
        project.git(&["commit", "--quiet", "--message", "first"]);
        let site = Site(project);
        site.says(&["start", SPEC]);
        site
    }

    fn run(&self, words: &[&str]) -> Printed {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.0.root().join("bin").display());
        let mut command = self.0.command(&[&["autopilot"], words].concat());
        command.env("PATH", path).output().unwrap().into()
    }

    fn says(&self, words: &[&str]) -> String {
        let printed = self.run(words);
        assert_eq!(printed.code, Some(0), "{words:?}: {}", printed.stderr);
        printed.stdout
    }

    fn state(&self) -> Json {
        serde_json::from_str(&self.0.read("autopilot-state.json")).unwrap()
    }

    fn phase(&self) -> String {
        self.state()["phase"].as_str().unwrap_or_default().to_owned()
    }

    fn edit_spec(&self, from: &str, to: &str) {
        let text = self.0.read(SPEC);
        assert!(text.contains(from), "{text}");
        self.0.write(SPEC, text.replace(from, to));
    }

    fn is_held(&self, command: &str) -> bool {
        let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": self.0.root(),
            "tool_name": "Bash", "tool_input": {"command": command}});
        self.0.hook(&event).stdout.contains("deny")
    }
}

#[test]
fn the_count_of_tests_begins_with_the_baseline_and_goes_on_from_task_to_task() {
    let site = Site::new("");
    site.0.write("src/cart.py", "x = 1\n").remove("tests/test_two");
    let said = site.says(&["next"]);
    assert!(said.contains("only 1 test ran, and there must be 2"), "{said}");
    site.0.write("tests/test_two", "true").write("tests/test_three", "true");
    assert!(site.says(&["next"]).contains("is ready to commit"));
    site.says(&["commit", "feat(cart): total"]);
    assert!(site.says(&["next"]).contains("task 2 of 2"));
    site.0.write("src/off.py", "x = 1\n").remove("tests/test_three");
    let said = site.says(&["next"]);
    assert!(said.contains("only 2 tests ran, and there must be 3"), "{said}");
}

#[test]
fn the_spec_stays_as_it_was_when_the_plan_was_made() {
    for (from, to) in
        [("It adds up.", "It does nothing."), ("`true`", "`:`"), ("# FTR-7\n", "# FTR-7\n\nNo tests.\n")]
    {
        let site = Site::new(
            "| ID | Check | Command | Expected | Timeout |\n|---|---|---|---|---|\n| AV-S1 | runs | `true` | exit 0 | 5s |\n",
        );
        site.0.write("src/cart.py", "x = 1\n");
        site.edit_spec(from, to);
        site.says(&["next"]);
        assert_eq!(site.phase(), "coder", "{from}");
        site.edit_spec(to, from);
        site.says(&["next"]);
        assert_eq!(site.phase(), "commit", "what the engine writes into it is no change: {from}");
    }
}

#[test]
fn the_next_task_begins_with_what_was_committed_and_nothing_else() {
    let site = Site::new("");
    site.0.write("src/cart.py", "x = 1\n");
    site.says(&["next"]);
    site.says(&["commit", "feat(cart): total"]);
    // What is written now would be in the next task's beginning: never tested, reviewed or committed.
    site.0.write("src/hidden.py", "x = 1  # TODO\n");
    let said = site.says(&["next"]);
    assert!(said.contains("**Changed after the commit:** src/hidden.py"), "{said}");
    assert_eq!(site.phase(), "astray");
    site.0.remove("src/hidden.py");
    assert!(site.says(&["next"]).contains("task 2 of 2"));
}

#[test]
fn a_file_that_comes_after_the_reviews_is_checked_like_the_others() {
    let site = Site::new("");
    site.0.write("src/cart.py", "x = 1\n");
    assert!(site.says(&["next"]).contains("is ready to commit"));
    site.0.write("src/late.py", "x = 1  # TODO: later\n");
    let said = site.says(&["next"]);
    assert!(said.contains("src/late.py:1: [TODO]"), "{said}");
}

#[test]
fn a_repair_that_takes_a_file_back_is_committed_whole() {
    let rows = "\n### Functional\n\n| ID | Check | Setup | Action | Expected |\n|---|---|---|---|---|\n| AV-F1 | old | | `grep -q 1 src/old.py` | exit 0 |\n";
    let site = Site::new(rows);
    site.0.write("src/cart.py", "x = 1\n").write("src/old.py", "x = 2\n");
    site.says(&["next"]);
    site.says(&["commit", "feat(cart): total"]);
    let said = site.says(&["next"]);
    assert!(said.contains("comes back"), "{said}");
    site.0.write("src/old.py", "x = 1\n").write("src/cart.py", "x = 3\n");
    assert!(site.says(&["next"]).contains("is ready to commit"));
    site.says(&["commit", "fix(cart): leave the old one"]);
    assert_eq!(site.0.git(&["show", "HEAD:src/old.py"]), "x = 1\n", "the commit is what was tested");
    assert!(site.says(&["next"]).contains("task 2 of 2"));
}

#[test]
fn a_user_who_has_put_it_right_lets_the_task_be_tried_as_it_is() {
    let site = Site::new("");
    site.0.write("src/cart.py", "x = 1\n");
    site.says(&["escalate", "the", "machine", "is", "broken"]);
    site.says(&["resume", "retry"]);
    assert!(site.says(&["next"]).contains("is ready to commit"));
}

#[test]
fn an_escalation_before_the_first_task_names_its_record() {
    let site = Site::planning("");
    site.says(&["escalate", "no", "way"]);
    let said = site.says(&["status"]);
    let record = said.split_whitespace().find(|word| word.starts_with("ai/escalations/")).unwrap();
    assert!(site.0.root().join(record).is_file(), "{said}");
}

#[test]
fn quotes_and_options_do_not_hide_what_a_command_does() {
    let site = Site::new("");
    for command in [
        "holdpoint autopilot resume x",
        "holdpoint autopilot \"resume\" x",
        "holdpoint 'autopilot' re''sume x",
        "holdpoint autopilot $WORD x",
        "git diff --output=.holdpoint/evidence/autopilot.jsonl",
        "rg --pre ./x.sh y .holdpoint/evidence",
    ] {
        assert!(site.is_held(command), "{command}");
    }
    for command in ["holdpoint autopilot next", "git diff .holdpoint/evidence", "cat autopilot-state.json"] {
        assert!(!site.is_held(command), "{command}");
    }
}

#[test]
fn reviewers_are_handed_the_difference_as_text_and_the_files_that_were_proved() {
    let site = Site::new("");
    let root = site.0.root().display().to_string();
    let keeps = format!(
        "#!/bin/sh\ncp .holdpoint/change.diff .holdpoint/changed.json {root}/bin/\n\
         {{ pwd; ls -a; cat {SPEC}; }} >{root}/bin/seen\n"
    );
    site.0.write("bin/claude", APPROVES.replacen("#!/bin/sh\n", &keeps, 1));
    site.0.git(&["config", "diff.external", "true"]);
    site.0.write(".git/info/attributes", "*.py -diff\n");
    site.0.write("src/cart.py", "x = 'new'\n").write("src/old.py", "x = 'changed'\n");
    assert!(site.says(&["next"]).contains("is ready to commit"));
    let diff = site.0.read("bin/change.diff");
    for line in ["+++ b/src/cart.py", "+x = 'new'", "-x = 1", "+x = 'changed'"] {
        assert!(diff.lines().any(|found| found == line), "{line}: {diff}");
    }
    assert!(!diff.contains("FTR-7"), "what is aside is no part of it: {diff}");
    let files: Json = serde_json::from_str(&site.0.read("bin/changed.json")).unwrap();
    let expected =
        json!([{"path": "src/cart.py", "what": "added"}, {"path": "src/old.py", "what": "changed"}]);
    assert_eq!(files, expected);
    let seen = site.0.read("bin/seen");
    assert!(!seen.starts_with(&root) && !seen.lines().any(|line| line == ".git"), "{seen}");
    assert!(seen.contains("# FTR-7"), "it can read the spec: {seen}");
}

#[test]
fn the_commit_is_the_tree_that_was_proved_whatever_happens_meanwhile() {
    let site = Site::new("");
    site.0.write("src/cart.py", "x = 1\n");
    assert!(site.says(&["next"]).contains("is ready to commit"));
    let late = site.0.root().join("src/cart.py").display().to_string();
    site.0.write(
        ".git/hooks/pre-commit",
        format!("#!/bin/sh\ngit diff --cached --name-only >&2\necho 'x = 2' >{late}\n"),
    );
    let hook = site.0.root().join(".git/hooks/pre-commit");
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    site.run(&["commit", "feat(cart): total"]);
    assert_eq!(site.0.git(&["show", "HEAD:src/cart.py"]), "x = 1\n");
    assert_eq!(site.0.git(&["log", "-1", "--format=%s %an"]).trim(), "feat(cart): total T");
    assert_eq!(site.0.git(&["diff", "--cached", "--name-only"]).trim(), "", "the index knows of it");
    assert_eq!(site.0.read("src/cart.py"), "x = 2\n");
}
