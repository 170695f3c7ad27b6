//! The runs that an event concerns, asked one after the other: what came of each is recorded and said.

use std::time::Instant;

use holdpoint_core::decide::decide;

use super::report::Report;
use super::session::Session;
use super::{Call, background, door, judge, merge, newcomer, owed, record, release, succession, watch};
use crate::agent::{Asked, Protocol};
use crate::project::{Found, Run};

/// Asks each run, those whose review can wait last, and records what came of it. Returns them as they were asked.
pub(super) fn ask_all<'s>(
    heard: &Heard<'s>,
    session: impl Fn(&'s Run) -> Session<'s>,
    said: &mut merge::Said,
) -> Vec<Session<'s>> {
    let runs = &heard.found.runs;
    let (now, later): (Vec<&Run>, Vec<&Run>) =
        runs.iter().partition(|run| runs.len() < 2 || !judge::waits_for_others(&session(run)));
    let mut judged = Vec::new();
    // What the user may have released waits until all have been asked: a grant is not used up by what is held anyway.
    let mut may_pass = Vec::new();
    for run in now.iter().chain(&later) {
        // A review takes minutes and money: none is done for an agent that goes back to work anyway.
        let is_moot = said.holds() && later.iter().any(|other| std::ptr::eq(*other, *run));
        let session = session(run);
        if !run.is_recorded {
            guard(&session, heard.call.options.only.as_deref(), said);
            judged.push(session);
            continue;
        }
        let report = judge_heard(heard, &session, is_moot);
        if door::may_pass(&session, &report) {
            may_pass.push((session, report));
        } else {
            record_and_say(heard, &session, report, said);
            judged.push(session);
        }
    }
    let misfits = |(session, report): &(Session<'_>, Report)| !door::fits(session, report);
    if may_pass.len() > 1
        && let Some(misfit) = may_pass.iter().position(misfits)
    {
        // It holds, and then nothing of the others' is used.
        may_pass.swap(0, misfit);
    }
    for (session, mut report) in may_pass {
        if !said.holds() {
            door::pass(&session, &mut report);
        }
        record_and_say(heard, &session, report, said);
        judged.push(session);
    }
    judged
}

/// Asks the rules of a run in a project where nothing is written.
fn guard(session: &Session<'_>, only: Option<&str>, said: &mut merge::Said) {
    let mut effects = decide(&session.facts(), only);
    if only.is_none() {
        effects.add(watch::compare(session).into_effects());
    }
    said.guard(session, &effects);
}

/// An event as its runs are judged.
pub(super) struct Heard<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) asked: &'a Asked,
    pub(super) found: &'a Found,
    /// Why a Stop is only a pause.
    pub(super) pause: Option<&'a background::Pause>,
    pub(super) started: Instant,
}

/// Judges a run, unless its review can wait.
fn judge_heard(heard: &Heard<'_>, session: &Session<'_>, is_moot: bool) -> Report {
    let Heard { call, asked, found, pause, .. } = *heard;
    let only = call.options.only.as_deref();
    let mut report = if is_moot { Report::moot() } else { judge::judge(session, only) };
    for (_, what) in found.noticed.iter().filter(|(about, _)| about.is_same(session.run)) {
        report.notice(session.run, session.event, what);
    }
    if let Some(pause) = pause {
        background::tell(pause, &mut report);
    }
    if call.options.protocol == Protocol::Own && !report.is_paused {
        owed::tell(session, &mut report);
        succession::begin(session, asked, &mut report);
    }
    report
}

/// Records what came of a run in the journal, and adds it to what is said.
fn record_and_say(heard: &Heard<'_>, session: &Session<'_>, mut report: Report, said: &mut merge::Said) {
    let Heard { call, started, .. } = *heard;
    newcomer::note(session);
    release::note(session, call.options.only.as_deref(), &mut report);
    if let Err(error) = record::write(session, &report, started) {
        said.unrecorded(session, &error);
    }
    said.add(session, &report);
    call.leftovers.keep(report);
}
