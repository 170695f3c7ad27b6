use crate::workflow::check::{Surroundings, check};
use crate::workflow::parse::parse;

const FLOW: &str = r#"
about = "x"
[run]
home  = ".x"
state = "s.json"
due   = "next"
[fields]
task = ""
x = false
[phases.plan]
by   = "user"
then = "post-plan-review"
[phases.post-plan-review]
by     = "agent"
report = "r"
ask    = "texts/a.md"
then   = "end"
[commands.done]
about = ""
args  = ["phase", "task?"]
steps = [
  { when = "args.phase == 'everything'", go = "end" },
  { finish = "{{ args.phase }}" },
]
[commands.stop]
about = ""
steps = [ { go = "end" } ]
[commands.add-task]
about = ""
args  = ["task"]
steps = [ { set = { task = "{{ args.task }}" } } ]
"#;

/// The complaints about a text, each as `line:column message (hint)`.
fn complaints(text: &str) -> Vec<String> {
    let read = |file: &str| (file == "texts/a.md").then(|| text.to_owned());
    let parsed = parse("flow", FLOW, &read);
    let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (commands, workflows) = (owned(&["status", "why", "review"]), owned(&["flow", "other"]));
    let files = [("texts/a.md".to_owned(), text.to_owned()), ("commands/go-on.md".to_owned(), String::new())];
    let around =
        Surroundings { files: &files, commands: Some(&commands), workflows: &workflows, variables: None };
    let problems = check(&parsed, &around).into_iter();
    problems
        .map(|problem| {
            assert_eq!(problem.file, "texts/a.md", "{problem:?}");
            let (line, column) = problem.position(text);
            format!("{line}:{column} {} ({})", problem.message, problem.hint.unwrap_or_default())
        })
        .collect()
}

/// The one complaint about a text.
fn complaint(text: &str) -> String {
    let mut found = complaints(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0)
}

#[test]
fn a_command_that_does_not_exist_is_refused() {
    assert_eq!(
        complaint("Answer it.\n\n1. Then `holdpoint flow doen post-plan-review`."),
        "3:25 flow has no command `doen` (did you mean `holdpoint flow done`?)"
    );
    assert_eq!(
        complaint("```sh\ncd x && holdpoint flow finish plan\n```\n"),
        "2:24 flow has no command `finish` (its commands are: done, stop, add-task)"
    );
    for prose in [
        "Only then run: holdpoint flow finish",
        "Run: holdpoint flow finish, then stop.",
        "Answer it:\nholdpoint flow doen post-plan-review",
        "holdpoint flow halt",
    ] {
        assert!(complaint(prose).contains("flow has no command"), "{prose}");
    }
}

#[test]
fn prose_about_the_workflow_names_no_command() {
    for prose in [
        "holdpoint flow is what keeps the books.",
        "Note: holdpoint flow is young. Note: holdpoint flow stops the agent when it must.",
        "What holdpoint flow does, and how holdpoint flow reviews plans.",
        "Run holdpoint flow from the project's folder. Run holdpoint again.",
        "A holdpoint is a step. Holdpoint holds. The holdpoint hook answers; run holdpoint once.",
        "Record it with the `holdpoint flow ...` command, see `holdpoint flow` and `holdpoint --help`.",
        "```\n# holdpoint flow is not started here\nls # nor is holdpoint flow\n```",
        "holdpoint flow stop ends the reviews, holdpoint flow done takes a phase and completes it.",
        "`cargo install holdpoint`, `which holdpoint flow`, `holdpoint flow $ARGUMENTS`",
    ] {
        assert_eq!(complaints(prose), [""; 0], "{prose}");
    }
}

#[test]
fn the_number_of_arguments_must_fit() {
    for right in [
        "`holdpoint flow done plan`, `holdpoint flow done <PHASE> [TASK]`, `holdpoint flow done plan {{ state.task }}`",
        "`holdpoint flow done {% if state.x %}plan{% endif %}`, `holdpoint flow done ...`, `holdpoint flow done --help`",
        "`holdpoint flow add-task 'two words'`, `holdpoint flow add-task <the task's id>`",
        "`holdpoint flow stop && git status`, `holdpoint flow stop # now`, `holdpoint flow stop > /dev/null`",
        "run: holdpoint flow done plan ID and stop. Then holdpoint flow done, and so on.",
        "run: holdpoint flow done\nplan",
        "run: holdpoint flow done `plan`",
    ] {
        assert_eq!(complaints(right), [""; 0], "{right}");
    }
    assert_eq!(
        complaint("`holdpoint flow done`"),
        "1:2 `done` takes 1 to 2 arguments, 0 written (it is `holdpoint flow done <PHASE> [TASK]`)"
    );
    assert_eq!(
        complaint("`holdpoint flow stop {{ state.x }}`"),
        "1:2 `stop` takes no arguments, 1 written (it is `holdpoint flow stop`)"
    );
    for wrong in [
        "`holdpoint flow done plan 7 8`",
        "`holdpoint flow add-task <ID> <TITLE>`",
        "Then run: holdpoint flow done.",
        "The way out:\nholdpoint flow stop PHASE",
    ] {
        assert!(complaint(wrong).contains(" written (it is `holdpoint flow "), "{wrong}");
    }
}

#[test]
fn a_phase_to_finish_must_be_one() {
    assert_eq!(
        complaint("`holdpoint flow done post-plan-reviw`"),
        "1:22 there is no phase `post-plan-reviw` that `done` could finish (did you mean `post-plan-review`?)"
    );
    assert_eq!(
        complaint("`holdpoint flow done zzz 7`"),
        "1:22 there is no phase `zzz` that `done` could finish (the phases there are: plan, post-plan-review)"
    );
    assert!(complaint("then run: holdpoint flow done post-plan-reviw").contains("there is no phase"));
    for right in [
        "`holdpoint flow done everything`",
        "`holdpoint flow done post-plan-review zzz`",
        "`holdpoint flow add-task zzz`",
        "run holdpoint flow done when it is answered",
    ] {
        assert_eq!(complaints(right), [""; 0], "{right}");
    }
}

#[test]
fn the_engines_commands_and_other_workflows_are_known() {
    assert_eq!(complaints("`holdpoint status`, `holdpoint other done x`, run: holdpoint why."), [""; 0]);
    assert_eq!(
        complaint("See `holdpoint staus --json`."),
        "1:16 there is no command or workflow `staus` (did you mean `holdpoint status`?)"
    );
    assert_eq!(
        complaint("`holdpoint zzz`"),
        "1:12 there is no command or workflow `zzz` (the commands there are: status, why, review)"
    );
    assert_eq!(
        complaint("To try again, run: holdpoint reviw"),
        "1:30 there is no command or workflow `reviw` (did you mean `holdpoint review`?)"
    );
    assert!(complaint("`holdpoint flwo done plan`").contains("did you mean `holdpoint flow`?"));
}

#[test]
fn a_slash_command_must_have_its_file() {
    assert_eq!(
        complaints("/flow:go-on, /flow:NAME, /flow:go-*, /flow:x{{ run.name }}, a/flow:x/y? /other:z"),
        [""; 0]
    );
    assert_eq!(
        complaint("Then /flow:goon."),
        "1:6 there is no slash command `/flow:goon` (did you mean `/flow:go-on`?)"
    );
}

#[test]
fn every_text_of_the_folder_is_looked_at_and_told_once() {
    let text = "`holdpoint flow halt`";
    let twice = FLOW.replace("by   = \"user\"", "by   = \"user\"\nask  = \"texts/a.md\"");
    let inline = twice.replace("[commands.stop]\nabout = \"\"", "[commands.stop]\nabout = \"\"\nargs = []");
    let inline = inline.replace(
        "steps = [ { go = \"end\" } ]",
        "steps = [ { go = \"end\", say = \"`holdpoint flow hlt`\" } ]",
    );
    let parsed = parse("flow", &inline, &|file| (file == "texts/a.md").then(|| text.to_owned()));
    let files = [("commands/b.md".to_owned(), text.to_owned()), ("x.toml".to_owned(), text.to_owned())];
    let problems = check(&parsed, &Surroundings { files: &files, ..Surroundings::default() });
    let places: Vec<(&str, &str)> = problems
        .iter()
        .map(|problem| {
            let source = if problem.file == "workflow.toml" { inline.as_str() } else { text };
            (problem.file.as_str(), &source[problem.span.clone()])
        })
        .collect();
    assert_eq!(places, [("workflow.toml", "hlt"), ("texts/a.md", "halt"), ("commands/b.md", "halt")]);
}
