//! The phase that is due: whose turn it is, what must be performed, and which step is taken. Nothing here performs
//! anything: a review that is due is described, and its verdict is given back.

mod performance;
pub mod round;

use std::sync::Arc;

use minijinja::Error;
use minijinja::value::Value;
use serde_json::json;

use crate::effects::{Effects, Set};
use crate::facts::{Facts, fault};
use crate::transition::{Origin, apply, chosen, enter, rendered};
use crate::workflow::Workflow;
use crate::workflow::phase::{Actor, Phase};
use crate::workflow::step::Delivery;

pub(crate) use performance::handed_over;
pub use performance::{Outcome, Review, failed, performed, unknown_answer};

/// How often an unfinished phase of the agent is held where the workflow does not say.
pub(crate) const HOLDS: u32 = 3;

/// How many phases are gone through at once: more than any sound workflow has in a row.
pub const TURNS_MAX: u32 = 40;

/// Whose turn it is.
#[derive(Debug, PartialEq)]
pub enum Due {
    /// Nobody's.
    Nobody,
    /// The state names a phase that the workflow does not have.
    Unknown(String),
    /// This phase's.
    Phase(Box<Phase>),
}

/// What to do about the phase that is due, when the agent stops.
#[derive(Debug, PartialEq)]
pub enum Turn {
    /// Nothing: the agent may go.
    Rest,
    /// A step is taken.
    Step(Effects),
    /// A review is due, but it is not performed: a step is taken without it.
    Unperformed(Unperformed, Effects),
    /// The agent's phase is not finished: it is sent back with the text, `limit` times without progress.
    Unfinished {
        /// How often.
        limit: u32,
        /// What the agent is told.
        text: String,
        /// What happens then.
        exhausted: Effects,
    },
    /// A review must be performed.
    Review(Box<Review>),
}

/// Why a review that is due is not performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unperformed {
    /// It counts as passed without being done.
    Skipped,
    /// There were as many rounds as there may be.
    AtLimit,
    /// It lacks what it needs.
    Lacking,
}

/// The phase that is due.
pub fn due(facts: &Arc<Facts>) -> Result<Due, Error> {
    let Some(field) = &facts.workflow.run.due else { return Ok(Due::Nobody) };
    let value = facts.field(field)?;
    match value.as_str() {
        None | Some("") => Ok(Due::Nobody),
        Some(name) => Ok(match find(&facts.workflow, name) {
            Some(phase) => Due::Phase(Box::new(phase.clone())),
            None => Due::Unknown(name.to_owned()),
        }),
    }
}

/// The phase of this name.
pub(crate) fn find<'a>(workflow: &'a Workflow, name: &str) -> Option<&'a Phase> {
    workflow.phases.iter().find(|phase| phase.name == name)
}

/// What to do about `phase` when the agent stops.
pub fn turn(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, Error> {
    match phase.by {
        Actor::User => resting(facts, phase),
        Actor::Agent if is_proved(facts, phase)? => Ok(Turn::Step(finish(facts, phase, Vec::new())?)),
        Actor::Agent => unfinished(facts, phase),
        Actor::Reviewer | Actor::Check => review(facts, phase),
    }
}

/// The user's turn: the agent may go, after what the phase does when it stops there.
fn resting(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, Error> {
    match chosen(facts, phase.steps("stop"))? {
        Some(step) => Ok(Turn::Step(apply(facts, &Origin::Phase(phase), step, Vec::new())?)),
        None => Ok(Turn::Rest),
    }
}

/// Whether a run in this phase still asks for something when the agent stops.
pub fn is_live(facts: &Arc<Facts>) -> Result<bool, Error> {
    match due(facts)? {
        Due::Phase(phase) if phase.by == Actor::User => Ok(chosen(facts, phase.steps("stop"))?.is_some()),
        Due::Phase(_) => Ok(true),
        Due::Nobody | Due::Unknown(_) => Ok(false),
    }
}

/// Whether the phase that is due is another's than the user's: there is work to do.
pub fn is_at_work(facts: &Arc<Facts>) -> Result<bool, Error> {
    Ok(matches!(due(facts)?, Due::Phase(phase) if phase.by != Actor::User))
}

/// Whether an agent's phase is finished: its report is there, or its condition is true.
pub(crate) fn is_proved(facts: &Arc<Facts>, phase: &Phase) -> Result<bool, Error> {
    if let Some(until) = &phase.until {
        return Ok(facts.evaluate(until, facts.context())?.is_true());
    }
    let Some(report) = &phase.report else { return Ok(false) };
    let path = facts.render(report, facts.context())?;
    match facts.world.is_new(&path) {
        crate::world::Answer::Is(()) => Ok(true),
        crate::world::Answer::None => Ok(false),
        crate::world::Answer::Fault(why) => Err(fault(format!("`{path}`: {why}"))),
    }
}

fn unfinished(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, Error> {
    if phase.count().is_some() {
        return Ok(Turn::Step(next_round(facts, phase)?));
    }
    let text = ask(facts, phase)?;
    let Some(rounds) = &phase.rounds else {
        return Ok(Turn::Unfinished { limit: HOLDS, text, exhausted: Effects::default() });
    };
    let limit = number(&facts.evaluate(&rounds.limit, facts.context())?);
    let exhausted = apply(facts, &Origin::Phase(phase), &rounds.exhausted, Vec::new())?;
    Ok(Turn::Unfinished { limit: u32::try_from(limit).unwrap_or(0), text, exhausted })
}

/// An agent's phase whose rounds are counted: finding it unfinished uses one, and the agent is sent into it again.
fn next_round(facts: &Arc<Facts>, phase: &Phase) -> Result<Effects, Error> {
    let round = round(facts, phase)?;
    if let Some(exhausted) = exhausted(facts, phase, round)? {
        return Ok(exhausted);
    }
    let mut effects = Effects { sets: counted(facts, phase, round)?, ..Effects::default() };
    enter(facts, phase, &mut effects)?;
    let text = ask(&facts.overlaid(&effects.sets), phase)?;
    effects.messages.push(Origin::Phase(phase).message(Delivery::Hold, text));
    Ok(effects)
}

/// What happens at the limit, if this round is beyond it.
fn exhausted(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<Option<Effects>, Error> {
    let Some(rounds) = &phase.rounds else { return Ok(None) };
    if round <= number(&facts.evaluate(&rounds.limit, facts.context())?) {
        return Ok(None);
    }
    apply(facts, &Origin::Phase(phase), &rounds.exhausted, Vec::new()).map(Some)
}

/// The first step of an outcome whose condition is true, after `sets`.
fn take(facts: &Arc<Facts>, phase: &Phase, outcome: &str, sets: Vec<Set>) -> Result<Effects, Error> {
    match chosen(&facts.overlaid(&sets), phase.steps(outcome))? {
        Some(step) => apply(facts, &Origin::Phase(phase), step, sets),
        None => Ok(Effects { sets, ..Effects::default() }),
    }
}

/// The step that a finished phase of the agent or the user leads to, after `sets`.
pub(crate) fn finish(facts: &Arc<Facts>, phase: &Phase, mut sets: Vec<Set>) -> Result<Effects, Error> {
    sets.extend(done(facts, phase)?);
    take(facts, phase, "then", sets)
}

/// What a finished phase leaves in the state whatever its outcome: that it was the last one.
fn done(facts: &Arc<Facts>, phase: &Phase) -> Result<Vec<Set>, Error> {
    facts.workflow.run.last.iter().map(|field| facts.set(field, json!(phase.name))).collect()
}

/// The fields with which a phase's counters start anew.
pub(crate) fn renewed(facts: &Arc<Facts>, phase: &Phase) -> Result<Vec<Set>, Error> {
    let mut sets = Vec::new();
    if let Some(count) = phase.count() {
        sets.push(facts.set(count, json!(0))?);
    }
    if let Some((models, first)) =
        phase.models.as_ref().and_then(|models| Some((models, models.rotate.first()?)))
    {
        sets.push(facts.set(&models.field, json!(first))?);
    }
    if let Some(row) = &phase.clean {
        sets.push(facts.set(&row.count, json!(0))?);
    }
    Ok(sets)
}

/// Whether it is the agent's turn in a phase.
pub(crate) fn is_agents(phase: &Phase) -> bool {
    phase.by == Actor::Agent
}

/// The report that an agent's phase is proved by.
pub(crate) fn expected(facts: &Arc<Facts>, phase: &Phase) -> Result<Option<String>, Error> {
    let report = phase.report.as_ref().filter(|_| is_agents(phase));
    report.map(|report| facts.render(report, facts.context())).transpose()
}

/// Renders the instructions for whoever acts in a phase.
pub fn asked(facts: &Arc<Facts>, phase: &Phase) -> Result<String, Error> {
    let text = ask(facts, phase)?;
    Ok(if text.is_empty() { format!("The phase `{}` is due now.", phase.name) } else { text })
}

pub(crate) fn ask(facts: &Arc<Facts>, phase: &Phase) -> Result<String, Error> {
    phase.ask.as_ref().map_or(Ok(String::new()), |say| facts.render(&say.template, facts.context()))
}

fn review(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, Error> {
    if let Some(skip) = &phase.skip
        && facts.evaluate(&skip.when, facts.context())?.is_true()
    {
        let mut sets = done(facts, phase)?;
        sets.extend(rendered(facts, &skip.set, &facts.context())?);
        return Ok(Turn::Unperformed(Unperformed::Skipped, take(facts, phase, "passed", sets)?));
    }
    let round = round(facts, phase)?;
    if let Some(exhausted) = exhausted(facts, phase, round)? {
        return Ok(Turn::Unperformed(Unperformed::AtLimit, exhausted));
    }
    let counted = facts.overlaid(&counted(facts, phase, round)?);
    if let Some(needs) = &phase.needs
        && !counted.evaluate(&needs.that, counted.context())?.is_true()
    {
        let because = counted.render(&needs.otherwise, counted.context())?;
        return Ok(Turn::Unperformed(Unperformed::Lacking, failed(facts, phase, &because)?));
    }
    Ok(match performance::request(&counted, phase, round)? {
        Some(request) => Turn::Review(Box::new(request)),
        None => {
            let skipped = Outcome { answer: Some("skip".to_owned()), ..Outcome::default() };
            Turn::Unperformed(Unperformed::Skipped, performed(facts, phase, "skip", &skipped)?)
        }
    })
}

/// Which round a review would be.
fn round(facts: &Arc<Facts>, phase: &Phase) -> Result<i64, Error> {
    match phase.rounds.as_ref().and_then(|rounds| rounds.count.as_ref()) {
        Some(field) => Ok(number(&facts.field(field)?).saturating_add(1)),
        None => Ok(1),
    }
}

fn counted(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<Vec<Set>, Error> {
    phase.count().map(|field| facts.set(field, json!(round))).into_iter().collect()
}

/// A number as a count; anything else is 0.
pub(crate) fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}
