//! Reviews and checks: what must be performed, and which step its outcome leads to.

use std::sync::Arc;

use minijinja::Error;
use minijinja::value::{Serde, Value};
use serde_json::{Map, Value as Json, json};

use super::{counted, done, number, round, take};
use crate::effects::{Effects, Set};
use crate::facts::{Facts, With, fault};
use crate::transition::{Origin, apply};
use crate::workflow::Text;
use crate::workflow::phase::{Phase, Reviewer};

/// A review or a check to perform.
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
    /// Which of the engine's own checks it is; empty: just the program.
    pub kind: String,
    /// What such a check is told.
    pub told: Map<String, Json>,
    /// The verdict that means clean.
    pub clean: String,
    /// What must be true afterwards for it to have passed, as an expression.
    pub pass: Option<Text>,
    /// How long it may take, in seconds.
    pub timeout_s: u32,
}

/// What came of a review or a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Its answer; none if it gave none that can be read.
    pub answer: Option<String>,
    /// What else it said, as `result` for steps.
    pub details: Json,
    /// The last that it printed.
    pub output: String,
}

/// The request for the review or check of a phase; none if its check has nothing to look at.
pub(super) fn request(facts: &Arc<Facts>, phase: &Phase, round: i64) -> Result<Option<Review>, Error> {
    let reviewer = program(facts, phase)?;
    if let Some(only_if) = &reviewer.only_if
        && !facts.evaluate(only_if, facts.context())?.is_true()
    {
        return Ok(None);
    }
    let prompt = prompt(facts, phase)?;
    let path = |template: &Option<Text>| {
        template.as_ref().map(|template| facts.render(template, facts.context())).transpose()
    };
    let mut told = Map::new();
    for named in reviewer.told.iter() {
        let value = facts.evaluate(&named.source, facts.context())?;
        let value = serde_json::to_value(value).map_err(|error| fault(error.to_string()))?;
        told.insert(named.name.to_string(), value);
    }
    Ok(Some(Review {
        phase: phase.name.to_string(),
        round,
        command: command_line(facts, phase, reviewer, &prompt)?,
        input: reviewer.prompt_on_stdin.then_some(prompt),
        report: path(&phase.report)?,
        log: path(&reviewer.log)?,
        verdict: reviewer.verdict.iter().map(ToString::to_string).collect(),
        is_check: reviewer.is_check,
        kind: reviewer.kind.to_string(),
        told,
        clean: reviewer.clean.to_string(),
        pass: reviewer.pass.clone(),
        timeout_s: reviewer.timeout_s,
    }))
}

/// The step for a review that did not work: the state stays as it is.
pub fn failed(facts: &Arc<Facts>, phase: &Phase, because: &str) -> Result<Effects, Error> {
    let step = phase.steps("failed").first().cloned().unwrap_or_default();
    apply(&facts.with("because", Value::from(because)), &Origin::Phase(phase), &step, Vec::new())
}

/// The step for a review or a check that was done.
pub fn performed(facts: &Arc<Facts>, phase: &Phase, clean: &str, result: &Outcome) -> Result<Effects, Error> {
    let facts = &facts
        .with("output", Value::from(result.output.as_str()))
        .with("result", Value::from(Serde(&result.details)))
        .with("outcome", Value::from(result.answer.as_deref()));
    let mut sets = done(facts, phase)?;
    sets.extend(counted(facts, phase, round(facts, phase)?)?);
    if let Some(models) = &phase.models {
        let now = facts.field(&models.field)?;
        let at = models.rotate.iter().position(|model| Some(model.as_ref()) == now.as_str());
        let next = models.rotate.get(at.map_or(0, |at| (at + 1) % models.rotate.len()));
        sets.extend(next.map(|model| facts.set(&models.field, json!(model))).transpose()?);
    }
    if phase.answers().next().is_some() {
        return answered(facts, phase, result.answer.as_deref(), sets);
    }
    let is_clean = result.answer.as_deref() == Some(clean);
    let enough = match &phase.clean {
        None => is_clean,
        Some(row) => {
            let count = if is_clean { number(&facts.field(&row.count)?).saturating_add(1) } else { 0 };
            sets.push(facts.set(&row.count, json!(count))?);
            count >= i64::from(row.need)
        }
    };
    take(facts, phase, if enough { "passed" } else { "issues" }, sets)
}

/// The step for an answer: its own, or that of the answer it goes the way of.
fn answered(
    facts: &Arc<Facts>,
    phase: &Phase,
    answer: Option<&str>,
    sets: Vec<Set>,
) -> Result<Effects, Error> {
    match route(phase, answer.unwrap_or_default()) {
        Some(route) => take(facts, phase, route, sets),
        None => failed(facts, phase, &unknown_answer(phase, answer).unwrap_or_default()),
    }
}

/// The answer of a phase that an answer goes the way of.
fn route<'a>(phase: &Phase, answer: &'a str) -> Option<&'a str> {
    let like = match answer {
        "skip" | "warn" => "pass",
        "broken" => "fail",
        other => other,
    };
    [answer, like].into_iter().find(|answer| phase.answers().any(|known| known == *answer))
}

/// What is wrong with an answer that the phase has no step for; none if it has one, or takes any.
pub fn unknown_answer(phase: &Phase, answer: Option<&str>) -> Option<String> {
    let known: Vec<&str> = phase.answers().collect();
    if known.is_empty() || route(phase, answer.unwrap_or_default()).is_some() {
        return None;
    }
    let said = answer.map_or_else(|| "nothing that can be read".to_owned(), |answer| format!("`{answer}`"));
    Some(format!("{} answered {said}, which is none of {}", phase.name, known.join(", ")))
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

/// A program's words, with the prompt where they name it. A word that is exactly one `{{ … }}` can be a list of words.
fn command_line(
    facts: &Arc<Facts>,
    phase: &Phase,
    program: &Reviewer,
    prompt: &str,
) -> Result<Vec<String>, Error> {
    let schema = program.schema.as_ref().map_or_else(|| schema(phase), ToString::to_string);
    let names = vec![("prompt", Value::from(prompt)), ("schema", Value::from(schema))];
    let context = Value::from_object(With { facts: Arc::clone(facts), names });
    let mut words = Vec::new();
    for word in program.command.iter() {
        match facts.render_value(word, context.clone())? {
            Json::Array(many) => words.extend(many.iter().filter_map(Json::as_str).map(str::to_owned)),
            _ => words.push(facts.render(word, context.clone())?),
        }
    }
    Ok(words)
}

/// The form of an answer where the reviewer has none of its own: one of the phase's answers, and notes.
fn schema(phase: &Phase) -> String {
    let answers: Vec<&str> = phase.answers().collect();
    let form = json!({
        "type": "object",
        "properties": {"verdict": {"type": "string", "enum": answers}, "notes": {"type": "string"}},
        "required": ["verdict"],
    });
    form.to_string()
}

/// `prompt` and `command`, for what hands a phase's review to somebody else.
pub(crate) fn handed_over(facts: &Arc<Facts>, phase: &Phase) -> Result<Vec<(&'static str, Value)>, Error> {
    if phase.reviewer.is_none() {
        return Ok(Vec::new());
    }
    let program = program(facts, phase)?;
    let prompt = prompt(facts, phase)?;
    let words: Vec<String> = command_line(facts, phase, program, &prompt)?;
    Ok(vec![("prompt", Value::from(prompt)), ("command", Value::from(words))])
}

#[cfg(test)]
#[path = "performance_tests.rs"]
mod performance_tests;
