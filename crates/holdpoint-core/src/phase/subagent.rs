//! Reviews by a sub-agent of the session: the agent hands the question over, with a nonce, and what the sub-agent answers
//! counts if it carries that nonce and no file has changed since.

use std::sync::Arc;

use minijinja::value::Value;
use serde_json::{Value as Json, json};

use super::performance::{answer_form, reviewer};
use super::request::{Request, Task};
use super::{Due, HOLDS, Turn, due};
use crate::effects::{Effects, Set};
use crate::event::Moment;
use crate::facts::marks::marked;
use crate::facts::{FactError, Facts};
use crate::secret;
use crate::tool::{Tool, ToolKind};
use crate::transition::{Origin, enter, note};
use crate::verdict::Verdict;
use crate::workflow::bench::Prove;
use crate::workflow::grants::Grants;
use crate::workflow::phase::{Phase, PhaseKind, ReviewPhase};
use crate::workflow::step::Delivery;

/// The word for it in `way`.
pub(crate) const WAY: &str = "subagent";

/// The most of an answer that is kept in the state.
const NOTES_BYTES_MAX: usize = 64 * 1024;

/// Whether a phase is a review that a sub-agent does.
pub(crate) fn is_asked(facts: &Arc<Facts>, phase: &Phase) -> Result<bool, FactError> {
    let PhaseKind::Reviewer(_) = &phase.kind else { return Ok(false) };
    let way = phase.reviewer(&facts.workflow).and_then(|reviewer| reviewer.subagent.as_ref());
    match way {
        Some(subagent) => Ok(facts.render(&subagent.way, facts.context())? == WAY),
        None => Ok(false),
    }
}

/// What entering such a phase notes: a new nonce, and the files that the question is about.
pub(crate) fn asking(facts: &Arc<Facts>, phase: &Phase) -> Result<Vec<Set>, FactError> {
    if !is_asked(facts, phase)? {
        return Ok(Vec::new());
    }
    let nonce = format!("{:016x}", facts.world.random_u64());
    let asked = json!({ "phase": phase.name, "nonce": nonce, "tree": facts.tree()? });
    Ok(vec![marked("asked", asked), marked("answer", json!(null))])
}

/// What the agent is told: whom to ask, and with which words.
pub(crate) fn ask(facts: &Arc<Facts>, phase: &Phase) -> Result<String, FactError> {
    let subagent = reviewer(facts, phase)?.subagent.as_ref();
    subagent.map_or(Ok(String::new()), |subagent| facts.render(&subagent.ask.template, facts.context()))
}

/// The turn of such a phase: the agent's until there is an answer, and then the engine's.
pub(super) fn turn(
    facts: &Arc<Facts>,
    phase: &Phase,
    review: &ReviewPhase,
    round: i64,
) -> Result<Turn, FactError> {
    let (asked, answer) = (facts.mark("asked")?, facts.mark("answer")?);
    if !is_about(&asked, phase) {
        return again(facts, phase);
    }
    let is_to_it = is_about(&answer, phase) && answer["nonce"] == asked["nonce"];
    let known = answer_form(review, reviewer(facts, phase)?).words;
    let is_known = |word: &&str| known.iter().any(|(_, verdict)| verdict.word() == *word);
    let Some(word) = answer["verdict"].as_str().filter(is_known).filter(|_| is_to_it) else {
        let text = ask(facts, phase)?;
        return Ok(Turn::Unfinished { limit: HOLDS, text, at_limit: Effects::default() });
    };
    let tree = facts.tree()?.ok_or_else(|| {
        let what = "cannot be compared with those that the sub-agent was asked about: git does not know them";
        FactError::Missing(format!("phase `{}`: the files {what}", phase.name))
    })?;
    let is_stale = asked["tree"] != tree.as_str();
    if is_stale && review.routes.of(&Verdict::Stale).is_none() {
        return again(facts, phase);
    }
    let notes = answer["notes"].as_str().unwrap_or_default().to_owned();
    let verdict = if is_stale { Verdict::Stale } else { Verdict::of(word) };
    Ok(Turn::Perform(Box::new(Request {
        phase: phase.name.to_string(),
        round,
        task: Task::Answered { verdict, notes },
        report: None,
        log: None,
        prove: Prove::InPlace,
        grants: Grants::default(),
        condition: None,
        timeout_s: reviewer(facts, phase)?.timeout_s,
    })))
}

/// Whether a question or an answer is one of this phase, with a nonce.
fn is_about(mark: &Json, phase: &Phase) -> bool {
    mark["phase"] == *phase.name && mark["nonce"].is_string()
}

/// The question once more: about other files, or where none of this phase is open.
fn again(facts: &Arc<Facts>, phase: &Phase) -> Result<Turn, FactError> {
    let mut effects = Effects::default();
    note(facts, phase, &mut effects)?;
    enter(facts, phase, &mut effects)?;
    let text = ask(&facts.overlaid(&effects.sets), phase)?;
    effects.messages.push(Origin::Phase(phase).message(Delivery::Hold, text));
    Ok(Turn::Step(effects))
}

/// The effects of a sub-agent's answer, if it answers the review that is due.
pub(crate) fn heard(facts: &Arc<Facts>) -> Result<Effects, FactError> {
    let nothing = Effects::default();
    if !facts.workflow.hears(&facts.event) {
        return Ok(nothing);
    }
    let (Due::Phase(phase), Some(tool)) = (due(facts)?, &facts.event.tool) else { return Ok(nothing) };
    if !is_asked(facts, &phase)? || !is_whom_was_asked(facts, &phase, tool)? {
        return Ok(nothing);
    }
    let said = tool.said().unwrap_or_default();
    let asked = facts.mark("asked")?;
    if !is_about(&asked, &phase) {
        return Ok(nothing);
    }
    let Some(verdict) = verdict_in(facts, &phase, &said)? else { return Ok(nothing) };
    let going_on = facts.workflow.going_on().map(|command| format!(" Go on: {command}"));
    let text = format!(
        "Verdict recorded: {verdict}, for the files as they were when it was asked.{}",
        going_on.unwrap_or_default()
    );
    let answer =
        json!({ "phase": phase.name, "nonce": asked["nonce"], "verdict": verdict, "notes": notes(&said) });
    Ok(Effects {
        sets: vec![marked("answer", answer)],
        messages: vec![Origin::Phase(&phase).message(Delivery::Context, text)],
        ..Effects::default()
    })
}

/// What is kept of an answer. Secrets go first: half of one would not be known for what it is.
fn notes(said: &str) -> String {
    let mut notes = secret::replaced(said).into_owned();
    notes.truncate(notes.floor_char_boundary(NOTES_BYTES_MAX));
    notes
}

/// That the answer of such a phase has led to its step: it does not lead to another.
pub(super) fn used(facts: &Arc<Facts>, phase: &Phase) -> Result<Option<Set>, FactError> {
    Ok(is_asked(facts, phase)?.then(|| marked("answer", json!(null))))
}

/// Whether the sub-agent is the one that reviews. Agents put a plugin's name before it.
fn is_whom_was_asked(facts: &Arc<Facts>, phase: &Phase, tool: &Tool) -> Result<bool, FactError> {
    let called = tool.agent().ok().flatten().unwrap_or_default();
    let called = called.rsplit(':').next().unwrap_or_default();
    let reviewer = reviewer(facts, phase)?;
    let names = reviewer.subagent.as_ref().map_or(&[][..], |subagent| &subagent.names);
    Ok(names.iter().any(|name| name == called))
}

/// The last verdict in a text that carries the nonce and is one that the phase knows.
fn verdict_in(facts: &Arc<Facts>, phase: &Phase, said: &str) -> Result<Option<String>, FactError> {
    let (PhaseKind::Reviewer(review), Some(nonce)) =
        (&phase.kind, facts.nonce()?.as_str().map(str::to_owned))
    else {
        return Ok(None);
    };
    let words = answer_form(review, reviewer(facts, phase)?).words;
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mark = format!("VERDICT {nonce} ");
    let said = said.split(mark.as_str()).skip(1);
    let said = said.map(|rest| &rest[..rest.find(|c| !is_letter(c)).unwrap_or(rest.len())]);
    let known = said.filter_map(|word| words.iter().find(|(known, _)| known == word));
    Ok(known.last().map(|(_, verdict)| verdict.word().to_owned()))
}

impl Facts {
    /// `nonce`: what the answer to the review that is due must carry; undefined where none is asked for.
    pub(crate) fn nonce(self: &Arc<Self>) -> Result<Value, FactError> {
        Ok(self.mark("asked")?["nonce"].as_str().map_or(Value::UNDEFINED, Value::from))
    }
}

impl crate::workflow::Workflow {
    /// Whether an event may be a sub-agent's answer to a review.
    pub fn hears(&self, event: &crate::event::Event) -> bool {
        let is_delegation = || event.tool.as_ref().is_some_and(|tool| tool.kind() == ToolKind::Delegation);
        event.moment == Moment::After && self.asks_subagents() && is_delegation()
    }
}
