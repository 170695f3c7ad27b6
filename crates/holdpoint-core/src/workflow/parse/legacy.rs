//! `[legacy]`, from TOML.

use toml::de::{DeTable, DeValue};

use super::super::legacy::{Debug, Legacy};
use super::super::table::{Language, Reader, Spanned, json};
use super::super::{List, Named, Text};
use super::Parser;

const LEGACY_KEYS: [&str; 5] = ["release", "bad_input", "context", "message", "debug"];
/// What an answer may say besides a message. All other fields an agent knows would hold it, or speak to it.
const RELEASE_KEYS: [&str; 3] = ["continue", "decision", "suppressOutput"];

impl Parser<'_> {
    pub(super) fn legacy(&mut self, top: &DeTable<'_>) -> Option<Legacy> {
        let table = self.inner(top, "legacy")?;
        self.reader.known_keys("[legacy]", table, &LEGACY_KEYS);
        let bad_input = Reader::get(table, "bad_input").and_then(|value| self.exit_code(value));
        Some(Legacy {
            release: self.release(table),
            bad_input,
            plain_context: self.chosen(table, "context", &[("stderr", false), ("stdout", true)]),
            message: self.message(table),
            debug: self.debug(table),
        })
    }

    /// `message`: a field that no agent takes for anything else.
    fn message(&mut self, table: &DeTable<'_>) -> Option<Text> {
        let name = self.reader.text(table, "message")?;
        if ["decision", "continue", "reason", "stopReason", "hookSpecificOutput"].contains(&name.as_ref()) {
            let span = Reader::get(table, "message").map_or(0..0, toml::Spanned::span);
            self.reader.error(span, format!("agents take `{name}` for something else than a message")).hint =
                Some("name the field that the scripts printed, such as message = \"warning\"".into());
        }
        Some(name)
    }

    fn debug(&mut self, table: &DeTable<'_>) -> Option<Debug> {
        let value = Reader::get(table, "debug")?;
        let debug = self.reader.table("debug", value)?;
        self.reader.known_keys("`debug`", debug, &["variable", "prefix"]);
        let variable = self.reader.required("`debug`", value.span(), debug, "variable");
        // Only what workflows may read can be asked for.
        self.reader.piece(Language::Expression, &format!("env.{variable}"), value.span());
        Some(Debug { variable, prefix: self.reader.text(debug, "prefix").unwrap_or_default() })
    }

    fn release(&mut self, table: &DeTable<'_>) -> List<Named> {
        let Some(fields) = self.inner(table, "release") else { return List::default() };
        self.reader.known_keys("`release`", fields, &RELEASE_KEYS);
        let mut named = Vec::new();
        for (name, value) in fields {
            if lets_go(name.get_ref(), value.get_ref()) {
                let source = json(value.get_ref()).to_string().into();
                named.push(Named { name: name.get_ref().to_string().into(), source });
            } else {
                let message = format!("`{}` in `release` must let the agent go", name.get_ref());
                let hint = "write decision = \"approve\", continue = true or suppressOutput = true";
                self.reader.error(value.span(), message).hint = Some(hint.into());
            }
        }
        named.into()
    }

    fn exit_code(&mut self, value: &Spanned<'_>) -> Option<u8> {
        let code = json(value.get_ref()).as_u64().and_then(|code| u8::try_from(code).ok());
        if code.is_none() {
            self.reader.error(value.span(), "`bad_input` must be an exit code, from 0 to 255");
        }
        code
    }
}

/// Whether the field leaves the agent free, and is of the type that agents want.
fn lets_go(name: &str, value: &DeValue<'_>) -> bool {
    match name {
        "continue" => value.as_bool() == Some(true),
        "decision" => value.as_str() == Some("approve"),
        "suppressOutput" => value.as_bool().is_some(),
        // An unknown key, which has been told.
        _ => true,
    }
}
