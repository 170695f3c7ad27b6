use serde_json::json;

use super::*;

const NOWHERE: Otherwise<'static> = Otherwise { cwd: "/w", moment: None };

fn rendered(agent: Agent, event_name: &str, answer: &Answer, protocol: Protocol) -> Json {
    let asked = Asked {
        agent,
        event_name: event_name.into(),
        call_id: None,
        transcript: None,
        prompt_id: None,
        is_planning: false,
        source: None,
        background: Vec::new(),
    };
    render(answer, &asked, moment_of(&claude::EVENTS, event_name).unwrap(), protocol).unwrap_or(Json::Null)
}

fn hold() -> Answer {
    Answer { hold: Some("why".into()), ..Answer::default() }
}

#[test]
fn holds_take_the_form_each_agent_obeys() {
    let deny = json!({"hookSpecificOutput":
        {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "why"}});
    let block = json!({"decision": "block", "reason": "why"});
    for agent in [Agent::Claude, Agent::Codex] {
        assert_eq!(rendered(agent, "PreToolUse", &hold(), Protocol::Own), deny);
        for event in ["Stop", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit"] {
            assert_eq!(rendered(agent, event, &hold(), Protocol::Own), block, "{event}");
        }
    }
    assert_eq!(
        rendered(Agent::Claude, "PreToolUse", &hold(), Protocol::Legacy),
        json!({"continue": false, "stopReason": "why"})
    );
    assert_eq!(rendered(Agent::Claude, "Stop", &hold(), Protocol::Legacy), block);
}

#[test]
fn what_is_only_said_reaches_its_reader() {
    let said = Answer { context: Some("c".into()), message: Some("m".into()), ..Answer::default() };
    for event in ["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart"] {
        let expect = json!({"systemMessage": "m", "hookSpecificOutput": {"hookEventName": event, "additionalContext": "c"}});
        assert_eq!(rendered(Agent::Claude, event, &said, Protocol::Own), expect);
    }
    assert_eq!(rendered(Agent::Codex, "Stop", &said, Protocol::Own), json!({"systemMessage": "m"}));
    assert_eq!(rendered(Agent::Claude, "PreToolUse", &said, Protocol::Legacy), Json::Null);
}

#[test]
fn nothing_to_say_is_nothing_but_codex_wants_an_object_at_stop() {
    let nothing = Answer::default();
    assert_eq!(rendered(Agent::Claude, "Stop", &nothing, Protocol::Own), Json::Null);
    assert_eq!(rendered(Agent::Codex, "Stop", &nothing, Protocol::Own), json!({}));
    assert_eq!(rendered(Agent::Codex, "PreToolUse", &nothing, Protocol::Own), Json::Null);
}

#[test]
fn older_scripts_let_go_with_the_fields_of_their_workflow() {
    let release = Some(Fields::from_iter([("suppressOutput".to_owned(), json!(true))]));
    let silent = Answer { release: release.clone(), ..Answer::default() };
    assert_eq!(rendered(Agent::Claude, "Stop", &silent, Protocol::Legacy), json!({"suppressOutput": true}));
    let told = Answer { message: Some("m".into()), ..silent.clone() };
    let both = json!({"systemMessage": "m", "suppressOutput": true});
    assert_eq!(rendered(Agent::Claude, "Stop", &told, Protocol::Legacy).to_string(), both.to_string());
    let held = Answer { release: release.clone(), ..hold() };
    let block = json!({"decision": "block", "reason": "why"});
    assert_eq!(rendered(Agent::Claude, "Stop", &held, Protocol::Legacy), block);
    assert_eq!(rendered(Agent::Claude, "Stop", &silent, Protocol::Own), Json::Null);
    let nothing = Answer { release: Some(Fields::new()), ..Answer::default() };
    assert_eq!(rendered(Agent::Claude, "Stop", &nothing, Protocol::Legacy), Json::Null);
}

/// Codex rejects unknown fields. These are all it knows.
#[test]
fn codex_gets_no_field_it_does_not_know() {
    let known = [
        "decision",
        "reason",
        "systemMessage",
        "hookSpecificOutput",
        "hookEventName",
        "permissionDecision",
        "permissionDecisionReason",
        "additionalContext",
    ];
    let all = Answer {
        instead: None,
        hold: Some("h".into()),
        context: Some("c".into()),
        message: Some("m".into()),
        stderr: vec![],
        release: None,
    };
    for event in ["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "SessionStart"] {
        let Json::Object(top) = rendered(Agent::Codex, event, &all, Protocol::Own) else { panic!("{event}") };
        let inner = top.get("hookSpecificOutput").and_then(Json::as_object).cloned().unwrap_or_default();
        assert!(top.keys().chain(inner.keys()).all(|key| known.contains(&key.as_str())), "{event}");
        assert_eq!(top.contains_key("hookSpecificOutput"), event != "Stop");
    }
}

#[test]
fn agents_are_recognized_by_what_they_send() {
    let codex = json!({"turn_id": "t", "model": "m"});
    assert_eq!(Agent::recognise(Some(Agent::Claude), &codex), Agent::Codex);
    assert_eq!(Agent::recognise(Some(Agent::Codex), &json!({"prompt_id": "p"})), Agent::Claude);
    assert_eq!(Agent::recognise(Some(Agent::Codex), &json!({})), Agent::Codex);
    assert_eq!(Agent::recognise(None, &json!([])), Agent::Claude);
}

#[test]
fn payloads_become_events() {
    let payload = json!({"session_id": "s", "cwd": "/p", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": "x"}, "error": "Exit code 1"});
    let (_, event) = event(Agent::Claude, &payload, &NOWHERE).unwrap();
    assert_eq!(
        (event.moment, event.cwd.as_str(), event.session.as_deref()),
        (Moment::After, "/p", Some("s"))
    );
    let tool = event.tool.unwrap();
    assert_eq!((tool.error_text().as_deref(), tool.result_text()), (Some("Exit code 1"), None));
}

#[test]
fn unknown_events_and_rubbish_are_none() {
    for payload in [
        json!({"hook_event_name": "WorktreeCreate"}),
        json!({"hook_event_name": 5}),
        json!([]),
        json!(null),
        json!("x"),
        json!({}),
    ] {
        assert!(event(Agent::Claude, &payload, &NOWHERE).is_none(), "{payload}");
    }
}

#[test]
fn a_payload_without_an_event_name_is_guessed() {
    let guess = |payload: Json, moment| {
        event(Agent::Claude, &payload, &Otherwise { cwd: "/w", moment }).unwrap().1.moment
    };
    assert_eq!(guess(json!({"tool_name": "Task"}), None), Moment::Before);
    assert_eq!(guess(json!({"tool_name": "Task", "tool_result": "x"}), None), Moment::After);
    assert_eq!(guess(json!({"tool_name": "Write"}), Some(Moment::After)), Moment::After);
    // A default moment without a tool does not apply to a payload with one.
    assert_eq!(guess(json!({"tool_name": "Task"}), Some(Moment::Stop)), Moment::Before);
    assert_eq!(guess(json!({"stop_hook_active": true}), Some(Moment::Stop)), Moment::Stop);
    let before = Otherwise { cwd: "/w", moment: Some(Moment::Before) };
    assert!(event(Agent::Claude, &json!({}), &before).is_none());
    let relative = json!({"tool_name": "Task", "cwd": "somewhere"});
    assert_eq!(event(Agent::Claude, &relative, &NOWHERE).unwrap().1.cwd, "/w");
}
