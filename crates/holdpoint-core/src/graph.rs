//! A workflow's phases as a drawing: who acts, where each verdict leads, how often.

mod render;

use crate::workflow::limit::{Limit, Most};
use crate::workflow::phase::{Actor, Performance, Phase, PhaseKind};
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
    /// Where it leads: a phase, or `end`; none if nothing changes.
    pub to: Option<String>,
    /// The verdict, or `then`, `stop`, `fault`, `limit`, or a limit that is used up.
    pub verdict: String,
    /// Under which condition.
    pub when: Option<String>,
    /// How often, and by which limit.
    pub limit: Option<String>,
    /// The limits that start again.
    pub renews: Vec<String>,
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
    let node = |phase: &Phase| Node {
        name: phase.name.to_string(),
        by: phase.actor(),
        notes: notes(workflow, phase),
    };
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
    let routed = routed(phase);
    let at_limit = phase.limit(workflow).map(|limit| ("limit", &limit.then));
    // A fault, or a review that may not be done any more, mostly leaves everything as it is: no arrow.
    let is_drawn =
        |(verdict, step): &(&str, &Step)| step.go.is_some() || !matches!(*verdict, "fault" | "limit");
    let mut edges: Vec<Edge> = routed
        .iter()
        .copied()
        .chain(at_limit)
        .filter(is_drawn)
        .map(|(verdict, step)| edge(workflow, phase, verdict, step))
        .collect();
    for limit in routed.iter().filter_map(|(_, step)| workflow.limit(step.round.as_ref()?)) {
        let used_up = edge(workflow, phase, &format!("{} used up", limit.name), &limit.then);
        if !edges.contains(&used_up) {
            edges.push(used_up);
        }
    }
    edges
}

/// The steps that lead from a phase, each with the verdict that it is taken for.
fn routed(phase: &Phase) -> Vec<(&str, &Step)> {
    let mut steps: Vec<(&str, &Step)> = phase.then().iter().map(|step| ("then", step)).collect();
    steps.extend(phase.stop().iter().map(|step| ("stop", step)));
    let routes = phase.routes();
    for route in routes.iter().flat_map(|routes| routes.on.iter()) {
        steps.extend(route.steps.iter().map(|step| (route.verdict.word(), step)));
    }
    steps.extend(routes.iter().flat_map(|routes| routes.fault.iter()).map(|step| ("fault", step)));
    steps
}

fn edge(workflow: &Workflow, phase: &Phase, verdict: &str, step: &Step) -> Edge {
    let target = workflow.phases.iter().find(|target| Some(&target.name) == step.go.as_ref());
    let is_to_user = target.is_some_and(|target| target.actor().rests());
    Edge {
        from: phase.name.to_string(),
        to: step.go.as_ref().map(ToString::to_string),
        verdict: verdict.to_owned(),
        when: step.when.as_ref().map(|when| when.split_whitespace().collect::<Vec<_>>().join(" ")),
        limit: step.round.as_ref().and_then(|name| workflow.limit(name)).map(in_short),
        renews: step.renew.iter().map(ToString::to_string).collect(),
        stops: !phase.actor().rests()
            && step.delivery != Delivery::Hold
            && (step.delivery == Delivery::Pause || is_to_user),
    }
}

fn in_short(limit: &Limit) -> String {
    format!("{} of {}", limit.most, limit.name)
}

fn notes(workflow: &Workflow, phase: &Phase) -> Vec<String> {
    let limit = phase.limit(workflow).map(|limit| limit.most_in(&workflow.fields));
    let mut notes = Vec::new();
    match (phase.actor(), limit) {
        (Actor::User | Actor::Approval | Actor::Nobody, _) | (Actor::Reviewer | Actor::Check, None) => {}
        (Actor::Reviewer | Actor::Check, Some(limit)) => {
            notes.push(format!("at most {}", times(&limit, "round")));
        }
        (Actor::Agent, Some(Most::Number(0))) => notes.push("asked once".to_owned()),
        (Actor::Agent, Some(limit)) => notes.push(format!("sent back at most {}", times(&limit, "time"))),
        (Actor::Agent, None) => notes.push(format!("sent back at most {} times", crate::phase::HOLDS)),
    }
    if let PhaseKind::Approval(approval) = &phase.kind {
        notes.push(approval.approvals.join(", "));
    }
    if let Some(Performance::Review(review)) = phase.performance()
        && let Some(clean) = review.clean.as_ref().filter(|clean| clean.need > 1)
    {
        notes.push(format!("{} clean in a row", clean.need));
    }
    if let Some(models) = phase.reviewer(workflow).and_then(|reviewer| reviewer.models.as_ref()) {
        notes.push(format!("{} in turn", models.rotate.join(", ")));
    }
    notes
}

/// `8 rounds (max)`, `1 round`, or `max rounds` where the first value is not known.
fn times(limit: &Most, noun: &str) -> String {
    let counted = |n: u64| if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") };
    match limit {
        Most::Number(number) => counted(*number),
        Most::Field(field, Some(first)) => format!("{} ({field})", counted(*first)),
        Most::Field(field, None) => format!("{field} {noun}s"),
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
    /// What the arrow says beside its verdict.
    fn remarks(&self) -> Vec<String> {
        let when = self.when.as_ref().map(|when| format!("when {when}"));
        let renews = (!self.renews.is_empty()).then(|| format!("renews {}", self.renews.join(", ")));
        let stops = self.stops.then(|| "stops for the user".to_owned());
        let limit = self.limit.as_ref().map(|limit| format!("at most {limit}"));
        [when, limit, renews, stops].into_iter().flatten().collect()
    }

    /// Whether it leads to nobody's turn.
    fn ends(&self) -> bool {
        self.to.as_deref() == Some(END)
    }
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod graph_tests;
