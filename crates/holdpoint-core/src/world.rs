//! The questions that the core may ask about files, git and the environment.

use std::sync::Arc;

use thiserror::Error;

use crate::level::Level;

/// Answers questions about a run's project. Paths are relative to the run's home, or absolute below it.
pub trait World: Send + Sync {
    /// Returns the content of a file.
    fn read(&self, path: &str) -> Answer<Vec<u8>>;

    /// Returns the run's state, whose file is at this path. Where others may write the file, it may be kept elsewhere.
    fn state(&self, path: &str) -> Answer<Vec<u8>> {
        self.read(path)
    }

    /// Reads a document with the reader of this name; none if the document is missing or says nothing of the kind. The readers are no part of the core: it only passes on what they give.
    fn read_as(&self, reader: &str, path: &str, args: &[serde_json::Value]) -> Answer<serde_json::Value> {
        let _ = (reader, path, args);
        Answer::None
    }

    /// Reads what a test run printed, with its exit code if that is known. The reader is no part of the core either.
    fn tests(&self, output: &str, exit: Option<i64>) -> Answer<serde_json::Value> {
        let _ = (output, exit);
        Answer::None
    }

    /// Whether a file or folder exists.
    fn exists(&self, path: &str) -> Answer<()>;

    /// Whether an absolute path, inside the project or not, is a folder that a shell's `cd` would find.
    fn is_folder(&self, dir: &str) -> bool {
        let _ = dir;
        true
    }

    /// Returns the run's folder relative to the project's home. Empty if it is the home itself.
    fn folder(&self) -> String {
        String::new()
    }

    /// The run's id, where each run is a file named by its id.
    fn run_id(&self) -> Option<String> {
        None
    }

    /// Returns the state file of a run that has an id.
    fn state_file(&self) -> Option<String> {
        None
    }

    /// Returns the level of what is performed now; none if the books lie in the project.
    fn level(&self) -> Option<Level> {
        None
    }

    /// Returns the time, in milliseconds since 1970.
    fn now_millis(&self) -> i64 {
        0
    }

    /// Returns the time, in seconds since 1970.
    fn now(&self) -> i64 {
        self.now_millis().div_euclid(1_000)
    }

    /// Whether a report exists that did not exist when its phase was entered.
    fn is_new(&self, path: &str) -> Answer<()> {
        self.exists(path)
    }

    /// A file's content when the run was created, or `Is(None)` if it did not exist. No answer if nothing was kept.
    fn kept(&self, path: &str) -> Answer<Option<Vec<u8>>> {
        let _ = path;
        Answer::None
    }

    /// Returns whether two absolute paths lead to the same file or folder.
    fn is_same_place(&self, one: &str, other: &str) -> bool {
        one == other
    }

    /// Returns where an absolute path really leads, with every link in it followed as far as it exists. None if that is
    /// the path itself, or cannot be told.
    fn real(&self, path: &str) -> Option<String> {
        let _ = path;
        None
    }

    /// Whether files can be created in this folder of the project.
    fn is_writable(&self, folder: &str) -> Answer<()> {
        let _ = folder;
        Answer::Is(())
    }

    /// The path of a program on PATH, by its bare name.
    fn program(&self, name: &str) -> Answer<String> {
        let _ = name;
        Answer::None
    }

    /// What the program at a path that `program` gave prints for `--version`. Only for texts of built-in workflows: nothing
    /// of a project starts a program by being asked.
    fn version(&self, program: &str) -> Answer<String> {
        let _ = program;
        Answer::None
    }

    /// Returns the files below a folder, relative to it.
    fn list(&self, path: &str) -> Answer<Vec<String>> {
        let _ = path;
        Answer::None
    }

    /// Waits briefly if another process may be writing this file in place. False if there is nothing to wait for.
    fn settle(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// The hash of the working tree as it is now, without the paths that match `aside`. None without a repository.
    fn tree(&self, aside: &[String]) -> Answer<String> {
        let _ = aside;
        Answer::None
    }

    /// Returns the files that differ between that tree and the current working tree.
    fn changed_since(&self, tree: &str, aside: &[String]) -> Answer<Vec<String>> {
        let _ = (tree, aside);
        Answer::None
    }

    /// Returns the last commit.
    fn head(&self) -> Answer<Head> {
        Answer::None
    }

    /// A commit's tree without the paths that match `aside`.
    fn tree_without(&self, tree: &str, aside: &[String]) -> Answer<String> {
        let _ = (tree, aside);
        Answer::None
    }

    /// The evidence of this workflow's runs here, oldest first.
    fn evidence(&self) -> Arc<Vec<serde_json::Value>> {
        Arc::default()
    }

    /// A random number.
    fn random_u64(&self) -> u64 {
        0
    }

    /// A digest of files: of their contents, and of which exist.
    fn digest(&self, paths: &[String]) -> Answer<String> {
        let _ = paths;
        Answer::Is(String::new())
    }

    /// An environment variable.
    fn env(&self, name: &str) -> Option<String>;

    /// Asks git about the repository that contains `dir` (absolute).
    fn git(&self, dir: &str, question: &GitQuestion) -> Answer<String>;
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its id.
    pub id: String,
    /// Its first parent. None for the first commit, and for the oldest commit of a shallow clone.
    pub parent: Option<String>,
    /// The number of its parents.
    pub parents: usize,
    /// Its tree.
    pub tree: String,
    /// The first line of its message.
    pub subject: String,
    /// The files that it changed compared with its first parent, sorted. A renamed file counts under both names.
    pub paths: Vec<String>,
}

/// An answer: a value, nothing, or unknown because of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// The value.
    Is(T),
    /// The thing does not exist.
    None,
    /// The answer is unknown.
    Fault(WorldError),
}

/// The reason why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WorldError {
    /// The path leads out of the project.
    #[error("`{0}` lies outside the project")]
    Outside(String),
    /// The file or folder cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The document's reader refuses the document.
    #[error("{0}")]
    Document(String),
    /// The working tree or a commit cannot be read.
    #[error("{0}")]
    Tree(String),
    /// Git could not be asked.
    #[error("{0}")]
    Git(GitError),
    /// The conditions of one event ask for too much.
    #[error("the workflow asks for too much at once")]
    TooManyQuestions,
}

/// The reason why git has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GitError {
    /// The program did not start.
    #[error("git could not be started: {0}")]
    NotStarted(String),
    /// The program did not end in time.
    #[error("git did not answer within {seconds} seconds")]
    NoAnswer {
        /// The time that it had.
        seconds: u64,
    },
    /// The program ended with an error that is no answer.
    #[error("git failed with {how}{}{said}", if said.is_empty() { "" } else { ": " })]
    Failed {
        /// Its exit status.
        how: String,
        /// The first line that it said.
        said: String,
    },
    /// Git was too slow before, so it is not asked again.
    #[error("git takes too long to answer")]
    TooSlow,
    /// One command needs too many answers.
    #[error("the command needs more than {0} answers from git")]
    TooManyQuestions(usize),
}

/// A question for git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitQuestion {
    /// The repository's git folder. Two folders with the same answer share a branch.
    Repository,
    /// The branch that is checked out, even if it has no commit yet. None when detached.
    Branch,
    /// The branch that `git checkout NAME` would end on, if `NAME` names one.
    Switch(String),
    /// The branch of the other repository that `git push` without a branch would push to.
    PushTarget,
    /// The command that an alias stands for.
    Alias(String),
    /// Whether the last commit is this one, or comes after it.
    Contains(String),
}

#[cfg(test)]
#[path = "world_tests.rs"]
pub(crate) mod world_tests;
