//! What steps do beside setting fields, in a workflow of its own: files written and removed, checks, rounds of an
//! agent's phase, runs with ids, files kept and put back.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::project::{Printed, Project};

const WORKFLOW: &str = r##"
about = "A text is written, checked and handed to a critic."

[run]
home   = ".texts"
each   = "{id}.run"
id     = "{date}-{hex4}"
format = "lines"
due    = "phase"
stamp  = "at"

[phases.writing]
by    = "agent"
ask   = "WRITE text.md."
until = "file('text.md').exists"
then  = "checking"

[phases.checking]
by     = "check"
check  = "words"
limit  = "checks"
then.fail  = { go = "writing", hold = "TOO SHORT: {{ output }}" }
then.pass  = "criticism"
then.fault = { tell = "NOT CHECKED: {{ because }}." }

[phases.criticism]
by       = "agent"
enter    = { write = { ".texts/{{ run.id }}.sh" = "#!/bin/sh\ncat <<'END'\n{{ prompt }}\nEND\n{{ command | join(' ') }}", "copy.md" = "{{ file('text.md').text }}" } }
shown    = { reviewer = "critic", prompt = "CRITICISE round {{ state.round }}." }
ask      = "RUN the critic, round {{ state.round }}."
until    = "state.happy"
limit    = "round"
then     = "over"

[phases.over]
by   = "user"
stop = { when = "file('.texts/' ~ run.id ~ '.sh').exists", remove = [".texts/*.sh", "copy.md"], pause = "OVER after {{ state.round }}." }

[limits]
checks = { most = 3, then = { pause = "CHECKED OFTEN ENOUGH." } }
round  = { count = "round", most = "state.limit", then = "over" }

[reviewers.critic]
command = ["critic", "--round"]

[checks.words]
run     = ["sh", "-c", "wc -w < text.md; test $(wc -w < text.md) -gt 2"]
timeout = 10

[fields]
phase  = ""
round  = 1
limit  = 2
checks = 0
happy  = false
at     = ""

[commands.new]
about = "A new text"
steps = [ { create = true, keep = ["text.md"], go = "writing", say = "NEW {{ run.id }}" } ]

[commands.happy]
about = "The critic is happy"
args  = ["id"]
run   = "{{ args.id }}"
steps = [
  { when = "state.phase != 'criticism'", fail = 7, say = "NOT YET." },
  { set = { happy = true }, say = "GLAD." },
]

[commands.look]
about = "Looks at it"
steps = [ { say = "{{ state.phase }}" } ]

[commands.undo]
about = "Puts the text back"
steps = [ { restore = true, remove = ".texts/*.run", say = "UNDONE {{ runs | length }}." } ]
"##;

fn project() -> (Project, String) {
    let project = Project::new();
    project.workflow("texts", WORKFLOW);
    let printed = project.run(&["texts", "new"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let id = printed.stdout.trim().strip_prefix("NEW ").unwrap().to_owned();
    (project, id)
}

fn stop(project: &Project) -> Printed {
    project.hook(&json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()}))
}

fn state(project: &Project, id: &str) -> String {
    project.read(&format!(".texts/{id}.run"))
}

#[test]
fn a_text_goes_through_its_phases() {
    let (project, id) = project();
    assert!(stop(&project).stdout.contains("WRITE text.md."));
    project.write("text.md", "short");
    let held = stop(&project);
    assert!(held.stdout.contains("TOO SHORT: 1"), "{}", held.stdout);
    project.write("text.md", "long enough by now");
    assert!(stop(&project).stdout.contains("RUN the critic, round 1."));
    assert!(state(&project, &id).contains("checks: 2\n"), "{}", state(&project, &id));
    let runner = project.root().join(format!(".texts/{id}.sh"));
    assert_eq!(std::fs::metadata(&runner).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(
        project.read(&format!(".texts/{id}.sh")),
        "#!/bin/sh\ncat <<'END'\nCRITICISE round 1.\nEND\ncritic --round\n"
    );
    assert_eq!(project.read("copy.md"), "long enough by now\n");
    assert!(stop(&project).stdout.contains("RUN the critic, round 2."));
    let over = stop(&project);
    assert!(over.stdout.contains("OVER after 2.") && !over.stdout.contains("block"), "{}", over.stdout);
    assert!(!runner.exists() && !project.root().join("copy.md").exists());
    assert_eq!(stop(&project).stdout, "", "it is over once");
}

#[test]
fn a_command_is_about_the_run_it_names_and_may_say_no() {
    let (project, id) = project();
    let early = project.run(&["texts", "happy", &id]);
    assert_eq!((early.code, early.stderr.contains("NOT YET.")), (Some(7), true), "{}", early.stderr);
    for wrong in ["20000101-0000", "../x", "", "*"] {
        let printed = project.run(&["texts", "happy", wrong]);
        assert_eq!(printed.code, Some(1), "{wrong}");
        assert!(printed.stderr.contains("texts has no run"), "{}", printed.stderr);
    }
    project.write("text.md", "long enough by now");
    stop(&project);
    assert_eq!(project.run(&["texts", "happy", &id]).stdout, "GLAD.\n");
    assert!(stop(&project).stdout.contains("OVER after 1."));
}

#[test]
fn what_was_kept_comes_back_and_what_replaced_it_is_not_lost() {
    let project = Project::new();
    project.workflow("texts", WORKFLOW).write("text.md", "before");
    project.run(&["texts", "new"]);
    project.write("text.md", "after");
    let undone = project.run(&["texts", "undo"]);
    assert!(undone.stdout.starts_with("UNDONE 1.\nWhat was replaced is in "), "{}", undone.stdout);
    assert_eq!(project.read("text.md"), "before");
    let aside = undone.stdout.trim().rsplit(' ').next().unwrap().trim_end_matches('.');
    assert_eq!(std::fs::read_to_string(std::path::Path::new(aside).join("text.md")).unwrap(), "after");
    assert_eq!(std::fs::read_dir(project.root().join(".texts")).unwrap().count(), 0);
}

#[test]
fn a_check_that_cannot_be_run_is_told_and_changes_nothing() {
    let (project, id) = project();
    project.workflow("texts", &WORKFLOW.replace("[\"sh\", \"-c\"", "[\"no-such-shell\", \"-c\""));
    project.write("text.md", "long enough by now");
    let told = stop(&project);
    assert!(
        told.stdout.contains("NOT CHECKED: ") && told.stdout.contains("no-such-shell"),
        "{}",
        told.stdout
    );
    assert!(
        state(&project, &id).contains("phase: checking\n") && state(&project, &id).contains("checks: 0\n")
    );
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_state_where_it_was() {
    let (project, id) = project();
    project.write("text.md", "long enough by now").write(&format!(".texts/{id}.sh/in-the-way"), "");
    let told = stop(&project);
    assert!(!told.stdout.contains("block"), "{}", told.stdout);
    assert!(state(&project, &id).contains("phase: checking\n"), "{}", state(&project, &id));
    std::fs::remove_dir_all(project.root().join(format!(".texts/{id}.sh"))).unwrap();
    assert!(stop(&project).stdout.contains("RUN the critic, round 1."), "the next Stop tries again");
}

#[test]
fn a_run_is_made_in_the_nearest_project_not_in_one_further_up() {
    let (project, _) = project();
    project.write("inner/.git/HEAD", "");
    let inner = project.root().join("inner");
    let printed: Printed = project.command(&["texts", "new"]).current_dir(&inner).output().unwrap().into();
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    assert_eq!(std::fs::read_dir(inner.join(".texts")).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(project.root().join(".texts")).unwrap().count(), 1);
}

#[test]
fn commands_beside_one_that_clears_all_away_bring_nothing_back() {
    for _ in 0..20 {
        let (project, _) = project();
        let commands = ["undo", "undo", "look", "undo", "look"];
        let children = commands.map(|name| {
            let mut command = project.command(&["texts", name]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
        });
        for mut child in children {
            child.wait().unwrap();
        }
        assert_eq!(std::fs::read_dir(project.root().join(".texts")).unwrap().count(), 0);
    }
}

#[test]
fn a_workflow_that_is_not_in_force_takes_no_command() {
    let (project, id) = project();
    project.write(".holdpoint/holdpoint.toml", "workflows = ['other']");
    for args in [&["texts", "new"][..], &["texts", "happy", &id], &["texts", "undo"]] {
        let printed = project.run(args);
        assert_eq!(printed.code, Some(1), "{args:?}");
        assert!(
            printed.stderr.contains("workflow `texts` is not enabled in this project"),
            "{}",
            printed.stderr
        );
    }
}

/// The step that is written in three places.
const STEP: &str = r#"set = { y = "{{ state.x }}" }, write = { "step.txt" = "{{ state.x }} {{ state.y }}" }, remove = "old-{{ state.y }}.txt", log = "did it with {{ state.y }}""#;

const SAME_STEP: &str = r#"
about = "One step, as a phase's, a command's and a rule's."
[run]
home   = ".two"
state  = ".two/state.json"
due    = "phase"
record = { file = ".two/log.md", under = "Log" }
[phases.a]
by   = "user"
stop = { STEP }
[commands.do]
about = "the same"
steps = [ { STEP, say = "" } ]
[witnesses]
rule = { on = "prompt", STEP, say = "" }
[fields]
phase = ""
x     = 0
y     = 0
"#;

/// A step has one meaning, wherever it is written: the same files, the same state, the same log.
#[test]
fn the_same_step_has_the_same_effects_in_a_phase_a_command_and_a_rule() {
    let event = |project: &Project, name: &str| {
        let cwd = project.root();
        project.hook(&json!({"session_id": "s", "cwd": cwd, "hook_event_name": name, "prompt": "go"}))
    };
    for way in ["phase", "command", "rule"] {
        let project = Project::new();
        project.workflow("two", &SAME_STEP.replace("STEP", STEP)).write(".two/log.md", "# Two\n\n## Log\n");
        project.write(".two/state.json", "{\"phase\": \"a\", \"x\": 1}").write("old-1.txt", "");
        let checked = project.run(&["check", "two"]);
        assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
        let printed = match way {
            "phase" => event(&project, "Stop"),
            "command" => project.run(&["two", "do"]),
            _ => event(&project, "UserPromptSubmit"),
        };
        assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""), "{way}");
        let state: serde_json::Value = serde_json::from_str(&project.read(".two/state.json")).unwrap();
        assert_eq!(state, json!({"phase": "a", "x": 1, "y": 1}), "{way}");
        assert_eq!(project.read("step.txt"), "1 1\n", "{way}");
        assert!(!project.root().join("old-1.txt").exists(), "{way}");
        let log = project.read(".two/log.md");
        assert_eq!(log.matches("did it with 1").count(), 1, "{way}: {log}");
    }
}

const ENTERED: &str = r#"
about = "A step that leads on, as a phase's and as a command's."
[run]
home   = ".two"
state  = ".two/state.json"
due    = "phase"
record = { file = ".two/log.md", under = "Log" }
[phases.a]
by    = "agent"
ask   = "A."
until = "true"
then  = { set = { y = "{{ state.x }}" }, go = "b", write = { "step.txt" = "{{ state.x }} {{ state.y }}" }, log = "left with {{ state.x }}" }
[phases.b]
by    = "user"
ask   = "B."
enter = { set = { x = 2 }, log = "came with {{ state.x }}" }
then  = "a"
[commands.next]
about   = "go on"
through = ["all"]
[commands.jump]
about = "to b"
steps = [ { set = { y = "{{ state.x }}" }, go = "b", write = { "step.txt" = "{{ state.x }} {{ state.y }}" }, log = "left with {{ state.x }}" } ]
[fields]
phase = ""
x     = 0
y     = 0
"#;

/// What entering a phase does comes after what the step does, whoever takes it.
#[test]
fn a_step_that_leads_on_has_the_same_effects_in_a_phase_and_a_command() {
    let prepared = || {
        let project = Project::new();
        project.workflow("two", ENTERED).write(".two/log.md", "# Two\n\n## Log\n");
        project.write(".two/state.json", "{\"phase\": \"a\", \"x\": 1}");
        project
    };
    for command in ["next", "jump"] {
        let project = prepared();
        let printed = project.run(&["two", command]);
        assert_eq!(printed.code, Some(0), "{command}: {}", printed.stderr);
        assert_eq!(project.read("step.txt"), "1 1\n", "{command}");
        let log = project.read(".two/log.md");
        assert!(log.contains("left with 1") && log.contains("came with 2"), "{command}: {log}");
        let state: serde_json::Value = serde_json::from_str(&project.read(".two/state.json")).unwrap();
        assert_eq!(state, json!({"phase": "b", "x": 2, "y": 1}), "{command}");
    }
}
