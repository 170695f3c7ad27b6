//! Whose loop it is: another session in the same project is not held by it, and a sub-agent's is its session's.

use std::sync::mpsc;
use std::time::Duration;

use serde_json::json;

use super::{CLEAN, EVENTS, Planner, START, Tools, assert_cleared, journal, project, state};
use crate::clients::held::{ask, asks};
use crate::clients::install::{claude, codex};
use crate::clients::session::{
    codex_hooks, register, resume_claude, run_claude, run_codex, stop_hook_active, stops,
};
use crate::model::{Block, Model, news};

#[test]
fn a_second_session_of_claude_code_is_not_held_and_its_user_is_told_once() {
    let Some(claude) = claude() else { return };
    let project = project("codex", &[CLEAN]);
    register(&project, &EVENTS, &["hook", "--agent", "claude"]);
    let (reached, at_round) = mpsc::channel();
    let (go_on, waiting) = mpsc::channel::<()>();
    let mut planner = Planner::new(Tools::Claude, &[START]);
    let model = Model::start(move |request| {
        if ask(&news(request)).is_some_and(|ask| ask.starts_with("### Claudex round 1 ")) {
            reached.send(()).unwrap();
            // Until the second session is over, or has failed.
            let _ = waiting.recv();
        }
        planner.turn(request)
    });
    let mut other = Planner::new(Tools::Claude, &["holdpoint claudex start plan -- 'something else'"]);
    let other_model = Model::start(move |request| other.turn(request));

    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run_claude(&claude, &project, &model));
        at_round.recv_timeout(Duration::from_mins(1)).unwrap();
        let second = run_claude(&claude, &project, &other_model);
        let second = resume_claude(&claude, &project, &other_model, second);
        go_on.send(()).unwrap();
        (first.join().unwrap(), second)
    });

    let [first_id, second_id] =
        [&first, &second].map(|session| session.printed.json()["session_id"].as_str().unwrap().to_owned());
    let (id, state) = state(&project);
    assert_eq!(state["session_id"], first_id);
    let shown = other_model.shown();
    assert_eq!(shown.len(), 3, "a prompt, what `start` printed, a prompt: {shown:#?}");
    let refused = format!("one is already active here: {id} (reviewing)");
    // The shell has its lines folded.
    let printed = shown[1].split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(printed.contains(&refused) && printed.contains("in another session"), "{printed}");
    assert_eq!(stops(&project).iter().filter(|stop| stop["session_id"] == second_id).count(), 2);
    let did = |event: &str, decision: &str| json!([event, decision, null, null, null]);
    let released = did("stop", "release");
    assert_eq!(journal(&project, &second_id), [did("command", "none"), released.clone(), released]);
    let [told] = &second.shown_to_user()[..] else { panic!("{:#?}", second.shown_to_user()) };
    assert!(told.contains(&format!("this run belongs to session {first_id}.")), "{told}");
    assert!(told.ends_with("Its commands work here all the same: see `holdpoint claudex`."), "{told}");

    // Nor did the other session's Stops use up a round.
    let ended = ["phase", "round", "decision_signal"].map(|key| state[key].as_str());
    assert_eq!(ended, ["done", "1", "no-material-findings"]);
    assert_cleared(&project, &id, 1);
    assert_eq!(first.shown_to_user().len(), 1, "{:#?}", first.shown_to_user());
}

#[test]
fn a_loop_that_a_sub_agent_of_codex_begins_holds_its_session() {
    let Some(codex) = codex() else { return };
    let project = project("codex", &[]);
    let task = "Begin the loop.";
    let mut begun = false;
    let mut spawned = false;
    let model = Model::start(move |request| {
        let news = news(request);
        let call = if news.ends_with(&format!("{task}\n")) && !std::mem::replace(&mut begun, true) {
            Tools::Codex.run(&format!("env > environment; {START}"))
        } else if !std::mem::replace(&mut spawned, true) {
            Block::ToolUse { name: "multi_agent_v1.spawn_agent", input: json!({"message": task}) }
        } else if let Some((_, agent)) = news.split_once("{\"agent_id\":\"") {
            let targets = [agent.split('"').next().unwrap()];
            Block::ToolUse { name: "multi_agent_v1.wait_agent", input: json!({"targets": targets}) }
        } else {
            Block::Text("I am done.")
        };
        vec![call]
    });
    run_codex(&codex, &project, &model, &codex_hooks(&["UserPromptSubmit", "Stop"]));

    let environment = project.read("environment");
    let given = |name: &str| environment.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    let session = stops(&project)[0]["session_id"].clone();
    assert_eq!(given("CODEX_SESSION_ID="), session);
    assert_ne!(given("CODEX_THREAD_ID="), session, "a sub-agent ran it");
    assert_eq!(state(&project).1["session_id"], session);
    assert_eq!(asks(&model).len(), 3, "held until patience ends: {:#?}", asks(&model));
    assert_eq!(stop_hook_active(&project), [false, true, true, true]);
}
