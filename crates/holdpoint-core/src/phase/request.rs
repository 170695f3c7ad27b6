//! What must be performed for a phase, with all that whoever performs it needs to know; and how an answer is read.

use thiserror::Error;

use crate::verdict::Verdict;
use crate::workflow::Text;
use crate::workflow::bench::Prove;
use crate::workflow::grants::Grants;
use crate::workflow::performer::MoneyWords;

/// A review or a check to perform.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The phase.
    pub phase: String,
    /// Which round it is, from 1.
    pub round: i64,
    /// What to do.
    pub task: Task,
    /// The report it must leave, below the run's folder.
    pub report: Option<String>,
    /// Where its standard error goes, below the run's folder.
    pub log: Option<String>,
    /// What must be true afterwards for it to have passed, as an expression.
    pub condition: Option<Text>,
    /// Where it is performed.
    pub prove: Prove,
    /// What its program gets beyond the usual.
    pub grants: Grants,
    /// How long it may take, in seconds.
    pub timeout_s: u32,
}

/// What a review or a check does, with all it needs to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// A reviewer is asked.
    Review {
        /// The program and its arguments.
        command: Vec<String>,
        /// What goes to its standard input.
        input: Option<String>,
        /// How its answer is read.
        answer: AnswerForm,
        /// The commit or tree that it is handed the difference from.
        change: Option<String>,
    },
    /// A sub-agent was asked, and has answered.
    Answered {
        /// Its verdict.
        verdict: Verdict,
        /// What it said.
        notes: String,
    },
    /// A program's exit code decides.
    Run {
        /// The program and its arguments.
        command: Vec<String>,
    },
    /// A test suite is run.
    Tests(Tests),
    /// Only the condition decides.
    That,
    /// Files are searched for what a script can find.
    Scan {
        /// The files.
        files: Vec<String>,
        /// The most lines of a source file.
        code_lines: Option<u64>,
        /// The most lines of a test file.
        test_lines: Option<u64>,
    },
    /// Files and a document are compared with a blueprint.
    Blueprint {
        /// The blueprint's folder.
        folder: String,
        /// The files.
        files: Vec<String>,
        /// The document.
        spec: String,
        /// The documents that have the domains: a glob.
        domains: String,
        /// What the workflow says of money.
        money: MoneyWords,
        /// The title of the document's section about the blueprint.
        reference: String,
        /// What that section must name.
        fields: Vec<String>,
    },
    /// Rows of a document's table are run.
    Acceptance {
        /// Which rows.
        rows: String,
        /// The document.
        spec: String,
        /// The section's title.
        section: String,
        /// The columns of tables without a head.
        columns: Vec<String>,
    },
    /// Files are committed.
    Commit {
        /// The files.
        files: Vec<String>,
        /// The message.
        message: String,
        /// The tree that was proved, which the files are taken from; none where nothing is bound to trees.
        tree: Option<String>,
        /// Whether the commit is there already.
        is_done: bool,
    },
}

/// A test suite to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Tests {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The files that the work touched.
    pub scope: Vec<String>,
    /// The tests that failed before.
    pub known: Vec<String>,
    /// How many tests must run at least.
    pub least: u64,
    /// Whether it is one test of the suite, of which its runner must say that it ran.
    pub is_one: bool,
    /// A tree on which they must fail.
    pub fails_on: Option<String>,
    /// Files that are added to that tree.
    pub adding: Vec<String>,
}

/// How a reviewer's answer is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerForm {
    /// Where the verdict is.
    pub verdict_at: Vec<String>,
    /// Where the report is; nowhere: the reviewer writes it itself.
    pub report_at: Vec<String>,
    /// The words it may answer, and the verdict that each means.
    pub words: Vec<(String, Verdict)>,
    /// The verdict of anything else, once it was asked for a second time; none: that is a fault.
    pub otherwise: Option<Verdict>,
}

/// The reason why a reviewer's answer has no verdict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AnswerError {
    /// It is a word that the phase does not know.
    #[error("the reviewer answered `{word}`; it may answer {known}")]
    Unknown {
        /// The word.
        word: String,
        /// The words that it may answer.
        known: String,
    },
    /// There is no word where the verdict should be.
    #[error("the reviewer's answer has no verdict; it may be {known}")]
    Missing {
        /// The words that it may answer.
        known: String,
    },
}

impl AnswerForm {
    /// The report in a reviewer's output, if it is to be there.
    pub fn report(&self, output: &[u8]) -> Option<String> {
        crate::verdict::find(output, &self.report_at).filter(|report| !report.trim().is_empty())
    }

    /// The verdict in a reviewer's output, or why there is none.
    pub fn read(&self, output: &[u8]) -> Result<Verdict, AnswerError> {
        let word = crate::verdict::find(output, &self.verdict_at);
        let known = word.as_ref().and_then(|word| self.words.iter().find(|(known, _)| known == word));
        if let Some((_, verdict)) = known {
            return Ok(verdict.clone());
        }
        let known: Vec<String> = self.words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let known = known.join(", ");
        Err(match word {
            Some(word) => AnswerError::Unknown { word, known },
            None => AnswerError::Missing { known },
        })
    }
}

impl Request {
    /// The program that is run, and its arguments; none where the engine does it itself.
    pub fn command(&self) -> &[String] {
        match &self.task {
            Task::Review { command, .. } | Task::Run { command } | Task::Tests(Tests { command, .. }) => {
                command
            }
            Task::That
            | Task::Answered { .. }
            | Task::Scan { .. }
            | Task::Blueprint { .. }
            | Task::Acceptance { .. }
            | Task::Commit { .. } => &[],
        }
    }

    /// Whether a reviewer is asked, and not a check made.
    pub fn is_review(&self) -> bool {
        matches!(self.task, Task::Review { .. } | Task::Answered { .. })
    }
}
