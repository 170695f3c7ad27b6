//! What a spec says of the blueprint: its section, the fields in it, and the domain it names.

use super::{DOMAIN, REFERENCE, Reference, SPEC, map::Map};
use crate::lint::Finding;
use holdpoint_core::document::cells::{self, Cell};
use holdpoint_core::document::{outline, prose};

/// What is missing or wrong in a spec. Without a domain map, any domain will do.
pub(super) fn judge(spec: &str, wanted: &Reference, map: Option<&Map>) -> Vec<Finding> {
    let Reference { section, fields } = wanted;
    if section.is_empty() {
        return Vec::new();
    }
    let headings = outline::headings(spec);
    let Some(heading) = headings.into_iter().find(|heading| heading.is(section)) else {
        let message = format!("there is no section `## {section}`: add it, with {}", fields.join(", "));
        return vec![finding(1, REFERENCE, message)];
    };
    let line = outline::line_at(spec, heading.span.start);
    let body = spec.get(heading.body.clone()).unwrap_or_default();
    let first = outline::line_at(spec, heading.body.start);
    let mut found = Vec::new();
    for (place, name) in fields.iter().enumerate() {
        match field(body, name, fields).filter(|(_, value)| place > 0 || !is_dash(value)) {
            None => found.push(finding(line, REFERENCE, format!("`{section}` says nothing of `{name}:`"))),
            Some((offset, value)) if place == 0 => {
                found.extend(map.into_iter().flat_map(|map| stray(first + offset, &value, map)));
            }
            Some(_) => {}
        }
    }
    found
}

fn finding(line: usize, code: &'static str, message: String) -> Finding {
    Finding { path: SPEC.to_owned(), line, code, message }
}

/// The domains that a field names and the map does not have.
fn stray(line: usize, value: &str, map: &Map) -> Vec<Finding> {
    let names: Vec<&str> = value.split([',', ';', '+', '&']).flat_map(|part| part.split(" and ")).collect();
    let names = names.into_iter().map(name).filter(|name| !name.is_empty() && !map.has_domain(name));
    names
        .map(|name| finding(line, DOMAIN, format!("`{name}` is no domain of the domain map{}", known(map))))
        .collect()
}

/// The domains there are, for messages.
pub(super) fn known(map: &Map) -> String {
    let domains = map.domains();
    if domains.is_empty() { String::new() } else { format!(" ({})", domains.join(", ")) }
}

/// A domain's name without what is said about it.
fn name(text: &str) -> &str {
    let ends = [" — ", " – ", " - ", "(", ". ", " → "];
    let end = ends.into_iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text[..end].trim().trim_end_matches('.')
}

/// A field's value and the line in the section it stands on, from 0: `Domain: x`, `**Domain:** x`, `- **Domain**: x`,
/// `| Domain | x |`, or a list below its name that is none of the other `fields`. Nothing, if there is no value.
fn field(body: &str, name: &str, fields: &[String]) -> Option<(usize, String)> {
    let text = prose::without_blocks(body);
    let lines: Vec<&str> = text.lines().collect();
    let (place, value) =
        lines.iter().enumerate().find_map(|(place, line)| Some((place, said_of(name, line)?)))?;
    let has_words = |text: &str| text.chars().any(char::is_alphanumeric);
    if has_words(&value) || is_dash(&value) {
        return Some((place, value));
    }
    let next = lines.iter().enumerate().skip(place + 1).find(|(_, line)| !line.trim().is_empty())?;
    let is_item = next.1.trim_start().starts_with(['-', '*', '+']) && !next.1.trim_start().starts_with("**");
    let is_field = fields.iter().any(|name| said_of(name, next.1).is_some());
    (is_item && !is_field && has_words(next.1)).then(|| (next.0, plain(next.1)))
}

/// Whether a field is said to have nothing in it. It must be said: an empty one may have been forgotten.
fn is_dash(value: &str) -> bool {
    ["-", "–", "—"].contains(&value.trim())
}

/// What a line says of a field; empty, if only its name.
fn said_of(field: &str, line: &str) -> Option<String> {
    match cells::cells(line).as_deref() {
        Some([label, value, ..]) => same(&label.text, field).then(|| value.text.clone()),
        Some(_) => None,
        None => {
            let plain = plain(line);
            let (label, value) = plain.split_once(':')?;
            same(label, field).then(|| value.trim().to_owned())
        }
    }
}

/// A line without its bullet and its marks.
fn plain(line: &str) -> String {
    let line = line.trim().trim_start_matches(['-', '+', '>', ' ']);
    Cell::read(line.strip_prefix("* ").unwrap_or(line)).text
}

/// `Data-model`, `data model` and `Data Model` are one.
fn same(label: &str, field: &str) -> bool {
    let plain =
        |text: &str| text.trim().trim_matches(['*', '_', '`', ':']).to_lowercase().replace(['-', ' '], "");
    plain(label) == plain(field)
}
