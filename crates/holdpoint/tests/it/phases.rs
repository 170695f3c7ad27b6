//! Phases at Stop: reviews performed there and then, rounds counted, clean ones in a row, and every way a reviewer can
//! go wrong. The reviewer is a shell script; everything else is real.

mod reviewer;

use std::process::Command;

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

const WORKFLOW: &str = r#"
about = "A draft is reviewed until two reviews in a row are clean."

[run]
home   = ".drafts"
each   = "*"
newest = ["*.md", "state.json"]
state  = "state.json"
due    = "next"
last   = "done"

[defaults.reviewer]
limit  = "reviews"
skip   = { when = "state.limit == 0", set = { round = 0 } }
clean  = { count = "clean", need = 2 }
then.fault = { tell = "NO REVIEW: {{ because }}." }

[defaults.agent]
limit = "answers"

[limits]
reviews = { count = "round", most = "state.limit", then = { tell = "LIMIT {{ state.limit }} reached for {{ phase.name }}." } }
answers = { most = 0, then = { tell = "OUTSTANDING: {{ state.next }}." } }

[phases.review]
by     = "reviewer"
needs  = { that = "file('draft.md').exists", else = "there is no draft" }
prompt = "Review draft.md with {{ state.model }}, round {{ state.round }}."
report = "review-{{ state.round }}.md"
then.fail = "mend"
then.pass = [
  { when = "state.more", go = "review-all", renew = "reviews", pause = "PASSED, now {{ target }}." },
  { go = "publish", pause = "PASSED, now {{ target }}." },
]

[phases.mend]
by     = "agent"
ask    = "MEND what review-{{ state.round }}.md says, then write mend-{{ state.round }}.md."
report = "mend-{{ state.round }}.md"
then   = "review"

[phases.review-all]
by     = "reviewer"
prompt = "Review everything."
report = "all-{{ state.round }}.md"
then.fail = "mend-all"
then.pass = { go = "end", tell = "ALL DONE." }

[phases.mend-all]
like = "mend"
then = "review-all"

[phases.publish]
by = "user"

[reviewers.script]
command = ["sh", "reviewer.sh", "{{ state.model }}", "{{ prompt }}"]
verdict_at = ["structured_output.verdict", "result.verdict"]
answers = { PASS = "pass", FAIL = "fail" }
otherwise = "fail"
models  = { field = "model", rotate = ["big", "small"] }
log     = ".review-{{ state.round }}.log"
timeout = 20

[holds.draft]
on   = "stop"
when = "not file('draft.md').exists"
say  = "THERE IS NO DRAFT."

[fields]
round = 0
limit = 8
clean = 0
model = "big"
more  = false
"#;

/// A project whose reviewer writes the report for the round in its prompt and gives the verdict in `verdict`.
fn project(state: &Json) -> Project {
    let project = Project::new();
    project.workflow("drafts", WORKFLOW);
    project.write(".drafts/one/draft.md", "# Draft\n").write(".drafts/one/state.json", state.to_string());
    reviewer(&project, "echo report > .drafts/one/review-$round.md; answer");
    verdict(&project, "FAIL");
    project
}

/// Sets the reviewer's script: `$model`, `$prompt`, `$round` and `answer` are at hand.
fn reviewer(project: &Project, body: &str) {
    let script = format!(
        "model=$1; prompt=$2; round=$(echo \"$prompt\" | sed 's/.*round \\([0-9]*\\)\\..*/\\1/')\n\
         echo \"$model $round\" >> reviews\n\
         answer() {{ printf '{{\"structured_output\":{{\"verdict\":\"%s\"}},\"total_cost_usd\":0.5}}' \"$(cat verdict)\"; }}\n{body}\n"
    );
    // The reviewer runs in the project's folder; its path in the workflow leads there from anywhere below.
    project.write("reviewer.sh", script);
}

fn verdict(project: &Project, word: &str) {
    project.write("verdict", word);
}

fn stop(project: &Project) -> Printed {
    project.hook(&json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root(), "stop_hook_active": true}))
}

fn state(project: &Project) -> Json {
    serde_json::from_str(&project.read(".drafts/one/state.json")).unwrap()
}

fn reason(printed: &Printed) -> String {
    printed.json()["reason"].as_str().unwrap_or_default().to_owned()
}

fn message(printed: &Printed) -> String {
    printed.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
}

fn reviews(project: &Project) -> Vec<String> {
    let text = std::fs::read_to_string(project.root().join("reviews")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_draft_is_reviewed_until_two_reviews_in_a_row_are_clean() {
    let project = project(&json!({"next": "review", "kept": 1.0}));
    assert_eq!(reason(&stop(&project)), "MEND what review-1.md says, then write mend-1.md.");
    assert_eq!(
        state(&project),
        json!({"next": "mend", "kept": 1.0, "done": "review", "round": 1, "model": "small", "clean": 0})
    );
    project.write(".drafts/one/mend-1.md", "mended");
    verdict(&project, "PASS");
    assert!(reason(&stop(&project)).contains("review-2.md"), "one clean review is not enough");
    project.write(".drafts/one/mend-2.md", "mended");
    let last = stop(&project);
    assert_eq!(message(&last), "PASSED, now publish.");
    assert_eq!(last.json()["decision"], Json::Null);
    assert_eq!(reviews(&project), ["big 1", "small 2", "big 3"]);
    let after = state(&project);
    assert_eq!(
        (&after["next"], &after["clean"], &after["kept"]),
        (&json!("publish"), &json!(2), &json!(1.0))
    );
    assert_eq!(stop(&project).stdout, "", "the user's turn: the agent may go");
    let journal = project.journal();
    assert_eq!(journal[0]["reviews"][0]["verdict"], "fail");
    assert_eq!(journal[0]["reviews"][0]["cost_usd"], 0.5);
}

#[test]
fn a_review_with_issues_starts_the_row_anew() {
    let project = project(&json!({"next": "review", "clean": 1, "round": 3, "model": "small"}));
    stop(&project);
    assert_eq!(state(&project)["clean"], 0);
    assert_eq!(state(&project)["model"], "big");
}

#[test]
fn an_agent_that_does_not_mend_is_let_go_and_the_user_told() {
    let project = project(&json!({"next": "mend", "round": 1}));
    assert_eq!(message(&stop(&project)), "OUTSTANDING: mend.");
    assert_eq!(reviews(&project), [""; 0]);
    assert_eq!(state(&project), json!({"next": "mend", "round": 1}));
}

#[test]
fn the_limit_is_a_hard_stop() {
    let project = project(&json!({"next": "review", "round": 2, "limit": 2}));
    assert_eq!(message(&stop(&project)), "LIMIT 2 reached for review.");
    assert_eq!(reviews(&project), [""; 0]);
    assert_eq!(state(&project), json!({"next": "review", "round": 2, "limit": 2}));
}

#[test]
fn no_reviews_at_all_counts_as_passed() {
    let project = project(&json!({"next": "review", "limit": 0}));
    assert_eq!(message(&stop(&project)), "PASSED, now publish.");
    assert_eq!(state(&project), json!({"next": "publish", "limit": 0, "done": "review", "round": 0}));
}

#[test]
fn a_new_cycle_starts_afresh() {
    let project = project(&json!({"next": "review", "clean": 1, "round": 4, "more": true, "model": "small"}));
    verdict(&project, "PASS");
    assert_eq!(message(&stop(&project)), "PASSED, now review-all.");
    let after = state(&project);
    assert_eq!((&after["round"], &after["clean"], &after["model"]), (&json!(0), &json!(0), &json!("big")));
}

#[test]
fn a_review_that_does_not_work_lets_go_and_changes_nothing() {
    for (body, part) in [
        ("exit 3", "the reviewer ended with exit status: 3"),
        ("answer", "left no new report"),
        ("kill -9 $$", "the reviewer ended with signal: 9"),
    ] {
        let before = json!({"next": "review"});
        let project = project(&before);
        reviewer(&project, &format!("echo trouble >&2; {body}"));
        let printed = stop(&project);
        assert!(
            message(&printed).starts_with("NO REVIEW: ") && message(&printed).contains(part),
            "{body}: {}",
            printed.stdout
        );
        assert_eq!(printed.json()["decision"], Json::Null);
        assert_eq!(state(&project), before);
        assert_eq!(project.read(".drafts/one/.review-1.log"), "trouble\n", "the log stays");
    }
}

#[test]
fn an_old_report_is_no_report() {
    let project = project(&json!({"next": "review"}));
    project.write(".drafts/one/review-1.md", "of yesterday");
    reviewer(&project, "answer");
    assert!(message(&stop(&project)).contains("left no new report"));
}

#[test]
fn a_verdict_inside_a_text_is_found() {
    let project = project(&json!({"next": "review", "clean": 1}));
    reviewer(
        &project,
        r#"echo report > .drafts/one/review-$round.md; echo '{"result":"{\"verdict\":\"PASS\"}"}'"#,
    );
    assert_eq!(message(&stop(&project)), "PASSED, now publish.");
}

#[test]
fn a_reviewer_that_hangs_is_killed_with_its_children() {
    let project = project(&json!({"next": "review"}));
    let text = WORKFLOW.replace("timeout = 20", "timeout = 1");
    project.workflow("drafts", &text);
    reviewer(&project, "sleep 600 & echo $! > child; wait");
    assert!(message(&stop(&project)).contains("did not finish within 1 seconds"));
    let child = project.read("child");
    let alive = std::path::Path::new("/proc").join(child.trim()).join("cmdline");
    let gone = std::fs::read(alive).map_or(true, |line| !line.starts_with(b"sleep"));
    assert!(gone, "the reviewer's child is still there");
}

#[test]
fn a_process_that_left_the_reviewers_group_takes_no_verdict_with_it() {
    let project = project(&json!({"next": "review", "clean": 1}));
    let stray = "bash -c 'set -m; sleep 60 & echo $! > stray'";
    reviewer(&project, &format!("{stray}; echo report > .drafts/one/review-$round.md; answer"));
    verdict(&project, "PASS");
    let printed = stop(&project);
    let ended = Command::new("kill").arg(project.read("stray").trim()).status().unwrap();
    assert!(ended.success(), "it kept the reviewer's output open to the end");
    assert_eq!(message(&printed), "PASSED, now publish.");
}

#[test]
fn a_program_that_is_missing_is_named() {
    let project = project(&json!({"next": "review"}));
    project.workflow("drafts", &WORKFLOW.replace("\"sh\", \"reviewer.sh\"", "\"no-such-reviewer\""));
    assert!(message(&stop(&project)).contains("the reviewer's program `no-such-reviewer` is not installed"));
}

#[test]
fn a_state_that_was_moved_on_during_a_review_is_not_overwritten() {
    let project = project(&json!({"next": "review"}));
    reviewer(
        &project,
        "echo report > .drafts/one/review-$round.md; printf '{\"next\":null,\"mine\":true}' > .drafts/one/state.json; answer",
    );
    let printed = stop(&project);
    assert!(message(&printed).contains("was changed by others meanwhile"), "{}", printed.stdout);
    assert_eq!(state(&project), json!({"next": null, "mine": true}));
    assert_eq!(project.read(".drafts/one/review-1.md"), "report\n");
}

#[test]
fn other_fields_edited_during_a_review_are_kept() {
    let project = project(&json!({"next": "review"}));
    reviewer(
        &project,
        "echo report > .drafts/one/review-$round.md; printf '{\"next\":\"review\",\"limit\":3}' > .drafts/one/state.json; answer",
    );
    assert!(reason(&stop(&project)).starts_with("MEND"));
    assert_eq!(state(&project)["limit"], 3);
    assert_eq!(state(&project)["next"], "mend");
}

#[test]
fn what_is_missing_for_a_review_is_told_and_rules_are_asked() {
    let project = project(&json!({"next": "review"}));
    std::fs::remove_file(project.root().join(".drafts/one/draft.md")).unwrap();
    let printed = stop(&project);
    assert_eq!(message(&printed), "NO REVIEW: there is no draft.");
    assert_eq!(reason(&printed), "THERE IS NO DRAFT.");
}

#[test]
fn the_run_changed_last_is_the_one() {
    let project = project(&json!({"next": "review"}));
    project.write(".drafts/two/draft.md", "# Other\n").write(".drafts/two/state.json", "{\"next\":null}");
    assert_eq!(stop(&project).stdout, "");
    assert_eq!(reviews(&project), [""; 0]);
}

#[test]
fn unknown_and_garbled_phases_let_go() {
    for next in [json!("nosuch"), json!(5), json!(""), json!(null), json!(["review"])] {
        let project = project(&json!({"next": next}));
        assert_eq!(stop(&project).json()["decision"], Json::Null, "{next}");
        assert_eq!(state(&project), json!({"next": next}));
    }
}

#[test]
fn garbled_counters_count_as_their_first_value() {
    let project = project(&json!({"next": "review", "round": "many", "clean": {}, "limit": "x", "model": 7}));
    stop(&project);
    assert_eq!(reviews(&project), ["big 1"]);
    assert_eq!(state(&project)["round"], 1);
}

#[test]
fn null_counts_as_the_first_value_and_a_number_may_be_written_as_text() {
    let null =
        project(&json!({"next": "review", "round": null, "clean": null, "limit": null, "model": null}));
    stop(&null);
    assert_eq!(reviews(&null), ["big 1"]);
    let text = project(&json!({"next": "review", "round": "2", "limit": "2"}));
    assert_eq!(message(&stop(&text)), "LIMIT 2 reached for review.");
    let none = project(&json!({"next": "review", "limit": "0"}));
    assert_eq!(message(&stop(&none)), "PASSED, now publish.");
}

#[test]
fn the_reviewers_own_hooks_answer_nothing() {
    let project = project(&json!({"next": "review"}));
    let hook = format!(
        "echo '{{\"hook_event_name\":\"Stop\"}}' | {} hook > inner; echo report > .drafts/one/review-$round.md; answer",
        env!("CARGO_BIN_EXE_holdpoint")
    );
    reviewer(&project, &hook);
    stop(&project);
    assert_eq!(project.read("inner"), "");
    assert_eq!(reviews(&project).len(), 1);
}

#[test]
fn a_stop_that_is_only_a_pause_is_not_looked_at() {
    let project = project(&json!({"next": "review"}));
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root(),
        "background_tasks": [{"id": "t", "type": "subagent", "status": "running"}]});
    let told = project.hook(&stop).json();
    assert!(told.get("decision").is_none() && told["systemMessage"].is_string(), "{told}");
    assert_eq!(reviews(&project), [""; 0]);
}

#[test]
fn why_and_status_know_phases() {
    let project = project(&json!({"next": "review"}));
    stop(&project);
    let why = project.run(&["why"]).stdout;
    assert!(
        why.contains("MEND what review-1.md says") && why.contains("the phase `review` is not finished"),
        "{why}"
    );
    let status = project.run(&["status"]).stdout;
    assert!(status.contains(".drafts/one/state.json"), "{status}");
}

/// A reviewer that stops in a session of this name while it reviews, as a hook at the same time would.
fn reviewer_that_stops(project: &Project, session: &str) {
    let inner = format!(
        "echo '{{\"hook_event_name\":\"Stop\",\"session_id\":\"{session}\"}}' | env -u HOLDPOINT_REVIEWER {} hook > inner; \
         echo report > .drafts/one/review-$round.md; answer",
        env!("CARGO_BIN_EXE_holdpoint")
    );
    reviewer(project, &inner);
}

#[test]
fn a_review_is_not_done_twice_at_once() {
    let project = project(&json!({"next": "review"}));
    reviewer_that_stops(&project, "s");
    assert!(reason(&stop(&project)).starts_with("MEND"));
    assert!(project.read("inner").contains("is being done already"), "{}", project.read("inner"));
    assert_eq!(reviews(&project).len(), 1);
}

#[test]
fn another_session_is_not_held_and_is_told_once() {
    let project = project(&json!({"next": "review"}));
    reviewer_that_stops(&project, "other");
    assert!(reason(&stop(&project)).starts_with("MEND"));
    let told = project.read("inner");
    assert!(
        told.contains("another session works on this run") && told.contains("`holdpoint drafts`"),
        "{told}"
    );
    let other = json!({"hook_event_name": "Stop", "session_id": "other", "cwd": project.root()});
    assert_eq!(project.hook(&other).stdout, "", "it is told once");
    assert_eq!(state(&project)["next"], "mend");
    assert_eq!(reviews(&project).len(), 1);
}

#[test]
fn a_report_of_an_earlier_round_proves_nothing() {
    let project = project(&json!({"next": "review"}));
    project.write(".drafts/one/mend-1.md", "from the last time");
    reviewer(&project, "echo report > .drafts/one/review-$round.md; answer");
    assert!(reason(&stop(&project)).starts_with("MEND"));
    let again = stop(&project);
    assert_eq!(state(&project)["next"], "mend", "the old report was taken for a new one: {}", again.stdout);
    project.write(".drafts/one/mend-1.md", "done now");
    assert!(reason(&stop(&project)).starts_with("MEND what review-2"));
}

#[test]
fn what_a_runs_folder_may_hold_is_a_fact() {
    let project = project(&json!({"next": null}));
    let layout = "[layout]\nfiles = \"*.md\"\nnested = false\nnames = [{ name = \"draft.md\", required = true }, { name = \"review-{n}.md\", with = \"draft.md\" }]\n[holds.layout]\non = \"stop\"\nwhen = \"layout.faults\"\nsay = \"{{ layout.faults | join('; ') }}\"\n";
    project.workflow("drafts", &WORKFLOW.replace("[fields]", &format!("{layout}[fields]")));
    assert_eq!(stop(&project).stdout, "");
    project.write(".drafts/one/odd.md", "").write(".drafts/one/deep/x.md", "");
    assert_eq!(
        reason(&stop(&project)),
        "Invalid filename: odd.md; Files found in nested directories: deep/x.md"
    );
}
