//! What the engine must note of the files, because an expression or a text asks for it later.

use super::super::Notes;
use super::super::table::Piece;
use crate::facts::marks::OF_PHASE;

/// What is asked for in these pieces.
pub(super) fn of(pieces: &[Piece]) -> Notes {
    let asks = |name: &str| pieces.iter().any(|piece| piece.uses(name));
    // However it is spelt: `phase.changed`, or `phase['changed']`.
    let of_phase = |piece: &Piece| OF_PHASE.iter().any(|path| piece.source.contains(&path["phase.".len()..]));
    let asks_of_phase = pieces.iter().any(|piece| of_phase(piece) && piece.uses("phase"));
    let breaches = asks("breaches");
    Notes {
        phases: asks_of_phase,
        beginnings: breaches || ["began", "changed", "landed"].into_iter().any(asks),
        settings: breaches,
    }
}
