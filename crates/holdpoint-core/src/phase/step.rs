//! Steps: which one is taken, and what it comes to. Nothing else acts.

use std::sync::Arc;

use minijinja::Error;
use minijinja::value::Value;
use serde_json::{Value as Json, json};

use super::performance::handed_over;
use super::{ask, number};
use crate::decision::{FileChange, Set};
use crate::facts::{Facts, With};
use crate::workflow::phase::{Actor, Phase};
use crate::workflow::step::{END, Manner, Step};
use crate::workflow::{Named, Text};

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
    /// Lines for the run's record.
    pub log: Vec<String>,
    /// How long to wait before what is due is looked at again, in seconds.
    pub wait_s: u32,
}

/// Takes the first of the steps whose condition is true.
pub(super) fn take(
    facts: &Arc<Facts>,
    phase: &Phase,
    steps: &[Step],
    sets: Vec<Set>,
) -> Result<Taken, Error> {
    match chosen(&facts.overlaid(&sets), steps)? {
        Some(step) => apply(facts, phase, step, sets),
        None => Ok(Taken { sets, ..Taken::default() }),
    }
}

/// The first step whose condition is true.
pub(super) fn chosen<'a>(facts: &Arc<Facts>, steps: &'a [Step]) -> Result<Option<&'a Step>, Error> {
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

/// A step's effects, after `sets`. One that names a limit uses up one of its rounds; at the limit, it leads where that
/// one's step leads. What the step itself sets and logs has happened all the same.
pub(crate) fn apply(
    facts: &Arc<Facts>,
    phase: &Phase,
    step: &Step,
    mut sets: Vec<Set>,
) -> Result<Taken, Error> {
    if let Some(limit) = step.round.as_ref().and_then(|name| facts.workflow.limit(name)) {
        let now = facts.overlaid(&sets);
        let used = number(&now.field(limit.field())?) + 1;
        if used > number(&now.evaluate(&limit.most, now.context())?) {
            let facts = facts.with("because", Value::from(limit.name.as_ref()));
            let logged = logged(&now, step, &now.context())?;
            let mut taken = effects(&facts, phase, &at_limit(step, &limit.then), sets, None)?;
            taken.log.splice(0..0, logged);
            return Ok(taken);
        }
        let count = facts.set(limit.field(), json!(used))?;
        // A count that says which element is at hand: the step itself is still about the one before.
        if facts.workflow.run.item.as_ref().is_some_and(|item| item.at == limit.field()) {
            return effects(facts, phase, step, sets, Some(count));
        }
        sets.push(count);
    }
    effects(facts, phase, step, sets, None)
}

/// A step that leads elsewhere, because its limit is reached.
fn at_limit(step: &Step, exhausted: &Step) -> Step {
    let mut both = exhausted.clone();
    both.set = step.set.iter().chain(exhausted.set.iter()).cloned().collect();
    both
}

/// A step's effects after `sets`, and before `moves`, which makes another element the one at hand.
fn effects(
    facts: &Arc<Facts>,
    phase: &Phase,
    step: &Step,
    mut sets: Vec<Set>,
    moves: Option<Set>,
) -> Result<Taken, Error> {
    let now = facts.overlaid(&sets);
    sets.extend(rendered(&now, &step.set)?);
    let target = step.go.as_ref().and_then(|go| facts.workflow.phase(go));
    sets.extend(gone(facts, step.go.as_deref()));
    let left = Value::from_object(With { facts: facts.overlaid(&sets), names: named(phase, step) });
    let mut log = logged(&now, step, &left)?;
    let mut files = changes(&facts.overlaid(&sets), phase, step)?;
    sets.extend(moves);
    let entered = entered(facts, step.go.as_deref(), &mut sets)?;
    files.extend(entered.files);
    log.extend(entered.log);
    let after = facts.overlaid(&sets);
    let context = Value::from_object(With { facts: Arc::clone(&after), names: named(phase, step) });
    let said = target.filter(|target| target.ask().is_some() && step.manner == Manner::Silent);
    let (manner, text) = match said.map(|target| (target, target.actor())) {
        Some((target, Actor::Agent)) => (Manner::Hold, ask(&after, target)?),
        Some((target, Actor::Nobody)) => (Manner::Tell, ask(&after, target)?),
        _ => (step.manner, after.render(&step.say.template, context)?),
    };
    let expects = entered.expects;
    let went = step.go.as_ref().map(ToString::to_string);
    Ok(Taken { sets, manner, text, went, files, expects, log, wait_s: step.wait_s })
}

fn named(phase: &Phase, step: &Step) -> Vec<(&'static str, Value)> {
    vec![("phase", crate::facts::phase_fact(phase)), ("target", Value::from(step.go.as_deref()))]
}

/// What entering a phase comes to, beside the fields that it sets.
#[derive(Debug, Default)]
pub(crate) struct Entered {
    pub(crate) files: Vec<FileChange>,
    pub(crate) log: Vec<String>,
    pub(crate) expects: Option<String>,
}

/// Enters a phase, after `sets`, which get what entering sets.
pub(crate) fn entered(facts: &Arc<Facts>, go: Option<&str>, sets: &mut Vec<Set>) -> Result<Entered, Error> {
    let Some(target) = go.and_then(|go| facts.workflow.phase(go)) else { return Ok(Entered::default()) };
    let nothing = Step::default();
    let enter = if is_met(&facts.overlaid(sets), &target.enter)? { &target.enter } else { &nothing };
    for field in enter.set.iter() {
        let now = facts.overlaid(sets);
        sets.extend(rendered(&now, std::slice::from_ref(field))?);
    }
    let after = facts.overlaid(sets);
    Ok(Entered {
        files: changes(&after, target, enter)?,
        log: logged(&after, enter, &after.context())?,
        expects: expected(&after, target)?,
    })
}

fn logged(facts: &Arc<Facts>, step: &Step, context: &Value) -> Result<Vec<String>, Error> {
    step.log.iter().map(|line| facts.render(line, context.clone())).collect()
}

/// The report that an agent's phase is proved by.
pub(crate) fn expected(facts: &Arc<Facts>, phase: &Phase) -> Result<Option<String>, Error> {
    let report = phase.report().filter(|_| phase.actor() == Actor::Agent);
    report.map(|report| facts.render(report, facts.context())).transpose()
}

/// The files that a step of a phase, or entering it, writes and removes.
pub(super) fn changes(facts: &Arc<Facts>, phase: &Phase, step: &Step) -> Result<Vec<FileChange>, Error> {
    let context = if step.write.is_empty() { facts.context() } else { handed_over(facts, phase)? };
    let mut files = written(facts, &step.write, &context)?;
    files.extend(removed(facts, &step.remove)?);
    Ok(files)
}

/// The files that are written; one whose path comes to nothing is not.
pub(crate) fn written(
    facts: &Arc<Facts>,
    files: &[Named],
    context: &Value,
) -> Result<Vec<FileChange>, Error> {
    let write = |file: &Named| {
        let path = facts.render(&file.name, context.clone())?;
        if path.is_empty() {
            return Ok(None);
        }
        let text = facts.render(&file.source, context.clone())? + "\n";
        Ok(Some(FileChange::Write { path, text }))
    };
    files.iter().map(write).filter_map(Result::transpose).collect()
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
    let value = go.map(|go| if go == END { Json::Null } else { json!(go) })?;
    Some(Set { path: field.split('.').map(str::to_owned).collect(), value })
}

/// The step that a finished phase of the agent or the user leads to.
pub(crate) fn finish(facts: &Arc<Facts>, phase: &Phase) -> Result<Taken, Error> {
    take(facts, phase, phase.then(), done(facts, phase)?)
}

/// What a finished phase leaves in the state whatever its outcome: that it was the last one.
pub(super) fn done(facts: &Arc<Facts>, phase: &Phase) -> Result<Vec<Set>, Error> {
    facts.workflow.run.last.iter().map(|field| facts.set(field, json!(phase.name))).collect()
}

/// The fields that are set. Those of an element are passed over where none is at hand.
pub(crate) fn rendered(facts: &Arc<Facts>, fields: &[Named]) -> Result<Vec<Set>, Error> {
    let mut sets = Vec::new();
    for field in fields {
        if facts.can_set(&field.name)? {
            sets.push(facts.set(&field.name, facts.render_value(&field.source, facts.context())?)?);
        }
    }
    Ok(sets)
}
