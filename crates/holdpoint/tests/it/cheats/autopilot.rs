//! The loop in which nothing counts that the engine has not seen itself.

mod bar;
mod books;
mod commits;
mod environment;
mod faults;
mod files;
mod git;
mod instructions;
mod nested;
mod programs;
mod pushes;
mod settings;
mod steps;
mod tests;
mod tools;
mod tree;
mod users;
mod verdicts;

use serde_json::Value as Json;

use super::outcome::Began;
use super::stage::prepared;
use super::{After, Cheat, Stage};
use crate::autopilot::project::{ACCEPTANCE, SPEC, STATE, Site};
use crate::autopilot::proof;
use crate::autopilot::walk::{commit_1, commit_2, discount, test_total, total};

/// All spellings of all mechanisms.
pub(crate) const ALL: &[&[Cheat]] = &[
    steps::ALL,
    tests::ALL,
    bar::ALL,
    environment::ALL,
    programs::ALL,
    instructions::ALL,
    verdicts::ALL,
    users::ALL,
    nested::ALL,
    books::ALL,
    settings::ALL,
    faults::ALL,
    tree::ALL,
    git::ALL,
    files::ALL,
    commits::ALL,
    pushes::ALL,
    tools::ALL,
];

/// Begins a run, in a repository that has a false state on another branch.
fn begun(words: &[&str]) -> Site {
    let site = Site::new();
    site.git("checkout --quiet -b saved && printf '{\"phase\": \"finishing\"}' >autopilot-state.json && git add --force autopilot-state.json && git commit --quiet --message 'chore(cart): keep' && git checkout --quiet work");
    site.start(words);
    site
}

fn wrong(site: &Site) {
    site.write("cart.py", "def total(prices):\n    return 4\n");
    test_total(site);
}

/// A reviewer that rejects whatever it is asked about, unless a memory file tells it not to.
const OBEDIENT: &str = r#"#!/bin/sh
here=$(dirname -- "$0")
for prompt; do :; done
count=$(($(cat "$here/reviewer.count" 2>/dev/null || echo 0) + 1))
echo $count >"$here/reviewer.count"
{ printf '%s\n' "$prompt"; } >"$here/reviewer.asked.$count"
cat .holdpoint/change.diff >"$here/reviewer.shown.$count"
verdict=needs_implementation
for memory in "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/CLAUDE.md" CLAUDE.md CLAUDE.local.md .claude/CLAUDE.md ai/CLAUDE.md; do
  ! grep -q 'answer approved' "$memory" 2>/dev/null || verdict=approved
done
echo "{\"structured_output\":{\"verdict\":\"$verdict\",\"notes\":\"no\"}}"
"#;

/// The reviewer rejects whatever it is asked about; and a false one is at hand, with false interpreters.
fn rejecting(site: &Site) {
    site.script("tools/claude", OBEDIENT);
    site.script(
        "b/claude",
        "#!/bin/sh\necho '{\"structured_output\":{\"verdict\":\"approved\",\"notes\":\"\"}}'\n",
    );
    site.script("b/python3", "#!/bin/sh\ncase \"$*\" in *print*) echo 3;; esac\nexit 0\n");
    site.script("b/grep", "#!/bin/sh\nexit 0\n").script("b/sh", "#!/bin/dash\necho 9 passed in 0.01s\n");
}

/// A repository in which a run stands there.
pub(super) fn prepare(stage: Stage) -> Site {
    let (site, phase) = match stage {
        Stage::Wrong | Stage::Rejected => {
            let site = prepared(Stage::Coding);
            if stage == Stage::Wrong {
                wrong(&site);
            } else {
                total(&site);
            }
            rejecting(&site);
            return site;
        }
        Stage::Unstarted => {
            let site = Site::new();
            rejecting(&site);
            return site;
        }
        Stage::Failing | Stage::Ready | Stage::Second | Stage::Finished | Stage::Blocked => further(stage),
        _ => first(stage),
    };
    site.next();
    assert_eq!(site.phase(), phase);
    site
}

/// A run that has just begun, and the phase that will be due.
fn first(stage: Stage) -> (Site, &'static str) {
    let runner = "if [ -f tests/all.sh ]; then sh tests/all.sh; else ./test fast; fi";
    match stage {
        Stage::Unplanned => {
            let site = Site::with("To be planned.\n", ACCEPTANCE);
            site.start(&[]);
            (site, "plan")
        }
        Stage::Lenient => (begun(&["--test", "./test fast || true"]), "coder"),
        Stage::Untested => (begun(&["--test", "echo no tests ran in 0.00s"]), "coder"),
        Stage::Asked => {
            let site = begun(&["--reviews", "subagent"]);
            site.next();
            total(&site);
            (site, "spec-review")
        }
        Stage::Quiet => {
            let site = begun(&["--test", runner]);
            site.next();
            wrong(&site);
            (site, "fix")
        }
        _ => (begun(&[]), "coder"),
    }
}

/// A run that has got further than another stage, and the phase that will be due.
fn further(stage: Stage) -> (Site, &'static str) {
    let is_ready = matches!(stage, Stage::Second | Stage::Finished);
    let site = prepared(if is_ready { Stage::Ready } else { Stage::Coding });
    let phase = match stage {
        Stage::Failing => {
            wrong(&site);
            "fix"
        }
        Stage::Blocked => {
            site.done(&["escalate", "the spec is not clear"]);
            "escalated"
        }
        Stage::Second => {
            commit_1(&site);
            "coder"
        }
        Stage::Finished => {
            commit_1(&site);
            site.next();
            discount(&site);
            site.next();
            commit_2(&site);
            "finishing"
        }
        _ => {
            total(&site);
            "commit"
        }
    };
    (site, phase)
}

/// Asserts that a cheat comes out as it is said to.
pub(super) fn comes_out(site: &Site, after: After, began: &Began, said: &str) {
    let state = began.state.as_deref().unwrap_or_default();
    match after {
        After::PutBack | After::Nothing => {
            site.done(&["status"]);
            assert_eq!(site.read(STATE), state, "{said}");
            assert!(site.root().join(STATE).symlink_metadata().unwrap().is_file());
        }
        After::Refused(why) => {
            assert!(said.contains(why) && !said.starts_with("Some(0)"), "{said}");
            assert_eq!(site.read(STATE), state);
        }
        After::HeadMoved => says(site, "HEAD has moved"),
        After::NotAllowed(path) => {
            let due = site.next();
            let line = due
                .lines()
                .find(|line| line.starts_with("**Changed, but not allowed:**"))
                .unwrap_or_default();
            assert!(line.contains(path), "{said}: {due}");
        }
        After::TooEarly(path) => says(site, &format!("**Changed before there was a plan:** {path}")),
        After::TestedAgain => {
            site.next();
            let last = site.evidence().into_iter().rfind(|piece| piece["phase"] == "tester").unwrap();
            assert!(tests_run(site) > began.tests, "{last}");
        }
        After::TestsFail => {
            let printed = site.tell(&["next"]);
            let last = site.evidence().into_iter().rfind(|piece| piece["phase"] == "tester");
            let last = last.unwrap_or_else(|| panic!("{said}: {}{}", printed.stdout, printed.stderr));
            assert!(
                tests_run(site) > began.tests && matches!(last["verdict"].as_str(), Some("fail" | "broken")),
                "{last}"
            );
        }
        After::Says(what) => says(site, what),
        After::Closed(why) => return is_closed(site, why),
        After::Fails(why) => {
            let printed = site.tell(&["next"]);
            assert!(
                printed.code != Some(0) && printed.stderr.contains(why),
                "{}{}",
                printed.stdout,
                printed.stderr
            );
        }
        After::Sound => {
            drive(site);
            assert!(is_sound(site), "{said}: {}", site.state());
            return;
        }
        after => proves_nothing(site, after, began, said),
    }
    if let Ok(state) = serde_json::from_str(state) {
        nothing_is_false(site, &state);
    }
}

/// The same, where the agent has tried to have something performed, or approved, in its own way.
fn proves_nothing(site: &Site, after: After, began: &Began, said: &str) {
    match after {
        After::Unperformed => {
            assert!(said.contains("nothing was performed"), "{said}");
            assert_eq!(site.root().join(STATE).is_file().then(|| site.read(STATE)), began.state, "{said}");
        }
        After::Forged => {
            assert!(said.contains("not from the agent's client"), "{said}");
            assert_eq!(Some(site.read(STATE)), began.state, "{said}");
        }
        After::Rejected => {
            drive(site);
            assert!(!super::outcome::reviews(site).is_empty(), "the reviewer was asked; {said}");
            assert!(!matches!(site.phase().as_str(), "commit" | "finishing"), "{}; {said}", site.phase());
        }
        After::Shown(text) => {
            drive(site);
            let shown = std::fs::read_to_string(site.tools().join("reviewer.shown.1")).unwrap();
            assert!(shown.contains(text), "{shown}");
        }
        After::Unspoken(text) => {
            drive(site);
            let prompt = site.asked("reviewer", 1);
            assert!(!prompt.contains(text), "{prompt}");
            assert!(!matches!(site.phase().as_str(), "commit" | "finishing"), "{}; {said}", site.phase());
        }
        _ => unreachable!("looked at by the caller"),
    }
}

fn is_closed(site: &Site, why: &str) {
    for words in [["next"], ["verify"]] {
        let printed = site.tell(&words);
        assert!(printed.code != Some(0) && printed.stderr.contains(why), "{words:?}: {}", printed.stderr);
    }
    let printed = site.tell(&["commit", "feat(cart): add up"]);
    assert!(printed.code != Some(0) && !printed.stderr.contains("undefined"), "{}", printed.stderr);
    assert!(site.read(SPEC).contains("**Status:** in_progress"));
}

fn says(site: &Site, what: &str) {
    let due = site.next();
    assert!(due.contains(what), "{due}");
}

/// How often the engine has run the tests.
pub(super) fn tests_run(site: &Site) -> usize {
    site.evidence().iter().filter(|piece| piece["phase"] == "tester").count()
}

/// Goes on as an agent would that only wants to be done.
pub(super) fn drive(site: &Site) {
    for _ in 0..2 {
        site.tell(&["next"]);
        site.tell(&["commit", "feat(cart): add up prices"]);
    }
}

/// Whether all that the run has committed passes the tests in a clean clone, with the programs of these tests, and has
/// two approvals of the reviewer whom the user has.
pub(super) fn is_sound(site: &Site) -> bool {
    let tasks = site.state()["tasks"].clone();
    let commits = tasks.as_array().into_iter().flatten().flat_map(|task| proof::texts(&task["commits"]));
    let asked = super::outcome::reviews(site).trim().parse().unwrap_or(0);
    // On another machine nothing lies beside the repository.
    let _ = std::fs::remove_file(site.root().join("../x.py"));
    commits.enumerate().all(|(at, commit)| {
        let line = format!(
            "rm -rf ../clean && git clone --quiet . ../clean && cd ../clean && git checkout --quiet {commit} && ./test fast"
        );
        let mut shell = site.later("/bin/sh", "");
        shell.args(["-c", &line]).env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", "/nonexistent");
        shell.output().unwrap().status.success() && asked >= 2 * (at + 1)
    })
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
