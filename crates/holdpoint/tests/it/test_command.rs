//! `holdpoint test` where there is nothing to run.

use insta::assert_snapshot;

use crate::project::Project;
use crate::shown::{REVIEWED, reviewed, shown};

#[test]
fn a_workflow_without_cases_is_told_so() {
    assert_snapshot!(shown(&reviewed(), &["test", "reviewed"]), @"
    reviewed: no cases
         rule no-commit (NC-1) is never shown to speak
         rule pushes is never shown to speak
    error: there are no cases of `reviewed`
    hint: docs/reference/cases.md shows how to write them
    [exit 1]
    ");
    let project = reviewed();
    project.write(".holdpoint/workflows/reviewed/cases/none.toml", "title = \"none yet\"\ncase = []\n");
    assert!(shown(&project, &["test", "reviewed"]).starts_with("reviewed: no cases\n"));
}

#[test]
fn a_workflow_with_errors_is_refused_before_any_case_runs() {
    let project = Project::new();
    project.workflow("reviewed", &REVIEWED.replace("not state.reviewed", "not stat.reviewed"));
    assert_snapshot!(shown(&project, &["test", "reviewed"]), @"
    error: [ROOT]/.holdpoint/workflows/reviewed/workflow.toml:12:19: unknown name `stat`
    hint: `holdpoint check reviewed` shows all
    [exit 1]
    ");
}
