//! What the whole file must be free of: tables whose name is unknown, and `{{` where nothing fills it in.

use toml::de::{DeTable, DeValue};

use super::super::table::Spanned;
use super::{Parser, TOP_KEYS};
use crate::diagnostic::Diagnostic;

/// Tables whose texts are the workflow's own business.
const LITERAL: [&str; 4] = ["data", "paths", "patterns", "legacy"];

/// The words with which something is said to be missing.
const LACKS: [&str; 4] = [" has no `", " does not say ", " leads nowhere", "nothing proves"];

/// The right form, for what is wrong with TOML itself.
pub(super) fn form(message: &str) -> Option<&'static str> {
    const FORMS: [(&str, &str); 6] = [
        ("missing comma", "write a comma between the two"),
        ("duplicate key", "it is there already: leave one of the two out"),
        ("key with no value", "a text ends on its line; a longer one stands between three quotes"),
        ("invalid inline table", "an inline table ends on its line: write a table of its own, [NAME]"),
        ("unclosed table", "close it: [NAME]"),
        ("unclosed array", "close it: ]"),
    ];
    FORMS.iter().find(|(part, _)| message.contains(part)).map(|(_, form)| *form)
}

/// Whether a table at the top has an unknown name, so that all in it is lost.
pub(super) fn has_lost_table(top: &DeTable<'_>) -> bool {
    top.iter().any(|(key, value)| {
        !TOP_KEYS.contains(&key.get_ref().as_ref())
            && matches!(value.get_ref(), DeValue::Table(_) | DeValue::Array(_))
    })
}

impl Parser<'_> {
    /// Leaves out what a table is said to lack if it has that under a misspelt or a former name.
    pub(super) fn leave_out_followers(&mut self) {
        let source = self.reader.source;
        let line = |at: usize| {
            let start = source.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
            start..source.get(at..).and_then(|rest| rest.find('\n')).map_or(source.len(), |end| at + end)
        };
        let lines = |problem: &Diagnostic| {
            let hint = problem.hint.as_deref().unwrap_or_default();
            let is_near = hint.starts_with("did you mean") || hint.starts_with("write ");
            let is_key = problem.message.starts_with("unknown key") && is_near;
            let before = source.get(..problem.span.start).filter(|_| is_key)?;
            let header = before.rfind("\n[").map_or(0, |at| at + 1);
            Some([line(header), line(problem.span.start)])
        };
        let headers: Vec<_> = self.reader.problems.iter().filter_map(lines).flatten().collect();
        self.reader.problems.retain(|problem| {
            let is_there = headers.iter().any(|line| line.contains(&problem.span.start));
            let is_lack = LACKS.iter().any(|words| problem.message.contains(words));
            !(is_there && is_lack)
        });
    }

    /// Complains about `{{` in texts that are no templates.
    pub(super) fn plain_texts(&mut self, top: &DeTable<'_>) {
        if self.reader.is_partial {
            return;
        }
        for (key, value) in top.iter().filter(|(key, _)| !LITERAL.contains(&key.get_ref().as_ref())) {
            self.plain_text(key.get_ref(), value);
        }
    }

    fn plain_text(&mut self, key: &str, value: &Spanned<'_>) {
        match value.get_ref() {
            DeValue::Table(table) => {
                table.iter().for_each(|(key, value)| self.plain_text(key.get_ref(), value));
            }
            DeValue::Array(items) => items.iter().for_each(|item| self.plain_text(key, item)),
            DeValue::String(text) if text.contains("{{") => {
                let is_told = self.reader.problems.iter().any(|problem| problem.span == value.span());
                let is_filled = self.reader.pieces.iter().any(|piece| piece.span == value.span());
                if !is_told && !is_filled {
                    self.reader
                        .error(value.span(), format!("`{key}` is no template: `{{{{` means nothing here"))
                        .hint = Some("write it out".into());
                }
            }
            _ => {}
        }
    }
}
