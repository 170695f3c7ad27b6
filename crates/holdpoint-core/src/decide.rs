//! The one decision function: a workflow's rules against one event.

use std::sync::Arc;

use minijinja::Error;
use minijinja::value::{Value, ValueKind};

use crate::decision::{Decision, Fault, Finding};
use crate::facts::{Facts, With, reason};
use crate::workflow::Rule;

/// The most elements a rule with `each` looks at.
const ELEMENTS_MAX: usize = 1_000;

/// Decides what the workflow says to the event; with `only`, what the rules of that name say.
///
/// A rule that cannot be judged lets go and leaves a fault; the others are judged all the same.
pub fn decide(facts: &Arc<Facts>, only: Option<&str>) -> Decision {
    let mut decision = Decision::default();
    let (workflow, event) = (Arc::clone(&facts.workflow), Arc::clone(&facts.event));
    if only.is_none() {
        match crate::protection::finding(facts) {
            Ok(finding) => decision.findings.extend(finding),
            Err(error) => decision.faults.push(Fault { rule: None, what: reason(&error) }),
        }
    }
    for rule in workflow.rules_for(&event, only) {
        facts.forget_touched();
        if let Err(error) = judge(rule, facts, &mut decision) {
            blame(rule, &error, &mut decision);
        }
    }
    decision
}

fn judge(rule: &Rule, facts: &Arc<Facts>, decision: &mut Decision) -> Result<(), Error> {
    let Some(each) = &rule.each else { return judge_once(rule, facts, &facts.context(), decision) };
    let elements = facts.evaluate(each, facts.context())?;
    for (key, value) in pairs(&elements)?.into_iter().take(ELEMENTS_MAX) {
        let element = With { facts: Arc::clone(facts), names: vec![("key", key), ("value", value)] };
        judge_once(rule, facts, &Value::from_object(element), decision)?;
    }
    Ok(())
}

/// The elements of a list or a map with their keys; anything else has none.
fn pairs(elements: &Value) -> Result<Vec<(Value, Value)>, Error> {
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

fn judge_once(
    rule: &Rule,
    facts: &Arc<Facts>,
    context: &Value,
    decision: &mut Decision,
) -> Result<(), Error> {
    if let Some(when) = &rule.when
        && !facts.evaluate(when, context.clone())?.is_true()
    {
        return Ok(());
    }
    for field in rule.set.iter() {
        let value = facts.render_value(&field.source, context.clone())?;
        decision.sets.push(facts.set(&field.name, value)?);
    }
    let mut seen = facts.take_touched();
    seen.extend(rule.when.iter().flat_map(|when| facts.looked_at(when, context)));
    let text = facts.render(&rule.say.template, context.clone())?;
    let satisfied_by =
        rule.satisfied_by.as_ref().map(|text| facts.render(text, context.clone())).transpose()?;
    decision.findings.push(Finding {
        kind: rule.kind,
        rule: rule.name.clone().into_owned(),
        code: rule.code.clone().map(Into::into),
        to: rule.to,
        text,
        facts: seen,
        satisfied_by,
        line: rule.line,
    });
    Ok(())
}

/// Notes a rule's fault, once for all the rules that share its cause.
fn blame(rule: &Rule, error: &Error, decision: &mut Decision) {
    let what = reason(error);
    if !decision.faults.iter().any(|fault| fault.what == what) {
        decision.faults.push(Fault { rule: Some(rule.name.clone().into_owned()), what });
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod decide_tests;
