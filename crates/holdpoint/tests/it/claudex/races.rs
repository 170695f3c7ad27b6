//! Many at once, two hundred times over: one hook opens a round, one start makes a loop, and no command is lost.
//!
//! In every other trial eight are held at the lock until each has read what is there, and are then let go together:
//! the worst that can happen to whoever checks first and writes later. In the others four just run.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use holdpoint::store::{layout, lock, state};
use serde_json::json;

use super::LOOPS;
use crate::project::{Printed, Project};

const TRIALS: usize = 200;

/// How many run at once in a trial.
fn at_once_in(trial: usize) -> usize {
    if is_gated(trial) { 8 } else { 4 }
}

fn is_gated(trial: usize) -> bool {
    trial.is_multiple_of(2)
}

/// A loop in this phase and its first round, with a plan; and its id. All but the first are copies, which are cheap.
fn in_phase(phase: &str) -> (Project, String) {
    static FIRST: LazyLock<(String, String)> = LazyLock::new(|| {
        let project = Project::new();
        let printed = project.run(&["claudex", "start", "plan", "--rounds", "99", "a clock"]);
        let id = printed.stdout.lines().find_map(|line| line.strip_prefix("ID: ")).unwrap().to_owned();
        let state = project.read(&format!("{LOOPS}/{id}.state"));
        (id, state.replace(&project.root().display().to_string(), "ROOT"))
    });
    let (id, state) = &*FIRST;
    let project = Project::new();
    let state = state.replace("ROOT", &project.root().display().to_string());
    let state = state.replace("phase: drafting\n", &format!("phase: {phase}\n"));
    project.write("PLAN.md", "1. Tick.\n").write(&format!("{LOOPS}/{id}.state"), state);
    (project, id.clone())
}

fn hook(project: &Project) -> Command {
    let mut command = project.command(&["hook"]);
    command.env("HOLDPOINT_INPUT_TIMEOUT_MS", "600000");
    command
}

/// Runs all at once and gathers what they print. With a place, they wait at its lock until all have come that far.
fn at_once(project: &Project, commands: Vec<Command>, place: Option<&Path>) -> Vec<Printed> {
    let gate = place.map(|place| {
        let held = state::lock(&project.books(), false, place, lock::PATIENCE).unwrap();
        (layout::lock(project.root(), &layout::name(project.root(), place)), held)
    });
    let mut children: Vec<Child> = commands
        .into_iter()
        .map(|mut command| {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let event = json!({"hook_event_name": "Stop", "cwd": project.root()}).to_string();
    for child in &mut children {
        // A command reads nothing, and may be gone.
        let _ = child.stdin.take().unwrap().write_all(event.as_bytes());
    }
    if let Some((path, held)) = gate {
        for child in &mut children {
            come_to(child, &path);
        }
        drop(held);
    }
    children.into_iter().map(|child| child.wait_with_output().unwrap().into()).collect()
}

/// Returns when the process has opened the lock, or is over. Where the system does not tell, at once.
pub(super) fn come_to(child: &mut Child, lock: &Path) {
    let open = Path::new("/proc").join(child.id().to_string()).join("fd");
    let has_it = || {
        let Ok(mut files) = std::fs::read_dir(&open) else { return !Path::new("/proc/self/fd").exists() };
        files
            .any(|file| file.is_ok_and(|file| std::fs::read_link(file.path()).is_ok_and(|path| path == lock)))
    };
    while !has_it() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
}

fn gate(trial: usize, place: &Path) -> Option<&Path> {
    is_gated(trial).then_some(place)
}

/// The rounds that hooks opened, in order.
fn opened(answers: &[Printed]) -> Vec<usize> {
    let mut rounds: Vec<usize> = Vec::new();
    for answer in answers {
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
        if let Some(reason) = answer.json()["reason"].as_str() {
            let rest = reason.strip_prefix("### Claudex round ").unwrap_or_else(|| panic!("{reason}"));
            rounds.push(rest.split(' ').next().unwrap().parse().unwrap());
        } else {
            assert!(!answer.stdout.contains("could not judge"), "{}", answer.stdout);
        }
    }
    rounds.sort_unstable();
    rounds
}

#[test]
fn of_many_hooks_one_opens_the_round() {
    for trial in 0..TRIALS {
        let (project, id) = in_phase("drafting");
        let place = project.root().join(LOOPS).join(format!("{id}.state"));
        let hooks = (0..at_once_in(trial)).map(|_| hook(&project)).collect();
        let rounds = opened(&at_once(&project, hooks, gate(trial, &place)));
        // A hook that comes after the round was opened belongs to the same round: nobody has reviewed anything in it.
        assert!(!rounds.is_empty() && rounds.iter().all(|round| *round == 1), "trial {trial}: {rounds:?}");
        let state = super::state(&project, &id);
        assert_eq!((state["phase"].as_str(), state["round"].as_str()), ("reviewing", "1"), "trial {trial}");
        let runner = project.read(&format!("{LOOPS}/{id}-runner.sh"));
        assert!(runner.contains("mode plan, round 1\n"), "trial {trial}: {runner}");
    }
}

#[test]
fn of_many_starts_one_makes_a_loop() {
    for trial in 0..TRIALS {
        let project = Project::new();
        let place = project.root().join(LOOPS);
        let start = |n: usize| project.command(&["claudex", "start", "plan", &format!("topic {n}")]);
        let answers = at_once(&project, (0..at_once_in(trial)).map(start).collect(), gate(trial, &place));
        let made: Vec<&Printed> = answers.iter().filter(|answer| answer.code == Some(0)).collect();
        assert_eq!(made.len(), 1, "trial {trial}");
        let id = made[0].stdout.lines().find_map(|line| line.strip_prefix("ID: ")).unwrap();
        for refused in answers.iter().filter(|answer| answer.code != Some(0)) {
            assert_eq!(refused.code, Some(1), "trial {trial}: {}", refused.stderr);
            assert!(
                refused.stderr.contains(&format!("{id} (drafting)")),
                "trial {trial}: {}",
                refused.stderr
            );
        }
        let files = super::files_below(&place);
        assert_eq!(files, [format!("{id}.lock"), format!("{id}.state"), "log".into()], "trial {trial}");
    }
}

#[test]
fn of_many_hooks_one_tells_the_end() {
    for trial in 0..20 {
        let (project, id) = in_phase("done");
        project.write(&format!("{LOOPS}/{id}-runner.sh"), "of round 1\n");
        let place = project.root().join(LOOPS).join(format!("{id}.state"));
        let answers =
            at_once(&project, (0..at_once_in(trial)).map(|_| hook(&project)).collect(), gate(trial, &place));
        let told = answers.iter().filter(|answer| answer.json()["systemMessage"].is_string()).count();
        assert_eq!((told, opened(&answers)), (1, vec![]), "trial {trial}");
    }
}

/// A command beside hooks, in a loop whose every round has been reviewed.
fn beside_hooks(trial: usize, words: &[&str]) -> (Project, String, Printed) {
    let (project, id) = in_phase("reviewing");
    project.write(&format!("{LOOPS}/{id}-runner.sh"), "of round 1\n");
    for round in 1..=at_once_in(trial) {
        project.write(&format!("{LOOPS}/{id}/findings-round-{round}.md"), "No substantive findings.\n");
    }
    let place = project.root().join(LOOPS).join(format!("{id}.state"));
    let words: Vec<&str> = words.iter().map(|word| if *word == "ID" { id.as_str() } else { word }).collect();
    // Sometimes it comes first, sometimes last, mostly between them.
    let mut commands: Vec<Command> = (1..at_once_in(trial)).map(|_| hook(&project)).collect();
    commands.insert(trial / 2 % at_once_in(trial), project.command(&words));
    let mut answers = at_once(&project, commands, gate(trial, &place));
    let command = answers.remove(trial / 2 % at_once_in(trial));
    let rounds = opened(&answers);
    // Those that come together are told of the same round; none is left out.
    assert!(rounds.windows(2).all(|pair| pair[1] - pair[0] <= 1), "trial {trial}: {rounds:?}");
    (project, id, command)
}

#[test]
fn a_cancel_beside_hooks_is_never_lost() {
    for trial in 0..TRIALS / 2 {
        let (project, id, command) = beside_hooks(trial, &["claudex", "cancel"]);
        assert_eq!(command.code, Some(0), "trial {trial}: {}", command.stderr);
        assert_eq!(super::state(&project, &id)["phase"], "cancelled", "trial {trial}");
        let runner = project.root().join(LOOPS).join(format!("{id}-runner.sh"));
        assert!(!runner.exists(), "trial {trial}: a hook wrote it after the cancel");
    }
}

#[test]
fn a_mark_done_beside_hooks_is_never_lost() {
    for trial in 0..TRIALS / 2 {
        let (project, id, command) = beside_hooks(trial, &["claudex", "mark-done", "ID"]);
        assert_eq!(command.code, Some(0), "trial {trial}: {}", command.stderr);
        let state = super::state(&project, &id);
        let end = (state["phase"].as_str(), state["decision_signal"].as_str());
        assert_eq!(end, ("done", "no-material-findings"), "trial {trial}");
    }
}
