//! Agents that go on after a held Stop by sending themselves the reason: their hooks see it as a prompt, and it must not
//! pass for the user's.

use serde_json::{Value as Json, json};

use crate::gate::GATE;
use crate::project::Project;

/// The hook's answers to a Stop and to a prompt, in one agent's dialect.
struct Dialect {
    stop: fn() -> Json,
    prompt: fn(&str) -> Json,
    /// Where the reason stands in the answer.
    reason: &'static str,
}

const GEMINI: Dialect = Dialect {
    stop: || json!({"hook_event_name": "AfterAgent", "session_id": "s", "prompt": "go", "timestamp": "t"}),
    prompt: |text| json!({"hook_event_name": "BeforeAgent", "session_id": "s", "prompt": text, "timestamp": "t"}),
    reason: "reason",
};

const CURSOR: Dialect = Dialect {
    stop: || json!({"hook_event_name": "stop", "session_id": "s", "status": "completed", "cursor_version": "3"}),
    prompt: |text| json!({"hook_event_name": "beforeSubmitPrompt", "session_id": "s", "prompt": text, "cursor_version": "3"}),
    reason: "followup_message",
};

fn project() -> Project {
    let project = Project::new();
    let asks = "[witnesses.heard]\non = \"prompt\"\nsay = \"A prompt.\"\n";
    project.workflow("gate", &format!("{GATE}{asks}")).write(".gate/state.json", r#"{"locked": true}"#);
    project
}

/// What a Stop is held with; none if it is not.
fn stop(project: &Project, dialect: &Dialect) -> Option<String> {
    let answer = project.hook(&(dialect.stop)()).json();
    answer.get(dialect.reason).map(|reason| reason.as_str().unwrap().to_owned())
}

/// Stops until it is let go, and sends itself each reason, with what another hook may have put around it.
fn times_held(project: &Project, dialect: &Dialect) -> usize {
    let mut times = 0;
    while let Some(reason) = stop(project, dialect) {
        times += 1;
        let printed = project.hook(&(dialect.prompt)(&format!("Other hook: no.\n{reason}\nGo on.")));
        assert_eq!((printed.stdout.as_str(), printed.stderr.as_str()), ("", ""), "no rule looks at it");
        assert!(times < 10, "nobody may be trapped");
    }
    times
}

#[test]
fn a_reason_that_comes_back_is_not_the_users_prompt() {
    for dialect in [GEMINI, CURSOR] {
        let project = project();
        assert_eq!(times_held(&project, &dialect), 3);
        let heard = project.hook(&(dialect.prompt)("Now do something else."));
        assert!((heard.stdout + &heard.stderr).contains("A prompt."));
        assert_eq!(times_held(&project, &dialect), 3, "the user's own prompt begins the count anew");
    }
}

#[test]
fn another_session_has_its_own() {
    let project = project();
    let reason = stop(&project, &GEMINI).unwrap();
    let mut prompt = (GEMINI.prompt)(&reason);
    prompt["session_id"] = "another".into();
    assert!(project.hook(&prompt).stdout.contains("A prompt."));
}

/// Once nothing comes back any more, words that quote a hold are the user's: where the session begins anew they stand in
/// what we tell it, before the user's own.
#[test]
fn words_that_quote_a_hold_are_the_users_after_it_was_released() {
    for dialect in [GEMINI, CURSOR] {
        let project = project();
        let reason = stop(&project, &dialect).unwrap();
        while stop(&project, &dialect).is_some() {}
        let heard = project.hook(&(dialect.prompt)(&format!("You were told: {reason} Now go on.")));
        assert!((heard.stdout + &heard.stderr).contains("A prompt."));
        assert_eq!(times_held(&project, &dialect), 3, "the count has begun anew");
    }
}

#[test]
fn nothing_comes_back_in_a_session_that_begins_anew() {
    let project = project();
    let asks = "[witnesses.heard]\non = \"prompt\"\nsay = \"A prompt.\"\n\
        [witnesses.begun]\non = \"start\"\nto = \"agent\"\nsay = \"It is locked.\"\n";
    project.workflow("gate", &format!("{GATE}{asks}"));
    let reason = stop(&project, &GEMINI).unwrap();
    let begins =
        json!({"hook_event_name": "SessionStart", "session_id": "s", "source": "resume", "timestamp": "t"});
    // Others have an event of that name, too.
    project.run_with(&["hook", "--agent", "gemini"], begins.to_string().as_bytes());
    let heard = project.hook(&(GEMINI.prompt)(&format!("<hook_context>{reason}</hook_context>\n\ngo")));
    assert!(heard.stdout.contains("A prompt."), "{}", heard.stdout);
}
