//! What a phase comes to: whose turn it is, what must be performed, and which step is taken. Nothing here performs
//! anything: a review that is due is described, and its verdict is given back.

pub mod ahead;

use std::sync::Arc;

use minijinja::Error;
use minijinja::value::Value;
use serde_json::{Value as Json, json};

use crate::decision::Set;
use crate::facts::{Facts, With, fault};
use crate::workflow::phase::{Actor, END, Manner, Phase, Reviewer, Step};
use crate::workflow::{Named, Workflow};

/// How often an unfinished phase of the agent is held where the workflow does not say.
pub(crate) const HOLDS: u32 = 3;

/// How many phases one Stop may go through: a finished one, a review, and what comes of it.
pub const TURNS_MAX: u32 = 4;

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
    /// A review must be performed.
    Review(Box<Review>),
}

/// A step that was taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taken {
    /// The state fields it sets.
    pub sets: Vec<Set>,
    /// How its text is meant.
    pub manner: Manner,
    /// Its text.
    pub text: String,
    /// The phase that is due now.
    pub went: Option<String>,
}

/// A review to perform.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// The phase.
    pub phase: String,
    /// Which round it is, from 1.
    pub round: i64,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// What goes to its standard input.
    pub input: Option<String>,
    /// The report it must leave, below the run's folder.
    pub report: Option<String>,
    /// Where its standard error goes, below the run's folder.
    pub log: Option<String>,
    /// Where its verdict stands.
    pub verdict: Vec<String>,
    /// The verdict that means clean.
    pub clean: String,
    /// How long it may take, in seconds.
    pub timeout_s: u32,
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

fn find<'a>(workflow: &'a Workflow, name: &str) -> Option<&'a Phase> {
    workflow.phases.iter().find(|phase| phase.name == name)
}

/// What to do about `phase` when the agent stops.
pub fn turn(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, Error> {
    match phase.by {
        Actor::User => Ok(Turn::Rest),
        Actor::Agent if is_proved(facts, phase)? => Ok(Turn::Taken(finish(facts, phase)?)),
        Actor::Agent => unfinished(facts, phase),
        Actor::Reviewer => review(facts, phase),
    }
}

/// Whether an agent's phase is finished: its report is there, or its condition is true.
pub(crate) fn is_proved(facts: &Arc<Facts>, phase: &Phase) -> Result<bool, Error> {
    if let Some(until) = &phase.until {
        return Ok(facts.evaluate(until, facts.context())?.is_true());
    }
    let Some(report) = &phase.report else { return Ok(false) };
    let path = facts.render(report, facts.context())?;
    match facts.world.exists(&path) {
        crate::world::Answer::Is(()) => Ok(true),
        crate::world::Answer::None => Ok(false),
        crate::world::Answer::Fault(why) => Err(fault(format!("`{path}`: {why}"))),
    }
}

fn unfinished(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, Error> {
    let text = ask(facts, phase)?;
    let Some(rounds) = &phase.rounds else {
        return Ok(Turn::Unfinished { limit: HOLDS, text, exhausted: Taken::default() });
    };
    let limit = number(&facts.evaluate(&rounds.limit, facts.context())?);
    let exhausted = apply(facts, phase, &rounds.exhausted, Vec::new())?;
    Ok(Turn::Unfinished { limit: u32::try_from(limit).unwrap_or(0), text, exhausted })
}

fn ask(facts: &Arc<Facts>, phase: &Phase) -> Result<String, Error> {
    phase.ask.as_ref().map_or(Ok(String::new()), |say| facts.render(&say.template, facts.context()))
}

fn review(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, Error> {
    if let Some(skip) = &phase.skip
        && facts.evaluate(&skip.when, facts.context())?.is_true()
    {
        let mut sets = done(facts, phase);
        sets.extend(rendered(facts, &skip.set)?);
        return Ok(Turn::Taken(take(facts, phase, "passed", sets)?));
    }
    let round = round(facts, phase)?;
    if let Some(rounds) = &phase.rounds
        && round > number(&facts.evaluate(&rounds.limit, facts.context())?)
    {
        return Ok(Turn::Taken(apply(facts, phase, &rounds.exhausted, Vec::new())?));
    }
    let counted = facts.overlaid(&counted(phase, round));
    if let Some(needs) = &phase.needs
        && !counted.evaluate(&needs.that, counted.context())?.is_true()
    {
        let because = counted.render(&needs.otherwise, counted.context())?;
        return Ok(Turn::Taken(failed(facts, phase, &because)?));
    }
    Ok(Turn::Review(Box::new(request(&counted, phase, round)?)))
}

/// The step for a review that did not work: the state stays as it is.
pub fn failed(facts: &Arc<Facts>, phase: &Phase, because: &str) -> Result<Taken, Error> {
    let step = phase.steps("failed").first().cloned().unwrap_or_default();
    apply(&facts.with("because", Value::from(because)), phase, &step, Vec::new())
}

/// The step for a review that was done: `clean` is its verdict.
pub fn reviewed(facts: &Arc<Facts>, phase: &Phase, clean: bool) -> Result<Taken, Error> {
    let mut sets = done(facts, phase);
    sets.extend(counted(phase, round(facts, phase)?));
    if let Some(models) = &phase.models {
        let now = facts.field(&models.field)?;
        let at = models.rotate.iter().position(|model| Some(model.as_ref()) == now.as_str());
        let next = models.rotate.get(at.map_or(0, |at| (at + 1) % models.rotate.len()));
        sets.extend(next.map(|model| set(&models.field, json!(model))));
    }
    let enough = match &phase.clean {
        None => clean,
        Some(row) => {
            let count = if clean { number(&facts.field(&row.count)?) + 1 } else { 0 };
            sets.push(set(&row.count, json!(count)));
            count >= i64::from(row.need)
        }
    };
    take(facts, phase, if enough { "passed" } else { "issues" }, sets)
}

/// Which round a review would be.
fn round(facts: &Arc<Facts>, phase: &Phase) -> Result<i64, Error> {
    match phase.rounds.as_ref().and_then(|rounds| rounds.count.as_ref()) {
        Some(field) => Ok(number(&facts.field(field)?) + 1),
        None => Ok(1),
    }
}

fn counted(phase: &Phase, round: i64) -> Vec<Set> {
    let field = phase.rounds.as_ref().and_then(|rounds| rounds.count.as_ref());
    field.map(|field| set(field, json!(round))).into_iter().collect()
}

/// What a finished phase leaves in the state whatever its outcome: that it was the last one.
fn done(facts: &Arc<Facts>, phase: &Phase) -> Vec<Set> {
    facts.workflow.run.last.iter().map(|field| set(field, json!(phase.name))).collect()
}

/// Takes the first step of an outcome whose condition is true.
fn take(facts: &Arc<Facts>, phase: &Phase, outcome: &str, sets: Vec<Set>) -> Result<Taken, Error> {
    let now = facts.overlaid(&sets);
    for step in phase.steps(outcome) {
        let chosen = match &step.when {
            Some(when) => now.evaluate(when, now.context())?.is_true(),
            None => true,
        };
        if chosen {
            return apply(facts, phase, step, sets);
        }
    }
    Ok(Taken { sets, ..Taken::default() })
}

/// A step's effects, after `sets`.
pub(crate) fn apply(
    facts: &Arc<Facts>,
    phase: &Phase,
    step: &Step,
    mut sets: Vec<Set>,
) -> Result<Taken, Error> {
    let now = facts.overlaid(&sets);
    sets.extend(rendered(&now, &step.set)?);
    let target = step.go.as_ref().and_then(|go| find(&facts.workflow, go));
    sets.extend(gone(facts, step.go.as_deref()));
    if step.afresh {
        sets.extend(target.map(fresh).unwrap_or_default());
    }
    let after = facts.overlaid(&sets);
    let names =
        vec![("phase", Value::from(phase.name.as_ref())), ("target", Value::from(step.go.as_deref()))];
    let context = Value::from_object(With { facts: Arc::clone(&after), names });
    let sent_back = target.filter(|target| target.by == Actor::Agent && step.manner == Manner::Silent);
    let (manner, text) = match sent_back {
        Some(target) => (Manner::Hold, ask(&after, target)?),
        None => (step.manner, after.render(&step.say.template, context)?),
    };
    Ok(Taken { sets, manner, text, went: step.go.as_ref().map(ToString::to_string) })
}

/// What going somewhere sets: whose turn it is.
pub(crate) fn gone(facts: &Arc<Facts>, go: Option<&str>) -> Option<Set> {
    let field = facts.workflow.run.due.as_ref()?;
    Some(set(field, go.map(|go| if go == END { Json::Null } else { json!(go) })?))
}

/// The step that a finished phase of the agent or the user leads to.
pub(crate) fn finish(facts: &Arc<Facts>, phase: &Phase) -> Result<Taken, Error> {
    take(facts, phase, "then", done(facts, phase))
}

/// The fields with which a phase's counters start anew.
fn fresh(phase: &Phase) -> Vec<Set> {
    let count =
        phase.rounds.as_ref().and_then(|rounds| rounds.count.as_ref()).map(|field| set(field, json!(0)));
    let model =
        phase.models.as_ref().and_then(|models| Some(set(&models.field, json!(models.rotate.first()?))));
    let clean = phase.clean.as_ref().map(|row| set(&row.count, json!(0)));
    [count, model, clean].into_iter().flatten().collect()
}

pub(crate) fn rendered(facts: &Arc<Facts>, fields: &[Named]) -> Result<Vec<Set>, Error> {
    let value = |field: &Named| Ok(set(&field.name, facts.render_value(&field.source, facts.context())?));
    fields.iter().map(value).collect()
}

fn request(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<Review, Error> {
    let reviewer = reviewer(facts, phase)?;
    let prompt = phase
        .prompt
        .as_ref()
        .map_or(Ok(String::new()), |say| facts.render(&say.template, facts.context()))?;
    let names =
        vec![("prompt", Value::from(prompt.as_str())), ("schema", Value::from(reviewer.schema.as_deref()))];
    let context = Value::from_object(With { facts: Arc::clone(facts), names });
    let command =
        reviewer.command.iter().map(|word| facts.render(word, context.clone())).collect::<Result<_, _>>()?;
    let path = |template: &Option<crate::workflow::Text>| {
        template.as_ref().map(|template| facts.render(template, facts.context())).transpose()
    };
    Ok(Review {
        phase: phase.name.to_string(),
        round,
        command,
        input: reviewer.prompt_on_stdin.then_some(prompt),
        report: path(&phase.report)?,
        log: path(&reviewer.log)?,
        verdict: reviewer.verdict.iter().map(ToString::to_string).collect(),
        clean: reviewer.clean.to_string(),
        timeout_s: reviewer.timeout_s,
    })
}

fn reviewer<'a>(facts: &'a Arc<Facts>, phase: &Phase) -> Result<&'a Reviewer, Error> {
    let named = |reviewer: &&Reviewer| phase.reviewer.as_ref().is_none_or(|name| reviewer.name == *name);
    let missing = || fault(format!("phase `{}` has no reviewer", phase.name));
    facts.workflow.reviewers.iter().find(named).ok_or_else(missing)
}

fn set(field: &str, value: Json) -> Set {
    Set { path: field.split('.').map(str::to_owned).collect(), value }
}

/// A number as a count; anything else is 0.
fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}
