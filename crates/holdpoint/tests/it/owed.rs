//! Reviews that were due and that nobody performed, in a workflow whose state an agent can write: its user is told.

use serde_json::{Value as Json, json};

use crate::project::Project;

const STATE: &str = ".taskie/plans/shop/state.json";

/// A plan whose review is due.
fn planned() -> Project {
    let project = Project::new();
    assert_eq!(project.run(&["taskie", "new-plan", "shop"]).code, Some(0));
    project.write(".taskie/plans/shop/plan.md", "# Shop\n\n## Overview\n\nA shop.\n");
    project
}

fn stop(project: &Project) -> String {
    let event = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()});
    project.hook(&event).json()["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// A state as an agent writes it.
fn forge(project: &Project, phase: &str, next: &Json) {
    let mut state: Json = serde_json::from_str(&project.read(STATE)).unwrap();
    state["phase"] = json!(phase);
    state["next_phase"] = next.clone();
    project.write(STATE, state.to_string());
}

/// A way to end a loop by hand.
type Way = fn(&Project);

#[test]
fn a_loop_that_ended_without_its_reviews_is_told() {
    let ways: [(&str, Way); 4] = [
        ("complete", |project| forge(project, "all-code-review", &json!("complete"))),
        ("over", |project| forge(project, "complete", &Json::Null)),
        ("ended by the command", |project| drop(project.run(&["taskie", "stop"]))),
        ("no reviews wanted", |project| {
            project.write(STATE, project.read(STATE).replace("\"max_reviews\": 8", "\"max_reviews\": 0"));
            forge(project, "new-plan", &json!("complete"));
        }),
    ];
    for (what, end) in ways {
        let project = planned();
        end(&project);
        let told = stop(&project);
        assert!(
            told.contains(
                "`.taskie/plans/shop` is over. Holdpoint did not perform what was due: plan-review"
            ),
            "{what}: {told}"
        );
        assert!(!stop(&project).contains("did not perform"), "{what}: once");
        for words in [&["status"][..], &["evidence"]] {
            let shown = project.run(words).stdout;
            assert!(
                shown.contains("did not perform what was due: plan-review"),
                "{what}: {words:?}: {shown}"
            );
        }
        assert!(project.read_book("journal.jsonl").contains("unreviewed"), "{what}");
    }
}

#[test]
fn a_plan_that_is_hidden_by_a_newer_one_is_told() {
    let project = planned();
    project.write(".taskie/plans/zz/plan.md", "x\n");
    let later = std::time::SystemTime::now() + std::time::Duration::from_hours(1);
    let plan =
        std::fs::File::options().write(true).open(project.root().join(".taskie/plans/zz/plan.md")).unwrap();
    plan.set_modified(later).unwrap();
    let told = stop(&project);
    assert!(
        told.contains("`.taskie/plans/shop` still waits for plan-review, but `.taskie/plans/zz`"),
        "{told}"
    );
}
