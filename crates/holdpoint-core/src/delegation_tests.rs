use std::borrow::Cow;

use serde_json::json;

use super::*;
use crate::workflow::Named;

fn rules() -> Delegation {
    Delegation {
        agents: "ownership".into(),
        aside: Cow::Borrowed(&[Cow::Borrowed("all"), Cow::Borrowed("setup")]),
        setup: Cow::Borrowed(&[Cow::Borrowed("init"), Cow::Borrowed("status"), Cow::Borrowed("new project")]),
        not_setup: Cow::Borrowed(&[Cow::Borrowed("status code")]),
        aliases: Cow::Borrowed(&[Named { name: Cow::Borrowed("dev"), source: Cow::Borrowed("developer") }]),
        ..Delegation::default()
    }
}

fn detect_in(agent: &str, prompt: &str, known: &[&str]) -> Detected {
    let tool = Tool {
        name: "Task".into(),
        input: json!({"subagent_type": agent, "prompt": prompt}),
        ..Tool::default()
    };
    let agents =
        [("boss", "all"), ("developer", "06-implementation"), ("scout", "setup"), ("tester", "07-testing")];
    let agents = || Ok::<_, ()>(agents.iter().map(|(n, p)| ((*n).to_owned(), (*p).to_owned())).collect());
    let phases = || Ok(known.iter().map(|p| (*p).to_owned()).collect());
    detect(&rules(), &tool, agents, phases).unwrap()
}

fn phase(agent: &str, prompt: &str) -> Option<String> {
    detect_in(agent, prompt, &["06-implementation", "08-code-review"]).phase
}

#[test]
fn agents_are_known_by_every_spelling() {
    for name in ["developer", " Developer ", "dev", "05-developer", "plugin:developer", "d3-developer"] {
        assert_eq!(phase(name, "go").as_deref(), Some("06-implementation"), "{name}");
    }
    assert_eq!(phase("boss", "06-implementation"), None, "an orchestrator's call is no delegation");
    assert_eq!(phase("scout", "06-implementation"), None);
}

#[test]
fn set_up_words_are_whole_words() {
    assert_eq!(phase("developer", "init the repo"), None);
    assert_eq!(phase("developer", "a New Project"), None);
    for prompt in ["the initial import", "reinitialise", "return a status code", "re-init"] {
        assert_eq!(phase("developer", prompt).as_deref(), Some("06-implementation"), "{prompt}");
    }
}

#[test]
fn a_phase_is_a_token_of_its_own() {
    for prompt in [
        "do 08-code-review now",
        "PHASE: 08-code-review.",
        "(08-code-review)",
        "phase 08",
        "Phase: 08, please",
    ] {
        assert_eq!(phase("x", prompt).as_deref(), Some("08-code-review"), "{prompt}");
    }
    for prompt in [
        "base64-encoded",
        "sha256-based",
        "2024-10-report.md",
        "win32-x64",
        "UTF-16-le",
        "3.11-slim",
        "#42-login",
        "docs/08-code-review/a",
        "08-code-review.md",
        "a 12-factor app",
        "64-bit",
        "phase 99",
        "phase 081",
        "08",
    ] {
        assert_eq!(phase("x", prompt), None, "{prompt}");
    }
    assert_eq!(phase("x", "phase 99-unheard-of").as_deref(), Some("99-unheard-of"));
    assert_eq!(detect_in("x", "12-factor", &[]).phase.as_deref(), Some("12-factor"));
}

#[test]
fn agents_are_found_in_the_text() {
    let found = detect_in("general-purpose", "ask the Tester", &[]);
    assert_eq!((found.agent.as_deref(), found.phase.as_deref()), (Some("tester"), Some("07-testing")));
    assert_eq!(phase("x", "the boss and the testers"), None);
}

#[test]
fn a_manifest_gives_agents_in_its_order() {
    let manifest = br#"{"version":"4","ownership":{"b":{"skills":[1,{"x":2}],"phase":"02-x"},"A":{"phase":"01-y"},"c":{}},"z":[]}"#;
    let agents = agents_in(manifest, "ownership").unwrap();
    assert_eq!(agents, [("b".into(), "02-x".into()), ("a".into(), "01-y".into())]);
    assert!(
        agents_in(b"\xef\xbb\xbf{\"ownership\":{\"a\":{\"phase\":\"01-y\"}}}", "ownership").unwrap().len()
            == 1
    );
    let odd = br#"{"ownership":{"a":"text","b":{"phase":8},"c":{"phase":"01-y"}}}"#;
    assert_eq!(
        agents_in(odd, "ownership").unwrap(),
        [("c".into(), "01-y".into())],
        "an odd entry is no agent"
    );
    assert!(agents_in(b"[]", "ownership").is_err());
    assert!(agents_in(br#"{"ownership": 5}"#, "ownership").is_err());
}
