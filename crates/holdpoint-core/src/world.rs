//! The core's questions about files, git and the environment, all read-only.

/// Answers the core's questions about one project. Paths are relative to the run's home, or absolute below it.
pub trait World: Send + Sync {
    /// Returns the content of a file.
    fn read(&self, path: &str) -> Answer<Vec<u8>>;

    /// Checks whether a file or folder exists.
    fn exists(&self, path: &str) -> Answer<()>;

    /// Returns whether an absolute path, inside the project or not, is a folder: whether a shell's `cd` would work.
    fn is_folder(&self, dir: &str) -> bool {
        let _ = dir;
        true
    }

    /// Returns the run's folder relative to the project's home. Empty if it is the home itself.
    fn folder(&self) -> String {
        String::new()
    }

    /// Returns the run's id, if each run of the workflow is a file named by its id.
    fn run_id(&self) -> Option<String> {
        None
    }

    /// Returns the state file of a run that has an id.
    fn state_file(&self) -> Option<String> {
        None
    }

    /// Returns the time, in seconds since 1970.
    fn now(&self) -> i64 {
        0
    }

    /// Checks whether a report exists that did not exist when the run entered the phase.
    fn is_new(&self, path: &str) -> Answer<()> {
        self.exists(path)
    }

    /// Returns a file as it was when the run was created, `Is(None)` if it did not exist then, and `Answer::None` if
    /// no copy was kept.
    fn kept(&self, path: &str) -> Answer<Option<Vec<u8>>> {
        let _ = path;
        Answer::None
    }

    /// Returns whether two absolute paths lead to the same file or folder.
    fn is_same_place(&self, one: &str, other: &str) -> bool {
        one == other
    }

    /// Returns whether files can be created in this folder of the project.
    fn is_writable(&self, folder: &str) -> bool {
        let _ = folder;
        true
    }

    /// Returns the path of the program of this name.
    fn program(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Returns the version that a program prints.
    fn version(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Returns the files below a folder, relative to it.
    fn list(&self, path: &str) -> Answer<Vec<String>> {
        let _ = path;
        Answer::None
    }

    /// Waits briefly in case another program is writing this file in place. Returns false if no wait is needed.
    fn settle(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// Returns the hash of the current working tree without the files in `aside`. None outside a repository.
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

    /// Returns the hash of a commit's tree without the files in `aside`.
    fn tree_without(&self, tree: &str, aside: &[String]) -> Answer<String> {
        let _ = (tree, aside);
        Answer::None
    }

    /// Returns the evidence of this workflow's runs here, oldest first.
    fn evidence(&self) -> Vec<serde_json::Value> {
        Vec::new()
    }

    /// Returns a random number.
    fn chance(&self) -> u64 {
        0
    }

    /// Returns a digest of the files that exist and their contents.
    fn digest(&self, paths: &[String]) -> String {
        let _ = paths;
        String::new()
    }

    /// Returns a digest of a text.
    fn text_digest(&self, text: &str) -> String {
        let _ = text;
        String::new()
    }

    /// Returns an environment variable.
    fn env(&self, name: &str) -> Option<String>;

    /// Asks git about the repository that contains `dir` (absolute).
    fn git(&self, dir: &str, question: &GitQuestion) -> Answer<String>;
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its id.
    pub id: String,
    /// Its first parent. None for a first commit, and for the oldest commit of a shallow clone.
    pub parent: Option<String>,
    /// The number of its parents.
    pub parents: usize,
    /// Its tree.
    pub tree: String,
    /// The first line of its message.
    pub subject: String,
    /// The files it changed against its first parent, sorted. A renamed file is listed under both names.
    pub paths: Vec<String>,
}

/// The world's answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// The thing exists; this is it.
    Is(T),
    /// The thing does not exist.
    None,
    /// The question could not be answered. The reason is for people.
    Fault(String),
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
    /// The command that an alias stands for.
    Alias(String),
}
