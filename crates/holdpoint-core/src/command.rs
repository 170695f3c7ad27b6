//! What a workflow's command comes to: the state it sets and the text it prints, or why it is refused.

use std::sync::Arc;

use minijinja::Error;

use crate::decision::Set;
use crate::facts::Facts;
use crate::phase;
use crate::workflow::command::{Command, CommandStep};
use crate::workflow::phase::Actor;

/// What a command comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Ran {
    /// This is to be set and printed.
    Done {
        /// The state fields it sets.
        sets: Vec<Set>,
        /// What it prints.
        text: String,
    },
    /// It is refused, for this reason.
    Refused(String),
}

/// The step that a command takes, if one's condition is true.
pub fn step<'a>(facts: &Arc<Facts>, command: &'a Command) -> Result<Option<&'a CommandStep>, Error> {
    for step in command.steps.iter() {
        let chosen = match &step.step.when {
            Some(when) => facts.evaluate(when, facts.context())?.is_true(),
            None => true,
        };
        if chosen {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

/// The name of the run that a step makes, if it makes one.
pub fn created(facts: &Arc<Facts>, step: &CommandStep) -> Result<Option<String>, Error> {
    step.create.as_ref().map(|name| facts.render(name, facts.context())).transpose()
}

/// What a step comes to, after `first` (a new run's first values).
pub fn take(facts: &Arc<Facts>, step: &CommandStep, first: Vec<Set>) -> Result<Ran, Error> {
    let mut sets = first;
    sets.extend(phase::rendered(&facts.overlaid(&sets), &step.step.set)?);
    if let Some(finish) = &step.finish {
        let now = facts.overlaid(&sets);
        let name = now.render(finish, now.context())?;
        match finished(&now, &name)? {
            Ok(more) => sets.extend(more),
            Err(why) => return Ok(Ran::Refused(why)),
        }
    }
    sets.extend(phase::gone(facts, step.step.go.as_deref()));
    let after = facts.overlaid(&sets);
    let text = after.render(&step.step.say.template, after.context())?;
    Ok(Ran::Done { sets, text })
}

/// What finishing a phase sets, or why it cannot be finished.
fn finished(facts: &Arc<Facts>, name: &str) -> Result<Result<Vec<Set>, String>, Error> {
    let Some(found) = facts.workflow.phases.iter().find(|phase| phase.name == name) else {
        let names: Vec<&str> = facts.workflow.phases.iter().map(|phase| phase.name.as_ref()).collect();
        return Ok(Err(format!("there is no phase `{name}`; there are: {}", names.join(", "))));
    };
    match found.by {
        Actor::Reviewer => Ok(Err(format!(
            "`{name}` is a review: it is performed when the agent stops, or by `holdpoint review`"
        ))),
        Actor::Agent if !phase::is_proved(facts, found)? => {
            let report =
                found.report.as_ref().map(|report| facts.render(report, facts.context())).transpose()?;
            let missing = report.map_or_else(String::new, |report| format!(": {report} is not there yet"));
            Ok(Err(format!("`{name}` is not finished{missing}")))
        }
        Actor::Agent | Actor::User => Ok(Ok(phase::finish(facts, found)?.sets)),
    }
}
