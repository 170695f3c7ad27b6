//! What a phase comes to: whose turn it is, what must be performed, and which step is taken. Nothing here performs
//! anything: a review that is due is described, and its verdict is given back.

pub mod ahead;
mod performance;
pub mod round;
mod step;

use std::sync::Arc;

use minijinja::Error;
use minijinja::value::Value;
use serde_json::json;

use crate::decision::Set;
use crate::facts::{Facts, fault};
use crate::verdict::Verdict;
use crate::workflow::phase::{Actor, AgentPhase, Performance, Phase, PhaseKind};
use crate::workflow::step::Manner;

pub use performance::{AnswerForm, Answered, Request, Task, Tests, failed, has_passed, performed};
pub use step::Taken;
pub(crate) use step::{apply, entered, finish, gone, is_met, removed, rendered, written};
use step::{chosen, done, take};

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
    Taken(Taken),
    /// The agent's phase is not finished: it is sent back with the text, `limit` times without progress.
    Unfinished {
        /// How often.
        limit: u32,
        /// What the agent is told.
        text: String,
        /// What happens then.
        exhausted: Taken,
    },
    /// A review or a check must be performed.
    Perform(Box<Request>),
}

/// The phase that is due.
pub fn due(facts: &Arc<Facts>) -> Result<Due, Error> {
    let Some(field) = &facts.workflow.run.due else { return Ok(Due::Nobody) };
    let value = facts.field(field)?;
    match value.as_str() {
        None | Some("") => Ok(Due::Nobody),
        Some(name) => Ok(match facts.workflow.phase(name) {
            Some(phase) => Due::Phase(Box::new(phase.clone())),
            None => Due::Unknown(name.to_owned()),
        }),
    }
}

/// What to do about `phase` when the agent stops.
pub fn turn(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, Error> {
    match &phase.kind {
        PhaseKind::User(_) | PhaseKind::Nobody(_) => resting(facts, phase),
        PhaseKind::Agent(agent) if !is_proved(facts, agent)? => unfinished(facts, phase),
        PhaseKind::Agent(_) => match phase.performance() {
            Some(check) => performance(facts, phase, check),
            None => Ok(Turn::Taken(finish(facts, phase)?)),
        },
        PhaseKind::Reviewer(review) => performance(facts, phase, Performance::Review(review)),
        PhaseKind::Check(check) => performance(facts, phase, Performance::Check(check)),
    }
}

/// The user's turn: the agent may go, after what the phase does when it stops there.
fn resting(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, Error> {
    match chosen(facts, phase.stop())? {
        Some(step) => Ok(Turn::Taken(apply(facts, phase, step, Vec::new())?)),
        None => Ok(Turn::Rest),
    }
}

/// Whether a run in this phase still asks for something when the agent stops.
pub fn is_live(facts: &Arc<Facts>) -> Result<bool, Error> {
    match due(facts)? {
        Due::Phase(phase) if phase.actor().rests() => Ok(chosen(facts, phase.stop())?.is_some()),
        Due::Phase(_) => Ok(true),
        Due::Nobody | Due::Unknown(_) => Ok(false),
    }
}

/// Whether the phase that is due is another's than the user's: there is work to do.
pub fn is_at_work(facts: &Arc<Facts>) -> Result<bool, Error> {
    Ok(matches!(due(facts)?, Due::Phase(phase) if !phase.actor().rests()))
}

/// Whether an agent's phase is finished: its report is there, or its condition is true.
pub(crate) fn is_proved(facts: &Arc<Facts>, phase: &AgentPhase) -> Result<bool, Error> {
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
    if phase.count(&facts.workflow).is_some() {
        return Ok(Turn::Taken(next_round(facts, phase)?));
    }
    let text = ask(facts, phase)?;
    let Some(limit) = phase.limit(&facts.workflow) else {
        return Ok(Turn::Unfinished { limit: HOLDS, text, exhausted: Taken::default() });
    };
    let most = number(&facts.evaluate(&limit.most, facts.context())?);
    let exhausted = apply(facts, phase, &limit.then, Vec::new())?;
    Ok(Turn::Unfinished { limit: u32::try_from(most).unwrap_or(0), text, exhausted })
}

/// An agent's phase whose rounds are counted: finding it unfinished uses one, and the agent is sent into it again.
fn next_round(facts: &Arc<Facts>, phase: &Phase) -> Result<Taken, Error> {
    let round = round(facts, phase)?;
    if let Some(exhausted) = exhausted(facts, phase, round)? {
        return Ok(exhausted);
    }
    let mut sets = counted(facts, phase, round)?;
    let entered = entered(facts, Some(&phase.name), &mut sets)?;
    let after = facts.overlaid(&sets);
    Ok(Taken {
        manner: Manner::Hold,
        text: ask(&after, phase)?,
        went: Some(phase.name.to_string()),
        files: entered.files,
        expects: entered.expects,
        sets,
        ..Taken::default()
    })
}

/// What happens at the limit, if this round is beyond it.
fn exhausted(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<Option<Taken>, Error> {
    match phase.limit(&facts.workflow) {
        Some(limit) if is_beyond(facts, phase, round)? => {
            apply(facts, phase, &limit.then, Vec::new()).map(Some)
        }
        _ => Ok(None),
    }
}

/// Whether a phase's limit does not allow this round.
fn is_beyond(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<bool, Error> {
    let Some(limit) = phase.limit(&facts.workflow) else { return Ok(false) };
    Ok(round > number(&facts.evaluate(&limit.most, facts.context())?))
}

/// What whoever's turn it is, is asked to do.
pub fn asked(facts: &Arc<Facts>, phase: &Phase) -> Result<String, Error> {
    let text = ask(facts, phase)?;
    Ok(if text.is_empty() { format!("The phase `{}` is due now.", phase.name) } else { text })
}

fn ask(facts: &Arc<Facts>, phase: &Phase) -> Result<String, Error> {
    phase.ask().map_or(Ok(String::new()), |say| facts.render(&say.template, facts.context()))
}

/// The turn of a phase that the engine performs.
fn performance(facts: &Arc<Facts>, phase: &Phase, what: Performance<'_>) -> Result<Turn, Error> {
    if is_skipped(facts, what)? {
        let mut sets = done(facts, phase)?;
        sets.extend(what.skip().map_or(Ok(Vec::new()), |skip| rendered(facts, &skip.set))?);
        return Ok(Turn::Taken(take(facts, phase, what.skipping(), sets)?));
    }
    // The rounds of an agent's phase are counted when it is found unfinished, not when it is checked.
    let is_counted = phase.actor() != Actor::Agent;
    let round = if is_counted { round(facts, phase)? } else { 1 };
    if let Some(exhausted) = exhausted(facts, phase, round)?.filter(|_| is_counted) {
        return Ok(Turn::Taken(exhausted));
    }
    let counted = facts.overlaid(&counted(facts, phase, round)?);
    if let Performance::Review(review) = what
        && let Some(needs) = &review.needs
        && !counted.evaluate(&needs.that, counted.context())?.is_true()
    {
        let because = counted.render(&needs.otherwise, counted.context())?;
        return Ok(Turn::Taken(failed(facts, phase, &because)?));
    }
    Ok(match performance::request(&counted, phase, what, round)? {
        Some(request) => Turn::Perform(Box::new(request)),
        None => {
            let skipped = Answered { verdict: Some(Verdict::Skip), ..Answered::default() };
            Turn::Taken(performed(facts, phase, &skipped)?)
        }
    })
}

/// Whether what a phase performs counts as passed without being done.
fn is_skipped(facts: &Arc<Facts>, what: Performance<'_>) -> Result<bool, Error> {
    what.skip().map_or(Ok(false), |skip| Ok(facts.evaluate(&skip.when, facts.context())?.is_true()))
}

/// Which round a performance would be.
fn round(facts: &Arc<Facts>, phase: &Phase) -> Result<i64, Error> {
    match phase.count(&facts.workflow) {
        Some(field) => Ok(number(&facts.field(field)?).saturating_add(1)),
        None => Ok(1),
    }
}

fn counted(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<Vec<Set>, Error> {
    let field = phase
        .count(&facts.workflow)
        .filter(|_| phase.performance().is_none() || phase.actor() != Actor::Agent);
    field.map(|field| facts.set(field, json!(round))).into_iter().collect()
}

/// A number as a count; anything else is 0.
fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}
