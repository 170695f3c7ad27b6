//! What a run has proved for a commit, as statements. Only what may travel gets into them.

use std::collections::BTreeMap;

use holdpoint_core::level::Level;
use holdpoint_core::secret;
use holdpoint_core::verdict::Verdict;
use holdpoint_core::workflow::performer::CheckKind;
use holdpoint_core::workflow::phase::Actor;
use serde_json::Value as Json;
use thiserror::Error;

use super::identity::{Digest, IdentityError, ObjectId};
use super::predicate::{
    Approved, Descriptor, DigestSet, Kind, Link, Piece, Predicate, ResultWord, Review, RunSummary,
    TestResult, WorkflowName,
};
use super::repository::{Commit, Repository, RepositoryError};
use super::statement::{Statement, Subject};
use super::travel;
use crate::allow::content::Content;
use crate::catalog::{self, Origin};
use crate::project::Run;
use crate::store::evidence::{self, Chain, Evidence};
use crate::store::tree;

/// The most pieces of evidence that one attestation has: those that were performed last.
pub const PIECES_MAX: usize = 200;
/// The most failed tests that are named.
const FAILED_MAX: usize = 100;

/// The reason why nothing can be attested.
#[derive(Debug, Error)]
pub enum CollectionError {
    /// Somebody has changed the evidence.
    #[error(
        "the evidence of {workflow} was changed: {strays} of its lines do not follow from those before them"
    )]
    Changed {
        /// The workflow.
        workflow: String,
        /// How many lines.
        strays: usize,
    },
    /// The repository cannot be read.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// The workflow's files cannot be read.
    #[error("the files of {workflow} cannot be read")]
    Workflow {
        /// The workflow.
        workflow: String,
        /// Why.
        source: std::io::Error,
    },
    /// Its books lie in the project, or lay there.
    #[error(
        "the evidence of `{workflow}` was kept in the project, where others can write it: it has no level"
    )]
    NoLevel {
        /// The workflow.
        workflow: String,
    },
    /// A piece of evidence has no digest.
    #[error("the evidence cannot be read")]
    Evidence(#[from] IdentityError),
    /// A statement cannot be written.
    #[error("the statement cannot be written")]
    Json(#[from] serde_json::Error),
}

/// Collects what a run has proved for a commit, as written statements: the summary comes last. None if it has proved
/// nothing.
pub fn collect(
    run: &Run,
    repository: &Repository,
    commit: &Commit,
) -> Result<Option<Vec<String>>, CollectionError> {
    let workflow = run.workflow.name.to_string();
    let chain = evidence::chain(&run.books, &workflow);
    if chain.strays > 0 {
        return Err(CollectionError::Changed { workflow, strays: chain.strays });
    }
    let aside = run.workflow.run.aside();
    let tree = repository.tree_without(&commit.tree, &aside)?;
    let links = links(&chain)?;
    let Some((first, last)) = links.first().cloned().zip(links.last().cloned()) else { return Ok(None) };
    let applying = applying(links, &chain, &tree, commit);
    // What the user released is told with what was proved; alone it proves nothing.
    if applying.iter().all(|(_, piece)| piece.release.is_some()) {
        return Ok(None);
    }
    let level = level(&applying).ok_or(CollectionError::NoLevel { workflow })?;
    let collected = Collected { run, workflow: named(run)?, tree: &tree, level };
    let subject = Subject { git_commit: commit.id.clone(), git_tree: commit.tree.clone() };
    let mut written = Vec::new();
    let mut pieces = Vec::new();
    for (link, piece) in applying {
        let mut summed = collected.piece(piece, link);
        if let Some(predicate) = collected.predicate(piece, &summed) {
            let text = Statement { subject: subject.clone(), predicate }.to_json()?;
            summed.statement = Some(Statement::digest(&text));
            written.push(text);
        }
        pieces.push(summed);
    }
    let summary = RunSummary {
        level,
        workflow: collected.workflow.clone(),
        tree: tree.clone(),
        aside,
        origin: first.digest,
        head: last,
        evidence: pieces,
    };
    written.push(Statement { subject, predicate: Predicate::Run(summary) }.to_json()?);
    Ok(Some(written))
}

/// The last commit that a run has proved, if the one that is checked out has no proof of its own: nothing passed that is
/// about its files, or names it.
pub fn exchanged(run: &Run, pieces: &[Evidence]) -> Option<(ObjectId, Commit)> {
    let named = |piece: &Evidence| ObjectId::read(piece.details.get("commit")?.as_str()?).ok();
    let proved = pieces.iter().rev().filter(|piece| piece.passed).find_map(named)?;
    let repository = Repository::at(&run.home).ok()?;
    let head = repository.commit("HEAD").ok()?;
    let tree = repository.tree_without(&head.tree, &run.workflow.run.aside()).ok()?;
    let is_proved = pieces.iter().any(|piece| piece.passed && is_about(piece, &tree, &head));
    (!is_proved).then_some((proved, head))
}

/// Returns the lowest level among pieces; none if one has none. Whoever signs it keeps it, and can prove no more than that.
fn level(pieces: &[(Link, &Evidence)]) -> Option<Level> {
    let lowest = pieces.iter().map(|(_, piece)| piece.level).min().flatten()?;
    Some(lowest.min(Level::Kept))
}

/// Returns the places of all pieces.
fn links(chain: &Chain) -> Result<Vec<Link>, IdentityError> {
    let mut links: Vec<Link> = Vec::new();
    for (piece, position) in chain.pieces.iter().zip(1..) {
        let previous = links.last().map(|link| link.digest.clone());
        links.push(Link { position, digest: Digest::read(&piece.chain)?, previous });
    }
    Ok(links)
}

/// Returns the pieces about a commit: those about its tree, and those that name it.
fn applying<'c>(
    links: Vec<Link>,
    chain: &'c Chain,
    tree: &ObjectId,
    commit: &Commit,
) -> Vec<(Link, &'c Evidence)> {
    let applies = |(_, piece): &(Link, &Evidence)| is_about(piece, tree, commit);
    let mut all: Vec<(Link, &Evidence)> = links.into_iter().zip(&chain.pieces).filter(applies).collect();
    all.split_off(all.len().saturating_sub(PIECES_MAX))
}

fn is_about(piece: &Evidence, tree: &ObjectId, commit: &Commit) -> bool {
    let names = |id: Option<&str>| id == Some(commit.id.as_str());
    piece.tree.as_deref() == Some(tree.as_str())
        || names(piece.details.get("commit").and_then(Json::as_str))
        || names(piece.approval.as_ref().and_then(|given| given.commit.as_deref()))
}

/// A run's workflow, with the digest of all its files.
fn named(run: &Run) -> Result<WorkflowName, CollectionError> {
    let name = run.workflow.name.to_string();
    let files = match &run.origin {
        Origin::BuiltIn => return Ok(built_in(&name)),
        Origin::Own { folder, .. } => tree::contents(folder, &[]),
    };
    let files = files.map_err(|source| CollectionError::Workflow { workflow: name.clone(), source })?;
    Ok(workflow_name(name, files))
}

/// A built-in workflow, as this program has it.
pub(super) fn built_in(name: &str) -> WorkflowName {
    let files = catalog::named(name).map(|built_in| built_in.files).unwrap_or_default();
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    workflow_name(name.to_owned(), files.collect())
}

fn workflow_name(name: String, files: BTreeMap<String, Vec<u8>>) -> WorkflowName {
    let digest = Content { files, ..Content::default() }.digest();
    let sha256 = Digest::read(&digest).unwrap_or_else(|_| Digest::of(digest.as_bytes()));
    WorkflowName { name, digest: DigestSet { sha256 } }
}

/// What all pieces of an attestation have in common.
struct Collected<'a> {
    run: &'a Run,
    workflow: WorkflowName,
    tree: &'a ObjectId,
    level: Level,
}

impl Collected<'_> {
    fn kind(&self, piece: &Evidence) -> Kind {
        let workflow = &self.run.workflow;
        if piece.release.is_some() {
            return Kind::Release;
        }
        let Some(phase) = workflow.phase(&piece.phase).filter(|_| piece.approval.is_none()) else {
            return if piece.approval.is_some() { Kind::Approval } else { Kind::Check };
        };
        match (phase.actor(), phase.check(workflow).map(|check| &check.kind)) {
            (Actor::Approval, _) => Kind::Approval,
            (_, Some(CheckKind::Tests(_))) => Kind::Tests,
            (_, Some(CheckKind::Commit { .. })) => Kind::Commit,
            (_, None) if phase.reviewer(workflow).is_some() => Kind::Review,
            _ => Kind::Check,
        }
    }

    fn piece(&self, piece: &Evidence, link: Link) -> Piece {
        let item = match &piece.item {
            Json::Null => None,
            Json::String(text) => Some(travel::text(text)),
            other => Some(travel::text(&other.to_string())),
        };
        let approval = piece.approval.as_ref();
        Piece {
            link,
            kind: self.kind(piece),
            at: piece.at.clone(),
            phase: piece.phase.clone(),
            item,
            round: piece.round,
            verdict: piece.verdict.clone(),
            passed: piece.passed,
            doubts: piece.doubts.len(),
            count: piece.details.get("count").and_then(Json::as_u64),
            approval: approval
                .map(|given| Approved { name: given.name.clone(), by: travel::text(&given.by) }),
            release: piece.release.as_ref().map(|grant| Approved {
                name: travel::text(&grant.held.rule),
                by: travel::text(&grant.word.by),
            }),
            statement: None,
        }
    }

    /// What more there is to say about a piece.
    fn predicate(&self, piece: &Evidence, summed: &Piece) -> Option<Predicate> {
        match summed.kind {
            Kind::Tests => Some(Predicate::Tests(self.tests(piece))),
            Kind::Review => self.review(piece, summed).map(Predicate::Review),
            Kind::Approval | Kind::Commit | Kind::Check | Kind::Release => None,
        }
    }

    fn tests(&self, piece: &Evidence) -> TestResult {
        let result = match &piece.verdict {
            Some(Verdict::Pass) => ResultWord::Passed,
            Some(Verdict::OutOfScope | Verdict::Warn | Verdict::Skip) => ResultWord::Warned,
            _ => ResultWord::Failed,
        };
        let command = travel::command(&piece.command).map(|words| Descriptor::command(&words));
        let failed = piece.details.get("failed").and_then(Json::as_array);
        let names = failed.into_iter().flatten().filter_map(Json::as_str);
        TestResult {
            result,
            configuration: [Descriptor::workflow(&self.workflow)].into_iter().chain(command).collect(),
            failed_tests: names.filter_map(travel::name).take(FAILED_MAX).collect(),
        }
    }

    fn review(&self, piece: &Evidence, summed: &Piece) -> Option<Review> {
        let program = piece.command.first().map(String::as_str);
        let file_name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        Some(Review {
            level: self.level,
            workflow: self.workflow.clone(),
            reviewer: program.map(|program| secret::replaced(&file_name(program)).into_owned()),
            tree: self.tree.clone(),
            phase: piece.phase.clone(),
            round: piece.round,
            verdict: piece.verdict.clone()?,
            passed: piece.passed,
            link: summed.link.clone(),
        })
    }
}
