//! Performing tests again: on a commit's own tree, in a folder that is new, confined as every check.

use std::path::Path;
use std::time::Duration;

use holdpoint_checks::test_report::Outcome;
use holdpoint_core::workflow::grants::Grants;
use thiserror::Error;

use super::predicate::{Kind, TestResult};
use super::repository::{Commit, Repository, RepositoryError};
use super::verification::Verified;
use crate::check::Failure;
use crate::check::tests::{self, Ran};
use crate::env::Env;

/// How many files that tests have changed are named.
const FILES_SHOWN: usize = 3;

/// Tests to run again.
#[derive(Clone, Debug, PartialEq)]
pub struct Rerun {
    /// The command.
    pub command: Vec<String>,
    /// How many tests ran the first time, if that is known.
    count: Option<u64>,
    /// The failures that did not count the first time.
    excused: Vec<String>,
}

/// The reason why tests that were run again prove nothing.
#[derive(Debug, Error)]
pub enum RerunError {
    /// They fail.
    #[error("the tests fail ({0})")]
    Failed(String),
    /// They could not be run.
    #[error("the tests could not be run: {0}")]
    Broken(String),
    /// Fewer ran than the first time.
    #[error("{now} tests ran, and {before} when it was attested")]
    Fewer {
        /// How many ran now.
        now: u64,
        /// How many ran then.
        before: u64,
    },
    /// They have changed what they test.
    #[error("the tests changed files of the commit: {0}")]
    Changed(String),
    /// There is no folder to run them in.
    #[error("there is no folder to run them in: {0}")]
    Folder(std::io::Error),
    /// The commit cannot be checked out.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// They could not be started.
    #[error("the tests {0}")]
    Start(Failure),
}

impl Rerun {
    /// A command that the user has given.
    pub fn by_user(command: &str) -> Rerun {
        let command = ["sh", "-c", command].map(str::to_owned).to_vec();
        Rerun { command, count: None, excused: Vec::new() }
    }

    /// The tests of an attestation that have passed and whose command is in it, each command once.
    pub fn attested(verified: &Verified) -> Vec<Rerun> {
        let mut all: Vec<Rerun> = Vec::new();
        for (_, piece) in verified.decisive().filter(|(_, piece)| piece.kind == Kind::Tests && piece.passed) {
            let result: Option<&TestResult> =
                piece.statement.as_ref().and_then(|one| verified.tests.get(one));
            let Some((result, command)) = result.and_then(|result| Some((result, result.command()?))) else {
                continue;
            };
            if !all.iter().any(|other| other.command == command) {
                all.push(Rerun { command, count: piece.count, excused: result.failed_tests.clone() });
            }
        }
        all
    }

    /// Runs the tests on a commit's tree, and returns what they came to in a few words.
    pub fn perform(
        &self,
        repository: &Path,
        commit: &Commit,
        grants: &Grants,
        env: &dyn Env,
        deadline: Duration,
    ) -> Result<String, RerunError> {
        // A store of its own: what runs below could write to one that is there already.
        let repository = Repository::at(repository)?;
        let folder = tempfile::tempdir().map_err(RerunError::Folder)?;
        let folder = folder.path().canonicalize().map_err(RerunError::Folder)?;
        let place = folder.join("commit");
        std::fs::create_dir(&place).map_err(RerunError::Folder)?;
        repository.check_out(&commit.tree, &place)?;
        let ran = tests::run_in(&self.command, &place, grants, env, deadline).map_err(RerunError::Start)?;
        let words = self.judge(&ran)?;
        let changed = repository.changed_in(&place)?;
        if changed.is_empty() {
            return Ok(words);
        }
        Err(RerunError::Changed(changed[..changed.len().min(FILES_SHOWN)].join(", ")))
    }

    fn judge(&self, ran: &Ran) -> Result<String, RerunError> {
        let report = &ran.report;
        let now = report.passed + report.failed;
        let exit = ran.exit.map_or_else(|| "ended from outside".to_owned(), |code| format!("exit {code}"));
        match &ran.outcome {
            Outcome::Passed => {}
            Outcome::Broken(why) => return Err(RerunError::Broken((*why).to_owned())),
            Outcome::Failed { .. } if self.excuses(ran) => {}
            Outcome::Failed { .. } if report.is_counted => {
                return Err(RerunError::Failed(format!(
                    "{} failed, {} passed",
                    report.failed, report.passed
                )));
            }
            Outcome::Failed { .. } => return Err(RerunError::Failed(exit)),
        }
        if let Some(before) = self.count.filter(|before| now < *before) {
            return Err(RerunError::Fewer { now, before });
        }
        let seconds = ran.took.as_secs_f64();
        Ok(if report.is_counted {
            format!("{} passed, {} failed in {seconds:.1} s", report.passed, report.failed)
        } else {
            format!("{exit} in {seconds:.1} s")
        })
    }

    /// Returns whether only tests failed that failed the first time, too, and did not count then.
    fn excuses(&self, ran: &Ran) -> bool {
        let failures = &ran.report.failures;
        let are_named = u64::try_from(failures.len()).is_ok_and(|named| named == ran.report.failed);
        !failures.is_empty() && are_named && failures.iter().all(|one| self.excused.contains(&one.name))
    }
}
