//! What the engine must note of the files, because an expression or a text asks for it later.

use super::super::Notes;
use super::super::table::{Language, Piece};
use crate::expression::{names_in_expression, names_in_template};
use crate::facts::marks::OF_PHASE;

/// What is asked for in these pieces.
pub(super) fn of(pieces: &[Piece]) -> Notes {
    let asks = |name: &str| pieces.iter().any(|piece| asks(piece, name));
    // However it is spelt: `phase.changed`, or `phase['changed']`.
    let of_phase = |piece: &Piece| OF_PHASE.iter().any(|path| piece.source.contains(&path["phase.".len()..]));
    let asks_of_phase = pieces.iter().any(|piece| of_phase(piece) && self::asks(piece, "phase"));
    let breaches = asks("breaches");
    Notes {
        phases: asks_of_phase,
        beginnings: breaches || ["began", "changed", "landed"].into_iter().any(asks),
        settings: breaches,
    }
}

fn asks(piece: &Piece, name: &str) -> bool {
    if !piece.source.contains(name) {
        return false;
    }
    let names = match piece.language {
        Language::Expression => names_in_expression(&piece.source),
        Language::Template => names_in_template(&piece.source),
    };
    names.unwrap_or_default().iter().any(|used| used.name == name)
}
