//! The hook killed at any moment that leaves other files behind: a round is never begun without its runner, nothing is
//! decided by half, and the next Stop goes on.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::{Site, files_below};
use crate::kill::{Reached, Traced};

fn event(site: &Site) -> Json {
    json!({"hook_event_name": "Stop", "session_id": super::SESSION, "cwd": site.root()})
}

/// All files of a folder, with what is in them.
fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |file: String| (file.clone(), std::fs::read(folder.join(&file)).unwrap_or_default());
    files_below(folder).into_iter().map(read).collect()
}

/// The stops of the hook at which files are no longer what they were at the stop before.
fn changes(site: &Site) -> Vec<usize> {
    let (mut last, mut stops) = (None, Vec::new());
    let end = Traced::hook(&site.project, &event(site)).run_until(|stop| {
        let now = Some(content(site.root()));
        if now != last {
            stops.push(stop);
            last = now;
        }
        false
    });
    assert!(matches!(end, Reached::End(0)));
    assert!(stops.len() > 7, "{stops:?}: this is not the hook");
    stops
}

/// Kills the hook at each such stop, in a loop of its own, and looks at what is left.
fn for_every_change(prepare: impl Fn() -> (Site, String), mut look: impl FnMut(&Site, &str, usize)) {
    for at in changes(&prepare().0) {
        let (site, id) = prepare();
        assert!(matches!(Traced::hook(&site.project, &event(&site)).run_to(at), Reached::Stop));
        assert_eq!(site.state(&id).len(), 14, "a whole state, killed at stop {at}");
        look(&site, &id, at);
    }
}

/// A loop whose plan is written, after so many Stops.
fn begun(rounds: &str, stops: usize) -> (Site, String) {
    let site = Site::new(&[]);
    let id = site.start(&["plan", "--rounds", rounds, "a clock"]);
    site.project.write("PLAN.md", "1. Tick.\n");
    for round in 1..=stops {
        assert!(!site.stop().hold.is_empty());
        site.find(&id, round);
    }
    (site, id)
}

/// The round that the runner is for, if there is one.
fn runner(site: &Site, id: &str) -> Option<String> {
    let text = std::fs::read_to_string(site.file(id, "-runner.sh")).ok()?;
    let rest = text.split_once("mode plan, round ").unwrap().1;
    assert!(text.ends_with("exit \"$status\"\n"), "a whole runner");
    Some(rest.lines().next().unwrap().to_owned())
}

#[test]
fn a_round_is_never_begun_without_its_runner() {
    for (before, next) in [(0, "1"), (1, "2")] {
        let (mut early, mut between, mut late) = (0, 0, 0);
        for_every_change(
            || begun("3", before),
            |site, id, at| {
                let (phase, round, _) = site.stands(id);
                let is_begun = phase == "reviewing" && round == next;
                match (is_begun, runner(site, id).as_deref() == Some(next)) {
                    (false, false) => early += 1,
                    (false, true) => between += 1,
                    (true, true) => late += 1,
                    (true, false) => panic!("round {next} without its runner, killed at stop {at}"),
                }
                let copy = site.file(id, &format!("/plan-round-{next}.md"));
                assert!(!is_begun || copy.exists(), "no copy of the plan, killed at stop {at}");
                if !is_begun {
                    let hold = site.stop().hold;
                    let header = format!("### Claudex round {next} of 3, ");
                    assert!(hold.starts_with(&header), "killed at stop {at}: {hold}");
                    assert_eq!(runner(site, id).as_deref(), Some(next), "killed at stop {at}");
                }
            },
        );
        assert!(early > 0 && between > 0 && late > 0, "{early} early, {between} between, {late} late");
    }
}

#[test]
fn the_end_at_the_limit_is_one_step() {
    let (mut old, mut new) = (0, 0);
    for_every_change(
        || begun("1", 1),
        |site, id, at| {
            let (phase, round, signal) = site.stands(id);
            match (phase.as_str(), round.as_str(), signal.as_str()) {
                ("reviewing", "1", "none") => old += 1,
                ("done", "1", "max-reached") => new += 1,
                other => panic!("{other:?}, killed at stop {at}"),
            }
            let is_untold = phase == "reviewing" || site.file(id, "-runner.sh").exists();
            let end = site.stop();
            assert_eq!(end.hold, "", "killed at stop {at}");
            let told = end.message.contains("stopped at max rounds (round 1 of 1)");
            assert!(told || !is_untold, "killed at stop {at}: {end:?}");
            assert!(!site.file(id, "-runner.sh").exists(), "killed at stop {at}");
        },
    );
    assert!(old > 0 && new > 0, "{old} old, {new} new");
}
