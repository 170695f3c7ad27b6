//! `[run]`, from TOML: what a run is, and where.

use std::borrow::Cow;

use toml::de::DeTable;

use super::super::table::{Reader, listed};
use super::super::watch::{SETTINGS, Watch};
use super::super::{Format, ID, Item, List, Notes, Record, Run, Text};
use super::Parser;
use crate::diagnostic::nearest;
use crate::level::Level;

const RUN_KEYS: [&str; 23] = [
    "home", "each", "newest", "state", "shows", "due", "last", "id", "strays", "format", "stamp", "owner",
    "root", "stale", "log", "sealed", "record", "aside", "item", "status", "restore", "level", "on_fault",
];

impl Parser<'_> {
    pub(super) fn run(&mut self, top: &DeTable<'_>) -> Run {
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
            state: self.state_of(run),
            shows: self.expression(run, "shows"),
            each: self.reader.text(run, "each"),
            newest: self.reader.texts(run, "newest"),
            due: self.due_of(run, top),
            last: self.reader.text(run, "last"),
            id: self.run_id(run),
            clears_strays: self.chosen(run, "strays", &[("keep", false), ("remove", true)]),
            format: self.chosen(run, "format", &Format::ALL),
            stamp: self.reader.text(run, "stamp"),
            owner: self.reader.text(run, "owner"),
            root: self.reader.text(run, "root"),
            stale: self.expression(run, "stale"),
            log: self.log_file(run),
            is_sealed: self.reader.truth(run, "sealed"),
            holds_on_fault: self.on_fault(run),
            notes: Notes::default(),
            watch: Watch { restore: self.restore(run), ..Watch::default() },
            level: self.level(run),
            record: self.record(run),
            aside: self.aside(run, top),
            item: self.item(run),
            mirrors: self.mirrors(top),
        }
    }

    /// `state`: where `home` is a file in JSON and nothing else is said, that file.
    fn state_of(&mut self, run: &DeTable<'_>) -> Option<Text> {
        let home = || Reader::get(run, "home")?.get_ref().as_str().filter(|home| home.ends_with(".json"));
        self.template(run, "state").or_else(|| home().map(|home| Cow::Owned(home.to_owned())))
    }

    /// `due`: a workflow with phases has it in `phase`, unless it says otherwise.
    fn due_of(&mut self, run: &DeTable<'_>, top: &DeTable<'_>) -> Option<Text> {
        let usual = Reader::get(top, "phases").map(|_| Cow::Borrowed("phase"));
        self.reader.text(run, "due").or(usual)
    }

    /// `aside`; of a sealed run also its own files and ours, which are never what is proved.
    fn aside(&mut self, run: &DeTable<'_>, top: &DeTable<'_>) -> List<Text> {
        for (glob, span) in self.reader.spanned_texts(run, "aside") {
            if let Some(why) = crate::filters::glob_fault(&glob) {
                self.reader.error(span, format!("`{glob}` is not a glob: {why}")).hint =
                    Some(super::super::table::CLOSE_IT.into());
            }
        }
        let mut aside: Vec<Text> = self.reader.texts(run, "aside").into_owned();
        let is_sealed = Reader::get(run, "sealed").and_then(|value| value.get_ref().as_bool()) == Some(true);
        if is_sealed && Reader::get(top, "phases").is_some() {
            let text = |key: &str| Reader::get(run, key).and_then(|value| value.get_ref().as_str());
            let state = text("state").or_else(|| text("home").filter(|home| home.ends_with(".json")));
            for path in state.filter(|path| !path.contains("{{")).into_iter().chain([".holdpoint/**"]) {
                if !aside.iter().any(|known| known == path) {
                    aside.push(Cow::Owned(path.to_owned()));
                }
            }
        }
        aside.into()
    }

    /// `restore`: the agents' settings, and files by their names.
    fn restore(&mut self, run: &DeTable<'_>) -> List<Text> {
        for (word, span) in self.reader.spanned_texts(run, "restore") {
            let fault = if word.contains(['*', '?', '[', '{']) {
                "is a pattern, and only a file by its name is put back"
            } else if word.ends_with('/') || !crate::path::stays_below(&crate::path::tidy(&word)) {
                "is no file below the project's folder"
            } else {
                continue;
            };
            self.reader.error(span, format!("`{word}` {fault}")).hint =
                Some(format!("write restore = [\"{SETTINGS}\", \"docs/plan.md\"]"));
        }
        self.reader.texts(run, "restore")
    }

    /// `level`. No program of ours can claim the last: only a machine where the agent never was has it.
    fn level(&mut self, run: &DeTable<'_>) -> Option<Level> {
        let value = Reader::get(run, "level")?;
        let word = self.reader.text(run, "level")?;
        if let Some((_, level)) = Level::ALL.into_iter().find(|(name, _)| *name == word) {
            return Some(level);
        }
        let names = Level::ALL.map(|(name, _)| name);
        let hint = match nearest(&word, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {}", listed(&names)),
        };
        self.reader.error(value.span(), format!("unknown level `{word}`")).hint = Some(hint);
        None
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
        self.reader.known_keys("[run.item]", table, &["name", "list", "at", "fields"]);
        for (key, first) in [("list", "[]"), ("at", "0")] {
            for (field, span) in self.reader.spanned_texts(table, key) {
                self.names_field(&field, span, first);
            }
        }
        self.item_fields =
            self.reader.spanned_texts(table, "fields").into_iter().map(|(name, _)| name).collect();
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
}
