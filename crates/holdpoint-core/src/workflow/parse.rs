//! From a workflow's files to a `Workflow`, or to the list of what is wrong with them.

mod approvals;
mod commands;
pub(super) mod former;
mod legacy;
mod limits;
mod links;
mod mirrors;
mod names;
mod performers;
mod permits;
mod phases;
mod plain;
mod rules;
mod steps;

use std::borrow::Cow;
use std::ops::Range;

use toml::de::DeTable;

use serde_json::Value as Json;

use super::performer::Check;
use super::step::Step;
use super::table::{Language, Piece, Reader, listed};
use super::{Delegation, Field, Format, ID, Item, List, Record, RuleKind, Run, Say, Text, Workflow};
use crate::diagnostic::{Diagnostic, Severity};
use crate::layout::{self, Layout};
use crate::verdict::Verdict;
use links::{Link, Target};

/// The file a workflow's folder must have.
pub const FILE: &str = "workflow.toml";

const TOP_KEYS: [&str; 22] = [
    "about",
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
const RUN_KEYS: [&str; 19] = [
    "home", "each", "newest", "state", "shows", "due", "last", "id", "strays", "format", "stamp", "owner",
    "root", "stale", "log", "sealed", "record", "aside", "item",
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
    pub problems: Vec<Diagnostic>,
    /// Every expression and template in it.
    pub pieces: Vec<Piece>,
    /// The text files it names.
    pub texts: Vec<String>,
    /// Where each phase is named.
    pub phases: Vec<(String, Range<usize>)>,
    /// Where each command is named.
    pub commands: Vec<(String, Range<usize>)>,
    /// The state fields that keys name, and where.
    pub field_names: Vec<(String, Range<usize>)>,
    /// Names of `[paths]` that lists use.
    pub used_names: Vec<String>,
    /// Where each limit is named.
    pub limits: Vec<(String, Range<usize>)>,
    /// Where each approval is named.
    pub approvals: Vec<(String, Range<usize>)>,
    /// Where names of `[let]`, `[data]`, `[paths]` and `[patterns]` are given.
    pub names: Vec<(String, Range<usize>)>,
    /// Phases that somebody tried to name, and misspelt.
    pub misspelt: Vec<String>,
    /// How much of it can be judged.
    pub extent: Extent,
}

/// How much of a workflow's file could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
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
    let mut parser = Parser {
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
        phase_names: Vec::new(),
        limit_names: Vec::new(),
        limit_spans: Vec::new(),
        approval_spans: Vec::new(),
        reviewer_names: Vec::new(),
        paths: Vec::new(),
        used_names: Vec::new(),
        otherwise: Vec::new(),
        misspelt: Vec::new(),
        unclear: Vec::new(),
    };
    let (workflow, is_little) = match DeTable::parse(source) {
        Ok(document) => {
            let has_lost_table = plain::has_lost_table(document.get_ref());
            let workflow = parser.workflow(name, document.get_ref());
            parser.plain_texts(document.get_ref());
            if !has_lost_table {
                parser.resolve_links();
            }
            parser.leave_out_followers();
            (workflow, has_lost_table || document.get_ref().is_empty())
        }
        Err(error) => {
            let workflow = parser.workflow(name, &DeTable::new());
            parser.reader.problems.clear();
            parser.reader.error(error.span().unwrap_or(0..0), error.message().to_owned()).hint =
                plain::form(error.message()).map(str::to_owned);
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
    Parsed {
        workflow,
        problems: parser.reader.problems,
        pieces,
        texts: parser.texts,
        phases: parser.phase_spans,
        commands: parser.command_spans,
        field_names: parser.field_names,
        used_names: parser.used_names,
        limits: parser.limit_spans,
        approvals: parser.approval_spans,
        names: parser.reader.names,
        misspelt: parser.misspelt,
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
    field_names: Vec<(String, Range<usize>)>,
    phase_names: Vec<String>,
    limit_names: Vec<String>,
    limit_spans: Vec<(String, Range<usize>)>,
    approval_spans: Vec<(String, Range<usize>)>,
    reviewer_names: Vec<String>,
    /// `[paths]`: names and their globs.
    paths: Vec<(String, Vec<String>)>,
    /// Names of `[paths]` that lists use.
    used_names: Vec<String>,
    /// The verdict of each reviewer's unreadable answers.
    otherwise: Vec<(String, Verdict)>,
    /// Phases that somebody tried to name, and misspelt.
    misspelt: Vec<String>,
    /// Checks that do not say what they do.
    unclear: Vec<String>,
}

/// A field that starts anew with a limit, and its first value.
#[derive(Debug, PartialEq)]
struct Count {
    limit: String,
    field: String,
    first: Json,
}

impl Parser<'_> {
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
        rules.extend(self.permits(top, &phases));
        rules.extend(self.rules(top, RuleKind::Witness));
        Workflow {
            name: Cow::Owned(name.to_owned()),
            about: self.reader.text(top, "about").unwrap_or_default(),
            run: self.run(top),
            rules: rules.into(),
            lets: self.reader.named(top, "let", Some(Language::Expression)),
            data: self.data(top),
            delegation: self.delegation(top),
            limits,
            phases,
            approvals,
            reviewers,
            checks: self.checks.clone().into(),
            fields: self.fields.clone().into(),
            commands: self.commands(top),
            layout: self.layout(top),
            legacy: self.legacy(top),
        }
    }

    fn run(&mut self, top: &DeTable<'_>) -> Run {
        let Some(value) = Reader::get(top, "run") else {
            if top.is_empty() {
                self.reader.error(0..0, "the file is empty").hint =
                    Some("begin with `about`, and [run] with home = \".myflow\"".into());
            } else {
                let hint = "say where a run is: [run] with home = \".myflow\"";
                self.reader.error(0..0, "there is no [run]").hint = Some(hint.into());
            }
            return Run::default();
        };
        let Some(run) = self.reader.table("run", value) else { return Run::default() };
        self.reader.known_keys("[run]", run, &RUN_KEYS);
        let home = self.reader.required("[run]", value.span(), run, "home");
        if !crate::path::stays_below(&crate::path::tidy(&home)) {
            self.reader.error(value.span(), "`home` must be a name below the project's folder");
        }
        Run {
            home,
            state: self.template(run, "state"),
            shows: self.expression(run, "shows", false),
            each: self.reader.text(run, "each"),
            newest: self.reader.texts(run, "newest"),
            due: self.reader.text(run, "due"),
            last: self.reader.text(run, "last"),
            id: self.run_id(run),
            clears_strays: self.chosen(run, "strays", &[("keep", false), ("remove", true)]),
            format: self.chosen(run, "format", &Format::ALL),
            stamp: self.reader.text(run, "stamp"),
            owner: self.reader.text(run, "owner"),
            root: self.reader.text(run, "root"),
            stale: self.expression(run, "stale", false),
            log: self.log_file(run),
            is_sealed: Reader::get(run, "sealed").and_then(|value| value.get_ref().as_bool()) == Some(true),
            record: self.record(run),
            aside: self.aside(run, top),
            item: self.item(run),
            mirrors: self.mirrors(top),
        }
    }

    /// `aside`; of a sealed run also its own files and ours, which are never what is proved.
    fn aside(&mut self, run: &DeTable<'_>, top: &DeTable<'_>) -> List<Text> {
        for (glob, span) in self.reader.spanned_texts(run, "aside") {
            if let Some(why) = crate::filters::glob_fault(&glob) {
                self.reader.error(span, format!("`{glob}` is not a glob: {why}")).hint =
                    Some(super::table::CLOSE_IT.into());
            }
        }
        let mut aside: Vec<Text> = self.reader.texts(run, "aside").into_owned();
        let is_sealed = Reader::get(run, "sealed").and_then(|value| value.get_ref().as_bool()) == Some(true);
        if is_sealed && Reader::get(top, "phases").is_some() {
            let state = Reader::get(run, "state").and_then(|state| state.get_ref().as_str());
            for path in state.filter(|path| !path.contains("{{")).into_iter().chain([".holdpoint/**"]) {
                if !aside.iter().any(|known| known == path) {
                    aside.push(Cow::Owned(path.to_owned()));
                }
            }
        }
        aside.into()
    }

    fn record(&mut self, run: &DeTable<'_>) -> Option<Record> {
        let table = self.inner(run, "record")?;
        self.reader.known_keys("record", table, &["file", "under"]);
        Some(Record {
            file: self.template(table, "file").unwrap_or_default(),
            under: self.reader.text(table, "under").unwrap_or_default(),
        })
    }

    fn item(&mut self, run: &DeTable<'_>) -> Option<Item> {
        let value = Reader::get(run, "item")?;
        let table = self.reader.table("item", value)?;
        self.reader.known_keys("[run.item]", table, &["name", "list", "at"]);
        let mut text = |key: &str| self.reader.required("[run.item]", value.span(), table, key);
        Some(Item { name: text("name"), list: text("list"), at: text("at") })
    }

    /// `log`: a file beside the runs.
    fn log_file(&mut self, run: &DeTable<'_>) -> Option<Text> {
        let log = self.reader.text(run, "log")?;
        if !crate::path::stays_below(&crate::path::tidy(&log)) {
            let span = Reader::get(run, "log").map_or(0..0, toml::Spanned::span);
            self.reader.error(span, "`log` must be a name beside the runs");
        }
        Some(log)
    }

    /// `id`, which goes with an `each` that names a file by it.
    fn run_id(&mut self, run: &DeTable<'_>) -> Option<Text> {
        let id = self.reader.text(run, "id");
        let each = Reader::get(run, "each")?;
        if id.is_some() != each.get_ref().as_str().is_some_and(|each| each.contains(ID)) {
            let hint = format!("write both: id = \"{{date}}-{{time}}-{{hex6}}\" and each = \"{ID}.state\"");
            self.reader.error(each.span(), format!("`id` and an `each` with `{ID}` go together")).hint =
                Some(hint);
        }
        id
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

    fn expression(&mut self, table: &DeTable<'_>, key: &str, has_element: bool) -> Option<Text> {
        self.source(table, key, Language::Expression, has_element)
    }

    fn template(&mut self, table: &DeTable<'_>, key: &str) -> Option<Text> {
        self.source(table, key, Language::Template, false)
    }

    fn source(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        language: Language,
        has_element: bool,
    ) -> Option<Text> {
        let text = self.reader.text(table, key)?;
        let span = Reader::get(table, key).map_or(0..0, toml::Spanned::span);
        self.reader.piece(language, &text, span, has_element);
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
            phases: self.expression(table, "phases", false),
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
    fn say(&mut self, place: &str, span: &Range<usize>, table: &DeTable<'_>, has_element: bool) -> Say {
        let value = self.reader.required(place, span.clone(), table, "say");
        let at = Reader::get(table, "say").map_or_else(|| span.clone(), toml::Spanned::span);
        self.text_of(value, at, has_element)
    }

    fn text_of(&mut self, value: Text, at: Range<usize>, has_element: bool) -> Say {
        if !names_a_file(&value) {
            self.reader.piece(Language::Template, &value, at, has_element);
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
            has_element,
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
