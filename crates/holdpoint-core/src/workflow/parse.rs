//! From a workflow's files to a `Workflow`, or to the list of what is wrong with them.

mod commands;
mod legacy;
mod phases;
mod steps;

use std::borrow::Cow;
use std::ops::Range;

use toml::de::DeTable;

use super::step::{Delivery, Step};
use super::table::{Language, Piece, Reader, json, listed};
use super::{
    Delegation, Format, ID, Item, List, Mirror, Named, On, Record, Rule, RuleKind, Run, Say, Text, ToolMatch,
    Workflow,
};
use crate::diagnostic::{Diagnostic, Severity, nearest};
use crate::event::Moment;
use crate::layout::{self, Layout};
use crate::tool::ToolKind;

/// The file a workflow's folder must have.
pub const FILE: &str = "workflow.toml";

const TOP_KEYS: [&str; 17] = [
    "about",
    "rounds",
    "mirror",
    "checks",
    "commands",
    "run",
    "defaults",
    "phases",
    "reviewers",
    "hold",
    "witness",
    "layout",
    "delegation",
    "fields",
    "let",
    "data",
    "legacy",
];
const RUN_KEYS: [&str; 19] = [
    "home", "each", "newest", "state", "phase", "due", "last", "id", "strays", "format", "stamp", "owner",
    "root", "stale", "log", "sealed", "record", "aside", "item",
];
const LAYOUT_KEYS: [&str; 3] = ["files", "nested", "names"];
const NAME_KEYS: [&str; 4] = ["name", "required", "with", "only"];
const HOLD_KEYS: [&str; 8] = ["name", "code", "on", "each", "when", "set", "say", "satisfied_by"];
const WITNESS_KEYS: [&str; 8] = ["name", "code", "on", "each", "when", "set", "to", "say"];
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
    };
    let workflow = match DeTable::parse(source) {
        Ok(document) => parser.workflow(name, document.get_ref()),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            parser.reader.error(span, error.message().to_owned());
            parser.workflow(name, &DeTable::new())
        }
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
    }
}

struct Parser<'s> {
    reader: Reader<'s>,
    read: &'s dyn Fn(&str) -> Option<String>,
    texts: Vec<String>,
    text_pieces: Vec<Piece>,
    phase_spans: Vec<(String, Range<usize>)>,
    command_spans: Vec<(String, Range<usize>)>,
}

impl Parser<'_> {
    fn workflow(&mut self, name: &str, top: &DeTable<'_>) -> Workflow {
        self.reader.known_keys("a workflow file", top, &TOP_KEYS);
        let mut rules = self.rules(top, RuleKind::Hold);
        rules.extend(self.rules(top, RuleKind::Witness));
        Workflow {
            name: Cow::Owned(name.to_owned()),
            about: self.reader.text(top, "about").unwrap_or_default(),
            run: self.run(top),
            rules: rules.into(),
            lets: self.reader.named(top, "let", Some(Language::Expression)),
            data: self.data(top),
            delegation: self.delegation(top),
            fields: self.fields(top),
            rounds: self.named_rounds(top),
            phases: self.phases(top),
            reviewers: self.programs(top),
            commands: self.commands(top),
            layout: self.layout(top),
            legacy: self.legacy(top),
        }
    }

    fn run(&mut self, top: &DeTable<'_>) -> Run {
        let Some(value) = Reader::get(top, "run") else {
            if !top.is_empty() {
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
            phase: self.expression(run, "phase", false),
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
            aside: self.reader.texts(run, "aside"),
            item: self.item(run),
            mirrors: self.mirrors(top),
        }
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

    fn mirrors(&mut self, top: &DeTable<'_>) -> List<Mirror> {
        let mut mirrors = Vec::new();
        for item in
            Reader::get(top, "mirror").and_then(|value| value.get_ref().as_array()).into_iter().flatten()
        {
            let Some(table) = self.reader.table("mirror", item) else { continue };
            self.reader.known_keys("[[mirror]]", table, &["field", "file", "find"]);
            mirrors.push(Mirror {
                field: self.reader.required("[[mirror]]", item.span(), table, "field"),
                file: self.template(table, "file").unwrap_or_default(),
                find: self.template(table, "find").unwrap_or_default(),
            });
        }
        mirrors.into()
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

    /// `[fields]`: first values; what is no text is kept as it is.
    fn fields(&mut self, top: &DeTable<'_>) -> List<Named> {
        let Some(fields) = Reader::get(top, "fields").and_then(|value| self.reader.table("fields", value))
        else {
            return List::default();
        };
        let mut named = Vec::new();
        for (name, value) in fields {
            let source = match value.get_ref().as_str() {
                Some(template) => {
                    self.reader.piece(Language::Template, template, value.span(), false);
                    template.to_owned()
                }
                None => format!("{{{{ {} }}}}", json(value.get_ref())),
            };
            named.push(Named { name: name.get_ref().to_string().into(), source: source.into() });
        }
        named.into()
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
        Some(text)
    }

    fn data(&mut self, top: &DeTable<'_>) -> List<Named> {
        let Some(data) = Reader::get(top, "data").and_then(|value| self.reader.table("data", value)) else {
            return List::default();
        };
        let named = data.iter().map(|(name, value)| Named {
            name: name.get_ref().to_string().into(),
            source: json(value.get_ref()).to_string().into(),
        });
        named.collect()
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

    fn rules(&mut self, top: &DeTable<'_>, kind: RuleKind) -> Vec<Rule> {
        let Some(value) = Reader::get(top, kind.name()) else { return Vec::new() };
        let Some(items) = value.get_ref().as_array() else {
            let hint = format!("write [[{}]], with two brackets", kind.name());
            self.reader.error(value.span(), format!("`{}` must be a list of tables", kind.name())).hint =
                Some(hint);
            return Vec::new();
        };
        let mut rules = Vec::new();
        for item in items {
            if let Some(table) = self.reader.table(kind.name(), item) {
                rules.push(self.rule(table, item.span(), kind));
            }
        }
        rules
    }

    fn rule(&mut self, table: &DeTable<'_>, span: Range<usize>, kind: RuleKind) -> Rule {
        let (place, keys) = match kind {
            RuleKind::Hold => ("[[hold]]", &HOLD_KEYS),
            RuleKind::Witness => ("[[witness]]", &WITNESS_KEYS),
        };
        self.reader.known_keys(place, table, keys);
        let has_element = Reader::get(table, "each").is_some();
        let step = Step {
            when: self.expression(table, "when", has_element),
            set: self.reader.named(table, "set", Some(Language::Template)),
            delivery: self.delivery_of_rule(table, kind),
            say: self.say(place, &span, table, has_element),
            ..Step::default()
        };
        Rule {
            name: self.reader.required(place, span.clone(), table, "name"),
            code: self.reader.text(table, "code"),
            on: self.on(place, &span, table),
            each: self.expression(table, "each", false),
            step,
            satisfied_by: self.source(table, "satisfied_by", Language::Template, has_element),
            line: self.line(span.start),
        }
    }

    fn line(&self, at: usize) -> u32 {
        let before = self.reader.source.get(..at).unwrap_or_default();
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }

    fn on(&mut self, place: &str, span: &Range<usize>, table: &DeTable<'_>) -> List<On> {
        let texts = self.reader.spanned_texts(table, "on");
        if texts.is_empty() {
            self.reader.error(span.clone(), format!("{place} has no `on`")).hint =
                Some("say which event it looks at, such as on = \"before shell\"".into());
        }
        texts.into_iter().filter_map(|(text, span)| self.one_on(&text, span)).collect()
    }

    fn one_on(&mut self, text: &str, span: Range<usize>) -> Option<On> {
        let (word, tool) = text.split_once(' ').map_or((text, ""), |(word, tool)| (word, tool.trim()));
        let names = Moment::ALL.map(|(name, _)| name);
        let Some((_, moment)) = Moment::ALL.iter().find(|(name, _)| *name == word) else {
            let hint = match nearest(word, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("an event is one of {}", listed(&names)),
            };
            self.reader.error(span, format!("unknown event `{word}`")).hint = Some(hint);
            return None;
        };
        if !tool.is_empty() && !moment.has_tool() {
            self.reader.error(span, format!("`{word}` has no tool")).hint =
                Some(format!("write on = \"{word}\""));
            return None;
        }
        Some(On { moment: *moment, tool: tool_match(tool) })
    }

    /// Whom a rule speaks to: a hold blocks, a witness only speaks.
    fn delivery_of_rule(&mut self, table: &DeTable<'_>, kind: RuleKind) -> Delivery {
        let Some(word) = self.reader.text(table, "to").filter(|_| kind == RuleKind::Witness) else {
            return if kind == RuleKind::Hold { Delivery::Hold } else { Delivery::Tell };
        };
        if let Some((_, delivery)) = Delivery::AUDIENCES.iter().find(|(name, _)| *name == word) {
            return *delivery;
        }
        let span = Reader::get(table, "to").map_or(0..0, toml::Spanned::span);
        let hint = format!("it is one of {}", listed(&Delivery::AUDIENCES.map(|(name, _)| name)));
        self.reader.error(span, format!("unknown audience `{word}`")).hint = Some(hint);
        Delivery::Tell
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
        });
        Say { file: value, template: template.into() }
    }
}

fn tool_match(tool: &str) -> ToolMatch {
    if tool.is_empty() {
        return ToolMatch::Any;
    }
    match ToolKind::NAMED.iter().find(|(name, _)| *name == tool) {
        Some((_, kind)) => ToolMatch::Kind(*kind),
        None => ToolMatch::Named(Cow::Owned(tool.to_owned())),
    }
}

fn names_a_file(value: &str) -> bool {
    [".md", ".txt", ".sh"].iter().any(|ending| value.ends_with(ending))
        && !value.contains(char::is_whitespace)
}
