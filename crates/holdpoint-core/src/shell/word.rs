//! A shell word's text after quotes are removed, and the scripts that run inside it.

use brush_parser::ast::Word;
use brush_parser::word::{Parameter, ParameterExpr, TildeExpr, WordPiece, WordPieceWithSource};

use super::{LENGTH_MAX, Place};

/// Stands for what only a running shell could know.
pub(super) const UNKNOWN: char = '\u{fffd}';

/// A word's text, and the scripts of the command substitutions in it.
#[derive(Default)]
pub(super) struct Expanded {
    pub(super) text: String,
    pub(super) scripts: Vec<String>,
}

/// Expands a word as far as it can be known.
pub(super) fn expand(word: &Word, place: &Place) -> Expanded {
    let mut expanded = Expanded::default();
    match brush_parser::word::parse(&word.value, &brush_parser::ParserOptions::default()) {
        Ok(pieces) => expanded.pieces(&pieces, place),
        Err(_) => expanded.text = brush_parser::unquote_str(&word.value),
    }
    expanded
}

impl Expanded {
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
                self.pieces(pieces, place);
            }
            WordPiece::EscapeSequence(escape) => {
                self.text.push_str(escape.strip_prefix('\\').unwrap_or(escape).trim_start_matches('\n'));
            }
            WordPiece::ParameterExpansion(expression) => self.parameter(expression, place),
            WordPiece::CommandSubstitution(script) | WordPiece::BackquotedCommandSubstitution(script) => {
                self.text.push(UNKNOWN);
                self.scripts.push(script.clone());
            }
            WordPiece::TildeExpansion(TildeExpr::WorkingDir) => self.text.push_str(&place.dir),
            WordPiece::TildeExpansion(_) | WordPiece::ArithmeticExpression(_) => self.text.push(UNKNOWN),
        }
    }

    fn parameter(&mut self, expression: &ParameterExpr, place: &Place) {
        let value = match expression {
            ParameterExpr::Parameter { parameter: Parameter::Named(name), indirect: false }
                if name == "PWD" =>
            {
                Some(place.dir.as_str())
            }
            ParameterExpr::Parameter { parameter: Parameter::Named(name), indirect: false } => {
                place.variable(name)
            }
            _ => None,
        };
        match value {
            Some(value) if self.text.len() + value.len() <= LENGTH_MAX => self.text.push_str(value),
            Some(_) | None => self.text.push(UNKNOWN),
        }
    }
}
