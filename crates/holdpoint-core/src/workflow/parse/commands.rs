//! `[commands]`, from TOML.

use std::borrow::Cow;

use toml::de::DeTable;

use super::super::command::{Argument, Command, Flag};
use super::super::step::{CommandKeys, Step};
use super::super::table::{ESCAPE_IT, Language, Reader, Spanned};
use super::super::{List, Text};
use super::Parser;
use super::steps::Place;

const COMMAND_KEYS: [&str; 8] = ["about", "by", "run", "args", "flags", "through", "until", "steps"];
const ARGUMENT_KEYS: [&str; 3] = ["name", "pattern", "help"];
const FLAG_KEYS: [&str; 3] = ["value", "pattern", "help"];

impl Parser<'_> {
    pub(super) fn commands(&mut self, top: &DeTable<'_>) -> Vec<Command> {
        let Some(commands) = self.inner(top, "commands") else { return Vec::new() };
        let mut parsed = Vec::new();
        for (name, value) in commands {
            self.command_spans.push((name.get_ref().to_string(), name.span()));
            let Some(table) = self.reader.table(name.get_ref(), value) else { continue };
            let place = format!("[commands.{}]", name.get_ref());
            self.reader.known_keys(&place, table, &COMMAND_KEYS);
            let command = Command {
                name: Cow::Owned(name.get_ref().to_string()),
                about: self.reader.required(&place, name.span(), table, "about"),
                run: self.template(table, "run"),
                args: self.arguments(table),
                flags: self.flags(table),
                is_users: self.is_users(table),
                through: self.through(table),
                until: self.until(&place, table),
                steps: self.command_steps(table),
            };
            self.only_users_overrule(&command, name.span());
            parsed.push(command);
        }
        parsed
    }

    /// `by = "user"`: no agent may call it.
    fn is_users(&mut self, table: &DeTable<'_>) -> bool {
        let Some(by) = self.reader.text(table, "by") else { return false };
        if by != "user" && by != "anyone" {
            let span = Reader::get(table, "by").map_or(0..0, toml::Spanned::span);
            self.reader.error(span, format!("unknown caller `{by}`")).hint =
                Some("it is `user`, or `anyone`".into());
        }
        by == "user"
    }

    /// `until`: what a command that goes through phases is there for.
    fn until(&mut self, place: &str, table: &DeTable<'_>) -> Option<Text> {
        let until = Reader::get(table, "until")?;
        if Reader::get(table, "through").is_none() {
            self.reader.error(until.span(), format!("{place} has `until`, and goes through no phase")).hint =
                Some("say which phases it goes through: through = [\"all\"]".into());
        }
        self.expression(table, "until")
    }

    /// A review is overruled by the user alone.
    fn only_users_overrule(&mut self, command: &Command, span: std::ops::Range<usize>) {
        if !command.is_users && command.steps.iter().any(|step| step.command.overrule.is_some()) {
            self.reader.error(span, "only a command of the user's can `overrule` a review").hint =
                Some("write by = \"user\"".into());
        }
    }

    /// `through`: names of phases, or templates that come to lists of them.
    fn through(&mut self, table: &DeTable<'_>) -> List<Text> {
        for (text, span) in self.reader.spanned_texts(table, "through") {
            if text.contains("{{") {
                self.reader.piece(Language::Template, &text, span);
            }
        }
        self.reader.texts(table, "through")
    }

    fn arguments(&mut self, table: &DeTable<'_>) -> List<Argument> {
        let items = self.reader.list(table, "args");
        items.into_iter().flatten().map(|value| self.argument(value)).collect()
    }

    /// An argument: a word, or a table with more about it.
    fn argument(&mut self, value: &Spanned<'_>) -> Argument {
        if let Some(word) = value.get_ref().as_str() {
            return argument(word, None, Text::default());
        }
        let Some(table) = self.reader.table("an argument", value) else {
            return argument("", None, Text::default());
        };
        self.reader.known_keys("an argument", table, &ARGUMENT_KEYS);
        let word = self.reader.required("an argument", value.span(), table, "name");
        argument(&word, self.pattern(table), self.reader.text(table, "help").unwrap_or_default())
    }

    fn flags(&mut self, table: &DeTable<'_>) -> List<Flag> {
        let Some(flags) = self.inner(table, "flags") else { return List::default() };
        let mut parsed = Vec::new();
        for (name, value) in flags {
            let Some(table) = self.reader.table(name.get_ref(), value) else { continue };
            self.reader.known_keys("a flag", table, &FLAG_KEYS);
            parsed.push(Flag {
                name: Cow::Owned(name.get_ref().to_string()),
                value: self.reader.text(table, "value"),
                pattern: self.pattern(table),
                help: self.reader.text(table, "help").unwrap_or_default(),
            });
        }
        parsed.into()
    }

    /// A pattern that is a regular expression.
    fn pattern(&mut self, table: &DeTable<'_>) -> Option<Text> {
        let pattern = self.reader.text(table, "pattern")?;
        if let Some(why) = crate::filters::pattern_fault(&pattern) {
            let span = Reader::get(table, "pattern").map_or(0..0, toml::Spanned::span);
            self.reader.error(span, format!("`{pattern}` is not a regular expression: {why}")).hint =
                Some(ESCAPE_IT.into());
        }
        Some(pattern)
    }

    fn command_steps(&mut self, table: &DeTable<'_>) -> List<Step> {
        let steps = self.reader.list(table, "steps");
        steps.into_iter().flatten().map(|value| self.command_step(value)).collect()
    }

    fn command_step(&mut self, value: &Spanned<'_>) -> Step {
        let command = value.get_ref().as_table().map(|table| self.command_keys(table)).unwrap_or_default();
        Step { command, ..self.step(value, Place::Command) }
    }

    fn command_keys(&mut self, table: &DeTable<'_>) -> CommandKeys {
        CommandKeys {
            create: self.created(table),
            keep: self.kept(table),
            restore: self.reader.truth(table, "restore"),
            finish: self.template(table, "finish"),
            overrule: self.template(table, "overrule"),
            fail: self.reader.whole(table, "fail"),
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

    /// `create`: a template for the run's name, or `true` where the engine names it.
    fn created(&mut self, table: &DeTable<'_>) -> Option<Text> {
        match Reader::get(table, "create")?.get_ref().as_bool() {
            Some(truth) => truth.then(Text::default),
            None => self.template(table, "create"),
        }
    }
}

fn argument(word: &str, pattern: Option<Text>, help: Text) -> Argument {
    let (name, is_rest) = word.strip_suffix("...").map_or((word, false), |name| (name, true));
    let (name, is_optional) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
    Argument { name: Cow::Owned(name.to_owned()), is_optional, is_rest, pattern, help }
}
