//! `[fields]`, `[data]`, `[paths]` and `[patterns]`, from TOML.

use std::borrow::Cow;

use toml::de::DeTable;

use super::super::table::{CLOSE_IT, ESCAPE_IT, Reader, Spanned, json, one_or_many};
use super::super::{Field, FieldType, List, Named, Text};
use super::Parser;

impl Parser<'_> {
    /// `[fields]`: a first value, or a table that says what the field may be.
    pub(super) fn fields(&mut self, top: &DeTable<'_>) -> Vec<Field> {
        let Some(fields) = self.inner(top, "fields") else { return Vec::new() };
        fields.iter().map(|(name, value)| self.field(name.get_ref(), value)).collect()
    }

    fn field(&mut self, name: &str, value: &Spanned<'_>) -> Field {
        let name = Cow::Owned(name.to_owned());
        let described = value.get_ref().as_table().filter(|table| Reader::get(table, "is").is_some());
        let Some(table) = described else {
            return Field { name, first: self.value_source(value), is: None, is_nullable: false };
        };
        self.reader.known_keys("a field", table, &["is", "first"]);
        let (is, is_nullable) = self.field_type(table);
        let usual = match &is {
            _ if is_nullable => "{{ none }}".into(),
            Some(FieldType::OneOf(words)) => words.first().cloned().unwrap_or_default(),
            Some(FieldType::Number) => "{{ 0 }}".into(),
            Some(FieldType::Truth) => "{{ false }}".into(),
            Some(FieldType::List) => "{{ [] }}".into(),
            Some(FieldType::Table) => "{{ {} }}".into(),
            Some(FieldType::Text) | None => Text::default(),
        };
        let first = Reader::get(table, "first").map_or(usual, |value| self.value_source(value));
        Field { name, first, is, is_nullable }
    }

    fn field_type(&mut self, table: &DeTable<'_>) -> (Option<FieldType>, bool) {
        let Some(value) = Reader::get(table, "is") else { return (None, false) };
        if value.get_ref().as_array().is_some() {
            return (Some(FieldType::OneOf(self.reader.texts(table, "is"))), false);
        }
        let word = self.reader.text(table, "is").unwrap_or_default();
        let (plain, is_nullable) =
            word.strip_suffix('?').map_or((word.as_ref(), false), |plain| (plain, true));
        let is = match plain {
            "text" => FieldType::Text,
            "number" => FieldType::Number,
            "truth" => FieldType::Truth,
            "list" => FieldType::List,
            "table" => FieldType::Table,
            _ => {
                self.reader.error(value.span(), format!("unknown type `{word}`")).hint = Some(
                    "it is `text`, `number`, `truth`, `list` or `table`, each with a `?` if it may be null, or a list of words".into(),
                );
                return (None, is_nullable);
            }
        };
        (Some(is), is_nullable)
    }

    /// `[data]`, `[paths]` and `[patterns]`: literals by name.
    pub(super) fn data(&mut self, top: &DeTable<'_>) -> List<Named> {
        let mut named = Vec::new();
        for key in ["data", "paths", "patterns"] {
            for (name, value) in self.inner(top, key).into_iter().flatten() {
                match key {
                    "paths" => self.compiled(value, "a glob", crate::filters::glob_fault, CLOSE_IT),
                    "patterns" => {
                        self.compiled(
                            value,
                            "a regular expression",
                            crate::filters::pattern_fault,
                            ESCAPE_IT,
                        );
                    }
                    _ => {}
                }
                self.reader.names.push((name.get_ref().to_string(), name.span()));
                let source = json(value.get_ref()).to_string().into();
                named.push(Named { name: name.get_ref().to_string().into(), source });
            }
        }
        named.into()
    }

    pub(super) fn paths(&mut self, top: &DeTable<'_>) -> Vec<(String, Vec<String>)> {
        let Some(paths) = self.inner(top, "paths") else { return Vec::new() };
        let names: Vec<String> = paths.keys().map(|name| name.get_ref().to_string()).collect();
        let globs = |parser: &mut Self, name: &str| {
            parser.reader.texts(paths, name).iter().map(ToString::to_string).collect()
        };
        names.into_iter().map(|name| (name.clone(), globs(self, &name))).collect()
    }

    /// Complains about texts that do not compile.
    fn compiled(&mut self, value: &Spanned<'_>, what: &str, fault: fn(&str) -> Option<String>, hint: &str) {
        for item in one_or_many(value) {
            let Some(text) = item.get_ref().as_str() else {
                self.reader.error(item.span(), format!("{what} must be a text"));
                continue;
            };
            if let Some(why) = fault(text) {
                self.reader.error(item.span(), format!("`{text}` is not {what}: {why}")).hint =
                    Some(hint.to_owned());
            }
        }
    }
}
