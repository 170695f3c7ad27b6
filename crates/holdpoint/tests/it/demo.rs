//! `holdpoint demo`: every built-in workflow's demonstration comes to what it says, and leaves nothing behind.

#![cfg(unix)]

use std::time::{Duration, Instant};

use crate::generated::workflow_names;
use crate::project::{Printed, Project};

/// The most that a demonstration may take.
const TIME_MAX: Duration = Duration::from_secs(20);

/// A workflow that holds commits without a review, and its demonstration.
const WORKFLOW: &str = "about = 'x'\n[run]\nhome = '.reviewed'\n[holds.no-commit]\non = 'before shell'\n\
    when = \"'git commit' in tool.command and not file('review').exists\"\nsay = 'Ask for a review.'\n";

/// Runs the program with a folder of its own for temporary files, and makes sure that this one is empty afterwards.
fn demo(project: &Project, args: &[&str]) -> Printed {
    demo_with(project, args, &std::env::var("PATH").unwrap())
}

/// The same with another PATH.
pub(crate) fn demo_with(project: &Project, args: &[&str], path: &str) -> Printed {
    let temporary = project.root().join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = project.command(&[&["demo"], args].concat());
    let command = command.env("TMPDIR", &temporary).env("PATH", path);
    let printed = Printed::from(command.output().unwrap());
    let left: Vec<_> = std::fs::read_dir(&temporary).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}\n{}", printed.stderr);
    printed
}

/// What the demonstration of the workflow above prints for these steps.
fn played(steps: &str) -> Printed {
    let project = Project::new();
    project.workflow("reviewed", WORKFLOW);
    let script = format!("about = 'a commit'\n[given]\nfiles = {{ '.reviewed/x' = '' }}\n{steps}");
    project.write(".holdpoint/workflows/reviewed/demo.toml", script);
    demo(&project, &["reviewed"])
}

#[test]
fn every_built_in_workflow_shows_itself() {
    for name in workflow_names() {
        let started = Instant::now();
        let printed = demo(&Project::new(), &[&name]);
        assert_eq!(printed.code, Some(0), "{name}: {}\n{}", printed.stderr, printed.stdout);
        assert!(started.elapsed() < TIME_MAX, "{name} took {:?}", started.elapsed());
        for part in [format!("{name}: "), "HELD".into(), "What was proved".into(), "0 faults".into()] {
            assert!(printed.stdout.contains(&part), "{name}: {part}\n{}", printed.stdout);
        }
    }
}

#[test]
fn without_a_name_a_whole_loop_is_shown() {
    let printed = demo(&Project::new(), &[]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    for part in ["plan-review-1.md", "FAIL", "PASS", "HELD", "RELEASED", "next_phase = null", "✓ "] {
        assert!(printed.stdout.contains(part), "{part}\n{}", printed.stdout);
    }
}

#[test]
fn a_projects_own_workflow_shows_itself_too() {
    let printed = played(
        "[[step]]\ndoes = 'It commits.'\nruns = 'git commit'\nexpect = 'hold'\nsays = ['Ask for a review']\n\
         [[step]]\ndoes = 'It asks.'\nwrites = 'review'\ntext = 'fine'\nexpect = 'pass'\n\
         [[step]]\ndoes = 'It looks.'\nruns = 'false'\nexits = 1\nexpect = 'pass'\n\
         [[proof]]\nthat = 'there is a review'\nrun = 'cat review'\nprints = 'fine'\n",
    );
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    assert!(
        printed.stdout.contains("    $ git commit\n    HELD      Ask for a review.\n"),
        "{}",
        printed.stdout
    );
}

#[test]
fn a_script_that_is_not_true_fails() {
    let commit = "[[step]]\ndoes = 'It commits.'\nruns = 'git commit'\n";
    let looks = "[[step]]\ndoes = 'It looks.'\nexpect = 'pass'\n";
    for (steps, why) in [
        (format!("{commit}expect = 'pass'"), "expected Pass and got Hold"),
        (format!("{commit}expect = 'hold'\nsays = ['Go away']"), "nobody said \"Go away\""),
        (format!("{looks}runs = 'exit 3'"), "the command ended with 3, not with 0"),
        (format!("{looks}runs = \"false\\ntrue\""), "the command ended with 1, not with 0"),
        (format!("{looks}runs = 'true'\nsets = {{ phase = 'x' }}"), "the state's phase was not set to \"x\""),
        (format!("{looks}runs = 'true'\nreviews = [{{ verdict = 'PASS' }}]"), "1 of the reviews"),
        (
            format!("{looks}runs = 'true'\n[[proof]]\nthat = 'a is b'\nrun = 'false'"),
            "not proved that a is b",
        ),
        (format!("{looks}runs = 'true'\nstops = 'x'"), "does 2 things"),
    ] {
        let printed = played(&steps);
        assert_eq!(printed.code, Some(1), "{steps}: {}", printed.stdout);
        assert!(printed.stderr.contains(why), "{why}: {}", printed.stderr);
    }
}

#[test]
fn without_the_client_it_says_what_to_do() {
    let clients = [
        ("claude", "@anthropic-ai/claude-code"),
        ("codex", "@openai/codex"),
        ("gemini", "@google/gemini-cli"),
    ];
    for (agent, package) in clients {
        let printed = demo_with(&Project::new(), &["--agent", agent], "/nonexistent");
        assert_eq!((printed.stdout.as_str(), printed.code), ("", Some(1)));
        for part in [
            format!("no `{agent}` on PATH"),
            format!("npm install --global {package}"),
            "run `holdpoint demo` without `--agent`".to_owned(),
        ] {
            assert!(printed.stderr.contains(&part), "{part}: {}", printed.stderr);
        }
    }
    assert_eq!(demo_with(&Project::new(), &["--agent", "nobody"], "/nonexistent").code, Some(2));
}

#[test]
fn nothing_is_left_behind_by_one_that_is_interrupted() {
    let steps = "[[step]]\ndoes = 'x'\nruns = 'kill -TERM $PPID'\nexpect = 'pass'\n\
        [[step]]\ndoes = 'never'\nruns = 'true'\nexpect = 'pass'\n";
    let printed = played(steps);
    assert_eq!(printed.code, Some(1), "{}", printed.stdout);
    assert!(printed.stderr.contains("it was interrupted"), "{}", printed.stderr);
    assert!(!printed.stdout.contains("never"), "{}", printed.stdout);
}

#[test]
fn the_agent_of_a_demonstration_knows_nothing_of_the_caller() {
    let project = Project::new();
    project.workflow("reviewed", WORKFLOW);
    let steps = "about = 'x'\n[[step]]\ndoes = 'x'\nruns = 'env'\nexpect = 'pass'\n\
        [[proof]]\nthat = 'nothing is inherited'\nrun = 'test -z \"$HOLDPOINT_REVIEWER$CLAUDE_PROJECT_DIR\"'\n\
        [[proof]]\nthat = 'home is empty'\nrun = 'test -z \"$(ls -A ~)\"'\n";
    project.write(".holdpoint/workflows/reviewed/demo.toml", steps);
    let mut command = project.command(&["demo", "reviewed"]);
    command.env("HOLDPOINT_REVIEWER", "1").env("CLAUDE_PROJECT_DIR", "/");
    let printed = Printed::from(command.output().unwrap());
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
}
