//! `holdpoint status`.

use insta::assert_snapshot;

use crate::project::Project;
use crate::shown::{REVIEWED, reviewed, shell, shown};

#[test]
fn with_nothing_active_it_says_what_would_be() {
    let project = Project::new();
    project.workflow("reviewed", REVIEWED).write(".holdpoint/holdpoint.toml", "workflows = ['reviewed']");
    let text = shown(&project, &["status"]);
    let without_built_in: Vec<&str> =
        text.lines().filter(|line| !line.contains("(not enabled by ")).collect();
    assert!(without_built_in.len() < text.lines().count(), "built-in workflows are not enabled: {text}");
    assert_snapshot!(without_built_in.join("\n"), @"
    No workflow is active in [ROOT].

    No agent's hook has fired here yet. See `holdpoint doctor`.

    A workflow is active if its marker is in this folder or one above it:
      reviewed   .reviewed             Reviews before commits.
    [exit 0]
    ");
    let json = project.run(&["status", "--json"]).json();
    assert_eq!(json["runs"].as_array().unwrap().len(), 0);
    assert_eq!(
        (&json["inactive"][0]["marker"], &json["inactive"][0]["left_out"]),
        (&".reviewed".into(), &false.into())
    );
    let elsewhere = Project::new().run(&["status"]);
    assert!(elsewhere.stdout.starts_with("No workflow is active in "), "{}", elsewhere.stdout);
}

#[test]
fn a_run_shows_its_phase_and_what_the_hook_did() {
    let project = reviewed();
    assert_snapshot!(shown(&project, &["status"]), @"
    reviewed  the project's own, [ROOT]/.holdpoint/workflows/reviewed
      home    [ROOT]
      state   .reviewed/state.json, present
      phase   code
      fired   never: no agent's hook has called this workflow here
      held    never
      faults  none in the last day
    [exit 0]
    ");
    project.hook(&shell(&project, "s1", "git commit"));
    project.hook(&shell(&project, "s1", "ls"));
    project.run_with(&["hook"], b"nonsense");
    project.write("deep/down/x", "");
    let mut below = project.command(&["status"]);
    let below = below.current_dir(project.root().join("deep/down")).output().unwrap();
    assert_eq!(String::from_utf8(below.stdout).unwrap(), project.run(&["status"]).stdout);
    assert_snapshot!(shown(&project, &["status"]), @"
    reviewed  the project's own, [ROOT]/.holdpoint/workflows/reviewed
      home    [ROOT]
      state   .reviewed/state.json, present
      phase   code
      now     held by no-commit (once): NOT REVIEWED: phase code.
      next    holdpoint why
      fired   [DATE] [TIME] UTC, just now: before Bash: ls
      held    last [DATE] [TIME] UTC, just now: no-commit NC-1
      faults  none in the last day

    Other faults: 1 in the last day, see `holdpoint log --faults`
    [exit 0]
    ");
    let run = &project.run(&["status", "--json"]).json()["runs"][0];
    assert_eq!((&run["phase"], &run["origin"]), (&"code".into(), &"project".into()));
    assert_eq!(run["last_hold"]["rules"][0]["rule"], "no-commit");
}

#[test]
fn a_broken_or_missing_state_is_told() {
    let project = reviewed();
    project.write(".reviewed/state.json", "{ broken");
    project.hook(&shell(&project, "s1", "git commit"));
    assert_snapshot!(shown(&project, &["status"]), @"
    reviewed  the project's own, [ROOT]/.holdpoint/workflows/reviewed
      home    [ROOT]
      state   .reviewed/state.json, broken: it is not valid JSON: key must be a string at line 1 column 3
      phase   unknown: the state is broken
      now     no-commit released: it could not be judged
      next    holdpoint log --faults
      fired   [DATE] [TIME] UTC, just now: before Bash: git commit
      held    never
      faults  1 in the last day, see `holdpoint log --faults`
    [exit 0]
    ");
    std::fs::remove_file(project.root().join(".reviewed/state.json")).unwrap();
    let run = &project.run(&["status", "--json"]).json()["runs"][0];
    assert_eq!((&run["state"]["status"], &run["phase"]), (&"missing".into(), &serde_json::Value::Null));
    std::fs::create_dir(project.root().join(".reviewed/state.json")).unwrap();
    let run = &project.run(&["status", "--json"]).json()["runs"][0];
    assert_eq!(run["state"]["status"], "broken");
}

#[test]
fn a_state_whose_path_cannot_be_told_is_told() {
    let project = reviewed();
    let workflow = REVIEWED.replace(".reviewed/state.json", "{{ state_path }}");
    let workflow = format!("{workflow}state_path = \"file('where.json').json.path\"\n");
    project.workflow("reviewed", &workflow).write("where.json", "{");
    let text = shown(&project, &["status"]);
    assert!(
        text.contains("\n  state   broken, its path is unknown: `where.json` is not valid JSON"),
        "{text}"
    );
    assert!(text.contains("\n  phase   unknown: the state is broken\n"), "{text}");
}

#[test]
fn no_state_makes_it_fail() {
    let project = reviewed();
    for state in [
        "5",
        "[]",
        "null",
        "",
        "\"x\"",
        "{\"phase\": {\"a\": [1]}}",
        "{\"phase\": \"a\\u001b[31m\"}",
        "\u{feff}{}",
    ] {
        let printed = project.write(".reviewed/state.json", state).run(&["status"]);
        assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""), "{state}");
        assert!(!printed.stdout.contains('\u{1b}'), "{state}");
    }
}

#[test]
fn a_broken_workflow_is_told_with_why() {
    let project = Project::new();
    project.workflow("broken", "about = 1\n[run\n").write(".holdpoint/holdpoint.toml", "workflow = 1");
    project.hook(&shell(&project, "s1", "ls"));
    let text = shown(&project, &["status"]);
    let (told, _) = text.split_once("No workflow is active").unwrap();
    assert_snapshot!(told, @"
    [ROOT]/.holdpoint/holdpoint.toml:1:1: unknown key `workflow` in holdpoint.toml (did you mean `workflows`?)

    broken  cannot be used, so it holds nothing
      [ROOT]/.holdpoint/workflows/broken/workflow.toml:2:5: unclosed table, expected `]` (close it: [NAME])
      see `holdpoint check broken`
    ");
}

#[test]
fn whose_turn_it_is_and_what_became_of_a_hold_is_said_everywhere() {
    let project = reviewed();
    let ask = || project.hook(&shell(&project, "s1", "git commit"));
    let (log, why) = (|| project.run(&["log"]), || project.run(&["why"]).stdout);
    ask();
    let words = "held by no-commit (once): NOT REVIEWED: phase code.";
    let status = project.run(&["status"]).stdout;
    assert!(status.contains(&format!("now     {words}")), "{status}");
    assert!(
        log().stderr.contains(&format!("Now, reviewed: {words} Next: `holdpoint why`.")),
        "{}",
        log().stderr
    );
    assert!(why().contains("now    still open"), "{}", why());
    project.write(".reviewed/state.json", "{\"phase\": \"code\", \"reviewed\": true}\n");
    ask();
    assert!(!project.run(&["status"]).stdout.contains("now  "));
    assert_eq!(log().stderr, "");
    assert!(
        log().stdout.contains("[reviewed no-commit NC-1]  (satisfied)  NOT REVIEWED"),
        "{}",
        log().stdout
    );
    assert!(why().contains("now    satisfied"), "{}", why());
    assert_eq!(project.run(&["why", "--json"]).json()["rules"][0]["now"], "satisfied");
}
