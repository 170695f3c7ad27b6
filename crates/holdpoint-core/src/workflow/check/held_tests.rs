use crate::diagnostic::Severity;
use crate::workflow::check::{Surroundings, check};
use crate::workflow::parse::parse;

const FLOW: &str = r#"
about = "x"
[run]
home  = ".x"
state = "s.json"
due   = "at.next"
[phases.plan]
by   = "user"
ask  = "Then `holdpoint flow done plan`."
then = "mend"
[phases.mend]
by     = "agent"
report = "r"
ask    = "Then run: holdpoint flow done mend"
then   = "end"
[commands.done]
about = ""
args  = ["phase"]
steps = [ { finish = "{{ args.phase }}" } ]
[commands.halt]
about = ""
steps = [ { go = "mend", say = "Now `holdpoint why`" } ]
[let]
due   = "state.at.next"
known = "due in ['mend']"
"#;

/// The complaints about that workflow with a hold before shell commands, each as `place: message`.
fn complaints(when: &str, say: &str) -> Vec<String> {
    let hold = format!("[holds.closed]\non = \"before shell\"\nwhen = \"{when}\"\nsay = \"{say}\"\n");
    let source = format!("{FLOW}{hold}");
    let parsed = parse("flow", &source, &|_| None);
    let problems = check(&parsed, &Surroundings::default()).into_iter();
    let errors = problems.filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| format!("{}: {}", &source[problem.span.clone()], problem.message)).collect()
}

#[test]
fn a_command_that_is_held_in_its_phase_is_refused() {
    let held = |command: &str, due: &str| {
        let message = "this text sends the agent to";
        format!("{command}: {message} `{command}`, which hold `closed` blocks while `{due}` is due")
    };
    let mend = held("holdpoint flow done mend", "mend");
    for when in [
        "state.at.next == 'mend'",
        "known",
        "due == 'mend' and 'git' not in tool.command",
        "due == 'mend' or state.broken",
    ] {
        assert_eq!(complaints(when, "Wait."), [mend.clone(), held("holdpoint why", "mend")], "{when}");
    }
    let done = "due and tool.command is startingwith('holdpoint flow done')";
    assert_eq!(complaints(done, "Wait."), [held("holdpoint flow done plan", "plan"), mend]);
}

#[test]
fn what_may_be_let_go_is_not_refused() {
    for when in [
        "due == 'other'",
        "due == 'mend' and not (tool.command is startingwith('holdpoint'))",
        "due == 'mend' and not file('plan.md').exists",
        "not state.approved",
        "due == 'mend' and state.round > 2",
        "due == 'mend' and env.STRICT",
        "due == 'mend' and git.branch != 'main'",
        "due == 'mend' and not run.has_state",
        "due == 'mend' and tool.commits_to",
        "no_such_name.x == due",
    ] {
        let found = complaints(when, "Wait.");
        assert!(found.iter().all(|line| line.contains("unknown name")), "{when}: {found:?}");
    }
}

#[test]
fn a_hold_that_blocks_what_it_names_itself_is_refused() {
    let other = "tool.command is startingwith('holdpoint flow halt')";
    let blocked =
        "holdpoint flow halt: this text sends the agent to `holdpoint flow halt`, which hold `closed` blocks";
    assert_eq!(complaints(other, "First run `holdpoint flow halt`."), [blocked]);
    assert_eq!(complaints(other, "First run `holdpoint flow done plan`."), [""; 0]);
    let stop = |due: &str| {
        let rule = format!(
            "[holds.stop]\non = \"stop\"\nwhen = \"due == '{due}'\"\nsay = \"`holdpoint flow halt`\""
        );
        complaints("due == 'plan' and 'halt' in tool.command", &format!("Wait.\"\n{rule}\n#"))
    };
    assert_eq!(stop("mend"), [""; 0], "it is said where nothing is held");
    assert_eq!(stop("plan").len(), 1);
}

#[test]
fn texts_for_others_are_left_alone() {
    // The user's shell is held by nobody, and reviewers run without hooks.
    let told = FLOW.replace("then   = \"end\"", "then   = { tell = \"`holdpoint flow halt`\" }");
    assert_ne!(told, FLOW);
    let hold =
        "[holds.h]\non = \"before\"\nwhen = \"'halt' in tool.command and due and known\"\nsay = \"x\"\n";
    let parsed = parse("flow", &format!("{told}{hold}"), &|_| None);
    assert_eq!(check(&parsed, &Surroundings::default()), []);
    let sent_back = told.replace("tell =", "hold =");
    let parsed = parse("flow", &format!("{sent_back}{hold}"), &|_| None);
    assert_eq!(check(&parsed, &Surroundings::default()).len(), 1);
}

#[test]
fn a_text_that_asks_for_an_approval_speaks_to_people() {
    let asks = |command: &str| FLOW.replace("`holdpoint flow done plan`", &format!("`holdpoint {command}`"));
    let hold = "[holds.h]\non = \"before shell\"\nwhen = \"due == 'plan'\"\nsay = \"x\"\n";
    for (command, expect) in [("approve qa", 0), ("why", 1)] {
        let parsed = parse("flow", &format!("{}{hold}", asks(command)), &|_| None);
        let problems = check(&parsed, &Surroundings::default());
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
        assert_eq!(errors.count(), expect, "{command}");
    }
}
