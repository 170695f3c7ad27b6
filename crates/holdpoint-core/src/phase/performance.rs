//! Reviews and checks: what must be performed, and which step its outcome leads to.

use std::sync::Arc;

use minijinja::value::{Serde, Value};
use serde_json::{Value as Json, json};

use super::request::{AnswerForm, Request, Task, Tests};
use super::{counted, done, number, one_test, round, subagent, take};
use crate::effects::{Effects, Set};
use crate::facts::{FactError, Facts, With};
use crate::verdict::Verdict;
use crate::workflow::performer::{Check, CheckKind, Reviewer, TestsCheck};
use crate::workflow::phase::{AgentPhase, Clean, Performance, Phase, PhaseKind, ReviewPhase};
use crate::workflow::{Say, Text};

/// What came of a review or a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answered {
    /// Its verdict; none if nothing could be read.
    pub verdict: Option<Verdict>,
    /// What else it said, as `result` for steps.
    pub details: Json,
    /// The last that it printed.
    pub output: String,
}

/// The request for the review or check of a phase; none if its check has nothing to look at.
pub(super) fn request(
    facts: &Arc<Facts>,
    phase: &Phase,
    what: Performance<'_>,
    round: i64,
) -> Result<Option<Request>, FactError> {
    let asked = Asked { facts };
    match what {
        Performance::Review(review) => {
            let reviewer = reviewer(facts, phase)?;
            Ok(Some(Request {
                phase: phase.name.to_string(),
                round,
                task: asked.review(phase, review, reviewer)?,
                report: asked.path(review.report.as_ref())?,
                log: asked.path(reviewer.log.as_ref())?,
                condition: None,
                prove: facts.workflow.proves(reviewer.prove),
                grants: reviewer.grants.clone(),
                timeout_s: reviewer.timeout_s,
            }))
        }
        Performance::Check(_) => {
            let missing =
                || FactError::Missing(format!("phase `{}` names a check that does not exist", phase.name));
            let check = phase.check(&facts.workflow).ok_or_else(missing)?;
            if let Some(only_if) = &check.only_if
                && !facts.evaluate(only_if, facts.context())?.is_true()
            {
                return Ok(None);
            }
            Ok(Some(Request {
                phase: phase.name.to_string(),
                round,
                task: asked.check(check)?,
                report: None,
                log: asked.path(check.log.as_ref())?,
                condition: check.kind.condition().cloned(),
                prove: facts.workflow.proves(check.prove),
                grants: check.grants.clone(),
                timeout_s: check.timeout_s,
            }))
        }
    }
}

/// Works out what a review or a check needs to know.
struct Asked<'a> {
    facts: &'a Arc<Facts>,
}

impl Asked<'_> {
    fn review(&self, phase: &Phase, review: &ReviewPhase, reviewer: &Reviewer) -> Result<Task, FactError> {
        let prompt = prompt(self.facts, &review.prompt)?;
        let form = answer_form(review, reviewer);
        Ok(Task::Review {
            command: command_line(self.facts, phase, &reviewer.command, &prompt)?,
            input: reviewer.prompt_on_stdin.then_some(prompt),
            answer: form,
            change: self.value(review.change.as_ref())?.as_str().map(str::to_owned),
        })
    }

    fn check(&self, check: &Check) -> Result<Task, FactError> {
        Ok(match &check.kind {
            CheckKind::Run { command } => {
                Task::Run { command: words(self.facts, command, &self.facts.context())? }
            }
            CheckKind::Tests(tests) => Task::Tests(self.tests(&check.name, tests)?),
            CheckKind::That { .. } => Task::That,
            CheckKind::Scan { files, code_lines, test_lines } => Task::Scan {
                files: self.texts(Some(files))?,
                code_lines: self.value(code_lines.as_ref())?.as_u64(),
                test_lines: self.value(test_lines.as_ref())?.as_u64(),
            },
            CheckKind::Blueprint { folder, files, spec, domains, money, reference, fields } => {
                Task::Blueprint {
                    folder: self.facts.render(folder, self.facts.context())?,
                    files: self.texts(Some(files))?,
                    spec: self.text(spec)?,
                    domains: domains.to_string(),
                    money: money.clone(),
                    reference: reference.to_string(),
                    fields: fields.iter().map(ToString::to_string).collect(),
                }
            }
            CheckKind::Acceptance { rows, spec, section, columns } => Task::Acceptance {
                rows: self.facts.render(rows, self.facts.context())?,
                spec: self.text(spec)?,
                section: self.facts.render(section, self.facts.context())?,
                columns: columns.iter().map(ToString::to_string).collect(),
            },
            CheckKind::Commit { files, message, landed } => Task::Commit {
                files: self.texts(Some(files))?,
                message: self.text(message)?,
                tree: self.facts.tree()?,
                is_done: self.facts.evaluate(landed, self.facts.context())?.is_true(),
            },
        })
    }

    fn tests(&self, name: &str, tests: &TestsCheck) -> Result<Tests, FactError> {
        Ok(Tests {
            command: self.test_command(tests)?,
            scope: self.texts(tests.scope.as_ref())?,
            known: self.texts(tests.known.as_ref())?,
            least: if tests.never_fewer {
                let fewer = self.value(tests.fewer.as_ref())?.as_u64().unwrap_or(0);
                self.facts.tests_before(name)?.saturating_sub(fewer)
            } else {
                0
            },
            is_one: tests.only.is_some(),
            fails_on: self.value(tests.fails_on.as_ref())?.as_str().map(str::to_owned),
            adding: self.texts(tests.adding.as_ref())?,
        })
    }

    /// The command of the one test that is run, where its runner is known; of the suite otherwise.
    fn test_command(&self, tests: &TestsCheck) -> Result<Vec<String>, FactError> {
        let suite = words(self.facts, &tests.command, &self.facts.context())?;
        let Some(only) = &tests.only else { return Ok(suite) };
        let project = one_test::Suite::of(&suite, self.facts.world.as_ref());
        let one = project.one_test(&self.text(&only.file)?, &self.text(&only.name)?);
        Ok(one.unwrap_or(suite))
    }

    fn value(&self, expression: Option<&Text>) -> Result<Json, FactError> {
        let Some(expression) = expression else { return Ok(Json::Null) };
        let value = self.facts.evaluate(expression, self.facts.context())?;
        self.facts.json(&value)
    }

    fn text(&self, expression: &Text) -> Result<String, FactError> {
        Ok(self.value(Some(expression))?.as_str().unwrap_or_default().to_owned())
    }

    fn texts(&self, expression: Option<&Text>) -> Result<Vec<String>, FactError> {
        let list = self.value(expression)?;
        Ok(list
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect())
    }

    fn path(&self, template: Option<&Text>) -> Result<Option<String>, FactError> {
        template.map(|template| self.facts.render(template, self.facts.context())).transpose()
    }
}

/// The words that a reviewer may answer, and how they are read.
pub(super) fn answer_form(review: &ReviewPhase, reviewer: &Reviewer) -> AnswerForm {
    let verdicts: Vec<&str> = match review.verdicts.as_ref() {
        [] => vec!["pass", "fail"],
        own => own.iter().map(AsRef::as_ref).collect(),
    };
    // A verdict that the reviewer has other words for is answered by those words.
    let words = |verdict: &str| {
        let own = reviewer.answers.iter().filter(|answer| answer.source == verdict);
        let own: Vec<String> = own.map(|answer| answer.name.to_string()).collect();
        if own.is_empty() { vec![verdict.to_owned()] } else { own }
    };
    AnswerForm {
        verdict_at: reviewer.verdict_at.iter().map(ToString::to_string).collect(),
        report_at: reviewer.report_at.iter().map(ToString::to_string).collect(),
        words: verdicts
            .iter()
            .flat_map(|verdict| words(verdict).into_iter().map(|word| (word, Verdict::of(verdict))))
            .collect(),
        otherwise: reviewer.otherwise.clone(),
    }
}

/// The step for what could not be performed: the state stays as it is.
pub fn failed(facts: &Arc<Facts>, phase: &Phase, because: &str) -> Result<Effects, FactError> {
    let facts = facts.with("because", Value::from(because));
    let steps = phase.performance().map_or(&[][..], |what| &what.routes().fault);
    take(&facts, phase, steps, Vec::new())
}

/// The step for a review or a check that was done.
pub fn performed(facts: &Arc<Facts>, phase: &Phase, answered: &Answered) -> Result<Effects, FactError> {
    let Some(what) = phase.performance() else { return Ok(Effects::default()) };
    let Some(verdict) = &answered.verdict else {
        return failed(facts, phase, "nothing that can be read was answered");
    };
    let facts = &facts
        .with("output", Value::from(answered.output.as_str()))
        .with("result", Value::from(Serde(&answered.details)))
        .with("verdict", Value::from(verdict.word()));
    let mut sets = done(facts, phase)?;
    sets.extend(counted(facts, phase, round(facts, phase)?)?);
    sets.extend(next_model(facts, phase)?);
    sets.extend(noted(facts, phase, answered)?);
    sets.extend(subagent::used(facts, phase)?);
    let passes = what.passes(verdict, &facts.workflow);
    let route = match clean(what) {
        None => what.route(verdict, &facts.workflow).map_or(&[][..], |route| &route.steps),
        Some(row) => {
            let count = if passes { number(&facts.field(&row.count)?).saturating_add(1) } else { 0 };
            sets.push(facts.set(&row.count, json!(count))?);
            let is_enough = count >= i64::from(row.need);
            what.routes().steps(&if is_enough { what.passing() } else { Verdict::Fail })
        }
    };
    take(facts, phase, route, sets)
}

/// What the engine notes of a check for the next time: how many tests there are, and where a commit left the files.
fn noted(facts: &Arc<Facts>, phase: &Phase, answered: &Answered) -> Result<Vec<Set>, FactError> {
    let Some(check) = phase.check(&facts.workflow) else { return Ok(Vec::new()) };
    match &check.kind {
        CheckKind::Tests(tests) if tests.never_fewer => {
            let count = answered.details["count"].as_u64().unwrap_or(0);
            Ok(vec![facts.tests_ran(&check.name, count)?])
        }
        CheckKind::Commit { .. } if answered.verdict == Some(Verdict::Pass) => {
            Ok(facts.committed()?.into_iter().collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// Whether the run takes the passing route after this verdict: what `evidence.PHASE.passed` says.
pub fn has_passed(facts: &Arc<Facts>, phase: &Phase, verdict: &Verdict) -> Result<bool, FactError> {
    let Some(what) = phase.performance() else { return Ok(false) };
    if !what.passes(verdict, &facts.workflow) {
        return Ok(false);
    }
    let Some(row) = clean(what) else { return Ok(true) };
    Ok(number(&facts.field(&row.count)?).saturating_add(1) >= i64::from(row.need))
}

fn clean(what: Performance<'_>) -> Option<&Clean> {
    match what {
        Performance::Review(review) => review.clean.as_ref(),
        Performance::Check(_) => None,
    }
}

/// The model whose turn is next.
fn next_model(facts: &Arc<Facts>, phase: &Phase) -> Result<Option<Set>, FactError> {
    let reviewer = phase.reviewer(&facts.workflow);
    let Some(models) = reviewer.and_then(|reviewer| reviewer.models.as_ref()) else { return Ok(None) };
    let now = facts.field(&models.field)?;
    let at = models.rotate.iter().position(|model| Some(model.as_ref()) == now.as_str());
    let next = models.rotate.get(at.map_or(0, |at| (at + 1) % models.rotate.len()));
    next.map(|model| facts.set(&models.field, json!(model))).transpose()
}

pub(super) fn reviewer<'a>(facts: &'a Arc<Facts>, phase: &Phase) -> Result<&'a Reviewer, FactError> {
    let missing =
        || FactError::Missing(format!("phase `{}` names a reviewer that does not exist", phase.name));
    phase.reviewer(&facts.workflow).ok_or_else(missing)
}

fn prompt(facts: &Arc<Facts>, say: &Say) -> Result<String, FactError> {
    facts.render(&say.template, facts.context())
}

/// A reviewer's words, with the prompt where they name it.
fn command_line(
    facts: &Arc<Facts>,
    phase: &Phase,
    command: &[Text],
    prompt: &str,
) -> Result<Vec<String>, FactError> {
    let names = vec![("prompt", Value::from(prompt)), ("schema", Value::from(schema(facts, phase)?))];
    words(facts, command, &Value::from_object(With { facts: Arc::clone(facts), names }))
}

/// A program's words. One that is exactly one `{{ … }}` can be a list of words.
fn words(facts: &Arc<Facts>, command: &[Text], context: &Value) -> Result<Vec<String>, FactError> {
    let mut words = Vec::new();
    for word in command {
        match facts.render_value(word, context.clone())? {
            Json::Array(many) => words.extend(many.iter().filter_map(Json::as_str).map(str::to_owned)),
            _ => words.push(facts.render(word, context.clone())?),
        }
    }
    Ok(words)
}

/// The form of an answer: the reviewer's own, or one of the words it may answer, and notes.
fn schema(facts: &Arc<Facts>, phase: &Phase) -> Result<String, FactError> {
    let reviewer = reviewer(facts, phase)?;
    if let Some(schema) = &reviewer.schema {
        return Ok(schema.to_string());
    }
    let PhaseKind::Reviewer(review) = &phase.kind else { return Ok(String::new()) };
    let words: Vec<String> = answer_form(review, reviewer).words.into_iter().map(|(word, _)| word).collect();
    let mut form = json!({
        "type": "object",
        "properties": {"verdict": {"type": "string", "enum": words}, "notes": {"type": "string"}},
        "required": ["verdict"],
    });
    for part in reviewer.result.iter() {
        form["properties"][part.name.as_ref()] = serde_json::from_str(&part.source).unwrap_or_default();
    }
    if !reviewer.report_at.is_empty() {
        form["properties"]["report"] = json!({"type": "string"});
        form["required"] = json!(["verdict", "report"]);
    }
    Ok(form.to_string())
}

/// `prompt` and `command`, for files that hand a review to the agent.
pub(crate) fn handed_over(
    facts: &Arc<Facts>,
    phase: &Phase,
) -> Result<Vec<(&'static str, Value)>, FactError> {
    let PhaseKind::Agent(AgentPhase { shown: Some(shown), .. }) = &phase.kind else {
        return Ok(Vec::new());
    };
    let prompt = prompt(facts, &shown.prompt)?;
    let words = command_line(facts, phase, &reviewer(facts, phase)?.command, &prompt)?;
    Ok(vec![("prompt", Value::from(prompt)), ("command", Value::from(words))])
}

#[cfg(test)]
#[path = "performance_tests.rs"]
mod performance_tests;
