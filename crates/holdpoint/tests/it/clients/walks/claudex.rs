//! A plan that a second agent attacks: the agent forgets to run it, and then it fails.

use std::os::unix::fs::PermissionsExt;

use super::{Calls, Recording, Walk, read, shell, write};
use crate::clients::install::claude;
use crate::clients::session::at_work;
use crate::generated::assert_kept;
use crate::project::Project;

const FOUND: &str = "# Round 1 findings\n\n## High\n- Two carts at once: one is lost (lock the file)\n\n## Medium\n\n## Low\n";

/// A reviewer that fails once, finds something in the first round and nothing in the second.
fn project() -> Project {
    let project = Project::new();
    let script = "#!/bin/sh\n\
        report=$(grep '^/.*/findings-round-[0-9]*\\.md$')\n\
        if ! test -f failed; then touch failed; echo 'stream error: 503' >&2; exit 1; fi\n\
        case $report in *-1.md) cat found > \"$report\" ;; *) echo 'No substantive findings.' > \"$report\" ;; esac\n";
    project.write("bin/codex", script).write("found", FOUND);
    std::fs::set_permissions(project.root().join("bin/codex"), PermissionsExt::from_mode(0o755)).unwrap();
    project
}

/// What the agent makes of the holds, one after the other.
fn agent(project: &Project) -> impl FnMut(&str) -> Calls + Send + 'static {
    let plan = project.root().join("PLAN.md");
    let mut held = 0;
    move |text| {
        held += 1;
        let line = |start: &str| text.lines().map(str::trim).find(|line| line.starts_with(start));
        let findings =
            text.split_once("Read what it found: ").and_then(|(_, rest)| rest.split_once(". That"));
        let runner = || shell(line("bash ").unwrap());
        let look = || read(findings.unwrap().0.as_ref());
        match held {
            1 => [write(&plan, "1. Keep the cart in a file.\n")].into(),
            // It ends its turn, and has not run the reviewer.
            2 => Calls::new(),
            3 => {
                let revised =
                    "1. Keep the cart in a file.\n2. Lock it.\n\n## Changelog\n\n- Round 1: took it.\n";
                [runner(), runner(), look(), write(&plan, revised)].into()
            }
            _ => [runner(), look(), shell(line("holdpoint claudex mark-done ").unwrap())].into(),
        }
    }
}

#[test]
fn a_plan_in_claude_code_is_attacked_until_nothing_is_left() {
    let Some(claude) = claude() else { return };
    let project = project();
    let walk =
        Walk { claude: &claude, project: &project, plugin: "claudex", recording: Recording::default() };
    let topic = "a cart that survives a restart";
    let start = shell(&format!("holdpoint claudex start plan -- '{topic}'"));
    walk.session(&format!("/claudex:plan --skip-interview {topic}"), vec![start], agent(&project));

    let loops = std::fs::read_dir(project.root().join(".claude/claudex")).unwrap();
    let mut names = loops.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let id = names.find_map(|name| Some(name.strip_suffix(".state")?.to_owned())).unwrap();
    let state = project.read(&format!(".claude/claudex/{id}.state"));
    assert!(state.contains("phase: done\n") && state.contains("round: 2\n"), "{state}");
    assert!(state.contains("decision_signal: no-material-findings"), "{state}");
    assert_eq!(at_work(&project), [""; 0], "nothing is left running");
    let title = "claudex in Claude Code: a plan from the slash command to the end\n\n\
        The model and the reviewer are scripted; the client, its hooks, the plugin and\n\
        the files are real.\n\n\
        Setbacks: the agent ends its turn without running the reviewer, and then the\n\
        reviewer fails.";
    let text = walk.recording.text(title, &project, &[(&id, "20261118-120000-0000aa")]);
    let is_time = |line: &&str| !line.contains("Time taken: ");
    let text: String = text.lines().filter(is_time).flat_map(|line| [line, "\n"]).collect();
    assert_kept("docs/walks/claudex.txt", &text);
}
