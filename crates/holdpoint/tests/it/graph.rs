//! `holdpoint workflow graph`, and the worst case that `check` tells.

use insta::assert_snapshot;

use crate::project::Project;
use crate::shown::{REVIEWED, shown};

/// A draft is reviewed until it is clean; then the user publishes it, or asks for another one.
const DRAFTS: &str = r#"
about = "A draft is reviewed."
[run]
home  = ".drafts"
state = ".drafts/state.json"
due   = "next"
[phases.draft]
by   = "user"
then = { go = "review", renew = "rounds" }
[phases.review]
by     = "reviewer"
reviewer = "script"
prompt = "REVIEW"
report = "review.md"
limit  = "rounds"
clean  = { count = "clean", need = 2 }
then.fail = "mend"
then.pass = [
  { when = "state.kind == \"last\"", go = "final", renew = "last" },
  { go = "draft", pause = "ANOTHER" },
]
then.fault = { tell = "NO REVIEW" }
[phases.mend]
by     = "agent"
report = "mend.md"
then   = "review"
[phases.final]
by     = "reviewer"
reviewer = "plain"
prompt = "REVIEW ALL"
report = "final.md"
limit  = "last"
then.fail  = "mend-all"
then.pass  = { go = "end", tell = "DONE" }
then.fault = "draft"
[phases.mend-all]
by     = "agent"
until  = "state.mended"
limit  = "none"
then   = "final"
[phases.aside]
by   = "user"
then = {}
[limits]
rounds = { count = "round", most = "state.limit", then = { tell = "LIMIT" } }
last   = { count = "round", most = 5, then = {} }
none   = { most = 0, then = {} }
[reviewers.script]
command = ["sh"]
models  = { field = "model", rotate = ["big", "small"] }
[reviewers.plain]
command = ["sh"]
[fields]
kind   = ""
mended = false
limit = 8
clean = 0
round = 0
model = "big"
"#;

fn drafts() -> Project {
    let project = Project::new();
    project.workflow("drafts", DRAFTS);
    project
}

#[test]
fn plain() {
    assert_snapshot!(shown(&drafts(), &["workflow", "graph", "drafts", "--format", "plain"]), @r#"
    draft  user
      then → review  (renews rounds)

    review  reviewer, at most 8 rounds (limit), 2 clean in a row, big, small in turn
      fail → mend
      pass → final  (when state.kind == "last", renews last)
      pass → draft  (stops for the user)

    mend  agent, sent back at most 3 times
      then → review

    final  reviewer, at most 5 rounds
      fail → mend-all
      pass → end
      fault → draft  (stops for the user)

    mend-all  agent, asked once
      then → final

    aside  user
      then → (no change)
    [exit 0]
    "#);
}

#[test]
fn mermaid_is_for_what_is_no_terminal() {
    assert_snapshot!(shown(&drafts(), &["workflow", "graph", "drafts"]), @r#"
    flowchart TD
      p0(["draft<br/>user"])
      p1{{"review<br/>reviewer<br/>at most 8 rounds (limit)<br/>2 clean in a row<br/>big, small in turn"}}
      p2["mend<br/>agent<br/>sent back at most 3 times"]
      p3{{"final<br/>reviewer<br/>at most 5 rounds"}}
      p4["mend-all<br/>agent<br/>asked once"]
      p5(["aside<br/>user"])
      end_(("end"))
      p0 -->|"then, renews rounds"| p1
      p1 -->|"fail"| p2
      p1 -->|"pass, when state.kind == #quot;last#quot;, renews last"| p3
      p1 -.->|"pass, stops for the user"| p0
      p2 -->|"then"| p1
      p3 -->|"fail"| p4
      p3 -->|"pass"| end_
      p3 -.->|"fault, stops for the user"| p0
      p4 -->|"then"| p3
    [exit 0]
    "#);
}

#[test]
fn dot() {
    assert_snapshot!(shown(&drafts(), &["workflow", "graph", "drafts", "--format", "dot"]), @r#"
    digraph "drafts" {
      "draft" [shape=ellipse, label="draft\nuser"];
      "review" [shape=hexagon, label="review\nreviewer\nat most 8 rounds (limit)\n2 clean in a row\nbig, small in turn"];
      "mend" [shape=box, label="mend\nagent\nsent back at most 3 times"];
      "final" [shape=hexagon, label="final\nreviewer\nat most 5 rounds"];
      "mend-all" [shape=box, label="mend-all\nagent\nasked once"];
      "aside" [shape=ellipse, label="aside\nuser"];
      "end" [shape=doublecircle];
      "draft" -> "review" [label="then, renews rounds"];
      "review" -> "mend" [label="fail"];
      "review" -> "final" [label="pass, when state.kind == \"last\", renews last"];
      "review" -> "draft" [label="pass, stops for the user", style=dotted];
      "mend" -> "review" [label="then"];
      "final" -> "mend-all" [label="fail"];
      "final" -> "end" [label="pass"];
      "final" -> "draft" [label="fault, stops for the user", style=dotted];
      "mend-all" -> "final" [label="then"];
    }
    [exit 0]
    "#);
}

#[test]
fn a_workflow_without_phases_has_its_rules_listed() {
    let project = Project::new();
    project.workflow("reviewed", REVIEWED);
    assert_snapshot!(shown(&project, &["workflow", "graph", "reviewed", "--format", "plain"]), @"
    reviewed has no phases. Its rules:
      hold no-commit on before shell
      witness pushes on before shell
    [exit 0]
    ");
    assert_snapshot!(shown(&project, &["workflow", "graph", "reviewed", "--format", "mermaid"]), @"
    flowchart TD
      %% reviewed has no phases. Its rules:
      %%   hold no-commit on before shell
      %%   witness pushes on before shell
    [exit 0]
    ");
    assert_snapshot!(shown(&project, &["workflow", "graph", "reviewed", "--format", "dot"]), @r#"
    digraph "reviewed" {
      // reviewed has no phases. Its rules:
      //   hold no-commit on before shell
      //   witness pushes on before shell
    }
    [exit 0]
    "#);
}

#[test]
fn a_workflow_with_errors_is_not_drawn() {
    let project = Project::new();
    project.workflow("drafts", &DRAFTS.replace("then.fail = \"mend\"", "then.fail = \"mned\""));
    assert_snapshot!(shown(&project, &["workflow", "graph", "drafts"]), @"
    error: workflow `drafts` has errors
    hint: see `holdpoint check drafts`
    [exit 1]
    ");
    assert_snapshot!(shown(&project, &["workflow", "graph", "draft"]), @"
    error: unknown workflow `draft`
    hint: did you mean `drafts`?
    [exit 2]
    ");
}

#[test]
fn check_tells_the_worst_case() {
    assert_snapshot!(shown(&drafts(), &["check", "drafts"]), @"
    drafts: ok
      at most 13 × N reviews (N: how often draft is started)
        review: at most 8 × N reviews (N: how often draft is started)
        final: at most 5 × N reviews (N: how often draft is started)
    [exit 0]
    ");
}
