//! What a workflow's command comes to: the state it sets and the text it prints, or why it is refused.

use std::sync::Arc;

use minijinja::Error;
use serde_json::Value as Json;

use crate::decision::{FileChange, Set};
use crate::facts::Facts;
use crate::phase::{self, Taken};
use crate::workflow::Text;
use crate::workflow::command::{Command, CommandStep};
use crate::workflow::phase::PhaseKind;

/// What a command comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Ran {
    /// This is to be set and printed.
    Done {
        /// The state fields it sets.
        sets: Vec<Set>,
        /// What it prints.
        text: String,
        /// The files it changes.
        files: Vec<FileChange>,
        /// The report that proves the agent's phase which is due now.
        expects: Option<String>,
        /// Lines for the run's record.
        log: Vec<String>,
    },
    /// It is refused, for this reason.
    Refused(String),
}

/// The step that a command takes, if one's condition is true.
pub fn step<'a>(facts: &Arc<Facts>, command: &'a Command) -> Result<Option<&'a CommandStep>, Error> {
    for step in command.steps.iter() {
        if phase::is_met(facts, &step.step)? {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

/// The id of the run that a command is about, if it names one.
pub fn about(facts: &Arc<Facts>, command: &Command) -> Result<Option<String>, Error> {
    command.run.as_ref().map(|id| facts.render(id, facts.context())).transpose()
}

/// The phases that a command may go through.
pub fn through(facts: &Arc<Facts>, command: &Command) -> Result<Vec<Text>, Error> {
    let mut names = Vec::new();
    for name in command.through.iter() {
        match facts.render_value(name, facts.context())? {
            Json::Array(many) => {
                names.extend(many.iter().filter_map(Json::as_str).map(|name| Text::Owned(name.to_owned())));
            }
            _ => names.push(name.clone()),
        }
    }
    Ok(names)
}

/// The name of the run that a step makes, if it makes one.
pub fn created(facts: &Arc<Facts>, step: &CommandStep) -> Result<Option<String>, Error> {
    step.create.as_ref().map(|name| facts.render(name, facts.context())).transpose()
}

/// What a step comes to, after `first` (a new run's first values).
pub fn take(facts: &Arc<Facts>, step: &CommandStep, first: Vec<Set>) -> Result<Ran, Error> {
    let mut sets = first;
    sets.extend(phase::rendered(&facts.overlaid(&sets), &step.step.set)?);
    let (mut files, mut expects, mut log) = (Vec::new(), None, Vec::new());
    if let Some(finish) = &step.finish {
        let now = facts.overlaid(&sets);
        let name = now.render(finish, now.context())?;
        match finished(&now, &name)? {
            Ok(taken) => {
                sets.extend(taken.sets);
                files = taken.files;
                expects = taken.expects;
                log = taken.log;
            }
            Err(why) => return Ok(Ran::Refused(why)),
        }
    }
    sets.extend(phase::gone(facts, step.step.go.as_deref()));
    let entered = phase::entered(facts, step.step.go.as_deref(), &mut sets)?;
    files.extend(entered.files);
    log.extend(entered.log);
    expects = entered.expects.or(expects);
    let after = facts.overlaid(&sets);
    files.extend(phase::written(&after, &step.step.write, &after.context())?);
    files.extend(phase::removed(&after, &step.step.remove)?);
    for line in step.step.log.iter() {
        log.push(after.render(line, after.context())?);
    }
    let text = after.render(&step.step.say.template, after.context())?;
    Ok(Ran::Done { sets, text, files, expects, log })
}

/// The step that finishing a phase takes, or why it cannot be finished.
fn finished(facts: &Arc<Facts>, name: &str) -> Result<Result<Taken, String>, Error> {
    let Some(found) = facts.workflow.phases.iter().find(|phase| phase.name == name) else {
        let names: Vec<&str> = facts.workflow.phases.iter().map(|phase| phase.name.as_ref()).collect();
        return Ok(Err(format!("there is no phase `{name}`; there are: {}", names.join(", "))));
    };
    let performed = |what: &str| {
        Ok(Err(format!(
            "`{name}` is a {what}: it is performed when the agent stops, or by `holdpoint review`"
        )))
    };
    match &found.kind {
        PhaseKind::Reviewer(_) => performed("review"),
        PhaseKind::Check(_) => performed("check"),
        PhaseKind::Agent(_) if !is_due(facts, name)? => Ok(Err(not_due(facts, name)?)),
        PhaseKind::Agent(agent) if !phase::is_proved(facts, agent)? => {
            let report =
                agent.report.as_ref().map(|report| facts.render(report, facts.context())).transpose()?;
            let missing = report.map_or_else(String::new, |report| format!(": {report} is not there yet"));
            Ok(Err(format!("`{name}` is not finished{missing}")))
        }
        PhaseKind::Agent(_) if found.performance().is_some() => performed("phase that ends with a check"),
        PhaseKind::Agent(_) | PhaseKind::User(_) | PhaseKind::Nobody(_) => {
            Ok(Ok(phase::finish(facts, found)?))
        }
    }
}

/// Whether it is this phase's turn. What the user does, the user may do at any time.
fn is_due(facts: &Arc<Facts>, name: &str) -> Result<bool, Error> {
    let Some(field) = &facts.workflow.run.due else { return Ok(true) };
    Ok(facts.field(field)?.as_str() == Some(name))
}

fn not_due(facts: &Arc<Facts>, name: &str) -> Result<String, Error> {
    let due = facts.workflow.run.due.as_ref().map(|field| facts.field(field)).transpose()?;
    Ok(match due.as_ref().and_then(|due| due.as_str()) {
        Some(due) => format!("`{name}` is not due now: `{due}` is"),
        None => format!("`{name}` is not due now: nothing is"),
    })
}
