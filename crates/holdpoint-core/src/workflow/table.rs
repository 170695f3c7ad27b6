//! Reading spanned TOML by hand, so that every complaint has its place, names the key and gives a hint.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{List, Named, Text};
use crate::diagnostic::{Diagnostic, nearest};
use crate::event::Moment;
use crate::expression::{NameUse, SyntaxError, names_in_expression, names_in_template};

/// A key's value and its place.
pub(crate) type Spanned<'i> = toml::Spanned<DeValue<'i>>;

/// The hint for a glob that does not compile.
pub(super) const CLOSE_IT: &str = "close it, or leave it out";
/// The hint for a regular expression that does not compile.
pub(super) const ESCAPE_IT: &str = "to mean a sign itself, put a backslash before it";

/// What kind of source a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// A condition or a named expression.
    Expression,
    /// A text with `{{ … }}`.
    Template,
}

/// A piece of MiniJinja in a workflow's files, for `check`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// What it is written in.
    pub(crate) language: Language,
    /// The source.
    pub(crate) source: String,
    /// The file that has it.
    pub(crate) file: String,
    /// Where its first byte is in the file, if the file has it letter for letter.
    pub(crate) start: Option<usize>,
    /// Where the whole value is.
    pub(crate) span: Range<usize>,
    /// Whether `key` and `value` can be named.
    pub(crate) has_element: bool,
    /// Whether it must be true or false.
    pub(crate) is_condition: bool,
    /// The moments at which it is looked at, if it is a rule's; none: any.
    pub(crate) moments: Vec<Moment>,
}

impl Piece {
    /// The names that it uses, or why it cannot be read.
    pub(crate) fn names(&self) -> Result<Vec<NameUse>, SyntaxError> {
        match self.language {
            Language::Expression => names_in_expression(&self.source),
            Language::Template => names_in_template(&self.source),
        }
    }

    /// Whether it uses a name.
    pub(super) fn uses(&self, name: &str) -> bool {
        self.source.contains(name) && self.names().unwrap_or_default().iter().any(|used| used.name == name)
    }
}

/// Reads one TOML file and gathers what is wrong with it.
pub(crate) struct Reader<'s> {
    pub(super) file: &'s str,
    pub(super) source: &'s str,
    pub(crate) problems: Vec<Diagnostic>,
    pub(super) pieces: Vec<Piece>,
    /// The moments of the rule that is being read.
    pub(super) moments: Vec<Moment>,
    /// Whether that rule looks at elements, so that `key` and `value` can be named.
    pub(super) has_element: bool,
    /// Where names of `[let]`, `[data]`, `[paths]` and `[patterns]` are given.
    pub(super) names: Vec<(String, Range<usize>)>,
    /// Whether something was left out that the rest depends on: what is missing then may only follow from that.
    pub(super) is_partial: bool,
}

impl<'s> Reader<'s> {
    pub(crate) fn new(file: &'s str, source: &'s str) -> Reader<'s> {
        Reader {
            file,
            source,
            problems: Vec::new(),
            pieces: Vec::new(),
            moments: Vec::new(),
            has_element: false,
            names: Vec::new(),
            is_partial: false,
        }
    }

    pub(crate) fn error(&mut self, span: Range<usize>, message: impl Into<String>) -> &mut Diagnostic {
        self.problems.push(Diagnostic::error(self.file, span, message));
        let last = self.problems.len() - 1;
        &mut self.problems[last]
    }

    /// Complains about keys of `table` that are not in `keys`.
    pub(crate) fn known_keys(&mut self, place: &str, table: &DeTable<'_>, keys: &[&str]) {
        for key in table.keys().filter(|key| !keys.contains(&key.get_ref().as_ref())) {
            self.unknown_key(place, key, keys);
        }
    }

    /// Complains about one key that is none of `keys`.
    pub(super) fn unknown_key(&mut self, place: &str, key: &toml::Spanned<Cow<'_, str>>, keys: &[&str]) {
        let name = key.get_ref();
        let hint = match (super::parse::former::key(place, name), nearest(name, keys.iter().copied())) {
            (Some(instead), _) => instead.to_owned(),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("{place} knows {}", listed(keys)),
        };
        self.is_partial = true;
        self.error(key.span(), format!("unknown key `{name}` in {place}")).hint = Some(hint);
    }

    pub(crate) fn get<'a, 'i>(table: &'a DeTable<'i>, key: &str) -> Option<&'a Spanned<'i>> {
        table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
    }

    pub(crate) fn table<'a, 'i>(&mut self, name: &str, value: &'a Spanned<'i>) -> Option<&'a DeTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.error(value.span(), format!("`{name}` must be a table")).hint =
                super::parse::former::table(name).map(str::to_owned);
        }
        table
    }

    /// The text under `key`, if it is there and is one.
    pub(super) fn text(&mut self, table: &DeTable<'_>, key: &str) -> Option<Text> {
        let value = Self::get(table, key)?;
        match value.get_ref().as_str() {
            Some(text) => Some(Cow::Owned(text.to_owned())),
            None => {
                self.error(value.span(), format!("`{key}` must be a text"));
                None
            }
        }
    }

    /// Whether `key` says `true`.
    pub(crate) fn truth(&mut self, table: &DeTable<'_>, key: &str) -> bool {
        let Some(value) = Self::get(table, key) else { return false };
        let truth = value.get_ref().as_bool();
        if truth.is_none() {
            self.error(value.span(), format!("`{key}` must be true or false"));
        }
        truth == Some(true)
    }

    /// The whole number under `key`, if it is there and is one that fits.
    pub(super) fn whole<T: std::str::FromStr>(&mut self, table: &DeTable<'_>, key: &str) -> Option<T> {
        let value = Self::get(table, key)?;
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().replace('_', "").parse().ok(),
            _ => None,
        };
        if number.is_none() {
            self.error(value.span(), format!("`{key}` must be a whole number, and not too large")).hint =
                Some(format!("write {key} = 1, without quotes"));
        }
        number
    }

    /// The list under `key`, if it is there and is one.
    pub(super) fn list<'a, 'i>(&mut self, table: &'a DeTable<'i>, key: &str) -> Option<&'a [Spanned<'i>]> {
        let value = Self::get(table, key)?;
        let list = value.get_ref().as_array().map(|array| array.iter().as_slice());
        if list.is_none() {
            self.error(value.span(), format!("`{key}` must be a list"));
        }
        list
    }

    /// The text under `key`, which must be there.
    pub(super) fn required(&mut self, place: &str, at: Range<usize>, table: &DeTable<'_>, key: &str) -> Text {
        if Self::get(table, key).is_none() {
            self.is_partial = true;
            self.error(at, format!("{place} has no `{key}`")).hint = Some(format!("write {key} = \"…\""));
        }
        self.text(table, key).unwrap_or_default()
    }

    /// One text or a list of texts under `key`, each with its place.
    pub(super) fn spanned_texts(&mut self, table: &DeTable<'_>, key: &str) -> Vec<(String, Range<usize>)> {
        let Some(value) = Self::get(table, key) else { return Vec::new() };
        let items = one_or_many(value);
        let mut texts = Vec::new();
        for item in items {
            match item.get_ref().as_str() {
                Some(text) => texts.push((text.to_owned(), item.span())),
                None => {
                    self.error(item.span(), format!("`{key}` must be a text or a list of texts"));
                }
            }
        }
        texts
    }

    /// One text or a list of texts under `key`.
    pub(super) fn texts(&mut self, table: &DeTable<'_>, key: &str) -> List<Text> {
        self.spanned_texts(table, key).into_iter().map(|(text, _)| Cow::Owned(text)).collect()
    }

    /// One template or a list of templates under `key`.
    pub(super) fn templates(&mut self, table: &DeTable<'_>, key: &str) -> List<Text> {
        let mut templates = Vec::new();
        for (text, span) in self.spanned_texts(table, key) {
            self.piece(Language::Template, &text, span);
            templates.push(Cow::Owned(text));
        }
        templates.into()
    }

    /// The names and texts of a table.
    pub(super) fn named(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        language: Option<Language>,
    ) -> List<Named> {
        let Some(inner) = Self::get(table, key).and_then(|value| self.table(key, value)) else {
            return List::default();
        };
        let mut named = Vec::new();
        for (name, value) in inner {
            let Some(source) = value.get_ref().as_str() else {
                self.error(value.span(), format!("`{}` in [{key}] must be a text", name.get_ref()));
                continue;
            };
            if let Some(language) = language {
                self.piece(language, source, value.span());
                self.names.push((name.get_ref().to_string(), name.span()));
            }
            named.push(Named { name: name.get_ref().to_string().into(), source: source.to_owned().into() });
        }
        named.into()
    }

    /// Remembers a piece of MiniJinja that stands as a string in this file.
    pub(super) fn piece(&mut self, language: Language, source: &str, span: Range<usize>) {
        let raw = self.source.get(span.clone()).unwrap_or_default();
        let start = raw.find(source).filter(|_| !source.is_empty()).map(|at| span.start + at);
        self.pieces.push(Piece {
            language,
            source: source.to_owned(),
            file: self.file.to_owned(),
            start,
            span,
            has_element: self.has_element,
            is_condition: false,
            moments: self.moments.clone(),
        });
    }

    /// Says that the last piece must be true or false.
    pub(super) fn last_is_condition(&mut self) {
        if let Some(piece) = self.pieces.last_mut() {
            piece.is_condition = true;
        }
    }
}

/// Returns the items of a list; a value that is no list is its only item.
pub(super) fn one_or_many<'a, 'i>(value: &'a Spanned<'i>) -> &'a [Spanned<'i>] {
    let single = std::slice::from_ref(value);
    value.get_ref().as_array().map_or(single, |array| array.iter().as_slice())
}

/// `a`, `b` and `c`.
pub(crate) fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        all => all.concat(),
    }
}

/// A TOML value as JSON.
pub(super) fn json(value: &DeValue<'_>) -> serde_json::Value {
    match value {
        DeValue::String(text) => text.to_string().into(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.to_string().into(), serde_json::Value::from),
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(serde_json::Value::Null, Into::into),
        DeValue::Boolean(truth) => (*truth).into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(table) => serde_json::Value::Object(
            table.iter().map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref()))).collect(),
        ),
    }
}
