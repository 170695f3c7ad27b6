//! Domains from the Markdown of a domain map: rows of a table, headings, items of a list.

use super::{Map, Part, key, searched, segments};
use holdpoint_core::document::cells::{self, Cell};
use holdpoint_core::document::{outline, prose};

/// Titles that name no domain.
const GENERAL: [&str; 17] = [
    "boundar",
    "communication",
    "context map",
    "depend",
    "diagram",
    "domain",
    "event",
    "glossary",
    "import",
    "legend",
    "map",
    "note",
    "overview",
    "relation",
    "rule",
    "summary",
    "purpose",
];

/// Columns and labels with places.
const PLACES: [&str; 6] = ["path", "folder", "location", "director", "code", "package"];

pub(super) fn map(markdown: &str) -> Map {
    let mut parts = Vec::new();
    for part in by_rows(markdown).into_iter().chain(by_headings(markdown)).chain(by_items(markdown)) {
        add(&mut parts, part);
    }
    if parts.is_empty() {
        for part in by_titles(markdown) {
            add(&mut parts, part);
        }
    }
    let unread = parts.is_empty().then(|| searched(&prose::without_comments(markdown)));
    Map { parts, unread }
}

fn add(parts: &mut Vec<Part>, part: Part) {
    match parts.iter_mut().find(|known| known.key == part.key) {
        Some(known) => known.places.extend(part.places),
        None => parts.push(part),
    }
}

fn domain(name: &str, places: Vec<Vec<String>>) -> Option<Part> {
    let key = key(name);
    let is_name = key.starts_with(char::is_alphabetic) && key.split('_').count() <= 4;
    is_name.then_some(Part { key, places, is_domain: true })
}

/// Rows of tables that have a column for domains or contexts.
fn by_rows(markdown: &str) -> Vec<Part> {
    let text = prose::without_blocks(markdown);
    let (mut parts, mut head, mut before) = (Vec::new(), Vec::new(), Vec::new());
    for line in text.lines() {
        let row = cells::cells(line).unwrap_or_default();
        if cells::is_rule(&row) {
            head = std::mem::take(&mut before);
        } else if row.is_empty() {
            head = Vec::new();
        } else if let Some(column) = column(&head, &["domain", "context"]) {
            let places = self::column(&head, &PLACES).and_then(|column| row.get(column)).map(places);
            parts.extend(row.get(column).and_then(|cell| domain(&cell.text, places.unwrap_or_default())));
        }
        before = row;
    }
    parts
}

fn column(head: &[Cell], names: &[&str]) -> Option<usize> {
    head.iter().position(|cell| names.iter().any(|name| cell.text.to_lowercase().contains(name)))
}

/// `## Domain: billing`, and headings below one such as `## Domains`.
fn by_headings(markdown: &str) -> Vec<Part> {
    let headings = outline::headings(markdown);
    let part = |heading: &outline::Heading| {
        let title = heading.title.trim_start_matches(|c: char| !c.is_alphabetic());
        let prefix = ["bounded context:", "domain:", "context:"]
            .into_iter()
            .find(|prefix| title.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix)));
        let is_below = || {
            let above = headings.iter().filter(|other| other.level > 1 && other.level + 1 == heading.level);
            above
                .into_iter()
                .any(|other| is_domains(&other.title) && other.body.contains(&heading.span.start))
        };
        let name = match prefix {
            Some(prefix) => &title[prefix.len()..],
            None if is_below() && !is_general(title) => title,
            None => return None,
        };
        domain(name, labelled(&markdown[heading.body.clone()]))
    };
    headings.iter().filter_map(part).collect()
}

fn is_domains(title: &str) -> bool {
    let title = title.to_lowercase();
    ["domain", "context"].into_iter().any(|word| title.contains(word)) && !title.contains("import")
}

fn is_general(title: &str) -> bool {
    GENERAL.into_iter().any(|word| title.to_lowercase().contains(word))
}

/// Items of lists before the second heading or under one such as `## Domains`: what they begin with.
fn by_items(markdown: &str) -> Vec<Part> {
    let headings = outline::headings(markdown);
    let text = prose::without_blocks(markdown);
    let mut parts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let heading = headings.iter().rev().find(|heading| heading.span.start <= at);
        at += line.len();
        let is_meant = heading.is_none_or(|heading| heading.level == 1 || is_domains(&heading.title));
        // Only items that stand at the margin: what is below them says more about them.
        let Some(item) = line.strip_prefix(['-', '*', '+']).and_then(|item| item.strip_prefix(' ')) else {
            continue;
        };
        if is_meant {
            parts.extend(by_item(item));
        }
    }
    parts
}

/// `**billing** (`src/billing`): invoices`, `billing — invoices`.
fn by_item(item: &str) -> Option<Part> {
    let cell = Cell::read(item);
    let ends = [" — ", " – ", " - ", ": ", " ("];
    let end = ends.into_iter().filter_map(|end| cell.text.find(end)).min().unwrap_or(cell.text.len());
    let places = cell.codes.iter().filter(|code| code.contains('/')).map(|code| place(code)).collect();
    let name = cell.text[..end].trim().trim_end_matches(':');
    // A sentence is no name.
    (!name.contains(['.', ',', '→', '>', '/'])).then(|| domain(name, places))?
}

/// Titles of the second level, in a map that is nothing but such.
fn by_titles(markdown: &str) -> Vec<Part> {
    let headings = outline::headings(markdown);
    let titles = headings.iter().filter(|heading| heading.level == 2 && !is_general(&heading.title));
    titles.filter_map(|heading| domain(&heading.title, labelled(&markdown[heading.body.clone()]))).collect()
}

/// The places after `**Path:**` and the like.
fn labelled(body: &str) -> Vec<Vec<String>> {
    let text = prose::without_blocks(body);
    let values = text.lines().filter_map(|line| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let (label, value) = line.split_once(':')?;
        let is_place = PLACES.into_iter().any(|word| label.to_lowercase().starts_with(word));
        (is_place && label.len() < 16).then_some(value)
    });
    values.flat_map(|value| places(&Cell::read(value.trim_start_matches('*')))).collect()
}

/// The places in a cell: what stands in code marks, or its words.
fn places(cell: &Cell) -> Vec<Vec<String>> {
    let words: Vec<&str> = if cell.codes.is_empty() {
        cell.text.split([',', ';', ' ']).collect()
    } else {
        cell.codes.iter().map(String::as_str).collect()
    };
    let meant = words
        .into_iter()
        .filter(|word| word.starts_with(|c: char| c.is_alphanumeric() || "_.*@~/".contains(c)));
    meant.map(place).filter(|place| !place.is_empty()).collect()
}

/// A folder, without the stars that stand for all that is in it.
fn place(path: &str) -> Vec<String> {
    let mut place = segments(path);
    while place.last().is_some_and(|last| last.starts_with('*')) {
        place.pop();
    }
    place
}
