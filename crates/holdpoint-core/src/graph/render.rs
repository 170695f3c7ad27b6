//! A graph as Mermaid, as DOT and as plain text. No meaning rests on a shape or a colour alone.

use super::{Edge, Graph, Node};
use crate::workflow::phase::Actor;
use crate::workflow::step::END;

/// Text for people: a block a phase.
pub(super) fn plain(graph: &Graph) -> String {
    if graph.nodes.is_empty() {
        return without_phases(graph).join("\n");
    }
    let block = |node: &Node| {
        let notes: Vec<String> = node.notes.iter().map(|note| format!(", {note}")).collect();
        let mut lines = vec![format!("{}  {}{}", node.name, node.by.name(), notes.concat())];
        let leaving: Vec<&Edge> = graph.edges.iter().filter(|edge| edge.from == node.name).collect();
        lines.extend(leaving.iter().map(|edge| format!("  {}", arrow(edge))));
        if leaving.is_empty() {
            lines.push("  leads nowhere".to_owned());
        }
        lines.join("\n")
    };
    graph.nodes.iter().map(block).collect::<Vec<_>>().join("\n\n")
}

fn arrow(edge: &Edge) -> String {
    let target = edge.to.as_deref().unwrap_or("(no change)");
    match edge.remarks().join(", ") {
        remarks if remarks.is_empty() => format!("{} → {target}", edge.verdict),
        remarks => format!("{} → {target}  ({remarks})", edge.verdict),
    }
}

/// Mermaid's flowchart. Arrows at which the agent stops for the user are dotted.
pub(super) fn mermaid(graph: &Graph) -> String {
    let mut lines = vec!["flowchart TD".to_owned()];
    if graph.nodes.is_empty() {
        lines.extend(without_phases(graph).iter().map(|line| format!("  %% {line}")));
    }
    for (at, node) in graph.nodes.iter().enumerate() {
        let (open, close) = match node.by {
            Actor::Agent => ("[", "]"),
            Actor::Reviewer | Actor::Check => ("{{", "}}"),
            Actor::User => ("([", "])"),
            Actor::Approval => ("[[", "]]"),
            Actor::Nobody => ("(((", ")))"),
        };
        let label = label(node).iter().map(|line| entities(line)).collect::<Vec<_>>().join("<br/>");
        lines.push(format!("  p{at}{open}\"{label}\"{close}"));
    }
    if graph.edges.iter().any(Edge::ends) {
        lines.push(format!("  {END}_((\"{END}\"))"));
    }
    for edge in &graph.edges {
        let id =
            |name: &str| graph.nodes.iter().position(|node| node.name == name).map(|at| format!("p{at}"));
        let to = if edge.ends() { Some(format!("{END}_")) } else { edge.to.as_deref().and_then(id) };
        let (Some(from), Some(to)) = (id(&edge.from), to) else { continue };
        let shaft = if edge.stops { "-.->" } else { "-->" };
        lines.push(format!("  {from} {shaft}|\"{}\"| {to}", entities(&words(edge))));
    }
    lines.join("\n")
}

/// Graphviz's language. Arrows at which the agent stops for the user are dotted.
pub(super) fn dot(graph: &Graph) -> String {
    let mut lines = vec![format!("digraph {} {{", quoted(&graph.name))];
    if graph.nodes.is_empty() {
        lines.extend(without_phases(graph).iter().map(|line| format!("  // {line}")));
    }
    for node in &graph.nodes {
        let shape = match node.by {
            Actor::Agent => "box",
            Actor::Reviewer | Actor::Check => "hexagon",
            Actor::User => "ellipse",
            Actor::Approval => "octagon",
            Actor::Nobody => "doublecircle",
        };
        let label = quoted(&label(node).join("\n"));
        lines.push(format!("  {} [shape={shape}, label={label}];", quoted(&node.name)));
    }
    if graph.edges.iter().any(Edge::ends) {
        lines.push(format!("  {} [shape=doublecircle];", quoted(END)));
    }
    for edge in &graph.edges {
        let Some(to) = &edge.to else { continue };
        let style = if edge.stops { ", style=dotted" } else { "" };
        let label = quoted(&words(edge));
        lines.push(format!("  {} -> {} [label={label}{style}];", quoted(&edge.from), quoted(to)));
    }
    lines.push("}".to_owned());
    lines.join("\n")
}

fn without_phases(graph: &Graph) -> Vec<String> {
    let first = match graph.rules.len() {
        0 => format!("{} has neither phases nor rules.", graph.name),
        _ => format!("{} has no phases. Its rules:", graph.name),
    };
    let rules = graph.rules.iter().map(|rule| format!("  {rule}"));
    std::iter::once(first).chain(rules).collect()
}

/// The lines in a phase's shape.
fn label(node: &Node) -> Vec<String> {
    let about = vec![node.name.clone(), node.by.name().to_owned()];
    about.into_iter().chain(node.notes.iter().cloned()).collect()
}

/// What stands on an arrow.
fn words(edge: &Edge) -> String {
    std::iter::once(edge.verdict.clone()).chain(edge.remarks()).collect::<Vec<_>>().join(", ")
}

/// A text between Mermaid's quotes: it has no escapes, only entities, which begin with `#`.
fn entities(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '#' => "#35;".to_owned(),
            '"' => "#quot;".to_owned(),
            '<' => "#lt;".to_owned(),
            '>' => "#gt;".to_owned(),
            '&' => "#amp;".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
