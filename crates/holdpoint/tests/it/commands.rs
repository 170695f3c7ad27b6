//! The commands that workflows bring along: how an agent tells what it has done without editing JSON by hand.

use serde_json::{Value as Json, json};

use crate::project::Project;

const WORKFLOW: &str = r#"
about = "Drafts with commands."
[run]
home   = ".drafts"
each   = "*"
newest = ["*.md", "state.json"]
state  = "state.json"
due    = "next"
last   = "done"
[phases.write]
by   = "user"
then = { go = "mend", renew = "rounds" }
[phases.mend]
by     = "agent"
ask    = "MEND."
report = "mend.md"
then   = "check"
[phases.aside]
by   = "user"
then = {}
[phases.check]
by     = "reviewer"
prompt = "CHECK."
report = "report.md"
then.fail = "mend"
then.pass = "end"
limit  = "rounds"
[limits]
rounds = { count = "round", most = 3, then = {} }
[reviewers.r]
command = ["true"]
[fields]
round = 0
next  = { is = "text?" }
note  = ""
done  = ""
[commands.new]
about = "A new draft"
args  = ["name"]
steps = [ { create = "{{ args.name }}", finish = "write", say = "NEW {{ run.name }}, next {{ state.next }}." } ]
[commands.done]
about = "A phase is finished"
args  = ["phase", "note?"]
steps = [
  { when = "args.note", set = { note = "{{ args.note }}" }, finish = "{{ args.phase }}", say = "NOTED." },
  { finish = "{{ args.phase }}", say = "NEXT {{ state.next }}." },
]
[commands.look]
about = "Where it stands"
steps = [ { when = "run.has_state", say = "HERE." }, { say = "NO STATE." } ]
[commands.stop]
about = "Nothing is due any more"
steps = [ { go = "end", say = "STOPPED." } ]
"#;

fn project() -> Project {
    let project = Project::new();
    project.workflow("drafts", WORKFLOW);
    project
}

fn state(project: &Project) -> Json {
    serde_json::from_str(&project.read(".drafts/one/state.json")).unwrap()
}

#[test]
fn a_run_is_made_moved_on_and_stopped() {
    let project = project();
    let made = project.run(&["drafts", "new", "one"]);
    assert_eq!((made.code, made.stdout.as_str()), (Some(0), "NEW one, next mend.\n"), "{}", made.stderr);
    assert_eq!(state(&project), json!({"round": 0, "next": "mend", "note": "", "done": "write"}));
    let early = project.run(&["drafts", "done", "mend"]);
    assert_eq!(early.code, Some(1));
    assert!(early.stderr.contains("`mend` is not finished: mend.md is not there yet"), "{}", early.stderr);
    project.write(".drafts/one/mend.md", "");
    assert_eq!(project.run(&["drafts", "done", "mend"]).stdout, "NEXT check.\n");
    let review = project.run(&["drafts", "done", "check"]);
    assert!(review.stderr.contains("`check` is a review"), "{}", review.stderr);
    assert_eq!(project.run(&["drafts", "stop"]).stdout, "STOPPED.\n");
    assert_eq!(state(&project)["next"], Json::Null);
    assert_eq!(project.run(&["drafts", "done", "write", "a \"note\" {{ x }}"]).stdout, "NOTED.\n");
    assert_eq!(state(&project)["note"], "a \"note\" {{ x }}");
    assert_eq!(project.journal().last().unwrap()["event"], "command");
}

#[test]
fn names_that_could_leave_the_folder_are_refused() {
    let project = project();
    for name in ["../x", "a/b", ".hidden", "", "a b", "$(x)"] {
        let printed = project.run(&["drafts", "new", name]);
        assert_eq!(printed.code, Some(2), "{name}");
        assert!(printed.stderr.contains("cannot be a run's name"), "{}", printed.stderr);
    }
    assert!(!project.root().join(".drafts").exists());
    project.run(&["drafts", "new", "one"]);
    assert!(project.run(&["drafts", "new", "one"]).stderr.contains("there is a run `one` already"));
}

#[test]
fn wrong_use_is_told_with_a_hint() {
    let project = project();
    let help = project.run(&["drafts"]);
    assert_eq!(help.code, Some(0));
    assert!(help.stdout.contains("done <PHASE> [NOTE]       A phase is finished"), "{}", help.stdout);
    for (args, parts) in [
        (&["drafts", "doen"][..], &["has no command `doen`", "did you mean `holdpoint drafts done`?"][..]),
        (&["drafts", "done"], &["<PHASE> is missing", "hint: holdpoint drafts done <PHASE> [NOTE]"]),
        (&["nosuch", "x"], &["unknown command or workflow `nosuch`"]),
    ] {
        let printed = project.run(args);
        assert_eq!(printed.code, Some(2), "{args:?}");
        assert!(parts.iter().all(|part| printed.stderr.contains(part)), "{}", printed.stderr);
    }
    assert!(project.run(&["drafts", "stop"]).stderr.contains("there is no run of drafts here"));
}

#[test]
fn no_command_passes_over_what_is_due() {
    let project = project();
    project.run(&["drafts", "new", "one"]);
    let before = state(&project);
    let printed = project.run(&["drafts", "done", "write"]);
    assert_eq!(printed.code, Some(1), "{}", printed.stdout);
    assert!(printed.stderr.contains("cannot be finished while `mend` is due"), "{}", printed.stderr);
    assert_eq!(state(&project), before);
    project.run(&["drafts", "stop"]);
    assert_eq!(project.run(&["drafts", "done", "write"]).code, Some(0), "nothing is due");
}

#[test]
fn commands_at_once_lose_nothing() {
    let project = project();
    project.run(&["drafts", "new", "one"]);
    let mut children: Vec<_> = (0..8)
        .map(|n| project.command(&["drafts", "done", "aside", &format!("note {n}")]).spawn().unwrap())
        .collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    assert!(state(&project)["note"].as_str().unwrap().starts_with("note "));
    assert_eq!(project.journal().iter().filter(|entry| entry["event"] == "command").count(), 9);
}

#[test]
fn a_command_that_only_looks_makes_no_state() {
    let project = project();
    project.write(".drafts/one/draft.md", "# Draft");
    for _ in 0..2 {
        assert_eq!(project.run(&["drafts", "look"]).stdout, "NO STATE.\n");
    }
    assert!(!project.root().join(".drafts/one/state.json").exists());
    assert_eq!(project.run(&["drafts", "stop"]).stdout, "STOPPED.\n");
    assert_eq!(state(&project)["round"], 0, "a first change has all fields");
}
