//! What else the agent is told that it can do: have the plan reviewed that was there before, or end the loop.

use serde_json::json;

use super::{EVENTS, START, TOPIC, Tools, files, journal, project};
use crate::clients::held::ask;
use crate::clients::install::codex;
use crate::clients::session::{codex_hooks, run_codex, stops};
use crate::model::{Block, Model, news};

/// Codex writes `&` and angle brackets in what its hooks say as entities: a command with one would not run as printed.
#[test]
fn codex_can_run_the_commands_that_lead_elsewhere_as_they_are_printed() {
    let Some(codex) = codex() else { return };
    let project = project("codex", &[]);
    project.write("PLAN.md", "1. The old plan.\n");
    let mut begun = false;
    let model = Model::start(move |request| {
        let news = news(request);
        let command = match ask(&news) {
            Some(ask) => {
                let old = ask.lines().map(str::trim).find(|line| line.contains(" start plan --from-draft "));
                old.or_else(|| ask.split_once("The way out, ")?.1.split_once(": ")?.1.lines().next())
            }
            None => (!std::mem::replace(&mut begun, true)).then_some(START),
        };
        vec![command.map_or(Block::Text("I am done."), |command| Tools::Codex.run(command))]
    });
    run_codex(&codex, &project, &model, &codex_hooks(&EVENTS));

    let session = stops(&project)[0]["session_id"].as_str().unwrap().to_owned();
    let cancelled = json!(["command", "none", "cancelled", null, null]);
    let begun = json!(["command", "none", "drafting", 1, "none"]);
    assert_eq!(
        journal(&project, &session),
        [
            begun.clone(),
            json!(["stop", "hold", null, null, null]),
            cancelled.clone(),
            begun,
            json!(["stop", "hold", "reviewing", null, null]),
            cancelled,
            // The user is told that the loop ended without a review that Holdpoint performed.
            json!(["stop", "witness", null, null, null]),
        ],
        "{:#?}",
        model.shown()
    );
    let topics = project.journal().into_iter().filter_map(|entry| entry["set"].get("topic").cloned());
    assert_eq!(topics.collect::<Vec<_>>(), [TOPIC; 2]);
    assert!(!files(&project).iter().any(|name| name.ends_with("-runner.sh")), "{:#?}", files(&project));
    assert_eq!(project.read("PLAN.md"), "1. The old plan.\n");
}
