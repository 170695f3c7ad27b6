//! `holdpoint attest`: writes what was proved for a commit, so that it can be checked elsewhere.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use super::{Context, phrase, subject};
use crate::allow::waiting;
use crate::attestation::collection::{self, CollectionError};
use crate::attestation::envelope::{Bundle, Envelope, PAYLOAD_TYPE, signed_text};
use crate::attestation::note::{self, Notes};
use crate::attestation::predicate::Predicate;
use crate::attestation::repository::{Commit, Repository, RepositoryError};
use crate::attestation::signature::{Key, SignatureError};
use crate::attestation::statement::Statement;
use crate::error::{CommandError, Kind};
use crate::project::Run;
use crate::store::atomic;

/// Write down what was proved for a commit, for `verify`
///
/// Collects the evidence about the commit's tree: verdicts of tests, reviews, approvals and checks, without their texts. It
/// is signed with your SSH key if git signs with one, and kept as a git note in refs/notes/holdpoint.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint attest                             the last commit, as a note
  holdpoint attest HEAD~1 --output proof.jsonl another one, as a file
  git push origin refs/notes/holdpoint         push the notes")]
pub(super) struct Arguments {
    /// The commit
    #[arg(value_name = "COMMIT", default_value = "HEAD")]
    commit: String,
    /// Only evidence of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// Keep it as a git note; this is what happens without `--output`
    #[arg(long, conflicts_with = "output")]
    note: bool,
    /// Write it to this file instead
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    subject::find(context, arguments.workflow.as_slice())?;
    let repository = Repository::at(&context.cwd).map_err(failed)?;
    let commit = repository.commit(&arguments.commit).map_err(failed)?;
    let statements = collected(context, arguments, &repository, &commit)?;
    let key = Key::of(&repository).map_err(failed)?;
    let envelopes = statements.iter().map(|statement| sealed(statement, key.as_ref()));
    let mut bundle = Bundle { envelopes: envelopes.collect::<Result<_, _>>()? };
    if arguments.output.is_none() {
        keep_others(&repository, &commit, &statements, &mut bundle)?;
    }
    // What could not be read again would be worth nothing.
    Bundle::read(bundle.to_string().as_bytes())
        .map_err(|error| CommandError::new(Kind::Failed, format!("the attestation would be {error}")))?;
    let place = match &arguments.output {
        Some(file) => {
            atomic::replace(&context.cwd.join(file), bundle.to_string().as_bytes())?;
            file.display().to_string()
        }
        None => {
            note::write(&repository, &commit, &bundle).map_err(failed)?;
            format!("a note in {}", note::REFERENCE)
        }
    };
    tell(context, &commit, &statements, key.is_some(), &place);
    Ok(())
}

/// Returns the statements of all runs that have proved something for the commit.
fn collected(
    context: &Context,
    arguments: &Arguments,
    repository: &Repository,
    commit: &Commit,
) -> Result<Vec<String>, CommandError> {
    let found = context.find(arguments.workflow.as_deref());
    if found.runs.is_empty() && !found.waiting.is_empty() {
        return Err(waiting::refusal(&found.waiting));
    }
    let collect = |run: &Run| collection::collect(run, repository, commit).map_err(not_collected);
    let statements: Vec<Option<Vec<String>>> = found.runs.iter().map(collect).collect::<Result<_, _>>()?;
    let statements: Vec<String> = statements.into_iter().flatten().flatten().collect();
    if statements.is_empty() {
        let what =
            format!("nothing was proved for commit {}: no evidence is about its tree", commit.id.short());
        return Err(CommandError::new(Kind::Failed, what).hinted("`holdpoint evidence` shows what there is"));
    }
    Ok(statements)
}

fn sealed(statement: &str, key: Option<&Key>) -> Result<Envelope, CommandError> {
    let text = signed_text(PAYLOAD_TYPE, statement);
    let signature = key.map(|key| key.sign(&text)).transpose().map_err(not_signed)?;
    Ok(Envelope::around(statement, signature.into_iter().collect()))
}

/// Adds what the commit's note says of other workflows.
fn keep_others(
    repository: &Repository,
    commit: &Commit,
    statements: &[String],
    bundle: &mut Bundle,
) -> Result<(), CommandError> {
    let ours: BTreeSet<String> = statements.iter().filter_map(|text| workflow(text)).collect();
    let Ok(before) = Notes::of(repository).map_err(failed)?.read(commit) else { return Ok(()) };
    let is_anothers = |envelope: &Envelope| {
        let text = envelope.statement().ok();
        text.and_then(|text| workflow(&text)).is_some_and(|name| !ours.contains(&name))
    };
    bundle.envelopes.extend(before.envelopes.into_iter().filter(is_anothers));
    Ok(())
}

/// The workflow that a statement is of.
fn workflow(text: &str) -> Option<String> {
    match Statement::read(text).ok()?.predicate {
        Predicate::Run(run) => Some(run.workflow.name),
        Predicate::Review(review) => Some(review.workflow.name),
        Predicate::Tests(tests) => {
            tests.configuration.into_iter().find(|one| one.digest.is_some()).map(|one| one.name)
        }
    }
}

fn tell(context: &Context, commit: &Commit, statements: &[String], is_signed: bool, place: &str) {
    let signed = if is_signed { "signed with your SSH key" } else { "not signed" };
    let subject = phrase::printable(&commit.subject);
    context.ui.line(format!("Attested {} {subject}: {signed}, {place}", commit.id.short()));
    for text in statements {
        let Ok(Statement { predicate: Predicate::Run(run), .. }) = Statement::read(text) else { continue };
        let pieces = phrase::counted(run.evidence.len(), "piece");
        context.ui.line(format!("  {}: {pieces} of evidence, level {}", run.workflow.name, run.level.word()));
    }
    if !is_signed {
        context.ui.note("Git signs with an SSH key if gpg.format is `ssh` and user.signingKey is set.");
    }
}

fn failed(error: RepositoryError) -> CommandError {
    CommandError::new(Kind::Failed, error)
}

fn not_collected(error: CollectionError) -> CommandError {
    let is_changed = matches!(error, CollectionError::Changed { .. });
    let error = CommandError::new(Kind::Failed, error);
    if !is_changed {
        return error;
    }
    error.hinted(
        "what counts is in `holdpoint evidence`; what was changed proves nothing, so prove it in a new run",
    )
}

fn not_signed(error: SignatureError) -> CommandError {
    CommandError::new(Kind::Failed, error).hinted("`ssh-add` gives a key with a passphrase to the SSH agent")
}
