//! Steps, from TOML: one function for all of them. What differs is which keys a step may have where it is written.

use std::borrow::Cow;

use toml::de::DeTable;

use super::super::step::{CommandKeys, Delivery, Step};
use super::super::table::{Language, Reader, Spanned};
use super::super::{List, Named, Say, Text};
use super::Parser;

/// Where a step is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a phase, by its outcome.
    Phase,
    /// At a limit, whose round is used up already.
    Limit,
    /// What happens when a phase is entered.
    Enter,
    /// In a command.
    Command,
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            Place::Phase | Place::Limit => "a step",
            Place::Enter => "enter",
            Place::Command => "a command's step",
        }
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Place::Phase => &[
                "when", "set", "write", "remove", "round", "log", "wait", "go", "afresh", "hold", "pause",
                "tell",
            ],
            Place::Limit => {
                &["set", "write", "remove", "log", "wait", "go", "afresh", "hold", "pause", "tell"]
            }
            Place::Enter => &["set", "write", "remove", "log"],
            Place::Command => &[
                "when", "create", "keep", "restore", "finish", "set", "write", "remove", "round", "log",
                "wait", "go", "afresh", "say", "fail",
            ],
        }
    }
}

impl Parser<'_> {
    pub(super) fn steps(&mut self, value: &Spanned<'_>, place: Place) -> List<Step> {
        match value.get_ref().as_array() {
            Some(items) => items.iter().map(|item| self.step(item, place)).collect(),
            None => vec![self.step(value, place)].into(),
        }
    }

    pub(super) fn step(&mut self, value: &Spanned<'_>, place: Place) -> Step {
        let Some(table) = self.reader.table("a step", value) else { return Step::default() };
        self.reader.known_keys(place.name(), table, place.keys());
        let (delivery, say) = self.delivery(table, place);
        Step {
            when: self.expression(table, "when", false),
            round: self.reader.text(table, "round"),
            set: self.reader.named(table, "set", Some(Language::Template)),
            go: self.reader.text(table, "go"),
            afresh: self.reader.truth(table, "afresh"),
            write: self.files(table),
            remove: self.removals(table),
            log: self.template(table, "log"),
            delivery,
            say,
            wait_s: self.reader.whole(table, "wait").unwrap_or(0),
            command: if place == Place::Command { self.command_keys(table) } else { CommandKeys::default() },
        }
    }

    /// The text and whom it is for. What a command says is told to whoever typed it.
    fn delivery(&mut self, table: &DeTable<'_>, place: Place) -> (Delivery, Say) {
        let keys: &[(&str, Delivery)] = match place {
            Place::Command => &[("say", Delivery::Tell)],
            _ => &[("hold", Delivery::Hold), ("pause", Delivery::Pause), ("tell", Delivery::Tell)],
        };
        let said = keys.iter().find_map(|(key, delivery)| Some((*delivery, *key, Reader::get(table, key)?)));
        match said {
            Some((delivery, key, value)) => {
                let text = self.reader.text(table, key).unwrap_or_default();
                (delivery, self.text_of(text, value.span(), false))
            }
            None => (Delivery::Silent, Say::default()),
        }
    }

    fn command_keys(&mut self, table: &DeTable<'_>) -> CommandKeys {
        CommandKeys {
            create: self.created(table),
            keep: self.kept(table),
            restore: self.reader.truth(table, "restore"),
            finish: self.template(table, "finish"),
            fail: self.reader.whole(table, "fail"),
        }
    }

    /// `create`: a template for the run's name, or `true` where the engine names it.
    fn created(&mut self, table: &DeTable<'_>) -> Option<Text> {
        match Reader::get(table, "create")?.get_ref().as_bool() {
            Some(truth) => truth.then(Text::default),
            None => self.template(table, "create"),
        }
    }

    /// `keep`: files below the project.
    fn kept(&mut self, table: &DeTable<'_>) -> List<Text> {
        for (path, span) in self.reader.spanned_texts(table, "keep") {
            if !crate::path::stays_below(&crate::path::tidy(&path)) {
                self.reader.error(span, format!("`{path}` leaves the project folder"));
            }
        }
        self.reader.texts(table, "keep")
    }

    /// `write`: files by their path; the content is a file of the folder or a text, as anywhere.
    fn files(&mut self, table: &DeTable<'_>) -> List<Named> {
        let Some(files) = self.inner(table, "write") else { return List::default() };
        let mut parsed = Vec::new();
        for (path, value) in files {
            self.reader.piece(Language::Template, path.get_ref(), path.span(), false);
            let Some(text) = value.get_ref().as_str() else {
                self.reader.error(value.span(), "a file's content must be a text");
                continue;
            };
            let content = self.text_of(Cow::Owned(text.to_owned()), value.span(), false);
            parsed.push(Named { name: path.get_ref().to_string().into(), source: content.template });
        }
        parsed.into()
    }

    fn removals(&mut self, table: &DeTable<'_>) -> List<Text> {
        for (text, span) in self.reader.spanned_texts(table, "remove") {
            self.reader.piece(Language::Template, &text, span, false);
        }
        self.reader.texts(table, "remove")
    }
}
