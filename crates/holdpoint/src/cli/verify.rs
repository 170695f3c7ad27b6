//! `holdpoint verify`: checks what was attested for commits, and performs the tests again.

mod report;

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use self::report::{Again, Report};
use super::{Context, phrase};
use crate::allow::Allowance;
use crate::attestation::envelope::{BYTES_MAX, Bundle};
use crate::attestation::note::{NoteError, Notes, REFERENCE};
use crate::attestation::problem::Problem;
use crate::attestation::repository::{Commit, Repository, RepositoryError};
use crate::attestation::requirement::Requirement;
use crate::attestation::rerun::Rerun;
use crate::attestation::signature::{AllowedSigners, SignatureError};
use crate::attestation::verification::{Trust, Verified, Verifier};
use crate::error::{CommandError, Kind};
use crate::project::programs;

/// Check what was attested for commits, anywhere
///
/// Checks the signature, the commit, its tree, the chain of evidence and the verdicts. With `--again` the tests are also run
/// again, on the commit's own files in a new folder. Exits with 0 if every commit is proved and with 1 if one is not.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint verify                                     the last commit
  holdpoint verify origin/main..HEAD                   every commit of a branch
  holdpoint verify --again --run './test'              and run the tests again
  holdpoint verify --require tests=witnessed --again --run './test' --require review

The attestations are notes. Fetch them first:
  git fetch origin refs/notes/holdpoint:refs/notes/holdpoint")]
pub(super) struct Arguments {
    /// A commit, or the commits of a range: FROM..TO
    #[arg(value_name = "RANGE", default_value = "HEAD")]
    range: String,
    /// Run the tests again, in a new checkout of each commit
    #[arg(long)]
    again: bool,
    /// The test command to run again, for a shell [default: the attested one, in a project that you have allowed]
    #[arg(long, value_name = "COMMAND", requires = "again")]
    run: Option<String>,
    /// How long the tests may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, requires = "again")]
    timeout: u32,
    /// The file that says whose keys count [default: git's gpg.ssh.allowedSignersFile]
    #[arg(long, value_name = "FILE")]
    allowed_signers: Option<PathBuf>,
    /// Accept attestations that nobody has signed: anyone who can push notes can write one
    #[arg(long)]
    unsigned: bool,
    /// What must have passed: tests, review or approval; at which level: kept, fenced, notarised or witnessed; or both, as
    /// in tests=witnessed. Can be repeated
    #[arg(long, value_name = "WHAT")]
    require: Vec<Requirement>,
    /// Read the attestation of one commit from this file instead of its note
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Print one JSON object per commit
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let repository = Repository::at(&context.cwd).map_err(failed)?;
    let commits = repository.range(&arguments.range).map_err(not_found)?;
    let trust = trust(context, arguments, &repository)?;
    // Everything is read and checked before anything is run: what runs could change it.
    let verified = verified(context, arguments, &repository, commits, &trust)?;
    let mut reports = Vec::new();
    for verified in verified {
        let again = if arguments.again {
            again(context, arguments, &repository, &verified)
        } else {
            Again::default()
        };
        let report = Report::of(verified, again, &arguments.require);
        if arguments.json {
            context.ui.json(report.as_json());
        } else {
            report.print(&context.ui);
        }
        reports.push(report);
    }
    judged(&reports)
}

fn trust(context: &Context, arguments: &Arguments, repository: &Repository) -> Result<Trust, CommandError> {
    let signers = match &arguments.allowed_signers {
        Some(file) => {
            let file = context.cwd.join(file);
            if !file.is_file() {
                let what = format!("there is no file {}", file.display());
                return Err(CommandError::new(Kind::Failed, what)
                    .hinted("name a file with allowed signers, as git has it"));
            }
            Some(AllowedSigners::in_file(file))
        }
        None => AllowedSigners::of(repository).map_err(failed)?,
    };
    Ok(Trust { signers, accepts_unsigned: arguments.unsigned })
}

fn verified(
    context: &Context,
    arguments: &Arguments,
    repository: &Repository,
    commits: Vec<Commit>,
    trust: &Trust,
) -> Result<Vec<Verified>, CommandError> {
    let mut verifier = Verifier::new(repository, trust);
    if let Some(file) = &arguments.from {
        let [commit] = <[Commit; 1]>::try_from(commits).map_err(|_| {
            CommandError::new(Kind::Usage, "`--from` is about one commit, and the range has several")
        })?;
        return Ok(vec![verifier.verify(commit, from_file(&context.cwd.join(file))?)]);
    }
    let notes = Notes::of(repository).map_err(failed)?;
    Ok(commits
        .into_iter()
        .map(|commit| {
            let bundle = notes.read(&commit);
            verifier.verify(commit, bundle)
        })
        .collect())
}

fn from_file(path: &std::path::Path) -> Result<Result<Bundle, NoteError>, CommandError> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    let read = std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    read.map_err(|error| CommandError::new(Kind::Failed, format!("{}: {error}", path.display())))?;
    Ok(Bundle::read(&bytes).map_err(NoteError::from))
}

/// Runs what can be run again.
fn again(context: &Context, arguments: &Arguments, repository: &Repository, verified: &Verified) -> Again {
    let reruns = match &arguments.run {
        Some(command) => vec![Rerun::by_user(command)],
        None => match attested(context, repository, verified) {
            Ok(reruns) => reruns,
            Err(why) => return Again::refused(why),
        },
    };
    let root = repository.root();
    let grants = programs::granted(&root, context.env.as_ref());
    let deadline = Duration::from_secs(u64::from(arguments.timeout));
    let mut again = Again::default();
    for rerun in reruns {
        let done = rerun.perform(&root, &verified.commit, &grants, context.env.as_ref(), deadline);
        again.add(&rerun, done);
    }
    again
}

/// The tests whose command the attestation has. It is somebody's text: it is run only in a project that the user has allowed,
/// and only if it is in order and an allowed signer has signed it.
fn attested(
    context: &Context,
    repository: &Repository,
    verified: &Verified,
) -> Result<Vec<Rerun>, &'static str> {
    if !Allowance::of(context.env.as_ref()).knows(&repository.root()) {
        return Err("you have not allowed this project; give the command with `--run`");
    }
    if !verified.is_signed {
        return Err("no allowed signer has signed the command; give it with `--run`");
    }
    if !verified.is_proved() {
        return Err("the attestation is not in order; give the command with `--run`");
    }
    let reruns = Rerun::attested(verified);
    if reruns.is_empty() { Err("no command is attested; give it with `--run`") } else { Ok(reruns) }
}

fn judged(reports: &[Report]) -> Result<(), CommandError> {
    let not = reports.iter().filter(|report| !report.is_proved()).count();
    if not == 0 {
        return Ok(());
    }
    let what = match reports.len() {
        1 => "the commit is not proved".to_owned(),
        all => format!("{not} of {} are not proved", phrase::counted(all, "commit")),
    };
    let error = CommandError::new(Kind::Failed, what);
    let has =
        |is_it: fn(&Problem) -> bool| reports.iter().any(|report| report.verified.problems.iter().any(is_it));
    Err(if has(|problem| matches!(problem, Problem::Note(NoteError::NoNotes))) {
        error.hinted(format!("fetch the attestations: git fetch origin {REFERENCE}:{REFERENCE}"))
    } else if has(|problem| matches!(problem, Problem::Signature(SignatureError::NobodyAllowed))) {
        error.hinted("say whose keys count with `--allowed-signers FILE`")
    } else if has(|problem| matches!(problem, Problem::Signature(SignatureError::Unsigned))) {
        error.hinted("attest it again with a key that git signs with, or accept it with `--unsigned`")
    } else if has(|problem| matches!(problem, Problem::Note(NoteError::NoNote))) {
        error.hinted("`holdpoint attest COMMIT` writes an attestation, where the commit was proved")
    } else if has(|problem| matches!(problem, Problem::Note(NoteError::Replaced(_)))) {
        error.hinted(
            "what was proved is still there, under its own id; this commit is proved in a run of its own",
        )
    } else {
        error
    })
}

fn failed(error: RepositoryError) -> CommandError {
    CommandError::new(Kind::Failed, error)
}

fn not_found(error: RepositoryError) -> CommandError {
    let may_be_shallow = matches!(error, RepositoryError::Git(_) | RepositoryError::NoCommit(_));
    let error = failed(error);
    if may_be_shallow {
        error.hinted("a shallow clone lacks commits; get them with `git fetch --unshallow`")
    } else {
        error
    }
}
