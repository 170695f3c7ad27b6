//! What only some of `[reviewers]` have, from TOML: programs that the engine knows how to ask, sub-agents, and further
//! parts of an answer.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Value as Json, json};
use toml::de::{DeTable, DeValue};

use super::super::performer::{Only, Subagent};
use super::super::table::{Reader, Spanned, listed};
use super::super::{List, Named};
use super::Parser;
use crate::phase::subagent::WAY;

/// A program that the engine knows how to ask: with no more rights than to read, and for an answer in a form.
pub(super) struct Known {
    name: &'static str,
    pub(super) command: &'static [&'static str],
    pub(super) verdict_at: &'static [&'static str],
}

const KNOWN: [Known; 1] = [Known {
    name: "claude",
    command: &[
        "claude",
        "--print",
        "--output-format",
        "json",
        "--json-schema",
        "{{ schema }}",
        "--settings",
        r#"{"disableAllHooks":true}"#,
        "{{ prompt }}",
    ],
    verdict_at: &["structured_output.verdict", "result.verdict"],
}];
const WAYS: [&str; 2] = ["process", WAY];
/// The forms that a part of an answer can have, as workflow files spell them.
const FORMS: [(&str, &str); 4] =
    [("text", "string"), ("number", "number"), ("truth", "boolean"), ("list", "array")];

impl Parser<'_> {
    /// `program`: one of those that the engine knows, in place of `command`.
    pub(super) fn known_program(&mut self, place: &str, table: &DeTable<'_>) -> Option<&'static Known> {
        let name = self.reader.text(table, "program")?;
        let span = Reader::get(table, "program").map_or(0..0, toml::Spanned::span);
        if let Some(command) = Reader::get(table, "command") {
            self.reader
                .error(command.span(), format!("{place} is started one way: `program` or `command`"))
                .hint = Some("leave one of them out".into());
            return None;
        }
        let known = KNOWN.iter().find(|known| known.name == name);
        if known.is_none() {
            let names = KNOWN.map(|known| known.name);
            let hint = format!("it is {}; any other is started by `command`", listed(&names));
            self.reader.error(span, format!("Holdpoint does not know how to ask `{name}`")).hint = Some(hint);
            self.reader.is_partial = true;
        }
        known
    }

    /// `way`, `ask` and `subagents`: how a sub-agent of the session is asked.
    pub(super) fn subagent(
        &mut self,
        place: &str,
        name: &str,
        span: Range<usize>,
        table: &DeTable<'_>,
    ) -> Option<Subagent> {
        let names = self.reader.texts(table, "subagents");
        let Some(way) = self.template(table, "way") else {
            for key in ["ask", "subagents"] {
                if let Some(value) = Reader::get(table, key) {
                    self.reader.error(value.span(), format!("`{key}` goes with `way`")).hint =
                        Some(format!("way = \"{WAY}\""));
                }
            }
            return None;
        };
        if !way.contains("{{") && !WAYS.contains(&way.as_ref()) {
            let at = Reader::get(table, "way").map_or_else(|| span.clone(), toml::Spanned::span);
            self.reader.error(at, format!("unknown way `{way}`")).hint =
                Some(format!("it is one of {}", listed(&WAYS)));
        } else {
            self.noted.extend(Reader::get(table, "way").map(|value| ("way", value.span())));
        }
        let text = self.reader.required(place, span.clone(), table, "ask");
        let at = Reader::get(table, "ask").map_or(span, toml::Spanned::span);
        let ask = self.text_of(text, at);
        self.subagents.push(name.to_owned());
        let names = names.iter().cloned().chain([Cow::Owned(name.to_owned())]).collect();
        Some(Subagent { way, ask, names })
    }

    /// `result`: what an answer has beside the verdict and notes.
    pub(super) fn result_form(&mut self, table: &DeTable<'_>) -> List<Named> {
        let Some(parts) = self.inner(table, "result") else { return List::default() };
        let mut forms = Vec::new();
        for (name, value) in parts {
            let form = self.form(value);
            forms.push(Named { name: name.get_ref().to_string().into(), source: form.to_string().into() });
        }
        forms.into()
    }

    fn form(&mut self, value: &Spanned<'_>) -> Json {
        match value.get_ref() {
            DeValue::Table(parts) => {
                let parts = parts.iter().map(|(name, value)| (name.get_ref().to_string(), self.form(value)));
                json!({ "type": "object", "properties": parts.collect::<serde_json::Map<_, _>>() })
            }
            other => {
                let word = other.as_str().unwrap_or_default();
                let form = FORMS.iter().find(|(name, _)| *name == word);
                if form.is_none() {
                    let hint =
                        format!("it is one of {}, or a table of such", listed(&FORMS.map(|(name, _)| name)));
                    self.reader.error(value.span(), "this is no form of an answer").hint = Some(hint);
                }
                json!({ "type": form.map_or("string", |(_, json)| json) })
            }
        }
    }

    /// `only`: the file and the name of one test.
    pub(super) fn only(&mut self, table: &DeTable<'_>) -> Option<Only> {
        let value = Reader::get(table, "only")?;
        let table = self.reader.table("only", value)?;
        self.reader.known_keys("`only`", table, &["file", "name"]);
        for key in ["file", "name"] {
            self.reader.required("`only`", value.span(), table, key);
        }
        Some(Only {
            file: self.expression(table, "file").unwrap_or_default(),
            name: self.expression(table, "name").unwrap_or_default(),
        })
    }
}
