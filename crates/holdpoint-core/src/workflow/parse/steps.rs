//! Steps, from TOML: one form wherever they are written.

use std::borrow::Cow;

use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

use super::super::step::{CommandKeys, Delivery, Step, key_name};
use super::super::table::{Language, Reader, Spanned, json};
use super::super::{List, Named, Say, Text};
use super::{Parser, Target};

const STEP_KEYS: [&str; 17] = [
    "when", "round", "also", "set", "clear", "renew", "write", "remove", "freeze", "rebase", "log", "wait",
    "go", "hold", "pause", "tell", "note",
];
const COMMAND_STEP_KEYS: [&str; 21] = [
    "when", "create", "keep", "restore", "finish", "overrule", "round", "also", "set", "clear", "renew",
    "write", "remove", "freeze", "accept", "rebase", "log", "wait", "go", "say", "fail",
];
const ENTER_KEYS: [&str; 8] = ["when", "also", "set", "clear", "renew", "write", "remove", "log"];
/// What the step of a rule can have beside its text: where a run goes is for phases and commands to say.
const RULE_KEYS: [&str; 8] = ENTER_KEYS;
const PART_KEYS: [&str; 8] = ["set", "clear", "renew", "write", "remove", "freeze", "accept", "log"];

/// Where a step is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a phase, or at a limit.
    Phase,
    /// In a command.
    Command,
    /// In `enter`: what is done each time a phase is entered.
    Enter,
    /// In a rule.
    Rule,
    /// In `[steps]`: a part that other steps take first.
    Part,
}

impl Place {
    fn keys(self) -> &'static [&'static str] {
        match self {
            Place::Phase => &STEP_KEYS,
            Place::Command => &COMMAND_STEP_KEYS,
            Place::Enter => &ENTER_KEYS,
            Place::Rule => &RULE_KEYS,
            Place::Part => &PART_KEYS,
        }
    }

    /// The keys of a step's text. What a command says is told to whoever typed it.
    fn texts(self) -> &'static [(&'static str, Delivery)] {
        match self {
            Place::Phase => &[
                ("hold", Delivery::Hold),
                ("pause", Delivery::Pause),
                ("tell", Delivery::Tell),
                ("note", Delivery::Note),
            ],
            Place::Command => &[("say", Delivery::Tell)],
            Place::Enter | Place::Rule | Place::Part => &[],
        }
    }
}

impl Parser<'_> {
    /// `[steps]`: parts of steps that `also` names.
    pub(super) fn named_steps(&mut self, top: &DeTable<'_>) {
        let Some(steps) = self.inner(top, "steps") else { return };
        for (name, value) in steps {
            let step = self.table_step(&format!("[steps.{}]", name.get_ref()), value, Place::Part);
            self.steps.push((name.get_ref().to_string(), step));
        }
    }

    /// One step or a list of them; a text alone is the phase to go to.
    pub(super) fn steps(&mut self, value: &Spanned<'_>) -> List<Step> {
        match value.get_ref().as_array() {
            Some(items) => items.iter().map(|item| self.step(item, Place::Phase)).collect(),
            None => vec![self.step(value, Place::Phase)].into(),
        }
    }

    pub(super) fn step(&mut self, value: &Spanned<'_>, place: Place) -> Step {
        if let Some(target) = value.get_ref().as_str() {
            self.link(Target::Phase, target, value.span());
            return Step { go: Some(Cow::Owned(target.to_owned())), ..Step::default() };
        }
        let name = if place == Place::Command { "a command's step" } else { "a step" };
        self.table_step(name, value, place)
    }

    /// `enter`: a step that goes nowhere.
    pub(super) fn enter(&mut self, value: &Spanned<'_>) -> Step {
        self.table_step("`enter`", value, Place::Enter)
    }

    /// What a rule does beside what it says.
    pub(super) fn rule_step(&mut self, table: &DeTable<'_>) -> Step {
        self.step_in(table, Place::Rule)
    }

    /// A step that is a table, called `name` in messages.
    fn table_step(&mut self, name: &str, value: &Spanned<'_>, place: Place) -> Step {
        let Some(table) = self.reader.table(name, value) else { return Step::default() };
        self.reader.known_keys(name, table, place.keys());
        self.step_in(table, place)
    }

    /// The step that a table describes, with the parts that it names first.
    fn step_in(&mut self, table: &DeTable<'_>, place: Place) -> Step {
        let (delivery, say) = self.said(table, place);
        let known = ["freeze", "accept", "rebase"].into_iter().filter(|key| place.keys().contains(key));
        for key in known {
            self.noted.extend(Reader::get(table, key).map(|value| (key, value.span())));
        }
        let renew = self.names_of(table, "renew", Target::Limit);
        let mut set = self.assignments(table);
        set.extend(self.cleared(table));
        set.extend(renew.iter().flat_map(|limit| self.renewed(limit)));
        let own = Step {
            when: self.expression(table, "when"),
            set: set.into(),
            renew,
            write: self.files(table),
            remove: self.removals(table),
            freeze: self.reader.templates(table, "freeze"),
            accept: place.keys().contains(&"accept") && self.reader.truth(table, "accept"),
            rebase: place.keys().contains(&"rebase") && self.reader.truth(table, "rebase"),
            round: self.names_of(table, "round", Target::Limit).first().cloned(),
            log: self.reader.templates(table, "log"),
            wait_s: self.reader.whole(table, "wait").unwrap_or(0),
            go: self.names_of(table, "go", Target::Phase).first().cloned(),
            delivery,
            say,
            command: CommandKeys::default(),
        };
        let whole = self.with_parts(table, own);
        if whole.accept && matches!(place, Place::Phase | Place::Enter | Place::Rule) {
            let span = Reader::get(table, "also").map_or(0..0, toml::Spanned::span);
            self.reader.error(span, "only a command's step can `accept` what was changed").hint =
                Some("the user's answer does that: a command with by = \"user\"".into());
        }
        whole
    }

    /// A step after the parts of `also`.
    fn with_parts(&mut self, table: &DeTable<'_>, own: Step) -> Step {
        let mut whole = own;
        for name in self.names_of(table, "also", Target::Step).iter().rev() {
            let Some((_, part)) = self.steps.iter().find(|(known, _)| known == name.as_ref()) else {
                continue;
            };
            whole.set = [part.set.as_ref(), whole.set.as_ref()].concat().into();
            whole.renew = [part.renew.as_ref(), whole.renew.as_ref()].concat().into();
            whole.write = [part.write.as_ref(), whole.write.as_ref()].concat().into();
            whole.remove = [part.remove.as_ref(), whole.remove.as_ref()].concat().into();
            whole.freeze = [part.freeze.as_ref(), whole.freeze.as_ref()].concat().into();
            whole.accept |= part.accept;
            whole.log = [part.log.as_ref(), whole.log.as_ref()].concat().into();
        }
        whole
    }

    fn said(&mut self, table: &DeTable<'_>, place: Place) -> (Delivery, Say) {
        let texts = place.texts().iter();
        let mut said = texts.filter_map(|(key, to)| Some((*to, *key, Reader::get(table, key)?)));
        let Some((delivery, key, value)) = said.next() else { return (Delivery::Silent, Say::default()) };
        if let Some((_, other, value)) = said.next() {
            self.reader.error(value.span(), format!("a step says one thing: `{key}` or `{other}`"));
        }
        let text = self.reader.text(table, key).unwrap_or_default();
        (delivery, self.text_of(text, value.span()))
    }

    /// `set`: fields by their path, dotted or in tables; a value keeps its type.
    pub(super) fn assignments(&mut self, table: &DeTable<'_>) -> Vec<Named> {
        let mut named = Vec::new();
        if let Some(fields) = self.inner(table, "set") {
            self.assign(fields, "", &mut named);
        }
        named
    }

    fn assign(&mut self, fields: &DeTable<'_>, before: &str, named: &mut Vec<Named>) {
        for (name, value) in fields {
            if name.get_ref().contains("{{") {
                self.reader.error(name.span(), "the name of a field is no template").hint =
                    Some("only values are templates: set = { field = \"{{ … }}\" }".into());
            }
            if let Some(named) = key_name(name.get_ref()) {
                self.reader.piece(Language::Expression, named, name.span());
            }
            let path = format!("{before}{}", name.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if !inner.is_empty() => self.assign(inner, &format!("{path}."), named),
                _ => {
                    self.sets_field(&path, name.span(), first_value(value.get_ref()));
                    let source = self.value_source(value);
                    named.push(Named { name: path.into(), source });
                }
            }
        }
    }

    /// A value as a template: a text is one, anything else keeps its type.
    pub(super) fn value_source(&mut self, value: &Spanned<'_>) -> Text {
        let Some(template) = value.get_ref().as_str() else {
            return format!("{{{{ {} }}}}", json(value.get_ref())).into();
        };
        self.reader.piece(Language::Template, template, value.span());
        if let Some(plain) = literal(template) {
            let hint = match plain {
                "none" | "null" => "to make a field null: clear = [\"field\"]".to_owned(),
                plain => format!("write the value itself: {plain}"),
            };
            self.reader.error(value.span(), format!("`{template}` is a value in disguise")).hint = Some(hint);
        }
        Cow::Owned(template.to_owned())
    }

    /// `clear`: fields become null if they may be, else what they were at first.
    fn cleared(&mut self, table: &DeTable<'_>) -> Vec<Named> {
        let mut named = Vec::new();
        for (path, span) in self.reader.spanned_texts(table, "clear") {
            let field = self.fields.iter().find(|field| field.name == path && !field.is_nullable);
            let source = field.map_or(Cow::Borrowed("{{ none }}"), |field| field.first.clone());
            self.sets_field(&path, span, "\"\"");
            named.push(Named { name: path.into(), source });
        }
        named
    }

    /// The fields with which a limit's count starts again: the count itself, and what is counted with it.
    fn renewed(&self, limit: &str) -> Vec<Named> {
        let named = |name: &str, value: Json| Named {
            name: name.to_owned().into(),
            source: format!("{{{{ {value} }}}}").into(),
        };
        let counts = self.counts.iter().filter(|count| count.limit == limit);
        counts.map(|count| named(&count.field, count.first.clone())).collect()
    }

    /// `write`: files by their path; the content is a file of the folder or a text, as anywhere.
    pub(super) fn files(&mut self, table: &DeTable<'_>) -> List<Named> {
        let Some(files) = self.inner(table, "write") else { return List::default() };
        let mut parsed = Vec::new();
        for (path, value) in files {
            self.reader.piece(Language::Template, path.get_ref(), path.span());
            let Some(text) = value.get_ref().as_str() else {
                self.reader.error(value.span(), "a file's content must be a text");
                continue;
            };
            let content = self.text_of(Cow::Owned(text.to_owned()), value.span());
            parsed.push(Named { name: path.get_ref().to_string().into(), source: content.template });
        }
        parsed.into()
    }

    pub(super) fn removals(&mut self, table: &DeTable<'_>) -> List<Text> {
        self.reader.templates(table, "remove")
    }

    /// The names under a key, each of which must be there.
    pub(super) fn names_of(&mut self, table: &DeTable<'_>, key: &str, target: Target) -> List<Text> {
        let names = self.reader.spanned_texts(table, key);
        for (name, span) in &names {
            self.link(target, name, span.clone());
        }
        names.into_iter().map(|(name, _)| Cow::Owned(name)).collect()
    }
}

/// What a template stands for that is nothing but a plain value.
fn literal(template: &str) -> Option<&str> {
    let inner = template.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim();
    let is_number =
        !inner.is_empty() && inner.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
    (is_number || matches!(inner, "none" | "null" | "true" | "false" | "[]" | "{}")).then_some(inner)
}

/// What a field that is set to this could be at first.
fn first_value(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::Integer(_) | DeValue::Float(_) => "0",
        DeValue::Boolean(_) => "false",
        DeValue::Array(_) => "[]",
        _ => "\"\"",
    }
}
