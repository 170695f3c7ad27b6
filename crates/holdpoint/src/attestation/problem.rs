//! The reasons why a commit is not proved, each as `verify` says it.

use holdpoint_core::level::Level;
use thiserror::Error;

use super::chains::ChainError;
use super::envelope::EnvelopeError;
use super::identity::ObjectId;
use super::note::NoteError;
use super::repository::RepositoryError;
use super::requirement::Requirement;
use super::signature::SignatureError;
use super::statement::StatementError;

/// A reason why a commit is not proved.
#[derive(Debug, Error)]
pub enum Problem {
    /// There is no bundle.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// An envelope holds no statement.
    #[error("the attestation has {0}")]
    Envelope(#[from] EnvelopeError),
    /// A statement cannot be read.
    #[error("the attestation has {0}")]
    Statement(#[from] StatementError),
    /// A signature is missing or does not count.
    #[error("the attestation proves nothing: {0}")]
    Signature(#[from] SignatureError),
    /// A statement is about another commit.
    #[error("the attestation is about another commit, {}", .0.short())]
    OtherCommit(ObjectId),
    /// A statement is about another tree.
    #[error("the attestation is about another tree than the commit has")]
    OtherTree,
    /// The tree that was proved is not in the commit.
    #[error("{workflow} proved another tree than the commit has")]
    NotProved {
        /// The workflow.
        workflow: String,
    },
    /// What is left out is not what the workflow leaves out.
    #[error("the attestation leaves out other files than {workflow} does")]
    Aside {
        /// The workflow.
        workflow: String,
    },
    /// A summary claims a level that it cannot have.
    #[error("the attestation claims the level `{}`, which no signer of a note can give", .0.word())]
    Claimed(Level),
    /// There is no summary.
    #[error("the attestation has no summary of a run")]
    NoSummary,
    /// There are several summaries of one workflow.
    #[error("the attestation has two summaries of {workflow}")]
    TwoSummaries {
        /// The workflow.
        workflow: String,
    },
    /// A summary is empty or too long.
    #[error("the summary of {workflow} has no evidence, or too much of it")]
    Size {
        /// The workflow.
        workflow: String,
    },
    /// A statement that the summary names is missing.
    #[error("a part of the attestation is missing: what it says about {phase}")]
    Missing {
        /// The phase.
        phase: String,
    },
    /// A statement that no summary names.
    #[error("the attestation has a part that no summary names")]
    Unnamed,
    /// A statement and the summary contradict each other.
    #[error("the attestation contradicts itself about {phase}")]
    Contradiction {
        /// The phase.
        phase: String,
    },
    /// The chain does not fit together.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The last verdict of a phase did not pass.
    #[error("{phase} of {workflow} did not pass: its verdict is `{verdict}`")]
    NotPassed {
        /// The workflow.
        workflow: String,
        /// The phase.
        phase: String,
        /// The verdict.
        verdict: String,
    },
    /// Something is missing that was asked for.
    #[error("`--require {0}` is not met")]
    Required(Requirement),
    /// It did not pass when it was run again.
    #[error("run again: {0}")]
    Again(String),
    /// The repository cannot be read.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
}
