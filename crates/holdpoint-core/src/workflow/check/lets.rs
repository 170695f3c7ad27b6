//! Names of `[let]` that need themselves, directly or through others, whether somebody uses them or not.

use std::collections::BTreeMap;

use super::super::parse::Parsed;
use crate::diagnostic::Diagnostic;
use crate::expression::{Use, names_in_expression};
use crate::facts::NOUNS;

/// The circles among the names of `[let]`, each told once.
pub(super) fn check(parsed: &Parsed) -> Vec<Diagnostic> {
    let lets = &parsed.workflow.lets;
    let needs: BTreeMap<&str, Vec<String>> = lets
        .iter()
        .map(|named| {
            let used = names_in_expression(&named.source).unwrap_or_default().into_iter();
            let variables = used.filter(|name| name.used_as == Use::Variable).map(|name| name.name);
            (named.name.as_ref(), variables.collect())
        })
        .collect();
    let mut told: Vec<String> = Vec::new();
    let mut problems = Vec::new();
    for named in lets.iter().filter(|named| !NOUNS.contains(&named.name.as_ref())) {
        if told.iter().any(|known| known == named.name.as_ref()) {
            continue;
        }
        if let Some(circle) = circle(&needs, &named.name) {
            let way: Vec<String> =
                circle.iter().chain(circle.first()).map(|name| format!("`{name}`")).collect();
            let message = format!("`{}` needs itself: {}", named.name, way.join(" → "));
            let place = super::name_place(parsed, &named.name);
            problems.push(Diagnostic::error(super::super::parse::FILE, place, message).hinted(
                if circle.len() == 1 { "say it without itself" } else { "say one without the others" },
            ));
            told.extend(circle);
        }
    }
    problems
}

/// The way from a name back to itself.
fn circle(needs: &BTreeMap<&str, Vec<String>>, start: &str) -> Option<Vec<String>> {
    let mut seen: Vec<&str> = Vec::new();
    let mut open = vec![vec![start.to_owned()]];
    while let Some(way) = open.pop() {
        let here = way.last()?;
        for next in needs.get(here.as_str()).into_iter().flatten() {
            if next == start {
                return Some(way);
            }
            if needs.contains_key(next.as_str()) && !seen.contains(&next.as_str()) {
                seen.push(next);
                open.push(way.iter().chain([next]).cloned().collect());
            }
        }
    }
    None
}
