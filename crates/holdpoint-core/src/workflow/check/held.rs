//! Commands that a text sends the agent to and a hold blocks at that very moment.
//!
//! Only what is sure is told: a hold counts if it is true of the command whatever the files, git, the environment and
//! the rest of the state say. Each of them that its condition asks for makes it unsure.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use minijinja::value::{Enumerator, Object, Value};
use serde_json::json;

use super::super::parse::{FILE, Parsed};
use super::super::phase::Phase;
use super::super::step::{Delivery, END, Step};
use super::super::table::{Language, Piece};
use super::super::{Rule, RuleKind, Say, ToolMatch, Workflow};
use super::circle;
use super::mention::{Kind, Mention, mentions};
use crate::diagnostic::Diagnostic;
use crate::event::{Event, Moment};
use crate::facts::Facts;
use crate::protection::is_not_an_agents;
use crate::tool::{Tool, ToolKind};
use crate::world::{Answer, GitQuestion, Head, World};

/// The shell that the agent would run the command in.
const SHELL: &str = "Bash";

/// The texts that name a command which is held where they are said.
pub(super) fn check(parsed: &Parsed) -> Vec<Diagnostic> {
    let workflow = &parsed.workflow;
    let mut problems = Vec::new();
    if !workflow.rules.iter().any(|rule| rule.kind() == RuleKind::Hold) {
        return problems;
    }
    // Shared by all that is asked: facts are not freed before the process ends, and a workflow is large.
    let shared = Arc::new(workflow.clone());
    for (say, place) in said(workflow) {
        let Some(piece) = piece(parsed, say) else { continue };
        for mention in mentions(&piece.source) {
            if is_users(workflow, &mention) {
                continue;
            }
            let Some(command) = command(workflow, &mention) else { continue };
            if let Some((hold, due)) = place.held(workflow, &shared, &command) {
                problems.push(complaint(piece, &mention, &command, hold, due));
            }
        }
    }
    problems
}

/// When a text is said to the agent.
enum Place<'a> {
    /// When this phase is due; `None`: none is.
    Due(Option<&'a str>),
    /// When this rule's condition is true.
    Rule(&'a Rule),
}

fn said(workflow: &Workflow) -> Vec<(&Say, Place<'_>)> {
    let mut said = Vec::new();
    for phase in workflow.phases.iter() {
        said.extend(phase.ask().map(|ask| (ask, Place::Due(Some(phase.name.as_ref())))));
        let holds = circle::steps(workflow, phase).filter(|step| step.delivery == Delivery::Hold);
        said.extend(holds.map(|step| (&step.say, Place::Due(due_after(phase, step)))));
    }
    for step in workflow.commands.iter().flat_map(|command| command.steps.iter()) {
        let due = step.go.as_deref().map(|go| Some(go).filter(|go| *go != END));
        said.extend(due.map(|due| (&step.say, Place::Due(due))));
    }
    let to_agent = |rule: &&Rule| matches!(rule.step.delivery, Delivery::Hold | Delivery::Context);
    let rules = workflow.rules.iter().filter(to_agent);
    said.extend(rules.map(|rule| (&rule.step.say, Place::Rule(rule))));
    said
}

fn due_after<'a>(phase: &'a Phase, step: &'a Step) -> Option<&'a str> {
    step.go.as_deref().or(Some(phase.name.as_ref())).filter(|due| *due != END)
}

impl<'a> Place<'a> {
    /// The hold that blocks the command where the text is said, and the phase that is due there.
    fn held(
        &self,
        workflow: &'a Workflow,
        shared: &Arc<Workflow>,
        command: &str,
    ) -> Option<(&'a Rule, Option<&'a str>)> {
        let holder = |due: Option<&str>| {
            let event = before(SHELL, json!({ "command": command }));
            let mut holds = workflow.rules.iter().filter(|rule| rule.kind() == RuleKind::Hold);
            holds.find(|rule| is_sure(shared, rule, &event, due))
        };
        match self {
            Place::Due(due) => Some((holder(*due)?, *due)),
            Place::Rule(rule) => {
                let named = workflow.phases.iter().map(|phase| Some(phase.name.as_ref()));
                let mut dues = std::iter::once(None).chain(named);
                dues.find_map(|due| {
                    let is_said = events(rule, command).iter().any(|event| is_sure(shared, rule, event, due));
                    holder(due).filter(|_| is_said).map(|hold| (hold, due))
                })
            }
        }
    }
}

/// The piece of the workflow's files that a text stands in.
fn piece<'a>(parsed: &'a Parsed, say: &Say) -> Option<&'a Piece> {
    let file = if say.file.is_empty() { FILE } else { &say.file };
    let is_it = |piece: &&Piece| {
        piece.language == Language::Template && piece.file == file && piece.source == say.template
    };
    parsed.pieces.iter().find(is_it)
}

/// Whether it is a command that only the user may call: a text that names it speaks to the user there.
fn is_users(workflow: &Workflow, mention: &Mention) -> bool {
    let is_own = |name: &str| workflow.commands.iter().any(|own| own.is_users && own.name == name);
    match mention.words.as_slice() {
        [first, name, ..] if first.text == workflow.name => is_own(&name.text),
        [first, ..] => is_not_an_agents(&first.text),
        [] => false,
    }
}

/// The command as it would be typed.
fn command(workflow: &Workflow, mention: &Mention) -> Option<String> {
    let [first, rest @ ..] = mention.words.as_slice() else { return None };
    let own = rest.first().filter(|_| first.text == workflow.name);
    let own = own.and_then(|name| workflow.commands.iter().find(|command| command.name == name.text));
    let words = if mention.is_in_prose {
        own.map_or(1, |command| 2 + command.args.len())
    } else {
        mention.words.len()
    };
    let typed = mention.words.iter().take(words).map(|word| match word.kind {
        Kind::Plain | Kind::Option => word.text.as_str(),
        Kind::Placeholder | Kind::Filled | Kind::Any => "X",
    });
    let line: Vec<&str> = std::iter::once("holdpoint").chain(typed).collect();
    (first.kind == Kind::Plain).then(|| line.join(" "))
}

fn complaint(piece: &Piece, mention: &Mention, command: &str, hold: &Rule, due: Option<&str>) -> Diagnostic {
    let place: Range<usize> = super::place(piece, mention.span.clone());
    let when = due.map(|due| format!(" while `{due}` is due")).unwrap_or_default();
    let message =
        format!("this text sends the agent to `{command}`, which hold `{}` blocks{when}", hold.name);
    Diagnostic::error(&piece.file, place, message)
        .hinted(format!("let the `when` of the hold at line {} leave this command out", hold.line))
}

/// Events that a rule looks at, as far as they can be made up here.
fn events(rule: &Rule, command: &str) -> Vec<Event> {
    let event = |on: &super::super::On| match (on.moment, &on.tool) {
        (Moment::Before, ToolMatch::Any | ToolMatch::Kind(ToolKind::Shell)) => {
            Some(before(SHELL, json!({ "command": command })))
        }
        (Moment::Before, ToolMatch::Kind(ToolKind::Edit)) => Some(before("Edit", json!({}))),
        (Moment::Before, ToolMatch::Kind(ToolKind::Delegation)) => Some(before("Task", json!({}))),
        (Moment::Before, ToolMatch::Named(name)) if name == SHELL => {
            Some(before(SHELL, json!({ "command": command })))
        }
        (Moment::Before, ToolMatch::Named(name)) => Some(before(name, json!({}))),
        (Moment::Before, ToolMatch::Kind(ToolKind::Other)) | (Moment::After, _) => None,
        (moment, _) => Some(Event::from_shell(moment, HOME)),
    };
    rule.on.iter().filter_map(event).collect()
}

const HOME: &str = "/project";

fn before(tool: &str, input: serde_json::Value) -> Event {
    let tool = Tool { name: tool.to_owned(), input, ..Tool::default() };
    Event { tool: Some(tool), ..Event::from_shell(Moment::Before, HOME) }
}

/// Whether a rule looks at the event and its condition is true whatever nobody knows here.
fn is_sure(workflow: &Arc<Workflow>, rule: &Rule, event: &Event, due: Option<&str>) -> bool {
    if rule.each.is_some() || !rule.looks_at(event) {
        return false;
    }
    let Some(when) = &rule.step.when else { return true };
    let asked = Arc::new(AtomicBool::new(false));
    let world = Arc::new(Nowhere(Arc::clone(&asked)));
    let path = workflow.run.due.iter().flat_map(|due| due.split('.')).map(str::to_owned).collect();
    let state = DueAlone { path, due: due.map(str::to_owned), asked: Arc::clone(&asked) };
    let facts = Facts::new(Arc::clone(workflow), Arc::new(event.clone()), HOME.to_owned(), world);
    let facts = facts.with("state", Value::from_object(state));
    let is_true = facts.evaluate(when, facts.context()).is_ok_and(|value| value.is_true());
    is_true && !asked.load(Ordering::Relaxed)
}

/// A world of which nothing is known; it notes that it was asked.
struct Nowhere(Arc<AtomicBool>);

impl Nowhere {
    fn unknown<T>(&self) -> Answer<T> {
        self.0.store(true, Ordering::Relaxed);
        Answer::None
    }
}

impl World for Nowhere {
    fn read(&self, _: &str) -> Answer<Vec<u8>> {
        self.unknown()
    }

    fn exists(&self, _: &str) -> Answer<()> {
        self.unknown()
    }

    fn folder(&self) -> String {
        self.0.store(true, Ordering::Relaxed);
        String::new()
    }

    fn list(&self, _: &str) -> Answer<Vec<String>> {
        self.unknown()
    }

    fn tree(&self, _: &[String]) -> Answer<String> {
        self.unknown()
    }

    fn changed_since(&self, _: &str, _: &[String]) -> Answer<Vec<String>> {
        self.unknown()
    }

    fn head(&self) -> Answer<Head> {
        self.unknown()
    }

    fn evidence(&self) -> Arc<Vec<serde_json::Value>> {
        self.0.store(true, Ordering::Relaxed);
        Arc::default()
    }

    fn digest(&self, _: &[String]) -> Answer<String> {
        self.unknown()
    }

    fn env(&self, _: &str) -> Option<String> {
        self.0.store(true, Ordering::Relaxed);
        None
    }

    fn git(&self, _: &str, _: &GitQuestion) -> Answer<String> {
        self.unknown()
    }
}

/// A state of which only the phase that is due is known; it notes if anything else is asked for.
#[derive(Debug)]
struct DueAlone {
    path: Vec<String>,
    due: Option<String>,
    asked: Arc<AtomicBool>,
}

impl Object for DueAlone {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let [first, rest @ ..] = self.path.as_slice() else { return self.unknown() };
        if key.as_str() != Some(first) {
            return self.unknown();
        }
        let (due, asked) = (self.due.clone(), Arc::clone(&self.asked));
        Some(match rest {
            [] => Value::from(due),
            rest => Value::from_object(DueAlone { path: rest.to_vec(), due, asked }),
        })
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        self.asked.store(true, Ordering::Relaxed);
        Enumerator::NonEnumerable
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}

impl DueAlone {
    fn unknown(&self) -> Option<Value> {
        self.asked.store(true, Ordering::Relaxed);
        None
    }
}

#[cfg(test)]
#[path = "held_tests.rs"]
mod held_tests;
