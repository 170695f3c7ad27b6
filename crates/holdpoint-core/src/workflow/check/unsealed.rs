//! Facts and keys that need the engine's notes of the files, in a workflow whose state the engine does not keep.

use super::super::parse::{FILE, Parsed};
use super::super::table::Piece;
use crate::diagnostic::Diagnostic;
use crate::facts::marks::{NOUNS, OF_PHASE};
use crate::filters::word_at;

const HINT: &str = "write sealed = true in [run]: then the engine keeps the state";

/// What cannot be known in a workflow that is not sealed.
pub(super) fn check(parsed: &Parsed) -> Vec<Diagnostic> {
    if parsed.workflow.run.is_sealed {
        return Vec::new();
    }
    let asked = parsed.pieces.iter().filter_map(asked_for);
    let noted = parsed.noted.iter().map(|(key, span)| {
        Diagnostic::error(FILE, span.clone(), format!("`{key}` needs a sealed run")).hinted(HINT)
    });
    asked.chain(noted).collect()
}

fn asked_for(piece: &Piece) -> Option<Diagnostic> {
    let path = OF_PHASE.into_iter().find(|path| piece.source.contains(path));
    let name = path.or_else(|| NOUNS.into_iter().find(|name| piece.uses(name)))?;
    let message = format!("`{name}` is known only in a sealed run");
    let place =
        piece.start.zip(word_at(&piece.source, name)).map(|(start, at)| start + at..start + at + name.len());
    Some(Diagnostic::error(&piece.file, place.unwrap_or_else(|| piece.span.clone()), message).hinted(HINT))
}
