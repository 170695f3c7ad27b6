//! A run that its user has paused: nothing of it holds, performs or advances. What Holdpoint itself protects stays
//! protected, and what would have held is written down.

use std::path::PathBuf;
use std::sync::Arc;

use holdpoint_core::decide::decide;
use holdpoint_core::door::{Pause, Word, report as asked_report};
use holdpoint_core::effects::Source;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::release::{Cause, Released};
use holdpoint_core::workflow::step::Delivery;

use super::report::Report;
use super::session::Session;
use super::{door, record, release, watch};
use crate::env::Env;
use crate::error::{CommandError, Kind};
use crate::install::host::quoted;
use crate::project::{self, Found, Run};
use crate::store::door::Door;
use crate::store::error::StoreError;
use crate::store::{journal, report, told};

/// Returns the pause of a run. One whose time is over is ended.
pub(crate) fn of(run: &Run, env: &Arc<dyn Env>) -> Option<Pause> {
    let pause = current(run)?;
    if !pause.is_over(&journal::now()) {
        return Some(pause);
    }
    // One that cannot be ended does not count either.
    let _ = close(run, env, None, false);
    None
}

/// The same, whether its time is over or not.
fn current(run: &Run) -> Option<Pause> {
    let place = run.place();
    Door::of(&run.books, &run.workflow.name, &place).pause()
}

/// Returns whether a run is paused now, whatever it was before something was performed.
pub(super) fn is_paused(run: &Run) -> bool {
    current(run).is_some_and(|pause| !pause.is_over(&journal::now()))
}

/// Returns whether an event may change something, so that a pause must be known before anything is asked.
pub(super) fn comes_first(session: &Session<'_>, only: Option<&str>) -> bool {
    let (workflow, event) = (&session.run.workflow, session.event);
    event.moment == Moment::Stop
        || only.is_none() && workflow.hears(event)
        || workflow.rules_for(event, only).any(|rule| rule.step.changes())
}

/// What comes of an event in a run that is paused: nothing is performed or written, and nothing holds but what Holdpoint itself
/// protects.
pub(super) fn judged(session: &Session<'_>, only: Option<&str>, pause: &Pause) -> Report {
    let mut report = Report { is_paused: true, ..Report::default() };
    let why = Some(pause.word.reason.clone());
    if session.event.moment == Moment::Stop {
        release::unjudged(session, &mut report, Cause::Paused, why);
    } else {
        let holds = decide(&session.facts(), only).messages.into_iter();
        for message in holds.filter(|message| message.delivery == Delivery::Hold) {
            if message.source != Source::Engine {
                let released = Released::new(Cause::Paused, &message.name, &message.text);
                release::let_go(&mut report, Released { why: why.clone(), ..released });
            }
            report.effects.messages.push(message);
        }
    }
    // One word for all that is not held meanwhile.
    for (at, released) in report.released.iter_mut().enumerate() {
        released.is_told = at > 0 || !is_news(session, pause);
    }
    report
}

fn is_news(session: &Session<'_>, pause: &Pause) -> bool {
    let id = session.event.session.as_deref().unwrap_or_default();
    told::first_time(&session.run.books, id, &format!("paused {}", pause.at))
}

/// Refuses what would change or advance a run that is paused.
pub fn refuse(run: &Run) -> Result<(), CommandError> {
    let Some(pause) = current(run).filter(|pause| !pause.is_over(&journal::now())) else { return Ok(()) };
    let (workflow, name) = (&run.workflow.name, run.name());
    let what =
        format!("nothing was done: the {workflow} run `{name}` is paused by the user: {}", pause.word.reason);
    Err(CommandError::new(Kind::Failed, what).hinted(format!("the user goes on with it: {}", way_on(run))))
}

/// The command that ends the pause of a run, wherever else something is paused.
pub fn way_on(run: &Run) -> String {
    let is_one_of_many = run.workflow.run.each.is_some() || run.workflow.run.id.is_some();
    let name = if is_one_of_many { format!(" --run {}", quoted(&run.name())) } else { String::new() };
    format!("holdpoint resume --workflow {}{name}", run.workflow.name)
}

/// Returns the run that a command is about: the one that counts in a folder, or the one that it names.
pub fn addressee(found: &Found, workflow: Option<&str>, name: Option<&str>) -> Result<Run, CommandError> {
    let is_meant = |run: &&Run| workflow.is_none_or(|workflow| *run.workflow.name == *workflow);
    let runs: Vec<&Run> = found.runs.iter().filter(is_meant).collect();
    if let Some(name) = name {
        let mut all = runs.iter().flat_map(|run| project::every(run)).filter(|run| run.name() == name);
        return match (all.next(), all.next()) {
            (Some(run), None) => Ok(run),
            (Some(_), Some(_)) => Err(several(&runs, &format!(" --run {name}"))),
            (None, _) => {
                let known: Vec<String> =
                    runs.iter().flat_map(|run| project::every(run)).map(|run| run.name()).collect();
                Err(CommandError::new(Kind::Failed, format!("there is no run {name:?} here"))
                    .hinted(format!("there are: {}", known.join(", "))))
            }
        };
    }
    match runs.as_slice() {
        [run] => Ok((*run).clone()),
        [] => Err(CommandError::new(Kind::Failed, "there is no run here").hinted("see `holdpoint status`")),
        _ => Err(several(&runs, "")),
    }
}

fn several(runs: &[&Run], rest: &str) -> CommandError {
    let names: Vec<String> =
        runs.iter().map(|run| format!("--workflow {}{rest}", run.workflow.name)).collect();
    CommandError::new(Kind::Usage, "several runs are active here: which one is meant?")
        .hinted(format!("name its workflow: {}", names.join(", or ")))
}

/// Pauses a run.
pub fn begin(run: &Run, word: Word, seconds: Option<u32>, env: &Arc<dyn Env>) -> Result<Pause, CommandError> {
    if is_paused(run) {
        let what = format!("the {} run `{}` is paused already", run.workflow.name, run.name());
        return Err(CommandError::new(Kind::Failed, what).hinted(format!("to go on: {}", way_on(run))));
    }
    let until = seconds.map(|seconds| door::in_seconds(i64::from(seconds)));
    let report = with_session(run, env, expected).and_then(|path| report::trace(&run.home, &path));
    let pause = Pause { at: journal::now(), until, word, report };
    with_session(run, env, watch::begin_pause).map_err(unkept)?;
    let place = run.place();
    Door::of(&run.books, &run.workflow.name, &place).set_pause(Some(&pause)).map_err(unkept)?;
    record::paused(run, &pause);
    Ok(pause)
}

/// Ends a pause: everything holds again, at once. With `accepts` what was done meanwhile is the user's own.
pub fn end(run: &Run, word: &Word, accepts: bool, env: &Arc<dyn Env>) -> Result<Pause, CommandError> {
    let Some(pause) = current(run) else {
        let what = format!("the {} run `{}` is not paused", run.workflow.name, run.name());
        return Err(CommandError::new(Kind::Failed, what).hinted("see `holdpoint status`"));
    };
    if accepts {
        with_session(run, env, watch::accept_pause).map_err(unkept)?;
    }
    close(run, env, Some(word), accepts).map_err(unkept)?;
    Ok(pause)
}

fn unkept(error: impl std::error::Error + Send + Sync + 'static) -> CommandError {
    CommandError::new(Kind::Files, error)
}

fn with_session<T>(run: &Run, env: &Arc<dyn Env>, then: impl FnOnce(&Session<'_>) -> T) -> T {
    let event = Arc::new(Event::from_shell(Moment::Prompt, &run.home.to_string_lossy()));
    then(&Session::new(run, &event, env))
}

/// Removes the pause. A report that was written meanwhile is no new one, and what did not hold because of it holds.
fn close(run: &Run, env: &Arc<dyn Env>, word: Option<&Word>, accepts: bool) -> Result<(), StoreError> {
    let place = run.place();
    let door = Door::of(&run.books, &run.workflow.name, &place);
    let before = door.pause().and_then(|pause| pause.report);
    if let Some(path) = with_session(run, env, expected)
        && report::trace(&run.home, &path) != before
    {
        let _ = report::note(&run.books, &path);
    }
    door.set_pause(None)?;
    with_session(run, env, release::resume)?;
    record::resumed(run, word, accepts);
    Ok(())
}

/// Where the report is that the agent's phase asks for.
fn expected(session: &Session<'_>) -> Option<PathBuf> {
    Some(session.run.folder.join(asked_report(&session.facts())?))
}

/// Returns the run that the end of a pause is about: the one that is paused, where nobody says which, whether or not it is
/// the one that counts.
pub fn paused(found: &Found, workflow: Option<&str>, name: Option<&str>) -> Result<Run, CommandError> {
    let is_meant = |run: &&Run| workflow.is_none_or(|workflow| *run.workflow.name == *workflow);
    let runs = found.runs.iter().filter(is_meant).filter(|_| name.is_none());
    let mut paused: Vec<Run> = runs.flat_map(project::every).filter(|run| current(run).is_some()).collect();
    match paused.len() {
        0 => addressee(found, workflow, name),
        1 => Ok(paused.remove(0)),
        _ => {
            let ways: Vec<String> = paused.iter().map(way_on).collect();
            Err(CommandError::new(Kind::Usage, "several runs are paused here: which one is meant?")
                .hinted(ways.join(", or ")))
        }
    }
}
