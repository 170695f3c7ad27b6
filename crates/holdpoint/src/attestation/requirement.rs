//! What a commit must have beyond an attestation that is in order: tests, reviews, approvals, a level.

use std::fmt;
use std::str::FromStr;

use holdpoint_core::level::Level;
use thiserror::Error;

use super::predicate::Kind;
use super::verification::Verified;

/// What can be required, as commands spell it.
const KINDS: [(&str, Kind); 3] =
    [("tests", Kind::Tests), ("review", Kind::Review), ("approval", Kind::Approval)];

/// Something that every commit must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// What must have passed; none: whatever there is.
    kind: Option<Kind>,
    /// The level that it must have at least.
    level: Level,
}

/// A text that names no requirement.
#[derive(Debug, Error)]
#[error(
    "write tests, review or approval, a level (kept, fenced, notarised, witnessed), or both: tests=witnessed"
)]
pub struct RequirementError;

impl Requirement {
    /// Returns whether a commit meets it. What was performed again here counts as witnessed.
    pub fn is_met(self, verified: &Verified, has_run_again: bool) -> bool {
        let levels = verified.decisive().filter(|(_, piece)| self.kind.is_none_or(|kind| piece.kind == kind));
        let mut levels = levels.map(|(run, piece)| {
            let is_witnessed = has_run_again && piece.kind == Kind::Tests;
            piece.passed && (is_witnessed || run.level >= self.level)
        });
        let first = levels.next();
        let is_run = has_run_again && self.kind == Some(Kind::Tests);
        first.unwrap_or(is_run) && levels.all(|is_met| is_met)
    }
}

impl FromStr for Requirement {
    type Err = RequirementError;

    fn from_str(text: &str) -> Result<Requirement, RequirementError> {
        let kind = |word: &str| KINDS.into_iter().find(|(name, _)| *name == word).map(|(_, kind)| kind);
        let level =
            |word: &str| Level::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, level)| level);
        let read = match text.split_once('=') {
            Some((first, second)) => kind(first).zip(level(second)).map(|(kind, level)| (Some(kind), level)),
            None => {
                let of_kind = kind(text).map(|kind| (Some(kind), Level::Kept));
                of_kind.or_else(|| level(text).map(|level| (None, level)))
            }
        };
        read.map(|(kind, level)| Requirement { kind, level }).ok_or(RequirementError)
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.level) {
            (Some(kind), Level::Kept) => f.write_str(kind.word()),
            (Some(kind), level) => write!(f, "{}={}", kind.word(), level.word()),
            (None, level) => f.write_str(level.word()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_read_as_they_are_written() {
        for text in ["tests", "review", "approval", "kept", "witnessed", "tests=witnessed", "review=fenced"] {
            assert_eq!(text.parse::<Requirement>().unwrap().to_string(), text);
        }
        for text in ["", "test", "=kept", "tests=", "kept=tests", "tests=kept=x"] {
            assert!(text.parse::<Requirement>().is_err(), "{text}");
        }
    }
}
