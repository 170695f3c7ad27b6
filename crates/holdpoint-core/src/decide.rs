//! The one decision function: a workflow's rules against one event.

use std::sync::Arc;

use minijinja::value::{Value, ValueKind};

use crate::effects::{Effects, Fault, Message, Source};
use crate::event::Event;
use crate::facts::{FactError, Facts};
use crate::shell::plain_words;
use crate::tool::Tool;
use crate::transition::{Origin, apply, naming};
use crate::workflow::step::Delivery;
use crate::workflow::{Rule, Workflow};

/// The most elements a rule with `each` looks at.
const ELEMENTS_MAX: usize = 1_000;

/// Decides what the workflow says to the event; with `only`, what the rules of that name say.
///
/// A rule that cannot be judged allows the event and leaves a fault, unless `on_fault` says that it holds; the others are
/// judged all the same.
pub fn decide(facts: &Arc<Facts>, only: Option<&str>) -> Effects {
    let mut effects = Effects::default();
    let (workflow, event) = (Arc::clone(&facts.workflow), Arc::clone(&facts.event));
    if only.is_none() {
        match crate::protection::message(facts) {
            Ok(message) => effects.messages.extend(message),
            Err(error) if workflow.run.holds_on_fault && !is_ours(&event) => {
                hold_unprotected(&error, &mut effects);
            }
            Err(error) => effects.fault(error.to_string()),
        }
    }
    if only.is_none() {
        match crate::phase::subagent::heard(facts) {
            Ok(heard) => effects.add(heard),
            Err(error) => effects.fault(error.to_string()),
        }
    }
    let debug = workflow.legacy.as_ref().and_then(|legacy| legacy.debug.as_ref());
    let debug = debug.filter(|debug| facts.world.env(&debug.variable).as_deref() == Some("true"));
    for rule in workflow.rules_for(&event, only) {
        facts.forget_touched();
        let before = effects.messages.len();
        let judged = judge(rule, facts, &mut effects);
        if let Some(debug) = debug {
            let line = trace(rule, facts, &judged, &effects.messages[before..]);
            effects.traces.push(format!("{} {line}", debug.prefix));
        }
        if let Err(error) = judged
            && blame(rule, &error, &mut effects)
            && holds_unjudged(rule, &workflow)
            && !is_ours(&event)
        {
            hold_unjudged(rule, &error, &mut effects);
        }
    }
    // Rules are asked at many events: what stands there already is not written again.
    if effects.sets.iter().all(|set| facts.has(set)) {
        effects.sets.clear();
    }
    for what in facts.take_strange() {
        effects.faults.push(Fault { what, is_aside: true, ..Fault::default() });
    }
    effects
}

/// What a rule came to, and what it looked at.
fn trace(rule: &Rule, facts: &Facts, judged: &Result<(), FactError>, said: &[Message]) -> String {
    let seen = match said.first() {
        Some(message) => message.facts.clone(),
        None => facts.take_touched(),
    };
    let came = match (judged, said.first()) {
        (Err(error), _) => format!("could not be judged: {error}"),
        (_, Some(Message { delivery: Delivery::Hold, .. })) => "holds".to_owned(),
        (_, Some(_)) => "speaks".to_owned(),
        (_, None) => "says nothing".to_owned(),
    };
    let seen: Vec<String> = seen.into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let name = if rule.name == *rule.called() {
        rule.name.to_string()
    } else {
        format!("{} ({})", rule.called(), rule.name)
    };
    format!("{name} {came}{}{}", if seen.is_empty() { "" } else { "; " }, seen.join(", "))
}

fn judge(rule: &Rule, facts: &Arc<Facts>, effects: &mut Effects) -> Result<(), FactError> {
    let Some(each) = &rule.each else { return judge_once(rule, facts, Vec::new(), effects) };
    let elements = facts.evaluate(each, facts.context())?;
    for (key, value) in pairs(&elements)?.into_iter().take(ELEMENTS_MAX) {
        judge_once(rule, facts, vec![("key", key), ("value", value)], effects)?;
    }
    Ok(())
}

/// The elements of a list or a map with their keys; anything else has none.
fn pairs(elements: &Value) -> Result<Vec<(Value, Value)>, FactError> {
    match elements.kind() {
        ValueKind::Map => {
            elements.try_iter()?.map(|key| Ok((key.clone(), elements.get_item(&key)?))).collect()
        }
        ValueKind::Seq | ValueKind::Iterable => {
            Ok(elements.try_iter()?.enumerate().map(|(at, value)| (Value::from(at), value)).collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// Takes the rule's step if its condition is true; `element` names the element it looks at.
fn judge_once(
    rule: &Rule,
    facts: &Arc<Facts>,
    element: Vec<(&'static str, Value)>,
    effects: &mut Effects,
) -> Result<(), FactError> {
    let context = naming(facts, element.clone());
    let when = rule.step.when.as_ref();
    if let Some(when) = when
        && !facts.evaluate(when, context.clone())?.is_true()
    {
        return Ok(());
    }
    let mut seen = facts.take_touched();
    seen.extend(when.into_iter().flat_map(|when| facts.looked_at(when, &context)));
    let origin = Origin::Rule(rule, element);
    let mut taken = match apply(facts, &origin, &rule.step, Vec::new()) {
        // What is held stays held, even if nobody can say it in the workflow's words.
        Err(error) if rule.step.delivery == Delivery::Hold => {
            blame(rule, &error, effects);
            let text = format!("`{}` holds this. Its own text cannot be shown: {error}.", rule.name);
            Effects { messages: vec![origin.message(Delivery::Hold, text)], ..Effects::default() }
        }
        taken => taken?,
    };
    let satisfied_by = rule.satisfied_by.as_ref().map(|text| facts.render(text, context)).transpose()?;
    for message in &mut taken.messages {
        message.facts.clone_from(&seen);
        message.satisfied_by.clone_from(&satisfied_by);
    }
    effects.add(taken);
    Ok(())
}

/// Notes a rule's fault, once for all the rules that share its cause. True if it is the first.
fn blame(rule: &Rule, error: &FactError, effects: &mut Effects) -> bool {
    let what = error.to_string();
    let is_first = !effects.faults.iter().any(|fault| fault.what == what);
    if is_first {
        effects.faults.push(Fault { rule: Some(rule.name.to_string()), what, ..Fault::default() });
    }
    is_first
}

/// Whether an event is the call of a command of ours, and nothing else. That says by itself what is wrong, and does nothing
/// then; whoever could not call it could not find out.
fn is_ours(event: &Event) -> bool {
    let words = event.tool.as_ref().and_then(Tool::command).and_then(|command| plain_words(&command));
    words.is_some_and(|words| {
        words.first().is_some_and(|program| program.rsplit('/').next() == Some("holdpoint"))
    })
}

/// Whether a rule holds an event that it cannot judge.
fn holds_unjudged(rule: &Rule, workflow: &Workflow) -> bool {
    let is_hold = rule.step.delivery == Delivery::Hold;
    is_hold && rule.holds_on_fault.unwrap_or(workflow.run.holds_on_fault)
}

/// Holds what a rule could not judge. Whoever is held hears of the fault, so it need not be told besides.
fn hold_unjudged(rule: &Rule, error: &FactError, effects: &mut Effects) {
    effects.faults.iter_mut().filter(|fault| fault.rule.as_deref() == Some(&*rule.name)).for_each(|fault| {
        fault.is_told = true;
    });
    let text = format!("`{}` holds this because it cannot be judged: {error}.", rule.name);
    effects.messages.push(Origin::Rule(rule, Vec::new()).message(Delivery::Hold, text));
}

/// The same for the engine's own protection of a run.
fn hold_unprotected(error: &FactError, effects: &mut Effects) {
    effects.faults.push(Fault { what: error.to_string(), is_told: true, ..Fault::default() });
    effects.messages.push(Message {
        delivery: Delivery::Hold,
        text: format!("This is held because it cannot be judged: {error}."),
        source: Source::Engine,
        name: "protection".to_owned(),
        line: 0,
        code: None,
        facts: Vec::new(),
        satisfied_by: None,
    });
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod decide_tests;
