//! The chains of evidence that attestations tell of: all places that are named of one run must fit together.

use std::collections::BTreeMap;

use thiserror::Error;

use super::identity::Digest;
use super::predicate::{Link, RunSummary};

/// The places that are known, run by run.
#[derive(Debug, Default)]
pub struct Chains {
    runs: BTreeMap<Digest, BTreeMap<u64, Link>>,
}

/// A chain that does not fit together.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ChainError {
    /// The first place is not the run's beginning, or another place is.
    #[error("the chain of evidence has another beginning")]
    Beginning,
    /// Pieces are not in order, or come after the end.
    #[error("the chain of evidence is not in order at piece {0}")]
    Order(u64),
    /// Two places do not follow from one another.
    #[error("the chain of evidence is broken: piece {0} does not follow from the one before it")]
    Broken(u64),
    /// A place is told of in two ways.
    #[error("the chain of evidence has two pieces {0}")]
    Twice(u64),
}

impl Chains {
    /// Takes in what one summary says. It must fit together, and with what other summaries of the same run say.
    pub fn add(&mut self, summary: &RunSummary) -> Result<(), ChainError> {
        let mut before = 0;
        for link in summary.evidence.iter().map(|piece| &piece.link) {
            if link.position <= before || link.position > summary.head.position {
                return Err(ChainError::Order(link.position));
            }
            before = link.position;
        }
        let links = summary.evidence.iter().map(|piece| &piece.link).chain([&summary.head]);
        let known = self.runs.entry(summary.origin.clone()).or_default();
        links.into_iter().try_for_each(|link| take_in(known, &summary.origin, link))
    }
}

fn take_in(known: &mut BTreeMap<u64, Link>, origin: &Digest, link: &Link) -> Result<(), ChainError> {
    let at = link.position;
    let is_first = at == 1;
    if is_first != link.previous.is_none() || is_first != (link.digest == *origin) || at == 0 {
        return Err(ChainError::Beginning);
    }
    // Nothing else than the beginning comes before the second piece.
    if at == 2 && link.previous.as_ref() != Some(origin) {
        return Err(ChainError::Broken(at));
    }
    if known.get(&at).is_some_and(|other| other != link) {
        return Err(ChainError::Twice(at));
    }
    if known.get(&(at - 1)).is_some_and(|before| Some(&before.digest) != link.previous.as_ref()) {
        return Err(ChainError::Broken(at));
    }
    let after = at.checked_add(1).and_then(|after| known.get(&after));
    if after.is_some_and(|after| after.previous.as_ref() != Some(&link.digest)) {
        return Err(ChainError::Broken(at + 1));
    }
    known.insert(at, link.clone());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::identity::ObjectId;
    use super::super::predicate::{DigestSet, Kind, Piece, WorkflowName};
    use super::*;
    use holdpoint_core::level::Level;

    fn digest(of: u64) -> Digest {
        Digest::of(of.to_string().as_bytes())
    }

    fn link(position: u64) -> Link {
        Link { position, digest: digest(position), previous: (position > 1).then(|| digest(position - 1)) }
    }

    fn piece(link: Link) -> Piece {
        Piece {
            link,
            kind: Kind::Check,
            at: String::new(),
            phase: "p".to_owned(),
            item: None,
            round: 1,
            verdict: None,
            passed: true,
            doubts: 0,
            count: None,
            approval: None,
            release: None,
            statement: None,
        }
    }

    fn summary(links: Vec<Link>, head: Link) -> RunSummary {
        RunSummary {
            level: Level::Kept,
            workflow: WorkflowName { name: "w".to_owned(), digest: DigestSet { sha256: digest(0) } },
            tree: ObjectId::read(&"0".repeat(40)).unwrap(),
            aside: Vec::new(),
            origin: digest(1),
            head,
            evidence: links.into_iter().map(piece).collect(),
        }
    }

    #[test]
    fn places_of_one_run_fit_together() {
        let mut chains = Chains::default();
        assert_eq!(chains.add(&summary(vec![link(2), link(3)], link(4))), Ok(()));
        assert_eq!(chains.add(&summary(vec![link(5), link(9)], link(9))), Ok(()), "of a later commit");
        assert_eq!(chains.add(&summary(vec![link(1)], link(1))), Ok(()));
    }

    #[test]
    fn a_chain_that_does_not_fit_is_told() {
        let other = |position| Link { digest: digest(77), ..link(position) };
        let stray = |position| Link { previous: Some(digest(88)), ..link(position) };
        let headless = Link { previous: None, ..link(3) };
        for (links, head, why) in [
            (vec![link(3), link(2)], link(4), ChainError::Order(2)),
            (vec![link(3), link(3)], link(4), ChainError::Order(3)),
            (vec![link(5)], link(4), ChainError::Order(5)),
            (vec![other(1)], link(4), ChainError::Beginning),
            (vec![headless], link(4), ChainError::Beginning),
            (vec![link(0)], link(4), ChainError::Order(0)),
            (vec![stray(2)], link(4), ChainError::Broken(2)),
            (vec![link(3), stray(4)], link(5), ChainError::Broken(4)),
            (vec![other(3), link(4)], link(5), ChainError::Broken(4)),
            (vec![link(4)], other(4), ChainError::Twice(4)),
        ] {
            assert_eq!(Chains::default().add(&summary(links, head)), Err(why));
        }
    }

    #[test]
    fn commits_of_one_run_that_tell_two_stories_are_found() {
        let mut chains = Chains::default();
        let other = Link { digest: digest(77), ..link(3) };
        assert_eq!(chains.add(&summary(vec![link(2)], link(3))), Ok(()));
        assert_eq!(chains.add(&summary(vec![other], link(6))), Err(ChainError::Twice(3)));
        let rewritten = Link { previous: Some(digest(77)), ..link(4) };
        assert_eq!(chains.add(&summary(vec![rewritten], link(6))), Err(ChainError::Broken(4)));
    }
}
