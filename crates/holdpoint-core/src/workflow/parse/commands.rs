//! `[commands]`, from TOML.

use std::borrow::Cow;

use toml::de::DeTable;

use super::super::command::{Argument, Command, CommandStep};
use super::super::phase::{Manner, Step};
use super::super::table::{Language, Reader, Spanned};
use super::super::{List, Say};
use super::Parser;

const COMMAND_KEYS: [&str; 3] = ["about", "args", "steps"];
const STEP_KEYS: [&str; 6] = ["when", "create", "finish", "set", "go", "say"];

impl Parser<'_> {
    pub(super) fn commands(&mut self, top: &DeTable<'_>) -> List<Command> {
        let Some(commands) = self.inner(top, "commands") else { return List::default() };
        let mut parsed = Vec::new();
        for (name, value) in commands {
            self.command_spans.push((name.get_ref().to_string(), name.span()));
            let Some(table) = self.reader.table(name.get_ref(), value) else { continue };
            let place = format!("[commands.{}]", name.get_ref());
            self.reader.known_keys(&place, table, &COMMAND_KEYS);
            parsed.push(Command {
                name: Cow::Owned(name.get_ref().to_string()),
                about: self.reader.required(&place, name.span(), table, "about"),
                args: self.reader.texts(table, "args").iter().map(|word| argument(word)).collect(),
                steps: self.command_steps(table),
            });
        }
        parsed.into()
    }

    fn command_steps(&mut self, table: &DeTable<'_>) -> List<CommandStep> {
        let steps = Reader::get(table, "steps").and_then(|value| value.get_ref().as_array());
        steps.into_iter().flatten().map(|value| self.command_step(value)).collect()
    }

    fn command_step(&mut self, value: &Spanned<'_>) -> CommandStep {
        let Some(table) = self.reader.table("a step", value) else { return CommandStep::default() };
        self.reader.known_keys("a command's step", table, &STEP_KEYS);
        let say = match (self.reader.text(table, "say"), Reader::get(table, "say")) {
            (Some(text), Some(value)) => self.text_of(text, value.span(), false),
            _ => Say::default(),
        };
        CommandStep {
            create: self.template(table, "create"),
            finish: self.template(table, "finish"),
            step: Step {
                when: self.expression(table, "when", false),
                set: self.reader.named(table, "set", Some(Language::Template)),
                go: self.reader.text(table, "go"),
                afresh: false,
                manner: Manner::Tell,
                say,
            },
        }
    }
}

fn argument(word: &str) -> Argument {
    let name = word.strip_suffix('?').unwrap_or(word);
    Argument { name: Cow::Owned(name.to_owned()), is_optional: name.len() < word.len() }
}
