//! Reviews and checks: what must be performed, and which step its outcome leads to.

use std::sync::Arc;

use minijinja::value::{Serde, Value};
use serde_json::{Value as Json, json};

use super::{counted, done, number, one_test, round, take};
use crate::effects::{Effects, Set};
use crate::facts::{FactError, Facts, With};
use crate::verdict::Verdict;
use crate::workflow::grants::Grants;
use crate::workflow::performer::{Check, CheckKind, Reviewer, TestsCheck};
use crate::workflow::phase::{AgentPhase, Clean, Performance, Phase, PhaseKind, ReviewPhase};
use crate::workflow::{Say, Text};

/// A review or a check to perform.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The phase.
    pub phase: String,
    /// Which round it is, from 1.
    pub round: i64,
    /// What to do.
    pub task: Task,
    /// The report it must leave, below the run's folder.
    pub report: Option<String>,
    /// Where its standard error goes, below the run's folder.
    pub log: Option<String>,
    /// What must be true afterwards for it to have passed, as an expression.
    pub condition: Option<Text>,
    /// What its program gets beyond the usual.
    pub grants: Grants,
    /// How long it may take, in seconds.
    pub timeout_s: u32,
}

/// What a review or a check does, with all it needs to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// A reviewer is asked.
    Review {
        /// The program and its arguments.
        command: Vec<String>,
        /// What goes to its standard input.
        input: Option<String>,
        /// How its answer is read.
        answer: AnswerForm,
    },
    /// A sub-agent was asked, and has answered.
    Answered {
        /// Its verdict.
        verdict: Verdict,
        /// What it said.
        notes: String,
    },
    /// A program's exit code decides.
    Run {
        /// The program and its arguments.
        command: Vec<String>,
    },
    /// A test suite is run.
    Tests(Tests),
    /// Only the condition decides.
    That,
    /// Files are searched for what a script can find.
    Scan {
        /// The files.
        files: Vec<String>,
        /// The most lines of a source file.
        code_lines: Option<u64>,
        /// The most lines of a test file.
        test_lines: Option<u64>,
    },
    /// Files and a document are compared with a blueprint.
    Blueprint {
        /// The blueprint's folder.
        folder: String,
        /// The files.
        files: Vec<String>,
        /// The document.
        spec: String,
        /// The documents that have the domains: a glob.
        domains: String,
        /// The documents that speak of money: a glob.
        money: String,
        /// The title of the document's section about the blueprint.
        reference: String,
        /// What that section must name.
        fields: Vec<String>,
    },
    /// Rows of a document's table are run.
    Acceptance {
        /// Which rows.
        rows: String,
        /// The document.
        spec: String,
        /// The section's title.
        section: String,
        /// The columns of tables without a head.
        columns: Vec<String>,
    },
    /// Files are committed.
    Commit {
        /// The files.
        files: Vec<String>,
        /// The message.
        message: String,
        /// Whether the commit is there already.
        is_done: bool,
    },
}

/// A test suite to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Tests {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The files that the work touched.
    pub scope: Vec<String>,
    /// The tests that failed before.
    pub known: Vec<String>,
    /// How many tests must run at least.
    pub least: u64,
    /// A tree on which they must fail.
    pub fails_on: Option<String>,
    /// Files that are added to that tree.
    pub adding: Vec<String>,
}

/// How a reviewer's answer is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerForm {
    /// Where the verdict is.
    pub verdict_at: Vec<String>,
    /// Where the report is; nowhere: the reviewer writes it itself.
    pub report_at: Vec<String>,
    /// The words it may answer, and the verdict that each means.
    pub words: Vec<(String, Verdict)>,
    /// The verdict of anything else; none: that is a fault.
    pub otherwise: Option<Verdict>,
}

impl AnswerForm {
    /// The report in a reviewer's output, if it is to be there.
    pub fn report(&self, output: &[u8]) -> Option<String> {
        crate::verdict::find(output, &self.report_at).filter(|report| !report.trim().is_empty())
    }

    /// The verdict in a reviewer's output, or why there is none.
    pub fn read(&self, output: &[u8]) -> Result<Verdict, String> {
        let word = crate::verdict::find(output, &self.verdict_at);
        let known = word.as_ref().and_then(|word| self.words.iter().find(|(known, _)| known == word));
        if let Some(verdict) = known.map(|(_, verdict)| verdict).or(self.otherwise.as_ref()) {
            return Ok(verdict.clone());
        }
        let words: Vec<String> = self.words.iter().map(|(word, _)| format!("`{word}`")).collect();
        Err(match word {
            Some(word) => format!("the reviewer answered `{word}`; it may answer {}", words.join(", ")),
            None => format!("the reviewer's answer has no verdict; it may be {}", words.join(", ")),
        })
    }
}

impl Request {
    /// The program that is run, and its arguments; none where the engine does it itself.
    pub fn command(&self) -> &[String] {
        match &self.task {
            Task::Review { command, .. } | Task::Run { command } | Task::Tests(Tests { command, .. }) => {
                command
            }
            Task::That
            | Task::Answered { .. }
            | Task::Scan { .. }
            | Task::Blueprint { .. }
            | Task::Acceptance { .. }
            | Task::Commit { .. } => &[],
        }
    }

    /// Whether a reviewer is asked, and not a check made.
    pub fn is_review(&self) -> bool {
        matches!(self.task, Task::Review { .. } | Task::Answered { .. })
    }
}

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
                    money: money.to_string(),
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
                is_done: self.facts.evaluate(landed, self.facts.context())?.is_true(),
            },
        })
    }

    fn tests(&self, name: &str, tests: &TestsCheck) -> Result<Tests, FactError> {
        Ok(Tests {
            command: self.test_command(tests)?,
            scope: self.texts(tests.scope.as_ref())?,
            known: self.texts(tests.known.as_ref())?,
            least: if tests.never_fewer { self.facts.tests_before(name)? } else { 0 },
            fails_on: self.value(tests.fails_on.as_ref())?.as_str().map(str::to_owned),
            adding: self.texts(tests.adding.as_ref())?,
        })
    }

    /// The command of the one test that is run, where its runner is known; of the suite otherwise.
    fn test_command(&self, tests: &TestsCheck) -> Result<Vec<String>, FactError> {
        if let Some(only) = &tests.only
            && let Some(command) = one_test::command(&self.text(&only.file)?, &self.text(&only.name)?)
        {
            return Ok(command);
        }
        words(self.facts, &tests.command, &self.facts.context())
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
