//! What statements say about a commit: a test result in in-toto's own form, and in Holdpoint's a review and the summary of
//! a run. Nothing here has a path of the machine, a variable's value or a line of a log.

use holdpoint_core::level::Level;
use holdpoint_core::verdict::Verdict;
use serde::{Deserialize, Serialize};

use super::base64;
use super::identity::{Digest, ObjectId};

/// The type of a test result, which other tools know, too.
pub const TESTS: &str = "https://in-toto.io/attestation/test-result/v0.1";
/// The type of a review.
pub const REVIEW: &str = "urn:holdpoint:review:v1";
/// The type of a run's summary.
pub const RUN: &str = "urn:holdpoint:run:v1";

/// What a statement says.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// What a test suite came to.
    Tests(TestResult),
    /// What a reviewer said.
    Review(Review),
    /// All that a run has proved for the commit.
    Run(RunSummary),
}

/// in-toto's test result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TestResult {
    /// What it came to as a whole.
    pub result: ResultWord,
    /// What the tests were run with: the workflow, and the command if it can travel.
    pub configuration: Vec<Descriptor>,
    /// The names of tests that failed, as far as their runner names them.
    #[serde(default)]
    pub failed_tests: Vec<String>,
}

/// The word of a test result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ResultWord {
    /// All tests passed.
    Passed,
    /// Only tests failed that do not count.
    Warned,
    /// Tests failed, or none could be run.
    Failed,
}

/// in-toto's description of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Descriptor {
    /// Its name.
    pub name: String,
    /// Its digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<DigestSet>,
    /// What the content is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The content itself, in Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// in-toto's set of digests, with the one that is used here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DigestSet {
    /// The SHA-256.
    pub sha256: Digest,
}

/// A review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// What can be believed of it.
    pub level: Level,
    /// The workflow that asked for it.
    pub workflow: WorkflowName,
    /// The program that was asked; none for a sub-agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// The tree that was reviewed.
    pub tree: ObjectId,
    /// The phase.
    pub phase: String,
    /// Which round it was.
    pub round: i64,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the run took the passing route then.
    pub passed: bool,
    /// Its place in the run's evidence.
    pub link: Link,
}

/// A workflow, by its name and the digest of all its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkflowName {
    /// Its name.
    pub name: String,
    /// The digest of every path and byte of its folder.
    pub digest: DigestSet,
}

/// A piece's place in the chain of a run's evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Which piece it is, from 1.
    pub position: u64,
    /// The digest of the piece and all before it.
    pub digest: Digest,
    /// The same of the piece before it; none for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Digest>,
}

/// The summary of a run: all that it has proved for the commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSummary {
    /// What can be believed of it.
    pub level: Level,
    /// The workflow.
    pub workflow: WorkflowName,
    /// The tree that was proved: the commit's without what is aside.
    pub tree: ObjectId,
    /// What is no part of that tree, as globs.
    pub aside: Vec<String>,
    /// The digest of the run's first piece, which tells runs apart.
    pub origin: Digest,
    /// The run's last piece when this was written.
    pub head: Link,
    /// The pieces that apply to the commit, oldest first.
    pub evidence: Vec<Piece>,
}

/// One piece of evidence, without texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// Its place in the chain.
    pub link: Link,
    /// What was performed.
    pub kind: Kind,
    /// When, in UTC.
    pub at: String,
    /// The phase.
    pub phase: String,
    /// The element that it was about, where the workflow has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// Which round it was.
    pub round: i64,
    /// The verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Whether the run took the passing route then.
    pub passed: bool,
    /// How many doubts there are about it.
    #[serde(default)]
    pub doubts: usize,
    /// How many tests ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// What one person said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approved>,
    /// The hold that the user released, by its rule: no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<Approved>,
    /// The digest of the statement that says more about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<Digest>,
}

/// What a piece of evidence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A test suite.
    Tests,
    /// A review.
    Review,
    /// What people said.
    Approval,
    /// The commit itself.
    Commit,
    /// Any other check.
    Check,
    /// A hold that the user released.
    Release,
}

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Tests => "tests",
            Kind::Review => "review",
            Kind::Approval => "approval",
            Kind::Commit => "commit",
            Kind::Check => "check",
            Kind::Release => "release",
        }
    }
}

/// A person's word: an approval, or that something held may pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approved {
    /// The approval's name, or the rule's.
    pub name: String,
    /// Who said it.
    pub by: String,
}

/// The name and the kind of content under which the test command travels.
const COMMAND: &str = "command";
const COMMAND_TYPE: &str = "application/json";

impl Descriptor {
    /// Describes a workflow.
    pub fn workflow(workflow: &WorkflowName) -> Descriptor {
        Descriptor {
            name: workflow.name.clone(),
            digest: Some(workflow.digest.clone()),
            media_type: None,
            content: None,
        }
    }

    /// Describes a command: its words as a JSON list.
    pub fn command(words: &[String]) -> Descriptor {
        let json = serde_json::to_vec(words).unwrap_or_default();
        Descriptor {
            name: COMMAND.to_owned(),
            digest: None,
            media_type: Some(COMMAND_TYPE.to_owned()),
            content: Some(base64::encode(&json)),
        }
    }
}

impl TestResult {
    /// The command that ran the tests; none if it is not in the statement.
    pub fn command(&self) -> Option<Vec<String>> {
        let descriptor = self.configuration.iter().find(|one| {
            one.name == COMMAND && one.media_type.as_deref() == Some(COMMAND_TYPE) && one.digest.is_none()
        })?;
        let words: Vec<String> =
            serde_json::from_slice(&base64::decode(descriptor.content.as_deref()?)?).ok()?;
        words.first().is_some_and(|program| !program.is_empty()).then_some(words)
    }
}
