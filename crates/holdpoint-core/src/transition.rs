//! Taking a step: the one function that says what a step comes to, whoever it belongs to: a phase, a limit, a command or
//! a rule. It performs nothing.
//!
//! The order of effects, always; each sees the state as those before it leave it:
//!
//! 1. `when`: the first step whose condition is true is taken ([`chosen`]).
//! 2. `round`: one of the limit's rounds is used up. At the limit the step's own `set` and `log` still happen, and then
//!    the limit's step is taken in its place.
//! 3. `set`, `clear`, `renew`: all of them see the state before the first of them. Then `freeze`, `accept` and `rebase`.
//! 4. `finish` (a command's step): the step that finishes the phase, as a whole.
//! 5. `go`: the due phase.
//! 6. `write`, `remove`, `log`: about the item that is left, where the step leads to another one.
//! 7. `enter` of the phase gone to: what the engine notes of the files; its `set`, one after the other, its `write` and `remove`, its `log`.
//! 8. The text. A phase's step without one, or with a `note` only, that leads to the agent, or to the end, says what is said there; a command's own
//!    text takes the place of what the step that finishes the phase says.

use std::sync::Arc;

use minijinja::value::Value;
use serde_json::{Value as Json, json};

use crate::effects::{Effects, FileChange, Message, Set, Source};
use crate::facts::{FactError, Facts, With, phase_fact};
use crate::phase::{self, ask, expected, handed_over, number};
use crate::workflow::limit::Limit;
use crate::workflow::phase::{Actor, Phase};
use crate::workflow::step::{Delivery, END, Step};
use crate::workflow::{Named, Rule, Text};

/// Whose step it is.
#[derive(Clone, Debug)]
pub enum Origin<'a> {
    /// A phase's, or that of its limit.
    Phase(&'a Phase),
    /// A command's, and the phase that it finishes.
    Command(Option<&'a Phase>),
    /// A rule's, with `key` and `value` where it looks at elements.
    Rule(&'a Rule, Vec<(&'static str, Value)>),
}

/// The first step whose condition is true.
pub(crate) fn chosen<'a>(facts: &Arc<Facts>, steps: &'a [Step]) -> Result<Option<&'a Step>, FactError> {
    for step in steps {
        let is_met = |when: &Text| Ok::<bool, FactError>(facts.evaluate(when, facts.context())?.is_true());
        if step.when.as_ref().map_or(Ok(true), is_met)? {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

/// What taking a step comes to, `before` included: fields that are set already.
pub(crate) fn apply(
    facts: &Arc<Facts>,
    origin: &Origin<'_>,
    step: &Step,
    before: Vec<Set>,
) -> Result<Effects, FactError> {
    let mut effects = Effects { sets: before, ..Effects::default() };
    match round(facts, step, &effects.sets)? {
        Round::None => carry_out(facts, origin, step, effects, None),
        Round::Counted(count) => {
            effects.sets.push(count);
            carry_out(facts, origin, step, effects, None)
        }
        Round::Moves(count) => carry_out(facts, origin, step, effects, Some(count)),
        Round::UsedUp(limit) => {
            set(facts, origin, step, &mut effects)?;
            log(facts, origin, step, &mut effects)?;
            let facts = facts.with("because", Value::from(limit.name.as_ref()));
            carry_out(&facts, origin, &limit.then, effects, None)
        }
    }
}

/// The step's parts in their order. `moves` makes another item the current one.
fn carry_out(
    facts: &Arc<Facts>,
    origin: &Origin<'_>,
    step: &Step,
    mut effects: Effects,
    moves: Option<Set>,
) -> Result<Effects, FactError> {
    set(facts, origin, step, &mut effects)?;
    finish(facts, origin, &mut effects)?;
    go(facts, step, &mut effects);
    change_files(facts, origin, step, &mut effects)?;
    log(facts, origin, step, &mut effects)?;
    effects.sets.extend(moves);
    if let Some(target) = step.go.as_ref().and_then(|go| facts.workflow.phase(go)) {
        note(facts, target, &mut effects)?;
        enter(facts, target, &mut effects)?;
    }
    say(facts, origin, step, &mut effects)?;
    effects.wait_s = effects.wait_s.max(step.wait_s);
    Ok(effects)
}

/// What a step's `round` comes to.
enum Round<'a> {
    /// It names no limit.
    None,
    /// One more is used.
    Counted(Set),
    /// One more is used, and the count says which item is the current one: the step itself is still about the one before.
    Moves(Set),
    /// All of them are.
    UsedUp(&'a Limit),
}

fn round<'a>(facts: &'a Arc<Facts>, step: &Step, sets: &[Set]) -> Result<Round<'a>, FactError> {
    let named = |name: &Text| facts.workflow.limit(name);
    let Some(limit) = step.round.as_ref().and_then(named) else { return Ok(Round::None) };
    let now = facts.overlaid(sets);
    let used = number(&now.field(limit.field())?).saturating_add(1);
    if used > number(&now.evaluate(&limit.most, now.context())?) {
        return Ok(Round::UsedUp(limit));
    }
    let count = facts.set(limit.field(), json!(used))?;
    let moves = facts.workflow.run.item.as_ref().is_some_and(|item| item.at == limit.field());
    Ok(if moves { Round::Moves(count) } else { Round::Counted(count) })
}

fn set(facts: &Arc<Facts>, origin: &Origin<'_>, step: &Step, effects: &mut Effects) -> Result<(), FactError> {
    if !step.set.is_empty() {
        let now = facts.overlaid(&effects.sets);
        effects.sets.extend(rendered(&now, &step.set, &origin.context(&now, step))?);
    }
    effects.accepts |= step.accept || step.command.create.is_some();
    if !step.freeze.is_empty() || step.accept {
        let now = facts.overlaid(&effects.sets);
        effects.sets.extend(now.frozen_by(step, &origin.context(&now, step))?);
    }
    if step.rebase {
        effects.sets.extend(facts.overlaid(&effects.sets).based_anew()?);
    }
    Ok(())
}

fn finish(facts: &Arc<Facts>, origin: &Origin<'_>, effects: &mut Effects) -> Result<(), FactError> {
    if let Origin::Command(Some(phase)) = origin {
        let finished = phase::finish(facts, phase, std::mem::take(&mut effects.sets))?;
        effects.add(finished);
    }
    Ok(())
}

fn go(facts: &Arc<Facts>, step: &Step, effects: &mut Effects) {
    let Some(name) = &step.go else { return };
    effects.went = Some(name.to_string());
    if let Some(field) = &facts.workflow.run.due {
        let value = if name == END { Json::Null } else { json!(name) };
        effects.sets.push(Set { path: field.split('.').map(str::to_owned).collect(), value });
    }
}

fn change_files(
    facts: &Arc<Facts>,
    origin: &Origin<'_>,
    step: &Step,
    effects: &mut Effects,
) -> Result<(), FactError> {
    if step.write.is_empty() && step.remove.is_empty() {
        return Ok(());
    }
    let now = facts.overlaid(&effects.sets);
    let mut names = origin.names(&now, step);
    if let Origin::Phase(phase) = origin {
        names.extend(if step.write.is_empty() { Vec::new() } else { handed_over(&now, phase)? });
    }
    effects.files.extend(changed(&now, step, &naming(&now, names))?);
    Ok(())
}

/// The files that a step writes and removes; a path that renders to nothing is skipped.
fn changed(facts: &Arc<Facts>, step: &Step, context: &Value) -> Result<Vec<FileChange>, FactError> {
    let mut files = Vec::new();
    for file in step.write.iter() {
        let path = facts.render(&file.name, context.clone())?;
        if !path.is_empty() {
            let text = facts.render(&file.source, context.clone())? + "\n";
            files.push(FileChange::Write { path, text });
        }
    }
    for path in step.remove.iter() {
        match facts.render_value(path, context.clone())? {
            Json::Array(many) => {
                files.extend(many.iter().filter_map(Json::as_str).map(|one| FileChange::Remove(one.into())));
            }
            Json::String(one) => files.push(FileChange::Remove(one)),
            _ => {}
        }
    }
    Ok(files)
}

fn log(facts: &Arc<Facts>, origin: &Origin<'_>, step: &Step, effects: &mut Effects) -> Result<(), FactError> {
    if !step.log.is_empty() {
        let now = facts.overlaid(&effects.sets);
        effects.log.extend(lines(&now, step, &origin.context(&now, step))?);
    }
    Ok(())
}

fn lines(facts: &Arc<Facts>, step: &Step, context: &Value) -> Result<Vec<String>, FactError> {
    step.log.iter().map(|line| facts.render(line, context.clone())).collect()
}

/// What the engine notes of the files where another phase, or the same one once more, is gone to.
pub(crate) fn note(facts: &Arc<Facts>, target: &Phase, effects: &mut Effects) -> Result<(), FactError> {
    let now = facts.overlaid(&effects.sets);
    effects.sets.extend(now.entering()?);
    effects.sets.extend(phase::subagent::asking(&now, target)?);
    Ok(())
}

/// What entering a phase sets, writes and logs, and the report that then proves it.
pub(crate) fn enter(facts: &Arc<Facts>, target: &Phase, effects: &mut Effects) -> Result<(), FactError> {
    let nothing = Step::default();
    let left = facts.workflow.run.due.as_ref().map(|field| facts.field(field)).transpose()?;
    let facts = &facts.with("left", left.unwrap_or_default());
    let is_met = chosen(&facts.overlaid(&effects.sets), std::slice::from_ref(&target.enter))?;
    let step = is_met.unwrap_or(&nothing);
    for field in step.set.iter() {
        let now = facts.overlaid(&effects.sets);
        effects.sets.extend(rendered(&now, std::slice::from_ref(field), &now.context())?);
    }
    let now = facts.overlaid(&effects.sets);
    let names = if step.write.is_empty() { Vec::new() } else { handed_over(&now, target)? };
    effects.files.extend(changed(&now, step, &naming(&now, names))?);
    effects.log.extend(lines(&now, step, &now.context())?);
    effects.expects = expected(&now, target)?.or(effects.expects.take());
    Ok(())
}

fn say(facts: &Arc<Facts>, origin: &Origin<'_>, step: &Step, effects: &mut Effects) -> Result<(), FactError> {
    let target = step.go.as_ref().and_then(|go| facts.workflow.phase(go));
    let after = if effects.sets.is_empty() { Arc::clone(facts) } else { facts.overlaid(&effects.sets) };
    if step.delivery == Delivery::Note {
        let text = after.render(&step.say.template, origin.context(&after, step))?;
        effects.messages.push(origin.message(Delivery::Note, text));
    }
    let (delivery, text) = match (step.delivery, origin, target) {
        (Delivery::Silent | Delivery::Note, Origin::Phase(_), Some(target)) => match begun(&after, target)? {
            Some(said) => said,
            None => return Ok(()),
        },
        (Delivery::Silent | Delivery::Note, ..) => return Ok(()),
        (delivery, ..) => (delivery, after.render(&step.say.template, origin.context(&after, step))?),
    };
    if matches!(origin, Origin::Command(_)) {
        effects.messages.clear();
    }
    effects.messages.push(origin.message(delivery, text));
    Ok(())
}

/// What is said where a phase begins, if anything: to the agent what it is asked, to the user how it ended.
fn begun(facts: &Arc<Facts>, target: &Phase) -> Result<Option<(Delivery, String)>, FactError> {
    Ok(match target.actor() {
        Actor::Agent if target.ask().is_some() => Some((Delivery::Hold, ask(facts, target)?)),
        Actor::Nobody if target.ask().is_some() => Some((Delivery::Tell, ask(facts, target)?)),
        Actor::Reviewer if phase::subagent::is_asked(facts, target)? => {
            Some((Delivery::Hold, phase::subagent::ask(facts, target)?))
        }
        Actor::Agent | Actor::Nobody | Actor::User | Actor::Approval | Actor::Reviewer | Actor::Check => None,
    })
}

/// The fields that are set. Those of an item are passed over where there is none.
pub(crate) fn rendered(facts: &Arc<Facts>, fields: &[Named], context: &Value) -> Result<Vec<Set>, FactError> {
    let mut sets = Vec::new();
    for field in fields {
        if facts.can_set(&field.name)? {
            sets.push(facts.set(&field.name, facts.render_value(&field.source, context.clone())?)?);
        }
    }
    Ok(sets)
}

/// The facts with further names.
pub(crate) fn naming(facts: &Arc<Facts>, names: Vec<(&'static str, Value)>) -> Value {
    if names.is_empty() {
        return facts.context();
    }
    Value::from_object(With { facts: Arc::clone(facts), names })
}

impl Origin<'_> {
    /// A text of the step's owner.
    pub fn message(&self, delivery: Delivery, text: String) -> Message {
        let (source, name, line, code) = match self {
            Origin::Phase(phase) => (Source::Phase, phase.name.to_string(), phase.line, None),
            Origin::Command(_) => (Source::Command, String::new(), 0, None),
            Origin::Rule(rule, _) => {
                (Source::Rule, rule.name.to_string(), rule.line, rule.code.as_ref().map(ToString::to_string))
            }
        };
        Message { delivery, text, source, name, line, code, facts: Vec::new(), satisfied_by: None }
    }

    /// What a step's templates can name because of where it is written, beside all facts.
    fn names(&self, facts: &Arc<Facts>, step: &Step) -> Vec<(&'static str, Value)> {
        let target = || ("target", Value::from(step.go.as_deref()));
        match self {
            Origin::Phase(phase) => vec![("phase", phase_fact(facts, phase)), target()],
            Origin::Command(_) => vec![target()],
            Origin::Rule(_, element) => {
                let mut names = element.clone();
                names.extend(spoken(facts, step, element).map(|said| ("said", said)));
                names
            }
        }
    }

    fn context(&self, facts: &Arc<Facts>, step: &Step) -> Value {
        naming(facts, self.names(facts, step))
    }
}

/// What a rule says, for what it sets, writes and logs of that; none if it asks for nothing of the kind.
fn spoken(facts: &Arc<Facts>, step: &Step, element: &[(&'static str, Value)]) -> Option<Value> {
    let written = step.write.iter().map(|file| &file.source);
    let mut sources = step.set.iter().map(|set| &set.source).chain(written).chain(step.log.iter());
    sources.any(|source| source.contains("said")).then(|| {
        let said = facts.render(&step.say.template, naming(facts, element.to_vec()));
        said.map_or_else(Value::from, Value::from)
    })
}

#[cfg(test)]
#[path = "transition_tests.rs"]
mod transition_tests;
