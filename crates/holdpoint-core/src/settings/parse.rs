//! From a file's text to `Settings`, and to the list of what is wrong with it. What is wrong is left out; the rest counts.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::lock::Lock;
use super::{BenchChoice, Instead, Layer, Placed, Settings};
use crate::diagnostic::Diagnostic;
use crate::workflow::grants::{wrong_folder, wrong_variable};
use crate::workflow::parse::bench::{BENCH_KEYS, bench, prove};
use crate::workflow::table::{Reader, Spanned};

/// What the file is called in messages.
const FILE: &str = "holdpoint.toml";
const KEYS: [&str; 7] = ["workflows", "require", "own_workflows", "programs", "bench", "reviewers", "lock"];
const PROGRAM_KEYS: [&str; 2] = ["pass", "writes"];
/// The keys that are about the layers below, of which a project has none.
const KEYS_ABOVE: [&str; 3] = ["require", "own_workflows", "lock"];

/// Settings as far as they could be read.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The settings.
    pub settings: Settings,
    /// Every name in the list of workflows, even if the list is not used.
    pub listed: Vec<Placed<String>>,
    /// What is wrong, and is therefore not among them.
    pub problems: Vec<Diagnostic>,
}

/// Reads a file of a layer. `file` is what problems call it.
pub fn parse(layer: Layer, file: &str, source: &str) -> Parsed {
    let document = match DeTable::parse(source) {
        Ok(document) => document,
        Err(error) => {
            let problem = Diagnostic::error(file, error.span().unwrap_or(0..0), error.message());
            return Parsed { problems: vec![problem], ..Parsed::default() };
        }
    };
    let mut reader = Reader::new(file, source);
    let list = names(&mut reader, document.get_ref(), "workflows");
    let listed = list.iter().flat_map(|(names, _)| names.value.clone()).collect();
    // A list is used whole or not at all: half of it would enable other workflows than it says.
    let workflows = list.filter(|(_, is_whole)| *is_whole).map(|(names, _)| names);
    let settings = Settings { workflows, ..settings(&mut reader, layer, document.get_ref()) };
    // Keys are read by kind, but are reported as they come.
    reader.problems.sort_by_key(|problem| problem.span.start);
    Parsed { settings, listed, problems: reader.problems }
}

fn settings(reader: &mut Reader<'_>, layer: Layer, table: &DeTable<'_>) -> Settings {
    reader.known_keys(FILE, table, &KEYS);
    let mut settings = Settings::default();
    let programs = Reader::get(table, "programs").and_then(|value| reader.table("programs", value));
    if let Some(programs) = programs {
        reader.known_keys("[programs]", programs, &PROGRAM_KEYS);
        settings.pass = granted(reader, programs, "pass", wrong_variable);
        settings.writes = granted(reader, programs, "writes", wrong_folder);
    }
    settings.bench = bench_choice(reader, table);
    settings.reviewers = reviewers(reader, table);
    if layer == Layer::Project {
        refuse_keys_above(reader, table);
        return settings;
    }
    settings.require = names(reader, table, "require").map(|(names, _)| names.value).unwrap_or_default();
    settings.own_workflows = own_workflows(reader, table);
    settings.lock = locks(reader, table);
    settings
}

/// Returns the texts of a list, and whether it has nothing else.
fn names(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    key: &str,
) -> Option<(Placed<Vec<Placed<String>>>, bool)> {
    let value = Reader::get(table, key)?;
    let mut wrong = |span: Range<usize>| {
        reader.error(span, format!("`{key}` must be a list of names")).hint =
            Some(format!("write {key} = [\"name\"]"));
    };
    let Some(items) = value.get_ref().as_array() else {
        wrong(value.span());
        return None;
    };
    let mut names = Vec::new();
    let mut is_whole = true;
    for item in items {
        match item.get_ref().as_str() {
            Some(name) => names.push(Placed { value: name.to_owned(), span: item.span() }),
            None => {
                wrong(item.span());
                is_whole = false;
            }
        }
    }
    Some((Placed { value: names, span: value.span() }, is_whole))
}

fn bench_choice(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Placed<BenchChoice>> {
    let value = Reader::get(table, "bench")?;
    let inner = reader.table("bench", value)?;
    let keys: Vec<&str> = BENCH_KEYS.into_iter().chain(["prove"]).collect();
    reader.known_keys("[bench]", inner, &keys);
    let choice = BenchChoice { prove: prove(reader, inner), folders: bench(reader, inner) };
    Some(Placed { value: choice, span: value.span() })
}

fn own_workflows(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Placed<bool>> {
    let value = Reader::get(table, "own_workflows")?;
    let truth = reader.truth(table, "own_workflows");
    matches!(value.get_ref(), DeValue::Boolean(_)).then(|| Placed { value: truth, span: value.span() })
}

fn granted(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    key: &str,
    wrong: fn(&str) -> Option<(String, String)>,
) -> Option<Placed<Vec<String>>> {
    let (names, _) = names(reader, table, key)?;
    let mut good = Vec::new();
    for name in names.value {
        match wrong(&name.value) {
            Some((what, hint)) => reader.error(name.span, what).hint = Some(hint),
            None => good.push(name.value),
        }
    }
    Some(Placed { value: good, span: names.span })
}

fn reviewers(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<Placed<Instead>> {
    let mut all = Vec::new();
    let Some(workflows) = Reader::get(table, "reviewers").and_then(|value| reader.table("reviewers", value))
    else {
        return all;
    };
    for (workflow, value) in workflows {
        let workflow = workflow.get_ref();
        let Some(choices) = reader.table(&format!("reviewers.{workflow}"), value) else { continue };
        all.extend(choices.iter().filter_map(|(key, value)| instead(reader, workflow, key.get_ref(), value)));
    }
    all
}

fn instead(
    reader: &mut Reader<'_>,
    workflow: &str,
    reviewer: &str,
    value: &Spanned<'_>,
) -> Option<Placed<Instead>> {
    let Some(instead) = value.get_ref().as_str() else {
        reader
            .error(value.span(), format!("`reviewers.{workflow}.{reviewer}` must be the name of a reviewer"));
        return None;
    };
    let names = [workflow, reviewer, instead].map(str::to_owned);
    let [workflow, reviewer, instead] = names;
    Some(Placed { value: Instead { workflow, reviewer, instead }, span: value.span() })
}

fn locks(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<Placed<Lock>> {
    let Some((keys, _)) = names(reader, table, "lock") else { return Vec::new() };
    let mut locks = Vec::new();
    for Placed { value: key, span } in keys.value {
        match Lock::of(&key) {
            Ok(lock) => locks.push(Placed { value: lock, span }),
            Err(why) => {
                reader.error(span, format!("`{key}` cannot be locked")).hint = Some(why.to_string());
            }
        }
    }
    locks
}

fn refuse_keys_above(reader: &mut Reader<'_>, table: &DeTable<'_>) {
    for key in table.keys().filter(|key| KEYS_ABOVE.contains(&key.get_ref().as_ref())) {
        let hint = match key.get_ref().as_ref() {
            "require" => "name them in `workflows`",
            _ => "leave it out: there is no layer below a project",
        };
        let what = format!("`{}` has no effect in a project's {FILE}", key.get_ref());
        reader.error(key.span(), what).hint = Some(hint.to_owned());
    }
}
