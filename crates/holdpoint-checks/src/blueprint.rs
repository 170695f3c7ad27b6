//! A project's blueprint: its domains, which may import which, and what money is; and whether a spec and the code keep
//! to it.

mod imports;
mod map;
mod money;
mod reference;
mod rules;

use map::Map;
use money::MoneyRule;
use rules::Rules;

use holdpoint_core::path;
use holdpoint_core::workflow::performer::MoneyWords;

use crate::lint::{Finding, Linter, Source};
use crate::source::{self, Language};

/// Stands for the spec's path until it is put in its place.
const SPEC: &str = "spec";

const REFERENCE: &str = "BLUEPRINT_REFERENCE";
const DOMAIN: &str = "DOMAIN";
const IMPORT: &str = "IMPORT_DIRECTION";
const TYPE: &str = "TYPE_MISMATCH";

/// What a workflow calls the documents of a blueprint, and what its specs must say of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// A glob for the documents that have the domains, by their names in lower case with `-` for `_`.
    pub domains: String,
    /// What it says of money.
    pub money: MoneyWords,
    /// What a spec must say.
    pub reference: Reference,
}

/// What a spec must say of the blueprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// The title of its section. Empty: a spec need not have one.
    pub section: String,
    /// The fields there; the first names the domains that the spec is about.
    pub fields: Vec<String>,
}

/// A spec and the blueprint that it and the code must keep to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compliance {
    /// The blueprint.
    pub blueprint: Blueprint,
    /// The spec's Markdown.
    pub spec: String,
    /// The spec's path in the project.
    pub path: String,
}

impl Linter for Compliance {
    fn findings(&self, files: &[Source]) -> Vec<Finding> {
        let mut found = judge(&self.blueprint, &self.spec, files);
        for finding in found.iter_mut().filter(|finding| finding.path == SPEC) {
            finding.path.clone_from(&self.path);
        }
        found
    }
}

/// What a blueprint's documents say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blueprint {
    map: Map,
    has_map: bool,
    rules: Rules,
    money: Option<MoneyRule>,
    is_empty: bool,
    reference: Reference,
}

impl Blueprint {
    /// Reads the documents of a blueprint by their names, which say where domains and money are; rules for imports are
    /// read from all of them.
    pub fn read(documents: &[Source], words: &Words) -> Blueprint {
        let name =
            |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase().replace('_', "-");
        let named: Vec<(String, &str)> =
            documents.iter().map(|(path, text)| (name(path), text.as_str())).collect();
        let of = |glob: &str| {
            let meant = named.iter().filter(|(name, _)| path::fits(glob, name));
            meant.map(|(_, text)| *text).collect::<Vec<_>>()
        };
        let maps = of(&words.domains);
        let mut map = Map::read(&maps.join("\n\n"));
        let is_map = |name: &str| path::fits(&words.domains, name);
        let rules = Rules::read(named.iter().map(|(name, text)| (is_map(name), *text)), &mut map);
        Blueprint {
            map,
            has_map: !maps.is_empty(),
            rules,
            money: MoneyRule::read(&of(&words.money.documents).join("\n\n"), &words.money),
            is_empty: documents.is_empty(),
            reference: words.reference.clone(),
        }
    }
}

/// What in a spec and in the changed files, each with its path in the project and its text, is against the blueprint.
/// Of no documents at all, nothing.
fn judge(blueprint: &Blueprint, spec: &str, files: &[Source]) -> Vec<Finding> {
    if blueprint.is_empty {
        return Vec::new();
    }
    let map = blueprint.has_map.then_some(&blueprint.map);
    let mut found = reference::judge(spec, &blueprint.reference, map);
    found.extend(blueprint.money.iter().flat_map(|rule| money::in_spec(spec, rule)));
    for (path, text) in files {
        found.extend(of_file(blueprint, path, text));
    }
    found
}

fn of_file(blueprint: &Blueprint, path: &str, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    // Tests may look at whatever they test.
    if Language::of(path).is_some() && !source::is_test(path) {
        found.extend(stray(blueprint, path));
        found.extend(imports(blueprint, path, text));
    }
    found.extend(blueprint.money.iter().flat_map(|rule| money::in_file(path, text, rule)));
    found.sort();
    found
}

fn stray(blueprint: &Blueprint, path: &str) -> Option<Finding> {
    let name = blueprint.map.stray(path).filter(|_| blueprint.map.has_domains())?;
    let message = format!("`{name}` is no domain of the domain map{}", reference::known(&blueprint.map));
    Some(Finding { path: path.to_owned(), line: 1, code: DOMAIN, message })
}

fn imports(blueprint: &Blueprint, path: &str, text: &str) -> Vec<Finding> {
    let from = blueprint.map.of_file(path);
    let refused = |import: imports::Import| {
        let to = import.place(path, &blueprint.map);
        let (who, what) = blueprint.rules.refused(&from, &to)?;
        let may = match blueprint.rules.allowed(who) {
            Some(names) if names.is_empty() => format!("`{who}` may import no other part"),
            Some(names) => format!("`{who}` may import {}", names.join(", ")),
            None => format!("`{what}` may import `{who}`, not the other way"),
        };
        let message = format!("`{}`: `{who}` imports `{what}`, but {may}", import.name);
        Some(Finding { path: path.to_owned(), line: import.line, code: IMPORT, message })
    };
    let mut found: Vec<Finding> = imports::imports(path, text).into_iter().filter_map(refused).collect();
    // `from a import b, c` is one wrong import, not two.
    found.dedup_by(|a, b| a.line == b.line);
    found
}

#[cfg(test)]
#[path = "blueprint_tests.rs"]
pub(crate) mod blueprint_tests;
