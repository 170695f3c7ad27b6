use super::*;
use crate::workflow::parse::parse;

const TEXT: &str = "Held: {{ who }}\n{{ whoo }}\n";

/// The complaints about a workflow file, each as `file:line: message (hint)`.
fn complaints(source: &str) -> Vec<String> {
    let read = |file: &str| (file == "texts/a.md").then(|| TEXT.to_owned());
    let parsed = parse("x", source, &read);
    let files = [("texts/a.md".to_owned(), TEXT.to_owned())];
    let problems = check(&parsed, &Surroundings { files: &files, ..Surroundings::default() });
    let text_of = |file: &str| if file == "texts/a.md" { TEXT } else { source };
    problems
        .iter()
        .map(|p| {
            let (line, column) = p.position(text_of(&p.file));
            let hint = p.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{}:{line}:{column}: {}{hint}", p.file, p.message)
        })
        .collect()
}

#[test]
fn mistakes_have_their_place_and_a_hint() {
    let found = complaints(
        "about = \"x\"\nabuot = \"y\"\n[run]\nhome = \".x\"\n\n[holds.a]\non = \"befor shell\"\nwen = \"1\"\nsay = \"x\"\n",
    );
    assert_eq!(
        found[..3],
        [
            "workflow.toml:2:1: unknown key `abuot` in a workflow file (did you mean `about`?)",
            "workflow.toml:8:1: unknown key `wen` in [holds.a] (did you mean `when`?)",
            "workflow.toml:7:6: unknown event `befor` (did you mean `before`?)",
        ]
    );
}

#[test]
fn unknown_names_filters_and_tests_are_refused() {
    let found = complaints(
        "about = \"x\"\n[run]\nhome = \".x\"\n[holds.a]\non = \"before shell\"\nwhen = '''who and\n  whom'''\nsay = \"texts/a.md\"\n[let]\nwho = \"tool.name | uper is defind\"\n",
    );
    assert_eq!(
        found,
        [
            "workflow.toml:7:3: unknown name `whom` (did you mean `who`?)",
            "workflow.toml:10:28: unknown test `defind` (did you mean `defined`?)",
            "workflow.toml:10:20: unknown filter `uper` (did you mean `upper`?)",
            "texts/a.md:2:4: unknown name `whoo` (did you mean `who`?)",
        ]
    );
}

#[test]
fn what_is_missing_or_of_the_wrong_type_is_told() {
    let found = complaints("run = 5\n[[hold]]\nname = 1\n");
    assert!(found.contains(&"workflow.toml:1:7: `run` must be a table".to_owned()), "{found:?}");
    assert!(found.iter().any(|line| line.contains("write [holds.NAME], one table each")), "{found:?}");
    let found = complaints(
        "about = \"\"\n[run]\nhome = \"../x\"\n[witnesses.a]\nto = \"everyone\"\nsay = \"texts/none.md\"\n",
    );
    for part in [
        "`home` must be a name below",
        "[witnesses.a] has no `on`",
        "unknown audience `everyone`",
        "there is no text file `texts/none.md`",
        "no rule says this text",
    ] {
        assert!(found.iter().any(|line| line.contains(part)), "{part}: {found:?}");
    }
}

#[test]
fn broken_toml_is_told_with_its_line() {
    let found = complaints("about = \"x\"\n[run\n");
    assert!(found[0].starts_with("workflow.toml:2:"), "{found:?}");
}

#[test]
fn names_that_clash_or_idle_are_told() {
    let found = complaints("about = \"\"\n[run]\nhome = \".x\"\n[let]\nstate = \"1\"\nidle = \"1\"\n");
    assert!(found.iter().any(|line| line.contains("`state` is taken")), "{found:?}");
    assert!(found.iter().any(|line| line.contains("nothing uses `idle`")), "{found:?}");
}

#[test]
fn the_words_of_a_program_use_names() {
    let head = "about = \"\"\n[run]\nhome = \".x\"\n[let]\none = \"1\"\nother = \"2\"\n";
    let programs = "[checks.c]\nrun = [\"x\", \"{{ one }}\"]\n[reviewers.r]\ncommand = [\"y\", \"{{ other }}\", \"{{ odher }}\"]\n";
    let found = complaints(&format!("{head}{programs}"));
    assert!(!found.iter().any(|line| line.contains("nothing uses")), "{found:?}");
    assert!(found.iter().any(|line| line.contains("odher")), "{found:?}");
}

#[test]
fn what_lets_the_agent_go_can_neither_hold_it_nor_speak_to_it() {
    let found = complaints(
        "about = \"\"\n[run]\nhome = \".x\"\n[legacy]\nrelease = { decision = \"block\", supressOutput = true, continue = false }\nbad_inptu = 1\nbad_input = 256\n",
    );
    assert_eq!(
        found[..5],
        [
            "workflow.toml:6:1: unknown key `bad_inptu` in [legacy] (did you mean `bad_input`?)",
            "workflow.toml:7:13: `bad_input` must be an exit code, from 0 to 255",
            "workflow.toml:5:33: unknown key `supressOutput` in `release` (did you mean `suppressOutput`?)",
            "workflow.toml:5:24: `decision` in `release` must let the agent go (write decision = \"approve\", continue = true or suppressOutput = true)",
            "workflow.toml:5:66: `continue` in `release` must let the agent go (write decision = \"approve\", continue = true or suppressOutput = true)",
        ]
    );
    let found = complaints("about = \"\"\n[run]\nhome = \".x\"\n[legacy]\nrelease = 5\nbad_input = -1\n");
    assert!(found.iter().any(|line| line.contains("`release` must be a table")), "{found:?}");
    assert!(found.iter().any(|line| line.contains("from 0 to 255")), "{found:?}");
}

#[test]
fn values_of_the_wrong_kind_and_paths_that_lead_out_are_told() {
    let head = "about = \"\"\n[run]\nhome = \".x\"\nlog = \"../../x.log\"\n[checks.c]\nrun = [\"x\"]\ntimeout = \"540\"\n";
    let step = "fail = \"2\", restore = \"yes\", keep = [\"../x\"], say = \"no\"";
    let found = complaints(&format!(
        "{head}[commands.a]\nabout = \"\"\nsteps = [{{ {step} }}, {{ fail = 300, say = \"no\" }}]\n[commands.b]\nabout = \"\"\nargs = \"x\"\nsteps = {{}}\n"
    ));
    for part in [
        "`log` must be a name beside the runs",
        "`timeout` must be a whole number",
        "`fail` must be a whole number",
        "`restore` must be true or false",
        "`../x` leaves the project folder",
        "`args` must be a list",
        "`steps` must be a list",
    ] {
        assert!(found.iter().any(|problem| problem.contains(part)), "{part}: {found:#?}");
    }
    assert_eq!(found.iter().filter(|problem| problem.contains("`fail`")).count(), 2);
}

/// A state without `[fields]` is somebody else's: any field can be read, and one that is read can be set.
#[test]
fn a_foreign_state_is_open_but_for_fields_that_nobody_names() {
    let told = |set: &str| {
        let rule = format!("set = {{ {set} = 1 }}\nto = \"log\"\nsay = \"{{{{ state.count }}}}\"\n");
        let source = format!(
            "about = \"\"\n[run]\nhome = \".x\"\nstate = \"s.json\"\n[witnesses.w]\non = \"stop\"\n{rule}"
        );
        let parsed = crate::workflow::parse::parse("x", &source, &|_| None);
        check(&parsed, &Surroundings::default())
            .iter()
            .map(|problem| problem.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(told("count"), [""; 0]);
    assert_eq!(told("coun"), ["nothing declares the field `coun`"]);
}
