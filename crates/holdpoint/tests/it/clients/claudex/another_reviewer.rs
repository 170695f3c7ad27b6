//! Codex as the agent that is held, and a program of the user's own as the reviewer: nothing depends on who is who.

use serde_json::json;

use super::{
    CLEAN, DRAFT, EVENTS, Planner, START, Tools, assert_cleared, assert_lines, journal, one_session, project,
    state,
};
use crate::clients::held::asks;
use crate::clients::install::codex;
use crate::clients::session::{at_work, codex_hooks, kept, run_codex, stop_hook_active};
use crate::model::Model;
use crate::project::Project;

/// The workflow as the project's own, with another reviewer than the one it comes with.
fn eject(project: &Project, command: &str) {
    let printed = project.run(&["workflow", "eject", "claudex"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let file = ".holdpoint/workflows/claudex/workflow.toml";
    let own = r#"command = ["codex", "exec", "--dangerously-bypass-approvals-and-sandbox"]"#;
    let text = project.read(file);
    assert!(text.contains(own), "{text}");
    project.write(file, text.replace(own, command));
}

#[test]
fn codex_has_its_plan_reviewed_by_another_program() {
    let Some(codex) = codex() else { return };
    let project = project("critic", &[CLEAN]);
    eject(&project, r#"command = ["critic", "--strict"]"#);
    let mut planner = Planner::new(Tools::Codex, &["env > environment", START]);
    let model = Model::start(move |request| planner.turn(request));
    let client = run_codex(&codex, &project, &model, &codex_hooks(&EVENTS));

    let session = one_session(&project, "CODEX_SESSION_ID");
    let (id, state) = state(&project);
    let ended = ["phase", "round", "decision_signal"].map(|key| state[key].as_str());
    assert_eq!(ended, ["done", "1", "no-material-findings"]);
    let asks = asks(&model);
    let [draft, round] = &asks[..] else { panic!("{asks:#?}") };
    assert!(draft.starts_with("### Claudex: draft the plan first\n"), "{draft}");
    assert!(round.starts_with("### Claudex round 1 of 3, Senior-engineer review\n"), "{round}");
    assert_eq!(stop_hook_active(&project), [false, true, true]);

    let runner = format!("{}/.claude/claudex/{id}-runner.sh", project.root().display());
    assert_eq!(project.read("called"), format!("critic --strict {runner}\n"));
    let ran = "[claudex] Running critic (mode=plan, round=1, persona: Senior-engineer review)...\n\
        [claudex] critic exited with status 0.\n";
    assert!(model.shown().iter().any(|news| news.contains(ran)), "{:#?}", model.shown());
    assert_eq!(project.read("PLAN.md"), DRAFT);
    assert_cleared(&project, &id, 1);
    assert_eq!(
        journal(&project, &session),
        [
            json!(["command", "none", "drafting", 1, "none"]),
            json!(["stop", "hold", null, null, null]),
            json!(["stop", "hold", "reviewing", null, null]),
            json!(["command", "none", "done", null, "no-material-findings"]),
            json!(["stop", "witness", null, null, null]),
        ]
    );

    // Codex does not print what its hooks say to the user, but whether it could read their answers.
    let said = client.printed.stderr.lines().filter(|line| line.starts_with("hook: Stop "));
    assert_eq!(
        said.collect::<Vec<_>>(),
        ["hook: Stop Blocked", "hook: Stop Blocked", "hook: Stop Completed"],
        "{}",
        client.printed.stderr
    );
    let answers = kept(&project, "answers");
    let summary = answers.last().unwrap()["systemMessage"].as_str().unwrap();
    assert_lines(
        summary,
        &["Rounds run: 1 of 3", "- Round 1 (Senior-engineer review): high=0 medium=0 low=0"],
    );
    assert_eq!(client.printed.stdout, "I am done.\n");
    assert_eq!(at_work(&project), [""; 0], "nothing is left running");
}
