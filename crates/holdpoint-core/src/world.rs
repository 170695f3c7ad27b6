//! The questions that the core may ask about files, git and the environment.

/// Answers questions about a run's project. Paths are relative to the run's home, or absolute below it.
pub trait World: Send + Sync {
    /// The content of a file.
    fn read(&self, path: &str) -> Answer<Vec<u8>>;

    /// Whether a file or folder exists.
    fn exists(&self, path: &str) -> Answer<()>;

    /// Whether an absolute path, inside the project or not, is a folder that a shell's `cd` would find.
    fn is_folder(&self, dir: &str) -> bool {
        let _ = dir;
        true
    }

    /// The run's folder from the project's home; empty if it is the home itself.
    fn folder(&self) -> String {
        String::new()
    }

    /// The run's id, where each run is a file named by its id.
    fn run_id(&self) -> Option<String> {
        None
    }

    /// The state file of such a run.
    fn state_file(&self) -> Option<String> {
        None
    }

    /// The time, in seconds since 1970.
    fn now(&self) -> i64 {
        0
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

    /// Whether two absolute paths lead to the same place.
    fn is_same_place(&self, one: &str, other: &str) -> bool {
        one == other
    }

    /// Whether a file below the project could be written in this folder.
    fn is_writable(&self, folder: &str) -> bool {
        let _ = folder;
        true
    }

    /// The path of a program on PATH.
    fn program(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// What a program prints for `--version`.
    fn version(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// The files below a folder, as paths from it.
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

    /// The files that differ between that tree and the working tree as it is now.
    fn changed_since(&self, tree: &str, aside: &[String]) -> Answer<Vec<String>> {
        let _ = (tree, aside);
        Answer::None
    }

    /// The last commit.
    fn head(&self) -> Answer<Head> {
        Answer::None
    }

    /// A commit's tree without the paths that match `aside`.
    fn tree_without(&self, tree: &str, aside: &[String]) -> Answer<String> {
        let _ = (tree, aside);
        Answer::None
    }

    /// The evidence of this workflow's runs here, oldest first.
    fn evidence(&self) -> Vec<serde_json::Value> {
        Vec::new()
    }

    /// A random number.
    fn random_u64(&self) -> u64 {
        0
    }

    /// A digest of files: of their contents, and of which exist.
    fn digest(&self, paths: &[String]) -> String {
        let _ = paths;
        String::new()
    }

    /// An environment variable.
    fn env(&self, name: &str) -> Option<String>;

    /// A question to git about the repository that `dir` (absolute) lies in.
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
    /// There is none.
    None,
    /// The answer is unknown. The reason is for people.
    Fault(String),
}

/// The questions the core has for git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitQuestion {
    /// The repository itself: its git folder. Two folders with the same answer share a branch.
    Repository,
    /// The branch that is checked out, unborn ones included; none when detached.
    Branch,
    /// The branch `git checkout` of this name would end on, if it names one.
    Switch(String),
    /// What an alias stands for.
    Alias(String),
}
