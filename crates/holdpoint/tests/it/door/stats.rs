//! What became of each rule's holds, from the journal.

use serde_json::{Value as Json, json};

use super::{COMMIT, edit, gate, release, shell, stop};
use crate::project::Project;

fn stats(project: &Project, more: &[&str]) -> Vec<Json> {
    let printed = project.run(&[&["stats", "--json"], more].concat());
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    printed.json().as_array().unwrap().clone()
}

#[test]
fn each_rule_is_counted_by_what_became_of_its_holds() {
    let project = gate();
    assert_eq!(stats(&project, &[]), [Json::Null; 0]);
    assert!(project.run(&["stats"]).stderr.contains("Nothing was held here"));
    project.hook(&shell(&project, COMMIT));
    release(&project);
    project.hook(&shell(&project, COMMIT));
    project.hook(&shell(&project, COMMIT));
    project.hook(&edit(&project, "x"));
    for _ in 0..4 {
        project.hook(&stop(&project));
    }
    project.write(".gate/state.json", "{}");
    project.hook(&stop(&project));
    let all = stats(&project, &[]);
    let of = |rule: &str| all.iter().find(|counts| counts["rule"] == rule).unwrap();
    let commits = of("no-commits");
    assert_eq!((&commits["holds"], &commits["by_user"]), (&json!(2), &json!(1)), "{all:#?}");
    assert!(commits["median_ms"].is_u64());
    let open = of("open");
    assert_eq!((&open["holds"], &open["times"], &open["satisfied"]), (&json!(1), &json!(3), &json!(1)));
    assert_eq!((&open["let_go"], &open["causes"]), (&json!(1), &json!({"no-progress": 1})));
    let printed = project.run(&["stats"]).stdout;
    let row = printed.lines().find(|line| line.starts_with("gate no-commits")).unwrap();
    assert!(row.contains("50 %"), "{printed}");
    assert!(printed.contains("let go: no-progress 1"), "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
    assert_eq!(stats(&project, &["--since", "2030-01-01"]), [Json::Null; 0]);
    assert_eq!(stats(&project, &["--since", "1h"]).len(), 3);
    assert_eq!(project.run(&["stats", "--workflow", "nothing"]).code, Some(2));
}
