//! A workflow's phases as a drawing: who acts, where each outcome leads, how often.

mod render;

use crate::workflow::phase::{Actor, Limit, NamedRounds, Phase};
use crate::workflow::step::{Delivery, END, Step};
use crate::workflow::{Rule, ToolMatch, Workflow};

/// A workflow to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The workflow.
    pub name: String,
    /// Its phases, in the order of its file.
    pub nodes: Vec<Node>,
    /// Where they lead.
    pub edges: Vec<Edge>,
    /// Its rules, for a workflow without phases.
    pub rules: Vec<String>,
}

/// A phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Who acts.
    pub by: Actor,
    /// What else there is to know: limits.
    pub notes: Vec<String>,
}

/// A step from one phase to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The phase.
    pub from: String,
    /// Where it leads: a phase, or `end`; none if what is due stays due.
    pub to: Option<String>,
    /// The outcome: `then`, `issues`, `passed`, `failed`, an answer, `limit`, or a limit that is used up.
    pub outcome: String,
    /// Under which condition.
    pub when: Option<String>,
    /// How often, and by which limit.
    pub limit: Option<String>,
    /// Whether the target's counters start anew.
    pub afresh: bool,
    /// Whether the agent stops there and the user goes on.
    pub stops: bool,
}

/// How a graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Mermaid's flowchart, which web pages show.
    Mermaid,
    /// Graphviz's language.
    Dot,
    /// Text for people.
    Plain,
}

/// The drawing of a workflow.
pub fn graph(workflow: &Workflow) -> Graph {
    let node =
        |phase: &Phase| Node { name: phase.name.to_string(), by: phase.by, notes: notes(workflow, phase) };
    Graph {
        name: workflow.name.to_string(),
        nodes: workflow.phases.iter().map(node).collect(),
        edges: workflow.phases.iter().flat_map(|phase| edges(workflow, phase)).collect(),
        rules: if workflow.phases.is_empty() {
            workflow.rules.iter().map(in_words).collect()
        } else {
            Vec::new()
        },
    }
}

impl Graph {
    /// The drawing as text.
    pub fn drawn(&self, format: Format) -> String {
        match format {
            Format::Mermaid => render::mermaid(self),
            Format::Dot => render::dot(self),
            Format::Plain => render::plain(self),
        }
    }
}

fn edges(workflow: &Workflow, phase: &Phase) -> Vec<Edge> {
    let routed =
        phase.routes.iter().flat_map(|route| route.steps.iter().map(|step| (route.outcome.as_ref(), step)));
    let at_limit = phase.rounds.iter().map(|rounds| ("limit", &rounds.exhausted));
    // A review that did not work, or may not be done any more, mostly leaves everything as it is: no arrow.
    let is_drawn =
        |(outcome, step): &(&str, &Step)| step.go.is_some() || !matches!(*outcome, "failed" | "limit");
    let mut edges: Vec<Edge> = routed
        .clone()
        .chain(at_limit)
        .filter(is_drawn)
        .map(|(outcome, step)| edge(workflow, phase, outcome, step))
        .collect();
    for rounds in routed.filter_map(|(_, step)| limit_of(workflow, step)) {
        let used_up = edge(workflow, phase, &format!("{} used up", rounds.name), &rounds.exhausted);
        if !edges.contains(&used_up) {
            edges.push(used_up);
        }
    }
    edges
}

/// The limit that a step uses up one of.
fn limit_of<'a>(workflow: &'a Workflow, step: &Step) -> Option<&'a NamedRounds> {
    let name = step.round.as_ref()?;
    workflow.rounds.iter().find(|rounds| rounds.name == *name)
}

fn edge(workflow: &Workflow, phase: &Phase, outcome: &str, step: &Step) -> Edge {
    let target = workflow.phases.iter().find(|target| Some(&target.name) == step.go.as_ref());
    let is_to_user = target.is_some_and(|target| target.by == Actor::User);
    Edge {
        from: phase.name.to_string(),
        to: step.go.as_ref().map(ToString::to_string),
        outcome: outcome.to_owned(),
        when: step.when.as_ref().map(|when| when.split_whitespace().collect::<Vec<_>>().join(" ")),
        limit: limit_of(workflow, step).map(|rounds| format!("{} of {}", rounds.limit, rounds.name)),
        afresh: step.afresh,
        stops: phase.by != Actor::User
            && step.delivery != Delivery::Hold
            && (step.delivery == Delivery::Pause || is_to_user),
    }
}

fn notes(workflow: &Workflow, phase: &Phase) -> Vec<String> {
    let limit = phase.rounds.as_ref().map(|rounds| rounds.limit_in(&workflow.fields));
    let mut notes = Vec::new();
    match (phase.by, limit) {
        (Actor::User, _) | (Actor::Reviewer | Actor::Check, None) => {}
        (Actor::Reviewer | Actor::Check, Some(limit)) => {
            notes.push(format!("at most {}", times(&limit, "round")));
        }
        (Actor::Agent, Some(Limit::Number(0))) => notes.push("not sent back".to_owned()),
        (Actor::Agent, Some(limit)) => notes.push(format!("sent back at most {}", times(&limit, "time"))),
        (Actor::Agent, None) => notes.push(format!("sent back at most {} times", crate::phase::HOLDS)),
    }
    if let Some(clean) = phase.clean.as_ref().filter(|clean| clean.need > 1) {
        notes.push(format!("{} clean in a row", clean.need));
    }
    if let Some(models) = &phase.models {
        notes.push(format!("{} in turn", models.rotate.join(", ")));
    }
    notes
}

/// `8 rounds (max)`, `1 round`, or `max rounds` where the first value is not known.
fn times(limit: &Limit, noun: &str) -> String {
    let counted = |n: u64| if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") };
    match limit {
        Limit::Number(number) => counted(*number),
        Limit::Field(field, Some(first)) => format!("{} ({field})", counted(*first)),
        Limit::Field(field, None) => format!("{field} {noun}s"),
    }
}

fn in_words(rule: &Rule) -> String {
    let on = |on: &crate::workflow::On| {
        let tool = match &on.tool {
            ToolMatch::Any => "",
            ToolMatch::Kind(kind) => crate::tool::ToolKind::NAMED
                .iter()
                .find(|(_, named)| named == kind)
                .map_or("", |(word, _)| word),
            ToolMatch::Named(name) => name.as_ref(),
        };
        format!("{} {tool}", on.moment.name()).trim_end().to_owned()
    };
    let on: Vec<String> = rule.on.iter().map(on).collect();
    format!("{} {} on {}", rule.kind().name(), rule.name, on.join(", "))
}

impl Edge {
    /// What the arrow says beside its outcome.
    fn remarks(&self) -> Vec<String> {
        let when = self.when.as_ref().map(|when| format!("when {when}"));
        let afresh = self.afresh.then(|| "afresh".to_owned());
        let stops = self.stops.then(|| "stops for the user".to_owned());
        let limit = self.limit.as_ref().map(|limit| format!("at most {limit}"));
        [when, limit, afresh, stops].into_iter().flatten().collect()
    }

    /// Whether it leads to nobody's turn.
    fn ends(&self) -> bool {
        self.to.as_deref() == Some(END)
    }
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod graph_tests;
