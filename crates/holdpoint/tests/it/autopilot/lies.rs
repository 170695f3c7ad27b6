//! A lying agent: every way to cheat that we know of, each with its hook events and then with the act itself, as if no
//! hook had been there. The table of them is docs/reference/cheats.md.

mod books;
mod commits;
mod paths;
mod steps;

use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Value as Json, json};

use super::project::{SESSION, STATE, Site};
use super::proof;
use super::subagents;
use super::walk::{commit_1, test_total, total};

/// Where a run stands when the agent begins to cheat.
#[derive(Clone, Copy)]
pub(crate) enum Stage {
    /// The spec has no plan yet.
    Unplanned,
    /// Task 1 is to be coded.
    Coding,
    /// The tests of task 1 have failed.
    Failing,
    /// Task 1 is tested and reviewed.
    Ready,
    /// Task 1 is committed, task 2 is to be coded.
    Second,
    /// A sub-agent is to review task 1.
    Asked,
    /// Task 1 is the user's.
    Blocked,
    /// Task 1 is to be coded, and the test command ends well whatever fails.
    Lenient,
    /// The same, and it runs no tests.
    Untested,
    /// The tests of task 1 have failed, and what runs them is among the files that it may change.
    Quiet,
}

/// What the agent does.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// Replaces text in a file: path, old text, new text.
    Edit(&'static str, &'static str, &'static str),
    /// Writes a file.
    Write(&'static str, &'static str),
    /// Runs a command.
    Bash(&'static str),
    /// The same in another session.
    Elsewhere(&'static str),
    /// Calls a sub-agent.
    Call(&'static str, &'static str),
    /// A sub-agent has answered; `NONCE` is the one that was asked for.
    Heard(&'static str, &'static str),
    /// Ends its turn.
    Stop,
}

/// How it comes out where no hook held it.
#[derive(Clone, Copy)]
pub(crate) enum After {
    /// The state is what it was.
    PutBack,
    /// A commit that the engine has not seen is found.
    HeadMoved,
    /// A changed file is found that is not allowed.
    NotAllowed(&'static str),
    /// A file is found that was changed before there was a plan.
    TooEarly(&'static str),
    /// The tests are run again on what is there now.
    TestedAgain,
    /// The tests are run and do not pass.
    TestsFail,
    /// What is due says so.
    Says(&'static str),
    /// A command says no.
    Refused(&'static str),
    /// The engine refuses to go on, and why.
    Closed(&'static str),
    /// It would get past: only the hook stands in its way, and it must.
    Unseen,
    /// The run stands where it stood.
    Nothing,
}

impl After {
    /// What the table says.
    fn sentence(self) -> String {
        match self {
            After::PutBack => "the state is put back".to_owned(),
            After::HeadMoved => "`next` finds a commit it has not made and goes no further".to_owned(),
            After::NotAllowed(path) => format!("`next` finds `{path}` changed and goes no further"),
            After::TooEarly(path) => {
                format!("`next` finds `{path}` changed before the plan and goes no further")
            }
            After::TestedAgain => {
                "the proofs are about other files: all is tested and reviewed again".to_owned()
            }
            After::TestsFail => "the engine's own run of the tests does not pass".to_owned(),
            After::Says(what) => format!("`next` goes no further: \"{what}\""),
            After::Refused(why) => format!("the command says no: \"{why}\""),
            After::Unseen => "not seen: only the hook stands in its way".to_owned(),
            After::Closed(why) => format!("every command says no: \"{why}\""),
            After::Nothing => "it counts for nothing: the run stands where it stood".to_owned(),
        }
    }
}

/// A way to cheat.
pub(crate) struct Cheat {
    /// What the agent does, for the table.
    pub(crate) name: &'static str,
    pub(crate) at: Stage,
    pub(crate) acts: &'static [Act],
    /// The rule that holds it; empty: no hook can know.
    pub(crate) before: &'static str,
    pub(crate) after: After,
}

/// A test for each, and the list of all.
macro_rules! cheats {
    ($($test:ident: $name:literal, $at:ident, [$($act:expr),* $(,)?], $before:literal, $after:expr;)*) => {
        use super::{Act::*, After::*, Cheat, Stage};
        pub(crate) const ALL: &[Cheat] =
            &[$(Cheat { name: $name, at: Stage::$at, acts: &[$($act),*], before: $before, after: $after }),*];
        $(#[test]
        fn $test() {
            super::fails(ALL.iter().find(|cheat| cheat.name == $name).unwrap());
        })*
    };
}
pub(crate) use cheats;

fn prepared(stage: Stage) -> Site {
    static PLACES: [OnceLock<Site>; 10] = [const { OnceLock::new() }; 10];
    PLACES[stage as usize].get_or_init(|| prepare(stage)).copy()
}

fn prepare(stage: Stage) -> Site {
    let wrong = |site: &Site| {
        site.write("cart.py", "def total(prices):\n    return 4\n");
        test_total(site);
    };
    let begun = |words: &[&str]| {
        let site = Site::new();
        site.git("checkout --quiet -b saved && printf '{\"phase\": \"finishing\"}' >autopilot-state.json && git add --force autopilot-state.json && git commit --quiet --message 'chore(cart): keep' && git checkout --quiet work");
        site.start(words);
        site
    };
    let (site, phase) = match stage {
        Stage::Unplanned => {
            let site = Site::with("To be planned.\n", super::project::ACCEPTANCE);
            site.start(&[]);
            (site, "plan")
        }
        Stage::Coding => (begun(&[]), "coder"),
        Stage::Failing => (prepared(Stage::Coding), "fix"),
        Stage::Ready => (prepared(Stage::Coding), "commit"),
        Stage::Second => (prepared(Stage::Ready), "coder"),
        Stage::Asked => (begun(&["--reviews", "subagent"]), "spec-review"),
        Stage::Blocked => (prepared(Stage::Coding), "escalated"),
        Stage::Lenient => (begun(&["--test", "./test fast || true"]), "coder"),
        Stage::Untested => (begun(&["--test", "echo no tests ran in 0.00s"]), "coder"),
        Stage::Quiet => {
            (begun(&["--test", "if [ -f tests/all.sh ]; then sh tests/all.sh; else ./test fast; fi"]), "fix")
        }
    };
    match stage {
        Stage::Unplanned | Stage::Coding | Stage::Lenient | Stage::Untested => {}
        Stage::Failing => wrong(&site),
        Stage::Quiet => {
            site.next();
            wrong(&site);
        }
        Stage::Ready => total(&site),
        Stage::Asked => {
            site.next();
            total(&site);
        }
        Stage::Second => commit_1(&site),
        Stage::Blocked => drop(site.done(&["escalate", "the spec is not clear"])),
    }
    site.next();
    assert_eq!(site.phase(), phase);
    site
}

/// Sends the agent's events, and does what it would do if no hook held it. Returns the first rule that holds, and what
/// the last command said.
fn cheat(site: &Site, acts: &[Act]) -> (String, String) {
    let (mut rule, mut said) = (String::new(), String::new());
    for act in acts {
        let (session, tool, input) = match *act {
            Act::Edit(path, old, new) => (
                SESSION,
                "Edit",
                json!({"file_path": site.root().join(path), "old_string": old, "new_string": new}),
            ),
            Act::Write(path, text) => {
                (SESSION, "Write", json!({"file_path": site.root().join(path), "content": text}))
            }
            Act::Bash(line) => (SESSION, "Bash", json!({"command": line, "description": "Go on"})),
            Act::Elsewhere(line) => {
                ("another-session", "Bash", json!({"command": line, "description": "Go on"}))
            }
            Act::Call(who, prompt) => {
                (SESSION, "Task", json!({"subagent_type": who, "description": "Go on", "prompt": prompt}))
            }
            Act::Heard(who, answer) => {
                subagents::answered(site, who, &answer.replace("NONCE", &subagents::nonce(site)));
                continue;
            }
            Act::Stop => {
                rule = if site.stop().is_empty() { rule } else { "Stop".to_owned() };
                continue;
            }
        };
        let (held, instead) = site.called(session, tool, &input);
        if let Some((held, why)) = held {
            assert!(why.contains("holdpoint autopilot "), "it says what to do: {why}");
            rule = if rule.is_empty() { held } else { rule };
        }
        match *act {
            Act::Edit(path, old, new) => {
                let text = site.read(path);
                assert!(text.contains(old), "{path}: {text}");
                site.write(path, &text.replace(old, new));
            }
            Act::Write(path, text) => drop(site.write(path, text)),
            Act::Bash(line) | Act::Elsewhere(line) => {
                let printed = site.unseen(instead.as_deref().unwrap_or(line));
                said = format!("{:?} {}{}", printed.code, printed.stdout, printed.stderr);
            }
            Act::Call(..) | Act::Heard(..) | Act::Stop => {}
        }
    }
    (rule, said)
}

/// The cheat is tried, and does not get past.
pub(crate) fn fails(tried: &Cheat) {
    let site = prepared(tried.at);
    let (state, tests) = (site.read(STATE), tests_run(&site));
    let (rule, said) = cheat(&site, tried.acts);
    assert_eq!(rule, tried.before, "{}: what holds it", tried.name);
    match tried.after {
        After::PutBack | After::Nothing => {
            site.done(&["status"]);
            assert_eq!(site.read(STATE), state, "{said}");
            assert!(site.root().join(STATE).symlink_metadata().unwrap().is_file());
        }
        After::Refused(why) => {
            assert!(said.contains(why) && !said.starts_with("Some(0)"), "{said}");
            assert_eq!(site.read(STATE), state);
        }
        After::HeadMoved => says(&site, "HEAD has moved"),
        After::NotAllowed(path) => {
            let due = site.next();
            let line = due
                .lines()
                .find(|line| line.starts_with("**Changed, but not allowed:**"))
                .unwrap_or_default();
            assert!(line.contains(path), "{said}: {due}");
        }
        After::TooEarly(path) => says(&site, &format!("**Changed before there was a plan:** {path}")),
        After::TestedAgain => {
            site.next();
            let last = site.evidence().into_iter().rfind(|piece| piece["phase"] == "tester").unwrap();
            assert!(tests_run(&site) > tests, "{last}");
        }
        After::TestsFail => {
            site.next();
            let last = site.evidence().into_iter().rfind(|piece| piece["phase"] == "tester").unwrap();
            assert!(
                tests_run(&site) > tests && matches!(last["verdict"].as_str(), Some("fail" | "broken")),
                "{last}"
            );
        }
        After::Says(what) => says(&site, what),
        After::Unseen => {
            assert_ne!(rule, "", "it is held, or it gets past");
            return;
        }
        After::Closed(why) => {
            for words in [["next"], ["verify"]] {
                let printed = site.tell(&words);
                assert!(
                    printed.code != Some(0) && printed.stderr.contains(why),
                    "{words:?}: {}",
                    printed.stderr
                );
            }
            let printed = site.tell(&["commit", "feat(cart): add up"]);
            assert!(printed.code != Some(0) && !printed.stderr.contains("undefined"), "{}", printed.stderr);
            assert!(site.read(super::project::SPEC).contains("**Status:** in_progress"));
            return;
        }
    }
    nothing_is_false(&site, &serde_json::from_str(&state).unwrap());
}

fn says(site: &Site, what: &str) {
    let due = site.next();
    assert!(due.contains(what), "{due}");
}

fn tests_run(site: &Site) -> usize {
    site.evidence().iter().filter(|piece| piece["phase"] == "tester").count()
}

/// The spec is not done, no task has been given a commit by it, and what has one was proved.
fn nothing_is_false(site: &Site, before: &Json) {
    site.done(&["status"]);
    let now = site.state();
    assert_eq!(
        (&now["spec_status"], &now["current_task"]),
        (&before["spec_status"], &before["current_task"])
    );
    for (now, before) in now["tasks"].as_array().unwrap().iter().zip(before["tasks"].as_array().unwrap()) {
        assert_eq!((&now["commit"], &now["commits"]), (&before["commit"], &before["commits"]));
        if !now["commit"].is_null() {
            proof::is_proved(site, now);
        }
    }
}

fn table() -> String {
    let rows = [steps::ALL, books::ALL, commits::ALL, paths::ALL].into_iter().flatten().map(|cheat| {
        let before = match cheat.before {
            "" => "—".to_owned(),
            "Stop" => "held at Stop".to_owned(),
            rule => format!("held by `{rule}`"),
        };
        format!("| {} | {before} | {} |\n", cheat.name, cheat.after.sentence())
    });
    rows.collect()
}

/// The document is made of the list that the tests run; `HOLDPOINT_BLESS=1` writes it.
#[test]
#[expect(clippy::print_stdout, reason = "the table is to be seen")]
fn the_table_of_cheats_is_the_one_that_is_tried() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/cheats.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let (head, _) = written.split_once("| --- | --- | --- |\n").unwrap();
    let (_, tail) = written.split_once("\n## What").unwrap();
    let table = table();
    println!("{table}");
    assert!(table.lines().count() >= 25);
    let now = format!("{head}| --- | --- | --- |\n{table}\n## What{tail}");
    if std::env::var_os("HOLDPOINT_BLESS").is_some() {
        std::fs::write(&path, &now).unwrap();
    } else {
        assert_eq!(now, written, "run this test with HOLDPOINT_BLESS=1");
    }
}
