//! What a phase comes to: whose turn it is, what must be performed, and which step is taken. Nothing here performs
//! anything: a review that is due is described, and its verdict is given back.

pub mod approval;
pub mod next;
mod one_test;
mod performance;
mod request;
pub mod round;
pub(crate) mod subagent;

use std::sync::Arc;

use minijinja::value::Value;
use serde_json::json;

use crate::effects::{Effects, Set};
use crate::facts::{FactError, Facts};
use crate::transition::{Origin, apply, chosen, enter, rendered};
use crate::verdict::Verdict;
use crate::workflow::phase::{Actor, AgentPhase, Performance, Phase, PhaseKind};
use crate::workflow::step::{Delivery, Step};

pub(crate) use performance::handed_over;
pub use performance::{Answered, failed, has_passed, performed};
pub use request::{AnswerError, AnswerForm, Request, Task, Tests};

/// How often an unfinished phase of the agent is held where the workflow does not say.
pub const HOLDS: u32 = 3;

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
    /// Something is due, but it is not performed: a step is taken without it.
    Unperformed(Unperformed, Effects),
    /// The agent's phase is not finished: it is sent back with the text, `limit` times without progress.
    Unfinished {
        /// How often.
        limit: u32,
        /// What the agent is told.
        text: String,
        /// What happens then.
        at_limit: Effects,
    },
    /// A review or a check must be performed.
    Perform(Box<Request>),
    /// People have answered.
    Answered(Box<Answered>),
}

/// Why a review or a check that is due is not performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unperformed {
    /// It counts as passed without being done.
    Skipped,
    /// There were as many rounds as there may be.
    AtLimit,
    /// It lacks what it needs.
    Lacking,
}

impl Unperformed {
    /// The word in the journal.
    pub fn word(self) -> &'static str {
        match self {
            Unperformed::Skipped => "skipped",
            Unperformed::AtLimit => "rounds-used",
            Unperformed::Lacking => "lacking",
        }
    }
}

/// The phase that is due.
pub fn due(facts: &Arc<Facts>) -> Result<Due, FactError> {
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
pub fn turn(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, FactError> {
    match &phase.kind {
        PhaseKind::User(_) | PhaseKind::Nobody(_) => resting(facts, phase),
        PhaseKind::Agent(agent) if !is_proved(facts, agent)? => unfinished(facts, phase),
        PhaseKind::Agent(_) => match phase.performance() {
            Some(check) => performance(facts, phase, check),
            None => Ok(Turn::Step(finish(facts, phase, Vec::new())?)),
        },
        PhaseKind::Reviewer(review) => performance(facts, phase, Performance::Review(review)),
        PhaseKind::Check(check) => performance(facts, phase, Performance::Check(check)),
        PhaseKind::Approval(asked) => approval::turn(facts, phase, asked),
    }
}

/// The user's turn: the agent may go, after what the phase does when it stops there.
fn resting(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, FactError> {
    match chosen(facts, phase.stop())? {
        Some(step) => Ok(Turn::Step(apply(facts, &Origin::Phase(phase), step, Vec::new())?)),
        None => Ok(Turn::Rest),
    }
}

/// Whether a run in this phase still asks for something when the agent stops.
pub fn is_live(facts: &Arc<Facts>) -> Result<bool, FactError> {
    match due(facts)? {
        Due::Phase(phase) if phase.actor() == Actor::Approval => Ok(true),
        Due::Phase(phase) if phase.actor().rests() => Ok(chosen(facts, phase.stop())?.is_some()),
        Due::Phase(_) => Ok(true),
        Due::Nobody | Due::Unknown(_) => Ok(false),
    }
}

/// Whether the phase that is due is another's than the user's: there is work to do.
pub fn is_at_work(facts: &Arc<Facts>) -> Result<bool, FactError> {
    Ok(matches!(due(facts)?, Due::Phase(phase) if !phase.actor().rests()))
}

/// Whether an agent's phase is finished: its report is there, or its condition is true.
pub(crate) fn is_proved(facts: &Arc<Facts>, phase: &AgentPhase) -> Result<bool, FactError> {
    if let Some(until) = &phase.until {
        return Ok(facts.evaluate(until, facts.context())?.is_true());
    }
    let Some(report) = &phase.report else { return Ok(false) };
    let path = facts.render(report, facts.context())?;
    match facts.world.is_new(&path) {
        crate::world::Answer::Is(()) => Ok(true),
        crate::world::Answer::None => Ok(false),
        crate::world::Answer::Fault(why) => Err(FactError::world(format!("`{path}`"), why)),
    }
}

fn unfinished(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, FactError> {
    if phase.count(&facts.workflow).is_some() {
        return Ok(Turn::Step(next_round(facts, phase)?));
    }
    let text = ask(facts, phase)?;
    let Some(limit) = phase.limit(&facts.workflow) else {
        return Ok(Turn::Unfinished { limit: HOLDS, text, at_limit: Effects::default() });
    };
    let most = number(&facts.evaluate(&limit.most, facts.context())?);
    let at_limit = apply(facts, &Origin::Phase(phase), &limit.then, Vec::new())?;
    Ok(Turn::Unfinished { limit: u32::try_from(most).unwrap_or(0), text, at_limit })
}

/// An agent's phase whose rounds are counted: finding it unfinished uses one, and the agent is sent into it again.
fn next_round(facts: &Arc<Facts>, phase: &Phase) -> Result<Effects, FactError> {
    let round = round(facts, phase)?;
    if let Some(at_limit) = at_limit(facts, phase, round)? {
        return Ok(at_limit);
    }
    let mut effects = Effects { sets: counted(facts, phase, round)?, ..Effects::default() };
    enter(facts, phase, &mut effects)?;
    let text = ask(&facts.overlaid(&effects.sets), phase)?;
    effects.messages.push(Origin::Phase(phase).message(Delivery::Hold, text));
    Ok(effects)
}

/// What happens at the limit, if this round is beyond it.
fn at_limit(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<Option<Effects>, FactError> {
    match phase.limit(&facts.workflow) {
        Some(limit) if is_beyond(facts, phase, round)? => {
            apply(facts, &Origin::Phase(phase), &limit.then, Vec::new()).map(Some)
        }
        _ => Ok(None),
    }
}

/// Whether a phase's limit does not allow this round.
fn is_beyond(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<bool, FactError> {
    let Some(limit) = phase.limit(&facts.workflow) else { return Ok(false) };
    Ok(round > number(&facts.evaluate(&limit.most, facts.context())?))
}

/// The first of the steps whose condition is true, after `sets`.
fn take(facts: &Arc<Facts>, phase: &Phase, steps: &[Step], sets: Vec<Set>) -> Result<Effects, FactError> {
    match chosen(&facts.overlaid(&sets), steps)? {
        Some(step) => apply(facts, &Origin::Phase(phase), step, sets),
        None => Ok(Effects { sets, ..Effects::default() }),
    }
}

/// The step that a finished phase of the agent or the user leads to, after `sets`.
pub(crate) fn finish(facts: &Arc<Facts>, phase: &Phase, mut sets: Vec<Set>) -> Result<Effects, FactError> {
    sets.extend(done(facts, phase)?);
    take(facts, phase, phase.then(), sets)
}

/// What a finished phase leaves in the state whatever its outcome: that it was the last one.
fn done(facts: &Arc<Facts>, phase: &Phase) -> Result<Vec<Set>, FactError> {
    facts.workflow.run.last.iter().map(|field| facts.set(field, json!(phase.name))).collect()
}

/// The report that an agent's phase is proved by.
pub(crate) fn expected(facts: &Arc<Facts>, phase: &Phase) -> Result<Option<String>, FactError> {
    let report = phase.report().filter(|_| phase.actor() == Actor::Agent);
    report.map(|report| facts.render(report, facts.context())).transpose()
}

/// Renders the instructions for whoever acts in a phase.
pub fn asked(facts: &Arc<Facts>, phase: &Phase) -> Result<String, FactError> {
    if phase.actor() == Actor::Approval {
        return approval::asked(facts, phase);
    }
    let text = ask(facts, phase)?;
    Ok(if text.is_empty() { format!("The phase `{}` is due now.", phase.name) } else { text })
}

/// The text of a phase itself.
pub fn ask(facts: &Arc<Facts>, phase: &Phase) -> Result<String, FactError> {
    phase.ask().map_or(Ok(String::new()), |say| facts.render(&say.template, facts.context()))
}

/// The turn of a phase that the engine performs.
fn performance(facts: &Arc<Facts>, phase: &Phase, what: Performance<'_>) -> Result<Turn, FactError> {
    if is_skipped(facts, what)? {
        let mut sets = done(facts, phase)?;
        if let Some(skip) = what.skip() {
            sets.extend(rendered(facts, &skip.set, &facts.context())?);
        }
        let effects = take(facts, phase, what.skipping(), sets)?;
        return Ok(unperformed(phase, Unperformed::Skipped, effects));
    }
    // The rounds of an agent's phase are counted when it is found unfinished, not when it is checked.
    let is_counted = phase.actor() != Actor::Agent;
    let round = if is_counted { round(facts, phase)? } else { 1 };
    if let Some(at_limit) = at_limit(facts, phase, round)?.filter(|_| is_counted) {
        return Ok(unperformed(phase, Unperformed::AtLimit, at_limit));
    }
    let counted = facts.overlaid(&counted(facts, phase, round)?);
    if let Performance::Review(review) = what
        && let Some(needs) = &review.needs
        && !counted.evaluate(&needs.that, counted.context())?.is_true()
    {
        let because = counted.render(&needs.otherwise, counted.context())?;
        return Ok(unperformed(phase, Unperformed::Lacking, failed(facts, phase, &because)?));
    }
    if let Performance::Review(review) = what
        && subagent::is_asked(&counted, phase)?
    {
        return subagent::turn(&counted, phase, review, round);
    }
    Ok(match performance::request(&counted, phase, what, round)? {
        Some(request) => Turn::Perform(Box::new(request)),
        None => {
            let skipped = Answered { verdict: Some(Verdict::Skip), ..Answered::default() };
            unperformed(phase, Unperformed::Skipped, performed(facts, phase, &skipped)?)
        }
    })
}

/// The turn of a phase without its review or check; one that only ends with a check is finished all the same.
fn unperformed(phase: &Phase, why: Unperformed, effects: Effects) -> Turn {
    if phase.actor().is_performed() { Turn::Unperformed(why, effects) } else { Turn::Step(effects) }
}

/// Whether what a phase performs counts as passed without being done.
fn is_skipped(facts: &Arc<Facts>, what: Performance<'_>) -> Result<bool, FactError> {
    what.skip().map_or(Ok(false), |skip| Ok(facts.evaluate(&skip.when, facts.context())?.is_true()))
}

/// Which round a performance would be.
fn round(facts: &Arc<Facts>, phase: &Phase) -> Result<i64, FactError> {
    match phase.count(&facts.workflow) {
        Some(field) => Ok(number(&facts.field(field)?).saturating_add(1)),
        None => Ok(1),
    }
}

fn counted(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<Vec<Set>, FactError> {
    let field = phase
        .count(&facts.workflow)
        .filter(|_| phase.performance().is_none() || phase.actor() != Actor::Agent);
    field.map(|field| facts.set(field, json!(round))).into_iter().collect()
}

/// A number as a count; anything else is 0.
pub(crate) fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}
