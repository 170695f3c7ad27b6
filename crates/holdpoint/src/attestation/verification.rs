//! Checking a commit's attestation: who has signed it, which commit it is about, whether its parts belong together, and
//! whether what it tells of has passed.

use std::collections::{BTreeMap, BTreeSet};

use holdpoint_core::level::Level;
use holdpoint_core::verdict::Verdict;

use super::chains::Chains;
use super::collection::{self, PIECES_MAX};
use super::envelope::{Bundle, Envelope, PAYLOAD_TYPE, signed_text};
use super::identity::Digest;
use super::note::NoteError;
use super::predicate::{Approved, Kind, Piece, Predicate, ResultWord, Review, RunSummary, TestResult};
use super::problem::Problem;
use super::repository::{Commit, Repository};
use super::signature::{AllowedSigners, SignatureError};
use super::statement::Statement;
use crate::catalog;

/// The most globs that are tried, and the longest one.
const GLOBS_MAX: usize = 100;
const GLOB_BYTES_MAX: usize = 300;

/// What an attestation must have to count.
#[derive(Debug)]
pub struct Trust {
    /// Whose keys count.
    pub signers: Option<AllowedSigners>,
    /// Whether an attestation without a signature counts, too.
    pub accepts_unsigned: bool,
}

/// A commit, and what its attestation came to.
#[derive(Debug)]
pub struct Verified {
    /// The commit.
    pub commit: Commit,
    /// Why it is not proved; empty if it is.
    pub problems: Vec<Problem>,
    /// Who has signed.
    pub signers: BTreeSet<String>,
    /// Whether an allowed signer has signed all of it.
    pub is_signed: bool,
    /// What runs have proved.
    pub runs: Vec<RunSummary>,
    /// The test results, by the digest of their statements.
    pub tests: BTreeMap<Digest, TestResult>,
}

/// Checks attestations, one commit after the other.
pub struct Verifier<'a> {
    repository: &'a Repository,
    trust: &'a Trust,
    chains: Chains,
}

impl<'a> Verifier<'a> {
    /// Makes a verifier of a repository's commits.
    pub fn new(repository: &'a Repository, trust: &'a Trust) -> Verifier<'a> {
        Verifier { repository, trust, chains: Chains::default() }
    }

    /// Checks the bundle of a commit.
    pub fn verify(&mut self, commit: Commit, bundle: Result<Bundle, NoteError>) -> Verified {
        let mut verified = Verified {
            commit,
            problems: Vec::new(),
            signers: BTreeSet::new(),
            is_signed: bundle.is_ok(),
            runs: Vec::new(),
            tests: BTreeMap::new(),
        };
        match bundle {
            Ok(bundle) => self.parts(&mut verified, &bundle),
            Err(error) => verified.problems.push(error.into()),
        }
        let mut told = BTreeSet::new();
        verified.problems.retain(|problem| told.insert(problem.to_string()));
        verified
    }

    fn parts(&mut self, verified: &mut Verified, bundle: &Bundle) {
        let mut reviews = BTreeMap::new();
        for envelope in &bundle.envelopes {
            match self.opened(verified, envelope) {
                Ok((_, Predicate::Run(run))) => verified.runs.push(run),
                Ok((digest, Predicate::Tests(tests))) => {
                    verified.tests.insert(digest, tests);
                }
                Ok((digest, Predicate::Review(review))) => {
                    reviews.insert(digest, review);
                }
                Err(problem) => verified.problems.push(problem),
            }
        }
        // What could not be opened is missing from all that follows: that needs no further message.
        if !verified.problems.is_empty() {
            return;
        }
        let runs = std::mem::take(&mut verified.runs);
        let summed = self.runs(&verified.commit, &runs).into_iter();
        let matched = matched(&runs, &verified.tests, &reviews).into_iter();
        verified.problems.extend(summed.chain(matched));
        verified.runs = runs;
    }

    /// Opens an envelope: its signature first, then the statement, then what it is about.
    fn opened(&self, verified: &mut Verified, envelope: &Envelope) -> Result<(Digest, Predicate), Problem> {
        let text = envelope.statement()?;
        let signer = self.signer(&text, envelope);
        verified.is_signed &= matches!(signer, Ok(Some(_)));
        verified.signers.extend(signer?);
        let Statement { subject, predicate } = Statement::read(&text)?;
        if subject.git_commit != verified.commit.id {
            return Err(Problem::OtherCommit(subject.git_commit));
        }
        if subject.git_tree != verified.commit.tree {
            return Err(Problem::OtherTree);
        }
        Ok((Statement::digest(&text), predicate))
    }

    fn signer(&self, text: &str, envelope: &Envelope) -> Result<Option<String>, SignatureError> {
        if envelope.signatures.is_empty() && self.trust.accepts_unsigned {
            return Ok(None);
        }
        let signed = signed_text(PAYLOAD_TYPE, text);
        match &self.trust.signers {
            Some(signers) => signers.verify(&signed, &envelope.signatures).map(Some),
            None if envelope.signatures.is_empty() => Err(SignatureError::Unsigned),
            None => Err(SignatureError::NobodyAllowed),
        }
    }

    fn runs(&mut self, commit: &Commit, runs: &[RunSummary]) -> Vec<Problem> {
        let mut problems = Vec::new();
        if runs.is_empty() {
            problems.push(Problem::NoSummary);
        }
        let mut names = BTreeSet::new();
        for run in runs {
            let workflow = run.workflow.name.clone();
            if !names.insert(workflow.clone()) {
                problems.push(Problem::TwoSummaries { workflow });
            } else if !(1..=PIECES_MAX).contains(&run.evidence.len()) {
                problems.push(Problem::Size { workflow });
            } else {
                // Whoever keeps a proof cannot say of itself that it is more than kept.
                problems.extend((run.level > Level::Kept).then_some(Problem::Claimed(run.level)));
                problems.extend(self.tree(commit, run).err());
                problems.extend(self.chains.add(run).err().map(Problem::from));
                problems.extend(decisive(run).filter_map(|piece| not_passed(run, piece)));
            }
        }
        problems
    }

    /// Checks that the tree that was proved is the commit's, but for what the workflow leaves out.
    fn tree(&self, commit: &Commit, run: &RunSummary) -> Result<(), Problem> {
        let workflow = || run.workflow.name.clone();
        let is_tame = |glob: &String| glob.len() <= GLOB_BYTES_MAX;
        let own = catalog::named(&run.workflow.name);
        let own = own.filter(|_| collection::built_in(&run.workflow.name) == run.workflow);
        let is_own = own.is_none_or(|own| own.workflow.run.aside() == run.aside);
        if !is_own || run.aside.len() > GLOBS_MAX || !run.aside.iter().all(is_tame) {
            return Err(Problem::Aside { workflow: workflow() });
        }
        let tree = self.repository.tree_without(&commit.tree, &run.aside)?;
        if tree == run.tree { Ok(()) } else { Err(Problem::NotProved { workflow: workflow() }) }
    }
}

impl Verified {
    /// Returns the holds that the user released on these files, with the run.
    pub fn released(&self) -> impl Iterator<Item = (&RunSummary, &Approved)> {
        let pieces = self.runs.iter().flat_map(|run| run.evidence.iter().map(move |piece| (run, piece)));
        pieces.filter_map(|(run, piece)| Some((run, piece.release.as_ref()?)))
    }

    /// Returns whether everything that can be checked is as it should be.
    pub fn is_proved(&self) -> bool {
        self.problems.is_empty()
    }

    /// Returns each run's last piece of every phase, with the run.
    pub fn decisive(&self) -> impl Iterator<Item = (&RunSummary, &Piece)> {
        self.runs.iter().flat_map(|run| decisive(run).map(move |piece| (run, piece)))
    }
}

/// Returns the last piece of every phase and element. What one person said decides nothing alone, and a hold that the user
/// released is no verdict.
fn decisive(run: &RunSummary) -> impl Iterator<Item = &Piece> {
    let mut last: BTreeMap<(&str, Option<&str>), &Piece> = BTreeMap::new();
    for piece in run.evidence.iter().filter(|piece| piece.approval.is_none() && piece.release.is_none()) {
        last.insert((&piece.phase, piece.item.as_deref()), piece);
    }
    let mut pieces: Vec<&Piece> = last.into_values().collect();
    pieces.sort_by_key(|piece| piece.link.position);
    pieces.into_iter()
}

fn not_passed(run: &RunSummary, piece: &Piece) -> Option<Problem> {
    let verdict = piece.verdict.as_ref().map_or("none", Verdict::word).to_owned();
    let (workflow, phase) = (run.workflow.name.clone(), piece.phase.clone());
    (!piece.passed).then_some(Problem::NotPassed { workflow, phase, verdict })
}

/// Checks that summaries name exactly the statements that are there, and say the same.
fn matched(
    runs: &[RunSummary],
    tests: &BTreeMap<Digest, TestResult>,
    reviews: &BTreeMap<Digest, Review>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut named = BTreeSet::new();
    for (run, piece) in runs.iter().flat_map(|run| run.evidence.iter().map(move |piece| (run, piece))) {
        let phase = || piece.phase.clone();
        let Some(digest) = &piece.statement else {
            if matches!(piece.kind, Kind::Tests | Kind::Review) {
                problems.push(Problem::Missing { phase: phase() });
            }
            continue;
        };
        named.insert(digest);
        let agrees = match piece.kind {
            Kind::Tests => tests.get(digest).map(|tests| agrees_with_tests(run, piece, tests)),
            Kind::Review => reviews.get(digest).map(|review| agrees_with_review(run, piece, review)),
            Kind::Approval | Kind::Commit | Kind::Check | Kind::Release => Some(false),
        };
        match agrees {
            Some(true) => {}
            Some(false) => problems.push(Problem::Contradiction { phase: phase() }),
            None => problems.push(Problem::Missing { phase: phase() }),
        }
    }
    if tests.keys().chain(reviews.keys()).any(|digest| !named.contains(digest)) {
        problems.push(Problem::Unnamed);
    }
    problems
}

fn agrees_with_tests(run: &RunSummary, piece: &Piece, tests: &TestResult) -> bool {
    let says_pass = tests.result == ResultWord::Passed;
    let is_same = (piece.verdict == Some(Verdict::Pass)) == says_pass;
    let is_of_workflow =
        tests.configuration.iter().any(|one| one.digest.as_ref() == Some(&run.workflow.digest));
    is_same && is_of_workflow && !(piece.passed && tests.result == ResultWord::Failed)
}

fn agrees_with_review(run: &RunSummary, piece: &Piece, review: &Review) -> bool {
    let said = (&review.phase, review.round, Some(&review.verdict), review.passed, &review.link);
    said == (&piece.phase, piece.round, piece.verdict.as_ref(), piece.passed, &piece.link)
        && (&review.workflow, &review.tree, review.level) == (&run.workflow, &run.tree, run.level)
}
