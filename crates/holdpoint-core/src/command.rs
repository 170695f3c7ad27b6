//! A workflow's command: which run it is about, which step it takes, and why it is refused.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::effects::{Effects, Set};
use crate::facts::{FactError, Facts};
use crate::phase::{self, Due};
use crate::transition::{Origin, apply, chosen, rendered};
use crate::verdict::Verdict;
use crate::workflow::command::Command;
use crate::workflow::phase::{Actor, Performance, Phase, PhaseKind};
use crate::workflow::step::Step;
use crate::workflow::{Text, Workflow};

/// Why a command does nothing.
#[derive(Debug)]
pub enum Refusal {
    /// It makes no sense now, for this reason.
    Refused(String),
    /// It cannot be told what it would do.
    Fault(FactError),
}

impl From<FactError> for Refusal {
    fn from(error: FactError) -> Refusal {
        Refusal::Fault(error)
    }
}

/// The step that a command takes, if one's condition is true.
pub fn step<'a>(facts: &Arc<Facts>, command: &'a Command) -> Result<Option<&'a Step>, FactError> {
    chosen(facts, &command.steps)
}

/// The id of the run that a command is about, if it names one.
pub fn about(facts: &Arc<Facts>, command: &Command) -> Result<Option<String>, FactError> {
    command.run.as_ref().map(|id| facts.render(id, facts.context())).transpose()
}

/// The phases that a command may go through.
pub fn through(facts: &Arc<Facts>, command: &Command) -> Result<Vec<Text>, FactError> {
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
pub fn created(facts: &Arc<Facts>, step: &Step) -> Result<Option<String>, FactError> {
    step.command.create.as_ref().map(|name| facts.render(name, facts.context())).transpose()
}

/// The name of the phase whose review a step overrules, if it does.
pub fn overruled(facts: &Arc<Facts>, step: &Step) -> Result<Option<String>, FactError> {
    step.command.overrule.as_ref().map(|name| facts.render(name, facts.context())).transpose()
}

/// The verdict that counts as passed in the review of this name; none if there is no such review.
pub fn passing(workflow: &Workflow, review: &str) -> Option<Verdict> {
    match workflow.phase(review)?.performance()? {
        what @ Performance::Review(_) => Some(what.passing()),
        Performance::Check(_) => None,
    }
}

/// What a command's step comes to, after `first` (a new run's first values).
pub fn take(facts: &Arc<Facts>, step: &Step, first: Vec<Set>) -> Result<Effects, Refusal> {
    let finishes = match &step.command.finish {
        None => None,
        Some(name) => {
            let mut now = facts.overlaid(&first);
            now = now.overlaid(&rendered(&now, &step.set, &now.context())?);
            Some(finishes(&now, &now.render(name, now.context())?)?)
        }
    };
    Ok(apply(facts, &Origin::Command(finishes.as_ref()), step, first)?)
}

/// The phase that is to be finished, if it can be.
fn finishes(facts: &Arc<Facts>, name: &str) -> Result<Phase, Refusal> {
    let Some(found) = facts.workflow.phase(name) else {
        let names: Vec<&str> = facts.workflow.phases.iter().map(|phase| phase.name.as_ref()).collect();
        return Err(Refusal::Refused(format!("there is no phase `{name}`; there are: {}", names.join(", "))));
    };
    let performed = |what: &str| {
        Err(Refusal::Refused(format!(
            "`{name}` is a {what}: it is performed when the agent stops, or by `holdpoint review`"
        )))
    };
    match &found.kind {
        PhaseKind::Reviewer(_) => performed("review"),
        PhaseKind::Check(_) => performed("check"),
        PhaseKind::Approval(_) => Err(Refusal::Refused(format!(
            "`{name}` is finished by people: each types `holdpoint approve` in a terminal of their own"
        ))),
        PhaseKind::Agent(_) if !is_due(facts, name)? => Err(Refusal::Refused(not_due(facts, name)?)),
        PhaseKind::Agent(agent) if !phase::is_proved(facts, agent)? => {
            let missing = phase::expected(facts, found)?;
            let missing = missing.map_or_else(String::new, |report| format!(": {report} is not there yet"));
            Err(Refusal::Refused(format!("`{name}` is not finished{missing}")))
        }
        PhaseKind::Agent(_) if found.performance().is_some() => performed("phase that ends with a check"),
        PhaseKind::User(_) | PhaseKind::Nobody(_) if leads_on(found) => match passed_over(facts, name)? {
            None => Ok(found.clone()),
            Some(due) => Err(Refusal::Refused(not_before(name, &due))),
        },
        PhaseKind::Agent(_) | PhaseKind::User(_) | PhaseKind::Nobody(_) => Ok(found.clone()),
    }
}

/// Whether finishing a phase makes another one due.
fn leads_on(phase: &Phase) -> bool {
    phase.then().iter().any(|step| step.go.is_some())
}

/// The phase that is due and would be passed over: what is somebody else's to do is done first. What is the user's, the
/// user may do at any time.
fn passed_over(facts: &Arc<Facts>, name: &str) -> Result<Option<Phase>, FactError> {
    Ok(match phase::due(facts)? {
        Due::Phase(due) if !matches!(due.actor(), Actor::User | Actor::Nobody) && due.name != name => {
            Some(*due)
        }
        _ => None,
    })
}

fn not_before(name: &str, due: &Phase) -> String {
    let due_name = &due.name;
    let who = match &due.kind {
        PhaseKind::Reviewer(_) => {
            "a review, which is performed when the agent stops, or by `holdpoint review`"
        }
        PhaseKind::Check(_) => "a check, which is performed when the agent stops, or by `holdpoint review`",
        PhaseKind::Approval(_) => "an approval, which people give with `holdpoint approve`",
        PhaseKind::Agent(_) | PhaseKind::User(_) | PhaseKind::Nobody(_) => "the agent's",
    };
    format!("`{name}` cannot be finished while `{due_name}` is due: {who}")
}

/// Whether it is this phase's turn.
fn is_due(facts: &Arc<Facts>, name: &str) -> Result<bool, FactError> {
    let Some(field) = &facts.workflow.run.due else { return Ok(true) };
    Ok(facts.field(field)?.as_str() == Some(name))
}

fn not_due(facts: &Arc<Facts>, name: &str) -> Result<String, FactError> {
    let due = facts.workflow.run.due.as_ref().map(|field| facts.field(field)).transpose()?;
    Ok(match due.as_ref().and_then(|due| due.as_str()) {
        Some(due) => format!("`{name}` is not due now: `{due}` is"),
        None => format!("`{name}` is not due now: nothing is"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::{Event, Moment};
    use crate::workflow::parse::parse;
    use crate::world::world_tests::FakeWorld;

    const WORKFLOW: &str = r#"
about = "x"
[run]
home = "s.json"
[phases.code]
by = "user"
then = "review"
[phases.review]
by = "reviewer"
prompt = "p"
then.pass = "end"
then.fail = "mend"
[phases.mend]
by = "agent"
ask = "a"
until = "false"
then = "review"
[phases.aside]
by = "user"
then = {}
[reviewers.r]
command = ["r"]
[commands.done]
about = "x"
args = ["phase"]
steps = [{ finish = "{{ args.phase }}", say = "ok" }]
"#;

    /// Why a phase cannot be finished while this one is due; nothing if it can.
    fn refusal(due: &str, name: &str) -> Option<String> {
        let parsed = parse("x", WORKFLOW, &|_| None);
        let world = FakeWorld::with_state("s.json", &json!({ "phase": due }));
        let event = Arc::new(Event::from_shell(Moment::Stop, "/w"));
        let facts = Facts::new(parsed.workflow, event, "/w".into(), Arc::new(world));
        match finishes(&facts, name) {
            Ok(_) => None,
            Err(Refusal::Refused(why)) => Some(why),
            Err(Refusal::Fault(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn what_is_due_is_not_passed_over() {
        for (due, who) in [("review", "a review"), ("mend", "the agent's")] {
            let why = refusal(due, "code").unwrap();
            assert!(why.contains(&format!("while `{due}` is due")) && why.contains(who), "{why}");
            assert_eq!(refusal(due, "aside"), None, "it leads nowhere");
        }
        for due in ["", "code", "aside", "unknown"] {
            assert_eq!(refusal(due, "code"), None, "{due}");
        }
    }
}
