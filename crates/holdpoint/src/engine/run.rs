//! One run and one event: decide, and set state fields under the lock, again if someone else wrote meanwhile.

use std::sync::Arc;

use holdpoint_core::decide::decide;
use holdpoint_core::decision::{Decision, Fault};
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::Facts;
use holdpoint_core::path::tidy;
use holdpoint_core::phase::ahead::{Ahead, ahead};
use holdpoint_core::workflow::Text;

use super::patience::{self, Release};
use super::stop::{self, Course};
use crate::env_vars::Env;
use crate::project::Run;
use crate::store::lock;
use crate::store::seal::Seal;
use crate::store::state::{self, StateFile, WriteError};
use crate::world::ProjectWorld;

/// How often a decision is made anew because someone outside wrote the state meanwhile.
const TRIES_MAX: u32 = 3;

/// What is asked of a run.
pub(super) struct Ask<'a> {
    pub(super) event: &'a Arc<Event>,
    pub(super) env: &'a Arc<dyn Env>,
    pub(super) only: Option<&'a str>,
    /// For a command: the phases it may go through. Then what is due is shown, whoever's turn it is, and nobody's
    /// patience is counted.
    pub(super) through: Option<&'a [Text]>,
}

impl Ask<'_> {
    /// Whether this phase may be looked at and performed.
    pub(super) fn may_go_through(&self, phase: &str) -> bool {
        self.through.is_none_or(|through| through.iter().any(|name| name == "all" || name == phase))
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// What came of the phases, at Stop.
    pub(super) course: Course,
    pub(super) decision: Decision,
    /// Why the hold was given up, if it was.
    pub(super) released: Option<Release>,
}

impl Outcome {
    /// What comes of a run whose review can wait, because another workflow holds the agent.
    pub(super) fn moot() -> Outcome {
        let note = Some("the review waits: another workflow holds the agent".to_owned());
        Outcome { course: Course { note, ..Course::default() }, ..Outcome::default() }
    }
}

/// Whether a Stop would perform a review in this run: other workflows are asked first.
pub(super) fn waits_for_others(run: &Run, ask: &Ask<'_>) -> bool {
    ask.event.moment == Moment::Stop
        && !run.workflow.phases.is_empty()
        && matches!(ahead(&facts(run, ask)), Ok(Ahead::Perform(_)))
}

/// Puts a state back that only the engine may write, if somebody else did; says so. An error if it cannot be told any
/// more what the state was.
pub(super) fn uphold(run: &Run, ask: &Ask<'_>) -> Result<Option<String>, String> {
    let Some(seal) = Seal::of(run) else { return Ok(None) };
    let Some(path) = facts(run, ask).state_path().ok().flatten() else { return Ok(None) };
    match seal.uphold(&run.folder.join(&path)) {
        Ok(false) => Ok(None),
        Ok(true) => Ok(Some(format!("`{path}` is written by the engine alone: a change to it was put back"))),
        Err(why) => Err(format!("`{path}` was changed by others, and {why}")),
    }
}

/// Asks a run's workflow about the event and commits what it sets.
pub(super) fn judge(run: &Run, ask: &Ask<'_>) -> Outcome {
    let upheld = uphold(run, ask);
    // Nothing is due by a state that nobody can vouch for; its rules hold all the same.
    let is_closed = upheld.is_err() && ask.event.moment == Moment::Stop;
    let mut outcome = if is_closed { Outcome::default() } else { judge_upheld(run, ask) };
    let told = upheld.unwrap_or_else(Some);
    outcome.decision.faults.extend(told.map(|what| Fault { rule: None, what }));
    outcome
}

fn judge_upheld(run: &Run, ask: &Ask<'_>) -> Outcome {
    // The agent will wake up again by itself: what is due can wait until it really stops.
    if ask.event.moment == Moment::Stop && ask.event.is_waiting {
        return Outcome::default();
    }
    let due = ask.event.moment == Moment::Stop && ask.only.is_none() && !run.workflow.phases.is_empty();
    let course = if due { stop::course(run, ask) } else { Course::default() };
    if !course.is_open() {
        return Outcome { course, ..Outcome::default() };
    }
    Outcome { course, ..judge_rules(run, ask) }
}

/// Asks the rules that look at the event.
fn judge_rules(run: &Run, ask: &Ask<'_>) -> Outcome {
    let mut rules = run.workflow.rules_for(ask.event, ask.only).peekable();
    if rules.peek().is_none() && !run.workflow.run.is_sealed {
        patience::note(run, ask.event);
        return Outcome::default();
    }
    let sets = rules.any(|rule| !rule.set.is_empty());
    let decision = if sets { decide_and_set(run, ask) } else { decide(&facts(run, ask), ask.only) };
    let counts = ask.event.moment == Moment::Stop && decision.holds();
    let released = if counts { patience::spent(run, ask, &decision) } else { None };
    patience::note(run, ask.event);
    Outcome { decision, released, ..Outcome::default() }
}

pub(super) fn facts(run: &Run, ask: &Ask<'_>) -> Arc<Facts> {
    let world = Arc::new(ProjectWorld::of(run, Arc::clone(ask.env)));
    Facts::new(run.workflow.clone(), Arc::clone(ask.event), tidy(&run.home.to_string_lossy()), world)
}

/// Decides under the state's lock and writes what is set. If the state cannot be written, the decision stands and
/// the journal says what was lost.
fn decide_and_set(run: &Run, ask: &Ask<'_>) -> Decision {
    let without_sets = |what: String| {
        let mut decision = decide(&facts(run, ask), ask.only);
        decision.sets.clear();
        decision.faults.push(Fault { rule: None, what });
        decision
    };
    let path = match facts(run, ask).state_path() {
        Ok(Some(path)) => path,
        Ok(None) => return without_sets("a rule sets state fields, but [run] names no state file".into()),
        Err(error) => return without_sets(error.to_string()),
    };
    let lock = state::lock(&run.home, &run.place(), lock::PATIENCE);
    match lock {
        Err(why) => without_sets(format!("the state file `{path}` was not written: {why}")),
        Ok(_lock) => decide_locked(run, ask, &path),
    }
}

fn decide_locked(run: &Run, ask: &Ask<'_>, path: &str) -> Decision {
    let file = StateFile::of(run, path);
    let mut tries = 0;
    loop {
        tries += 1;
        let before = file.read();
        let mut decision = decide(&facts(run, ask), ask.only);
        if decision.sets.is_empty() {
            return decision;
        }
        let written = before
            .map_err(WriteError::Failed)
            .and_then(|before| file.write(before.as_deref(), &decision.sets, ask.env.now()));
        let why = match written {
            Ok(()) => return decision,
            Err(WriteError::Changed) if tries < TRIES_MAX => continue,
            Err(WriteError::Changed) => "others kept writing it".to_owned(),
            Err(WriteError::Failed(why)) => why,
        };
        decision.sets.clear();
        decision
            .faults
            .push(Fault { rule: None, what: format!("the state file `{path}` was not written: {why}") });
        return decision;
    }
}
