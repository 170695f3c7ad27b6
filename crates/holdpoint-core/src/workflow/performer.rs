//! Reviewers and checks as data: the programs, and the engine's own tests, that perform phases.

use super::bench::Prove;
use super::grants::Grants;
use super::{List, Named, Say, Text};
use crate::verdict::Verdict;

/// `[reviewers.X]`: a program that is given a prompt and answers a verdict.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::performer))]
pub struct Reviewer {
    /// Its name.
    pub name: Text,
    /// The program and its arguments; templates, with `prompt` and `schema` as names.
    pub command: List<Text>,
    /// Whether the prompt goes to standard input instead of an argument.
    pub prompt_on_stdin: bool,
    /// The JSON schema of its answer, as the program is told it; none: made from the phase's verdicts.
    pub schema: Option<Text>,
    /// Where in its JSON answer the verdict is: the first place that has one counts.
    pub verdict_at: List<Text>,
    /// Where in its JSON answer the report is, which the engine then writes; none: it writes the report itself.
    pub report_at: List<Text>,
    /// Its own words for verdicts: each word, and the verdict it means.
    pub answers: List<Named>,
    /// The verdict of an answer that cannot be read; none: that is a fault.
    pub otherwise: Option<Verdict>,
    /// How a sub-agent of the session is asked in its place.
    pub subagent: Option<Subagent>,
    /// What its answer has beside the verdict and notes: each name, and its form as JSON Schema.
    pub result: List<Named>,
    /// The models that take turns.
    pub models: Option<Models>,
    /// Where its standard error goes, below the run's folder; a template. Removed after a review that worked.
    pub log: Option<Text>,
    /// What its program gets beyond the usual.
    pub grants: Grants,
    /// Where it looks at the files; none: where the workflow's are looked at.
    pub prove: Option<Prove>,
    /// How long it may take, in seconds.
    pub timeout_s: u32,
}

/// A sub-agent that is asked in a program's place.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::performer))]
pub struct Subagent {
    /// `subagent` or `process`, a template: who is asked.
    pub way: Text,
    /// What the agent is told.
    pub ask: Say,
    /// The sub-agents that may answer.
    pub names: List<Text>,
}

/// Models that take turns.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::performer))]
pub struct Models {
    /// The state field that names the next one.
    pub field: Text,
    /// The models in turn. After a value that is none of them comes the first.
    pub rotate: List<Text>,
}

/// `[checks.X]`, or a check written in its phase.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::performer))]
pub struct Check {
    /// Its name.
    pub name: Text,
    /// What it does.
    pub kind: CheckKind,
    /// When there is anything to check, as an expression: otherwise it is skipped.
    pub only_if: Option<Text>,
    /// Verdicts that count as passed although they take another route.
    pub accepts: List<Verdict>,
    /// Where its standard error goes, below the run's folder; a template.
    pub log: Option<Text>,
    /// What its program gets beyond the usual.
    pub grants: Grants,
    /// Where it looks at the files; none: where the workflow's are looked at.
    pub prove: Option<Prove>,
    /// How long it may take, in seconds.
    pub timeout_s: u32,
}

/// What a check does, each kind with only its own inputs. An input is an expression unless it says otherwise.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::performer))]
pub enum CheckKind {
    /// `run`: a program's exit code is the verdict.
    Run {
        /// The program and its arguments, templates.
        command: List<Text>,
    },
    /// `tests`: a test suite, and which of its failures count.
    Tests(TestsCheck),
    /// `that`: a condition.
    That {
        /// The condition.
        condition: Text,
    },
    /// `scan`: changed files, searched for what a script can find.
    Scan {
        /// The files.
        files: Text,
        /// The most lines of a source file.
        code_lines: Option<Text>,
        /// The most lines of a test file.
        test_lines: Option<Text>,
    },
    /// `blueprint`: changed files and a document, compared with a project's blueprint.
    Blueprint {
        /// The blueprint's folder, a template.
        folder: Text,
        /// The files.
        files: Text,
        /// The document.
        spec: Text,
        /// The documents that have the domains: a glob.
        domains: Text,
        /// What the workflow says of money.
        money: MoneyWords,
        /// The title of the document's section about the blueprint.
        reference: Text,
        /// What that section must name.
        fields: List<Text>,
    },
    /// `acceptance`: rows of a document's table, run one by one.
    Acceptance {
        /// Which rows: a glob over their ids, a template.
        rows: Text,
        /// The document.
        spec: Text,
        /// The section's title, a template.
        section: Text,
        /// The columns of tables without a head.
        columns: List<Text>,
    },
    /// `commit`: one commit of exactly these files.
    Commit {
        /// The files.
        files: Text,
        /// The message.
        message: Text,
        /// The condition that says that the commit is as it must be: before, so that nothing is committed, or after.
        landed: Text,
    },
}

/// What a workflow says of money: which documents have rules for it, and the words by which it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::performer))]
pub struct MoneyWords {
    /// The documents: a glob. Empty: there are none.
    pub documents: Text,
    /// The words of a line or a heading there that is about money.
    pub about: List<Text>,
    /// Units in which an amount is a whole number.
    pub units: List<Text>,
    /// The words that make a name in code that of an amount; with a `*` before it, only as the last word of the name.
    pub names: List<Text>,
}

/// The inputs of a test suite.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::performer))]
pub struct TestsCheck {
    /// The program and its arguments, templates.
    pub command: List<Text>,
    /// The files that the work touched.
    pub scope: Option<Text>,
    /// The tests that failed before.
    pub known: Option<Text>,
    /// The one test that is run.
    pub only: Option<Only>,
    /// Whether fewer tests than ever before are a failure.
    pub never_fewer: bool,
    /// How many fewer there may be all the same.
    pub fewer: Option<Text>,
    /// A tree on which they must fail.
    pub fails_on: Option<Text>,
    /// Files that are added to that tree.
    pub adding: Option<Text>,
}

/// `only`: one test of a suite, by its runner.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::performer))]
pub struct Only {
    /// The file that has it.
    pub file: Text,
    /// What it is called.
    pub name: Text,
}

impl CheckKind {
    /// The verdicts that a check of this kind can answer. A check with `if` can be skipped as well.
    pub(crate) fn verdicts(&self) -> &'static [Verdict] {
        use Verdict::{Broken, Fail, OutOfScope, Pass, Skip, Warn};
        match self {
            CheckKind::Run { .. }
            | CheckKind::That { .. }
            | CheckKind::Scan { .. }
            | CheckKind::Blueprint { .. }
            | CheckKind::Commit { .. } => &[Pass, Fail],
            CheckKind::Tests(_) => &[Pass, Fail, Broken, OutOfScope],
            CheckKind::Acceptance { .. } => &[Pass, Fail, Warn, Skip],
        }
    }

    /// The condition that must be true afterwards for the check to pass.
    pub(crate) fn condition(&self) -> Option<&Text> {
        match self {
            CheckKind::That { condition } => Some(condition),
            CheckKind::Commit { landed, .. } => Some(landed),
            _ => None,
        }
    }

    /// The program that it runs, if it is one.
    pub fn command(&self) -> &[Text] {
        match self {
            CheckKind::Run { command } => command,
            CheckKind::Tests(tests) => &tests.command,
            _ => &[],
        }
    }
}
