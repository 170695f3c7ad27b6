//! `holdpoint review`: what a Stop would do, from a shell.

use insta::assert_snapshot;
use serde_json::{Value as Json, json};

use crate::project::Project;
use crate::shown::shown;

const WORKFLOW: &str = r#"
about = "A draft is reviewed."
[run]
home  = ".drafts"
each  = "*"
newest = ["*.md", "state.json"]
state = "state.json"
due   = "next"
last  = "done"
[phases.review]
by     = "reviewer"
needs  = { that = "file('draft.md').exists", else = "there is no draft" }
prompt = "Review 'draft.md', round {{ state.round }}."
report = "review-{{ state.round }}.md"
limit  = "reviews"
skip   = { when = "state.limit == 0" }
then.fail = "mend"
then.pass = { go = "publish", pause = "PASSED, now {{ target }}." }
then.fault = { tell = "NO REVIEW: {{ because }}." }
[phases.mend]
by     = "agent"
ask    = "MEND what review-{{ state.round }}.md says."
report = "mend-{{ state.round }}.md"
limit  = "answers"
then   = "review"
[phases.publish]
by   = "user"
then = "end"
[limits]
reviews = { count = "round", most = "state.limit", then = { tell = "LIMIT {{ state.limit }} reached." } }
answers = { most = 0, then = { tell = "OUTSTANDING." } }
[reviewers.script]
command = ["sh", "reviewer.sh", "{{ state.round }}", "{{ prompt }}"]
verdict_at = ["verdict"]
answers = { PASS = "pass", FAIL = "fail" }
otherwise = "fail"
log     = ".review-{{ state.round }}.log"
timeout = 20
[holds.never]
on   = "stop"
say  = "RULES ARE NOT ASKED."
[fields]
round = 0
limit = 8
"#;

fn project(state: &Json, reviewer: &str) -> Project {
    let project = Project::new();
    project.workflow("drafts", WORKFLOW).write("reviewer.sh", reviewer);
    project.write(".drafts/one/draft.md", "# Draft\n").write(".drafts/one/state.json", state.to_string());
    project
}

/// A reviewer that leaves its report and gives this verdict.
fn says(verdict: &str) -> String {
    format!(
        "echo report > .drafts/one/review-$1.md; printf '{{\"verdict\":\"{verdict}\",\"total_cost_usd\":0.5}}'"
    )
}

fn state(project: &Project) -> Json {
    serde_json::from_str(&project.read(".drafts/one/state.json")).unwrap()
}

#[test]
fn a_review_with_issues_says_what_the_agent_would_be_told() {
    let project = project(&json!({"next": "review"}), &says("FAIL"));
    assert_snapshot!(shown(&project, &["review"]), @"
    drafts  .drafts/one
      review, round 1: fail (0 s, 0.50 USD)
      report: review-1.md
      instructions for the agent:
        MEND what review-1.md says.
      due: mend, by the agent
      next: let the agent do it, then `holdpoint review`
    [exit 0]
    ");
    assert_eq!(state(&project)["next"], "mend");
    let journal = project.journal();
    assert_eq!((&journal[0]["agent"], &journal[0]["event"]), (&json!("shell"), &json!("stop")));
    assert_eq!(journal[0]["reviews"][0]["verdict"], "fail");
    assert_snapshot!(shown(&project, &["review"]), @"
    drafts  .drafts/one
      no review is due
      due: mend, by the agent
      instructions for the agent:
        MEND what review-1.md says.
      next: let the agent do it, then `holdpoint review`
    [exit 0]
    ");
    assert_eq!(project.journal().len(), 1, "nothing was due, so nothing happened");
}

#[test]
fn a_finished_phase_of_the_agent_leads_to_the_review() {
    let project = project(&json!({"next": "mend", "round": 1}), &says("PASS"));
    project.write(".drafts/one/mend-1.md", "mended");
    assert_snapshot!(shown(&project, &["review"]), @"
    drafts  .drafts/one
      review, round 2: pass (0 s, 0.50 USD)
      report: review-2.md
      message for the user:
        PASSED, now publish.
      due: publish, by the user
      next: see `holdpoint workflow graph drafts`
    [exit 0]
    ");
    assert_snapshot!(shown(&project, &["review"]), @"
    drafts  .drafts/one
      no review is due
      due: publish, by the user
      next: see `holdpoint workflow graph drafts`
    [exit 0]
    ");
}

#[test]
fn a_dry_run_performs_nothing() {
    let before = json!({"next": "review", "round": 1});
    let project = project(&before, "touch ran");
    assert_snapshot!(shown(&project, &["review", "--dry-run"]), @r#"
    drafts  .drafts/one
      review, round 2, would run:
        sh reviewer.sh 2 'Review '\''draft.md'\'', round 2.'
      report: review-2.md
      log: .review-2.log
      time: at most 20 s
    [exit 0]
    "#);
    let json = project.run(&["review", "--dry-run", "--json"]).json();
    assert_eq!(json[0]["would_run"]["command"][3], "Review 'draft.md', round 2.");
    assert_eq!(state(&project), before);
    assert!(!project.root().join("ran").exists() && project.journal().is_empty());
}

#[test]
fn a_review_that_does_not_work_is_a_failure() {
    let project = project(&json!({"next": "review"}), "exit 3");
    assert_snapshot!(shown(&project, &["review"]), @"
    drafts  .drafts/one
      fault: the reviewer ended with exit status: 3
      message for the user:
        NO REVIEW: the reviewer ended with exit status: 3.
      log: .review-1.log
      due: review, by a reviewer
      next: `holdpoint review`
    error: the review could not run
    hint: see `holdpoint log --faults`; `holdpoint review --dry-run` shows the command line
    [exit 1]
    ");
    assert_eq!(state(&project), json!({"next": "review"}));
    let printed = project.run(&["review", "--json"]);
    assert_eq!((printed.code, &printed.json()[0]["is_failed"]), (Some(1), &json!(true)));
}

#[test]
fn a_review_that_may_not_be_done_is_a_failure_unless_it_counts_as_passed() {
    let limited = project(&json!({"next": "review", "round": 2, "limit": 2}), "touch ran");
    assert_snapshot!(shown(&limited, &["review", "--dry-run"]), @"
    drafts  .drafts/one
      review is due, but will not run: its limit of rounds is reached
      message for the user:
        LIMIT 2 reached.
      next: see `holdpoint workflow graph drafts`
    [exit 0]
    ");
    assert_snapshot!(shown(&limited, &["review"]), @"
    drafts  .drafts/one
      message for the user:
        LIMIT 2 reached.
      due: review, by a reviewer: its limit of rounds is reached
      next: see `holdpoint workflow graph drafts`
    error: the review could not run
    hint: see `holdpoint workflow graph drafts`
    [exit 1]
    ");
    let lacking = project(&json!({"next": "review"}), "touch ran");
    std::fs::remove_file(lacking.root().join(".drafts/one/draft.md")).unwrap();
    assert_snapshot!(shown(&lacking, &["review"]), @"
    drafts  .drafts/one
      message for the user:
        NO REVIEW: there is no draft.
      due: review, by a reviewer: its `needs` are not met
      next: provide what is missing, then run `holdpoint review` again
    error: the review could not run
    hint: provide what is missing, then run `holdpoint review` again
    [exit 1]
    ");
    let skipped = project(&json!({"next": "review", "limit": 0}), "touch ran");
    assert_snapshot!(shown(&skipped, &["review"]), @"
    drafts  .drafts/one
      message for the user:
        PASSED, now publish.
      due: publish, by the user
      next: see `holdpoint workflow graph drafts`
    [exit 0]
    ");
    assert!(![limited, lacking, skipped].iter().any(|project| project.root().join("ran").exists()));
}

#[test]
fn what_came_of_it_is_also_json() {
    let project = project(&json!({"next": "review"}), &says("FAIL"));
    let printed = project.run(&["review", "--json"]);
    let json = &printed.json()[0];
    assert_eq!(printed.code, Some(0));
    assert_eq!(json["reviews"][0]["verdict"], "fail");
    assert_eq!(json["reviews"][0]["report"], "review-1.md");
    assert_eq!(json["to_agent"], json!(["MEND what review-1.md says."]));
    assert_eq!(json["was_due"], json!({"phase": "review", "by": "reviewer"}));
    assert_eq!(json["due"], json!({"phase": "mend", "by": "agent"}));
    assert_eq!(printed.stderr, "", "no progress where nobody looks on");
}

#[test]
fn states_that_lead_to_no_review_are_told() {
    let nobody = project(&json!({"next": null}), "");
    assert_snapshot!(shown(&nobody, &["review"]), @"
    drafts  .drafts/one
      no review is due
      due: nothing
      next: see `holdpoint workflow graph drafts`
    [exit 0]
    ");
    let odd = project(&json!({"next": "revue"}), "");
    assert_snapshot!(shown(&odd, &["review"]), @"
    drafts  .drafts/one
      no review is due
      due: `revue`, which the workflow does not have
      next: see `holdpoint workflow graph drafts`
    [exit 0]
    ");
    let empty = Project::new();
    assert_snapshot!(shown(&empty, &["review"]), @"
    error: no run of a workflow with phases in [ROOT] or above it
    hint: see `holdpoint status`
    [exit 1]
    ");
}

#[test]
fn a_reviewer_cannot_ask_for_a_review() {
    let project = project(&json!({"next": "review"}), &says("PASS"));
    let output = project.command(&["review"]).env("HOLDPOINT_REVIEWER", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(state(&project), json!({"next": "review"}));
}

/// A reviewer that only reads gives its report with its answer, and the engine writes it.
#[test]
fn a_report_that_comes_with_the_answer_is_written() {
    let careful = "report_at = [\"report\"]\nverdict_at = [\"verdict\"]";
    let workflow = WORKFLOW.replace("verdict_at = [\"verdict\"]", careful);
    let state = json!({"next": "review", "round": 0});
    let project = project(&state, "echo '{\"verdict\":\"FAIL\",\"report\":\"1. Too short\\n\\n\"}'\n");
    project.workflow("drafts", &workflow);
    assert_eq!(project.run(&["review"]).code, Some(0));
    assert_eq!(project.read(".drafts/one/review-1.md"), "1. Too short\n");

    project.write("reviewer.sh", "echo '{\"verdict\":\"PASS\",\"report\":\"  \"}'\n");
    project.write(".drafts/one/state.json", state.to_string());
    let printed = project.run(&["review"]);
    assert_eq!(printed.code, Some(1), "{}", printed.stdout);
    assert!(printed.stdout.contains("left no new report"), "{}", printed.stdout);
}

#[test]
fn a_project_chooses_among_the_reviewers_of_a_workflow() {
    let project = project(&json!({"next": "review", "round": 0}), "exit 1\n");
    let other =
        "[reviewers.other]\ncommand = [\"true\", \"{{ prompt }}\"]\nverdict_at = [\"verdict\"]\n[fields]";
    let workflow = WORKFLOW
        .replace("[fields]", other)
        .replace("limit  = \"reviews\"", "limit  = \"reviews\"\nreviewer = \"script\"");
    project.workflow("drafts", &workflow);
    assert!(project.run(&["review", "--dry-run"]).stdout.contains("sh reviewer.sh"));
    project.write(".holdpoint/holdpoint.toml", "[reviewers.drafts]\nscript = \"other\"\n");
    let printed = project.run(&["review", "--dry-run"]);
    assert!(printed.stdout.contains("true 'Review"), "{}{}", printed.stdout, printed.stderr);
    project.write(".holdpoint/holdpoint.toml", "[reviewers.drafts]\nscript = \"othr\"\n");
    assert!(
        project.run(&["review", "--dry-run"]).stdout.contains("sh reviewer.sh"),
        "as the workflow has it"
    );
    let told = project.run(&["status"]).stdout;
    let expected = "names a reviewer `othr` that `drafts` does not have; did you mean `other`?";
    assert!(told.contains(expected), "{told}");
}
