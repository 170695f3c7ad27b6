//! Rules from the Markdown of a document: columns of tables, arrows, sentences.

use super::{Rules, sentence};
use crate::blueprint::map::{Map, key};
use holdpoint_core::document::cells::{self, Cell};
use holdpoint_core::document::{outline, prose};

/// Who a rule speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// These parts.
    Parts(Vec<String>),
    /// Every part.
    All,
    /// Each domain, of the others.
    EachOther,
}

impl Names {
    /// The parts that are named.
    fn parts(&self) -> &[String] {
        match self {
            Names::Parts(parts) => parts,
            Names::All | Names::EachOther => &[],
        }
    }
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    May,
    MayNot,
}

pub(super) fn document(is_map: bool, markdown: &str, map: &mut Map, rules: &mut Rules) {
    let headings = outline::headings(markdown);
    let text = prose::without_comments(markdown);
    let (mut head, mut before): (Vec<Cell>, Vec<Cell>) = (Vec::new(), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let around = headings.iter().filter(|heading| heading.body.contains(&at));
        let is_meant = around.into_iter().any(|heading| is_about_imports(&heading.title));
        at += line.len();
        let row = cells::cells(line).unwrap_or_default();
        if cells::is_rule(&row) {
            head = std::mem::take(&mut before);
        } else if !row.is_empty() {
            by_row(&head, &row, is_meant || is_map, map, rules);
        } else {
            head = Vec::new();
            let arrows = if is_meant { by_arrows(line, map) } else { None };
            match arrows {
                Some((says, chain)) => add_chain(rules, map, says, &chain),
                None => add_sentence(rules, map, line, is_meant),
            }
        }
        before = row;
    }
}

fn is_about_imports(title: &str) -> bool {
    let title = title.to_lowercase();
    title.contains("import") || title.contains("dependenc")
}

fn add_sentence(rules: &mut Rules, map: &mut Map, line: &str, is_meant: bool) {
    if let Some((from, says, to)) = sentence::read(line, map, is_meant) {
        add(rules, map, &from, says, &to);
    }
}

/// Each of a chain may import all that stand after it.
fn add_chain(rules: &mut Rules, map: &mut Map, says: Says, chain: &[Vec<String>]) {
    for (place, from) in chain.iter().enumerate() {
        let after: Vec<String> = chain[place + 1..].concat();
        if !after.is_empty() {
            add(rules, map, &Names::Parts(from.clone()), says, &Names::Parts(after));
        }
    }
}

fn add(rules: &mut Rules, map: &mut Map, from: &Names, says: Says, to: &Names) {
    for name in [from, to].into_iter().flat_map(Names::parts) {
        map.add_layer(name);
    }
    match (from, says, to) {
        (_, Says::MayNot, Names::EachOther) => rules.are_domains_apart = true,
        (Names::Parts(from), Says::MayNot, Names::Parts(to)) => {
            let pairs = from.iter().flat_map(|from| to.iter().map(|to| (from.clone(), to.clone())));
            rules.denied.extend(pairs);
        }
        // To be allowed nothing is to be limited to a list with nothing on it.
        (Names::Parts(from), Says::May, Names::Parts(_)) | (Names::Parts(from), Says::MayNot, Names::All) => {
            for name in from {
                rules.allowed.entry(name.clone()).or_default().extend(to.parts().iter().cloned());
            }
        }
        (Names::All, Says::May, Names::Parts(to)) => rules.for_all.extend(to.iter().cloned()),
        (Names::All, Says::MayNot, Names::Parts(to)) => rules.denied_to_all.extend(to.iter().cloned()),
        // "May import everything" limits nobody.
        (_, Says::May, Names::All | Names::EachOther) | (Names::All | Names::EachOther, ..) => {}
    }
}

/// `| billing | shared, infra |` under a head such as `May import`.
fn by_row(head: &[Cell], row: &[Cell], is_meant: bool, map: &mut Map, rules: &mut Rules) {
    let title = |place: usize| head.get(place).map_or(String::new(), |cell| cell.text.to_lowercase());
    let Some(from) = row.get(subject_column(head)) else { return };
    let from = key(&from.text);
    for (place, cell) in row.iter().enumerate() {
        let title = title(place);
        let is_import =
            title.contains("import") && !title.contains("imported") && !title.contains("important");
        let is_dependency = is_meant && title.contains("depend") && !title.contains("extern");
        if from.is_empty() || !(is_import || is_dependency) {
            continue;
        }
        let is_not =
            ["not ", "never", "forbid", "cannot", "denied"].into_iter().any(|word| title.contains(word));
        let says = if is_not { Says::MayNot } else { Says::May };
        // An empty list of what may be imported limits; an empty list of what may not does nothing.
        add(rules, map, &Names::Parts(vec![from.clone()]), says, &listed(cell));
    }
}

fn subject_column(head: &[Cell]) -> usize {
    let names = ["domain", "context", "layer", "module", "part", "package"];
    let is_subject = |cell: &Cell| {
        let title = cell.text.to_lowercase();
        names.into_iter().any(|name| title.starts_with(name))
    };
    head.iter().position(is_subject).unwrap_or(0)
}

/// The names in a cell.
fn listed(cell: &Cell) -> Names {
    let plain = cell.text.trim_matches(|c: char| !(c.is_alphanumeric() || c == '*')).to_lowercase();
    if matches!(plain.as_str(), "*" | "all" | "any" | "anything" | "everything") {
        return Names::All;
    }
    let words: Vec<String> = if cell.codes.is_empty() {
        cell.text.split([',', ';']).map(key).collect()
    } else {
        cell.codes.iter().map(|code| key(code)).collect()
    };
    let is_name = |word: &String| {
        word.starts_with(char::is_alphabetic)
            && !matches!(word.as_str(), "none" | "nothing" | "no_one" | "n/a")
    };
    Names::Parts(words.into_iter().filter(is_name).collect())
}

/// `billing -> shared`, `api → domains → shared`, `shared ← infra`: the chain from who imports to what is imported.
/// Nothing, unless all of it are names.
fn by_arrows(line: &str, map: &Map) -> Option<(Says, Vec<Vec<String>>)> {
    let line = line.trim().trim_start_matches(['-', '*', '+', '>', ' ']);
    let is_not = line.contains('↛')
        || ["❌", "✗", "✘", "🚫", "not ", "never ", "NOT "].iter().any(|no| line.starts_with(no));
    let line = line.trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '`' || c == '_'));
    let line = ["not ", "never ", "NOT "].into_iter().find_map(|no| line.strip_prefix(no)).unwrap_or(line);
    let cut = [" #", " (", " — ", " – ", " //"].into_iter().filter_map(|mark| line.find(mark)).min();
    let line = &line[..cut.unwrap_or(line.len())];
    let one =
        line.replace("<--", "←").replace("<-", "←").replace("-->", "→").replace("->", "→").replace("=>", "→");
    let (one, is_back) = (one.replace('↛', "→"), one.contains('←'));
    if one.contains('→') == is_back {
        return None;
    }
    let parts = one.split(['→', '←']).map(|part| names(part, map));
    let mut chain: Vec<Vec<String>> = parts.collect::<Option<_>>()?;
    if is_back {
        chain.reverse();
    }
    Some((if is_not { Says::MayNot } else { Says::May }, chain))
}

/// The names in a part of a chain: one word each, or a name that the map has.
fn names(text: &str, map: &Map) -> Option<Vec<String>> {
    let names: Vec<String> =
        text.split([',', '|']).map(|name| name.trim().trim_matches(['{', '}', '[', ']'])).map(key).collect();
    let is_one_word = |key: &str| key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '@' | '/'));
    let is_name = |key: &String| key.starts_with(char::is_alphabetic) && is_one_word(key) && key.len() < 60;
    let has_spaces = |text: &str| text.trim().contains(' ');
    let is_known = |text: &str| !has_spaces(text) || map.has_part(&key(text));
    (names.iter().all(is_name) && text.split([',', '|']).all(is_known)).then_some(names)
}
