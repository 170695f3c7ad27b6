use super::*;
use crate::workflow::parse::parse;

fn drawn(phases: &str, format: Format) -> String {
    let head = "about = \"\"\n[run]\nhome = \".x\"\nstate = \"s.json\"\ndue = \"next\"\n[reviewers.r]\ncommand = [\"x\"]\n";
    graph(&parse("x", &format!("{head}{phases}"), &|_| None).workflow).drawn(format)
}

#[test]
fn limits_are_said_as_the_file_has_them() {
    let agent = |most: &str| {
        let limit = if most.is_empty() { "" } else { "limit = \"n\"\n" };
        let limits = if most.is_empty() {
            String::new()
        } else {
            format!("[limits]\nn = {{ then = \"end\", {most}\n")
        };
        let phase = "[phases.a]\nby = \"agent\"\nreport = \"r\"\nthen = \"end\"\n";
        let text = drawn(&format!("{phase}{limit}{limits}"), Format::Plain);
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(agent(""), "a  agent, sent back at most 3 times");
    assert_eq!(agent("most = 0 }"), "a  agent, asked once");
    assert_eq!(agent("most = 1 }"), "a  agent, sent back at most 1 time");
    assert_eq!(agent("most = \"state.n\" }"), "a  agent, sent back at most n times");
    assert_eq!(agent("most = \"most\" }"), "a  agent, sent back at most most times");
    assert_eq!(agent("most = \"state.n\" }\n[fields]\nn = 2\n"), "a  agent, sent back at most 2 times (n)");
}

#[test]
fn a_limit_that_leads_somewhere_is_an_arrow() {
    let text = drawn(
        "[phases.a]\nby = \"reviewer\"\nreport = \"r\"\nlimit = \"n\"\nthen.fault = { tell = \"x\" }\n[limits]\nn = { most = 2, then = \"end\" }\n",
        Format::Plain,
    );
    assert_eq!(text, "a  reviewer, at most 2 rounds\n  limit → end");
}

#[test]
fn a_named_limit_is_on_the_steps_that_use_it_up() {
    let text = drawn(
        "[phases.a]\nby = \"reviewer\"\nverdicts = [\"yes\", \"no\"]\nthen.yes = \"end\"\nthen.no = { go = \"u\", round = \"tries\" }\n[phases.u]\nby = \"user\"\n[limits]\ntries = { count = \"n\", most = 2, then = \"end\" }\n",
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
