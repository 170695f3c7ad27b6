//! What a phase comes to: whose turn it is, what must be performed, and which step is taken. Nothing here performs
//! anything: a review that is due is described, and its verdict is given back.

pub mod ahead;
pub mod round;

use std::sync::Arc;

use minijinja::Error;
use minijinja::value::Value;
use serde_json::{Value as Json, json};

use crate::decision::{FileChange, Set};
use crate::facts::{Facts, With, fault};
use crate::workflow::phase::{Actor, END, Manner, Phase, Reviewer, Step};
use crate::workflow::{Named, Text, Workflow};

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
    /// The files it changes, before the state is written.
    pub files: Vec<FileChange>,
    /// The report that proves the agent's phase which is due now: what is there already does not count.
    pub expects: Option<String>,
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
    /// Whether its exit code is the verdict.
    pub is_check: bool,
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
        Actor::User => resting(facts, phase),
        Actor::Agent if is_proved(facts, phase)? => Ok(Turn::Taken(finish(facts, phase)?)),
        Actor::Agent => unfinished(facts, phase),
        Actor::Reviewer | Actor::Check => review(facts, phase),
    }
}

/// The user's turn: the agent may go, after what the phase does when it stops there.
fn resting(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, Error> {
    match chosen(facts, phase.steps("stop"))? {
        Some(step) => Ok(Turn::Taken(apply(facts, phase, step, Vec::new())?)),
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
        return Ok(Turn::Taken(next_round(facts, phase)?));
    }
    let text = ask(facts, phase)?;
    let Some(rounds) = &phase.rounds else {
        return Ok(Turn::Unfinished { limit: HOLDS, text, exhausted: Taken::default() });
    };
    let limit = number(&facts.evaluate(&rounds.limit, facts.context())?);
    let exhausted = apply(facts, phase, &rounds.exhausted, Vec::new())?;
    Ok(Turn::Unfinished { limit: u32::try_from(limit).unwrap_or(0), text, exhausted })
}

/// An agent's phase whose rounds are counted: finding it unfinished uses one, and the agent is sent into it again.
fn next_round(facts: &Arc<Facts>, phase: &Phase) -> Result<Taken, Error> {
    let round = round(facts, phase)?;
    if let Some(exhausted) = exhausted(facts, phase, round)? {
        return Ok(exhausted);
    }
    let sets = counted(phase, round);
    let after = facts.overlaid(&sets);
    Ok(Taken {
        manner: Manner::Hold,
        text: ask(&after, phase)?,
        went: Some(phase.name.to_string()),
        files: entered(&after, phase)?,
        expects: expected(&after, phase)?,
        sets,
    })
}

/// What happens at the limit, if this round is beyond it.
fn exhausted(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<Option<Taken>, Error> {
    let Some(rounds) = &phase.rounds else { return Ok(None) };
    if round <= number(&facts.evaluate(&rounds.limit, facts.context())?) {
        return Ok(None);
    }
    apply(facts, phase, &rounds.exhausted, Vec::new()).map(Some)
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
    if let Some(exhausted) = exhausted(facts, phase, round)? {
        return Ok(Turn::Taken(exhausted));
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

/// The step for a review or a check that was done: `clean` is its verdict, `output` the last that it printed.
pub fn reviewed(facts: &Arc<Facts>, phase: &Phase, clean: bool, output: &str) -> Result<Taken, Error> {
    let facts = &facts.with("output", Value::from(output));
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
            let count = if clean { number(&facts.field(&row.count)?).saturating_add(1) } else { 0 };
            sets.push(set(&row.count, json!(count)));
            count >= i64::from(row.need)
        }
    };
    take(facts, phase, if enough { "passed" } else { "issues" }, sets)
}

/// Which round a review would be.
fn round(facts: &Arc<Facts>, phase: &Phase) -> Result<i64, Error> {
    match phase.rounds.as_ref().and_then(|rounds| rounds.count.as_ref()) {
        Some(field) => Ok(number(&facts.field(field)?).saturating_add(1)),
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
    match chosen(&facts.overlaid(&sets), phase.steps(outcome))? {
        Some(step) => apply(facts, phase, step, sets),
        None => Ok(Taken { sets, ..Taken::default() }),
    }
}

/// The first step whose condition is true.
fn chosen<'a>(facts: &Arc<Facts>, steps: &'a [Step]) -> Result<Option<&'a Step>, Error> {
    for step in steps {
        if is_met(facts, step)? {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

/// Whether a step's condition is true; one without is always taken.
pub(crate) fn is_met(facts: &Arc<Facts>, step: &Step) -> Result<bool, Error> {
    step.when.as_ref().map_or(Ok(true), |when| Ok(facts.evaluate(when, facts.context())?.is_true()))
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
    let mut files = changes(&after, phase, step)?;
    let (manner, text) = match sent_back {
        Some(target) => {
            files.extend(entered(&after, target)?);
            (Manner::Hold, ask(&after, target)?)
        }
        None => (step.manner, after.render(&step.say.template, context)?),
    };
    let expects = target.map(|target| expected(&after, target)).transpose()?.flatten();
    Ok(Taken { sets, manner, text, went: step.go.as_ref().map(ToString::to_string), files, expects })
}

/// The report that an agent's phase is proved by.
pub(crate) fn expected(facts: &Arc<Facts>, phase: &Phase) -> Result<Option<String>, Error> {
    let report = phase.report.as_ref().filter(|_| phase.by == Actor::Agent);
    report.map(|report| facts.render(report, facts.context())).transpose()
}

/// The files that sending the agent into a phase writes.
fn entered(facts: &Arc<Facts>, phase: &Phase) -> Result<Vec<FileChange>, Error> {
    if phase.enter.is_empty() {
        return Ok(Vec::new());
    }
    written(facts, &phase.enter, &performance(facts, phase)?)
}

/// The files that a step of a phase writes and removes.
fn changes(facts: &Arc<Facts>, phase: &Phase, step: &Step) -> Result<Vec<FileChange>, Error> {
    let context = if step.write.is_empty() { facts.context() } else { performance(facts, phase)? };
    let mut files = written(facts, &step.write, &context)?;
    files.extend(removed(facts, &step.remove)?);
    Ok(files)
}

/// The facts with `prompt` and `command`, for what hands a phase's review to somebody else.
fn performance(facts: &Arc<Facts>, phase: &Phase) -> Result<Value, Error> {
    if phase.reviewer.is_none() {
        return Ok(facts.context());
    }
    let program = program(facts, phase)?;
    let prompt = prompt(facts, phase)?;
    let words: Vec<String> = command_line(facts, program, &prompt)?;
    let names = vec![("prompt", Value::from(prompt)), ("command", Value::from(words))];
    Ok(Value::from_object(With { facts: Arc::clone(facts), names }))
}

pub(crate) fn written(
    facts: &Arc<Facts>,
    files: &[Named],
    context: &Value,
) -> Result<Vec<FileChange>, Error> {
    let write = |file: &Named| {
        let path = facts.render(&file.name, context.clone())?;
        let text = facts.render(&file.source, context.clone())? + "\n";
        Ok(FileChange::Write { path, text })
    };
    files.iter().map(write).collect()
}

pub(crate) fn removed(facts: &Arc<Facts>, paths: &[Text]) -> Result<Vec<FileChange>, Error> {
    let mut files = Vec::new();
    for path in paths {
        match facts.render_value(path, facts.context())? {
            Json::Array(many) => {
                files
                    .extend(many.iter().filter_map(Json::as_str).map(|path| FileChange::Remove(path.into())));
            }
            Json::String(one) => files.push(FileChange::Remove(one)),
            _ => {}
        }
    }
    Ok(files)
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
    let reviewer = program(facts, phase)?;
    let prompt = prompt(facts, phase)?;
    let command = command_line(facts, reviewer, &prompt)?;
    let path = |template: &Option<Text>| {
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
        is_check: reviewer.is_check,
        clean: reviewer.clean.to_string(),
        timeout_s: reviewer.timeout_s,
    })
}

/// The program of a phase: the one it names, or the first of its kind.
fn program<'a>(facts: &'a Arc<Facts>, phase: &Phase) -> Result<&'a Reviewer, Error> {
    let missing = || fault(format!("phase `{}` has no program to perform it", phase.name));
    phase.program(&facts.workflow.reviewers).ok_or_else(missing)
}

/// What a phase's reviewer is told.
fn prompt(facts: &Arc<Facts>, phase: &Phase) -> Result<String, Error> {
    let Some(say) = &phase.prompt else { return Ok(String::new()) };
    facts.render(&say.template, facts.context())
}

/// A program's words, with the prompt where they name it.
fn command_line(facts: &Arc<Facts>, program: &Reviewer, prompt: &str) -> Result<Vec<String>, Error> {
    let names = vec![("prompt", Value::from(prompt)), ("schema", Value::from(program.schema.as_deref()))];
    let context = Value::from_object(With { facts: Arc::clone(facts), names });
    program.command.iter().map(|word| facts.render(word, context.clone())).collect()
}

fn set(field: &str, value: Json) -> Set {
    Set { path: field.split('.').map(str::to_owned).collect(), value }
}

/// A number as a count; anything else is 0.
fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}
