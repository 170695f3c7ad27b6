use super::*;
use crate::workflow::parse::parse;

fn drawn(phases: &str, format: Format) -> String {
    let head = "about = \"\"\n[run]\nhome = \".x\"\nstate = \"s.json\"\ndue = \"next\"\n[reviewers.r]\ncommand = [\"x\"]\n";
    graph(&parse("x", &format!("{head}{phases}"), &|_| None).workflow).drawn(format)
}

#[test]
fn limits_are_said_as_the_file_has_them() {
    let agent = |rounds: &str| {
        let text = drawn(&format!("[phases.a]\nby = \"agent\"\nreport = \"r\"\n{rounds}"), Format::Plain);
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(agent(""), "a  agent, sent back at most 3 times");
    assert_eq!(agent("rounds = { limit = 0 }"), "a  agent, not sent back");
    assert_eq!(agent("rounds = { limit = 1 }"), "a  agent, sent back at most 1 time");
    assert_eq!(agent("rounds = { limit = \"n\" }"), "a  agent, sent back at most n times");
    assert_eq!(agent("rounds = { limit = \"{{ most }}\" }"), "a  agent, sent back at most most times");
    assert_eq!(
        agent("rounds = { limit = \"n\" }\n[fields]\nn = 2\n"),
        "a  agent, sent back at most 2 times (n)"
    );
}

#[test]
fn a_limit_that_leads_somewhere_is_an_arrow() {
    let text = drawn(
        "[phases.a]\nby = \"reviewer\"\nreport = \"r\"\nrounds = { count = \"n\", limit = 2, exhausted = { go = \"end\" } }\nfailed = { tell = \"x\" }\n",
        Format::Plain,
    );
    assert_eq!(text, "a  reviewer, at most 2 rounds\n  limit → end");
}

#[test]
fn a_named_limit_is_on_the_steps_that_use_it_up() {
    let text = drawn(
        "[phases.a]\nby = \"reviewer\"\nthen.yes = { go = \"end\" }\nthen.no = { go = \"u\", round = \"tries\" }\n[phases.u]\nby = \"user\"\n[rounds]\ntries = { count = \"n\", limit = 2, exhausted = { go = \"end\" } }\n",
        Format::Plain,
    );
    assert!(
        text.starts_with(
            "a  reviewer\n  yes → end\n  no → u  (at most 2 of tries, stops for the user)\n  tries used up → end"
        ),
        "{text}"
    );
}

#[test]
fn conditions_cannot_break_out_of_their_quotes() {
    let phases =
        "[phases.u]\nby = \"user\"\nthen = { when = 'state.a == \"#\\\\\" and 1 < 2', go = \"end\" }\n";
    let mermaid = drawn(phases, Format::Mermaid);
    assert!(mermaid.contains(r#"|"then, when state.a == #quot;#35;\\#quot; and 1 #lt; 2"|"#), "{mermaid}");
    let dot = drawn(phases, Format::Dot);
    assert!(dot.contains(r##"[label="then, when state.a == \"#\\\\\" and 1 < 2"]"##), "{dot}");
}
