//! A shell word's text after expansion, and the scripts that run inside it.

use brush_parser::ParserOptions;
use brush_parser::word::{Parameter, ParameterExpr, TildeExpr, WordPiece, WordPieceWithSource};

use super::LENGTH_MAX;
use super::place::Place;

/// A placeholder for text that only a running shell could know.
pub(super) const UNKNOWN: char = '\u{fffd}';
/// A separator between the members of a list, and between the words of an unquoted expansion.
pub(super) const LIST: char = '\u{fdd0}';

/// A word's text, and the scripts of the command substitutions in it.
#[derive(Default)]
pub(super) struct Expanded {
    /// The text, with [`LIST`] between its words.
    pub(super) text: String,
    pub(super) scripts: Vec<String>,
    quoted: bool,
}

/// Expands a word as far as possible.
pub(super) fn expand(word: &str, place: &Place) -> Expanded {
    let mut expanded = Expanded::default();
    expanded.word(word, place);
    expanded
}

/// Expands a here-document, in which quotes have no special meaning.
pub(super) fn expand_document(text: &str, place: &Place) -> Expanded {
    let mut expanded = Expanded { quoted: true, ..Expanded::default() };
    match brush_parser::word::parse_heredoc(text, &ParserOptions::default()) {
        Ok(pieces) => expanded.pieces(&pieces, place),
        Err(_) => text.clone_into(&mut expanded.text),
    }
    expanded
}

impl Expanded {
    /// Splits the text into words.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let whole = !self.text.contains(LIST);
        self.text.split(LIST).filter(move |word| whole || !word.is_empty())
    }

    fn word(&mut self, word: &str, place: &Place) {
        match brush_parser::word::parse(word, &ParserOptions::default()) {
            Ok(pieces) => self.pieces(&pieces, place),
            Err(_) => self.text.push_str(&brush_parser::unquote_str(word)),
        }
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource], place: &Place) {
        for piece in pieces {
            self.piece(&piece.piece, place);
        }
    }

    fn piece(&mut self, piece: &WordPiece, place: &Place) {
        match piece {
            WordPiece::Text(text) | WordPiece::SingleQuotedText(text) | WordPiece::AnsiCQuotedText(text) => {
                self.text.push_str(text);
            }
            WordPiece::DoubleQuotedSequence(pieces) | WordPiece::GettextDoubleQuotedSequence(pieces) => {
                let quoted = std::mem::replace(&mut self.quoted, true);
                self.pieces(pieces, place);
                self.quoted = quoted;
            }
            WordPiece::EscapeSequence(escape) => {
                self.text.push_str(escape.strip_prefix('\\').unwrap_or(escape).trim_start_matches('\n'));
            }
            WordPiece::ParameterExpansion(expression) => self.parameter(expression, place),
            WordPiece::CommandSubstitution(script) | WordPiece::BackquotedCommandSubstitution(script) => {
                self.text.push(UNKNOWN);
                self.scripts.push(script.clone());
            }
            WordPiece::TildeExpansion(TildeExpr::WorkingDir) => self.text.push_str(place.dir()),
            WordPiece::TildeExpansion(TildeExpr::OldWorkingDir) => self.value(place.old()),
            WordPiece::TildeExpansion(_) => self.text.push(UNKNOWN),
            WordPiece::ArithmeticExpression(expression) => {
                self.scripts.extend(expand(&expression.value, place).scripts);
                self.text.push(UNKNOWN);
            }
        }
    }

    fn parameter(&mut self, expression: &ParameterExpr, place: &Place) {
        match expression {
            ParameterExpr::Parameter { parameter, indirect: false } => {
                self.value(value_of(parameter, place).as_deref());
            }
            ParameterExpr::UseDefaultValues { parameter, default_value: other, .. }
            | ParameterExpr::AssignDefaultValues { parameter, default_value: other, .. }
            | ParameterExpr::IndicateErrorIfNullOrUnset { parameter, error_message: other, .. } => {
                let value = value_of(parameter, place).filter(|value| !value.is_empty());
                self.or_word(value, other.as_deref(), place);
            }
            ParameterExpr::UseAlternativeValue { alternative_value: other, .. } => {
                self.or_word(None, other.as_deref(), place);
            }
            _ => self.text.push(UNKNOWN),
        }
    }

    /// Appends a value or, without one, another word. The other word's scripts count either way.
    fn or_word(&mut self, value: Option<String>, other: Option<&str>, place: &Place) {
        let other = expand(other.unwrap_or_default(), place);
        self.scripts.extend(other.scripts);
        self.value(Some(value.as_deref().unwrap_or(&other.text)));
    }

    fn value(&mut self, value: Option<&str>) {
        match value {
            Some(value) if self.text.len() + value.len() <= LENGTH_MAX && self.quoted => {
                self.text.push_str(value);
            }
            Some(value) if self.text.len() + value.len() <= LENGTH_MAX => {
                self.text.extend(value.chars().map(|c| if c.is_whitespace() { LIST } else { c }));
            }
            Some(_) | None => self.text.push(UNKNOWN),
        }
    }
}

fn value_of(parameter: &Parameter, place: &Place) -> Option<String> {
    match parameter {
        Parameter::Named(name) => place.variable(name).map(str::to_owned),
        Parameter::NamedWithAllIndices { name, concatenate: false } => {
            place.list_variable(name).map(str::to_owned)
        }
        Parameter::NamedWithAllIndices { name, concatenate: true } => {
            place.list_variable(name).map(|list| list.replace(LIST, " "))
        }
        Parameter::NamedWithIndex { name, index } => {
            place.list_variable(name)?.split(LIST).nth(index.parse().ok()?).map(str::to_owned)
        }
        Parameter::Positional(_) | Parameter::Special(_) => None,
    }
}
