//! From a workflow's files to a `Workflow`, or to the list of what is wrong with them.

mod approvals;
pub(crate) mod bench;
mod commands;
pub(super) mod former;
mod legacy;
mod limits;
mod links;
mod mirrors;
mod names;
mod notes;
mod own_commands;
pub(super) mod parts;
mod performers;
mod permits;
mod phases;
mod plain;
mod reviewers;
mod rules;
mod run;
mod steps;

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

use serde_json::Value as Json;

use super::performer::Check;
use super::step::Step;
use super::table::{Language, Piece, Reader, listed};
use super::{Delegation, Field, RuleKind, Say, Text, Workflow};
use crate::diagnostic::{Diagnostic, Severity};
use crate::layout::{self, Layout};
use crate::verdict::Verdict;
use links::{Link, Target};

/// The file a workflow's folder must have.
pub const FILE: &str = "workflow.toml";

const TOP_KEYS: [&str; 24] = [
    "about",
    "names",
    "run",
    "defaults",
    "phases",
    "limits",
    "permit",
    "steps",
    "holds",
    "witnesses",
    "checks",
    "reviewers",
    "approvals",
    "bench",
    "commands",
    "mirror",
    "layout",
    "delegation",
    "fields",
    "let",
    "data",
    "paths",
    "patterns",
    "legacy",
];
/// The keys whose expressions must be true or false.
const CONDITIONS: [&str; 6] = ["when", "until", "that", "if", "landed", "unless"];
const LAYOUT_KEYS: [&str; 3] = ["files", "nested", "names"];
const NAME_KEYS: [&str; 4] = ["name", "required", "with", "only"];
const DELEGATION_KEYS: [&str; 7] = ["manifest", "agents", "aside", "phases", "setup", "not_setup", "aliases"];

/// A workflow as far as it could be read, and everything that `check` needs to judge it.
#[derive(Debug)]
pub struct Parsed {
    /// The workflow; with errors among the problems, not to be used.
    pub workflow: Workflow,
    /// What is wrong so far.
    pub(crate) problems: Vec<Diagnostic>,
    /// The further files of names, and where each begins.
    pub(crate) places: Vec<(String, usize)>,
    /// Every expression and template in it.
    pub(crate) pieces: Vec<Piece>,
    /// The text files it names.
    pub(crate) texts: Vec<String>,
    /// Where each phase is named.
    pub(crate) phases: Vec<(String, Range<usize>)>,
    /// Where each command is named.
    pub(crate) commands: Vec<(String, Range<usize>)>,
    /// The state fields that keys name, and where.
    pub(crate) field_names: Vec<FieldName>,
    /// The fields that `[run.item]` lists.
    pub(crate) item_fields: Vec<String>,
    /// Names of `[paths]` that lists use.
    pub(crate) used_names: Vec<String>,
    /// Where each limit is named.
    pub(crate) limits: Vec<(String, Range<usize>)>,
    /// Where each approval is named.
    pub(crate) approvals: Vec<(String, Range<usize>)>,
    /// Where names of `[let]`, `[data]`, `[paths]` and `[patterns]` are given.
    pub(crate) names: Vec<(String, Range<usize>)>,
    /// Phases that somebody tried to name, and misspelt.
    pub(crate) misspelt: Vec<String>,
    /// Where steps have the engine note something of files.
    pub(crate) noted: Vec<(&'static str, Range<usize>)>,
    /// How much of it can be judged.
    pub(crate) extent: Extent,
}

/// A state field that a key names.
#[derive(Clone, Debug)]
pub(crate) struct FieldName {
    /// Its path; that of a field of the current item begins with the item's name.
    pub(crate) path: String,
    /// Where it is named.
    pub(crate) span: Range<usize>,
    /// What its first value could be.
    pub(crate) first: &'static str,
    /// Whether a step sets it, and does not only count in it or show it.
    pub(crate) is_set: bool,
}

/// How much of a workflow's file could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// Something was left out, such as an unknown key: what is missing elsewhere may only follow from that.
    Part,
    /// So little that nothing else can be judged: it is no TOML, or a table has an unknown name.
    Little,
}

impl Parsed {
    /// The first error, if there is one.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.problems.iter().find(|problem| problem.severity == Severity::Error)
    }
}

/// Parses the workflow called `name` from its file's `source`; `read` gives the other files of its folder.
pub fn parse(name: &str, source: &str, read: &dyn Fn(&str) -> Option<String>) -> Parsed {
    let own = DeTable::parse(source);
    let whole = parts::Whole::of(source, own.as_ref().ok().map(Spanned::get_ref), read);
    let mut parser = Parser::new(&whole.source, read);
    let own = own.map(Spanned::into_inner).map_err(|error| parts::Broken::at(0, &error));
    let (workflow, is_little) = match own.and_then(|own| whole.document(own)) {
        Ok((document, problems)) => {
            parser.reader.problems.extend(problems);
            let has_lost_table = plain::has_lost_table(&document);
            let workflow = parser.workflow(name, &document);
            parser.plain_texts(&document);
            if !has_lost_table {
                parser.resolve_links();
            }
            parser.leave_out_followers();
            (workflow, has_lost_table || document.is_empty())
        }
        Err(error) => {
            let workflow = parser.workflow(name, &DeTable::new());
            parser.reader.problems.clear();
            let hint = plain::form(&error.message).map(str::to_owned);
            parser.reader.error(error.span, error.message).hint = hint;
            (workflow, true)
        }
    };
    let extent = match (is_little, parser.reader.is_partial) {
        (true, _) => Extent::Little,
        (false, true) => Extent::Part,
        (false, false) => Extent::Whole,
    };
    let mut pieces = parser.reader.pieces;
    pieces.append(&mut parser.text_pieces);
    let mut workflow = workflow;
    if workflow.run.is_sealed {
        workflow.run.notes = notes::of(&pieces);
    }
    let restore = std::mem::take(&mut workflow.run.watch.restore);
    workflow.run.watch = super::watch::of(&workflow, restore);
    let placed = |problem: Diagnostic| parts::placed(problem, &whole.places);
    Parsed {
        workflow,
        problems: parser.reader.problems.into_iter().map(placed).collect(),
        places: whole.places.clone(),
        pieces,
        texts: parser.texts,
        phases: parser.phase_spans,
        commands: parser.command_spans,
        field_names: parser.field_names,
        item_fields: parser.item_fields,
        used_names: parser.used_names,
        limits: parser.limit_spans,
        approvals: parser.approval_spans,
        names: parser.reader.names,
        misspelt: parser.misspelt,
        noted: parser.noted,
        extent,
    }
}

struct Parser<'s> {
    reader: Reader<'s>,
    read: &'s dyn Fn(&str) -> Option<String>,
    texts: Vec<String>,
    text_pieces: Vec<Piece>,
    phase_spans: Vec<(String, Range<usize>)>,
    command_spans: Vec<(String, Range<usize>)>,
    /// `[steps]`, read before all other steps.
    steps: Vec<(String, Step)>,
    fields: Vec<Field>,
    /// `[checks]`, and those found in phases so far.
    checks: Vec<Check>,
    counts: Vec<Count>,
    links: Vec<Link>,
    field_names: Vec<FieldName>,
    item_fields: Vec<String>,
    phase_names: Vec<String>,
    limit_names: Vec<String>,
    limit_spans: Vec<(String, Range<usize>)>,
    approval_spans: Vec<(String, Range<usize>)>,
    reviewer_names: Vec<String>,
    /// The reviewers in whose place a sub-agent may be asked.
    subagents: Vec<String>,
    /// `[paths]`: names and their globs.
    paths: Vec<(String, Vec<String>)>,
    /// Names of `[paths]` that lists use.
    used_names: Vec<String>,
    /// The verdict of each reviewer's unreadable answers.
    otherwise: Vec<(String, Verdict)>,
    /// Phases that somebody tried to name, and misspelt.
    misspelt: Vec<String>,
    /// Where steps have the engine note something of files.
    noted: Vec<(&'static str, Range<usize>)>,
    /// Checks that do not say what they do.
    unclear: Vec<String>,
}

/// A field that starts again with a limit, and its first value.
#[derive(Debug, PartialEq)]
struct Count {
    limit: String,
    field: String,
    first: Json,
}

impl<'s> Parser<'s> {
    /// A parser that has read nothing yet.
    fn new(source: &'s str, read: &'s dyn Fn(&str) -> Option<String>) -> Parser<'s> {
        Parser {
            reader: Reader::new(FILE, source),
            read,
            texts: Vec::new(),
            text_pieces: Vec::new(),
            phase_spans: Vec::new(),
            command_spans: Vec::new(),
            steps: Vec::new(),
            fields: Vec::new(),
            checks: Vec::new(),
            counts: Vec::new(),
            links: Vec::new(),
            field_names: Vec::new(),
            item_fields: Vec::new(),
            phase_names: Vec::new(),
            limit_names: Vec::new(),
            limit_spans: Vec::new(),
            approval_spans: Vec::new(),
            reviewer_names: Vec::new(),
            subagents: Vec::new(),
            paths: Vec::new(),
            used_names: Vec::new(),
            otherwise: Vec::new(),
            misspelt: Vec::new(),
            noted: Vec::new(),
            unclear: Vec::new(),
        }
    }
}

impl Parser<'_> {
    /// Notes a field that a key names.
    fn names_field(&mut self, path: &str, span: Range<usize>, first: &'static str) {
        self.field_names.push(FieldName { path: path.to_owned(), span, first, is_set: false });
    }

    /// Notes a field that a step sets.
    fn sets_field(&mut self, path: &str, span: Range<usize>, first: &'static str) {
        self.field_names.push(FieldName { path: path.to_owned(), span, first, is_set: true });
    }

    fn workflow(&mut self, name: &str, top: &DeTable<'_>) -> Workflow {
        self.reader.known_keys("a workflow file", top, &TOP_KEYS);
        self.fields = self.fields(top);
        self.paths = self.paths(top);
        self.note_counts(top);
        let reviewers = self.reviewers(top);
        self.checks = self.checks(top);
        self.named_steps(top);
        let approvals = self.approvals(top);
        let phases = self.phases(top, &reviewers);
        let limits = self.limits(top);
        let mut rules = self.rules(top, RuleKind::Hold);
        let (held, bounds) = self.permits(top, &phases);
        rules.extend(held);
        rules.extend(self.rules(top, RuleKind::Witness));
        let mut commands = self.commands(top);
        self.own_commands(name, top, &phases, &mut commands);
        Workflow {
            name: Cow::Owned(name.to_owned()),
            about: self.reader.text(top, "about").unwrap_or_default(),
            run: self.run(top),
            rules: rules.into(),
            bounds: bounds.into(),
            lets: self.reader.named(top, "let", Some(Language::Expression)),
            data: self.data(top),
            delegation: self.delegation(top),
            limits,
            phases,
            approvals,
            reviewers,
            checks: self.checks.clone().into(),
            fields: self.fields.clone().into(),
            bench: self.bench(top),
            commands: commands.into(),
            layout: self.layout(top),
            legacy: self.legacy(top),
        }
    }

    /// One of a few words; the first stands for none.
    fn chosen<T: Copy + Default>(&mut self, table: &DeTable<'_>, key: &str, words: &[(&str, T)]) -> T {
        let Some(word) = self.reader.text(table, key) else { return T::default() };
        if let Some((_, meant)) = words.iter().find(|(name, _)| *name == word) {
            return *meant;
        }
        let span = Reader::get(table, key).map_or(0..0, toml::Spanned::span);
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        self.reader.error(span, format!("unknown {key} `{word}`")).hint =
            Some(format!("it is one of {}", listed(&names)));
        T::default()
    }

    fn layout(&mut self, top: &DeTable<'_>) -> Option<Layout> {
        let table = Reader::get(top, "layout").and_then(|value| self.reader.table("layout", value))?;
        self.reader.known_keys("[layout]", table, &LAYOUT_KEYS);
        let flag =
            |table: &DeTable<'_>, key: &str| Reader::get(table, key).and_then(|v| v.get_ref().as_bool());
        let mut names = Vec::new();
        for item in
            Reader::get(table, "names").and_then(|value| value.get_ref().as_array()).into_iter().flatten()
        {
            let Some(entry) = self.reader.table("names", item) else { continue };
            self.reader.known_keys("a name of [layout]", entry, &NAME_KEYS);
            names.push(layout::Name {
                name: self.reader.required("a name of [layout]", item.span(), entry, "name"),
                required: flag(entry, "required").unwrap_or(false),
                with: self.reader.text(entry, "with"),
                table: self.reader.text(entry, "only").is_some_and(|only| only == "table"),
            });
        }
        let files = self.reader.text(table, "files").unwrap_or_default();
        let ending = files.strip_prefix('*').unwrap_or(&files).to_owned();
        Some(Layout {
            ending: ending.into(),
            nested: flag(table, "nested").unwrap_or(true),
            names: names.into(),
        })
    }

    fn expression(&mut self, table: &DeTable<'_>, key: &str) -> Option<Text> {
        self.source(table, key, Language::Expression)
    }

    fn template(&mut self, table: &DeTable<'_>, key: &str) -> Option<Text> {
        self.source(table, key, Language::Template)
    }

    fn source(&mut self, table: &DeTable<'_>, key: &str, language: Language) -> Option<Text> {
        let text = self.reader.text(table, key)?;
        let span = Reader::get(table, key).map_or(0..0, toml::Spanned::span);
        self.reader.piece(language, &text, span);
        if CONDITIONS.contains(&key) {
            self.reader.last_is_condition();
        }
        Some(text)
    }

    fn inner<'a, 'i>(&mut self, table: &'a DeTable<'i>, key: &str) -> Option<&'a DeTable<'i>> {
        Reader::get(table, key).and_then(|value| self.reader.table(key, value))
    }

    fn delegation(&mut self, top: &DeTable<'_>) -> Option<Delegation> {
        let table =
            Reader::get(top, "delegation").and_then(|value| self.reader.table("delegation", value))?;
        self.reader.known_keys("[delegation]", table, &DELEGATION_KEYS);
        Some(Delegation {
            manifest: self.reader.texts(table, "manifest"),
            agents: self.reader.text(table, "agents").unwrap_or(Cow::Borrowed("agents")),
            aside: self.reader.texts(table, "aside"),
            phases: self.expression(table, "phases"),
            setup: self.reader.texts(table, "setup"),
            not_setup: self.reader.texts(table, "not_setup"),
            aliases: self.reader.named(table, "aliases", None),
        })
    }

    fn line(&self, at: usize) -> u32 {
        let before = self.reader.source.get(..at).unwrap_or_default();
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }

    /// The text: a file of the folder if the value names one, the value itself otherwise.
    fn say(&mut self, place: &str, span: &Range<usize>, table: &DeTable<'_>) -> Say {
        let value = self.reader.required(place, span.clone(), table, "say");
        let at = Reader::get(table, "say").map_or_else(|| span.clone(), toml::Spanned::span);
        self.text_of(value, at)
    }

    fn text_of(&mut self, value: Text, at: Range<usize>) -> Say {
        if !names_a_file(&value) {
            self.reader.piece(Language::Template, &value, at);
            return Say { file: Cow::Borrowed(""), template: value };
        }
        let Some(template) = (self.read)(&value) else {
            let hint = format!("write the text into {value}, below the workflow's folder");
            self.reader.error(at, format!("there is no text file `{value}`")).hint = Some(hint);
            return Say { file: value, template: Cow::Borrowed("") };
        };
        self.texts.push(value.to_string());
        self.text_pieces.push(Piece {
            language: Language::Template,
            source: template.clone(),
            file: value.to_string(),
            start: Some(0),
            span: 0..template.len(),
            has_element: self.reader.has_element,
            is_condition: false,
            moments: self.reader.moments.clone(),
        });
        Say { file: value, template: template.into() }
    }
}

fn names_a_file(value: &str) -> bool {
    [".md", ".txt", ".sh"].iter().any(|ending| value.ends_with(ending))
        && !value.contains(char::is_whitespace)
}
